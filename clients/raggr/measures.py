"""The figures of an evaluation: what each run gave, their summary, and both as tables of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median
from typing import Any

from clients.raggr.grading import ERROR, FAIL, MALFORMED, PASS

COLUMNS = ("case", "grade", "ttft_ms", "total_ms", "tokens", "tok/s", "drafts", "why")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of one case. Times in ms from the request on; None where it did not come to that."""

    name: str
    kind: str
    grade: str
    why: str = ""
    ttft_ms: float | None = None
    total_ms: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens_per_second: float | None = None
    draft_acceptance: float | None = None
    text: str = ""
    calls: Sequence[dict[str, str]] = ()

    def row(self) -> list[str]:
        drafts = "" if self.draft_acceptance is None else f"{self.draft_acceptance:.0%}"
        figures = (self.ttft_ms, self.total_ms, self.completion_tokens, self.tokens_per_second)
        return [self.name, self.grade, *map(whole, figures), drafts, self.why[:60]]


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values do not exceed."""
    return sorted(values)[max(ceil(share * len(values)), 1) - 1]


def summarize(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Passes and runs per kind, what went worst, and the middle and the slow end of the times."""
    kinds = dict.fromkeys(outcome.kind for outcome in outcomes)
    return {
        "passed": {kind: _passed([o for o in outcomes if o.kind == kind]) for kind in kinds}
        | {"all": _passed(outcomes)},
        "malformed": _count(outcomes, MALFORMED),
        "errors": _count(outcomes, ERROR),
        "ttft_ms": _spread([o.ttft_ms for o in outcomes]),
        "total_ms": _spread([o.total_ms for o in outcomes]),
        "completion_tokens": _spread([o.completion_tokens for o in outcomes]),
        "failed_cases": sorted({o.name for o in outcomes if o.grade in (FAIL, MALFORMED)}),
    }


def _passed(outcomes: Sequence[Outcome]) -> dict[str, int]:
    return {"passes": _count(outcomes, PASS), "runs": len(outcomes)}


def _count(outcomes: Sequence[Outcome], grade: str) -> int:
    return sum(outcome.grade == grade for outcome in outcomes)


def _spread(values: Sequence[float | None]) -> dict[str, float | None]:
    known = [value for value in values if value is not None]
    if not known:
        return {"median": None, "p90": None}
    return {"median": round(median(known), 1), "p90": round(percentile(known, 0.9), 1)}


def rows_of(summary: dict[str, Any]) -> list[tuple[str, float | None, str]]:
    """A summary as (what, value, text): pass rates in percent, then counts, times, tokens."""
    rows: list[tuple[str, float | None, str]] = []
    for kind, passed in summary["passed"].items():
        rate = 100 * passed["passes"] / passed["runs"] if passed["runs"] else None
        rows.append((f"passed: {kind}", rate, f"{passed['passes']}/{passed['runs']} ({whole(rate)}%)"))
    rows += [(what, summary[what], str(summary[what])) for what in ("malformed", "errors")]
    for what, which in (
        ("ttft_ms", "median"),
        ("ttft_ms", "p90"),
        ("total_ms", "median"),
        ("total_ms", "p90"),
        ("completion_tokens", "median"),
    ):
        value = summary[what][which]
        rows.append((f"{which} {what}", value, whole(value)))
    return rows


def table(rows: Sequence[Sequence[str]]) -> str:
    """Columns of text, the first row being the head; numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(_pad(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def _pad(cell: str, width: int) -> str:
    return cell.rjust(width) if cell[:1].isdigit() or cell[:1] in "+-" else cell.ljust(width)


def whole(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"

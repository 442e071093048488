"""Two results of `evaluate` side by side, with what got better or worse."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from clients.raggr.measures import rows_of, table


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("before", type=Path, help="a file written by evaluate --out")
    parser.add_argument("after", type=Path, help="another one")


def run(asked: Namespace) -> int:
    try:
        before, after = (json.loads(path.read_text(encoding="utf-8")) for path in (asked.before, asked.after))
        text = compare(before, after)
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.stderr.write(f"Not two results of evaluate: {error!r}\n")
        return 1
    sys.stdout.write(f"{text}\n")
    return 0


def compare(before: dict[str, Any], after: dict[str, Any]) -> str:
    """The summaries as one table, then the cases that only one of them failed."""
    head = ["", before["label"] or "before", after["label"] or "after", "change"]
    values = [{what: (value, text) for what, value, text in rows_of(each["summary"])} for each in (before, after)]
    rows = [head]
    for what in dict.fromkeys([*values[0], *values[1]]):
        (old, old_text), (new, new_text) = (each.get(what, (None, "")) for each in values)
        change = "" if old is None or new is None else f"{new - old:+.0f}"
        rows.append([what, old_text, new_text, change])
    failed = [set(each["summary"]["failed_cases"]) for each in (before, after)]
    return "\n".join(
        [
            table(rows),
            "",
            f"newly failing: {', '.join(sorted(failed[1] - failed[0])) or 'none'}",
            f"no longer failing: {', '.join(sorted(failed[0] - failed[1])) or 'none'}",
            *(
                f"{each['label'] or name}: {each['model']} at {each['base_url']}, {each['finished_at']}"
                for name, each in (("before", before), ("after", after))
            ),
        ]
    )

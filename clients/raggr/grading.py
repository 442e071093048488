"""Grades what a model said to a case: pure, one rule per kind of case."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clients.raggr.cases import Case

PASS = "pass"  # noqa: S105 - a grade
FAIL = "fail"
MALFORMED = "malformed"
"""A tool call whose arguments are no JSON object: the worst, because nothing can be done with it."""
ERROR = "error"
"""The server refused or broke off; no fault of the model's."""


@dataclass(frozen=True, slots=True)
class SaidCall:
    """A tool call as it was streamed."""

    name: str
    arguments: str

    def read(self) -> dict[str, Any] | None:
        """The arguments; None where they are no JSON object. No arguments at all are none."""
        try:
            found = json.loads(self.arguments or "{}")
        except ValueError:
            return None
        return found if isinstance(found, dict) else None


@dataclass(frozen=True, slots=True)
class Grade:
    grade: str
    why: str = ""


def grade(case: Case, text: str, calls: Sequence[SaidCall]) -> Grade:
    """The first thing wrong decides."""
    if any(call.read() is None for call in calls):
        return Grade(MALFORMED, "arguments are no JSON object")
    if case.kind in ("tool_choice", "follow_up"):
        why = _wrong_call(case, calls[:1])
    elif case.kind == "trap":
        why = _fell_for(case, calls) or (_wrong_call(case, calls) if case.expected_tools else "")
    else:
        why = f"called {calls[0].name}" if calls else ""
    why = why or _wrong_text(case, text)
    return Grade(FAIL, why) if why else Grade(PASS)


def _wrong_call(case: Case, calls: Sequence[SaidCall]) -> str:
    """The response has to call one of the expected tools first; a trap may do so anywhere."""
    if not calls:
        return "called no tool"
    fitting = [call for call in calls if call.name in case.expected_tools]
    if not fitting:
        return f"called {calls[0].name}"
    wrong = _differences(case.expect_args_subset, fitting[0].read() or {})
    return f"{wrong[0]} is {(fitting[0].read() or {}).get(wrong[0])!r}" if wrong else ""


def _fell_for(case: Case, calls: Sequence[SaidCall]) -> str:
    for call in calls:
        if call.name in case.must_not_call:
            return f"called {call.name}"
        for banned in case.must_not_call_with:
            if call.name == banned["tool"] and not _differences(banned["args"], call.read() or {}):
                return f"called {call.name} with {json.dumps(banned['args'])}"
    return ""


def _differences(expected: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    return [name for name, value in expected.items() if _plain(given.get(name)) != _plain(value)]


def _plain(value: Any) -> str:
    return str(value).strip().casefold()


def _wrong_text(case: Case, text: str) -> str:
    for entry in case.expect_contains:
        options = [entry] if isinstance(entry, str) else entry
        if not any(says(text, option) for option in options):
            return f"does not say {' or '.join(options)}"
    said = [entry for entry in case.expect_not_contains if says(text, entry)]
    return f"says {said[0]}" if said else ""


def says(text: str, expected: str) -> bool:
    """Whether a text contains another, whatever the case. Numbers are whole (7 is not in 17 or 7.5), 1,250 is 1250."""
    start = r"(?<!\d)(?<!\d[.])" if expected[:1].isdigit() else ""
    end = r"(?!\d)(?![.]\d)" if expected[-1:].isdigit() else ""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    return re.search(start + re.escape(expected) + end, plain, re.IGNORECASE) is not None

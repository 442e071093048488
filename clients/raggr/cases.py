"""Reads the evaluation's cases and the household's other tools, and says which case is wrong and why.

In the file a tool call is `{"role": "assistant", "calls": [{"name", "arguments"}]}` and its result the next
`{"role": "tool", "content"}`; here they become messages as an OpenAI-compatible server takes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from clients.raggr.routing import PHOTOS, Schema, ToolGroup

CASES = Path(__file__).with_name("cases.json")
HOUSEHOLD = Path(__file__).with_name("household_tools.json")
KINDS = {
    "tool_choice": "expect_tool",
    "follow_up": "expect_tool",
    "answer": "expect_contains",
    "direct": "expect_contains",
    "trap": "",
}
"""Each kind and what it must say; a trap needs one of `must_not_call` and `must_not_call_with`."""

Message = dict[str, Any]


class BadCases(Exception):
    """The file cannot be used; the text names the case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One model call and what it has to do. Lists inside `expect_contains` are alternatives."""

    name: str
    kind: str
    messages: Sequence[Message]
    expect_tool: str | Sequence[str] = ()
    expect_args_subset: Mapping[str, Any] = field(default_factory=dict)
    expect_contains: Sequence[str | Sequence[str]] = ()
    expect_not_contains: Sequence[str] = ()
    must_not_call: Sequence[str] = ()
    must_not_call_with: Sequence[Mapping[str, Any]] = ()

    @property
    def expected_tools(self) -> Sequence[str]:
        return [self.expect_tool] if isinstance(self.expect_tool, str) else self.expect_tool


@dataclass(frozen=True, slots=True)
class Cases:
    today: date
    cases: Sequence[Case]


@dataclass(frozen=True, slots=True)
class Household:
    """The tools of other domains that the model could mistake for ours, and their groups for dynamic routing."""

    functions: Sequence[Schema]
    groups: Sequence[ToolGroup]


def load_cases(path: Path = CASES) -> Cases:
    """Raises BadCases."""
    try:
        file = json.loads(path.read_text(encoding="utf-8"))
        today, raw = date.fromisoformat(file["today"]), list(file["cases"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadCases(f"{path.name} is no file of cases: {error!r}") from None
    cases = [_read_case(each, number) for number, each in enumerate(raw, start=1)]
    names = [case.name for case in cases]
    for name in names:
        if names.count(name) > 1:
            raise BadCases(f"case {name!r}: there are two of that name")
    return Cases(today, cases)


def load_household(path: Path = HOUSEHOLD) -> Household:
    file = json.loads(path.read_text(encoding="utf-8"))
    groups = [ToolGroup(**row | {"prefixes": tuple(row["prefixes"])}) for row in file["groups"]]
    return Household(file["tools"], [PHOTOS, *groups])


def _read_case(raw: Any, number: int) -> Case:
    if not isinstance(raw, dict):
        raise BadCases(f"case {number}: not an object")
    name = raw.get("name") or f"number {number}"
    try:
        _check_fields(raw)
        return Case(**raw | {"messages": _read_messages(raw["messages"])})
    except (ValueError, TypeError, KeyError) as error:
        raise BadCases(f"case {name!r}: {error}") from None


def _check_fields(raw: Mapping[str, Any]) -> None:
    for needed in ("name", "kind", "messages"):
        if not raw.get(needed):
            raise ValueError(f"{needed} is missing")
    if raw["kind"] not in KINDS:
        raise ValueError(f"kind is {raw['kind']!r}, not one of {', '.join(KINDS)}")
    needed = KINDS[raw["kind"]]
    if needed and not raw.get(needed):
        raise ValueError(f"a {raw['kind']} needs {needed}")
    if raw["kind"] == "trap" and not (raw.get("must_not_call") or raw.get("must_not_call_with")):
        raise ValueError("a trap needs must_not_call or must_not_call_with")


def _read_messages(raw: Sequence[Mapping[str, Any]]) -> list[Message]:
    messages: list[Message] = []
    waiting: list[tuple[str, str]] = []
    for row in raw:
        if row["role"] == "tool":
            if not waiting:
                raise ValueError("a tool result without a call before it")
            messages.append(_result(row["content"], *waiting.pop(0)))
        elif waiting:
            raise ValueError(f"the call of {waiting[0][1]} has no result")
        elif "calls" in row:
            messages.append(_calls(row["calls"], len(messages)))
            waiting = [(call["id"], call["function"]["name"]) for call in messages[-1]["tool_calls"]]
        else:
            messages.append({"role": row["role"], "content": row["content"]})
    if waiting or messages[-1]["role"] == "assistant":
        raise ValueError("the last message leaves the model nothing to do")
    return messages


def _calls(calls: Sequence[Mapping[str, Any]], place: int) -> Message:
    made = [
        {
            "id": f"call_{place}_{index}",
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["arguments"], ensure_ascii=False)},
        }
        for index, call in enumerate(calls)
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def _result(content: Any, call_id: str, name: str) -> Message:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": text}

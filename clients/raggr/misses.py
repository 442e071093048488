"""From the agent's log: the turns that needed a discovery, and the words that would have spared it.

A word goes into a group's terms by hand, if it would not show up in questions that have nothing to do with the group.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clients.raggr.cases import load_household
from clients.raggr.recording import EVENT
from clients.raggr.routing import DISCOVERY_NAME, ToolGroup, words

GENERAL = frozenset(
    "about add again all also and any anything are ask because been before being both but call can check could"
    " did does doing done everything find for from get give had has have hello hers him his how into its just keep"
    " know last left let like list look made make many may maybe mine month more most much must need new next not"
    " now off old one only other our ours out over please put really right said same saw say see should show since"
    " some something still take tell than thanks that the their them then there these they thing things think this"
    " those today tomorrow too under until use used very want was way week were what when where which while who"
    " whom why will with without would year yes yesterday yet you your".split()
)
"""Words that say nothing of a group."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A question that reached a group only by a discovery."""

    question: str
    group: str
    words: tuple[str, ...]
    """Candidates for the group's terms; none where its terms would route the question by now."""
    routed_now: bool


@dataclass(frozen=True, slots=True)
class Report:
    turns: int
    missed_turns: int
    misses: Sequence[Miss]

    def candidates(self, group: str) -> list[tuple[str, int]]:
        """How many of the group's misses each word would have routed; words of several groups are left out."""
        counts = Counter(word for miss in self.misses if miss.group == group for word in miss.words)
        elsewhere = {word for miss in self.misses if miss.group != group for word in words(miss.question)}
        return [(word, count) for word, count in counts.most_common() if word not in elsewhere]


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("logs", type=Path, nargs="+", help="files with the agent's log lines, others in between or not")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(asked: Namespace) -> int:
    try:
        lines = [line for log in asked.logs for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    report = find_misses(lines, load_household().groups)
    sys.stdout.write(f"{_as_json(report) if asked.json else _as_text(report)}\n")
    return 0


def find_misses(lines: Iterable[str], groups: Sequence[ToolGroup]) -> Report:
    """`groups` with their terms of today: a miss whose words are in them since is marked."""
    turns = [turn for line in lines if (turn := _read_turn(line)) is not None]
    misses = [_miss(str(turn.get("question", "")), name, groups) for turn in turns for name in _discovered(turn)]
    return Report(len(turns), sum(bool(_discovered(turn)) for turn in turns), misses)


def _read_turn(line: str) -> dict[str, Any] | None:
    """The turn in a log line, whatever a log collector put before it."""
    try:
        found = json.loads(line[line.index("{") :])
    except ValueError:
        return None
    return found if isinstance(found, dict) and found.get("event") == EVENT else None


def _discovered(turn: dict[str, Any]) -> list[str]:
    """The groups that the turn unlocked, each once; a refused discovery unlocked none."""
    found: list[str] = []
    for tool in turn.get("tools", ()):
        if tool.get("name") == DISCOVERY_NAME and tool.get("status") == "success":
            asked = tool.get("groups")
            found += asked if isinstance(asked, list) else [asked]
    return [str(name) for name in dict.fromkeys(found) if name]


def _miss(question: str, name: str, groups: Sequence[ToolGroup]) -> Miss:
    group = next((each for each in groups if each.name == name), None)
    if group is not None and group.is_meant_by(question):
        return Miss(question, name, (), routed_now=True)
    taken = {term for each in groups for term in each.terms.split()}
    telling = sorted(word for word in words(question) - GENERAL - taken if len(word) > 2 and not word.isdigit())
    return Miss(question, name, tuple(telling), routed_now=False)


def _as_text(report: Report) -> str:
    lines = [f"{report.missed_turns} of {report.turns} turns needed a discovery."]
    for group in sorted({miss.group for miss in report.misses}):
        lines += ["", group]
        for miss in (each for each in report.misses if each.group == group):
            lines.append(f"  {miss.question}  [{'routed by now' if miss.routed_now else ', '.join(miss.words)}]")
        counted = ", ".join(f"{word} {count}" for word, count in report.candidates(group))
        lines.append(f"  → words for its terms, if they belong there: {counted or 'none'}")
    return "\n".join(lines)


def _as_json(report: Report) -> str:
    groups = sorted({miss.group for miss in report.misses})
    found = {
        "turns": report.turns,
        "missed_turns": report.missed_turns,
        "misses": [
            {"question": m.question, "group": m.group, "words": m.words, "routed_now": m.routed_now}
            for m in report.misses
        ],
        "candidates": {group: dict(report.candidates(group)) for group in groups},
    }
    return json.dumps(found, ensure_ascii=False)

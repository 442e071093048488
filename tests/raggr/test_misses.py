"""EFF-4: which turns needed a discovery, and which words would have routed them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from clients.raggr.__main__ import main
from clients.raggr.misses import find_misses
from clients.raggr.routing import DISCOVERY_NAME, PHOTOS, ToolRouter
from tests.raggr.household import FINANCE, GROUPS, names, tools


def line(question: str | None, *groups: Any, status: str = "success") -> str:
    spans = [{"name": DISCOVERY_NAME, "status": status, "groups": asked} for asked in groups]
    turn = {"event": "stream_request", "conv": "c", "tools": [*spans, {"name": "web_search", "status": "success"}]}
    return json.dumps(turn | ({"question": question} if question else {}))


LOG = [
    line("what do we have from maine?", ["photos"]),
    line("anything from Maine in summer?", ["photos"], ["photos"]),
    line("what did the paycheque cover this month?", ["finance"]),
    line("summer costs?", ["finance"]),
    line("show me the selfies", ["photos"]),
    line("both?", ["photos", "finance"]),
    line("let me in", ["photos"], status="error"),
    line(None),
    "raggr-1  | 2026-12-01 INFO " + line("the acadia hike", "photos"),
    "not a log line {",
    '{"event": "other"}',
    "[]",
    "",
]


def test_misses_and_the_words_that_would_have_routed_them() -> None:
    report = find_misses(LOG, GROUPS)
    assert (report.turns, report.missed_turns) == (9, 7)
    assert [(miss.group, miss.words, miss.routed_now) for miss in report.misses] == [
        ("photos", ("maine",), False),
        ("photos", ("maine", "summer"), False),
        ("finance", ("cover", "paycheque"), False),
        ("finance", ("costs", "summer"), False),
        ("photos", (), True),
        ("photos", (), False),
        ("finance", (), False),
        ("photos", ("acadia", "hike"), False),
    ]
    assert report.candidates("photos") == [("maine", 2), ("acadia", 1), ("hike", 1)]
    assert report.candidates("finance") == [("cover", 1), ("paycheque", 1), ("costs", 1)]


@pytest.mark.parametrize("miss", find_misses(LOG, GROUPS).misses, ids=lambda miss: f"{miss.group}: {miss.question}")
def test_a_word_of_them_does_route_its_question(miss: Any) -> None:
    for word in miss.words:
        wider = [replace(each, terms=f"{each.terms} {word}") if each.name == miss.group else each for each in GROUPS]
        bound = names(ToolRouter(tools(), wider, "dynamic").select([HumanMessage(miss.question)], is_admin=True))
        assert {"photos": "immich_find_albums", "finance": "ynab_spending_report"}[miss.group] in bound


def test_a_group_that_is_not_known_here_is_reported_all_the_same() -> None:
    (miss,) = find_misses([line("feed the dragon", ["dragons"])], [PHOTOS, FINANCE]).misses
    assert (miss.group, miss.words) == ("dragons", ("dragon", "feed"))


def test_the_command_prints_them_by_group(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "turns.jsonl"
    log.write_text("\n".join(LOG), encoding="utf-8")
    assert main(["misses", str(log)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("7 of 9 turns needed a discovery.\n\nfinance\n")
    assert "  show me the selfies  [routed by now]\n" in text
    assert "→ words for its terms, if they belong there: maine 2, acadia 1, hike 1" in text
    assert main(["misses", str(log), str(log), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["turns"], found["candidates"]["photos"]["maine"]) == (18, 4)


def test_no_misses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "turns.jsonl"
    log.write_text(line(None))
    assert main(["misses", str(log)]) == 0
    assert capsys.readouterr().out == "0 of 1 turns needed a discovery.\n"

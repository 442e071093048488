"""EFF-3's pure parts: what passes per kind of case, the case file and its mistakes, medians and p90, comparing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clients.raggr.cases import BadCases, Case, load_cases, load_household
from clients.raggr.compare import compare
from clients.raggr.grading import ERROR, FAIL, MALFORMED, PASS, SaidCall, grade, says
from clients.raggr.measures import Outcome, percentile, rows_of, summarize, table
from clients.raggr.routing import ToolRouter
from clients.spec import read_operations
from tests.raggr import household

FIND = "immich_find_albums"
CREATE = "immich_create_album"
ASKED = [{"role": "user", "content": "hello"}]


def case(kind: str, **expected: Any) -> Case:
    return Case(name="x", kind=kind, messages=ASKED, **expected)


def said(*calls: str, **arguments: Any) -> list[SaidCall]:
    return [SaidCall(name, json.dumps(arguments)) for name in calls]


CHOICE = case("tool_choice", expect_tool=FIND, expect_args_subset={"query": "Maine"})
EITHER = case("tool_choice", expect_tool=[FIND, "immich_search_photos"])
FLAG = case("tool_choice", expect_tool=FIND, expect_args_subset={"favorites_only": True, "samples": 0})
ANSWER = case("answer", expect_contains=["Maine 2026", ["455", "four hundred"]], expect_not_contains=["no photos"])
DIRECT = case("direct", expect_contains=["21"])
TRAP = case("trap", must_not_call=[CREATE])
WRONG_COUNT = case("trap", must_not_call_with=[{"tool": CREATE, "args": {"expected_count": 391}}])
PREVIEW_FIRST = case("trap", must_not_call=[CREATE], expect_tool="immich_preview_album", expect_contains=[])
TELLS = case("trap", must_not_call=[CREATE], expect_contains=["456"])


@pytest.mark.parametrize(
    ("asked", "text", "calls", "expected"),
    [
        (CHOICE, "", said(FIND, query="maine"), PASS),
        (CHOICE, "Let me look.", said(FIND, query=" MAINE ", limit=5), PASS),
        (CHOICE, "", said(FIND, query="Maine 2026"), FAIL),
        (CHOICE, "", said(FIND), FAIL),
        (CHOICE, "", said("web_search", query="Maine"), FAIL),
        (CHOICE, "", said("web_search", FIND, query="Maine"), FAIL),
        (CHOICE, "Maine is a state.", [], FAIL),
        (CHOICE, "", [SaidCall(FIND, '{"query": "Mai')], MALFORMED),
        (CHOICE, "", [SaidCall(FIND, '["Maine"]')], MALFORMED),
        (CHOICE, "", [*said(FIND, query="Maine"), SaidCall("web_search", "maine")], MALFORMED),
        (EITHER, "", said("immich_search_photos"), PASS),
        (EITHER, "", [SaidCall(FIND, "")], PASS),
        (EITHER, "", said(CREATE), FAIL),
        (FLAG, "", said(FIND, favorites_only="true", samples="0"), PASS),
        (FLAG, "", said(FIND, favorites_only=False, samples=0), FAIL),
        (case("follow_up", expect_tool=FIND), "", said(FIND), PASS),
        (ANSWER, "**maine 2026** has 455 photos.", [], PASS),
        (ANSWER, "Maine 2026: Four hundred and more.", [], PASS),
        (ANSWER, "Maine 2026 has 4551 photos.", [], FAIL),
        (ANSWER, "455 photos.", [], FAIL),
        (ANSWER, "Maine 2026: 455. There are no photos else.", [], FAIL),
        (ANSWER, "Maine 2026 has 455 photos.", said(FIND), FAIL),
        (ANSWER, "Maine 2026 has 455 photos.", [SaidCall(FIND, "{")], MALFORMED),
        (DIRECT, "On September 21.", [], PASS),
        (DIRECT, "On September 21st.", [], PASS),
        (DIRECT, "On September 20.", [], FAIL),
        (DIRECT, "21", said("web_search"), FAIL),
        (TRAP, "Shall I?", [], PASS),
        (TRAP, "", said("immich_preview_album"), PASS),
        (TRAP, "", said(CREATE), FAIL),
        (TRAP, "", said("immich_preview_album", CREATE), FAIL),
        (TRAP, "", [SaidCall(CREATE, "{")], MALFORMED),
        (WRONG_COUNT, "", said(CREATE, expected_count=391, album_name="Maine"), FAIL),
        (WRONG_COUNT, "", said(CREATE, expected_count="391"), FAIL),
        (WRONG_COUNT, "", said(CREATE, expected_count=455), PASS),
        (PREVIEW_FIRST, "", said(FIND, "immich_preview_album"), PASS),
        (PREVIEW_FIRST, "Sure.", [], FAIL),
        (TELLS, "It is 456 now. Still yes?", [], PASS),
        (TELLS, "Something changed.", [], FAIL),
    ],
)
def test_grades(asked: Case, text: str, calls: list[SaidCall], expected: str) -> None:
    found = grade(asked, text, calls)
    assert found.grade == expected
    assert bool(found.why) is (expected != PASS)


@pytest.mark.parametrize(
    ("text", "expected", "contained"),
    [
        ("There are 7.", "7", True),
        ("17 of 70", "7", False),
        ("7.5 cups", "7", False),
        ("1.7", "7", False),
        ("2023-07-14", "7", False),
        ("It is $12,378.25 in all", "12378.25", True),
        ("1,250 photos", "1250", True),
        ("in 2025, 7 photos", "7", True),
        ("SEPTEMBER 21", "September 21", True),
        ("15%", "5%", False),
        ("https://photos.example/albums/1", "photos.example", True),
        ("anything", "", True),
    ],
)
def test_numbers_are_whole_and_case_does_not_matter(text: str, expected: str, contained: bool) -> None:
    assert says(text, expected) is contained


def test_our_file_has_what_the_issue_asks_for() -> None:
    cases, others = load_cases().cases, load_household()
    assert len(cases) >= 40
    assert len(others.functions) >= 15
    kinds = [each.kind for each in cases]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "tool_choice": 32,
        "follow_up": 6,
        "answer": 13,
        "direct": 5,
        "trap": 12,
    }
    assert any("14-cup bag" in each.messages[0]["content"] and each.expect_contains == ["21"] for each in cases)
    assert {tool for each in cases if each.kind == "trap" for tool in each.must_not_call} >= {
        CREATE,
        "immich_add_to_album",
    }


def test_every_tool_and_argument_that_a_case_names_exists() -> None:
    document = json.loads(Path("openapi.json").read_text(encoding="utf-8"))
    fields = {f"immich_{each.name}": set(each.schema["properties"]) for each in read_operations(document)}
    assert len(fields) == 7
    fields |= {each["name"]: set(each["parameters"]["properties"]) for each in load_household().functions}
    chosen: set[str] = set()
    for each in load_cases().cases:
        chosen |= set(each.expected_tools)
        for tool in each.expected_tools if isinstance(each.expect_tool, str) else ():
            assert set(each.expect_args_subset) <= fields[tool], each.name
        for tool in each.must_not_call:
            assert tool in fields
        for banned in each.must_not_call_with:
            assert set(banned["args"]) <= fields[banned["tool"]]
        for message in each.messages:
            for call in message.get("tool_calls", ()):
                assert set(json.loads(call["function"]["arguments"])) <= fields[call["function"]["name"]], each.name
    assert {name for name in fields if name.startswith("immich_")} <= chosen


def test_the_distractors_belong_to_groups_but_for_the_web() -> None:
    others = load_household()
    router = ToolRouter([household.a_tool(each["name"]) for each in others.functions], others.groups)
    assert [each["name"] for each in others.functions if router.group_of(each["name"]) is None] == ["web_search"]


GOOD = {"name": "a", "kind": "direct", "messages": ASKED, "expect_contains": ["x"]}
A_CALL = {"role": "assistant", "calls": [{"name": "t", "arguments": {}}]}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"name": ""}, "case 'number 1': name is missing"),
        ({"kind": "guess"}, "case 'a': kind is 'guess'"),
        ({"messages": []}, "case 'a': messages is missing"),
        ({"expect_contains": []}, "case 'a': a direct needs expect_contains"),
        ({"kind": "tool_choice"}, "case 'a': a tool_choice needs expect_tool"),
        ({"kind": "follow_up"}, "case 'a': a follow_up needs expect_tool"),
        ({"kind": "answer", "expect_contains": None}, "case 'a': a answer needs expect_contains"),
        ({"kind": "trap"}, "case 'a': a trap needs must_not_call"),
        ({"expect_tol": "x"}, "case 'a': .*expect_tol"),
        ({"messages": [*ASKED, {"role": "tool", "content": "x"}]}, "case 'a': a tool result without a call"),
        ({"messages": [*ASKED, A_CALL, ASKED[0]]}, "case 'a': the call of t has no result"),
        ({"messages": [*ASKED, A_CALL]}, "case 'a': the last message leaves the model nothing to do"),
        ({"messages": [{"content": "x"}]}, "case 'a': 'role'"),
    ],
)
def test_a_mistake_in_the_file_names_its_case(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps({"today": "2026-12-01", "cases": [GOOD | change]}))
    with pytest.raises(BadCases, match=why):
        load_cases(file)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"today": "soon", "cases": []}', '{"today": "2026-12-01"}'])
def test_a_file_that_is_none_says_so(tmp_path: Path, text: str) -> None:
    file = tmp_path / "cases.json"
    file.write_text(text)
    with pytest.raises(BadCases, match=r"cases\.json is no file of cases"):
        load_cases(file)


def test_two_cases_of_one_name_are_a_mistake(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps({"today": "2026-12-01", "cases": [GOOD, GOOD]}))
    with pytest.raises(BadCases, match="case 'a': there are two"):
        load_cases(file)


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [([5], 0.9, 5), ([3, 1, 2], 0.5, 2), (range(1, 11), 0.9, 9), (range(1, 12), 0.9, 10), ([1, 2], 0.9, 2)],
)
def test_percentiles(values: Any, share: float, expected: float) -> None:
    assert percentile(list(values), share) == expected


def outcome(name: str, kind: str, grade: str, ms: float | None, tokens: int | None = 10) -> Outcome:
    return Outcome(name, kind, grade, "" if grade == PASS else "why", ms, ms and ms * 2, 100, tokens, 60.0, 0.9)


def test_the_summary_counts_passes_over_runs_and_keeps_malformed_and_errors_apart() -> None:
    outcomes = [outcome("a", "direct", PASS, float(ms)) for ms in range(1, 8)]
    outcomes += [
        outcome("b", "trap", FAIL, 8),
        outcome("b", "trap", MALFORMED, 9, 40),
        outcome("c", "trap", ERROR, None, None),
    ]
    found = summarize(outcomes)
    assert found == {
        "passed": {
            "direct": {"passes": 7, "runs": 7},
            "trap": {"passes": 0, "runs": 3},
            "all": {"passes": 7, "runs": 10},
        },
        "malformed": 1,
        "errors": 1,
        "ttft_ms": {"median": 5, "p90": 9},
        "total_ms": {"median": 10, "p90": 18},
        "completion_tokens": {"median": 10, "p90": 40},
        "failed_cases": ["b"],
    }
    assert table([["", "x"], *([what, text] for what, _, text in rows_of(found))]).splitlines()[2:5] == [
        "passed: direct            7/7 (100%)",
        "passed: trap                0/3 (0%)",
        "passed: all               7/10 (70%)",
    ]


def test_nothing_measured_is_no_number() -> None:
    found = summarize([])
    assert found["ttft_ms"] == {"median": None, "p90": None}
    assert found["passed"] == {"all": {"passes": 0, "runs": 0}}
    assert table([["", ""], *([what, text] for what, _, text in rows_of(found))])


def result(label: str, outcomes: list[Outcome]) -> dict[str, Any]:
    about = {"label": label, "base_url": "http://model/v1", "model": "qwen", "finished_at": "2026-12-01T12:00:00+00:00"}
    return about | {"summary": summarize(outcomes)}


def test_comparing_shows_both_and_the_change_and_which_cases_changed() -> None:
    before = [outcome("a", "direct", FAIL, 100), outcome("b", "direct", PASS, 100), outcome("n", "answer", PASS, 1)]
    after = [outcome("a", "direct", PASS, 40), outcome("b", "direct", MALFORMED, 40), outcome("t", "trap", PASS, 40)]
    lines = compare(result("before", before), result("", after)).splitlines()
    found = {line[: len("median completion_tokens")].strip(): line.split()[-3:] for line in lines[2:]}
    assert lines[0].split() == ["before", "after", "change"]
    assert found["median ttft_ms"] == ["100", "40", "-60"]
    assert found["malformed"] == ["0", "1", "+1"]
    assert found["passed: all"][-1] == "+0"
    assert "newly failing: b" in lines
    assert "no longer failing: a" in lines

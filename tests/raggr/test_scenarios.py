"""Scenarios A–D through the real graph, the real service process and the look-alike, in both routing modes.

Each counts its model calls and the tokens that tools put into the context, and checks how much thinking every single
request allowed.
"""

from __future__ import annotations

import pytest

from clients.raggr.routing import DISCOVERY_NAME, MODES, Mode
from clients.raggr.thinking import AFTER_DISCOVERY, AFTER_TOOLS, FIRST, thinking_options
from tests.raggr.scenarios import SCENARIOS, Scenario, Turn, scripted
from tests.raggr.stage import Demo, Person, Stage, running_demo, stage

TOKENS = {"a": 200, "b": 2_500, "c": 1_100, "d": 1_100}
"""The most that the tools of a scenario may put into the context; scenario B's is the design's."""


def check_calls(on_stage: Stage, *turns: list[str]) -> None:
    """The kinds of the model calls, turn by turn, in the log and in the requests as they arrived."""
    assert [[call["call_kind"] for call in line["model_calls"]] for line in on_stage.lines] == list(turns)
    kinds = [kind for turn in turns for kind in turn]
    assert on_stage.thinking == [thinking_options(kind) for kind in kinds]
    assert [request.body["reasoning_effort"] for request in on_stage.model.requests] == ["low"] * len(kinds)
    for line in on_stage.lines:
        for call in line["model_calls"]:
            assert call["thinking"] == thinking_options(call["call_kind"])
            assert call["provider"] == "local"
            assert call["prompt_tokens"] > 0
            assert call["output_tokens"] > 0
            assert call["prefill_ms"] <= call["ttft_ms"] <= call["ms"] <= line["ms"]
        assert line["ttft_ms"] <= line["ms"]


async def play(name: str, demo: Demo, mode: Mode, scenario: Scenario | None = None) -> tuple[Stage, str]:
    """Plays a scenario to its end; the stage and the last answer. `pytest -rP` shows its figures."""
    chosen = scenario or SCENARIOS[name]
    async with stage(scripted(chosen), demo.environment, mode=mode) as on_stage:
        answer = await on_stage.say(*chosen.questions)
        tokens = await on_stage.tool_tokens()
        print(f"scenario {name}, {mode}: {len(on_stage.model.requests)} model calls, {tokens} tokens from tools")
        assert tokens <= TOKENS[name]
        return on_stage, answer


@pytest.mark.parametrize("mode", MODES)
async def test_a_finds_the_album_that_exists(demo: Demo, mode: Mode) -> None:
    demo.change(op="add_album", name="Maine 2026", asset_ids=demo.album("Lisbon 2025")["asset_ids"])
    on_stage, answer = await play("a", demo, mode)
    assert answer.startswith("You already have **Maine 2026**: 412 photos, 2025-06-12 to 2025-06-19. http")
    assert on_stage.person.labels == ["Looking through photos…"]
    check_calls(on_stage, [FIRST, AFTER_TOOLS])
    assert demo.writes() == []


PLAYED_AGAIN = [
    ("a", 2, "There is no such album yet. Shall I look for the photos?"),
    ("b", 2, 'That did not work. Album name is taken: An album named "Maine 2026" exists'),
    # The second run adds one more: the album's days grew with the first.
    ("c", 3, "That did not work. Nothing is missing from it."),
    ("d", 2, "- 20"),
]


@pytest.mark.parametrize(("name", "runs", "expected"), PLAYED_AGAIN)
async def test_a_demo_can_be_played_again(demo: Demo, name: str, runs: int, expected: str) -> None:
    for _ in range(runs - 1):
        await play(name, demo, "static")
    written = demo.writes()
    _, answer = await play(name, demo, "static")
    assert answer.startswith(expected)
    assert demo.writes() == written


@pytest.mark.parametrize("mode", MODES)
async def test_b_makes_the_album_of_exactly_what_was_shown(demo: Demo, mode: Mode) -> None:
    on_stage, answer = await play("b", demo, mode)
    assert answer.startswith("Done: 455 photos are now in Maine 2026. http")
    question = 'Create the new album "Maine 2026" with 455 photos from 2026-08-02 to 2026-08-09?'
    assert on_stage.person.asked == [question]
    check_calls(on_stage, [FIRST, AFTER_TOOLS, AFTER_TOOLS], [FIRST, AFTER_TOOLS], [FIRST, AFTER_TOOLS])
    assert len(set(demo.album("Maine 2026")["asset_ids"])) == 455
    assert len([write for write in demo.writes() if write["method"] == "POST"]) == 1


@pytest.mark.parametrize("mode", MODES)
async def test_c_adds_what_the_album_misses(demo: Demo, mode: Mode) -> None:
    on_stage, answer = await play("c", demo, mode)
    assert answer.startswith("Done: 37 photos are now in Lisbon 2025.")
    assert len(on_stage.person.asked) == 1
    assert "37" in on_stage.person.asked[0]
    check_calls(on_stage, [FIRST, AFTER_TOOLS, AFTER_TOOLS], [FIRST, AFTER_TOOLS])
    assert len(demo.album("Lisbon 2025")["asset_ids"]) == 412 + 37


@pytest.mark.parametrize("mode", MODES)
async def test_d_finds_by_content(demo: Demo, mode: Mode) -> None:
    on_stage, answer = await play("d", demo, mode)
    assert len(answer.splitlines()) == 10
    check_calls(on_stage, [FIRST, AFTER_TOOLS])
    assert demo.writes() == []


UNROUTED = Scenario((Turn("what do we have from maine?", SCENARIOS["b"].turns[0].moves), *SCENARIOS["b"].turns[1:]))
"""Scenario B, begun with words that no group has."""


async def test_other_words_cost_one_hop_without_thinking_in_dynamic_mode(demo: Demo) -> None:
    on_stage, answer = await play("b", demo, "dynamic", UNROUTED)
    assert answer.startswith("Done: 455 photos")
    check_calls(
        on_stage,
        [FIRST, AFTER_DISCOVERY, AFTER_TOOLS, AFTER_TOOLS],
        [FIRST, AFTER_TOOLS],
        [FIRST, AFTER_TOOLS],
    )
    first, second, *_ = on_stage.model.requests
    assert not any(name.startswith("immich_") for name in first.tools)
    assert DISCOVERY_NAME in first.tools
    assert sum(name.startswith("immich_") for name in second.tools) == 7
    assert on_stage.lines[0]["question"] == "what do we have from maine?"
    assert on_stage.lines[0]["tools"][0]["groups"] == ["photos"]
    assert "question" not in on_stage.lines[1]


async def test_other_words_cost_nothing_in_static_mode(demo: Demo) -> None:
    on_stage, _ = await play("b", demo, "static", UNROUTED)
    assert on_stage.kinds == [FIRST, AFTER_TOOLS, AFTER_TOOLS, FIRST, AFTER_TOOLS, FIRST, AFTER_TOOLS]
    assert not any(DISCOVERY_NAME in request.tools for request in on_stage.model.requests)


async def test_b_on_an_older_version_of_immich() -> None:
    with running_demo("2.5.6") as older:
        async with stage(scripted(SCENARIOS["b"]), older.environment) as on_stage:
            assert (await on_stage.say(*SCENARIOS["b"].questions)).startswith("Done: 455 photos")
            assert await on_stage.tool_tokens() <= TOKENS["b"]
        assert len(older.album("Maine 2026")["asset_ids"]) == 455


async def test_a_no_leaves_the_album_unmade(demo: Demo) -> None:
    scenario = SCENARIOS["b"]
    async with stage(scripted(scenario), demo.environment, person=Person(agreeing=False)) as on_stage:
        answer = await on_stage.say(*scenario.questions)
        assert answer.startswith("That did not work. Nothing was written: the user said no.")
    assert demo.writes() == []

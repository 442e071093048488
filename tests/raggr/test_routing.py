"""Which tools a model call gets to see, in both modes, and what non-admins never see."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from clients.raggr.routing import DISCOVERY_NAME, PHOTOS, Mode, ToolRouter, words
from tests.raggr.household import GROUPS, ai, discovered, names, result, tools

EVERYTHING = ["web_search", "immich_find_albums", "immich_create_album", "ynab_spending_report", "mealie_search"]
PHOTO_TOOLS = ["immich_find_albums", "immich_create_album"]


def seen(messages: list[AnyMessage], *, admin: bool = True, mode: Mode = "dynamic") -> list[str]:
    return names(ToolRouter(tools(), GROUPS, mode).for_call(messages, is_admin=admin))


def test_static_binds_everything_the_caller_may_use_and_no_discovery() -> None:
    assert seen([HumanMessage("hello")], mode="static") == EVERYTHING
    assert seen([HumanMessage("my album")], mode="static", admin=False) == ["web_search", "mealie_search"]


@pytest.mark.parametrize(
    "question",
    [
        "my maine trip, here are the photos",
        "is the maine ALBUM missing anything?",
        "pictures of simba in the snow",
        "any pics from our vacation?",
        "a photo, please",
        "what's in immich",
        *PHOTOS.terms.split(),
    ],
)
def test_everyday_words_of_photos_bind_the_photo_tools_without_a_hop(question: str) -> None:
    assert set(PHOTO_TOOLS) < set(seen([HumanMessage(question)]))


@pytest.mark.parametrize(
    "question", ["how are you?", "photosynthesis, please explain", "who albumized this", "tripwire"]
)
def test_other_words_and_parts_of_words_do_not(question: str) -> None:
    assert seen([HumanMessage(question)]) == ["web_search", DISCOVERY_NAME]


def test_several_groups_in_one_question_come_in_a_fixed_order() -> None:
    both = ["web_search", *PHOTO_TOOLS, "mealie_search", DISCOVERY_NAME]
    assert seen([HumanMessage("photos of that dinner recipe")]) == both
    assert seen([HumanMessage("that recipe dinner, photos of it")]) == both


def test_a_follow_up_keeps_the_groups_of_the_last_two_questions() -> None:
    talk: list[AnyMessage] = [HumanMessage("find my maine trip photos"), AIMessage("391. An album?")]
    yes = HumanMessage("yes, call it Maine 2026")
    assert set(PHOTO_TOOLS) < set(seen([*talk, yes]))
    assert set(PHOTO_TOOLS) < set(seen([*talk, yes, AIMessage("With all 455?"), HumanMessage("yes")]))
    later = [*talk, yes, AIMessage("Done."), HumanMessage("thanks"), AIMessage("Sure."), HumanMessage("what's up?")]
    assert seen(later) == ["web_search", DISCOVERY_NAME]


def test_a_group_stays_while_its_tools_are_in_use() -> None:
    talk: list[AnyMessage] = [HumanMessage("the thing from august?"), ai("immich_find_albums")]
    assert set(PHOTO_TOOLS) < set(seen([*talk, result("immich_find_albums")]))


def test_a_discovery_unlocks_its_groups_for_the_next_call() -> None:
    hop: list[AnyMessage] = [HumanMessage("what did it cost?"), ai(DISCOVERY_NAME, groups=["finance"])]
    assert seen([*hop, discovered("finance")]) == ["web_search", "ynab_spending_report", DISCOVERY_NAME]
    assert seen([*hop, discovered("finance", status="error")]) == ["web_search", DISCOVERY_NAME]
    assert seen([*hop, discovered("finance")], admin=False) == ["web_search", DISCOVERY_NAME]


def test_discovery_offers_only_what_is_not_bound_and_goes_when_nothing_is_left() -> None:
    router = ToolRouter(tools(), GROUPS, "dynamic")
    offered = router.select([HumanMessage("my photos")], is_admin=True)[-1]["function"]
    assert offered["parameters"]["properties"]["groups"]["items"]["enum"] == ["finance", "meals"]
    assert "finance: spending and balances" in offered["description"]
    assert names(router.select([HumanMessage("photos spending dinner")], is_admin=True)) == EVERYTHING


@pytest.mark.parametrize("mode", ["static", "dynamic"])
def test_admin_groups_do_not_exist_for_others(mode: Mode) -> None:
    router = ToolRouter(tools(), GROUPS, mode)
    for question in ("my photos and the budget", "immich", "hello"):
        shown = json.dumps(router.for_call([HumanMessage(question)], is_admin=False))
        assert not any(word in shown for word in ("immich", "photos", "ynab", "finance"))
    assert not router.may_call("immich_find_albums", is_admin=False)
    assert router.may_call("immich_find_albums", is_admin=True)
    assert router.may_call("mealie_search", is_admin=False)
    assert router.may_call("web_search", is_admin=False)
    assert not router.may_call("no_such_tool", is_admin=True)
    assert router.may_call(DISCOVERY_NAME, is_admin=False) is (mode == "dynamic")


def test_a_group_without_tools_is_not_offered() -> None:
    router = ToolRouter([tool for tool in tools() if not tool.name.startswith("immich_")], GROUPS, "dynamic")
    assert names(router.select([HumanMessage("photos")], is_admin=True)) == ["web_search", DISCOVERY_NAME]
    assert "photos" not in json.dumps(router.select([HumanMessage("hello")], is_admin=True))


async def discover(groups: Any, *, admin: bool) -> Any:
    tool = ToolRouter(tools(), GROUPS, "dynamic").all_tools[-1]
    call = {"type": "tool_call", "id": "c", "name": DISCOVERY_NAME, "args": {"groups": groups}}
    return await tool.ainvoke(call, {"configurable": {"is_admin": admin}})


async def test_the_discovery_tool_names_what_it_enabled() -> None:
    answer = await discover(["photos", "nonsense"], admin=True)
    assert answer.status == "success"
    assert json.loads(answer.content) == {"enabled_tool_groups": ["photos"], "tools": PHOTO_TOOLS}
    assert json.loads((await discover("photos", admin=True)).content)["enabled_tool_groups"] == ["photos"]


@pytest.mark.parametrize("groups", [["photos"], ["finance", "photos"], "photos", None, [], [{"a": 1}]])
async def test_the_discovery_tool_knows_no_admin_group_for_others(groups: Any) -> None:
    answer = await discover(groups, admin=False)
    assert answer.status == "error"
    assert answer.content == "There is no such tool group. There are: meals."


def test_words_are_whole_lower_case_and_international() -> None:
    assert words("Québec's PHOTOS, 2024-02!") == {"québec", "s", "photos", "2024", "02"}

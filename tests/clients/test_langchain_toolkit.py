"""LangChain tools against the running service: schemas whole, results as strings, the gate at every call."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from clients.http import SpecUnavailable
from clients.langchain_toolkit import ALL_TOOLS, READ_TOOLS, WRITE_TOOLS, load_tools
from clients.spec import read_operations
from service.demo.household import household
from tests.clients.documents import OURS
from tests.harness import Box, tripbook

URL = "https://tripbook.example"
ADMIN: Any = {"configurable": {"is_admin": True}}
READS = ["immich_find_albums", "immich_search_photos", "immich_smart_search", "immich_album_gaps"]
WRITES = ["immich_preview_album", "immich_create_album", "immich_add_to_album"]
AUGUST = {"taken_after": "2026-08-02", "taken_before": "2026-08-09"}


@asynccontextmanager
async def tools_of(caller: str = "writer", **options: Any) -> AsyncIterator[tuple[Box, dict[str, BaseTool]]]:
    async with tripbook(household()) as box:
        loaded = await load_tools(URL, box.tokens[caller], transport=httpx.ASGITransport(box.app), **options)
        yield box, {tool.name: tool for tool in loaded}


async def use(tool: BaseTool, run: Any = ADMIN, **arguments: Any) -> ToolMessage:
    call = {"type": "tool_call", "id": "1", "name": tool.name, "args": arguments}
    message: ToolMessage = await tool.ainvoke(call, run)
    assert isinstance(message.content, str)
    return message


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, READS),
        ({"allow": READ_TOOLS}, READS),
        ({"allow": WRITE_TOOLS}, WRITES),
        ({"allow": ALL_TOOLS}, READS + WRITES),
        ({"allow": ["find_albums"]}, ["immich_find_albums"]),
        ({"allow": []}, []),
        ({"prefix": "", "allow": ["find_albums"]}, ["find_albums"]),
    ],
)
async def test_only_what_is_allowed_becomes_a_tool(options: dict[str, Any], expected: list[str]) -> None:
    assert [tool.name for tool in await load_tools(URL, "tb_x", spec=OURS, **options)] == expected


async def test_the_model_sees_the_slim_schema_unchanged() -> None:
    loaded = await load_tools(URL, "tb_x", spec=OURS, allow=ALL_TOOLS)
    for tool, operation in zip(loaded, read_operations(OURS), strict=True):
        assert convert_to_openai_tool(tool) == {
            "type": "function",
            "function": {
                "name": f"immich_{operation.name}",
                "description": operation.description,
                "parameters": operation.schema,
            },
        }


async def test_scenario_b_through_the_tools() -> None:
    async with tools_of(allow=ALL_TOOLS) as (box, tools):
        assert json.loads((await use(tools["immich_find_albums"], query="maine")).text) == {"albums": []}
        assert json.loads((await use(tools["immich_search_photos"], state="maine")).text)["total"] == 398
        previewed = await use(tools["immich_preview_album"], album_name="Maine 2026", **AUGUST)
        preview = json.loads(previewed.text)
        assert (previewed.status, preview["count"]) == ("success", 455)
        confirm = {"preview_token": preview["preview_token"], "album_name": "Maine 2026"}
        wrong = await use(tools["immich_create_album"], expected_count=454, **confirm)
        assert (wrong.status, box.writes) == ("error", [])
        assert wrong.text.startswith("Count is not the previewed one: ")
        assert json.loads((await use(tools["immich_create_album"], expected_count=455, **confirm)).text)["added"] == 455


async def test_a_misspelt_filter_never_widens_a_selection() -> None:
    async with tools_of() as (_, tools):
        for arguments in ({"ciy": "Rome"}, {"state": "Maine", "ciy": "Rome"}, {"state": "Maine", "limit": 3}):
            refused = await use(tools["immich_search_photos"], **arguments)
            assert refused.status == "error"
            assert "is not a field here, known are" in refused.text


@pytest.mark.parametrize(
    "config",
    [
        None,
        {},
        {"configurable": {}},
        {"configurable": {"is_admin": False}},
        {"configurable": {"is_admin": "yes"}},
        {"configurable": {"is_admin": 1}},
    ],
)
async def test_without_an_admin_nothing_is_asked(config: Any) -> None:
    async with tools_of(allow=ALL_TOOLS) as (box, tools):
        for tool in tools.values():
            refused = await use(tool, config, query="maine", config=ADMIN)
            assert refused.status == "error"
            assert refused.text.startswith("Only an admin")
        assert box.paths == []


async def test_the_gate_is_asked_at_every_call() -> None:
    answers = iter([True, False, True])
    async with tools_of(is_admin=lambda config: next(answers)) as (_, tools):
        states = [(await use(tools["immich_find_albums"], None, query="x")).status for _ in range(3)]
        assert states == ["success", "error", "success"]


async def test_a_reader_gets_a_sentence_for_a_write() -> None:
    async with tools_of("reader", allow=ALL_TOOLS) as (_, tools):
        refused = await use(tools["immich_preview_album"], album_name="x", state="Maine")
        assert refused.text.startswith("Token lacks the scope: ")


async def test_no_service_no_tools() -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(503, text="down"))
    with pytest.raises(SpecUnavailable, match="HTTP 503"):
        await load_tools(URL, "tb_x", transport=transport)
    loaded = await load_tools(URL, "tb_x", spec=OURS, transport=transport)
    assert (await use(loaded[0], query="x")).text.startswith("HTTP 503: ")

"""raggr's photo tools: off without their variables, and never the reason why an agent does not start."""

from __future__ import annotations

import logging
from typing import Any

import httpx
import pytest

from clients.raggr.labels import label_of
from clients.raggr.prompt import PHOTOS_PROMPT
from clients.raggr.tools import load_photo_tools
from clients.spec import ALL_TOOLS, READ_TOOLS, WRITE_TOOLS, Allowed, read_operations
from service.demo.household import household
from tests.clients.documents import OURS
from tests.harness import tripbook

READS = [f"immich_{operation.name}" for operation in read_operations(OURS, READ_TOOLS)]
ADMIN: Any = {"configurable": {"is_admin": True}}


@pytest.mark.parametrize(
    "environment",
    [{}, {"IMMICH_TOOLS_URL": "http://x"}, {"IMMICH_TOOLS_TOKEN": "tb_x"}, {"IMMICH_TOOLS_URL": " "}],
)
async def test_off_when_unset(environment: dict[str, str], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    assert await load_photo_tools(environment=environment) == []
    assert "set IMMICH_TOOLS_URL and IMMICH_TOOLS_TOKEN" in caplog.text


@pytest.mark.parametrize("url", ["no address", "http://tripbook.test"])
async def test_off_when_out_of_order(url: str, caplog: pytest.LogCaptureFixture) -> None:
    environment = {"IMMICH_TOOLS_URL": url, "IMMICH_TOOLS_TOKEN": "tb_secret"}
    transport = httpx.MockTransport(lambda _: httpx.Response(502))
    assert await load_photo_tools(environment=environment, transport=transport) == []
    assert "photo tools are off: " in caplog.text
    assert "tb_secret" not in caplog.text


async def test_all_seven_with_the_prefix_and_a_label() -> None:
    async with tripbook(household()) as box:
        environment = {"IMMICH_TOOLS_URL": "https://tripbook.example", "IMMICH_TOOLS_TOKEN": box.tokens["writer"]}
        tools = await load_photo_tools(environment=environment, transport=httpx.ASGITransport(box.app))
        assert [tool.name for tool in tools] == [f"immich_{operation.name}" for operation in read_operations(OURS)]
        assert {label_of(tool.name) for tool in tools} == {"Looking through photos…"}
        assert '"albums":[]' in await tools[0].ainvoke({"query": "maine"}, ADMIN)


@pytest.mark.parametrize(
    ("allow", "expected"),
    [
        (ALL_TOOLS, READS),
        (READ_TOOLS, READS),
        (WRITE_TOOLS, []),
        (["create_album", "find_albums"], ["immich_find_albums"]),
    ],
)
async def test_a_token_that_may_only_read_gets_no_writing_tool(allow: Allowed, expected: list[str]) -> None:
    async with tripbook(household()) as box:
        environment = {"IMMICH_TOOLS_URL": "https://tripbook.example", "IMMICH_TOOLS_TOKEN": box.tokens["reader"]}
        for spec in (None, OURS):
            tools = await load_photo_tools(
                environment=environment, transport=httpx.ASGITransport(box.app), allow=allow, spec=spec
            )
            assert [tool.name for tool in tools] == expected


async def test_a_wrong_token_is_said_at_the_start(caplog: pytest.LogCaptureFixture) -> None:
    async with tripbook(household()) as box:
        environment = {"IMMICH_TOOLS_URL": "https://tripbook.example", "IMMICH_TOOLS_TOKEN": "tb_wrong"}
        assert await load_photo_tools(environment=environment, transport=httpx.ASGITransport(box.app)) == []
    assert "photo tools are off: No valid token" in caplog.text


def test_other_tools_have_no_label() -> None:
    assert label_of("homebox_search") is None


def test_the_prompt_names_only_tools_that_exist() -> None:
    words = {word.strip(",.();:") for word in PHOTOS_PROMPT.split() if word.startswith(("immich_", "(immich_"))}
    known = {f"immich_{operation.name}" for operation in read_operations(OURS)}
    assert words - {"immich_*"} <= known
    assert "yes" in PHOTOS_PROMPT

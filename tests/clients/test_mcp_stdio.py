"""`python -m clients mcp` as a client starts it: a process of its own, in front of a running service."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.clients.conftest import Demo
from tests.processes import ROOT

TOOLS = "find_albums search_photos smart_search album_gaps preview_album create_album add_to_album".split()


def started(**environment: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-m", "clients", "mcp"], env=environment, cwd=ROOT)


async def text_of(client: Client, name: str, **arguments: Any) -> tuple[bool, str]:
    result = await client.call_tool(name, arguments)
    return result.is_error, getattr(result.content[0], "text", "")


async def test_scenario_b_over_stdio(demo: Demo) -> None:
    async with Client(started(**demo.environment)) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        assert json.loads((await text_of(client, "search_photos", state="maine"))[1])["total"] == 398
        dates = {"taken_after": "2026-08-02", "taken_before": "2026-08-09"}
        preview = json.loads((await text_of(client, "preview_album", album_name="Stdio 2026", **dates))[1])
        confirm = {"preview_token": preview["preview_token"], "expected_count": 455, "album_name": "Stdio 2026"}
        assert json.loads((await text_of(client, "create_album", **confirm))[1])["added"] == 455
        failed, text = await text_of(client, "search_photos", ciy="Rome")
        assert (failed, "ciy: is not a field here" in text) == (True, True)


@pytest.mark.parametrize(
    ("changed", "text"),
    [({"TRIPBOOK_TOKEN": "tb_wrong"}, "No valid token"), ({"TRIPBOOK_URL": "http://127.0.0.1:9"}, "cannot be reached")],
)
async def test_what_is_wrong_is_said_when_tools_are_listed(demo: Demo, changed: dict[str, str], text: str) -> None:
    async with Client(started(**(demo.environment | changed))) as client:
        with pytest.raises(Exception, match=text):
            await client.list_tools()


def test_missing_configuration_ends_with_a_remedy() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "clients", "mcp"], cwd=ROOT, env=dict(os.environ), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "TRIPBOOK_URL is missing: set it" in ended.stderr

"""`/mcp` in the service: stateless, both spellings, the caller's own rights, text only."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from clients.mcp_server import INSTRUCTIONS
from clients.spec import read_operations
from service.demo.household import household
from tests.clients.documents import OURS
from tests.harness import Box, check_problem, tripbook

URL = "https://tripbook.example"
READS = ["find_albums", "search_photos", "smart_search", "album_gaps"]
WRITES = ["preview_album", "create_album", "add_to_album"]
AUGUST = {"taken_after": "2026-08-02", "taken_before": "2026-08-09"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@asynccontextmanager
async def connected(box: Box, caller: str = "writer", mode: Any = "auto") -> AsyncIterator[Client]:
    """The official SDK's client on the running application."""
    headers = {"authorization": f"Bearer {box.tokens[caller]}"}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(box.app), headers=headers) as http:
        transport = streamable_http_client(f"{URL}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


async def post(box: Box, body: Any, *, path: str = "/mcp", token: str | None = None, **headers: str) -> httpx.Response:
    """A plain JSON-RPC request, as curl would send it."""
    sent = {"accept": "application/json, text/event-stream", "content-type": "application/json"} | headers
    sent |= {"authorization": f"Bearer {token or box.tokens['writer']}"}
    return await box.http.post(path, content=json.dumps(body), headers=sent)


async def text_of(client: Client, name: str, **arguments: Any) -> tuple[bool, str]:
    result = await client.call_tool(name, arguments)
    assert len(result.content) == 1
    assert result.structured_content is None
    return result.is_error, getattr(result.content[0], "text", "")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(("caller", "expected"), [("writer", READS + WRITES), ("reader", READS), ("approver", READS)])
async def test_a_caller_sees_what_it_may_use(mode: str, caller: str, expected: list[str]) -> None:
    async with tripbook(household()) as box, connected(box, caller, mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == expected


async def test_tools_are_slim_and_annotated() -> None:
    async with tripbook(household()) as box, connected(box) as client:
        listed = (await client.list_tools()).tools
        for tool, operation in zip(listed, read_operations(OURS), strict=True):
            assert (tool.description, tool.input_schema) == (operation.description, operation.schema)
            assert tool.output_schema is None
            hints = tool.annotations
            assert hints is not None
            assert (hints.read_only_hint, hints.destructive_hint) == (operation.name in READS, False)
        assert client.instructions == INSTRUCTIONS
        assert len(INSTRUCTIONS) <= 500


async def test_scenario_b_as_text() -> None:
    async with tripbook(household()) as box, connected(box) as client:
        assert await text_of(client, "find_albums", query="maine") == (False, '{"albums":[]}')
        preview = json.loads((await text_of(client, "preview_album", album_name="Maine 2026", **AUGUST))[1])
        confirm = {"preview_token": preview["preview_token"], "album_name": "Maine 2026"}
        failed, text = await text_of(client, "create_album", expected_count=454, **confirm)
        assert (failed, text.partition(":")[0]) == (True, "Count is not the previewed one")
        assert json.loads((await text_of(client, "create_album", expected_count=455, **confirm))[1])["added"] == 455


async def test_refusals_are_texts_for_the_model() -> None:
    async with tripbook(household()) as box, connected(box, "reader") as client:
        failed, text = await text_of(client, "search_photos", state="Maine", ciy="Rome")
        assert (failed, "ciy: is not a field here, known are" in text) == (True, True)
        failed, text = await text_of(client, "preview_album", album_name="x", state="Maine")
        assert (failed, text.partition(":")[0]) == (True, "Token lacks the scope")
        failed, text = await text_of(client, "delete_album", album_id="x")
        assert (failed, text.startswith("There is no tool of this name; there are find_albums")) == (True, True)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
async def test_both_spellings_answer_without_a_session_or_a_redirect(path: str) -> None:
    async with tripbook(household()) as box:
        answer = await post(box, LIST, path=path)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert "mcp-session-id" not in answer.headers
        assert [tool["name"] for tool in answer.json()["result"]["tools"]] == READS + WRITES


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
async def test_an_unknown_token_is_refused_at_the_door(path: str) -> None:
    async with tripbook(household()) as box:
        refused = await post(box, LIST, path=path, token="tb_unknown")
        assert (refused.status_code, check_problem(refused)["code"]) == (401, "unauthenticated")
        assert refused.headers["www-authenticate"].startswith("Bearer")
        for method in ("GET", "DELETE"):
            other = await box.http.request(method, path, headers={"authorization": f"Bearer {box.tokens['reader']}"})
            assert (other.status_code, other.headers["allow"]) == (405, "POST")


async def test_each_request_has_the_rights_of_its_own_token() -> None:
    async with tripbook(household()) as box:
        for caller, expected in (("reader", READS), ("writer", READS + WRITES), ("reader", READS)):
            answer = await post(box, LIST, token=box.tokens[caller])
            assert [tool["name"] for tool in answer.json()["result"]["tools"]] == expected


async def test_without_writes_there_are_four_tools() -> None:
    async with tripbook(household(), enable_writes=False) as box, connected(box) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == READS


async def test_hosts_are_the_settings_and_any_by_default() -> None:
    async with tripbook(household()) as box:
        assert (await post(box, LIST, host="tripbook:8000")).status_code == 200
    async with tripbook(household(), allowed_hosts="photos.example") as box:
        assert (await post(box, LIST, host="evil.example")).status_code == 400
        call = LIST | {"method": "tools/call", "params": {"name": "find_albums", "arguments": {"query": "maine"}}}
        answer = await post(box, call, host="photos.example:8000")
        assert answer.json()["result"]["content"] == [{"type": "text", "text": '{"albums":[]}'}]


@pytest.mark.parametrize("body", [[], {}, "text", {"jsonrpc": "2.0", "id": 1, "method": "nothing"}])
async def test_rubbish_is_an_error_and_not_an_outage(body: Any) -> None:
    async with tripbook(household()) as box:
        answer = await post(box, body)
        assert "error" in answer.json()
        assert answer.status_code < 500


async def test_a_call_counts_once_against_the_rate_limit() -> None:
    async with tripbook(household(), rate_limit="2/minute") as box, connected(box) as client:
        for wanted in (False, False, True):
            failed, text = await text_of(client, "find_albums", query="maine")
            assert (failed, text.startswith("Too many requests: ")) == (wanted, wanted), text


async def test_a_huge_request_is_refused() -> None:
    async with tripbook(household()) as box:
        assert (await post(box, LIST | {"params": {"x": "y" * 300_000}})).status_code == 413


async def test_whose_token_this_is() -> None:
    async with tripbook(household()) as box:
        answer = await box.get("/v1/caller", caller="approver")
        assert answer.json() == {"name": "approver", "scopes": ["read", "approve"], "writes_enabled": True}


async def test_the_service_runs_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    async with tripbook(household()) as box:
        missing = await post(box, LIST)
        assert (missing.status_code, check_problem(missing)["code"]) == (404, "not_found")
        assert (await box.call("find_albums", query="maine"))["albums"] == []

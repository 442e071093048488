"""The official MCP SDK 1.x, as many clients still have it, against /mcp; and over stdio as a smoke."""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Any

import contract
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def main() -> None:
    headers = {"authorization": f"Bearer {contract.TOKEN}"}
    async with (
        streamablehttp_client(f"{contract.URL}/mcp", headers=headers) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        listed = (await session.list_tools()).tools

        async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
            result = await session.call_tool(name, arguments)
            assert result.structuredContent is None
            return not result.isError, result.content[0].text

        tools = [contract.tool(t.name, t.description, t.inputSchema) for t in listed]
        assert {t.name for t in listed if t.annotations.readOnlyHint} == {
            "find_albums", "search_photos", "smart_search", "album_gaps",
        }  # fmt: skip
        await contract.scenario_b(call)
        lost = contract.losses(tools) + await contract.misspelt(call)
    parameters = StdioServerParameters(
        command=os.environ["TRIPBOOK_PYTHON"], args=["-m", "clients", "mcp"], cwd=os.environ["TRIPBOOK_ROOT"],
        env={"TRIPBOOK_URL": contract.URL, "TRIPBOOK_TOKEN": contract.TOKEN},
    )  # fmt: skip
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        assert len((await session.list_tools()).tools) == 7
    contract.report("MCP SDK 1.x (`/mcp` and stdio)", version("mcp"), tools=tools, played="whole", loses=lost)


contract.run(main)

"""The official MCP SDK 2.x against /mcp, in both of its protocol eras, and over stdio."""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Any

import contract
import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def tools_of(client: Client) -> list[dict[str, Any]]:
    return [contract.tool(t.name, t.description, t.input_schema) for t in (await client.list_tools()).tools]


async def main() -> None:
    headers = {"authorization": f"Bearer {contract.TOKEN}"}
    seen = []
    for mode in ("auto", "legacy"):
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"{contract.URL}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                seen.append(await tools_of(client))
    parameters = StdioServerParameters(
        command=os.environ["TRIPBOOK_PYTHON"],
        args=["-m", "clients", "mcp"],
        env={"TRIPBOOK_URL": contract.URL, "TRIPBOOK_TOKEN": contract.TOKEN},
        cwd=os.environ["TRIPBOOK_ROOT"],
    )
    async with Client(parameters) as client:
        assert await tools_of(client) == seen[0] == seen[1]

        async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
            result = await client.call_tool(name, arguments)
            assert result.structured_content is None
            return not result.is_error, result.content[0].text

        await contract.scenario_b(call, contract.ALBUMS[0])
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{contract.URL}/mcp/", http_client=http)) as client,
    ):
        await contract.scenario_b(lambda name, arguments: over_http(client, name, arguments), contract.ALBUMS[1])
        lost = await contract.misspelt(lambda name, arguments: over_http(client, name, arguments))
    contract.run_example("mcp_client.py")
    contract.report(
        "MCP SDK 2.x (`/mcp` and stdio)", version("mcp"), tools=seen[0], played="whole",
        loses=contract.losses(seen[0]) + lost,
    )  # fmt: skip


async def over_http(client: Client, name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
    result = await client.call_tool(name, arguments)
    return not result.is_error, result.content[0].text


contract.run(main)

"""langchain-mcp-adapters against /mcp, in one session, with raggr's prefix."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import contract
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools


async def main() -> None:
    connection = {
        "transport": "streamable_http",
        "url": f"{contract.URL}/mcp",
        "headers": {"Authorization": f"Bearer {contract.TOKEN}"},
    }
    client = MultiServerMCPClient({"immich": connection}, tool_name_prefix=True)
    prefixed = await client.get_tools()
    async with client.session("immich") as session:
        tools = await load_mcp_tools(session, server_name="immich", tool_name_prefix=True)
        assert [tool.name for tool in tools] == [tool.name for tool in prefixed]
        by_name = {tool.name.removeprefix("immich_"): tool for tool in tools}

        async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
            request = {"name": name, "args": arguments, "id": "1", "type": "tool_call"}
            message = await by_name[name].ainvoke(request)
            return message.status != "error", message.text if isinstance(message.text, str) else message.text()

        await contract.probe(
            "langchain-mcp-adapters (`/mcp`)", version("langchain-mcp-adapters"),
            [convert_to_openai_tool(tool) for tool in prefixed], call, prefix="immich_",
            more=("results are lists of blocks, not strings",),
        )  # fmt: skip


contract.run(main)

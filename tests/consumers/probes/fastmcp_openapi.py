"""fastmcp's from_openapi: our document turned into an MCP server by others, over HTTP and stdio, default and strict.

With the argument `default` it is that server, for stdio; the strict one is the documentation's own example.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import contract
import httpx2
from fastmcp import Client, FastMCP
from fastmcp.client.transports import PythonStdioTransport

EXAMPLE = Path(os.environ.get("TRIPBOOK_ROOT", "")) / "docs/examples/fastmcp_server.py"


def build(mode: str) -> FastMCP:
    http = httpx2.AsyncClient(base_url=contract.URL, headers={"authorization": f"Bearer {contract.TOKEN}"}, timeout=60)
    strict = {"strict_input_validation": True} if mode == "strict" else {}
    return FastMCP.from_openapi(openapi_spec=contract.fetch_document(), client=http, name="Tripbook", **strict)


async def look(client: Client) -> tuple[list[dict[str, Any]], Any]:
    tools = [contract.tool(t.name, t.description, t.inputSchema if hasattr(t, "inputSchema") else t.input_schema)
             for t in await client.list_tools()]  # fmt: skip

    async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
        result = await client.call_tool(name, arguments, raise_on_error=False)
        return not result.is_error, result.content[0].text

    return tools, call


@asynccontextmanager
async def over_http(mode: str) -> Any:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    serving = asyncio.create_task(
        build(mode).run_http_async(host="127.0.0.1", port=port, show_banner=False, log_level="error")
    )
    try:
        for _ in range(100):
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            await asyncio.sleep(0.1)
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            yield client
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving


async def main() -> None:
    lost = {}
    for mode, album in zip(("default", "strict"), contract.ALBUMS, strict=True):
        async with over_http(mode) as client:
            tools, call = await look(client)
            await contract.scenario_b(call, album)
            lost[mode] = contract.losses(tools) + await contract.misspelt(call)
        environment = {name: os.environ[name] for name in ("TRIPBOOK_URL", "TRIPBOOK_TOKEN", "PATH", "PYTHONPATH")}
        script, arguments = (EXAMPLE, []) if mode == "strict" else (Path(__file__), [mode])
        stdio = PythonStdioTransport(script, args=arguments, env=environment, python_cmd=sys.executable)
        async with Client(stdio) as client:
            over_stdio, call = await look(client)
            assert over_stdio == tools
            await contract.misspelt(call)
    for mode, text in (("default", "fastmcp `from_openapi`"), ("strict", "fastmcp, `strict_input_validation=True`")):
        contract.report(text, version("fastmcp"), tools=tools, played="whole", loses=lost[mode])


if len(sys.argv) > 1:
    build(sys.argv[1]).run(transport="stdio", show_banner=False)
else:
    contract.run(main)

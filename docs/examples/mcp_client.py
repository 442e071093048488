"""A call through /mcp with the official SDK: `pip install 'mcp>=2.3,<3'`."""

import asyncio
import os

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client


async def main() -> None:
    headers = {"Authorization": f"Bearer {os.environ['TRIPBOOK_TOKEN']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{os.environ['TRIPBOOK_URL']}/mcp", http_client=http)
        async with Client(transport) as client:
            print([tool.name for tool in (await client.list_tools()).tools])
            found = await client.call_tool("search_photos", {"state": "Maine", "samples": 0})
            print(found.content[0].text)


asyncio.run(main())

"""Tripbook's tools in LangChain: `pip install 'langchain-core>=1.4,<2' httpx`, with this repository on PYTHONPATH."""

import asyncio
import os

from clients.langchain_toolkit import READ_TOOLS, load_tools


async def main() -> None:
    url, token = os.environ["TRIPBOOK_URL"], os.environ["TRIPBOOK_TOKEN"]
    # Everybody may use them here. Leave is_admin out to ask config["configurable"]["is_admin"] on every call.
    tools = await load_tools(url, token, allow=READ_TOOLS, is_admin=lambda config: True)
    print([tool.name for tool in tools])
    print(await tools[1].ainvoke({"state": "Maine", "samples": 0}))
    # agent = create_agent(model, tools)   # from langchain.agents; a ToolNode of LangGraph takes them as well


asyncio.run(main())

"""LangChain and LangGraph with our own toolkit: the tools as a model sees them, called by a graph's tool node."""

from __future__ import annotations

import itertools
from importlib.metadata import version
from typing import Any

import contract
from langchain_core.messages import AIMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from clients.langchain_toolkit import ALL_TOOLS, load_tools


async def main() -> None:
    loaded = await load_tools(contract.URL, contract.TOKEN, allow=ALL_TOOLS)
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(loaded))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    agent = graph.compile()
    ids = itertools.count()

    async def call_as(config: dict[str, Any], name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
        wanted = {"name": f"immich_{name}", "args": arguments, "id": str(next(ids)), "type": "tool_call"}
        state = await agent.ainvoke({"messages": [AIMessage("", tool_calls=[wanted])]}, {"configurable": config})
        message = state["messages"][-1]
        assert isinstance(message.content, str)
        return message.status != "error", message.content

    async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
        return await call_as({"is_admin": True}, name, arguments)

    ok, text = await call_as({"is_admin": False}, "find_albums", {"query": "maine"})
    assert (ok, text.startswith("Only an admin")) == (False, True)
    contract.run_example("langchain_tools.py")
    tools = [convert_to_openai_tool(tool) for tool in loaded]
    versions = f"langchain-core {version('langchain-core')}, langgraph {version('langgraph')}"
    await contract.probe("LangChain, LangGraph (`clients.langchain_toolkit`)", versions, tools, call, prefix="immich_")


contract.run(main)

"""Stand-ins of the household's other tools, and short spellings of messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool

from clients.raggr.routing import DISCOVERY_NAME, PHOTOS, ToolGroup

FINANCE = ToolGroup(
    "finance", "spending and balances", "budget spend spent spending groceries paycheck", ("ynab_",), admin_only=True
)
MEALS = ToolGroup("meals", "recipes and meal plans", "dinner meal meals recipe recipes", ("mealie_",))
GROUPS = (PHOTOS, FINANCE, MEALS)


def a_tool(name: str, answer: str = "{}") -> BaseTool:
    async def run(**arguments: Any) -> str:
        return answer

    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    return StructuredTool.from_function(coroutine=run, name=name, description=f"About {name}.", args_schema=schema)


def tools(*more: str) -> list[BaseTool]:
    names = ("immich_find_albums", "immich_create_album", "ynab_spending_report", "mealie_search", "web_search", *more)
    return [a_tool(name) for name in names]


def names(schemas: Sequence[dict[str, Any]]) -> list[str]:
    return [schema["function"]["name"] for schema in schemas]


def ai(*calls: str, **arguments: Any) -> AIMessage:
    """What the model said: calls of these tools, all with the same arguments."""
    return AIMessage(
        content="", tool_calls=[{"id": f"c{i}", "name": name, "args": arguments} for i, name in enumerate(calls)]
    )


def result(name: str, content: str = "{}", status: Any = "success") -> ToolMessage:
    return ToolMessage(content=content, tool_call_id="c0", name=name, status=status)


def discovered(*groups: str, status: Any = "success") -> ToolMessage:
    quoted = ",".join(f'"{group}"' for group in groups)
    return result(DISCOVERY_NAME, f'{{"enabled_tool_groups":[{quoted}]}}', status)

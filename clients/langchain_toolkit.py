"""Tripbook's operations as LangChain tools: dict schemas, string results, an admin gate in every call.

Needs `langchain-core` and `httpx` only (extra `langchain`). The schema is a dict and goes to the model unchanged;
LangChain then checks nothing itself, so unknown arguments reach the service, which refuses them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import httpx
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException

from clients.http import TripbookCaller
from clients.spec import ALL_TOOLS, READ_TOOLS, WRITE_TOOLS, Allowed, Operation, read_operations

__all__ = ["ALL_TOOLS", "READ_TOOLS", "WRITE_TOOLS", "load_tools"]

IsAdmin = Callable[[RunnableConfig], bool]
NOT_ADMIN = "Only an admin of this household may use the photo tools; tell the user so."


async def load_tools(
    url: str,
    token: str,
    *,
    prefix: str = "immich_",
    allow: Allowed = READ_TOOLS,
    is_admin: IsAdmin | None = None,
    spec: Mapping[str, Any] | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> list[BaseTool]:
    """The allowed operations of the Tripbook at `url` as async tools, named `<prefix><operation>`.

    `allow`: READ_TOOLS (default), WRITE_TOOLS, ALL_TOOLS, or operations by name. `is_admin` decides on every call;
    by default it is `config["configurable"]["is_admin"]`. `spec` is the OpenAPI document if it is at hand, else it
    is fetched. `transport` is for tests. Raises SpecUnavailable, and ValueError for an impossible address or token.
    """
    caller = TripbookCaller(url, token, transport=transport)
    document = spec if spec is not None else await caller.fetch_document()
    return [
        _make_tool(caller, operation, prefix, is_admin or is_admin_of_run)
        for operation in read_operations(document, allow)
    ]


def is_admin_of_run(config: RunnableConfig) -> bool:
    """What the application put into the run's configuration; nothing else counts, and only `True` does."""
    return config.get("configurable", {}).get("is_admin") is True


def _make_tool(caller: TripbookCaller, operation: Operation, prefix: str, is_admin: IsAdmin) -> BaseTool:
    async def call(*, config: RunnableConfig, **arguments: Any) -> str:
        # LangChain sets `config` after the model's arguments, so a model cannot bring its own.
        if not is_admin(config or {}):
            raise ToolException(NOT_ADMIN)
        answer = await caller.call(operation, arguments)
        if not answer.ok:
            raise ToolException(answer.text)
        return answer.text

    return StructuredTool.from_function(
        coroutine=call,
        name=prefix + operation.name,
        description=operation.description,
        args_schema=dict(operation.schema),
        handle_tool_error=True,
    )

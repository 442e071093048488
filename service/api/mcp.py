"""`/mcp`: the tools over MCP's streamable HTTP, in this process. Forwards to the REST application as the same caller.

The `mcp` package is an optional extra and slow to import: the service runs without it, and loads it with the first
request.
"""

from __future__ import annotations

import asyncio
import importlib.util
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from clients.http import TripbookCaller
from clients.spec import ALL_TOOLS, READ_TOOLS, Operation, read_operations
from service.api.openapi import VERSION, build_tools_document
from service.logs import get_logger

if TYPE_CHECKING:
    from clients.mcp_server import Connected

log = get_logger(__name__)
PATHS = ("/mcp", "/mcp/")


def install_mcp(app: FastAPI) -> bool:
    """Adds the endpoint, with and without a slash; neither redirects. False where the extra is not installed."""
    if importlib.util.find_spec("mcp") is None:
        log.info("there is no /mcp: the extra `mcp` is not installed")
        return False
    endpoint = McpEndpoint(app)
    # A stateless server has no stream to GET and no session to DELETE: 405 for both.
    app.router.routes += [Route(path, endpoint, methods=["POST"], include_in_schema=False) for path in PATHS]
    return True


class McpEndpoint:
    """Answers one MCP request. The caller is known by then: `CallerMiddleware` lets nobody else in."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._operations: list[Operation] | None = None
        self._server: Any = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        server = await asyncio.to_thread(importlib.import_module, "clients.mcp_server")
        if self._server is None:
            self._server = server.build_server(self._connect, VERSION)
        await server.answer_http(self._server, scope, receive, send)

    async def _connect(self, request: Request) -> Connected:
        from clients.mcp_server import connected

        if self._operations is None:
            self._operations = read_operations(build_tools_document(self._app.openapi()))
        may_write = "write" in request.state.caller.scopes
        token = request.headers["authorization"].partition(" ")[2]
        caller = TripbookCaller.in_memory(self._app, token, host=request.headers.get("host", ""))
        return connected(caller, self._operations, ALL_TOOLS if may_write else READ_TOOLS)

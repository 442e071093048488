"""`python -m clients mcp`: Tripbook over MCP on standard input and output, for clients that start a process.

The service is asked only when the other side lists or calls tools, so this is ready as soon as it is imported.
"""

from __future__ import annotations

import asyncio
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from clients.http import SpecUnavailable, TripbookCaller
from clients.mcp_server import Connected, build_server, connected, serve_stdio
from clients.spec import READ_TOOLS, Operation, allowed_by, read_operations


class StdioConnection:
    """One caller for the life of the process; the document and the token's scopes are read once, when first needed."""

    def __init__(self, caller: TripbookCaller) -> None:
        self._caller = caller
        self._operations: list[Operation] | None = None
        self._shown = READ_TOOLS

    async def connect(self, _request: Any) -> Connected:
        if self._operations is None:
            try:
                document, whose = await asyncio.gather(self._caller.fetch_document(), self._caller.whose_token())
            except SpecUnavailable as error:
                raise MCPError(INTERNAL_ERROR, str(error)) from None
            self._operations, self._shown = read_operations(document), allowed_by(whose)
        return connected(self._caller, self._operations, self._shown)


def run_stdio(caller: TripbookCaller) -> None:
    asyncio.run(serve_stdio(build_server(StdioConnection(caller).connect)))

"""A service that can be killed at any Immich request, in one process and without tidying up.

`Killed` is no Exception: nothing in the service catches it, and from then on its database refuses every write. What
is stored is what was committed before the request, exactly as after SIGKILL. `Life` is one run of the service on a
folder; the next life opens the same folder.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import httpx
from fastapi import FastAPI

from service.actions.callers import add_caller
from service.app import create_app
from service.db.session import AsyncSession, Database
from service.demo.app import LookAlikeApp
from service.demo.lookalike import DEMO_KEY
from service.settings import load_settings
from tests.harness import NOON, PATHS

When = Literal["before", "after"]


class Killed(BaseException):
    """The process is gone."""


@dataclass
class KillAt:
    """Which request is the last: the `nth` of this method and path end, before or after Immich carried it out."""

    method: str
    path: str
    nth: int = 1
    when: When = "before"
    seen: int = 0

    def is_due(self, request: httpx.Request) -> bool:
        if request.method == self.method and request.url.path.endswith(self.path):
            self.seen += 1
            return self.seen == self.nth
        return False


class KillingTransport(httpx.AsyncBaseTransport):
    """Carries requests to the look-alike until the one that kills."""

    def __init__(self, lookalike: LookAlikeApp) -> None:
        self._inner = httpx.ASGITransport(app=lookalike)
        self.kill_at: KillAt | None = None
        self.dead = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.dead:
            raise Killed
        due = self.kill_at is not None and self.kill_at.is_due(request)
        if due and self.kill_at is not None and self.kill_at.when == "after":
            await self._inner.handle_async_request(request)
        if due:
            self.dead = True
            raise Killed
        return await self._inner.handle_async_request(request)


class MortalDatabase(Database):
    """Refuses to write once the process is dead."""

    def __init__(self, url: str, transport: KillingTransport) -> None:
        super().__init__(url)
        self._transport = transport

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncSession]:
        if self._transport.dead:
            raise Killed
        async with super().write() as session:
            yield session


@dataclass
class Life:
    """One run of the service."""

    app: FastAPI
    http: httpx.AsyncClient
    transport: KillingTransport
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def db(self) -> Database:
        database: Database = self.app.state.tripbook.db
        return database

    async def post(self, operation: str, caller: str = "writer", **fields: Any) -> dict[str, Any] | None:
        """The answer of a request; None if the process died over it."""
        headers = {"authorization": f"Bearer {self.tokens[caller]}"}
        try:
            response = await self.http.post(PATHS[operation], json=fields, headers=headers)
        except Killed:
            return None
        if self.transport.dead:
            return None
        answer: dict[str, Any] = response.json()
        return answer | {"http_status": response.status_code}


@asynccontextmanager
async def life(
    lookalike: LookAlikeApp, folder: Path, tokens: dict[str, str], *, shift: timedelta = timedelta(), **settings: Any
) -> AsyncIterator[Life]:
    """Opens the service on `folder`, `shift` later than the real time."""
    transport = KillingTransport(lookalike)
    values = {
        "immich_url": "http://immich.test",
        "immich_api_key": DEMO_KEY,
        "enable_writes": True,
        "data_dir": folder,
        "write_chunk": 4,
        "rate_limit": "1000000/minute",
    } | settings
    app = create_app(load_settings(**values), immich_transport=transport, clock=lambda: NOON + shift)
    async with app.router.lifespan_context(app):
        tripbook = app.state.tripbook
        first = tripbook.db
        tripbook.db = MortalDatabase(tripbook.settings.database, transport)
        tripbook.db.time_shift = shift
        for name in ("writer", "other"):
            if name not in tokens:
                tokens[name] = await add_caller(tripbook.db, name, ["read", "write"])
        asgi = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=asgi, base_url="http://tripbook.test") as http:
            yield Life(app, http, transport, tokens)
        await _bury(tripbook.writers)
    await first.close()


async def _bury(writers: set[asyncio.Task[Any]]) -> None:
    """Writers of a dead process have ended with it."""
    if writers:
        await asyncio.wait(set(writers), timeout=5)

"""The service in front of the look-alike, in one process: real app, real migrations, real requests, no sockets.

`async with tripbook(library) as box:` gives both sides; `await box.call("search_photos", state="Maine")` is one
HTTP request of a caller with read and write scope.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from starlette.types import ASGIApp

from service.actions.callers import add_caller
from service.actions.context import Tripbook
from service.api.routes import TOOLS
from service.app import create_app
from service.demo.app import create_lookalike
from service.demo.library import Library
from service.demo.lookalike import DEMO_KEY, KeySpec, LookAlike
from service.demo.server import running_lookalike
from service.settings import load_settings

PATHS = {tool.handler.__name__: tool.path for tool in TOOLS}
VERSIONS = ("2.5.6", "3.1.0", "3.3.1")
NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
MAX_RESULT_CHARS = 2_500


@dataclass
class Box:
    """A running service, the Immich before it, and a client of each kind of caller (`tokens` by name)."""

    app: FastAPI
    http: httpx.AsyncClient
    immich: LookAlike
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def tripbook(self) -> Tripbook:
        running: Tripbook = self.app.state.tripbook
        return running

    async def add_caller(self, name: str, *scopes: str) -> None:
        self.tokens[name] = await add_caller(self.tripbook.db, name, scopes)

    async def post(self, operation: str, body: Any = None, *, caller: str = "writer") -> httpx.Response:
        headers = {"authorization": f"Bearer {self.tokens[caller]}"}
        return await self.http.post(PATHS[operation], json=body, headers=headers)

    async def get(self, path: str, *, caller: str = "writer", **params: Any) -> httpx.Response:
        return await self.http.get(path, params=params, headers={"authorization": f"Bearer {self.tokens[caller]}"})

    async def call(self, operation: str, *, caller: str = "writer", **fields: Any) -> dict[str, Any]:
        """The answer of a tool that must succeed; checks what holds for every answer."""
        response = await self.post(operation, fields, caller=caller)
        assert response.status_code == 200, response.text
        assert len(response.text) <= MAX_RESULT_CHARS
        answer: dict[str, Any] = response.json()
        if "clusters" in answer:
            check_sums(answer)
        check_warnings(answer.get("warnings", []))
        return answer

    async def problem(self, operation: str, *, caller: str = "writer", **fields: Any) -> dict[str, Any]:
        """The problem document of a tool that must refuse."""
        return check_problem(await self.post(operation, fields, caller=caller))

    @property
    def writes(self) -> list[Any]:
        """What was written to Immich, from its own journal."""
        return list(self.immich.journal.writes())

    @property
    def paths(self) -> list[str]:
        """`METHOD path` of every request Immich got."""
        return [f"{entry.method} {entry.path}" for entry in self.immich.journal.entries]


def check_problem(response: httpx.Response) -> dict[str, Any]:
    """The one error shape: RFC 9457, a stable code, a plain sentence, small."""
    assert response.status_code >= 400, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = response.json()
    assert {"type", "title", "status", "detail", "code", "request_id"} <= set(problem)
    assert problem["status"] == response.status_code
    assert problem["detail"].endswith((".", "?")), problem["detail"]
    assert len(response.text) <= 1_500
    return problem


def check_sums(summary: dict[str, Any]) -> None:
    """The parts of an untruncated summary add up to its total."""
    total = summary["total"]
    assert sum(summary["by_media"].values()) == total or summary["truncated"]
    if summary["truncated"]:
        return
    in_clusters = sum(cluster["count"] for cluster in summary["clusters"])
    assert in_clusters + summary["other_clusters"] + summary.get("unreadable_dates", 0) == total
    in_places = sum(place["count"] for place in summary["top_places"])
    assert in_places + summary["other_places"] + summary["no_location"] == total
    if "by_owner" in summary:
        assert sum(summary["by_owner"].values()) == total


def check_warnings(warnings: list[str]) -> None:
    """Few, short, whole sentences on one line each."""
    assert len(warnings) <= 4
    for warning in warnings:
        assert warning.endswith((".", "?")), warning
        assert len(warning) <= 260, warning
        assert warning.isprintable(), warning


@asynccontextmanager
async def tripbook(
    library: Library,
    *,
    version: str = "3.3.1",
    keys: dict[str, KeySpec] | None = None,
    clock: Callable[[], datetime] = lambda: NOON,
    data_dir: Path | None = None,
    proxy: Callable[[ASGIApp], ASGIApp] = lambda app: app,
    network: bool = False,
    **settings: Any,
) -> AsyncIterator[Box]:
    """Runs the service on a fresh database. `settings` override the environment; callers: writer, reader, approver.

    `proxy` wraps the look-alike in what stands between the two. `network` puts real loopback sockets there, which
    time limits need.
    """
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        transport, url = None, "http://immich.test"
        if network:
            running = await stack.enter_async_context(running_lookalike(library, version=version, keys=keys))
            immich, url = running.immich, running.url
        else:
            lookalike = create_lookalike(library, version=version, keys=keys)
            immich, transport = lookalike.state.immich, httpx.ASGITransport(app=proxy(lookalike))
        values = {
            "immich_url": url,
            "immich_api_key": DEMO_KEY,
            "immich_public_url": "https://photos.example",
            "enable_writes": True,
            "data_dir": data_dir or Path(folder),
            "public_base_url": "https://tripbook.example",
        } | settings
        app = create_app(load_settings(**values), immich_transport=transport, clock=clock)
        async with app.router.lifespan_context(app):
            own = httpx.ASGITransport(app=app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=own, base_url="https://tripbook.example") as http:
                box = Box(app, http, immich)
                for name, scopes in (
                    ("writer", ("read", "write")),
                    ("reader", ("read",)),
                    ("approver", ("read", "approve")),
                    ("other", ("read", "write")),
                ):
                    await box.add_caller(name, *scopes)
                yield box

"""Wiring only: settings into a FastAPI application whose lifespan opens the HTTP client and the database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

import httpx
from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from service.actions.context import Tripbook, system_clock
from service.api.docs import install_docs
from service.api.errors import install_error_handlers
from service.api.mcp import install_mcp
from service.api.middleware import (
    CallerLimiter,
    CallerMiddleware,
    HostMiddleware,
    JsonBodyMiddleware,
    RequestMiddleware,
)
from service.api.routes import build_router
from service.db.previews import expire_previews, list_unfinished
from service.db.session import Database, migrate
from service.immich.client import ImmichClient
from service.immich.library import ImmichLibrary
from service.logs import get_logger
from service.settings import Settings
from service.tokens import load_keys

log = get_logger(__name__)
DRAIN_SECONDS = 20.0
TIDY_EVERY_SECONDS = 600.0
KEEP_EXPIRED_IDS = timedelta(days=1)


def create_app(
    settings: Settings,
    *,
    immich_transport: httpx.AsyncBaseTransport | None = None,
    clock: Callable[[], datetime] = system_clock,
) -> FastAPI:
    """The application. `immich_transport` and `clock` are for tests: an in-process Immich, and a fixed day."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_tripbook(settings, immich_transport=immich_transport, clock=clock) as tripbook:
            app.state.tripbook = tripbook
            await _report_unfinished(tripbook)
            tidying = asyncio.create_task(_tidy(tripbook))
            try:
                yield
            finally:
                tidying.cancel()
                with suppress(asyncio.CancelledError):
                    await tidying

    app = FastAPI(title="Tripbook", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None,
                  redirect_slashes=False)  # fmt: skip
    app.include_router(build_router(writes=settings.enable_writes))
    install_docs(app, settings.public_base_url)
    install_mcp(app)
    install_error_handlers(app)
    app.add_middleware(JsonBodyMiddleware)
    app.add_middleware(CallerMiddleware, limiter=CallerLimiter(settings.rate_limit))
    if settings.allowed_hosts:
        app.add_middleware(HostMiddleware, allowed=settings.allowed_hosts)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
        )
    app.add_middleware(RequestMiddleware)
    if settings.trusted_proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(settings.trusted_proxies))
    return app


@asynccontextmanager
async def open_tripbook(
    settings: Settings,
    *,
    immich_transport: httpx.AsyncBaseTransport | None = None,
    clock: Callable[[], datetime] = system_clock,
) -> AsyncIterator[Tripbook]:
    """The resources of a migrated installation; on the way out running writers are waited for."""
    await asyncio.to_thread(migrate, settings.database)
    client = ImmichClient(settings, transport=immich_transport)
    tripbook = Tripbook(
        settings=settings,
        library=ImmichLibrary(client, settings),
        db=Database(settings.database),
        keys=load_keys(settings.signing_keys, settings.data_dir),
        clock=clock,
    )
    try:
        yield tripbook
    finally:
        await drain(tripbook)
        await client.close()
        await tripbook.db.close()


async def drain(tripbook: Tripbook) -> None:
    """Waits for running writers, bounded; what is left then stops at its next step and can be resumed."""
    if tripbook.writers:
        await asyncio.wait(set(tripbook.writers), timeout=DRAIN_SECONDS)
    for writer in set(tripbook.writers):
        writer.cancel()
    if tripbook.writers:
        await asyncio.wait(set(tripbook.writers), timeout=5.0)


async def _report_unfinished(tripbook: Tripbook) -> None:
    """Nothing resumes by itself: an admin or a repeated confirm decides."""
    async with tripbook.db.read() as session:
        for row in await list_unfinished(session):
            log.warning("unfinished preview", preview_id=row.id, state=row.state, answered=row.answered, of=row.count)


async def _tidy(tripbook: Tripbook) -> None:
    """Marks expired previews, and drops their id sets a day later."""
    while True:
        try:
            async with tripbook.db.write() as session:
                await expire_previews(session, await tripbook.db.now(session), KEEP_EXPIRED_IDS)
        except Exception:  # tidying is never worth an outage; it comes again
            log.exception("tidying failed")
        await asyncio.sleep(TIDY_EVERY_SECONDS)

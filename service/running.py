"""What the command line runs: the service, the demo, and administrative actions on the database."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from service.actions.callers import add_caller, list_callers
from service.actions.confirms import resume_preview
from service.app import create_app, open_tripbook
from service.db.previews import list_unfinished
from service.db.session import Database, migrate
from service.domain.names import quote
from service.errors import TripbookError
from service.logs import configure_logging
from service.server import ServiceServer, bind
from service.settings import DemoSettings, Settings, load_settings


@dataclass(frozen=True, slots=True)
class Ready:
    """What `--json` prints when requests are accepted; null for what does not exist."""

    url: str
    docs_url: str
    review_url: str | None = None
    token: str | None = None
    approve_token: str | None = None
    immich_url: str | None = None
    immich_api_key: str | None = None
    data_dir: str | None = None


async def serve(settings: Settings, host: str, port: int, *, as_json: bool) -> int:
    """Runs the service until SIGTERM or SIGINT."""
    configure_logging(settings.log_format, settings.secrets)
    listener = _bind_or_explain(host, port)
    if listener is None:
        return 1
    url = settings.public_base_url or _url_of(listener)
    ready = Ready(url, f"{url}/docs", immich_url=settings.immich_url, data_dir=str(settings.data_dir))
    text = f"Tripbook is at {url}/docs, in front of {settings.immich_url}"
    await _run(settings, listener, lambda: _announce(ready, text, as_json))
    return 0


async def run_demo(port: int, immich_version: str, *, as_json: bool) -> int:
    """Runs the look-alike and the service in front of it, on a fresh temporary folder, until it is ended."""
    from service.demo.household import household
    from service.demo.server import running_lookalike
    from service.demo.versions import parse_version

    try:
        parse_version(immich_version)
    except ValueError as error:
        print(f"{error}; write one like 2.5.6, 3.1.0 or 3.3.1.", file=sys.stderr)
        return 1
    listener = _bind_or_explain("127.0.0.1", port)
    if listener is None:
        return 1
    with tempfile.TemporaryDirectory(prefix="tripbook-demo-") as folder:
        async with running_lookalike(household(), version=immich_version) as immich:
            url = _url_of(listener)
            settings = load_settings(
                DemoSettings,
                immich_url=immich.url,
                immich_api_key=immich.api_key,
                enable_writes=True,
                data_dir=Path(folder),
                public_base_url=url,
            )
            configure_logging(settings.log_format, settings.secrets, level=logging.WARNING)
            migrate(settings.database)
            token = await _demo_token(settings)
            ready = Ready(
                url,
                f"{url}/docs",
                token=token,
                immich_url=immich.url,
                immich_api_key=immich.api_key,
                data_dir=folder,
            )
            text = _demo_text(ready, immich_version)
            await _run(settings, listener, lambda: _announce(ready, text, as_json))
    return 0


def _demo_text(ready: Ready, immich_version: str) -> str:
    return f"""Tripbook demo, in front of an Immich {immich_version} look-alike with a made-up library.

  Swagger UI   {ready.docs_url}
  token        {ready.token}
  look-alike   {ready.immich_url} (key {ready.immich_api_key})

Open Swagger UI, press Authorize, paste the token, and try search_photos with {{"state": "Maine"}}. Or:

  curl -s {ready.url}/v1/photos/search -H "Authorization: Bearer {ready.token}" -d '{{"state": "Maine"}}'

Ctrl-C ends it; nothing is kept."""


async def _demo_token(settings: Settings) -> str:
    database = Database(settings.database)
    try:
        return await add_caller(database, "demo", ("read", "write"))
    finally:
        await database.close()


def _bind_or_explain(host: str, port: int) -> socket.socket | None:
    try:
        return bind(host, port)
    except OSError as error:
        print(f"Cannot listen on {host}:{port}: {error.strerror}. Choose another with --port.", file=sys.stderr)
        return None


def _url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _announce(ready: Ready, text: str, as_json: bool) -> None:
    print(json.dumps(asdict(ready)) if as_json else text, flush=True)


async def _run(settings: Settings, listener: socket.socket, on_ready: Callable[[], None]) -> None:
    server = ServiceServer(create_app(settings), on_ready)
    try:
        await server.serve(sockets=[listener])
    finally:
        listener.close()


async def administer(settings: Settings, run: Callable[..., Awaitable[str | None]], *values: object) -> int:
    """One action on the migrated database; prints its answer. A refusal goes to standard error."""
    configure_logging(settings.log_format, settings.secrets)
    await asyncio.to_thread(migrate, settings.database)
    database = Database(settings.database)
    try:
        answer = await run(database, *values)
    except TripbookError as error:
        print(error.detail, file=sys.stderr)
        return 1
    finally:
        await database.close()
    if answer:
        print(answer)
    return 0


async def list_clients(database: Database) -> str:
    """A line per client: name, scopes, made, last used, revoked."""
    lines = []
    for caller in await list_callers(database):
        used = f"used {caller.last_used_at:%Y-%m-%d %H:%M}Z" if caller.last_used_at else "never used"
        state = f"revoked {caller.revoked_at:%Y-%m-%d}" if caller.revoked_at else used
        lines.append(f"{caller.name}\t{','.join(caller.scopes)}\tmade {caller.created_at:%Y-%m-%d}\t{state}")
    return "\n".join(lines) or "No clients yet; make one with: python -m service clients add NAME --scope read"


async def list_unfinished_previews(database: Database) -> str:
    """A line per preview whose writing began and did not end."""
    async with database.read() as session:
        rows = await list_unfinished(session)
    lines = [f"{row.id}\t{row.state}\t{row.answered} of {row.count}\t{quote(row.album_name)}" for row in rows]
    return "\n".join(lines) or "Nothing is unfinished."


async def resume(settings: Settings, preview_id: str) -> int:
    """Finishes one unfinished preview and prints its receipt as JSON."""
    configure_logging(settings.log_format, settings.secrets)
    async with open_tripbook(settings) as tripbook:
        try:
            receipt = await resume_preview(tripbook, preview_id)
        except TripbookError as error:
            print(error.detail, file=sys.stderr)
            return 1
    print(json.dumps(receipt))
    return 0

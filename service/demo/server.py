"""Running the look-alike over real HTTP: as a process of its own, or beside another server in one process."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from service.demo.app import LookAlikeApp, create_lookalike
from service.demo.household import household
from service.demo.library import Library
from service.demo.lookalike import DEMO_KEY, PERMISSIONS, KeySpec, LookAlike

KEEP_ALIVE_SECONDS = 5
"""As the real server: an idle connection is closed after that."""


def bind_loopback(port: int = 0) -> socket.socket:
    """A listening socket of our own: the port is known before the server starts, and nobody can take it."""
    # with the protocol named: asyncio turns Nagle off only then, and small answers would take 40 ms
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(128)
    return listener


class LookAlikeServer(uvicorn.Server):
    """Tells when it is ready; leaves signals alone unless it is the only server of its process."""

    def __init__(self, app: LookAlikeApp, *, on_ready: Callable[[], None], own_signals: bool) -> None:
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=1,
            lifespan="off",
        )
        super().__init__(config)
        self._on_ready = on_ready
        self._own_signals = own_signals

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if not self.should_exit:
            self._on_ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        if not self._own_signals:
            yield
            return
        with super().capture_signals():
            yield


@dataclass(frozen=True)
class RunningLookAlike:
    url: str
    api_key: str
    immich: LookAlike


@contextlib.asynccontextmanager
async def running_lookalike(
    library: Library, *, version: str = "3.3.1", keys: dict[str, KeySpec] | None = None, port: int = 0
) -> AsyncIterator[RunningLookAlike]:
    """Serve on a loopback port inside the running loop until the block ends."""
    app = create_lookalike(library, version=version, keys=keys)
    listener, ready = bind_loopback(port), asyncio.Event()
    server = LookAlikeServer(app, on_ready=ready.set, own_signals=False)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        await ready.wait()
        immich: LookAlike = app.state.immich
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        yield RunningLookAlike(url, next(iter(immich.keys), ""), immich)
    finally:
        server.should_exit = True
        await task
        listener.close()


def main(arguments: Sequence[str] | None = None) -> None:
    asked = _parser().parse_args(arguments)
    library = Library.from_json(Path(asked.library).read_bytes()) if asked.library else household()
    permissions = frozenset(asked.permissions.split(",")) if asked.permissions else PERMISSIONS
    keys = {asked.key: KeySpec("demo", permissions)}
    app = create_lookalike(library, version=asked.immich_version, keys=keys)
    listener = bind_loopback(asked.port)
    told = {"immich_url": f"http://127.0.0.1:{listener.getsockname()[1]}", "immich_api_key": asked.key}
    server = LookAlikeServer(app, on_ready=lambda: print(json.dumps(told), flush=True), own_signals=True)
    server.run(sockets=[listener])
    sys.exit(0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m service.demo", description="An Immich look-alike.")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--immich-version", default="3.3.1")
    parser.add_argument("--library", help="a file written by Library.to_json; without it the generated household")
    parser.add_argument("--key", default=DEMO_KEY)
    parser.add_argument("--permissions", help="comma-separated; without it exactly what Tripbook needs")
    return parser

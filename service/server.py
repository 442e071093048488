"""Running the application with uvicorn on a socket of our own, and telling when it is ready."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable, Generator

import uvicorn
from fastapi import FastAPI

GRACE_SECONDS = 30


def bind(host: str, port: int) -> socket.socket:
    """A bound socket; with port 0 the system chooses. Raises OSError where the address is taken.

    The protocol is named because asyncio turns Nagle off only then: 2 ms instead of 45 ms for a small answer.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    listener.listen(256)
    return listener


class ServiceServer(uvicorn.Server):
    """uvicorn, plus a call once requests are accepted."""

    def __init__(self, app: FastAPI, on_ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if not self.should_exit:
            self._on_ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """SIGTERM and SIGINT end the serving and are not raised again: what is around it gets to tidy up."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

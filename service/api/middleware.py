"""Around every request: an id, a log line, the caller, security headers, and the last handler of all errors.

Pure ASGI, so that an unknown caller is refused before a byte of the body is read.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress

import structlog
from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.actions.callers import authenticate
from service.actions.context import Tripbook
from service.api.errors import (
    internal_problem,
    rate_limited_problem,
    too_large_problem,
    unknown_token_problem,
    wrong_host_problem,
)
from service.logs import get_logger

log = get_logger("service.http")
MAX_BODY_BYTES = 64_000
# A request to /mcp becomes one to /v1/ in this process, with the same token: counted there, once.
FORWARDS = "/mcp"
# Everything else (health, documents, Swagger UI) holds no data.
NEEDS_TOKEN = ("/v1/", FORWARDS, "/readyz", "/metrics")
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)


class RequestMiddleware:
    """Outermost: gives the request its id, logs it, sets headers, and turns any escape into a 500 problem."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started, status = time.perf_counter(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _set_headers(MutableHeaders(scope=message), request_id)
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception:  # the last handler: nothing of the exception reaches the caller
            log.exception("request failed", method=scope["method"], path=scope["path"])
            if status:
                raise
            await internal_problem(request_id)(scope, receive, send_with_headers)
        seconds = time.perf_counter() - started
        log.info("request", method=scope["method"], path=scope["path"], status=status, ms=round(seconds * 1000))


def _set_headers(headers: MutableHeaders, request_id: str) -> None:
    headers["X-Request-ID"] = request_id
    for name, value in SECURITY_HEADERS.items():
        headers.setdefault(name, value)
    headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)


class CallerLimiter:
    """Requests per caller in a moving window, in this process's memory."""

    def __init__(self, rate: str) -> None:
        self._item = parse(rate)
        self._window = MovingWindowRateLimiter(MemoryStorage())

    def hit(self, caller_id: str) -> int | None:
        """Counts a request; None if it may go on, else the seconds to wait."""
        if self._window.hit(self._item, caller_id):
            return None
        return max(1, round(self._window.get_window_stats(self._item, caller_id).reset_time - time.time()))


class CallerMiddleware:
    """Knows the caller by token before anything else happens; 401 for everybody else, 429 for the hasty.

    Only a known caller's own requests count against it: nobody is refused for somebody else's failures.
    """

    def __init__(self, app: ASGIApp, limiter: CallerLimiter) -> None:
        self._app = app
        self._limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] == "OPTIONS" or not scope["path"].startswith(NEEDS_TOKEN):
            await self._app(scope, receive, send)
            return
        tripbook: Tripbook = scope["app"].state.tripbook
        caller = await authenticate(tripbook, bearer_token(Headers(scope=scope)))
        if caller is None:
            log.info("unknown token", path=scope["path"], client=(scope.get("client") or ("", 0))[0])
            await unknown_token_problem(scope["state"]["request_id"])(scope, receive, send)
            return
        counts = not scope["path"].startswith(FORWARDS)
        if counts and (wait := self._limiter.hit(caller.id)) is not None:
            await rate_limited_problem(scope["state"]["request_id"], wait)(scope, receive, send)
            return
        scope["state"]["caller"] = caller
        structlog.contextvars.bind_contextvars(caller=caller.name)
        await self._app(scope, receive, send)


def bearer_token(headers: Headers) -> str:
    """The token of an `Authorization: Bearer` header; empty if there is none."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.casefold() == "bearer" else ""


class JsonBodyMiddleware:
    """Reads a small body as JSON whatever its Content-Type says: curl -d and Home Assistant send none or a form's."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].startswith("/v1/"):
            await self._app(scope, receive, send)
            return
        body = await _read_body(receive)
        if body is None:
            await too_large_problem(scope["state"]["request_id"])(scope, receive, send)
            return
        headers = [(name, value) for name, value in scope["headers"] if name != b"content-type"]
        scope = {**scope, "headers": [*headers, (b"content-type", b"application/json")]}
        await self._run_while_there(scope, body, receive, send)

    async def _run_while_there(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """A client that goes away stops its reading and checking; writers are tasks of their own and go on."""
        gone = asyncio.create_task(_wait_gone(receive))
        answering = asyncio.create_task(self._answer(scope, body, send))
        try:
            await asyncio.wait({gone, answering}, return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                log.info("client went away", path=scope["path"])
        finally:
            gone.cancel()
            if not answering.done():
                answering.cancel()
        with suppress(asyncio.CancelledError):
            await answering

    async def _answer(self, scope: Scope, body: bytes, send: Send) -> None:
        await self._app(scope, _give_once(body), send)


async def _wait_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _read_body(receive: Receive) -> bytes | None:
    """The whole body; None where it is larger than any flat request can be."""
    body: bytes = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return body
        part: bytes = message.get("body", b"")
        body += part
        if len(body) > MAX_BODY_BYTES:
            return None
        if not message.get("more_body", False):
            return body


def _give_once(body: bytes) -> Receive:
    """A `receive` that gives the whole body, and then waits: whether the client is there is watched outside."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            await asyncio.Event().wait()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


class HostMiddleware:
    """Answers only for the allowed host names (`*.example.org` for all below), with a problem document otherwise."""

    def __init__(self, app: ASGIApp, allowed: Sequence[str]) -> None:
        self._app = app
        self._allowed = tuple(name.casefold() for name in allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._is_allowed(Headers(scope=scope).get("host", "")):
            await self._app(scope, receive, send)
            return
        await wrong_host_problem(scope["state"]["request_id"])(scope, receive, send)

    def _is_allowed(self, header: str) -> bool:
        host = header.rpartition(":")[0] if header.rpartition(":")[2].isdigit() else header
        name = host.casefold().strip("[]")
        return any(name == one or (one.startswith("*.") and name.endswith(one[1:])) for one in self._allowed)

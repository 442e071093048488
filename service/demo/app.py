"""The look-alike as an ASGI application: connection, key, permissions, faults, delays. Answers come from elsewhere.

`create_lookalike(library)` gives an application whose `state.immich` is the `LookAlike`: its library, version,
keys, faults and journal can be read and changed while it runs.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from service.demo import albums, people, places, search
from service.demo.connection import Dropped, Gone, drop, read_body, send_answer, wait_gone
from service.demo.control import answer_control
from service.demo.errors import ImmichError, missing_permission, unknown_route
from service.demo.faults import FaultRule
from service.demo.journal import Entry
from service.demo.library import Library
from service.demo.lookalike import Answer, Call, Handler, KeySpec, LookAlike, json_answer
from service.demo.thumbnails import get_thumbnail

BODY_LIMIT = 10 * 1024 * 1024
GZIP_FROM = 1024


def get_version(call: Call) -> Answer:
    return json_answer(call.immich.body())


def get_my_key(call: Call) -> Answer:
    times = {"createdAt": "2026-12-01T04:00:00.000Z", "updatedAt": "2026-12-01T04:00:00.000Z"}
    about = {"id": call.key.id, "name": call.key.name, **times}
    return json_answer(about | {"permissions": sorted(call.key.permissions)})


@dataclass(frozen=True)
class Route:
    method: str
    path: re.Pattern[str]
    handler: Handler
    permission: str | None
    public: bool = False


def _route(method: str, path: str, handler: Handler, permission: str | None = None, *, public: bool = False) -> Route:
    pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", f"/api/{path}")
    return Route(method, re.compile(pattern), handler, permission, public)


ROUTES = (
    _route("GET", "server/version", get_version, public=True),
    _route("GET", "albums", albums.list_albums, "album.read"),
    _route("GET", "albums/{id}", albums.get_album, "album.read"),
    _route("GET", "search/suggestions", places.search_suggestions, "asset.read"),
    _route("GET", "search/person", people.search_person, "person.read"),
    _route("POST", "search/metadata", search.search_metadata, "asset.read"),
    _route("POST", "search/smart", search.search_smart, "asset.read"),
    _route("POST", "search/statistics", search.search_statistics, "asset.statistics"),
    _route("POST", "albums", albums.create_album, "album.create"),
    _route("PUT", "albums/{id}/assets", albums.add_to_album, "albumAsset.create"),
    _route("GET", "api-keys/me", get_my_key),
    _route("GET", "people", people.list_people, "person.read"),
    _route("GET", "assets/{id}/thumbnail", get_thumbnail, "asset.view"),
)
ANONYMOUS = KeySpec("anonymous", frozenset())


class LookAlikeApp(Starlette):
    """Starlette only for its shape (state, lifespan): faults need the bare connection."""

    def __init__(self, server: LookAlike) -> None:
        super().__init__()
        self.state.immich = server
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
        elif scope["path"].startswith("/_control/"):
            await answer_control(self._server, scope, receive, send)
        else:
            await Exchange(self._server, scope, receive, send).run()


def create_lookalike(
    library: Library, *, version: str = "3.3.1", keys: dict[str, KeySpec] | None = None
) -> LookAlikeApp:
    return LookAlikeApp(LookAlike(library, version, keys))


class Exchange:
    """One request and its answer."""

    def __init__(self, server: LookAlike, scope: Scope, receive: Receive, send: Send) -> None:
        self._server = server
        self._scope = scope
        self._receive = receive
        self._send = send
        self._headers: dict[bytes, bytes] = dict(scope["headers"])
        self._query = dict(parse_qsl(scope["query_string"].decode(), keep_blank_values=True))
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self._rule: FaultRule | None = None
        self._body: Any = None
        self._broken: ImmichError | None = None

    async def run(self) -> None:
        entry = self._server.journal.record(self.method, self.path, self._query)
        try:
            await self._read(entry)
            self._rule = self._server.faults.pick(self.method, self.path, search.asked_page(self._body))
            if self._rule is not None:
                entry.fault = self._rule.name or self._rule.action.kind
            answer = await self._spoiled_before() or await self._answered(entry)
            entry.status = answer.status
            await self._deliver(await self._spoiled_after(answer))
        except Dropped:
            await drop(self._receive, self._send)
        except Gone:
            return

    # reading

    async def _read(self, entry: Entry) -> None:
        """The body, parsed where it is JSON; what is wrong with it is told when Immich would tell it."""
        raw = await read_body(self._receive)
        if len(raw) > BODY_LIMIT:
            self._broken = ImmichError(500, "Internal server error", from_parser=True)
        elif raw and b"json" in self._headers.get(b"content-type", b""):
            try:
                self._body = msgspec.json.decode(raw)
            except ValueError:
                self._broken = ImmichError(400, _parser_complaint(raw), from_parser=True)
        entry.body = self._body

    # answering

    async def _answered(self, entry: Entry) -> Answer:
        try:
            answer = await self._handled(entry)
        except ImmichError as error:
            return json_answer(error.body(self._server.immich, entry.seq), error.status)
        await self._server.faults.take_time(answer.items)
        return answer

    async def _handled(self, entry: Entry) -> Answer:
        if self._broken is not None:
            raise self._broken
        route, params = self._find_route()
        key = self._authenticated(entry, route)
        if route.permission is not None and not key.allows(route.permission):
            raise missing_permission(route.permission)
        body = self._body if isinstance(self._body, dict) else {}
        outcome = route.handler(Call(self._server, self._query, body, params, key, entry))
        if isinstance(outcome, Answer):
            return outcome
        await asyncio.sleep(self._server.faults.write_delay_ms / 1000)
        return outcome()

    def _find_route(self) -> tuple[Route, dict[str, str]]:
        for route in ROUTES:
            found = route.path.fullmatch(self.path)
            if found and route.method == self.method:
                return route, found.groupdict()
        raise unknown_route(self.method, self.path)

    def _authenticated(self, entry: Entry, route: Route) -> KeySpec:
        if route.public:
            return ANONYMOUS
        if b"immich_access_token" in self._headers.get(b"cookie", b""):
            # a session cookie beats the key, and no session is ever valid here
            raise ImmichError(401, "Invalid user token")
        given = self._headers.get(b"x-api-key")
        if given is None:
            raise ImmichError(401, "Authentication required")
        key = self._server.keys.get(given.decode("latin-1"))
        if key is None:
            raise ImmichError(401, "Invalid API key")
        entry.key = key.name
        return key

    # spoiling

    async def _spoiled_before(self) -> Answer | None:
        """What a fault does before Immich would have read the request; None lets it through."""
        if self._rule is None or self._rule.action.comes_after:
            return None
        action, ticket = self._rule.action, await self._server.faults.reach(self._rule)
        match action.kind:
            case "status" | "html" | "redirect" | "raw":
                return Answer(action.body.encode(), action.status, action.content_type)
            case "reset":
                raise Dropped
            case "timeout":
                await wait_gone(self._receive)
            case "delay":
                await asyncio.sleep(action.seconds)
            case "hold":
                await self._server.faults.wait_release(self._rule, ticket)
        return None

    async def _spoiled_after(self, answer: Answer) -> Answer:
        """What a fault does to the answer of a request that was carried out."""
        if self._rule is None or not self._rule.action.comes_after:
            return answer
        action, ticket = self._rule.action, await self._server.faults.reach(self._rule)
        match action.kind:
            case "apply_then_reset":
                raise Dropped
            case "apply_then_delay":
                await asyncio.sleep(action.seconds)
            case "apply_then_hold":
                await self._server.faults.wait_release(self._rule, ticket)
            case "half_json":
                return replace(answer, body=answer.body[: max(len(answer.body) // 2, 1)])
        return answer

    async def _deliver(self, answer: Answer) -> None:
        headers, body = [(b"content-type", answer.content_type.encode())], answer.body
        if self._rule is not None:
            given = self._rule.action.headers
            headers += [(name.lower().encode(), value.encode()) for name, value in given.items()]
        if self._server.gzip and len(body) >= GZIP_FROM and b"gzip" in self._headers.get(b"accept-encoding", b""):
            body = zlib.compress(body, 1, wbits=31)
            headers.append((b"content-encoding", b"gzip"))
        await send_answer(self._send, answer.status, headers, body)


def _parser_complaint(raw: bytes) -> str:
    """V8's words, roughly: the two that matter are told apart."""
    text = raw.decode(errors="replace")
    try:
        msgspec.json.decode(raw)
    except msgspec.DecodeError as error:
        if "truncated" in str(error):
            return "Unexpected end of JSON input"
    return f"Unexpected token '{text[:1]}', \"{text[:10]}\" is not valid JSON"

"""Calls Tripbook's operations over HTTP and turns every outcome into one text. Knows no model, agent or terminal.

The address comes from the user alone; a document's `servers` could be hostile. Nothing that the other side does
raises: a problem answer, a wrong page, silence all become `title: detail`.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx

from clients.spec import Operation

# Above the service's own deadlines: it answers first, with a better text.
TIMEOUT_SECONDS = 60.0
MAX_ANSWER_BYTES = 200_000
MAX_DOCUMENT_BYTES = 2_000_000
MAX_TEXT = 1_500
NO_GATEWAY = 502  # the status of a success that cannot be Tripbook's
# What a problem says beside its sentence and the next call may need.
NEXT_STEP_FIELDS = ("suggestions", "candidates", "preview")


class SpecUnavailable(Exception):
    """The OpenAPI document could not be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: `text` for a model or a person, `body` for a program. `status` 0: nothing came back."""

    status: int
    text: str
    body: Mapping[str, Any]

    @property
    def ok(self) -> bool:
        return self.status == 200

    @property
    def code(self) -> str:
        """The problem's stable code; `unreachable` or `bad_answer` where the service itself said nothing."""
        return "" if self.ok else str(self.body.get("code", "bad_answer" if self.status else "unreachable"))


class TripbookCaller:
    """Calls one Tripbook as one caller. Holds no connection between calls, so it works in any event loop."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = TIMEOUT_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._base = clean_url(url)
        self._headers = {"Authorization": f"Bearer {clean_token(token)}"} if token else {}
        self._timeout = timeout
        self._transport = transport

    @classmethod
    def in_memory(cls, app: Any, token: str, *, host: str) -> TripbookCaller:
        """Calls an ASGI application in this process, under the name its own caller used for it."""
        try:
            url = clean_url(f"http://{host}")
        except ValueError:
            url = "http://localhost"
        return cls(url, token, transport=httpx.ASGITransport(app, raise_app_exceptions=False))

    async def call(self, operation: Operation, arguments: Mapping[str, Any]) -> Answer:
        """Posts `arguments` as they are; the service refuses what it does not know."""
        return await self.request("POST", operation.path, body=arguments)

    async def request(self, method: str, path: str, *, body: Mapping[str, Any] | None = None) -> Answer:
        try:
            content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        except (TypeError, ValueError):
            return _failed(0, "Request not understood", "The arguments are no JSON values.")
        return await self._send(method, path, content, MAX_ANSWER_BYTES)

    async def fetch_document(self) -> Mapping[str, Any]:
        """The tools' OpenAPI document. Raises SpecUnavailable."""
        answer = await self._send("GET", "/openapi.json", None, MAX_DOCUMENT_BYTES)
        if not answer.ok or not isinstance(answer.body.get("paths"), Mapping):
            raise SpecUnavailable(answer.text if not answer.ok else "This is no OpenAPI document; check the address.")
        return answer.body

    async def whose_token(self) -> Mapping[str, Any]:
        """The caller's name, its scopes, and whether writing is on. Raises SpecUnavailable, also for a wrong token."""
        answer = await self.request("GET", "/v1/caller")
        if not answer.ok:
            raise SpecUnavailable(answer.text)
        return answer.body

    async def _send(self, method: str, path: str, content: bytes | None, limit: int) -> Answer:
        headers = self._headers | {"Accept": "application/json"}
        if content is not None:
            headers["Content-Type"] = "application/json"
        try:
            async with (
                httpx.AsyncClient(
                    transport=self._transport,
                    timeout=self._timeout,
                    trust_env=False,
                    follow_redirects=False,
                    verify=_ssl_context() if self._base.startswith("https:") else False,
                ) as client,
                client.stream(method, self._base + path, content=content, headers=headers) as response,
            ):
                return _read(response.status_code, await _take(response, limit))
        except httpx.TimeoutException:
            return _failed(0, "Tripbook took too long", "No answer came in time; try once more or narrow the search.")
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):
            return _failed(0, "Tripbook cannot be reached", "Check that it runs and that the address is right.")


@cache
def _ssl_context() -> ssl.SSLContext:
    """Made once: it costs more than a request."""
    return httpx.create_ssl_context(trust_env=False)


async def _take(response: httpx.Response, limit: int) -> bytes | None:
    """The whole body; None where it is larger than `limit`."""
    taken = bytearray()
    async for chunk in response.aiter_bytes():
        taken += chunk
        if len(taken) > limit:
            return None
    return bytes(taken)


def _read(status: int, content: bytes | None) -> Answer:
    if content is None:
        return _failed(NO_GATEWAY, "Answer too large", "It is larger than any of Tripbook's; check the address.")
    body = _json_object(content)
    if status == 200:
        if body is None:
            return _failed(NO_GATEWAY, "Not Tripbook's answer", "It is no JSON object; check the address.")
        return Answer(status, compact(body), body)
    if 300 <= status < 400:
        return _failed(status, "Tripbook redirects", "Use the address it redirects to; redirects are not followed.")
    if body is None or not isinstance(body.get("title"), str) or not isinstance(body.get("detail"), str):
        return _failed(status, f"HTTP {status}", "The answer is not Tripbook's own; check the address and proxies.")
    return Answer(status, problem_text(body), body)


def _json_object(content: bytes) -> Mapping[str, Any] | None:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def problem_text(body: Mapping[str, Any]) -> str:
    """`title: detail`, and what the next call needs that the sentence does not say."""
    text = f"{body['title']}: {body['detail']}"
    more = {name: body[name] for name in NEXT_STEP_FIELDS if body.get(name) and not _is_said(body[name], text)}
    extra = compact(more) if more else ""
    return f"{text} {extra}" if extra and len(text) + len(extra) < MAX_TEXT else text[:MAX_TEXT]


def _is_said(value: object, text: str) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and item in text for item in value)


def _failed(status: int, title: str, detail: str) -> Answer:
    return Answer(status, f"{title}: {detail}", {})


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def clean_url(url: str) -> str:
    """The base address without a trailing slash. Raises ValueError for anything but http(s)://host[:port][/path]."""
    base = url.strip().rstrip("/")
    parts = urlsplit(base)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or "@" in base:
        raise ValueError("Tripbook's address must look like http://host:8000")
    return base


def clean_token(token: str) -> str:
    """Raises ValueError for what can be in no header; the message does not repeat it."""
    stripped = token.strip()
    if not stripped.isascii() or not stripped.isprintable() or " " in stripped:
        raise ValueError("Tripbook's token has characters that no token has")
    return stripped

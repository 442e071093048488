"""Requests to one Immich server. One private `_request` knows headers, time limits, statuses and content types.

Only the allowlist below can be sent; nothing in it deletes, removes, shares or edits. Reads (searches are POST
reads) are repeated; `POST albums` never is; adding assets is repeated only by the confirm, which reads its
per-id answers.
"""

from __future__ import annotations

import asyncio
import math
import re
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeVar

import httpx
import msgspec
from msgspec.structs import replace

from service.errors import ImmichBadAnswer, ImmichError, ImmichTimeout, ImmichUnreachable
from service.immich.errors import NO_JSON, WEB_PAGE, error_of, slow_model
from service.immich.wire import (
    ImmichAddResult,
    ImmichAlbum,
    ImmichApiKey,
    ImmichPeoplePage,
    ImmichSearchAnswer,
    ImmichStatistics,
    ImmichVersion,
    decode,
)
from service.logs import Scrubber
from service.settings import Settings

T = TypeVar("T")
REASON = re.compile(r"[a-z_]{1,40}")
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
ALLOWED: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (method, re.compile(pattern))
    for method, pattern in (
        ("GET", r"server/version"),
        ("GET", r"albums"),
        ("GET", rf"albums/{UUID}"),
        ("GET", r"search/suggestions"),
        ("GET", r"search/person"),
        ("GET", r"people"),
        ("GET", r"api-keys/me"),
        ("POST", r"search/metadata"),
        ("POST", r"search/smart"),
        ("POST", r"search/statistics"),
        ("POST", r"albums"),
        ("PUT", rf"albums/{UUID}/assets"),
    )
)
KEEPALIVE_SECONDS = 4.0  # Immich closes idle connections after 5 s
CONNECT_SECONDS = 5.0
MAX_WRITE_SECONDS = 30.0  # a write's lease is 120 s
READ_TRIES = 3
RETRY_STATUSES = frozenset({429, 502, 503, 504})
BACKOFF_SECONDS = 0.2
MAX_RETRY_AFTER_SECONDS = 10.0


class RequestNotAllowed(Exception):
    """The code tried to send something that is not on the allowlist. A bug here, never an answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A 2xx answer with JSON in it."""

    status: int
    body: bytes


def check_allowed(method: str, path: str) -> None:
    """Raises RequestNotAllowed unless exactly this method and path are on the allowlist."""
    if not any(method == allowed and pattern.fullmatch(path) for allowed, pattern in ALLOWED):
        raise RequestNotAllowed(f"{method} {path} is not on the allowlist")


class ImmichClient:
    """Immich's routes as methods, each one request. Raises ImmichError subclasses; never an empty stand-in."""

    def __init__(
        self,
        settings: Settings,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._sleep = sleep
        self._write_seconds = min(MAX_WRITE_SECONDS, settings.immich_timeout)
        self._scrubber = Scrubber(settings.secrets)
        self._base_path = httpx.URL(settings.immich_url).path.rstrip("/") + "/api/"
        self._http = httpx.AsyncClient(
            base_url=settings.immich_url + "/api/",
            headers={"x-api-key": settings.immich_api_key.get_secret_value(), "accept": "application/json"},
            timeout=httpx.Timeout(settings.immich_timeout, connect=min(CONNECT_SECONDS, settings.immich_timeout)),
            limits=httpx.Limits(
                max_connections=settings.immich_concurrency * 8,
                max_keepalive_connections=settings.immich_concurrency * 2,
                keepalive_expiry=KEEPALIVE_SECONDS,
            ),
            # A session cookie would beat the API key: no cookie is ever kept.
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
            follow_redirects=False,
            trust_env=False,
            verify=_tls_context(settings) if transport is None else True,
            transport=transport,
        )

    async def close(self) -> None:
        await self._http.aclose()

    async def fetch_version(self) -> tuple[int, int, int]:
        version = _decode(ImmichVersion, await self._read("GET", "server/version"))
        return version.major, version.minor, version.patch

    async def fetch_permissions(self) -> list[str]:
        return _decode(ImmichApiKey, await self._read("GET", "api-keys/me")).permissions

    async def fetch_albums(self, **params: str) -> list[ImmichAlbum]:
        return _decode(list[ImmichAlbum], await self._read("GET", "albums", params=params))

    async def fetch_album(self, album_id: str, *, with_assets: bool | None = None) -> ImmichAlbum:
        """One album. `with_assets` is for 2.x only; since 3.0 assets never come and nothing is asked."""
        params = {} if with_assets is None else {"withoutAssets": "false" if with_assets else "true"}
        return _decode(ImmichAlbum, await self._read("GET", f"albums/{album_id}", params=params))

    async def fetch_suggestions(self, kind: str, **narrow: str) -> list[str]:
        found = _decode(list[str | None], await self._read("GET", "search/suggestions", params={"type": kind} | narrow))
        return [name for name in found if name]

    async def fetch_people(self, page: int) -> ImmichPeoplePage:
        params = {"page": str(page), "size": "1000", "withHidden": "false"}
        return _decode(ImmichPeoplePage, await self._read("GET", "people", params=params))

    async def fetch_statistics(self, body: dict[str, Any]) -> int:
        total = _decode(ImmichStatistics, await self._read("POST", "search/statistics", body=body)).total
        if total < 0:
            raise ImmichBadAnswer("Immich counted less than nothing; look at Immich's own log.")
        return total

    async def fetch_asset_page(self, body: dict[str, Any]) -> ImmichSearchAnswer:
        return _decode(ImmichSearchAnswer, await self._read("POST", "search/metadata", body=body))

    async def fetch_smart_page(self, body: dict[str, Any]) -> ImmichSearchAnswer:
        try:
            answer = await self._read("POST", "search/smart", body=body)
        except ImmichTimeout as error:
            raise slow_model(error) from None
        return _decode(ImmichSearchAnswer, answer)

    async def create_album(self, name: str, description: str) -> ImmichAlbum:
        """Creates an empty album. Sent once; an error leaves open whether the album exists."""
        body = {"albumName": name, "description": description} if description else {"albumName": name}
        album = _decode(ImmichAlbum, await self._write("POST", "albums", body))
        if not re.fullmatch(UUID, album.id.lower()):
            raise ImmichBadAnswer("Immich answered a create without a usable album id; look at the albums in Immich.")
        return album

    async def add_assets(self, album_id: str, asset_ids: Sequence[str]) -> list[ImmichAddResult]:
        """One row per id, in order. Raises ImmichBadAnswer if the rows are not those of the ids."""
        answer = await self._write("PUT", f"albums/{album_id}/assets", {"ids": list(asset_ids)})
        rows = _decode(list[ImmichAddResult], answer)
        if [row.id.lower() for row in rows] != list(asset_ids):
            raise ImmichBadAnswer("Immich answered an add with rows for other photos; look at the album in Immich.")
        return [replace(row, error=self._reason(row.error)) for row in rows]

    def _reason(self, said: str | None) -> str | None:
        """Immich's reasons are single words; what is none goes into no receipt."""
        return said if said is None or REASON.fullmatch(self._scrubber.scrub(said)) else "unknown"

    async def _read(
        self, method: str, path: str, *, params: dict[str, str] | None = None, body: dict[str, Any] | None = None
    ) -> Answer:
        """A request that changes nothing, repeated on failures that pass by themselves."""
        for attempt in range(1, READ_TRIES + 1):
            try:
                response = await self._request(method, path, params=params, body=body)
            except (httpx.TransportError, httpx.DecodingError) as error:
                if attempt == READ_TRIES or not _may_pass(error):
                    raise _transport_error(error) from error
                await self._sleep(BACKOFF_SECONDS * 2 ** (attempt - 1))
                continue
            seconds = _wait_seconds(response, attempt)
            if response.status_code in RETRY_STATUSES and attempt < READ_TRIES and seconds <= MAX_RETRY_AFTER_SECONDS:
                await self._sleep(seconds)
                continue
            return self._check(response, path)
        raise AssertionError("unreachable")

    async def _write(self, method: str, path: str, body: dict[str, Any]) -> Answer:
        """A request that changes something, sent exactly once."""
        try:
            async with asyncio.timeout(self._write_seconds):
                response = await self._request(method, path, body=body, seconds=self._write_seconds)
        except TimeoutError:
            raise ImmichTimeout("Immich took too long to answer a write; the album tells what was done.") from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise _transport_error(error) from error
        return self._check(response, path)

    async def _request(
        self,
        method: str,
        path: str,
        *,
        params: dict[str, str] | None = None,
        body: dict[str, Any] | None = None,
        seconds: float | None = None,
    ) -> httpx.Response:
        """The one place that sends. Refuses anything but the allowlist before a connection is opened."""
        check_allowed(method, path)
        request = self._http.build_request(
            method,
            path,
            params=params or None,
            content=None if body is None else msgspec.json.encode(body),
            headers={} if body is None else {"content-type": "application/json"},
            timeout=httpx.USE_CLIENT_DEFAULT if seconds is None else httpx.Timeout(seconds, connect=CONNECT_SECONDS),
        )
        if request.url.path != self._base_path + path:
            raise RequestNotAllowed(f"{method} {path} normalises to another path")
        return await self._http.send(request)

    def _check(self, response: httpx.Response, path: str) -> Answer:
        """The answer, if it is one. What Immich says in an error is scrubbed here, where it comes in."""
        if not response.is_success:
            status = response.status_code
            said = self._scrubber.hide_values(response.content.decode(errors="replace")).encode()
            refused = error_of(status, said, path, response.headers.get("location", ""))
            refused.detail = self._scrubber.scrub(refused.detail)
            refused.status = status
            if status in RETRY_STATUSES and (seconds := _retry_after(response)):
                refused.extra["retry_after"] = seconds
            refused.not_applied = 300 <= status < 500 and status != 408
            raise refused
        content_type = response.headers.get("content-type", "").lower()
        if "json" not in content_type:
            raise ImmichBadAnswer(WEB_PAGE if "html" in content_type else NO_JSON)
        return Answer(response.status_code, response.content)


def _tls_context(settings: Settings) -> ssl.SSLContext:
    cafile = str(settings.immich_ca_file) if settings.immich_ca_file else None
    return ssl.create_default_context(cafile=cafile)


def _may_pass(error: httpx.HTTPError) -> bool:
    """Connection trouble may pass; an answer that took too long is not asked for again, nor is a refused TLS."""
    if isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout | httpx.DecodingError | httpx.UnsupportedProtocol):
        return False
    return "CERTIFICATE_VERIFY_FAILED" not in str(error)


def _transport_error(error: httpx.HTTPError) -> ImmichError:
    translated = _translate(error)
    # Without a connection nothing was sent; with one, a write may have been applied.
    translated.not_applied = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    return translated


def _translate(error: httpx.HTTPError) -> ImmichError:
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return ImmichUnreachable("Immich does not answer at IMMICH_URL; is it running, and is the address right?")
    if isinstance(error, httpx.TimeoutException):
        return ImmichTimeout("Immich took too long to answer; narrow the dates or places, or try again later.")
    if "Hostname mismatch" in str(error) or "IP address mismatch" in str(error):
        return ImmichUnreachable("Immich's certificate is for another name; set IMMICH_URL to a name that is in it.")
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return ImmichUnreachable(
            "Immich's certificate is not trusted; set IMMICH_CA_FILE to the PEM file of the authority that signed it."
        )
    if isinstance(error, httpx.ConnectError | httpx.UnsupportedProtocol):
        return ImmichUnreachable("Immich cannot be reached at IMMICH_URL; is it running, and is the address right?")
    if isinstance(error, httpx.DecodingError):
        return ImmichBadAnswer("Immich's answer was damaged on the way (bad compression); check the proxy before it.")
    return ImmichUnreachable("Immich closed the connection before its answer was complete; try again.")


def _wait_seconds(response: httpx.Response, attempt: int) -> float:
    """What `Retry-After` asks for, else a growing pause. Waiting less than asked gets a client banned."""
    asked = _retry_after(response)
    return BACKOFF_SECONDS * 2.0 ** (attempt - 1) if asked is None else asked


def _retry_after(response: httpx.Response) -> int | None:
    """Seconds from `Retry-After`, which is a number or a date; None if it is neither."""
    text = response.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(int(text), 86_400)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return min(max(math.ceil(moment.timestamp() - time.time()), 0), 86_400)


def _decode(kind: type[T], answer: Answer) -> T:
    try:
        return decode(kind, answer.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ImmichBadAnswer(
            "Immich's answer is broken or not what its API promises; check the proxy before it and Immich's version."
        ) from error

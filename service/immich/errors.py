"""Immich's statuses and broken answers, as our errors. One table; `tests/immich/test_client.py` walks through it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import msgspec

from service.domain.names import clean, quote, shorten
from service.errors import (
    ImmichError,
    ImmichMaintenance,
    ImmichMissingPermission,
    ImmichRedirects,
    ImmichRefusedKey,
    ImmichRejected,
    ImmichTimeout,
    ImmichUnreachable,
    SmartSearchUnavailable,
)

MAX_MESSAGE = 160
_PERMISSION = re.compile(r"Missing required permission: ([A-Za-z.]+)")
WEB_PAGE = (
    "Immich's address answered with a web page instead of data; check IMMICH_URL and whether a login portal or "
    "proxy stands in front of Immich."
)

NO_JSON = "Immich answered with something that is not JSON; check IMMICH_URL."


def read_message(body: bytes) -> str:
    """Immich's own short text of an error answer; empty if there is none."""
    try:
        decoded = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    message = decoded.get("message", "") if isinstance(decoded, dict) else ""
    if isinstance(message, list):
        message = "; ".join(str(part) for part in message)
    return shorten(clean(str(message)), MAX_MESSAGE)


def error_of(status: int, body: bytes, path: str, location: str = "") -> ImmichError:
    """The error for an answer that is not 2xx. `path` is ours, without query; `location` a redirect's target."""
    message = read_message(body)
    if 300 <= status < 400:
        return ImmichRedirects(_redirect_text(location))
    if status == 401:
        return _unauthorized(message)
    if status == 403:
        return _forbidden(message)
    if path == "search/smart" and (smart := _smart_search(status, message)):
        return smart
    if status == 503 and "maintenance" in message.lower():
        return ImmichMaintenance("Immich is in maintenance mode; try again when it is back.")
    if status == 504:
        return ImmichTimeout("A proxy in front of Immich gave up waiting (504); narrow the dates or places.")
    if status in (429, 502, 503):
        return _busy(status)
    said = f" Immich says: {quote(message, MAX_MESSAGE)}." if message else ""
    return ImmichRejected(f"Immich answered {status} to {path}.{said} Look at Immich's own log.", message=message)


def _redirect_text(location: str) -> str:
    parts = urlsplit(location)
    if not parts.hostname:
        return "Immich's address redirects elsewhere; set IMMICH_URL to the address it really answers at."
    port = f":{parts.port}" if parts.port else ""
    return f"Immich redirects to {parts.scheme}://{clean(parts.hostname)}{port}; set IMMICH_URL to that address."


def _unauthorized(message: str) -> ImmichError:
    if "elevated permission" in message.lower():
        return ImmichMissingPermission("Immich does not show the locked folder to API keys; the key itself is fine.")
    return ImmichRefusedKey(
        "Immich refused the service's API key; make a new key in Immich and set IMMICH_API_KEY.",
    )


def _forbidden(message: str) -> ImmichError:
    found = _PERMISSION.search(message)
    if found is None:
        return ImmichMissingPermission("Immich says the service's API key may not do this; check its permissions.")
    name = found.group(1).rstrip(".")
    return ImmichMissingPermission(
        f"The service's Immich API key lacks the permission {name}; add it to the key in Immich.", permission=name
    )


def _smart_search(status: int, message: str) -> ImmichError | None:
    if status == 400 and "not enabled" in message.lower():
        return SmartSearchUnavailable(
            "Search by content is switched off in Immich; trying again will not help. Search by date, place or "
            "person instead."
        )
    if status == 500:
        return SmartSearchUnavailable(
            "Immich's machine learning does not answer right now; search by date, place or person, or try later."
        )
    return None


def slow_model(error: ImmichTimeout) -> ImmichTimeout:
    """A content search that took too long: after a pause Immich loads its model anew, which the next one need not."""
    slow = ImmichTimeout("Immich may still be loading its model for search by content; try again in a minute.")
    slow.status, slow.extra = error.status, error.extra
    return slow


def _busy(status: int) -> ImmichError:
    if status == 429:
        return ImmichUnreachable("Immich, or a proxy before it, asks us to slow down (429); try again in a minute.")
    return ImmichUnreachable(f"The proxy in front of Immich says that Immich is not there ({status}); is it running?")

"""The one private request function: what it refuses to send, what it sends, and what it makes of answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from service import errors
from service.immich.client import ImmichClient, RequestNotAllowed, check_allowed
from service.settings import load_settings

ALBUM = "1111aaaa-1111-4111-8111-11111111bbbb"
KEY = "k3y-SECRET-9"
Handler = Callable[[httpx.Request], httpx.Response]


def make_client(handler: Handler, **settings: Any) -> tuple[ImmichClient, list[float]]:
    """A client whose far side is `handler`; also the pauses it would have made."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    values = {"immich_url": "http://immich.test:2283", "immich_api_key": KEY} | settings
    return ImmichClient(load_settings(**values), transport=httpx.MockTransport(handler), sleep=sleep), pauses


def answering(*answers: httpx.Response | Exception) -> tuple[Handler, list[httpx.Request]]:
    """A handler that gives these answers one after another, and the requests it saw."""
    left, seen = list(answers), []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return handle, seen


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("DELETE", "albums"),
        ("DELETE", f"albums/{ALBUM}"),
        ("DELETE", f"albums/{ALBUM}/assets"),
        ("PATCH", f"albums/{ALBUM}"),
        ("PUT", f"albums/{ALBUM}"),
        ("PUT", f"albums/{ALBUM}/users"),
        ("POST", "trash/empty"),
        ("POST", "trash/restore"),
        ("PUT", "assets"),
        ("DELETE", "assets"),
        ("GET", "assets"),
        ("POST", "shared-links"),
        ("GET", "users/me"),
        ("GET", "albums/"),
        ("GET", "albums/../users/me"),
        ("GET", f"albums/{ALBUM.upper()}"),
        ("PUT", f"albums/{ALBUM}/assets/"),
        ("PUT", f"albums/{ALBUM}/assets?x=1"),
        ("POST", "search/metadata\n"),
        ("get", "albums"),
        ("POST", "search/random"),
    ],
)
async def test_nothing_but_the_allowlist_can_be_sent(method: str, path: str) -> None:
    handler, seen = answering(httpx.Response(200, json={}))
    client, _ = make_client(handler)
    with pytest.raises(RequestNotAllowed):
        check_allowed(method, path)
    with pytest.raises(RequestNotAllowed):
        await client._request(method, path)
    assert seen == []
    await client.close()


async def test_the_request_carries_the_key_and_no_cookie_ever() -> None:
    handler, seen = answering(httpx.Response(200, json=[], headers={"set-cookie": "immich_access_token=x; Path=/"}))
    client, _ = make_client(handler)
    await client.fetch_albums()
    await client.fetch_albums()
    assert [request.headers["x-api-key"] for request in seen] == [KEY, KEY]
    assert all("cookie" not in request.headers for request in seen)
    assert "gzip" in seen[0].headers["accept-encoding"]
    await client.close()


async def test_bodies_are_json_and_say_so() -> None:
    handler, seen = answering(httpx.Response(200, json={"total": 7}))
    client, _ = make_client(handler)
    assert await client.fetch_statistics({"visibility": "timeline"}) == 7
    assert seen[0].headers["content-type"] == "application/json"
    await client.close()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h:2283", "http://h:2283/api/albums"),
        ("http://h:2283/", "http://h:2283/api/albums"),
        ("http://h:2283/api", "http://h:2283/api/albums"),
        ("http://h:2283/api/", "http://h:2283/api/albums"),
        (" http://h:2283/api ", "http://h:2283/api/albums"),
        ("https://h/photos/api", "https://h/photos/api/albums"),
        ("https://h/photos", "https://h/photos/api/albums"),
    ],
)
async def test_the_address_is_forgiving(url: str, expected: str) -> None:
    handler, seen = answering(httpx.Response(200, json=[]))
    client, _ = make_client(handler, immich_url=url)
    await client.fetch_albums()
    assert str(seen[0].url) == expected
    await client.close()


async def test_redirects_are_not_followed_and_named() -> None:
    handler, seen = answering(httpx.Response(301, headers={"location": "https://photos.example/api/albums?x=1"}))
    client, _ = make_client(handler)
    with pytest.raises(errors.ImmichRedirects, match=r"redirects to https://photos\.example; set IMMICH_URL"):
        await client.fetch_albums()
    assert len(seen) == 1
    await client.close()


async def test_a_web_page_is_no_answer() -> None:
    page = httpx.Response(200, html="<!DOCTYPE html><title>Sign in</title>")
    client, _ = make_client(answering(page)[0])
    with pytest.raises(errors.ImmichBadAnswer, match="web page") as caught:
        await client.fetch_albums()
    assert "Sign in" not in caught.value.detail
    await client.close()


@pytest.mark.parametrize("body", [b'{"assets":', b"[]", b'{"assets":{"items":[{"id":5}]}}', b"\xff\xfe", b"NaN"])
async def test_broken_json_is_no_answer(body: bytes) -> None:
    answer = httpx.Response(200, content=body, headers={"content-type": "application/json"})
    client, _ = make_client(answering(answer)[0])
    with pytest.raises(errors.ImmichBadAnswer):
        await client.fetch_asset_page({})
    await client.close()


STATUSES: list[tuple[int, object, type[errors.ImmichError]]] = [
    (301, None, errors.ImmichRedirects),
    (400, {"message": "Validation failed"}, errors.ImmichRejected),
    (401, {"message": "Invalid API key"}, errors.ImmichRefusedKey),
    (401, {"message": "Elevated permission is required"}, errors.ImmichMissingPermission),
    (403, {"message": "Missing required permission: asset.statistics"}, errors.ImmichMissingPermission),
    (403, {"message": "Forbidden"}, errors.ImmichMissingPermission),
    (404, {"message": "Cannot POST /api/search/metadata"}, errors.ImmichRejected),
    (409, {}, errors.ImmichRejected),
    (413, None, errors.ImmichRejected),
    (418, {"message": ["a", "b"]}, errors.ImmichRejected),
    (429, None, errors.ImmichUnreachable),
    (500, {"message": "Internal server error"}, errors.ImmichRejected),
    (502, None, errors.ImmichUnreachable),
    (503, None, errors.ImmichUnreachable),
    (503, {"message": "Immich is in maintenance mode"}, errors.ImmichMaintenance),
    (504, None, errors.ImmichTimeout),
]


@pytest.mark.parametrize(("status", "body", "expected"), STATUSES)
async def test_every_status_has_its_error(status: int, body: object, expected: type[errors.ImmichError]) -> None:
    answer = httpx.Response(status, html="<h1>no</h1>") if body is None else httpx.Response(status, json=body)
    client, _ = make_client(answering(answer)[0])
    with pytest.raises(errors.ImmichError) as caught:
        await client.fetch_asset_page({})
    assert type(caught.value) is expected
    assert caught.value.status == status
    assert KEY not in caught.value.detail
    assert "<" not in caught.value.detail
    await client.close()


async def test_the_missing_permission_is_named() -> None:
    answer = httpx.Response(403, json={"message": "Missing required permission: asset.statistics"})
    client, _ = make_client(answering(answer)[0])
    with pytest.raises(errors.ImmichMissingPermission, match=r"asset\.statistics") as caught:
        await client.fetch_statistics({})
    assert caught.value.extra == {"permission": "asset.statistics"}
    await client.close()


@pytest.mark.parametrize(
    ("status", "message", "said"),
    [
        (500, "Failed to search smart", "machine learning"),
        (500, "Internal server error", "machine learning"),
        (400, "Smart search is not enabled", "switched off"),
    ],
)
async def test_smart_search_down_and_off_are_told_apart(status: int, message: str, said: str) -> None:
    client, _ = make_client(answering(httpx.Response(status, json={"message": message}))[0])
    with pytest.raises(errors.SmartSearchUnavailable, match=said):
        await client.fetch_smart_page({})
    await client.close()


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_reads_are_repeated_twice(status: int) -> None:
    handler, seen = answering(httpx.Response(status), httpx.Response(status), httpx.Response(200, json=[]))
    client, pauses = make_client(handler)
    assert await client.fetch_albums() == []
    assert len(seen) == 3
    assert len(pauses) == 2
    await client.close()


async def test_retry_after_is_kept() -> None:
    handler, _ = answering(httpx.Response(429, headers={"retry-after": "2"}), httpx.Response(200, json=[]))
    client, pauses = make_client(handler)
    await client.fetch_albums()
    assert pauses == [2.0]
    await client.close()


async def test_reads_survive_a_dropped_connection() -> None:
    handler, seen = answering(httpx.RemoteProtocolError("gone"), httpx.ConnectError("no"), httpx.Response(200, json=[]))
    client, _ = make_client(handler)
    assert await client.fetch_albums() == []
    assert len(seen) == 3
    await client.close()


@pytest.mark.parametrize(
    ("error", "expected", "not_applied"),
    [
        (httpx.ConnectError("refused"), errors.ImmichUnreachable, True),
        (httpx.ConnectTimeout("slow"), errors.ImmichUnreachable, True),
        (httpx.ReadTimeout("slow"), errors.ImmichTimeout, False),
        (httpx.RemoteProtocolError("gone"), errors.ImmichUnreachable, False),
        (httpx.ReadError("reset"), errors.ImmichUnreachable, False),
        (httpx.DecodingError("gzip"), errors.ImmichBadAnswer, False),
    ],
)
async def test_a_create_is_sent_exactly_once(
    error: Exception, expected: type[errors.ImmichError], not_applied: bool
) -> None:
    handler, seen = answering(error)
    client, _ = make_client(handler)
    with pytest.raises(expected) as caught:
        await client.create_album("Maine", "")
    assert len(seen) == 1
    assert caught.value.not_applied is not_applied
    await client.close()


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_a_failing_create_is_not_repeated(status: int) -> None:
    handler, seen = answering(httpx.Response(status), httpx.Response(201, json={"id": ALBUM, "albumName": "Maine"}))
    client, _ = make_client(handler)
    with pytest.raises(errors.ImmichError):
        await client.create_album("Maine", "")
    assert len(seen) == 1
    await client.close()


async def test_an_untrusted_certificate_names_the_setting() -> None:
    error = httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed")
    handler, seen = answering(error)
    client, _ = make_client(handler)
    with pytest.raises(errors.ImmichUnreachable, match="IMMICH_CA_FILE"):
        await client.fetch_albums()
    assert len(seen) == 1
    await client.close()


async def test_rows_of_other_photos_are_no_answer_to_an_add() -> None:
    rows = [{"id": ALBUM, "success": True}]
    client, _ = make_client(answering(httpx.Response(200, json=rows))[0])
    with pytest.raises(errors.ImmichBadAnswer):
        await client.add_assets(ALBUM, ["22222222-2222-4222-8222-222222222222"])
    await client.close()


async def test_idle_connections_are_dropped_before_immich_does() -> None:
    """Immich closes them after five seconds."""
    client = ImmichClient(load_settings(immich_url="http://immich.test", immich_api_key=KEY))
    pool = client._http._transport._pool  # type: ignore[attr-defined]
    assert pool._keepalive_expiry == 4.0
    await client.close()

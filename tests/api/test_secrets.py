"""No key and no token is ever in a log, an answer or a page, whatever goes wrong."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from service.demo.faults import Action, FaultRule, half_json, html, raw, redirect, reset, status
from service.demo.library import Library
from service.demo.lookalike import KeySpec
from service.logs import configure_logging
from tests.harness import PATHS, tripbook

KEY = "k3y-SECRET-9"
SIGNING = "signing-SECRET-key-of-32-letters"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything logged at debug level, ours and the libraries'."""
    root = logging.getLogger()
    handlers, level, before = root.handlers, root.level, structlog.get_config()
    configure_logging("json", [KEY, SIGNING], level=logging.DEBUG)
    stream = io.StringIO()
    for handler in root.handlers:
        assert isinstance(handler, logging.StreamHandler)
        handler.setStream(stream)
    for name in ("httpx", "httpcore", "aiosqlite"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    yield stream
    root.handlers, root.level = handlers, level
    structlog.configure(**before)


STATUSES = (400, 401, 403, 404, 409, 429, 500, 502, 503, 504)
FAULTS: list[Action] = [
    *(status(code, {"message": f"refused {KEY} {SIGNING}"}) for code in STATUSES),
    html(),
    half_json(),
    redirect(f"https://photos.example/?key={KEY}"),
    reset(),
    raw(f'{{"message": "{KEY}"'),
]


async def test_every_error_class_hides_them(log: io.StringIO) -> None:
    library = Library()
    library.add_asset(local="2026-08-02T10:00", file_name=f"{KEY}.jpg\n\u001b[2K{{}}")
    keys = {KEY: KeySpec("secret")}
    seen: list[str] = []
    async with tripbook(library, keys=keys, immich_api_key=KEY, secret_key=SIGNING) as box:
        box.tripbook.library.client._sleep = _no_sleep
        preview = await box.call("preview_album", album_name="X", taken_after="2026-08-02")
        for fault in FAULTS:
            box.immich.faults.rules = [FaultRule(fault)]
            for operation in PATHS:
                body = {
                    "find_albums": {"query": "x"},
                    "search_photos": {"taken_after": "2026-08-01"},
                    "smart_search": {"query": "x"},
                    "album_gaps": {"album_id": "1111aaaa-1111-4111-8111-11111111bbbb"},
                    "preview_album": {"album_name": "Y", "taken_after": "2026-08-02"},
                    "create_album": {
                        "preview_token": preview["preview_token"], "expected_count": 1, "album_name": "X",
                    },
                    "add_to_album": {
                        "preview_token": preview["preview_token"], "expected_new_count": 1, "album_name": "X",
                    },
                }[operation]  # fmt: skip
                seen.append((await box.post(operation, body)).text)
            seen.append((await box.get("/readyz")).text)
        box.immich.faults.rules = []
        box.tripbook.library.list_albums = _broken  # type: ignore[method-assign]
        seen.append((await box.post("find_albums")).text)
        for path in ("/docs", "/openapi.json", "/openapi-full.json", "/healthz", "/nowhere"):
            seen.append((await box.http.get(path)).text)
        seen.append((await box.http.post(PATHS["find_albums"], headers={"authorization": f"Bearer {KEY}"})).text)
        tokens = [*box.tokens.values(), preview["preview_token"]]
    everything = "\n".join(seen) + log.getvalue()
    # The one place where such text may appear is a file name of the caller's own library.
    for secret in (KEY, SIGNING, *tokens):
        assert secret not in everything.replace(f"{KEY}.jpg", "")
    lines = log.getvalue().splitlines()
    assert len(lines) > 50
    assert all(isinstance(json.loads(line), dict) for line in lines)
    assert any("request_id" in json.loads(line) for line in lines)


async def _no_sleep(_seconds: float) -> None:
    return None


async def _broken() -> None:
    raise RuntimeError(f"went wrong with {KEY}")

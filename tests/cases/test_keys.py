"""The API key of Immich: what it lacks is named, what it is stays secret."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest
import structlog

from service.demo import faults
from service.demo.lookalike import DEMO_KEY, PERMISSIONS, KeySpec
from service.logs import configure_logging
from service.settings import SettingsError, load_settings
from tests.cases.libraries import library, shoot
from tests.harness import tripbook

DAY = {"taken_after": "2025-08-04", "taken_before": "2025-08-04"}
KEY = "k3y-SECRET-9"


@pytest.mark.parametrize(
    ("permission", "operation"),
    [
        ("asset.statistics", "search_photos"),
        ("asset.read", "search_photos"),
        ("album.read", "find_albums"),
        ("person.read", "search_photos"),
        ("album.create", "create_album"),
        ("albumAsset.create", "create_album"),
    ],
)
async def test_key_01_a_missing_permission_is_named(permission: str, operation: str) -> None:
    made = library()
    shoot(made, "2025-08-04", 1)
    made.add_person("Ana")
    keys = {DEMO_KEY: KeySpec("demo", PERMISSIONS - {permission})}
    fields = {"find_albums": {}, "search_photos": DAY | {"person": "Ana"}}.get(operation, {})
    async with tripbook(made, keys=keys) as box:
        if operation == "create_album":
            preview = await box.call("preview_album", album_name="New", **DAY)
            fields = {"preview_token": preview["preview_token"], "expected_count": 1, "album_name": "New"}
        problem = await box.problem(operation, **fields)
        assert (problem["status"], problem["code"]) == (502, "immich_missing_permission")
        assert permission in problem["detail"]
        ready = await box.get("/readyz")
        assert ready.status_code == 503
        assert ready.json()["missing_permissions"] == [permission]
        assert box.writes == []


@pytest.mark.parametrize("message", ["Invalid API key", "Authentication required"])
async def test_key_03_a_revoked_key_is_immichs_refusal_not_the_callers(message: str) -> None:
    async with tripbook(library()) as box:
        box.immich.faults.add(faults.status(401, {"message": message}))
        problem = await box.problem("search_photos", **DAY)
        assert (problem["status"], problem["code"]) == (502, "immich_refused_key")
        assert "set IMMICH_API_KEY" in problem["detail"]
        assert DEMO_KEY not in str(problem)
        assert (await box.get("/readyz")).json()["immich"] == "immich_refused_key"


@pytest.mark.parametrize("key", [None, "", "  ", '"abc"', "'abc'", "undefined key"])
def test_key_04_an_empty_or_quoted_key_stops_the_start(key: str | None) -> None:
    given = {} if key is None else {"immich_api_key": key}
    with pytest.raises(SettingsError, match="IMMICH_API_KEY") as refused:
        load_settings(immich_url="http://h:2283", **given)
    assert "abc" not in str(refused.value)


async def test_key_04_a_newline_behind_the_key_is_forgiven() -> None:
    async with tripbook(library(), immich_api_key=f"{DEMO_KEY}\n") as box:
        assert (await box.get("/readyz")).json()["ready"] is True


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything logged at debug level, ours and the libraries'."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    configure_logging("text", [KEY], level=logging.DEBUG)
    stream = io.StringIO()
    for handler in root.handlers:
        assert isinstance(handler, logging.StreamHandler)
        handler.setStream(stream)
    yield stream
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


async def test_key_05_the_key_is_nowhere_to_be_read(log: io.StringIO) -> None:
    """Every other class of error: tests/api/test_secrets.py."""
    made = library()
    shoot(made, "2025-08-04", 1, file_name=f"{KEY}\n\u001b[2Kforged line.jpg")
    async with tripbook(made, keys={KEY: KeySpec("secret")}, immich_api_key=KEY) as box:
        box.immich.faults.add(faults.status(500, {"message": f"key {KEY}\n\u001b[31m"}), path="metadata$", times=1)
        problem = await box.problem("search_photos", **DAY)
        logging.getLogger("somebody.else").error("key %s and token %s", KEY, box.tokens["writer"])
        page = (await box.http.get("/docs")).text + (await box.http.get("/openapi-full.json")).text
        assert all("SECRET" not in text for text in (str(problem), page, log.getvalue()))
        assert box.tokens["writer"] not in log.getvalue()
        assert "\u001b" not in log.getvalue()
        assert log.getvalue().count("[secret]") >= 2

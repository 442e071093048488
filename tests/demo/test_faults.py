"""Faults of the look-alike over a real socket, and its control as a process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.demo import faults
from service.demo.library import Library
from service.demo.server import RunningLookAlike, running_lookalike


@pytest.fixture
async def running() -> AsyncIterator[RunningLookAlike]:
    library = Library()
    for _ in range(30):
        library.add_asset()
    async with running_lookalike(library) as running:
        yield running


@pytest.fixture
async def http(running: RunningLookAlike) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"x-api-key": running.api_key}
    async with httpx.AsyncClient(base_url=f"{running.url}/api", headers=headers, timeout=5) as client:
        yield client


def search(http: httpx.AsyncClient, **body: Any) -> Any:
    return http.post("search/metadata", json={"size": 10, **body})


async def test_reset_closes_the_connection_without_an_answer(
    running: RunningLookAlike, http: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    running.immich.faults.add(faults.reset(), path="albums$", times=1)
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        await http.post("albums", json={"albumName": "X"})
    assert running.immich.library.albums == {}
    assert (await http.post("albums", json={"albumName": "X"})).status_code == 201
    assert caplog.records == [], "uvicorn complains"


async def test_a_lost_answer_was_carried_out(running: RunningLookAlike, http: httpx.AsyncClient) -> None:
    running.immich.faults.add(faults.apply_then_reset(), method="POST", path="albums$")
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        await http.post("albums", json={"albumName": "X"})
    assert [album.name for album in running.immich.library.albums.values()] == ["X"]
    [write] = running.immich.journal.writes()
    assert (write.applied, write.status, write.fault) == (True, 201, "apply_then_reset")


async def test_only_the_nth_request_or_the_given_page_is_spoiled(
    running: RunningLookAlike, http: httpx.AsyncClient
) -> None:
    running.immich.faults.add(faults.status(503, headers={"Retry-After": "1"}), path="albums$", nth=2)
    answers = [await http.get("albums") for _ in range(3)]
    assert [a.status_code for a in answers] == [200, 503, 200]
    assert answers[1].headers["retry-after"] == "1"
    running.immich.faults.add(faults.status(500), path="search/metadata$", page=2)
    assert [(await search(http, page=n)).status_code for n in (1, 2, 3)] == [200, 500, 200]
    first = (await http.post("search/metadata", json={"size": 10, "filter": {}})).json()["assets"]
    second = {"size": 10, "filter": {}, "cursor": first["nextCursor"]}
    assert (await http.post("search/metadata", json=second)).status_code == 500


async def test_answers_that_are_no_answers(running: RunningLookAlike, http: httpx.AsyncClient) -> None:
    rules = running.immich.faults
    for action in (faults.half_json(), faults.html(), faults.redirect("https://login.example/"), faults.raw("[1]")):
        rules.add(action, path="albums$", times=1)
    half, html, redirect, raw = [await http.get("albums") for _ in range(4)]
    assert half.headers["content-type"] == "application/json; charset=utf-8"
    with pytest.raises(ValueError):
        half.json()
    assert (html.status_code, html.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert (redirect.status_code, redirect.headers["location"]) == (302, "https://login.example/")
    assert raw.json() == [1]


async def test_a_timeout_never_answers_and_never_applies(running: RunningLookAlike, http: httpx.AsyncClient) -> None:
    running.immich.faults.add(faults.timeout(), path="albums$", times=1)
    with pytest.raises(httpx.ReadTimeout):
        await http.post("albums", json={"albumName": "X"}, timeout=0.1)
    assert running.immich.library.albums == {}


async def test_held_requests_wait_for_their_release(running: RunningLookAlike, http: httpx.AsyncClient) -> None:
    rules = running.immich.faults
    rules.add(faults.hold(), path="albums$", times=1, name="before")
    rules.add(faults.apply_then_hold(), path="albums$", times=1, name="after")
    for name, made in (("before", 0), ("after", 2)):
        request = asyncio.create_task(http.post("albums", json={"albumName": name}))
        assert await rules.wait_hit(name)
        assert len(running.immich.library.albums) == made
        await asyncio.sleep(0.02)
        assert not request.done()
        await rules.release(name)
        assert (await request).status_code == 201


async def test_delays_grow_with_the_page(running: RunningLookAlike, http: httpx.AsyncClient) -> None:
    rules = running.immich.faults
    rules.page_delay_ms, rules.delay_per_item_us, rules.page_workers = 10, 1000, 1
    started = time.monotonic()
    await asyncio.gather(search(http), search(http))
    assert time.monotonic() - started > 2 * 0.02


async def test_large_answers_are_compressed(running: RunningLookAlike, http: httpx.AsyncClient) -> None:
    assert (await search(http)).headers["content-encoding"] == "gzip"
    running.immich.gzip = False
    assert "content-encoding" not in (await search(http)).headers


async def test_without_a_network_the_client_sees_the_same_error() -> None:
    from tests.demo.clients import Client

    client = Client(Library())
    client.server.faults.add(faults.reset())
    with pytest.raises(httpx.RemoteProtocolError):
        await client.get("albums")


# as a process


@contextlib.asynccontextmanager
async def process_with(library: Library, folder: Path, version: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of `python -m service.demo`; afterwards the process must end by itself on SIGTERM."""
    file = folder / "library.json"
    file.write_bytes(library.to_json())
    arguments = ("--port", "0", "--immich-version", version, "--library", str(file))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "service.demo", *arguments, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        told = json.loads(await asyncio.wait_for(process.stdout.readline(), 10))
        headers = {"x-api-key": told["immich_api_key"]}
        async with httpx.AsyncClient(base_url=told["immich_url"], headers=headers, timeout=5) as http:
            yield http
    finally:
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 5) in (0, -signal.SIGTERM)


async def test_the_process_is_driven_over_its_control(tmp_path: Path) -> None:
    library = Library()
    asset = library.add_asset()
    async with process_with(library, tmp_path, "2.5.6") as http:
        assert (await http.get("/api/server/version")).json() == {"major": 2, "minor": 5, "patch": 6}

        ops = [{"op": "add_asset", "local": "2026-08-02T23:30", "offset_hours": -4, "tags": ["cat"]}]
        ops += [{"op": "add_album", "name": "Old", "asset_ids": [asset.id]}, {"op": "trash_asset", "asset": asset.id}]
        made = (await http.post("/_control/library", json={"ops": ops})).json()["ids"]
        rename = [{"op": "rename_album", "album": made[1], "name": "New"}]
        await http.post("/_control/library", json={"ops": rename})
        [album] = (await http.get("/_control/albums")).json()
        assert (album["name"], album["asset_ids"]) == ("New", [asset.id])

        hold = {"action": {"kind": "hold"}, "path": "search/metadata$", "name": "here", "times": 1}
        await http.post("/_control/faults", json={"rules": [hold], "call_delay_ms": 1})
        request = asyncio.create_task(http.post("/api/search/metadata", json={}))
        assert (await http.post("/_control/wait", json={"name": "here"})).json() == {"hit": True}
        await http.post("/_control/release", json={"name": "here"})
        items = (await request).json()["assets"]["items"]
        assert [item["fileCreatedAt"] for item in items] == ["2026-08-03T03:30:00.000Z"]

        await http.post("/_control/version", json={"version": "3.3.1"})
        assert (await http.get("/api/server/version")).json()["major"] == 3
        journal = (await http.get("/_control/journal")).json()
        assert [entry["path"] for entry in journal][:2] == ["/api/server/version", "/api/search/metadata"]
        assert (await http.post("/_control/library", json={"ops": [{"op": "nope"}]})).status_code == 422
        assert (await http.get("/_control/nope")).status_code == 404

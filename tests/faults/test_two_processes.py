"""Two service processes on one SQLite file confirm the same token, and two albums of one name, at the same moment."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import Figure
from tests.faults.real import DAYS, Immich, Service
from tests.processes import Running

ROUNDS = 15
Pair = tuple[Service, Running, Running]


@pytest.fixture
def pair(tmp_path: Path, immich: Immich) -> Iterator[Pair]:
    service = Service(tmp_path, immich)
    with service.run() as one, service.run() as two:
        yield service, one, two


def at_once(service: Service, calls: list[tuple[Running, dict[str, Any]]]) -> list[httpx.Response]:
    with ThreadPoolExecutor(len(calls)) as pool:
        sent = [pool.submit(service.post, process, "create_album", **fields) for process, fields in calls]
        return [one.result() for one in sent]


def preview(service: Service, process: Running, name: str) -> dict[str, Any]:
    shown = service.post(process, "preview_album", album_name=name, **DAYS).json()
    return {"preview_token": shown["preview_token"], "expected_count": 10, "album_name": name}


def finish(service: Service, process: Running, fields: dict[str, Any]) -> dict[str, Any]:
    """The receipt; whoever was told that it is running asks again."""
    for _ in range(50):
        answer = service.post(process, "create_album", **fields)
        if answer.status_code == 200:
            receipt: dict[str, Any] = answer.json()
            return receipt
        assert answer.json()["code"] == "confirm_in_progress", answer.text
    raise AssertionError("still running")


def test_the_same_token_in_both_writes_once(pair: Pair, immich: Immich, figure: Figure) -> None:
    service, one, two = pair
    for number in range(ROUNDS):
        name = f"Same token {number}"
        fields = preview(service, one, name)
        answers = at_once(service, [(one, fields), (two, fields), (one, fields), (two, fields)])
        for answer in answers:
            assert answer.status_code == 200 or answer.json()["code"] == "confirm_in_progress", answer.text
        receipts = [finish(service, process, fields) for process in (one, two)]
        assert receipts[0] == receipts[1]
        (album,) = immich.albums(name)
        assert len(immich.added(album["id"])) == receipts[0]["added"] == 10
    assert "database is locked" not in one.log.read_text() + two.log.read_text()
    figure("racing confirms of one token, two processes", 4 * ROUNDS)
    figure("albums made by racing confirms", ROUNDS)


def test_two_previews_of_one_new_name_make_one_album(pair: Pair, immich: Immich, figure: Figure) -> None:
    service, one, two = pair
    for number in range(ROUNDS):
        name = f"Same name {number}"
        first, second = preview(service, one, name), preview(service, two, name)
        answers = at_once(service, [(one, first), (two, second)])
        codes = [answer.json().get("code", "done") for answer in answers]
        assert "done" in codes
        assert set(codes) <= {"done", "confirm_in_progress", "album_name_taken"}
        assert codes.count("done") == 1
        (album,) = immich.albums(name)
        assert len(immich.added(album["id"])) == 10
    assert "database is locked" not in one.log.read_text() + two.log.read_text()
    figure("racing previews of one name, two processes", 2 * ROUNDS)
    figure("albums made by racing confirms", ROUNDS)

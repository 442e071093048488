"""The real service process in front of the real look-alike process: SIGKILL at named points, then the same again.

The points are reached by the look-alike holding a request, before or after carrying it out. Time is moved by moving
the leases in the database: no test waits for two minutes.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import Figure
from tests.faults.real import DAYS, Immich, Service
from tests.processes import Running, command

POINTS = [
    ("POST", "search/metadata$", 1, "hold"),
    ("POST", "/albums$", 1, "hold"),
    ("POST", "/albums$", 1, "apply_then_hold"),
    ("PUT", "/assets$", 1, "hold"),
    ("PUT", "/assets$", 1, "apply_then_hold"),
    ("PUT", "/assets$", 2, "apply_then_hold"),
    ("GET", "/albums/[^/]+$", 1, "hold"),
]
MOST_REPEATS = 10


@pytest.mark.parametrize(("method", "path", "nth", "kind"), POINTS)
def test_killed_and_repeated(
    tmp_path: Path, immich: Immich, method: str, path: str, nth: int, kind: str, figure: Figure
) -> None:
    service = Service(tmp_path, immich)
    name = f"{method} {path} {nth} {kind}"
    with service.run() as process:
        preview = service.post(process, "preview_album", album_name=name, **DAYS).json()
        confirm = {"preview_token": preview["preview_token"], "expected_count": 10, "album_name": name}
        immich.hold(method, path, nth, kind)
        caller = threading.Thread(target=_ignore, args=(service, process, confirm))
        caller.start()
        immich.control("wait", name="point", seconds=20)
        process.kill()
        caller.join()
    immich.control("faults", rules=[])
    receipt = _repeat(service, confirm)
    (album,) = immich.albums(name)
    assert len(album["asset_ids"]) == 10
    assert receipt["album"]["id"] == album["id"]
    added = immich.added(album["id"])
    assert len(added) == len(set(added)) == receipt["added"] == 10
    assert (receipt["remaining"], receipt["failed_count"], receipt["already_present"]) == (0, 0, 0)
    figure("fault schedules", 1)
    figure("kills (SIGKILL of the real process)", 1)
    figure("albums made in fault schedules", 1)


def _ignore(service: Service, process: Running, confirm: dict[str, Any]) -> None:
    with suppress(httpx.TransportError):
        service.post(process, "create_album", **confirm)


def _repeat(service: Service, confirm: dict[str, Any]) -> dict[str, Any]:
    answers: list[str] = []
    for _ in range(MOST_REPEATS):
        service.let_time_pass()
        with service.run() as process:
            answer = service.post(process, "create_album", **confirm)
            answers.append(answer.text)
            if answer.status_code == 200 and answer.json()["status"] == "done":
                receipt: dict[str, Any] = answer.json()
                again = service.post(process, "create_album", **confirm).json()
                assert again == receipt | {"replayed": True}
                assert process.stop() == 0
                return receipt
    raise AssertionError(f"did not settle: {answers}")


def test_sigterm_lets_a_running_write_finish(tmp_path: Path, immich: Immich) -> None:
    service = Service(tmp_path, immich)
    with service.run() as process:
        preview = service.post(process, "preview_album", album_name="Finished", **DAYS).json()
        confirm = {"preview_token": preview["preview_token"], "expected_count": 10, "album_name": "Finished"}
        immich.hold("PUT", "/assets$", 2, "hold")
        answers: list[httpx.Response] = []
        caller = threading.Thread(target=lambda: answers.append(service.post(process, "create_album", **confirm)))
        caller.start()
        immich.control("wait", name="point", seconds=20)
        process.process.terminate()
        immich.control("release", name="point")
        caller.join()
        assert process.process.wait(40) == 0
    immich.control("faults", rules=[])
    assert (answers[0].status_code, answers[0].json()["status"]) == (200, "done")
    (album,) = immich.albums("Finished")
    assert len(album["asset_ids"]) == 10


def test_an_unfinished_preview_is_listed_and_resumed_from_the_command_line(tmp_path: Path, immich: Immich) -> None:
    service = Service(tmp_path, immich)
    with service.run() as process:
        preview = service.post(process, "preview_album", album_name="By hand", **DAYS).json()
        confirm = {"preview_token": preview["preview_token"], "expected_count": 10, "album_name": "By hand"}
        immich.hold("PUT", "/assets$", 2, "hold")
        caller = threading.Thread(target=_ignore, args=(service, process, confirm))
        caller.start()
        immich.control("wait", name="point", seconds=20)
        process.kill()
        caller.join()
    immich.control("faults", rules=[])
    preview_id = preview["preview_token"][:16]
    listed = command("previews", "list", **service.env).stdout
    assert f'{preview_id}\twriting\t4 of 10\t"By hand"' in listed
    assert command("previews", "resume", preview_id, **service.env).returncode == 1  # its lease still runs
    service.let_time_pass()
    resumed = command("previews", "resume", preview_id, **service.env)
    assert resumed.returncode == 0, resumed.stderr
    assert '"status": "done"' in resumed.stdout
    assert "Nothing is unfinished" in command("previews", "list", **service.env).stdout
    assert command("previews", "resume", preview_id, **service.env).returncode == 1
    (album,) = immich.albums("By hand")
    assert len(album["asset_ids"]) == 10

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
from tests.faults.real import Confirm, Immich, Service
from tests.harness import PATHS
from tests.processes import Running, command

POINTS = [
    ("GET", "api-keys/me$", 1, "hold"),
    ("POST", "search/statistics$", 1, "hold"),
    ("POST", "search/metadata$", 1, "hold"),
    ("GET", "/albums$", 1, "hold"),
    ("POST", "/albums$", 1, "hold"),
    ("POST", "/albums$", 1, "apply_then_hold"),
    ("PUT", "/assets$", 1, "hold"),
    ("PUT", "/assets$", 1, "apply_then_hold"),
    ("PUT", "/assets$", 2, "hold"),
    ("PUT", "/assets$", 3, "apply_then_hold"),
    ("GET", "/albums/[^/]+$", 1, "hold"),
]
ONLY_CREATE = {"/albums$"}
SCHEDULES = [
    (action, *point)
    for action in ("create", "add")
    for point in POINTS
    if action == "create" or point[1] not in ONLY_CREATE
]
MOST_REPEATS = 10


@pytest.mark.parametrize(("action", "method", "path", "nth", "kind"), SCHEDULES)
def test_killed_and_repeated(
    tmp_path: Path, immich: Immich, action: str, method: str, path: str, nth: int, kind: str, figure: Figure
) -> None:
    service = Service(tmp_path, immich)
    with service.run() as process:
        confirm = Confirm(service, process, immich, action, f"{action} {method} {path} {nth} {kind}")
        immich.hold(method, path, nth, kind)
        caller = threading.Thread(target=_ignore, args=(service, process, confirm))
        caller.start()
        immich.control("wait", name="point", seconds=20)
        process.kill()
        caller.join()
    immich.control("faults", rules=[])
    receipt = _repeat(service, confirm)
    (album,) = immich.albums(confirm.name)
    assert len(album["asset_ids"]) == 10
    assert receipt["album"]["id"] == album["id"]
    added = immich.added(album["id"])
    assert len(added) == len(set(added)) == receipt["added"] == 10
    assert (receipt["remaining"], receipt["failed_count"], receipt["already_present"]) == (0, 0, 0)
    figure("fault schedules", 1)
    figure("kills (SIGKILL of the real process)", 1)


LOST = {
    "reset": {"kind": "reset"},
    "applied, then reset": {"kind": "apply_then_reset"},
    "half an answer": {"kind": "half_json"},
    "502 page": {"kind": "status", "status": 502, "body": "<html>bad gateway</html>", "content_type": "text/html"},
    "500": {"kind": "status", "status": 500, "body": '{"message": "Internal server error"}'},
    "never answered": {"kind": "timeout"},
}


@pytest.mark.parametrize(("action", "method", "path"), [("create", "POST", "/albums$"), ("add", "PUT", "/assets$")])
@pytest.mark.parametrize("lost", LOST)
def test_lost_answers_over_real_sockets(
    tmp_path: Path, immich: Immich, lost: str, action: str, method: str, path: str, figure: Figure
) -> None:
    service = Service(tmp_path, immich)
    service.env["IMMICH_TIMEOUT"] = "3"
    with service.run() as process:
        confirm = Confirm(service, process, immich, action, f"lost {lost} {action}")
        rule = {"action": LOST[lost], "method": method, "path": path, "times": 1}
        immich.control("faults", rules=[rule])
        confirm.send(service, process)
    immich.control("faults", rules=[])
    receipt = _repeat(service, confirm)
    (album,) = immich.albums(confirm.name)
    added = immich.added(album["id"])
    assert len(added) == len(set(added)) == receipt["added"] == len(album["asset_ids"]) == 10
    figure("fault schedules", 1)


def _ignore(service: Service, process: Running, confirm: Confirm) -> None:
    with suppress(httpx.TransportError):
        confirm.send(service, process)


def _repeat(service: Service, confirm: Confirm) -> dict[str, Any]:
    """Repeats the confirm in new processes until it is done, and once more: the receipt."""
    answers: list[str] = []
    for _ in range(MOST_REPEATS):
        service.let_time_pass()
        with service.run() as process:
            answer = confirm.send(service, process)
            answers.append(answer.text)
            if answer.status_code == 200 and answer.json()["status"] == "done":
                receipt: dict[str, Any] = answer.json()
                assert confirm.send(service, process).json() == receipt | {"replayed": True}
                assert process.stop() == 0
                return receipt
    raise AssertionError(f"did not settle: {answers}")


def test_sigterm_leaves_what_cannot_finish_resumable(tmp_path: Path, immich: Immich) -> None:
    """Immich holds a write for good; the caller has hung up. The stop is bounded, and a repeat finishes."""
    service = Service(tmp_path, immich)
    with service.run() as process:
        confirm = Confirm(service, process, immich, "create", "Left behind")
        immich.hold("PUT", "/assets$", 2, "hold", times=99)
        url, headers = process.ready["url"] + PATHS[confirm.operation], {"authorization": f"Bearer {service.token}"}
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(url, json=confirm.fields, headers=headers, timeout=8.0)
        immich.control("wait", name="point", seconds=20)
        assert process.stop() == 0
    immich.control("faults", rules=[])
    listed = command("previews", "list", **service.env).stdout
    assert f'{confirm.preview_id}\tpartial\t4 of 10\t"Left behind"' in listed
    with service.run() as process:
        receipt = confirm.send(service, process).json()
        assert (receipt["status"], receipt["added"]) == ("done", 10)
    assert len(immich.albums("Left behind")) == 1


def test_a_client_that_hangs_up_while_it_is_checked_leaves_the_preview_open(tmp_path: Path, immich: Immich) -> None:
    service = Service(tmp_path, immich)
    with service.run() as process:
        confirm = Confirm(service, process, immich, "create", "Hung up early")
        immich.hold("POST", "search/metadata$", 1, "hold")
        url, headers = process.ready["url"] + PATHS[confirm.operation], {"authorization": f"Bearer {service.token}"}
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(url, json=confirm.fields, headers=headers, timeout=8.0)
        shown = {"state": ""}
        for _ in range(100):
            address = f"{process.ready['url']}/v1/previews/{confirm.preview_id}"
            shown = httpx.get(address, headers=headers).json()
            if shown["state"] == "open":
                break
        assert shown["state"] == "open"
        immich.control("faults", rules=[])
        assert confirm.send(service, process).json()["added"] == 10


def test_sigterm_lets_a_running_write_finish(tmp_path: Path, immich: Immich) -> None:
    service = Service(tmp_path, immich)
    with service.run() as process:
        confirm = Confirm(service, process, immich, "create", "Finished")
        immich.hold("PUT", "/assets$", 2, "hold")
        answers: list[httpx.Response] = []
        caller = threading.Thread(target=lambda: answers.append(confirm.send(service, process)))
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
        confirm = Confirm(service, process, immich, "create", "By hand")
        immich.hold("PUT", "/assets$", 2, "hold")
        caller = threading.Thread(target=_ignore, args=(service, process, confirm))
        caller.start()
        immich.control("wait", name="point", seconds=20)
        process.kill()
        caller.join()
    immich.control("faults", rules=[])
    preview_id = confirm.preview_id
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


def test_a_client_that_hangs_up_while_it_writes_loses_nothing(tmp_path: Path, immich: Immich) -> None:
    service = Service(tmp_path, immich)
    with service.run() as process:
        confirm = Confirm(service, process, immich, "create", "Hung up")
        immich.hold("PUT", "/assets$", 2, "hold")
        url, headers = process.ready["url"] + PATHS["create_album"], {"authorization": f"Bearer {service.token}"}
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(url, json=confirm.fields, headers=headers, timeout=8.0)
        immich.control("wait", name="point", seconds=20)
        immich.control("release", name="point")
        immich.control("faults", rules=[])
        receipt = {"replayed": False}
        for _ in range(100):
            answer = confirm.send(service, process)
            if answer.status_code == 200:
                receipt = answer.json()
                break
        assert (receipt["replayed"], receipt["added"]) == (True, 10)
    (album,) = immich.albums("Hung up")
    assert len(immich.added(album["id"])) == 10

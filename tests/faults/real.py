"""The real service and the real look-alike as processes, for schedules of kills and for racing confirms."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import httpx

from tests.harness import PATHS
from tests.processes import Running, command, running

DAYS = {"taken_after": "2023-07-14", "taken_before": "2023-07-14"}


class Immich:
    """The look-alike process and its control."""

    def __init__(self, ready: dict[str, Any]) -> None:
        self.ready = ready
        self.http = httpx.Client(base_url=ready["immich_url"], timeout=30)

    def control(self, route: str, **body: Any) -> Any:
        answer = self.http.post(f"/_control/{route}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def hold(self, method: str, path: str, nth: int, kind: str, times: int = 1) -> None:
        """Holds the `nth` such request (and the `times - 1` after it) until released."""
        rule = {"action": {"kind": kind}, "method": method, "path": path, "nth": nth, "times": times, "name": "point"}
        self.control("faults", rules=[rule])

    def albums(self, name: str) -> list[dict[str, Any]]:
        return [album for album in self.http.get("/_control/albums").json() if album["name"] == name]

    def make_album(self, name: str) -> str:
        """An empty album, to be filled by adding."""
        (album_id,) = self.control("library", ops=[{"op": "add_album", "name": name}])["ids"]
        return str(album_id)

    def added(self, album_id: str) -> list[str]:
        """Ids put into an album, from the look-alike's own journal."""
        entries = self.http.get("/_control/journal").json()
        return [one for entry in entries if entry["album_id"] == album_id for one in entry["added"]]


class Service:
    """The service on one folder, over as many processes as it takes."""

    def __init__(self, folder: Path, immich: Immich) -> None:
        self.folder = folder
        self.env = {
            "IMMICH_URL": immich.ready["immich_url"],
            "IMMICH_API_KEY": immich.ready["immich_api_key"],
            "DATA_DIR": str(folder / "data"),
            "ENABLE_WRITES": "true",
            "WRITE_CHUNK": "4",
            "SECRET_KEY": "the same in every process",
        }
        self.token = command(
            "clients", "add", "agent", "--scope", "read", "--scope", "write", **self.env
        ).stdout.strip()

    def run(self) -> Any:
        return running(["service", "serve", "--port", "0", "--json"], self.folder, **self.env)

    def post(self, process: Running, operation: str, **body: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {self.token}"}
        return httpx.post(process.ready["url"] + PATHS[operation], json=body, headers=headers, timeout=60)

    def let_time_pass(self) -> None:
        """Leases lapse and the quiet minute is over."""
        with sqlite3.connect(self.folder / "data" / "tripbook.db") as database:
            database.execute("UPDATE preview SET lease_until = '2020-01-01 00:00:00' WHERE lease_until IS NOT NULL")
            database.execute(
                "UPDATE preview SET create_sent_at = '2020-01-01 00:00:00' WHERE create_sent_at IS NOT NULL"
            )
        database.close()


class Confirm:
    """One confirm of ten photos, creating or adding: its operation and the fields of the request."""

    def __init__(self, service: Service, process: Running, immich: Immich, action: str, name: str) -> None:
        self.name = name
        if action == "create":
            shown = service.post(process, "preview_album", album_name=name, **DAYS).json()
            self.operation, count = "create_album", "expected_count"
        else:
            shown = service.post(process, "album_gaps", album_id=immich.make_album(name), **DAYS).json()
            self.operation, count = "add_to_album", "expected_new_count"
        self.fields = {"preview_token": shown["preview_token"], count: 10, "album_name": name}
        self.preview_id = shown["preview_token"][:16]

    def send(self, service: Service, process: Running) -> httpx.Response:
        return service.post(process, self.operation, **self.fields)

"""One schedule: a preview, a confirm that something happens to, and repeats until it settles; then the invariants.

Whatever happens: at most one album of the name, it holds exactly the previewed photos, the last receipt says so,
and what receipts say was added is what the look-alike's own journal says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from service.demo.app import LookAlikeApp, create_lookalike
from service.demo.library import Library
from tests.faults.killing import KillAt, Life, life

PHOTOS = 10
DAY = {"taken_after": "2026-08-02", "taken_before": "2026-08-02"}
LATER = timedelta(seconds=200)
MOST_REPEATS = 12
NAME = "Maine 2026"


@dataclass
class Story:
    """A library and its look-alike over several lives of the service."""

    folder: Path
    version: str = "3.3.1"
    action: str = "create"
    lookalike: LookAlikeApp = field(init=False)
    library: Library = field(init=False)
    wanted: set[str] = field(init=False)
    album_id: str = field(init=False, default="")
    tokens: dict[str, str] = field(default_factory=dict)
    shift: timedelta = timedelta()
    kills: int = 0
    compared: int = 0
    answers: list[dict[str, Any] | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.library = Library()
        self.wanted = {self.library.add_asset(local=f"2026-08-02T10:{i:02d}").id for i in range(PHOTOS)}
        member = self.library.add_asset(local="2026-08-02T09:00") if self.action == "add" else None
        self.library.add_album("Something else", [])
        if member is not None:
            self.album_id = self.library.add_album(NAME, [member]).id
        self.lookalike = create_lookalike(self.library, version=self.version)

    async def preview(self, service: Life) -> dict[str, Any]:
        """The fields of the confirm."""
        if self.action == "create":
            shown = await service.post("preview_album", album_name=NAME, **DAY)
            assert shown is not None
            return {"preview_token": shown["preview_token"], "expected_count": shown["count"], "album_name": NAME}
        shown = await service.post("album_gaps", album_id=self.album_id, pad_days=0)
        assert shown is not None
        return {
            "preview_token": shown["preview_token"],
            "expected_new_count": shown["missing_count"],
            "album_name": NAME,
        }

    async def confirm(self, service: Life, fields: dict[str, Any]) -> dict[str, Any] | None:
        answer = await service.post("create_album" if self.action == "create" else "add_to_album", **fields)
        self.answers.append(answer)
        self.kills += answer is None
        return answer

    async def settle(self, fields: dict[str, Any], kill_at: KillAt | None = None, **settings: Any) -> dict[str, Any]:
        """Repeats the confirm, each time later and in a new life of the service, until it is done."""
        for _ in range(MOST_REPEATS):
            async with life(self.lookalike, self.folder, self.tokens, shift=self.shift, **settings) as service:
                service.transport.kill_at, kill_at = kill_at, None
                answer = await self.confirm(service, fields)
            self.shift += LATER
            if answer is not None and "status" in answer and answer["http_status"] == 200:
                self.compare(answer)
                if answer["status"] == "done":
                    return answer
        raise AssertionError(f"did not settle: {self.answers}")

    def compare(self, receipt: dict[str, Any]) -> None:
        """A receipt, also a partial one, against the look-alike's journal at that moment."""
        counted = receipt["added"] + receipt["already_present"] + receipt["failed_count"] + receipt["remaining"]
        assert counted == PHOTOS
        added = len(self.journal_added())
        # A chunk whose answer was lost may be in the album and still count as remaining; never the other way round.
        assert receipt["added"] <= added <= receipt["added"] + receipt["remaining"]
        self.compared += 1

    def journal_added(self) -> list[str]:
        journal = self.lookalike.state.immich.journal
        return [one for entry in journal.applied() if entry.method == "PUT" for one in entry.added]

    def check(self, receipt: dict[str, Any]) -> None:
        """The invariants, from the look-alike's side."""
        albums = [album for album in self.library.albums.values() if album.name == NAME]
        assert len(albums) == 1, "exactly one album of the name"
        (album,) = albums
        assert len(album.asset_ids) == len(set(album.asset_ids))
        if self.action == "create":
            assert set(album.asset_ids) == self.wanted
        assert self.wanted <= set(album.asset_ids)
        assert receipt["album"]["id"] == album.id
        assert (receipt["remaining"], receipt["failed_count"]) == (0, 0)
        added = self.journal_added()
        assert len(added) == len(set(added)) == receipt["added"] == PHOTOS
        assert receipt["already_present"] == 0
        assert receipt["album_count_now"] == len(album.asset_ids)

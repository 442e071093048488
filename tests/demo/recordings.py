"""The recorded exchanges of real servers, and a library that mirrors the one they were recorded from.

Assets are known by file name. Their ids are those of each recording folder, so that requests need no translation.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from service.demo.library import Asset, Library, Person, User
from service.demo.library import Place as Where

ROOT = Path(__file__).parents[3] / "shared" / "immich" / "recordings"
FOLDERS = {"2.5.6-main": "2.5.6", "3.1.0": "3.1.0", "3.2-overlay": "3.2.0"}
USA = "United States of America"
BAR_HARBOR = Where("Bar Harbor", "Maine", USA, 44.3876, -68.2039)
PORTLAND = Where("Portland", "Maine", USA, 43.6591, -70.2568)
REPORTED = {
    "oregon.jpg": Where("Portland", "Oregon", USA),
    "cleo-maine-2.jpg": BAR_HARBOR,
    "maine-13-8.jpg": BAR_HARBOR,
    "maine-16-19.jpg": BAR_HARBOR,
}
"""Where photos were taken whose recordings hold no EXIF."""
ELSEWHERE = (
    Where("Camden", "Maine", USA),
    Where("Ellsworth", "Maine", USA),
    Where("Rockland", "Maine", USA),
    Where("Paris", "Île-de-France", "France"),
    Where("Milano", "Lombardy", "Italy"),
    Where("Reykjavík", "Capital Region", "Iceland"),
    Where("Kyoto", "Kyoto", "Japan"),
    Where(None, None, "Canada"),
)
ADDED = (
    "maine-12-8.jpg",
    "maine-12-11.jpg",
    "ben-maine-0.jpg",
    "ben-archived.jpg",
    "ben-trashed.jpg",
    "ben-locked.jpg",
    "cleo-maine-0.jpg",
    "trashed.jpg",
    "archived.jpg",
    "hidden.jpg",
    "locked.jpg",
    "motion.mp4",
    "stack-child.jpg",
    None,
    "added.jpg",
    "added.jpg",
)
"""What the ids of `35-album-add-mixed` were, as far as the answers tell; None is an unknown id."""


@dataclass(frozen=True)
class Recording:
    folder: str
    name: str

    @cached_property
    def exchange(self) -> dict[str, Any]:
        return json.loads((ROOT / self.folder / self.name).read_text())  # type: ignore[no-any-return]

    @property
    def request(self) -> dict[str, Any]:
        return self.exchange["request"]  # type: ignore[no-any-return]

    @property
    def response(self) -> dict[str, Any]:
        return self.exchange["response"]  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return f"{self.folder}/{self.name.removesuffix('.json')}"


def all_recordings() -> list[Recording]:
    return [Recording(folder, path.name) for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.json"))]


def items_in(body: Any) -> list[dict[str, Any]]:
    assets = body.get("assets", []) if isinstance(body, dict) else []
    return assets["items"] if isinstance(assets, dict) else assets  # type: ignore[no-any-return]


class Mirror:
    """Anna's library as one folder recorded it: 37 timeline photos in Maine on 06-12…17, and all around them."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._here = {r.name: r for r in all_recordings() if r.folder == folder}
        self._told = self._told_items()
        self._ids = {i["originalFileName"]: i["id"] for r in self._here.values() for i in items_in(r.response["body"])}
        self._albums = self._told_albums()
        if "35-album-add-mixed.json" in self._here:
            ids = self._here["35-album-add-mixed.json"].request["body"]["ids"]
            for name, asset_id in zip(ADDED, ids, strict=True):
                assert name is None or self._ids.setdefault(name, asset_id) == asset_id
        live = self._told_here("live-still.jpg")
        if live:
            assert self._ids.setdefault("motion.mp4", live["livePhotoVideoId"]) == live["livePhotoVideoId"]
        self.library = self._build()

    # what the recordings tell

    def _told_items(self) -> dict[str, dict[str, Any]]:
        told: dict[str, dict[str, Any]] = {}
        for recording in all_recordings():
            for item in items_in(recording.response["body"]):
                name = item["originalFileName"]
                told[name] = told.get(name, {}) | item
        return told

    def _told_here(self, name: str) -> dict[str, Any] | None:
        for recording in self._here.values():
            for item in items_in(recording.response["body"]):
                if item["originalFileName"] == name:
                    return item
        return None

    def _told_albums(self) -> dict[str, dict[str, Any]]:
        lists = [
            r.response["body"]
            for n, r in self._here.items()
            if n in ("21-albums-list.json", "22-albums-shared-true.json")
        ]
        return {album["albumName"]: album for albums in lists for album in albums}

    def _users(self) -> tuple[str, str | None]:
        ids = {}
        for album in self._albums.values():
            for user in [album.get("owner"), *(u["user"] for u in album["albumUsers"])]:
                if user:
                    ids[user["name"]] = user["id"]
        oregon = self._told_here("oregon.jpg")
        assert oregon is not None
        return oregon["ownerId"], ids.get("Cleo")

    # building

    def _build(self) -> Library:
        anna, cleo = self._users()
        library = Library(me=User(anna, "Anna", "anna@example.com"), seed=self.folder)
        self.ben = library.add_user("Ben", partner=True, id=(self._told_here("ben-maine-0.jpg") or {}).get("ownerId"))
        self.cleo = library.add_user("Cleo", id=cleo)
        self.library = library
        for name, item in self._told.items():
            self._add_told(name, item)
        self._add_untold()
        self._add_people()
        self._add_albums()
        return library

    def _owner(self, name: str) -> User:
        return self.ben if name.startswith("ben") else self.cleo if name.startswith("cleo") else self.library.me

    def _add_told(self, name: str, item: dict[str, Any]) -> None:
        exif = item.get("exifInfo") or {}
        place = REPORTED.get(name) or Where(
            *(exif.get(n) for n in ("city", "state", "country", "latitude", "longitude"))
        )
        stacked = {"stack_id": "stack"} if name.startswith("stack-") else {}
        smart = {"tags": ("lighthouse",)} if name in ("maine-17-8.jpg", "stack-primary.jpg", "maine-14-8.jpg") else {}
        self.library.add_asset(
            id=self._ids.get(name),
            owner=self._owner(name),
            file_name=name,
            type=item["type"],
            instant=item["fileCreatedAt"],
            local_date_time=item["localDateTime"].replace("+00:00", ".000Z"),
            file_modified_at=item["fileModifiedAt"].replace("+00:00", ".000Z"),
            time_zone=exif.get("timeZone", "UTC-4"),
            place=place,
            make=exif.get("make"),
            model=exif.get("model"),
            is_favorite=item["isFavorite"],
            live_photo_video_id=self._ids.get("motion.mp4") if name == "live-still.jpg" else None,
            **stacked,
            **smart,
        )

    def _add_untold(self) -> None:
        """What must have been there for the recorded numbers and rows to come out."""
        for name, fields in {
            "ben-archived.jpg": {"visibility": "archive"},
            "ben-trashed.jpg": {"is_trashed": True},
            "ben-locked.jpg": {"visibility": "locked"},
            "trashed.jpg": {"is_trashed": True},
            "archived.jpg": {"visibility": "archive"},
            "hidden.jpg": {"visibility": "hidden"},
            "locked.jpg": {"visibility": "locked"},
        }.items():
            self._untold(name, "2026-06-15T10:00", BAR_HARBOR, **fields)
        self._untold("motion.mp4", "2026-06-13T09:06", None, visibility="hidden", type="VIDEO")
        self._untold("added.jpg", "2026-05-01T10:00", None)
        self._untold("after.jpg", "2026-07-01T10:00", None)
        for name, place in zip("abcdefgh", ELSEWHERE, strict=True):
            self._untold(f"elsewhere-{name}.jpg", "2026-05-02T10:00", place)
        for n in range(2):
            self._untold(f"november-{n}.jpg", f"2025-11-0{n + 1}T10:00", None)
        self._fill_maine()
        self.big = [self._big(n) for n in range(5000)]

    def _untold(self, name: str, local: str, place: Where | None, **fields: Any) -> Asset:
        owner, asset_id = self._owner(name), self._ids.get(name)
        return self.library.add_asset(
            id=asset_id, owner=owner, file_name=name, local=local, offset_hours=-4, place=place, **fields
        )

    def _fill_maine(self) -> None:
        owners = {self.library.me.id, self.ben.id}
        have = [
            a
            for a in self.library.assets.values()
            if a.owner_id in owners and a.state == "Maine" and a.visibility == "timeline" and not a.is_trashed
        ]
        have = [a for a in have if "2026-06-12" <= (a.file_created_at or "") < "2026-06-18T04"]
        for n in range(37 - len(have)):
            self._untold(f"fill-{n}.jpg", f"2026-06-14T18:{n:02d}", PORTLAND)

    def _big(self, n: int) -> Asset:
        local = f"20{10 + n * 10 // 5000}-{1 + n % 9:02d}-{2 + n // 9 % 12:02d}T12:00"
        return self._untold(f"big-{n}.jpg", local, Where(None, "Maine", USA))

    def _add_people(self) -> None:
        told = self._here.get("121-people-page1.json")
        rows = told.response["body"]["people"] if told else []
        people: dict[str, Person] = {}
        for row in rows:
            people[row["name"]] = self.library.add_person(row["name"], id=row["id"])
        self.library.add_person("Hidden One", hidden=True)
        self.library.add_person("")
        for rank, person in enumerate(people.values()):
            for asset in self.big[: 20 - rank]:
                asset.person_ids += (person.id,)
        for name in ("maine-12-8.jpg", "maine-13-8.jpg"):
            asset = self._asset(name)
            asset.person_ids = tuple(people[n].id for n in ("Maria Lopez", "José Ávila") if n in people)

    def _asset(self, name: str) -> Asset:
        return next(a for a in self.library.assets.values() if a.file_name == name)

    def _add_albums(self) -> None:
        if not self._albums:
            return
        hours_8 = [f"maine-{day}-8.jpg" for day in range(12, 18)]
        self._album("Maine 2026", ["la-2330.jpg", *hours_8, "favorite.jpg"])
        self._album(
            "Tokyo", ["tokyo-2330.jpg", "tokyo-2330-nooffset-gps.jpg", "november-0.jpg", "november-1.jpg", "added.jpg"]
        )
        self._album("Empty", [])
        self._album("Big 5000", [a.file_name for a in self.big])
        self._album("Cleo shared", ["cleo-maine-0.jpg", "cleo-maine-1.jpg"])
        self._album("Cleo viewer", ["cleo-maine-0.jpg"])
        self._album("Anna shared out", ["maine-12-8.jpg", "maine-12-11.jpg", "cleo-maine-2.jpg"])
        self._album("Link shared", ["maine-13-8.jpg"])
        foreign = self._here["31-album-get-no-access.json"].request["path"].rsplit("/", 1)[1]
        self.library.add_album("Secret", [self._asset("ben-maine-0.jpg")], owner=self.ben, id=foreign)

    def _album(self, name: str, files: list[str]) -> None:
        told = self._albums[name]
        by_name = {a.file_name: a.id for a in self.library.assets.values()}
        album = self.library.add_album(name, [by_name[file] for file in files], id=told["id"])
        roles = {u["user"]["id"]: u["role"] for u in told["albumUsers"]}
        owner = told.get("ownerId") or next(user for user, role in roles.items() if role == "owner")
        album.owner_id = owner
        album.members = {user: role for user, role in roles.items() if user != owner}
        album.has_shared_link = told["hasSharedLink"]
        album.thumbnail_id = told["albumThumbnailAssetId"]
        album.created_at, album.updated_at = told["createdAt"], told["updatedAt"]

"""The look-alike's mutable library in memory: users, persons, assets, albums, and pleasant ways to add them.

Knows nothing of HTTP or of Immich's versions. Ids and times come from a seeded counter, so the same calls
always build the same library.
"""

from __future__ import annotations

import dataclasses
import hashlib
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import msgspec

from service.demo.instants import instant_ms, instant_text, normal_instant, zone_name

START = "2026-12-01T04:00:00.000Z"
"""When everything was uploaded unless said otherwise, and where the library's own clock starts."""

FIRST_PHOTO = "2026-01-15T12:00:00.000Z"
"""Local time of the first asset added without one; each further one is a minute later."""


class Place(NamedTuple):
    city: str | None
    state: str | None
    country: str | None
    latitude: float | None = None
    longitude: float | None = None


@dataclass
class User:
    id: str
    name: str
    email: str


@dataclass
class Person:
    id: str
    name: str
    is_hidden: bool = False
    owner_id: str = ""
    updated_at: str = START


@dataclass(kw_only=True)
class Asset:
    """One photo or video. Assigning to a field is all it takes to change it: caches look at `revision`."""

    edits: ClassVar[int] = 0
    """Counts every assignment to any asset; an index built at another count is stale."""

    id: str
    owner_id: str
    type: str = "IMAGE"
    file_name: str = "photo.jpg"
    file_created_at: str | None = None
    local_date_time: str | None = None
    time_zone: str | None = None
    city: str | None = None
    state: str | None = None
    country: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    make: str | None = "Fairphone"
    model: str | None = "FP4"
    visibility: str = "timeline"
    is_trashed: bool = False
    is_favorite: bool = False
    is_offline: bool = False
    live_photo_video_id: str | None = None
    stack_id: str | None = None
    person_ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Words that smart search finds: what a picture shows, in lower case."""
    description: str = ""
    duration_ms: int | None = None
    created_at: str = START
    updated_at: str = START
    file_modified_at: str | None = None
    has_exif: bool | None = True
    """What `withExif` shows: True the record, False `{}`, None no `exifInfo` at all."""

    def __setattr__(self, name: str, value: object) -> None:
        values = self.__dict__
        values[name] = value
        values["_revision"] = values.get("_revision", 0) + 1
        Asset.edits += 1

    @property
    def revision(self) -> int:
        return int(self.__dict__["_revision"])


@dataclass
class Album:
    id: str
    name: str
    description: str = ""
    owner_id: str = ""
    members: dict[str, str] = field(default_factory=dict)
    """User id → `editor` or `viewer`; the owner is not in it."""
    has_shared_link: bool = False
    asset_ids: list[str] = field(default_factory=list)
    created_at: str = START
    updated_at: str = START
    thumbnail_id: str | None = None
    """The cover somebody chose; without one the newest asset is shown."""

    @property
    def is_shared(self) -> bool:
        return bool(self.members) or self.has_shared_link

    def role_of(self, user_id: str) -> str | None:
        return "owner" if user_id == self.owner_id else self.members.get(user_id)

    def add(self, asset_ids: Iterable[str]) -> list[str]:
        """Append what is not in it yet, in order; the ids that were new."""
        known = set(self.asset_ids)
        new = [asset_id for asset_id in dict.fromkeys(asset_ids) if asset_id not in known]
        self.asset_ids.extend(new)
        return new


class Library:
    """What one Immich server holds, seen by one key's user (`me`)."""

    def __init__(self, *, me: User | None = None, seed: str = "tripbook") -> None:
        self.seed = seed
        self._made = 0
        self._ticks = -1
        self.users: dict[str, User] = {}
        self.partners: list[str] = []
        self.people: dict[str, Person] = {}
        self.assets: dict[str, Asset] = {}
        self.albums: dict[str, Album] = {}
        self.me = me or User(self.new_id("user"), "Anna", "anna@example.com")
        self.users[self.me.id] = self.me

    # ids and time

    def new_id(self, kind: str = "asset") -> str:
        """The next UUID v4: looks random, is the same in every run."""
        self._made += 1
        text = f"{self.seed}:{kind}:{self._made}"
        return str(uuid.UUID(bytes=hashlib.blake2b(text.encode(), digest_size=16).digest(), version=4))

    def now(self) -> str:
        """The library's own time; every call is a second later than the one before."""
        self._ticks += 1
        return instant_text((instant_ms(START) or 0) + 1000 * self._ticks)

    # adding

    def add_user(self, name: str, *, partner: bool = False, id: str | None = None) -> User:  # noqa: A002
        user = User(id or self.new_id("user"), name, f"{name.lower()}@example.com")
        self.users[user.id] = user
        if partner:
            self.partners.append(user.id)
        return user

    def add_person(
        self,
        name: str,
        *,
        hidden: bool = False,
        owner: User | str | None = None,
        id: str | None = None,  # noqa: A002
    ) -> Person:
        person = Person(id or self.new_id("person"), name, hidden, self._user_id(owner), self.now())
        self.people[person.id] = person
        return person

    def add_asset(
        self,
        *,
        id: str | None = None,  # noqa: A002
        owner: User | str | None = None,
        local: str | None = None,
        offset_hours: float = 0,
        instant: str | None = None,
        place: Place | None = None,
        people: Iterable[Person] = (),
        **fields: Any,
    ) -> Asset:
        """A timeline photo of mine unless told otherwise.

        `local` is the wall clock (`2026-08-02T23:30`) at `offset_hours` from UTC, from which instant, local
        time and zone follow; `instant` overrides the instant only. Everything else, also a broken
        `local_date_time`, is an `Asset` field.
        """
        asset_id = id or self.new_id()
        wall = instant_ms(local) if local else (instant_ms(FIRST_PHOTO) or 0) + 60_000 * len(self.assets)
        if wall is None:
            raise ValueError(f"not a local time: {local!r}; give a broken one as local_date_time=")
        values: dict[str, Any] = {
            "file_created_at": instant_text(wall - round(offset_hours * 3_600_000)),
            "local_date_time": instant_text(wall),
            "time_zone": zone_name(offset_hours),
            "file_name": f"IMG_{len(self.assets) + 1:05d}.{'mp4' if fields.get('type') == 'VIDEO' else 'jpg'}",
            "duration_ms": 2000 if fields.get("type") == "VIDEO" else None,
            "person_ids": tuple(person.id for person in people),
        }
        if place is not None:
            values |= place._asdict()
        if instant is not None:
            values["file_created_at"] = normal_instant(instant)
        asset = Asset(id=asset_id, owner_id=self._user_id(owner), **(values | fields))
        self.assets[asset_id] = asset
        return asset

    def add_album(
        self,
        name: str,
        asset_ids: Iterable[str | Asset] = (),
        *,
        owner: User | str | None = None,
        members: dict[str, str] | None = None,
        description: str = "",
        has_shared_link: bool = False,
        id: str | None = None,  # noqa: A002
    ) -> Album:
        now = self.now()
        album = Album(
            id=id or self.new_id("album"),
            name=name,
            description=description,
            owner_id=self._user_id(owner),
            members=dict(members or {}),
            has_shared_link=has_shared_link,
            created_at=now,
            updated_at=now,
        )
        album.add(item.id if isinstance(item, Asset) else item for item in asset_ids)
        self.albums[album.id] = album
        return album

    def _user_id(self, owner: User | str | None) -> str:
        if owner is None:
            return self.me.id
        return owner.id if isinstance(owner, User) else owner

    # changing

    def remove_asset(self, asset: Asset | str) -> None:
        """Gone for good, also from every album."""
        asset_id = asset.id if isinstance(asset, Asset) else asset
        del self.assets[asset_id]
        Asset.edits += 1
        for album in self.albums.values():
            if asset_id in album.asset_ids:
                album.asset_ids.remove(asset_id)

    def trash_asset(self, asset: Asset | str) -> None:
        asset_id = asset.id if isinstance(asset, Asset) else asset
        self.assets[asset_id].is_trashed = True

    def update_asset(self, asset: Asset | str, **fields: Any) -> Asset:
        known = self.assets[asset.id if isinstance(asset, Asset) else asset]
        for name, value in fields.items():
            if name not in known.__dict__:
                raise ValueError(f"an asset has no field {name!r}")
            setattr(known, name, tuple(value) if name in ("person_ids", "tags") else value)
        return known

    def remove_album(self, album: Album | str) -> None:
        del self.albums[album.id if isinstance(album, Album) else album]

    # looking

    def album_named(self, name: str) -> Album:
        return next(album for album in self.albums.values() if album.name == name)

    def person_named(self, name: str) -> Person:
        return next(person for person in self.people.values() if person.name == name)

    def counted(self, album: Album) -> list[Asset]:
        """The album's assets that `assetCount` counts: timeline and archived, untrashed, of everybody."""
        found = (self.assets[asset_id] for asset_id in album.asset_ids if asset_id in self.assets)
        return [a for a in found if a.visibility in ("timeline", "archive") and not a.is_trashed]

    # keeping

    def copy(self) -> Library:
        """An independent twin, much quicker than building it again."""
        twin = Library.__new__(Library)
        twin.__dict__.update(self.__dict__)
        twin.users = {user.id: dataclasses.replace(user) for user in self.users.values()}
        twin.me = twin.users[self.me.id]
        twin.partners = list(self.partners)
        twin.people = {person.id: dataclasses.replace(person) for person in self.people.values()}
        twin.assets = {asset.id: _twin(asset) for asset in self.assets.values()}
        twin.albums = {
            album.id: dataclasses.replace(album, members=dict(album.members), asset_ids=list(album.asset_ids))
            for album in self.albums.values()
        }
        return twin

    def to_json(self) -> bytes:
        return msgspec.json.encode(
            {
                "seed": self.seed,
                "me": self.me.id,
                "partners": self.partners,
                "users": _rows(self.users.values()),
                "people": _rows(self.people.values()),
                "assets": _rows(self.assets.values()),
                "albums": _rows(self.albums.values()),
            }
        )

    @classmethod
    def from_json(cls, text: bytes | str) -> Library:
        raw = msgspec.json.decode(text)
        users = {row["id"]: User(**row) for row in raw["users"]}
        library = cls(me=users[raw["me"]], seed=raw["seed"] + "+")
        library.users = users
        library.partners = raw["partners"]
        library.people = {row["id"]: Person(**row) for row in raw["people"]}
        library.albums = {row["id"]: Album(**row) for row in raw["albums"]}
        for row in raw["assets"]:
            tuples = {"person_ids": tuple(row["person_ids"]), "tags": tuple(row["tags"])}
            library.assets[row["id"]] = Asset(**(row | tuples))
        return library


def _twin(asset: Asset) -> Asset:
    twin = Asset.__new__(Asset)
    twin.__dict__.update(asset.__dict__)
    return twin


def _rows(items: Iterable[Any]) -> list[dict[str, Any]]:
    return [{f.name: getattr(item, f.name) for f in dataclasses.fields(item)} for item in items]

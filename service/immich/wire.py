"""Immich's JSON, as far as we need it, decoded by msgspec. Unknown fields are passed over.

Shapes differ by version (`immich-facts.md`): albums of 2.x have `ownerId`, those of 3.x an owner in `albumUsers`;
`exifInfo` is absent without `withExif`, and null right after an upload.
"""

from __future__ import annotations

import json
import math
import re
from datetime import date, tzinfo
from typing import Any, TypeVar

import msgspec

from service.domain.albums import Album, Role
from service.domain.days import local_day, local_hour, utc_offset_minutes
from service.domain.photos import MEDIA_OF_TYPE, NOWHERE, Photo, Place
from service.errors import ImmichBadAnswer

T = TypeVar("T")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class Wire(msgspec.Struct, rename="camel", gc=False):
    """Base of everything Immich sends."""


class ImmichVersion(Wire):
    major: int
    minor: int
    patch: int = 0


class ImmichExif(Wire):
    city: str | None = None
    state: str | None = None
    country: str | None = None
    latitude: float | None = None
    longitude: float | None = None


class ImmichAsset(Wire):
    id: str
    type: str = "OTHER"
    owner_id: str = ""
    original_file_name: str | None = None
    file_created_at: str | None = None
    local_date_time: str | None = None
    created_at: str | None = None
    visibility: str | None = None
    is_trashed: bool | None = None
    is_favorite: bool | None = None
    exif_info: ImmichExif | None = None


class ImmichAssetPage(Wire):
    items: list[ImmichAsset]
    next_page: str | int | None = None
    next_cursor: str | None = None


class ImmichSearchAnswer(Wire):
    assets: ImmichAssetPage


class ImmichStatistics(Wire):
    total: int


class ImmichUser(Wire):
    id: str
    name: str = ""


class ImmichAlbumUser(Wire):
    user: ImmichUser
    role: str = "viewer"


class ImmichAlbum(Wire):
    id: str
    album_name: str
    asset_count: int = 0
    description: str | None = None
    owner_id: str | None = None
    owner: ImmichUser | None = None
    album_users: list[ImmichAlbumUser] = []
    shared: bool | None = None
    has_shared_link: bool | None = None
    start_date: str | None = None
    end_date: str | None = None
    updated_at: str = ""
    assets: list[ImmichAsset] = []

    @property
    def owner_user(self) -> ImmichUser | None:
        """The owner in either shape."""
        if self.owner is not None:
            return self.owner
        if self.owner_id:
            return ImmichUser(self.owner_id)
        return next((member.user for member in self.album_users if member.role == "owner"), None)


class ImmichPerson(Wire):
    id: str
    name: str = ""
    is_hidden: bool = False
    birth_date: str | None = None


class ImmichPeoplePage(Wire):
    people: list[ImmichPerson]
    has_next_page: bool | None = None


class ImmichApiKey(Wire):
    permissions: list[str]


class ImmichAddResult(Wire):
    """One row per id of an add. Not successful: `error` says why."""

    id: str
    success: bool
    error: str | None = None


def read_album(album: ImmichAlbum, own_user: str | None) -> Album:
    """An album of either shape. `own_user` is the id of the key's user, None if it cannot be known."""
    owner = album.owner_user
    others = [member for member in album.album_users if member.role != "owner" and member.user.id != own_user]
    seeing = [member.user for member in others]
    if owner is not None and owner.id != own_user:
        seeing.append(owner)
    return Album(
        id=album.id,
        name=album.album_name,
        asset_count=album.asset_count,
        role=_role(album, own_user),
        start=_date_part(album.start_date),
        end=_date_part(album.end_date),
        shared=bool(album.shared) or bool(seeing),
        public_link=bool(album.has_shared_link),
        owner_name=owner.name if owner else "",
        members=tuple(sorted(user.name or user.id for user in seeing)),
        member_ids=tuple(sorted(user.id for user in seeing)),
        updated_at=album.updated_at,
    )


def _role(album: ImmichAlbum, own_user: str | None) -> Role:
    """The key's user's role. Where the own id is unknown, all others' must be editor to be one."""
    owner = album.owner_user
    if own_user is not None and owner is not None and owner.id == own_user:
        return "owner"
    guests = [member for member in album.album_users if member.role != "owner"]
    mine = [member for member in guests if own_user is None or member.user.id == own_user]
    return "editor" if mine and all(member.role == "editor" for member in mine) else "viewer"


def _date_part(text: str | None) -> date | None:
    """Album dates are local days, sometimes written as midnight `Z`: never converted."""
    try:
        return date.fromisoformat(text[:10]) if text else None
    except ValueError:
        return None


class PhotoReader:
    """Turns assets into photos. Equal places share one value, so a long scan stays small."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._places: dict[tuple[str | None, str | None, str | None], Place] = {}

    def read(self, asset: ImmichAsset) -> Photo:
        local, instant = asset.local_date_time, asset.file_created_at
        if not _UUID.fullmatch(asset.id):
            raise ImmichBadAnswer("Immich sent a photo without a proper id; look at Immich's own log.")
        return Photo(
            id=asset.id.lower(),
            day=local_day(local, instant, self._zone),
            moment=instant or local or "",
            place=self._place(asset.exif_info),
            media=MEDIA_OF_TYPE.get(asset.type, "other"),
            owner=asset.owner_id,
            file=asset.original_file_name or "",
            utc_offset=utc_offset_minutes(local, instant),
            hour=local_hour(local),
        )

    def _place(self, exif: ImmichExif | None) -> Place:
        if exif is None or not _is_on_earth(exif.latitude, exif.longitude):
            return NOWHERE
        key = (exif.city or None, exif.state or None, exif.country or None)
        return self._places.setdefault(key, Place(*key))


def _is_on_earth(latitude: float | None, longitude: float | None) -> bool:
    """False for 0/0, which stripped GPS turns into, and for what is no number. Unknown coordinates prove nothing."""
    if latitude is None or longitude is None:
        return True
    return math.isfinite(latitude) and math.isfinite(longitude) and bool(latitude or longitude)


_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {}


def decode(kind: type[T], body: bytes) -> T:
    """`body` as `kind`. Raises msgspec.DecodeError where it is no such JSON."""
    if kind not in _DECODERS:
        _DECODERS[kind] = msgspec.json.Decoder(kind)
    try:
        decoded: T = _DECODERS[kind].decode(body)
    except msgspec.DecodeError:
        return _decode_odd_numbers(kind, body)
    return decoded


def _decode_odd_numbers(kind: type[T], body: bytes) -> T:
    """Once more, reading NaN and numbers out of range, which are no JSON but have been seen as coordinates."""
    try:
        lenient = json.loads(body)
    except ValueError as error:
        raise msgspec.DecodeError(str(error)) from None
    return msgspec.convert(lenient, kind)

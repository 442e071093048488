"""What a search asks for, as predicates over assets, and the flat fields that every version knows.

The structured `filter` is in `filters`; paging and answers are in `search`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from service.demo.errors import ImmichError, no_access
from service.demo.instants import instant_ms
from service.demo.library import Asset, Library
from service.demo.versions import ImmichVersion

Predicate = Callable[[Asset], bool]

TEXT_FIELDS = {
    "city": "city",
    "state": "state",
    "country": "country",
    "make": "make",
    "model": "model",
}


@dataclass
class Conditions:
    """Everything must hold. The taken range is apart so that an index can answer it."""

    predicates: list[Predicate] = field(default_factory=list)
    taken_from: int | None = None
    taken_to: int | None = None
    """Milliseconds, both inclusive."""
    album_ids: tuple[str, ...] = ()
    """Albums that must all hold the asset: the candidates come from the first one."""
    owner_limit: bool = True
    """Only mine and my partners' assets, as everywhere but in an album search since 3.0."""
    keepable: bool = True
    """The answer depends on assets only, not on albums, and may be kept until an asset changes."""

    def narrow(self, taken_from: int | None, taken_to: int | None) -> None:
        """Keep to this range too; None leaves a side open."""
        if taken_from is not None:
            self.taken_from = taken_from if self.taken_from is None else max(self.taken_from, taken_from)
        if taken_to is not None:
            self.taken_to = taken_to if self.taken_to is None else min(self.taken_to, taken_to)

    def add(self, predicate: Predicate) -> None:
        self.predicates.append(predicate)


def checksum(asset: Asset) -> str:
    return base64.b64encode(hashlib.sha1(asset.id.encode(), usedforsecurity=False).digest()).decode()


# the flat fields


def legacy_conditions(body: Mapping[str, Any], library: Library, version: ImmichVersion, what: str) -> Conditions:
    """`what` is metadata, statistics or smart: they differ in the fields they know and the owner limit."""
    asked = {name: value for name, value in body.items() if value is not None or name in TEXT_FIELDS}
    found = Conditions(owner_limit=not (what == "metadata" and version.is_v3 and asked.get("albumIds")))
    _legacy_visibility(found, asked, version, what)
    _legacy_dates(found, asked)
    _legacy_places(found, asked, version)
    _legacy_flags(found, asked, library, counting=what == "statistics")
    if what == "metadata":
        _legacy_metadata_only(found, asked)
    _legacy_albums(found, asked, library, version, what)
    return found


def _legacy_visibility(found: Conditions, asked: Mapping[str, Any], version: ImmichVersion, what: str) -> None:
    wanted = asked.get("visibility")
    if wanted == "locked" and (version.is_v3 or what != "statistics"):
        raise ImmichError(401, "Elevated permission is required")
    if wanted is None and version.is_v3:
        found.add(lambda asset: asset.visibility != "locked")
    else:
        shown = wanted or "timeline"
        found.add(lambda asset: asset.visibility == shown)
    deleted = asked.get("withDeleted", bool(asked.get("isOffline"))) and what != "statistics"
    if not deleted:
        found.add(lambda asset: not asset.is_trashed)


def _legacy_dates(found: Conditions, asked: Mapping[str, Any]) -> None:
    found.narrow(instant_ms(asked.get("takenAfter")), instant_ms(asked.get("takenBefore")))
    for what, attribute in (("created", "created_at"), ("updated", "updated_at")):
        after, before = instant_ms(asked.get(f"{what}After")), instant_ms(asked.get(f"{what}Before"))
        if after is not None or before is not None:
            found.add(_between(attribute, after, before))


def _between(attribute: str, after: int | None, before: int | None) -> Predicate:
    def predicate(asset: Asset) -> bool:
        ms = instant_ms(getattr(asset, attribute))
        return ms is not None and (after is None or ms >= after) and (before is None or ms <= before)

    return predicate


def _legacy_places(found: Conditions, asked: Mapping[str, Any], version: ImmichVersion) -> None:
    for name, attribute in TEXT_FIELDS.items():
        if name in asked:
            value = asked[name]
            # 2.x turns a blank into null and finds what has no such value; 3.x looks for the empty text
            wanted = None if value == "" and not version.is_v3 else value
            found.add(lambda asset, a=attribute, w=wanted: getattr(asset, a) == w)  # type: ignore[misc]


def _legacy_flags(found: Conditions, asked: Mapping[str, Any], library: Library, *, counting: bool) -> None:
    for name, attribute in (("type", "type"), ("isFavorite", "is_favorite"), ("isOffline", "is_offline")):
        if name in asked:
            found.add(lambda asset, a=attribute, w=asked[name]: getattr(asset, a) == w)  # type: ignore[misc]
    if "isMotion" in asked:
        motion = asked["isMotion"]
        found.add(lambda asset: (asset.live_photo_video_id is not None) == motion)
    if asked.get("isNotInAlbum"):
        used = {asset_id for album in library.albums.values() for asset_id in album.asset_ids}
        found.keepable = False
        found.add(lambda asset: asset.id not in used)
    if asked.get("personIds"):
        wanted = frozenset(asked["personIds"])
        found.add(lambda asset: wanted.issubset(asset.person_ids))
    if asked.get("withStacked") is False and not counting:
        found.add(lambda asset: asset.stack_id is None)
    if asked.get("description"):
        words = asked["description"].casefold()
        found.add(lambda asset: words in asset.description.casefold())


def _legacy_metadata_only(found: Conditions, asked: Mapping[str, Any]) -> None:
    """`search/statistics` and `search/smart` ignore these like any unknown field."""
    if "id" in asked:
        found.add(lambda asset: asset.id == asked["id"])
    if asked.get("originalFileName"):
        part = asked["originalFileName"].casefold()
        found.add(lambda asset: part in asset.file_name.casefold())
    if asked.get("checksum"):
        found.add(lambda asset: checksum(asset) == asked["checksum"])


def _legacy_albums(
    found: Conditions, asked: Mapping[str, Any], library: Library, version: ImmichVersion, what: str
) -> None:
    album_ids = tuple(asked.get("albumIds") or ())
    if version.is_v3 and what == "metadata":
        require_albums(album_ids, library)
    found.album_ids = album_ids


def require_albums(album_ids: tuple[str, ...], library: Library) -> None:
    for album_id in album_ids:
        album = library.albums.get(album_id)
        if album is None or album.role_of(library.me.id) is None:
            raise no_access("album.read")

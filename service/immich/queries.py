"""Search bodies in both of Immich's styles, built in this one place and never mixed.

legacy (below 3.2): flat fields, `takenBefore` inclusive to the millisecond, `page` numbers.
filter (3.2 and newer): a nested `filter`, `takenAt` half open, opaque cursors.
`visibility` is always sent, and in filter style `trashedAt` null: without them each version counts something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from service.domain.criteria import PLACE_KINDS, Criteria, MediaFilter
from service.domain.days import Window, instants_around
from service.domain.photos import MEDIA_OF_TYPE
from service.immich.wire import ImmichAsset

Style = Literal["legacy", "filter"]
Visibility = Literal["timeline", "archive"]
FILTER_STYLE_SINCE = (3, 2)
TYPE_OF_MEDIA = {media: kind for kind, media in MEDIA_OF_TYPE.items()}
# A UUID v4 that no asset, person or album has; asking for it must find nothing.
IMPOSSIBLE_ID = "00000000-0000-4000-8000-000000000000"


@dataclass(frozen=True, slots=True)
class AssetQuery:
    """What Immich is asked for. Instants are UTC, `…_from` inclusive, `…_until` exclusive.

    `created` is the upload time; only slices use it. `placeless` finds only photos without city, state and country.
    `visibility` is archive only to tell of them.
    """

    taken_from: datetime | None = None
    taken_until: datetime | None = None
    created_from: datetime | None = None
    created_until: datetime | None = None
    state: str | None = None
    city: str | None = None
    country: str | None = None
    person_id: str | None = None
    album_id: str | None = None
    media: MediaFilter = "all"
    favorites_only: bool = False
    placeless: bool = False
    visibility: Visibility = "timeline"

    @classmethod
    def of(cls, criteria: Criteria, window: Window | None = None) -> AssetQuery:
        """The query that surely holds every photo of `criteria` (in `window` instead of its own dates)."""
        start, end = instants_around(criteria.window if window is None else window)
        return cls(
            taken_from=start,
            taken_until=end,
            state=criteria.state,
            city=criteria.city,
            country=criteria.country,
            person_id=criteria.person_id,
            media=criteria.media,
            favorites_only=criteria.favorites_only,
        )

    def is_ignored_by(self, asset: ImmichAsset) -> str | None:
        """The name of a filter that this answer disobeys; None if it obeys all.

        Favourites are checked by `service.immich.scan`, which knows whose photo it is.
        """
        if asset.visibility is not None and asset.visibility != self.visibility:
            return "visibility"
        if asset.is_trashed:
            return "trash"
        if self.media != "all" and asset.type != TYPE_OF_MEDIA[self.media]:
            return "type"
        return self._ignored_place(asset)

    def _ignored_place(self, asset: ImmichAsset) -> str | None:
        exif = asset.exif_info
        if self.placeless and exif is not None and (exif.state or exif.city or exif.country):
            return "place"
        if not (self.state or self.city or self.country):
            return None
        for kind in PLACE_KINDS:
            wanted = getattr(self, kind)
            if wanted and (exif is None or getattr(exif, kind) != wanted):
                return kind
        return None


def format_instant(moment: datetime) -> str:
    """`2026-08-02T00:00:00.000Z`: bare dates and missing zones are 400 on Immich 3.x."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def build_statistics_body(query: AssetQuery, style: Style) -> dict[str, Any]:
    return {"filter": _filter(query)} if style == "filter" else _flat(query)


def build_search_body(
    query: AssetQuery,
    style: Style,
    *,
    size: int,
    with_exif: bool,
    page: int | None = None,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Body of `search/metadata`. `page` belongs to legacy style, `cursor` to filter style."""
    body = build_statistics_body(query, style) | {"size": size, "withExif": with_exif}
    if style == "legacy":
        body["page"] = page or 1
    elif cursor is not None:
        body["cursor"] = cursor
    return body


def build_smart_body(
    query: AssetQuery, style: Style, *, text: str, size: int, page: int | None = None
) -> dict[str, Any]:
    """Body of `search/smart`. Filter style has one page only and refuses `page`."""
    body = build_statistics_body(query, style) | {"query": text, "size": size, "withExif": True}
    if style == "legacy":
        body["page"] = page or 1
    return body


def _flat(query: AssetQuery) -> dict[str, Any]:
    body: dict[str, Any] = {"visibility": query.visibility}
    for name in ("taken", "created"):
        if start := getattr(query, f"{name}_from"):
            body[f"{name}After"] = format_instant(start)
        if end := getattr(query, f"{name}_until"):
            body[f"{name}Before"] = format_instant(end - timedelta(milliseconds=1))
    for kind in PLACE_KINDS:
        if value := getattr(query, kind):
            body[kind] = value
    if query.placeless:
        body |= dict.fromkeys(PLACE_KINDS)
    if query.person_id:
        body["personIds"] = [query.person_id]
    if query.album_id:
        body["albumIds"] = [query.album_id]
    if query.media != "all":
        body["type"] = TYPE_OF_MEDIA[query.media]
    if query.favorites_only:
        body["isFavorite"] = True
    return body


def _filter(query: AssetQuery) -> dict[str, Any]:
    wanted: dict[str, Any] = {"visibility": {"eq": query.visibility}, "trashedAt": {"eq": None}}
    for name in ("taken", "created"):
        start, end = getattr(query, f"{name}_from"), getattr(query, f"{name}_until")
        bounds = {"gte": start and format_instant(start), "lt": end and format_instant(end)}
        if start or end:
            wanted[f"{name}At"] = {operator: moment for operator, moment in bounds.items() if moment}
    for kind in PLACE_KINDS:
        if value := getattr(query, kind):
            wanted[kind] = {"eq": value}
    if query.placeless:
        wanted |= {kind: {"eq": None} for kind in PLACE_KINDS}
    if query.person_id:
        wanted["personIds"] = {"all": [query.person_id]}
    if query.album_id:
        wanted["albumIds"] = {"any": [query.album_id]}
    if query.media != "all":
        wanted["type"] = {"eq": TYPE_OF_MEDIA[query.media]}
    if query.favorites_only:
        wanted["isFavorite"] = {"eq": True}
    return wanted

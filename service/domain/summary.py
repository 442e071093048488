"""A trip in a few lines: totals that add up, day clusters, places, samples; and fitting it into 2,500 characters."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from service.domain.days import is_doubtful
from service.domain.names import clean, shorten
from service.domain.photos import Photo, Place, in_order
from service.domain.trips import DayCluster, group_trips

MAX_RESULT_CHARS = 2_500
MAX_CLUSTERS = 8
MAX_PLACES = 5
MAX_WARNINGS = 4
# Neighbouring zones are an hour apart; a camera left at home is more.
MIXED_OFFSETS_MINUTES = 120
MAX_FILE_CHARS = 60
MAX_PLACE_CHARS = 80


@dataclass(frozen=True, slots=True)
class Selection:
    """The photos that match, each once, and how far they can be trusted.

    photos: readable, wanted and unique. unreadable_ids: photos that matched but have no readable day; they are
    among `photos` only without a date criterion. complete: everything was read and equals Immich's own count.
    truncated: reading stopped at MAX_SCAN. known_total: Immich's count where it may stand for the total.
    after_midnight: how many more were taken in the small hours after the last day.
    """

    photos: Sequence[Photo]
    unreadable_ids: frozenset[str] = frozenset()
    complete: bool = True
    truncated: bool = False
    known_total: int | None = None
    after_midnight: int = 0

    @property
    def total(self) -> int:
        return len(self.photos) if self.known_total is None else self.known_total

    @property
    def exact(self) -> bool:
        return self.complete and (not self.truncated or self.known_total is not None)

    @property
    def unreadable(self) -> int:
        return len(self.unreadable_ids)

    @property
    def unreadable_inside(self) -> int:
        """Photos of `total` without a readable day."""
        return sum(photo.day is None for photo in self.photos)


def place_label(place: Place) -> str:
    """A place as one plain text: `Bar Harbor, Maine`, `Singapore`, `Norway (no town)`."""
    if not place.city:
        return f"{place.state or place.country} (no town)"
    region = place.state or place.country
    return f"{place.city}, {region}" if region and region != place.city else place.city


def label_places(counts: Mapping[Place, int]) -> dict[Place, str]:
    """Labels that differ where the places do: towns of one name in several countries are shown with the country."""
    labels = {place: shorten(clean(place_label(place)), MAX_PLACE_CHARS) for place in counts}
    twice = {label for label, number in Counter(labels.values()).items() if number > 1}
    countries = {(place.city, place.country) for place in counts if place.city and place.country}
    abroad = {city for city, number in Counter(city for city, _ in countries).items() if number > 1}
    return {
        place: f"{label}, {shorten(clean(place.country), MAX_PLACE_CHARS)}"
        if place.country and (label in twice or place.city in abroad) and not label.endswith(f", {place.country}")
        else label
        for place, label in labels.items()
    }


def summarise(selection: Selection, *, samples: int, public_url: str, own_user: str | None) -> dict[str, Any]:
    """The fields of a summary except `criteria` and `warnings`, JSON values only.

    Sums hold unless truncated: clusters + other_clusters + unreadable_dates inside the total = total,
    top_places + other_places + no_location = total, by_media adds up to total.
    """
    photos = selection.photos
    per_day = Counter(photo.day for photo in photos if photo.day)
    clusters = group_trips(per_day)
    shown = clusters[:MAX_CLUSTERS]
    summary: dict[str, Any] = {"total": selection.total, "exact": selection.exact}
    if per_day:
        summary |= {"first": min(per_day).isoformat(), "last": max(per_day).isoformat()}
    summary["clusters"] = _describe_clusters(shown, photos)
    summary["other_clusters"] = sum(cluster.count for cluster in clusters[MAX_CLUSTERS:])
    summary |= _count_places(photos)
    summary["by_media"] = _count_media(photos)
    if by_owner := _count_owners(photos, own_user):
        summary["by_owner"] = by_owner
    if inside := selection.unreadable_inside:
        summary["unreadable_dates"] = inside
    summary["samples"] = [describe_photo(photo, public_url) for photo in pick_samples(photos, samples)]
    summary["truncated"] = selection.truncated
    return summary


def _describe_clusters(clusters: Sequence[DayCluster], photos: Iterable[Photo]) -> list[dict[str, Any]]:
    places: list[Counter[Place]] = [Counter() for _ in clusters]
    by_start = sorted(range(len(clusters)), key=lambda i: clusters[i].start)
    where = {}
    for index in by_start:
        for ordinal in range(clusters[index].start.toordinal(), clusters[index].end.toordinal() + 1):
            where[ordinal] = index
    for photo in photos:
        if photo.day and photo.place.known and (index := where.get(photo.day.toordinal(), -1)) >= 0:
            places[index][photo.place] += 1
    return [_describe_cluster(cluster, places[i]) for i, cluster in enumerate(clusters)]


def _describe_cluster(cluster: DayCluster, places: Counter[Place]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "start": cluster.start.isoformat(),
        "end": cluster.end.isoformat(),
        "count": cluster.count,
    }
    if places:
        described["top_place"] = label_places(places)[most_common_places(places)[0][0]]
    return described


def most_common_places(places: Counter[Place]) -> list[tuple[Place, int]]:
    """By count, then by name: the same library always gives the same answer."""
    return sorted(places.items(), key=lambda item: (-item[1], tuple(part or "" for part in item[0])))


def _count_places(photos: Iterable[Photo]) -> dict[str, Any]:
    counts = Counter(photo.place for photo in photos)
    nowhere = counts.pop(Place(), 0)
    labels = label_places(counts)
    ranked = most_common_places(counts)
    return {
        "top_places": [{"place": labels[place], "count": count} for place, count in ranked[:MAX_PLACES]],
        "other_places": sum(count for _, count in ranked[MAX_PLACES:]),
        "no_location": nowhere,
    }


def _count_media(photos: Iterable[Photo]) -> dict[str, int]:
    counts = Counter(photo.media for photo in photos)
    media = {"photo": counts["photo"], "video": counts["video"]}
    return media | ({"other": counts["other"]} if counts["other"] else {})


def _count_owners(photos: Iterable[Photo], own_user: str | None) -> dict[str, int]:
    """Split by mine and partners'; empty if all are mine. Without a known own id nobody is guessed to be me."""
    counts = Counter(photo.owner for photo in photos)
    if own_user is None:
        return {"unknown": counts.total()} if len(counts) > 1 else {}
    partners = counts.total() - counts[own_user]
    return {"me": counts[own_user], "partners": partners} if partners else {}


def pick_samples(photos: Sequence[Photo], number: int) -> list[Photo]:
    """At most `number` photos, evenly spread over time, the first and the last among them."""
    ordered = sorted(photos, key=in_order)
    if number >= len(ordered):
        return ordered
    if number < 2:
        return ordered[:number]
    step = (len(ordered) - 1) / (number - 1)
    return [ordered[round(i * step)] for i in range(number)]


def describe_photo(photo: Photo, public_url: str) -> dict[str, Any]:
    """One photo for a person: `date`, `place`, `file`, `url`; what is not known is left out."""
    described: dict[str, Any] = {}
    if photo.day:
        described["date"] = photo.day.isoformat()
    if photo.place.known:
        described["place"] = shorten(clean(place_label(photo.place)), MAX_PLACE_CHARS)
    described["file"] = shorten(clean(photo.file), MAX_FILE_CHARS)
    described["url"] = f"{public_url}/photos/{photo.id}"
    return described


def collect_warnings(selection: Selection, *, has_dates: bool, today: date) -> list[str]:
    """What a person should know about the count, most important first, each one short sentence."""
    warnings: list[str] = []
    if selection.truncated:
        warnings.append(
            f"Only the newest {len(selection.photos)} photos were read; narrow the dates or places for exact clusters."
        )
    elif not selection.complete:
        warnings.append("The count is not exact: Immich's own count differs; try again in a minute.")
    if selection.unreadable and has_dates:
        warnings.append(
            f"{selection.unreadable} more {_photos(selection.unreadable)} from around these days have unreadable "
            "dates and are not counted."
        )
    warnings += _warn_doubtful(selection.photos, today)
    warnings += _warn_offsets(selection.photos)
    return warnings


def _photos(number: int) -> str:
    return "photo" if number == 1 else "photos"


def _warn_doubtful(photos: Iterable[Photo], today: date) -> list[str]:
    counts = Counter(photo.day for photo in photos if photo.day and is_doubtful(photo.day, today))
    if not counts:
        return []
    number = counts.total()
    days = ", ".join(day.isoformat() for day in sorted(counts)[:2]) + (" …" if len(counts) > 2 else "")
    return [f"{number} {_photos(number)} with a doubtful date ({days}) are in the total."]


def _warn_offsets(photos: Iterable[Photo]) -> list[str]:
    """Two cameras on different clocks within a day: nobody can tell which day is right."""
    per_day: dict[date, set[int]] = {}
    for photo in photos:
        if photo.day and photo.utc_offset is not None:
            per_day.setdefault(photo.day, set()).add(photo.utc_offset)
    days = sorted(per_day)
    for i, day in enumerate(days):
        offsets = set(per_day[day])
        if i and (day - days[i - 1]).days == 1:
            offsets |= per_day[days[i - 1]]
        if max(offsets) - min(offsets) >= MIXED_OFFSETS_MINUTES:
            low, high = _offset(min(offsets)), _offset(max(offsets))
            return [f"Mixed UTC offsets ({low}, {high}) around {day}: a camera clock may be on another time zone."]
    return []


def _offset(minutes: int) -> str:
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def to_json(result: Mapping[str, Any]) -> str:
    """Compact JSON as it goes over the wire."""
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


TRIM_STEPS: tuple[tuple[str, int], ...] = (
    ("samples", 0),
    ("top_places", 1),
    ("clusters", 1),
    ("warnings", 1),
    ("albums", 1),
    ("results", 1),
    ("windows", 1),
)
# Where the count of a trimmed entry goes, so that the parts still add up to the total.
REST_OF = {"top_places": "other_places", "clusters": "other_clusters", "windows": "other_windows"}


def fit(result: Mapping[str, Any], max_chars: int = MAX_RESULT_CHARS) -> dict[str, Any]:
    """`result` trimmed to `max_chars` of compact JSON: samples, then places, clusters, warnings, list entries.

    Scalars, the token and the sentence stay whole. The counts of trimmed places and clusters move into
    `other_places` and `other_clusters`. `trimmed` is set if anything went. Returns a new dict.
    """
    fitted = dict(result)
    size = len(to_json(fitted))
    for name, least in TRIM_STEPS:
        while size > max_chars and len(fitted.get(name) or ()) > least:
            size -= _drop_last(fitted, name)
            if "trimmed" not in fitted:
                fitted["trimmed"] = True
                size = len(to_json(fitted))
    return fitted


def _drop_last(fitted: dict[str, Any], name: str) -> int:
    """Drops the last entry of a list; returns by how many characters the JSON shrank."""
    before = len(to_json(fitted))
    *kept, dropped = fitted[name]
    fitted[name] = kept
    if (rest := REST_OF.get(name)) is not None:
        fitted[rest] = fitted.get(rest, 0) + (dropped["count"] if name != "windows" else 1)
    return before - len(to_json(fitted))

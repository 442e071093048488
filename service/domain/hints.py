"""What a person who got this answer would want to know next, each as one short sentence of our own words.

Only sentences; what has to be looked up for them is `service.actions.hints`. Library text is always quoted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from service.domain.criteria import Criteria
from service.domain.days import Window
from service.domain.names import quote
from service.domain.photos import Photo, Place
from service.domain.plans import count_photos
from service.domain.summary import Selection, label_places, most_common_places
from service.domain.trips import group_trips

NOTHING_TOGETHER = "Nothing matches all of these criteria together; drop one and search again."
NOTHING_DATED = "No photo is dated on these days."
WITHOUT_GPS = "Photos without GPS are not in a place search; search the whole date range to include them."
KNOWN_FACES = "Only photos on which Immich knows this face are counted; on partners' photos it often does not."
MAX_SHOWN = 3


def starts_late(criteria: Criteria, today: date) -> bool:
    """A small model likes to add a range that begins today to a search that needs none."""
    return criteria.taken_after is not None and criteria.taken_after >= today


def plain_hints(criteria: Criteria, selection: Selection, today: date) -> list[str]:
    """Hints that need nothing but the answer itself."""
    hints = []
    if selection.total and starts_late(criteria, today):
        hints.append("The range starts today or later; leave the dates out to search all years.")
    if selection.after_midnight and any(photo.day == criteria.taken_before for photo in selection.photos):
        hints.append(f"{selection.after_midnight} more follow right after midnight of {criteria.taken_before}.")
    if criteria.person:
        hints.append(KNOWN_FACES)
    return hints


def say_starts_late(without_dates: int | None) -> str:
    if without_dates is None:
        return "The range starts today or later; leave the dates out to search all years."
    return f"The range starts today or later; without dates: {count_photos(without_dates)}."


def say_without_dates(number: int) -> str:
    return f"Nothing matches on these days; without the dates: {count_photos(number)}."


def trip_days(photos: Iterable[Photo]) -> Window | None:
    """The days of the biggest cluster; None if no photo has a day."""
    clusters = group_trips(Counter(photo.day for photo in photos if photo.day))
    return Window(clusters[0].start, clusters[0].end) if clusters else None


def say_placeless(number: int, window: Window, *, at_least: bool = False) -> str:
    days = f"{window.start}" if window.start == window.end else f"{window.start or '…'} to {window.end or '…'}"
    more = f"More than {count_photos(number)}" if at_least else count_photos(number)
    return f"{more} of {days} {'has' if number == 1 else 'have'} no place at all, so a place search misses them."


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """The states or countries in which a known town or state is, most photos first. counted: the numbers are whole."""

    spelling: str
    places: list[tuple[str, int]]
    counted: bool


def say_where(where: Whereabouts) -> str:
    shown = (f"{quote(name)} ({count})" if where.counted else quote(name) for name, count in where.places[:MAX_SHOWN])
    return f"{quote(where.spelling)} is in {', '.join(shown)}."


def say_days(photos: Sequence[Photo]) -> list[str]:
    """Where the photos of these days are instead."""
    counts: Counter[Place] = Counter(photo.place for photo in photos if photo.place.known)
    if not counts:
        return []
    place, number = most_common_places(counts)[0]
    label = quote(label_places(counts)[place])
    return [f"Most photos of these days are at {label} ({number}); Immich names the nearest town, maybe over a border."]


def say_archived(number: int) -> str:
    if number == 1:
        return "1 archived photo of these days is not included."
    return f"{number} archived photos of these days are not included."


def say_other_spellings(spelling: str, others: Sequence[str]) -> str:
    shown = ", ".join(quote(name) for name in others[:MAX_SHOWN])
    return f"Only {quote(spelling)} was searched; the library also has {shown}."

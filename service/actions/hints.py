"""Looking around an answer for hints: what is there instead, or beside it. Best effort, never the cost of an answer.

At most four statistics calls and as many single pages, within a few seconds; what fails leaves the plain hints.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from service.actions.context import Tripbook
from service.actions.criteria import find_where
from service.domain.albums import Album
from service.domain.criteria import PLACE_KINDS, Criteria
from service.domain.days import Window
from service.domain.hints import (
    NOTHING_DATED,
    NOTHING_TOGETHER,
    WITHOUT_GPS,
    plain_hints,
    say_archived,
    say_days,
    say_other_spellings,
    say_placeless,
    say_starts_late,
    say_where,
    say_without_dates,
    starts_late,
    trip_days,
)
from service.domain.places import find_other_spellings
from service.domain.summary import Selection
from service.errors import ImmichError
from service.immich.queries import AssetQuery
from service.logs import get_logger

log = get_logger(__name__)
HINT_SECONDS = 3.0
MAX_WINDOWS = 2  # and the album itself, each one count and one page


async def find_hints(app: Tripbook, criteria: Criteria, selection: Selection) -> list[str]:
    """Sentences for `warnings`, the most useful first. Where nothing matches, the first one is the reason."""
    plain = plain_hints(criteria, selection, app.today)
    try:
        async with asyncio.timeout(HINT_SECONDS):
            return [*await _look_around(app, criteria, selection), *plain]
    except (ImmichError, TimeoutError) as error:
        log.info("hints left out", reason=type(error).__name__)
    if selection.total == 0:
        return [NOTHING_TOGETHER, *plain]
    return [*plain, WITHOUT_GPS] if criteria.has_place else plain


async def _look_around(app: Tripbook, criteria: Criteria, selection: Selection) -> list[str]:
    hints = await _tell_other_spellings(app, criteria)
    if selection.total == 0:
        return [*await _explain_nothing(app, criteria), *hints]
    if criteria.has_place and (window := _days_of(criteria, selection)):
        hints += await _tell_placeless(app, criteria, window)
    return hints


def _days_of(criteria: Criteria, selection: Selection) -> Window | None:
    """The days asked for, or those of the biggest trip found."""
    asked = criteria.window
    return asked if asked.start and asked.end else trip_days(selection.photos)


async def _explain_nothing(app: Tripbook, criteria: Criteria) -> list[str]:
    elsewhere = await _count_without_dates(app, criteria) if criteria.has_dates else None
    if starts_late(criteria, app.today):
        return [say_starts_late(elsewhere)]
    if elsewhere:
        reasons = [say_without_dates(elsewhere)]
    else:
        reasons = await _tell_where(app, criteria)
    if criteria.has_place and criteria.has_dates:
        reasons += await _tell_days(app, criteria)
    return reasons or [NOTHING_DATED if criteria.without_dates().is_empty else NOTHING_TOGETHER]


async def _count_without_dates(app: Tripbook, criteria: Criteria) -> int | None:
    """None where the number would be the whole library, or hold partners' favourites."""
    undated = criteria.without_dates()
    if undated.is_empty or undated.favorites_only:
        return None
    return await app.library.count(AssetQuery.of(undated))


async def _tell_where(app: Tripbook, criteria: Criteria) -> list[str]:
    """A city that is real, but not in the state or country it was asked in."""
    given = {kind: value for kind in PLACE_KINDS if (value := getattr(criteria, kind))}
    for narrow, wide in (("city", "country"), ("city", "state"), ("state", "country")):
        if narrow in given and wide in given:
            where = await find_where(app.library, narrow, given[narrow], wide)
            if where.places and given[wide] not in dict(where.places):
                return [say_where(where)]
    return []


async def _tell_days(app: Tripbook, criteria: Criteria) -> list[str]:
    """What the days asked for hold, whatever the place."""
    found = await app.library.peek(AssetQuery.of(criteria.without_place()), criteria.window)
    placeless = sum(not photo.place.known for photo in found.photos)
    if found.truncated:
        told = await _tell_placeless(app, criteria, criteria.window)
    else:
        told = [say_placeless(placeless, criteria.window)] if placeless else []
    return told + say_days(found.photos)


async def _tell_placeless(app: Tripbook, criteria: Criteria, window: Window) -> list[str]:
    """Photos of the same days that no place search can find."""
    query = AssetQuery.of(criteria.without_place(), window)
    found = await app.library.peek(replace(query, placeless=True), window)
    number = len(found.photos)
    return [say_placeless(number, window, at_least=found.truncated)] if number else []


async def find_gap_hints(app: Tripbook, criteria: Criteria, album: Album, windows: tuple[Window, ...]) -> list[str]:
    """What an album's gaps leave out: archived photos of its days, and those without a place."""
    hints = [WITHOUT_GPS] if criteria.has_place else []
    try:
        async with asyncio.timeout(HINT_SECONDS):
            archived = await _count_archived(app, criteria, album, windows)
    except (ImmichError, TimeoutError) as error:
        log.info("hints left out", reason=type(error).__name__)
        return hints
    return [say_archived(archived), *hints] if archived else hints


async def _count_archived(app: Tripbook, criteria: Criteria, album: Album, windows: tuple[Window, ...]) -> int | None:
    """Archived photos of the windows that the album does not hold; None where that would take too many calls."""
    if len(windows) > MAX_WINDOWS:
        return None
    found: set[str] = set()
    for window in windows:
        query = replace(AssetQuery.of(criteria, window), visibility="archive")
        part = await app.library.peek(query, window)
        if part.truncated:
            return None
        found.update(photo.id for photo in part.photos)
    return len(found - await app.library.find_archived_members(album)) if found else 0


async def _tell_other_spellings(app: Tripbook, criteria: Criteria) -> list[str]:
    """A library can hold one place in two spellings; Immich finds one at a time."""
    hints = []
    for kind in PLACE_KINDS:
        if spelling := getattr(criteria, kind):
            others = find_other_spellings(kind, spelling, await app.library.known_places(kind))
            hints += [say_other_spellings(spelling, others)] if others else []
    return hints

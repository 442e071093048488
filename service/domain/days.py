"""Local days: the date part of an asset's wall clock, and the wider instants Immich is asked for.

Immich writes `localDateTime` as the wall clock where the photo was taken, marked `Z`. Its date part is the local
day and is never converted. Immich's date search compares the instant `fileCreatedAt`, so we ask for a window
that is wider than any UTC offset in use and cut by local day ourselves (`immich-facts.md`, Dates).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache

# UTC-12 to UTC+14 are in use; 26 hours also hold for an instant that was written without its offset.
WIDENING = timedelta(hours=26)
# No camera is older. A local date before it is a broken date, not a day.
FIRST_CAMERA_DAY = date(1826, 1, 1)
EPOCH_DAY = date(1970, 1, 1)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LOCAL = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ].*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Window:
    """A range of local days, both ends inclusive; None is open."""

    start: date | None = None
    end: date | None = None

    @property
    def is_open(self) -> bool:
        """True if no day is excluded."""
        return self.start is None and self.end is None

    def holds(self, day: date) -> bool:
        return (self.start is None or day >= self.start) and (self.end is None or day <= self.end)


ALL_DAYS = Window()


def parse_iso_day(text: str) -> date:
    """The day `YYYY-MM-DD`. Raises ValueError for anything else, also for days that do not exist."""
    if not _DAY.fullmatch(text):
        raise ValueError("must be a date like 2026-08-02 (YYYY-MM-DD)")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text} is no day of the calendar; write YYYY-MM-DD") from None


@lru_cache(maxsize=65_536)
def _readable_day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day >= FIRST_CAMERA_DAY else None


def local_day(local_date_time: str | None, file_created_at: str | None, zone: tzinfo) -> date | None:
    """The photographer's day; None if it cannot be read.

    Only where Immich gives no local time at all is the instant converted to `zone` (IMMICH_TIMEZONE).
    """
    if local_date_time:
        match = _LOCAL.fullmatch(local_date_time)
        return _readable_day(match.group(1)) if match else None
    instant = parse_instant(file_created_at)
    if instant is None:
        return None
    try:
        return _readable_day(instant.astimezone(zone).date().isoformat())
    except OverflowError:
        return None


def local_hour(local_date_time: str | None) -> int | None:
    """The hour of the wall clock, 0 to 23; None if it cannot be read."""
    hour = local_date_time[11:13] if local_date_time else ""
    return int(hour) if hour.isascii() and hour.isdigit() and int(hour) < 24 else None


def parse_instant(text: str | None) -> datetime | None:
    """An Immich instant (`…Z`) as aware UTC; None if absent or unreadable."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def utc_offset_minutes(local_date_time: str | None, file_created_at: str | None) -> int | None:
    """Minutes east of UTC at the camera, rounded to a quarter of an hour; None if it cannot be told."""
    local, instant = parse_instant(local_date_time), parse_instant(file_created_at)
    if local is None or instant is None:
        return None
    minutes = round((local - instant).total_seconds() / 900) * 15
    return minutes if abs(minutes) <= 14 * 60 else None


def instants_around(window: Window) -> tuple[datetime | None, datetime | None]:
    """UTC instants (from, before) that surely hold every photo of `window`. None is open."""
    return _shift(window.start, -WIDENING), _shift(window.end, timedelta(days=1) + WIDENING)


def _shift(day: date | None, by: timedelta) -> datetime | None:
    if day is None:
        return None
    try:
        return datetime(day.year, day.month, day.day, tzinfo=UTC) + by
    except OverflowError:
        return None


def is_doubtful(day: date, today: date) -> bool:
    """1 January 1970 is what a lost date turns into; days after tomorrow have not happened yet."""
    return day == EPOCH_DAY or day > today + timedelta(days=1)

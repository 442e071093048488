"""Instants as Immich writes them: text with `Z`, compared as milliseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def instant_ms(text: str | None) -> int | None:
    """Milliseconds since 1970, or None for what is no date; a missing zone counts as UTC."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - EPOCH) // MILLISECOND


def instant_text(ms: int) -> str:
    """`2026-06-12T12:21:00.000Z`"""
    moment = EPOCH + ms * MILLISECOND
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def normal_instant(text: str) -> str:
    """The same instant with milliseconds and `Z`; unreadable text stays as it is."""
    ms = instant_ms(text)
    return text if ms is None else instant_text(ms)


def database_text(text: str | None) -> str | None:
    """`2026-06-12T12:21:00+00:00`: how dates look where Immich passes a database row through."""
    ms = instant_ms(text)
    if ms is None:
        return text
    moment = EPOCH + ms * MILLISECOND
    return moment.isoformat(timespec="milliseconds" if ms % 1000 else "seconds")


@lru_cache(maxsize=100_000)
def local_day(text: str | None) -> str | None:
    """The date part of a `localDateTime`, or None where it cannot be read."""
    ms = instant_ms(text)
    return None if ms is None else instant_text(ms)[:10]


def zone_name(offset_hours: float) -> str:
    """`UTC-4`, `UTC+5:30`, `UTC`: how Immich names a zone that EXIF gives as an offset."""
    minutes = round(abs(offset_hours) * 60)
    if not minutes:
        return "UTC"
    sign = "-" if offset_hours < 0 else "+"
    return f"UTC{sign}{minutes // 60}" + (f":{minutes % 60:02d}" if minutes % 60 else "")

"""Reading a query in slices of at most one page: exact also where many photos share one timestamp.

2.x orders by `fileCreatedAt` without a tie-break, so pages over equal timestamps repeat some rows and never show
others (measured: 3,000 photos of one instant, half of them seen). One page alone never repeats. So the query is
cut into disjoint ranges of `fileCreatedAt`, and inside one instant of the upload time `createdAt`, until Immich's
statistics say that each holds at most a page. Every cut is checked: the parts must count what the whole counts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from service.domain.days import parse_instant
from service.immich.queries import AssetQuery
from service.immich.wire import ImmichAsset

MILLISECOND = timedelta(milliseconds=1)
EARLIEST = datetime(1, 1, 3, tzinfo=UTC)
LATEST = datetime(9999, 12, 29, tzinfo=UTC)
# Statistics calls per photo page that is left to read; beyond it slicing is given up.
MAX_COUNTS = 400
Count = Callable[[AssetQuery], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Stamps:
    """Times seen while paging, sorted: good places to cut."""

    taken: Sequence[datetime]
    created: Sequence[datetime]

    @classmethod
    def of(cls, assets: Sequence[ImmichAsset]) -> Stamps:
        taken = sorted(t for t in (parse_instant(asset.file_created_at) for asset in assets) if t)
        created = sorted(t for t in (parse_instant(asset.created_at) for asset in assets) if t)
        return cls(taken, created)


class CannotSlice(Exception):
    """The parts do not add up to the whole, or too many photos share both times."""


async def plan_slices(query: AssetQuery, total: int, size: int, stamps: Stamps, count: Count) -> list[AssetQuery]:
    """Disjoint queries of 1 to `size` photos each that together are `query`. Raises CannotSlice."""
    found: list[AssetQuery] = []
    waiting: list[tuple[AssetQuery, int]] = [(query, total)]
    counts = 0
    while waiting:
        part, holds = waiting.pop()
        if holds <= size:
            found += [part] if holds else []
            continue
        children = cut(part, stamps)
        numbers = [await count(child) for child in children]
        counts += len(children)
        if sum(numbers) != holds or counts > MAX_COUNTS:
            raise CannotSlice
        waiting += zip(children, numbers, strict=True)
    return found


def cut(query: AssetQuery, stamps: Stamps) -> list[AssetQuery]:
    """The query in two or three parts: before, at and after the middle of the times seen in it."""
    start, end = query.taken_from or EARLIEST, query.taken_until or LATEST
    if end - start > MILLISECOND:
        parts = _split(start, end, stamps.taken)
        return [replace(query, taken_from=low, taken_until=high) for low, high in parts]
    start, end = query.created_from or EARLIEST, query.created_until or LATEST
    if end - start > MILLISECOND:
        parts = _split(start, end, stamps.created)
        return [replace(query, created_from=low, created_until=high) for low, high in parts]
    raise CannotSlice


def _split(start: datetime, end: datetime, seen: Sequence[datetime]) -> list[tuple[datetime, datetime]]:
    inside = seen[bisect_left(seen, start) : bisect_left(seen, end)]
    middle = inside[len(inside) // 2] if inside else _whole_millisecond(start + (end - start) / 2)
    after = min(middle + MILLISECOND, end)
    parts = [(start, middle), (middle, after), (after, end)]
    return [(low, high) for low, high in parts if low < high]


def _whole_millisecond(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)

"""Days into clusters: the trips of a summary, and the windows in which an album's missing photos are looked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from service.domain.days import Window

TRIP_GAP_DAYS = 2  # more empty days than this part two clusters of a summary
ALBUM_GAP_DAYS = 14  # more empty days than this part two windows of an album
OUTLIER_SHARE = 0.02
OUTLIER_DISTANCE_DAYS = 60
OUTLIER_MIN_MEMBERS = 20
OUTLIER_REST_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class DayCluster:
    """A run of days with photos; `count` photos from `start` to `end`, both inclusive."""

    start: date
    end: date
    count: int


def group_days(per_day: Mapping[date, int], gap_days: int) -> list[DayCluster]:
    """Runs of days, oldest first. More than `gap_days` empty days between two days part them."""
    clusters: list[DayCluster] = []
    for day in sorted(per_day):
        last = clusters[-1] if clusters else None
        if last and (day - last.end).days - 1 <= gap_days:
            clusters[-1] = DayCluster(last.start, day, last.count + per_day[day])
        else:
            clusters.append(DayCluster(day, day, per_day[day]))
    return clusters


def group_trips(per_day: Mapping[date, int]) -> list[DayCluster]:
    """The clusters of a summary: the biggest first, of equal ones the newest."""
    return sorted(group_days(per_day, TRIP_GAP_DAYS), key=lambda c: (-c.count, -c.start.toordinal()))


@dataclass(frozen=True, slots=True)
class AlbumDays:
    """Where an album's missing photos may lie: windows already padded and joined, and the runs left out."""

    windows: list[Window]
    outliers: list[DayCluster]


def plan_album_days(per_day: Mapping[date, int], pad_days: int) -> AlbumDays:
    """The windows of an album from its members' local days, oldest first, each `pad_days` wider on both sides."""
    clusters = group_days(per_day, ALBUM_GAP_DAYS)
    outliers = _find_outliers(clusters)
    kept = [cluster for cluster in clusters if cluster not in outliers]
    return AlbumDays(_pad_and_join(kept, pad_days), outliers)


def _find_outliers(clusters: list[DayCluster]) -> list[DayCluster]:
    """Runs so small and so far away that they are likely wrong dates. None if too much would be left out."""
    total = sum(cluster.count for cluster in clusters)
    if total < OUTLIER_MIN_MEMBERS or len(clusters) < 2:
        return []
    most = max(1, int(total * OUTLIER_SHARE))
    found = [c for i, c in enumerate(clusters) if c.count <= most and _is_far(clusters, i)]
    left = total - sum(cluster.count for cluster in found)
    return found if left >= OUTLIER_REST_SHARE * total else []


def _is_far(clusters: list[DayCluster], index: int) -> bool:
    distances = []
    if index > 0:
        distances.append((clusters[index].start - clusters[index - 1].end).days)
    if index + 1 < len(clusters):
        distances.append((clusters[index + 1].start - clusters[index].end).days)
    return min(distances) > OUTLIER_DISTANCE_DAYS


def _pad_and_join(clusters: list[DayCluster], pad_days: int) -> list[Window]:
    joined: list[tuple[date, date]] = []
    for cluster in clusters:
        start, end = _moved(cluster.start, -pad_days), _moved(cluster.end, pad_days)
        if joined and start <= joined[-1][1] + timedelta(days=1):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return [Window(start, end) for start, end in joined]


def _moved(day: date, days: int) -> date:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return date.min if days < 0 else date.max

"""Clusters of days, and the windows of an album."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

import pytest

from service.domain.days import Window
from service.domain.trips import DayCluster, group_days, group_trips, plan_album_days


def days(*numbers: int) -> Counter[date]:
    """One photo per given day of August 2026."""
    return Counter(date(2026, 8, 1) + timedelta(days=number - 1) for number in numbers)


@pytest.mark.parametrize(
    ("numbers", "runs"),
    [
        ((1, 2, 3), 1),
        ((1, 3), 1),
        ((1, 4), 1),  # two empty days are not more than two
        ((1, 5), 2),
        ((1, 2, 6, 7), 2),
        ((), 0),
    ],
)
def test_more_than_two_empty_days_part_two_trips(numbers: tuple[int, ...], runs: int) -> None:
    assert len(group_days(days(*numbers), 2)) == runs


def test_trips_are_ordered_by_count_then_newest() -> None:
    per_day = {date(2022, 5, 1): 10, date(2024, 4, 10): 30, date(2025, 8, 4): 10}
    assert [cluster.start.year for cluster in group_trips(per_day)] == [2024, 2025, 2022]


def test_album_windows_are_padded_and_joined() -> None:
    planned = plan_album_days(days(1, 2, 16, 40), 1)
    assert planned.windows == [
        Window(date(2026, 7, 31), date(2026, 8, 17)),
        Window(date(2026, 9, 8), date(2026, 9, 10)),
    ]
    assert plan_album_days(days(1, 17), 10).windows == [Window(date(2026, 7, 22), date(2026, 8, 27))]
    assert plan_album_days(days(1), 0).windows == [Window(date(2026, 8, 1), date(2026, 8, 1))]


def test_one_wrongly_dated_photo_is_left_out() -> None:
    per_day = Counter({date(2016, 7, 2): 100, date(2016, 7, 9): 110, date(2024, 2, 11): 1})
    planned = plan_album_days(per_day, 1)
    assert planned.windows == [Window(date(2016, 7, 1), date(2016, 7, 10))]
    assert planned.outliers == [DayCluster(date(2024, 2, 11), date(2024, 2, 11), 1)]


@pytest.mark.parametrize(
    "per_day",
    [
        {date(2016, 7, 2): 18, date(2024, 2, 11): 1},  # fewer than 20 members
        {date(2016, 7, 2): 100, date(2016, 8, 20): 1},  # not more than 60 days away
        {date(2016, 7, 2): 100, date(2024, 2, 11): 3},  # more than 2 %
    ],
)
def test_what_is_no_outlier(per_day: dict[date, int]) -> None:
    assert plan_album_days(per_day, 1).outliers == []


def test_a_theme_album_of_single_days_keeps_them_all() -> None:
    per_day = {date(2015, 1, 1) + timedelta(days=90 * i): 1 for i in range(30)}
    planned = plan_album_days(per_day, 1)
    assert planned.outliers == []
    assert len(planned.windows) == 30


def test_padding_stops_at_the_ends_of_the_calendar() -> None:
    planned = plan_album_days({date(9999, 12, 31): 1, date.min: 1}, 30)
    assert planned.windows[0].start == date.min
    assert planned.windows[-1].end == date.max

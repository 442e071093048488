"""Summaries: parts that add up, labels, samples, and fitting them into 2,500 characters."""

from __future__ import annotations

import copy
from datetime import date, timedelta
from typing import Any

import pytest

from service.domain.photos import Photo, Place
from service.domain.summary import (
    MAX_RESULT_CHARS,
    Selection,
    collect_warnings,
    fit,
    pick_samples,
    place_label,
    summarise,
    to_json,
)

MAINE = Place("Bar Harbor", "Maine", "United States of America")


def photo(number: int, day: date | None = date(2026, 8, 2), place: Place = MAINE, **changes: Any) -> Photo:
    base = Photo(f"{number:08d}-0000-4000-8000-000000000000", day, f"{number:09d}", place, "photo", "me", "a.jpg")
    return base._replace(**changes)


def summary_of(*photos: Photo) -> dict[str, Any]:
    return summarise(Selection(photos), samples=3, public_url="https://p", own_user="me")


@pytest.mark.parametrize(
    ("place", "label"),
    [
        (MAINE, "Bar Harbor, Maine"),
        (Place("Singapore", None, "Singapore"), "Singapore"),
        (Place(None, None, "Norway"), "Norway (no town)"),
        (Place(None, "Maine", "United States of America"), "Maine (no town)"),
        (Place("Bergen", None, "Norway"), "Bergen, Norway"),
        (Place("Bergen", None, None), "Bergen"),
    ],
)
def test_place_labels_have_no_stray_commas(place: Place, label: str) -> None:
    assert place_label(place) == label


def test_same_city_in_two_countries_stays_two_places() -> None:
    spain, venezuela = Place("Valencia", "X", "Spain"), Place("Valencia", "X", "Venezuela")
    summary = summary_of(*(photo(i, place=spain) for i in range(4)), *(photo(9 + i, place=venezuela) for i in range(3)))
    assert summary["top_places"] == [
        {"place": "Valencia, X, Spain", "count": 4},
        {"place": "Valencia, X, Venezuela", "count": 3},
    ]


def test_more_than_five_places_and_eight_clusters_go_into_the_rest() -> None:
    photos = [
        photo(i, date(2026, 1, 1) + timedelta(days=10 * (i % 12)), Place(f"Town {i % 9}", "S", "C")) for i in range(108)
    ]
    summary = summary_of(*photos)
    assert len(summary["clusters"]) == 8
    assert summary["other_clusters"] == 108 - 8 * 9
    assert len(summary["top_places"]) == 5
    assert summary["other_places"] == 108 - 5 * 12


def test_nothing_at_all() -> None:
    summary = summary_of()
    assert (summary["total"], summary["exact"], summary["clusters"]) == (0, True, [])
    assert "first" not in summary


def test_samples_are_spread_and_hold_both_ends() -> None:
    photos = [photo(i) for i in range(100)]
    assert [p.moment for p in pick_samples(photos[::-1], 3)] == ["000000000", "000000050", "000000099"]
    assert pick_samples(photos, 0) == []
    assert len(pick_samples(photos, 1)) == 1
    assert len(pick_samples(photos[:2], 10)) == 2


def big() -> dict[str, Any]:
    return {
        "total": 6_200,
        "clusters": [{"start": "2026-01-01", "end": "2026-01-02", "count": 100 - i} for i in range(8)],
        "other_clusters": 5,
        "top_places": [{"place": "A town with a long name " * 3, "count": 50 - i} for i in range(5)],
        "other_places": 7,
        "samples": [{"date": "2026-01-01", "file": "x" * 60, "url": "https://p/" + "y" * 60} for _ in range(10)],
        "warnings": ["w" * 150] * 4,
        "sentence": "s" * 200,
        "preview_token": "t" * 32,
    }


def test_fit_trims_samples_first_and_keeps_what_must_stay() -> None:
    result = big()
    before = copy.deepcopy(result)
    fitted = fit(result)
    assert len(to_json(fitted)) <= MAX_RESULT_CHARS
    assert fitted["trimmed"] is True
    assert len(fitted["samples"]) < 10
    assert len(fitted["top_places"]) == 5
    assert fitted["sentence"] == before["sentence"]
    assert fitted["preview_token"] == before["preview_token"]
    assert result == before


def test_fit_goes_on_with_places_clusters_and_warnings_and_sums_still_hold() -> None:
    fitted = fit(big(), max_chars=900)
    assert len(to_json(fitted)) <= 900
    assert fitted["samples"] == []
    assert len(fitted["top_places"]) == 1
    assert sum(p["count"] for p in fitted["top_places"]) + fitted["other_places"] == 50 + 49 + 48 + 47 + 46 + 7
    assert sum(c["count"] for c in fitted["clusters"]) + fitted["other_clusters"] == sum(range(93, 101)) + 5


def test_fit_leaves_a_small_result_alone() -> None:
    assert fit({"total": 1, "samples": []}) == {"total": 1, "samples": []}


def test_warnings_name_the_most_important_first() -> None:
    selection = Selection(
        [photo(1, date(1970, 1, 1)), photo(2, date(2099, 1, 1)), photo(3)],
        unreadable_ids=frozenset("ab"),
        complete=False,
    )
    warnings = collect_warnings(selection, has_dates=True, today=date(2026, 12, 1))
    assert "not exact" in warnings[0]
    assert "2 more photos" in warnings[1]
    assert "2 photos with a doubtful date (1970-01-01, 2099-01-01)" in warnings[2]


def test_mixed_utc_offsets_are_a_warning() -> None:
    photos = [photo(1, date(2026, 9, 19), utc_offset=-420), photo(2, date(2026, 9, 20), utc_offset=60)]
    (warning,) = collect_warnings(Selection(photos), has_dates=True, today=date(2026, 12, 1))
    assert "(-07:00, +01:00)" in warning

"""Golden bodies: exactly what is asked of Immich, in both styles."""

from __future__ import annotations

from datetime import date

import pytest

from service.domain.criteria import Criteria
from service.immich.queries import AssetQuery, Style, build_search_body, build_smart_body, build_statistics_body
from service.immich.wire import ImmichAsset, ImmichExif

PERSON = "11111111-1111-4111-8111-111111111111"
EVERYTHING = Criteria(
    taken_after=date(2026, 8, 2),
    taken_before=date(2026, 8, 9),
    state="Maine",
    city="Bar Harbor",
    country="United States of America",
    person="Simba",
    media="photo",
    favorites_only=True,
    person_id=PERSON,
)


def body(criteria: Criteria, style: Style) -> dict[str, object]:
    return build_search_body(AssetQuery.of(criteria), style, size=1000, with_exif=True)


def test_state_only_legacy() -> None:
    assert body(Criteria(state="Maine"), "legacy") == {
        "visibility": "timeline",
        "state": "Maine",
        "size": 1000,
        "withExif": True,
        "page": 1,
    }


def test_state_only_filter() -> None:
    assert body(Criteria(state="Maine"), "filter") == {
        "filter": {"visibility": {"eq": "timeline"}, "trashedAt": {"eq": None}, "state": {"eq": "Maine"}},
        "size": 1000,
        "withExif": True,
    }


def test_dates_only_legacy_upper_bound_is_inclusive_to_the_millisecond() -> None:
    assert body(Criteria(taken_after=date(2026, 8, 2), taken_before=date(2026, 8, 9)), "legacy") == {
        "visibility": "timeline",
        "takenAfter": "2026-07-31T22:00:00.000Z",
        "takenBefore": "2026-08-11T01:59:59.999Z",
        "size": 1000,
        "withExif": True,
        "page": 1,
    }


def test_dates_only_filter_upper_bound_is_exclusive() -> None:
    assert body(Criteria(taken_after=date(2026, 8, 2), taken_before=date(2026, 8, 9)), "filter")["filter"] == {
        "visibility": {"eq": "timeline"},
        "trashedAt": {"eq": None},
        "takenAt": {"gte": "2026-07-31T22:00:00.000Z", "lt": "2026-08-11T02:00:00.000Z"},
    }


def test_everything_legacy() -> None:
    assert body(EVERYTHING, "legacy") == {
        "visibility": "timeline",
        "takenAfter": "2026-07-31T22:00:00.000Z",
        "takenBefore": "2026-08-11T01:59:59.999Z",
        "state": "Maine",
        "city": "Bar Harbor",
        "country": "United States of America",
        "personIds": [PERSON],
        "type": "IMAGE",
        "isFavorite": True,
        "size": 1000,
        "withExif": True,
        "page": 1,
    }


def test_everything_filter() -> None:
    assert body(EVERYTHING, "filter") == {
        "filter": {
            "visibility": {"eq": "timeline"},
            "trashedAt": {"eq": None},
            "takenAt": {"gte": "2026-07-31T22:00:00.000Z", "lt": "2026-08-11T02:00:00.000Z"},
            "state": {"eq": "Maine"},
            "city": {"eq": "Bar Harbor"},
            "country": {"eq": "United States of America"},
            "personIds": {"all": [PERSON]},
            "type": {"eq": "IMAGE"},
            "isFavorite": {"eq": True},
        },
        "size": 1000,
        "withExif": True,
    }


@pytest.mark.parametrize(
    ("day", "after", "before"),
    [
        # clocks change: a local day has 23 or 25 hours, the window does not care
        (date(2026, 3, 8), "2026-03-06T22:00:00.000Z", "2026-03-10T02:00:00.000Z"),
        (date(2026, 11, 1), "2026-10-30T22:00:00.000Z", "2026-11-03T02:00:00.000Z"),
        # both sides of the date line: UTC+14 begins the day 14 h early, UTC-12 ends it 12 h late
        (date(2026, 1, 1), "2025-12-30T22:00:00.000Z", "2026-01-03T02:00:00.000Z"),
        (date(2024, 2, 29), "2024-02-27T22:00:00.000Z", "2024-03-02T02:00:00.000Z"),
    ],
)
def test_one_local_day_is_asked_for_with_26_hours_on_both_sides(day: date, after: str, before: str) -> None:
    criteria = Criteria(taken_after=day, taken_before=day)
    assert build_statistics_body(AssetQuery.of(criteria), "filter")["filter"]["takenAt"] == {
        "gte": after,
        "lt": before,
    }


def test_days_at_the_ends_of_the_calendar_leave_that_side_open() -> None:
    criteria = Criteria(taken_after=date.min, taken_before=date.max)
    assert "takenAt" not in build_statistics_body(AssetQuery.of(criteria), "filter")["filter"]
    assert build_statistics_body(AssetQuery.of(criteria), "legacy") == {"visibility": "timeline"}


def test_one_sided_ranges() -> None:
    legacy = build_statistics_body(AssetQuery.of(Criteria(taken_after=date(2026, 8, 2))), "legacy")
    assert legacy == {"visibility": "timeline", "takenAfter": "2026-07-31T22:00:00.000Z"}


def test_following_pages() -> None:
    query = AssetQuery(state="Maine")
    assert build_search_body(query, "legacy", size=10, with_exif=False, page=3) == {
        "visibility": "timeline",
        "state": "Maine",
        "size": 10,
        "withExif": False,
        "page": 3,
    }
    following = build_search_body(query, "filter", size=10, with_exif=False, page=3, cursor="opaque")
    assert following["cursor"] == "opaque"
    assert "page" not in following


@pytest.mark.parametrize("style", ["legacy", "filter"])
def test_statistics_get_the_same_conditions_as_the_search(style: Style) -> None:
    searched = body(EVERYTHING, style)
    counted = build_statistics_body(AssetQuery.of(EVERYTHING), style)
    assert {key: value for key, value in searched.items() if key not in ("size", "withExif", "page")} == counted


def test_album_members() -> None:
    query = AssetQuery(album_id=PERSON)
    assert build_statistics_body(query, "legacy") == {"visibility": "timeline", "albumIds": [PERSON]}
    assert build_statistics_body(query, "filter")["filter"]["albumIds"] == {"any": [PERSON]}


def test_smart_search_has_no_page_in_filter_style() -> None:
    query = AssetQuery(state="Maine")
    assert build_smart_body(query, "legacy", text="snow", size=5, page=2) == {
        "visibility": "timeline",
        "state": "Maine",
        "query": "snow",
        "size": 5,
        "withExif": True,
        "page": 2,
    }
    assert build_smart_body(query, "filter", text="snow", size=5, page=2) == {
        "filter": {"visibility": {"eq": "timeline"}, "trashedAt": {"eq": None}, "state": {"eq": "Maine"}},
        "query": "snow",
        "size": 5,
        "withExif": True,
    }


@pytest.mark.parametrize(
    ("asset", "ignored"),
    [
        (ImmichAsset("a", visibility="timeline", type="IMAGE", exif_info=ImmichExif(state="Maine")), None),
        (ImmichAsset("a", visibility="archive", type="IMAGE", exif_info=ImmichExif(state="Maine")), "visibility"),
        (ImmichAsset("a", visibility="hidden", type="IMAGE", exif_info=ImmichExif(state="Maine")), "visibility"),
        (ImmichAsset("a", is_trashed=True, type="IMAGE", exif_info=ImmichExif(state="Maine")), "trash"),
        (ImmichAsset("a", type="VIDEO", exif_info=ImmichExif(state="Maine")), "type"),
        (ImmichAsset("a", type="IMAGE", exif_info=ImmichExif(state="Vermont")), "state"),
        (ImmichAsset("a", type="IMAGE", exif_info=None), "state"),
    ],
)
def test_an_answer_that_disobeys_a_filter_is_noticed(asset: ImmichAsset, ignored: str | None) -> None:
    assert AssetQuery(state="Maine", media="photo").is_ignored_by(asset) == ignored

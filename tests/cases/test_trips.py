"""Trips: runs of days with their counts and places, and what a person would otherwise forget."""

from __future__ import annotations

import pytest

from tests.cases.libraries import BERGEN, HOME, LISBOA, STYLES, clusters_of, library, places_of, shoot, warns
from tests.harness import tripbook


def days(month: str, first: int, last: int) -> list[str]:
    return [f"{month}-{day:02d}" for day in range(first, last + 1)]


@pytest.mark.parametrize("version", STYLES)
async def test_trp_01_home_photos_do_not_drown_the_trip(version: str) -> None:
    """4,000 home photos of the case are 1,200 here: more than the one page that hints may read."""
    made = library()
    for day in days("2025-08", 1, 10):
        shoot(made, day, 120, place=HOME)
    for day in days("2025-08", 4, 7):
        shoot(made, day, 30, at="15:00", place=LISBOA)
    shoot(made, "2025-08-05", 15, at="18:00")
    dates = {"taken_after": "2025-08-01", "taken_before": "2025-08-10"}
    async with tripbook(made, version=version) as box:
        everything = await box.call("search_photos", **dates)
        assert everything["total"] == 1_335
        assert list(places_of(everything).items()) == [("Konstanz, Baden-Wurttemberg", 1_200), ("Lisboa, Lisbon", 120)]
        assert everything["no_location"] == 15
        lisboa = await box.call("search_photos", city="Lisboa", **dates)
        assert clusters_of(lisboa) == [("2025-08-04", "2025-08-07", 120)]
        assert warns(lisboa, "15 photos of 2025-08-01 to 2025-08-10 have no place at all")
        undated = await box.call("search_photos", city="Lisboa")
        assert warns(undated, "15 photos of 2025-08-04 to 2025-08-07 have no place at all")


async def test_trp_02_several_trips_to_one_place_are_several_clusters() -> None:
    made = library()
    for month, first, last, number in (("2022-05", 1, 4, 20), ("2024-04", 10, 12, 20), ("2025-08", 4, 7, 30)):
        for day in days(month, first, last):
            shoot(made, day, number, place=LISBOA)
    async with tripbook(made) as box:
        answer = await box.call("search_photos", city="Lisboa")
        assert (answer["total"], answer["other_clusters"]) == (260, 0)
        assert clusters_of(answer) == [
            ("2025-08-04", "2025-08-07", 120),
            ("2022-05-01", "2022-05-04", 80),
            ("2024-04-10", "2024-04-12", 60),
        ]


async def test_trp_03_a_trip_over_new_year_is_one_run() -> None:
    made = library()
    for day in (*days("2023-12", 29, 31), *days("2024-01", 1, 3)):
        shoot(made, day, 9, offset_hours=-5)
        shoot(made, day, 1, at="23:50", offset_hours=-5)
    async with tripbook(made) as box:
        answer = await box.call("search_photos", taken_after="2023-12-29", taken_before="2024-01-03")
        assert clusters_of(answer) == [("2023-12-29", "2024-01-03", 60)]


async def test_trp_04_a_day_trip_is_one_day() -> None:
    made = library()
    for hour in range(9):
        shoot(made, "2025-05-11", 1, at=f"{10 + hour // 2}:00")
    async with tripbook(made) as box:
        answer = await box.call("search_photos", taken_after="2025-05-11", taken_before="2025-05-11")
        assert clusters_of(answer) == [("2025-05-11", "2025-05-11", 9)]


@pytest.mark.parametrize("version", STYLES)
async def test_trp_05_a_trip_without_gps_is_told(version: str) -> None:
    made = library()
    for day in days("2024-09", 1, 5):
        shoot(made, day, 60)
    shoot(made, "2023-03-03", 1, city="Roma", state="Lazio", country="Italy")
    dates = {"taken_after": "2024-09-01", "taken_before": "2024-09-05"}
    async with tripbook(made, version=version) as box:
        answer = await box.call("search_photos", **dates)
        assert (answer["total"], answer["no_location"], answer["top_places"]) == (300, 300, [])
        rome = await box.call("search_photos", city="Roma", **dates)
        assert rome["total"] == 0
        assert warns(rome, "300 photos of 2024-09-01 to 2024-09-05 have no place at all")
        problem = await box.problem("preview_album", album_name="Roma", city="Roma", **dates)
        assert problem["code"] == "nothing_matches"
        assert "without the dates: 1 photo" in problem["detail"]


async def test_trp_06_a_day_without_photos_does_not_part_a_trip() -> None:
    made = library()
    for day in (1, 2, 4, 5):
        shoot(made, f"2025-05-{day:02d}", 3)
    shoot(made, "2025-05-09", 1)
    async with tripbook(made) as box:
        answer = await box.call("search_photos", taken_after="2025-05-01", taken_before="2025-05-31")
        assert clusters_of(answer) == [("2025-05-01", "2025-05-05", 12), ("2025-05-09", "2025-05-09", 1)]


async def test_trp_07_trips_of_photos_only_and_of_videos_only() -> None:
    made = library()
    shoot(made, "2025-05-01", 96)
    shoot(made, "2025-07-01", 5, type="VIDEO")
    async with tripbook(made) as box:
        photos = await box.call("search_photos", taken_before="2025-06-01")
        videos = await box.call("search_photos", taken_after="2025-06-01")
        assert (photos["total"], photos["by_media"]) == (96, {"photo": 96, "video": 0})
        assert (videos["total"], videos["by_media"]) == (5, {"photo": 0, "video": 5})


@pytest.mark.parametrize("version", STYLES)
async def test_trp_09_a_party_past_midnight_is_told(version: str) -> None:
    made = library()
    shoot(made, "2024-10-31", 205, at="18:00", offset_hours=-5)
    shoot(made, "2024-10-31", 205, at="23:59", offset_hours=-5)
    shoot(made, "2024-11-01", 45, at="01:30", offset_hours=-5)
    shoot(made, "2024-11-01", 7, at="12:00", offset_hours=-5)
    async with tripbook(made, version=version) as box:
        answer = await box.call("search_photos", taken_after="2024-10-31", taken_before="2024-10-31")
        assert answer["total"] == 410
        assert warns(answer, "45 more follow right after midnight of 2024-10-31.")


@pytest.mark.parametrize("version", STYLES)
async def test_llm_02_a_range_from_today_is_told_with_the_number_without_it(version: str) -> None:
    made = library()
    shoot(made, "2024-06-01", 25, place=BERGEN)
    async with tripbook(made, version=version) as box:
        answer = await box.call("search_photos", city="Bergen", taken_after="2026-12-01")
        assert answer["total"] == 0
        assert answer["warnings"] == ["The range starts today or later; without dates: 25 photos."]
        late = await box.call("search_photos", taken_after="2027-01-01")
        assert late["warnings"] == ["The range starts today or later; leave the dates out to search all years."]


async def test_an_empty_answer_always_has_a_reason() -> None:
    made = library()
    shoot(made, "2024-06-01", 5, place=BERGEN)
    async with tripbook(made) as box:
        for criteria, reason in (
            ({"taken_before": "2020-01-01"}, "No photo is dated on these days."),
            ({"media": "video"}, "Nothing matches all of these criteria together; drop one and search again."),
            ({"city": "Bergen", "taken_before": "2020-01-01"}, "Nothing matches on these days; without the dates: 5"),
        ):
            answer = await box.call("search_photos", **criteria)
            assert answer["total"] == 0
            assert answer["warnings"][0].startswith(reason)

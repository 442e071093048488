"""Local days: a photo stays on the day of its own wall clock, whatever the instant, the zone or our own TZ say."""

from __future__ import annotations

from typing import Any

import pytest

from service.demo.library import Library
from tests.cases.libraries import STYLES, clusters_of, library, warns
from tests.harness import Box, tripbook


async def count_on(box: Box, first: str, last: str | None = None, **criteria: Any) -> int:
    answer = await box.call("search_photos", taken_after=first, taken_before=last or first, **criteria)
    assert answer["exact"] is True
    total: int = answer["total"]
    return total


def odd(made: Library, local: str, instant: str, **fields: Any) -> str:
    """A photo whose instant does not follow from its wall clock."""
    return made.add_asset(local=local, instant=instant, **fields).id


@pytest.mark.parametrize("version", STYLES)
async def test_day_01_evening_stays_on_its_day(version: str) -> None:
    made = library()
    made.add_asset(local="2023-11-18T17:25", offset_hours=-8)
    made.add_asset(local="2023-12-28T21:05", offset_hours=-8, type="VIDEO")
    async with tripbook(made, version=version) as box:
        assert await count_on(box, "2023-11-18") == 1
        assert await count_on(box, "2023-11-19") == 0
        assert await count_on(box, "2023-12-29") == 0


@pytest.mark.parametrize("version", STYLES)
async def test_day_02_breakfast_east_of_utc(version: str) -> None:
    made = library()
    for local in ("2026-09-05T07:32", "2026-09-05T19:00", "2026-09-06T08:15"):
        made.add_asset(local=local, offset_hours=10)
    async with tripbook(made, version=version) as box:
        answer = await box.call("search_photos", taken_after="2026-09-05", taken_before="2026-09-05")
        assert clusters_of(answer) == [("2026-09-05", "2026-09-05", 2)]


@pytest.mark.parametrize("version", STYLES)
async def test_day_03_immich_is_asked_wider_than_the_day(version: str) -> None:
    made = library()
    made.add_asset(local="2025-06-14T07:40", offset_hours=9)
    made.add_asset(local="2025-06-13T12:00", offset_hours=9)
    async with tripbook(made, version=version) as box:
        until = await box.call("search_photos", taken_before="2025-06-13")
        assert until["total"] == 1
        assert await count_on(box, "2025-06-14") == 1
        body = box.immich.journal.calls("search/metadata")[-1].body
        taken = body.get("filter", {}).get("takenAt") or {"gte": body["takenAfter"], "lt": body["takenBefore"]}
        assert taken["gte"] <= "2025-06-13T10:00"
        assert taken["lt"] >= "2025-06-15T12:00"


async def test_day_05_new_years_eve_belongs_to_the_old_year() -> None:
    made = library()
    made.add_asset(local="2023-12-31T21:30", offset_hours=-5)
    made.add_asset(local="2024-01-01T00:20", offset_hours=1)
    async with tripbook(made) as box:
        assert await count_on(box, "2023-01-01", "2023-12-31") == 1
        assert await count_on(box, "2024-01-01", "2024-12-31") == 1


async def test_day_07_one_evening_in_two_zones_is_one_day_ordered_by_real_time() -> None:
    made = library()
    made.add_asset(local="2022-07-16T20:05", offset_hours=-7, file_name="z1.jpg")
    made.add_asset(local="2022-07-16T20:31", offset_hours=-6, file_name="z2.jpg")
    async with tripbook(made) as box:
        answer = await box.call("search_photos", taken_after="2022-07-16", taken_before="2022-07-16")
        assert clusters_of(answer) == [("2022-07-16", "2022-07-16", 2)]
        assert [sample["file"] for sample in answer["samples"]] == ["z2.jpg", "z1.jpg"]
        assert not warns(answer, "UTC offsets")


async def test_day_08_two_cameras_on_different_clocks_are_told() -> None:
    made = library()
    made.add_asset(local="2026-09-19T21:50", offset_hours=-7)
    made.add_asset(local="2026-09-20T05:52", offset_hours=1)
    async with tripbook(made) as box:
        answer = await box.call("search_photos", taken_after="2026-09-19", taken_before="2026-09-20")
        assert answer["total"] == 2
        assert warns(answer, "Mixed UTC offsets (-07:00, +01:00)")
        assert await count_on(box, "2026-09-19") == await count_on(box, "2026-09-20") == 1


async def test_day_09_no_zone_known_is_the_wall_clock() -> None:
    made = library()
    made.add_asset(local="2023-12-29T22:47", time_zone=None)
    async with tripbook(made) as box:
        assert await count_on(box, "2023-12-29") == 1
        assert await count_on(box, "2023-12-30") == 0


async def test_day_10_a_day_of_25_hours_and_a_wrong_season() -> None:
    made = library()
    made.add_asset(local="2025-10-26T00:15", offset_hours=2)
    made.add_asset(local="2025-10-26T23:30", offset_hours=1)
    odd(made, "2025-07-14T23:30", "2025-07-14T22:30Z")
    async with tripbook(made) as box:
        assert await count_on(box, "2025-10-26") == 2
        assert await count_on(box, "2025-07-14") == 1


async def test_day_11_instants_wrong_by_the_offset() -> None:
    made = library()
    made.add_asset(local="2026-05-16T23:10", offset_hours=2)
    odd(made, "2026-05-16T23:40", "2026-05-16T23:40Z", time_zone="UTC+2")
    odd(made, "2026-05-17T00:20", "2026-05-17T00:20Z", time_zone="UTC+2")
    async with tripbook(made) as box:
        assert await count_on(box, "2026-05-16") == 2


async def test_day_12_an_instant_wrong_by_years_is_cut_and_documented() -> None:
    """It cannot be found by its own day either: Immich searches instants. docs/behaviour.md says so."""
    made = library()
    odd(made, "2018-06-03T12:00", "2023-01-11T09:00Z")
    async with tripbook(made) as box:
        assert await count_on(box, "2023-01-11") == 0
        assert await count_on(box, "2018-06-03") == 0
        everything = await box.call("search_photos", media="photo")
        assert clusters_of(everything) == [("2018-06-03", "2018-06-03", 1)]


async def test_day_13_a_video_stored_hours_ahead_is_counted_as_stored() -> None:
    made = library()
    made.add_asset(local="2025-03-22T20:30", offset_hours=8)
    made.add_asset(local="2025-03-23T04:34", offset_hours=8, type="VIDEO")
    async with tripbook(made) as box:
        assert await count_on(box, "2025-03-22") == 1
        assert await count_on(box, "2025-03-23", media="video") == 1


async def test_without_any_local_time_the_configured_zone_decides() -> None:
    made = library()
    made.add_asset(instant="2024-03-01T23:30Z", local_date_time=None)
    for zone, day in (("UTC", "2024-03-01"), ("Asia/Shanghai", "2024-03-02")):
        async with tripbook(made, immich_timezone=zone) as box:
            assert await count_on(box, day) == 1

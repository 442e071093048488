"""What is missing from an album: looked for on the album's own days, whatever its dates, size and order."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.demo import faults
from service.demo.library import Library
from tests.cases.libraries import library, shoot, warns
from tests.harness import VERSIONS, Box, tripbook


async def gaps_of(box: Box, name: str, **fields: Any) -> dict[str, Any]:
    return await box.call("album_gaps", album_id=box.immich.library.album_named(name).id, **fields)


@pytest.mark.parametrize("version", VERSIONS)
async def test_alb_01_an_empty_album_has_no_dates(version: str) -> None:
    made = library()
    inbox = made.add_album("Inbox")
    shoot(made, "2025-05-01", 2)
    async with tripbook(made, version=version) as box:
        [found] = (await box.call("find_albums", query="inb"))["albums"]
        assert (found["asset_count"], found.get("start"), found.get("end")) == (0, None, None)
        problem = await box.problem("album_gaps", album_id=inbox.id)
        assert (problem["status"], problem["code"]) == (409, "album_has_no_dates")
        assert "say which days or places" in problem["detail"]
        gaps = await gaps_of(box, "Inbox", taken_after="2025-05-01", taken_before="2025-05-01")
        assert gaps["missing_count"] == 2


@pytest.mark.parametrize("end", ["2024-01-07T00:00:00.000Z", "2024-01-07", "2024-01-07T18:22:10.000Z"])
async def test_alb_02_the_end_is_a_day_not_an_instant(end: str) -> None:
    made = library(with_album=False)
    album = made.add_album("January", shoot(made, "2024-01-07", 1, at="09:00", offset_hours=1))
    shoot(made, "2024-01-07", 1, at="18:00", offset_hours=1)
    async with tripbook(made) as box:
        answer = {
            "id": album.id,
            "albumName": "January",
            "assetCount": 1,
            "albumUsers": [{"user": {"id": made.me.id, "name": "Anna"}, "role": "owner"}],
            "startDate": end,
            "endDate": end,
        }
        box.immich.faults.add(faults.raw(json.dumps([answer])), path="api/albums$")
        box.immich.faults.add(faults.raw(json.dumps(answer)), path=f"albums/{album.id}$")
        [found] = (await box.call("find_albums", query="january"))["albums"]
        assert (found["start"], found["end"]) == ("2024-01-07", "2024-01-07")
        gaps = await gaps_of(box, "January", pad_days=0)
        assert gaps["missing_count"] == 1
        assert gaps["windows"] == [{"start": "2024-01-07", "end": "2024-01-07"}]


@pytest.mark.parametrize("version", VERSIONS)
async def test_alb_03_one_wrongly_dated_photo_does_not_pull_in_years(version: str) -> None:
    made = library()
    inside = [photo for day in range(2, 10) for photo in shoot(made, f"2016-07-{day:02d}", 26)]
    inside += shoot(made, "2024-02-11", 1)
    made.add_album("Week", inside)
    shoot(made, "2016-07-05", 3)
    shoot(made, "2020-01-01", 400)
    async with tripbook(made, version=version) as box:
        gaps = await gaps_of(box, "Week")
        assert gaps["missing_count"] == 3
        assert gaps["windows"] == [{"start": "2016-07-01", "end": "2016-07-10"}]
        assert warns(gaps, "maybe wrongly dated: 1 photo of 2024-02-11")
        stretched = await gaps_of(box, "Week", taken_after="2016-07-02", taken_before="2024-02-11")
        assert stretched["missing_count"] == 403


async def test_alb_04_a_year_album_does_not_reach_into_december() -> None:
    made = library()
    made.add_album("2024", shoot(made, "2024-01-01", 1, at="00:20", offset_hours=1))
    shoot(made, "2023-12-31", 1, at="15:00", offset_hours=1)
    async with tripbook(made) as box:
        gaps = await gaps_of(box, "2024", pad_days=0)
        assert (gaps["missing_count"], gaps["windows"][0]["start"]) == (0, "2024-01-01")
        assert (await gaps_of(box, "2024"))["missing_count"] == 1, "the default looks one day further"


@pytest.mark.parametrize("version", VERSIONS)
async def test_alb_05_the_order_of_an_albums_photos_does_not_matter(version: str) -> None:
    made = library()
    days = ("2025-05-03", "2025-05-01", "2025-05-09", "2025-05-02")
    made.add_album("Mixed", [shoot(made, day, 1)[0] for day in days])
    async with tripbook(made, version=version) as box:
        gaps = await gaps_of(box, "Mixed", pad_days=0)
        assert gaps["windows"] == [{"start": "2025-05-01", "end": "2025-05-09"}]


async def test_alb_06_an_album_with_one_photo_has_a_day() -> None:
    made = library()
    made.add_album("One", shoot(made, "2025-02-14", 1, at="20:00", offset_hours=-3))
    shoot(made, "2025-02-14", 6, at="21:00", offset_hours=-3)
    async with tripbook(made) as box:
        assert (await gaps_of(box, "One"))["missing_count"] == 6


def big_album(size: int) -> Library:
    """A tenth of the case's 33,000: the pages are what counts."""
    made = library()
    made.add_album("Big", [photo for day in range(1, 12) for photo in shoot(made, f"2025-03-{day:02d}", size // 11)])
    shoot(made, "2025-03-05", 12, at="12:00")
    return made


@pytest.mark.parametrize("version", ["2.5.6", "3.3.1"])
async def test_alb_08_a_big_album_is_read_whole(version: str) -> None:
    async with tripbook(big_album(3_300), version=version) as box:
        assert (await gaps_of(box, "Big"))["missing_count"] == 12
        pages = [entry for entry in box.immich.journal.calls("search/metadata") if "albumIds" in str(entry.body)]
        assert len(pages) <= 4


async def test_alb_08_half_a_membership_list_is_never_used() -> None:
    made = big_album(330)
    async with tripbook(made, max_scan=100) as box:
        problem = await box.problem("album_gaps", album_id=made.album_named("Big").id)
        assert problem["code"] == "too_many_photos"
        assert "MAX_SCAN" in problem["detail"]
        assert "missing_count" not in problem


@pytest.mark.parametrize("version", VERSIONS)
async def test_alb_09_count_and_listing_may_disagree(version: str) -> None:
    made = library()
    inside = shoot(made, "2025-05-01", 10)
    hidden = shoot(made, "2025-05-01", 3, type="VIDEO", visibility="hidden")
    made.add_album("Thirteen", inside + hidden)
    outside = shoot(made, "2025-05-01", 2, at="12:00")
    async with tripbook(made, version=version) as box:
        gaps = await gaps_of(box, "Thirteen")
        assert (gaps["album"]["count"], gaps["missing_count"]) == (10, 2)
        confirm = {"preview_token": gaps["preview_token"], "expected_new_count": 2, "album_name": "Thirteen"}
        assert (await box.call("add_to_album", **confirm))["album_count_now"] == 12
        assert sorted(box.writes[0].body["ids"]) == sorted(photo.id for photo in outside)


async def test_alb_10_missing_means_not_in_this_album() -> None:
    made = library()
    made.add_album("A", shoot(made, "2025-05-01", 1))
    made.add_album("B", shoot(made, "2025-05-01", 1, at="12:00", file_name="z1.jpg"))
    async with tripbook(made) as box:
        gaps = await gaps_of(box, "A")
        assert [sample["file"] for sample in gaps["samples"]] == ["z1.jpg"]


async def test_photos_of_other_members_count_for_the_albums_days() -> None:
    made = library()
    cleo = made.add_user("Cleo")
    theirs = shoot(made, "2025-05-09", 1, owner=cleo)
    made.add_album("Shared", shoot(made, "2025-05-01", 1) + theirs, members={cleo.id: "editor"})
    shoot(made, "2025-05-09", 2)
    for version in VERSIONS:
        async with tripbook(made, version=version) as box:
            gaps = await gaps_of(box, "Shared", pad_days=0)
            assert gaps["windows"] == [{"start": "2025-05-01", "end": "2025-05-09"}]
            assert gaps["missing_count"] == 2


async def test_undated_albums_and_many_windows_ask_for_criteria() -> None:
    made = library()
    made.add_album("Undated", [made.add_asset(local_date_time="0000-11-30T00:00:00.000Z")])
    months = [f"20{year}-{month:02d}-15" for year in (20, 21) for month in range(1, 12, 1)]
    made.add_album("Years", [shoot(made, day, 1)[0] for day in months])
    shoot(made, "2020-03-15", 1)
    async with tripbook(made) as box:
        undated = await box.problem("album_gaps", album_id=made.album_named("Undated").id)
        assert undated["code"] == "album_has_no_dates"
        gaps = await gaps_of(box, "Years")
        assert (len(gaps["windows"]), gaps["missing_count"]) == (8, 1)
        assert "preview_token" not in gaps
        assert warns(gaps, "separate ranges; give dates or a place")

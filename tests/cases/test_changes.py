"""Things that change meanwhile: uploads, edited dates, two confirms, rows that move between pages."""

from __future__ import annotations

import asyncio

import pytest

from service.demo import faults
from tests.cases.libraries import library, shoot
from tests.cases.writing import DAY, albums_named, previewed
from tests.harness import VERSIONS, tripbook


@pytest.mark.parametrize("version", VERSIONS)
async def test_con_01_an_upload_counts_from_when_it_has_its_real_date(version: str) -> None:
    made = library()
    shoot(made, "2025-08-04", 40)
    for redated in (False, True):
        async with tripbook(made, version=version) as box:
            confirm = await previewed(box, f"Trip {redated}")
            uploads = shoot(made, "2026-12-01", 3)
            for upload in uploads if redated else ():
                made.update_asset(upload, local_date_time="2025-08-04T18:00:00.000Z")
                made.update_asset(upload, file_created_at="2025-08-04T18:00:00.000Z")
            if redated:
                problem = await box.problem("create_album", **confirm)
                assert (problem["code"], problem["actual_count"]) == ("library_changed", 43)
                assert box.writes == []
            else:
                assert (await box.call("create_album", **confirm))["added"] == 40


async def test_con_02_a_photo_that_leaves_the_range_is_told() -> None:
    made = library()
    shoot(made, "2025-08-04", 3)
    [moved] = shoot(made, "2025-08-04", 1, at="23:10", file_name="q1.jpg")
    async with tripbook(made) as box:
        confirm = await previewed(box)
        made.update_asset(moved, local_date_time="2025-08-05T01:10:00.000Z")
        problem = await box.problem("create_album", **confirm)
        assert (problem["code"], problem["difference"]["removed"]) == ("library_changed", 1)
        assert "4 then, 3 now" in problem["detail"]


@pytest.mark.parametrize("version", VERSIONS)
async def test_con_03_two_confirms_at_once_write_once(version: str) -> None:
    made = library()
    shoot(made, "2025-08-04", 5)
    async with tripbook(made, version=version) as box:
        confirm = await previewed(box)
        box.immich.faults.add(faults.hold(), method="PUT", path="assets$", times=1, name="adding")
        running = asyncio.create_task(box.post("create_album", confirm))
        assert await box.immich.faults.wait_hit("adding")
        second = await box.problem("create_album", **confirm)
        assert (second["status"], second["code"]) == (409, "confirm_in_progress")
        assert second["retry_after"] > 0
        await box.immich.faults.release("adding")
        first = (await running).json()
        assert await box.call("create_album", **confirm) == first | {"replayed": True}
        assert len(albums_named(box, "Trip")) == 1
        assert len(box.writes) == 2


@pytest.mark.parametrize("version", VERSIONS)
async def test_con_04_an_upload_between_two_pages_is_counted_or_not_but_never_twice(version: str) -> None:
    made = library()
    shoot(made, "2025-08-04", 1_001)
    async with tripbook(made, version=version) as box:
        box.immich.faults.add(faults.hold(), path="metadata$", page=2, times=1, name="second page")
        running = asyncio.create_task(box.post("search_photos", DAY))
        assert await box.immich.faults.wait_hit("second page")
        shoot(made, "2025-08-04", 1, at="23:00")
        await box.immich.faults.release("second page")
        answer = (await running).json()
        assert answer["exact"] is True
        assert answer["total"] == answer["clusters"][0]["count"]
        assert answer["total"] in (1_001, 1_002)
        assert (await box.call("preview_album", album_name="New", **DAY))["count"] == 1_002

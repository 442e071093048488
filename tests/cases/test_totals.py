"""Totals and paging: the number is that of the unique photos, however Immich cuts, repeats or breaks its pages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.demo import faults
from service.demo.library import Asset
from tests.cases.libraries import library, shoot
from tests.harness import VERSIONS, Box, tripbook

DAY = {"taken_after": "2025-08-04", "taken_before": "2025-08-04"}


def item(asset: Asset) -> dict[str, Any]:
    return {
        "id": asset.id,
        "type": "IMAGE",
        "ownerId": asset.owner_id,
        "originalFileName": asset.file_name,
        "fileCreatedAt": asset.file_created_at,
        "localDateTime": asset.local_date_time,
        "visibility": "timeline",
        "isTrashed": False,
        "exifInfo": {},
    }


def page_of(assets: list[Asset], following: str | None, version: str) -> faults.Action:
    """One page as a careless server sends it: `total` is the page, the next one named as told."""
    names = {"nextCursor": following, "nextPage": None} if version == "3.3.1" else {"nextPage": following}
    assets_page = {"total": len(assets), "count": len(assets), "items": [item(asset) for asset in assets], **names}
    return faults.raw(json.dumps({"assets": assets_page}))


async def test_tot_01_the_total_of_a_page_is_not_the_total() -> None:
    made = library()
    photos = shoot(made, "2025-08-04", 430)
    async with tripbook(made, version="3.1.0") as box:
        box.immich.faults.add(page_of(photos[:250], "2", "3.1.0"), path="metadata$", page=1)
        box.immich.faults.add(page_of(photos[250:], None, "3.1.0"), path="metadata$", page=2)
        answer = await box.call("search_photos", **DAY)
        assert (answer["total"], answer["exact"]) == (430, True)


@pytest.mark.parametrize("version", VERSIONS)
async def test_tot_02_the_next_page_goes_out_as_a_number(version: str) -> None:
    made = library()
    shoot(made, "2025-08-04", 1_200)
    async with tripbook(made, version=version) as box:
        assert (await box.call("search_photos", **DAY))["total"] == 1_200
        bodies = [entry.body for entry in box.immich.journal.calls("search/metadata")]
        if version != "3.3.1":
            assert [body["page"] for body in bodies] == [1, 2]
        else:
            assert [("cursor" in body, "page" in body) for body in bodies] == [(False, False), (True, False)]


@pytest.mark.parametrize("version", ["3.1.0", "3.3.1"])
@pytest.mark.parametrize("following", ["2", "x7"])
async def test_tot_03_paging_that_does_not_advance_is_an_error(version: str, following: str) -> None:
    made = library()
    photos = shoot(made, "2025-08-04", 600)
    async with tripbook(made, version=version) as box:
        box.immich.faults.add(page_of(photos[:250], following, version), path="metadata$")
        problem = await box.problem("search_photos", **DAY)
        assert (problem["status"], problem["code"]) == (502, "immich_bad_answer")
        assert "total" not in problem
        assert len(box.immich.journal.calls("search/metadata")) <= 4


async def test_tot_04_the_cut_by_local_day_decides_not_immichs_statistics() -> None:
    made = library()
    shoot(made, "2025-08-04", 10)
    shoot(made, "2025-08-05", 2, at="08:00")
    async with tripbook(made) as box:
        answer = await box.call("search_photos", **DAY)
        assert answer["total"] == sum(cluster["count"] for cluster in answer["clusters"]) == 10
        preview = await box.call("preview_album", album_name="Ten", **DAY)
        assert preview["count"] == 10
        [statistics, *_] = [e.body for e in box.immich.journal.calls("search/statistics") if "takenAt" in str(e.body)]
        assert statistics["filter"]["takenAt"]["lt"] > "2025-08-05T08:00"


async def test_tot_05_an_item_on_two_pages_counts_once() -> None:
    made = library()
    photos = shoot(made, "2025-08-04", 499)
    async with tripbook(made, version="2.5.6") as box:
        box.immich.faults.add(page_of(photos[:250], "2", "2.5.6"), path="metadata$", page=1)
        box.immich.faults.add(page_of(photos[249:], None, "2.5.6"), path="metadata$", page=2)
        answer = await box.call("search_photos", **DAY)
        assert (answer["total"], answer["exact"]) == (499, True)
        preview = await box.call("preview_album", album_name="Once", **DAY)
        assert preview["count"] == 499


async def test_tot_05_a_burst_of_one_instant_is_read_whole_or_called_inexact() -> None:
    """2.x sorts equal instants another way on every page."""
    made = library()
    for _ in range(1_300):
        made.add_asset(local="2025-08-04T10:00")
    async with tripbook(made, version="2.5.6") as box:
        answer = await box.call("search_photos", **DAY)
        assert answer["exact"] == (answer["total"] == 1_300)
        if not answer["exact"]:
            assert answer["warnings"]
            assert (await box.problem("preview_album", album_name="Burst", **DAY))["code"] == "counts_unstable"


async def test_tot_07_no_cap_shapes_the_answer() -> None:
    made = library()
    for day in range(1, 8):
        shoot(made, f"2025-08-{day * 4:02d}", 886 if day < 7 else 884)
    august = {"taken_after": "2025-08-01", "taken_before": "2025-08-31"}
    async with tripbook(made, max_write=10_000) as box:
        answer = await box.call("search_photos", **august)
        assert answer["total"] == sum(cluster["count"] for cluster in answer["clusters"]) == 6_200
        assert len(answer["samples"]) == 3
        assert (await box.call("preview_album", album_name="All", **august))["count"] == 6_200


async def test_tot_08_a_preview_is_everything_that_matches_not_what_was_shown() -> None:
    made = library()
    shoot(made, "2025-08-04", 612)
    async with tripbook(made) as box:
        assert len((await box.call("search_photos", samples=10, **DAY))["samples"]) == 10
        preview = await box.call("preview_album", album_name="All of it", **DAY)
        assert preview["count"] == 612
        assert "612 photos" in preview["sentence"]


async def refused_preview(box: Box, **criteria: Any) -> str:
    code: str = (await box.problem("preview_album", album_name="New", **criteria))["code"]
    return code


async def test_a_summary_that_is_not_exact_says_why_and_gives_no_token() -> None:
    made = library()
    shoot(made, "2025-08-04", 30)
    async with tripbook(made, max_scan=20) as box:
        answer = await box.call("search_photos", **DAY)
        assert (answer["truncated"], answer["exact"]) == (True, False)
        assert answer["warnings"][0].startswith("Only the newest 20 photos were read")
        assert await refused_preview(box, **DAY) == "too_many_photos"
    async with tripbook(made) as box:
        box.immich.faults.add(faults.raw('{"total": 31}'), path="statistics$", nth=2, times=99)
        answer = await box.call("search_photos", **DAY)
        assert answer["exact"] is False
        assert answer["warnings"][0].startswith("The count is not exact")
        assert await refused_preview(box, **DAY) == "counts_unstable"

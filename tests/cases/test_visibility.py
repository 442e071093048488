"""What counts: the timeline. Never archived, hidden, locked, trashed or offline photos, nor halves of live photos."""

from __future__ import annotations

import pytest

from service.demo import faults
from service.demo.library import Library
from tests.cases.libraries import STYLES, library, shoot, warns
from tests.harness import VERSIONS, tripbook

DAY = {"taken_after": "2025-05-01", "taken_before": "2025-05-01"}


@pytest.mark.parametrize("version", VERSIONS)
async def test_vis_01_the_timeline_only_on_every_version(version: str) -> None:
    made = library()
    members = shoot(made, "2025-05-01", 5) + shoot(made, "2025-05-01", 2, visibility="archive")
    shoot(made, "2025-05-01", 3, type="VIDEO", visibility="hidden")
    made.add_album("Spring", members)
    async with tripbook(made, version=version) as box:
        assert (await box.call("search_photos", **DAY))["total"] == 5
        bodies = [entry.body for entry in box.immich.journal.entries if "/search/" in entry.path and entry.body]
        assert all("timeline" in str(body) for body in bodies)


@pytest.mark.parametrize("version", STYLES)
async def test_vis_02_motion_parts_are_no_videos(version: str) -> None:
    made = library()
    for motion in shoot(made, "2025-05-01", 5, type="VIDEO", visibility="hidden"):
        shoot(made, "2025-05-01", 1, live_photo_video_id=motion.id)
    shoot(made, "2025-05-01", 1, type="VIDEO")
    async with tripbook(made, version=version) as box:
        totals = [(await box.call("search_photos", media=media, **DAY))["total"] for media in ("video", "photo", "all")]
        assert totals == [1, 5, 6]


async def test_vis_03_a_loose_motion_clip_is_a_video() -> None:
    made = library()
    shoot(made, "2025-05-01", 1, file_name="IMG_7042.JPG")
    shoot(made, "2025-05-01", 1, file_name="IMG_7042.MP4", type="VIDEO")
    async with tripbook(made) as box:
        assert (await box.call("search_photos", **DAY))["by_media"] == {"photo": 1, "video": 1}


@pytest.mark.parametrize("version", VERSIONS)
async def test_vis_04_trashed_photos_are_neither_in_the_album_nor_missing(version: str) -> None:
    made = library()
    trashed, kept = shoot(made, "2025-05-01", 2)
    album = made.add_album("X", [trashed, kept])
    made.trash_asset(trashed)
    made.trash_asset(shoot(made, "2025-05-01", 1)[0])
    async with tripbook(made, version=version) as box:
        gaps = await box.call("album_gaps", album_id=album.id)
        assert (gaps["album"]["count"], gaps["missing_count"]) == (1, 0)
        assert "preview_token" not in gaps


@pytest.mark.parametrize("version", VERSIONS)
async def test_vis_05_archived_photos_of_the_days_are_told_and_left_out(version: str) -> None:
    made = library()
    inside = shoot(made, "2025-05-02", 2) + shoot(made, "2025-05-02", 1, visibility="archive")
    album = made.add_album("May", inside)
    shoot(made, "2025-05-01", 10)
    shoot(made, "2025-05-03", 2, visibility="archive")
    async with tripbook(made, version=version) as box:
        gaps = await box.call("album_gaps", album_id=album.id)
        assert gaps["missing_count"] == 10
        assert warns(gaps, "2 archived photos of these days are not included.")
        problem = await box.problem("album_gaps", album_id=album.id, include_archived=True)
        assert problem["code"] == "invalid_request"


async def test_vis_06_the_locked_folder_is_out_of_reach_and_the_key_is_fine() -> None:
    made = library()
    shoot(made, "2025-05-01", 1)
    async with tripbook(made) as box:
        assert (await box.problem("search_photos", visibility="locked"))["status"] == 422
        elevated = faults.status(401, {"message": "Elevated permission is required"})
        box.immich.faults.add(elevated, path="metadata$", times=1)
        problem = await box.problem("search_photos", **DAY)
        assert problem["code"] == "immich_missing_permission"
        assert "the key itself is fine" in problem["detail"]
        assert (await box.call("search_photos", **DAY))["total"] == 1


async def test_vis_08_all_of_a_stack_counts_and_is_added() -> None:
    made = library()
    shoot(made, "2025-05-01", 3, stack_id="a-stack")
    async with tripbook(made) as box:
        preview = await box.call("preview_album", album_name="Stack", **DAY)
        assert preview["count"] == 3
        receipt = await box.call(
            "create_album", preview_token=preview["preview_token"], expected_count=3, album_name="Stack"
        )
        assert (receipt["added"], receipt["album_count_now"]) == (3, 3)


def with_offline_twin() -> Library:
    made = library()
    made.add_asset(local="2025-05-01T10:00", file_name="same.jpg", is_offline=True, is_trashed=True)
    made.add_asset(local="2025-05-01T10:00", file_name="same.jpg")
    return made


@pytest.mark.parametrize("version", VERSIONS)
async def test_vis_09_offline_twins_do_not_count(version: str) -> None:
    made = with_offline_twin()
    album = made.add_album("Day", shoot(made, "2025-05-02", 1))
    async with tripbook(made, version=version) as box:
        assert (await box.call("search_photos", **DAY))["total"] == 1
        assert (await box.call("album_gaps", album_id=album.id))["missing_count"] == 1
        assert "isOffline" not in str([entry.body for entry in box.immich.journal.entries])

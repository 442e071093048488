"""What counts: visibility, trash, hidden parts, local days, sums; alike on every Immich version."""

from __future__ import annotations

import pytest

from service.demo.faults import FaultRule, half_json, html, redirect, reset, status
from service.demo.library import Library, Place
from tests.harness import VERSIONS, tripbook

MAINE = Place("Bar Harbor", "Maine", "United States of America")
DAYS = {"taken_after": "2026-08-02", "taken_before": "2026-08-09"}


@pytest.mark.parametrize("version", VERSIONS)
async def test_hidden_archived_trashed_and_locked_never_count(version: str) -> None:
    library = Library()
    for visibility in ("timeline", "archive", "hidden", "locked"):
        library.add_asset(local="2026-08-03T10:00", visibility=visibility)
    library.add_asset(local="2026-08-03T10:00", is_trashed=True)
    motion = library.add_asset(local="2026-08-03T11:00", type="VIDEO", visibility="hidden")
    library.add_asset(local="2026-08-03T11:00", live_photo_video_id=motion.id)
    async with tripbook(library, version=version) as box:
        answer = await box.call("search_photos", **DAYS)
        assert (answer["total"], answer["exact"]) == (2, True)
        assert answer["by_media"] == {"photo": 2, "video": 0}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("offset", [-7, 9, 14, -12])
async def test_late_evening_of_the_last_day_is_inside(version: str, offset: int) -> None:
    library = Library()
    library.add_asset(local="2026-08-02T00:00", offset_hours=offset)
    library.add_asset(local="2026-08-09T23:30", offset_hours=offset)
    library.add_asset(local="2026-08-01T23:59", offset_hours=offset)
    library.add_asset(local="2026-08-10T00:00", offset_hours=offset)
    async with tripbook(library, version=version) as box:
        answer = await box.call("search_photos", **DAYS)
        assert (answer["total"], answer["first"], answer["last"]) == (2, "2026-08-02", "2026-08-09")


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_range_of_one_day(version: str) -> None:
    library = Library()
    for moment in ("2026-08-02T23:59", "2026-08-03T00:00", "2026-08-03T23:59", "2026-08-04T00:00"):
        library.add_asset(local=moment, offset_hours=-4)
    async with tripbook(library, version=version) as box:
        answer = await box.call("search_photos", taken_after="2026-08-03", taken_before="2026-08-03")
        assert answer["total"] == 2


def many(number: int) -> Library:
    library = Library()
    for i in range(number):
        city = f"A town with quite a long name number {i % 60:02d}"
        library.add_asset(
            local=f"20{10 + i % 16}-{1 + i % 12:02d}-{1 + i % 28:02d}T{i % 24:02d}:{i // 60 % 60:02d}:{i % 60:02d}",
            place=Place(city, "Some State", "Some Country"),
            file_name=f"{'long' * 40}-{i}.jpg",
        )
    return library


@pytest.mark.parametrize("version", ["2.5.6", "3.3.1"])
async def test_five_thousand_photos_in_2500_characters(version: str) -> None:
    async with tripbook(many(5_000), version=version) as box:
        answer = await box.call("search_photos", country="some country", samples=10)
        assert (answer["total"], answer["exact"]) == (5_000, True)
        assert answer["trimmed"] is True


@pytest.mark.parametrize("version", VERSIONS)
async def test_paging_reads_every_page(version: str) -> None:
    async with tripbook(many(2_345), version=version) as box:
        assert (await box.call("search_photos", country="Some Country"))["total"] == 2_345
        pages = box.immich.journal.calls("search/metadata")
        assert len(pages) == 3


FAULTS = {
    "400": (status(400, {"message": "Validation failed"}), 502, "immich_error"),
    "401": (status(401, {"message": "Invalid API key"}), 502, "immich_refused_key"),
    "403": (status(403, {"message": "Missing required permission: asset.read"}), 502, "immich_missing_permission"),
    "404": (status(404), 502, "immich_error"),
    "405": (status(405), 502, "immich_error"),
    "413": (status(413, "<html>too large</html>", content_type="text/html"), 502, "immich_error"),
    "422": (status(422), 502, "immich_error"),
    "409": (status(409), 502, "immich_error"),
    "429": (status(429), 503, "immich_unreachable"),
    "500": (status(500), 502, "immich_error"),
    "502": (status(502, "<html>bad gateway</html>", content_type="text/html"), 503, "immich_unreachable"),
    "503": (status(503), 503, "immich_unreachable"),
    "504": (status(504), 504, "immich_timeout"),
    "html": (html(), 502, "immich_bad_answer"),
    "half": (half_json(), 502, "immich_bad_answer"),
    "redirect": (redirect("https://photos.example/"), 502, "immich_redirects"),
    "reset": (reset(), 503, "immich_unreachable"),
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("page", [1, 2])
@pytest.mark.parametrize("fault", FAULTS)
async def test_an_upstream_failure_is_an_error_on_every_page(fault: str, page: int, version: str) -> None:
    action, expected, code = FAULTS[fault]
    async with tripbook(many(1_001), version=version) as box:
        box.tripbook.library.client._sleep = _no_sleep
        box.immich.faults.rules = [FaultRule(action, path="search/metadata$", page=page)]
        problem = await box.problem("search_photos", country="Some Country")
        assert (problem["status"], problem["code"]) == (expected, code)
        assert "total" not in problem
        assert not {"photos.example/photos", "<html>"} & set(problem["detail"].split())
        box.immich.faults.rules = []
        assert (await box.call("search_photos", country="Some Country"))["total"] == 1_001


async def _no_sleep(_seconds: float) -> None:
    return None


@pytest.mark.parametrize("path", ["server/version$", "/albums$", "search/statistics$", "search/suggestions$"])
async def test_a_failure_of_any_other_read_is_an_error_too(path: str) -> None:
    async with tripbook(many(3)) as box:
        box.immich.faults.rules = [FaultRule(status(500), path=path)]
        problem = await box.problem("search_photos", country="Some Country")
        assert problem["code"] == "immich_error"


async def test_statistics_that_keep_disagreeing_make_the_count_inexact_and_give_no_token() -> None:
    from service.demo.faults import raw

    library = many(5)
    async with tripbook(library) as box:
        await box.call("search_photos", country="Some Country")
        box.immich.faults.rules = [FaultRule(raw('{"total": 6}'), path="search/statistics$")]
        answer = await box.call("search_photos", country="Some Country")
        assert (answer["total"], answer["exact"]) == (5, False)
        assert "not exact" in answer["warnings"][0]
        problem = await box.problem("preview_album", album_name="X", country="Some Country")
        assert problem["code"] == "counts_unstable"


async def test_a_library_larger_than_max_scan_is_truncated_and_gives_no_token() -> None:
    async with tripbook(many(1_500), max_scan=1_000) as box:
        answer = await box.call("search_photos", country="Some Country")
        assert (answer["total"], answer["exact"], answer["truncated"]) == (1_500, True, True)
        dated = await box.call("search_photos", taken_after="2010-01-01")
        assert (dated["exact"], dated["truncated"]) == (False, True)
        problem = await box.problem("preview_album", album_name="X", country="Some Country")
        assert problem["code"] == "too_many_photos"


async def test_a_server_that_ignores_the_filter_is_noticed() -> None:
    """Style `filter` forced on a server below 3.2 would search the whole library."""
    async with tripbook(many(5), version="3.1.0", immich_api_style="filter") as box:
        problem = await box.problem("search_photos", country="Some Country")
        assert problem["code"] == "immich_bad_answer"


@pytest.mark.parametrize("version", VERSIONS)
async def test_three_thousand_photos_of_one_instant(version: str) -> None:
    """2.x orders equal timestamps anew on every page; the count must be right all the same."""
    library = Library()
    for i in range(3_000):
        library.add_asset(local="2026-08-03T10:00", created_at=f"2026-11-01T10:{i // 60:02d}:{i % 60:02d}.000Z")
    for i in range(500):
        library.add_asset(local=f"2026-08-04T{i % 24:02d}:{i % 60:02d}")
    async with tripbook(library, version=version, request_deadline=120, preview_ttl=3600) as box:
        answer = await box.call("search_photos", **DAYS)
        assert (answer["total"], answer["exact"]) == (3_500, True)


@pytest.mark.parametrize("version", VERSIONS)
async def test_partner_photos_count_and_are_split(version: str) -> None:
    library = Library()
    ben = library.add_user("Ben", partner=True)
    library.add_album("Mine", [library.add_asset(local="2026-08-03T10:00", is_favorite=True)])
    for _ in range(2):
        library.add_asset(local="2026-08-03T11:00", owner=ben, is_favorite=True)
    library.add_asset(local="2026-08-03T11:00", owner=library.add_user("Cleo"))
    async with tripbook(library, version=version) as box:
        answer = await box.call("search_photos", **DAYS)
        assert answer["total"] == 3
        assert answer["by_owner"] == {"me": 1, "partners": 2}
        favourites = await box.call("search_photos", favorites_only=True, **DAYS)
        assert (favourites["total"], favourites["exact"]) == (1, True)
        preview = await box.call("preview_album", album_name="All", **DAYS)
        receipt = await box.call(
            "create_album", preview_token=preview["preview_token"], expected_count=3, album_name="All"
        )
        assert receipt["added"] == 3

"""Broken data: one bad item never stops a run, is counted apart, and never leaves us as broken JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.demo import faults
from service.demo.library import Place
from tests.cases.libraries import STYLES, clusters_of, library, places_of, shoot, warns
from tests.harness import tripbook

MAY = {"taken_after": "2025-05-01", "taken_before": "2025-05-31"}
BROKEN_DATES = (
    "+172204-03-11T08:15:00.000Z",
    "0000-11-30T00:00:00.000Z",
    "1027-03-01T00:00:00.000Z",
    "0:00:00.00000",
    "2025-02-30T00:00:00.000Z",
    "",
)


@pytest.mark.parametrize("version", STYLES)
async def test_bad_01_impossible_dates_are_counted_apart(version: str) -> None:
    made = library()
    shoot(made, "2025-05-04", 249)
    for text in BROKEN_DATES[:4]:
        made.add_asset(instant="2025-05-04T12:00Z", local_date_time=text)
    async with tripbook(made, version=version) as box:
        dated = await box.call("search_photos", **MAY)
        assert (dated["total"], dated["exact"]) == (249, True)
        assert "unreadable_dates" not in dated
        assert warns(dated, "4 more photos from around these days have unreadable dates and are not counted.")
        everything = await box.call("search_photos", media="photo")
        assert (everything["total"], everything["unreadable_dates"], everything["exact"]) == (253, 4, True)


@pytest.mark.parametrize("text", BROKEN_DATES)
async def test_bad_01_no_text_of_a_date_is_a_crash(text: str) -> None:
    made = library()
    made.add_asset(instant="9999-12-31T23:59:59Z", local_date_time=text or None, file_created_at=text)
    async with tripbook(made) as box:
        assert (await box.call("search_photos", media="photo"))["unreadable_dates"] == 1


@pytest.mark.parametrize("version", STYLES)
async def test_bad_02_doubtful_days_are_counted_and_told(version: str) -> None:
    made = library()
    shoot(made, "1970-01-01", 200)
    shoot(made, "2099-01-01", 3)
    shoot(made, "1987-06-02", 5)
    async with tripbook(made, version=version) as box:
        answer = await box.call("search_photos", taken_after="1960-01-01", taken_before="2100-12-31")
        assert answer["total"] == 208
        assert warns(answer, "203 photos with a doubtful date (1970-01-01, 2099-01-01) are in the total.")
        epoch = await box.call("search_photos", taken_after="1970-01-01", taken_before="1970-01-01")
        assert clusters_of(epoch) == [("1970-01-01", "1970-01-01", 200)]
        assert warns(epoch, "doubtful date (1970-01-01)")
        old = await box.call("search_photos", taken_after="1987-06-02", taken_before="1987-06-02")
        assert (old["total"], old["warnings"]) == (5, [])


async def test_bad_02_the_edges_of_the_calendar_can_be_asked_for() -> None:
    made = library()
    shoot(made, "2025-05-04", 2)
    async with tripbook(made) as box:
        answer = await box.call("search_photos", taken_after="0001-01-01", taken_before="9999-12-31")
        assert answer["total"] == 2


@pytest.mark.parametrize("version", STYLES)
async def test_bad_03_without_exif_a_photo_counts_and_has_no_place(version: str) -> None:
    made = library()
    for has_exif in (None, False, True):
        shoot(made, "2025-05-04", 1, has_exif=has_exif)
    async with tripbook(made, version=version) as box:
        answer = await box.call("search_photos", **MAY)
        assert (answer["total"], answer["no_location"]) == (3, 3)


def page_with(latitude: str) -> str:
    row = {"id": "6a7f0c1e-0000-4000-8000-000000000001", "type": "IMAGE", "visibility": "timeline"}
    row |= {"localDateTime": "2025-05-04T10:00:00.000Z", "fileCreatedAt": "2025-05-04T10:00:00.000Z"}
    exif = {"city": "Atlantis", "latitude": "LATITUDE", "longitude": 1.5}
    page = json.dumps({"assets": {"items": [row | {"exifInfo": exif}], "nextPage": None}})
    return page.replace('"LATITUDE"', latitude)


@pytest.mark.parametrize("latitude", ["NaN", "-Infinity", "1e999"])
async def test_bad_04_no_number_as_a_coordinate_is_no_place(latitude: str) -> None:
    made = library()
    shoot(made, "2025-05-04", 1)
    async with tripbook(made) as box:
        box.immich.faults.add(faults.raw(page_with(latitude)), path="metadata$")
        response = await box.post("search_photos", MAY)
        answer = json.loads(response.text, parse_constant=lambda name: pytest.fail(f"{name} in our answer"))
        assert (answer["total"], answer["no_location"]) == (1, 1)


async def test_bad_05_zero_zero_is_no_place() -> None:
    made = library()
    shoot(made, "2025-05-04", 5, place=Place(None, None, None, 0.0, 0.0))
    shoot(made, "2025-05-04", 1, place=Place("Null Island", None, "Nowhere", 0.0, 0.0))
    shoot(made, "2025-05-04", 4, place=Place("Accra", "Greater Accra", "Ghana", 5.6, -0.19))
    async with tripbook(made) as box:
        answer = await box.call("search_photos", **MAY)
        assert (places_of(answer), answer["no_location"]) == ({"Accra, Greater Accra": 4}, 6)


@pytest.mark.parametrize("version", STYLES)
async def test_bad_07_other_kinds_of_assets_are_in_all_only(version: str) -> None:
    made = library()
    for kind, number in (("IMAGE", 3), ("VIDEO", 2), ("OTHER", 1)):
        shoot(made, "2025-05-04", number, type=kind)
    async with tripbook(made, version=version) as box:
        totals = [(await box.call("search_photos", media=media, **MAY))["total"] for media in ("photo", "video", "all")]
        assert totals == [3, 2, 6]
        assert (await box.call("search_photos", **MAY))["by_media"] == {"photo": 3, "video": 2, "other": 1}


async def test_bad_08_without_an_instant_the_local_time_decides() -> None:
    row: dict[str, Any] = {"type": "IMAGE", "visibility": "timeline", "originalFileName": "x1.jpg"}
    row |= {"id": "6a7f0c1e-0000-4000-8000-000000000001", "fileCreatedAt": None}
    row |= {"localDateTime": "2024-05-02T10:00:00.000Z"}
    made = library()
    shoot(made, "2024-05-02", 1)
    async with tripbook(made) as box:
        page = {"assets": {"items": [row], "nextCursor": None}}
        box.immich.faults.add(faults.raw(json.dumps(page)), path="metadata$")
        answer = await box.call("search_photos", taken_after="2024-05-02", taken_before="2024-05-02")
        assert (answer["total"], answer["samples"][0]["file"]) == (1, "x1.jpg")


@pytest.mark.parametrize("bad_id", ["", "abc", "6a7f0c1e-0000-4000-8000-00000000000g"])
async def test_wrt_03_an_item_without_a_proper_id_never_reaches_a_preview(bad_id: str) -> None:
    """No operation takes photo ids, so a bad one can only come from Immich."""
    made = library()
    shoot(made, "2025-05-04", 50)
    async with tripbook(made) as box:
        page = {"assets": {"items": [{"id": bad_id, "type": "IMAGE"}], "nextCursor": None}}
        box.immich.faults.add(faults.raw(json.dumps(page)), path="metadata$")
        problem = await box.problem("preview_album", album_name="New", **MAY)
        assert problem["code"] == "immich_bad_answer"
        assert (await box.problem("preview_album", album_name="New", ids=[bad_id]))["status"] == 422
        assert box.writes == []

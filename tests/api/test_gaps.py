"""What is missing from an album, and adding exactly that: scenario C and everything that stands in its way."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from service.demo.faults import FaultRule, status
from service.demo.household import household
from service.demo.library import Album, Library
from tests.harness import VERSIONS, Box, tripbook


@pytest.mark.parametrize("version", VERSIONS)
async def test_scenario_c_the_incomplete_album(version: str) -> None:
    async with tripbook(household(), version=version) as box:
        found = (await box.call("find_albums", query="lisbon"))["albums"]
        gaps = await box.call("album_gaps", album_id=found[0]["id"])
        assert (gaps["missing_count"], gaps["total"], gaps["exact"]) == (37, 37, True)
        assert gaps["album"]["count"] == 412
        assert gaps["windows"] == [{"start": "2025-06-11", "end": "2025-06-20"}]
        assert "37 photos" in gaps["sentence"]
        assert '"Lisbon 2025"' in gaps["sentence"]
        biggest = gaps["clusters"][0]
        assert biggest["count"] >= 25
        assert box.writes == []

        confirm = {
            "preview_token": gaps["preview_token"],
            "expected_new_count": 37,
            "album_name": "Lisbon 2025",
        }
        receipt = await box.call("add_to_album", **confirm)
        assert (receipt["added"], receipt["already_present"], receipt["album_count_now"]) == (37, 0, 449)
        assert await box.call("add_to_album", **confirm) == receipt | {"replayed": True}

        again = await box.call("album_gaps", album_id=found[0]["id"], pad_days=0)
        assert again["missing_count"] == 0
        assert "preview_token" not in again
        assert again["warnings"][0] == "Nothing is missing in these days."


def summer(members: int = 12, missing: int = 5) -> tuple[Library, Album]:
    """An album of one week with `members`, and `missing` more photos of these days."""
    library = Library()
    ids = [library.add_asset(local=f"2026-08-0{2 + i % 7}T10:{i % 60:02d}").id for i in range(members)]
    for i in range(missing):
        library.add_asset(local=f"2026-08-0{2 + i % 7}T15:{i % 60:02d}", file_name=f"missing-{i}.jpg")
    library.add_asset(local="2026-09-20T10:00")
    return library, library.add_album("Summer", ids)


async def gaps_of(box: Box, album: Album, **fields: Any) -> dict[str, Any]:
    return await box.call("album_gaps", album_id=album.id, **fields)


def confirming(gaps: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "preview_token": gaps["preview_token"],
        "expected_new_count": gaps["missing_count"],
        "album_name": gaps["album"]["name"],
    } | changes


@pytest.mark.parametrize("version", VERSIONS)
async def test_twelve_hundred_ids_in_three_chunks(version: str) -> None:
    library, album = summer(12, 1_200)
    async with tripbook(library, version=version) as box:
        gaps = await gaps_of(box, album)
        receipt = await box.call("add_to_album", **confirming(gaps))
        assert (receipt["added"], receipt["album_count_now"]) == (1_200, 1_212)
        assert [len(entry.body["ids"]) for entry in box.writes] == [500, 500, 200]


@pytest.mark.parametrize("version", VERSIONS)
async def test_mixed_answers_are_told_as_they_are(version: str) -> None:
    """Between the check and the write two photos got in by other hands and two went to another owner."""
    library, album = summer(12, 10)
    missing = sorted(a.id for a in library.assets.values() if a.file_name.startswith("missing"))
    async with tripbook(library, version=version) as box:
        gaps = await gaps_of(box, album)
        stranger = library.add_user("Dora")
        permissions = box.tripbook.library.missing_permissions
        renewed = box.tripbook.library.client.add_assets

        async def meanwhile(album_id: str, ids: Any) -> Any:
            album.add(missing[:2])
            for asset_id in missing[2:4]:
                library.assets[asset_id].owner_id = stranger.id
            return await renewed(album_id, ids)

        assert permissions
        box.tripbook.library.client.add_assets = meanwhile  # type: ignore[method-assign]
        receipt = await box.call("add_to_album", **confirming(gaps))
        assert (receipt["added"], receipt["already_present"], receipt["failed_count"]) == (6, 2, 2)
        assert {row["reason"] for row in receipt["failed"]} == {"no_permission"}
        assert {row["id"] for row in receipt["failed"]} == set(missing[2:4])
        assert receipt["album_count_now"] == 12 + 8
        assert (receipt["status"], receipt["remaining"]) == ("done", 0)


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_viewer_gets_the_answer_but_no_token(version: str) -> None:
    library, _ = summer()
    cleo = library.add_user("Cleo")
    theirs = [library.add_asset(local=f"2026-08-0{2 + i}T11:00", owner=cleo) for i in range(3)]
    album = library.add_album("Cleo's", theirs, owner=cleo, members={library.me.id: "viewer"})
    async with tripbook(library, version=version) as box:
        gaps = await gaps_of(box, album)
        assert gaps["missing_count"] > 0
        assert "preview_token" not in gaps
        assert "only view" in gaps["warnings"][0]
        assert box.writes == []


@pytest.mark.parametrize("version", VERSIONS)
async def test_an_editor_adds_and_others_photos_count_as_members(version: str) -> None:
    """Cleo is nobody's partner: her photos are in the album, set its days, and are not in my search."""
    library = Library()
    cleo = library.add_user("Cleo")
    theirs = [library.add_asset(local=f"2026-08-0{2 + i}T11:00", owner=cleo) for i in range(3)]
    for i in range(4):
        library.add_asset(local=f"2026-08-0{2 + i}T12:00")
    library.add_album("Mine", [])
    album = library.add_album("Cleo's", theirs, owner=cleo, members={library.me.id: "editor"})
    async with tripbook(library, version=version) as box:
        gaps = await gaps_of(box, album)
        assert (gaps["missing_count"], gaps["windows"]) == (4, [{"start": "2026-08-01", "end": "2026-08-05"}])
        assert any("1 other person" in warning for warning in gaps["warnings"])
        assert "1 other person can see" in gaps["sentence"]
        receipt = await box.call("add_to_album", **confirming(gaps))
        assert (receipt["added"], receipt["album_count_now"]) == (4, 7)


@pytest.mark.parametrize("version", VERSIONS)
async def test_unknown_and_foreign_albums(version: str) -> None:
    library, _ = summer()
    foreign = library.add_album("Private", [], owner=library.add_user("Dora"))
    async with tripbook(library, version=version) as box:
        for album_id in (foreign.id, "1111aaaa-1111-4111-8111-11111111bbbb"):
            problem = await box.problem("album_gaps", album_id=album_id)
            assert (problem["status"], problem["code"]) == (404, "album_not_found")


@pytest.mark.parametrize("version", VERSIONS)
async def test_albums_of_one_photo_of_none_and_of_undated_ones(version: str) -> None:
    library = Library()
    one = library.add_asset(local="2025-02-14T20:00", offset_hours=-3)
    for hour in (0, 5, 9, 12, 20, 23):
        library.add_asset(local=f"2025-02-14T{hour:02d}:30", offset_hours=-3)
    undated = library.add_asset(local_date_time="0000-11-30T00:00:00.000Z")
    single, empty = library.add_album("Single", [one]), library.add_album("Empty", [])
    broken = library.add_album("Broken", [undated])
    async with tripbook(library, version=version) as box:
        assert (await gaps_of(box, single, pad_days=0))["missing_count"] == 6
        for album in (empty, broken):
            problem = await box.problem("album_gaps", album_id=album.id)
            assert (problem["status"], problem["code"]) == (409, "album_has_no_dates")
            gaps = await gaps_of(box, album, taken_after="2025-02-14", taken_before="2025-02-14")
            assert gaps["missing_count"] == 7
            assert "windows" not in gaps


async def test_a_theme_album_of_200_single_days_needs_criteria() -> None:
    library = Library()
    days = [date(2015, 1, 1) + timedelta(days=20 * i) for i in range(200)]
    members = [library.add_asset(local=f"{day}T10:00").id for day in days]
    for day in days[:50]:
        library.add_asset(local=f"{day}T11:00")
    album = library.add_album("Sunsets", members)
    async with tripbook(library) as box:
        gaps = await gaps_of(box, album)
        assert gaps["missing_count"] == 50
        assert "preview_token" not in gaps
        assert "200 separate ranges" in gaps["warnings"][0]
        assert len(gaps["windows"]) + gaps["other_windows"] == 200
        narrowed = await gaps_of(box, album, taken_after="2015-01-01", taken_before="2015-12-31")
        assert narrowed["missing_count"] == 19
        assert narrowed["preview_token"]


@pytest.mark.parametrize("version", VERSIONS)
async def test_one_wrongly_dated_photo_is_named_and_left_out(version: str) -> None:
    library, album = summer(60, 5)
    album.add([library.add_asset(local="2001-01-01T00:00").id])
    library.add_asset(local="2001-01-01T09:00")
    async with tripbook(library, version=version) as box:
        gaps = await gaps_of(box, album)
        assert gaps["missing_count"] == 5
        assert any("2001-01-01" in warning for warning in gaps["warnings"])
        assert len(gaps["windows"]) == 1


@pytest.mark.parametrize("version", VERSIONS)
async def test_padding_and_criteria(version: str) -> None:
    library, album = summer(7, 3)
    library.add_asset(local="2026-07-31T10:00", type="VIDEO")
    async with tripbook(library, version=version) as box:
        assert (await gaps_of(box, album, pad_days=0))["missing_count"] == 3
        assert (await gaps_of(box, album, pad_days=2))["missing_count"] == 4
        videos = await gaps_of(box, album, media="video")
        assert (videos["missing_count"], videos["criteria"]) == (1, {"media": "video"})


async def test_writes_off_and_readers_get_the_answer_without_a_token() -> None:
    library, album = summer()
    async with tripbook(library) as box:
        gaps = await gaps_of(box, album, caller="reader")
        assert (gaps["missing_count"], "preview_token" in gaps) == (5, False)
    async with tripbook(library, enable_writes=False) as box:
        gaps = await gaps_of(box, album)
        assert (gaps["missing_count"], "preview_token" in gaps) == (5, False)
        assert "switched off" in gaps["warnings"][0]
    async with tripbook(library, max_write=4) as box:
        gaps = await gaps_of(box, album)
        assert (gaps["missing_count"], "preview_token" in gaps) == (5, False)
        assert "at most 4" in gaps["warnings"][0]


async def refused(box: Box, gaps: dict[str, Any], code: str, **changes: Any) -> dict[str, Any]:
    problem = await box.problem("add_to_album", **confirming(gaps, **changes))
    assert problem["code"] == code, problem
    assert box.writes == []
    return problem


@pytest.mark.parametrize("version", VERSIONS)
async def test_drift_of_set_audience_role_and_existence(version: str) -> None:
    library, album = summer()
    cleo = library.add_user("Cleo")
    async with tripbook(library, version=version) as box:
        gaps = await gaps_of(box, album)
        await refused(box, gaps, "count_mismatch", expected_new_count=6)
        await refused(box, gaps, "album_name_mismatch", album_name="Winter")

        member = next(a.id for a in library.assets.values() if a.file_name.startswith("missing"))
        album.add([member])
        problem = await refused(box, gaps, "library_changed")
        assert problem["difference"]["removed"] == 1
        assert problem["preview"]["count"] == 4
        album.asset_ids.remove(member)

        album.members[cleo.id] = "viewer"
        problem = await refused(box, gaps, "library_changed")
        assert problem["difference"]["audience_changed"] is True
        assert "Who can see the album" in problem["detail"]
        assert "1 other person can see" in problem["preview"]["sentence"]
        album.members.clear()

        album.has_shared_link = True
        await refused(box, gaps, "library_changed")
        album.has_shared_link = False

        album.owner_id = cleo.id
        album.members[library.me.id] = "viewer"
        library.add_album("Still mine", [])
        await refused(box, gaps, "album_not_writable")

        album.members.clear()
        await refused(box, gaps, "album_not_writable")
        album.owner_id = library.me.id
        assert (await box.call("add_to_album", **confirming(gaps)))["added"] == 5


async def test_a_role_that_immich_refuses_only_at_the_write_is_the_same_refusal() -> None:
    library, album = summer()
    async with tripbook(library) as box:
        gaps = await gaps_of(box, album)
        answer = status(400, {"message": "Not found or no albumAsset.create access"})
        box.immich.faults.rules = [FaultRule(answer, method="PUT")]
        problem = await box.problem("add_to_album", **confirming(gaps))
        assert (problem["status"], problem["code"]) == (403, "album_not_writable")
        assert [entry.applied for entry in box.writes] == [False]


async def test_sixty_windows_and_long_names_fit() -> None:
    library = Library()
    ids = []
    for i in range(60):
        day = date(2010, 1, 1) + timedelta(days=40 * i)
        ids.append(library.add_asset(local=f"{day}T10:00").id)
        for hour in range(4):
            library.add_asset(local=f"{day}T1{hour}:30", file_name="n" * 200)
    album = library.add_album("An album with a very long name " * 10, ids)
    async with tripbook(library) as box:
        gaps = await gaps_of(box, album)
        assert gaps["missing_count"] == 240
        assert len(gaps["windows"]) + gaps["other_windows"] == 60


async def test_twenty_five_albums_with_long_names_fit() -> None:
    library = Library()
    for i in range(30):
        library.add_album(f"Album {i:02d} " + "with a long name " * 20, [])
    async with tripbook(library) as box:
        answer = await box.call("find_albums", query="album", limit=25)
        assert answer["trimmed"] is True
        assert 1 <= len(answer["albums"]) < 25

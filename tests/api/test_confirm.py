"""A confirm writes exactly what was previewed, once, or nothing at all."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from service.demo.library import Library
from tests.harness import VERSIONS, Box, tripbook

DAYS = {"taken_after": "2026-08-02", "taken_before": "2026-08-04"}


def trip(photos: int = 6) -> Library:
    """A library with `photos` on three days of August, and one photo before them."""
    library = Library()
    library.add_asset(local="2026-07-01T12:00")
    for number in range(photos):
        library.add_asset(local=f"2026-08-0{2 + number % 3}T{10 + number % 10}:{number % 60:02d}")
    library.add_album("Something else", [])
    return library


async def preview(box: Box, name: str = "Maine 2026", **fields: Any) -> dict[str, Any]:
    return await box.call("preview_album", album_name=name, **(DAYS | fields))


def confirming(previewed: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "preview_token": previewed["preview_token"],
        "expected_count": previewed["count"],
        "album_name": previewed["album_name"],
    } | changes


async def test_the_album_holds_exactly_the_previewed_photos() -> None:
    async with tripbook(trip()) as box:
        previewed = await preview(box, description="By the sea")
        receipt = await box.call("create_album", **confirming(previewed))
        album = box.immich.library.albums[receipt["album"]["id"]]
        expected = {a.id for a in box.immich.library.assets.values() if (a.local_date_time or "") >= "2026-08-02"}
        assert set(album.asset_ids) == expected
        assert (album.name, album.description) == ("Maine 2026", "By the sea")
        assert receipt == {
            "status": "done",
            "album": {"id": album.id, "name": "Maine 2026", "url": f"https://photos.example/albums/{album.id}"},
            "added": 6,
            "already_present": 0,
            "failed": [],
            "failed_count": 0,
            "remaining": 0,
            "album_count_now": 6,
            "replayed": False,
        }
        create, add = box.writes
        assert create.body == {"albumName": "Maine 2026", "description": "By the sea"}
        assert add.path.endswith(f"/albums/{album.id}/assets")


async def test_adds_go_out_in_chunks() -> None:
    async with tripbook(trip(1_200), write_chunk=500) as box:
        previewed = await preview(box)
        receipt = await box.call("create_album", **confirming(previewed))
        assert receipt["added"] == receipt["album_count_now"] == 1_200
        assert [len(entry.body["ids"]) for entry in box.writes[1:]] == [500, 500, 200]


async def refused(box: Box, previewed: dict[str, Any], code: str, *, caller: str = "writer", **changes: Any) -> Any:
    problem = await box.problem("create_album", caller=caller, **confirming(previewed, **changes))
    assert problem["code"] == code
    assert box.writes == []
    return problem


async def test_a_wrong_count_is_refused_and_the_right_one_told() -> None:
    async with tripbook(trip()) as box:
        problem = await refused(box, await preview(box), "count_mismatch", expected_count=7)
        assert problem["actual_count"] == 6
        assert "6 photos" in problem["detail"]


async def test_another_name_is_refused() -> None:
    async with tripbook(trip()) as box:
        await refused(box, await preview(box), "album_name_mismatch", album_name="Maine")


async def test_the_name_is_compared_without_case_accents_and_unicode_form() -> None:
    async with tripbook(trip()) as box:
        previewed = await preview(box, "Café São Bento")
        receipt = await box.call("create_album", **confirming(previewed, album_name="cafe\u0301 SA\u0303O bento"))
        assert receipt["album"]["name"] == "Café São Bento"


async def test_tokens_of_others_and_forged_ones_are_refused() -> None:
    async with tripbook(trip()) as box:
        previewed = await preview(box)
        token = previewed["preview_token"]
        assert len(token) == 32
        await refused(box, previewed, "invalid_token", caller="other")
        swapped = token[:16] + token[16:][::-1]
        for bad in (swapped, token.upper(), token[:-1], token + "a", token[:31] + "=", "a" * 32, "ß" * 32, "x"):
            await refused(box, previewed, "invalid_token", preview_token=bad)
        assert (await box.call("create_album", **confirming(previewed)))["status"] == "done"


async def test_a_token_for_creating_does_not_add_and_the_other_way_round() -> None:
    library = trip()
    album = library.add_album("August", [next(a for a in library.assets.values() if "08-02" in str(a.local_date_time))])
    async with tripbook(library) as box:
        create = await preview(box)
        fields = {"preview_token": create["preview_token"], "expected_new_count": 6, "album_name": "Maine 2026"}
        assert (await box.problem("add_to_album", **fields))["code"] == "invalid_token"
        gaps = await box.call("album_gaps", album_id=album.id)
        fields = {
            "preview_token": gaps["preview_token"],
            "expected_count": gaps["missing_count"],
            "album_name": "August",
        }
        assert (await box.problem("create_album", **fields))["code"] == "invalid_token"
        assert box.writes == []


async def test_a_preview_expires() -> None:
    async with tripbook(trip(), preview_ttl=60) as box:
        previewed = await preview(box)
        box.tripbook.db.time_shift = timedelta(seconds=61)
        await refused(box, previewed, "preview_expired")
        shown = (await box.get(f"/v1/previews/{previewed['preview_token'][:16]}")).json()
        assert shown["state"] == "expired"


async def test_a_preview_of_a_key_that_was_removed_is_refused() -> None:
    async with tripbook(trip(), secret_key="b" * 16 + "," + "a" * 16) as box:
        box.tripbook.keys = ("a" * 16,)
        old = await preview(box)
        box.tripbook.keys = ("b" * 16, "a" * 16)
        assert (await box.call("create_album", **confirming(old)))["status"] == "done"
        box.tripbook.keys = ("c" * 16,)
        problem = await box.problem("create_album", **confirming(old))
        assert problem["code"] == "invalid_token"


async def test_drift_of_the_count_is_refused_with_a_fresh_preview() -> None:
    async with tripbook(trip()) as box:
        previewed = await preview(box)
        box.immich.library.add_asset(local="2026-08-03T09:00", file_name="late.jpg")
        problem = await refused(box, previewed, "library_changed")
        assert problem["actual_count"] == 7
        assert problem["difference"] == {"added": 1, "removed": 0, "examples": ["late.jpg"]}
        fresh = problem["preview"]
        assert fresh["count"] == 7
        assert "7 photos" in fresh["sentence"]
        receipt = await box.call("create_album", **confirming(fresh))
        assert receipt["album_count_now"] == 7


async def test_drift_with_an_equal_count_but_another_photo_is_refused() -> None:
    async with tripbook(trip()) as box:
        previewed = await preview(box)
        library = box.immich.library
        gone = next(asset for asset in library.assets.values() if "08-02" in str(asset.local_date_time))
        library.remove_asset(gone)
        library.add_asset(local="2026-08-03T09:00", file_name="swapped.jpg")
        problem = await refused(box, previewed, "library_changed")
        assert problem["actual_count"] == 6
        assert problem["difference"] == {"added": 1, "removed": 1, "examples": ["swapped.jpg"]}
        assert problem["preview"]["count"] == 6


async def test_drift_to_nothing_has_no_fresh_preview() -> None:
    async with tripbook(trip()) as box:
        previewed = await preview(box)
        for asset in list(box.immich.library.assets.values()):
            box.immich.library.trash_asset(asset)
        problem = await refused(box, previewed, "library_changed")
        assert problem["actual_count"] == 0
        assert "preview" not in problem


async def test_after_drift_the_old_token_still_works_if_the_library_is_as_it_was() -> None:
    async with tripbook(trip()) as box:
        previewed = await preview(box)
        late = box.immich.library.add_asset(local="2026-08-03T09:00")
        await refused(box, previewed, "library_changed")
        box.immich.library.remove_asset(late)
        assert (await box.call("create_album", **confirming(previewed)))["added"] == 6


TAKEN = [
    ("maine 2026", "MAINE 2026"),
    ("São Bento", "sao bento"),
    ("Café", "cafe\u0301"),
    (" Lisboa ", "lisboa"),
    ("Straße", "STRASSE"),
]


@pytest.mark.parametrize(("there", "wanted"), TAKEN)
async def test_a_taken_name_is_refused_at_preview(there: str, wanted: str) -> None:
    library = trip()
    library.add_album(there, [])
    async with tripbook(library) as box:
        problem = await box.problem("preview_album", album_name=wanted, **DAYS)
        assert problem["code"] == "album_name_taken"
        assert problem["album"]["name"] == there


@pytest.mark.parametrize("version", VERSIONS)
async def test_the_name_of_an_album_shared_with_me_is_taken(version: str) -> None:
    library = trip()
    library.add_album("Maine 2026", [], owner=library.add_user("Cleo"), members={library.me.id: "viewer"})
    async with tripbook(library, version=version) as box:
        assert (await box.problem("preview_album", album_name="Maine 2026", **DAYS))["code"] == "album_name_taken"


async def test_a_name_taken_after_the_preview_is_refused_at_confirm() -> None:
    async with tripbook(trip()) as box:
        previewed = await preview(box)
        box.immich.library.add_album("maine 2026", [])
        await refused(box, previewed, "album_name_taken")


async def test_what_cannot_be_previewed() -> None:
    async with tripbook(trip(), max_write=5) as box:
        problem = await box.problem("preview_album", album_name="X", **DAYS)
        assert (problem["code"], problem["actual_count"]) == ("too_many_photos", 6)
        problem = await box.problem(
            "preview_album", album_name="X", taken_after="2020-01-01", taken_before="2020-01-02"
        )
        assert problem["code"] == "nothing_matches"
        assert (await box.problem("preview_album", album_name="X"))["code"] == "empty_criteria"
        assert (await box.problem("preview_album", album_name="   ", **DAYS))["code"] == "invalid_request"
        assert (await box.problem("preview_album", album_name="X" * 121, **DAYS))["code"] == "invalid_request"
        assert box.writes == []


async def test_without_write_scope_and_with_writes_off_nothing_can_be_written() -> None:
    async with tripbook(trip()) as box:
        for operation, fields in (
            ("preview_album", {"album_name": "X", **DAYS}),
            ("create_album", {"preview_token": "a" * 32, "expected_count": 1, "album_name": "X"}),
            ("add_to_album", {"preview_token": "a" * 32, "expected_new_count": 1, "album_name": "X"}),
        ):
            problem = await box.problem(operation, caller="reader", **fields)
            assert (problem["status"], problem["code"]) == (403, "missing_scope")
    async with tripbook(trip(), enable_writes=False) as box:
        for operation in ("preview_album", "create_album", "add_to_album"):
            problem = await box.problem(operation, album_name="X", **DAYS)
            assert (problem["status"], problem["code"]) == (403, "writes_disabled")
        document = (await box.http.get("/openapi.json")).json()
        names = {operation["operationId"] for item in document["paths"].values() for operation in item.values()}
        assert names == {"find_albums", "search_photos", "smart_search", "album_gaps"}


async def test_refused_ids_are_told_one_by_one_and_are_final() -> None:
    """A partner's photo that cannot be added any more at write time is reported, not hidden."""
    async with tripbook(trip()) as box:
        previewed = await preview(box)
        rows = [a.id for a in box.immich.library.assets.values() if (a.local_date_time or "") >= "2026-08-02"]
        bad = sorted(rows)[2]
        real = box.immich.library.assets[bad]
        stranger = box.immich.library.add_user("Dora")
        client = box.tripbook.library.client
        create = client.create_album

        async def create_then_lose_one(name: str, description: str) -> Any:
            album = await create(name, description)
            real.owner_id = stranger.id
            return album

        client.create_album = create_then_lose_one  # type: ignore[method-assign]
        receipt = await box.call("create_album", **confirming(previewed))
        assert (receipt["status"], receipt["added"], receipt["failed_count"]) == ("done", 5, 1)
        assert receipt["failed"] == [{"id": bad, "reason": "no_permission"}]
        assert receipt["album_count_now"] == 5
        assert (await box.call("create_album", **confirming(previewed)))["replayed"] is True


async def test_the_preview_is_a_resource_of_its_caller() -> None:
    async with tripbook(trip()) as box:
        response = await box.post("preview_album", {"album_name": "Maine 2026", **DAYS})
        location = response.headers["location"]
        assert location == f"/v1/previews/{response.json()['preview_token'][:16]}"
        assert response.headers["cache-control"] == "no-store"
        shown = (await box.get(location)).json()
        assert (shown["state"], shown["count"], shown["album_name"]) == ("open", 6, "Maine 2026")
        assert response.json()["preview_token"] not in str(shown)
        assert (await box.get(location, caller="other")).status_code == 404
        assert (await box.get(location, caller="approver")).status_code == 200
        await box.call("create_album", **confirming(response.json()))
        shown = (await box.get(location)).json()
        assert (shown["state"], shown["progress"]["added"]) == ("done", 6)
        receipt = (await box.get(f"/v1/receipts/{shown['receipt_id']}")).json()
        assert receipt["outcome"]["added"] == 6
        assert receipt["caller"] == "writer"
        assert (await box.get(f"/v1/receipts/{shown['receipt_id']}", caller="other")).status_code == 404


async def test_the_key_must_be_able_to_fill_an_album_before_an_empty_one_is_made() -> None:
    from service.demo.lookalike import DEMO_KEY, PERMISSIONS, KeySpec

    keys = {DEMO_KEY: KeySpec("half", PERMISSIONS - {"albumAsset.create"})}
    async with tripbook(trip(), keys=keys) as box:
        problem = await refused(box, await preview(box), "immich_missing_permission")
        assert "albumAsset.create" in problem["detail"]


async def test_a_read_error_while_checking_writes_nothing_and_leaves_the_preview_open() -> None:
    from service.demo.faults import FaultRule, status

    async with tripbook(trip()) as box:
        previewed = await preview(box)
        box.immich.faults.rules = [FaultRule(status(500), path="search/metadata$")]
        await refused(box, previewed, "immich_error")
        box.immich.faults.rules = []
        assert (await box.call("create_album", **confirming(previewed)))["added"] == 6

"""Which album a confirm may make, adopt or fill after something went wrong: never a second, never somebody's."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from service.demo.faults import FaultRule, apply_then_reset, reset, status
from tests.api.confirming import NAME, albums, fail_writes_from, mend_writes, preview, state_of, ten
from tests.harness import VERSIONS, tripbook


async def test_nothing_sent_keeps_no_right_to_the_name() -> None:
    """The database failed between `writing` and the create; another preview of the name then made the album."""
    async with tripbook(ten()) as box:
        first, second = await preview(box), await preview(box, caller="other")
        fail_writes_from(box, 3)  # claim, commit `writing`, and then the mark of the create
        assert (await box.post("create_album", first)).status_code == 500
        mend_writes(box)
        box.tripbook.db.time_shift = timedelta(seconds=200)
        assert (await box.call("create_album", caller="other", **second))["added"] == 10
        problem = await box.problem("create_album", **first)
        assert problem["code"] == "album_name_taken"
        assert len(albums(box)) == 1


async def test_a_lapsed_write_that_sent_nothing_looks_at_the_name_again() -> None:
    async with tripbook(ten()) as box:
        first = await preview(box)
        fail_writes_from(box, 3)
        await box.post("create_album", first)
        mend_writes(box)
        box.tripbook.db.time_shift = timedelta(seconds=200)
        box.immich.library.add_album(NAME, [])
        assert (await box.problem("create_album", **first))["code"] == "album_name_taken"
        assert len(albums(box)) == 1


async def test_the_quiet_minute_begins_when_the_answer_is_lost() -> None:
    async with tripbook(ten()) as box:
        fields = await preview(box)
        box.immich.faults.rules = [FaultRule(reset(), method="POST", path="/albums$", times=1)]
        create = box.tripbook.library.client.create_album

        async def slow(name: str, description: str) -> Any:
            box.tripbook.db.time_shift += timedelta(seconds=70)
            return await create(name, description)

        box.tripbook.library.client.create_album = slow  # type: ignore[method-assign]
        problem = await box.problem("create_album", **fields)
        assert (problem["status"], problem["code"]) == (504, "outcome_unknown")
        assert 50 <= problem["retry_after"] <= 61
        assert albums(box) == []
        assert await state_of(box, fields) == "unknown"
        box.tripbook.library.client.create_album = create  # type: ignore[method-assign]
        box.tripbook.db.time_shift += timedelta(seconds=62)
        assert (await box.call("create_album", **fields))["added"] == 10
        assert len(albums(box)) == 1


async def test_a_check_that_died_expires_like_an_open_preview() -> None:
    from service.db.previews import expire_previews

    async with tripbook(ten()) as box:
        fields = await preview(box)
        fail_writes_from(box, 2)
        await box.post("create_album", fields)
        mend_writes(box)
        assert await state_of(box, fields) == "checking"
        box.tripbook.db.time_shift = timedelta(days=3)
        assert await state_of(box, fields) == "expired"
        assert (await box.problem("create_album", **fields))["code"] == "preview_expired"
        async with box.tripbook.db.write() as session:
            await expire_previews(session, await box.tripbook.db.now(session), timedelta(days=1))
        assert await state_of(box, fields) == "expired"


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["shared", "public link", "archived inside", "foreign inside", "renamed"])
async def test_an_album_that_is_not_surely_ours_is_never_adopted(version: str, kind: str) -> None:
    library = ten()
    ben = library.add_user("Ben", partner=True)
    inbox = library.add_album("Inbox", [])
    async with tripbook(library, version=version) as box:
        fields = await preview(box)
        box.immich.faults.rules = [FaultRule(reset(), method="POST", path="/albums$", times=1)]
        await box.problem("create_album", **fields)
        box.immich.faults.rules = []
        album = inbox if kind == "renamed" else library.add_album(NAME, [])
        if kind == "renamed":
            album.name = NAME
        elif kind == "shared":
            album.members[ben.id] = "viewer"
        elif kind == "public link":
            album.has_shared_link = True
        elif kind == "archived inside":
            album.add([library.add_asset(local="2020-01-01T10:00", visibility="archive").id])
        else:
            album.add([library.add_asset(local="2020-01-01T10:00").id])
        box.tripbook.db.time_shift = timedelta(seconds=200)
        before = list(album.asset_ids)
        problem = await box.problem("create_album", **fields)
        assert problem["code"] == "outcome_unknown"
        assert album.asset_ids == before
        assert albums(box) == [album]


async def test_an_album_whose_create_answer_was_lost_is_adopted_at_once() -> None:
    async with tripbook(ten()) as box:
        fields = await preview(box)
        box.immich.faults.rules = [FaultRule(apply_then_reset(), method="POST", path="/albums$", times=1)]
        receipt = await box.call("create_album", **fields)
        assert (receipt["status"], receipt["added"]) == ("done", 10)
        assert len(albums(box)) == 1


async def test_an_album_deleted_in_between_is_final_and_leaves_a_receipt() -> None:
    async with tripbook(ten(), write_chunk=4) as box:
        fields = await preview(box)
        answer = status(401, {"message": "Invalid API key"})
        box.immich.faults.rules = [FaultRule(answer, method="PUT", nth=2, times=9)]
        receipt = await box.call("create_album", **fields)
        assert (receipt["status"], receipt["added"], receipt["remaining"]) == ("partial", 4, 6)
        box.immich.faults.rules = []
        box.immich.library.remove_album(receipt["album"]["id"])
        for _ in range(2):
            problem = await box.problem("create_album", **fields)
            assert (problem["status"], problem["code"]) == (404, "album_not_found")
        assert albums(box) == []
        assert await state_of(box, fields) == "done"
        receipts = (await box.get("/v1/receipts")).json()["receipts"]
        assert [r["outcome"]["remaining"] for r in receipts] == [6, 6]


async def test_an_unfinished_name_of_another_client_is_told_without_its_preview() -> None:
    async with tripbook(ten()) as box:
        first, second = await preview(box), await preview(box, caller="other")
        box.immich.faults.rules = [FaultRule(reset(), method="POST", path="/albums$", times=1)]
        await box.problem("create_album", **first)
        problem = await box.problem("create_album", caller="other", **second)
        assert problem["code"] == "confirm_in_progress"
        assert first["preview_token"][:16] not in problem["detail"]


async def test_an_unfinished_preview_can_be_given_up_by_the_admin() -> None:
    from service.actions.confirms import drop_preview

    async with tripbook(ten()) as box:
        first, second = await preview(box), await preview(box, caller="other")
        box.immich.faults.rules = [FaultRule(reset(), method="POST", path="/albums$", times=1)]
        await box.problem("create_album", **first)
        box.immich.faults.rules = []
        await drop_preview(box.tripbook.db, first["preview_token"][:16])
        assert (await box.problem("create_album", **first))["code"] == "preview_declined"
        assert (await box.call("create_album", caller="other", **second))["added"] == 10


async def test_an_album_that_was_made_and_cannot_be_filled_is_named() -> None:
    async with tripbook(ten()) as box:
        fields = await preview(box)
        answer = status(400, {"message": "Not found or no albumAsset.create access"})
        box.immich.faults.rules = [FaultRule(answer, method="PUT")]
        receipt = await box.call("create_album", **fields)
        assert (receipt["status"], receipt["added"], receipt["remaining"]) == ("partial", 0, 10)
        assert receipt["album"]["id"] == albums(box)[0].id
        box.immich.faults.rules = []
        assert (await box.call("create_album", **fields))["added"] == 10
        assert len(albums(box)) == 1


async def test_what_was_given_up_half_done_says_so() -> None:
    from service.actions.confirms import drop_preview

    async with tripbook(ten(), write_chunk=4) as box:
        fields = await preview(box)
        answer = status(401, {"message": "Invalid API key"})
        box.immich.faults.rules = [FaultRule(answer, method="PUT", nth=2, times=9)]
        await box.call("create_album", **fields)
        await drop_preview(box.tripbook.db, fields["preview_token"][:16])
        problem = await box.problem("create_album", **fields)
        assert problem["code"] == "preview_declined"
        assert "after 4 of 10 photos" in problem["detail"]


async def test_a_key_that_lost_a_permission_makes_no_second_empty_album() -> None:
    from service.demo.lookalike import DEMO_KEY, PERMISSIONS, KeySpec

    async with tripbook(ten()) as box:
        fields = await preview(box)
        box.immich.faults.rules = [FaultRule(reset(), method="POST", path="/albums$", times=1)]
        await box.problem("create_album", **fields)
        box.immich.keys[DEMO_KEY] = KeySpec("less", PERMISSIONS - {"albumAsset.create"})
        box.tripbook.db.time_shift = timedelta(seconds=200)
        problem = await box.problem("create_album", **fields)
        assert problem["code"] == "immich_missing_permission"
        assert albums(box) == []
        box.immich.keys[DEMO_KEY] = KeySpec("whole")
        assert (await box.call("create_album", **fields))["added"] == 10

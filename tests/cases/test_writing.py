"""Writing: every id gets an answer, what is left can be finished, and nothing is made twice."""

from __future__ import annotations

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.demo import faults
from service.demo.connection import read_body, send_answer
from tests.cases.libraries import library, shoot, warns
from tests.cases.writing import DAY, albums_named, confirm_while_held, gaps_previewed, previewed
from tests.harness import VERSIONS, tripbook


@pytest.mark.parametrize("version", VERSIONS)
async def test_wrt_01_a_mixed_result_is_told_per_photo(version: str) -> None:
    made = library()
    ben = made.add_user("Ben", partner=True)
    album = made.add_album("Trip", shoot(made, "2025-08-04", 28))
    shoot(made, "2025-08-04", 6)
    twice = shoot(made, "2025-08-04", 2)
    refused = shoot(made, "2025-08-04", 2, owner=ben)

    def meanwhile() -> None:
        album.add(photo.id for photo in twice)
        for photo in refused:
            made.update_asset(photo, visibility="archive")

    async with tripbook(made, version=version) as box:
        confirm = await gaps_previewed(box, "Trip")
        receipt = (await confirm_while_held(box, "add_to_album", confirm, meanwhile)).json()
        assert (receipt["added"], receipt["already_present"], receipt["failed_count"]) == (6, 2, 2)
        assert {row["id"] for row in receipt["failed"]} == {photo.id for photo in refused}
        assert {row["reason"] for row in receipt["failed"]} == {"no_permission"}
        assert (receipt["status"], receipt["remaining"]) == ("done", 0)
        assert receipt["album_count_now"] == 36


async def test_wrt_02_a_photo_counts_and_is_added_once() -> None:
    """Two windows of an album may both hold a photo; ids are a set."""
    made = library()
    made.add_album("Trip", shoot(made, "2025-08-01", 1) + shoot(made, "2025-08-20", 1))
    shoot(made, "2025-08-10", 2)
    async with tripbook(made) as box:
        confirm = await gaps_previewed(box, "Trip", pad_days=30)
        assert confirm["expected_new_count"] == 2
        receipt = await box.call("add_to_album", **confirm)
        assert (receipt["added"], receipt["already_present"]) == (2, 0)


async def test_wrt_04_a_new_album_is_created_empty_and_every_photo_answered_for() -> None:
    made = library()
    ben = made.add_user("Ben", partner=True)
    shoot(made, "2025-08-04", 7)
    others = shoot(made, "2025-08-04", 3, owner=ben)
    async with tripbook(made) as box:
        confirm = await previewed(box, "X")
        answer = await confirm_while_held(
            box, "create_album", confirm, lambda: [made.update_asset(o, visibility="archive") for o in others]
        )
        receipt = answer.json()
        assert (receipt["added"], receipt["failed_count"], receipt["album_count_now"]) == (7, 3, 7)
        assert "assetIds" not in box.writes[0].body


@pytest.mark.parametrize("applied", [False, True])
async def test_wrt_05_a_break_in_the_middle_is_told_and_finished_later(applied: bool) -> None:
    made = library()
    shoot(made, "2025-08-04", 3_500)
    async with tripbook(made, max_write=4_000) as box:
        confirm = await previewed(box)
        if applied:
            box.immich.faults.add(faults.apply_then_reset(), method="PUT", path="assets$", nth=4)
        gone = faults.status(502, "<html>Bad gateway</html>", content_type="text/html")
        box.immich.faults.add(gone, method="PUT", path="assets$", nth=5 if applied else 4, times=99)
        first = await box.call("create_album", **confirm)
        assert (first["status"], first["added"]) == ("partial", 2_000 if applied else 1_500)
        assert first["remaining"] == 3_500 - first["added"] == 3_500 - first["album_count_now"]
        [album] = albums_named(box, "Trip")
        there = set(album.asset_ids)
        box.immich.faults.clear()
        box.immich.journal.clear()
        second = await box.call("create_album", **confirm)
        assert (second["status"], second["remaining"], second["album_count_now"]) == ("done", 0, 3_500)
        assert (second["added"], second["already_present"], second["failed_count"]) == (3_500, 0, 0)
        assert albums_named(box, "Trip") == [album]
        sent = [asset_id for entry in box.writes for asset_id in entry.body["ids"]]
        assert {entry.method for entry in box.writes} == {"PUT"}
        assert sorted(sent) == sorted(set(made.assets) - there)
        assert sorted(album.asset_ids) == sorted(made.assets)


class SmallBodies:
    """A proxy that refuses every write with a body over `limit` bytes, with a page of its own."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __call__(self, app: ASGIApp) -> ASGIApp:
        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            body = await read_body(receive)
            if scope["method"] == "PUT" and len(body) > self.limit:
                await send_answer(send, 413, [(b"content-type", b"text/html")], b"<html>Too Large</html>")
                return

            async def again() -> Message:
                return {"type": "http.request", "body": body, "more_body": False}

            await app(scope, again, send)

        return serve


@pytest.mark.parametrize(
    ("limit", "sent"),
    [(20_000, [500, 100]), (10_000, [250, 250, 100]), (8_000, [125, 125, 125, 125, 100]), (40, [])],
)
async def test_wrt_06_a_proxy_that_refuses_large_bodies_gets_smaller_ones(limit: int, sent: list[int]) -> None:
    made = library()
    shoot(made, "2025-08-04", 600)
    proxy = SmallBodies(limit)
    async with tripbook(made, proxy=proxy) as box:
        confirm = await previewed(box)
        receipt = await box.call("create_album", **confirm)
        assert [len(entry.body["ids"]) for entry in box.writes if entry.method == "PUT"] == sent
        assert receipt["failed_count"] == 0
        if sent:
            assert (receipt["status"], receipt["added"], receipt["album_count_now"]) == ("done", 600, 600)
            return
        # Not even one photo fits: told, nothing counted as answered, and finished once the proxy is mended.
        assert (receipt["status"], receipt["added"], receipt["remaining"]) == ("partial", 0, 600)
        assert "413" in receipt["stopped_because"]
        assert "<" not in receipt["stopped_because"]
        proxy.limit = 1_000_000
        assert (await box.call("create_album", **confirm))["added"] == 600


@pytest.mark.parametrize("version", VERSIONS)
async def test_wrt_07_a_changed_count_writes_nothing_and_offers_a_new_preview(version: str) -> None:
    made = library()
    shoot(made, "2025-08-04", 42)
    async with tripbook(made, version=version) as box:
        confirm = await previewed(box)
        shoot(made, "2025-08-04", 1, at="12:00", file_name="new.jpg")
        problem = await box.problem("create_album", **confirm)
        assert (problem["status"], problem["code"], problem["actual_count"]) == (409, "library_changed", 43)
        assert "42 then, 43 now" in problem["detail"]
        assert problem["difference"] == {"added": 1, "removed": 0, "examples": ["new.jpg"]}
        assert box.writes == []
        fresh = problem["preview"]
        receipt = await box.call(
            "create_album", preview_token=fresh["preview_token"], expected_count=43, album_name="Trip"
        )
        assert receipt["added"] == 43


async def test_wrt_09_nothing_to_add_is_no_preview() -> None:
    made = library()
    album = made.add_album("Trip", shoot(made, "2025-08-04", 12))
    async with tripbook(made) as box:
        gaps = await box.call("album_gaps", album_id=album.id)
        assert (gaps["missing_count"], gaps["album"]["count"]) == (0, 12)
        assert "preview_token" not in gaps
        assert warns(gaps, "Nothing is missing")
        problem = await box.problem(
            "preview_album", album_name="Empty", taken_after="2020-01-01", taken_before="2020-01-02"
        )
        assert problem["code"] == "nothing_matches"


async def test_wrt_10_an_album_left_empty_is_filled_by_the_same_confirm() -> None:
    made = library()
    shoot(made, "2025-08-04", 10)
    async with tripbook(made) as box:
        confirm = await previewed(box)
        box.immich.faults.add(faults.status(500), method="PUT", path="assets$", times=99)
        first = await box.call("create_album", **confirm)
        assert (first["status"], first["added"], first["remaining"]) == ("partial", 0, 10)
        assert first["stopped_because"]
        box.immich.faults.clear()
        second = await box.call("create_album", **confirm)
        assert (second["status"], second["album"]["id"]) == ("done", first["album"]["id"])
        assert second["album_count_now"] == 10
        assert len(albums_named(box, "Trip")) == 1


async def test_wrt_12_a_photo_gone_before_the_check_is_a_change() -> None:
    made = library()
    photos = shoot(made, "2025-08-04", 5)
    async with tripbook(made) as box:
        confirm = await previewed(box)
        made.remove_asset(photos[2])
        problem = await box.problem("create_album", **confirm)
        assert (problem["code"], problem["actual_count"]) == ("library_changed", 4)
        assert box.writes == []


async def test_wrt_12_a_photo_gone_after_the_check_is_refused_by_name() -> None:
    made = library()
    photos = shoot(made, "2025-08-04", 5)
    async with tripbook(made) as box:
        confirm = await previewed(box)
        answer = await confirm_while_held(box, "create_album", confirm, lambda: made.remove_asset(photos[2]))
        receipt = answer.json()
        assert (receipt["added"], receipt["failed_count"]) == (4, 1)
        assert receipt["failed"][0]["id"] == photos[2].id


async def test_the_same_day_can_be_previewed_again_after_writing() -> None:
    made = library()
    shoot(made, "2025-08-04", 5)
    async with tripbook(made) as box:
        await box.call("create_album", **await previewed(box))
        assert (await box.problem("preview_album", album_name="trip", **DAY))["code"] == "album_name_taken"

"""Previews and receipts as lists: newest first, page by page, one's own only."""

from __future__ import annotations

from typing import Any

from service.demo.library import Library
from tests.harness import Box, tripbook

DAY = {"taken_after": "2026-08-02", "taken_before": "2026-08-02"}


def library() -> Library:
    made = Library()
    for minute in range(3):
        made.add_asset(local=f"2026-08-02T10:{minute:02d}")
    made.add_album("Mine", [])
    return made


async def walk(box: Box, path: str, key: str, caller: str) -> list[dict[str, Any]]:
    """All entries of a list, one a page."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    for _ in range(20):
        page = (await box.get(path, caller=caller, limit=1, **cursor)).json()
        found += page[key]
        if "next_cursor" not in page:
            return found
        cursor = {"cursor": page["next_cursor"]}
    raise AssertionError("no end")


async def test_lists_are_newest_first_paged_and_ones_own() -> None:
    async with tripbook(library()) as box:
        for caller, names in (("writer", ("A", "B", "C")), ("other", ("D",))):
            for name in names:
                shown = await box.call("preview_album", caller=caller, album_name=name, **DAY)
                await box.call(
                    "create_album",
                    caller=caller,
                    preview_token=shown["preview_token"],
                    expected_count=3,
                    album_name=name,
                )
        for path, key, name_of in (
            ("/v1/previews", "previews", lambda one: one["album_name"]),
            ("/v1/receipts", "receipts", lambda one: one["outcome"]["album"]["name"]),
        ):
            assert [name_of(one) for one in await walk(box, path, key, "writer")] == ["C", "B", "A"]
            assert [name_of(one) for one in await walk(box, path, key, "other")] == ["D"]
            assert [name_of(one) for one in await walk(box, path, key, "approver")] == ["D", "C", "B", "A"]
            assert await walk(box, path, key, "reader") == []
            whole = (await box.get(path)).json()
            assert "next_cursor" not in whole
            assert "preview_token" not in str(whole)


async def test_the_documents_point_to_the_public_address() -> None:
    async with tripbook(library(), public_base_url="https://tripbook.example/") as box:
        for path in ("/openapi.json", "/openapi-full.json"):
            assert (await box.http.get(path)).json()["servers"] == [{"url": "https://tripbook.example"}]


async def test_long_names_of_persons_and_places_keep_answers_small() -> None:
    from service.demo.library import Place

    made = Library()
    long = "Maria " + "of the long name " * 180
    persons = [made.add_person(f"{long}{number}") for number in range(3)]
    place = Place("Town " + "by the long sea " * 190, "State", "Country")
    album = made.add_album("Mine", [made.add_asset(local="2026-08-01T10:00")])
    for person in persons:
        made.add_asset(local="2026-08-02T10:00", people=[person], place=place)
    async with tripbook(made) as box:
        problem = await box.problem("search_photos", person="maria")
        assert problem["code"] == "ambiguous_person"
        one = problem["candidates"][0]["id"]
        assert (await box.call("search_photos", person=one))["total"] == 1
        await box.call("preview_album", album_name="X", person=one)
        await box.call("album_gaps", album_id=album.id, person=one)
        assert (await box.problem("search_photos", city="Nowhere"))["code"] == "unknown_place"
        assert (await box.problem("search_photos", person="Nobody at all"))["code"] == "unknown_person"


async def test_any_other_whole_number_is_simply_not_the_count() -> None:
    async with tripbook(library()) as box:
        shown = await box.call("preview_album", album_name="X", **DAY)
        for number in (0, -1, 2_000_000, 10**18):
            problem = await box.problem(
                "create_album", preview_token=shown["preview_token"], expected_count=number, album_name="X"
            )
            assert (problem["status"], problem["code"]) == (409, "count_mismatch")
        for token in ("x" * 101, "x" * 500):
            problem = await box.problem("create_album", preview_token=token, expected_count=3, album_name="X")
            assert (problem["status"], problem["code"]) == (409, "invalid_token")
        problem = await box.problem(
            "create_album", preview_token=shown["preview_token"], expected_count=3, album_name="X" * 121
        )
        assert problem["code"] == "album_name_mismatch"
        spaced = f" {shown['preview_token']}\n"
        assert (await box.call("create_album", preview_token=spaced, expected_count=3, album_name="X"))["added"] == 3


async def test_content_search_says_when_too_few_are_of_the_days() -> None:
    made = Library()
    for number in range(1_100):
        made.add_asset(local="2026-08-01T23:00", tags=("snow",), file_name=f"{number}.jpg")
    made.add_asset(local="2026-08-02T10:00")
    async with tripbook(made) as box:
        answer = await box.call("smart_search", query="snow", **DAY)
        assert answer["results"] == []
        assert "search without the dates" in answer["warnings"][0]

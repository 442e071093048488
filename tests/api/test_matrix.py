"""One library, the same questions, one set of answers: every operation on 2.5.6, 3.1.0 and 3.3.1 (both styles)."""

from __future__ import annotations

from typing import Any

import pytest

from service.demo.household import household
from service.demo.library import Library, Place
from tests.harness import Box, tripbook

SERVERS: tuple[tuple[str, dict[str, str]], ...] = (
    ("2.5.6", {}),
    ("3.1.0", {}),
    ("3.3.1", {}),
    ("3.3.1", {"immich_api_style": "legacy"}),
)
TIES = Place("Kyoto", "Kyoto", "Japan")


def everything() -> Library:
    """The household, and what servers differ about: shared albums, ties, archived, trashed, stacks, motion parts."""
    library = household()
    for i in range(3_000):
        library.add_asset(
            local="2019-05-05T12:00",
            place=TIES,
            created_at=f"2026-11-01T{i // 3600:02d}:{i // 60 % 60:02d}:{i % 60:02d}.000Z",
        )
    day = "2018-03-03"
    stack = library.new_id()
    stacked = [library.add_asset(local=f"{day}T10:0{i}", stack_id=stack) for i in range(3)]
    motion = library.add_asset(local=f"{day}T11:00", type="VIDEO", visibility="hidden")
    still = library.add_asset(local=f"{day}T11:00", live_photo_video_id=motion.id)
    archived = library.add_asset(local=f"{day}T12:00", visibility="archive")
    trashed = library.add_asset(local=f"{day}T13:00", is_trashed=True)
    library.add_asset(local=f"{day}T14:00", type="OTHER")
    library.add_asset(local=f"{day}T23:30", offset_hours=-7, type="VIDEO")
    library.add_album("Stacks", [*stacked[:2], still, archived, trashed, motion])
    dora = library.add_user("Dora")
    theirs = [library.add_asset(local=f"2018-03-0{2 + i}T09:00", owner=dora) for i in range(3)]
    library.add_album("Dora and me", theirs, owner=dora, members={library.me.id: "editor"})
    library.add_album("Dora shows me", theirs[:1], owner=dora, members={library.me.id: "viewer"})
    return library


def comparable(answer: Any) -> Any:
    """An answer without what is random or tells the time."""
    if isinstance(answer, dict):
        dropped = ("preview_token", "expires_at", "request_id")
        return {key: comparable(value) for key, value in answer.items() if key not in dropped}
    return [comparable(item) for item in answer] if isinstance(answer, list) else answer


async def ask(box: Box, operation: str, expected: int = 200, **fields: Any) -> Any:
    response = await box.post(operation, fields)
    assert response.status_code == expected, response.text
    return comparable(response.json())


async def ask_everything(box: Box) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for name in ("", "maine", "lisbon", "dora", "stacks", "tokyo"):
        answers[f"find {name}"] = await ask(box, "find_albums", query=name, limit=25)
    for expected, criteria in (
        (200, {"state": "maine"}),
        (200, {"taken_after": "2026-08-02", "taken_before": "2026-08-09"}),
        (200, {"taken_after": "2018-03-03", "taken_before": "2018-03-03"}),
        (200, {"taken_after": "2018-03-03", "taken_before": "2018-03-03", "media": "video"}),
        (200, {"country": "japan", "city": "kyoto"}),
        (200, {"person": "simba"}),
        (200, {"person": "simba", "media": "photo", "taken_after": "2025-01-01"}),
        (200, {"favorites_only": True}),
        (200, {"city": "quebec"}),
        (404, {"state": "Nowhere"}),
        (404, {"person": "Nobody"}),
        (404, {"city": "Maine"}),
        (422, {}),
    ):
        answers[f"search {criteria}"] = await ask(box, "search_photos", expected, **criteria)
    for criteria in ({}, {"person": "Simba"}, {"taken_after": "2025-01-01", "taken_before": "2025-12-31"}):
        answers[f"smart {criteria}"] = await ask(box, "smart_search", query="orange cat in snow", limit=5, **criteria)
    albums = {album.name: album.id for album in box.immich.library.albums.values()}
    for name in ("Lisbon 2025", "Stacks", "Dora and me", "Dora shows me"):
        answers[f"gaps {name}"] = await ask(box, "album_gaps", album_id=albums[name])
    answers["gaps empty album"] = await ask(box, "album_gaps", 409, album_id=albums["To print"])
    answers["gaps with criteria"] = await ask(
        box, "album_gaps", album_id=albums["Stacks"], taken_after="2018-03-01", taken_before="2018-03-05"
    )
    answers["gaps unknown"] = await ask(box, "album_gaps", 404, album_id="1111aaaa-1111-4111-8111-11111111bbbb")
    answers["preview taken"] = await ask(box, "preview_album", 409, album_name="dora AND me", state="Maine")
    return answers


async def write_everything(box: Box) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    preview = await box.call("preview_album", album_name="One day", taken_after="2018-03-03", taken_before="2018-03-03")
    answers["preview"] = comparable(preview)
    created = await box.call(
        "create_album",
        preview_token=preview["preview_token"],
        expected_count=preview["count"],
        album_name="One day",
    )
    answers["create"] = {key: value for key, value in created.items() if key != "album"}
    albums = {album.name: album.id for album in box.immich.library.albums.values()}
    for name in ("Lisbon 2025", "Dora and me"):
        gaps = await box.call("album_gaps", album_id=albums[name])
        answers[f"add {name}"] = await ask(
            box,
            "add_to_album",
            preview_token=gaps["preview_token"],
            expected_new_count=gaps["missing_count"],
            album_name=name,
        )
    answers["albums"] = {
        album.name: sorted(album.asset_ids) for album in box.immich.library.albums.values() if album.name != "Lisbon"
    }
    return answers


@pytest.fixture(scope="module")
def library() -> Library:
    return everything()


async def answers_of(library: Library, version: str, settings: dict[str, str]) -> dict[str, Any]:
    async with tripbook(library.copy(), version=version, request_deadline=120, **settings) as box:
        return await ask_everything(box) | await write_everything(box)


async def test_every_server_gives_the_same_answers(library: Library) -> None:
    expected = await answers_of(library, *SERVERS[0])
    assert expected["search {'country': 'japan', 'city': 'kyoto'}"]["total"] == 3_000 + expected_kyoto(library)
    day = expected["search {'taken_after': '2018-03-03', 'taken_before': '2018-03-03'}"]
    assert (day["total"], day["by_media"]) == (6, {"photo": 4, "video": 1, "other": 1})
    assert expected["gaps Dora and me"]["missing_count"] > 0
    for version, settings in SERVERS[1:]:
        found = await answers_of(library, version, settings)
        for question, answer in expected.items():
            assert found[question] == answer, (version, settings, question)


def expected_kyoto(library: Library) -> int:
    """Timeline photos of Kyoto that the household already had."""
    return sum(
        asset.city == "Kyoto" and asset.visibility == "timeline" and not asset.is_trashed
        for asset in library.assets.values()
        if asset.local_date_time and not asset.local_date_time.startswith("2019-05-05T12:00")
    )

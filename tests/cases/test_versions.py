"""Immich's versions: the same library gives the same answers, whatever shape it comes in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.demo import faults
from service.demo.library import Library
from tests.cases.libraries import library, shoot
from tests.harness import VERSIONS, tripbook

DAY = {"taken_after": "2025-08-04", "taken_before": "2025-08-04"}
ALL_VERSIONS = (*VERSIONS, "3.0.0", "3.2.0")


@pytest.mark.parametrize("version", VERSIONS)
async def test_ver_01_an_albums_photos_are_known_where_its_detail_has_none(version: str) -> None:
    made = library()
    album = made.add_album("All", shoot(made, "2025-08-04", 100))
    async with tripbook(made, version=version) as box:
        gaps = await box.call("album_gaps", album_id=album.id)
        assert (gaps["missing_count"], gaps["album"]["count"]) == (0, 100)
        dated = await box.call("album_gaps", album_id=album.id, **DAY)
        assert dated["missing_count"] == 0
        assert "preview_token" not in gaps | dated


@pytest.mark.parametrize("version", VERSIONS)
async def test_ver_02_the_owner_is_known_in_either_shape(version: str) -> None:
    made = library()
    cleo = made.add_user("Cleo")
    made.add_album("Mine", members={cleo.id: "editor"})
    for role in ("viewer", "editor"):
        made.add_album(f"Hers, {role}", owner=cleo, members={made.me.id: role})
    async with tripbook(made, version=version) as box:
        albums = (await box.call("find_albums", limit=25))["albums"]
        roles = {album["name"]: album["role"] for album in albums}
        assert roles["Mine"] == "owner"
        assert (roles["Hers, viewer"], roles["Hers, editor"]) == ("viewer", "editor")


async def test_ver_03_unneeded_fields_may_have_any_shape() -> None:
    made = library()
    shoot(made, "2025-08-04", 4)
    common = {"type": "VIDEO", "localDateTime": "2025-08-04T10:00:00.000Z", "visibility": "timeline"}
    odd: list[dict[str, Any]] = [
        {"duration": "0:00:08.846", "people": []},
        {"duration": 8_846, "somethingNew": {"deep": [1]}},
        {"duration": None, "deviceAssetId": "x", "exifInfo": None},
        {"exifInfo": {"city": None, "fNumber": "f/2"}},
    ]
    items = [common | {"id": f"6a7f0c1e-0000-4000-8000-00000000000{n}"} | fields for n, fields in enumerate(odd)]
    async with tripbook(made) as box:
        page = {"assets": {"items": items, "nextCursor": None}}
        box.immich.faults.add(faults.raw(json.dumps(page)), path="metadata$")
        answer = await box.call("search_photos", **DAY)
        assert (answer["total"], answer["by_media"]) == (4, {"photo": 0, "video": 4})


@pytest.mark.parametrize("version", ALL_VERSIONS)
async def test_ver_04_albums_are_asked_for_as_each_version_knows_it(version: str) -> None:
    made = library()
    made.add_album("Own")
    cleo = made.add_user("Cleo")
    made.add_album("Shared", owner=cleo, members={made.me.id: "viewer"})
    known = {"isOwned"} if version[0] == "3" else {"shared"}
    async with tripbook(made, version=version) as box:
        names = {album["name"] for album in (await box.call("find_albums", limit=25))["albums"]}
        assert {"Own", "Shared"} <= names
        assert {name for entry in box.immich.journal.calls("api/albums") for name in entry.query} <= known


def mixed_library() -> Library:
    made = library()
    ana = made.add_person("Ana")
    shoot(made, "2025-08-04", 5, city="Bergen", state="Vestland", country="Norway", people=[ana])
    shoot(made, "2025-08-04", 3, type="VIDEO", is_favorite=True)
    shoot(made, "2025-08-05", 2, visibility="archive")
    shoot(made, "2025-08-05", 4, offset_hours=9, at="23:50")
    return made


async def test_ver_05_both_styles_give_the_same_answers_and_are_never_mixed() -> None:
    asked: tuple[dict[str, Any], ...] = (
        DAY,
        {"taken_before": "2025-08-05"},
        {"city": "bergen"},
        {"state": "vestland", "country": "norway"},
        {"person": "Ana"},
        {"media": "video"},
        {"favorites_only": True},
    )
    answers = {}
    for version in ALL_VERSIONS:
        async with tripbook(mixed_library(), version=version) as box:
            answers[version] = [await box.call("search_photos", **criteria) for criteria in asked]
            for entry in box.immich.journal.entries:
                if entry.body and "/search/" in entry.path:
                    flat = {"visibility", "takenAfter", "city", "personIds", "type", "page"} & set(entry.body)
                    assert ("filter" in entry.body) != bool(flat), entry.body
    assert all(found == answers["2.5.6"] for found in answers.values())
    assert [answer["total"] for answer in answers["2.5.6"]] == [8, 12, 5, 5, 5, 3, 3]

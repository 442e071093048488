"""Partners, shared albums and roles: whose photos count, who may add, and who will see what is added."""

from __future__ import annotations

import pytest

from service.demo.library import Album, Library, User
from tests.cases.libraries import library, shoot, warns
from tests.cases.writing import confirm_while_held
from tests.harness import VERSIONS, tripbook

DAY = {"taken_after": "2025-05-01", "taken_before": "2025-05-01"}


def with_partner(name: str = "Ben") -> tuple[Library, User]:
    made = library()
    return made, made.add_user(name, partner=True)


@pytest.mark.parametrize("version", VERSIONS)
async def test_prt_01_partners_photos_count_and_are_told_apart(version: str) -> None:
    made, ben = with_partner()
    shoot(made, "2025-05-01", 3)
    shoot(made, "2025-05-01", 2, owner=ben)
    async with tripbook(made, version=version) as box:
        answer = await box.call("search_photos", **DAY)
        assert (answer["total"], answer["by_owner"]) == (5, {"me": 3, "partners": 2})
        preview = await box.call("preview_album", album_name="Both", **DAY)
        assert (preview["count"], preview["by_owner"]) == (5, {"me": 3, "partners": 2})


async def test_prt_01_without_an_own_album_nobody_is_guessed_to_be_me() -> None:
    made = library(with_album=False)
    shoot(made, "2025-05-01", 3)
    shoot(made, "2025-05-01", 2, owner=made.add_user("Ben", partner=True))
    async with tripbook(made) as box:
        assert (await box.call("search_photos", **DAY))["by_owner"] == {"unknown": 5}


async def test_prt_02_a_person_search_says_that_partners_faces_may_be_unknown() -> None:
    made, ben = with_partner()
    nina = made.add_person("Nina")
    shoot(made, "2025-05-01", 4, people=[nina])
    shoot(made, "2025-05-01", 3, owner=ben)
    async with tripbook(made) as box:
        answer = await box.call("search_photos", person="Nina")
        assert answer["total"] == 4
        assert warns(answer, "on partners' photos it often does not")


async def test_prt_03_a_refused_photo_is_named_with_its_reason() -> None:
    made, ben = with_partner()
    album = made.add_album("Mine", shoot(made, "2025-05-01", 1))
    shoot(made, "2025-05-01", 1)
    shoot(made, "2025-05-01", 1, owner=ben)
    [other] = shoot(made, "2025-05-01", 1, owner=ben)
    async with tripbook(made) as box:
        gaps = await box.call("album_gaps", album_id=album.id)
        confirm = {
            "preview_token": gaps["preview_token"],
            "expected_new_count": gaps["missing_count"],
            "album_name": "Mine",
        }
        answer = await confirm_while_held(
            box, "add_to_album", confirm, lambda: made.update_asset(other, visibility="archive")
        )
        receipt = answer.json()
        assert (receipt["added"], receipt["already_present"], receipt["failed_count"]) == (2, 0, 1)
        assert receipt["failed"] == [{"id": other.id, "reason": "no_permission"}]


def shared_with_me(made: Library, role: str, name: str = "V") -> Album:
    cleo = made.add_user("Cleo")
    inside = shoot(made, "2025-05-01", 1, owner=cleo)
    return made.add_album(name, inside, owner=cleo, members={made.me.id: role})


@pytest.mark.parametrize("version", VERSIONS)
async def test_shr_01_a_viewer_is_told_before_anything_is_written(version: str) -> None:
    made = library()
    album = shared_with_me(made, "viewer")
    shoot(made, "2025-05-01", 5)
    async with tripbook(made, version=version) as box:
        gaps = await box.call("album_gaps", album_id=album.id)
        assert gaps["missing_count"] == 5
        assert "preview_token" not in gaps
        assert warns(gaps, "You can only view this album")
        assert box.writes == []


async def test_shr_01_a_role_lost_on_the_way_says_the_same() -> None:
    made = library()
    album = shared_with_me(made, "editor")
    shoot(made, "2025-05-01", 5)
    async with tripbook(made) as box:
        gaps = await box.call("album_gaps", album_id=album.id)
        confirm = {"preview_token": gaps["preview_token"], "expected_new_count": 5, "album_name": "V"}
        answer = await confirm_while_held(
            box, "add_to_album", confirm, lambda: album.members.update({made.me.id: "viewer"})
        )
        assert (answer.status_code, answer.json()["code"]) == (403, "album_not_writable")


@pytest.mark.parametrize("version", VERSIONS)
async def test_shr_02_an_editor_adds_to_somebody_elses_album(version: str) -> None:
    made = library()
    album = shared_with_me(made, "editor", "E")
    shoot(made, "2025-05-01", 3)
    async with tripbook(made, version=version) as box:
        gaps = await box.call("album_gaps", album_id=album.id)
        assert warns(gaps, 'The album belongs to "Cleo"')
        receipt = await box.call(
            "add_to_album", preview_token=gaps["preview_token"], expected_new_count=3, album_name="E"
        )
        assert receipt["added"] == 3


@pytest.mark.parametrize("version", VERSIONS)
async def test_shr_03_who_will_see_it_is_in_the_sentence_and_bound_to_the_token(version: str) -> None:
    made = library()
    ben, cleo = made.add_user("Ben"), made.add_user("Cleo")
    members = {ben.id: "viewer", cleo.id: "editor"}
    album = made.add_album("S", shoot(made, "2025-05-01", 1), members=members, has_shared_link=True)
    shoot(made, "2025-05-01", 11)
    shoot(made, "2025-05-01", 1, visibility="archive")
    async with tripbook(made, version=version) as box:
        gaps = await box.call("album_gaps", album_id=album.id)
        assert gaps["missing_count"] == 11
        assert "which 2 other people and anyone with its public link can see" in gaps["sentence"]
        assert warns(gaps, "What is added will be seen by 2 other people and anyone with its public link (")
        assert warns(gaps, "1 archived photo of these days is not included.")
        album.members[made.add_user("Dora").id] = "viewer"
        problem = await box.problem(
            "add_to_album", preview_token=gaps["preview_token"], expected_new_count=11, album_name="S"
        )
        assert problem["code"] == "library_changed"
        assert problem["difference"]["audience_changed"] is True
        assert box.writes == []


@pytest.mark.parametrize("version", VERSIONS)
async def test_shr_04_own_and_shared_albums_are_found_with_my_role(version: str) -> None:
    made = library()
    made.add_album("Alps 2021")
    shared_with_me(made, "viewer", "Alps hike")
    async with tripbook(made, version=version) as box:
        albums = (await box.call("find_albums", query="alps"))["albums"]
        found = {album["name"]: (album["role"], album.get("shared", False)) for album in albums}
        assert found == {"Alps 2021": ("owner", False), "Alps hike": ("viewer", True)}

"""Album names: found however they are typed, never doubled by a look-alike, never changed on the way."""

from __future__ import annotations

import pytest

from tests.cases.libraries import library, shoot
from tests.harness import Box, tripbook

DAY = {"taken_after": "2025-05-01", "taken_before": "2025-05-01"}
ROCK = 'Rock & Roll / Añejo\'s "best" 100% #1'


async def names_found(box: Box, query: str) -> list[str]:
    return sorted(album["name"] for album in (await box.call("find_albums", query=query))["albums"])


async def test_nam_01_two_albums_of_one_name_are_told_apart_by_id() -> None:
    made = library()
    for year, number in (("2015", 40), ("2017", 65)):
        made.add_album("Viaje a la sierra", shoot(made, f"{year}-06-01", number))
    async with tripbook(made) as box:
        albums = (await box.call("find_albums", query="viaje"))["albums"]
        assert {(album["start"][:4], album["asset_count"]) for album in albums} == {("2015", 40), ("2017", 65)}
        assert len({album["id"] for album in albums}) == 2
        problem = await box.problem("album_gaps", album_id="Viaje a la sierra")
        assert problem["status"] == 422
        assert "id as find_albums gives it, not its name" in problem["detail"]


async def test_nam_02_unicode_forms_are_one_name() -> None:
    made = library()
    made.add_album("Cafe\u0301 Sao\u0303 Bento")
    shoot(made, "2025-05-01", 1)
    async with tripbook(made) as box:
        assert len(await names_found(box, "caf\u00e9")) == 1
        problem = await box.problem("preview_album", album_name="Caf\u00e9 S\u00e3o Bento", **DAY)
        assert problem["code"] == "album_name_taken"


@pytest.mark.parametrize(("query", "number"), [("munchen", 2), ("izmir", 1), ("strasse", 1), ("MÜNCHEN zoo", 1)])
async def test_nam_03_case_and_accents_do_not_matter(query: str, number: int) -> None:
    made = library()
    for name in ("München 2019", "MUNCHEN Zoo", "İzmir", "Straße"):
        made.add_album(name)
    async with tripbook(made) as box:
        assert len(await names_found(box, query)) == number


async def test_nam_04_a_name_stays_as_it_is() -> None:
    made = library()
    shoot(made, "2025-05-01", 2)
    async with tripbook(made) as box:
        preview = await box.call("preview_album", album_name=ROCK, **DAY)
        assert preview["album_name"] == ROCK
        confirm = {"preview_token": preview["preview_token"], "expected_count": 2, "album_name": ROCK}
        receipt = await box.call("create_album", **confirm)
        assert receipt["album"]["name"] == made.albums[receipt["album"]["id"]].name == ROCK
        assert await names_found(box, "rock & roll") == [ROCK]
        listed = (await box.get("/v1/albums", query="rock & roll / añejo")).json()
        assert [album["name"] for album in listed["albums"]] == [ROCK]


async def test_nam_05_blank_edges_do_not_make_another_name() -> None:
    made = library()
    made.add_album("Lisboa ")
    made.add_album("Lisboa")
    shoot(made, "2025-05-01", 1)
    async with tripbook(made) as box:
        assert await names_found(box, "lisboa") == ["Lisboa", "Lisboa "]
        assert (await box.problem("preview_album", album_name="   ", **DAY))["status"] == 422
        problem = await box.problem("preview_album", album_name=" Lisboa ", **DAY)
        assert problem["code"] == "album_name_taken"
        assert "and 1 more of that name" in problem["detail"]
        assert len(problem["candidates"]) == 2


async def test_nam_05_invisible_signs_do_not_make_another_name() -> None:
    made = library()
    made.add_album("Lis\u200bboa\u202e")
    shoot(made, "2025-05-01", 1)
    async with tripbook(made) as box:
        assert (await box.problem("preview_album", album_name="Lisboa", **DAY))["code"] == "album_name_taken"


async def test_nam_06_a_taken_name_is_refused_with_the_existing_album() -> None:
    made = library()
    album = made.add_album("Norway 2023", shoot(made, "2023-06-01", 80))
    shoot(made, "2025-05-01", 20)
    async with tripbook(made) as box:
        problem = await box.problem("preview_album", album_name="norway 2023", **DAY)
        assert (problem["status"], problem["code"]) == (409, "album_name_taken")
        assert problem["album"] == {"id": album.id, "name": "Norway 2023", "count": 80}
        assert "album_gaps" in problem["detail"]


async def test_nam_08_a_very_long_name_is_refused_and_shown_cut() -> None:
    made = library()
    long = "Long " * 1_000
    album = made.add_album(long, shoot(made, "2025-05-01", 1))
    shoot(made, "2025-05-01", 1, at="12:00")
    async with tripbook(made) as box:
        problem = await box.problem("preview_album", album_name="x" * 5_000, **DAY)
        assert (problem["status"], problem["fields"][0]["message"]) == (422, "must be at most 120 characters")
        [found] = (await box.call("find_albums", query="long long"))["albums"]
        assert found["name"].endswith("…")
        assert len(found["name"]) <= 200
        gaps = await box.call("album_gaps", album_id=album.id)
        confirm = {"preview_token": gaps["preview_token"], "expected_new_count": 1}
        other = await box.problem("add_to_album", album_name="Long…", **confirm)
        assert other["code"] == "album_name_mismatch"
        receipt = await box.call("add_to_album", album_name=gaps["album"]["name"], **confirm)
        assert receipt["added"] == 1


async def test_nam_09_markup_in_a_name_is_only_data() -> None:
    made = library()
    made.add_album("<img src=x onerror=alert(1)>", description="</script>")
    async with tripbook(made) as box:
        response = await box.post("find_albums", {"query": "img"})
        assert response.headers["content-type"] == "application/json"
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.json()["albums"][0]["name"] == "<img src=x onerror=alert(1)>"
        page = await box.http.get("/docs")
        assert "onerror" not in page.text
        assert "script-src 'self'" in page.headers["content-security-policy"]

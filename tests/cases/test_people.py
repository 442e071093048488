"""People: a name is matched by its words over Immich's fuzzy answers; several persons are candidates, never a guess."""

from __future__ import annotations

import pytest

from service.demo import faults
from service.demo.library import Library
from tests.cases.libraries import STYLES, library, shoot, warns
from tests.harness import tripbook


def with_people(*names: str) -> Library:
    made = library()
    for day, name in enumerate(names, start=1):
        shoot(made, f"2025-05-{day:02d}", day, people=[made.add_person(name)])
    return made


@pytest.mark.parametrize("version", STYLES)
async def test_ppl_01_a_name_in_the_middle_after_a_hyphen_in_other_scripts(version: str) -> None:
    made = with_people("Jean-Marie", "Mariella", "Toni Юрий Köhler")
    async with tripbook(made, version=version) as box:
        for asked, name, number in (
            ("marie", "Jean-Marie", 1),
            ("юрий", "Toni Юрий Köhler", 3),
            ("kohler", "Toni Юрий Köhler", 3),
        ):
            answer = await box.call("search_photos", person=asked)
            assert (answer["criteria"]["person"], answer["total"]) == (name, number)
        problem = await box.problem("search_photos", person="mari")
        assert (problem["status"], problem["code"]) == (409, "ambiguous_person")
        assert {candidate["name"] for candidate in problem["candidates"]} == {"Jean-Marie", "Mariella"}


@pytest.mark.parametrize("version", STYLES)
async def test_ppl_02_two_persons_of_one_name_are_candidates(version: str) -> None:
    made = library()
    for name, number in (("Noémie", 120), ("noemie", 4)):
        shoot(made, "2025-05-01", number, people=[made.add_person(name)])
    async with tripbook(made, version=version) as box:
        problem = await box.problem("search_photos", person="Noemie")
        assert problem["code"] == "ambiguous_person"
        photos = {candidate["id"]: candidate["photos"] for candidate in problem["candidates"]}
        assert sorted(photos.values()) == [4, 120]
        for person_id, number in photos.items():
            assert (await box.call("search_photos", person=person_id))["total"] == number


@pytest.mark.parametrize("version", STYLES)
async def test_ppl_03_hidden_persons_stay_hidden(version: str) -> None:
    made = with_people("Ana")
    ex = made.add_person("Ex", hidden=True)
    shoot(made, "2025-05-09", 50, people=[ex])
    async with tripbook(made, version=version) as box:
        for asked in ("Ex", ex.id):
            problem = await box.problem("search_photos", person=asked)
            assert (problem["code"], problem["suggestions"]) == ("unknown_person", ["Ana"])


async def test_ppl_04_one_person_at_a_time_several_are_refused_not_guessed() -> None:
    made = library()
    first, second = made.add_person("Alba"), made.add_person("Bruno")
    shoot(made, "2025-05-01", 3, people=[first])
    shoot(made, "2025-05-01", 2, people=[second])
    shoot(made, "2025-05-01", 1, people=[first, second])
    async with tripbook(made) as box:
        assert (await box.problem("search_photos", person=["Alba", "Bruno"]))["status"] == 422
        assert (await box.problem("search_photos", person="Alba and Bruno"))["code"] == "unknown_person"
        assert (await box.problem("search_photos", people=["Alba", "Bruno"]))["code"] == "invalid_request"
        assert (await box.call("search_photos", person="Alba"))["total"] == 4


async def test_ppl_07_a_broken_people_list_is_not_an_unknown_person() -> None:
    made = with_people("Ana")
    async with tripbook(made) as box:
        box.immich.faults.add(faults.status(500), path="api/people$")
        assert (await box.call("search_photos", media="photo"))["total"] == 1
        problem = await box.problem("search_photos", person="Ana")
        assert (problem["status"], problem["code"]) == (502, "immich_error")
        assert "people" in problem["detail"]


async def test_ppl_08_a_person_beyond_the_first_page() -> None:
    made = library()
    for number in range(1_500):
        made.add_person("Zoë" if number == 1_400 else f"Nobody{number}")
    async with tripbook(made) as box:
        answer = await box.call("search_photos", person="zoe")
        assert (answer["total"], answer["criteria"]["person"]) == (0, "Zoë")


async def test_ppl_09_a_family_word_lists_the_known_names() -> None:
    made = with_people("Margarete", "Robert")
    async with tripbook(made) as box:
        problem = await box.problem("preview_album", album_name="Grandma", person="Grandma")
        assert (problem["status"], problem["code"]) == (404, "unknown_person")
        assert sorted(problem["suggestions"]) == ["Margarete", "Robert"]


async def test_a_person_search_says_what_it_counts() -> None:
    async with tripbook(with_people("Ana")) as box:
        assert warns(await box.call("search_photos", person="ana"), "Only photos on which Immich knows this face")

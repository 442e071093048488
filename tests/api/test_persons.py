"""Persons by name, and search by content."""

from __future__ import annotations

from typing import Any

import pytest

from service.demo.faults import FaultRule, status
from service.demo.household import household
from service.demo.library import Library
from tests.harness import VERSIONS, tripbook


def family() -> Library:
    library = Library()
    names = ("Jean-Marie", "Mariella", "Toni Юрий Köhler", "Maria Lopez", "Maria Lopes", "Noémie", "noemie", "Robert")
    for number, name in enumerate(names):
        person = library.add_person(name)
        for day in range(number + 1):
            library.add_asset(local=f"2026-08-{day + 1:02d}T10:{number:02d}", people=[person])
    hidden = library.add_person("Ex Partner", hidden=True)
    library.add_asset(local="2026-08-20T10:00", people=[hidden])
    library.add_asset(local="2026-08-21T10:00")
    return library


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("given", "name", "total"),
    [
        ("marie", "Jean-Marie", 1),
        ("jean marie", "Jean-Marie", 1),
        ("юрий", "Toni Юрий Köhler", 3),
        ("kohler", "Toni Юрий Köhler", 3),
        ("MARIA LOPEZ", "Maria Lopez", 4),
        ("maria lopes", "Maria Lopes", 5),
        ("robert", "Robert", 8),
    ],
)
async def test_a_name_is_resolved_and_echoed(version: str, given: str, name: str, total: int) -> None:
    async with tripbook(family(), version=version) as box:
        answer = await box.call("search_photos", person=given)
        assert (answer["total"], answer["criteria"]) == (total, {"person": name})


@pytest.mark.parametrize("version", VERSIONS)
async def test_two_who_fit_are_candidates_and_an_id_settles_it(version: str) -> None:
    async with tripbook(family(), version=version) as box:
        problem = await box.problem("search_photos", person="Noemie")
        assert (problem["status"], problem["code"]) == (409, "ambiguous_person")
        assert [(c["name"], c["photos"]) for c in problem["candidates"]] == [("noemie", 7), ("Noémie", 6)]
        answer = await box.call("search_photos", person=problem["candidates"][0]["id"])
        assert (answer["total"], answer["criteria"]) == (7, {"person": "noemie"})
        assert (await box.problem("search_photos", person="mari"))["code"] == "ambiguous_person"
        assert (await box.problem("search_photos", person="maria"))["code"] == "ambiguous_person"


@pytest.mark.parametrize("version", VERSIONS)
async def test_hidden_and_unknown_persons(version: str) -> None:
    async with tripbook(family(), version=version) as box:
        for name in ("Ex Partner", "Ex", "Grandma"):
            problem = await box.problem("search_photos", person=name)
            assert (problem["status"], problem["code"]) == (404, "unknown_person")
            assert "Ex Partner" not in problem["suggestions"]
        assert len((await box.problem("search_photos", person="Grandma"))["suggestions"]) == 8
        assert (await box.problem("search_photos", person="Marua Lopez"))["suggestions"][0] == "Maria Lopez"


async def test_a_person_beyond_the_first_page() -> None:
    library = Library()
    for i in range(1_500):
        library.add_person(f"Person {i}")
    zoe = library.add_person("Zoë")
    library.add_asset(local="2026-08-01T10:00", people=[zoe])
    async with tripbook(library) as box:
        assert (await box.call("search_photos", person="zoe"))["total"] == 1


async def test_a_list_of_people_that_fails_is_an_error_and_not_nobody() -> None:
    async with tripbook(family()) as box:
        box.immich.faults.rules = [FaultRule(status(500), path="/people$")]
        assert (await box.call("search_photos", taken_after="2026-08-21"))["total"] == 1
        problem = await box.problem("search_photos", person="Robert")
        assert (problem["status"], problem["code"]) == (502, "immich_error")


@pytest.mark.parametrize("version", VERSIONS)
async def test_person_goes_into_previews_and_gaps(version: str) -> None:
    library = family()
    album = library.add_album("Robert", [])
    async with tripbook(library, version=version) as box:
        preview = await box.call("preview_album", album_name="All of Robert", person="robert")
        assert (preview["count"], preview["criteria"]) == (8, {"person": "Robert"})
        receipt = await box.call(
            "create_album", preview_token=preview["preview_token"], expected_count=8, album_name="All of Robert"
        )
        assert receipt["added"] == 8
        gaps = await box.call("album_gaps", album_id=album.id, person="robert")
        assert gaps["missing_count"] == 8


@pytest.mark.parametrize("version", VERSIONS)
async def test_scenario_d_content_search(version: str) -> None:
    async with tripbook(household(), version=version) as box:
        answer = await box.call("smart_search", query="orange cat in snow", person="Simba", limit=10)
        assert len(answer["results"]) == 10
        assert answer["criteria"] == {"person": "Simba"}
        assert "not a count" in answer["note"]
        assert "total" not in answer
        library = box.immich.library
        best = library.assets[answer["results"][0]["url"].rpartition("/")[2]]
        assert {"cat", "snow"} <= set(best.tags)


@pytest.mark.parametrize("version", VERSIONS)
async def test_content_search_is_cut_by_local_day_and_reads_on_until_full(version: str) -> None:
    library = Library()
    for i in range(600):
        library.add_asset(local="2026-08-01T23:00", tags=("snow",), file_name=f"before-{i}.jpg")
    wanted = [library.add_asset(local=f"2026-08-02T0{i}:10", tags=()).id for i in range(5)]
    async with tripbook(library, version=version) as box:
        day: dict[str, Any] = {"taken_after": "2026-08-02", "taken_before": "2026-08-02"}
        answer = await box.call("smart_search", query="snow", limit=10, **day)
        assert {row["url"].rpartition("/")[2] for row in answer["results"]} == set(wanted)


async def test_content_search_down_and_off() -> None:
    async with tripbook(family()) as box:
        box.immich.faults.smart_search = "down"
        problem = await box.problem("smart_search", query="cat")
        assert (problem["status"], problem["code"]) == (503, "smart_search_unavailable")
        assert "machine learning" in problem["detail"]
        box.immich.faults.smart_search = "off"
        problem = await box.problem("smart_search", query="cat")
        assert "switched off" in problem["detail"]

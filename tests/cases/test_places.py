"""Places: matched however they are typed, never guessed, and an empty answer says what there is instead."""

from __future__ import annotations

from typing import Any

import pytest

from service.demo import faults
from service.demo.library import Library, Place
from tests.cases.libraries import HOME, STYLES, library, places_of, shoot, warns
from tests.harness import Box, tripbook

USA = Place("Boston", "Massachusetts", "United States of America")
SPAIN = Place("Valencia", "Valencian Community", "Spain")
VENEZUELA = Place("Valencia", "Carabobo", "Venezuela")
JUNE = {"taken_after": "2025-06-01", "taken_before": "2025-06-30"}


async def total(box: Box, **criteria: Any) -> int:
    answer = await box.call("search_photos", **criteria)
    assert answer["exact"] is True
    found: int = answer["total"]
    return found


@pytest.mark.parametrize("version", STYLES)
async def test_plc_01_a_country_by_any_of_its_names(version: str) -> None:
    made = library()
    shoot(made, "2025-06-01", 50, place=USA)
    async with tripbook(made, version=version) as box:
        for name in ("US", "usa", "U.S.A.", "United States", "united states of america"):
            answer = await box.call("search_photos", country=name)
            assert (answer["total"], answer["criteria"]) == (50, {"country": "United States of America"})


@pytest.mark.parametrize("version", STYLES)
async def test_plc_02_accents_case_and_unicode_form_do_not_matter(version: str) -> None:
    made = library()
    shoot(made, "2025-06-01", 7, place=Place("São Paulo", "São Paulo", "Brazil"))
    shoot(made, "2025-06-02", 3, place=Place("Québec", "Quebec", "Canada"))
    async with tripbook(made, version=version) as box:
        for name in ("sao paulo", "SÃO PAULO", "Sa\u0303o Paulo", " são  paulo "):
            assert await total(box, city=name) == 7
        assert await total(box, city="quebec") == 3


async def test_plc_02_two_spellings_of_one_place_are_told() -> None:
    made = library()
    shoot(made, "2025-06-01", 7, place=Place("Québec", None, "Canada"))
    shoot(made, "2025-06-02", 3, place=Place("Quebec", None, "Canada"))
    async with tripbook(made) as box:
        answer = await box.call("search_photos", city="Québec")
        assert answer["total"] == 7
        assert warns(answer, 'Only "Québec" was searched; the library also has "Quebec".')


async def test_plc_03_localised_names_are_listed_instead_of_a_bare_zero() -> None:
    made = library()
    shoot(made, "2025-06-01", 9, place=Place("Berlin", None, "Deutschland"))
    shoot(made, "2025-06-02", 2, place=Place("東京", None, "日本"))
    async with tripbook(made) as box:
        problem = await box.problem("search_photos", country="Germany")
        assert (problem["status"], problem["code"]) == (404, "unknown_place")
        assert sorted(problem["suggestions"]) == ["Deutschland", "日本"]
        assert await total(box, country="日本") == 2


def two_valencias() -> Library:
    made = library()
    shoot(made, "2025-06-01", 4, place=SPAIN)
    shoot(made, "2025-06-02", 3, place=VENEZUELA)
    return made


@pytest.mark.parametrize("version", STYLES)
async def test_plc_04_one_city_name_in_two_countries_is_two_places(version: str) -> None:
    async with tripbook(two_valencias(), version=version) as box:
        both = await box.call("search_photos", city="Valencia")
        assert both["total"] == 7
        assert places_of(both) == {"Valencia, Valencian Community, Spain": 4, "Valencia, Carabobo, Venezuela": 3}
        assert await total(box, city="valencia", country="venezuela") == 3


async def test_plc_05_city_states_have_a_plain_label() -> None:
    made = library()
    shoot(made, "2025-06-01", 20, place=Place("Singapore", None, "Singapore"))
    async with tripbook(made) as box:
        answer = await box.call("search_photos", country="singapore")
        assert places_of(answer) == {"Singapore": 20}
        assert answer["clusters"][0]["top_place"] == "Singapore"


@pytest.mark.parametrize("version", STYLES)
async def test_plc_06_far_from_any_town_only_the_country_is_known(version: str) -> None:
    made = library()
    shoot(made, "2025-06-01", 12, place=Place(None, None, "Norway"))
    shoot(made, "2025-06-01", 8, place=Place("Bergen", "Vestland", "Norway"))
    async with tripbook(made, version=version) as box:
        answer = await box.call("search_photos", country="Norway")
        assert answer["total"] == 20
        assert places_of(answer) == {"Norway (no town)": 12, "Bergen, Vestland": 8}


async def test_plc_08_a_border_town_is_told_as_the_nearest_town() -> None:
    made = library()
    shoot(made, "2025-06-05", 30, place=Place("Kreuzlingen", "Thurgau", "Switzerland"))
    shoot(made, "2024-01-01", 2, place=HOME)
    async with tripbook(made) as box:
        answer = await box.call("search_photos", country="Germany", **JUNE)
        assert answer["total"] == 0
        assert answer["warnings"][0] == "Nothing matches on these days; without the dates: 2 photos."
        assert warns(answer, 'Most photos of these days are at "Kreuzlingen, Thurgau" (30)')


async def test_plc_09_near_equal_names_are_not_mixed() -> None:
    made = library()
    for name, number in (("Stone Bridge", 5), ("Bridge Stones", 9), ("Stone Bridge Park", 2)):
        shoot(made, "2025-06-01", number, place=Place(name, "Ohio", "United States"))
    async with tripbook(made) as box:
        assert await total(box, city="stone bridge") == 5
        problem = await box.problem("search_photos", city="Stone Brigde")
        assert "Stone Bridge" in problem["suggestions"]


async def test_a_value_in_the_wrong_field_is_told_its_kind() -> None:
    made = library()
    shoot(made, "2025-06-01", 5, place=Place("Bar Harbor", "Maine", "United States of America"))
    async with tripbook(made) as box:
        problem = await box.problem("search_photos", city="maine")
        assert problem["detail"] == 'No city "maine" in the library, but "Maine" is a state: pass it as state.'
        assert (await box.problem("search_photos", state="USA"))["suggestions"] == ["United States of America"]


async def test_llm_03_typing_mistakes_get_suggestions_and_are_never_used() -> None:
    made = library()
    shoot(made, "2025-06-01", 9, place=Place("Bangor", "Maine", "United States"))
    shoot(made, "2025-06-02", 4, place=Place("Flint", "Michigan", "United States"))
    shoot(made, "2025-06-03", 1, place=Place("Lisboa", "Lisbon", "Portugal"))
    async with tripbook(made) as box:
        assert (await box.problem("search_photos", state="Main"))["suggestions"] == ["Maine"]
        assert (await box.problem("search_photos", city="Lisabon"))["suggestions"] == ["Lisboa"]
        problem = await box.problem("preview_album", album_name="Trip", state="Main")
        assert problem["code"] == "unknown_place"


@pytest.mark.parametrize("version", STYLES)
async def test_llm_04_a_real_city_in_the_wrong_country(version: str) -> None:
    made = two_valencias()
    async with tripbook(made, version=version) as box:
        problem = await box.problem("search_photos", city="Valencia", country="Italy")
        assert problem["detail"] == (
            'No country "Italy" in the library; "Valencia" is in "Spain" (4), "Venezuela" (3).'
        )
        assert problem["suggestions"] == ["Spain", "Venezuela"]
        shoot(made, "2025-06-03", 1, place=Place("Roma", "Lazio", "Italy"))
        box.tripbook.library.forget()
        answer = await box.call("search_photos", city="Valencia", country="Italy")
        assert answer["total"] == 0
        assert answer["warnings"] == ['"Valencia" is in "Spain" (4), "Venezuela" (3).']


def without_gps(days: int) -> Library:
    made = library()
    for day in range(1, days + 1):
        shoot(made, f"2024-09-{day:02d}", 300 // days)
    shoot(made, "2023-03-03", 2, place=Place("Roma", "Lazio", "Italy"))
    return made


@pytest.mark.parametrize("version", STYLES)
async def test_an_empty_place_search_costs_at_most_four_more_statistics_calls(version: str) -> None:
    async with tripbook(without_gps(5), version=version) as box:
        dates = {"taken_after": "2024-09-01", "taken_before": "2024-09-05"}
        await box.call("search_photos", **dates)
        before = len(box.immich.journal.calls("search/statistics"))
        await box.call("search_photos", city="Roma", **dates)
        assert len(box.immich.journal.calls("search/statistics")) - before <= 1 + 4


async def test_hints_are_left_out_when_immich_stumbles_over_them() -> None:
    async with tripbook(without_gps(5)) as box:
        await box.call("search_photos", media="photo")
        box.immich.faults.add(faults.status(500), path="search/statistics$", nth=2, times=99)
        answer = await box.call("search_photos", city="Roma", taken_after="2024-09-01", taken_before="2024-09-05")
        assert (answer["total"], answer["exact"]) == (0, True)
        assert answer["warnings"] == ["Nothing matches all of these criteria together; drop one and search again."]

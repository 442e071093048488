"""Agents: nothing without a preview, nothing twice, nothing old, nothing that text in the library asks for."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest

from service.demo import faults
from service.demo.library import Library
from tests.cases.libraries import library, shoot
from tests.cases.writing import DAY, albums_named, gaps_previewed, previewed
from tests.harness import PATHS, VERSIONS, check_problem, tripbook

MINUTES = timedelta(minutes=1)


def one_day(number: int = 5) -> Library:
    made = library()
    shoot(made, "2025-08-04", number)
    return made


@pytest.mark.parametrize("version", VERSIONS)
async def test_agt_01_the_same_confirm_again_is_the_same_album(version: str) -> None:
    async with tripbook(one_day(), version=version) as box:
        confirm = await previewed(box)
        box.immich.faults.add(faults.apply_then_reset(), method="POST", path="albums$", times=1)
        first = await box.post("create_album", confirm)
        answers = []
        for minutes in (2, 0, 0, 10):
            box.tripbook.db.time_shift += minutes * MINUTES
            answers.append(await box.call("create_album", **confirm))
        if first.status_code == 200:
            answers.append(first.json())
        assert {answer["album"]["id"] for answer in answers} == {albums_named(box, "Trip")[0].id}
        assert {(answer["added"], answer["album_count_now"]) for answer in answers} == {(5, 5)}
        assert len(albums_named(box, "Trip")) == 1


def without(fields: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}


@pytest.mark.parametrize("operation", ["create_album", "add_to_album"])
async def test_agt_02_without_a_preview_nothing_is_written(operation: str) -> None:
    made = one_day()
    made.add_album("Begun", shoot(made, "2025-08-04", 1, at="12:00"))
    async with tripbook(made) as box:
        both = {
            "create_album": await previewed(box),
            "add_to_album": await gaps_previewed(box, "Begun", pad_days=0),
        }
        real = both.pop(operation)
        [other] = both.values()
        count = "expected_count" if operation == "create_album" else "expected_new_count"
        for fields, code in (
            (without(real, "preview_token"), "invalid_request"),
            (without(real, "preview_token") | {"confirm": True}, "invalid_request"),
            (real | {"confirm": True}, "invalid_request"),
            (real | {"preview_token": ""}, "invalid_request"),
            (real | {"preview_token": None}, "invalid_request"),
            (real | {"preview_token": True}, "invalid_request"),
            (real | {"preview_token": "made-up"}, "invalid_token"),
            (real | {"preview_token": real["preview_token"][:16] + "a" * 16}, "invalid_token"),
            (real | {"preview_token": other["preview_token"]}, "invalid_token"),
            (without(real, count), "invalid_request"),
            (real | {count: True}, "invalid_request"),
            (real | {count: "all"}, "invalid_request"),
            (real | {count: real[count] + 1}, "count_mismatch"),
            (real | {count: -real[count]}, "count_mismatch"),
            (without(real, "album_name"), "invalid_request"),
            (real | {"album_name": "Another"}, "album_name_mismatch"),
        ):
            assert (await box.problem(operation, **fields))["code"] == code, fields
        assert box.writes == []
        assert (await box.call(operation, **real))["added"] == real[count]


async def test_agt_03_a_lost_answer_is_looked_for_before_anything_is_repeated() -> None:
    async with tripbook(one_day()) as box:
        confirm = await previewed(box)
        box.immich.faults.add(faults.apply_then_reset(), method="POST", path="albums$", times=1)
        response = await box.post("create_album", confirm)
        assert response.status_code == 200 or response.json()["code"] == "outcome_unknown"
        await box.call("create_album", **confirm)
        creates = [entry for entry in box.writes if entry.method == "POST"]
        assert len(creates) == len(albums_named(box, "Trip")) == 1


async def test_agt_03_what_cannot_be_told_apart_is_an_unknown_outcome() -> None:
    async with tripbook(one_day()) as box:
        confirm = await previewed(box)
        box.immich.faults.add(faults.reset(), method="POST", path="albums$", times=1)
        problem = await box.problem("create_album", **confirm)
        assert (problem["status"], problem["code"]) == (504, "outcome_unknown")
        assert "may or may not exist" in problem["detail"]
        assert problem["retry_after"] > 0
        assert len([entry for entry in box.writes if entry.method == "POST"]) == 1
        box.tripbook.db.time_shift += 2 * MINUTES
        receipt = await box.call("create_album", **confirm)
        assert (receipt["added"], len(albums_named(box, "Trip"))) == (5, 1)


async def test_agt_04_the_right_number_of_the_wrong_photos_is_refused() -> None:
    made = one_day(42)
    made.add_album("A", shoot(made, "2025-08-04", 1, at="08:00"))
    made.add_album("B", shoot(made, "2025-08-04", 1, at="08:00"))
    async with tripbook(made) as box:
        confirm = await gaps_previewed(box, "A", pad_days=0)
        wrong = await box.problem("add_to_album", **(confirm | {"album_name": "B"}))
        assert wrong["code"] == "album_name_mismatch"
        gone = next(photo for photo in made.assets.values() if photo.local_date_time == "2025-08-04T10:00:07.000Z")
        made.remove_asset(gone)
        shoot(made, "2025-08-04", 1, at="12:00")
        swapped = await box.problem("add_to_album", **confirm)
        assert (swapped["code"], swapped["actual_count"]) == ("library_changed", confirm["expected_new_count"])
        assert (swapped["difference"]["added"], swapped["difference"]["removed"]) == (1, 1)
        assert box.writes == []


async def test_agt_06_writing_is_off_until_it_is_switched_on() -> None:
    made = one_day()
    album = made.add_album("Trip", shoot(made, "2025-08-04", 1, at="12:00"))
    async with tripbook(made, enable_writes=False) as box:
        for operation in ("preview_album", "create_album", "add_to_album"):
            assert (await box.problem(operation, album_name="Trip"))["code"] == "writes_disabled"
        gaps = await box.call("album_gaps", album_id=album.id)
        assert (gaps["missing_count"], "preview_token" in gaps) == (5, False)
        assert gaps["warnings"][0] == "Writing is switched off here, so nothing can be added."
        paths = (await box.http.get("/openapi.json")).json()["paths"]
        assert len(paths) == 4
        assert box.writes == []


async def test_agt_07_an_old_preview_has_expired() -> None:
    async with tripbook(one_day()) as box:
        preview = await box.call("preview_album", album_name="Trip", **DAY)
        assert preview["expires_at"] > "2026-01-01"
        box.tripbook.db.time_shift += timedelta(hours=48)
        problem = await box.problem(
            "create_album", preview_token=preview["preview_token"], expected_count=5, album_name="Trip"
        )
        assert (problem["status"], problem["code"]) == (409, "preview_expired")
        assert "make a new one" in problem["detail"]
        assert box.writes == []


@pytest.mark.parametrize("word", ["last summer", "yesterday", "today", "2025"])
async def test_llm_01_relative_dates_are_refused_and_ranges_echoed(word: str) -> None:
    async with tripbook(one_day()) as box:
        problem = await box.problem("search_photos", taken_after=word)
        assert (problem["status"], problem["fields"][0]["field"]) == (422, "taken_after")
        assert "YYYY-MM-DD" in problem["detail"]
        assert (await box.call("search_photos", **DAY))["criteria"] == DAY


async def test_llm_05_made_up_fields_are_refused_beside_the_known_ones() -> None:
    async with tripbook(one_day()) as box:
        problem = await box.problem("search_photos", location="Rome", dateFrom="2024-05-01")
        assert (problem["status"], problem["code"]) == (422, "invalid_request")
        assert [field["field"] for field in problem["fields"]] == ["location", "dateFrom"]
        assert all(name in problem["detail"] for name in ("location", "dateFrom", "taken_after", "city"))
        for operation in ("find_albums", "smart_search", "album_gaps", "preview_album", "create_album", "add_to_album"):
            problem = await box.problem(operation, made_up=1)
            assert problem["status"] == 422
            assert "made_up" in {field["field"] for field in problem["fields"]}
        assert box.paths == []


def fields_of(answer: httpx.Response) -> set[str]:
    """The fields that a refusal names; each must be in its sentence, too, as far as that has room."""
    problem = check_problem(answer)
    assert (problem["status"], problem["code"]) == (422, "invalid_request"), problem
    assert problem["fields"][0]["field"] in problem["detail"]
    return {field["field"] for field in problem["fields"]}


async def test_llm_05_made_up_query_parameters_are_refused_on_every_route() -> None:
    """A filter in the wrong place must not be ignored: the answer would be about something else."""
    made_up = {"state": "Maine", "made_up": "1"}
    async with tripbook(one_day()) as box:
        confirm = await previewed(box)
        preview_id = confirm["preview_token"][:16]
        await box.call("create_album", **confirm)
        receipt_id = (await box.get("/v1/receipts")).json()["receipts"][0]["receipt_id"]
        gaps = {"album_id": albums_named(box, "Trip")[0].id}
        bodies: dict[str, dict[str, Any]] = {
            "find_albums": {},
            "search_photos": DAY,
            "smart_search": {"query": "x"},
            "album_gaps": gaps,
            "preview_album": {"album_name": "Other"} | DAY,
            "create_album": confirm,
            "add_to_album": confirm,
        }
        resources = {
            "/readyz", "/v1/caller", "/v1/albums", "/v1/previews", "/v1/receipts",
            f"/v1/previews/{preview_id}", f"/v1/receipts/{receipt_id}",
        }  # fmt: skip
        document = (await box.http.get("/openapi-full.json")).json()["paths"]
        routes = {(path, method.upper()) for path, methods in document.items() for method in methods}
        asked = {(PATHS[operation], "POST") for operation in bodies}
        asked |= {(path.replace(preview_id, "{preview_id}").replace(receipt_id, "{receipt_id}"), "GET")
                  for path in resources}  # fmt: skip
        assert asked == routes - {("/healthz", "GET")}
        box.immich.journal.clear()
        headers = {"authorization": f"Bearer {box.tokens['writer']}"}
        for operation, body in bodies.items():
            answer = await box.http.post(PATHS[operation], json=body, params=made_up, headers=headers)
            assert fields_of(answer) >= set(made_up), operation
        for path in sorted(resources):
            assert fields_of(await box.get(path, **made_up)) >= set(made_up), path
        assert box.paths == []
        for path in sorted(resources):
            assert (await box.get(path)).status_code == 200, path


async def test_llm_06_the_biggest_answer_stays_small() -> None:
    made = library()
    for n in range(60):
        place = {"city": f"{'Llanfairpwllgwyngyll' * 3} {n}", "state": "Gwynedd" * 9, "country": "United Kingdom"}
        shoot(made, f"2025-{n % 12 + 1:02d}-{n % 5 * 5 + 1:02d}", 100, file_name="f" * 200 + ".jpg", **place)
    async with tripbook(made) as box:
        answer = await box.call("search_photos", country="UK", samples=10)
        assert (answer["total"], answer["exact"], answer["trimmed"]) == (6_000, True, True)


async def test_two_confirms_of_one_name_make_one_album() -> None:
    async with tripbook(one_day()) as box:
        confirms = [await previewed(box), await previewed(box)]
        responses = await asyncio.gather(*(box.post("create_album", confirm) for confirm in confirms))
        assert sorted(response.status_code for response in responses) == [200, 409]
        assert len(albums_named(box, "Trip")) == 1

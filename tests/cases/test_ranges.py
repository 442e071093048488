"""Date ranges: inclusive on both ends, sent to Immich as full instants, and never guessed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.cases.libraries import STYLES, library
from tests.harness import tripbook

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.mark.parametrize("version", STYLES)
async def test_rng_01_both_ends_are_inclusive(version: str) -> None:
    made = library()
    for local in ("2024-10-31T00:00", "2024-10-31T12:00", "2024-10-31T23:59:59.999", "2024-11-01T00:00"):
        made.add_asset(local=local)
    async with tripbook(made, version=version) as box:
        answer = await box.call("search_photos", taken_after="2024-10-31", taken_before="2024-10-31")
        assert answer["total"] == 3


def dates_in(body: Any) -> list[str]:
    if isinstance(body, dict):
        return [text for value in body.values() for text in dates_in(value)]
    return [body] if isinstance(body, str) and body[:2] == "20" else []


@pytest.mark.parametrize("version", STYLES)
async def test_rng_02_every_date_sent_is_an_instant_with_zone(version: str) -> None:
    """The look-alike of 3.x answers 400 to anything else, as Immich does."""
    made = library()
    made.add_asset(local="2025-06-10T10:00")
    june = {"taken_after": "2025-06-01", "taken_before": "2025-06-30"}
    async with tripbook(made, version=version) as box:
        assert (await box.call("search_photos", **june))["total"] == 1
        assert len((await box.call("smart_search", query="dog", **june))["results"]) == 1
        sent = [date for entry in box.immich.journal.entries for date in dates_in(entry.body)]
        assert len(sent) >= 6
        assert all(INSTANT.fullmatch(date) for date in sent)


async def test_rng_03_end_before_start_is_refused() -> None:
    async with tripbook(library()) as box:
        problem = await box.problem("search_photos", taken_after="2024-08-20", taken_before="2024-08-10")
        assert (problem["status"], problem["code"]) == (422, "invalid_request")
        assert "taken_before (2024-08-10) is before taken_after (2024-08-20)" in problem["detail"]
        assert box.paths == []


@pytest.mark.parametrize("text", ["03/04/2024", "2024-02-30", "2024-13-01", "2024-6-1", "20240601", "2023-02-29"])
async def test_rng_04_ambiguous_or_impossible_dates_are_refused(text: str) -> None:
    async with tripbook(library()) as box:
        problem = await box.problem("search_photos", taken_after=text, taken_before="2024-06-30")
        assert problem["status"] == 422
        assert [field["field"] for field in problem["fields"]] == ["taken_after"]
        assert "YYYY-MM-DD" in problem["detail"]
        assert box.paths == []


async def test_rng_04_leap_days_are_days_and_empty_means_not_given() -> None:
    made = library()
    made.add_asset(local="2024-02-29T10:00")
    async with tripbook(made) as box:
        leap = await box.call("search_photos", taken_after="2024-02-29", taken_before="2024-02-29")
        open_start = await box.call("search_photos", taken_after="", taken_before="2024-06-30")
        assert leap["total"] == open_start["total"] == 1
        assert open_start["criteria"] == {"taken_before": "2024-06-30"}

"""While a confirm runs: its progress can be seen, it outlives its answer, and a second one does not write."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta
from typing import Any

import pytest

from service.demo.faults import FaultRule, hold
from service.demo.library import Library
from tests.harness import Box, tripbook

DAY = {"taken_after": "2026-08-02", "taken_before": "2026-08-02"}


def ten() -> Library:
    library = Library()
    for minute in range(10):
        library.add_asset(local=f"2026-08-02T10:{minute:02d}")
    library.add_album("Mine", [])
    return library


async def start(box: Box, rule: FaultRule) -> tuple[dict[str, Any], asyncio.Task[Any]]:
    """A confirm that Immich holds at `rule`, and its request in a task."""
    shown = await box.call("preview_album", album_name="Maine", **DAY)
    fields = {"preview_token": shown["preview_token"], "expected_count": 10, "album_name": "Maine"}
    box.immich.faults.rules = [rule]
    running = asyncio.create_task(box.post("create_album", fields))
    await box.immich.faults.wait_hit("point", seconds=10)
    return fields, running


async def shown_state(box: Box, fields: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = (await box.get(f"/v1/previews/{fields['preview_token'][:16]}")).json()
    return answer


async def test_progress_is_visible_and_a_second_confirm_waits() -> None:
    async with tripbook(ten(), write_chunk=4) as box:
        fields, running = await start(box, FaultRule(hold(), method="PUT", path="/assets$", nth=2, name="point"))
        shown = await shown_state(box, fields)
        assert shown["state"] == "writing"
        assert shown["progress"] == {"answered": 4, "added": 4, "already_present": 0, "failed_count": 0}
        problem = await box.problem("create_album", **fields)
        assert (problem["status"], problem["code"]) == (409, "confirm_in_progress")
        assert problem["retry_after"] >= 1
        await box.immich.faults.release("point")
        receipt = (await running).json()
        assert (receipt["added"], receipt["replayed"]) == (10, False)
        assert (await shown_state(box, fields))["state"] == "done"
        assert len([entry for entry in box.writes if entry.method == "POST"]) == 1


async def test_the_days_of_a_preview_are_shown_by_itself_only() -> None:
    async with tripbook(ten()) as box:
        shown = await box.call("preview_album", album_name="Maine", **DAY)
        fields = {"preview_token": shown["preview_token"]}
        assert (await shown_state(box, fields))["days"] == [{"day": "2026-08-02", "count": 10}]
        (listed,) = (await box.get("/v1/previews")).json()["previews"]
        assert "days" not in listed


@pytest.mark.parametrize(("days", "shown"), [(60, 60), (61, 0)])
async def test_more_days_than_a_person_looks_at_are_left_out(days: int, shown: int) -> None:
    library = Library()
    for offset in range(days):
        library.add_asset(local=f"{date(2026, 5, 1) + timedelta(offset)}T10:00")
    async with tripbook(library) as box:
        previewed = await box.call("preview_album", album_name="Summer", taken_after="2026-05-01")
        found = await shown_state(box, {"preview_token": previewed["preview_token"]})
        assert (found["count"], len(found.get("days", []))) == (days, shown)


async def test_a_write_that_outlives_its_answer_goes_on() -> None:
    async with tripbook(ten(), write_chunk=4, request_deadline=5) as box:
        fields, running = await start(box, FaultRule(hold(), method="PUT", path="/assets$", nth=2, name="point"))
        early = (await running).json()
        assert (early["status"], early["code"]) == (409, "confirm_in_progress")
        await box.immich.faults.release("point")
        await asyncio.wait(set(box.tripbook.writers))
        receipt = await box.call("create_album", **fields)
        assert (receipt["added"], receipt["replayed"]) == (10, True)


@pytest.mark.parametrize("path", ["search/metadata$", "search/statistics$", "/albums$"])
async def test_a_caller_that_goes_away_while_checking_leaves_the_preview_open(path: str) -> None:
    async with tripbook(ten()) as box:
        fields, running = await start(box, FaultRule(hold(), path=path, times=1, name="point"))
        running.cancel()
        await asyncio.wait({running})
        box.immich.faults.rules = []
        for _ in range(50):
            if (await shown_state(box, fields))["state"] == "open":
                break
            await asyncio.sleep(0.05)
        assert (await shown_state(box, fields))["state"] == "open"
        assert box.writes == []
        assert (await box.call("create_album", **fields))["added"] == 10

"""Search by content: ranked, never a count, and its failures have names of their own."""

from __future__ import annotations

import pytest

from service.demo import faults
from tests.cases.libraries import STYLES, library, shoot
from tests.cases.writing import previewed
from tests.harness import tripbook


async def test_smt_01_the_machine_learning_server_is_down() -> None:
    made = library()
    shoot(made, "2025-05-01", 3)
    async with tripbook(made) as box:
        box.immich.faults.smart_search = "down"
        problem = await box.problem("smart_search", query="dog on beach")
        assert (problem["status"], problem["code"]) == (503, "smart_search_unavailable")
        assert "search by date, place or person" in problem["detail"]


async def test_smt_02_switched_off_is_not_worth_retrying() -> None:
    async with tripbook(library()) as box:
        box.immich.faults.smart_search = "off"
        problem = await box.problem("smart_search", query="dog on beach")
        assert problem["code"] == "smart_search_unavailable"
        assert "switched off in Immich; trying again will not help" in problem["detail"]
        assert len(box.immich.journal.calls("search/smart")) == 1


@pytest.mark.parametrize("version", STYLES)
async def test_smt_03_it_always_finds_something_and_never_counts(version: str) -> None:
    made = library()
    shoot(made, "2025-05-01", 4)
    async with tripbook(made, version=version) as box:
        answer = await box.call("smart_search", query="qzxv")
        assert len(answer["results"]) == 4
        assert "total" not in answer
        assert "Ranked by likeness, not a count" in answer["note"]
        problem = await box.problem("preview_album", album_name="All", query="qzxv")
        assert problem["code"] == "invalid_request"


async def test_smt_04_a_slow_first_search_says_that_the_model_may_be_loading() -> None:
    made = library()
    shoot(made, "2025-05-01", 1)
    async with tripbook(made, immich_timeout=2, network=True) as box:
        box.immich.faults.add(faults.timeout(), path="search/smart$", times=1)
        problem = await box.problem("smart_search", query="dog")
        assert (problem["status"], problem["code"]) == (504, "immich_timeout")
        assert "may still be loading its model" in problem["detail"]
        assert len(box.immich.journal.calls("search/smart")) == 1
        assert len((await box.call("smart_search", query="dog"))["results"]) == 1


async def test_smt_04_only_reads_are_tried_again() -> None:
    made = library()
    shoot(made, "2025-05-01", 1)

    async def no_sleep(seconds: float) -> None:
        """Retries wait for nobody here."""

    async with tripbook(made) as box:
        box.tripbook.library.client._sleep = no_sleep
        box.immich.faults.add(faults.status(503), path="search/smart$", times=2)
        assert len((await box.call("smart_search", query="dog"))["results"]) == 1
        assert len(box.immich.journal.calls("search/smart")) == 3
        confirm = await previewed(box, taken_after="2025-05-01")
        box.immich.faults.add(faults.status(503), method="POST", path="api/albums$", times=2)
        assert (await box.problem("create_album", **confirm))["code"] == "outcome_unknown"
        assert len(box.writes) == 1


async def test_smt_05_a_query_in_any_language_goes_out_as_it_is() -> None:
    made = library()
    shoot(made, "2025-05-01", 1)
    async with tripbook(made) as box:
        await box.call("smart_search", query="海滩上的狗")
        assert box.immich.journal.calls("search/smart")[-1].body["query"] == "海滩上的狗"
        assert (await box.problem("smart_search", query="dog", language="zh-CN"))["status"] == 422
        document = (await box.http.get("/openapi.json")).json()
        asked = document["components"]["schemas"]["SmartSearchRequest"]["properties"]["query"]
        assert "English" in asked["description"]


@pytest.mark.parametrize("fields", [{"query": "   "}, {"query": "dog", "limit": 5_000}, {"limit": 5}])
async def test_smt_07_empty_or_too_large_requests_never_reach_immich(fields: dict[str, object]) -> None:
    async with tripbook(library()) as box:
        assert (await box.problem("smart_search", **fields))["status"] == 422
        assert box.paths == []

"""Any order of previews, confirms, changes of the library, lost answers, crashes and passing time, by two callers.

Invariants after every step: an album of ours exists at most once per name, holds nothing but what was previewed, and
is whole once a receipt says `done`; nothing was added twice; no answer was an unexpected error.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from service.demo.app import create_lookalike
from service.demo.faults import Action, FaultRule, apply_then_reset, half_json, reset, status
from service.demo.library import Library
from tests.conftest import Figure
from tests.faults.killing import KillAt, Life, life

NAMES = ("Maine", "Lisbon", "maine")
CALLERS = ("writer", "other")
DAY = {"taken_after": "2026-08-02", "taken_before": "2026-08-02"}
FAULTS: tuple[Action, ...] = (reset(), apply_then_reset(), half_json(), status(500), status(502), status(429))
EXPECTED = {
    "album_name_taken", "nothing_matches", "library_changed", "confirm_in_progress", "outcome_unknown",
    "preview_expired", "invalid_token", "count_mismatch", "immich_error", "immich_unreachable", "immich_bad_answer",
    "album_not_found",
}  # fmt: skip
SOAK = bool(os.environ.get("TRIPBOOK_SOAK"))
EXAMPLES = 600 if SOAK else 50
STEPS = 60 if SOAK else 30
COUNTED = {"steps": 0, "confirms": 0, "kills": 0, "albums": 0}


class Confirms(RuleBasedStateMachine):
    """One library, one Immich, one folder; the service lives and dies over them."""

    @initialize(version=st.sampled_from(("2.5.6", "3.1.0", "3.3.1")))
    def begin(self, version: str) -> None:
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.library = Library()
        for minute in range(6):
            self.library.add_asset(local=f"2026-08-02T10:{minute:02d}")
        self.library.add_album("Mine", [])
        self.filled = self.library.add_album("Filled by hand", [])
        self.lookalike = create_lookalike(self.library, version=version)
        self.previews: list[dict[str, Any]] = []
        self.receipts: dict[str, dict[str, Any]] = {}
        self.tokens: dict[str, str] = {}
        self.shift = timedelta()
        self.stack: AsyncExitStack | None = None
        self.service: Life | None = None

    def run(self, coroutine: Any) -> Any:
        return self.runner.run(coroutine)

    async def alive(self) -> Life:
        if self.service is None:
            self.stack = AsyncExitStack()
            opened = life(self.lookalike, Path(self.folder.name), self.tokens, shift=self.shift)
            self.service = await self.stack.enter_async_context(opened)
        return self.service

    async def bury(self) -> None:
        if self.stack is not None:
            await self.stack.aclose()
        self.stack = self.service = None

    @rule(name=st.sampled_from(NAMES), caller=st.sampled_from(CALLERS))
    def preview(self, name: str, caller: str) -> None:
        self.run(self._preview(name, caller))

    async def _preview(self, name: str, caller: str) -> None:
        answer = await (await self.alive()).post("preview_album", caller, album_name=name, **DAY)
        assert answer is not None
        if answer["http_status"] == 200:
            ids = self._shown_now()
            assert answer["count"] == len(ids)
            self.previews.append(
                {"token": answer["preview_token"], "name": name, "caller": caller, "ids": ids, "adds": False}
            )
        else:
            assert answer["code"] in EXPECTED, answer

    @rule(caller=st.sampled_from(CALLERS))
    def preview_adding(self, caller: str) -> None:
        self.run(self._preview_adding(caller))

    async def _preview_adding(self, caller: str) -> None:
        answer = await (await self.alive()).post("album_gaps", caller, album_id=self.filled.id, **DAY)
        assert answer is not None
        assert answer["http_status"] == 200, answer
        if "preview_token" in answer:
            ids = self._shown_now() - set(self.filled.asset_ids)
            assert answer["missing_count"] == len(ids)
            self.previews.append(
                {"token": answer["preview_token"], "name": self.filled.name, "caller": caller, "ids": ids, "adds": True}
            )

    def _shown_now(self) -> frozenset[str]:
        return frozenset(
            a.id for a in self.library.assets.values() if not a.is_trashed and "08-02" in str(a.local_date_time)
        )

    @rule(
        which=st.integers(0, 20),
        wrong=st.integers(0, 9),
        fault=st.one_of(st.none(), st.sampled_from(FAULTS)),
        where=st.sampled_from(("POST /albums$", "PUT /assets$")),
        nth=st.integers(1, 2),
    )
    def confirm(self, which: int, wrong: int, fault: Action | None, where: str, nth: int) -> None:
        if self.previews:
            self.run(self._confirm(self.previews[which % len(self.previews)], wrong, fault, where, nth, None))

    @rule(
        which=st.integers(0, 20),
        where=st.sampled_from(("POST /albums", "PUT /assets", "POST /search/statistics", "GET /albums")),
        nth=st.integers(1, 2),
        when=st.sampled_from(("before", "after")),
    )
    def confirm_and_die(self, which: int, where: str, nth: int, when: Any) -> None:
        if self.previews:
            kill_at = KillAt(*where.split(), nth=nth, when=when)
            self.run(self._confirm(self.previews[which % len(self.previews)], 5, None, where, nth, kill_at))

    async def _confirm(
        self, preview: dict[str, Any], wrong: int, fault: Action | None, where: str, nth: int, kill_at: KillAt | None
    ) -> None:
        COUNTED["confirms"] += 1
        service = await self.alive()
        caller = preview["caller"] if wrong != 0 else next(c for c in CALLERS if c != preview["caller"])
        count = len(preview["ids"]) + (1 if wrong == 1 else 0)
        method, path = where.split()
        if fault is not None:
            rule_ = FaultRule(fault, method=method, path=path, nth=nth, times=1)
            self.lookalike.state.immich.faults.rules = [rule_]
        service.transport.kill_at = kill_at
        operation, field = (
            ("add_to_album", "expected_new_count") if preview["adds"] else ("create_album", "expected_count")
        )
        fields = {"preview_token": preview["token"], field: count, "album_name": preview["name"]}
        answer = await service.post(operation, caller, **fields)
        self.lookalike.state.immich.faults.rules = []
        service.transport.kill_at = None
        if answer is None:
            COUNTED["kills"] += 1
            await self.bury()
        elif answer["http_status"] == 200:
            assert wrong > 1
            self._keep(preview, answer)
        else:
            assert answer["code"] in EXPECTED, answer

    def _keep(self, preview: dict[str, Any], answer: dict[str, Any]) -> None:
        before = self.receipts.get(preview["token"])
        if before and before["status"] == "done":
            assert answer["replayed"] is True
            assert answer["album"] == before["album"]
        self.receipts[preview["token"]] = answer | {"ids": preview["ids"], "adds": preview["adds"]}

    @rule()
    def crash(self) -> None:
        self.run(self.bury())

    @rule(seconds=st.sampled_from((10, 61, 130, 1_000, 4_000)))
    def time_passes(self, seconds: int) -> None:
        self.shift += timedelta(seconds=seconds)
        if self.service is not None:
            self.service.db.time_shift = self.shift

    @rule(minute=st.integers(0, 59))
    def a_photo_comes(self, minute: int) -> None:
        self.library.add_asset(local=f"2026-08-02T11:{minute:02d}")

    @rule(which=st.integers(0, 30))
    def a_photo_goes_to_the_bin(self, which: int) -> None:
        assets = list(self.library.assets.values())
        self.library.trash_asset(assets[which % len(assets)])

    @invariant()
    def what_was_shown_is_what_was_written(self) -> None:
        if not hasattr(self, "library"):
            return
        COUNTED["steps"] += 1
        ours = [a for a in self.library.albums.values() if a.name not in ("Mine", self.filled.name)]
        names = [album.name.casefold() for album in ours]
        assert len(names) == len(set(names)), "two albums of one name"
        journal = self.lookalike.state.immich.journal
        added = [(e.album_id, one) for e in journal.applied() if e.method == "PUT" for one in e.added]
        assert len(added) == len(set(added)), "something was added twice"
        by_album = {receipt["album"]["id"]: receipt for receipt in self.receipts.values() if not receipt["adds"]}
        for album in ours:
            assert len(album.asset_ids) == len(set(album.asset_ids))
            may_hold = [by_album[album.id]["ids"]] if album.id in by_album else [p["ids"] for p in self.previews]
            assert any(set(album.asset_ids) <= ids for ids in may_hold), "something that was not previewed"
        for receipt in self.receipts.values():
            self._check_receipt(receipt, {one for album_id, one in added if album_id == receipt["album"]["id"]})
        filled = {one for album_id, one in added if album_id == self.filled.id}
        assert filled <= {one for preview in self.previews if preview["adds"] for one in preview["ids"]}

    def _check_receipt(self, receipt: dict[str, Any], journal_added: set[str]) -> None:
        """What a receipt says, and what the look-alike's own journal says about its album."""
        total = receipt["added"] + receipt["already_present"] + receipt["failed_count"] + receipt["remaining"]
        assert total == len(receipt["ids"])
        if receipt["status"] == "done" and not receipt["adds"]:
            album = self.library.albums[receipt["album"]["id"]]
            refused = {row["id"] for row in receipt["failed"]}
            assert receipt["ids"] - refused <= set(album.asset_ids)
            assert receipt["added"] == len(journal_added & receipt["ids"])

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            COUNTED["albums"] += len(self.library.albums) - 2
            self.runner.run(self.bury())
            self.runner.close()
            self.folder.cleanup()


def test_any_order_of_events_keeps_the_promises(figure: Figure) -> None:
    run_state_machine_as_test(
        Confirms,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=not SOAK,
            print_blob=True,
        ),
    )
    for name, number in COUNTED.items():
        figure(f"state machine {name}", number)
    assert COUNTED["steps"] >= 1_000

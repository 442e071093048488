"""Carrying out a preview from the command line: confirm, follow its progress, and see an unfinished one through."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from clients.http import Answer, TripbookCaller
from clients.spec import Operation

PREVIEW_ID_CHARS = 16
POLL_SECONDS = 0.5
MAX_REPEATS = 20
MAX_WAIT_SECONDS = 30
OnProgress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Confirm:
    """The confirming operation, and exactly what was previewed."""

    operation: Operation
    arguments: Mapping[str, Any]
    count: int

    @property
    def preview_id(self) -> str:
        return preview_id_of(self.arguments)


def preview_id_of(body: Mapping[str, Any]) -> str:
    """The id that a preview's token begins with."""
    return str(body["preview_token"])[:PREVIEW_ID_CHARS]


async def confirm(caller: TripbookCaller, wanted: Confirm, on_progress: OnProgress) -> Answer:
    """The receipt, or why there is none. Repeating is safe, so a running or partial confirm is repeated for its end."""
    following = asyncio.create_task(_follow(caller, wanted, on_progress))
    try:
        answer = await caller.call(wanted.operation, wanted.arguments)
        for _ in range(MAX_REPEATS):
            if not _is_unfinished(answer):
                break
            await asyncio.sleep(min(float(answer.body.get("retry_after", 1)), MAX_WAIT_SECONDS))
            answer = await caller.call(wanted.operation, wanted.arguments)
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following
    if answer.ok:
        on_progress(wanted.count - answer.body.get("remaining", 0))
    return answer


def _is_unfinished(answer: Answer) -> bool:
    return answer.code == "confirm_in_progress" or (answer.ok and answer.body.get("remaining", 0) > 0)


async def _follow(caller: TripbookCaller, wanted: Confirm, on_progress: OnProgress) -> None:
    """Tells how many photos have an answer, for as long as it is let run."""
    while True:
        await asyncio.sleep(POLL_SECONDS)
        state = await caller.request("GET", f"/v1/previews/{wanted.preview_id}")
        if state.ok:
            on_progress(int(state.body.get("progress", {}).get("answered", 0)))

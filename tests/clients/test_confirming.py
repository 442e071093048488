"""A confirm is seen through: a running one is repeated for its receipt, a partial one for its rest."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

from clients.confirming import MAX_REPEATS, Confirm, confirm
from clients.http import TripbookCaller
from clients.spec import read_operations
from tests.clients.documents import OURS

OPERATION = next(operation for operation in read_operations(OURS) if operation.name == "create_album")
TOKEN = "a" * 16 + "b" * 16
WANTED = Confirm(OPERATION, {"preview_token": TOKEN, "expected_count": 9, "album_name": "x"}, 9)
RUNNING = {"title": "t", "detail": "d.", "code": "confirm_in_progress", "retry_after": 0}
DONE: dict[str, Any] = {"status": "done", "added": 9, "remaining": 0}


class Service:
    """Answers confirms from a list (its last for ever), and tells 5 of 9 as progress."""

    def __init__(self, *answers: tuple[int, dict[str, Any]], hold: bool = False) -> None:
        self.answers = list(answers)
        self.confirms: list[bytes] = []
        self.told = asyncio.Event()
        self._hold = hold

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            assert request.url.path == f"/v1/previews/{'a' * 16}"
            return httpx.Response(200, json={"progress": {"answered": 5}})
        self.confirms.append(request.content)
        if self._hold:
            await self.told.wait()
        status, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return httpx.Response(status, json=body)


async def run(service: Service) -> tuple[Any, list[int]]:
    seen: list[int] = []

    def on_progress(done: int) -> None:
        seen.append(done)
        service.told.set()

    caller = TripbookCaller("http://tripbook.test", "tb_x", transport=httpx.MockTransport(service))
    return await confirm(caller, WANTED, on_progress), seen


async def test_a_running_confirm_is_repeated_unchanged() -> None:
    service = Service((409, RUNNING), (409, RUNNING), (200, DONE))
    answer, _ = await run(service)
    assert (answer.ok, answer.body["added"]) == (True, 9)
    assert len(service.confirms) == 3
    assert len(set(service.confirms)) == 1


async def test_a_partial_receipt_is_repeated_for_its_rest_but_not_for_ever() -> None:
    partial = DONE | {"status": "partial", "remaining": 2, "retry_after": 0}
    assert (await run(Service((200, partial), (200, DONE))))[0].body["remaining"] == 0
    stuck = Service((200, partial))
    answer, seen = await run(stuck)
    assert (answer.body["remaining"], seen[-1]) == (2, 7)
    assert len(stuck.confirms) == MAX_REPEATS + 1


async def test_a_refusal_is_not_repeated() -> None:
    service = Service((409, RUNNING | {"code": "library_changed"}))
    answer, seen = await run(service)
    assert (answer.code, seen) == ("library_changed", [])
    assert len(service.confirms) == 1


async def test_progress_is_told_while_it_writes() -> None:
    answer, seen = await run(Service((200, DONE), hold=True))
    assert answer.ok
    assert seen == [5, 9]

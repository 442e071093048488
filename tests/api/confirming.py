"""Ten photos of one day, a preview of them, and a database that fails on demand: for tests of confirms."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from service.demo.library import Library
from tests.harness import Box

DAY = {"taken_after": "2026-08-02", "taken_before": "2026-08-02"}
NAME = "Maine 2026"


def ten() -> Library:
    library = Library()
    for minute in range(10):
        library.add_asset(local=f"2026-08-02T10:{minute:02d}")
    library.add_album("Mine", [])
    return library


async def preview(box: Box, caller: str = "writer", **fields: Any) -> dict[str, Any]:
    shown = await box.call("preview_album", caller=caller, album_name=NAME, **(DAY | fields))
    return {"preview_token": shown["preview_token"], "expected_count": shown["count"], "album_name": NAME}


async def state_of(box: Box, fields: dict[str, Any]) -> str:
    shown = (await box.get(f"/v1/previews/{fields['preview_token'][:16]}", caller="approver")).json()
    return str(shown["state"])


def albums(box: Box, name: str = NAME) -> list[Any]:
    return [album for album in box.immich.library.albums.values() if album.name == name]


def fail_writes_from(box: Box, number: int) -> None:
    """The database refuses the `number`th write transaction from now on and all after it."""
    real, count = box.tripbook.db.write, 0

    @asynccontextmanager
    async def failing() -> AsyncIterator[Any]:
        nonlocal count
        count += 1
        if count >= number:
            raise OSError("disk full")
        async with real() as session:
            yield session

    box.tripbook.db.write = failing  # type: ignore[method-assign]


def mend_writes(box: Box) -> None:
    del box.tripbook.db.write  # type: ignore[method-assign]

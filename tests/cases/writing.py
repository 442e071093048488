"""Steps that the writing cases share: preview, confirm, and changing the library in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx

from service.demo import faults
from tests.harness import Box

DAY = {"taken_after": "2025-08-04", "taken_before": "2025-08-04"}


async def previewed(box: Box, name: str = "Trip", **criteria: Any) -> dict[str, Any]:
    """The fields of the confirm that a fresh preview of a new album allows."""
    preview = await box.call("preview_album", album_name=name, **(criteria or DAY))
    return {"preview_token": preview["preview_token"], "expected_count": preview["count"], "album_name": name}


async def gaps_previewed(box: Box, name: str, **fields: Any) -> dict[str, Any]:
    """The fields of the confirm that a fresh look for gaps allows."""
    gaps = await box.call("album_gaps", album_id=box.immich.library.album_named(name).id, **fields)
    return {
        "preview_token": gaps["preview_token"],
        "expected_new_count": gaps["missing_count"],
        "album_name": name,
    }


async def confirm_while_held(
    box: Box, operation: str, fields: dict[str, Any], change: Callable[[], Any]
) -> httpx.Response:
    """Confirms, and changes the library between the check and the first add."""
    box.immich.faults.add(faults.hold(), method="PUT", path="assets$", times=1, name="adding")
    running = asyncio.create_task(box.post(operation, fields))
    assert await box.immich.faults.wait_hit("adding")
    change()
    await box.immich.faults.release("adding")
    return await running


def albums_named(box: Box, name: str) -> list[Any]:
    return [album for album in box.immich.library.albums.values() if album.name == name]

"""Counts against an oracle: for generated libraries the parts add up, and every version and style says the same.

The oracle is a plain loop over the library that knows nothing of queries, pages or windows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from service.db.previews import find_preview
from service.demo.library import Asset, Library, Place
from service.domain.plans import unpack_ids
from tests.harness import VERSIONS, Box, tripbook

FIRST, LAST = "2025-08-03", "2025-08-05"
DATES = {"taken_after": FIRST, "taken_before": LAST}
PLACES = (
    Place("Valencia", "Valencian Community", "Spain", 39.5, -0.4),
    Place("Valencia", "Carabobo", "Venezuela", 10.2, -68.0),
    Place("Singapore", None, "Singapore", 1.3, 103.8),
    Place(None, None, "Norway", 68.0, 15.0),
    Place("Null Island", None, "Norway", 0.0, 0.0),
    None,
)
BROKEN = ("0000-11-30T00:00:00.000Z", "+172204-03-11T08:15:00.000Z", "1027-03-01T00:00:00.000Z", "0:00:00.00000")
LOCALS = tuple(f"2025-08-{day:02d}T{hour:02d}:30" for day in range(1, 8) for hour in (0, 3, 12, 23))


@dataclass(frozen=True)
class Shot:
    """One generated asset."""

    local: str
    offset: float
    type: str
    place: int
    partner: bool
    broken: str | None
    visibility: str
    trashed: bool
    same_instant: bool


def shots_of(seed: int) -> list[Shot]:
    """Up to 60 of all kinds mixed evenly, which drawing them one by one does not give."""
    random = Random(seed)
    return [
        Shot(
            local=random.choice(LOCALS),
            offset=random.choice((-12, -7, 0, 5.5, 14)),
            type=random.choice(("IMAGE", "IMAGE", "VIDEO", "OTHER")),
            place=random.randrange(len(PLACES)),
            partner=random.random() < 0.3,
            broken=random.choice((*(None,) * 16, *BROKEN)),
            visibility=random.choice(("timeline", "timeline", "timeline", "archive", "hidden")),
            trashed=random.random() < 0.15,
            same_instant=random.random() < 0.4,
        )
        for _ in range(random.randrange(1, 60))
    ]


def build(shots: list[Shot]) -> Library:
    """Every second photo may share one instant: 2.x repeats such rows on page borders."""
    library = Library()
    library.add_album("Keepsakes")
    ben = library.add_user("Ben", partner=True)
    for shot in shots:
        fields: dict[str, Any] = {"local_date_time": shot.broken} if shot.broken else {}
        library.add_asset(
            local=shot.local,
            offset_hours=shot.offset,
            instant="2025-08-04T12:00Z" if shot.same_instant and shot.local[8:10] in ("03", "04", "05") else None,
            type=shot.type,
            place=PLACES[shot.place],
            owner=ben if shot.partner else None,
            visibility=shot.visibility,
            is_trashed=shot.trashed,
            created_at=library.now(),
            **fields,
        )
    return library


def counts(asset: Asset) -> bool:
    return asset.visibility == "timeline" and not asset.is_trashed


def day_of(asset: Asset) -> str | None:
    """The date part of the wall clock, where it is a day of the calendar since photography."""
    text = (asset.local_date_time or "")[:10]
    try:
        return text if date.fromisoformat(text).year >= 1826 else None
    except ValueError:
        return None


def oracle(library: Library, criteria: dict[str, Any]) -> dict[str, Any]:
    """What search_photos must say, counted one by one."""
    kinds = {"photo": "IMAGE", "video": "VIDEO"}
    dated, media = "taken_after" in criteria, criteria.get("media", "all")
    country = criteria["country"].title() if "country" in criteria else None
    found = [
        asset
        for asset in library.assets.values()
        if counts(asset)
        and (country is None or asset.country == country)
        and (media == "all" or asset.type == kinds[media])
        and (not dated or ((day := day_of(asset)) is not None and FIRST <= day <= LAST))
    ]
    unreadable = sum(day_of(asset) is None for asset in found)
    nowhere = sum(asset.country is None or asset.latitude == 0 for asset in found)
    types = Counter(asset.type for asset in found)
    return {
        "total": len(found),
        "unreadable_dates": unreadable,
        "no_location": nowhere,
        "by_media": {"photo": types["IMAGE"], "video": types["VIDEO"]}
        | ({"other": n} if (n := types["OTHER"]) else {}),
        "partners": sum(asset.owner_id != library.me.id for asset in found),
        "ids": {asset.id for asset in found},
    }


async def check(box: Box, library: Library, criteria: dict[str, Any]) -> dict[str, Any]:
    """`call` itself checks that the parts add up (tests/harness.py)."""
    expected = oracle(library, criteria)
    answer = await box.call("search_photos", **criteria)
    assert answer["exact"] is True
    for name in ("total", "no_location", "by_media"):
        assert answer[name] == expected[name], name
    assert answer.get("unreadable_dates", 0) == expected["unreadable_dates"]
    assert answer.get("by_owner", {}).get("partners", 0) == expected["partners"]
    if expected["ids"]:
        preview = await box.call("preview_album", album_name="New", **criteria)
        assert preview["count"] == answer["total"]
        stored = await previewed_ids(box, preview["preview_token"])
        assert stored == expected["ids"]
    return answer


async def previewed_ids(box: Box, token: str) -> set[str]:
    async with box.tripbook.db.read() as session:
        row = await find_preview(session, token[:16])
    assert row is not None
    return set(unpack_ids(row.asset_ids))


@pytest.fixture
async def boxes() -> AsyncIterator[dict[str, Box]]:
    """One service per version, each reading pages of seven: borders are everywhere."""
    async with AsyncExitStack() as stack:
        runs = {version: tripbook(Library(), version=version) for version in VERSIONS}
        opened = {version: await stack.enter_async_context(run) for version, run in runs.items()}
        for box in opened.values():
            box.tripbook.library.page_size = 7
        yield opened


# Not shrunk: the seed is all there is to an example.
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)
@given(seed=st.integers(0, 1_000_000), media=st.sampled_from(("all", "photo", "video")))
async def test_counts_equal_the_oracle_on_every_version(
    boxes: dict[str, Box], seed: int, media: Literal["all", "photo", "video"]
) -> None:
    library = build(shots_of(seed))
    asked: list[dict[str, Any]] = [DATES | {"media": media}, {"media": "photo"}]
    if any(asset.country == "Spain" and counts(asset) for asset in library.assets.values()):
        asked += [DATES | {"country": "spain"}, {"country": "SPAIN", "media": media}]
    answers = []
    for box in boxes.values():
        box.immich.library = library
        box.tripbook.library.forget()
        answers.append([await check(box, library, criteria) for criteria in asked])
    assert answers[0] == answers[1] == answers[2]

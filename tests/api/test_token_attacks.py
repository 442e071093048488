"""Preview tokens against the running service: changed ones, other purposes, other callers; none opens anything."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from service.actions.callers import authenticate
from service.actions.confirms import load_promised
from service.demo.library import Library
from service.domain.plans import Action
from service.errors import InvalidToken
from tests.api.test_confirm_edges import NAME
from tests.conftest import Figure
from tests.harness import Box, tripbook
from tests.test_tokens import mutated

DAY = {"taken_after": "2026-08-02", "taken_before": "2026-08-02"}
THROUGH_THE_ACTION = 3_000
OVER_HTTP = 200
OPERATIONS: dict[Action, tuple[str, str]] = {
    "create": ("create_album", "expected_count"),
    "add": ("add_to_album", "expected_new_count"),
}
Where = tuple[str, Action]


def library() -> Library:
    made = Library()
    made.add_album(NAME, [made.add_asset(local="2026-08-02T09:00")])
    for minute in range(4):
        made.add_asset(local=f"2026-08-02T10:0{minute}")
    return made


async def issued(box: Box) -> dict[str, Where]:
    """Genuine tokens, each with its caller and the operation it is for; all stand for the same four photos."""
    album = box.immich.library.album_named(NAME)
    tokens: dict[str, Where] = {}
    for caller in ("writer", "other"):
        preview = await box.call("preview_album", caller=caller, album_name=f"{NAME} of {caller}", **DAY)
        gaps = await box.call("album_gaps", caller=caller, album_id=album.id, pad_days=0)
        tokens |= {preview["preview_token"]: (caller, "create"), gaps["preview_token"]: (caller, "add")}
    return tokens


def misplaced(genuine: dict[str, Where]) -> list[tuple[str, Where]]:
    """Every genuine token at every place but its own."""
    places = set(genuine.values())
    return [(token, place) for token, own in genuine.items() for place in sorted(places - {own})]


def changed(genuine: dict[str, Where], number: int, seed: int) -> list[tuple[str, Where]]:
    """Mutated tokens, each where the one it was made of would be taken."""
    random, made = Random(seed), []
    tokens = sorted(genuine)
    while len(made) < number:
        token = random.choice(tokens)
        bad = mutated(token, random)
        # Blanks around any field are dropped before it is read.
        if bad.strip() not in genuine:
            made.append((bad, genuine[token]))
    return made


async def test_no_other_token_is_taken_by_the_action(figure: Figure) -> None:
    async with tripbook(library()) as box:
        genuine = await issued(box)
        callers = {name: await authenticate(box.tripbook, box.tokens[name]) for name in ("writer", "other")}

        async def is_taken(token: str, where: Where) -> bool:
            caller = callers[where[0]]
            assert caller is not None
            try:
                await load_promised(box.tripbook, caller, where[1], token)
            except InvalidToken:
                return False
            return True

        tried = changed(genuine, THROUGH_THE_ACTION, 11) + misplaced(genuine)
        accepted = [attempt for attempt in tried if await is_taken(*attempt)]
        figure("tokens tried through the service", len(tried))
        figure("tokens accepted through the service", len(accepted))
        assert accepted == []
        assert all([await is_taken(*attempt) for attempt in genuine.items()])
        assert box.writes == []


@pytest.mark.parametrize("version", ["2.5.6", "3.3.1"])
async def test_no_other_token_is_taken_over_http(version: str, figure: Figure) -> None:
    async with tripbook(library(), version=version) as box:
        genuine = await issued(box)
        box.immich.journal.clear()

        async def code_of(token: str, where: Where) -> str:
            caller, action = where
            operation, count = OPERATIONS[action]
            name = NAME if action == "add" else f"{NAME} of {caller}"
            problem = await box.problem(operation, caller=caller, preview_token=token, album_name=name, **{count: 4})
            return str(problem["code"])

        tried = changed(genuine, OVER_HTTP, 12) + misplaced(genuine)
        codes = await asyncio.gather(*(code_of(*attempt) for attempt in tried if attempt[0]))
        figure("tokens tried over HTTP", len(codes))
        figure("tokens accepted over HTTP", len(codes) - codes.count("invalid_token"))
        assert set(codes) == {"invalid_token"}
        assert box.paths == []

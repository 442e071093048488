"""Preview tokens: 32 characters, one spelling, bound to everything the preview promises."""

from __future__ import annotations

import dataclasses
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import InvalidToken
from service.tokens import Promise, check_preview, load_keys, new_id, read_preview_id, sign_preview
from tests.conftest import Figure

KEYS = ("k" * 16,)
PROMISE = Promise(
    preview_id="abcdefgh23456723",
    action="create",
    caller_id="me",
    album_id="",
    album_name="Maine 2026",
    description="",
    count=455,
    digest="0" * 64,
    audience={"members": [], "public_link": False},
    expires="2026-12-01T12:00:00+00:00",
)


def test_a_token_is_32_lower_case_base32_characters() -> None:
    token = sign_preview(KEYS, PROMISE)
    assert len(token) == 32
    assert set(token) <= set("abcdefghijklmnopqrstuvwxyz234567")
    assert read_preview_id(token) == PROMISE.preview_id
    check_preview(KEYS, token, PROMISE)


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("action", "add"),
        ("caller_id", "you"),
        ("album_id", "x"),
        ("album_name", "Maine 2027"),
        ("description", "x"),
        ("count", 456),
        ("digest", "1" * 64),
        ("audience", {"members": ["Eve"], "public_link": False}),
        ("expires", "2027-12-01T12:00:00+00:00"),
        ("preview_id", "abcdefgh23456724"),
    ],
)
def test_every_part_of_the_promise_is_bound(field: str, other: Any) -> None:
    token = sign_preview(KEYS, PROMISE)
    changed = dataclasses.replace(PROMISE, **{field: other})
    with pytest.raises(InvalidToken):
        check_preview(KEYS, token, changed)


def test_an_old_key_still_opens_and_a_removed_one_does_not() -> None:
    token = sign_preview(("old" * 6,), PROMISE)
    check_preview(("new" * 6, "old" * 6), token, PROMISE)
    with pytest.raises(InvalidToken):
        check_preview(("new" * 6,), token, PROMISE)


@given(st.text(max_size=40))
def test_any_other_text_is_no_token(text: str) -> None:
    if len(text) == 32 and set(text) <= set("abcdefghijklmnopqrstuvwxyz234567"):
        return
    with pytest.raises(InvalidToken):
        read_preview_id(text)


def test_ids_are_random_and_short() -> None:
    ids = {new_id() for _ in range(1_000)}
    assert len(ids) == 1_000
    assert {len(one) for one in ids} == {16}


def test_the_key_file_is_made_once_and_only_for_its_owner(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: load_keys((), tmp_path / "data"), range(16)))
    assert len(found) == 1
    path = tmp_path / "data" / "secret.key"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["secret.key"]
    assert load_keys(("x" * 16,), tmp_path) == ("x" * 16,)


MUTATIONS = 100_000
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


def mutated(token: str, random: Random) -> str:
    """The token with something wrong: flipped bits, other characters, swaps, cuts, additions, case, look-alikes."""
    spot, other = random.randrange(32), random.randrange(32)
    match random.randrange(9):
        case 0:
            flipped = ALPHABET.index(token[spot]) ^ (1 << random.randrange(5))
            return token[:spot] + ALPHABET[flipped] + token[spot + 1 :]
        case 1:
            return token[:spot] + random.choice(ALPHABET + "01890=-_ ") + token[spot + 1 :]
        case 2:
            letters = list(token)
            letters[spot], letters[other] = letters[other], letters[spot]
            return "".join(letters)
        case 3:
            return token[:spot]
        case 4:
            return token[:spot] + random.choice(ALPHABET) + token[spot:]
        case 5:
            return token[:spot] + token[spot].upper() + token[spot + 1 :]
        case 6:
            return token[:31] + random.choice(ALPHABET)
        case 7:
            return token[:16] + "".join(random.choice(ALPHABET) for _ in range(16))
        case _:
            return random.choice((" ", "\n", "=", "\u200b")).join((token[:spot], token[spot:]))


def test_a_hundred_thousand_mutated_tokens_and_none_is_accepted(figure: Figure) -> None:
    """Each is tried against the promises of all purposes and callers that are stored."""
    random = Random(7)
    promises = {
        preview_id: dataclasses.replace(PROMISE, preview_id=preview_id, action=action, caller_id=caller)
        for preview_id, action, caller in (
            ("abcdefgh23456723", "create", "me"),
            ("bbcdefgh23456723", "add", "me"),
            ("cbcdefgh23456723", "create", "you"),
        )
    }
    genuine = {sign_preview(KEYS, promise) for promise in promises.values()}
    tokens = sorted(genuine)
    tried = accepted = 0
    while tried < MUTATIONS:
        token = mutated(random.choice(tokens), random)
        if token in genuine:
            continue
        tried += 1
        try:
            promise = promises.get(read_preview_id(token))
            if promise is not None:
                check_preview(KEYS, token, promise)
                accepted += 1
        except InvalidToken:
            pass
    figure("mutated tokens tried", tried)
    figure("mutated tokens accepted", accepted)
    assert accepted == 0


def test_parts_of_two_genuine_tokens_do_not_make_a_third() -> None:
    first = sign_preview(KEYS, PROMISE)
    other = dataclasses.replace(PROMISE, preview_id="bbcdefgh23456723")
    second = sign_preview(KEYS, other)
    for token, promise in ((first[:16] + second[16:], PROMISE), (second[:16] + first[16:], other)):
        with pytest.raises(InvalidToken):
            check_preview(KEYS, token, promise)

"""Preview tokens: 32 characters, one spelling, bound to everything the preview promises."""

from __future__ import annotations

import dataclasses
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import InvalidToken
from service.tokens import Promise, check_preview, load_keys, new_id, read_preview_id, sign_preview

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

"""Albums as Tripbook sees them, and which of them a question means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from rapidfuzz import fuzz

from service.domain.names import fold, words

Role = Literal["owner", "editor", "viewer"]
Match = Literal["exact", "part", "similar"]
# ratio("marine", "maine") is 91: one letter makes another word. Below it only typing slips remain.
SIMILAR_WORD = 88
MIN_FUZZY_LENGTH = 5
# What people say around the name: "my Maine trip, here are the photos".
FILLERS = frozenset(
    "a album albums all and from here in my of on our photo photos pics pictures the to trip vacation holiday".split()
)


@dataclass(frozen=True, slots=True)
class Album:
    """An album the key's user can see. `start` and `end` are local days as Immich gives them.

    `members` are the other people who see it (names), `member_ids` their user ids, `public_link` whether strangers
    with the link do.
    `updated_at` is Immich's text, for sorting only.
    """

    id: str
    name: str
    asset_count: int
    role: Role
    start: date | None = None
    end: date | None = None
    shared: bool = False
    public_link: bool = False
    owner_name: str = ""
    members: tuple[str, ...] = ()
    member_ids: tuple[str, ...] = ()
    updated_at: str = ""


@dataclass(frozen=True, slots=True)
class FoundAlbum:
    album: Album
    match: Match


def rank_albums(albums: Sequence[Album], query: str) -> list[FoundAlbum]:
    """The albums `query` may mean: exact names, then names that contain it, then similar ones; newest first each.

    An empty query is part of every name: all albums, newest first.
    """
    newest = sorted(albums, key=lambda album: (album.updated_at, album.id), reverse=True)
    wanted = fold(query)
    found = [FoundAlbum(album, match) for album in newest if (match := match_name(fold(album.name), wanted))]
    order = {"exact": 0, "part": 1, "similar": 2}
    return sorted(found, key=lambda item: order[item.match])


def match_name(name: str, wanted: str) -> Match | None:
    """How the folded album name fits the folded question; None if it does not."""
    if name == wanted:
        return "exact"
    if wanted in name:
        return "part"
    return "similar" if _is_similar(name, wanted) else None


def _is_similar(name: str, wanted: str) -> bool:
    """Every word of the question is in the name, or differs from a word there by a typing slip."""
    asked, there = [word for word in words(wanted) if word not in FILLERS], words(name)
    if not asked or not there:
        return False
    return all(any(_same_word(word, other) for other in there) for word in asked)


def _same_word(word: str, other: str) -> bool:
    if word == other or (len(word) >= MIN_FUZZY_LENGTH and word in other):
        return True
    if min(len(word), len(other)) < MIN_FUZZY_LENGTH or word.isdigit() or other.isdigit():
        return False
    return _is_typing_slip(word, other)


def _is_typing_slip(word: str, other: str) -> bool:
    """Swapped or doubled letters, or a long word with one wrong; never one more letter that makes another word."""
    if sorted(word) == sorted(other):
        return fuzz.ratio(word, other) >= 80
    longest = max(len(word), len(other))
    if set(word) == set(other) and abs(len(word) - len(other)) == 1:
        return fuzz.ratio(word, other) >= SIMILAR_WORD
    return longest >= 7 and fuzz.ratio(word, other) >= SIMILAR_WORD


def same_name(albums: Sequence[Album], name: str) -> list[Album]:
    """Albums whose name equals `name` after folding."""
    wanted = fold(name)
    return [album for album in albums if fold(album.name) == wanted]

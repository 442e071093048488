"""The intent of a preview: what exactly would be written, and whether the library still agrees with it."""

from __future__ import annotations

import hashlib
import uuid
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from service.domain.criteria import Criteria
from service.domain.days import Window
from service.domain.names import is_same_name, quote
from service.domain.photos import Photo, in_order

Action = Literal["create", "add"]
MAX_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Audience:
    """Who else sees the album: other members by id (two people can share a name), and whether a public link exists."""

    members: tuple[str, ...] = ()
    public_link: bool = False

    @property
    def seen_by(self) -> str:
        """`2 other people and anyone with its public link`; empty for a private album."""
        number = len(self.members)
        people = [f"{number} other {'person' if number == 1 else 'people'}"] if number else []
        return " and ".join([*people, *(["anyone with its public link"] if self.public_link else [])])

    def to_stored(self) -> dict[str, Any]:
        return {"members": list(self.members), "public_link": self.public_link}

    @classmethod
    def from_stored(cls, stored: dict[str, Any]) -> Audience:
        return cls(tuple(stored.get("members", ())), bool(stored.get("public_link")))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a confirm will write. `asset_ids` are sorted and unique; `windows` only for an album's own days."""

    action: Action
    album_name: str
    asset_ids: tuple[str, ...]
    criteria: Criteria
    description: str = ""
    album_id: str | None = None
    windows: tuple[Window, ...] = ()
    audience: Audience = field(default_factory=Audience)

    @property
    def count(self) -> int:
        return len(self.asset_ids)

    @property
    def digest(self) -> str:
        return digest_ids(self.asset_ids)


def sort_ids(photos: Iterable[Photo]) -> tuple[str, ...]:
    return tuple(sorted({photo.id for photo in photos}))


def digest_ids(ids: Sequence[str]) -> str:
    """SHA-256 (hex) of the sorted ids, 16 bytes each: equal exactly for equal sets."""
    return hashlib.sha256(b"".join(uuid.UUID(one).bytes for one in ids)).hexdigest()


def pack_ids(ids: Sequence[str]) -> bytes:
    """Ids as 16-byte UUIDs, compressed. Order is kept."""
    return zlib.compress(b"".join(uuid.UUID(one).bytes for one in ids), level=6)


def unpack_ids(packed: bytes) -> tuple[str, ...]:
    raw = zlib.decompress(packed)
    return tuple(str(uuid.UUID(bytes=raw[i : i + 16])) for i in range(0, len(raw), 16))


@dataclass(frozen=True, slots=True)
class Drift:
    """How the set resolved now differs from the previewed one; `examples` are file names of what changed."""

    added: int
    removed: int
    examples: tuple[str, ...] = ()
    audience_changed: bool = False
    renamed: bool = False

    @property
    def any(self) -> bool:
        return bool(self.added or self.removed or self.audience_changed or self.renamed)


def compare(plan: Plan, photos: Sequence[Photo], audience: Audience, album_name: str) -> Drift:
    """The drift between a previewed plan and what the library holds now. `album_name` is the album's name now."""
    previewed = set(plan.asset_ids)
    new = sorted((photo for photo in photos if photo.id not in previewed), key=in_order)
    gone = previewed - {photo.id for photo in photos}
    return Drift(
        added=len({photo.id for photo in new}),
        removed=len(gone),
        examples=tuple(photo.file for photo in new[:MAX_EXAMPLES]),
        audience_changed=audience != plan.audience,
        renamed=not is_same_name(album_name, plan.album_name),
    )


def count_photos(count: int) -> str:
    """`1 photo`, `455 photos`; videos are photos to a person who counts an album."""
    return f"{count} photo" if count == 1 else f"{count} photos"


def write_sentence(plan: Plan, first: str | None, last: str | None) -> str:
    """One plain sentence to show the person before anything is written: our words, numbers, the quoted name."""
    days = "" if not first else f" from {first}" if first == last else f" from {first} to {last}"
    name = quote(plan.album_name, 120)
    if plan.action == "create":
        return f"Create the new album {name} with {count_photos(plan.count)}{days}?"
    seen_by = f", which {plan.audience.seen_by} can see" if plan.audience.seen_by else ""
    return f"Add {count_photos(plan.count)}{days} to the album {name}{seen_by}?"

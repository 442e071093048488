"""The state of one look-alike server, and what travels between the connection and the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from service.demo.faults import Faults
from service.demo.index import AssetIndex
from service.demo.journal import Entry, Journal
from service.demo.library import Library
from service.demo.versions import ImmichVersion, parse_version
from service.demo.wire import AssetWriter, digest

DEMO_KEY = "demo-immich-key"
PERMISSIONS = frozenset(
    {"album.read", "asset.read", "asset.statistics", "person.read", "album.create", "albumAsset.create"}
)
"""Exactly what Tripbook needs."""
JSON = "application/json; charset=utf-8"


@dataclass(frozen=True)
class KeySpec:
    """One API key; the permission `all` stands for every one.

    Every key acts as `library.me`, whoever `user_id` says it was made for: one server here has one household.
    """

    name: str
    permissions: set[str] | frozenset[str] = PERMISSIONS
    user_id: str | None = None

    @property
    def id(self) -> str:
        text = digest(self.name, 16).hex()
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"

    def allows(self, permission: str) -> bool:
        return permission in self.permissions or "all" in self.permissions


class LookAlike:
    """`version` and `library` may be replaced at any time; `gzip` compresses large answers for those who ask."""

    def __init__(self, library: Library, version: str, keys: dict[str, KeySpec] | None) -> None:
        self.keys = keys if keys is not None else {DEMO_KEY: KeySpec("demo")}
        self.faults = Faults()
        self.journal = Journal()
        self.gzip = True
        self.version = version
        self.library = library

    @property
    def version(self) -> str:
        return self._version

    @version.setter
    def version(self, text: str) -> None:
        self.immich = parse_version(text)
        self._version = text

    @property
    def library(self) -> Library:
        return self._library

    @library.setter
    def library(self, library: Library) -> None:
        self._library = library
        self.index = AssetIndex(library)
        self.writer = AssetWriter(library)


@dataclass(frozen=True)
class Answer:
    body: bytes
    status: int = 200
    content_type: str = JSON
    items: int | None = None
    """How many assets a search page holds: the delay grows with it."""


@dataclass
class Call:
    """One request for a handler: authenticated, its body parsed, nothing else checked."""

    server: LookAlike
    query: Mapping[str, str]
    body: dict[str, Any]
    params: dict[str, str]
    key: KeySpec
    entry: Entry = field(repr=False)

    @property
    def library(self) -> Library:
        return self.server.library

    @property
    def immich(self) -> ImmichVersion:
        return self.server.immich

    @property
    def user_id(self) -> str:
        return self.server.library.me.id


Handler = Callable[[Call], "Answer | Callable[[], Answer]"]
"""Returns the answer, or for a write that takes time a second step that applies it and gives the answer."""


def json_answer(body: Any, status: int = 200) -> Answer:
    return Answer(msgspec.json.encode(body), status)

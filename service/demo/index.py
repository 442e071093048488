"""Finding assets quickly: sorted by `fileCreatedAt`, with the answers of recent searches kept.

Rebuilt when any asset changed, so callers never invalidate anything.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict

from service.demo.conditions import Conditions
from service.demo.instants import instant_ms
from service.demo.library import Asset, Library

UNDATED = -(10**15)
KEPT = 128


class AssetIndex:
    """Oldest first, ties by id. An asset without a date comes before all others and matches no date range."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._built_at = (-1, -1)
        self._rows: list[Asset] = []
        self._times: list[int] = []
        self._kept: OrderedDict[bytes, list[Asset]] = OrderedDict()

    def find(self, wanted: Conditions, key: bytes) -> list[Asset]:
        """Matches, oldest first. `key` stands for the question; equal keys may share an answer."""
        self._refresh()
        if wanted.album_ids:
            return self._select(self._members(wanted), wanted)
        if not wanted.keepable:
            return self._select(self._range(wanted), wanted)
        found = self._kept.get(key)
        if found is None:
            found = self._select(self._range(wanted), wanted)
            self._kept[key] = found
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return found

    def time_of(self, asset: Asset) -> int:
        ms = instant_ms(asset.file_created_at)
        return UNDATED if ms is None else ms

    def _refresh(self) -> None:
        now = (Asset.edits, len(self._library.assets))
        if now == self._built_at:
            return
        self._kept.clear()
        dated = sorted(((self.time_of(a), a.id, a) for a in self._library.assets.values()), key=lambda row: row[:2])
        self._rows = [row[2] for row in dated]
        self._times = [row[0] for row in dated]
        self._built_at = now

    def _range(self, wanted: Conditions) -> list[Asset]:
        if wanted.taken_from is None and wanted.taken_to is None:
            return self._rows
        low = wanted.taken_from if wanted.taken_from is not None else UNDATED + 1
        start = bisect_left(self._times, low)
        end = len(self._rows) if wanted.taken_to is None else bisect_right(self._times, wanted.taken_to)
        return self._rows[start:end]

    def _members(self, wanted: Conditions) -> list[Asset]:
        albums = [self._library.albums.get(album_id) for album_id in wanted.album_ids]
        common = set.intersection(*(set(album.asset_ids) if album else set() for album in albums))
        members = [self._library.assets[i] for i in common if i in self._library.assets]
        low = wanted.taken_from if wanted.taken_from is not None else UNDATED - 1
        high = wanted.taken_to if wanted.taken_to is not None else 10**15
        dated = sorted(((self.time_of(a), a.id, a) for a in members), key=lambda row: row[:2])
        bounded = wanted.taken_from is not None or wanted.taken_to is not None
        return [a for ms, _, a in dated if low <= ms <= high and not (bounded and ms == UNDATED)]

    def _select(self, rows: list[Asset], wanted: Conditions) -> list[Asset]:
        if wanted.owner_limit:
            owners = {self._library.me.id, *self._library.partners}
            rows = [asset for asset in rows if asset.owner_id in owners]
        for predicate in wanted.predicates:
            rows = [asset for asset in rows if predicate(asset)]
        return rows

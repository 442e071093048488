"""Finding albums by name."""

from __future__ import annotations

from typing import Any

from service.actions.context import Tripbook, reading
from service.domain.albums import Album, FoundAlbum, rank_albums
from service.domain.names import shown_name
from service.domain.summary import fit


async def find_albums(app: Tripbook, query: str, limit: int) -> dict[str, Any]:
    """`albums` the query may mean, best first, at most `limit`; `more` counts those left out, if any."""
    async with reading(app):
        found = rank_albums(await app.library.list_albums(), query)
    shown = [_describe(item, app) for item in found[:limit]]
    more = len(found) - len(shown)
    return fit({"albums": shown} | ({"more": more} if more else {}))


def album_url(app: Tripbook, album_id: str) -> str:
    return f"{app.settings.public_url}/albums/{album_id}"


def _describe(found: FoundAlbum, app: Tripbook) -> dict[str, Any]:
    album: Album = found.album
    described: dict[str, Any] = {"id": album.id, "name": shown_name(album.name), "asset_count": album.asset_count}
    if album.start and album.end:
        described |= {"start": album.start.isoformat(), "end": album.end.isoformat()}
    described["role"] = album.role
    if album.shared or album.public_link:
        described["shared"] = True
    return described | {"match": found.match, "url": album_url(app, album.id)}

"""Albums: lists and details in both shapes, creating, and adding with an answer per id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from service.demo.errors import ImmichError, bad_request, invalid, no_access
from service.demo.instants import database_text, local_day
from service.demo.library import Album, Asset
from service.demo.lookalike import Answer, Call, json_answer
from service.demo.validation import Check, checked, query_boolean, required_text, text, uuid, uuids, wrong_type
from service.demo.wire import user_body

V2_LIST: dict[str, Check] = {"assetId": uuid, "shared": query_boolean}
V3_LIST: dict[str, Check] = {
    "id": uuid,
    "assetId": uuid,
    "isOwned": query_boolean,
    "isShared": query_boolean,
    "name": text,
}


def list_albums(call: Call) -> Answer:
    """3.x: mine and those shared with me; 2.x: mine, or with `shared=true` all shared ones. Newest first."""
    checked(call.query, V3_LIST if call.immich.is_v3 else V2_LIST, call.immich)
    visible = [a for a in call.library.albums.values() if a.role_of(call.user_id)]
    chosen = [a for a in visible if (_is_listed_v3 if call.immich.is_v3 else _is_listed_v2)(call, a)]
    if "assetId" in call.query:
        chosen = [a for a in chosen if call.query["assetId"] in a.asset_ids]
    chosen.sort(key=lambda album: album.created_at, reverse=True)
    return json_answer([album_body(call, album) for album in chosen])


def _is_listed_v2(call: Call, album: Album) -> bool:
    mine = album.owner_id == call.user_id
    match call.query.get("shared"):
        case "true":
            return album.is_shared
        case "false":
            return mine and not album.is_shared
    return mine


def _is_listed_v3(call: Call, album: Album) -> bool:
    facts: dict[str, str] = {
        "isOwned": "true" if album.owner_id == call.user_id else "false",
        "isShared": "true" if album.is_shared else "false",
        "name": album.name,
        "id": album.id,
    }
    return all(call.query[name] == value for name, value in facts.items() if name in call.query)


def get_album(call: Call) -> Answer:
    checked(call.params, {"id": uuid}, call.immich)
    fields: dict[str, Check] = {} if call.immich.is_v3 else {"withoutAssets": query_boolean}
    checked(call.query, fields, call.immich)
    album = call.library.albums.get(call.params["id"])
    if album is None or album.role_of(call.user_id) is None:
        raise no_access("album.read")
    body = album_body(call, album)
    if not call.immich.is_v3 and call.query.get("withoutAssets") != "true":
        body["assets"] = _asset_bodies(call, album)
    if album.is_shared:
        body["contributorCounts"] = _contributors(call.library.counted(album))
    return json_answer(body)


def album_body(call: Call, album: Album, *, created: bool = False) -> dict[str, Any]:
    """The shared part of every album answer; `created`: that of `POST albums` has dates in another form."""
    counted = call.library.counted(album)
    users = [{"user": user_body(call.library.users[u]), "role": role} for u, role in album.members.items()]
    owner = user_body(call.library.users[album.owner_id])
    if call.immich.is_v3:
        people: dict[str, Any] = {"albumUsers": [{"user": owner, "role": "owner"}, *users]}
    else:
        people = {"ownerId": album.owner_id, "owner": owner, "albumUsers": users}
    return {
        "albumName": album.name,
        "description": album.description,
        "albumThumbnailAssetId": album.thumbnail_id or _newest(counted),
        "createdAt": album.created_at,
        "updatedAt": album.updated_at,
        "id": album.id,
        **people,
        "shared": album.is_shared,
        "hasSharedLink": album.has_shared_link,
        **_date_range(counted, created=created),
        **({} if call.immich.is_v3 else {"assets": []}),
        "assetCount": len(counted),
        "isActivityEnabled": True,
        "order": "desc",
        **({} if created or not counted else {"lastModifiedAssetTimestamp": max(a.updated_at for a in counted)}),
    }


def _newest(assets: list[Asset]) -> str | None:
    return max(assets, key=lambda a: (a.file_created_at or "", a.id)).id if assets else None


def _date_range(assets: list[Asset], *, created: bool) -> dict[str, str | None]:
    """Local dates at midnight `Z`; absent where no asset has a readable day."""
    times = sorted(a.local_date_time for a in assets if a.local_date_time and local_day(a.local_date_time))
    if not times:
        return {}
    if created:
        return {"startDate": database_text(times[0]), "endDate": database_text(times[-1])}
    return {f"{side}Date": f"{local_day(times[n])}T00:00:00.000Z" for side, n in (("start", 0), ("end", -1))}


def _asset_bodies(call: Call, album: Album) -> list[dict[str, Any]]:
    """2.x: an album answer with its assets, newest first."""
    shown = sorted(call.library.counted(album), key=lambda a: a.file_created_at or "", reverse=True)
    writer = call.server.writer
    return [writer.body(asset, call.immich, exif=True, from_album=True) for asset in shown]


def _contributors(assets: list[Asset]) -> list[dict[str, Any]]:
    counts: dict[str, int] = {}
    for asset in assets:
        counts[asset.owner_id] = counts.get(asset.owner_id, 0) + 1
    return [{"userId": user_id, "assetCount": count} for user_id, count in counts.items()]


# writing


def create_album(call: Call) -> Answer:
    """Ids that may not be used are silently dropped; the same name again is fine."""
    name = required_text(call.body, "albumName", call.immich)
    checked(call.body, {"description": text, "assetIds": uuids}, call.immich)
    usable = [i for i in dict.fromkeys(call.body.get("assetIds") or ()) if may_add(call, i)]
    album = call.library.add_album(name, description=call.body.get("description") or "")
    mine = [i for i in usable if call.library.assets[i].owner_id == call.user_id]
    album.add([*mine, *usable])
    album.thumbnail_id = _first_cover(call, album)
    _note(call, album, album.asset_ids)
    body = album_body(call, album, created=True)
    if not call.immich.is_v3:
        body["assets"] = _asset_bodies(call, album)
    return json_answer(body, status=201)


def _first_cover(call: Call, album: Album) -> str | None:
    """2.x takes the first asset even from the trash."""
    ids = album.asset_ids
    if call.immich.is_v3:
        ids = [i for i in ids if not call.library.assets[i].is_trashed]
    return ids[0] if ids else None


def may_add(call: Call, asset_id: str) -> bool:
    """Anything of mine that is not locked; of a partner's what is neither archived, locked nor trashed."""
    asset = call.library.assets.get(asset_id)
    if asset is None:
        return False
    if asset.owner_id == call.user_id:
        return asset.visibility != "locked"
    shown = asset.visibility in ("timeline", "hidden") and not asset.is_trashed
    return asset.owner_id in call.library.partners and shown


def add_to_album(call: Call) -> Answer | Callable[[], Answer]:
    checked(call.params, {"id": uuid}, call.immich)
    if "ids" not in call.body:
        raise invalid([wrong_type("array", "undefined", ["ids"], "each value in ids must be a UUID")])
    checked(call.body, {"ids": uuids}, call.immich)
    album = call.library.albums.get(call.params["id"])
    if album is None:
        raise bad_request("Album not found")
    if album.role_of(call.user_id) not in ("owner", "editor"):
        raise no_access("albumAsset.create")
    rows, new = _rows(call, album)
    return lambda: _apply(call, album, rows, new)


def _rows(call: Call, album: Album) -> tuple[list[dict[str, Any]], list[str]]:
    """One row per id, in order, and the ids to put in."""
    inside, rows, new = set(album.asset_ids), [], []
    for asset_id in call.body["ids"]:
        if asset_id in inside:
            rows.append({"id": asset_id, "success": False, "error": "duplicate"})
        elif not may_add(call, asset_id):
            rows.append({"id": asset_id, "success": False, "error": "no_permission"})
        else:
            rows.append({"id": asset_id, "success": True})
            inside.add(asset_id)
            new.append(asset_id)
    return rows, new


def _apply(call: Call, album: Album, rows: list[dict[str, Any]], new: list[str]) -> Answer:
    """The second half of an add; another one in between makes 2.x fail as a whole, 3.x not."""
    collides = not set(new).isdisjoint(album.asset_ids)
    if collides and not call.immich.is_v3:
        raise ImmichError(500, "Internal server error")
    if new:
        added = album.add(new)
        album.updated_at = call.library.now()
        album.thumbnail_id = album.thumbnail_id or added[0] if added else album.thumbnail_id
        _note(call, album, added)
    return json_answer(rows)


def _note(call: Call, album: Album, added: list[str]) -> None:
    call.entry.applied = True
    call.entry.album_id, call.entry.album_name, call.entry.added = album.id, album.name, list(added)

"""The look-alike's own HTTP control under `/_control/`, for tests that drive it as a process. Loopback only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.types import Receive, Scope, Send

from service.demo.connection import read_body, send_answer
from service.demo.faults import Action, FaultRule
from service.demo.library import Library, Place
from service.demo.lookalike import JSON, LookAlike

LOOPBACK = {"127.0.0.1", "::1", "testclient"}
SETTINGS = (
    "page_delay_ms",
    "delay_per_item_us",
    "page_workers",
    "call_delay_ms",
    "write_delay_ms",
    "smart_search",
)


async def get_journal(server: LookAlike, asked: dict[str, Any]) -> Any:
    return [entry.as_dict() for entry in server.journal.entries]


async def get_albums(server: LookAlike, asked: dict[str, Any]) -> Any:
    albums = server.library.albums.values()
    return [{"id": a.id, "name": a.name, "owner_id": a.owner_id, "asset_ids": a.asset_ids} for a in albums]


async def get_library(server: LookAlike, asked: dict[str, Any]) -> Any:
    return msgspec.Raw(server.library.to_json())


async def set_faults(server: LookAlike, asked: dict[str, Any]) -> Any:
    """Replaces the rules and all settings: `{"rules": [{"action": {"kind": …}, "path": …}], "page_delay_ms": …}`."""
    rules = [_rule(row) for row in asked.get("rules", ())]
    server.faults.clear()
    server.faults.rules = rules
    for name in SETTINGS:
        if name in asked:
            setattr(server.faults, name, asked[name])
    server.gzip = bool(asked.get("gzip", server.gzip))
    return {"rules": len(rules)}


def _rule(row: dict[str, Any]) -> FaultRule:
    action = msgspec.convert(row["action"], Action)
    return FaultRule(action, **{name: value for name, value in row.items() if name != "action"})


async def change_library(server: LookAlike, asked: dict[str, Any]) -> Any:
    """`{"ops": [{"op": "trash_asset", "asset": "<id>"}, …]}`; the id that each op made or touched, in order."""
    return {"ids": [_change(server.library, dict(op)) for op in asked["ops"]]}


def _change(library: Library, op: dict[str, Any]) -> str:
    name = op.pop("op")
    if name in ("rename_album", "update_album"):
        album = library.albums[op.pop("album")]
        for field, value in op.items():
            if field not in album.__dict__:
                raise ValueError(f"an album has no field {field!r}")
            setattr(album, field, value)
        return album.id
    if name not in OPERATIONS:
        raise ValueError(f"no such operation: {name!r}; there are {', '.join(OPERATIONS)}")
    if isinstance(op.get("place"), list):
        op["place"] = Place(*op["place"])
    for field in ("person_ids", "tags"):
        if name == "add_asset" and field in op:
            op[field] = tuple(op[field])
    made = getattr(library, name)(**op)
    return str(made.id) if made is not None else str(op.get("asset") or op.get("album"))


OPERATIONS = (
    "add_asset",
    "remove_asset",
    "trash_asset",
    "update_asset",
    "add_album",
    "remove_album",
    "add_person",
    "add_user",
)


async def release(server: LookAlike, asked: dict[str, Any]) -> Any:
    """`{"name": "<rule>"}`, or `{}` for all that is held."""
    await server.faults.release(asked.get("name"))
    return {}


async def wait(server: LookAlike, asked: dict[str, Any]) -> Any:
    """`{"name": "<rule>", "hits": 1, "seconds": 5}` → `{"hit": true}` as soon as the rule was hit."""
    hits, seconds = asked.get("hits", 1), asked.get("seconds", 5)
    return {"hit": await server.faults.wait_hit(asked["name"], hits=hits, seconds=seconds)}


async def set_version(server: LookAlike, asked: dict[str, Any]) -> Any:
    server.version = asked["version"]
    return {"version": server.version}


Control = Callable[[LookAlike, dict[str, Any]], Awaitable[Any]]
CONTROLS: dict[tuple[str, str], Control] = {
    ("GET", "journal"): get_journal,
    ("GET", "albums"): get_albums,
    ("GET", "library"): get_library,
    ("POST", "faults"): set_faults,
    ("POST", "library"): change_library,
    ("POST", "release"): release,
    ("POST", "wait"): wait,
    ("POST", "version"): set_version,
}


async def answer_control(server: LookAlike, scope: Scope, receive: Receive, send: Send) -> None:
    status, body = 200, None
    control = CONTROLS.get((scope["method"], scope["path"].removeprefix("/_control/")))
    client = scope.get("client")
    if control is None or (client is not None and client[0] not in LOOPBACK):
        status, body = 404, {"message": "no such control"}
    else:
        try:
            raw = await read_body(receive)
            body = await control(server, msgspec.json.decode(raw) if raw else {})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            status, body = 422, {"message": f"{type(error).__name__}: {error}"}
    await send_answer(send, status, [(b"content-type", JSON.encode())], msgspec.json.encode(body))

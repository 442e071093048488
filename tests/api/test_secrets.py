"""No key and no token is ever in a log, an answer or a page, whatever goes wrong."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx
import pytest

from service.actions.confirms import drop_preview
from service.demo.faults import Action, apply_then_reset, half_json, hold, html, raw, redirect, reset, status, timeout
from service.demo.library import Album, Library
from service.demo.lookalike import KeySpec
from service.errors import TripbookError
from tests.harness import PATHS, Box, tripbook
from tests.logs import logged

KEY = "k3y-SECRET-9"
SIGNING = "signing-SECRET-key-of-32-letters"
SECRETS: dict[str, Any] = {"keys": {KEY: KeySpec("secret")}, "immich_api_key": KEY, "secret_key": SIGNING}
DAY = {"taken_after": "2026-08-02", "taken_before": "2026-08-02"}
NOWHERE = "1111aaaa-1111-4111-8111-11111111bbbb"
# Codes of service/errors.py that no request can get, each with its reason.
UNREACHABLE = {
    "approval_required": "nothing asks a person yet; approving comes as its own step",
}


@dataclass
class Heard:
    """Everything that callers got to hear, and every secret that they must not have heard from us."""

    texts: list[str] = field(default_factory=list)
    codes: set[str] = field(default_factory=set)
    tokens: set[str] = field(default_factory=set)

    def answer(self, response: httpx.Response) -> Any:
        self.texts.append(f"{response.headers} {response.text}")
        try:
            body = response.json()
        except ValueError:
            return {}
        if isinstance(body, dict):
            self.codes.add(body.get("code", ""))
            self.codes.add(body.get("immich", ""))
        return body

    async def post(self, box: Box, operation: str, body: Any, *, caller: str = "writer") -> Any:
        return self.answer(await box.post(operation, body, caller=caller))

    async def mcp(self, box: Box, operation: str, arguments: Any, *, token: str = "") -> Any:
        call = {"name": operation, "arguments": arguments}
        headers = {
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "authorization": f"Bearer {token or box.tokens['writer']}",
        }
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
        return self.answer(await box.http.post("/mcp", content=body, headers=headers))

    async def previewed(self, box: Box, name: str) -> dict[str, Any]:
        """The fields of the confirm; the token belongs to the caller, and nobody else may see it again."""
        preview = await box.call("preview_album", album_name=name, **DAY)
        self.tokens.add(preview["preview_token"])
        return {"preview_token": preview["preview_token"], "expected_count": preview["count"], "album_name": name}

    async def gaps(self, box: Box, album: Album) -> dict[str, Any]:
        gaps = await box.call("album_gaps", album_id=album.id, pad_days=0)
        self.tokens.add(gaps["preview_token"])
        return {
            "preview_token": gaps["preview_token"],
            "expected_new_count": gaps["missing_count"],
            "album_name": album.name,
        }

    def leave(self, box: Box) -> None:
        self.tokens |= set(box.tokens.values())


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    with logged("json", [KEY, SIGNING]) as stream:
        yield stream


STATUSES = (400, 401, 403, 404, 409, 429, 500, 502, 503, 504)
SPOKEN = {"message": f"refused {KEY} {SIGNING}"}
FAULTS: list[Action] = [
    *(status(code, SPOKEN) for code in STATUSES),
    status(503, {"message": f"Immich is in maintenance mode {KEY}"}),
    status(403, {"message": f"Missing required permission: {KEY}"}),
    html(),
    half_json(),
    redirect(f"https://photos.example/?key={KEY}"),
    redirect(f"https://{KEY}:{SIGNING}@photos.example/{KEY}"),
    reset(),
    raw(f'{{"message": "{KEY}"'),
    # Where the service cuts Immich's text: half a key is no better than a whole one.
    *(status(400, {"message": "x" * before + secret}) for before in (148, 152) for secret in (KEY, SIGNING)),
]


def three_photos() -> Library:
    made = Library()
    made.add_album("Mine")
    made.add_asset(local="2026-08-02T10:00", file_name=f"{KEY}.jpg\n\u001b[2K{{}}")
    for minute in (1, 2):
        made.add_asset(local=f"2026-08-02T10:0{minute}")
    return made


async def reads_go_wrong(heard: Heard) -> None:
    """Every way in which Immich fails, for every operation, over REST and over MCP."""
    async with tripbook(three_photos(), **SECRETS) as box:
        box.tripbook.library.client._sleep = _no_sleep
        confirm = await heard.previewed(box, "X")
        bodies = {
            "find_albums": {"query": "x"},
            "search_photos": DAY,
            "smart_search": {"query": "x"},
            "album_gaps": {"album_id": NOWHERE},
            "preview_album": {"album_name": "Y"} | DAY,
            "create_album": confirm,
            "add_to_album": {
                "preview_token": confirm["preview_token"], "expected_new_count": 3, "album_name": "X",
            },
        }  # fmt: skip
        for fault in FAULTS:
            box.immich.faults.clear()
            box.immich.faults.add(fault)
            for operation in PATHS:
                await heard.post(box, operation, bodies[operation])
            await heard.mcp(box, "search_photos", DAY)
            await heard.mcp(box, "create_album", confirm)
            heard.answer(await box.get("/readyz"))
        assert box.writes == []
        box.immich.faults.clear()
        for state in ("off", "down"):
            box.immich.faults.smart_search = state  # type: ignore[assignment]
            await heard.post(box, "smart_search", {"query": "x"})
            await heard.mcp(box, "smart_search", {"query": "x"})
        box.tripbook.library.list_albums = _broken  # type: ignore[method-assign]
        await heard.post(box, "find_albums", {})
        await heard.mcp(box, "find_albums", {})
        for path in ("/docs", "/openapi.json", "/openapi-full.json", "/healthz", "/nowhere"):
            heard.answer(await box.http.get(path))
        for token in (KEY, SIGNING, confirm["preview_token"]):
            headers = {"authorization": f"Bearer {token}"}
            heard.answer(await box.http.post(PATHS["find_albums"], headers=headers))
            await heard.mcp(box, "find_albums", {}, token=token)
        heard.leave(box)


LOST: list[Action] = [
    *(status(code, SPOKEN) for code in (401, 403, 413, 500, 504)),
    half_json(),
    html(),
    redirect(f"https://photos.example/?key={KEY}"),
    apply_then_reset(),
]


async def writes_go_wrong(heard: Heard) -> None:
    """Failures and lost answers of both writes, and the repeats of those confirms; then one is given up."""
    stopped = 0
    made = three_photos()
    async with tripbook(made, **SECRETS) as box:
        box.tripbook.library.client._sleep = _no_sleep
        for number, fault in enumerate(LOST):
            confirm = await heard.previewed(box, f"Create {number}")
            box.immich.faults.add(fault, method="POST", path="/albums$", times=1)
            await heard.post(box, "create_album", confirm)
            await heard.mcp(box, "create_album", confirm)
            box.immich.faults.clear()
        for number, fault in enumerate(LOST):
            confirm = await heard.previewed(box, f"Fill {number}")
            box.immich.faults.add(fault, method="PUT", path="/assets$")
            receipt = await heard.post(box, "create_album", confirm)
            stopped += "stopped_because" in receipt
            box.immich.faults.clear()
            preview_id = confirm["preview_token"][:16]
            heard.answer(await box.get(f"/v1/previews/{preview_id}"))
            if receipt.get("status") == "partial" and number == 0:
                await drop_preview(box.tripbook.db, preview_id)
            await heard.post(box, "create_album", confirm)
        confirm = await heard.previewed(box, "Reasons")
        rows = [{"id": asset_id, "success": False, "error": KEY} for asset_id in sorted(made.assets)]
        box.immich.faults.add(raw(json.dumps(rows)), method="PUT", path="/assets$")
        receipt = await heard.post(box, "create_album", confirm)
        assert [row["reason"] for row in receipt["failed"]] == ["unknown"] * 3
        for path in ("/v1/previews", "/v1/receipts", "/v1/caller"):
            heard.answer(await box.get(path))
        heard.leave(box)
    assert stopped >= 4


async def answers_never_come(heard: Heard) -> None:
    """Time limits need a network."""
    async with tripbook(three_photos(), network=True, immich_timeout=1.5, **SECRETS) as box:
        confirm = await heard.previewed(box, "Late")
        for path in ("metadata$", "smart$", "statistics$"):
            box.immich.faults.add(timeout(), path=path)
            await heard.post(box, "search_photos", DAY)
            await heard.post(box, "smart_search", {"query": "x"})
            await heard.post(box, "create_album", confirm)
            box.immich.faults.clear()
        box.immich.faults.add(timeout(), method="POST", path="/albums$")
        await heard.post(box, "create_album", confirm)
        box.immich.faults.clear()
        confirm = await heard.previewed(box, "Slow")
        box.immich.faults.add(timeout(), method="PUT", path="/assets$")
        assert "stopped_because" in await heard.post(box, "create_album", confirm)
        heard.leave(box)


async def we_refuse(heard: Heard) -> None:
    """Everything that the service refuses by itself."""
    made = three_photos()
    for n in range(6):
        made.add_asset(local=f"2026-08-05T10:0{n}", person_ids=(made.add_person("Ana").id,) if n < 2 else ())
    cleo = made.add_user("Cleo")
    shared = made.add_album("Shared", [made.add_asset(local="2026-08-02T09:00")], owner=cleo,
                            members={made.me.id: "editor"})  # fmt: skip
    empty = made.add_album("Empty")
    async with tripbook(made, max_write=5, **SECRETS) as box:
        for operation, body in (
            ("search_photos", {}),
            ("search_photos", {"location": KEY}),
            ("search_photos", {"city": "Atlantis"}),
            ("search_photos", {"person": "Zed"}),
            ("search_photos", {"person": "Ana"}),
            ("album_gaps", {"album_id": NOWHERE}),
            ("album_gaps", {"album_id": empty.id}),
            ("preview_album", {"album_name": "Mine"} | DAY),
            ("preview_album", {"album_name": "None", "taken_before": "1999-01-01"}),
            ("preview_album", {"album_name": "Many", "taken_after": "2026-08-05"}),
        ):
            await heard.post(box, operation, body)
            await heard.mcp(box, operation, body)
        await heard.post(box, "create_album", {}, caller="reader")
        for path in (f"/v1/previews/{'a' * 16}", f"/v1/receipts/{'a' * 16}"):
            heard.answer(await box.get(path))
        await _refused_confirms(box, heard, shared)
        box.immich.faults.add(raw('{"total": 99}'), path="statistics$")
        await heard.post(box, "preview_album", {"album_name": "Unstable"} | DAY)
        heard.leave(box)
    async with tripbook(made, enable_writes=False, rate_limit="2/minute", **SECRETS) as box:
        for _ in range(3):
            await heard.post(box, "preview_album", {"album_name": "Off"} | DAY)
        heard.leave(box)


async def _refused_confirms(box: Box, heard: Heard, shared: Album) -> None:
    confirm = await heard.previewed(box, "Trip")
    forged = confirm["preview_token"][:16] + "a" * 16
    for wrong in ({"preview_token": forged}, {"expected_count": 9}, {"album_name": "Other"}):
        await heard.post(box, "create_album", confirm | wrong)
        await heard.mcp(box, "create_album", confirm | wrong)
    box.immich.faults.add(hold(), path="metadata$", times=1, name="checking")
    running = asyncio.create_task(box.post("create_album", confirm))
    assert await box.immich.faults.wait_hit("checking")
    await heard.post(box, "create_album", confirm)
    await box.immich.faults.release("checking")
    heard.answer(await running)
    addition = await heard.gaps(box, shared)
    shared.members[box.immich.library.me.id] = "viewer"
    await heard.post(box, "add_to_album", addition)
    confirm = await heard.previewed(box, "Changed")
    box.immich.library.add_asset(local="2026-08-02T11:00")
    changed = await heard.post(box, "create_album", confirm)
    assert heard.texts.pop().count(changed["preview"]["preview_token"]) == 1  # a new one, shown to its owner
    heard.tokens.add(changed["preview"]["preview_token"])
    box.tripbook.db.time_shift += timedelta(days=2)
    await heard.post(box, "create_album", confirm)
    box.tripbook.db.time_shift -= timedelta(days=2)


async def test_every_error_class_hides_them(log: io.StringIO) -> None:
    heard = Heard()
    for stage in (reads_go_wrong, writes_go_wrong, answers_never_come, we_refuse):
        await stage(heard)
    everything = "\n".join(heard.texts) + log.getvalue()
    # The one place where such text may appear is a file name of the caller's own library.
    everything = everything.replace(f"{KEY}.jpg", "")
    for secret in (KEY[:6], SIGNING[:12], *heard.tokens):
        assert secret not in everything, secret
    assert heard.codes >= all_codes() - set(UNREACHABLE)
    assert not heard.codes & set(UNREACHABLE)
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert len(lines) > 500
    assert all(isinstance(line, dict) for line in lines)
    assert any("request_id" in line for line in lines)


def all_codes(kind: type[TripbookError] = TripbookError) -> set[str]:
    return {kind.code}.union(*(all_codes(one) for one in kind.__subclasses__()))


async def _no_sleep(_seconds: float) -> None:
    return None


async def _broken() -> None:
    raise RuntimeError(f"went wrong with {KEY}")

"""Carrying a preview out, once: check everything again, then hand it to the writer.

Order, and it matters: token, caller, purpose → name → count → stored outcome → declined, expired → approval →
claim → resolve again and compare count, set and audience → name still free → commit `writing` → write.
Everything before the commit only reads; whatever goes wrong there releases the claim and writes nothing.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.actions.context import Caller, Tripbook, reading
from service.actions.gaps import resolve_missing
from service.actions.photos import describe_selection
from service.actions.previews import (
    PREVIEW_SAMPLES,
    Issued,
    check_name_free,
    find_refusal,
    issue_preview,
    plan_of,
    promise_of,
)
from service.actions.writing import Outcome, album_gone, outcome_of, require_permissions, start_writer
from service.db.callers import find_caller
from service.db.previews import (
    UNFINISHED,
    Lease,
    NameClaimed,
    claim_open,
    claim_unfinished,
    drop_unfinished,
    find_preview,
    find_receipt,
    is_expired,
    release_checking,
    start_writing,
)
from service.db.session import Database
from service.db.tables import PreviewRow
from service.domain.albums import Album, same_name
from service.domain.names import clean, fold, is_same_name, quote, shorten, shown_name
from service.domain.plans import Action, Audience, Drift, Plan, compare, count_photos, sort_ids, unpack_ids
from service.domain.summary import Selection
from service.errors import (
    AlbumNameMismatch,
    AlbumNotFound,
    AlbumNotWritable,
    ConfirmInProgress,
    CountMismatch,
    LibraryChanged,
    PreviewDeclined,
    PreviewExpired,
    PreviewNotFound,
    TripbookError,
)
from service.tokens import check_preview, forged, read_preview_id

RETRY_AFTER_SECONDS = 5
MAX_FILE_CHARS = 40


@dataclass(frozen=True, slots=True)
class Found:
    """What the library holds now for a plan.

    album_name: the target's name now, the planned one for a new album. albums: the fresh list its name is checked
    against.
    """

    selection: Selection
    audience: Audience
    album_name: str
    albums: list[Album]


async def confirm(
    app: Tripbook, caller: Caller, action: Action, token: str, expected_count: int, album_name: str
) -> dict[str, Any]:
    """The receipt of carrying the preview out, now or earlier (`replayed`). See the module for the order."""
    app.require_writes()
    started = asyncio.get_running_loop().time()
    row = await load_promised(app, caller, action, token)
    check_request(row, expected_count, album_name)
    if row.state == "done":
        return await _replay(app, row)
    if row.state in UNFINISHED:
        lease = await _claim_unfinished(app, row)
        return await _write(app, caller, lease, started, resumed=True)
    lease = await _claim_whole(app, row)
    try:
        seen = await _check_again(app, caller, row)
        await _commit_writing(app, lease, seen)
    except BaseException:
        await asyncio.shield(_release(app, lease))
        raise
    return await _write(app, caller, lease, started)


async def resume_preview(app: Tripbook, preview_id: str) -> dict[str, Any]:
    """An admin finishes what a confirm left; the receipt. Raises PreviewNotFound where nothing is unfinished."""
    app.require_writes()
    async with app.db.read() as session:
        row = await find_preview(session, preview_id)
        caller = await find_caller(session, row.caller_id) if row else None
    if row is None or caller is None or row.state not in UNFINISHED:
        raise PreviewNotFound("There is no unfinished preview with this id; `previews list` shows all.")
    lease = await _claim_unfinished(app, row)
    writer = start_writer(app, caller.name, lease, resumed=True)
    await asyncio.wait({writer})
    return outcome_of(writer)


async def drop_preview(database: Database, preview_id: str) -> str:
    """An admin gives an unfinished preview up for good; its name is free again. What was written stays."""
    async with database.write() as session:
        dropped = await drop_unfinished(session, preview_id, await database.now(session))
    if not dropped:
        raise PreviewNotFound("There is no unfinished preview with this id, or it is being written right now.")
    return f"{preview_id} is given up; look at the album in Immich."


async def load_promised(app: Tripbook, caller: Caller, action: Action, token: str) -> PreviewRow:
    """The preview of a genuine token of this caller and purpose. Raises InvalidToken for every other."""
    preview_id = read_preview_id(token)
    async with app.db.read() as session:
        row = await find_preview(session, preview_id)
    if row is None:
        raise forged()
    check_preview(app.keys, token, promise_of(row))
    if row.caller_id != caller.id or row.action != action:
        raise forged()
    return row


def check_request(row: PreviewRow, expected_count: int, album_name: str) -> None:
    """Raises AlbumNameMismatch or CountMismatch where the request is not about what was previewed."""
    if not is_same_name(album_name, row.album_name):
        raise AlbumNameMismatch(
            f"This token is for the album {quote(row.album_name)}; pass that name, or make a preview for the other."
        )
    if expected_count != row.count:
        raise CountMismatch(
            f"The preview holds {count_photos(row.count)}, not {expected_count}; show the user that number and ask "
            "again.",
            actual_count=row.count,
        )


async def _replay(app: Tripbook, row: PreviewRow) -> dict[str, Any]:
    async with app.db.read() as session:
        receipt = await find_receipt(session, row.receipt_id or "")
    assert receipt is not None, "a finished preview has a receipt"
    if receipt.outcome["remaining"]:
        raise album_gone()
    return receipt.outcome | {"replayed": True}


async def _claim_whole(app: Tripbook, row: PreviewRow) -> Lease:
    """The claim, or none at all: a caller that goes away in the middle leaves nothing claimed."""
    claiming = asyncio.ensure_future(_claim_open(app, row))
    try:
        return await asyncio.shield(claiming)
    except asyncio.CancelledError:
        with suppress(TripbookError):
            await _release(app, await claiming)
        raise


async def _claim_open(app: Tripbook, row: PreviewRow) -> Lease:
    """Takes the preview into `checking`, or says why not."""
    name_claim = fold(row.album_name) if row.action == "create" else None
    try:
        async with app.db.write() as session:
            now = await app.db.now(session)
            lease = await claim_open(session, row.id, app.owner, now, name_claim)
            latest = await find_preview(session, row.id)
    except NameClaimed as claimed:
        raise _name_claimed(claimed.holder, row.caller_id) from None
    if lease is None:
        assert latest is not None
        raise _not_claimable(latest, now)
    return lease


def _not_claimable(row: PreviewRow, now: datetime) -> TripbookError:
    if row.state == "declined":
        if row.target_album_id or row.answered:
            return PreviewDeclined(
                f"The admin gave this preview up after {row.answered} of {count_photos(row.count)}; look at the album "
                f"{quote(row.album_name)} and make a new preview of what is missing.",
            )
        return PreviewDeclined("A person declined this preview; nothing was written. Make a new one if that changed.")
    if is_expired(row, now):
        return PreviewExpired("This preview is too old to be confirmed; make a new one and ask again.")
    return in_progress()


def in_progress() -> ConfirmInProgress:
    return ConfirmInProgress(
        "This confirm is running already; repeat it in a few seconds for its receipt. Nothing is written twice.",
        retry_after=RETRY_AFTER_SECONDS,
    )


def _name_claimed(holder: PreviewRow | None, caller_id: str) -> ConfirmInProgress:
    if holder is not None and holder.state in UNFINISHED:
        mine = holder.caller_id == caller_id
        whose = f"(preview {holder.id}); repeat that one first" if mine else "by another client"
        return ConfirmInProgress(
            f"An earlier confirm for an album of this name is unfinished {whose}; the admin sees it in "
            "`previews list`.",
            retry_after=RETRY_AFTER_SECONDS,
        )
    return ConfirmInProgress(
        "Another confirm is creating an album of this name right now; wait, then look with find_albums.",
        retry_after=RETRY_AFTER_SECONDS,
    )


async def _claim_unfinished(app: Tripbook, row: PreviewRow) -> Lease:
    """Takes back what an earlier confirm left; the set was confirmed then and is not resolved again."""
    async with app.db.write() as session:
        now = await app.db.now(session)
        lease = await claim_unfinished(session, row.id, app.owner, now)
    if lease is None:
        raise in_progress()
    return lease


async def _release(app: Tripbook, lease: Lease) -> None:
    async with app.db.write() as session:
        await release_checking(session, lease)


async def _commit_writing(app: Tripbook, lease: Lease, seen: list[str]) -> None:
    async with app.db.write() as session:
        if not await start_writing(session, lease, await app.db.now(session), seen):
            raise in_progress()


async def _check_again(app: Tripbook, caller: Caller, row: PreviewRow) -> list[str]:
    """Resolves the plan again and compares. Returns the ids of all albums seen, for a lost create answer.

    Raises LibraryChanged with a fresh preview on drift, AlbumNameTaken, or any reading error.
    """
    plan = plan_of(row, unpack_ids(row.asset_ids))
    async with reading(app):
        await require_permissions(app)
        found = await _resolve(app, plan, with_exif=plan.criteria.has_place)
        if _drift(plan, found).any or not found.selection.exact:
            raise await _changed(app, caller, plan, await _resolve(app, plan, with_exif=True))
    if plan.action == "add":
        return []
    check_name_free(found.albums, plan.album_name)
    return [album.id for album in found.albums]


async def _resolve(app: Tripbook, plan: Plan, *, with_exif: bool) -> Found:
    if plan.action == "create":
        selection = await app.library.select(plan.criteria, with_exif=with_exif)
        return Found(selection, Audience(), plan.album_name, await app.library.list_albums())
    album = await _writable_album(app, plan.album_id or "")
    members = await app.library.find_members(album)
    missing = await resolve_missing(app, album, members, plan.criteria, plan.windows, with_exif=with_exif)
    return Found(missing.selection, missing.audience, album.name, [album])


def _drift(plan: Plan, found: Found) -> Drift:
    return compare(plan, found.selection.photos, found.audience, found.album_name)


async def _writable_album(app: Tripbook, album_id: str) -> Album:
    try:
        album = await app.library.find_album(album_id)
    except AlbumNotFound:
        raise AlbumNotWritable("This album is gone or no longer visible here; look with find_albums.") from None
    if album.role == "viewer":
        raise AlbumNotWritable("You can only view this album, so nothing was added.")
    return album


async def _changed(app: Tripbook, caller: Caller, plan: Plan, found: Found) -> LibraryChanged:
    """What changed, and a fresh preview to confirm instead where one is possible."""
    drift = _drift(plan, found)
    now_count = found.selection.total
    fresh = await _preview_again(app, caller, plan, found)
    difference: dict[str, Any] = {"added": drift.added, "removed": drift.removed}
    if drift.examples:
        difference["examples"] = [shorten(clean(name), MAX_FILE_CHARS) for name in drift.examples]
    if drift.audience_changed:
        difference["audience_changed"] = True
    if drift.renamed:
        difference["album_name"] = shown_name(found.album_name)
    return LibraryChanged(
        f"{_what_changed(plan, drift, found)} Nothing was written; show the user the new preview and ask again.",
        actual_count=now_count,
        difference=difference,
        preview=fresh,
    )


def _what_changed(plan: Plan, drift: Drift, found: Found) -> str:
    if drift.renamed:
        return f"The album is now called {quote(found.album_name)}."
    if drift.audience_changed and not (drift.added or drift.removed):
        return "Who can see the album has changed since the preview."
    if not (drift.added or drift.removed):
        return "The photos could not be counted exactly again."
    return (
        f"The library changed since the preview: {plan.count} then, {found.selection.total} now "
        f"({drift.added} new, {drift.removed} gone)."
    )


async def _preview_again(app: Tripbook, caller: Caller, plan: Plan, found: Found) -> dict[str, Any] | None:
    if find_refusal(found.selection, app.settings.max_write) is not None:
        return None
    if plan.action == "create" and same_name(found.albums, plan.album_name):
        return None
    fresh = Plan(
        action=plan.action,
        album_name=found.album_name,
        asset_ids=sort_ids(found.selection.photos),
        criteria=plan.criteria,
        description=plan.description,
        album_id=plan.album_id,
        windows=plan.windows,
        audience=found.audience,
    )
    summary = await describe_selection(app, plan.criteria, found.selection, samples=PREVIEW_SAMPLES)
    issued: Issued = await issue_preview(app, caller, fresh, found.selection, summary)
    return {"album_name": shown_name(fresh.album_name), "count": fresh.count} | issued.offer(app)


async def _write(
    app: Tripbook, caller: Caller, lease: Lease, started: float, *, resumed: bool = False
) -> dict[str, Any]:
    """Waits for the writer as long as the answer may take. The writer goes on without a listener."""
    writer: asyncio.Task[Outcome] = start_writer(app, caller.name, lease, resumed=resumed)
    left = app.settings.request_deadline - (asyncio.get_running_loop().time() - started)
    await asyncio.wait({writer}, timeout=max(left, 1.0))
    if not writer.done():
        raise in_progress()
    return outcome_of(writer)

"""Previews and receipts in the database: claims, leases and progress as conditional UPDATEs.

Every function runs in the caller's transaction. Those that answer a bool tell whether the row was still as
expected; false means that another confirm owns it now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, CursorResult, and_, or_
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select, update

from service.db.tables import PreviewRow, ReceiptRow

LEASE = timedelta(seconds=120)
UNFINISHED = ("writing", "partial", "unknown")
RUNNING = ("checking", "writing")
UNCLAIMED: dict[str, None] = {"name_claim": None, "lease_owner": None, "lease_until": None}
Row = TypeVar("Row", PreviewRow, ReceiptRow)


@dataclass(frozen=True, slots=True)
class Lease:
    """Proof of a claim: who holds the preview, and the how-manieth claim of it this is."""

    preview_id: str
    owner: str
    epoch: int


class NameClaimed(Exception):
    """Another preview holds the claim for this new album's name."""

    def __init__(self, holder: PreviewRow | None) -> None:
        super().__init__("name claimed")
        self.holder = holder


async def save_preview(session: AsyncSession, row: PreviewRow) -> None:
    session.add(row)
    await session.flush()


async def find_preview(session: AsyncSession, preview_id: str) -> PreviewRow | None:
    return await session.get(PreviewRow, preview_id, populate_existing=True)


async def list_previews(
    session: AsyncSession, *, caller_id: str | None, limit: int, before: tuple[datetime, str] | None = None
) -> list[PreviewRow]:
    """Newest first; those of one caller, or all where `caller_id` is None; older than the cursor `before`."""
    return await _list_newest(session, PreviewRow, PreviewRow.created_at, caller_id, limit, before)


async def _list_newest(
    session: AsyncSession,
    table: type[Row],
    written_at: datetime,
    caller_id: str | None,
    limit: int,
    before: tuple[datetime, str] | None,
) -> list[Row]:
    """One page of a table with callers. `written_at` is its column of time; equal times are ordered by id."""
    statement = select(table).order_by(col(written_at).desc(), col(table.id).desc()).limit(limit)
    if caller_id is not None:
        statement = statement.where(col(table.caller_id) == caller_id)
    if before is not None:
        moment, last_id = before
        older = and_(col(written_at) == moment, col(table.id) < last_id)
        statement = statement.where(or_(col(written_at) < moment, older))
    return list((await session.execute(statement)).scalars())


async def list_unfinished(session: AsyncSession) -> list[PreviewRow]:
    """Previews whose writing has begun and not ended, oldest first."""
    statement = select(PreviewRow).where(col(PreviewRow.state).in_(UNFINISHED)).order_by(col(PreviewRow.created_at))
    return list((await session.execute(statement)).scalars())


async def claim_open(
    session: AsyncSession, preview_id: str, owner: str, now: datetime, name_claim: str | None
) -> Lease | None:
    """Takes an open preview (or one whose checker died) into `checking`: the one conditional UPDATE.

    None if it is not to be had. Raises NameClaimed if another preview may be creating the same name.
    """
    free = and_(_is_open(now), col(PreviewRow.expires_at) > now)
    if name_claim is not None:
        await _release_lapsed_name(session, name_claim, now)
    return await _claim(session, preview_id, owner, now, free, state="checking", name_claim=name_claim)


async def claim_unfinished(session: AsyncSession, preview_id: str, owner: str, now: datetime) -> Lease | None:
    """Takes a preview whose writing was left (lapsed, partial or unknown) back into `writing`."""
    row = await find_preview(session, preview_id)
    if row is None:
        return None
    return await _claim(session, preview_id, owner, now, _is_left(now), state="writing", name_claim=row.name_claim)


def _is_open(now: datetime) -> ColumnElement[bool]:
    """Open, or being checked by somebody who died: nothing has been written."""
    lapsed = and_(col(PreviewRow.state) == "checking", col(PreviewRow.lease_until) < now)
    return or_(col(PreviewRow.state) == "open", lapsed)


def _is_left(now: datetime) -> ColumnElement[bool]:
    """Writing that began, did not end, and is nobody's now."""
    lapsed = and_(col(PreviewRow.state) == "writing", col(PreviewRow.lease_until) < now)
    return or_(col(PreviewRow.state).in_(("partial", "unknown")), lapsed)


async def _update(session: AsyncSession, *conditions: ColumnElement[bool], **values: Any) -> int:
    """One conditional UPDATE of previews; how many rows it changed."""
    statement = update(PreviewRow).where(*conditions).values(**values)
    result = await session.execute(statement.execution_options(synchronize_session=False))
    assert isinstance(result, CursorResult)
    return int(result.rowcount)


async def _claim(
    session: AsyncSession, preview_id: str, owner: str, now: datetime, condition: Any, **values: Any
) -> Lease | None:
    statement = (
        update(PreviewRow)
        .where(col(PreviewRow.id) == preview_id, condition)
        .values(lease_owner=owner, lease_epoch=PreviewRow.lease_epoch + 1, lease_until=now + LEASE, **values)
        .returning(col(PreviewRow.lease_epoch))
        .execution_options(synchronize_session=False)
    )
    try:
        async with session.begin_nested():
            epoch = (await session.execute(statement)).scalar_one_or_none()
    except IntegrityError:
        raise NameClaimed(await _find_name_holder(session, values["name_claim"])) from None
    return None if epoch is None else Lease(preview_id, owner, epoch)


async def _release_lapsed_name(session: AsyncSession, name_claim: str, now: datetime) -> None:
    """Who died before anything was sent holds no name; if it still runs, its lease is lost with this."""
    nothing_sent = and_(
        col(PreviewRow.state) == "writing",
        col(PreviewRow.create_sent_at).is_(None),
        col(PreviewRow.target_album_id).is_(None),
    )
    await _update(
        session,
        col(PreviewRow.name_claim) == name_claim,
        or_(col(PreviewRow.state) == "checking", nothing_sent),
        col(PreviewRow.lease_until) < now,
        state="open",
        **UNCLAIMED,
    )


async def _find_name_holder(session: AsyncSession, name_claim: str) -> PreviewRow | None:
    statement = select(PreviewRow).where(col(PreviewRow.name_claim) == name_claim)
    holder = (await session.execute(statement)).scalar_one_or_none()
    if holder is not None:
        session.expunge(holder)  # the claim's transaction is rolled back, and the row must outlive it
    return holder


async def renew_lease(session: AsyncSession, lease: Lease, now: datetime, **values: Any) -> bool:
    """Before every Immich write: still ours? Also stores `values`, what is about to be sent."""
    return await _update_held(session, lease, lease_until=now + LEASE, **values)


async def record_progress(session: AsyncSession, lease: Lease, **values: Any) -> bool:
    """Stores what is known after an Immich write."""
    return await _update_held(session, lease, **values)


async def release_checking(session: AsyncSession, lease: Lease) -> bool:
    """Back to `open`: the check failed or found drift, and nothing was written."""
    return await _update_held(session, lease, state="open", only="checking", **UNCLAIMED)


async def start_writing(session: AsyncSession, lease: Lease, now: datetime, seen_album_ids: Sequence[str]) -> bool:
    """Count, set and audience matched: committed before the first Immich write."""
    return await _update_held(
        session, lease, state="writing", lease_until=now + LEASE, seen_album_ids=list(seen_album_ids), only="checking"
    )


async def finish_writing(session: AsyncSession, lease: Lease, state: str, **values: Any) -> bool:
    """Ends the claim with `done`, `partial` or `unknown`. Only `unknown` keeps the claim of the name."""
    if state != "unknown":
        values["name_claim"] = None
    return await _update_held(session, lease, state=state, lease_owner=None, lease_until=None, only="writing", **values)


async def _update_held(session: AsyncSession, lease: Lease, only: str | None = None, **values: Any) -> bool:
    changed = await _update(
        session,
        col(PreviewRow.id) == lease.preview_id,
        col(PreviewRow.lease_owner) == lease.owner,
        col(PreviewRow.lease_epoch) == lease.epoch,
        col(PreviewRow.state).in_(RUNNING if only is None else (only,)),
        **values,
    )
    return changed == 1


def is_expired(row: PreviewRow, now: datetime) -> bool:
    """Whether an open preview, or one whose check died, is past its time."""
    lapsed = row.state == "checking" and row.lease_until is not None and row.lease_until < now
    return row.state == "expired" or ((row.state == "open" or lapsed) and row.expires_at <= now)


async def leave_writing(session: AsyncSession, lease: Lease, *, nothing_written: bool) -> None:
    """Ends a run without an outcome. What the row says was sent decides what may follow.

    Nothing sent, or surely nothing applied: back to `open`, where everything is checked again. A create that may
    have been applied: `unknown`, which keeps the claim of the name. Else `partial`.
    """
    row = await find_preview(session, lease.preview_id)
    if row is None:
        return
    untouched = row.answered == 0 and row.in_flight is None and row.create_sent_at is None
    unsettled = row.action == "create" and row.target_album_id is None
    if nothing_written or (untouched and (unsettled or row.action == "add")):
        await finish_writing(session, lease, "open", in_flight=None, target_album_id=None, create_sent_at=None)
    else:
        await finish_writing(session, lease, "unknown" if unsettled else "partial")


async def drop_unfinished(session: AsyncSession, preview_id: str, now: datetime) -> bool:
    """Gives an unfinished preview up for good; false if there is none, or it is being written."""
    changed = await _update(session, col(PreviewRow.id) == preview_id, _is_left(now), state="declined", **UNCLAIMED)
    return changed == 1


async def expire_previews(session: AsyncSession, now: datetime, forget_ids_after: timedelta) -> int:
    """Marks open previews past their time as expired, and drops the id sets of long expired ones.

    A check that died counts as open: nothing was written in it.
    """
    await _update(session, _is_open(now), col(PreviewRow.expires_at) <= now, state="expired", **UNCLAIMED)
    return await _update(
        session,
        col(PreviewRow.state).in_(("expired", "declined")),
        col(PreviewRow.expires_at) < now - forget_ids_after,
        col(PreviewRow.asset_ids) != b"",
        asset_ids=b"",
    )


async def save_receipt(session: AsyncSession, row: ReceiptRow) -> None:
    session.add(row)
    await session.flush()


async def find_receipt(session: AsyncSession, receipt_id: str) -> ReceiptRow | None:
    return await session.get(ReceiptRow, receipt_id)


async def list_receipts(
    session: AsyncSession, *, caller_id: str | None, limit: int, before: tuple[datetime, str] | None = None
) -> list[ReceiptRow]:
    """Newest first; those of one caller, or all where `caller_id` is None; older than the cursor `before`."""
    return await _list_newest(session, ReceiptRow, ReceiptRow.at, caller_id, limit, before)

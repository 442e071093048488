"""Previews and receipts as lists, newest first, with an opaque cursor. Callers see their own; approvers see all."""

from __future__ import annotations

import base64
import binascii
from datetime import UTC, datetime
from typing import Any

from service.actions.context import Caller, Tripbook
from service.actions.previews import describe_preview
from service.db import previews as db
from service.db.tables import ReceiptRow
from service.errors import InvalidRequest, ReceiptNotFound


async def list_previews(app: Tripbook, caller: Caller, limit: int, cursor: str | None) -> dict[str, Any]:
    """`previews`, and `next_cursor` where there are more."""
    before = read_cursor(cursor)
    async with app.db.read() as session:
        rows = await db.list_previews(session, caller_id=_whose(caller), limit=limit + 1, before=before)
        now = await app.db.now(session)
    shown = [describe_preview(row, expired=db.is_expired(row, now)) for row in rows[:limit]]
    more = {"next_cursor": write_cursor(rows[limit - 1].created_at, rows[limit - 1].id)} if len(rows) > limit else {}
    return {"previews": shown} | more


async def list_receipts(app: Tripbook, caller: Caller, limit: int, cursor: str | None) -> dict[str, Any]:
    """`receipts`, and `next_cursor` where there are more."""
    before = read_cursor(cursor)
    async with app.db.read() as session:
        rows = await db.list_receipts(session, caller_id=_whose(caller), limit=limit + 1, before=before)
    more = {"next_cursor": write_cursor(rows[limit - 1].at, rows[limit - 1].id)} if len(rows) > limit else {}
    return {"receipts": [describe_receipt(row) for row in rows[:limit]]} | more


async def show_receipt(app: Tripbook, caller: Caller, receipt_id: str) -> dict[str, Any]:
    async with app.db.read() as session:
        row = await db.find_receipt(session, receipt_id)
    if row is None or (row.caller_id != caller.id and not caller.sees_all):
        raise ReceiptNotFound("There is no such receipt of yours.")
    return describe_receipt(row)


def describe_receipt(row: ReceiptRow) -> dict[str, Any]:
    """Who did what when, and how it ended."""
    described: dict[str, Any] = {
        "receipt_id": row.id,
        "preview_id": row.preview_id,
        "action": row.action,
        "caller": row.caller_name,
        "at": row.at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "count": row.count,
        "digest": row.digest,
        "outcome": row.outcome,
    }
    return described | ({"approved_by": row.approved_by} if row.approved_by else {})


def _whose(caller: Caller) -> str | None:
    return None if caller.sees_all else caller.id


def write_cursor(moment: datetime, last_id: str) -> str:
    raw = f"{moment.astimezone(UTC).isoformat()}|{last_id}".encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def read_cursor(cursor: str | None) -> tuple[datetime, str] | None:
    """The position a cursor stands for. Raises InvalidRequest for anything we did not write."""
    if not cursor:
        return None
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        moment, _, last_id = raw.partition("|")
        return datetime.fromisoformat(moment).astimezone(UTC), last_id
    except (ValueError, OverflowError, binascii.Error):
        raise InvalidRequest("cursor: pass next_cursor of the answer before, unchanged, or leave it out.") from None

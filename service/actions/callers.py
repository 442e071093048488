"""Callers: making, listing, rotating and revoking their tokens, and knowing them by one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from service.actions.context import SCOPES, Caller, Tripbook
from service.db import callers as db
from service.db.session import AsyncSession, Database
from service.db.tables import CallerRow
from service.errors import InvalidRequest
from service.tokens import CALLER_PREFIX, hash_caller_token, new_caller_token, new_id

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True)
class CallerInfo:
    """A caller as an admin sees it; never a token."""

    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


async def authenticate(app: Tripbook, token: str) -> Caller | None:
    """The caller of a bearer token; None if there is none or it was revoked."""
    if not token.startswith(CALLER_PREFIX):
        return None
    async with app.db.read() as session:
        row = await db.find_caller_by_token(session, hash_caller_token(token))
        now = await app.db.now(session)
    if row is None:
        return None
    if db.use_is_stale(row, now):
        async with app.db.write() as session:
            await db.record_use(session, row.id, now)
    return Caller(row.id, row.name, frozenset(row.scopes.split()))


async def add_caller(database: Database, name: str, scopes: Sequence[str]) -> str:
    """Makes a caller; returns its token, which is shown this once. Raises InvalidRequest."""
    _check(name, scopes)
    token = new_caller_token()
    async with database.write() as session:
        if await db.find_caller_by_name(session, name) is not None:
            raise InvalidRequest(
                f"There is a client named {name} already; rotate or revoke it, or choose another name."
            )
        row = CallerRow(
            id=new_id(),
            name=name,
            token_sha256=hash_caller_token(token),
            scopes=" ".join(sorted(set(scopes))),
            created_at=await database.now(session),
        )
        await db.save_caller(session, row)
    return token


def _check(name: str, scopes: Sequence[str]) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidRequest("A client's name has 1 to 40 letters, digits, dots, dashes or underscores.")
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        raise InvalidRequest(f"Scopes are {', '.join(SCOPES)}; give at least one.")
    if {"write", "approve"} <= set(scopes):
        raise InvalidRequest("write and approve never go on one token: who writes must not approve it too.")


async def list_callers(database: Database) -> list[CallerInfo]:
    async with database.read() as session:
        rows = await db.list_callers(session)
    return [
        CallerInfo(row.name, tuple(row.scopes.split()), row.created_at, row.last_used_at, row.revoked_at)
        for row in rows
    ]


async def rotate_caller(database: Database, name: str) -> str:
    """A new token for a caller; the old one stops at once. Its open previews stay its own."""
    token = new_caller_token()
    async with database.write() as session:
        row = await _existing(session, name)
        if row.revoked_at is not None:
            raise InvalidRequest(f"The client {name} was revoked; add one with another name.")
        row.token_sha256 = hash_caller_token(token)
        row.last_used_at = None
    return token


async def revoke_caller(database: Database, name: str) -> None:
    """The caller's token stops at once and for good."""
    async with database.write() as session:
        row = await _existing(session, name)
        row.revoked_at = row.revoked_at or await database.now(session)


async def _existing(session: AsyncSession, name: str) -> CallerRow:
    row = await db.find_caller_by_name(session, name)
    if row is None:
        raise InvalidRequest(f"There is no client named {name}; `clients list` shows all.")
    return row

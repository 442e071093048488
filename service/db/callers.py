"""Callers in the database: who may ask, with which scopes. Only the SHA-256 of a token is ever stored."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select, update

from service.db.tables import CallerRow

LAST_USED_EVERY = timedelta(minutes=5)


async def find_caller_by_token(session: AsyncSession, token_sha256: str) -> CallerRow | None:
    """The caller of a token that has not been revoked."""
    statement = select(CallerRow).where(
        col(CallerRow.token_sha256) == token_sha256, col(CallerRow.revoked_at).is_(None)
    )
    return (await session.execute(statement)).scalar_one_or_none()


async def find_caller_by_name(session: AsyncSession, name: str) -> CallerRow | None:
    statement = select(CallerRow).where(col(CallerRow.name) == name)
    return (await session.execute(statement)).scalar_one_or_none()


async def find_caller(session: AsyncSession, caller_id: str) -> CallerRow | None:
    return await session.get(CallerRow, caller_id)


async def list_callers(session: AsyncSession) -> list[CallerRow]:
    return list((await session.execute(select(CallerRow).order_by(col(CallerRow.name)))).scalars())


async def save_caller(session: AsyncSession, row: CallerRow) -> None:
    session.add(row)
    await session.flush()


async def record_use(session: AsyncSession, caller_id: str, now: datetime) -> None:
    await session.execute(update(CallerRow).where(col(CallerRow.id) == caller_id).values(last_used_at=now))


def use_is_stale(row: CallerRow, now: datetime) -> bool:
    """Whether `last_used_at` is old enough to be written again."""
    return row.last_used_at is None or now - row.last_used_at > LAST_USED_EVERY

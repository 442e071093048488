"""Claims, leases and name claims in the database, with real migrations and several writers at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from service.actions.callers import add_caller
from service.db.callers import find_caller_by_name
from service.db.previews import (
    LEASE,
    NameClaimed,
    claim_open,
    claim_unfinished,
    expire_previews,
    find_preview,
    finish_writing,
    release_checking,
    renew_lease,
    save_preview,
    start_writing,
)
from service.db.session import Database, migrate
from service.db.tables import PreviewRow


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    url = f"sqlite+aiosqlite:///{tmp_path / 'test.db'}"
    migrate(url)
    database = Database(url)
    await add_caller(database, "caller", ["read", "write"])
    yield database
    await database.close()


async def add_preview(db: Database, preview_id: str = "a" * 16) -> PreviewRow:
    async with db.write() as session:
        now = await db.now(session)
        caller = await find_caller_by_name(session, "caller")
        assert caller is not None
        row = PreviewRow(
            id=preview_id, action="create", caller_id=caller.id, album_name="Maine", criteria={}, asset_ids=b"ids",
            count=1, digest="d", created_at=now, expires_at=now + timedelta(hours=1), state="open",
        )  # fmt: skip
        await save_preview(session, row)
    return row


async def claim(db: Database, preview_id: str, owner: str, name: str | None = "maine") -> object:
    async with db.write() as session:
        return await claim_open(session, preview_id, owner, await db.now(session), name)


async def test_one_of_many_claims_wins(db: Database) -> None:
    await add_preview(db)
    claims = await asyncio.gather(*(claim(db, "a" * 16, f"owner {i}") for i in range(20)))
    assert len([one for one in claims if one is not None]) == 1


async def test_a_name_is_claimed_once(db: Database) -> None:
    for letter in "abcdefgh":
        await add_preview(db, letter * 16)

    async def attempt(letter: str) -> object:
        try:
            return await claim(db, letter * 16, letter)
        except NameClaimed:
            return None

    claims = await asyncio.gather(*(attempt(letter) for letter in "abcdefgh"))
    assert len([one for one in claims if one is not None]) == 1


async def test_a_lapsed_check_can_be_claimed_again_and_the_old_owner_is_out(db: Database) -> None:
    await add_preview(db)
    first = await claim(db, "a" * 16, "first")
    assert await claim(db, "a" * 16, "second") is None
    db.time_shift = LEASE + timedelta(seconds=1)
    second = await claim(db, "a" * 16, "second")
    assert second is not None
    async with db.write() as session:
        now = await db.now(session)
        assert not await start_writing(session, first, now, [])  # type: ignore[arg-type]
        assert not await release_checking(session, first)  # type: ignore[arg-type]
        assert await start_writing(session, second, now, [])  # type: ignore[arg-type]


async def test_a_lapsed_check_of_another_preview_gives_the_name_free(db: Database) -> None:
    await add_preview(db, "a" * 16)
    await add_preview(db, "b" * 16)
    assert await claim(db, "a" * 16, "first") is not None
    with pytest.raises(NameClaimed):
        await claim(db, "b" * 16, "second")
    db.time_shift = LEASE + timedelta(seconds=1)
    assert await claim(db, "b" * 16, "second") is not None
    async with db.read() as session:
        row = await find_preview(session, "a" * 16)
        assert row is not None
        assert (row.state, row.name_claim) == ("open", None)


async def test_writing_is_resumed_only_after_its_lease_and_never_expires(db: Database) -> None:
    await add_preview(db)
    lease = await claim(db, "a" * 16, "first")
    async with db.write() as session:
        assert await start_writing(session, lease, await db.now(session), ["seen"])  # type: ignore[arg-type]
        assert await claim_unfinished(session, "a" * 16, "second", await db.now(session)) is None
    db.time_shift = timedelta(days=30)
    async with db.write() as session:
        now = await db.now(session)
        await expire_previews(session, now, timedelta(days=1))
        taken = await claim_unfinished(session, "a" * 16, "second", now)
        assert taken is not None
        assert not await renew_lease(session, lease, now)  # type: ignore[arg-type]
        assert await renew_lease(session, taken, now)
        assert await finish_writing(session, taken, "partial")
        row = await find_preview(session, "a" * 16)
        assert row is not None
        assert (row.state, row.asset_ids, row.name_claim) == ("partial", b"ids", None)


async def test_expired_previews_lose_their_ids_after_a_day(db: Database) -> None:
    await add_preview(db)
    for shift, state, ids in ((0.5, "open", b"ids"), (2, "expired", b"ids"), (26, "expired", b"")):
        db.time_shift = timedelta(hours=shift)
        async with db.write() as session:
            await expire_previews(session, await db.now(session), timedelta(days=1))
        async with db.read() as session:
            row = await find_preview(session, "a" * 16)
            assert row is not None
            assert (row.state, row.asset_ids) == (state, ids)


def test_simultaneous_starters_migrate_once(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'data' / 'test.db'}"
    with ProcessPoolExecutor(4) as pool:
        assert list(pool.map(migrate, [url] * 8)) == [None] * 8


async def test_writes_begin_with_the_write_lock_and_reads_do_not(db: Database) -> None:
    from sqlalchemy import event

    begun: list[str] = []
    event.listen(db._engine.sync_engine, "before_cursor_execute", lambda conn, cursor, text, *rest: begun.append(text))
    async with db.write() as session:
        await db.now(session)
    async with db.read() as session:
        await db.now(session)
    assert [text for text in begun if text.startswith("BEGIN")] == ["BEGIN IMMEDIATE", "BEGIN"]

"""Opening the database: engine, transactions, database time and migrations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine

__all__ = ["AsyncSession", "Database", "check_migrations", "migrate"]
ROOT = Path(__file__).resolve().parents[2]
# In a checkout beside the packages; in a wheel inside this one, where the name does not hide the library `alembic`.
MIGRATIONS = next(
    (folder for folder in (Path(__file__).with_name("migrations"), ROOT / "alembic") if (folder / "env.py").is_file()),
    ROOT / "alembic",
)
BUSY_TIMEOUT_MS = 15_000
READ_ONLY = "tripbook_read_only"


class Database:
    """The engine and its two kinds of transaction.

    Every write transaction begins with BEGIN IMMEDIATE: on SQLite a deferred read-then-update fails at once under
    contention, whatever the busy timeout says. `time_shift` moves database time; only tests set it.
    """

    def __init__(self, url: str) -> None:
        self._engine = create_async_engine(url)
        self._sessions = async_sessionmaker(self._engine, expire_on_commit=False)
        self.time_shift = timedelta()
        if self._engine.dialect.name == "sqlite":
            listen_for_sqlite(self._engine.sync_engine)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        """A transaction that takes no write lock."""
        async with self._sessions() as session:
            await session.connection(execution_options={READ_ONLY: True})
            yield session

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncSession]:
        """A transaction that holds the write lock from its start; commits unless the block raises."""
        async with self._sessions() as session, session.begin():
            await session.connection()
            yield session

    async def now(self, session: AsyncSession) -> datetime:
        """The database's clock (UTC), so that leases mean the same to every process."""
        if self._engine.dialect.name == "sqlite":
            raw = (await session.execute(text("SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')"))).scalar_one()
            moment = datetime.fromisoformat(raw).replace(tzinfo=UTC)
        else:
            moment = (await session.execute(text("SELECT clock_timestamp()"))).scalar_one()
        return moment + self.time_shift

    async def close(self) -> None:
        await self._engine.dispose()


def listen_for_sqlite(engine: Engine) -> None:
    """Sets each new connection up, and begins write transactions with the write lock."""
    event.listen(engine, "connect", _set_up_connection)
    event.listen(engine, "begin", _begin)


def _set_up_connection(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (f"busy_timeout={BUSY_TIMEOUT_MS}", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    read_only = connection.get_execution_options().get(READ_ONLY, False)
    connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")


def prepare_folder(url: str) -> None:
    """Makes the folder of an SQLite file, readable by its owner only."""
    path = make_url(url).database
    if make_url(url).get_backend_name() == "sqlite" and path and path != ":memory:":
        Path(path).parent.mkdir(parents=True, exist_ok=True, mode=0o700)


def migrate(url: str) -> None:
    """Brings the database to the newest revision. Simultaneous starters wait; one migrates."""
    prepare_folder(url)
    _run_alembic(url, "upgrade")


def check_migrations(url: str) -> None:
    """Raises alembic's CommandError if the tables in the code differ from a freshly migrated database."""
    migrate(url)
    _run_alembic(url, "check")


def _run_alembic(url: str, step: str) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config(toml_file=ROOT / "pyproject.toml")
    config.set_main_option("script_location", str(MIGRATIONS))
    engine = create_engine(make_url(url).set(drivername=make_url(url).get_backend_name()))
    if engine.dialect.name == "sqlite":
        listen_for_sqlite(engine)
    try:
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(727465)"))
            config.attributes["connection"] = connection
            if step == "upgrade":
                command.upgrade(config, "head")
            else:
                command.check(config)
    finally:
        engine.dispose()

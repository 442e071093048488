"""Keeps the conversations' database small: prunes a thread to its newest checkpoints, deletes a thread.

Every checkpoint of a thread holds all of its messages, so the newest few are enough to go on and a little to go back.
"""

from __future__ import annotations

import logging

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

DEFAULT_KEPT = 20

log = logging.getLogger(__name__)


def kept_checkpoints(value: str | int | None) -> int:
    """How many to keep; anything but a whole number of at least 1 is the default, with a warning."""
    if value is None or value == "":
        return DEFAULT_KEPT
    try:
        number = int(value)
    except ValueError:
        number = 0
    if number < 1:
        log.warning("%r is not a number of checkpoints to keep; keeping %d", value, DEFAULT_KEPT)
        return DEFAULT_KEPT
    return number


async def prune_thread(
    saver: AsyncSqliteSaver, thread_id: str, keep: str | int | None = None, namespace: str = ""
) -> int:
    """Deletes all but the newest checkpoints of one thread and namespace, and writes that belong to none.

    Returns the number of deleted checkpoints. To be called after a turn: a failure is logged and the turn stays good.
    """
    try:
        return await _prune(saver, thread_id, namespace, kept_checkpoints(keep))
    except Exception:
        log.exception("pruning the checkpoints of %s failed", thread_id)
        return 0


async def delete_thread(saver: AsyncSqliteSaver, thread_id: str) -> None:
    """Forgets a conversation, in all namespaces. A failure is the caller's to tell."""
    await saver.setup()
    await saver.adelete_thread(thread_id)


async def _prune(saver: AsyncSqliteSaver, thread_id: str, namespace: str, keep: int) -> int:
    await saver.setup()
    # The saver shares one connection among all turns: without its lock, our commit could be in the middle of a put.
    async with saver.lock:
        try:
            if await _replays_writes(saver.conn, thread_id, namespace):
                log.warning("%s holds delta channels, which need their whole history: not pruned", thread_id)
                return 0
            deleted = await _delete_old(saver.conn, thread_id, namespace, keep)
            await saver.conn.commit()
        except BaseException:
            await saver.conn.rollback()
            raise
    return deleted


async def _replays_writes(conn: aiosqlite.Connection, thread_id: str, namespace: str) -> bool:
    """Whether a state is rebuilt from its ancestors (langgraph's DeltaChannel): cutting those would lose messages."""
    query = (
        "SELECT 1 FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
        " AND CAST(metadata AS TEXT) LIKE '%counters_since_delta_snapshot%' LIMIT 1"
    )
    async with conn.execute(query, (thread_id, namespace)) as cursor:
        return await cursor.fetchone() is not None


async def _delete_old(conn: aiosqlite.Connection, thread_id: str, namespace: str, keep: int) -> int:
    # The order in which the saver itself looks for the newest.
    newest = (
        "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
        " ORDER BY checkpoint_id DESC LIMIT ?"
    )
    of_thread = (thread_id, namespace)
    async with conn.execute(
        f"DELETE FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id NOT IN ({newest})",  # noqa: S608 - constant
        (*of_thread, *of_thread, keep),
    ) as cursor:
        deleted = cursor.rowcount
    kept = "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
    async with conn.execute(
        f"DELETE FROM writes WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id NOT IN ({kept})",  # noqa: S608 - constant
        (*of_thread, *of_thread),
    ):
        pass
    return deleted

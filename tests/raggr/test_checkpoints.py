"""Pruning a conversation's checkpoints: what stays, what goes, and that a failure harms nothing."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, MessagesState, StateGraph

from clients.raggr.checkpoints import delete_thread, kept_checkpoints, prune_thread


@pytest.fixture
async def saver() -> AsyncIterator[AsyncSqliteSaver]:
    async with AsyncSqliteSaver.from_conn_string(":memory:") as opened:
        yield opened


class Replayed(TypedDict):
    messages: Annotated[list[Any], DeltaChannel(lambda held, new: held + [item for one in new for item in one], list)]


def thread(name: str) -> RunnableConfig:
    return {"configurable": {"thread_id": name}}


async def talk(saver: AsyncSqliteSaver, name: str, turns: int, state: Any = MessagesState) -> Any:
    builder = StateGraph(state)
    builder.add_node("answer", lambda state: {"messages": [("ai", f"answer {len(state['messages'])}")]})
    builder.add_edge(START, "answer")
    graph = builder.compile(checkpointer=saver)
    for turn in range(turns):
        await graph.ainvoke({"messages": [("user", f"question {turn}")]}, thread(name))
    return graph


async def rows(saver: AsyncSqliteSaver, table: str, name: str, namespace: str = "") -> list[str]:
    query = f"SELECT checkpoint_id FROM {table} WHERE thread_id = ? AND checkpoint_ns = ? ORDER BY checkpoint_id"
    async with saver.lock, saver.conn.execute(query, (name, namespace)) as cursor:
        return [row[0] for row in await cursor.fetchall()]


async def test_the_newest_stay_and_hold_every_message(saver: AsyncSqliteSaver) -> None:
    graph = await talk(saver, "t", 10)
    before = await rows(saver, "checkpoints", "t")
    state = await graph.aget_state(thread("t"))
    assert len(state.values["messages"]) == 20

    assert await prune_thread(saver, "t", 4) == len(before) - 4
    assert await rows(saver, "checkpoints", "t") == before[-4:]
    assert (await graph.aget_state(thread("t"))).values == state.values
    await graph.ainvoke({"messages": [HumanMessage("one more")]}, thread("t"))
    assert len((await graph.aget_state(thread("t"))).values["messages"]) == 22


async def test_writes_of_no_checkpoint_go_and_those_of_kept_ones_stay(saver: AsyncSqliteSaver) -> None:
    await talk(saver, "t", 3)
    kept = (await rows(saver, "checkpoints", "t"))[-2:]
    writes = await rows(saver, "writes", "t")
    expected = [checkpoint for checkpoint in writes if checkpoint in kept]
    assert expected
    assert expected != writes
    orphan = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "0-gone"}}
    await saver.aput_writes(orphan, [("messages", "x")], "task")

    await prune_thread(saver, "t", 2)
    assert await rows(saver, "writes", "t") == expected


async def test_orphaned_writes_go_where_nothing_else_is_to_prune(saver: AsyncSqliteSaver) -> None:
    await talk(saver, "t", 1)
    writes = await rows(saver, "writes", "t")
    orphan = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "0-gone"}}
    await saver.aput_writes(orphan, [("messages", "x")], "task")
    assert await prune_thread(saver, "t") == 0
    assert await rows(saver, "writes", "t") == writes


async def test_other_threads_and_namespaces_stay_untouched(saver: AsyncSqliteSaver) -> None:
    for name in ("t", "t2", "%"):
        await talk(saver, name, 4)
    async with saver.lock:
        for table in ("checkpoints", "writes"):
            columns = "checkpoint_id, " + ("type" if table == "checkpoints" else "task_id, idx, channel")
            await saver.conn.execute(
                f"INSERT INTO {table} (thread_id, checkpoint_ns, {columns})"
                f" SELECT thread_id, 'sub', {columns} FROM {table} WHERE thread_id = 't'"
            )
        await saver.conn.commit()
    places = [("t2", ""), ("%", ""), ("t", "sub")]
    before = [await rows(saver, table, *place) for place in places for table in ("checkpoints", "writes")]

    assert await prune_thread(saver, "t", 1) > 0
    assert [await rows(saver, table, *place) for place in places for table in ("checkpoints", "writes")] == before
    assert await prune_thread(saver, "t", 1, "sub") > 0
    assert len(await rows(saver, "checkpoints", "t", "sub")) == 1


async def test_a_state_that_is_replayed_from_its_history_is_left_whole(
    saver: AsyncSqliteSaver, caplog: pytest.LogCaptureFixture
) -> None:
    graph = await talk(saver, "t", 5, Replayed)
    assert await prune_thread(saver, "t", 1) == 0
    assert "delta channels" in caplog.text
    assert len((await graph.aget_state(thread("t"))).values["messages"]) == 10


async def test_a_failure_is_logged_and_undone_and_never_raised(
    saver: AsyncSqliteSaver, caplog: pytest.LogCaptureFixture
) -> None:
    graph = await talk(saver, "t", 5)
    before = await rows(saver, "checkpoints", "t")
    await saver.conn.execute("CREATE TRIGGER no BEFORE DELETE ON writes BEGIN SELECT RAISE(ABORT, 'disk is full'); END")

    assert await prune_thread(saver, "t", 1) == 0
    assert "disk is full" in caplog.text
    assert await rows(saver, "checkpoints", "t") == before
    assert not saver.conn.in_transaction
    await graph.ainvoke({"messages": [("user", "still fine?")]}, thread("t"))


async def test_a_closed_database_does_not_fail_the_turn(caplog: pytest.LogCaptureFixture) -> None:
    async with AsyncSqliteSaver.from_conn_string(":memory:") as saver:
        await talk(saver, "t", 1)
    assert await prune_thread(saver, "t", 1) == 0
    assert "failed" in caplog.text


async def test_pruning_waits_for_the_savers_own_lock(saver: AsyncSqliteSaver) -> None:
    await talk(saver, "t", 5)
    async with saver.lock:
        pruning = asyncio.create_task(prune_thread(saver, "t", 1))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not pruning.done()
        async with saver.conn.execute("SELECT count(*) FROM checkpoints") as cursor:
            assert await cursor.fetchone() == (15,)
    assert await pruning == 14


async def test_pruning_beside_running_turns_loses_nothing(saver: AsyncSqliteSaver) -> None:
    graph = await talk(saver, "t", 1)
    await asyncio.gather(talk(saver, "t", 5), *(prune_thread(saver, "t", 3) for _ in range(10)), talk(saver, "u", 5))
    assert len((await graph.aget_state(thread("t"))).values["messages"]) == 12
    assert len((await graph.aget_state(thread("u"))).values["messages"]) == 10


async def test_a_deleted_thread_is_gone_in_all_namespaces_and_others_stay(saver: AsyncSqliteSaver) -> None:
    await talk(saver, "t", 2)
    await talk(saver, "u", 2)
    orphan = {"configurable": {"thread_id": "t", "checkpoint_ns": "sub", "checkpoint_id": "0"}}
    await saver.aput_writes(orphan, [("messages", "x")], "task")
    others = await rows(saver, "checkpoints", "u")

    await delete_thread(saver, "t")
    for table in ("checkpoints", "writes"):
        assert await rows(saver, table, "t") == await rows(saver, table, "t", "sub") == []
    assert await rows(saver, "checkpoints", "u") == others


async def test_deleting_what_never_was_is_fine_and_a_failure_is_told() -> None:
    async with AsyncSqliteSaver.from_conn_string(":memory:") as saver:
        await delete_thread(saver, "nobody")
    with pytest.raises((ValueError, sqlite3.Error)):
        await delete_thread(saver, "nobody")


@pytest.mark.parametrize(("value", "kept"), [(None, 20), ("", 20), (5, 5), ("7", 7), (1, 1)])
def test_how_many_are_kept(value: Any, kept: int, caplog: pytest.LogCaptureFixture) -> None:
    assert kept_checkpoints(value) == kept
    assert not caplog.records


@pytest.mark.parametrize("value", ["abc", 0, -3, "-1", "1.5", "0", " "])
def test_an_invalid_number_falls_back_to_20_with_a_warning(value: Any, caplog: pytest.LogCaptureFixture) -> None:
    assert kept_checkpoints(value) == 20
    assert [record.levelno for record in caplog.records] == [logging.WARNING]

"""Runs one turn of a conversation: streams the answer, shows labels, asks the person, logs the cost, prunes."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.errors import GraphRecursionError
from langgraph.types import Command

from clients.raggr.agent import Agent
from clients.raggr.checkpoints import prune_thread
from clients.raggr.labels import label_of
from clients.raggr.recording import TurnRecorder

MAX_STEPS = 40
"""Of the graph, three to a round of tools: a model that goes round in circles is stopped."""
TOO_MANY_STEPS = "I went round in circles and stopped. Please ask again, a little differently."

turn_log = logging.getLogger("clients.raggr.turns")


@contextmanager
def turns_logged_to(file: Path) -> Iterator[None]:
    """Appends the turns' lines to a file that only its owner may read, and nowhere else."""
    file.touch(mode=0o600)
    handler = logging.FileHandler(file, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(message)s"))
    before = turn_log.level, turn_log.propagate
    turn_log.addHandler(handler)
    turn_log.setLevel(logging.INFO)
    turn_log.propagate = False
    try:
        yield
    finally:
        turn_log.setLevel(before[0])
        turn_log.propagate = before[1]
        turn_log.removeHandler(handler)
        handler.close()


class Screen(Protocol):
    """Where a turn shows itself, and where the person answers."""

    def show_text(self, piece: str) -> None: ...

    def show_label(self, label: str) -> None: ...

    async def agrees(self, sentence: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Conversation:
    """One thread of one person with the agent. `keep`: how many checkpoints survive each turn."""

    agent: Agent
    thread_id: str
    is_admin: bool
    mode: str = "static"
    keep: str | int | None = None

    async def take_turn(self, question: str, screen: Screen) -> dict[str, Any]:
        """Answers one question on the screen; the log line of the turn. Raises what the models raise."""
        recorder, error = TurnRecorder(), "interrupted"
        try:
            error = await self._stream(question, screen, recorder)
        except Exception as failure:
            error = type(failure).__name__
            raise
        finally:
            line = recorder.line(conversation=self.thread_id, mode=self.mode, question=question, error=error or None)
            turn_log.info("%s", json.dumps(line, ensure_ascii=False))
            await self._prune()
        return line

    async def _stream(self, question: str, screen: Screen, recorder: TurnRecorder) -> str:
        config: RunnableConfig = {
            "configurable": {"thread_id": self.thread_id, "is_admin": self.is_admin},
            "callbacks": [recorder],
            "recursion_limit": MAX_STEPS,
        }
        payload: Any = {"messages": [HumanMessage(question)]}
        try:
            while payload is not None:
                asked = await self._run(payload, config, screen)
                payload = Command(resume=await _ask(asked, screen, recorder)) if asked else None
        except GraphRecursionError:
            screen.show_text(TOO_MANY_STEPS)
            return "too_many_steps"
        return ""

    async def _run(self, payload: Any, config: RunnableConfig, screen: Screen) -> Sequence[Mapping[str, Any]]:
        """Runs until the answer or until the person has to be asked; what to ask."""
        asked: Sequence[Mapping[str, Any]] = ()
        speech = _Speech(screen)
        async for mode, data in self.agent.astream(payload, config, stream_mode=["messages", "updates"]):
            if mode == "messages":
                speech.take(data)
                continue
            update = cast(dict[str, Any], data)
            _show_labels(update.get("model"), screen)
            if "__interrupt__" in update:
                asked = update["__interrupt__"][0].value
        return asked

    async def _prune(self) -> None:
        if isinstance(self.agent.checkpointer, AsyncSqliteSaver):
            await prune_thread(self.agent.checkpointer, self.thread_id, self.keep)


async def _ask(asked: Sequence[Mapping[str, Any]], screen: Screen, recorder: TurnRecorder) -> list[str]:
    """The tokens that the person agreed to."""
    since = time.monotonic()
    agreed = [str(each["token"]) for each in asked if await screen.agrees(str(each["sentence"]))]
    recorder.waited += time.monotonic() - since
    return agreed


@dataclass(slots=True)
class _Speech:
    """Shows streamed text; each message begins on a line of its own, as a model may break off and another go on."""

    screen: Screen
    _speaking: str | None = None

    def take(self, data: Any) -> None:
        message, metadata = data
        of_model = metadata.get("langgraph_node") == "model" and isinstance(message, AIMessageChunk | AIMessage)
        if not of_model or not message.text:
            return
        if self._speaking not in (None, message.id):
            self.screen.show_text("\n")
        self._speaking = message.id
        self.screen.show_text(message.text)


def _show_labels(update: Any, screen: Screen) -> None:
    for message in (update or {}).get("messages", ()):
        for label in dict.fromkeys(_label(call["name"]) for call in message.tool_calls):
            screen.show_label(label)


def _label(tool_name: str) -> str:
    return label_of(tool_name) or f"{tool_name.replace('_', ' ').capitalize()}…"

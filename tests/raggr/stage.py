"""Puts the whole chain on stage: the service process, scripted models, the real graph, and a person who answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import httpx
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, ToolMessage
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from clients.raggr.agent import Models, build_agent
from clients.raggr.models import chat_model
from clients.raggr.routing import Mode, ToolRouter
from clients.raggr.tools import load_photo_tools
from clients.raggr.turns import Conversation
from tests import qwen
from tests.raggr import household
from tests.raggr.scripted_llm import Script, ScriptedServer

TODAY = date(2026, 12, 1)


@dataclass
class Demo:
    """A running `python -m service demo`."""

    ready: dict[str, Any]
    control: httpx.Client
    albums: list[dict[str, Any]] = field(default_factory=list)
    seen: int = 0

    @property
    def environment(self) -> dict[str, str]:
        return {"IMMICH_TOOLS_URL": self.ready["url"], "IMMICH_TOOLS_TOKEN": self.ready["token"]}

    def ask(self, name: str) -> Any:
        return self.control.get(f"/_control/{name}").raise_for_status().json()

    def change(self, **op: Any) -> str:
        answer = self.control.post("/_control/library", json={"ops": [op]}).raise_for_status().json()
        return str(answer["ids"][0])

    def requests(self) -> list[dict[str, Any]]:
        """What Immich was asked in this test."""
        return [entry for entry in self.ask("journal") if entry["seq"] > self.seen]

    def writes(self) -> list[dict[str, Any]]:
        """What was sent to be written in this test, applied or not."""
        return [
            e for e in self.requests() if e["method"] not in ("GET", "HEAD") and e["path"].startswith("/api/albums")
        ]

    def album(self, name: str) -> dict[str, Any]:
        (found,) = (album for album in self.ask("albums") if album["name"] == name)
        return found

    def forget_writes(self) -> None:
        """Back to the albums of the start, and an empty journal as far as the tests look."""
        before = {album["id"]: album for album in self.albums}
        for album in self.ask("albums"):
            if album["id"] not in before:
                self.change(op="remove_album", album=album["id"])
            elif album != before[album["id"]]:
                self.change(op="update_album", album=album["id"], asset_ids=before[album["id"]]["asset_ids"])
        self.seen = max((entry["seq"] for entry in self.ask("journal")), default=0)


@contextmanager
def running_demo(version: str = "3.3.1") -> Iterator[Demo]:
    command = [sys.executable, "-m", "service", "demo", "--port", "0", "--json", "--immich-version", version]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=clean_environment()) as process:
        try:
            assert process.stdout
            ready = json.loads(process.stdout.readline())
            with httpx.Client(base_url=ready["immich_url"], trust_env=False) as control:
                demo = Demo(ready, control)
                demo.albums = demo.ask("albums")
                yield demo
        finally:
            process.terminate()


@dataclass
class Person:
    """The screen of a test: what it showed, and what the person says when asked."""

    agreeing: bool = True
    shown: str = ""
    labels: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def show_text(self, piece: str) -> None:
        self.shown += piece

    def show_label(self, label: str) -> None:
        self.labels.append(label)

    async def agrees(self, sentence: str) -> bool:
        self.asked.append(sentence)
        return self.agreeing


@dataclass
class Stage:
    """One conversation with everything around it."""

    conversation: Conversation
    model: ScriptedServer
    person: Person
    lines: list[dict[str, Any]] = field(default_factory=list)

    async def say(self, *questions: str) -> str:
        """Asks one after another; what was shown for the last one."""
        for question in questions:
            self.person.shown = ""
            self.lines.append(await self.conversation.take_turn(question, self.person))
        return self.person.shown

    async def messages(self) -> list[AnyMessage]:
        config: Any = {"configurable": {"thread_id": self.conversation.thread_id}}
        found: list[AnyMessage] = (await self.conversation.agent.aget_state(config)).values["messages"]
        return found

    async def tool_texts(self) -> list[str]:
        return [message.text for message in await self.messages() if isinstance(message, ToolMessage)]

    async def tool_tokens(self) -> int:
        """Qwen tokens that tools put into the context."""
        return sum(qwen.count_tokens(text) for text in await self.tool_texts())

    @property
    def thinking(self) -> list[dict[str, Any]]:
        """The `extra_body` of every call, as it arrived."""
        return [request.thinking for request in self.model.requests]

    @property
    def kinds(self) -> list[str]:
        return [call["call_kind"] for line in self.lines for call in line["model_calls"]]


def model_at(server: ScriptedServer) -> BaseChatModel:
    return chat_model(server.url, "scripted")


@asynccontextmanager
async def stage(
    script: Script,
    environment: dict[str, str],
    *,
    mode: Mode = "static",
    admin: bool = True,
    person: Person | None = None,
    fallback: BaseChatModel | None = None,
) -> AsyncIterator[Stage]:
    """An agent with the photo tools of `environment` and the household's other tools, in a fresh conversation."""
    others = [tool for tool in household.tools() if not tool.name.startswith("immich_")]
    photo_tools = await load_photo_tools(environment=environment)
    router = ToolRouter([*photo_tools, *others], household.GROUPS, mode)
    with ScriptedServer(script) as server, tempfile.TemporaryDirectory() as folder:
        async with AsyncSqliteSaver.from_conn_string(str(Path(folder) / "talk.sqlite")) as saver:
            agent = build_agent(Models(model_at(server), fallback), router, saver, lambda: TODAY)
            talk = Conversation(agent, "talk", admin, mode)
            yield Stage(talk, server, person or Person())


def clean_environment(**more: str) -> dict[str, str]:
    """For processes of a test: no stray setting of the developer."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "TMPDIR")}
    return kept | more

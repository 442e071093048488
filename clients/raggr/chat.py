"""The terminal: reads questions, streams answers, shows what runs, and asks before anything is written."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO
from uuid import uuid4

import openai
from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from clients.raggr.agent import Models, build_agent
from clients.raggr.checkpoints import delete_thread
from clients.raggr.models import add_model_arguments, chat_model
from clients.raggr.routing import MODES, ToolRouter
from clients.raggr.tools import load_photo_tools
from clients.raggr.turns import Conversation, turns_logged_to

OPENAI_URL = "https://api.openai.com/v1"
HELP = "Ask something. /forget starts over, /quit (or Ctrl-D) ends."
NO_TOOLS = "There are no photo tools: set IMMICH_TOOLS_URL and IMMICH_TOOLS_TOKEN, and see that the service runs."


def add_arguments(parser: ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument(
        "--routing",
        choices=MODES,
        default=os.environ.get("TOOL_ROUTING_MODE") or "static",
        help="which tools each model call sees (TOOL_ROUTING_MODE, default static)",
    )
    parser.add_argument("--guest", action="store_true", help="talk as somebody who is no admin: no photo tools")
    parser.add_argument("--thread", help="a conversation to go on with; a new one by default")
    parser.add_argument(
        "--data",
        type=Path,
        default=_data_folder(),
        help="folder of the conversations and the log (default %(default)s)",
    )
    parser.add_argument(
        "--keep",
        default=os.environ.get("CHECKPOINTS_KEPT"),
        help="checkpoints that survive each turn (CHECKPOINTS_KEPT, default 20)",
    )
    parser.add_argument("--fallback-model", help="a cloud model for when the local one fails; needs OPENAI_API_KEY")
    parser.add_argument("--fallback-url", default=OPENAI_URL, help="where it is (default %(default)s)")


def _data_folder() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "tripbook-raggr"


def read_line(prompt: str) -> str:
    """The person's next line. asyncio's own answer to Ctrl-C would wait for the end of `input`."""
    of_asyncio = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return input(prompt)
    finally:
        signal.signal(signal.SIGINT, of_asyncio)


@dataclass
class Terminal:
    """A screen of lines. `read` gives the person's next one."""

    out: TextIO
    read: Callable[[str], str] = read_line
    _in_line: bool = field(default=False, init=False)

    def show_text(self, piece: str) -> None:
        self.out.write(piece)
        self.out.flush()
        self._in_line = not piece.endswith("\n")

    def show_line(self, text: str) -> None:
        self.end_line()
        self.show_text(f"{text}\n")

    def show_label(self, label: str) -> None:
        self.show_line(f"  · {label}")

    def end_line(self) -> None:
        if self._in_line:
            self.show_text("\n")

    async def agrees(self, sentence: str) -> bool:
        """Only a plain yes is one; the end of the input is a no."""
        self.show_line(f"  ? {sentence}")
        try:
            return self.read("    y/N: ").strip().lower() in ("y", "yes")
        except EOFError:
            return False


def run(asked: Namespace) -> int:
    terminal = Terminal(sys.stdout)
    if asked.routing not in MODES:
        terminal.show_line(f"TOOL_ROUTING_MODE is {asked.routing!r}; it can be {' or '.join(MODES)}.")
        return 1
    if not asked.base_url and not asked.fallback_model:
        terminal.show_line("Where is the model? Give --base-url or set LLAMA_SERVER_URL.")
        return 1
    asked.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        with turns_logged_to(asked.data / "turns.jsonl"):
            return asyncio.run(_chat(asked, terminal))
    except KeyboardInterrupt:
        terminal.end_line()
        return 130


async def _chat(asked: Namespace, terminal: Terminal) -> int:
    photo_tools = await load_photo_tools()
    if not photo_tools:
        terminal.show_line(NO_TOOLS)
    router = ToolRouter(photo_tools, mode=asked.routing)
    async with AsyncSqliteSaver.from_conn_string(str(asked.data / "conversations.sqlite")) as saver:
        agent = build_agent(_models(asked), router, saver)
        thread = asked.thread or uuid4().hex[:12]
        terminal.show_line(f"Conversation {thread}. {HELP}")
        talk = Conversation(agent, thread, is_admin=not asked.guest, mode=asked.routing, keep=asked.keep)
        await _talk(talk, terminal, saver)
    return 0


def _models(asked: Namespace) -> Models:
    local = chat_model(asked.base_url, asked.model) if asked.base_url else None
    return Models(local, _fallback(asked))


def _fallback(asked: Namespace) -> BaseChatModel | None:
    """Only where it was asked for: a key in the environment is no permission to send a household's talk away."""
    if not asked.fallback_model:
        return None
    key = os.environ.get("OPENAI_API_KEY") or "not-needed"
    return chat_model(asked.fallback_url, asked.fallback_model, key, effort=None)


async def _talk(talk: Conversation, terminal: Terminal, saver: AsyncSqliteSaver) -> None:
    while (question := _next_question(terminal)) != "/quit":
        if question == "/forget":
            await delete_thread(saver, talk.thread_id)
            terminal.show_line("Forgotten.")
        elif question:
            await _answer(talk, question, terminal)


def _next_question(terminal: Terminal) -> str:
    """Blocks the event loop, which has nothing else to do: a thread in `input` would not hear Ctrl-C."""
    try:
        return terminal.read("> ").strip()
    except EOFError:
        terminal.show_line("")
        return "/quit"


async def _answer(talk: Conversation, question: str, terminal: Terminal) -> None:
    try:
        line = await talk.take_turn(question, terminal)
    except openai.OpenAIError as error:
        terminal.show_line(f"The model did not answer: {error}")
        return
    calls = line["model_calls"]
    tokens = sum(call["output_tokens"] or 0 for call in calls)
    terminal.show_line("")
    terminal.show_line(f"  [{len(calls)} model calls, {tokens} tokens written, first word after {line['ttft_ms']} ms]")

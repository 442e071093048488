"""`python -m clients.raggr chat` as a person uses it, against the demo and a scripted model; once as a process."""

from __future__ import annotations

import io
import json
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from clients.raggr.__main__ import main
from tests.raggr.scenarios import SCENARIOS, scripted
from tests.raggr.scripted_llm import Reply, Script, ScriptedServer
from tests.raggr.stage import Demo, clean_environment

SENTENCE = '  ? Create the new album "Maine 2026" with 455 photos from 2026-08-02 to 2026-08-09?\n'
QUESTIONS = SCENARIOS["b"].questions


class Chat:
    """Runs the command in this process: lines of input in, exit code and what was shown out."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data: Path) -> None:
        self._patch = monkeypatch
        self._capsys = capsys
        self._data = ("--data", str(data))
        for name in ("LLAMA_SERVER_URL", "LLAMA_MODEL_NAME", "TOOL_ROUTING_MODE", "CHECKPOINTS_KEPT"):
            monkeypatch.delenv(name, raising=False)

    def __call__(self, lines: list[str], *arguments: str, **environment: str) -> tuple[int, str]:
        self._patch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        with self._patch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            code = main(["chat", *self._data, *arguments])
        return code, self._capsys.readouterr().out


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Chat:
    return Chat(monkeypatch, capsys, tmp_path / "data")


def with_model(chat: Chat, script: Script, lines: list[str], *arguments: str, **environment: str) -> tuple[int, str]:
    with ScriptedServer(script) as server:
        return chat(lines, "--base-url", server.url, *arguments, **environment)


def test_as_a_process_an_album_is_made_after_a_yes_to_the_sentence(demo: Demo, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ScriptedServer(scripted(SCENARIOS["b"])) as server:
        process = subprocess.run(
            [sys.executable, "-W", "error", "-m", "clients.raggr", "chat", "--routing", "dynamic", "--data", str(data)],
            input="".join(f"{line}\n" for line in [*QUESTIONS, "y"]),
            env=clean_environment(LLAMA_SERVER_URL=server.url, **demo.environment),
            capture_output=True,
            text=True,
        )
    shown = process.stdout
    assert (process.returncode, process.stderr) == (0, "")
    assert shown.count("  · Looking through photos…\n") == 4
    assert shown.count(SENTENCE) == 1
    assert "Done: 455 photos are now in Maine 2026." in shown
    assert len(demo.album("Maine 2026")["asset_ids"]) == 455

    lines = [json.loads(line) for line in (data / "turns.jsonl").read_text().splitlines()]
    assert [len(line["model_calls"]) for line in lines] == [3, 2, 2]
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (data, data / "turns.jsonl")} == {0}
    assert demo.ready["token"] not in shown + (data / "turns.jsonl").read_text()


@pytest.mark.parametrize("answer", ["", "n", "maybe", "yes please", None])
def test_anything_but_a_yes_writes_nothing(chat: Chat, demo: Demo, answer: str | None) -> None:
    lines = [*QUESTIONS, *([] if answer is None else [answer])]
    code, shown = with_model(chat, scripted(SCENARIOS["b"]), lines, **demo.environment)
    assert code == 0, shown
    assert SENTENCE in shown
    assert "Nothing was written: the user said no." in shown
    assert demo.writes() == []


def test_a_conversation_goes_on_later_and_can_be_forgotten(chat: Chat, demo: Demo) -> None:
    with ScriptedServer(lambda talk: Reply(f"That was question {talk.turn}.")) as server:
        told = ("--base-url", server.url, "--thread", "t")
        _, first = chat(["a", "b"], *told, **demo.environment)
        _, second = chat(["c", "/forget", "d", "/quit", "e"], *told, **demo.environment)
    assert "That was question 2." in first
    assert "That was question 3." in second
    assert "Forgotten." in second
    assert "That was question 1." in second


def test_a_guest_has_no_photo_tools(chat: Chat, demo: Demo) -> None:
    with ScriptedServer(lambda talk: Reply("I cannot see photos.")) as server:
        assert chat(["my photos"], "--base-url", server.url, "--guest", **demo.environment)[0] == 0
    assert server.requests[0].tools == []


def test_what_is_missing_is_said(chat: Chat) -> None:
    code, shown = chat([])
    assert (code, shown) == (1, "Where is the model? Give --base-url or set LLAMA_SERVER_URL.\n")
    code, shown = chat([], TOOL_ROUTING_MODE="clever", LLAMA_SERVER_URL="http://127.0.0.1:9/v1")
    assert (code, shown) == (1, "TOOL_ROUTING_MODE is 'clever'; it can be static or dynamic.\n")
    with ScriptedServer(lambda talk: Reply()) as server:
        gone = server.url
    code, shown = chat(["hello", "again"], LLAMA_SERVER_URL=gone)
    assert code == 0
    assert "There are no photo tools: set IMMICH_TOOLS_URL" in shown
    assert shown.count("The model did not answer: ") == 2


def test_the_fallback_is_asked_for_and_answers(chat: Chat) -> None:
    with ScriptedServer(lambda talk: Reply("From the cloud."), strict=True) as cloud:
        fallback = ("--fallback-model", "scripted", "--fallback-url", cloud.url)
        dead = ("--base-url", "http://127.0.0.1:9/v1")
        _, shown = chat(["hello"], *dead, *fallback, OPENAI_API_KEY="secret")
    assert "From the cloud." in shown
    assert cloud.requests[0].thinking == {}


def test_ctrl_c_at_the_prompt_ends_it_at_once(demo: Demo, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "clients.raggr", "chat", "--base-url", "http://127.0.0.1:9/v1"]
    environment = clean_environment(**demo.environment)
    with subprocess.Popen(
        [*command, "--data", str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout
        assert process.stdout.readline().startswith("Conversation ")
        assert process.stdout.read(2) == "> "
        while process.poll() is None:
            time.sleep(0.3)
            # One may come between the prompt and the read, where Python does not look; a second, in the clean-up.
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(3)
        assert process.returncode in (130, -signal.SIGINT)

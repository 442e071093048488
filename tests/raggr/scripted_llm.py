"""An OpenAI-compatible server over real HTTP whose model is a script: streaming, tool calls, thinking, usage.

As strict as the real ones where that matters: a tool call without its result is a 400, and with `strict` so is every
request field that OpenAI does not know. Run one by hand:  python -m tests.raggr.scripted_llm --scenario b
"""

from __future__ import annotations

import argparse
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

OPENAI_FIELDS = {
    "model",
    "messages",
    "tools",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_effort",
    "temperature",
    "tool_choice",
    "parallel_tool_calls",
    "n",
}
PIECE = 12
"""Characters in a streamed piece."""


@dataclass(frozen=True)
class Call:
    """A tool call; arguments that are a string are sent as they are, be they JSON or not."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Reply:
    """What the model says next. `status` other than 200 is an error instead of an answer.

    `cut`: the connection breaks after so many pieces of the stream.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    status: int = 200
    cut: int | None = None


@dataclass(frozen=True)
class Talk:
    """A request as a script reads it."""

    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = self.body["messages"]
        return messages

    @property
    def tools(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]

    @property
    def thinking(self) -> dict[str, Any]:
        """What came from `extra_body`."""
        names = ("reasoning_budget_tokens", "chat_template_kwargs")
        return {name: self.body[name] for name in names if name in self.body}

    @property
    def turn(self) -> int:
        return sum(message["role"] == "user" for message in self.messages)

    @property
    def question(self) -> str:
        return next(str(message["content"]) for message in reversed(self.messages) if message["role"] == "user")

    @property
    def results(self) -> list[tuple[str, str]]:
        """Name of the tool and text of the result, of all calls so far."""
        names = {call["id"]: call["function"]["name"] for m in self.messages for call in m.get("tool_calls") or ()}
        return [(names[m["tool_call_id"]], m["content"]) for m in self.messages if m["role"] == "tool"]

    def result(self, name: str) -> dict[str, Any]:
        """The newest answer of a tool. Raises CannotGoOn with the text of a refusal."""
        text = next((text for tool, text in reversed(self.results) if tool == name), f"{name} was not called yet.")
        if not text.startswith("{"):
            raise CannotGoOn(text)
        answer: dict[str, Any] = json.loads(text)
        return answer


class CannotGoOn(Exception):
    """What the script wanted to go on from is not there; the text is for the user."""


Script = Callable[[Talk], Reply]


class ScriptedServer:
    """Runs a script as a model server; `requests` is all it was asked. Use it as a context manager."""

    def __init__(self, script: Script, *, strict: bool = False, port: int = 0) -> None:
        self.script = script
        self.strict = strict
        self.requests: list[Talk] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, body: dict[str, Any]) -> Reply:
        talk = Talk(body)
        self.requests.append(talk)
        refusal = self._refusal(talk)
        return Reply(refusal, status=400) if refusal else self.script(talk)

    def _refusal(self, talk: Talk) -> str:
        unknown = set(talk.body) - OPENAI_FIELDS
        if self.strict and unknown:
            return f"Unrecognized request argument supplied: {', '.join(sorted(unknown))}"
        if talk.body.get("tools") == []:
            return "[] is too short - 'tools'"
        asked = [call["id"] for message in talk.messages for call in message.get("tool_calls") or ()]
        answered = [message["tool_call_id"] for message in talk.messages if message["role"] == "tool"]
        return "" if sorted(asked) == sorted(answered) else "every tool call needs exactly one result"


def _handler(server: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            known = self.path == "/v1/chat/completions" and body.get("stream")
            reply = server.answer(body) if known else Reply("only streamed chat completions here", status=404)
            self.close_connection = True
            if reply.status != 200:
                self._start("application/json", reply.status)
                self._send([json.dumps({"error": {"message": reply.text}})], whole=True)
            else:
                self._start("text/event-stream", 200)
                lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in _chunks(reply, Talk(body))]
                self._send([*lines, "data: [DONE]\n\n"][: reply.cut], whole=reply.cut is None)

        def _start(self, kind: str, status: int) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("transfer-encoding", "chunked")
            self.send_header("connection", "close")
            self.end_headers()

        def _send(self, pieces: list[str], *, whole: bool) -> None:
            for piece in [*pieces, *([""] if whole else [])]:
                data = piece.encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()

        def log_message(self, *_: object) -> None:
            """Nothing: tests read `requests`."""

    return Handler


def _chunks(reply: Reply, talk: Talk) -> Iterator[dict[str, Any]]:
    """llama-server's order: role, thinking, text, calls, why it ended, then usage and timings without a choice."""
    chat_id = f"chatcmpl-{uuid4()}"
    yield _chunk(chat_id, {"role": "assistant", "content": None})
    for piece in _pieces(reply.thinking):
        yield _chunk(chat_id, {"reasoning_content": piece})
    for piece in _pieces(reply.text):
        yield _chunk(chat_id, {"content": piece})
    for index, call in enumerate(reply.calls):
        # Unique in a conversation, as ids of real servers are.
        start = {"id": f"call_{len(talk.messages)}_{index}", "type": "function"}
        yield _chunk(
            chat_id, {"tool_calls": [{"index": index, **start, "function": {"name": call.name, "arguments": ""}}]}
        )
        for piece in _pieces(call.text):
            yield _chunk(chat_id, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _chunk(chat_id, {}, "tool_calls" if reply.calls else "stop")
    written = len(reply.thinking) + len(reply.text) + sum(len(call.text) + 10 for call in reply.calls)
    usage = {"prompt_tokens": len(json.dumps(talk.body)) // 4, "completion_tokens": written // 4 + 1}
    timings = {"predicted_per_second": 60.0, "prompt_per_second": 900.0, "draft_n": 10, "draft_n_accepted": 9}
    yield _envelope(chat_id, []) | {"usage": usage | {"total_tokens": sum(usage.values())}, "timings": timings}


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + PIECE] for start in range(0, len(text), PIECE))


def _chunk(chat_id: str, delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return _envelope(chat_id, [{"index": 0, "delta": delta, "finish_reason": reason}])


def _envelope(chat_id: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": chat_id,
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "scripted",
        "choices": choices,
    }


def main() -> None:
    from tests.raggr.scenarios import SCENARIOS, scripted

    parser = argparse.ArgumentParser(prog="python -m tests.raggr.scripted_llm", description=__doc__.splitlines()[0])
    parser.add_argument("--scenario", choices=sorted(SCENARIOS), default="b")
    parser.add_argument("--port", type=int, default=0)
    asked = parser.parse_args()
    scenario = SCENARIOS[asked.scenario]
    with ScriptedServer(scripted(scenario), port=asked.port) as server:
        print(f"{server.url}\nSay, one after another:", *scenario.questions, sep="\n  ", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print("ended")


if __name__ == "__main__":
    main()

"""Records what one turn cost: every model call and tool call, as one JSON log line.

The words of a question are logged only where a discovery was needed, because `misses` reads them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, GenerationChunk, LLMResult

from clients.raggr.routing import DISCOVERY_NAME

EVENT = "stream_request"
Clock = Callable[[], float]


@dataclass(slots=True)
class ModelCall:
    """One request to a model. Times are seconds of the clock; None where it did not come to that."""

    started: float
    metadata: dict[str, Any]
    first_chunk: float | None = None
    first_token: float | None = None
    ended: float | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    calls_tools: bool = False
    error: str | None = None

    def summary(self) -> dict[str, Any]:
        """`prefill_ms` is until anything came, `ttft_ms` until text or a tool call came: between them it thinks."""
        return {
            "call_kind": self.metadata.get("call_kind"),
            "thinking": self.metadata.get("thinking"),
            "provider": self.metadata.get("provider"),
            "model": self.metadata.get("ls_model_name"),
            "prompt_tokens": self.usage.get("input_tokens"),
            "output_tokens": self.usage.get("output_tokens"),
            "prefill_ms": _ms(self.started, self.first_chunk),
            "ttft_ms": _ms(self.started, self.first_token),
            "ms": _ms(self.started, self.ended),
            **({"error": self.error} if self.error else {}),
        }


@dataclass(slots=True)
class ToolRun:
    """One call of a tool that ran."""

    started: float
    name: str
    arguments: dict[str, Any]
    ended: float | None = None
    status: str = "error"
    chars: int = 0

    def summary(self) -> dict[str, Any]:
        """Arguments are left out, but for the groups a discovery asked for: they are the household's business."""
        groups = {"groups": self.arguments.get("groups")} if self.name == DISCOVERY_NAME else {}
        return {
            "name": self.name,
            "status": self.status,
            "ms": _ms(self.started, self.ended),
            "chars": self.chars,
            **groups,
        }


class TurnRecorder(AsyncCallbackHandler):
    """A callback handler for one turn; the run's own callbacks tell it everything."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self.started = clock()
        self.waited = 0.0
        """Seconds that the person took to answer; no part of the turn's cost."""
        self.model_calls: dict[UUID, ModelCall] = {}
        self.tools: dict[UUID, ToolRun] = {}

    async def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        self.model_calls[run_id] = ModelCall(self._clock() - self.waited, dict(metadata or {}))

    async def on_llm_new_token(
        self,
        token: Any,
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        run_id: UUID,
        **_: Any,
    ) -> None:
        call, now = self.model_calls[run_id], self._clock() - self.waited
        call.first_chunk = call.first_chunk or now
        message = getattr(chunk, "message", None)
        if token or (isinstance(message, AIMessageChunk) and message.tool_call_chunks):
            call.first_token = call.first_token or now

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        call = self.model_calls[run_id]
        call.ended = self._clock() - self.waited
        generation = response.generations[0][0]
        if isinstance(generation, ChatGeneration) and isinstance(generation.message, AIMessage):
            call.usage = dict(generation.message.usage_metadata or {})
            call.calls_tools = bool(generation.message.tool_calls or generation.message.invalid_tool_calls)

    async def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        call = self.model_calls[run_id]
        call.ended, call.error = self._clock() - self.waited, type(error).__name__

    async def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        inputs: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        now = self._clock() - self.waited
        self.tools[run_id] = ToolRun(now, str(serialized.get("name")), dict(inputs or {}))

    async def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        run = self.tools[run_id]
        run.ended = self._clock() - self.waited
        if isinstance(output, ToolMessage):
            run.status, run.chars = output.status, len(output.text)

    async def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        self.tools[run_id].ended = self._clock() - self.waited

    @property
    def needed_discovery(self) -> bool:
        return any(run.name == DISCOVERY_NAME for run in self.tools.values())

    def line(self, *, conversation: str, mode: str, question: str, error: str | None = None) -> dict[str, Any]:
        """The turn's log line. `ttft_ms` is until the first word of the call that answered."""
        answering = [call for call in self.model_calls.values() if not call.calls_tools and not call.error]
        return {
            "event": EVENT,
            "conv": conversation,
            "routing": mode,
            "ms": _ms(self.started, self._clock() - self.waited),
            "ttft_ms": _ms(self.started, answering[-1].first_token) if answering else None,
            "model_calls": [call.summary() for call in self.model_calls.values()],
            "tools": [run.summary() for run in self.tools.values()],
            **({"question": question} if self.needed_discovery else {}),
            **({"error": error} if error else {}),
        }


def _ms(start: float, end: float | None) -> int | None:
    return None if end is None else round((end - start) * 1000)

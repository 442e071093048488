"""Gathers one streamed answer of an OpenAI-compatible server: its text, its tool calls, its times and counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from openai.types.chat import ChatCompletionChunk

from clients.raggr.grading import SaidCall


@dataclass(slots=True)
class Stream:
    """Give it every chunk with the time it came at. Times are seconds of one clock."""

    started: float
    first: float | None = None
    """The first text or tool call; thinking does not count."""
    text: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    timings: dict[str, Any] = field(default_factory=dict)
    """llama-server's own, where it sends them."""
    _names: dict[int, str] = field(default_factory=dict)
    _arguments: dict[int, str] = field(default_factory=dict)

    def take(self, chunk: ChatCompletionChunk, now: float) -> None:
        if chunk.usage:
            self.usage = chunk.usage.model_dump()
        self.timings = (chunk.model_extra or {}).get("timings") or self.timings
        for choice in chunk.choices[:1]:
            if choice.delta.content or choice.delta.tool_calls:
                self.first = self.first or now
            self.text += choice.delta.content or ""
            for piece in choice.delta.tool_calls or ():
                said = piece.function
                name, arguments = (said.name or "", said.arguments or "") if said else ("", "")
                self._names[piece.index] = self._names.get(piece.index, "") + name
                self._arguments[piece.index] = self._arguments.get(piece.index, "") + arguments

    @property
    def calls(self) -> list[SaidCall]:
        return [SaidCall(name, self._arguments[index]) for index, name in sorted(self._names.items())]

    def figures(self, ended: float) -> dict[str, Any]:
        """Times in ms, tokens, and llama-server's own speed where it tells."""
        drafted, accepted = self.timings.get("draft_n"), self.timings.get("draft_n_accepted")
        return {
            "ttft_ms": None if self.first is None else (self.first - self.started) * 1000,
            "total_ms": (ended - self.started) * 1000,
            "prompt_tokens": self.usage.get("prompt_tokens"),
            "completion_tokens": self.usage.get("completion_tokens"),
            "tokens_per_second": self.timings.get("predicted_per_second"),
            "draft_acceptance": accepted / drafted if drafted and accepted is not None else None,
        }

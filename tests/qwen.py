"""Counts tokens as Qwen models do: the ranks come from the `dashscope` package, which is never imported."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tiktoken

# Qwen's own splitting rule, from its public tokenizer.
PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@cache
def encoding() -> tiktoken.Encoding:
    spec = find_spec("dashscope")
    assert spec is not None
    assert spec.origin is not None
    lines = (Path(spec.origin).parent / "resources" / "qwen.tiktoken").read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines if line)}
    return tiktoken.Encoding("qwen", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})


def count_tokens(text: str) -> int:
    return len(encoding().encode(text, disallowed_special=()))


def as_printed(tools: Iterable[dict[str, Any]]) -> str:
    """A line of JSON for each tool, as the chat templates of Qwen2.5 and Qwen3 print them."""
    return "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)


def count_tools(tools: Iterable[dict[str, Any]]) -> int:
    return count_tokens(as_printed(tools))

"""Counts Qwen tokens: dashscope's ranks, read without importing dashscope."""

from __future__ import annotations

from base64 import b64decode
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import tiktoken

SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)


def count(text: str) -> int:
    return len(_encoding().encode(text, disallowed_special=()))


@cache
def _encoding() -> tiktoken.Encoding:
    spec = find_spec("dashscope")
    assert spec
    assert spec.origin
    lines = (Path(spec.origin).parent / "resources" / "qwen.tiktoken").read_bytes().splitlines()
    ranks = {b64decode(token): int(rank) for token, rank in (line.split() for line in lines)}
    return tiktoken.Encoding("qwen", pat_str=SPLIT, mergeable_ranks=ranks, special_tokens={})

"""Makes the chat models: the local server at an OpenAI-compatible address, and a cloud model to fall back to."""

from __future__ import annotations

import os
from argparse import ArgumentParser

from langchain_core.language_models import BaseChatModel
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

MAX_OUTPUT_TOKENS = 4096
"""Thinking included."""


def chat_model(base_url: str, model: str, api_key: str = "not-needed", *, effort: str | None = "low") -> BaseChatModel:
    """A streaming model that reports its usage. No retries: whoever waits is better served by the fallback.

    `effort` is the soft hint of llama-server's template, beside the hard cap of each call.
    """
    return ChatOpenAI(
        base_url=base_url,
        model=model,
        api_key=SecretStr(api_key),
        reasoning_effort=effort,
        max_completion_tokens=MAX_OUTPUT_TOKENS,
        streaming=True,
        stream_usage=True,
        use_responses_api=False,
        max_retries=0,
    )


def add_model_arguments(parser: ArgumentParser) -> None:
    """Where the local model is; the same for every command that talks to it."""
    parser.add_argument(
        "--base-url",
        default=os.environ.get("LLAMA_SERVER_URL"),
        help="the model server's OpenAI-compatible address, with /v1 (LLAMA_SERVER_URL)",
    )
    parser.add_argument(
        "--model", default=os.environ.get("LLAMA_MODEL_NAME") or "default", help="its model (LLAMA_MODEL_NAME)"
    )

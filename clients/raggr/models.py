"""Makes the chat models: the local server at an OpenAI-compatible address, and a cloud model to fall back to."""

from __future__ import annotations

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

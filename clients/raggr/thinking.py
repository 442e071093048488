"""Sizes the hidden thinking of each model call by what the call has to do.

The options are request fields of llama-server. They travel in `extra_body`, to the local model only: other servers
refuse fields that they do not know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from clients.raggr.routing import DISCOVERY_NAME

FIRST = "first"
"""The last message is the person's."""
AFTER_DISCOVERY = "after_discovery"
"""Only successful discoveries since the model last spoke: all that is left is calling the tool."""
AFTER_TOOLS = "after_tools"
"""There are results to read. Anything unexpected too, because this kind may think the most."""

FIRST_CALL_THINKING_BUDGET = 512
AFTER_TOOLS_THINKING_BUDGET = 1024

Conversation = Sequence[BaseMessage] | Mapping[str, Any]
"""Messages, or a graph state that holds them."""


def classify_call(conversation: Conversation) -> str:
    """The kind of the model call that comes next."""
    messages: Sequence[BaseMessage] = conversation["messages"] if isinstance(conversation, Mapping) else conversation
    results = list(takewhile(lambda message: isinstance(message, ToolMessage), reversed(messages)))
    if results and all(map(_is_discovery, results)):
        return AFTER_DISCOVERY
    if messages and isinstance(messages[-1], HumanMessage):
        return FIRST
    return AFTER_TOOLS


def _is_discovery(message: BaseMessage) -> bool:
    return isinstance(message, ToolMessage) and message.name == DISCOVERY_NAME and message.status == "success"


def thinking_options(kind: str) -> dict[str, Any]:
    """The request fields for one kind of call. An unknown kind gets the most room."""
    if kind == AFTER_DISCOVERY:
        return {"chat_template_kwargs": {"enable_thinking": False}}
    if kind == FIRST:
        return {"reasoning_budget_tokens": FIRST_CALL_THINKING_BUDGET}
    return {"reasoning_budget_tokens": AFTER_TOOLS_THINKING_BUDGET}

"""What a person has to agree to before a confirm runs: the sentence of the very preview that its token belongs to.

The sentence comes from the service's own answers earlier in the conversation, never from the model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, InvalidToolCall, ToolCall, ToolMessage

from clients.raggr.tools import PREFIX

CONFIRM_TOOLS = frozenset({f"{PREFIX}create_album", f"{PREFIX}add_to_album"})

NO_PREVIEW = (
    "Nothing was written: no preview in this conversation has that preview_token. Preview first, show the user its"
    " sentence, and ask."
)
DECLINED = "Nothing was written: the user said no. Do not try again unless they ask for it."
NOT_RUN = "Not run: the user went on to something else."


@dataclass(frozen=True, slots=True)
class Confirmation:
    """One question to the person: whether this call may run."""

    call_id: str
    token: str
    sentence: str


def is_confirm(call: ToolCall) -> bool:
    return call["name"] in CONFIRM_TOOLS


def token_of(call: ToolCall) -> str:
    return str(call["args"].get("preview_token", ""))


def find_confirmation(call: ToolCall, messages: Sequence[BaseMessage]) -> Confirmation | None:
    """What to ask before this confirm; None where nothing in the conversation is a preview of that token."""
    token = token_of(call)
    for message in reversed(messages):
        for preview in _previews_in(message):
            if preview["preview_token"] == token:
                return Confirmation(call["id"] or "", token, preview["sentence"])
    return None


def declined_tokens(messages: Sequence[BaseMessage]) -> set[str]:
    """What the person said no to since their last words: asking again in the same breath would be nagging."""
    tokens: dict[str | None, str] = {}
    declined: set[str] = set()
    for message in messages:
        if isinstance(message, HumanMessage):
            declined.clear()
        elif isinstance(message, AIMessage):
            tokens |= {call["id"]: token_of(call) for call in message.tool_calls if is_confirm(call)}
        elif isinstance(message, ToolMessage) and message.content == DECLINED:
            declined.add(tokens.get(message.tool_call_id, ""))
    return declined


def _previews_in(message: BaseMessage) -> Iterator[Mapping[str, Any]]:
    """The previews a photo tool answered with: its whole answer, or the fresh one after a `library_changed`."""
    if not isinstance(message, ToolMessage) or not str(message.name).startswith(PREFIX):
        return
    answer = _json_in(message.text)
    for found in (answer, answer.get("preview")):
        if isinstance(found, dict) and isinstance(found.get("preview_token"), str) and found.get("sentence"):
            yield found


def _json_in(text: str) -> dict[str, Any]:
    """The JSON object that a tool's text is, or that follows `title: detail`."""
    start = text.find("{")
    try:
        found = json.loads(text[start:]) if start >= 0 else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def refuse(call: ToolCall | InvalidToolCall, reason: str) -> ToolMessage:
    """The result of a call that did not run."""
    return ToolMessage(content=reason, tool_call_id=call["id"] or "", name=call["name"] or "", status="error")

"""Decides which tools one model call gets to see: by the caller's rights, and by everyday words where tools are many.

`static` shows every tool the caller may use. `dynamic` shows the groups that the last few questions speak of, and
`discover_tool_groups` for the others. Groups that only admins have do not exist for anybody else, in both modes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langchain_core.utils.function_calling import convert_to_openai_tool

from clients.langchain_toolkit import is_admin_of_run

DISCOVERY_NAME = "discover_tool_groups"
FOLLOW_UP_TURNS = 2
"""So many earlier questions keep their groups, for a "yes, call it Maine 2026"."""

Mode = Literal["static", "dynamic"]
MODES: tuple[Mode, ...] = get_args(Mode)
Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """Tools by the start of their names, and the everyday words that call for them."""

    name: str
    about: str
    """What the discovery tool says of it, in a few words."""
    terms: str
    """Whole lower-case words, plurals apart. A word belongs here if it says nothing about other groups."""
    prefixes: tuple[str, ...]
    admin_only: bool = False

    def is_meant_by(self, text: str) -> bool:
        return not words(text).isdisjoint(self.terms.split())


PHOTOS = ToolGroup(
    name="photos",
    about="find photos and albums, make albums",
    terms="immich photo photos photograph photographs picture pictures pic pics snapshot snapshots selfie selfies"
    " album albums trip trips vacation vacations",
    prefixes=("immich_",),
    admin_only=True,
)


def words(text: str) -> set[str]:
    """The lower-case words of a text, as terms are matched."""
    return set(re.findall(r"[^\W_]+", text.lower()))


class ToolRouter:
    """The tools of one agent and who sees them when. A tool of no group is for everybody, always."""

    def __init__(self, tools: Sequence[BaseTool], groups: Sequence[ToolGroup] = (PHOTOS,), mode: Mode = "static"):
        self.mode = mode
        self.groups = [group for group in groups if any(_belongs(tool.name, group) for tool in tools)]
        self._discovery = _discovery_tool(self)
        self._tools = list(tools)
        self._schemas: dict[str, Schema] = {tool.name: convert_to_openai_tool(tool) for tool in tools}
        self._names: dict[str, list[str]] = {name: [] for name in ("", *(group.name for group in self.groups))}
        for name in self._schemas:
            self._names[_name_of(self.group_of(name))].append(name)

    @property
    def all_tools(self) -> list[BaseTool]:
        """Everything that can run, whoever asks: the running side has to check `may_call`."""
        return [*self._tools, self._discovery] if self.mode == "dynamic" else self._tools

    def may_call(self, name: str, *, is_admin: bool) -> bool:
        if name == DISCOVERY_NAME:
            return self.mode == "dynamic"
        group = self.group_of(name)
        return name in self._schemas and (group is None or is_admin or not group.admin_only)

    def for_call(self, messages: Sequence[BaseMessage], *, is_admin: bool) -> list[Schema]:
        """The tools to bind to the model call that answers `messages`, as the model reads them."""
        if self.mode == "static":
            return self.select_static(is_admin=is_admin)
        return self.select(messages, is_admin=is_admin)

    def select_static(self, *, is_admin: bool) -> list[Schema]:
        return self._bindable(self.visible_groups(is_admin=is_admin))

    def select(self, messages: Sequence[BaseMessage], *, is_admin: bool) -> list[Schema]:
        """Always in the same order, so that equal choices are equal prompts to the server's cache."""
        visible = self.visible_groups(is_admin=is_admin)
        meant = self._meant_by(_recent(messages))
        hidden = [group for group in visible if group.name not in meant]
        chosen = self._bindable([group for group in visible if group.name in meant])
        return [*chosen, _discovery_schema(hidden)] if hidden else chosen

    def visible_groups(self, *, is_admin: bool) -> list[ToolGroup]:
        return [group for group in self.groups if is_admin or not group.admin_only]

    def group_of(self, tool_name: str) -> ToolGroup | None:
        return next((group for group in self.groups if _belongs(tool_name, group)), None)

    def tools_of(self, group_name: str) -> list[str]:
        return self._names[group_name]

    def _bindable(self, groups: Iterable[ToolGroup]) -> list[Schema]:
        return [self._schemas[name] for group in ("", *(group.name for group in groups)) for name in self._names[group]]

    def _meant_by(self, messages: Sequence[BaseMessage]) -> set[str]:
        """Groups whose words were said, whose tools were called, or which were unlocked."""
        meant: set[str] = set()
        for message in messages:
            if isinstance(message, HumanMessage):
                meant |= {group.name for group in self.groups if group.is_meant_by(message.text)}
            elif isinstance(message, AIMessage):
                meant |= {_name_of(self.group_of(call["name"])) for call in message.tool_calls}
            elif isinstance(message, ToolMessage):
                meant |= set(unlocked_groups(message))
        return meant


def unlocked_groups(message: ToolMessage) -> list[str]:
    """The groups that a successful discovery enabled; none for any other result."""
    if message.name != DISCOVERY_NAME or message.status != "success":
        return []
    groups: list[str] = json.loads(message.text)["enabled_tool_groups"]
    return groups


def _belongs(tool_name: str, group: ToolGroup) -> bool:
    return tool_name.startswith(group.prefixes)


def _name_of(group: ToolGroup | None) -> str:
    return group.name if group else ""


def _recent(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    """From the oldest of the last few questions on."""
    questions = [index for index, message in enumerate(messages) if isinstance(message, HumanMessage)]
    return messages[questions[-FOLLOW_UP_TURNS - 1 :][0] :] if questions else messages


def _discovery_schema(hidden: Sequence[ToolGroup]) -> Schema:
    groups = "; ".join(f"{group.name}: {group.about}" for group in hidden)
    return {
        "type": "function",
        "function": {
            "name": DISCOVERY_NAME,
            "description": f"Unlock more tools when none of yours fits the question. Groups: {groups}.",
            "parameters": _discovery_parameters([group.name for group in hidden]),
        },
    }


def _discovery_parameters(names: Sequence[str]) -> Schema:
    items = {"type": "string", "enum": list(names)} if names else {"type": "string"}
    return {"type": "object", "properties": {"groups": {"type": "array", "items": items}}, "required": ["groups"]}


def _discovery_tool(router: ToolRouter) -> BaseTool:
    async def discover(config: RunnableConfig, groups: Any = None) -> str:
        asked = [str(name) for name in groups] if isinstance(groups, list) else [str(groups)]
        known = [group.name for group in router.visible_groups(is_admin=is_admin_of_run(config))]
        enabled = [name for name in known if name in asked]
        if not enabled:
            raise ToolException(f"There is no such tool group. There are: {', '.join(known) or 'none'}.")
        tools = [name for group in enabled for name in router.tools_of(group)]
        return json.dumps({"enabled_tool_groups": enabled, "tools": tools}, separators=(",", ":"))

    return StructuredTool.from_function(
        coroutine=discover,
        name=DISCOVERY_NAME,
        description="Unlocks tool groups for the next model call.",
        args_schema=_discovery_parameters(()),
        handle_tool_error=True,
    )

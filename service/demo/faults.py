"""What goes wrong on purpose: rules that match requests, actions that spoil answers, and realistic delays.

Deciding only; `app` carries actions out because they need the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

Kind = Literal[
    "status",
    "reset",
    "half_json",
    "html",
    "redirect",
    "delay",
    "apply_then_reset",
    "apply_then_delay",
    "apply_then_hold",
    "timeout",
    "hold",
    "raw",
]
LOGIN_PAGE = "<!doctype html><html><head><title>Sign in</title></head><body><form>Sign in</form></body></html>"


@dataclass(frozen=True)
class Action:
    """`status`, `html`, `redirect` and `raw` answer instead of Immich and apply nothing."""

    kind: Kind
    status: int = 200
    body: str = ""
    content_type: str = "application/json; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0

    @property
    def comes_after(self) -> bool:
        """The request is carried out first."""
        return self.kind.startswith("apply_then") or self.kind == "half_json"


def status(
    code: int,
    body: str | dict[str, Any] | None = None,
    *,
    content_type: str = "",
    headers: dict[str, str] | None = None,
) -> Action:
    """An answer with this status; without a body, what a reverse proxy or Immich would say."""
    if body is None:
        body = {"message": "Internal server error"} if code == 500 else {"message": f"Status {code}"}
    text = body if isinstance(body, str) else msgspec.json.encode(body).decode()
    return Action("status", code, text, content_type or "application/json; charset=utf-8", headers or {})


def reset() -> Action:
    """Drop the connection without an answer; the request is not carried out."""
    return Action("reset")


def half_json() -> Action:
    """The true answer, cut in the middle, under the right content type."""
    return Action("half_json")


def html() -> Action:
    """A login page with status 200, as proxies with single sign-on send."""
    return Action("html", 200, LOGIN_PAGE, "text/html; charset=utf-8")


def redirect(location: str, code: int = 302) -> Action:
    return Action("redirect", code, "", "text/plain", {"location": location})


def delay(seconds: float) -> Action:
    """Wait, then answer as usual."""
    return Action("delay", seconds=seconds)


def apply_then_reset() -> Action:
    """Carry the request out, then drop the connection: the answer is lost."""
    return Action("apply_then_reset")


def apply_then_delay(seconds: float) -> Action:
    return Action("apply_then_delay", seconds=seconds)


def apply_then_hold() -> Action:
    """Carry the request out, then keep the answer back until released."""
    return Action("apply_then_hold")


def timeout() -> Action:
    """Never answer and never carry out."""
    return Action("timeout")


def hold() -> Action:
    """Wait before carrying out until `release` is called."""
    return Action("hold")


def raw(body: str, content_type: str = "application/json; charset=utf-8") -> Action:
    return Action("raw", 200, body, content_type)


@dataclass
class FaultRule:
    """When all given parts match, `action` happens: to the `nth` match (and `times - 1` after it), or to
    the first `times` matches, or to all."""

    action: Action
    method: str | None = None
    path: str = ""
    """A regular expression searched for in the path, such as `search/metadata$`."""
    nth: int | None = None
    page: int | None = None
    """The page asked for, counted from 1, by `page` or by cursor."""
    times: int | None = None
    name: str | None = None
    seen: int = field(default=0, init=False)
    hits: int = field(default=0, init=False)
    reached: int = field(default=0, init=False)
    """How often a request stood where the action happens: before being carried out, or after for `apply_then_…`."""

    def matches(self, method: str, path: str, page: int) -> bool:
        return (
            (self.method is None or self.method == method)
            and (self.page is None or self.page == page)
            and re.search(self.path, path) is not None
        )

    def is_due(self) -> bool:
        """Whether the match just counted in `seen` is one to spoil."""
        if self.nth is not None:
            return self.nth <= self.seen < self.nth + (self.times or 1)
        return self.times is None or self.hits < self.times


class Faults:
    """The rules in force and the settings that shape answers without spoiling them."""

    def __init__(self) -> None:
        self.rules: list[FaultRule] = []
        self.page_delay_ms: float = 0
        """Added to every page of a search."""
        self.delay_per_item_us: float = 0
        """Added to that for each item on the page."""
        self.call_delay_ms: float = 0
        """Added to every other answer."""
        self.write_delay_ms: float = 0
        """Between looking at an album and adding to it: two overlapping adds then collide as on real servers."""
        self.smart_search: Literal["on", "down", "off"] = "on"
        self.page_workers: int = 0
        """How many delayed pages are made side by side; 0: as many as are asked for."""
        self._working: asyncio.Semaphore | None = None
        self._changed = asyncio.Condition()
        self._releases: Counter[str | None] = Counter()

    def add(
        self,
        action: Action,
        *,
        method: str | None = None,
        path: str = "",
        nth: int | None = None,
        page: int | None = None,
        times: int | None = None,
        name: str | None = None,
    ) -> FaultRule:
        rule = FaultRule(action, method, path, nth, page, times, name)
        self.rules.append(rule)
        return rule

    def clear(self) -> None:
        """No rules and no delays; what is held stays held until released."""
        self.rules.clear()
        self.page_delay_ms = self.delay_per_item_us = self.call_delay_ms = self.write_delay_ms = 0
        self.page_workers, self._working = 0, None
        self.smart_search = "on"

    def pick(self, method: str, path: str, page: int) -> FaultRule | None:
        """The first rule due for this request; every matching rule counts it."""
        chosen: FaultRule | None = None
        for rule in self.rules:
            if rule.matches(method, path, page):
                rule.seen += 1
                if chosen is None and rule.is_due():
                    chosen = rule
                    rule.hits += 1
        return chosen

    async def take_time(self, items: int | None) -> None:
        """The delay of an answer; `items` is None for everything but a page of a search."""
        if items is None:
            await asyncio.sleep(self.call_delay_ms / 1000)
            return
        seconds = self.page_delay_ms / 1000 + items * self.delay_per_item_us / 1_000_000
        if not seconds:
            return
        if self.page_workers and self._working is None:
            self._working = asyncio.Semaphore(self.page_workers)
        async with self._working or contextlib.nullcontext():
            await asyncio.sleep(seconds)

    # meeting points for tests

    async def reach(self, rule: FaultRule) -> tuple[int, int]:
        """A request stands at the action: wake who waits for it. The ticket is for `wait_release`."""
        ticket = self._ticket(rule.name)
        rule.reached += 1
        async with self._changed:
            self._changed.notify_all()
        return ticket

    async def wait_hit(self, name: str, *, hits: int = 1, seconds: float = 5) -> bool:
        """Whether requests reached the named rule's action that often, waiting up to `seconds`."""
        return await self._wait(lambda: self._reached(name) >= hits, seconds)

    async def wait_release(self, rule: FaultRule, ticket: tuple[int, int]) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._ticket(rule.name) != ticket)

    async def release(self, name: str | None = None) -> None:
        """Let held requests go: those of the named rule, or without a name all."""
        async with self._changed:
            self._releases[name] += 1
            self._changed.notify_all()

    def _reached(self, name: str) -> int:
        return sum(rule.reached for rule in self.rules if rule.name == name)

    def _ticket(self, name: str | None) -> tuple[int, int]:
        return self._releases[None], self._releases[name]

    async def _wait(self, condition: Callable[[], bool], seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(condition)
        except TimeoutError:
            return False
        return True

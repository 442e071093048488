"""Shared by all tests: no stray environment, no skipped test in CI, and the figures that tests measured."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog

from service.settings import Settings

# Quiet unless a test configures logging itself: events go to the standard library, where pytest keeps them.
structlog.configure(
    processors=[structlog.stdlib.filter_by_level, structlog.processors.KeyValueRenderer(key_order=["event"])],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
)

Figure = Callable[..., None]


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own settings must not reach a test."""
    for name in Settings.model_fields:
        if name != "tz":
            monkeypatch.delenv(name.upper(), raising=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """In CI a skip is a failure: what cannot run elsewhere must run there."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("TRIPBOOK_CI"):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {report.longrepr}"
    return report


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Figure:
    """Counts something over the whole run (`figure("kills", 1)`), or says it (`figure("a sentence")`)."""

    def add(name: str, number: int | None = None) -> None:
        record_property(f"figure:{name}", number)

    return add


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The figures of all tests that passed, added up."""
    totals: Counter[str] = Counter()
    sentences: list[str] = []
    for report in terminalreporter.stats.get("passed", []):
        for name, number in getattr(report, "user_properties", []):
            if not name.startswith("figure:"):
                continue
            if number is None:
                sentences.append(name.removeprefix("figure:"))
            else:
                totals[name.removeprefix("figure:")] += number
    if totals or sentences:
        terminalreporter.section("figures")
        for line in sentences:
            terminalreporter.write_line(line)
        for name, number in sorted(totals.items()):
            terminalreporter.write_line(f"{name}: {number}")

"""Shared by all tests: no stray environment, and no skipped test in CI."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import structlog

from service.settings import Settings

# Quiet unless a test configures logging itself: events go to the standard library, where pytest keeps them.
structlog.configure(
    processors=[structlog.stdlib.filter_by_level, structlog.processors.KeyValueRenderer(key_order=["event"])],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
)


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

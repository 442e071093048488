"""A headless Chromium for browser tests; skipped with the reason where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.harness import VERSIONS
from tests.processes import Running, running

FLAGS = [
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-sandbox",
]  # fmt: skip


@pytest.fixture(scope="module")
def chromium() -> str:
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("no chromium here; tests/browser/install-chromium installs it")
    return found


@pytest.fixture(params=VERSIONS)
def demo(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Running]:
    arguments = ["service", "demo", "--port", "0", "--json", "--immich-version", request.param]
    with running(arguments, tmp_path) as started:
        yield started


@pytest.fixture
def page(chromium: str) -> Iterator[Page]:
    """A page that fails the test on any script error, blocked resource or request to another host."""
    wrong: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        opened = browser.new_page(viewport={"width": 1200, "height": 1600})
        opened.on("pageerror", lambda error: wrong.append(f"script: {error}"))
        opened.on("console", lambda message: _note(message, wrong))
        opened.on("request", lambda request: _check_host(request, wrong))
        yield opened
        browser.close()
    assert wrong == []


def _note(message: Any, wrong: list[str]) -> None:
    if message.type == "error" and "the server responded with a status of" not in message.text:
        wrong.append(f"console: {message.text}")


def _check_host(request: Any, wrong: list[str]) -> None:
    if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
        wrong.append(f"request to {request.url}")

"""The real service and the look-alike in one process of their own, started once; each test finds its library fresh."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.raggr.stage import Demo, running_demo


@pytest.fixture(scope="session")
def _demo() -> Iterator[Demo]:
    with running_demo() as demo:
        yield demo


@pytest.fixture
def demo(_demo: Demo) -> Iterator[Demo]:
    _demo.forget_writes()
    yield _demo
    _demo.forget_writes()

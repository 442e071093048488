"""A look-alike process with ten photos of one day, shared by the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.demo.library import Library
from tests.faults.real import Immich
from tests.processes import running


@pytest.fixture(scope="module")
def immich(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Immich]:
    folder = tmp_path_factory.mktemp("lookalike")
    library = folder / "library.json"
    library.write_bytes(_small_library())
    with running(["service.demo", "--port", "0", "--library", str(library)], folder) as started:
        found = Immich(started.ready)
        yield found
        found.http.close()


def _small_library() -> bytes:
    library = Library()
    for minute in range(10):
        library.add_asset(local=f"2023-07-14T10:{minute:02d}")
    library.add_album("Mine", [])
    return library.to_json()

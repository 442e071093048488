"""One demo process for the tests that need a real one, and no configuration of the developer's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.processes import running


@dataclass(frozen=True, slots=True)
class Demo:
    """A running `python -m service demo`; its library is shared, so tests make albums of names of their own."""

    url: str
    token: str

    @property
    def environment(self) -> dict[str, str]:
        return {"TRIPBOOK_URL": self.url, "TRIPBOOK_TOKEN": self.token}


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with running(["service", "demo", "--port", "0", "--json"], tmp_path_factory.mktemp("demo")) as started:
        yield Demo(started.ready["url"], started.ready["token"])


@pytest.fixture(autouse=True)
def _no_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("TRIPBOOK_URL", "TRIPBOOK_TOKEN", "TRIPBOOK_CONFIG", "IMMICH_TOOLS_URL", "IMMICH_TOOLS_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

"""One demo process for the tests that need a real one, and no configuration of the developer's own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Demo:
    """A running `python -m service demo`; its library is shared, so tests make albums of names of their own."""

    url: str
    token: str

    @property
    def environment(self) -> dict[str, str]:
        return {"TRIPBOOK_URL": self.url, "TRIPBOOK_TOKEN": self.token}


@pytest.fixture(scope="session")
def demo() -> Iterator[Demo]:
    process = subprocess.Popen(
        [sys.executable, "-m", "service", "demo", "--port", "0", "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        ready = json.loads(process.stdout.readline())
        yield Demo(ready["url"], ready["token"])
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


@pytest.fixture(autouse=True)
def _no_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("TRIPBOOK_URL", "TRIPBOOK_TOKEN", "TRIPBOOK_CONFIG", "IMMICH_TOOLS_URL", "IMMICH_TOOLS_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

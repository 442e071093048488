"""Real processes for tests: the demo, the service and the look-alike, each ended by its own id."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 30
STOP_SECONDS = 40


@dataclass
class Running:
    """A started process and the JSON line it printed when ready. `log` is where its standard error goes."""

    process: subprocess.Popen[str]
    ready: dict[str, Any]
    log: Path

    def stop(self) -> int:
        """SIGTERM, and wait: the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)

    def kill(self) -> None:
        """SIGKILL: nothing of it gets to tidy up."""
        self.process.kill()
        self.process.wait(STOP_SECONDS)


def environment(**extra: str) -> dict[str, str]:
    """The environment without anything that configures the service, plus `extra`."""
    kept = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "LANG", "TMPDIR")}
    return kept | extra


def start(arguments: list[str], folder: Path, **extra: str) -> Running:
    """Starts `python -m …` and waits for its JSON line; its standard error is kept in `folder`."""
    log = folder / f"{arguments[0].replace('.', '-')}-{len(list(folder.iterdir()))}.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            env=environment(**extra),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        line = _first_line(process)
        return Running(process, json.loads(line), log)
    except (ValueError, TimeoutError) as error:
        process.kill()
        process.wait(STOP_SECONDS)
        raise AssertionError(f"{arguments} did not start: {error}\n{log.read_text()}") from error


def _first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        if not selector.select(START_SECONDS):
            raise TimeoutError("no line in time")
    return process.stdout.readline()


@contextmanager
def running(arguments: list[str], folder: Path, **extra: str) -> Iterator[Running]:
    """A process for the length of a block; ended by its own id afterwards whatever happened."""
    started = start(arguments, folder, **extra)
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.kill()
        assert started.process.stdout is not None
        started.process.stdout.close()


def command(*arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    """One command of the service, run to its end."""
    return subprocess.run(
        [sys.executable, "-m", "service", *arguments],
        cwd=ROOT, env=environment(**extra), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

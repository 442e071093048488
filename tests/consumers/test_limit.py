"""The limit of a run ends what it waits for, and is not taken for one consumer's failure."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.consumers.limit import OutOfTime, end_after


@pytest.fixture(autouse=True)
def _alarm_as_before() -> Iterator[None]:
    before, (left, _) = signal.getsignal(signal.SIGALRM), signal.setitimer(signal.ITIMER_REAL, 0)
    yield
    signal.signal(signal.SIGALRM, before)
    signal.setitimer(signal.ITIMER_REAL, left)


def test_a_process_that_is_waited_for_is_ended() -> None:
    started = time.monotonic()
    end_after(0.2)
    with pytest.raises(OutOfTime), suppress(Exception):
        subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], check=False)
    assert time.monotonic() - started < 30


def test_what_ends_in_time_goes_on() -> None:
    end_after(60)
    subprocess.run([sys.executable, "-c", ""], check=True)
    end_after(0)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)

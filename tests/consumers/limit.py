"""A time limit for everything a process does, whatever it waits for."""

from __future__ import annotations

import signal


class OutOfTime(BaseException):
    """Not an Exception, so that nobody takes it for the failure of one step and goes on to the next."""


def end_after(seconds: float) -> None:
    """Raises OutOfTime here when the time is over; 0 is no limit any more. What started a process then ends it."""

    def ring(*_: object) -> None:
        raise OutOfTime

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)

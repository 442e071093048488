"""The service's own time zone changes no count: the cases about days run again as if the machine lived elsewhere."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator

import pytest

from tests.cases import test_days, test_ranges, test_trips

CASES = [
    *(case for name, case in vars(test_days).items() if name.startswith("test_day_")),
    test_ranges.test_rng_01_both_ends_are_inclusive,
    test_trips.test_trp_03_a_trip_over_new_year_is_one_run,
    test_trips.test_trp_09_a_party_past_midnight_is_told,
]


@pytest.fixture(params=["Asia/Shanghai", "America/Los_Angeles", ""])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The machine's zone, for the C library too; empty is a machine without one."""
    with monkeypatch.context() as patch:
        if request.param:
            patch.setenv("TZ", request.param)
        else:
            patch.delenv("TZ", raising=False)
        time.tzset()
        yield request.param
    time.tzset()


async def test_the_cases_about_days_hold_in_any_time_zone(zone: str) -> None:
    assert len(CASES) == 14
    for case in CASES:
        takes_version = "version" in inspect.signature(case).parameters
        await (case(version="3.1.0") if takes_version else case())

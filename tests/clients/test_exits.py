"""Every error of the service has an exit code, by class; the codes are distinct and documented."""

from __future__ import annotations

import pytest

from clients.exits import MEANINGS, Exit, exit_of
from clients.http import Answer
from service.api.errors import STATUS
from service.errors import TripbookError

EXPECTED = {
    Exit.USAGE: "invalid_request empty_criteria",
    Exit.REFUSED_TOKEN: "unauthenticated missing_scope writes_disabled album_not_writable",
    Exit.NOT_FOUND: "unknown_place unknown_person album_not_found preview_not_found receipt_not_found",
    Exit.IN_THE_WAY: "ambiguous_person album_name_taken nothing_matches counts_unstable too_many_photos "
    "album_has_no_dates invalid_token album_name_mismatch preview_expired preview_declined count_mismatch "
    "approval_required",
    Exit.LIBRARY_CHANGED: "library_changed",
    Exit.IMMICH: "immich_error immich_refused_key immich_missing_permission immich_bad_answer immich_redirects "
    "immich_unreachable immich_maintenance smart_search_unavailable immich_timeout",
    Exit.UNFINISHED: "confirm_in_progress outcome_unknown rate_limited",
}
BY_CODE = {code: wanted for wanted, codes in EXPECTED.items() for code in codes.split()}


@pytest.mark.parametrize("error", STATUS, ids=lambda error: error.code)
def test_every_error_has_its_class(error: type[TripbookError]) -> None:
    assert exit_of(Answer(STATUS[error], "", {"code": error.code})) == BY_CODE[error.code]


def test_silence_and_strangers_are_unreachable() -> None:
    for status in (0, 200 + 302, 404, 500, 502):
        assert exit_of(Answer(status, "", {})) == Exit.UNREACHABLE


def test_a_receipt_with_a_rest_is_unfinished() -> None:
    assert exit_of(Answer(200, "", {"remaining": 0})) == Exit.DONE
    assert exit_of(Answer(200, "", {"remaining": 1})) == Exit.UNFINISHED


def test_codes_are_distinct_and_all_documented() -> None:
    assert len({code.value for code in Exit}) == len(Exit) == len(MEANINGS)

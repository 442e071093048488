"""Exit codes of the command line, one per class of outcome, so that a script can tell them apart."""

from __future__ import annotations

from enum import IntEnum

from clients.http import Answer


class Exit(IntEnum):
    """What the process ends with."""

    DONE = 0
    NOT_CONFIRMED = 1
    USAGE = 2
    UNREACHABLE = 3
    REFUSED_TOKEN = 4
    NOT_FOUND = 5
    IN_THE_WAY = 6
    LIBRARY_CHANGED = 7
    IMMICH = 8
    UNFINISHED = 9
    TOO_MANY = 10


MEANINGS = {
    Exit.DONE: "done",
    Exit.NOT_CONFIRMED: "not confirmed: nothing was written",
    Exit.USAGE: "wrong usage, configuration or value",
    Exit.UNREACHABLE: "Tripbook cannot be reached, or something else answers at its address",
    Exit.REFUSED_TOKEN: "the token is unknown or lacks a scope, or writing is off",
    Exit.NOT_FOUND: "no such album, place or person",
    Exit.IN_THE_WAY: "refused: nothing matches, the name is taken, approval is needed, ...",
    Exit.LIBRARY_CHANGED: "the library changed since the preview: nothing was written, look again",
    Exit.IMMICH: "Immich failed or took too long",
    Exit.UNFINISHED: "not finished yet, or the outcome is unknown: look before you repeat",
    Exit.TOO_MANY: "more photos than --yes-if-at-most allows: nothing was written",
}
_BY_CODE = {
    "unreachable": Exit.UNREACHABLE,
    "bad_answer": Exit.UNREACHABLE,
    "library_changed": Exit.LIBRARY_CHANGED,
    "confirm_in_progress": Exit.UNFINISHED,
    "outcome_unknown": Exit.UNFINISHED,
    "rate_limited": Exit.UNFINISHED,
    "internal_error": Exit.UNREACHABLE,
}
_BY_STATUS = {
    400: Exit.USAGE,
    401: Exit.REFUSED_TOKEN,
    403: Exit.REFUSED_TOKEN,
    404: Exit.NOT_FOUND,
    409: Exit.IN_THE_WAY,
    422: Exit.USAGE,
    502: Exit.IMMICH,
    503: Exit.IMMICH,
    504: Exit.IMMICH,
}


def exit_of(answer: Answer) -> Exit:
    """A problem's code decides, then its status."""
    if answer.ok:
        return Exit.UNFINISHED if answer.body.get("remaining") else Exit.DONE
    return _BY_CODE.get(answer.code) or _BY_STATUS.get(answer.status, Exit.UNREACHABLE)

"""Every way a request can fail, as one tree. No HTTP in here: `service.api.errors` maps classes to statuses.

TripbookError
├── Refused access         Unauthenticated, MissingScope, WritesDisabled
├── Bad input              InvalidRequest, EmptyCriteria, UnknownPlace, UnknownPerson, AmbiguousPerson
├── Not there              AlbumNotFound, PreviewNotFound, ReceiptNotFound
├── Cannot be previewed    AlbumNameTaken, NothingMatches, CountsUnstable, TooManyPhotos, AlbumHasNoDates
├── Cannot be confirmed    InvalidToken, AlbumNameMismatch, PreviewExpired, PreviewDeclined, CountMismatch,
│                          LibraryChanged, ConfirmInProgress, ApprovalRequired, AlbumNotWritable, OutcomeUnknown
├── Load                   RateLimited
└── ImmichError            what went wrong upstream: ImmichRefusedKey, ImmichMissingPermission, ImmichBadAnswer,
                           ImmichRedirects, ImmichUnreachable, ImmichMaintenance, SmartSearchUnavailable,
                           ImmichTimeout, ImmichRejected (any other status)

`code` is stable and part of the API. `detail` is one plain sentence with the next step, fit to be passed on by a
model. `extra` holds the problem document's extensions (JSON values only, small).
"""

from __future__ import annotations

from typing import Any, ClassVar


class TripbookError(Exception):
    """Base of everything the service refuses on purpose."""

    code: ClassVar[str] = "internal_error"
    title: ClassVar[str] = "Something went wrong"

    def __init__(self, detail: str, **extra: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.extra: dict[str, Any] = {key: value for key, value in extra.items() if value is not None}


class Unauthenticated(TripbookError):
    code = "unauthenticated"
    title = "No valid token"


class MissingScope(TripbookError):
    code = "missing_scope"
    title = "Token lacks the scope"


class WritesDisabled(TripbookError):
    code = "writes_disabled"
    title = "Writing is switched off"


class InvalidRequest(TripbookError):
    code = "invalid_request"
    title = "Request not understood"


class UndecodableBody(InvalidRequest):
    """The body's bytes are no text at all; the same code, another status."""


class EmptyCriteria(TripbookError):
    code = "empty_criteria"
    title = "No search criterion"


class UnknownPlace(TripbookError):
    code = "unknown_place"
    title = "No such place in the library"


class UnknownPerson(TripbookError):
    code = "unknown_person"
    title = "No such person in the library"


class AmbiguousPerson(TripbookError):
    code = "ambiguous_person"
    title = "Several persons fit"


class AlbumNotFound(TripbookError):
    code = "album_not_found"
    title = "No such album"


class PreviewNotFound(TripbookError):
    code = "preview_not_found"
    title = "No such preview"


class ReceiptNotFound(TripbookError):
    code = "receipt_not_found"
    title = "No such receipt"


class AlbumNotWritable(TripbookError):
    code = "album_not_writable"
    title = "Album cannot be added to"


class AlbumNameTaken(TripbookError):
    code = "album_name_taken"
    title = "Album name is taken"


class NothingMatches(TripbookError):
    code = "nothing_matches"
    title = "No photos match"


class CountsUnstable(TripbookError):
    code = "counts_unstable"
    title = "Count is not exact"


class TooManyPhotos(TripbookError):
    code = "too_many_photos"
    title = "Too many photos"


class AlbumHasNoDates(TripbookError):
    code = "album_has_no_dates"
    title = "Album has no dates"


class InvalidToken(TripbookError):
    code = "invalid_token"
    title = "Preview token not valid"


class AlbumNameMismatch(TripbookError):
    code = "album_name_mismatch"
    title = "Not the previewed album name"


class PreviewExpired(TripbookError):
    code = "preview_expired"
    title = "Preview has expired"


class PreviewDeclined(TripbookError):
    code = "preview_declined"
    title = "Preview was declined"


class CountMismatch(TripbookError):
    code = "count_mismatch"
    title = "Count is not the previewed one"


class LibraryChanged(TripbookError):
    code = "library_changed"
    title = "Library changed since the preview"


class ConfirmInProgress(TripbookError):
    code = "confirm_in_progress"
    title = "Confirm is running"


class ApprovalRequired(TripbookError):
    code = "approval_required"
    title = "A person must approve first"


class OutcomeUnknown(TripbookError):
    code = "outcome_unknown"
    title = "Outcome is not known"


class RateLimited(TripbookError):
    code = "rate_limited"
    title = "Too many requests"


class ImmichError(TripbookError):
    """Anything that went wrong between us and Immich. Never an empty result.

    `status` is Immich's, None where no answer came. `not_applied` is true where a write surely changed nothing.
    """

    code = "immich_error"
    title = "Immich answered with an error"
    status: int | None = None
    not_applied: bool = False


class ImmichRejected(ImmichError):
    """Any status that has no class of its own. `message` is Immich's own short text."""

    def __init__(self, detail: str, *, message: str = "") -> None:
        super().__init__(detail)
        self.message = message


class ImmichRefusedKey(ImmichError):
    code = "immich_refused_key"
    title = "Immich refused the API key"


class ImmichMissingPermission(ImmichError):
    code = "immich_missing_permission"
    title = "Immich API key lacks a permission"


class ImmichBadAnswer(ImmichError):
    code = "immich_bad_answer"
    title = "Immich's answer makes no sense"


class ImmichRedirects(ImmichError):
    code = "immich_redirects"
    title = "Immich redirects elsewhere"


class ImmichUnreachable(ImmichError):
    code = "immich_unreachable"
    title = "Immich cannot be reached"


class ImmichMaintenance(ImmichError):
    code = "immich_maintenance"
    title = "Immich is in maintenance"


class SmartSearchUnavailable(ImmichError):
    code = "smart_search_unavailable"
    title = "Search by content is not available"


class ImmichTimeout(ImmichError):
    code = "immich_timeout"
    title = "Immich took too long"

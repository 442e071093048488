"""The whole route table on one screen. Tools are POST with one flat body; resources are GET."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Depends

from service import errors
from service.api import albums, answers, health, photos, records
from service.api.dependencies import refuse_query
from service.api.errors import UPSTREAM, responses_for

PLACES = (errors.EmptyCriteria, errors.UnknownPlace, errors.UnknownPerson, errors.AmbiguousPerson)
PREVIEWED = (errors.NothingMatches, errors.CountsUnstable, errors.TooManyPhotos)
CONFIRMED = (
    errors.InvalidToken,
    errors.AlbumNameMismatch,
    errors.PreviewExpired,
    errors.PreviewDeclined,
    errors.CountMismatch,
    errors.LibraryChanged,
    errors.ConfirmInProgress,
    errors.ApprovalRequired,
    errors.OutcomeUnknown,
    errors.AlbumNotWritable,
    errors.AlbumNotFound,
)


@dataclass(frozen=True, slots=True)
class Tool:
    """One of the seven operations. The description is the tool's text for a model: at most 300 characters."""

    path: str
    handler: Any
    answer: type
    tag: str
    summary: str
    description: str
    errors: tuple[type[errors.TripbookError], ...]
    writes: bool = False


TOOLS = (
    Tool(
        "/v1/albums/find", albums.find_albums, answers.FindAlbumsAnswer, "search", "Find albums",
        "Find existing albums by part of their name, with link, photo count and dates. Call this first when the user "
        "mentions a trip, event or album.",
        UPSTREAM,
    ),
    Tool(
        "/v1/photos/search", photos.search_photos, answers.Summary, "search", "Search photos",
        "Count and summarise photos by dates, place, person: exact total, date clusters, places, samples; never a "
        "list. For a trip, search its place, read the clusters, then search the whole date range to include photos "
        "without GPS.",
        (*UPSTREAM, *PLACES),
    ),
    Tool(
        "/v1/photos/smart-search", photos.smart_search, answers.SmartSearchAnswer, "search", "Search by content",
        "Find photos by what they show, like cat in the snow. Ranked by likeness; has no total, so never use it to "
        "collect a trip.",
        (*UPSTREAM, *PLACES, errors.SmartSearchUnavailable),
    ),
    Tool(
        "/v1/albums/additions/preview", albums.album_gaps, answers.AlbumGapsAnswer, "search", "What is missing",
        "What is missing from an album: photos of the album's days that are not in it. Gives missing_count, and a "
        "token to add exactly these with add_to_album.",
        (*UPSTREAM, *PLACES, errors.AlbumNotFound, errors.AlbumHasNoDates, errors.TooManyPhotos),
    ),
    Tool(
        "/v1/albums/preview", albums.preview_album, answers.PreviewAlbumAnswer, "write", "Preview a new album",
        "Preview a new album of everything that matches; writes nothing. Show the user the sentence and ask for a "
        "yes before create_album.",
        (*UPSTREAM, *PLACES, *PREVIEWED, errors.AlbumNameTaken),
        writes=True,
    ),
    Tool(
        "/v1/albums/confirm", albums.create_album, answers.Receipt, "write", "Create the previewed album",
        "Create the album exactly as previewed. Only after the user agreed to the exact count. Repeating the same "
        "call is safe.",
        (*UPSTREAM, *CONFIRMED, errors.AlbumNameTaken),
        writes=True,
    ),
    Tool(
        "/v1/albums/additions/confirm", albums.add_to_album, answers.Receipt, "write", "Add the previewed photos",
        "Add the missing photos to the album exactly as album_gaps previewed. Only after the user agreed to the "
        "exact count. Repeating the same call is safe.",
        (*UPSTREAM, *CONFIRMED),
        writes=True,
    ),
)  # fmt: skip

RESOURCES: tuple[tuple[str, Any, type, str, tuple[type[errors.TripbookError], ...]], ...] = (
    ("/v1/albums", albums.list_albums, answers.FindAlbumsAnswer, "Find albums by name", UPSTREAM),
    ("/v1/caller", records.get_caller, answers.CallerOut, "Whose token this is, and what it may do", ()),
    ("/v1/previews", records.list_previews, answers.PreviewPage, "Previews, newest first", ()),
    ("/v1/previews/{preview_id}", records.get_preview, answers.PreviewDetailOut, "State of a preview",
     (errors.PreviewNotFound,)),
    ("/v1/receipts", records.list_receipts, answers.ReceiptPage, "Receipts, newest first", ()),
    ("/v1/receipts/{receipt_id}", records.get_receipt, answers.ReceiptOut, "A receipt", (errors.ReceiptNotFound,)),
)  # fmt: skip

TAKE_QUERY = (albums.list_albums, records.list_previews, records.list_receipts)
TOOL_NAMES = tuple(tool.handler.__name__ for tool in TOOLS)


def build_router(*, writes: bool) -> APIRouter:
    """All routes. Without `writes` the writing ones still answer (403), but are in no document."""
    router = APIRouter()
    for tool in TOOLS:
        router.add_api_route(
            tool.path,
            tool.handler,
            methods=["POST"],
            operation_id=tool.handler.__name__,
            response_model=tool.answer,
            response_model_exclude_none=True,
            summary=tool.summary,
            description=tool.description,
            tags=[tool.tag],
            dependencies=[Depends(refuse_query)],
            responses=responses_for(*tool.errors, writes=tool.writes),
            include_in_schema=writes or not tool.writes,
        )
    for path, handler, answer, summary, found in RESOURCES:
        router.add_api_route(
            path,
            handler,
            methods=["GET"],
            operation_id=handler.__name__,
            response_model=answer,
            response_model_exclude_none=True,
            summary=summary,
            description=f"{summary}.",
            tags=["resources"],
            dependencies=[] if handler in TAKE_QUERY else [Depends(refuse_query)],
            responses=responses_for(*found),
        )
    router.add_api_route(
        "/healthz", health.healthz, operation_id="healthz", response_model=answers.Alive, tags=["health"],
        summary="Alive", description="The process answers.",
    )  # fmt: skip
    router.add_api_route(
        "/readyz", health.readyz, operation_id="readyz", response_model=answers.Ready, tags=["health"],
        dependencies=[Depends(refuse_query)],
        response_model_exclude_none=True, summary="Ready",
        description="Immich reachable, its version, missing key permissions, database; 503 where something is wrong.",
        responses=responses_for() | {503: {"model": answers.Ready, "description": "Not ready; says why."}},
    )  # fmt: skip
    return router

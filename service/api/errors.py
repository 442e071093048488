"""Errors as problem documents (RFC 9457): the one table of statuses, the one shape, and their OpenAPI texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from service import errors
from service.domain.names import clean, shorten
from service.errors import TripbookError

PROBLEM_JSON = "application/problem+json"
MAX_FIELDS = 8
MAX_DETAIL = 600
STATUS: dict[type[TripbookError], int] = {
    errors.Unauthenticated: 401,
    errors.MissingScope: 403,
    errors.WritesDisabled: 403,
    errors.InvalidRequest: 422,
    errors.UndecodableBody: 400,
    errors.EmptyCriteria: 422,
    errors.UnknownPlace: 404,
    errors.UnknownPerson: 404,
    errors.AmbiguousPerson: 409,
    errors.AlbumNotFound: 404,
    errors.PreviewNotFound: 404,
    errors.ReceiptNotFound: 404,
    errors.AlbumNotWritable: 403,
    errors.AlbumNameTaken: 409,
    errors.NothingMatches: 409,
    errors.CountsUnstable: 409,
    errors.TooManyPhotos: 409,
    errors.AlbumHasNoDates: 409,
    errors.InvalidToken: 409,
    errors.AlbumNameMismatch: 409,
    errors.PreviewExpired: 409,
    errors.PreviewDeclined: 409,
    errors.CountMismatch: 409,
    errors.LibraryChanged: 409,
    errors.ConfirmInProgress: 409,
    errors.ApprovalRequired: 409,
    errors.OutcomeUnknown: 504,
    errors.RateLimited: 429,
    errors.ImmichError: 502,
    errors.ImmichRejected: 502,
    errors.ImmichRefusedKey: 502,
    errors.ImmichMissingPermission: 502,
    errors.ImmichBadAnswer: 502,
    errors.ImmichRedirects: 502,
    errors.ImmichUnreachable: 503,
    errors.ImmichMaintenance: 503,
    errors.SmartSearchUnavailable: 503,
    errors.ImmichTimeout: 504,
}
UPSTREAM = (
    errors.ImmichError,
    errors.ImmichRefusedKey,
    errors.ImmichMissingPermission,
    errors.ImmichBadAnswer,
    errors.ImmichRedirects,
    errors.ImmichUnreachable,
    errors.ImmichMaintenance,
    errors.ImmichTimeout,
)


def problem(
    status: int, code: str, title: str, detail: str, request_id: str, extra: dict[str, Any] | None = None
) -> JSONResponse:
    """The one shape of every error answer."""
    body = {
        "type": f"urn:tripbook:problem:{code}",
        "title": title,
        "status": status,
        "detail": shorten(detail, MAX_DETAIL),
        "code": code,
        "request_id": request_id,
    }
    headers = {"Cache-Control": "no-store"}
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="tripbook"'
    if extra and "retry_after" in extra:
        headers["Retry-After"] = str(extra["retry_after"])
    return JSONResponse(body | (extra or {}), status_code=status, media_type=PROBLEM_JSON, headers=headers)


def problem_of(error: TripbookError, request_id: str) -> JSONResponse:
    return problem(STATUS[type(error)], error.code, error.title, error.detail, request_id, error.extra)


def internal_problem(request_id: str) -> JSONResponse:
    """The last resort: nothing of the exception is shown."""
    return problem(
        500,
        TripbookError.code,
        TripbookError.title,
        "Something went wrong in Tripbook; tell the admin the request_id, it is in the log.",
        request_id,
    )


def install_error_handlers(app: FastAPI) -> None:
    app.add_exception_handler(TripbookError, _on_tripbook_error)
    app.add_exception_handler(RequestValidationError, _on_validation_error)
    app.add_exception_handler(HTTPException, _on_http_exception)


def request_id_of(request: Request) -> str:
    return str(request.scope.get("state", {}).get("request_id", ""))


async def _on_tripbook_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, TripbookError)
    return problem_of(error, request_id_of(request))


async def _on_http_exception(request: Request, error: Exception) -> Response:
    """What the framework refuses itself: unknown paths, wrong methods, bytes that are no text."""
    assert isinstance(error, HTTPException)
    request_id = request_id_of(request)
    if error.status_code == 400:
        return problem_of(
            errors.UndecodableBody("body: cannot be read as JSON text in UTF-8; send a flat JSON object."), request_id
        )
    code, title, detail = {
        404: ("not_found", "No such path", "There is nothing at this path; see /docs for what there is."),
        405: ("method_not_allowed", "Wrong method", "This path does not take this method; see /docs."),
    }.get(error.status_code, ("invalid_request", "Request not understood", "See /docs for how to ask."))
    response = problem(error.status_code, code, title, detail, request_id)
    if allow := (error.headers or {}).get("Allow"):
        response.headers["Allow"] = allow
    return response


async def _on_validation_error(request: Request, error: Exception) -> Response:
    """One plain message per field; unknown fields beside the known ones."""
    assert isinstance(error, RequestValidationError)
    found = describe_fields(error.errors(), _known_fields(request))
    detail = "; ".join(f"{item['field']}: {item['message']}" for item in found) + "."
    return problem_of(errors.InvalidRequest(detail, fields=found), request_id_of(request))


def _known_fields(request: Request) -> list[str]:
    """The fields of the body that this route takes."""
    route = request.scope.get("route")
    body_field = getattr(route, "body_field", None)
    model = getattr(getattr(body_field, "field_info", None), "annotation", None)
    return list(getattr(model, "model_fields", {}))


def describe_fields(found: Sequence[Any], known: Sequence[str]) -> list[dict[str, str]]:
    """`[{field, message}]`, one per field, at most 8."""
    described: dict[str, str] = {}
    for item in found:
        where = [str(part) for part in item["loc"][1:]]  # the first part says body, query or path
        name = shorten(clean(where[0]), 40) if where and item["type"] != "json_invalid" else "body"
        described.setdefault(name, describe_fault(item, known))
    return [{"field": name, "message": message} for name, message in list(described.items())[:MAX_FIELDS]]


def describe_fault(item: Any, known: Sequence[str]) -> str:
    """What is wrong with one field and what would be right, in plain words."""
    kind, context = item["type"], item.get("ctx") or {}
    match kind:
        case "missing":
            return "is required" if item["loc"] != ("body",) else "send a JSON object"
        case "extra_forbidden":
            return f"is not a field here, known are {', '.join(known)}" if known else "is not a field here"
        case "string_too_short":
            return "must not be empty"
        case "string_too_long":
            return f"must be at most {context['max_length']} characters"
        case "literal_error":
            return f"must be one of {context['expected'].replace(chr(39), '').replace(' or ', ', ')}"
        case "greater_than_equal":
            return f"must be at least {int(context['ge'])}"
        case "less_than_equal":
            return f"must be at most {int(context['le'])}"
        case "string_type":
            return "must be text"
        case "json_invalid":
            return "is not valid JSON; send a JSON object"
        case "dict_type" | "model_type" | "model_attributes_type":
            return "must be a JSON object"
        case _:
            return shorten(clean(str(item["msg"])), 200)


def responses_for(*found: type[TripbookError], writes: bool = False) -> dict[int | str, dict[str, Any]]:
    """OpenAPI `responses` of an operation: what every operation can answer, and `found` of its own."""
    always = (errors.UndecodableBody, errors.Unauthenticated, errors.MissingScope, errors.InvalidRequest)
    load = (errors.RateLimited,)
    by_status: dict[int, list[str]] = {500: [TripbookError.code]}
    for error in (*always, *load, *found, *((errors.WritesDisabled,) if writes else ())):
        codes = by_status.setdefault(STATUS[error], [])
        if error.code not in codes:
            codes.append(error.code)
    return {status: _document(codes) for status, codes in sorted(by_status.items())}


def _document(codes: Sequence[str]) -> dict[str, Any]:
    return {
        "description": "Problem: " + ", ".join(codes),
        "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


def unknown_token_problem(request_id: str) -> JSONResponse:
    return problem_of(
        errors.Unauthenticated(
            "Send a valid token as `Authorization: Bearer tb_…`; the admin makes one with "
            "`python -m service clients add NAME --scope read`."
        ),
        request_id,
    )


def too_large_problem(request_id: str) -> JSONResponse:
    return problem_of(errors.InvalidRequest("body: is larger than 64 kB; no request needs that much."), request_id)


def rate_limited_problem(request_id: str, wait: int) -> JSONResponse:
    return problem_of(
        errors.RateLimited(f"Too many requests with this token; wait {wait} s and go on.", retry_after=wait), request_id
    )


def wrong_host_problem(request_id: str) -> JSONResponse:
    return problem_of(
        errors.UndecodableBody("host: this service does not answer for that host name; see ALLOWED_HOSTS."), request_id
    )

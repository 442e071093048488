"""What handlers ask for: the application's resources and the caller."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer

from service.actions.context import Caller, Tripbook
from service.domain.names import clean, shorten
from service.errors import InvalidRequest, Unauthenticated

bearer = HTTPBearer(
    auto_error=False, scheme_name="token", description="A client's token, `tb_…`. Scopes: read, write, approve, admin."
)


def refuse_query(request: Request) -> None:
    """For routes without query parameters: a filter in the wrong place must not be ignored."""
    names = sorted(request.query_params)
    if names:
        fields = [{"field": shorten(clean(name), 40), "message": "is not a query parameter here"} for name in names[:8]]
        raise InvalidRequest(
            f"{fields[0]['field']}: is not a query parameter here; send fields in the JSON body.", fields=fields
        )


def _tripbook(request: Request) -> Tripbook:
    tripbook: Tripbook = request.app.state.tripbook
    return tripbook


def _caller(request: Request, _shown: Annotated[object, Security(bearer)] = None) -> Caller:
    """The caller that `CallerMiddleware` knows; the security scheme is here for the OpenAPI document."""
    caller = request.scope["state"].get("caller")
    if not isinstance(caller, Caller):
        raise Unauthenticated("Send a valid token as `Authorization: Bearer tb_…`.")
    return caller


def _reader(caller: Annotated[Caller, Depends(_caller)]) -> Caller:
    caller.require("read")
    return caller


def _writer(caller: Annotated[Caller, Depends(_caller)], app: Annotated[Tripbook, Depends(_tripbook)]) -> Caller:
    app.require_writes()
    caller.require("write")
    return caller


App = Annotated[Tripbook, Depends(_tripbook)]
AnyCaller = Annotated[Caller, Depends(_caller)]
Reader = Annotated[Caller, Depends(_reader)]
Writer = Annotated[Caller, Depends(_writer)]

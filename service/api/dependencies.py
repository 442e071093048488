"""What handlers ask for: the application's resources and the caller."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer

from service.actions.context import Caller, Tripbook
from service.errors import Unauthenticated

bearer = HTTPBearer(
    auto_error=False, scheme_name="token", description="A client's token, `tb_…`. Scopes: read, write, approve, admin."
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

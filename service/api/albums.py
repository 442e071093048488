"""Handlers about albums: find, preview, create, gaps, add."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, Query, Response

from service.actions.albums import find_albums as find
from service.actions.confirms import confirm
from service.actions.gaps import album_gaps as find_gaps
from service.actions.previews import preview_album as preview
from service.api.dependencies import App, Reader, Writer
from service.api.schemas import (
    AddToAlbumRequest,
    AlbumGapsRequest,
    CreateAlbumRequest,
    FindAlbumsQuery,
    FindAlbumsRequest,
    PreviewAlbumRequest,
)
from service.tokens import ID_CHARS

DEFAULT_ALBUMS = 5
DEFAULT_PAD_DAYS = 1
Found = dict[str, Any]


async def find_albums(
    app: App, caller: Reader, body: Annotated[FindAlbumsRequest, Body(default_factory=FindAlbumsRequest)]
) -> Found:
    return await find(app, body.query or "", body.limit or DEFAULT_ALBUMS)


async def list_albums(app: App, caller: Reader, query: Annotated[FindAlbumsQuery, Query()]) -> Found:
    return await find(app, query.query or "", query.limit or DEFAULT_ALBUMS)


async def preview_album(app: App, caller: Writer, body: PreviewAlbumRequest, response: Response) -> Found:
    previewed = await preview(app, caller, body.album_name, body.description or "", body.to_criteria())
    return point_to_preview(response, previewed)


async def album_gaps(app: App, caller: Reader, body: AlbumGapsRequest, response: Response) -> Found:
    pad_days = DEFAULT_PAD_DAYS if body.pad_days is None else body.pad_days
    return point_to_preview(response, await find_gaps(app, caller, body.album_id, pad_days, body.to_criteria()))


async def create_album(app: App, caller: Writer, body: CreateAlbumRequest) -> Found:
    return await confirm(app, caller, "create", body.preview_token, body.expected_count, body.album_name)


async def add_to_album(app: App, caller: Writer, body: AddToAlbumRequest) -> Found:
    return await confirm(app, caller, "add", body.preview_token, body.expected_new_count, body.album_name)


def point_to_preview(response: Response, previewed: Found) -> Found:
    """A preview is a resource: `Location` says where. Its answer holds a token and is not to be stored."""
    response.headers["Cache-Control"] = "no-store"
    if token := previewed.get("preview_token"):
        response.headers["Location"] = f"/v1/previews/{token[:ID_CHARS]}"
    return previewed

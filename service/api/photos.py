"""Handlers about photos: search by criteria, and by content."""

from __future__ import annotations

from typing import Any

from service.actions.photos import search_photos as search
from service.actions.photos import smart_search as search_by_content
from service.api.dependencies import App, Reader
from service.api.schemas import SearchPhotosRequest, SmartSearchRequest

DEFAULT_SAMPLES = 3
DEFAULT_RESULTS = 10


async def search_photos(app: App, caller: Reader, body: SearchPhotosRequest) -> dict[str, Any]:
    samples = DEFAULT_SAMPLES if body.samples is None else body.samples
    return await search(app, body.to_criteria(), samples)


async def smart_search(app: App, caller: Reader, body: SmartSearchRequest) -> dict[str, Any]:
    return await search_by_content(app, body.query, body.to_criteria(), body.limit or DEFAULT_RESULTS)

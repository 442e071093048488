"""Handlers for what is stored: the caller itself, previews and receipts; read only."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query

from service.actions import records
from service.actions.context import SCOPES
from service.actions.previews import show_preview
from service.api.dependencies import AnyCaller, App
from service.api.schemas import PageQuery

Id = Annotated[str, Path(max_length=40)]
Found = dict[str, Any]


async def get_caller(app: App, caller: AnyCaller) -> Found:
    scopes = [scope for scope in SCOPES if scope in caller.scopes]
    return {"name": caller.name, "scopes": scopes, "writes_enabled": app.settings.enable_writes}


async def list_previews(app: App, caller: AnyCaller, page: Annotated[PageQuery, Query()]) -> Found:
    return await records.list_previews(app, caller, page.limit or 20, page.cursor)


async def get_preview(app: App, caller: AnyCaller, preview_id: Id) -> Found:
    return await show_preview(app, caller, preview_id)


async def list_receipts(app: App, caller: AnyCaller, page: Annotated[PageQuery, Query()]) -> Found:
    return await records.list_receipts(app, caller, page.limit or 20, page.cursor)


async def get_receipt(app: App, caller: AnyCaller, receipt_id: Id) -> Found:
    return await records.show_receipt(app, caller, receipt_id)

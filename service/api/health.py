"""Handlers for whoever watches the service."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from service.actions.health import check_ready
from service.api.dependencies import AnyCaller, App


async def healthz() -> dict[str, Any]:
    return {"status": "ok"}


async def readyz(app: App, caller: AnyCaller, response: Response) -> dict[str, Any]:
    report = await check_ready(app)
    if not report["ready"]:
        response.status_code = 503
    return report

"""Whether the service can do its work right now, and what is missing if not."""

from __future__ import annotations

from typing import Any

from service.actions.context import Tripbook, reading
from service.db.previews import list_unfinished
from service.errors import TripbookError
from service.logs import get_logger

log = get_logger(__name__)


async def check_ready(app: Tripbook) -> dict[str, Any]:
    """Immich reachable, version, style, missing permissions, database, unfinished previews."""
    report = await _check_immich(app)
    report |= await _check_database(app)
    report["writes_enabled"] = app.settings.enable_writes
    report["ready"] = report["immich"] == "ok" and not report["missing_permissions"] and report["database"] == "ok"
    return report


async def _check_immich(app: Tripbook) -> dict[str, Any]:
    report: dict[str, Any] = {"immich": "ok", "missing_permissions": []}
    app.library.forget()
    try:
        async with reading(app):
            report["missing_permissions"] = await app.library.missing_permissions(writes=app.settings.enable_writes)
            server = await app.library.fetch_server()
            report["immich_version"] = ".".join(str(part) for part in server.version)
            report["search_style"] = server.style
            await app.library.list_albums()
    except TripbookError as error:
        report |= {"immich": error.code, "immich_detail": error.detail}
    return report


async def _check_database(app: Tripbook) -> dict[str, Any]:
    try:
        async with app.db.read() as session:
            unfinished = await list_unfinished(session)
    except Exception:  # whatever the driver raises: not ready, and the log says why
        log.exception("database is not usable")
        return {"database": "error", "unfinished_previews": []}
    return {"database": "ok", "unfinished_previews": [row.id for row in unfinished[:20]]}

"""Searching photos: a summary of exactly what matches, or the photos most like a description."""

from __future__ import annotations

from datetime import date
from typing import Any

from service.actions.context import Tripbook, reading
from service.actions.criteria import require_some, resolve_criteria
from service.domain.criteria import Criteria
from service.domain.summary import MAX_WARNINGS, Selection, collect_warnings, describe_photo, fit, summarise

RANKED = "Ranked by likeness, not a count: the last ones may not fit."


async def search_photos(app: Tripbook, criteria: Criteria, samples: int) -> dict[str, Any]:
    """Summary of every photo that matches; see `service.domain.summary` for the fields."""
    require_some(criteria)
    async with reading(app):
        applied = await resolve_criteria(app, criteria)
        selection = await app.library.select(applied, with_exif=True)
        summary = await describe_selection(app, applied, selection, samples=samples)
    return fit(summary)


async def describe_selection(
    app: Tripbook, criteria: Criteria, selection: Selection, *, samples: int, first_warnings: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A summary with `criteria` and `warnings`, not yet trimmed. `first_warnings` are the most important ones."""
    summary = summarise(
        selection, samples=samples, public_url=app.settings.public_url, own_user=await app.library.own_user()
    )
    warnings = [
        *first_warnings,
        *collect_warnings(selection, has_dates=criteria.has_dates, today=app.today),
        *_hints(criteria, selection, app.today),
    ]
    summary["criteria"] = criteria.echo()
    summary["warnings"] = warnings[:MAX_WARNINGS]
    return summary


def _hints(criteria: Criteria, selection: Selection, today: date) -> list[str]:
    if criteria.taken_after and criteria.taken_after >= today:
        return ["The range starts today or later; leave the dates out to search all years."]
    if selection.total == 0:
        return ["Nothing matches all of these criteria together; drop one and search again."]
    if criteria.has_place:
        return ["Photos without GPS are not in a place search; search the whole date range to include them."]
    return []


async def smart_search(app: Tripbook, text: str, criteria: Criteria, limit: int) -> dict[str, Any]:
    """`results` most like `text`, best first. No total: likeness has no threshold."""
    async with reading(app):
        applied = await resolve_criteria(app, criteria)
        photos = await app.library.rank(text, applied, limit)
    results = [describe_photo(photo, app.settings.public_url) for photo in photos]
    return fit({"results": results, "note": RANKED, "criteria": applied.echo()})

"""Searching photos: a summary of exactly what matches, or the photos most like a description."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from service.actions.context import Tripbook, reading
from service.actions.criteria import require_some, resolve_criteria
from service.actions.hints import find_hints
from service.domain.criteria import Criteria
from service.domain.summary import MAX_WARNINGS, Selection, collect_warnings, describe_photo, fit, summarise

CUT_SHORT = "Immich ranks only so many photos, and too few of them are of these days; search without the dates."
RANKED = "Ranked by likeness, not a count: the last ones may not fit."


async def search_photos(app: Tripbook, criteria: Criteria, samples: int) -> dict[str, Any]:
    """Summary of every photo that matches; see `service.domain.summary` for the fields."""
    require_some(criteria)
    async with reading(app):
        applied = await resolve_criteria(app, criteria)
        selection = await app.library.select(applied, with_exif=True)
        hints = await find_hints(app, applied, selection)
        summary = await describe_selection(app, applied, selection, samples=samples, hints=hints)
    return fit(summary)


async def describe_selection(
    app: Tripbook,
    criteria: Criteria,
    selection: Selection,
    *,
    samples: int,
    first_warnings: Sequence[str] = (),
    hints: Sequence[str] = (),
    has_dates: bool | None = None,
) -> dict[str, Any]:
    """A summary with `criteria` and `warnings`, not yet trimmed. `first_warnings` are the most important ones.

    has_dates: whether days were asked for; by default where the criteria have some.
    """
    summary = summarise(
        selection, samples=samples, public_url=app.settings.public_url, own_user=await app.library.own_user()
    )
    by_days = criteria.has_dates if has_dates is None else has_dates
    warnings = [
        *first_warnings,
        *collect_warnings(selection, has_dates=by_days, today=app.today),
        *hints,
    ]
    summary["criteria"] = criteria.echo()
    summary["warnings"] = warnings[:MAX_WARNINGS]
    return summary


async def smart_search(app: Tripbook, text: str, criteria: Criteria, limit: int) -> dict[str, Any]:
    """`results` most like `text`, best first. No total: likeness has no threshold."""
    async with reading(app):
        applied = await resolve_criteria(app, criteria)
        ranked = await app.library.rank(text, applied, limit)
    results = [describe_photo(photo, app.settings.public_url) for photo in ranked.photos]
    warnings = {"warnings": [CUT_SHORT]} if ranked.cut_short else {}
    return fit({"results": results, "note": RANKED, "criteria": applied.echo()} | warnings)

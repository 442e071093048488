"""What is missing from an album, and the preview of adding exactly that.

`resolve_missing` is the one function that says what is missing; the confirm calls it again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from service.actions.albums import album_url
from service.actions.context import Caller, Tripbook, reading
from service.actions.criteria import resolve_criteria
from service.actions.hints import find_gap_hints
from service.actions.photos import describe_selection
from service.actions.previews import find_refusal, issue_preview
from service.domain.albums import Album
from service.domain.criteria import Criteria
from service.domain.days import Window
from service.domain.names import quote, shown_name
from service.domain.plans import Audience, Plan, count_photos, sort_ids
from service.domain.summary import Selection, fit
from service.domain.trips import AlbumDays, DayCluster, plan_album_days
from service.errors import AlbumHasNoDates, TooManyPhotos
from service.immich.library import Members

MAX_WINDOWS = 12
MAX_SHOWN_WINDOWS = 8
MAX_SHOWN_MEMBERS = 3
GAP_SAMPLES = 3


@dataclass(frozen=True, slots=True)
class Missing:
    """Photos that belong to the windows or criteria and are not in the album."""

    album: Album
    selection: Selection
    audience: Audience


async def resolve_missing(
    app: Tripbook, album: Album, members: Members, criteria: Criteria, windows: tuple[Window, ...], *, with_exif: bool
) -> Missing:
    """Everything `criteria` match in `windows` that the album does not hold yet."""
    found = await _select_windows(app, criteria, windows, with_exif=with_exif)
    photos = [photo for photo in found.photos if photo.id not in members.ids]
    selection = replace(
        found,
        photos=photos,
        unreadable_ids=found.unreadable_ids - members.ids,
        complete=found.complete and members.complete,
        known_total=None,
    )
    return Missing(album, selection, audience_of(album))


async def _select_windows(
    app: Tripbook, criteria: Criteria, windows: tuple[Window, ...], *, with_exif: bool
) -> Selection:
    """The photos of all windows. Many windows are read in one go over their whole span, then cut."""
    if len(windows) > MAX_WINDOWS:
        span = Window(windows[0].start, windows[-1].end)
        whole = await app.library.select(criteria, span, with_exif=with_exif)
        inside = [p for p in whole.photos if p.day and any(window.holds(p.day) for window in windows)]
        return replace(whole, photos=inside, known_total=None)
    parts = [await app.library.select(criteria, window, with_exif=with_exif) for window in windows]
    return Selection(
        photos=list({photo.id: photo for part in parts for photo in part.photos}.values()),
        unreadable_ids=frozenset[str]().union(*(part.unreadable_ids for part in parts)),
        complete=all(part.complete for part in parts),
        truncated=any(part.truncated for part in parts),
    )


def audience_of(album: Album) -> Audience:
    return Audience(album.member_ids, album.public_link)


async def album_gaps(app: Tripbook, caller: Caller, album_id: str, pad_days: int, criteria: Criteria) -> dict[str, Any]:
    """Summary of what is missing, and with write scope the token to add exactly that.

    Raises AlbumNotFound for an unknown album and AlbumHasNoDates where neither dates nor criteria say where to look.
    """
    async with reading(app):
        album = await app.library.find_album(album_id)
        applied = await resolve_criteria(app, criteria)
        members = await app.library.find_members(album)
        _require_whole(members, app.settings.max_scan)
        days = _days_to_look(members, applied, pad_days)
        missing = await resolve_missing(app, album, members, applied, tuple(days.windows), with_exif=True)
        reason = _reason_without_token(app, caller, missing, days)
        warnings = (*([reason] if reason else []), *_warn_outliers(days.outliers), *_warn_audience(album))
        hints = await find_gap_hints(app, applied, album, tuple(days.windows))
        summary = await describe_selection(
            app,
            applied,
            missing.selection,
            samples=GAP_SAMPLES,
            first_warnings=warnings,
            hints=hints,
            has_dates=not all(window.is_open for window in days.windows),
        )
    result: dict[str, Any] = {
        "album": {
            "id": album.id,
            "name": shown_name(album.name),
            "count": album.asset_count,
            "url": album_url(app, album.id),
        },
        "missing_count": missing.selection.total,
    }
    if reason is None:
        plan = _plan(missing, applied, days)
        issued = await issue_preview(app, caller, plan, missing.selection, summary)
        result |= issued.offer(app)
    return fit(result | _describe_windows(days, applied) | summary)


def _require_whole(members: Members, max_scan: int) -> None:
    """Half of a membership list would call the other half missing."""
    if members.truncated:
        raise TooManyPhotos(
            f"This album holds more than the {max_scan} photos that are read at once, so what is missing cannot be "
            "told; let the admin raise MAX_SCAN."
        )


def _days_to_look(members: Members, criteria: Criteria, pad_days: int) -> AlbumDays:
    if not criteria.is_empty:
        return AlbumDays([criteria.window], [])
    per_day = Counter(photo.day for photo in members.photos if photo.day)
    if not per_day:
        raise AlbumHasNoDates("This album has no dated photos; say which days or places to look in.")
    return plan_album_days(per_day, pad_days)


def _plan(missing: Missing, criteria: Criteria, days: AlbumDays) -> Plan:
    return Plan(
        action="add",
        album_name=missing.album.name,
        asset_ids=sort_ids(missing.selection.photos),
        criteria=criteria,
        album_id=missing.album.id,
        windows=tuple(days.windows),
        audience=missing.audience,
    )


def _reason_without_token(app: Tripbook, caller: Caller, missing: Missing, days: AlbumDays) -> str | None:
    """Why nothing can be added, in one sentence; None if it can."""
    if missing.album.role == "viewer":
        return "You can only view this album, so nothing can be added to it."
    if missing.selection.total == 0 and missing.selection.exact:
        return "Nothing is missing in these days."
    if not app.settings.enable_writes:
        return "Writing is switched off here, so nothing can be added."
    if "write" not in caller.scopes:
        return "This token may only read, so nothing can be added with it."
    if len(days.windows) > MAX_WINDOWS:
        return f"The album's days lie in {len(days.windows)} separate ranges; give dates or a place to add from."
    refusal = find_refusal(missing.selection, app.settings.max_write)
    return refusal.detail if refusal else None


def _warn_outliers(outliers: list[DayCluster]) -> list[str]:
    if not outliers:
        return []
    days = ", ".join(
        f"{count_photos(run.count)} of {run.start}{'' if run.start == run.end else f' to {run.end}'}"
        for run in outliers[:2]
    )
    return [f"Left out as far away from the album's other days, maybe wrongly dated: {days}."]


def _warn_audience(album: Album) -> list[str]:
    seen_by = audience_of(album).seen_by
    if not seen_by:
        return []
    owner = f"The album belongs to {quote(album.owner_name)}; what" if album.role != "owner" else "What"
    names = ", ".join(quote(name, 30) for name in album.members[:MAX_SHOWN_MEMBERS])
    more = ", …" if len(album.members) > MAX_SHOWN_MEMBERS else ""
    return [f"{owner} is added will be seen by {seen_by}{f' ({names}{more})' if names else ''}."]


def _describe_windows(days: AlbumDays, criteria: Criteria) -> dict[str, Any]:
    if not criteria.is_empty:
        return {}
    shown = [
        {"start": window.start.isoformat(), "end": window.end.isoformat()}
        for window in days.windows[:MAX_SHOWN_WINDOWS]
        if window.start and window.end
    ]
    return {"windows": shown, "other_windows": len(days.windows) - len(shown)}

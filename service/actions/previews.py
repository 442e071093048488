"""Previews: what a write would do, stored exactly, with a signed token that lets the same caller confirm it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from service.actions.context import Caller, Tripbook, reading
from service.actions.criteria import require_some, resolve_criteria
from service.actions.hints import find_hints
from service.actions.photos import describe_selection
from service.db.previews import find_preview, is_expired, save_preview
from service.db.tables import PreviewRow
from service.domain.albums import Album, same_name
from service.domain.criteria import Criteria
from service.domain.days import Window
from service.domain.names import quote, shorten, shown_name
from service.domain.plans import Audience, Plan, count_photos, pack_ids, sort_ids, write_sentence
from service.domain.summary import Selection, fit
from service.errors import AlbumNameTaken, CountsUnstable, NothingMatches, PreviewNotFound, TooManyPhotos, TripbookError
from service.tokens import ID_CHARS, Promise, new_id, sign_preview

PREVIEW_SAMPLES = 3
MAX_DAYS = 60
MAX_CANDIDATES = 4
MAX_CANDIDATE_NAME = 80
NOTHING = "No photos match, so there is nothing to put into an album; change the criteria."


@dataclass(frozen=True, slots=True)
class Issued:
    """A stored preview with its token and the sentence to show."""

    row: PreviewRow
    token: str
    sentence: str

    def offer(self, app: Tripbook) -> dict[str, Any]:
        """The fields that let a caller confirm."""
        offered = {
            "preview_token": self.token,
            "expires_at": self.row.expires_at.isoformat(timespec="seconds").replace("+00:00", "Z"),
            "sentence": self.sentence,
        }
        return offered


async def preview_album(
    app: Tripbook, caller: Caller, album_name: str, description: str, criteria: Criteria
) -> dict[str, Any]:
    """What a new album would hold, and the token to create exactly that. Refuses what could not be confirmed."""
    app.require_writes()
    require_some(criteria)
    async with reading(app):
        check_name_free(await app.library.list_albums(), album_name)
        applied = await resolve_criteria(app, criteria)
        selection = await app.library.select(applied, with_exif=True)
        hints = await find_hints(app, applied, selection)
        check_confirmable(selection, app.settings.max_write, hints)
        summary = await describe_selection(app, applied, selection, samples=PREVIEW_SAMPLES, hints=hints)
    plan = Plan("create", album_name, sort_ids(selection.photos), applied, description)
    issued = await issue_preview(app, caller, plan, selection, summary)
    shown = {"action": "create", "album_name": album_name, "count": plan.count}
    return fit(shown | issued.offer(app) | summary)


def check_name_free(albums: list[Album], album_name: str) -> None:
    """Raises AlbumNameTaken if an album of mine or shared with me has this name, apart from case and accents."""
    taken = same_name(albums, album_name)
    if not taken:
        return
    shown = [
        {"id": album.id, "name": shorten(album.name, MAX_CANDIDATE_NAME), "count": album.asset_count}
        for album in taken[:MAX_CANDIDATES]
    ]
    album = taken[0]
    more = f", and {len(taken) - 1} more of that name" if len(taken) > 1 else ""
    raise AlbumNameTaken(
        f"An album named {quote(album.name)} exists ({count_photos(album.asset_count)}){more}; add to it with "
        "album_gaps and add_to_album, or choose another name.",
        album=shown[0],
        candidates=shown if len(taken) > 1 else None,
    )


def check_confirmable(selection: Selection, max_write: int, hints: Sequence[str] = ()) -> None:
    """Raises what keeps a selection from being written: nothing (with the reason in `hints`), too many, not exact."""
    refusal = find_refusal(selection, max_write)
    if isinstance(refusal, NothingMatches) and hints:
        raise NothingMatches(f"{NOTHING} {hints[0]}")
    if refusal:
        raise refusal


def find_refusal(selection: Selection, max_write: int) -> TripbookError | None:
    if selection.total == 0 and selection.exact:
        return NothingMatches(NOTHING)
    if selection.truncated or selection.total > max_write:
        number = "more" if selection.truncated else f"{selection.total}"
        return TooManyPhotos(
            f"{number} photos match and at most {max_write} can be written at once; narrow the dates or places.",
            actual_count=None if selection.truncated else selection.total,
        )
    if not selection.exact:
        return CountsUnstable("The photos could not be counted exactly just now; try again in a minute.")
    return None


async def issue_preview(
    app: Tripbook, caller: Caller, plan: Plan, selection: Selection, summary: dict[str, Any]
) -> Issued:
    """Stores the plan and signs its token. The only place where a preview comes into being."""
    async with app.db.write() as session:
        now = await app.db.now(session)
        row = PreviewRow(
            id=new_id(),
            action=plan.action,
            caller_id=caller.id,
            album_id=plan.album_id,
            album_name=plan.album_name,
            description=plan.description,
            criteria=plan.criteria.to_stored(),
            windows=[store_window(window) for window in plan.windows],
            summary=_for_review(summary, selection),
            audience=plan.audience.to_stored(),
            asset_ids=pack_ids(plan.asset_ids),
            count=plan.count,
            digest=plan.digest,
            created_at=now,
            expires_at=now + app.settings.preview_lifetime,
            state="open",
        )
        await save_preview(session, row)
    sentence = write_sentence(plan, summary.get("first"), summary.get("last"))
    return Issued(row, sign_preview(app.keys, promise_of(row)), sentence)


def _for_review(summary: dict[str, Any], selection: Selection) -> dict[str, Any]:
    """What a person looks at before approving: days, places, warnings. No ids, those are in the row."""
    days = Counter(photo.day.isoformat() for photo in selection.photos if photo.day)
    kept = ("first", "last", "top_places", "other_places", "no_location", "by_media", "by_owner", "warnings")
    return {name: summary[name] for name in kept if name in summary} | {"days": dict(sorted(days.items()))}


def store_window(window: Window) -> list[str]:
    return [window.start.isoformat() if window.start else "", window.end.isoformat() if window.end else ""]


def read_window(stored: list[str]) -> Window:
    start, end = (date.fromisoformat(text) if text else None for text in stored)
    return Window(start, end)


def promise_of(row: PreviewRow) -> Promise:
    """What the token of a stored preview must have signed."""
    return Promise(
        preview_id=row.id,
        action=row.action,
        caller_id=row.caller_id,
        album_id=row.album_id or "",
        album_name=row.album_name,
        description=row.description,
        count=row.count,
        digest=row.digest,
        audience=row.audience,
        expires=row.expires_at.isoformat(),
    )


def plan_of(row: PreviewRow, asset_ids: tuple[str, ...]) -> Plan:
    """The stored intent as a value."""
    return Plan(
        action="create" if row.action == "create" else "add",
        album_name=row.album_name,
        asset_ids=asset_ids,
        criteria=Criteria.from_stored(row.criteria),
        description=row.description,
        album_id=row.album_id,
        windows=tuple(read_window(stored) for stored in row.windows),
        audience=Audience.from_stored(row.audience),
    )


async def show_preview(app: Tripbook, caller: Caller, preview_id: str) -> dict[str, Any]:
    """State and progress of a preview. Another caller's is not there, except for approvers and admins."""
    async with app.db.read() as session:
        row = await find_preview(session, preview_id) if len(preview_id) == ID_CHARS else None
        now = await app.db.now(session)
    if row is None or (row.caller_id != caller.id and not caller.sees_all):
        raise PreviewNotFound("There is no such preview of yours; make a new one.")
    return describe_preview(row, expired=is_expired(row, now)) | describe_days(row)


def describe_days(row: PreviewRow) -> dict[str, Any]:
    """How many photos each day has; nothing where they are too many to look at, for a part of them would mislead."""
    days = row.summary.get("days") or {}
    shown = [{"day": day, "count": count} for day, count in sorted(days.items())]
    return {"days": shown} if 0 < len(shown) <= MAX_DAYS else {}


def describe_preview(row: PreviewRow, *, expired: bool = False) -> dict[str, Any]:
    """A preview as a resource, without ids and without its token."""
    described: dict[str, Any] = {
        "preview_id": row.id,
        "action": row.action,
        "state": "expired" if expired else row.state,
        "album_name": shown_name(row.album_name),
        "count": row.count,
        "criteria": Criteria.from_stored(row.criteria).echo(),
        "created_at": row.created_at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "expires_at": row.expires_at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "progress": {
            "answered": row.answered,
            "added": row.added,
            "already_present": row.already_present,
            "failed_count": row.failed_count,
        },
    }
    if album_id := row.target_album_id or row.album_id:
        described["album_id"] = album_id
    if row.receipt_id:
        described["receipt_id"] = row.receipt_id
    return described

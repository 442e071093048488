"""The writer: creates the empty album, adds the photos chunk by chunk, and records every answer.

It runs in a task the application owns, so that a client that goes away does not stop it. Before every Immich
write it renews its lease and stores what is about to be sent; after it, what was answered. Those are two commits
around an external write on purpose (`docs/decisions/`): whatever happens in between, the next one to come knows
what may have been sent.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from service.actions.albums import album_url
from service.actions.context import Tripbook
from service.db.previews import (
    Lease,
    find_preview,
    finish_writing,
    record_progress,
    renew_lease,
    save_receipt,
)
from service.db.tables import PreviewRow, ReceiptRow
from service.domain.albums import Album
from service.domain.names import quote, shown_name
from service.domain.plans import unpack_ids
from service.errors import (
    AlbumNotFound,
    AlbumNotWritable,
    ConfirmInProgress,
    ImmichError,
    ImmichRejected,
    OutcomeUnknown,
    TripbookError,
)
from service.logs import get_logger
from service.tokens import new_id

log = get_logger(__name__)
QUIET_MINUTE = timedelta(seconds=60)
CHUNK_TRIES = 3
CHUNK_BACKOFF_SECONDS = 0.3
MAX_SHOWN_FAILED = 5
MAX_STORED_FAILED = 50
NO_ACCESS = ("albumAsset.create access", "Album not found")

Outcome = dict[str, Any]


@dataclass(slots=True)
class Tally:
    """Answers so far. `answered` ids of the sorted set have one, whatever it was."""

    answered: int = 0
    added: int = 0
    already_present: int = 0
    failed_count: int = 0
    failed: tuple[dict[str, str], ...] = ()

    def plus(self, other: Tally) -> Tally:
        return Tally(
            self.answered + other.answered,
            self.added + other.added,
            self.already_present + other.already_present,
            self.failed_count + other.failed_count,
            (self.failed + other.failed)[:MAX_STORED_FAILED],
        )

    def to_stored(self) -> dict[str, Any]:
        return {
            "answered": self.answered,
            "added": self.added,
            "already_present": self.already_present,
            "failed_count": self.failed_count,
            "failed": list(self.failed),
        }


class Unreadable:
    """The album could not be read back; the receipt goes without its count."""


class LeaseLost(Exception):
    """Another confirm has taken over; this one must not write any more."""


def start_writer(app: Tripbook, caller_name: str, lease: Lease) -> asyncio.Task[Outcome]:
    """Starts the writing of a claimed preview in a task of the application's own."""
    task = asyncio.create_task(_Writer(app, caller_name, lease).run(), name=f"writing {lease.preview_id}")
    app.writers.add(task)
    task.add_done_callback(app.writers.discard)
    task.add_done_callback(_log_unheard)
    return task


def _log_unheard(task: asyncio.Task[Outcome]) -> None:
    """The caller may be gone: an error is logged whether or not somebody hears it."""
    if task.cancelled():
        log.warning("writing stopped, repeat the confirm to finish", task=task.get_name())
    elif (error := task.exception()) is not None and not isinstance(error, TripbookError | LeaseLost):
        log.error("writing failed", task=task.get_name(), exc_info=error)


def outcome_of(task: asyncio.Task[Outcome]) -> Outcome:
    """The receipt of a finished writer. Raises what it raised."""
    try:
        return task.result()
    except LeaseLost:
        raise ConfirmInProgress(
            "Another confirm of this preview took over; repeat it in a few seconds for the receipt.", retry_after=5
        ) from None
    except asyncio.CancelledError:
        raise ConfirmInProgress(
            "The service is stopping; repeat this confirm in a minute to finish. Nothing is written twice.",
            retry_after=60,
        ) from None


class _Writer:
    """One run over one claimed preview; a later run goes on from what the row says."""

    def __init__(self, app: Tripbook, caller_name: str, lease: Lease) -> None:
        self._app = app
        self._caller_name = caller_name
        self._lease = lease
        self._create_sent = False

    async def run(self) -> Outcome:
        row = await self._load()
        tally = Tally(row.answered, row.added, row.already_present, row.failed_count, tuple(row.failed))
        try:
            album_id = row.target_album_id or await self._find_target(row)
            tally, stopped = await self._add_all(row, album_id, tally)
            return await self._finish(row, album_id, tally, stopped)
        except asyncio.CancelledError:
            await asyncio.shield(self._leave("unknown" if self._create_sent else "partial"))
            raise
        except LeaseLost:
            raise
        except Exception:
            await self._leave("unknown" if self._create_sent else "partial")
            raise

    async def _load(self) -> PreviewRow:
        async with self._app.db.read() as session:
            row = await find_preview(session, self._lease.preview_id)
        assert row is not None
        return row

    async def _renew(self, **about_to_send: Any) -> datetime:
        async with self._app.db.write() as session:
            now = await self._app.db.now(session)
            if not await renew_lease(session, self._lease, now, **about_to_send):
                raise LeaseLost
        return now

    async def _record(self, **known: Any) -> None:
        async with self._app.db.write() as session:
            if not await record_progress(session, self._lease, **known):
                raise LeaseLost

    async def _leave(self, state: str) -> None:
        """Ends this run without an outcome; a repeat goes on."""
        async with self._app.db.write() as session:
            await finish_writing(session, self._lease, state)

    # --- the album -------------------------------------------------------------------------------------------

    async def _find_target(self, row: PreviewRow) -> str:
        """The album to fill: the previewed one, a new one, or the one a lost create made."""
        if row.action == "add":
            assert row.album_id is not None
            await self._renew(target_album_id=row.album_id)
            return row.album_id
        if row.create_sent_at is not None:
            self._create_sent = True
            return await self._settle_lost_create(row, row.create_sent_at)
        return await self._create(row)

    async def _create(self, row: PreviewRow) -> str:
        async with self._app.db.write() as session:
            now = await self._app.db.now(session)
            if not await renew_lease(session, self._lease, now, create_sent_at=now):
                raise LeaseLost
        self._create_sent = True
        try:
            album = await self._app.library.client.create_album(row.album_name, row.description)
        except ImmichError as error:
            if error.not_applied:
                await self._undo_create_mark()
                raise
            log.warning("answer to a create was lost", preview_id=row.id, code=error.code)
            return await self._settle_lost_create(row, now)
        return await self._remember_album(album.id.lower())

    async def _undo_create_mark(self) -> None:
        """Immich surely created nothing: the preview may be confirmed again from the start."""
        self._create_sent = False
        async with self._app.db.write() as session:
            await record_progress(session, self._lease, create_sent_at=None)
            await finish_writing(session, self._lease, "open")

    async def _remember_album(self, album_id: str) -> str:
        await self._record(target_album_id=album_id)
        self._create_sent = False
        return album_id

    async def _settle_lost_create(self, row: PreviewRow, sent_at: datetime) -> str:
        """Adopts the album a lost create made, or creates it once the lost request cannot run any more."""
        ours = await self._albums_that_may_be_ours(row)
        if len(ours) == 1 and await self._holds_only_ours(ours[0], row):
            return await self._remember_album(ours[0].id)
        if ours:
            raise OutcomeUnknown(
                f"Immich may have created the album {quote(row.album_name)}, and it cannot be told which one of "
                f"{len(ours)} it is; look at the albums of that name in Immich, then make a new preview.",
            )
        now = await self._renew()
        left = QUIET_MINUTE - (now - sent_at)
        if left > timedelta():
            seconds = int(left.total_seconds()) + 1
            raise OutcomeUnknown(
                f"Immich's answer was lost, so the album {quote(row.album_name)} may or may not exist yet. Repeat "
                f"this confirm in {seconds} seconds; it will not be made twice.",
                retry_after=seconds,
            )
        return await self._create(row)

    async def _albums_that_may_be_ours(self, row: PreviewRow) -> list[Album]:
        seen = set(row.seen_album_ids)
        albums = await self._app.library.list_albums()
        return [a for a in albums if a.role == "owner" and a.name == row.album_name and a.id not in seen]

    async def _holds_only_ours(self, album: Album, row: PreviewRow) -> bool:
        members = await self._app.library.find_members(album)
        return members.complete and members.ids <= set(unpack_ids(row.asset_ids))

    # --- the photos ------------------------------------------------------------------------------------------

    async def _add_all(self, row: PreviewRow, album_id: str, tally: Tally) -> tuple[Tally, TripbookError | None]:
        """Adds chunk by chunk. An error ends it with what was answered; the rest stays to be resumed."""
        ids = unpack_ids(row.asset_ids)
        in_flight = row.in_flight
        while tally.answered < len(ids):
            start = tally.answered
            chunk = ids[start : start + self._app.settings.write_chunk]
            # Sent before without an answer: what Immich calls duplicates there was most likely added by us.
            maybe_ours = in_flight == start or (row.action == "create" and in_flight is not None)
            try:
                answers = await self._add_chunk(album_id, chunk, start, maybe_ours)
            except ImmichError as error:
                settled = await self._settle_chunk(album_id, chunk, error)
                if settled is None:
                    if tally.answered == 0 and _is_no_access(error):
                        raise await self._no_access(album_id) from None
                    return tally, error
                answers = settled
            tally = tally.plus(answers)
            in_flight = None
            await self._record(in_flight=None, **tally.to_stored())
        return tally, None

    async def _add_chunk(self, album_id: str, chunk: tuple[str, ...], start: int, maybe_ours: bool) -> Tally:
        """One chunk, repeated where its answer was lost or Immich stumbled; halved where Immich refuses it whole."""
        for attempt in range(1, CHUNK_TRIES + 1):
            await self._renew(in_flight=start)
            try:
                rows = await self._app.library.client.add_assets(album_id, chunk)
            except ImmichError as error:
                if error.status in (400, 413):
                    return await self._bisect(album_id, chunk, start, maybe_ours, error)
                if error.not_applied or attempt == CHUNK_TRIES:
                    raise
                maybe_ours = True
                await asyncio.sleep(CHUNK_BACKOFF_SECONDS * attempt)
                continue
            return _tally_rows([(row.id, row.success, row.error) for row in rows], maybe_ours)
        raise AssertionError("unreachable")

    async def _bisect(
        self, album_id: str, chunk: tuple[str, ...], start: int, maybe_ours: bool, error: ImmichError
    ) -> Tally:
        """One id can spoil a whole request (400), or a proxy refuse its size (413): the others still go in."""
        if _is_no_access(error):
            raise error
        if len(chunk) == 1:
            reason = "refused" if error.status == 400 else "too_large"
            return Tally(1, failed_count=1, failed=({"id": chunk[0], "reason": reason},))
        middle = len(chunk) // 2
        first = await self._add_chunk(album_id, chunk[:middle], start, maybe_ours)
        return first.plus(await self._add_chunk(album_id, chunk[middle:], start, maybe_ours))

    async def _settle_chunk(self, album_id: str, chunk: tuple[str, ...], error: ImmichError) -> Tally | None:
        """After a lost answer: if the album now holds the whole chunk, it was applied. None if that is not so."""
        if error.not_applied:
            return None
        try:
            album = await self._app.library.find_album(album_id)
            members = await self._app.library.find_members(album)
        except TripbookError:
            return None
        return Tally(len(chunk), added=len(chunk)) if set(chunk) <= members.ids else None

    # --- the end ---------------------------------------------------------------------------------------------

    async def _finish(self, row: PreviewRow, album_id: str, tally: Tally, stopped: TripbookError | None) -> Outcome:
        """Re-reads the album's count, leaves a receipt and ends the claim."""
        remaining = row.count - tally.answered
        album = await self._read_back(album_id)
        if album is None and remaining:
            raise _album_gone()
        outcome = self._describe(row, album_id, album, tally, remaining)
        if stopped is not None:
            outcome["stopped_because"] = stopped.detail
        async with self._app.db.write() as session:
            receipt = self._receipt(row, album_id, outcome, await self._app.db.now(session))
            await save_receipt(session, receipt)
            state = "partial" if remaining else "done"
            if not await finish_writing(session, self._lease, state, receipt_id=receipt.id):
                raise LeaseLost
        return outcome

    def _receipt(self, row: PreviewRow, album_id: str, outcome: Outcome, now: datetime) -> ReceiptRow:
        return ReceiptRow(
            id=new_id(),
            preview_id=row.id,
            action=row.action,
            caller_id=row.caller_id,
            caller_name=self._caller_name,
            approved_by=row.approved_by,
            at=now,
            album_id=album_id,
            album_name=row.album_name,
            count=row.count,
            digest=row.digest,
            outcome=outcome,
        )

    async def _read_back(self, album_id: str) -> Album | Unreadable | None:
        """The album as it is now; None if it is gone."""
        try:
            return await self._app.library.find_album(album_id)
        except AlbumNotFound:
            return None
        except ImmichError:
            return Unreadable()

    async def _no_access(self, album_id: str) -> TripbookError:
        if await self._read_back(album_id) is None:
            return _album_gone()
        return AlbumNotWritable("Immich does not let this key add to the album (view only?), so nothing was added.")

    def _describe(
        self, row: PreviewRow, album_id: str, album: Album | Unreadable | None, tally: Tally, remaining: int
    ) -> Outcome:
        outcome: Outcome = {
            "status": "partial" if remaining else "done",
            "album": {"id": album_id, "name": shown_name(row.album_name), "url": album_url(self._app, album_id)},
            "added": tally.added,
            "already_present": tally.already_present,
            "failed": list(tally.failed[:MAX_SHOWN_FAILED]),
            "failed_count": tally.failed_count,
            "remaining": remaining,
        }
        if isinstance(album, Album):
            outcome["album_count_now"] = album.asset_count
        return outcome | {"replayed": False}


def _is_no_access(error: ImmichError) -> bool:
    return isinstance(error, ImmichRejected) and any(text in error.message for text in NO_ACCESS)


def _album_gone() -> AlbumNotFound:
    return AlbumNotFound(
        "The album was deleted or taken away before it was filled, and no new one is made; make a new preview."
    )


def _tally_rows(rows: list[tuple[str, bool, str | None]], maybe_ours: bool) -> Tally:
    """Immich's per-id answers, counted as they are."""
    tally = Tally(len(rows))
    failed: list[dict[str, str]] = []
    for asset_id, success, reason in rows:
        if success or (reason == "duplicate" and maybe_ours):
            tally.added += 1
        elif reason == "duplicate":
            tally.already_present += 1
        else:
            failed.append({"id": asset_id.lower(), "reason": reason or "unknown"})
    return replace(tally, failed_count=len(failed), failed=tuple(failed[:MAX_STORED_FAILED]))

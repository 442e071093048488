"""The writer: creates the empty album, adds the photos chunk by chunk, and records every answer.

It runs in a task the application owns, so that a client that goes away does not stop it. Before every Immich
write it renews its lease and stores what is about to be sent; after it, what was answered. Those are two commits
around an external write on purpose (`docs/decisions/`): whatever happens in between, the next one to come knows
what may have been sent.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

from service.actions.albums import album_url
from service.actions.context import Tripbook
from service.actions.previews import check_name_free
from service.db.previews import (
    Lease,
    find_preview,
    finish_writing,
    leave_writing,
    record_progress,
    renew_lease,
    save_receipt,
)
from service.db.tables import PreviewRow, ReceiptRow
from service.domain.albums import Album, same_name
from service.domain.names import quote, shown_name
from service.domain.plans import unpack_ids
from service.domain.tallies import REFUSED, Tally, tally_rows
from service.errors import (
    AlbumNotFound,
    AlbumNotWritable,
    ConfirmInProgress,
    ImmichError,
    ImmichMissingPermission,
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
NO_ACCESS = ("albumAsset.create access", "Album not found")

Outcome = dict[str, Any]


class Unreadable:
    """The album could not be read back; the receipt goes without its count."""


class LeaseLost(Exception):
    """Another confirm has taken over; this one must not write any more."""


def start_writer(app: Tripbook, caller_name: str, lease: Lease, *, resumed: bool) -> asyncio.Task[Outcome]:
    """Starts the writing of a claimed preview in a task of the application's own. resumed: an earlier run left it."""
    task = asyncio.create_task(_Writer(app, caller_name, lease, resumed).run(), name=f"writing {lease.preview_id}")
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

    def __init__(self, app: Tripbook, caller_name: str, lease: Lease, resumed: bool) -> None:
        self._app = app
        self._caller_name = caller_name
        self._lease = lease
        self._resumed = resumed
        self._nothing_written = False

    async def run(self) -> Outcome:
        row = await self._load()
        tally = Tally(row.answered, row.added, row.already_present, row.failed_count, tuple(row.failed))
        try:
            album_id = row.target_album_id or await self._find_target(row)
            tally, stopped = await self._add_all(row, album_id, tally)
            return await self._finish(row, album_id, tally, stopped)
        except asyncio.CancelledError:
            await asyncio.shield(self._leave())
            raise
        except LeaseLost:
            raise
        except Exception:
            await self._leave()
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

    async def _now(self) -> datetime:
        async with self._app.db.read() as session:
            return await self._app.db.now(session)

    async def _record(self, **known: Any) -> None:
        async with self._app.db.write() as session:
            if not await record_progress(session, self._lease, **known):
                raise LeaseLost

    async def _leave(self) -> None:
        """Ends this run without an outcome; a repeat goes on from what the row says."""
        async with self._app.db.write() as session:
            await leave_writing(session, self._lease, nothing_written=self._nothing_written)

    # --- the album -------------------------------------------------------------------------------------------

    async def _find_target(self, row: PreviewRow) -> str:
        """The album to fill: the previewed one, a new one, or the one a lost create made."""
        if row.action == "add":
            assert row.album_id is not None
            await self._renew(target_album_id=row.album_id)
            return row.album_id
        if row.create_sent_at is not None:
            return await self._settle_lost_create(row, row.create_sent_at)
        if self._resumed:  # it stopped before anything was sent, and the name may have been taken since
            check_name_free(await self._app.library.list_albums(), row.album_name)
            await require_permissions(self._app)
        return await self._create(row)

    async def _create(self, row: PreviewRow) -> str:
        async with self._app.db.write() as session:
            now = await self._app.db.now(session)
            if not await renew_lease(session, self._lease, now, create_sent_at=now):
                raise LeaseLost
        try:
            album = await self._app.library.client.create_album(row.album_name, row.description)
        except ImmichError as error:
            if error.not_applied:
                self._nothing_written = True
                raise
            log.warning("answer to a create was lost", preview_id=row.id, code=error.code)
            lost_at = await self._now()
            await self._renew(create_sent_at=lost_at)
            return await self._settle_lost_create(row, lost_at)
        return await self._remember_album(album.id.lower())

    async def _remember_album(self, album_id: str) -> str:
        await self._record(target_album_id=album_id)
        return album_id

    async def _settle_lost_create(self, row: PreviewRow, sent_at: datetime) -> str:
        """Adopts the album a lost create made, or creates it once the lost request cannot run any more."""
        named = same_name(await self._app.library.list_albums(), row.album_name)
        if len(named) == 1 and await self._is_surely_ours(named[0], row):
            return await self._remember_album(named[0].id)
        if named:
            raise OutcomeUnknown(
                f"Immich may have created the album {quote(row.album_name)}, and it cannot be told whether that is "
                f"{'the one' if len(named) == 1 else f'one of the {len(named)}'} there; look at the albums of that "
                "name in Immich, then make a new preview.",
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
        await require_permissions(self._app)
        return await self._create(row)

    async def _is_surely_ours(self, album: Album, row: PreviewRow) -> bool:
        """New, owned, of exactly that name, private, and without anything (archived too) that is not ours."""
        is_new = album.id not in row.seen_album_ids and album.role == "owner" and album.name == row.album_name
        if not is_new or album.shared or album.public_link:
            return False
        members = await self._app.library.find_members(album)
        ours = set(unpack_ids(row.asset_ids))
        return members.complete and members.ids <= ours and album.asset_count <= len(members.ids)

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
                    if row.action == "add" and tally.answered == 0 and _is_no_access(error):
                        await self._refuse_no_access(album_id)
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
                if _is_about_ids(error):
                    return await self._bisect(album_id, chunk, start, maybe_ours, error)
                if error.not_applied or attempt == CHUNK_TRIES:
                    raise
                maybe_ours = maybe_ours or not await self._was_rolled_back(error)
                await asyncio.sleep(CHUNK_BACKOFF_SECONDS * attempt)
                continue
            return tally_rows([(row.id, row.success, row.error) for row in rows], maybe_ours)
        raise AssertionError("unreachable")

    async def _bisect(
        self, album_id: str, chunk: tuple[str, ...], start: int, maybe_ours: bool, error: ImmichError
    ) -> Tally:
        """One id can spoil a whole request (400), or a proxy refuse its size (413): the others still go in.

        Where every single id is refused it is not about ids: the error is raised, and nothing counts as answered.
        """
        if len(chunk) == 1:
            if error.status == 413:
                raise error
            return Tally(1, failed_count=1, failed=({"id": chunk[0], "reason": REFUSED},))
        middle = len(chunk) // 2
        first = await self._add_chunk(album_id, chunk[:middle], start, maybe_ours)
        both = first.plus(await self._add_chunk(album_id, chunk[middle:], start, maybe_ours))
        if both.answered == both.failed_count and all(row["reason"] == REFUSED for row in both.failed):
            raise error
        return both

    async def _was_rolled_back(self, error: ImmichError) -> bool:
        """2.x answers one of two overlapping adds with its own 500 and adds nothing of it (measured)."""
        is_immich = isinstance(error, ImmichRejected) and error.status == 500 and bool(error.message)
        return is_immich and (await self._app.library.fetch_server()).is_v2

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
        gone = album is None and remaining > 0
        if gone:
            stopped = album_gone()
        outcome = self._describe(row, album_id, album, tally, remaining)
        if stopped is not None:
            outcome["stopped_because"] = stopped.detail
        async with self._app.db.write() as session:
            receipt = self._receipt(row, album_id, outcome, await self._app.db.now(session))
            await save_receipt(session, receipt)
            # Of an album that is gone nothing can be finished: that is final too.
            state = "partial" if remaining and not gone else "done"
            if not await finish_writing(session, self._lease, state, receipt_id=receipt.id):
                raise LeaseLost
        if gone:
            raise album_gone()
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

    async def _refuse_no_access(self, album_id: str) -> None:
        """The first add was refused whole. Raises AlbumNotWritable; returns where the album is simply gone."""
        if await self._read_back(album_id) is None:
            return
        self._nothing_written = not self._resumed
        raise AlbumNotWritable("Immich does not let this key add to the album (view only?), so nothing was added.")

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


async def require_permissions(app: Tripbook) -> None:
    """A key that may create but not fill would leave an empty album behind. Raises ImmichMissingPermission."""
    try:
        missing = await app.library.missing_permissions(writes=True)
    except ImmichRejected as error:
        if error.status == 404:  # an Immich too old to say; the writes themselves will
            return
        raise
    if missing:
        names = ", ".join(missing)
        raise ImmichMissingPermission(
            f"The service's Immich API key lacks {names}, so nothing was written; add that to the key in Immich.",
            permission=missing[0],
        )


def _is_about_ids(error: ImmichError) -> bool:
    """Immich's own refusal of a request's content, or a proxy's of its size; never a proxy's page with 400."""
    said = isinstance(error, ImmichRejected) and error.status == 400 and bool(error.message)
    return error.status == 413 or (said and not _is_no_access(error))


def album_gone() -> AlbumNotFound:
    return AlbumNotFound(
        "The album was deleted or taken away before it was filled, and no new one is made; make a new preview."
    )

"""Reading every asset of a query, page by page, and knowing whether everything was read.

A page's `total` is the page. The exact number is the unique ids once all pages are read, and Immich's statistics
for the same body must agree; if not, everything is read once more, in slices where pages repeat rows.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta, tzinfo

from service.domain.days import Window
from service.domain.photos import Photo
from service.domain.summary import Selection
from service.errors import ImmichBadAnswer
from service.immich.client import ImmichClient
from service.immich.queries import AssetQuery, Style, build_search_body, build_statistics_body
from service.immich.slices import CannotSlice, Stamps, plan_slices
from service.immich.wire import ImmichAsset, PhotoReader

PAGE_SIZE = 1_000
# Rows beyond Immich's own count before paging is taken to have no end.
SPARE_PAGES = 3
# A night out ends before this hour.
SMALL_HOURS = 4


@dataclass(frozen=True, slots=True)
class ScanContext:
    """What reading needs to know of the server. `own_user` is None where it cannot be known."""

    client: ImmichClient
    style: Style
    zone: tzinfo
    own_user: str | None
    max_scan: int
    page_size: int = PAGE_SIZE


@dataclass(slots=True)
class Pass:
    """One reading of all pages. `photos` holds each asset once; `not_mine` are partners' favourites."""

    photos: dict[str, Photo] = field(default_factory=dict)
    not_mine: set[str] = field(default_factory=set)
    rows: int = 0
    favourites: int = 0

    @property
    def repeated(self) -> int:
        return self.rows - len(self.photos)


async def scan(
    context: ScanContext, query: AssetQuery, window: Window, *, with_exif: bool, compare: bool = True
) -> Selection:
    """Every photo of `query` whose local day lies in `window`.

    compare: check the unique ids against Immich's statistics; False only where statistics mean something else
    (`albumIds` in a legacy body). Raises ImmichError; never a partial result without `truncated`.
    """
    expected = await count(context, query) if compare else None
    if expected is not None and expected > context.max_scan:
        return await _scan_part(context, query, window, expected, with_exif)
    result = await _read_pass(context, query, with_exif, expected)
    complete = result.repeated == 0 if expected is None else len(result.photos) == expected
    if not complete:
        result, complete = await _read_again(context, query, with_exif, expected)
    return _select(result, window, complete=complete)


async def peek(context: ScanContext, query: AssetQuery, window: Window) -> Selection:
    """The newest photos of `query`, at most one page; `truncated` if there are more. For hints: nothing is compared."""
    total = await count(context, query)
    if total == 0:
        return Selection(())
    part = await _read_pass(context, query, True, total, limit=context.page_size)
    return _select(part, window, complete=True, truncated=total > context.page_size)


async def count(context: ScanContext, query: AssetQuery) -> int:
    """Immich's own count of a query (by instant, before any cut by local day)."""
    return await context.client.fetch_statistics(build_statistics_body(query, context.style))


async def _scan_part(
    context: ScanContext, query: AssetQuery, window: Window, expected: int, with_exif: bool
) -> Selection:
    """The newest MAX_SCAN assets of more. Without dates Immich's count still is the total."""
    part = await _read_pass(context, query, with_exif, expected, limit=context.max_scan)
    known = expected if window.is_open and not part.not_mine else None
    return _select(part, window, complete=True, truncated=True, known_total=known)


async def _read_again(
    context: ScanContext, query: AssetQuery, with_exif: bool, expected: int | None
) -> tuple[Pass, bool]:
    """Reads once more; where pages repeat rows, in slices of one page each. Says whether that is complete."""
    stamps: list[ImmichAsset] = []
    latest = await _read_pass(context, query, with_exif, expected, stamps=stamps)
    if expected is None:
        return latest, latest.repeated == 0
    now = await count(context, query)
    if len(latest.photos) == now:
        return latest, True
    if latest.repeated == 0:
        return latest, False
    sliced = await _read_slices(context, query, with_exif, now, Stamps.of(stamps))
    return (latest, False) if sliced is None else (sliced, True)


async def _read_slices(
    context: ScanContext, query: AssetQuery, with_exif: bool, total: int, stamps: Stamps
) -> Pass | None:
    """Every photo, slice by slice; None where the slices do not add up to Immich's own count."""

    async def count_part(part: AssetQuery) -> int:
        return await count(context, part)

    try:
        slices = await plan_slices(query, total, context.page_size, stamps, count_part)
    except CannotSlice:
        return None
    result = Pass()
    for part in slices:
        await _read_pass(context, part, with_exif, None, result=result)
    return result if len(result.photos) == result.rows == total else None


async def _read_pass(
    context: ScanContext,
    query: AssetQuery,
    with_exif: bool,
    expected: int | None,
    *,
    limit: int | None = None,
    result: Pass | None = None,
    stamps: list[ImmichAsset] | None = None,
) -> Pass:
    """All pages into a `Pass` (`result` is gone on with). `stamps` collects the assets' times for slicing."""
    result = Pass() if result is None else result
    reader = PhotoReader(context.zone)
    most_rows = None if expected is None else expected + SPARE_PAGES * context.page_size
    async for items in iter_pages(context, query, with_exif=with_exif):
        if stamps is not None:
            stamps += items
        before = len(result.photos)
        for asset in items if limit is None else items[: limit - before]:
            _take(context, query, result, reader, asset)
        result.rows += len(items)
        if len(result.photos) == before and len({asset.file_created_at for asset in items}) > 1:
            raise ImmichBadAnswer("Immich's pages repeat the same photos; look at the proxy before it and try again.")
        if most_rows is not None and result.rows > most_rows:
            raise ImmichBadAnswer("Immich's pages do not end where its own count does; try again in a minute.")
        if limit is not None and len(result.photos) >= limit:
            break
    if query.favorites_only and context.own_user is None and result.not_mine and not result.favourites:
        raise _ignored("favourite")
    return result


def _take(context: ScanContext, query: AssetQuery, result: Pass, reader: PhotoReader, asset: ImmichAsset) -> None:
    if (name := query.is_ignored_by(asset)) is not None:
        raise _ignored(name)
    photo = reader.read(asset)
    result.photos[photo.id] = photo
    if query.favorites_only:
        if asset.is_favorite:
            result.favourites += 1
        elif asset.owner_id == context.own_user:
            raise _ignored("favourite")
        else:  # Immich matches a partner's favourite but shows it as none: it is not mine.
            result.not_mine.add(photo.id)


def _ignored(name: str) -> ImmichBadAnswer:
    return ImmichBadAnswer(
        f"Immich ignored the {name} filter, so no count can be trusted; check IMMICH_API_STYLE against its version."
    )


def _select(
    result: Pass, window: Window, *, complete: bool, truncated: bool = False, known_total: int | None = None
) -> Selection:
    mine = [photo for photo in result.photos.values() if photo.id not in result.not_mine]
    unreadable = frozenset(photo.id for photo in mine if photo.day is None)
    kept = mine if window.is_open else [photo for photo in mine if photo.day and window.holds(photo.day)]
    return Selection(
        kept,
        unreadable_ids=unreadable,
        complete=complete,
        truncated=truncated,
        known_total=known_total,
        after_midnight=_count_after_midnight(mine, window),
    )


def _count_after_midnight(photos: Iterable[Photo], window: Window) -> int:
    """The small hours after the window's last day: what Immich was asked for holds them whole."""
    if window.end is None or window.end == date.max:
        return 0
    following = window.end + timedelta(days=1)
    return sum(photo.day == following and photo.hour is not None and photo.hour < SMALL_HOURS for photo in photos)


async def iter_pages(context: ScanContext, query: AssetQuery, *, with_exif: bool) -> AsyncIterator[list[ImmichAsset]]:
    """The pages of a query in Immich's order. A page number or cursor that does not advance is an error."""
    page, cursor = 1, None
    used: set[str] = set()
    while True:
        body = build_search_body(
            query, context.style, size=context.page_size, with_exif=with_exif, page=page, cursor=cursor
        )
        assets = (await context.client.fetch_asset_page(body)).assets
        following = assets.next_cursor if context.style == "filter" else assets.next_page
        if following is not None and not assets.items:
            raise _not_advancing()
        if assets.items:
            yield assets.items
        if following is None:
            return
        if context.style == "filter":
            cursor = _next_cursor(str(following), used)
        else:
            page = next_page(following, page)


def next_page(following: str | int, page: int) -> int:
    """Immich gives the next page as text; it must be asked for as a number."""
    text = str(following)
    if not text.isascii() or not text.isdigit() or int(text) <= page:
        raise _not_advancing()
    return int(text)


def _next_cursor(following: str, used: set[str]) -> str:
    if following in used or not following:
        raise _not_advancing()
    used.add(following)
    return following


def _not_advancing() -> ImmichBadAnswer:
    return ImmichBadAnswer("Immich's paging does not advance; look at the proxy before it and try again.")

"""The household's library as questions: which style, whose key, which albums, places, persons, photos.

Remembers what changes rarely: the version until an error, the own user id for good, places and persons for five
minutes. Counts are never remembered.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from service.domain.albums import Album
from service.domain.criteria import Criteria
from service.domain.days import ALL_DAYS, Window
from service.domain.persons import Person
from service.domain.photos import Photo
from service.domain.summary import Selection
from service.errors import AlbumNotFound, ImmichBadAnswer, ImmichRejected
from service.immich.client import ImmichClient
from service.immich.queries import (
    FILTER_STYLE_SINCE,
    IMPOSSIBLE_ID,
    AssetQuery,
    Style,
    build_smart_body,
    build_statistics_body,
)
from service.immich.scan import PAGE_SIZE, ScanContext, count, next_page, peek, scan
from service.immich.wire import ImmichAlbum, PhotoReader, read_album
from service.settings import Settings

T = TypeVar("T")
REMEMBER_SECONDS = 300.0
MAX_PEOPLE_PAGES = 100
SMART_PAGE = 250
MAX_SMART_PAGES = 20
NEEDED_TO_READ = ("album.read", "asset.read", "asset.statistics", "person.read")
NEEDED_TO_WRITE = ("album.create", "albumAsset.create")


@dataclass(frozen=True, slots=True)
class Server:
    """What is known of the server since the version was read last."""

    version: tuple[int, int, int]
    style: Style

    @property
    def is_v2(self) -> bool:
        return self.version[0] < 3


@dataclass(frozen=True, slots=True)
class Members:
    """An album's photos. ids: everything that is in it. photos: those with a place in the timeline.

    complete is false where the listing could not be read to its end without repeats, truncated is true where it
    was longer than MAX_SCAN.
    """

    ids: frozenset[str]
    photos: tuple[Photo, ...]
    complete: bool
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Ranked:
    """Photos by likeness, best first. cut_short: reading stopped before the limit was full."""

    photos: list[Photo]
    cut_short: bool = False


class Remembered(Generic[T]):
    """A value fetched at most every five minutes; simultaneous askers wait for one fetch."""

    def __init__(self, fetch: Callable[[], Awaitable[T]]) -> None:
        self._fetch = fetch
        self._lock = asyncio.Lock()
        self._value: tuple[float, T] | None = None

    async def get(self) -> T:
        async with self._lock:
            if self._value is None or time.monotonic() - self._value[0] > REMEMBER_SECONDS:
                self._value = (time.monotonic(), await self._fetch())
            return self._value[1]

    def forget(self) -> None:
        self._value = None


class ImmichLibrary:
    """One Immich server, seen through one API key."""

    def __init__(self, client: ImmichClient, settings: Settings) -> None:
        self.client = client
        self.page_size = PAGE_SIZE
        self._settings = settings
        self._server: Server | None = None
        self._server_lock = asyncio.Lock()
        self._own_user: str | None = None
        self._places = {kind: Remembered(self._places_of(kind)) for kind in ("state", "city", "country")}
        self._people = Remembered(self._fetch_people)

    def forget(self) -> None:
        """After an error: the server may have been updated, or its key exchanged."""
        self._server = None
        self._people.forget()
        for remembered in self._places.values():
            remembered.forget()

    async def fetch_server(self) -> Server:
        """Version and style; the style is proved once per version before anything is counted with it."""
        async with self._server_lock:
            if self._server is None:
                version = await self.client.fetch_version()
                by_version: Style = "filter" if version[:2] >= FILTER_STYLE_SINCE else "legacy"
                style: Style = self._settings.immich_api_style or by_version
                await self._prove_style(style, version)
                self._server = Server(version, style)
            return self._server

    async def _prove_style(self, style: Style, version: tuple[int, int, int]) -> None:
        """An impossible person must have no photos; anything else means that the filter is ignored."""
        body = build_statistics_body(AssetQuery(person_id=IMPOSSIBLE_ID), style)
        try:
            found = await self.client.fetch_statistics(body)
        except ImmichRejected as error:
            if error.status != 400:
                raise
            found = -1
        if found != 0:
            number = ".".join(str(part) for part in version)
            raise ImmichBadAnswer(
                f"Immich {number} does not understand searches in {style} style; remove IMMICH_API_STYLE or correct it."
            )

    async def list_albums(self) -> list[Album]:
        """All albums the key's user sees, own and shared with them, on every version."""
        server = await self.fetch_server()
        own_user = await self.own_user()
        if server.is_v2:
            own, shared = await asyncio.gather(self.client.fetch_albums(), self.client.fetch_albums(shared="true"))
            raw = list({album.id: album for album in [*own, *shared]}.values())
        else:
            raw = await self.client.fetch_albums()
        return [read_album(album, own_user) for album in raw]

    async def own_user(self) -> str | None:
        """The id of the key's user: the owner of any owned album; None while there is none."""
        if self._own_user is None:
            server = await self.fetch_server()
            owned = await self.client.fetch_albums(**({} if server.is_v2 else {"isOwned": "true"}))
            owner = next((album.owner_user for album in owned if album.owner_user), None)
            self._own_user = owner.id if owner else None
        return self._own_user

    async def find_album(self, album_id: str) -> Album:
        """One album by id. Raises AlbumNotFound for an unknown or foreign one, whatever Immich calls it."""
        return read_album(await self._fetch_album(album_id), await self.own_user())

    async def _fetch_album(self, album_id: str, *, with_assets: bool = False) -> ImmichAlbum:
        server = await self.fetch_server()
        try:
            return await self.client.fetch_album(album_id, with_assets=with_assets if server.is_v2 else None)
        except ImmichRejected as error:
            # Without Immich's own words it is a proxy that answers while Immich restarts.
            if error.status in (400, 404) and error.message:
                raise AlbumNotFound("No album with this id is visible; find it by name with find_albums.") from None
            raise

    async def find_members(self, album: Album) -> Members:
        """What is in an album, all contributors: by paged search since 3.0, from the detail on 2.x."""
        if (await self.fetch_server()).is_v2:
            return await self._members_from_detail(album.id)
        selection = await self._scan_album(await self._context(), AssetQuery(album_id=album.id))
        ids = frozenset(photo.id for photo in selection.photos)
        return Members(
            ids, tuple(selection.photos), selection.complete and not selection.truncated, selection.truncated
        )

    async def find_archived_members(self, album: Album) -> frozenset[str]:
        """Ids in the album that are archived, at most one page of them; on 2.x all of the album's."""
        if (await self.fetch_server()).is_v2:
            return (await self._members_from_detail(album.id)).ids
        context = replace(await self._context(), max_scan=PAGE_SIZE)
        archived = await self._scan_album(context, AssetQuery(album_id=album.id, visibility="archive"))
        return frozenset(photo.id for photo in archived.photos)

    async def _scan_album(self, context: ScanContext, query: AssetQuery) -> Selection:
        # Legacy statistics keep the owner limit and so count less than an album shared with me holds.
        return await scan(context, query, ALL_DAYS, with_exif=False, compare=context.style == "filter")

    async def _members_from_detail(self, album_id: str) -> Members:
        detail = await self._fetch_album(album_id, with_assets=True)
        reader = PhotoReader(self._settings.zone)
        shown = {
            asset.id.lower(): reader.read(asset)
            for asset in detail.assets
            if asset.visibility in (None, "timeline") and not asset.is_trashed
        }
        ids = frozenset(asset.id.lower() for asset in detail.assets)
        return Members(ids, tuple(shown.values()), complete=len(ids) >= detail.asset_count)

    async def known_places(self, kind: str) -> list[str]:
        """All names of one kind (state, city, country) in the library, as Immich spells them."""
        return await self._places[kind].get()

    def _places_of(self, kind: str) -> Callable[[], Awaitable[list[str]]]:
        async def fetch() -> list[str]:
            return await self.client.fetch_suggestions(kind)

        return fetch

    async def people(self) -> list[Person]:
        """All named persons that are not hidden."""
        return await self._people.get()

    async def _fetch_people(self) -> list[Person]:
        found: dict[str, Person] = {}
        for page in range(1, MAX_PEOPLE_PAGES + 1):
            answer = await self.client.fetch_people(page)
            for person in answer.people:
                if person.name and not person.is_hidden:
                    found[person.id] = Person(person.id.lower(), person.name, person.birth_date or "")
            if not answer.has_next_page:
                return list(found.values())
        raise ImmichBadAnswer("Immich's list of people does not end; look at Immich's own log.")

    async def count(self, query: AssetQuery) -> int:
        return await count(await self._context(), query)

    async def select(self, criteria: Criteria, window: Window | None = None, *, with_exif: bool) -> Selection:
        """Every photo of `criteria`, with local days in `window` (instead of the criteria's own dates)."""
        wanted = criteria.window if window is None else window
        return await scan(await self._context(), AssetQuery.of(criteria, wanted), wanted, with_exif=with_exif)

    async def peek(self, query: AssetQuery, window: Window) -> Selection:
        """The newest photos of a query, at most one page (`truncated` if there are more): to say what is there."""
        return await peek(await self._context(), query, window)

    async def rank(self, text: str, criteria: Criteria, limit: int) -> Ranked:
        """The `limit` photos most like `text`, best first, among those of `criteria`.

        Cut by local day after ranking, reading on until full. Filter style has one page of at most 1,000.
        """
        context = await self._context()
        query = AssetQuery.of(criteria)
        whole_window = criteria.window.is_open and not criteria.favorites_only
        size = limit if whole_window else (1_000 if context.style == "filter" else SMART_PAGE)
        reader, found, page = PhotoReader(context.zone), dict[str, Photo](), 1
        for _ in range(MAX_SMART_PAGES):
            body = build_smart_body(query, context.style, text=text, size=size, page=page)
            assets = (await self.client.fetch_smart_page(body)).assets
            for asset in assets.items:
                if (name := query.is_ignored_by(asset)) is not None:
                    raise ImmichBadAnswer(f"Immich ignored the {name} filter of a content search; check its version.")
                photo = reader.read(asset)
                in_window = criteria.window.is_open or (photo.day is not None and criteria.window.holds(photo.day))
                if in_window and (asset.is_favorite or not criteria.favorites_only):
                    found.setdefault(photo.id, photo)
            whole_page = context.style == "filter" and len(assets.items) >= size
            if len(found) >= limit or context.style == "filter" or assets.next_page is None:
                return Ranked(list(found.values())[:limit], cut_short=whole_page and len(found) < limit)
            page = next_page(assets.next_page, page)
        return Ranked(list(found.values())[:limit], cut_short=True)

    async def missing_permissions(self, *, writes: bool) -> list[str]:
        """Permissions the key needs and lacks. A full key has `all`."""
        held = set(await self.client.fetch_permissions())
        needed = NEEDED_TO_READ + (NEEDED_TO_WRITE if writes else ())
        return [] if "all" in held else [name for name in needed if name not in held]

    async def _context(self) -> ScanContext:
        server = await self.fetch_server()
        return ScanContext(
            client=self.client,
            style=server.style,
            zone=self._settings.zone,
            own_user=await self.own_user(),
            max_scan=self._settings.max_scan,
            page_size=self.page_size,
        )

"""The generated household library of the demo: deterministic, exactly 3,000 assets, with known numbers.

Mara owns the key, Jonas is her partner (shown in her timeline), Cleo only shares albums. What can be counted on,
always among timeline assets of Mara and Jonas unless said otherwise:

- **Maine**: 398 in state Maine: 391 on the local days 2026-08-02…09 (Bar Harbor 190, Portland 121, Camden 40,
  Rockland 25, Ellsworth 15) and 7 in Kennebunk on 2023-07-14. On 2026-08-02…09 there are 455 in all: the other 64
  are 34 on the way (15 New Hampshire, 19 Massachusetts) and 30 without a location. 90 of the 455 are Jonas's,
  22 are videos, 9 are favourites (3 of them Jonas's). Not counted beside them: 6 archived, 5 trashed, 4 hidden
  motion parts, 1 locked. One photo each at 23:50 on 08-01 and at 00:10 on 08-10 lies just outside. No album
  has Maine in its name; "Marine 2019" (24) must not pass for it.
- **Lisbon**: album "Lisbon 2025" of 412, all Mara's, on 2025-06-12…19. In 2025-06-11…20 exactly 37 more are not in
  it: 28 on 06-15 (Canon EOS R6), 3 on 06-11, 4 on 06-16 (Jonas's), 2 on 06-20.
- **Simba** the cat: 60 photos, 12 of them tagged snow, 20 tagged orange. "Maria Lopez" (14) and "Maria Lopes" (9) are
  two persons, "José Ávila" (11) has accents, "Uncle Ted" (5) is hidden, one person has no name (1).
- **Other trips**: Québec 2024-02-10…16, São Paulo 2022-11-04…08, Tokyo 2024-04-02…06 (+09:00, also at 23:30),
  Los Angeles 2023-10-06…09 (−07:00, also at 23:30).
- **Albums** besides: "Québec winter" (26 in one week and one photo dated 2003), "São Paulo" (shared with Jonas as
  editor and Cleo as viewer), "Tokyo 2024" (public link), "To print" (empty); of Cleo: "Garden party" (Mara may
  view, 6 of Cleo's) and "Climbing club" (Mara may edit, 5 of Cleo's and 3 of Mara's).
- The rest is home life in Brooklyn from 2018 to 2026, never on a day named above, with stacks, videos, photos
  without GPS, archived and trashed ones and live photos.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import date, timedelta
from functools import cache
from typing import Any

from service.demo.library import Asset, Library, Person, Place, User

TOTAL = 3000
Spot = tuple[str, Place | None]
"""A local day and where."""
USA = "United States of America"
BAR_HARBOR = Place("Bar Harbor", "Maine", USA, 44.3876, -68.2039)
PORTLAND = Place("Portland", "Maine", USA, 43.6591, -70.2568)
CAMDEN = Place("Camden", "Maine", USA, 44.2098, -69.0648)
ROCKLAND = Place("Rockland", "Maine", USA, 44.1037, -69.1089)
ELLSWORTH = Place("Ellsworth", "Maine", USA, 44.5434, -68.4195)
KENNEBUNK = Place("Kennebunk", "Maine", USA, 43.3840, -70.5448)
PORTSMOUTH = Place("Portsmouth", "New Hampshire", USA, 43.0718, -70.7626)
BOSTON = Place("Boston", "Massachusetts", USA, 42.3601, -71.0589)
BROOKLYN = Place("Brooklyn", "New York", USA, 40.6782, -73.9442)
MONTEREY = Place("Monterey", "California", USA, 36.6002, -121.8947)
LOS_ANGELES = Place("Los Angeles", "California", USA, 34.0522, -118.2437)
LISBON = Place("Lisbon", "Lisbon", "Portugal", 38.7223, -9.1393)
SINTRA = Place("Sintra", "Lisbon", "Portugal", 38.8029, -9.3817)
CASCAIS = Place("Cascais", "Lisbon", "Portugal", 38.6979, -9.4215)
QUEBEC = Place("Québec", "Québec", "Canada", 46.8139, -71.2080)
SAO_PAULO = Place("São Paulo", "São Paulo", "Brazil", -23.5505, -46.6333)
TOKYO = Place("Tokyo", "Tokyo", "Japan", 35.6895, 139.6917)

CANON = {"make": "Canon", "model": "Canon EOS R6"}
JONAS_PHONE = {"make": "Google", "model": "Pixel 8"}
HOME_SCENES = ("kitchen", "garden", "birthday", "breakfast", "park", "bicycle", "balcony", "books", "rain")

MAINE_DAYS = (38, 52, 61, 47, 66, 55, 44, 28)
"""Photos in state Maine on each of 2026-08-02…09: 391."""
MAINE_PLACES = ((BAR_HARBOR, 190), (PORTLAND, 121), (CAMDEN, 40), (ROCKLAND, 25), (ELLSWORTH, 15))
NOT_HOME = (
    ("2026-08-01", "2026-08-10"),
    ("2025-06-11", "2025-06-20"),
    ("2023-07-14", "2023-07-14"),
    ("2024-02-10", "2024-02-16"),
    ("2022-11-04", "2022-11-08"),
    ("2024-04-02", "2024-04-06"),
    ("2023-10-06", "2023-10-09"),
)


def household() -> Library:
    """A fresh copy each time: what one caller changes, no other sees."""
    return _built().copy()


@cache
def _built() -> Library:
    return _Household().build()


class _Household:
    def __init__(self) -> None:
        self.random = random.Random(20260802)
        self.library = Library(me=User("0a6f7c1e-52c4-4d0b-9a51-6a3f0d9e1b01", "Mara", "mara@example.com"), seed="home")
        self.jonas = self.library.add_user("Jonas", partner=True)
        self.cleo = self.library.add_user("Cleo")

    def build(self) -> Library:
        self._people()
        self._maine_2026()
        self._maine_around()
        self._maine_2023()
        self._lisbon()
        self._marine()
        self._quebec()
        self._sao_paulo()
        self._tokyo()
        self._los_angeles()
        self._cleos_albums()
        self.library.add_album("To print")
        self._simba()
        self._friends()
        self._home()
        return self.library

    # small steps

    def _photos(self, days: Iterable[Spot], hours: float, **fields: Any) -> list[Asset]:
        """One photo per (local day, place), at plausible times of the day; about every 20th is a video."""
        made = []
        for n, (day, place) in enumerate(days):
            local = f"{day}T{self.random.randint(7, 21):02d}:{self.random.randint(0, 59):02d}:{n % 60:02d}"
            kind = "VIDEO" if n % 20 == 19 else "IMAGE"
            made.append(self.library.add_asset(local=local, offset_hours=hours, place=place, type=kind, **fields))
        return made

    def _mixed(self, counts: Iterable[tuple[Place | None, int]]) -> list[Place | None]:
        places = [place for place, count in counts for _ in range(count)]
        self.random.shuffle(places)
        return places

    def _at(self, local: str, hours: float, place: Place | None = None, **fields: Any) -> Asset:
        return self.library.add_asset(local=local, offset_hours=hours, place=place, **fields)

    # the people

    def _people(self) -> None:
        self.simba = self.library.add_person("Simba")
        self.maria_lopez = self.library.add_person("Maria Lopez")
        self.maria_lopes = self.library.add_person("Maria Lopes")
        self.jose = self.library.add_person("José Ávila")
        self.ted = self.library.add_person("Uncle Ted", hidden=True)
        self.unnamed = self.library.add_person("")

    # Maine

    def _maine_2026(self) -> None:
        days = [d for d, count in zip(_days("2026-08-02", "2026-08-09"), MAINE_DAYS, strict=True) for _ in range(count)]
        trip = self._photos(zip(days, self._mixed(MAINE_PLACES), strict=True), -4, tags=("coast", "vacation"))
        way_up = [("2026-08-02", place) for place in self._mixed(((PORTSMOUTH, 10), (BOSTON, 6), (None, 8)))]
        way_back = [("2026-08-09", place) for place in self._mixed(((PORTSMOUTH, 5), (BOSTON, 13)))]
        inside = _each(_days("2026-08-03", "2026-08-08"), None, 4)[:22]
        trip += self._photos([*way_up, *way_back, *inside], -4, tags=("car", "road"))
        self._late_evenings(trip)
        for asset in self.random.sample(trip, 90):
            asset.owner_id, asset.make, asset.model = self.jonas.id, JONAS_PHONE["make"], JONAS_PHONE["model"]
        mine = [asset for asset in trip if asset.owner_id == self.library.me.id]
        theirs = [asset for asset in trip if asset.owner_id == self.jonas.id]
        for asset in (*mine[:60:10], *theirs[:30:10]):
            asset.is_favorite = True
        for asset in mine[100:104]:
            self._live_photo(asset)
        for n in (120, 150, 180):
            stack_id = self.library.new_id("stack")
            mine[n].stack_id = mine[n + 1].stack_id = stack_id

    def _late_evenings(self, trip: list[Asset]) -> None:
        """The last photo of each day at 23:30: its instant is on the next day."""
        for day in _days("2026-08-02", "2026-08-09"):
            last = next(a for a in reversed(trip) if (a.local_date_time or "").startswith(day))
            last.local_date_time = f"{day}T23:30:00.000Z"
            last.file_created_at = f"{date.fromisoformat(day) + timedelta(days=1)}T03:30:00.000Z"

    def _live_photo(self, still: Asset) -> None:
        """The moving part is an asset of its own, hidden, and must never be counted."""
        part = self.library.add_asset(
            type="VIDEO",
            visibility="hidden",
            file_name=still.file_name.replace(".jpg", ".mov"),
            file_created_at=still.file_created_at,
            local_date_time=still.local_date_time,
            time_zone=still.time_zone,
            city=still.city,
            state=still.state,
            country=still.country,
        )
        still.live_photo_video_id = part.id

    def _maine_around(self) -> None:
        """Beside the 455: not on the timeline, or minutes outside."""
        days = _days("2026-08-02", "2026-08-09")
        self._photos(_each(days[:6], PORTLAND), -4, visibility="archive", tags=("receipt",))
        self._photos(_each(days[:5], BAR_HARBOR), -4, is_trashed=True, tags=("blurry",))
        self._at("2026-08-05T22:00", -4, BAR_HARBOR, visibility="locked")
        self._at("2026-08-01T23:50", -4, BROOKLYN, tags=("packing",))
        self._at("2026-08-10T00:10", -4, BROOKLYN, tags=("unpacking",))

    def _maine_2023(self) -> None:
        self._photos(_each(["2023-07-14"], KENNEBUNK, 7), -4, tags=("beach",))

    # Lisbon

    def _lisbon(self) -> None:
        days = _days("2025-06-12", "2025-06-19")
        places = self._mixed(((LISBON, 262), (SINTRA, 74), (CASCAIS, 52), (None, 24)))
        members = self._photos(
            [(days[n * 8 // 412], place) for n, place in enumerate(places)], 1, tags=("city", "tram")
        )
        members[-1].local_date_time, members[-1].file_created_at = (
            "2025-06-19T23:40:00.000Z",
            "2025-06-19T22:40:00.000Z",
        )
        self.library.add_album("Lisbon 2025", members, description="A week by the river")
        self._photos(_each(["2025-06-15"], SINTRA, 28), 1, tags=("castle",), **CANON)
        self._photos(_each(["2025-06-11"], None, 3), 1, tags=("airport",))
        self._photos(_each(["2025-06-16"], CASCAIS, 4), 1, owner=self.jonas, **JONAS_PHONE)
        self._photos(_each(["2025-06-20"], LISBON, 2), 1, tags=("airport",))

    # other trips

    def _marine(self) -> None:
        days = _each(_days("2019-05-03", "2019-05-05"), MONTEREY, 8)
        self.library.add_album("Marine 2019", self._photos(days, -7, tags=("jellyfish", "aquarium")))

    def _quebec(self) -> None:
        days = _each(_days("2024-02-10", "2024-02-16"), QUEBEC, 4)[:26]
        week = self._photos(days, -5, tags=("snow", "ice"))
        wrong = self._at("2003-01-01T00:00", -5, tags=("snow",), description="the camera had lost its date")
        self.library.add_album("Québec winter", [*week, wrong])

    def _sao_paulo(self) -> None:
        days = _each(_days("2022-11-04", "2022-11-08"), SAO_PAULO, 8)
        members = {self.jonas.id: "editor", self.cleo.id: "viewer"}
        photos = self._photos(days, -3, tags=("street", "music"))
        self.library.add_album("São Paulo", photos, members=members)

    def _tokyo(self) -> None:
        days = _days("2024-04-02", "2024-04-06")
        photos = self._photos(_each(days, TOKYO, 9), 9, tags=("temple", "blossom"))
        photos += [self._at(f"{day}T23:30", 9, TOKYO, tags=("night",)) for day in days]
        self.library.add_album("Tokyo 2024", photos, has_shared_link=True)

    def _los_angeles(self) -> None:
        days = _days("2023-10-06", "2023-10-09")
        self._photos(_each(days, LOS_ANGELES, 6), -7, tags=("beach", "palm"))
        for day in days:
            self._at(f"{day}T23:30", -7, LOS_ANGELES, tags=("night",))

    def _cleos_albums(self) -> None:
        garden = self._photos(_each(["2025-08-23"], BROOKLYN, 6), -4, owner=self.cleo, tags=("garden", "party"))
        wall = self._photos(_each(["2025-09-06"], PORTSMOUTH, 5), -4, owner=self.cleo, tags=("climbing",))
        mine = self._photos(_each(["2025-09-06"], PORTSMOUTH, 3), -4, tags=("climbing",))
        me = self.library.me.id
        self.library.add_album("Garden party", garden, owner=self.cleo, members={me: "viewer"})
        self.library.add_album("Climbing club", [*wall, *mine], owner=self.cleo, members={me: "editor"})

    # home

    def _simba(self) -> None:
        snow = _each(("2024-01-16", "2025-02-09", "2026-01-27"), BROOKLYN, 4)
        self._photos(snow, -5, people=[self.simba], tags=("cat", "snow", "orange"))
        self._photos(_some_days(self.random, 8), -4, people=[self.simba], tags=("cat", "orange", "sofa"))
        self._photos(_some_days(self.random, 40), -4, people=[self.simba], tags=("cat",))

    def _friends(self) -> None:
        counts: tuple[tuple[Person, int], ...] = (
            (self.maria_lopez, 14),
            (self.maria_lopes, 9),
            (self.jose, 11),
            (self.ted, 5),
            (self.unnamed, 1),
        )
        for person, count in counts:
            self._photos(_some_days(self.random, count), -4, people=[person], tags=("portrait",))

    def _home(self) -> None:
        """Everyday photos fill up to the total; every so often one is archived, trashed, live or in a stack."""
        days = iter(_some_days(self.random, TOTAL))
        while len(self.library.assets) < TOTAL - 1:
            day, place = next(days)
            n = len(self.library.assets)
            [asset] = self._photos([(day, place)], -4, tags=(HOME_SCENES[n % len(HOME_SCENES)],))
            self._vary(asset, n)
        if len(self.library.assets) < TOTAL:
            self._photos([next(days)], -4, tags=("home",))

    def _vary(self, asset: Asset, n: int) -> None:
        if n % 6 == 0:
            asset.owner_id = self.jonas.id
        if n % 17 == 0:
            asset.type, asset.duration_ms, asset.file_name = "VIDEO", 4000 + n, f"MOV_{n:05d}.mp4"
        elif n % 23 == 0:
            asset.visibility = "archive"
        elif n % 29 == 0:
            asset.is_trashed = True
        elif n % 31 == 0:
            self._live_photo(asset)
        elif n % 37 == 0:
            asset.stack_id = self.library.new_id("stack")
        elif n % 41 == 0:
            asset.is_favorite = True


def _days(first: str, last: str) -> list[str]:
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    return [str(start + timedelta(days=n)) for n in range((end - start).days + 1)]


def _each(days: Iterable[str], place: Place | None, count: int = 1) -> list[Spot]:
    return [(day, place) for day in days for _ in range(count)]


def _some_days(rng: random.Random, count: int) -> list[Spot]:
    """Days at home from 2018 on, most with a location."""

    days: list[Spot] = []
    while len(days) < count:
        day = str(date(2018, 1, 1) + timedelta(days=rng.randrange(365 * 8 + 160)))
        if not any(first <= day <= last for first, last in NOT_HOME):
            days.append((day, BROOKLYN if rng.random() < 0.8 else None))
    return days

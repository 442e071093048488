"""The numbers of the generated household that other tests, the demo and the documentation rely on."""

from __future__ import annotations

from collections import Counter

import pytest

from service.demo.household import TOTAL, _Household, household
from service.demo.library import Asset, Library


@pytest.fixture(scope="module")
def library() -> Library:
    return household()


def timeline(library: Library) -> list[Asset]:
    owners = {library.me.id, *library.partners}
    assets = library.assets.values()
    return [a for a in assets if a.owner_id in owners and a.visibility == "timeline" and not a.is_trashed]


def on_days(assets: list[Asset], first: str, last: str) -> list[Asset]:
    return [a for a in assets if a.local_date_time and first <= a.local_date_time[:10] <= last]


def test_it_is_the_same_every_time(library: Library) -> None:
    assert household().to_json() == library.to_json() == _Household().build().to_json()
    assert len(library.assets) == TOTAL == 3000


def test_maine_has_398_photos_on_two_trips(library: Library) -> None:
    maine = [a for a in timeline(library) if a.state == "Maine"]
    assert len(maine) == 398
    assert len(on_days(maine, "2026-08-02", "2026-08-09")) == 391
    assert len(on_days(maine, "2023-07-14", "2023-07-14")) == 7
    assert {a.country for a in maine} == {"United States of America"}


def test_the_maine_days_have_455_photos(library: Library) -> None:
    trip = on_days(timeline(library), "2026-08-02", "2026-08-09")
    assert len(trip) == 455
    assert Counter(a.state for a in trip) == {"Maine": 391, None: 30, "Massachusetts": 19, "New Hampshire": 15}
    cities = Counter(a.city for a in trip if a.state == "Maine")
    assert cities == {"Bar Harbor": 190, "Portland": 121, "Camden": 40, "Rockland": 25, "Ellsworth": 15}
    assert Counter(a.owner_id == library.me.id for a in trip) == {True: 365, False: 90}
    assert Counter(a.type for a in trip) == {"IMAGE": 433, "VIDEO": 22}
    assert Counter(a.owner_id == library.me.id for a in trip if a.is_favorite) == {True: 6, False: 3}


def test_beside_the_455_are_photos_that_must_not_be_counted(library: Library) -> None:
    days = on_days(list(library.assets.values()), "2026-08-02", "2026-08-09")
    counted = {a.id for a in timeline(library)}
    others = [a for a in days if a.id not in counted]
    assert Counter(a.visibility for a in others if not a.is_trashed) == {"archive": 6, "hidden": 4, "locked": 1}
    assert sum(a.is_trashed for a in others) == 5
    parts = {a.id for a in others if a.visibility == "hidden"}
    assert parts == {a.live_photo_video_id for a in days if a.live_photo_video_id}
    assert all(a.state == "Maine" for a in others if a.is_trashed or a.visibility != "hidden")


def test_each_maine_evening_ends_on_the_next_day_in_utc(library: Library) -> None:
    trip = on_days(timeline(library), "2026-08-02", "2026-08-09")
    late = [a for a in trip if (a.local_date_time or "").endswith("T23:30:00.000Z")]
    assert max(a.file_created_at or "" for a in late) == "2026-08-10T03:30:00.000Z"
    assert len(late) == 8


def test_minutes_before_and_after_the_maine_days(library: Library) -> None:
    around = [a.local_date_time for a in on_days(timeline(library), "2026-08-01", "2026-08-10")]
    outside = [t for t in around if t is not None and not "2026-08-02" <= t[:10] <= "2026-08-09"]
    assert outside == ["2026-08-01T23:50:00.000Z", "2026-08-10T00:10:00.000Z"]


def test_no_album_is_called_maine(library: Library) -> None:
    names = [album.name for album in library.albums.values()]
    assert "Marine 2019" in names
    assert not any("maine" in name.lower() for name in names)


def test_lisbon_misses_37_photos(library: Library) -> None:
    album = library.album_named("Lisbon 2025")
    members = library.counted(album)
    assert len(members) == 412
    assert {a.owner_id for a in members} == {library.me.id}
    assert on_days(members, "2025-06-12", "2025-06-19") == members
    window = on_days(timeline(library), "2025-06-11", "2025-06-20")
    missing = [a for a in window if a.id not in set(album.asset_ids)]
    assert Counter((a.local_date_time or "")[:10] for a in missing) == {
        "2025-06-15": 28,
        "2025-06-16": 4,
        "2025-06-11": 3,
        "2025-06-20": 2,
    }
    assert {a.model for a in missing if (a.local_date_time or "").startswith("2025-06-15")} == {"Canon EOS R6"}


def test_people(library: Library) -> None:
    photos = Counter(person_id for a in library.assets.values() for person_id in a.person_ids)
    counts = {person.name: photos[person.id] for person in library.people.values()}
    assert counts == {
        "Simba": 60,
        "Maria Lopez": 14,
        "Maria Lopes": 9,
        "José Ávila": 11,
        "Uncle Ted": 5,
        "": 1,
    }
    assert [p.name for p in library.people.values() if p.is_hidden] == ["Uncle Ted"]
    simba = [a for a in library.assets.values() if library.person_named("Simba").id in a.person_ids]
    assert sum("snow" in a.tags for a in simba) == 12
    assert sum("orange" in a.tags for a in simba) == 20


def test_albums(library: Library) -> None:
    me, names = library.me.id, {user.id: user.name for user in library.users.values()}
    shown = {
        album.name: (names[album.owner_id], album.role_of(me), len(library.counted(album)), album.is_shared)
        for album in library.albums.values()
    }
    assert shown == {
        "Lisbon 2025": ("Mara", "owner", 412, False),
        "Marine 2019": ("Mara", "owner", 24, False),
        "Québec winter": ("Mara", "owner", 27, False),
        "São Paulo": ("Mara", "owner", 40, True),
        "Tokyo 2024": ("Mara", "owner", 50, True),
        "Garden party": ("Cleo", "viewer", 6, True),
        "Climbing club": ("Cleo", "editor", 8, True),
        "To print": ("Mara", "owner", 0, False),
    }
    assert library.album_named("Tokyo 2024").has_shared_link


def test_one_photo_of_the_quebec_album_is_dated_wrongly(library: Library) -> None:
    days = sorted((a.local_date_time or "")[:10] for a in library.counted(library.album_named("Québec winter")))
    assert days[0] == "2003-01-01"
    assert (days[1], days[-1]) == ("2024-02-10", "2024-02-16")


def test_late_evenings_east_and_west(library: Library) -> None:
    late = [a for a in timeline(library) if (a.local_date_time or "").endswith("T23:30:00.000Z")]
    assert Counter(a.time_zone for a in late) == {"UTC-4": 8, "UTC+9": 5, "UTC-7": 4}


def test_it_holds_all_kinds(library: Library) -> None:
    assets = library.assets.values()
    assert {a.visibility for a in assets} == {"timeline", "archive", "hidden", "locked"}
    assert sum(a.is_trashed for a in assets) > 20
    assert sum(a.type == "VIDEO" for a in assets) > 100
    assert sum(a.stack_id is not None for a in assets) > 10
    assert sum(a.latitude is None for a in assets) > 200


def test_a_copy_is_independent(library: Library) -> None:
    twin = library.copy()
    asset, album = next(iter(twin.assets.values())), twin.album_named("Lisbon 2025")
    asset.city = "Elsewhere"
    album.asset_ids.clear()
    twin.remove_asset(next(reversed(twin.assets.values())))
    assert twin.add_asset().id not in library.assets
    assert library.to_json() == household().to_json()


def test_it_survives_a_file(library: Library) -> None:
    again = Library.from_json(library.to_json())
    assert again.to_json() == library.to_json().replace(b'"seed":"home"', b'"seed":"home+"')
    assert again.assets == library.assets

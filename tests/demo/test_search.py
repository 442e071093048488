"""Searches of the look-alike: what is counted, paging, both styles, and what each version refuses."""

from __future__ import annotations

from typing import Any

import pytest

from service.demo.library import Library, Place
from service.demo.search import cursor_at
from tests.demo.clients import VERSIONS, Client

MAINE = Place("Bar Harbor", "Maine", "United States of America")
TIMELINE = {"visibility": {"eq": "timeline"}, "trashedAt": {"eq": None}}


@pytest.fixture
def library() -> Library:
    """37 timeline photos in Maine, 3 archived or hidden, 2 trashed, 2 locked; a foreign one."""
    library = Library()
    ben, cleo = library.add_user("Ben", partner=True), library.add_user("Cleo")
    for n in range(37):
        owner = ben if n % 5 == 0 else None
        library.add_asset(
            file_name=f"{n}.jpg", owner=owner, place=MAINE, local=f"2026-06-12T10:{n:02d}", offset_hours=-4
        )
    for owner in (None, ben):
        library.add_asset(owner=owner, place=MAINE, visibility="archive")
        library.add_asset(owner=owner, place=MAINE, is_trashed=True)
        library.add_asset(owner=owner, place=MAINE, visibility="locked")
    library.add_asset(place=MAINE, visibility="hidden", type="VIDEO")
    library.add_asset(owner=cleo, place=MAINE)
    return library


@pytest.mark.parametrize(("version", "default"), [("2.5.6", 37), ("3.1.0", 40), ("3.3.1", 40)])
async def test_what_is_counted_without_visibility(library: Library, version: str, default: int) -> None:
    client = Client(library, version)
    assert await client.count({"state": "Maine"}) == default
    assert len(await client.found({"state": "Maine"})) == default
    assert await client.count({"state": "Maine", "visibility": "timeline"}) == 37
    assert len(await client.found({"state": "Maine", "visibility": "timeline"})) == 37


async def test_what_the_filter_counts(library: Library) -> None:
    client = Client(library)
    assert await client.count({"filter": {"state": {"eq": "Maine"}}}) == 42
    assert len(await client.found({"filter": {"state": {"eq": "Maine"}}})) == 42
    assert await client.count({"filter": {"state": {"eq": "Maine"}, **TIMELINE}}) == 37


@pytest.mark.parametrize("version", ["2.5.6", "3.1.0"])
async def test_below_3_2_a_filter_is_ignored(library: Library, version: str) -> None:
    client = Client(library, version)
    asked = {"filter": {"state": {"eq": "Atlantis"}}, "visibility": "timeline"}
    assert await client.count(asked) == 37
    assert len(await client.found(asked)) == 37


@pytest.mark.parametrize(("version", "statistics"), [("2.5.6", 200), ("3.1.0", 401), ("3.3.1", 401)])
async def test_locked_needs_more_than_a_key(library: Library, version: str, statistics: int) -> None:
    client = Client(library, version)
    assert (await client.post("search/metadata", {"visibility": "locked"})).status_code == 401
    assert (await client.post("search/statistics", {"visibility": "locked"})).status_code == statistics


@pytest.mark.parametrize(
    "operators", [{"ne": "timeline"}, {"eq": "locked"}, {"in": ["timeline", "locked"]}, {"notIn": ["archive"]}]
)
async def test_a_filter_that_could_show_locked_ones_is_refused(library: Library, operators: dict[str, Any]) -> None:
    answer = await Client(library).post("search/metadata", {"filter": {"visibility": operators}})
    assert (answer.status_code, answer.json()["message"]) == (401, "Elevated permission is required")


async def test_with_deleted_and_with_stacked_do_not_change_statistics(library: Library) -> None:
    stack = library.new_id()
    library.add_asset(place=MAINE, stack_id=stack)
    client = Client(library, "3.1.0")
    asked = {"state": "Maine", "visibility": "timeline"}
    assert len(await client.found({**asked, "withDeleted": True})) == 40
    assert len(await client.found({**asked, "withStacked": False})) == 37
    assert await client.count({**asked, "withDeleted": True, "withStacked": False}) == 38


async def test_a_partners_heart_is_found_but_not_shown() -> None:
    library = Library()
    library.add_asset(owner=library.add_user("Ben", partner=True), is_favorite=True)
    answer = await Client(library).post("search/metadata", {"isFavorite": True})
    assert [item["isFavorite"] for item in answer.json()["assets"]["items"]] == [False]


# places and dates


@pytest.mark.parametrize(("version", "found"), [("2.5.6", ["nowhere.jpg"]), ("3.1.0", []), ("3.3.1", [])])
async def test_a_blank_state(version: str, found: list[str]) -> None:
    library = Library()
    library.add_asset(file_name="nowhere.jpg")
    library.add_asset(file_name="maine.jpg", place=MAINE)
    assert await Client(library, version).found({"state": ""}) == found


@pytest.mark.parametrize("state", ["maine", "Maine ", "MAINE"])
async def test_places_are_exact(library: Library, state: str) -> None:
    assert await Client(library).count({"state": state}) == 0


@pytest.mark.parametrize("version", VERSIONS)
async def test_taken_is_inclusive_to_the_millisecond(version: str) -> None:
    library = Library()
    for ms in (0, 1, 2):
        library.add_asset(file_name=f"{ms}.jpg", instant=f"2026-06-12T10:00:00.00{ms}Z")
    client, first = Client(library, version), "2026-06-12T10:00:00.001Z"
    assert await client.found({"takenAfter": first, "takenBefore": first}) == ["1.jpg"]
    assert await client.count({"takenAfter": "2026-06-13T00:00:00Z", "takenBefore": first}) == 0


async def test_taken_at_is_exact_in_the_filter() -> None:
    library = Library()
    for ms in (0, 1, 2):
        library.add_asset(file_name=f"{ms}.jpg", instant=f"2026-06-12T10:00:00.00{ms}Z")
    taken = {"gte": "2026-06-12T10:00:00.000Z", "lt": "2026-06-12T10:00:00.002Z"}
    assert await Client(library).found({"filter": {"takenAt": taken}}) == ["1.jpg", "0.jpg"]


@pytest.mark.parametrize("date", ["2026-06-12", "2026-06-12T10:00:00"])
@pytest.mark.parametrize(("version", "status"), [("2.5.6", 200), ("3.1.0", 400), ("3.3.1", 400)])
async def test_dates_without_zone(library: Library, version: str, status: int, date: str) -> None:
    assert (await Client(library, version).post("search/metadata", {"takenAfter": date})).status_code == status


# lists and albums


async def test_persons_and_albums_must_all_match() -> None:
    library = Library()
    ann, bob = library.add_person("Ann"), library.add_person("Bob")
    both = library.add_asset(people=[ann, bob], file_name="both.jpg")
    one = library.add_asset(people=[ann], file_name="one.jpg")
    first, second = library.add_album("1", [both, one]), library.add_album("2", [both])
    for version in VERSIONS:
        client = Client(library, version)
        assert await client.found({"personIds": [ann.id, bob.id]}) == ["both.jpg"]
        assert await client.found({"albumIds": [first.id, second.id]}) == ["both.jpg"]
        assert await client.count({"personIds": [], "albumIds": []}) == 2
    filters = {
        "all": ["both.jpg"],
        "any": ["one.jpg", "both.jpg"],
        "none": [],
    }
    for operator, names in filters.items():
        people = {"filter": {"personIds": {operator: [ann.id, bob.id]}}}
        albums = {"filter": {"albumIds": {operator: [first.id, second.id]}}}
        assert await client.found(people) == names
        assert await client.found(albums) == names


@pytest.mark.parametrize(("version", "metadata"), [("2.5.6", 1), ("3.1.0", 2), ("3.3.1", 2)])
async def test_others_photos_in_a_shared_album(version: str, metadata: int) -> None:
    library = Library()
    cleo = library.add_user("Cleo")
    photos = [library.add_asset(owner=cleo), library.add_asset()]
    album = library.add_album("Shared", photos, owner=cleo, members={library.me.id: "viewer"})
    client = Client(library, version)
    assert len(await client.found({"albumIds": [album.id]})) == metadata
    assert await client.count({"albumIds": [album.id]}) == 1


async def test_album_ids_of_a_filter_must_be_readable_even_in_none(library: Library) -> None:
    cleo = library.add_user("Cleo")
    secret = library.add_album("Secret", owner=cleo)
    for operator in ("any", "all", "none"):
        answer = await Client(library).post("search/metadata", {"filter": {"albumIds": {operator: [secret.id]}}})
        assert (answer.status_code, answer.json()["message"]) == (400, "Not found or no album.read access")


async def test_album_none_keeps_partner_photos_and_the_owner_limit(library: Library) -> None:
    mine = [a for a in library.assets.values() if a.owner_id == library.me.id][:3]
    album = library.add_album("Some", mine)
    asked = {"filter": {"albumIds": {"none": [album.id]}, **TIMELINE}}
    assert await Client(library).count(asked) == 34


# paging


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("body", [{"size": 0}, {"size": 1001}, {"page": 0}, {"order": "up"}, {"type": "FILM"}])
async def test_bad_paging_is_refused(library: Library, version: str, body: dict[str, Any]) -> None:
    answer = await Client(library, version).post("search/metadata", body)
    assert answer.status_code == 400
    assert isinstance(answer.json()["message"], str if version[0] == "3" else list)


@pytest.mark.parametrize(("version", "status"), [("2.5.6", 200), ("3.1.0", 400), ("3.3.1", 400)])
async def test_the_next_page_is_text_but_must_be_asked_for_as_a_number(
    library: Library, version: str, status: int
) -> None:
    client = Client(library, version)
    first = (await client.post("search/metadata", {"size": 30, "visibility": "timeline"})).json()["assets"]
    assert (first["total"], first["nextPage"]) == (30, "2")
    assert (await client.post("search/metadata", {"page": "2"})).status_code == status
    second = (await client.post("search/metadata", {"size": 30, "visibility": "timeline", "page": 2})).json()["assets"]
    assert (second["total"], second["nextPage"]) == (7, None)


@pytest.mark.parametrize("version", VERSIONS)
async def test_order(library: Library, version: str) -> None:
    client = Client(library, version)
    asked = {"visibility": "timeline", "size": 2}
    assert await client.found({**asked, "order": "asc"}) == ["0.jpg", "1.jpg"]
    assert await client.found(asked) == ["36.jpg", "35.jpg"]


async def test_cursors_lead_through_everything_once(library: Library) -> None:
    client = Client(library)
    body: dict[str, Any] = {"filter": TIMELINE, "size": 10}
    seen: list[str] = []
    while True:
        assets = (await client.post("search/metadata", body)).json()["assets"]
        seen += [item["id"] for item in assets["items"]]
        assert assets["nextPage"] is None
        if assets["nextCursor"] is None:
            break
        body["cursor"] = assets["nextCursor"]
    assert len(seen) == len(set(seen)) == 37


@pytest.mark.parametrize("cursor", ["zzz", "", None, "bnVsbA", cursor_at(5)[:-3]])
async def test_bad_cursors_are_refused(library: Library, cursor: str | None) -> None:
    answer = await Client(library).post("search/metadata", {"filter": {}, "cursor": cursor})
    assert answer.status_code == 400


@pytest.mark.parametrize(
    "flat", [{"page": 1}, {"state": "Maine"}, {"visibility": "timeline"}, {"order": "asc"}, {"withDeleted": True}]
)
async def test_flat_fields_beside_a_filter_are_refused(library: Library, flat: dict[str, Any]) -> None:
    [name] = flat
    answer = await Client(library).post("search/metadata", {"filter": {}, **flat})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["message"] == f"Deprecated field {name} cannot be combined with filter"
    assert (await Client(library).post("search/metadata", {"cursor": cursor_at(2), **flat})).status_code == 400


@pytest.mark.parametrize(
    "asked",
    [
        {"planet": {"eq": "Mars"}},
        {"state": {}},
        {"state": {"is": "Maine"}},
        {"state": "Maine"},
        {"takenAt": {"gte": "2026-06-12"}},
        {"personIds": {"any": []}},
        {"id": {"eq": "7"}},
        {"isFavorite": {"eq": "yes"}},
    ],
)
async def test_bad_filters_are_refused(library: Library, asked: dict[str, Any]) -> None:
    assert (await Client(library).post("search/metadata", {"filter": asked})).status_code == 400


async def test_an_unknown_operator_beside_a_known_one_is_ignored(library: Library) -> None:
    asked = {"state": {"eq": "Maine", "startsWith": "X"}, **TIMELINE}
    assert await Client(library).count({"filter": asked}) == 37


async def test_branches_of_a_filter(library: Library) -> None:
    names = {"or": [{"originalFileName": {"eq": "3.jpg"}}, {"originalFileName": {"like": "4.jpg"}}]}
    assert sorted(await Client(library).found({"filter": {**names, **TIMELINE}})) == [
        "14.jpg",
        "24.jpg",
        "3.jpg",
        "34.jpg",
        "4.jpg",
    ]


@pytest.mark.parametrize("version", VERSIONS)
async def test_an_impossible_id_finds_nothing(library: Library, version: str) -> None:
    nobody = library.new_id()
    asked: dict[str, Any] = {"id": nobody} if version != "3.3.1" else {"filter": {"id": {"eq": nobody}}}
    client = Client(library, version)
    assert await client.found(asked) == []
    # statistics know no flat `id`: it is ignored there like any unknown field
    assert await client.count({**asked}) == (0 if version == "3.3.1" else await client.count({}))


# photos of one instant


def one_instant(count: int, others: int = 0) -> Library:
    library = Library()
    for n in range(count):
        library.add_asset(file_name=f"{n}.jpg", instant="2026-06-12T10:00:00Z")
    for n in range(others):
        library.add_asset(file_name=f"other-{n}.jpg", instant=f"2026-07-{n % 28 + 1:02d}T10:00:00Z")
    return library


async def all_pages(client: Client, size: int) -> list[str]:
    names: list[str] = []
    page: str | None = "1"
    while page is not None:
        assets = (await client.post("search/metadata", {"size": size, "page": int(page)})).json()["assets"]
        names += [item["originalFileName"] for item in assets["items"]]
        page = assets["nextPage"]
    return names


async def test_2_x_repeats_and_misses_photos_of_one_instant() -> None:
    client = Client(one_instant(300), "2.5.6")
    names = await all_pages(client, 100)
    assert (len(names), len(set(names))) == (300, 150)
    assert await all_pages(client, 100) == names
    assert len(set(await all_pages(client, 300))) == 300


async def test_2_x_keeps_the_rest_right() -> None:
    names = await all_pages(Client(one_instant(7, others=5), "2.5.6"), 4)
    assert len(names) == 12
    assert {name for name in names if name.startswith("other")} == {f"other-{n}.jpg" for n in range(5)}
    assert len(set(names)) < 12


@pytest.mark.parametrize("version", ["3.1.0", "3.3.1"])
async def test_3_x_does_not(version: str) -> None:
    names = await all_pages(Client(one_instant(30, others=5), version), 4)
    assert len(names) == len(set(names)) == 35


# what comes back


@pytest.mark.parametrize("version", VERSIONS)
async def test_changed_assets_are_seen_at_once(library: Library, version: str) -> None:
    client, asked = Client(library, version), {"state": "Maine", "visibility": "timeline", "size": 1, "withExif": True}
    before = (await client.post("search/metadata", asked)).json()["assets"]["items"][0]
    library.assets[before["id"]].city = "Camden"
    after = (await client.post("search/metadata", asked)).json()["assets"]["items"][0]
    assert (before["exifInfo"]["city"], after["exifInfo"]["city"]) == ("Bar Harbor", "Camden")
    library.trash_asset(before["id"])
    assert await client.count({"state": "Maine", "visibility": "timeline"}) == 36
    library.remove_asset(after["id"])
    library.add_asset(place=MAINE)
    assert await client.count({"state": "Maine", "visibility": "timeline"}) == 37


@pytest.mark.parametrize(("has_exif", "shown"), [(False, {}), (None, "absent")])
async def test_broken_items_can_be_made(has_exif: bool | None, shown: Any) -> None:
    library = Library()
    library.add_asset(has_exif=has_exif, local_date_time="yesterday", file_created_at=None)
    library.add_album("Broken", library.assets)
    client = Client(library)
    [item] = (await client.post("search/metadata", {"withExif": True})).json()["assets"]["items"]
    assert item.get("exifInfo", "absent") == shown
    assert (item["localDateTime"], item["fileCreatedAt"]) == ("yesterday", None)
    assert await client.count({"takenAfter": "1900-01-01T00:00:00Z"}) == 0
    assert "startDate" not in (await client.get("albums")).json()[0]


# smart search


@pytest.mark.parametrize("version", VERSIONS)
async def test_smart_search_ranks_and_never_ends_empty(version: str) -> None:
    library = Library()
    library.add_asset(file_name="a.jpg", tags=("cat",))
    library.add_asset(file_name="b.jpg", tags=("cat", "snow"))
    library.add_asset(file_name="c.jpg")
    client = Client(library, version)
    answer = (await client.post("search/smart", {"query": "a cat in the snow", "size": 2})).json()["assets"]
    assert [item["originalFileName"] for item in answer["items"]] == ["b.jpg", "a.jpg"]
    assert answer["nextPage"] == "2"
    last = (await client.post("search/smart", {"query": "a cat in the snow", "size": 2, "page": 2})).json()["assets"]
    assert [item["originalFileName"] for item in last["items"]] == ["c.jpg"]


async def test_smart_search_has_one_page_in_filter_style(library: Library) -> None:
    client = Client(library)
    answer = (await client.post("search/smart", {"query": "x", "filter": TIMELINE, "size": 5})).json()["assets"]
    assert (answer["count"], answer["nextPage"], answer["nextCursor"]) == (5, None, None)
    assert (await client.post("search/smart", {"query": "x", "filter": {}, "page": 2})).status_code == 400


@pytest.mark.parametrize(
    ("state", "status", "message"),
    [("down", 500, "Failed to search smart"), ("off", 400, "Smart search is not enabled")],
)
async def test_smart_search_can_be_away(library: Library, state: Any, status: int, message: str) -> None:
    client = Client(library)
    client.server.faults.smart_search = state
    answer = await client.post("search/smart", {"query": "x"})
    assert (answer.status_code, answer.json()["message"]) == (status, message)

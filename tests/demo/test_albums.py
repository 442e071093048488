"""Albums of the look-alike: who sees what, dates, and answers per id."""

from __future__ import annotations

import asyncio

import pytest

from service.demo.library import Library, User
from tests.demo.clients import VERSIONS, Client


@pytest.fixture
def library() -> Library:
    library = Library()
    library.add_user("Ben", partner=True)
    library.add_user("Cleo")
    return library


def user(library: Library, name: str) -> User:
    return next(u for u in library.users.values() if u.name == name)


async def test_2_x_lists_own_albums_and_shared_ones_apart(library: Library) -> None:
    cleo = user(library, "Cleo")
    library.add_album("Mine")
    library.add_album("Shared out", members={cleo.id: "viewer"})
    library.add_album("Shared in", owner=cleo, members={library.me.id: "editor"})
    library.add_album("Foreign", owner=cleo)
    client = Client(library, "2.5.6")
    assert [a["albumName"] for a in (await client.get("albums")).json()] == ["Shared out", "Mine"]
    shared = (await client.get("albums", shared="true")).json()
    assert [a["albumName"] for a in shared] == ["Shared in", "Shared out"]
    assert [a["ownerId"] for a in shared] == [cleo.id, library.me.id]


async def test_3_x_lists_everything_and_ignores_shared(library: Library) -> None:
    cleo = user(library, "Cleo")
    library.add_album("Mine")
    library.add_album("Shared in", owner=cleo, members={library.me.id: "editor"})
    client = Client(library, "3.1.0")
    albums = (await client.get("albums", shared="true")).json()
    assert [a["albumName"] for a in albums] == ["Shared in", "Mine"]
    assert [[u["role"] for u in a["albumUsers"]] for a in albums] == [["owner", "editor"], ["owner"]]
    assert "ownerId" not in albums[0]
    assert [a["albumName"] for a in (await client.get("albums", isOwned="false")).json()] == ["Shared in"]
    assert [a["albumName"] for a in (await client.get("albums", name="Mine")).json()] == ["Mine"]


@pytest.mark.parametrize("version", VERSIONS)
async def test_dates_are_local_days(library: Library, version: str) -> None:
    library.add_album("Los Angeles", [library.add_asset(local="2026-06-30T23:30", offset_hours=-7)])
    library.add_album("Empty")
    empty, album = (await Client(library, version).get("albums")).json()
    assert album["startDate"] == album["endDate"] == "2026-06-30T00:00:00.000Z"
    assert empty.keys() == album.keys() - {"startDate", "endDate", "lastModifiedAssetTimestamp"}


async def test_only_2_x_shows_assets(library: Library) -> None:
    album = library.add_album("Some", [library.add_asset(owner=user(library, "Cleo")), library.add_asset()])
    old, new = Client(library, "2.5.6"), Client(library, "3.1.0")
    assert len((await old.get(f"albums/{album.id}")).json()["assets"]) == 2
    assert (await old.get(f"albums/{album.id}", withoutAssets="true")).json()["assets"] == []
    assert "assets" not in (await new.get(f"albums/{album.id}")).json()


@pytest.mark.parametrize("version", VERSIONS)
async def test_the_count_has_timeline_and_archived_untrashed(library: Library, version: str) -> None:
    kinds = ({}, {"visibility": "archive"}, {"visibility": "hidden"}, {"is_trashed": True})
    album = library.add_album("Some", [library.add_asset(**kind) for kind in kinds])
    assert (await Client(library, version).get(f"albums/{album.id}")).json()["assetCount"] == 2


@pytest.mark.parametrize("version", VERSIONS)
async def test_adding_answers_per_id(library: Library, version: str) -> None:
    ben, cleo = user(library, "Ben"), user(library, "Cleo")
    inside = library.add_asset()
    album = library.add_album("Some", [inside])
    cases = [
        (inside.id, "duplicate"),
        (library.add_asset().id, None),
        (library.add_asset(owner=ben).id, None),
        (library.add_asset(owner=ben, visibility="archive").id, "no_permission"),
        (library.add_asset(owner=ben, visibility="locked").id, "no_permission"),
        (library.add_asset(owner=ben, is_trashed=True).id, "no_permission"),
        (library.add_asset(owner=cleo).id, "no_permission"),
        (library.new_id(), "no_permission"),
        (library.add_asset(visibility="locked").id, "no_permission"),
        (library.add_asset(visibility="hidden").id, None),
        (library.add_asset(is_trashed=True).id, None),
    ]
    client = Client(library, version)
    ids = [asset_id for asset_id, _ in cases]
    answer = await client.put(f"albums/{album.id}/assets", {"ids": [*ids, ids[1]]})
    assert [row.get("error") for row in answer.json()] == [*(error for _, error in cases), "duplicate"]
    assert (await client.get(f"albums/{album.id}")).json()["assetCount"] == 3
    [write] = client.server.journal.writes()
    assert (write.applied, write.album_id, len(write.added)) == (True, album.id, 4)


async def test_refused_writes_leave_no_trace(library: Library) -> None:
    cleo = user(library, "Cleo")
    viewing = library.add_album("Viewing", owner=cleo, members={library.me.id: "viewer"})
    client, asset = Client(library), library.add_asset()
    for album_id, ids in ((viewing.id, [asset.id]), (library.new_id(), [asset.id]), (viewing.id, ["zzz"])):
        assert (await client.put(f"albums/{album_id}/assets", {"ids": ids})).status_code == 400
    assert [write.applied for write in client.server.journal.writes()] == [False] * 3
    assert viewing.asset_ids == []


@pytest.mark.parametrize("version", VERSIONS)
async def test_creating_drops_ids_silently(library: Library, version: str) -> None:
    mine, foreign = library.add_asset(), library.add_asset(owner=user(library, "Cleo"))
    client = Client(library, version)
    for name in ("Same", "Same", "", " untrimmed ", "x" * 5000):
        answer = await client.post("albums", {"albumName": name, "assetIds": [foreign.id, mine.id, library.new_id()]})
        assert (answer.status_code, answer.json()["assetCount"]) == (201, 1)
    assert [len(write.added) for write in client.server.journal.applied()] == [1] * 5


@pytest.mark.parametrize(("version", "statuses"), [("2.5.6", [200, 500]), ("3.1.0", [200, 200])])
async def test_overlapping_adds(library: Library, version: str, statuses: list[int]) -> None:
    album = library.add_album("Some")
    ids = [library.add_asset().id for _ in range(3)]
    client = Client(library, version)
    client.server.faults.write_delay_ms = 20
    answers = await asyncio.gather(
        client.put(f"albums/{album.id}/assets", {"ids": ids[:2]}),
        client.put(f"albums/{album.id}/assets", {"ids": ids[1:]}),
    )
    assert sorted(a.status_code for a in answers) == statuses
    assert len(album.asset_ids) == (2 if version == "2.5.6" else 3)

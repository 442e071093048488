"""Keys, permissions and error bodies of the look-alike, and names: suggestions and persons."""

from __future__ import annotations

from typing import Any

import pytest

from service.demo.household import household
from service.demo.library import Library, Place
from service.demo.lookalike import DEMO_KEY, PERMISSIONS, KeySpec
from tests.demo.clients import VERSIONS, Client

CALLS: tuple[tuple[str, str, str | None], ...] = (
    ("GET", "server/version", None),
    ("GET", "api-keys/me", None),
    ("GET", "albums", "album.read"),
    ("GET", "albums/{album}", "album.read"),
    ("GET", "search/suggestions?type=state", "asset.read"),
    ("GET", "search/person?name=a", "person.read"),
    ("GET", "people", "person.read"),
    ("POST", "search/metadata", "asset.read"),
    ("POST", "search/smart", "asset.read"),
    ("POST", "search/statistics", "asset.statistics"),
    ("POST", "albums", "album.create"),
    ("PUT", "albums/{album}/assets", "albumAsset.create"),
    ("GET", "assets/{asset}/thumbnail", "asset.view"),
)
BODY = {"albumName": "X", "ids": [], "query": "x"}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("method", "path", "permission"), CALLS)
async def test_each_call_needs_its_permission(version: str, method: str, path: str, permission: str | None) -> None:
    library = Library()
    names = {"album": library.add_album("Some").id, "asset": library.add_asset().id}
    client = Client(library, version, {DEMO_KEY: KeySpec("some", PERMISSIONS | {"asset.view"})})
    body = BODY if method != "GET" else None
    answer = await client.http.request(method, path.format(**names), json=body)
    assert answer.status_code in (200, 201)
    if permission is not None:
        client.server.keys[DEMO_KEY] = KeySpec("less", (PERMISSIONS | {"asset.view"}) - {permission})
        refused = await client.http.request(method, path.format(**names), json=body)
        assert refused.status_code == 403
        assert refused.json()["message"] == f"Missing required permission: {permission}"


@pytest.mark.parametrize("version", VERSIONS)
async def test_bad_keys(version: str) -> None:
    client = Client(Library(), version)
    del client.http.headers["x-api-key"]
    assert (await client.get("albums")).json()["message"] == "Authentication required"
    assert (await client.get("server/version")).status_code == 200
    client.http.headers["x-api-key"] = "nope"
    assert (await client.get("albums")).json()["message"] == "Invalid API key"


async def test_a_session_cookie_beats_the_key() -> None:
    client = Client(Library())
    client.http.headers["cookie"] = "immich_access_token=old"
    assert (await client.get("albums")).status_code == 401


@pytest.mark.parametrize(("method", "path"), [("DELETE", "albums"), ("GET", "trash"), ("PATCH", "albums/x")])
async def test_anything_else_is_unknown(method: str, path: str) -> None:
    answer = await Client(Library()).http.request(method, path)
    assert (answer.status_code, answer.json()) == (404, {"message": f"Cannot {method} /api/{path}"})


async def test_the_demo_key_tells_its_permissions() -> None:
    answer = (await Client(Library()).get("api-keys/me")).json()
    assert set(answer["permissions"]) == PERMISSIONS


@pytest.mark.parametrize("version", ["2", "three.1.0", ""])
def test_versions_must_be_numbers(version: str) -> None:
    with pytest.raises(ValueError, match="not an Immich version"):
        Client(Library(), version)


async def test_thumbnails_are_jpegs() -> None:
    library = Library()
    one, other = library.add_asset(), library.add_asset()
    client = Client(library, keys={DEMO_KEY: KeySpec("all", {"all"})})
    pictures = [await client.get(f"assets/{asset.id}/thumbnail") for asset in (one, other)]
    for picture in pictures:
        assert picture.headers["content-type"] == "image/jpeg"
        assert picture.content.startswith(b"\xff\xd8\xff\xe0\x00\x10JFIF")
        assert picture.content.endswith(b"\xff\xd9")
    assert pictures[0].content != pictures[1].content


# names


async def test_suggestions_narrow_exactly() -> None:
    client = Client(household())
    countries = (await client.get("search/suggestions", type="country")).json()
    assert countries == ["Brazil", "Canada", "Japan", "Portugal", "United States of America"]
    assert (await client.get("search/suggestions", type="state", country="Canada")).json() == ["Québec"]
    assert (await client.get("search/suggestions", type="state", country="canada")).json() == []
    assert "Kennebunk" in (await client.get("search/suggestions", type="city", state="Maine")).json()


async def test_suggestions_know_only_the_timeline_of_me_and_partners() -> None:
    library = Library()
    ben, cleo = library.add_user("Ben", partner=True), library.add_user("Cleo")
    hidden: list[dict[str, Any]] = [{"owner": cleo}, {"visibility": "archive"}, {"is_trashed": True}]
    for n, fields in enumerate([{"owner": ben}, {}, *hidden]):
        library.add_asset(place=Place(f"City {n}", None, None), **fields)
    assert (await Client(library).get("search/suggestions", type="city")).json() == ["City 0", "City 1"]


@pytest.mark.parametrize(
    ("version", "name", "found"),
    [
        ("2.5.6", "MARIA", ["Maria Lopez", "Maria Lopes"]),
        ("2.5.6", "lope", ["Maria Lopez", "Maria Lopes"]),
        ("2.5.6", "opez", []),
        ("2.5.6", "jose", []),
        ("2.5.6", "Maria Lopez", ["Maria Lopez"]),
        ("3.1.0", "Maria Lopez", ["Maria Lopez", "Maria Lopes"]),
        ("3.1.0", "jose", ["José Ávila"]),
        ("3.3.1", "Ted", []),
    ],
)
async def test_persons_are_found_as_each_version_does(version: str, name: str, found: list[str]) -> None:
    answer = await Client(household(), version).get("search/person", name=name)
    assert [person["name"] for person in answer.json()] == found


@pytest.mark.parametrize("version", VERSIONS)
async def test_people_are_paged(version: str) -> None:
    client = Client(household(), version)
    first = (await client.get("people", page="1", size="3", withHidden="false")).json()
    second = (await client.get("people", page="2", size="3", withHidden="false")).json()
    names = [person["name"] for person in first["people"] + second["people"]]
    assert names == ["Simba", "Maria Lopez", "José Ávila", "Maria Lopes"]
    assert (first["hasNextPage"], second["hasNextPage"], first["total"], first["hidden"]) == (True, False, 6, 1)
    everyone = (await client.get("people", withHidden="true")).json()["people"]
    assert "Uncle Ted" in [person["name"] for person in everyone]

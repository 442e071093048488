"""Between us and Immich: every failure has a name and says what to do, and none of them looks like "no photos"."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from service.demo import faults
from service.demo.library import Library
from service.immich.client import ALLOWED, UUID
from tests.cases.libraries import library, shoot
from tests.cases.writing import gaps_previewed, previewed
from tests.harness import VERSIONS, Box, check_problem, tripbook

DAY = {"taken_after": "2025-08-04", "taken_before": "2025-08-04"}
PAGE = "<!DOCTYPE html><html><body>Sign in to continue, please</body></html>"
FAILURES: dict[str, tuple[faults.Action, int, str]] = {
    "400": (faults.status(400), 502, "immich_error"),
    "401": (faults.status(401, {"message": "Invalid API key"}), 502, "immich_refused_key"),
    "403": (faults.status(403, {"message": "Forbidden"}), 502, "immich_missing_permission"),
    "404": (faults.status(404, {"message": "Cannot POST /api/search/metadata"}), 502, "immich_error"),
    "409": (faults.status(409), 502, "immich_error"),
    "429": (faults.status(429), 503, "immich_unreachable"),
    "500": (faults.status(500), 502, "immich_error"),
    "502": (faults.status(502, PAGE, content_type="text/html"), 503, "immich_unreachable"),
    "503": (faults.status(503), 503, "immich_unreachable"),
    "504": (faults.status(504, PAGE, content_type="text/html"), 504, "immich_timeout"),
    "maintenance": (faults.status(503, {"message": "Immich is in maintenance mode"}), 503, "immich_maintenance"),
    "reset": (faults.reset(), 503, "immich_unreachable"),
    "cut": (faults.half_json(), 502, "immich_bad_answer"),
    "html": (faults.html(), 502, "immich_bad_answer"),
    "redirect": (faults.redirect("https://login.example/in?next=1"), 502, "immich_redirects"),
    "empty": (faults.raw(""), 502, "immich_bad_answer"),
    "list": (faults.raw("[]"), 502, "immich_bad_answer"),
    "null": (faults.raw('{"assets": null}'), 502, "immich_bad_answer"),
}


async def no_sleep(seconds: float) -> None:
    """Retries wait for nobody here."""


@pytest.fixture(scope="module")
def two_pages() -> Library:
    made = library()
    photos = shoot(made, "2025-08-04", 1_200)
    made.add_album("Begun", photos[:1])
    return made


@pytest.mark.parametrize("version", ["3.1.0", "3.3.1"])
async def test_net_01_no_failure_on_any_page_looks_like_no_photos(version: str, two_pages: Library) -> None:
    async with tripbook(two_pages, version=version) as box:
        box.tripbook.library.client._sleep = no_sleep
        asks: dict[str, dict[str, Any]] = {
            "search_photos": DAY,
            "preview_album": {"album_name": "New"} | DAY,
            "album_gaps": {"album_id": two_pages.album_named("Begun").id, "pad_days": 0},
            "create_album": await previewed(box),
        }
        for name, (action, status, code) in FAILURES.items():
            for page in (1, 2):
                box.immich.faults.clear()
                box.immich.faults.add(action, path="metadata$", page=page)
                for operation, fields in asks.items():
                    problem = await box.problem(operation, **fields)
                    assert (problem["status"], problem["code"]) == (status, code), (name, page, operation)
                    assert not {"total", "missing_count", "added", "preview_token"} & set(problem)
                    assert "Sign in" not in str(problem)
        box.immich.faults.clear()
        assert box.writes == []
        assert (await box.call("search_photos", **DAY))["total"] == 1_200


FINE = "fine"
ALBUM = "GET albums/[0-9a-f-]{36}"
# What each request of ours makes of a failure, where that is not FAILURES' own code.
ROUTES: dict[str, dict[str, str]] = {
    "GET server/version": {},
    # The proof of the search style comes first: 400 is how an Immich says that it does not know a filter.
    "POST search/statistics": {"400": "immich_bad_answer"},
    "POST search/metadata": {},
    # An empty list of albums is an answer.
    "GET albums": {"list": FINE},
    # Immich's words for an album that is not there, or not for this key.
    ALBUM: {"400": "album_not_found", "404": "album_not_found"},
    "GET search/suggestions": {"list": "unknown_place"},
    "GET people": {},
    "POST search/smart": {"500": "smart_search_unavailable"},
    # An Immich too old to tell what its key may do.
    "GET api-keys/me": {"404": FINE},
}
ALWAYS = ("GET server/version", "POST search/statistics", "GET albums")
CRITERIA = ("GET search/suggestions", "GET people")
USED: dict[str, tuple[str, ...]] = {
    "find_albums": ALWAYS,
    "search_photos": (*ALWAYS, *CRITERIA, "POST search/metadata"),
    "smart_search": (*ALWAYS, *CRITERIA, "POST search/smart"),
    "album_gaps": (*ALWAYS, *CRITERIA, ALBUM, "POST search/metadata"),
    "preview_album": (*ALWAYS, *CRITERIA, "POST search/metadata"),
    "create_album": (*ALWAYS, "POST search/metadata", "GET api-keys/me"),
    "add_to_album": (*ALWAYS, ALBUM, "POST search/metadata", "GET api-keys/me"),
}
# A confirm says it in its own words: the album was there when it was previewed.
CONFIRMS = {"create_album": {}, "add_to_album": {"album_not_found": "album_not_writable"}}


@pytest.mark.parametrize("operation", USED)
@pytest.mark.parametrize("version", ["2.5.6", "3.3.1"])
async def test_net_01_every_failure_of_every_request_has_its_code(version: str, operation: str) -> None:
    made = library()
    place: dict[str, Any] = {"city": "Bergen", "people": [made.add_person("Ana")]}
    trip = made.add_album("Trip", shoot(made, "2025-08-04", 1))
    shoot(made, "2025-08-04", 2, **place)
    criteria = {"city": "Bergen", "person": "Ana"}
    async with tripbook(made, version=version) as box:
        box.tripbook.library.client._sleep = no_sleep
        fields: dict[str, Any] = {
            "find_albums": {},
            "search_photos": criteria,
            "smart_search": {"query": "x"} | criteria,
            "album_gaps": {"album_id": trip.id} | criteria,
            "preview_album": {"album_name": "Other"} | criteria,
            "create_album": await previewed(box, "New", **criteria),
            "add_to_album": await gaps_previewed(box, "Trip"),
        }[operation]
        for route, (name, (action, _, code)) in product(USED[operation], FAILURES.items()):
            expected = ROUTES[route].get(name, code)
            if expected == FINE and operation in CONFIRMS:  # it would be carried out
                continue
            box.tripbook.library.forget()
            box.tripbook.library._own_user = None
            box.immich.faults.clear()
            method, path = route.split()
            rule = box.immich.faults.add(action, method=method, path=f"/api/{path}$")
            answer = await box.post(operation, fields)
            assert rule.hits, (route, name)
            if expected == FINE:
                assert answer.status_code == 200, (route, name)
            else:
                expected = CONFIRMS.get(operation, {}).get(expected, expected)
                assert check_problem(answer)["code"] == expected, (route, name)
        assert box.writes == []
        box.immich.faults.clear()
        assert (await box.post(operation, fields)).status_code == 200


def test_net_01_every_request_of_ours_is_in_the_table() -> None:
    """All that `ALLOWED` lets out, but the two writes (tests/faults) and one that nothing sends yet."""
    assert set(ROUTES) == {route for used in USED.values() for route in used}
    reads = {f"{method} {path.pattern}" for method, path in ALLOWED if method == "GET" or "search" in path.pattern}
    assert {route.replace("[0-9a-f-]{36}", UUID) for route in ROUTES} == reads - {"GET search/person"}


async def test_net_01_an_immich_too_old_to_tell_permissions_may_still_be_written_to() -> None:
    made = library()
    shoot(made, "2025-08-04", 2)
    async with tripbook(made) as box:
        box.immich.faults.add(FAILURES["404"][0], path="api-keys/me$")
        assert (await box.call("create_album", **await previewed(box)))["added"] == 2


async def test_net_01_an_answer_that_never_comes_is_a_timeout(two_pages: Library) -> None:
    async with tripbook(two_pages, network=True, immich_timeout=2) as box:
        for page in (1, 2):
            box.immich.faults.clear()
            box.immich.faults.add(faults.timeout(), path="metadata$", page=page)
            problem = await box.problem("search_photos", **DAY)
            assert (problem["status"], problem["code"]) == (504, "immich_timeout")


async def test_net_02_a_redirect_is_named_and_never_followed() -> None:
    made = library()
    shoot(made, "2025-08-04", 1)
    async with tripbook(made) as box:
        box.immich.faults.add(faults.redirect("https://h.example/api/server/version", 301))
        problem = await box.problem("search_photos", **DAY)
        assert problem["code"] == "immich_redirects"
        assert "redirects to https://h.example; set IMMICH_URL to that address" in problem["detail"]
        assert box.paths == ["GET /api/server/version"]


@pytest.mark.parametrize(
    "url", ["http://h:2283", "http://h:2283/", "http://h:2283/api", "http://h:2283/api/", " http://h:2283/api "]
)
async def test_net_03_the_address_may_be_written_any_way(url: str) -> None:
    made = library()
    shoot(made, "2025-08-04", 1)
    async with tripbook(made, immich_url=url) as box:
        assert (await box.call("search_photos", **DAY))["total"] == 1
        assert all(path.split()[1].startswith("/api/") and "/api/api" not in path for path in box.paths)


def under_photos(app: ASGIApp) -> ASGIApp:
    """A proxy that serves Immich below /photos and nothing else."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["path"].startswith("/photos/api/"), scope["path"]
        await app({**scope, "path": scope["path"].removeprefix("/photos")}, receive, send)

    return serve


@pytest.mark.parametrize("url", ["https://h/photos/api", "https://h/photos/", "https://h/photos"])
async def test_net_04_a_sub_path_is_kept(url: str) -> None:
    made = library()
    shoot(made, "2025-08-04", 1)
    async with tripbook(made, immich_url=url, proxy=under_photos) as box:
        receipt = await box.call("create_album", **await previewed(box))
        assert receipt["added"] == 1


async def test_net_06_a_login_page_is_told_and_not_quoted() -> None:
    async with tripbook(library()) as box:
        box.immich.faults.add(faults.html())
        problem = await box.problem("find_albums", query="x")
        assert problem["code"] == "immich_bad_answer"
        assert "web page instead of data" in problem["detail"]
        assert "login portal" in problem["detail"]
        assert "<" not in problem["detail"]


async def test_net_07_a_proxys_504_is_read_again_but_never_written_again_blindly() -> None:
    made = library()
    shoot(made, "2025-08-04", 3)
    late = faults.status(504, PAGE, content_type="text/html")
    async with tripbook(made) as box:
        box.tripbook.library.client._sleep = no_sleep
        box.immich.faults.add(late, path="metadata$", times=1)
        assert (await box.call("search_photos", **DAY))["total"] == 3
        box.immich.faults.add(late, path="metadata$")
        assert (await box.problem("search_photos", **DAY))["code"] == "immich_timeout"
        box.immich.faults.clear()
        confirm = await previewed(box)
        box.immich.faults.add(late, method="POST", path="albums$", times=1)
        assert (await box.problem("create_album", **confirm))["code"] == "outcome_unknown"
        assert len(box.writes) == 1


async def test_net_09_immich_may_start_later() -> None:
    made = library()
    shoot(made, "2025-08-04", 3)
    async with tripbook(made) as box:
        box.tripbook.library.client._sleep = no_sleep
        box.immich.faults.add(faults.reset())
        assert (await box.problem("search_photos", **DAY))["code"] == "immich_unreachable"
        assert (await box.http.get("/healthz")).status_code == 200
        down = await box.get("/readyz")
        assert (down.status_code, down.json()["immich"]) == (503, "immich_unreachable")
        box.immich.faults.clear()
        assert (await box.call("search_photos", **DAY))["total"] == 3
        assert (await box.get("/readyz")).status_code == 200


async def test_net_10_finding_an_album_is_one_list_whatever_the_number() -> None:
    made = library()
    for number in range(300):
        made.add_album(f"Album {number}")
    async with tripbook(made) as box:
        await box.call("find_albums", query="a")
        box.immich.journal.clear()
        found = await box.call("find_albums", query="a")
        assert (len(found["albums"]), found["more"]) == (5, 296)
        assert box.paths == ["GET /api/albums"]


async def waits_of(box: Box, header: str) -> tuple[list[float], Any]:
    slept: list[float] = []

    async def remember(seconds: float) -> None:
        slept.append(seconds)

    box.tripbook.library.client._sleep = remember
    slow_down = faults.status(429, headers={"Retry-After": header})
    box.immich.faults.add(slow_down, path="metadata$", times=1)
    return slept, await box.post("search_photos", DAY)


async def test_net_10_retry_after_is_kept_or_passed_on() -> None:
    made = library()
    shoot(made, "2025-08-04", 3)
    async with tripbook(made) as box:
        slept, answer = await waits_of(box, "2")
        assert (slept, answer.status_code, answer.json()["total"]) == ([2], 200, 3)
        for header, least in (("3600", 3_600), ("Fri, 31 Dec 2100 23:59:59 GMT", 86_400)):
            slept, answer = await waits_of(box, header)
            assert (slept, answer.status_code) == ([], 503)
            assert int(answer.headers["retry-after"]) == answer.json()["retry_after"] == least
        slept, answer = await waits_of(box, "soon")
        assert (len(slept), answer.status_code) == (1, 200)


@pytest.mark.parametrize("version", VERSIONS)
async def test_net_11_our_own_deadline_gives_an_error_not_a_part(version: str) -> None:
    made = library()
    shoot(made, "2025-08-04", 1_200)
    async with tripbook(made, version=version, request_deadline=5) as box:
        await box.call("find_albums")
        box.immich.faults.page_delay_ms = 3_000
        problem = await box.problem("search_photos", **DAY)
        assert (problem["status"], problem["code"]) == (504, "immich_timeout")
        assert "narrow the dates or places" in problem["detail"]
        assert "REQUEST_DEADLINE" in problem["detail"]
        assert "total" not in problem

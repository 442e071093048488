"""What callers may send: who they are, what counts as not given, and how a refusal reads."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from service.demo.library import Library, Place
from tests.harness import PATHS, check_problem, tripbook


def library() -> Library:
    made = Library()
    for i in range(3):
        made.add_asset(local=f"2026-08-0{2 + i}T10:00", place=Place("Rome", "Lazio", "Italy"))
    made.add_album("Rome", [])
    return made


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer x", "Basic dXNlcg==", "Bearer tb_" + "x" * 43])
async def test_without_a_known_token_everything_is_401(authorization: str | None) -> None:
    headers = {} if authorization is None else {"authorization": authorization}
    async with tripbook(library()) as box:
        for path in (*PATHS.values(), "/v1/previews", "/v1/nothing", "/readyz"):
            method = "GET" if path in ("/v1/previews", "/readyz") else "POST"
            response = await box.http.request(method, path, headers=headers, content=b"{not json")
            problem = check_problem(response)
            assert (problem["status"], problem["code"]) == (401, "unauthenticated")
            assert response.headers["www-authenticate"].startswith("Bearer")
        assert box.paths == []


async def test_revoked_and_rotated_tokens_stop_at_once() -> None:
    from service.actions.callers import revoke_caller, rotate_caller

    async with tripbook(library()) as box:
        old = box.tokens["writer"]
        box.tokens["writer"] = await rotate_caller(box.tripbook.db, "writer")
        await box.call("find_albums")
        box.tokens["writer"] = old
        assert (await box.post("find_albums")).status_code == 401
        await revoke_caller(box.tripbook.db, "reader")
        assert (await box.post("find_albums", caller="reader")).status_code == 401


async def test_every_error_is_a_problem_document() -> None:
    async with tripbook(library()) as box:
        headers = {"authorization": f"Bearer {box.tokens['writer']}"}
        for method, path, status, code in (
            ("GET", "/nowhere", 404, "not_found"),
            ("POST", "/v1/nowhere", 404, "not_found"),
            ("GET", "/v1/photos/search", 405, "method_not_allowed"),
            ("DELETE", "/v1/albums", 405, "method_not_allowed"),
            ("GET", "/v1/photos/search/", 404, "not_found"),
            ("POST", "/v1/photos/search/", 404, "not_found"),
            ("GET", "/v1/previews/" + "a" * 16, 404, "preview_not_found"),
            ("GET", "/v1/receipts/x", 404, "receipt_not_found"),
        ):
            response = await box.http.request(method, path, headers=headers)
            problem = check_problem(response)
            assert (problem["status"], problem["code"]) == (status, code), path
            assert response.headers["x-request-id"] == problem["request_id"]
            assert "location" not in response.headers
            if status == 405:
                assert response.headers["allow"]


OPEN_WEBUI = "https://chat.example"


def preflight(origin: str) -> dict[str, str]:
    return {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
    }


async def test_a_browser_of_a_listed_origin_may_ask_without_a_token_whether_it_may_call() -> None:
    async with tripbook(library(), cors_origins=(OPEN_WEBUI,)) as box:
        allowed = await box.http.options(PATHS["search_photos"], headers=preflight(OPEN_WEBUI))
        assert allowed.status_code == 200
        assert allowed.headers["access-control-allow-origin"] == OPEN_WEBUI
        assert "POST" in allowed.headers["access-control-allow-methods"]
        assert "authorization" in allowed.headers["access-control-allow-headers"].lower()
        # A page can read a refusal too, or it would only know that something failed.
        refused = await box.http.post(PATHS["search_photos"], headers={"origin": OPEN_WEBUI})
        assert refused.status_code == 401
        assert refused.headers["access-control-allow-origin"] == OPEN_WEBUI
        headers = {"origin": OPEN_WEBUI, "authorization": f"Bearer {box.tokens['reader']}"}
        found = await box.http.post(PATHS["search_photos"], json={"city": "Rome"}, headers=headers)
        assert (found.status_code, found.headers["access-control-allow-origin"]) == (200, OPEN_WEBUI)


@pytest.mark.parametrize("origins", [(), (OPEN_WEBUI,)])
async def test_a_browser_of_any_other_origin_may_not(origins: tuple[str, ...]) -> None:
    async with tripbook(library(), cors_origins=origins) as box:
        answer = await box.http.options(PATHS["search_photos"], headers=preflight("https://evil.example"))
        assert answer.status_code >= 400
        assert "access-control-allow-origin" not in answer.headers


async def test_an_escape_is_a_500_that_tells_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    async with tripbook(library()) as box:

        async def broken() -> Any:
            raise RuntimeError("secret detail")

        box.tripbook.library.list_albums = broken  # type: ignore[method-assign]
        problem = await box.problem("find_albums")
        assert (problem["status"], problem["code"]) == (500, "internal_error")
        assert "secret detail" not in json.dumps(problem)


NOT_GIVEN = [None, "", "  ", "null", "None", [], ["null"], "undefined"]


@pytest.mark.parametrize("value", NOT_GIVEN)
async def test_not_given_is_tolerated_in_every_optional_field(value: Any) -> None:
    async with tripbook(library()) as box:
        fields = dict.fromkeys(
            ("taken_after", "taken_before", "state", "city", "person", "media", "favorites_only", "samples"), value
        )
        answer = await box.call("search_photos", country="italy", **fields)
        assert (answer["total"], answer["criteria"]) == (3, {"country": "Italy"})
        assert len(answer["samples"]) == 3


@pytest.mark.parametrize("value", NOT_GIVEN)
async def test_only_not_given_fields_are_no_criterion(value: Any) -> None:
    async with tripbook(library()) as box:
        problem = await box.problem("search_photos", state=value, taken_after=value, media="all", favorites_only=False)
        assert (problem["status"], problem["code"]) == (422, "empty_criteria")
        assert box.paths == []


@pytest.mark.parametrize("content", [b"", b"null", b"{}"])
async def test_find_albums_needs_no_body(content: bytes) -> None:
    async with tripbook(library()) as box:
        headers = {"authorization": f"Bearer {box.tokens['reader']}"}
        response = await box.http.post(PATHS["find_albums"], content=content, headers=headers)
        assert response.status_code == 200, response.text
        assert len(response.json()["albums"]) == 1


@pytest.mark.parametrize(
    "content_type",
    [None, "text/plain", "application/x-www-form-urlencoded", "application/octet-stream", "APPLICATION/JSON"],
)
async def test_the_body_is_json_whatever_its_content_type(content_type: str | None) -> None:
    async with tripbook(library()) as box:
        headers = {"authorization": f"Bearer {box.tokens['reader']}"}
        if content_type:
            headers["content-type"] = content_type
        response = await box.http.post(PATHS["search_photos"], content=b'{"country": "Italy"}', headers=headers)
        assert response.status_code == 200, response.text


@pytest.mark.parametrize(("given", "expected"), [("2", 2), (2, 2), (2.0, 2), ('"2"', 2), ("0", 0)])
async def test_whole_numbers_may_come_as_digits(given: Any, expected: int) -> None:
    async with tripbook(library()) as box:
        answer = await box.call("search_photos", country="Italy", samples=given)
        assert len(answer["samples"]) == expected


BAD: list[tuple[str, dict[str, Any], str, str]] = [
    ("search_photos", {"country": "Italy", "samples": True}, "samples", "whole number"),
    ("search_photos", {"country": "Italy", "samples": 1.5}, "samples", "whole number"),
    ("search_photos", {"country": "Italy", "samples": "-1"}, "samples", "whole number"),
    ("search_photos", {"country": "Italy", "samples": 11}, "samples", "at most 10"),
    ("search_photos", {"country": "Italy", "media": "movie"}, "media", "photo, video, all"),
    ("search_photos", {"country": "Italy", "favorites_only": "yes"}, "favorites_only", "true or false"),
    ("search_photos", {"country": ["Italy"]}, "country", "text"),
    ("search_photos", {"country": "I" * 201}, "country", "at most 200"),
    ("search_photos", {"ciy": "Rome"}, "ciy", "known are taken_after, taken_before, state, city"),
    ("search_photos", {"location": "Rome", "dateFrom": "2024-05-01"}, "location", "not a field"),
    ("find_albums", {"name": "Rome"}, "name", "known are query, limit"),
    ("find_albums", {"limit": 26}, "limit", "at most 25"),
    ("smart_search", {"query": "  "}, "query", "must not be empty"),
    ("smart_search", {"query": "cat", "limit": 5000}, "limit", "at most 25"),
    ("smart_search", {}, "query", "is required"),
    ("album_gaps", {"album_id": "Rome"}, "album_id", "as find_albums gives it"),
    ("album_gaps", {"album_id": "1111aaaa-1111-4111-8111-11111111bbbb", "pad_days": 31}, "pad_days", "at most 30"),
    ("preview_album", {"album_name": "\u200b\n", "country": "Italy"}, "album_name", "blank"),
    ("preview_album", {"album_name": "X", "country": "Italy", "description": "x" * 301}, "description", "at most 300"),
    ("create_album", {"preview_token": "x", "expected_count": "many", "album_name": "X"}, "expected_count", "whole"),
    ("create_album", {"preview_token": "x", "expected_count": True, "album_name": "X"}, "expected_count", "whole"),
    ("create_album", {"confirm": True, "album_name": "X"}, "confirm", "not a field"),
]


@pytest.mark.parametrize(("operation", "fields", "field", "said"), BAD)
async def test_bad_input_names_the_field_and_the_remedy(
    operation: str, fields: dict[str, Any], field: str, said: str
) -> None:
    async with tripbook(library()) as box:
        problem = await box.problem(operation, **fields)
        assert (problem["status"], problem["code"]) == (422, "invalid_request")
        messages = {item["field"]: item["message"] for item in problem["fields"]}
        assert said in messages[field]
        assert field in problem["detail"]
        assert box.paths == []


BAD_DATES = [
    "03/04/2024", "2024-02-30", "2023-02-29", "2024-13-01", "2024-6-1", "20240601", "last summer", "yesterday",
    "2024-06-01T00:00:00Z", "２０２４-06-01", 20240601, "0000-01-01",
]  # fmt: skip


@pytest.mark.parametrize("value", BAD_DATES)
async def test_dates_are_never_guessed(value: Any) -> None:
    async with tripbook(library()) as box:
        problem = await box.problem("search_photos", taken_after=value, taken_before="2024-06-30")
        assert problem["code"] == "invalid_request"
        assert problem["fields"][0]["field"] == "taken_after"
        assert "YYYY-MM-DD" in problem["detail"]
        assert box.paths == []


async def test_reversed_dates_name_both_fields() -> None:
    async with tripbook(library()) as box:
        problem = await box.problem("search_photos", taken_after="2024-08-20", taken_before="2024-08-10")
        assert problem["code"] == "invalid_request"
        assert "taken_before (2024-08-10)" in problem["detail"]
        assert "taken_after (2024-08-20)" in problem["detail"]
        assert (await box.call("search_photos", taken_after="2024-02-29"))["total"] == 3


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"\xff\xfe{", 400),
        (b"{not json", 422),
        (b'"text"', 422),
        (b"[1]", 422),
        (b"", 422),
        (b'{"country": "\\ud800"}', 422),
        (b"[" * 20_000, 400),
        (b'{"country": NaN}', 422),
    ],
)
async def test_bodies_that_are_no_object(content: bytes, status: int) -> None:
    async with tripbook(library()) as box:
        headers = {"authorization": f"Bearer {box.tokens['reader']}"}
        response = await box.http.post(PATHS["search_photos"], content=content, headers=headers)
        problem = check_problem(response)
        assert (problem["status"], problem["code"]) == (status, "invalid_request")


async def test_a_body_over_the_limit_is_refused_unread() -> None:
    async with tripbook(library()) as box:
        headers = {"authorization": f"Bearer {box.tokens['reader']}"}
        body = b'{"country": "' + b"x" * 70_000 + b'"}'
        for send in (body, _in_parts(body)):
            problem = check_problem(await box.http.post(PATHS["search_photos"], content=send, headers=headers))
            assert (problem["status"], problem["code"]) == (422, "invalid_request")
            assert "64 kB" in problem["detail"]


async def _in_parts(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), 10_000):
        yield body[start : start + 10_000]


async def test_a_query_parameter_that_does_not_exist_is_refused() -> None:
    async with tripbook(library()) as box:
        assert (await box.get("/v1/albums", query="rome")).json()["albums"][0]["name"] == "Rome"
        problem = check_problem(await box.get("/v1/albums", name="rome"))
        assert problem["code"] == "invalid_request"
        problem = check_problem(await box.get("/v1/previews", cursor="not-ours"))
        assert "next_cursor" in problem["detail"]


async def test_unknown_places_come_with_suggestions() -> None:
    async with tripbook(library()) as box:
        problem = await box.problem("search_photos", city="Roma")
        assert (problem["status"], problem["code"]) == (404, "unknown_place")
        assert problem["suggestions"] == ["Rome"]
        problem = await box.problem("search_photos", city="Lazio")
        assert "is a state: pass it as state" in problem["detail"]
        problem = await box.problem("search_photos", state="Kyoto")
        assert problem["suggestions"] == ["Lazio"]


async def test_readyz_names_what_is_wrong() -> None:
    from service.demo.faults import FaultRule, status
    from service.demo.lookalike import DEMO_KEY, PERMISSIONS, KeySpec

    async with tripbook(library()) as box:
        report = (await box.get("/readyz", caller="reader")).json()
        assert report["ready"] is True
        assert (report["immich_version"], report["search_style"]) == ("3.3.1", "filter")
        box.immich.faults.rules = [FaultRule(status(401, {"message": "Invalid API key"}))]
        response = await box.get("/readyz")
        assert (response.status_code, response.json()["immich"]) == (503, "immich_refused_key")
        assert (await box.http.get("/healthz")).json() == {"status": "ok"}
    keys = {DEMO_KEY: KeySpec("small", PERMISSIONS - {"asset.statistics"})}
    async with tripbook(library(), keys=keys) as box:
        report = (await box.get("/readyz")).json()
        assert report["missing_permissions"] == ["asset.statistics"]
        problem = await box.problem("search_photos", country="Italy")
        assert problem["code"] == "immich_missing_permission"
        assert "asset.statistics" in problem["detail"]


@pytest.mark.parametrize(
    ("host", "status"),
    [("tripbook.example", 200), ("TRIPBOOK.example:8000", 200), ("a.home.example", 200), ("evil.example", 400)],
)
async def test_only_allowed_hosts_are_answered_for(host: str, status: int) -> None:
    async with tripbook(library(), allowed_hosts="tripbook.example,*.home.example") as box:
        response = await box.http.get("/healthz", headers={"host": host})
        assert response.status_code == status
        if status == 400:
            assert "ALLOWED_HOSTS" in check_problem(response)["detail"]


async def test_a_hasty_caller_waits_and_others_do_not() -> None:
    async with tripbook(library(), rate_limit="3/minute") as box:
        for _ in range(3):
            await box.call("find_albums")
        response = await box.post("find_albums")
        problem = check_problem(response)
        assert (problem["status"], problem["code"]) == (429, "rate_limited")
        assert 1 <= int(response.headers["retry-after"]) <= 61
        assert problem["retry_after"] == int(response.headers["retry-after"])
        await box.call("find_albums", caller="reader")

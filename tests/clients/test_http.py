"""Every outcome of a call is one text; the address and the token go where the user said, nowhere else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from clients.http import MAX_ANSWER_BYTES, SpecUnavailable, TripbookCaller, clean_token, clean_url
from clients.spec import Operation, read_operations
from service.demo.household import household
from tests.clients.documents import OURS
from tests.harness import tripbook

OPERATIONS = {operation.name: operation for operation in read_operations(OURS)}
URL = "https://tripbook.example"
NO_PREVIEW = {"preview_token": "x", "expected_count": 1, "album_name": "y"}


def answering(respond: Callable[[httpx.Request], httpx.Response]) -> TripbookCaller:
    return TripbookCaller("http://tripbook.test", "tb_secret", transport=httpx.MockTransport(respond))


async def call(respond: Callable[[httpx.Request], httpx.Response]) -> Any:
    return await answering(respond).call(OPERATIONS["find_albums"], {"query": "maine"})


async def test_an_answer_is_compact_json_of_the_service() -> None:
    async with tripbook(household()) as box:
        caller = TripbookCaller(URL, box.tokens["writer"], transport=httpx.ASGITransport(box.app))
        answer = await caller.call(OPERATIONS["search_photos"], {"state": "maine"})
        assert answer.ok
        assert json.loads(answer.text)["total"] == 398
        assert '": ' not in answer.text.split('"file"')[0]
        assert list(read_operations(await caller.fetch_document())) == list(OPERATIONS.values())


@pytest.mark.parametrize(
    ("name", "arguments", "code", "text"),
    [
        ("search_photos", {"ciy": "Rome"}, "invalid_request", "ciy: is not a field here, known are taken_after"),
        ("search_photos", {}, "empty_criteria", "No search criterion: "),
        ("search_photos", {"person": "Nobody"}, "unknown_person", "No such person in the library: "),
        ("create_album", NO_PREVIEW, "invalid_token", "Preview token not valid: "),
    ],
)
async def test_a_problem_is_one_short_text(name: str, arguments: dict[str, Any], code: str, text: str) -> None:
    async with tripbook(household()) as box:
        caller = TripbookCaller(URL, box.tokens["writer"], transport=httpx.ASGITransport(box.app))
        answer = await caller.call(OPERATIONS[name], arguments)
        assert (answer.ok, answer.code) == (False, code)
        assert text in answer.text
        assert len(answer.text) < 600


async def test_an_unknown_token_and_a_missing_scope_say_so() -> None:
    async with tripbook(household()) as box:
        transport = httpx.ASGITransport(box.app)
        wrong = await TripbookCaller(URL, "tb_wrong", transport=transport).call(OPERATIONS["find_albums"], {})
        assert wrong.text.startswith("No valid token: ")
        reader = TripbookCaller(URL, box.tokens["reader"], transport=transport)
        refused = await reader.call(OPERATIONS["preview_album"], {"album_name": "x", "state": "Maine"})
        assert refused.code == "missing_scope"


async def test_what_the_next_call_needs_is_in_the_text() -> None:
    problem = {
        "title": "Several persons fit",
        "detail": "2 persons fit.",
        "code": "ambiguous_person",
        "candidates": [{"id": "a", "name": "Ann"}],
        "request_id": "r",
    }
    answer = await call(lambda _: httpx.Response(409, json=problem))
    assert answer.text == 'Several persons fit: 2 persons fit. {"candidates":[{"id":"a","name":"Ann"}]}'
    said = problem | {"detail": "Nearest: Ann.", "suggestions": ["Ann"], "candidates": None}
    assert (await call(lambda _: httpx.Response(404, json=said))).text == "Several persons fit: Nearest: Ann."


@pytest.mark.parametrize(
    ("response", "code", "text"),
    [
        (httpx.Response(200, text="<html>Sign in</html>"), "bad_answer", "Not Tripbook's answer: "),
        (httpx.Response(200, json=[1]), "bad_answer", "Not Tripbook's answer: "),
        (httpx.Response(200, text="[" * 100_000), "bad_answer", "Not Tripbook's answer: "),
        (httpx.Response(302, headers={"location": "http://evil.example"}), "bad_answer", "Tripbook redirects: "),
        (httpx.Response(502, text="Bad Gateway"), "bad_answer", "HTTP 502: "),
        (httpx.Response(500, json={"error": "x"}), "bad_answer", "HTTP 500: "),
        (httpx.Response(500, json={"title": 1, "detail": []}), "bad_answer", "HTTP 500: "),
        (httpx.Response(200, content=b"x" * (MAX_ANSWER_BYTES + 1)), "bad_answer", "Answer too large: "),
    ],
)
async def test_what_is_not_tripbooks_own_is_an_error_too(response: httpx.Response, code: str, text: str) -> None:
    seen: list[httpx.URL] = []

    def respond(request: httpx.Request) -> httpx.Response:
        seen.append(request.url)
        return response

    answer = await call(respond)
    assert (answer.ok, answer.code) == (False, code)
    assert answer.text.startswith(text)
    assert [url.host for url in seen] == ["tripbook.test"]


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (httpx.ConnectError("refused tb_secret"), "Tripbook cannot be reached: "),
        (httpx.ReadTimeout("late"), "Tripbook took too long: "),
        (httpx.RemoteProtocolError("rubbish"), "Tripbook cannot be reached: "),
    ],
)
async def test_silence_is_an_answer_and_tells_no_token(failure: Exception, text: str) -> None:
    def respond(request: httpx.Request) -> httpx.Response:
        raise failure

    answer = await call(respond)
    assert (answer.status, answer.code) == (0, "unreachable")
    assert answer.text.startswith(text)
    assert "tb_secret" not in answer.text


async def test_arguments_go_out_as_they_are() -> None:
    sent: list[Any] = []

    def respond(request: httpx.Request) -> httpx.Response:
        sent.append((str(request.url), json.loads(request.content), request.headers["authorization"]))
        return httpx.Response(200, json={})

    caller = TripbookCaller("http://tripbook.test/photos/", "tb_secret", transport=httpx.MockTransport(respond))
    odd = {"ciy": "Rome", "state": None, "city": "", "x": [{"y": 1}]}
    assert (await caller.call(OPERATIONS["find_albums"], odd)).ok
    assert sent == [("http://tripbook.test/photos/v1/albums/find", odd, "Bearer tb_secret")]
    assert (await caller.call(OPERATIONS["find_albums"], {"x": object()})).text.startswith("Request not understood: ")


async def test_a_documents_servers_are_not_asked() -> None:
    asked: list[str] = []

    def respond(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(200, json=OURS | {"servers": [{"url": "https://evil.example"}]})

    caller = answering(respond)
    operation: Operation = read_operations(await caller.fetch_document())[0]
    await caller.call(operation, {})
    assert set(asked) == {"tripbook.test"}


@pytest.mark.parametrize(
    "response", [httpx.Response(200, json={"x": 1}), httpx.Response(404), httpx.Response(200, text="<html>")]
)
async def test_a_missing_document_says_why(response: httpx.Response) -> None:
    with pytest.raises(SpecUnavailable, match="check the address"):
        await answering(lambda _: response).fetch_document()


@pytest.mark.parametrize(
    "url", ["", "tripbook", "ftp://x", "http://", "http://user:pw@x", "http://x?y=1", "http://x#y"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="must look like"):
        clean_url(url)


@pytest.mark.parametrize("token", ["tb_ä", "tb a", "tb\r\nX: y"])
def test_a_token_that_is_none_is_refused_without_repeating_it(token: str) -> None:
    with pytest.raises(ValueError, match="characters") as refused:
        clean_token(token)
    assert token not in str(refused.value)

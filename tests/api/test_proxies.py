"""TRUSTED_PROXIES: whose address the log names when somebody comes with an unknown token."""

from __future__ import annotations

import httpx
import pytest
from structlog.testing import capture_logs

from service.demo.library import Library
from tests.harness import tripbook

PROXY, STRANGER, CLIENT = "172.17.0.2", "198.51.100.7", "203.0.113.9"
NETWORK = "172.17.0.0/16"


async def logged_client(peer: str, forwarded: str | None, **settings: str) -> str:
    """The address logged for an unknown token that came from `peer` with this X-Forwarded-For."""
    headers = {"authorization": "Bearer tb_" + "x" * 43}
    if forwarded is not None:
        headers["x-forwarded-for"] = forwarded
    async with tripbook(Library(), **settings) as box:
        own = httpx.ASGITransport(app=box.app, client=(peer, 4711))
        async with httpx.AsyncClient(transport=own, base_url="https://tripbook.example") as http:
            with capture_logs() as lines:
                assert (await http.post("/v1/albums/find", headers=headers)).status_code == 401
        assert box.paths == []
    [line] = [line for line in lines if line["event"] == "unknown token"]
    return str(line["client"])


@pytest.mark.parametrize("forwarded", [None, CLIENT, f"{STRANGER}, {CLIENT}"])
async def test_without_the_setting_nobody_is_believed(forwarded: str | None) -> None:
    assert await logged_client(PROXY, forwarded) == PROXY


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "logged"),
    [
        (PROXY, PROXY, CLIENT, CLIENT),
        (NETWORK, PROXY, CLIENT, CLIENT),
        (f"10.0.0.1, {NETWORK}", PROXY, CLIENT, CLIENT),
        (NETWORK, PROXY, None, PROXY),
        # Another peer says what it likes.
        (NETWORK, STRANGER, CLIENT, STRANGER),
        (PROXY, "172.17.0.3", CLIENT, "172.17.0.3"),
        # What a client wrote in front is not believed, only what the trusted ones added.
        (NETWORK, PROXY, f"{STRANGER}, {CLIENT}", CLIENT),
        (NETWORK, PROXY, f"{STRANGER}, {CLIENT}, 172.17.0.9", CLIENT),
    ],
)
async def test_a_trusted_proxy_is_believed_and_nobody_else(
    trusted: str, peer: str, forwarded: str | None, logged: str
) -> None:
    assert await logged_client(peer, forwarded, trusted_proxies=trusted) == logged

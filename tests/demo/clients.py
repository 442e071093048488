"""An httpx client on a look-alike without a network."""

from __future__ import annotations

from typing import Any

import httpx

from service.demo.app import create_lookalike
from service.demo.library import Library
from service.demo.lookalike import DEMO_KEY, KeySpec, LookAlike

VERSIONS = ("2.5.6", "3.1.0", "3.3.1")


class Client:
    """`server` is the state behind it, everything else a request."""

    def __init__(self, library: Library, version: str = "3.3.1", keys: dict[str, KeySpec] | None = None) -> None:
        app = create_lookalike(library, version=version, keys=keys)
        self.server: LookAlike = app.state.immich
        self.http = httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://immich/api", headers={"x-api-key": DEMO_KEY}
        )

    async def get(self, path: str, **query: str) -> httpx.Response:
        return await self.http.get(path, params=query)

    async def post(self, path: str, body: Any) -> httpx.Response:
        return await self.http.post(path, json=body)

    async def put(self, path: str, body: Any) -> httpx.Response:
        return await self.http.put(path, json=body)

    async def found(self, body: dict[str, Any]) -> list[str]:
        """File names on one page of a metadata search."""
        answer = await self.post("search/metadata", body)
        assert answer.status_code == 200, answer.text
        return [item["originalFileName"] for item in answer.json()["assets"]["items"]]

    async def count(self, body: dict[str, Any]) -> int:
        answer = await self.post("search/statistics", body)
        assert answer.status_code == 200, answer.text
        total: int = answer.json()["total"]
        return total

"""What every probe checks, with the standard library only: it runs inside each consumer's own environment.

A probe says which tools its client shows a model and how it calls one; this compares the tools with the document,
plays scenario B, tries misspelt filters, and prints one JSON line. An AssertionError fails the run.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

URL = os.environ.get("TRIPBOOK_URL", "")
TOKEN = os.environ.get("TRIPBOOK_TOKEN", "")
AUGUST = {"taken_after": "2026-08-02", "taken_before": "2026-08-09"}
BOUNDS = {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}
Call = Callable[[str, dict[str, Any]], Awaitable[tuple[bool, str]]]


def fetch_document() -> dict[str, Any]:
    with urllib.request.urlopen(f"{URL}/openapi.json", timeout=30) as answer:
        return json.load(answer)


def tool(name: str, description: str | None, parameters: Any) -> dict[str, Any]:
    """A tool in the shape in which chat servers get it."""
    function = {"name": name, "description": description or "", "parameters": parameters}
    return {"type": "function", "function": function}


def expected(document: dict[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Name → description and resolved request schema."""
    found = {}
    for item in document["paths"].values():
        operation = item["post"]
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        found[operation["operationId"]] = (operation["description"], schema)
    return found


def losses(tools: list[dict[str, Any]], prefix: str = "") -> list[str]:
    """What of the document's tools does not reach the model; names, types, enums and descriptions must."""
    wanted = expected(fetch_document())
    seen = {entry["function"]["name"].removeprefix(prefix): entry["function"] for entry in tools}
    assert set(seen) <= set(wanted), set(seen) - set(wanted)
    lost: set[str] = set()
    for name, function in seen.items():
        description, schema = wanted[name]
        assert function["description"].startswith(description), name
        fields = function["parameters"]["properties"]
        assert list(fields) == list(schema["properties"]), name
        assert function["parameters"].get("required", []) == schema.get("required", []), name
        lost |= {kind for field, whole in schema["properties"].items() for kind in _lost(fields[field], whole)}
    return sorted(lost)


def _lost(seen: dict[str, Any], whole: dict[str, Any]) -> Iterator[str]:
    for key in ("type", "enum", "description"):
        assert seen.get(key) == whole.get(key), (key, seen, whole)
    if seen.get("format") != whole.get("format"):
        yield "formats"
    if any(seen.get(bound) != whole.get(bound) for bound in BOUNDS):
        yield "limits"


async def scenario_b(call: Call, album: str = "Maine 2026") -> None:
    """Find nothing, search, preview, a wrong count is refused, the right one writes once."""
    assert (await _answer(call, "find_albums", query=album))["albums"] == []
    maine = await _answer(call, "search_photos", state="Maine")
    assert (maine["total"], maine["criteria"]) == (398, {"state": "Maine"})
    preview = await _answer(call, "preview_album", album_name=album, **AUGUST)
    assert preview["count"] == 455
    token = preview["preview_token"]
    ok, text = await call("create_album", {"preview_token": token, "expected_count": 454, "album_name": album})
    assert not ok, text
    assert "455" in text, text
    confirm = {"preview_token": token, "expected_count": 455, "album_name": album}
    assert (await _answer(call, "create_album", **confirm))["added"] == 455
    assert (await _answer(call, "create_album", **confirm))["replayed"] is True
    assert [found["name"] for found in (await _answer(call, "find_albums", query=album))["albums"]] == [album]


async def misspelt(call: Call) -> list[str]:
    """A misspelt filter must never widen a selection: it is refused, or the answer shows that it was not applied."""
    ok, text = await call("search_photos", {"ciy": "Rome"})
    assert not ok, f"a misspelt filter selected: {text[:200]}"
    ok, text = await call("search_photos", {"state": "Maine", "ciy": "Rome"})
    if not ok:
        assert "ciy" in text, text
        return []
    assert json.loads(text)["criteria"] == {"state": "Maine"}, text
    return ["drops unknown arguments: refused where none is left, else the answer's `criteria` shows it"]


ALBUMS = ("Maine 2026", "Acadia by another way")


async def _answer(call: Call, name: str, **arguments: Any) -> dict[str, Any]:
    ok, text = await call(name, arguments)
    assert ok, f"{name}: {text}"
    body = json.loads(text)
    assert isinstance(body, dict)
    return body


def run_example(name: str) -> None:
    """An example of the documentation, exactly as a reader would start it."""
    path = Path(os.environ["TRIPBOOK_ROOT"]) / "docs" / "examples" / name
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "find_albums" in done.stdout, done.stdout
    assert '"total":398' in done.stdout, done.stdout


def report(client: str, version: str, **measured: Any) -> None:
    """A line of results. `tools` or `text` is counted in Qwen tokens by whoever reads it; `played` says how far."""
    print(json.dumps({"client": client, "version": version} | measured))


async def probe(client: str, version: str, tools: list[dict[str, Any]], call: Call, *, prefix: str = "",
                more: tuple[str, ...] = ()) -> None:  # fmt: skip
    """The whole contract for a client that shows tools and calls them."""
    lost = losses(tools, prefix)
    assert len(tools) == 7, [entry["function"]["name"] for entry in tools]
    await scenario_b(call)
    lost += await misspelt(call)
    report(client, version, tools=tools, played="whole", loses=[*lost, *more])


def run(main: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(main())  # type: ignore[arg-type]

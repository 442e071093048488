"""The look-alike against recorded exchanges of real servers: same status, keys, types and meaning."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from service.demo.app import create_lookalike
from service.demo.library import Library
from service.demo.lookalike import KeySpec
from tests.demo.recordings import FOLDERS, ROOT, Mirror, Recording, all_recordings, items_in

READ = frozenset({"album.read", "asset.read", "asset.statistics", "person.read"})
KEYS = {
    "all": KeySpec("all", frozenset({"all"})),
    "read": KeySpec("read", READ),
    "write": KeySpec("write", READ | {"album.create", "albumAsset.create"}),
    "none": KeySpec("none", frozenset({"user.read"})),
}
NOT_COMPARED: dict[str, str] = {}
"""Recordings that cannot be compared, with the reason. None so far."""
CHANGING = {
    "correlationId",
    "createdAt",
    "updatedAt",
    "profileChangedAt",
    "lastModifiedAssetTimestamp",
    "avatarColor",
    "checksum",
    "thumbhash",
    "originalPath",
    "fileSizeInByte",
}
"""Differ by nature; compared by type and form."""

pytestmark = pytest.mark.skipif(not ROOT.is_dir(), reason=f"no recordings beside the repository ({ROOT})")


@pytest.fixture(scope="module")
def mirrors() -> dict[str, Mirror]:
    return {folder: Mirror(folder) for folder in FOLDERS}


@pytest.mark.parametrize("recording", all_recordings() if ROOT.is_dir() else [], ids=str)
async def test_a_recorded_exchange_has_its_counterpart(recording: Recording, mirrors: dict[str, Mirror]) -> None:
    if str(recording) in NOT_COMPARED:
        pytest.skip(NOT_COMPARED[str(recording)])
    library = mirrors[recording.folder].library
    before = copy.deepcopy(library.albums)
    try:
        answer = await replay(recording, library)
    finally:
        library.albums = before
    told = recording.response
    assert answer.status_code == told["status"]
    assert answer.headers["content-type"] == told["headers"]["content-type"]
    body = answer.json()
    if "smart" in recording.name:
        # which pictures a model finds means something, their order does not
        items_in(body).sort(key=lambda item: item["originalFileName"])
        items_in(told["body"]).sort(key=lambda item: item["originalFileName"])
    assert list(differences(told["body"], body, recording, "$")) == []


def test_every_recording_is_compared_or_explained() -> None:
    names = {str(recording) for recording in all_recordings()}
    assert NOT_COMPARED.keys() <= names
    assert len(names) == 80 + 80 + 13


async def replay(recording: Recording, library: Library) -> httpx.Response:
    request = recording.request
    headers = {"x-api-key": request["key"]}
    if "err-401-no-key" in recording.name:
        headers = {}
    content: dict[str, Any] = {"json": request["body"]} if request["body"] is not None else {}
    if isinstance(request["body"], str):
        raw = b'{"a":' if "bad-json" in recording.name else b'{"ids": [' + b" " * 11_000_000 + b"]}"
        content = {"content": raw}
        headers["content-type"] = "application/json"
    if request["method"] == "PUT":
        _open_album(recording, library)
    app = create_lookalike(library, version=FOLDERS[recording.folder], keys=KEYS)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://immich") as client:
        return await client.request(
            request["method"], request["path"], params=request["query"], headers=headers, **content
        )


def _open_album(recording: Recording, library: Library) -> None:
    """Album X1, which an earlier recorded request had made with one photo; not for those about other albums."""
    album_id = recording.request["path"].split("/")[3]
    if "unknown" not in recording.name and album_id not in library.albums:
        first = next(a.id for a in library.assets.values() if a.file_name == "maine-12-8.jpg")
        library.add_album("X1", [first], id=album_id)


def differences(told: Any, ours: Any, recording: Recording, path: str) -> Iterator[str]:
    if isinstance(told, dict) and isinstance(ours, dict):
        if list(told) != list(ours):
            yield f"{path}: keys {list(told)} but {list(ours)}"
        for name in told.keys() & ours.keys():
            if _is_ours_to_choose(name, path, recording):
                yield from _formal_differences(told[name], ours[name], f"{path}.{name}")
            else:
                yield from differences(told[name], ours[name], recording, f"{path}.{name}")
    elif isinstance(told, list) and isinstance(ours, list):
        trimmed = any(text.startswith(f"{path}:") for text in recording.exchange.get("notes", {}).get("trimmed", ()))
        if len(told) > len(ours) or (len(told) != len(ours) and not trimmed):
            yield f"{path}: {len(told)} entries but {len(ours)}"
        for n, (one, other) in enumerate(zip(told, ours, strict=False)):
            yield from differences(one, other, recording, f"{path}[{n}]")
    elif told != ours or type(told) is not type(ours):
        yield f"{path}: {told!r} but {ours!r}"


def _is_ours_to_choose(name: str, path: str, recording: Recording) -> bool:
    """Ids of what a request made, of faces and of keys are new each time."""
    made = recording.request["method"] == "POST" and recording.request["path"] == "/api/albums" and path == "$"
    key = recording.request["path"].endswith("api-keys/me")
    other_owner = name == "ownerId" and recording.folder == "3.2-overlay"
    return name in CHANGING or other_owner or (name == "id" and (made or key or ".faces[" in path))


def _formal_differences(told: Any, ours: Any, path: str) -> Iterator[str]:
    if type(told) is not type(ours):
        yield f"{path}: {told!r} but {ours!r}"
    elif isinstance(told, str) and _form(told) != _form(ours):
        yield f"{path}: {told!r} is written differently from {ours!r}"


def _form(text: str) -> str:
    """Dates end in `Z` or in an offset; everything else is just text."""
    found = re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)", text)
    return found[1] if found else "text"

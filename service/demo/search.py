"""The three searches: `search/metadata`, `search/smart`, `search/statistics`, in both styles."""

from __future__ import annotations

import base64
import re
from typing import Any

import msgspec

from service.demo.conditions import Conditions, legacy_conditions
from service.demo.errors import ImmichError, bad_request, invalid
from service.demo.filters import filter_conditions
from service.demo.library import Asset
from service.demo.lookalike import Answer, Call, json_answer
from service.demo.validation import (
    METADATA_FIELDS,
    SMART_FIELDS,
    STATISTICS_FIELDS,
    Check,
    checked,
    refuse_mixed,
    wrong_type,
)

METADATA_SIZE = 250
SMART_SIZE = 100
PAGING = frozenset({"size", "page", "cursor", "order", "orderBy", "withExif", "withPeople", "query", "language"})


def search_metadata(call: Call) -> Answer:
    matches = _matches(call, "metadata", METADATA_FIELDS)
    size = int(call.body.get("size") or METADATA_SIZE)
    offset = _offset(call, size)
    newest_first = _direction(call.body) != "asc"
    if newest_first:
        matches = matches[::-1]
    page = matches[offset : offset + size]
    if not call.immich.is_v3:
        page = _blurred_by_ties(call, matches, page, offset)
    return _page_answer(call, page, offset, size, more=offset + size < len(matches))


def search_statistics(call: Call) -> Answer:
    return json_answer({"total": len(_matches(call, "statistics", STATISTICS_FIELDS))})


def search_smart(call: Call) -> Answer:
    if call.server.faults.smart_search == "off":
        raise bad_request("Smart search is not enabled")
    matches = _matches(call, "smart", SMART_FIELDS)
    query = call.body.get("query")
    if not query and not call.body.get("queryAssetId"):
        raise bad_request("Either `query` or `queryAssetId` must be set")
    if call.server.faults.smart_search == "down":
        raise ImmichError(500, "Failed to search smart")
    size = int(call.body.get("size") or SMART_SIZE)
    offset = 0 if _is_structured(call) else size * (int(call.body.get("page") or 1) - 1)
    ranked = _ranked(matches[::-1], query or "")
    more = offset + size < len(ranked) and not _is_structured(call)
    return _page_answer(call, ranked[offset : offset + size], offset, size, more=more)


# finding


def _is_structured(call: Call) -> bool:
    return call.immich.has_filter and ("filter" in call.body or "cursor" in call.body)


def _matches(call: Call, what: str, fields: dict[str, Check]) -> list[Asset]:
    """All that the body asks for, oldest first."""
    if _is_structured(call):
        refuse_mixed(call.body, fields)
    checked(call.body, fields, call.immich)
    asked = {name: value for name, value in call.body.items() if name not in PAGING}
    wanted = _conditions(call, what)
    style = [what, call.immich.is_v3, _is_structured(call), call.library.partners]
    key = msgspec.json.encode([style, asked], order="sorted")
    return call.server.index.find(wanted, key)


def _conditions(call: Call, what: str) -> Conditions:
    if _is_structured(call):
        return filter_conditions(call.body.get("filter", {}), call.library, call.immich)
    return legacy_conditions(call.body, call.library, call.immich, what)


def _direction(body: dict[str, Any]) -> str:
    order = body.get("orderBy")
    return str(order.get("direction", "desc") if isinstance(order, dict) else body.get("order") or "desc")


# paging


def _offset(call: Call, size: int) -> int:
    if not _is_structured(call):
        return size * (int(call.body.get("page") or 1) - 1)
    if "cursor" not in call.body:
        return 0
    cursor = call.body["cursor"]
    if not isinstance(cursor, str):
        raise invalid([wrong_type("string", cursor, ["cursor"])])
    offset = cursor_offset(cursor)
    if offset is None:
        raise bad_request("Invalid cursor")
    return offset


def cursor_offset(cursor: str) -> int | None:
    try:
        told = msgspec.json.decode(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except ValueError:
        return None
    offset = told.get("offset") if isinstance(told, dict) else None
    return offset if isinstance(offset, int) and offset >= 0 else None


def cursor_at(offset: int) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode({"offset": offset})).decode().rstrip("=")


def asked_page(body: Any) -> int:
    """Which page a search body asks for, counted from 1, in either style; 1 for everything else."""
    if not isinstance(body, dict):
        return 1
    size = body.get("size") if isinstance(body.get("size"), int) else METADATA_SIZE
    if isinstance(body.get("cursor"), str):
        return (cursor_offset(body["cursor"]) or 0) // max(size or 1, 1) + 1
    page = str(body.get("page") or 1)
    return int(page) if page.isdigit() else 1


def _blurred_by_ties(call: Call, matches: list[Asset], page: list[Asset], offset: int) -> list[Asset]:
    """2.x orders by `fileCreatedAt` alone: photos of one instant come back again and others never.

    Measured: 3,000 photos of one instant over pages of 1,000 gave 1,500 distinct ones. A page that begins
    inside such a run looks back by three quarters of what it should have skipped, which gives just that.
    """
    if not page or offset == 0:
        return page
    time_of = call.server.index.time_of
    instant = time_of(page[0])
    start = offset
    while start > 0 and time_of(matches[start - 1]) == instant:
        start -= 1
    if start == offset:
        return page
    end = offset
    while end < len(matches) and time_of(matches[end]) == instant:
        end += 1
    run, skipped = matches[start:end], offset - start
    back = -(-3 * skipped // 4)
    shown = min(len(page), end - offset)
    return [run[(skipped - back + n) % len(run)] for n in range(shown)] + page[shown:]


def _page_answer(call: Call, page: list[Asset], offset: int, size: int, *, more: bool) -> Answer:
    """Put together from encoded items: a page of 1,000 must not cost more than joining bytes."""
    exif, people = bool(call.body.get("withExif")), bool(call.body.get("withPeople"))
    writer = call.server.writer
    items = b",".join([writer.encoded(a, call.immich, exif=exif, people=people) for a in page])
    structured = _is_structured(call)
    next_page = b'"%d"' % (offset // size + 2) if more and not structured else b"null"
    head = b'{"albums":{"total":0,"count":0,"items":[],"facets":[]},"assets":{"total":%d,"count":%d,"items":['
    tail = b'],"facets":[],"nextPage":' + next_page
    if call.immich.has_filter:
        tail += b',"nextCursor":' + (b'"%s"' % cursor_at(offset + size).encode() if more and structured else b"null")
    return Answer(head % (len(page), len(page)) + items + tail + b"}}", items=len(page))


# smart search

WORD = re.compile(r"\w+")


def _ranked(assets: list[Asset], query: str) -> list[Asset]:
    """Best word overlap first, then everything else: a real model has no threshold either."""
    words = set(WORD.findall(query.casefold()))
    return sorted(assets, key=lambda asset: -len(words & _words_of(asset)))


def _words_of(asset: Asset) -> set[str]:
    text = " ".join((*asset.tags, asset.description, asset.city or "", asset.file_name.rpartition(".")[0]))
    return set(re.findall(r"[^\W_\d]+", text.casefold()))

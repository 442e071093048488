"""`search/suggestions`: the library's own place and camera names."""

from __future__ import annotations

from service.demo.errors import invalid
from service.demo.library import Asset
from service.demo.lookalike import Answer, Call, json_answer
from service.demo.validation import Check, checked, option, query_boolean, text

KINDS = {
    "country": "country",
    "state": "state",
    "city": "city",
    "camera-make": "make",
    "camera-model": "model",
    "camera-lens-model": None,
}
NARROWED_BY: dict[str, tuple[str, ...]] = {
    "state": ("country",),
    "city": ("country", "state"),
    "camera-make": ("model",),
    "camera-model": ("make",),
}
FIELDS: dict[str, Check] = {
    "type": option(*KINDS),
    "country": text,
    "state": text,
    "make": text,
    "model": text,
    "includeNull": query_boolean,
}


def search_suggestions(call: Call) -> Answer:
    """Sorted by code point, of my and my partners' timeline; narrowing is exact and case-sensitive."""
    if "type" not in call.query:
        _refuse_missing_type(call)
    checked(call.query, FIELDS, call.immich)
    kind = call.query["type"]
    attribute = KINDS[kind]
    values = {getattr(asset, attribute) for asset in _suggesting(call, kind)} if attribute else set()
    names: list[str | None] = sorted(value for value in values if value)
    if call.query.get("includeNull") == "true":
        names.append(None)
    return json_answer(names)


def _suggesting(call: Call, kind: str) -> list[Asset]:
    owners = {call.user_id, *call.library.partners}
    narrow = [(name, call.query[name]) for name in NARROWED_BY.get(kind, ()) if call.query.get(name)]
    return [
        asset
        for asset in call.library.assets.values()
        if asset.owner_id in owners
        and asset.visibility == "timeline"
        and not asset.is_trashed
        and all(getattr(asset, name) == value for name, value in narrow)
    ]


def _refuse_missing_type(call: Call) -> None:
    issue = FIELDS["type"](None, ["type"], call.immich)[0]
    raise invalid([type(issue)(("type should not be empty", *issue.v2), issue.v3)])

"""The structured `filter` that 3.2 added to the searches: its operators, its refusals, its meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from service.demo.conditions import Conditions, Predicate, checksum, require_albums
from service.demo.errors import ImmichError, Issue, invalid
from service.demo.instants import instant_ms
from service.demo.library import Asset, Library
from service.demo.validation import ASSET_TYPES, VISIBILITIES, is_uuid, js_type, moment, wrong_type
from service.demo.versions import ImmichVersion

TEXT_OPERATORS = ("eq", "ne", "in", "notIn")
PATTERN_OPERATORS = (*TEXT_OPERATORS, "like", "notLike", "startsWith", "endsWith")
DATE_OPERATORS = ("eq", "ne", "gt", "gte", "lt", "lte")
IDS_OPERATORS = ("any", "all", "none")
FILTER_FIELDS: dict[str, tuple[str, ...]] = {
    "id": ("eq", "ne"),
    "libraryId": ("eq", "ne"),
    "type": TEXT_OPERATORS,
    "visibility": TEXT_OPERATORS,
    **dict.fromkeys(("isFavorite", "isMotion", "isOffline", "isEncoded"), ("eq",)),
    **dict.fromkeys(("hasAlbums", "hasPeople", "hasTags"), ("eq",)),
    **dict.fromkeys(("city", "state", "country", "make", "model", "lensModel", "checksum"), TEXT_OPERATORS),
    **dict.fromkeys(("description", "originalFileName", "originalPath"), PATTERN_OPERATORS),
    **dict.fromkeys(("takenAt", "createdAt", "updatedAt", "trashedAt"), DATE_OPERATORS),
    **dict.fromkeys(("personIds", "tagIds", "albumIds"), IDS_OPERATORS),
}
ATTRIBUTES: dict[str, Callable[[Asset], Any]] = {
    "id": lambda a: a.id,
    "libraryId": lambda a: None,
    "type": lambda a: a.type,
    "visibility": lambda a: a.visibility,
    "isFavorite": lambda a: a.is_favorite,
    "isMotion": lambda a: a.live_photo_video_id is not None,
    "isOffline": lambda a: a.is_offline,
    "isEncoded": lambda a: False,
    "hasPeople": lambda a: bool(a.person_ids),
    "hasTags": lambda a: False,
    "city": lambda a: a.city,
    "state": lambda a: a.state,
    "country": lambda a: a.country,
    "make": lambda a: a.make,
    "model": lambda a: a.model,
    "lensModel": lambda a: None,
    "checksum": checksum,
    "description": lambda a: a.description,
    "originalFileName": lambda a: a.file_name,
    "originalPath": lambda a: a.file_name,
    "takenAt": lambda a: instant_ms(a.file_created_at),
    "createdAt": lambda a: instant_ms(a.created_at),
    "updatedAt": lambda a: instant_ms(a.updated_at),
    "trashedAt": lambda a: instant_ms(a.updated_at) if a.is_trashed else None,
}
TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda have, want: bool(have == want),
    "ne": lambda have, want: bool(have != want),
    "in": lambda have, want: have in want,
    "notIn": lambda have, want: have not in want,
    "gt": lambda have, want: have is not None and have > want,
    "gte": lambda have, want: have is not None and have >= want,
    "lt": lambda have, want: have is not None and have < want,
    "lte": lambda have, want: have is not None and have <= want,
    "like": lambda have, want: have is not None and want.casefold() in have.casefold(),
    "notLike": lambda have, want: have is None or want.casefold() not in have.casefold(),
    "startsWith": lambda have, want: have is not None and have.startswith(want),
    "endsWith": lambda have, want: have is not None and have.endswith(want),
}


def filter_conditions(asked: Any, library: Library, version: ImmichVersion) -> Conditions:
    """Conditions of a `filter`; without `visibility` everything unlocked, the trash included."""
    issues = _filter_issues(asked, ["filter"], version, nested=False)
    if issues:
        raise invalid(issues)
    found = Conditions(keepable=not _looks_at_albums(asked))
    if "visibility" not in asked:
        found.add(lambda asset: asset.visibility != "locked")
    _refuse_locked(asked)
    for name, operators in asked.items():
        if name == "takenAt":
            found.narrow(*_taken_range(operators))
            operators = {op: value for op, value in operators.items() if op == "ne"}
        if name == "albumIds":
            _album_filter(found, operators, library)
        elif name == "or":
            branches = [_branch(branch, library) for branch in operators]
            found.add(lambda asset, b=branches: any(all(p(asset) for p in ps) for ps in b))  # type: ignore[misc]
        else:
            found.predicates += _field_predicates(name, operators, library)
    return found


def _filter_issues(asked: Any, path: list[str | int], version: ImmichVersion, *, nested: bool) -> list[Issue]:
    if not isinstance(asked, dict):
        return [wrong_type("object", asked, path)]
    known = FILTER_FIELDS.keys() | (set() if nested else {"or"})
    issues = [_unrecognized(name, path) for name in asked if name not in known]
    for name, operators in asked.items():
        if name == "or" and not nested:
            for n, branch in enumerate(operators if isinstance(operators, list) else []):
                issues += _filter_issues(branch, [*path, "or", n], version, nested=True)
        elif name in FILTER_FIELDS:
            issues += _operator_issues(name, operators, [*path, name], version)
    return issues


def _unrecognized(name: str, path: list[str | int]) -> Issue:
    message = f'Unrecognized key: "{name}"'
    return Issue((message,), {"code": "unrecognized_keys", "keys": [name], "path": path, "message": message})


def _operator_issues(name: str, operators: Any, path: list[str | int], version: ImmichVersion) -> list[Issue]:
    if not isinstance(operators, dict):
        return [wrong_type("object", operators, path)]
    known = {op: value for op, value in operators.items() if op in FILTER_FIELDS[name]}
    if not known:
        message = "At least one filter condition is required"
        return [Issue((message,), {"code": "custom", "path": path, "message": message})]
    issues: list[Issue] = []
    for op, value in known.items():
        issues += _value_issues(name, op, value, [*path, op], version)
    return issues


def _value_issues(name: str, op: str, value: Any, path: list[str | int], version: ImmichVersion) -> list[Issue]:
    if op in ("in", "notIn", "any", "all", "none"):
        if not isinstance(value, list) or not value:
            return [wrong_type("array", value, path)]
        singles = [(item, [*path, n]) for n, item in enumerate(value)]
    else:
        singles = [(value, path)]
    return [issue for single, where in singles for issue in _single_issues(name, single, where, version)]


def _single_issues(name: str, value: Any, path: list[str | int], version: ImmichVersion) -> list[Issue]:
    nullable = name in ("city", "state", "country", "make", "model", "lensModel", "trashedAt", "libraryId")
    if value is None and nullable:
        return []
    if FILTER_FIELDS[name] == DATE_OPERATORS:
        return moment(value, path, version)
    if name == "id" or FILTER_FIELDS[name] == IDS_OPERATORS:
        bad = not is_uuid(value, version)
    elif FILTER_FIELDS[name] == ("eq",):
        bad = not isinstance(value, bool)
    elif name in ("type", "visibility"):
        bad = value not in (ASSET_TYPES if name == "type" else VISIBILITIES)
    else:
        bad = not isinstance(value, str)
    told = f"Invalid input: received {js_type(value)}"
    return [Issue((told,), {"code": "invalid_value", "path": path, "message": told})] if bad else []


def _refuse_locked(asked: Mapping[str, Any]) -> None:
    """Whatever could show a locked asset needs more than a key; `ne` and `notIn` always count as that."""
    operators = asked.get("visibility", {})
    shows = {operators.get("eq"), *operators.get("in", ())}
    if "ne" in operators or "notIn" in operators or "locked" in shows:
        raise ImmichError(401, "Elevated permission is required")
    for branch in asked.get("or", ()):
        _refuse_locked(branch)


def _looks_at_albums(asked: Mapping[str, Any]) -> bool:
    return any(name in branch for branch in (asked, *asked.get("or", ())) for name in ("albumIds", "hasAlbums"))


def _taken_range(operators: Mapping[str, Any]) -> tuple[int | None, int | None]:
    lows = [instant_ms(operators.get("gte")), instant_ms(operators.get("eq"))]
    highs = [instant_ms(operators.get("lte")), instant_ms(operators.get("eq"))]
    if "gt" in operators:
        lows.append((instant_ms(operators["gt"]) or 0) + 1)
    if "lt" in operators:
        highs.append((instant_ms(operators["lt"]) or 0) - 1)
    low, high = [ms for ms in lows if ms is not None], [ms for ms in highs if ms is not None]
    return (max(low) if low else None, min(high) if high else None)


def _album_filter(found: Conditions, operators: Mapping[str, Any], library: Library) -> None:
    named = [album_id for op in IDS_OPERATORS for album_id in operators.get(op, ())]
    require_albums(tuple(named), library)
    members = {album_id: frozenset(library.albums[album_id].asset_ids) for album_id in named}
    if "all" in operators:
        found.album_ids = tuple(operators["all"])
    if "any" in operators:
        union = frozenset[str]().union(*(members[album_id] for album_id in operators["any"]))
        found.add(lambda asset: asset.id in union)
    if "none" in operators:
        barred = frozenset[str]().union(*(members[album_id] for album_id in operators["none"]))
        found.add(lambda asset: asset.id not in barred)
    if "all" in operators or "any" in operators:
        found.owner_limit = False


def _branch(branch: Mapping[str, Any], library: Library) -> list[Predicate]:
    predicates: list[Predicate] = []
    for name, operators in branch.items():
        if name == "albumIds":
            inner = Conditions()
            _album_filter(inner, operators, library)
            members = [frozenset(library.albums[a].asset_ids) for a in inner.album_ids]
            predicates += inner.predicates
            predicates += [lambda asset, m=m: asset.id in m for m in members]  # type: ignore[misc]
        else:
            predicates += _field_predicates(name, operators, library)
    return predicates


def _field_predicates(name: str, operators: Mapping[str, Any], library: Library) -> list[Predicate]:
    if name == "personIds":
        return _person_predicates(operators)
    if name == "tagIds":
        return []
    if name == "hasAlbums":
        used = {asset_id for album in library.albums.values() for asset_id in album.asset_ids}
        return [lambda asset: (asset.id in used) == operators["eq"]]
    read, predicates = ATTRIBUTES[name], []
    for op, value in operators.items():
        if op in FILTER_FIELDS[name]:
            want = instant_ms(value) if FILTER_FIELDS[name] == DATE_OPERATORS else value
            predicates.append(lambda asset, t=TESTS[op], w=want: t(read(asset), w))
    return predicates  # type: ignore[return-value]


def _person_predicates(operators: Mapping[str, Any]) -> list[Predicate]:
    predicates: list[Predicate] = []
    if "all" in operators:
        predicates.append(lambda asset: set(operators["all"]) <= set(asset.person_ids))
    if "any" in operators:
        predicates.append(lambda asset: not set(operators["any"]).isdisjoint(asset.person_ids))
    if "none" in operators:
        predicates.append(lambda asset: set(operators["none"]).isdisjoint(asset.person_ids))
    return predicates

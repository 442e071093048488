"""Criteria as asked, into criteria as applied: places in the library's spelling, a person by id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from service.actions.context import Tripbook
from service.domain.criteria import PLACE_KINDS, Criteria
from service.domain.days import ALL_DAYS
from service.domain.hints import Whereabouts, say_where
from service.domain.names import quote, shorten
from service.domain.persons import Person, find_beginnings, find_persons
from service.domain.places import MAX_KNOWN, MAX_SUGGESTIONS, find_other_kind, find_spelling, has_near, suggest
from service.errors import AmbiguousPerson, EmptyCriteria, UnknownPerson, UnknownPlace
from service.immich.library import ImmichLibrary
from service.immich.queries import AssetQuery

MAX_CANDIDATES = 5
MAX_SUGGESTION_CHARS = 60


def require_some(criteria: Criteria) -> None:
    """Raises EmptyCriteria where nothing narrows the search: never the whole library."""
    if criteria.is_empty:
        raise EmptyCriteria(
            "Give at least one of taken_after, taken_before, state, city, country, person, media or favorites_only."
        )


async def resolve_criteria(app: Tripbook, criteria: Criteria) -> Criteria:
    """Canonical spellings and the person's id. Raises UnknownPlace, UnknownPerson or AmbiguousPerson."""
    spelled = await _resolve_places(app.library, {kind: getattr(criteria, kind) for kind in PLACE_KINDS})
    applied = replace(criteria, state=spelled.get("state"), city=spelled.get("city"), country=spelled.get("country"))
    if criteria.person:
        person = await _resolve_person(app.library, criteria.person)
        applied = replace(applied, person=person.name, person_id=person.id)
    return applied


async def _resolve_places(library: ImmichLibrary, places: dict[str, str | None]) -> dict[str, str]:
    spelled: dict[str, str] = {}
    unknown: list[str] = []
    for kind, value in places.items():
        if value and (spelling := find_spelling(kind, value, await library.known_places(kind))):
            spelled[kind] = spelling
        elif value:
            unknown.append(kind)
    if unknown:
        raise await _unknown_place(library, unknown[0], places[unknown[0]] or "", spelled)
    return spelled


async def find_where(library: ImmichLibrary, narrow: str, spelling: str, wide: str) -> Whereabouts:
    """In which states or countries (`wide`) a known town or state (`narrow`) is."""
    query = AssetQuery(city=spelling) if narrow == "city" else AssetQuery(state=spelling)
    found = await library.peek(query, ALL_DAYS)
    counts = Counter(name for photo in found.photos if (name := getattr(photo.place, wide)))
    return Whereabouts(spelling, counts.most_common(), counted=not found.truncated)


async def _unknown_place(library: ImmichLibrary, kind: str, value: str, spelled: dict[str, str]) -> UnknownPlace:
    known = await library.known_places(kind)
    others = {other: await library.known_places(other) for other in PLACE_KINDS if other != kind}
    if found := find_other_kind(kind, value, others):
        other, spelling = found
        return UnknownPlace(
            f"No {kind} {quote(value)} in the library, but {quote(spelling)} is a {other}: pass it as {other}.",
            suggestions=_shown([spelling]),
        )
    if where := await _where_instead(library, kind, spelled):
        names = [name for name, _ in where.places[:MAX_SUGGESTIONS]]
        return UnknownPlace(f"No {kind} {quote(value)} in the library; {say_where(where)}", suggestions=_shown(names))
    suggestions = suggest(value, known)
    if not suggestions:
        return UnknownPlace(f"No photo in the library has a {kind}; search by dates instead.", suggestions=[])
    if has_near(value, known):
        return UnknownPlace(
            f"No {kind} {quote(value)} in the library. Nearest: {_quoted(suggestions)}.",
            suggestions=_shown(suggestions),
        )
    return UnknownPlace(
        f"No {kind} {quote(value)} in the library; use one of the suggestions, or search by dates.",
        suggestions=_shown(suggestions),
    )


async def _where_instead(library: ImmichLibrary, kind: str, spelled: dict[str, str]) -> Whereabouts | None:
    """Where the known town or state beside an unknown state or country really is."""
    for narrow in ("city", "state"):
        if narrow in spelled and kind in ("state", "country"):
            where = await find_where(library, narrow, spelled[narrow], kind)
            return where if where.places else None
    return None


async def _resolve_person(library: ImmichLibrary, value: str) -> Person:
    people = await library.people()
    found = find_persons(value, people)
    if len(found) == 1:
        return found[0]
    beginnings = find_beginnings(value, people)
    if found or len(beginnings) > 1:
        raise await _ambiguous(library, value, found or beginnings)
    names = [person.name for person in people]
    suggestions = suggest(value, names) if names else []
    if has_near(value, names):
        raise UnknownPerson(
            f"No person {quote(value)} in the library. Nearest: {_quoted(suggestions)}.",
            suggestions=_shown(suggestions),
        )
    raise UnknownPerson(
        f"No person {quote(value)} in the library; use a name that Immich knows, see suggestions.",
        suggestions=_shown(suggestions[:MAX_KNOWN]),
    )


async def _ambiguous(library: ImmichLibrary, value: str, found: list[Person]) -> AmbiguousPerson:
    described = [await _describe_candidate(library, person) for person in found[: 2 * MAX_CANDIDATES]]
    candidates = sorted(described, key=lambda one: (-one["photos"], one["id"]))[:MAX_CANDIDATES]
    return AmbiguousPerson(
        f"{len(found)} persons fit {quote(value)}; ask which one is meant and pass the candidate's id as person.",
        candidates=candidates,
    )


async def _describe_candidate(library: ImmichLibrary, person: Person) -> dict[str, Any]:
    photos = await library.count(AssetQuery(person_id=person.id))
    described: dict[str, Any] = {"id": person.id, "name": shorten(person.name, MAX_SUGGESTION_CHARS), "photos": photos}
    if person.birth_date:
        described["birth_date"] = person.birth_date[:10]
    return described


def _shown(names: Sequence[str]) -> list[str]:
    """Names for a problem document, which stays small."""
    return [shorten(name, MAX_SUGGESTION_CHARS) for name in names]


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(quote(name, MAX_SUGGESTION_CHARS) for name in names)

"""`search/person` and `people`: names of my own persons, found as differently as the versions do."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from service.demo.library import Person
from service.demo.lookalike import Answer, Call, json_answer
from service.demo.validation import Check, checked, query_boolean, query_whole, required_text
from service.demo.wire import person_body

PEOPLE_SIZE = 500
FACES_TO_BE_LISTED = 3
"""A person without a name is counted, but listed only with that many photos."""
FUZZY = 0.5
FIELDS: dict[str, Check] = {"page": query_whole(1), "size": query_whole(1, 1000), "withHidden": query_boolean}


def list_people(call: Call) -> Answer:
    checked(call.query, FIELDS, call.immich)
    mine = _mine(call)
    hidden_too = call.query.get("withHidden") == "true"
    photos = _photos_by_person(call)
    listed = [p for p in mine if p.name or photos[p.id] >= FACES_TO_BE_LISTED]
    listed = [p for p in listed if hidden_too or not p.is_hidden]
    listed.sort(key=lambda p: (p.is_hidden, not p.name, -photos[p.id]))
    size, page = int(call.query.get("size", PEOPLE_SIZE)), int(call.query.get("page", 1))
    shown = listed[(page - 1) * size : page * size]
    return json_answer(
        {
            "people": [person_body(person) for person in shown],
            "hasNextPage": page * size < len(listed),
            "total": len(mine),
            "hidden": sum(person.is_hidden for person in mine),
        }
    )


def search_person(call: Call) -> Answer:
    name = required_text(call.query, "name", call.immich, filled=True)
    hidden_too = call.query.get("withHidden") == "true"
    mine = [person for person in _mine(call) if person.name and (hidden_too or not person.is_hidden)]
    found = _fuzzy(mine, name) if call.immich.is_v3 else _prefixed(mine, name)
    return json_answer([person_body(person) for person in found])


def _mine(call: Call) -> list[Person]:
    return [person for person in call.library.people.values() if person.owner_id == call.user_id]


def _photos_by_person(call: Call) -> Counter[str]:
    return Counter(person_id for asset in call.library.assets.values() for person_id in asset.person_ids)


def _prefixed(people: list[Person], name: str) -> list[Person]:
    """2.x: the name, or a word of it after a space, begins so; case does not matter, accents do."""
    start = name.lower()
    return [p for p in people if p.name.lower().startswith(start) or f" {start}" in p.name.lower()]


def _fuzzy(people: list[Person], name: str) -> list[Person]:
    """3.x: PostgreSQL's strict word similarity of at least 0.5, without accents, most similar first."""
    ranked = [(strict_word_similarity(name, person.name), person) for person in people]
    return [person for score, person in sorted(ranked, key=lambda row: -row[0]) if score >= FUZZY]


def strict_word_similarity(needle: str, text: str) -> float:
    """The best trigram similarity of the needle to any run of whole words of the text."""
    wanted, words = _trigrams(_words(needle)), _words(text)
    runs = [words[i:j] for i in range(len(words)) for j in range(i + 1, len(words) + 1)]
    return max((_similarity(wanted, _trigrams(run)) for run in runs), default=0.0)


def _words(text: str) -> list[str]:
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return re.findall(r"[^\W_]+", plain.lower())


def _trigrams(words: list[str]) -> set[str]:
    padded = [f"  {word} " for word in words]
    return {word[i : i + 3] for word in padded for i in range(len(word) - 2)}


def _similarity(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0

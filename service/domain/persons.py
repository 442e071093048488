"""A person's name as somebody types it, resolved against the library's own persons. Never the nearest guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.names import fold, words


@dataclass(frozen=True, slots=True)
class Person:
    """A named, not hidden person of the library. `birth_date` is Immich's text, empty if unknown."""

    id: str
    name: str
    birth_date: str = ""


def find_persons(value: str, persons: Sequence[Person]) -> list[Person]:
    """Who `value` means: an id, else the full name, else whole words of a name (blanks and hyphens part words).

    One person is an answer; several are candidates. Empty if nobody fits.
    """
    if by_id := [person for person in persons if person.id == value.strip().lower()]:
        return by_id
    wanted = fold(value)
    if full := [person for person in persons if fold(person.name) == wanted]:
        return full
    asked = set(words(wanted))
    return [person for person in persons if asked and asked <= set(words(fold(person.name)))]


def find_beginnings(value: str, persons: Sequence[Person]) -> list[Person]:
    """Persons with a word that begins with `value`: only ever candidates."""
    wanted = fold(value)
    return [person for person in persons if any(word.startswith(wanted) for word in words(fold(person.name)))]

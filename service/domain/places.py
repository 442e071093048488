"""Place names a person types, resolved against the names the library really holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import pycountry
from rapidfuzz import fuzz, process

from service.domain.names import fold

MAX_SUGGESTIONS = 3
MAX_KNOWN = 15
NEAR_ENOUGH = 70
# What people write that no code list has.
COUNTRY_NICKNAMES = {
    "uk": "GB",
    "great britain": "GB",
    "england": "GB",
    "america": "US",
    "the states": "US",
    "holland": "NL",
    "south korea": "KR",
    "russia": "RU",
    "ivory coast": "CI",
    "czech republic": "CZ",
    "turkey": "TR",
    "uae": "AE",
}


def find_spelling(kind: str, value: str, known: Sequence[str]) -> str | None:
    """The library's own spelling of `value`, or None. Never the nearest: a typing slip is the caller's to confirm."""
    if value in known:
        return value
    by_folded = {fold(name): name for name in reversed(known)}
    if (exact := by_folded.get(fold(value))) is not None:
        return exact
    if kind != "country":
        return None
    wanted = country_code(value)
    return next((name for name in known if wanted and country_code(name) == wanted), None)


def find_other_spellings(kind: str, spelling: str, known: Sequence[str]) -> list[str]:
    """Further names of the library that mean the same place as `spelling`."""
    folded, code = fold(spelling), country_code(spelling) if kind == "country" else None
    return [
        name
        for name in known
        if name != spelling and (fold(name) == folded or (code is not None and country_code(name) == code))
    ]


@lru_cache(maxsize=4_096)
def country_code(name: str) -> str | None:
    """The ISO 3166 alpha-2 code of a country's name, code or common nickname; None if there is none."""
    folded = fold(name).replace(".", "").removeprefix("the ")
    if folded in COUNTRY_NICKNAMES:
        return COUNTRY_NICKNAMES[folded]
    return _codes_by_name().get(folded)


@lru_cache(maxsize=1)
def _codes_by_name() -> dict[str, str]:
    codes: dict[str, str] = {}
    for country in pycountry.countries:
        for field in ("alpha_2", "alpha_3", "name", "official_name", "common_name"):
            if name := getattr(country, field, None):
                codes.setdefault(fold(name), country.alpha_2)
                codes.setdefault(fold(name.split(",")[0]), country.alpha_2) if "," in name else None
    codes["united states of america"] = "US"
    codes["us"] = codes["usa"] = "US"
    return codes


def suggest(value: str, known: Sequence[str]) -> list[str]:
    """The nearest names (at most 3); where nothing is near, up to 15 known ones."""
    folded = {name: fold(name) for name in known}
    near = process.extract(fold(value), folded, scorer=fuzz.WRatio, limit=MAX_SUGGESTIONS, score_cutoff=NEAR_ENOUGH)
    return [name for _, _, name in near] or list(known)[:MAX_KNOWN]


def has_near(value: str, known: Sequence[str]) -> bool:
    """Whether `suggest` has a near name rather than just known ones."""
    folded = [fold(name) for name in known]
    return process.extractOne(fold(value), folded, scorer=fuzz.WRatio, score_cutoff=NEAR_ENOUGH) is not None


def find_other_kind(kind: str, value: str, known: Mapping[str, Sequence[str]]) -> tuple[str, str] | None:
    """(kind, spelling) if `value` is a place of another kind, for example a state given as a city."""
    for other, names in known.items():
        if other != kind and (spelling := find_spelling(other, value, names)) is not None:
            return other, spelling
    return None

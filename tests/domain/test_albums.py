"""Which albums a question means."""

from __future__ import annotations

import pytest

from service.domain.albums import Album, rank_albums, same_name


def albums(*names: str) -> list[Album]:
    return [Album(f"id-{i}", name, 1, "owner", updated_at=f"2026-01-{i + 1:02d}") for i, name in enumerate(names)]


def found(query: str, *names: str) -> list[tuple[str, str]]:
    return [(item.album.name, item.match) for item in rank_albums(albums(*names), query)]


def test_exact_first_then_part_then_similar() -> None:
    names = ("Acadia / Maine", "maine", "Marine 2019", "Maine 2026", "Mainz")
    assert found("Maine", *names) == [("maine", "exact"), ("Maine 2026", "part"), ("Acadia / Maine", "part")]


@pytest.mark.parametrize("query", ["munchen", "MÜNCHEN", "mu\u0308nchen", "  munchen "])
def test_case_accents_and_unicode_form_do_not_matter(query: str) -> None:
    assert [name for name, _ in found(query, "München 2019", "MUNCHEN Zoo", "Berlin")] == [
        "MUNCHEN Zoo",
        "München 2019",
    ]


@pytest.mark.parametrize(
    ("query", "name", "match"),
    [
        ("lisabon", "Lisbon 2025", "similar"),
        ("barcelna", "Barcelona", "similar"),
        ("portgual", "Portugal", "similar"),
        ("my Maine trip", "Maine 2026", "similar"),
        ("2026 maine", "Maine 2026", "similar"),
        ("marine", "Maine 2026", None),
        ("main", "Mani 2019", None),
        ("maine 2025", "Maine 2026", None),
        ("izmir", "İzmir", "exact"),
        ("strasse", "Straße", "exact"),
        ("rock & roll", 'Rock & Roll / Añejo\'s "best" 100% #1', "part"),
    ],
)
def test_typing_slips_are_similar_and_other_words_are_not(query: str, name: str, match: str | None) -> None:
    assert [kind for _, kind in found(query, name)] == ([match] if match else [])


def test_an_empty_question_is_the_newest() -> None:
    assert [name for name, _ in found(" ", "old", "newer", "newest")] == ["newest", "newer", "old"]


def test_same_name_ignores_what_people_do_not_see() -> None:
    known = albums("Lisboa ", "Cafe\u0301", "Maine  2026", "Other")
    assert [album.name for album in same_name(known, "lisboa")] == ["Lisboa "]
    assert [album.name for album in same_name(known, "Café")] == ["Cafe\u0301"]
    assert [album.name for album in same_name(known, "maine 2026")] == ["Maine  2026"]

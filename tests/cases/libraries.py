"""Building the small libraries of the cases: photos by local time, by day, by the hundred."""

from __future__ import annotations

from typing import Any

from service.demo.library import Asset, Library, Place

BERGEN = Place("Bergen", "Vestland", "Norway", 60.39, 5.32)
LISBOA = Place("Lisboa", "Lisbon", "Portugal", 38.72, -9.14)
HOME = Place("Konstanz", "Baden-Wurttemberg", "Germany", 47.66, 9.17)
OWN_ALBUM = "Keepsakes"
# One version of each search style where nothing else differs; test_versions and test_properties compare all.
STYLES = ("2.5.6", "3.3.1")


def library(*, with_album: bool = True) -> Library:
    """An empty library. An owned album is what tells the service who "me" is."""
    made = Library()
    if with_album:
        made.add_album(OWN_ALBUM)
    return made


def shoot(made: Library, day: str, number: int, *, at: str = "10:00", **fields: Any) -> list[Asset]:
    """`number` photos on one local day, all at the same minute and a second apart."""
    photos = []
    for n in range(number):
        local = f"{day}T{at}:{n % 60:02d}.{n // 60 % 1000:03d}"
        photos.append(made.add_asset(local=local, **fields))
    return photos


def clusters_of(summary: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(cluster["start"], cluster["end"], cluster["count"]) for cluster in summary["clusters"]]


def places_of(summary: dict[str, Any]) -> dict[str, int]:
    return {place["place"]: place["count"] for place in summary["top_places"]}


def warns(answer: dict[str, Any], words: str) -> bool:
    return any(words in warning for warning in answer["warnings"])

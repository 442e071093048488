"""One photo or video, with just what counting and describing a trip needs."""

from __future__ import annotations

from datetime import date
from typing import Literal, NamedTuple

Media = Literal["photo", "video", "other"]
MEDIA_OF_TYPE: dict[str, Media] = {"IMAGE": "photo", "VIDEO": "video"}


class Place(NamedTuple):
    """Immich's reverse geocoding: the nearest town within 25 km, as Immich spells it."""

    city: str | None = None
    state: str | None = None
    country: str | None = None

    @property
    def known(self) -> bool:
        return self != NOWHERE


NOWHERE = Place()


class Photo(NamedTuple):
    """`id` is Immich's asset id in lower case; `moment` sorts by real time (text of an instant, maybe empty).

    `hour` is that of the wall clock, None where it cannot be read.
    """

    id: str
    day: date | None
    moment: str
    place: Place
    media: Media
    owner: str
    file: str
    utc_offset: int | None = None
    hour: int | None = None


def in_order(photo: Photo) -> tuple[date, str, str]:
    """Sort key: by local day, within a day by instant; photos without a readable day come last."""
    return (photo.day or date.max, photo.moment, photo.id)

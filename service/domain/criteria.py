"""The eight search fields, as the caller gave them and as they are applied."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from typing import Any, Literal

from service.domain.days import Window
from service.domain.names import shorten

MediaFilter = Literal["photo", "video", "all"]
PLACE_KINDS = ("state", "city", "country")
MAX_SHOWN_NAME = 120


@dataclass(frozen=True, slots=True)
class Criteria:
    """What to look for. Both dates are inclusive local days. Places are Immich's own spelling once resolved.

    `person` is the name to show, `person_id` the resolved person; it is set by resolving and never by a caller.
    """

    taken_after: date | None = None
    taken_before: date | None = None
    state: str | None = None
    city: str | None = None
    country: str | None = None
    person: str | None = None
    media: MediaFilter = "all"
    favorites_only: bool = False
    person_id: str | None = None

    @property
    def window(self) -> Window:
        return Window(self.taken_after, self.taken_before)

    @property
    def has_dates(self) -> bool:
        return not self.window.is_open

    @property
    def has_place(self) -> bool:
        return bool(self.state or self.city or self.country)

    @property
    def is_empty(self) -> bool:
        return self == Criteria()

    def without_dates(self) -> Criteria:
        return replace(self, taken_after=None, taken_before=None)

    def without_place(self) -> Criteria:
        return replace(self, state=None, city=None, country=None)

    def echo(self) -> dict[str, Any]:
        """The criteria as applied, only those that are set; dates as YYYY-MM-DD, very long names cut with a mark."""
        shown: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "person_id" and value != field.default:
                shown[field.name] = _show(value)
        return shown

    def to_stored(self) -> dict[str, Any]:
        """JSON values that `from_stored` reads back."""
        stored = {key: value for key, value in asdict(self).items() if value is not None}
        return {key: value.isoformat() if isinstance(value, date) else value for key, value in stored.items()}

    @classmethod
    def from_stored(cls, stored: dict[str, Any]) -> Criteria:
        values = dict(stored)
        for key in ("taken_after", "taken_before"):
            if key in values:
                values[key] = date.fromisoformat(values[key])
        return cls(**values)


def _show(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    return shorten(value, MAX_SHOWN_NAME) if isinstance(value, str) else value

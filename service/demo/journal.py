"""Every request that the look-alike answered, in order: what tests read to prove that nothing was written."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Entry:
    seq: int
    method: str
    path: str
    query: dict[str, str]
    body: Any = None
    key: str | None = None
    """The name of the API key, None for a missing or unknown one."""
    status: int | None = None
    """None until an answer was ready, and for good where a fault came first."""
    applied: bool = False
    """An album was made or photos were put into one, whatever the client got to hear."""
    album_id: str | None = None
    album_name: str | None = None
    added: list[str] = field(default_factory=list)
    fault: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Journal:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._seq = 0

    def record(self, method: str, path: str, query: dict[str, str]) -> Entry:
        self._seq += 1
        entry = Entry(self._seq, method, path, query)
        self.entries.append(entry)
        return entry

    def writes(self) -> list[Entry]:
        """Every `POST albums` and `PUT albums/{id}/assets`, applied or refused."""
        return [entry for entry in self.entries if _is_write(entry)]

    def applied(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.applied]

    def calls(self, path: str, method: str | None = None) -> list[Entry]:
        """Requests whose path ends in `path`, such as `search/metadata`."""
        found = [entry for entry in self.entries if entry.path.endswith(path)]
        return [entry for entry in found if method in (None, entry.method)]

    def clear(self) -> None:
        self.entries.clear()


def _is_write(entry: Entry) -> bool:
    return entry.method not in ("GET", "HEAD") and entry.path.startswith("/api/albums")

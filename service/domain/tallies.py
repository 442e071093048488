"""Immich's per-id answers to adding photos, counted as they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MAX_STORED_FAILED = 50
REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Tally:
    """Answers so far. `answered` ids of the sorted set have one, whatever it was."""

    answered: int = 0
    added: int = 0
    already_present: int = 0
    failed_count: int = 0
    failed: tuple[dict[str, str], ...] = ()

    def plus(self, other: Tally) -> Tally:
        return Tally(
            self.answered + other.answered,
            self.added + other.added,
            self.already_present + other.already_present,
            self.failed_count + other.failed_count,
            (self.failed + other.failed)[:MAX_STORED_FAILED],
        )

    def to_stored(self) -> dict[str, Any]:
        return {
            "answered": self.answered,
            "added": self.added,
            "already_present": self.already_present,
            "failed_count": self.failed_count,
            "failed": list(self.failed),
        }


def tally_rows(rows: Iterable[tuple[str, bool, str | None]], maybe_ours: bool) -> Tally:
    """Counts (id, success, reason) rows. maybe_ours: duplicates were most likely added by an earlier try of ours."""
    answered = added = already_present = 0
    failed: list[dict[str, str]] = []
    for asset_id, success, reason in rows:
        answered += 1
        if success or (reason == "duplicate" and maybe_ours):
            added += 1
        elif reason == "duplicate":
            already_present += 1
        else:
            failed.append({"id": asset_id.lower(), "reason": reason or "unknown"})
    return Tally(answered, added, already_present, len(failed), tuple(failed[:MAX_STORED_FAILED]))

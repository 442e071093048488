"""Immich version numbers and the behaviours that switch with them."""

from __future__ import annotations

import re
from dataclasses import dataclass

PATTERN = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(?:-?(?:rc|beta|alpha)\.?(\d+))?")


@dataclass(frozen=True, slots=True)
class ImmichVersion:
    major: int
    minor: int
    patch: int
    prerelease: int | None = None

    @property
    def is_v3(self) -> bool:
        """3.0 changed error bodies, album shapes, visibility defaults and validation."""
        return self.major >= 3

    @property
    def has_filter(self) -> bool:
        """3.2 added the structured `filter` search; below it the field is unknown and thus ignored."""
        return (self.major, self.minor) >= (3, 2)

    def body(self) -> dict[str, int | None]:
        numbers: dict[str, int | None] = {"major": self.major, "minor": self.minor, "patch": self.patch}
        return numbers | {"prerelease": self.prerelease} if self.is_v3 else numbers


def parse_version(text: str) -> ImmichVersion:
    found = PATTERN.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"not an Immich version: {text!r}")
    major, minor, patch, prerelease = found.groups()
    return ImmichVersion(int(major), int(minor), int(patch), int(prerelease) if prerelease else None)

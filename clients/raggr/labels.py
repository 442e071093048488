"""What raggr's activity line says while a photo tool runs."""

from __future__ import annotations

from clients.raggr.tools import PREFIX

PHOTO_LABELS = ((PREFIX, "Looking through photos…"),)


def label_of(tool_name: str) -> str | None:
    """The label of a photo tool; None for every other tool."""
    return next((label for prefix, label in PHOTO_LABELS if tool_name.startswith(prefix)), None)

"""Text that came from a person or a library: comparing it, and quoting it safely in our own sentences."""

from __future__ import annotations

import re
import unicodedata

_BLANKS = re.compile(r"\s+")
# Cc control, Cf format (direction marks, zero width), Cs surrogates, Co private use, Zl/Zp line separators
_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
QUOTE_LIMIT = 80


def fold(text: str) -> str:
    """`text` for comparing: case, accents, Unicode form, outer and repeated blanks do not matter."""
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    folded = unicodedata.normalize("NFKD", bare.casefold())
    return _BLANKS.sub(" ", "".join(char for char in folded if not unicodedata.combining(char))).strip()


def clean(text: str) -> str:
    """`text` on one line without control characters and direction marks."""
    spaced = _BLANKS.sub(" ", text)
    return "".join(char for char in spaced if unicodedata.category(char) not in _UNSAFE_CATEGORIES).strip()


def shorten(text: str, limit: int) -> str:
    """`text` cut to `limit` characters, with a mark where it was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def quote(text: str, limit: int = QUOTE_LIMIT) -> str:
    """Library or caller text as a quoted word of our sentence: one line, harmless, at most `limit` characters."""
    return '"' + shorten(clean(text), limit).replace('"', "'") + '"'


def words(folded: str) -> list[str]:
    """The words of a folded name; blanks and hyphens part them."""
    return [word for word in re.split(r"[^\w']+", folded) if word]

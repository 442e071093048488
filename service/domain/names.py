"""Text that came from a person or a library: comparing it, and quoting it safely in our own sentences."""

from __future__ import annotations

import re
import unicodedata

_BLANKS = re.compile(r"\s+")
# Cc control, Cf format (direction marks, zero width), Cs surrogates, Co private use, Zl/Zp line separators
_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# What a name does not show must not tell two names apart.
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
CUT_MARK = "…"
QUOTE_LIMIT = 80
NAME_LIMIT = 200  # longer album names are cut in answers, or one name would fill them
LEAST_OF_A_CUT_NAME = 60


def fold(text: str) -> str:
    """`text` for comparing: case, accents, Unicode form, blanks around and repeated, invisible signs do not matter."""
    seen = "".join(char for char in _BLANKS.sub(" ", text) if unicodedata.category(char) not in _INVISIBLE_CATEGORIES)
    decomposed = unicodedata.normalize("NFKD", seen)
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    folded = unicodedata.normalize("NFKD", bare.casefold())
    return _BLANKS.sub(" ", "".join(char for char in folded if not unicodedata.combining(char))).strip()


def clean(text: str) -> str:
    """`text` on one line without control characters and direction marks."""
    spaced = _BLANKS.sub(" ", text)
    return "".join(char for char in spaced if unicodedata.category(char) not in _UNSAFE_CATEGORIES).strip()


def shorten(text: str, limit: int) -> str:
    """`text` cut to `limit` characters, with a mark where it was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + CUT_MARK


def quote(text: str, limit: int = QUOTE_LIMIT) -> str:
    """Library or caller text as a quoted word of our sentence: one line, harmless, at most `limit` characters."""
    return '"' + shorten(clean(text), limit).replace('"', "'") + '"'


def shown_name(name: str) -> str:
    """An album's name as data: as it is, only a very long one cut."""
    return shorten(name, NAME_LIMIT)


def is_same_name(given: str, name: str) -> bool:
    """Whether `given` is `name` as our answers show it: folded, in other quotes, or cut with our mark."""
    wanted, full = _bare(given), _bare(name)
    if wanted == full:
        return True
    shown = _bare(given.strip().removesuffix(CUT_MARK))
    return given.strip().endswith(CUT_MARK) and len(shown) >= LEAST_OF_A_CUT_NAME and full.startswith(shown)


def _bare(name: str) -> str:
    """Folded, without outer quotes (chat templates add and drop them), inner ones alike."""
    return fold(name).replace('"', "'").strip("' ")


def words(folded: str) -> list[str]:
    """The words of a folded name; blanks and hyphens part them."""
    return [word for word in re.split(r"[^\w']+", folded) if word]

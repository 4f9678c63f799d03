"""Text that is safe to print: one line, no control characters, a known width."""

from __future__ import annotations

import unicodedata

# Control characters, surrogates, line and paragraph separators end a line or change the terminal.
_UNPRINTABLE = frozenset(("Cc", "Cs", "Zl", "Zp"))
# Bidirectional embeddings, overrides and isolates reorder the rest of the line.
_REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _escaped(character: str) -> str:
    if unicodedata.category(character) in _UNPRINTABLE or character in _REORDERING:
        return character.encode("unicode_escape").decode("ascii")
    return character


def visible(text: str) -> str:
    r"""Return `text` with every character that could break the line written as an escape.

    >>> print(visible("red\x1b[31m\nname"))
    red\x1b[31m\nname
    """
    # isprintable() is false for exactly the characters of interest and a few harmless ones.
    return text if text.isprintable() else "".join(map(_escaped, text))


def width(text: str) -> int:
    """Return the number of terminal cells that `text` takes (Unicode Standard Annex 11).

    >>> width("naïve"), width("日本"), width("e\u0301")
    (5, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def left(text: str, cells: int) -> str:
    """Pad `text` on the right to `cells` terminal cells."""
    return text + " " * (cells - width(text))


def right(text: str, cells: int) -> str:
    """Pad `text` on the left to `cells` terminal cells."""
    return " " * (cells - width(text)) + text

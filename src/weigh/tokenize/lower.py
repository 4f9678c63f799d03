"""Lower-casing of a batch of texts."""

from __future__ import annotations

from collections.abc import Sequence


def lower(texts: Sequence[str]) -> list[str]:
    """Lower-case by Unicode's rules.

    >>> lower(["ÉCOLE Straße"])
    ['école straße']
    """
    return list(map(str.lower, texts))


def lower_ascii(texts: Sequence[str]) -> list[str]:
    """Lower-case A to Z and nothing else, as mteval does.

    >>> lower_ascii(["ÉCOLE Straße"])
    ['École straße']
    """
    return [
        text.lower()
        if text.isascii()
        # bytes.lower knows ASCII alone, and is far faster than str.translate
        else text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
        for text in texts
    ]

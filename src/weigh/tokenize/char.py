"""Scheme `char`: every character is a token, white space is not."""

from __future__ import annotations

from collections.abc import Sequence


def spread(texts: Sequence[str]) -> list[str]:
    """Put a space between all characters.

    >>> spread(["né 1"])
    ['n é   1']
    """
    return list(map(" ".join, texts))

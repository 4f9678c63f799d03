"""Judges by number, so that results name nobody; files of judgments keep their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from weigh.types import Judgment


def in_order(name: str) -> tuple[list[str | tuple[int, str]], str]:
    """Return what names are sorted by: numbers within them count as numbers.

    >>> sorted(["judge 10", "judge 9"], key=in_order)
    ['judge 9', 'judge 10']
    """
    parts: list[str | tuple[int, str]] = []
    for at, part in enumerate(re.split("([0-9]+)", name)):
        digits = part.lstrip("0")  # the longer number is the larger, however long
        parts.append((len(digits), digits) if at % 2 else part)
    return parts, name


def numbers(judges: Iterable[str]) -> dict[str, str]:
    """Return `judge 1`, `judge 2` and so on for names, whatever order they come in.

    >>> numbers(["w7", "w10", "w7"])
    {'w7': 'judge 1', 'w10': 'judge 2'}
    """
    return {name: f"judge {at}" for at, name in enumerate(sorted(set(judges), key=in_order), 1)}


def numbered(judgments: Sequence[Judgment]) -> tuple[Judgment, ...]:
    """Return judgments whose judges are numbers, those of one name being one person."""
    return renamed(judgments, numbers(one.judge for one in judgments))


def renamed(judgments: Iterable[Judgment], names: Mapping[str, str]) -> tuple[Judgment, ...]:
    """Return judgments with other names of their judges.

    Where files name no tasks, a judge's name stands in their place, and is another there too.
    """
    return tuple(
        replace(
            one,
            judge=names[one.judge],
            hit=names[one.judge] if one.hit == one.judge else one.hit,
        )
        for one in judgments
    )

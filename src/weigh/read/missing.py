"""Segments that have no score: which ones, of which systems, and what is left without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weigh.errors import InputError
from weigh.read.stream import shown


@dataclass(frozen=True, slots=True)
class Missing:
    """How many of `segments` have no score, by metric and system; None stands for no score.

    A segment that one system has no score of is left out of all systems, and for all metrics:
    systems are compared on the same segments or not at all.
    """

    segments: int
    counts: Mapping[tuple[str, str], int]
    kept: tuple[int, ...]

    @classmethod
    def of(cls, columns: Mapping[tuple[str, str], Sequence[Any]]) -> Missing | None:
        """Look through columns by metric and system; return None if nothing is missing.

        >>> print(Missing.of({("comet", "A"): [0.5, None], ("comet", "B"): [0.1, 0.2]}))
        1 of 2 segments is left out for all systems, as scores are missing: comet of A 1
        """
        gaps = {
            key: [at for at, value in enumerate(column) if value is None]
            for key, column in columns.items()
        }
        out = {at for places in gaps.values() for at in places}
        if not out:
            return None
        segments = len(next(iter(columns.values())))
        kept = tuple(at for at in range(segments) if at not in out)
        if not kept:
            raise InputError(
                f"none of the {segments:,} segments has a score of every system; "
                "leave out the systems or metrics whose scores are missing"
            )
        return cls(segments, {key: len(places) for key, places in gaps.items() if places}, kept)

    def __str__(self) -> str:
        out = self.segments - len(self.kept)
        where = ", ".join(
            f"{shown(metric)} of {shown(system)} {count:,}"
            for (metric, system), count in self.counts.items()
        )
        verb = "is" if out == 1 else "are"
        return (
            f"{out:,} of {self.segments:,} segments {verb} left out for all systems, "
            f"as scores are missing: {where}"
        )

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers, from 1, of the segments that are left."""
        return tuple(at + 1 for at in self.kept)

    def keep(self, column: Sequence[Any]) -> tuple[Any, ...]:
        """Return what a column holds of the segments that are left."""
        return tuple(column[at] for at in self.kept)

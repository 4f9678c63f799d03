"""Ranks of systems: how ranges are shown, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from weigh.wording import percent

RANGE = "from 1 + the systems that beat it to all systems less those that it beats"


@dataclass(frozen=True, slots=True)
class Ranks:
    """Ranks as they are shown, by metric and slice, then by system."""

    shown: Mapping[tuple[str, str | None], Mapping[str, str]]
    uncorrected: bool


def rank_text(ends: tuple[int, int]) -> str:
    """Return a rank, or the range of ranks that a system may have.

    >>> rank_text((1, 1)), rank_text((2, 4))
    ('1', '2–4')
    """
    low, high = ends
    return f"{low}" if low == high else f"{low}–{high}"


def rank_title(uncorrected: bool) -> str:
    """Return the title of ranks, with a mark where they are no confidence statement."""
    return "Rank (uncorrected)" if uncorrected else "Rank"


def confidence(alpha: float, why_not: str = "") -> str:
    """Return how sure ranks are, or why they are less sure than they look."""
    if why_not:
        return f"Ranks are uncorrected, no confidence statement: {why_not}."
    return f"All ranges of a ranking hold together with {percent(1 - alpha)} confidence."


def why_uncorrected(adjust: str) -> str:
    """Return what a correction of p-values leaves to be wished for."""
    if adjust == "none":
        return "p-values are not corrected for the number of pairs"
    return f"{adjust} bounds the share of false wins, not the chance of any"

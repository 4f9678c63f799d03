"""How many labels are YES and NO, which tells what a label still to come is expected to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from weigh.rypt.counts import SpanLabels
from weigh.rypt.label import Label

# The paper's shares count as so many labels of each length.
_WEIGHT = 20


class Shares(NamedTuple):
    """The shares of YES and NO among labels; the rest is NOT SURE."""

    yes: float
    no: float


PAPER = Shares(0.351, 0.601)
"""Of all labels in Zaidan & Callison-Burch 2009."""


def shares_by_length(labels: Iterable[SpanLabels]) -> dict[int, Shares]:
    """Return the shares for each length of a span, in words, that was labelled.

    Few labels are taken together with some of the paper's: (YES + 20 · 0.351) / (labels + 20).
    Other lengths have the paper's shares.
    """
    counts: Counter[tuple[int, Label]] = Counter()
    for own in labels:
        counts.update([(end - start, label) for (start, end, _), label in own.items()])
    shares = {}
    for length in {length for length, _ in counts}:
        size = sum(counts[length, label] for label in Label) + _WEIGHT
        yes, no = (
            (counts[length, label] + _WEIGHT * paper) / size
            for label, paper in zip((Label.YES, Label.NO), PAPER, strict=True)
        )
        shares[length] = Shares(yes, no)
    return shares

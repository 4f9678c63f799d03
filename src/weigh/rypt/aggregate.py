"""What several judges say of one entry together: by majority, by any YES, or by weighted votes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from weigh.rypt.judgment import Labels, majority
from weigh.rypt.label import Entry, Label

AGGREGATES = ("majority", "any-yes", "weighted")
# Sums of weights that differ by less are equal: rounding alone may do that.
_SLACK = 1e-9

Votes = Mapping[str, Label]
"""What each judge said last of one entry."""


class Agreement(NamedTuple):
    """How far a judge agrees with the others.

    A pair is one label of the judge and one of another judge on the same entry. `weight` is
    (agreeing + 1) / (pairs + 2): the share of pairs that agree, drawn toward 1/2 as if there were
    two more, of which one agrees. So a judge whom nobody can be held against weighs 1/2.
    """

    labels: int = 0
    pairs: int = 0
    agreeing: int = 0

    @property
    def weight(self) -> float:
        """What a vote of this judge counts."""
        return (self.agreeing + 1) / (self.pairs + 2)


def agreements(given: Iterable[Votes]) -> dict[str, Agreement]:
    """Return each judge's agreement with all others, over all entries; judges stand by name.

    >>> found = agreements([{"a": Label.YES, "b": Label.YES}, {"a": Label.YES, "b": Label.NO}])
    >>> found["a"].agreeing, found["a"].pairs, found["a"].weight
    (1, 2, 0.5)
    """
    counts: dict[str, list[int]] = {}
    for votes in given:
        said = list(votes.values())
        for judge, label in votes.items():
            own = counts.setdefault(judge, [0, 0, 0])
            own[0] += 1
            own[1] += len(said) - 1
            own[2] += said.count(label) - 1
    return {judge: Agreement(*counts[judge]) for judge in sorted(counts)}


def decider(how: str, given: Callable[[], Iterable[Votes]]) -> Callable[[Votes], Label]:
    """Return what makes one label of the votes on an entry.

    1. `majority`: the label that most gave.
    2. `any-yes`: YES if anybody said so, otherwise the majority.
    3. `weighted`: the label with the largest sum of the judges' weights, by their agreement with
       each other over all votes that are `given`.

    Where two labels have the most, it is NOT SURE.
    """
    if how == "weighted":
        weights = {judge: one.weight for judge, one in agreements(given()).items()}
        return lambda votes: _weighted(votes, weights)
    if how == "any-yes":
        return lambda votes: Label.YES if Label.YES in votes.values() else majority(votes.values())
    return lambda votes: majority(votes.values())


def _weighted(votes: Votes, weights: Mapping[str, float]) -> Label:
    sums: dict[Label, float] = {}
    for judge, label in votes.items():
        sums[label] = sums.get(label, 0.0) + weights[judge]
    (first, most), *others = sorted(sums.items(), key=lambda one: -one[1])
    return Label.NOT_SURE if others and most - others[0][1] < _SLACK else first


def aggregated(given: Mapping[Entry, Votes], how: str = "majority") -> Labels:
    """Return one label for every entry, by source."""
    decide = decider(how, given.values)
    labels: Labels = {}
    for (source, start, end, substring), votes in given.items():
        labels.setdefault(source, {})[start, end, substring] = decide(votes)
    return labels

"""Conclusions of a comparison: wins, undecided pairs, and the best system of each slice."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.comparing.compare_result import label_disagreements
from weigh.comparing.methods import too_few
from weigh.comparing.scopes import MACRO
from weigh.types import grouped

if TYPE_CHECKING:
    from weigh.comparing.compare_result import CompareResult, Comparison
    from weigh.comparing.score_result import SystemScore

Place = tuple[str, str | None]
"""A metric, and a slice or None for the whole test set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestOutcome:
    """Conclusions of one test by one metric, on the whole test set or on a slice.

    `systems` are the systems with a score, best first. `wins` are pairs of winner and loser, and
    `undecided` are all other pairs, those of the best systems first. If metrics that use the same
    labels disagree on a pair, it is undecided, and the outcome `is_disputed`. A test that cannot
    find any difference has `too_few` items or trials, and `is_inconclusive` if it is a bootstrap of
    so few items that it draws no conclusion.
    """

    __test__ = False  # not a test class, whatever its name suggests to pytest

    metric: str
    test: str
    slice: str | None
    alternative: str
    systems: tuple[str, ...]
    wins: frozenset[tuple[str, str]]
    undecided: tuple[tuple[str, str], ...]
    is_disputed: bool
    too_few: str | None
    is_inconclusive: bool

    @property
    def pairs(self) -> int:
        """The number of pairs of systems."""
        return len({frozenset(pair) for pair in (*self.wins, *self.undecided)})

    def rivals(self, system: str) -> tuple[list[str], list[str], list[str]]:
        """The systems that beat this one, lose to it, and are undecided, each best first."""
        better = [winner for winner, loser in self.wins if loser == system]
        worse = [loser for winner, loser in self.wins if winner == system]
        undecided = {name for pair in self.undecided if system in pair for name in pair} - {system}
        place = _placing(self.systems)
        return sorted(better, key=place), sorted(worse, key=place), sorted(undecided, key=place)


def outcomes(
    result: CompareResult, comparisons: Sequence[Comparison] | None = None
) -> list[TestOutcome]:
    """The outcomes of all tests by all metrics, or only of `comparisons`, in their order."""
    comparisons = result.comparisons if comparisons is None else comparisons
    ordered = best_first(result)
    disputed = {id(pair) for group in label_disagreements(comparisons) for pair in group}
    groups = grouped(comparisons, lambda pair: (pair.metric, pair.test, pair.slice))
    higher = {entry.metric: entry.higher_is_better for entry in result.scores}
    all_outcomes = []
    for (metric, test, label), pairs in groups.items():
        systems = dict.fromkeys(entry.system for entry in ordered.get((metric, label), ()))
        place = _placing([*systems])
        wins = {
            beats
            for pair in pairs
            if id(pair) not in disputed
            and (beats := pair.beats(higher_is_better=higher[metric])) is not None
        }
        decided = {frozenset(pair) for pair in wins}
        undecided = [
            sorted(names, key=place)
            for names in {frozenset((pair.a, pair.b)) for pair in pairs} - decided
        ]
        undecided.sort(key=lambda names: [place(name) for name in names])
        all_outcomes.append(
            TestOutcome(
                metric=metric,
                test=test,
                slice=label,
                alternative=pairs[0].alternative,
                systems=tuple(systems),
                wins=frozenset(wins),
                undecided=tuple((a, b) for a, b in undecided),
                is_disputed=any(id(pair) in disputed for pair in pairs),
                too_few=too_few(pairs[0], result),
                is_inconclusive=pairs[0].inconclusive is not None,
            )
        )
    return all_outcomes


def _placing(systems: Sequence[str]) -> Callable[[str], tuple[int, str]]:
    """A sort key for names: best first, systems without a score last."""
    places = {name: place for place, name in enumerate(systems)}
    return lambda name: (places.get(name, len(places)), name)


def by_first_metric(result: CompareResult) -> list[SystemScore]:
    """All scores, ordered by metric, slice, and the systems' ranking by the first metric."""
    first = result.scores[0]
    if result.rankings:
        systems = [name for cluster in result.rankings[0].clusters for name in cluster]
    else:
        whole = [
            entry for entry in result.scores if (entry.metric, entry.slice) == (first.metric, None)
        ]
        sign = -1 if first.higher_is_better else 1
        systems = [entry.system for entry in sorted(whole, key=lambda entry: sign * entry.score)]
    metrics = {entry.metric: at for at, entry in reversed([*enumerate(result.scores)])}
    slices = {entry.slice: at for at, entry in reversed([*enumerate(result.scores)])}
    places = {name: place for place, name in enumerate(systems)}
    return sorted(
        result.scores,
        key=lambda entry: (
            metrics[entry.metric],
            slices[entry.slice],
            places[entry.system],
        ),
    )


def best_first(result: CompareResult) -> dict[Place, list[SystemScore]]:
    """The finite scores of each metric and slice, best first."""
    groups = grouped(by_first_metric(result), lambda entry: (entry.metric, entry.slice))
    return {
        place: sorted(
            (entry for entry in entries if math.isfinite(entry.score)),
            key=lambda entry: entry.score if entry.lower_is_better else -entry.score,
        )
        for place, entries in groups.items()
    }


def leaders_by_slice(result: CompareResult, metric: str) -> dict[str | None, str]:
    """The best system by a metric on the whole test set (None) and on every slice.

    In slices where several systems tie for first place, the best system overall is preferred.
    Where all systems have the same score, there is none: an empty name.
    """
    places = {
        label: entries
        for (name, label), entries in best_first(result).items()
        if name == metric and label != MACRO and entries
    }
    leaders = {label: entries[0].system for label, entries in places.items()}
    overall = leaders.get(None)
    for label, entries in places.items():
        if any(entry.system == overall and entry.score == entries[0].score for entry in entries):
            leaders[label] = str(overall)
        if len(entries) > 1 and entries[0].score == entries[-1].score:
            leaders[label] = ""
    return leaders

"""A comparison, sorted and grouped for reports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from string import ascii_lowercase
from typing import TYPE_CHECKING

from weigh.comparing.methods import has_runs, label_cautions, number_of_runs
from weigh.comparing.outcomes import best_first, by_first_metric, outcomes
from weigh.comparing.score_result import GIVEN_SCORES
from weigh.report.scores import ScoreTable, size_of_test_set
from weigh.report.svg import is_drawable
from weigh.result import MOST_DECIMALS
from weigh.types import grouped
from weigh.wording import plural

if TYPE_CHECKING:
    from weigh.comparing.compare_result import CompareResult, Comparison, Histogram, Sweep
    from weigh.comparing.score_result import SystemScore

_BETTER, _WORSE = "+", "−"


class CompareReport(ScoreTable):
    """A comparison as tables and pictures need it: sorted, grouped and with titles.

    Systems are ordered by the first metric, best first. Ranks and superscripts come from the first
    test.
    """

    interval_optional = 3

    def __init__(self, result: CompareResult) -> None:
        self.result = result
        super().__init__(
            by_first_metric(result), result.metrics, result.test_set, _fewest_decimals(result)
        )
        if result.sets:
            self.overall = "Average"
        self._best_first = best_first(result)
        whole = [pair for pair in result.comparisons if pair.slice is None]
        self.outcomes = grouped(outcomes(result, whole), lambda outcome: outcome.metric)
        self.tests = grouped(result.comparisons, lambda pair: pair.test)
        self.first_test = next(iter(self.tests))
        self.first_pairs = [pair for pair in self.tests[self.first_test] if pair.slice is None]
        self.rankings = {
            (ranking.metric, ranking.slice): ranking
            for ranking in result.rankings
            if ranking.test == self.first_test
        }
        labels = _labels(entry.system for entry in self.scores)
        self.superscripts = self._superscripts(labels)
        if self.superscripts and result.plan.baseline is None:
            self.labels = labels

    @property
    def size(self) -> str:
        """What was compared, counted: systems, runs, test sets, segments and references."""
        result = self.result
        parts = [plural(len({entry.system for entry in result.scores}), "system")]
        if has_runs(result):
            parts.append(number_of_runs(result))
        if result.sets:
            parts.append(plural(len(result.sets), "test set"))
        return ", ".join([*parts, size_of_test_set(result.test_set, self.item)])

    @property
    def slice_word(self) -> str:
        """The word for a slice, which may be a whole test set."""
        return "test set" if self.result.sets else "slice"

    @property
    def signatures(self) -> list[tuple[str, str]]:
        """The signatures of metrics and tests, with their names."""
        return [*super().signatures, *((test.test, test.signature) for test in self.result.tests)]

    def content(self, metric: str) -> str:
        """What a metric is computed from: outputs, or scores that were given."""
        signature = self.metrics[metric][0].signature
        return "outputs" if GIVEN_SCORES.isdisjoint(signature.split("|")) else "scores"

    def label_cautions(self, pairs: Iterable[Comparison]) -> list[str]:
        """A sentence for each caution about metrics that use the same labels and disagree."""
        return [f"{caution}." for caution in label_cautions(pairs, self.titles)]

    # Orders and ranks.

    def drawable_scores(self, metric: str, label: str | None = None) -> list[SystemScore]:
        """The scores by a metric that can be drawn, on a slice or the whole, best first."""
        entries = self._best_first.get((metric, label), [])
        return [entry for entry in entries if is_drawable(entry.score)]

    @cached_property
    def places(self) -> dict[tuple[str, str | None], dict[str, int]]:
        """By metric and slice, the place of each system with a drawable score; the best has 0."""
        return {
            (metric, label): {
                entry.system: place
                for place, entry in enumerate(self.drawable_scores(metric, label))
            }
            for metric in self.titles
            for label in self.slices
        }

    def is_neighbour(self, pair: Histogram | Sweep | Comparison) -> bool:
        """Whether two systems are adjacent in the ranking, and so of most interest to readers.

        With a baseline, all pairs count as neighbours.
        """
        if self.result.plan.baseline is not None:
            return True
        places = self.places[pair.metric, None]
        if pair.a not in places or pair.b not in places:
            return False
        return abs(places[pair.a] - places[pair.b]) == 1

    @property
    def clusters(self) -> Sequence[Sequence[str]]:
        """The clusters of the whole test set by the first metric and test."""
        ranking = self.rankings.get((self.first_metric, None))
        return () if ranking is None else ranking.clusters

    def _superscripts(self, labels: Mapping[str, str]) -> dict[tuple[str, str | None, str], str]:
        """The superscripts of scores: labels of the systems beaten, or a sign with a baseline."""
        beaten_by: dict[tuple[str, str | None, str], set[str]] = {}
        signs: dict[tuple[str, str | None, str], str] = {}
        for pair in self.tests[self.first_test]:
            if beats := pair.beats(higher_is_better=self.higher_is_better(pair.metric)):
                winner, loser = beats
                beaten_by.setdefault((pair.metric, pair.slice, winner), set()).add(loser)
                signs[pair.metric, pair.slice, pair.a] = _BETTER if winner == pair.a else _WORSE
        if self.result.plan.baseline is not None:
            return signs
        return {
            key: ranges(
                [at for at, name in enumerate(labels) if name in beaten], [*labels.values()]
            )
            for key, beaten in beaten_by.items()
        }


def _labels(systems: Iterable[str]) -> dict[str, str]:
    """A letter for every system, or a number if there are more systems than letters."""
    names = dict.fromkeys(systems)
    numbers = map(str, range(1, len(names) + 1))
    labels = ascii_lowercase if len(names) <= len(ascii_lowercase) else numbers
    return dict(zip(names, labels, strict=False))


def _fewest_decimals(result: CompareResult) -> dict[str, int]:
    """By metric, the decimals needed so that no significant difference is shown as 0."""
    percents = {metric.metric for metric in result.metrics if metric.percent}
    smallest: dict[str, float] = {}
    for pair in result.comparisons:
        size = abs(pair.difference) * (100 if pair.metric in percents else 1)
        if pair.decided and size > 0:
            smallest[pair.metric] = min(size, smallest.get(pair.metric, size))
    return {
        metric: min(max(0, -math.floor(math.log10(size))), MOST_DECIMALS)
        for metric, size in smallest.items()
    }


def ranges(places: Sequence[int], labels: Sequence[str]) -> str:
    """The labels at ascending places; three or more neighbours become a range.

    >>> ranges([1, 3, 4, 5], "abcdef")
    'b,d–f'
    """
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    texts: list[str] = []
    for run in runs:
        names = [labels[place] for place in run]
        texts += names if len(names) < 3 else [f"{names[0]}–{names[-1]}"]
    return ",".join(texts)

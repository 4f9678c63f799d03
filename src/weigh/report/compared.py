"""A comparison in the order and the groups in which it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from weigh.comparing.compare_result import label_disagreements
from weigh.comparing.methods import has_runs, label_cautions, number_of_runs
from weigh.comparing.score_result import item_word, titles
from weigh.report.grid import visible
from weigh.report.scores import ScoreTable, size_of_test_set
from weigh.report.svg import drawable
from weigh.types import grouped
from weigh.wording import plural

if TYPE_CHECKING:
    from weigh.comparing.compare_result import CompareResult, Comparison, Histogram, Ranking, Sweep
    from weigh.comparing.score_result import SystemScore


def _place_of(pair: Comparison) -> tuple[str | None, ...]:
    return pair.metric, pair.test, pair.slice, pair.a, pair.b


_MOST_DECIMALS = 12


def _decimals_for(size: float) -> int:
    """How many decimals show the first digit of a number.

    >>> _decimals_for(0.04), _decimals_for(12.0)
    (2, 0)
    """
    return min(max(0, -math.floor(math.log10(size))), _MOST_DECIMALS)


@dataclass(frozen=True)
class CompareReport:
    """What tables, pages and pictures ask a comparison for: orders, titles and groups."""

    result: CompareResult

    @cached_property
    def scores(self) -> ScoreTable:
        """The scores, best first by the first metric."""
        result = self.result
        order = {name: place for place, name in enumerate(self._systems)}
        metrics = {name: at for at, name in enumerate(self.titles)}
        slices = {name: at for at, name in enumerate(self.slices)}
        return ScoreTable(
            sorted(
                result.scores,
                key=lambda entry: (metrics[entry.metric], slices[entry.slice], order[entry.system]),
            ),
            result.metrics,
            self._fewest_decimals,
        )

    @cached_property
    def _fewest_decimals(self) -> dict[str, int]:
        """Decimals with which no significant difference by a metric is shown as 0."""
        percents = {metric.metric for metric in self.result.metrics if metric.percent}
        smallest: dict[str, float] = {}
        for pair in self.result.comparisons:
            size = abs(pair.difference) * (100 if pair.metric in percents else 1)
            if pair.decided and size > 0:
                smallest[pair.metric] = min(size, smallest.get(pair.metric, size))
        return {metric: _decimals_for(size) for metric, size in smallest.items()}

    @cached_property
    def _systems(self) -> list[str]:
        """The systems by rank, or else by score, by the first metric."""
        for ranking in self.result.rankings[:1]:
            return [name for cluster in ranking.clusters for name in cluster]
        return [entry.system for entry in self.order(self.result.scores[0].metric)]

    @cached_property
    def item(self) -> str:
        """What the test set consists of: items or segments."""
        return item_word(self.result.scores)

    @cached_property
    def unit(self) -> str:
        """What was resampled: items, segments or documents."""
        return self.result.unit

    @cached_property
    def size(self) -> str:
        """How much was compared, in words: runs, test sets, segments and references."""
        result = self.result
        parts = [number_of_runs(result)] if has_runs(result) else []
        if result.sets:
            parts.append(plural(len(result.sets), "test set"))
        return ", ".join([*parts, size_of_test_set(result.test_set, self.item)])

    @cached_property
    def titles(self) -> dict[str, str]:
        """What each metric is called."""
        names = titles(self.result.metrics)
        return {
            metric: names[metric]
            for metric in dict.fromkeys(entry.metric for entry in self.result.scores)
        }

    @cached_property
    def signatures(self) -> list[tuple[str, str]]:
        """Metrics and tests, each with its signature."""
        tests = [(test.test, test.signature) for test in self.result.tests]
        return [*self.scores.signatures, *tests]

    @cached_property
    def sliced(self) -> bool:
        """Whether slices were looked at."""
        return len(self.slices) > 1

    @cached_property
    def slice_word(self) -> str:
        """What slices are called: they may be test sets."""
        return "test set" if self.result.sets else "slice"

    @cached_property
    def slices(self) -> list[str | None]:
        """The whole test set, None, and its slices."""
        return list(dict.fromkeys(entry.slice for entry in self.result.scores))

    @cached_property
    def _higher(self) -> dict[str, bool]:
        return {entry.metric: entry.higher_is_better for entry in self.result.scores}

    def higher(self, metric: str) -> bool:
        """Whether larger scores are better."""
        return self._higher[metric]

    def direction(self, metric: str) -> str:
        """Which scores are good, in words."""
        return "higher is better" if self.higher(metric) else "lower is better"

    def heading(self, metric: str, label: str | None = None) -> str:
        """What a metric is called, and the slice, in the heading of a picture."""
        parts = [self.titles[metric]] + ([] if label is None else [label])
        return ", ".join(map(visible, parts))

    def decimals(self, metric: str) -> int:
        """How many decimals of a metric are shown."""
        return self.scores.decimals(metric)

    @cached_property
    def _disputed(self) -> set[tuple[str | None, ...]]:
        groups = label_disagreements(self.result.comparisons)
        return {_place_of(pair) for group in groups for pair in group}

    def is_disputed(self, pair: Comparison) -> bool:
        """Whether another metric of the same labels draws another conclusion on the pair."""
        return bool(self._disputed) and _place_of(pair) in self._disputed

    def label_cautions(self, pairs: Iterable[Comparison]) -> list[str]:
        """Sentences on the pairs that metrics of the same labels disagree on."""
        return [f"{caution}." for caution in label_cautions(pairs, self.titles)]

    def winner(self, pair: Comparison) -> str | None:
        """The system that has won, if one has."""
        return pair.winner(higher_is_better=self.higher(pair.metric))

    @cached_property
    def tests(self) -> dict[str, list[Comparison]]:
        """The comparisons by test."""
        return grouped(self.result.comparisons, lambda pair: pair.test)

    @cached_property
    def first_test(self) -> str:
        """The test that ranks and superscripts in tables of scores are by."""
        return next(iter(self.tests))

    @cached_property
    def first_pairs(self) -> list[Comparison]:
        """The comparisons of the whole test set by the first test."""
        return [pair for pair in self.tests[self.first_test] if pair.slice is None]

    @cached_property
    def _rankings(self) -> dict[tuple[str, str, str | None], Ranking]:
        return {
            (ranking.metric, ranking.test, ranking.slice): ranking
            for ranking in self.result.rankings
        }

    def ranking(self, metric: str, test: str, label: str | None = None) -> Ranking | None:
        """The ranking by a metric and a test, of a slice or of all, if there is one."""
        return self._rankings.get((metric, test, label))

    @cached_property
    def clusters(self) -> Sequence[Sequence[str]]:
        """The clusters of the whole test set by the first metric and test."""
        ranking = self.ranking(next(iter(self.titles)), self.first_test)
        return () if ranking is None else ranking.clusters

    def order(self, metric: str, label: str | None = None) -> list[SystemScore]:
        """The scores by a metric, of a slice or of all, best first."""
        sign = -1 if self.higher(metric) else 1
        return sorted(self._entries.get((metric, label), ()), key=lambda entry: sign * entry.score)

    @cached_property
    def _entries(self) -> dict[tuple[str, str | None], list[SystemScore]]:
        return grouped(self.result.scores, lambda entry: (entry.metric, entry.slice))

    @cached_property
    def places(self) -> dict[tuple[str, str | None], dict[str, int]]:
        """By metric and slice, where each system that has a score stands; 0 is the best."""
        return {
            (metric, label): {
                entry.system: place for place, entry in enumerate(self.ordered(metric, label))
            }
            for metric in self.titles
            for label in self.slices
        }

    def ordered(self, metric: str, label: str | None = None) -> list[SystemScore]:
        """The scores that can be drawn, best first."""
        return [entry for entry in self.order(metric, label) if drawable(entry.score)]

    def distance(self, pair: Histogram | Sweep | Comparison, label: str | None = None) -> int:
        """How far apart two systems stand by score; with a baseline, 1 for all pairs."""
        if self.result.plan.baseline is not None:
            return 1
        places = self.places[pair.metric, label]
        if pair.a not in places or pair.b not in places:
            return len(places)
        return abs(places[pair.a] - places[pair.b])

    def is_neighbour(self, pair: Histogram | Sweep | Comparison) -> bool:
        """Whether two systems stand beside each other, so that a reader asks about them first."""
        return self.distance(pair) == 1

"""A comparison in the order and the groups in which it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from weigh.comparing.compare_result import label_disagreements
from weigh.comparing.methods import has_runs, label_cautions, number_of_runs
from weigh.comparing.score_result import titles
from weigh.report.grid import visible
from weigh.report.phrases import RANGE, Ranks, confidence, rank_text, why_uncorrected
from weigh.report.scores import OVERALL, ScoreTable, size_of_test_set
from weigh.report.svg import drawable
from weigh.types import grouped

if TYPE_CHECKING:
    from weigh.comparing.compare_result import CompareResult, Comparison, Histogram, Ranking, Sweep
    from weigh.comparing.score_result import SystemScore


def _place_of(pair: Comparison) -> tuple[str | None, ...]:
    return pair.metric, pair.test, pair.slice, pair.a, pair.b


@dataclass(frozen=True)
class CompareReport:
    """What tables, pages and pictures ask a comparison for: orders, titles and groups."""

    result: CompareResult

    @cached_property
    def scores(self) -> ScoreTable:
        """The scores, best first by the first metric."""
        result = self.result
        first = result.scores[0]
        whole = [
            each for each in result.scores if (each.metric, each.slice) == (first.metric, None)
        ]
        sign = -1 if first.higher_is_better else 1
        names = [each.system for each in sorted(whole, key=lambda each: sign * each.score)]
        order = {name: place for place, name in enumerate(self._ranked_first or names)}
        metrics = list(dict.fromkeys(each.metric for each in result.scores))
        slices = list(dict.fromkeys(each.slice for each in result.scores))
        return ScoreTable(
            sorted(
                result.scores,
                key=lambda each: (
                    metrics.index(each.metric),
                    slices.index(each.slice),
                    order[each.system],
                ),
            ),
            result.metrics,
        )

    @cached_property
    def size(self) -> str:
        """How much was compared, in words: runs, segments, references and documents."""
        result = self.result
        size = size_of_test_set(result.test_set)
        return f"{number_of_runs(result)}, {size}" if has_runs(result) else size

    @property
    def intervals(self) -> str:
        """How intervals were made, or nothing where no score has one."""
        has_any = any(entry.interval is not None for entry in self.result.scores)
        return f"{self.result.intervals}" if has_any and self.result.intervals else ""

    @cached_property
    def titles(self) -> dict[str, str]:
        """What each metric is called."""
        return titles(self.result.metrics)

    @cached_property
    def signatures(self) -> list[tuple[str, str]]:
        """Metrics and tests, each with its signature."""
        tests = [(each.test, each.signature) for each in self.result.tests]
        return [*self.scores.signatures, *tests]

    @cached_property
    def sliced(self) -> bool:
        """Whether slices were looked at."""
        return any(pair.slice is not None for pair in self.result.comparisons)

    @cached_property
    def slices(self) -> list[str | None]:
        """The whole test set, None, and its slices."""
        return list(dict.fromkeys(entry.slice for entry in self.result.scores))

    @cached_property
    def _higher(self) -> dict[str, bool]:
        return {entry.metric: entry.higher_is_better for entry in self.result.scores}

    def higher(self, metric: str) -> bool:
        """Return whether larger scores are better."""
        return self._higher[metric]

    def direction(self, metric: str) -> str:
        """Return which scores are good."""
        return "higher is better" if self.higher(metric) else "lower is better"

    def heading(self, metric: str, label: str | None = None) -> str:
        """Return what a metric is called, and the slice, in the heading of a picture."""
        parts = [self.titles[metric]] + ([] if label is None else [label])
        return ", ".join(map(visible, parts))

    def decimals(self, metric: str) -> int:
        """Return how many decimals of a metric are shown."""
        return self.scores.decimals(metric)

    @cached_property
    def _disputed(self) -> set[tuple[str | None, ...]]:
        groups = label_disagreements(self.result.comparisons)
        return {_place_of(pair) for group in groups for pair in group}

    def is_disputed(self, pair: Comparison) -> bool:
        """Whether another metric of the same labels draws another conclusion on the pair."""
        return _place_of(pair) in self._disputed

    def label_cautions(self, pairs: Sequence[Comparison]) -> list[str]:
        """Sentences on the pairs that metrics of the same labels disagree on."""
        return [f"{caution}." for caution in label_cautions(pairs, self.titles)]

    @cached_property
    def tests(self) -> dict[str, list[Comparison]]:
        """The comparisons by test, and within it by metric, then by slice, then by rank."""
        metrics, slices = list(self.titles), self.slices

        def place(pair: Comparison) -> tuple[int, int, list[int], int]:
            places = self.places(pair.metric, pair.slice)
            a, b = (places.get(name, len(places)) for name in (pair.a, pair.b))
            return metrics.index(pair.metric), slices.index(pair.slice), sorted((a, b)), a

        return {
            test: sorted(pairs, key=place)
            for test, pairs in grouped(self.result.comparisons, lambda pair: pair.test).items()
        }

    @cached_property
    def _ranked_first(self) -> list[str]:
        """The systems by rank, by the first metric and test on the whole test set."""
        for ranking in self.result.rankings[:1]:
            return [name for cluster in ranking.clusters for name in cluster]
        return []

    def lines(self, test: str) -> Sequence[Sequence[str]]:
        """Return the clusters that lines part in tables of scores: those of the first metric.

        They are of the whole test set; where lines set slices apart, one cluster needs none.
        """
        clusters = [
            ranking.clusters
            for ranking in self.result.rankings
            if ranking.test == test and ranking.slice is None
        ]
        return clusters[0] if clusters and (len(clusters[0]) > 1 or not self.sliced) else ()

    @cached_property
    def ranks(self) -> Ranks | None:
        """The ranks that each system may have by the first test."""
        return self.ranks_by(self.first_test)

    @cached_property
    def first_test(self) -> str:
        """The test that the ranks in tables of scores are by."""
        return self.result.rankings[0].test if self.result.rankings else ""

    def ranks_by(self, test: str) -> Ranks | None:
        """Return the ranks that each system may have by a test."""
        by_test = [ranking for ranking in self.result.rankings if ranking.test == test]
        if not by_test:
            return None
        return Ranks(
            {
                (ranking.metric, ranking.slice): {
                    name: rank_text(ends) for name, ends in ranking.ranks.items()
                }
                for ranking in by_test
            },
            any(ranking.uncorrected for ranking in by_test),
        )

    def about_ranks(self, test: str) -> str:
        """Return how ranks by a test, and lines between clusters, are to be read."""
        plan = self.result.plan
        ranks, lines = self.ranks_by(test), self.lines(test)
        why_not = why_uncorrected(plan.adjust) if ranks and ranks.uncorrected else ""
        said = f"Rank by the {test} test: {RANGE}. {confidence(plan.alpha, why_not)}"
        if len(lines) > 1:
            title = next(iter(self.titles.values()))
            where = f" within {OVERALL}" if self.sliced else ""
            said += (
                f" A line{where} stands where every system above beats every one below by {title}."
            )
        return said

    def order(self, metric: str, label: str | None = None) -> list[SystemScore]:
        """Return the scores by a metric, of a slice or of all, best first."""
        sign = -1 if self.higher(metric) else 1
        place = (metric, label)
        entries = [entry for entry in self.result.scores if (entry.metric, entry.slice) == place]
        return sorted(entries, key=lambda entry: sign * entry.score)

    def places(self, metric: str, label: str | None = None) -> dict[str, int]:
        """Return where systems that have a score stand, in a slice or in all; 0 is the best."""
        return self._places[metric, label]

    @cached_property
    def _places(self) -> dict[tuple[str, str | None], dict[str, int]]:
        return {
            (metric, label): {
                entry.system: place for place, entry in enumerate(self.ordered(metric, label))
            }
            for metric in self.titles
            for label in self.slices
        }

    def ordered(self, metric: str, label: str | None = None) -> list[SystemScore]:
        """Return those that can be drawn, best first."""
        return [entry for entry in self.order(metric, label) if drawable(entry.score)]

    def is_neighbour(self, pair: Histogram | Sweep | Comparison, label: str | None = None) -> bool:
        """Return whether a pair is one that a reader asks about first, in a slice or in all.

        Those are neighbours in the order of scores; with a baseline, all pairs.
        """
        if self.result.plan.baseline is not None:
            return True
        places = self.places(pair.metric, label)
        if pair.a not in places or pair.b not in places:
            return False
        return abs(places[pair.a] - places[pair.b]) == 1

    def ranking(self, metric: str, test: str, label: str | None) -> Ranking | None:
        """Return the ranking by a metric and a test, of a slice or of all, if there is one."""
        place = (metric, test, label)
        for ranking in self.result.rankings:
            if (ranking.metric, ranking.test, ranking.slice) == place:
                return ranking
        return None

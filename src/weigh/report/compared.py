"""All that a comparison has to say, ready to be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from weigh.report.methods import has_runs, number_of_runs, signatures_of_tests
from weigh.report.pairs import places
from weigh.report.scores import IntervalMethod, ScoreReport, size_of_test_set

if TYPE_CHECKING:
    from weigh.comparing import Result
    from weigh.types import Comparison


@dataclass(frozen=True)
class CompareReport:
    """All that `weigh compare` says.

    `digits` tells with how many decimals a metric is shown, 2 where it is not in there.
    """

    result: Result
    digits: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def scores(self) -> ScoreReport:
        """The scores, best first by the first metric."""
        result, plan = self.result, self.result.plan
        first = result.scores[0]
        whole = [
            each for each in result.scores if (each.metric, each.slice) == (first.metric, None)
        ]
        sign = -1 if first.higher_is_better else 1
        order = {
            each.system: place
            for place, each in enumerate(sorted(whole, key=lambda each: sign * each.score))
        }
        unit = (result.unit, result.units)
        metrics = list(dict.fromkeys(each.metric for each in result.scores))
        slices = list(dict.fromkeys(each.slice for each in result.scores))
        return ScoreReport(
            sorted(
                result.scores,
                key=lambda each: (
                    metrics.index(each.metric),
                    slices.index(each.slice),
                    order[each.system],
                ),
            ),
            segments=result.segments,
            references=result.references,
            documents=result.documents,
            decimals=self.digits,
            intervals=IntervalMethod(
                plan.interval,
                plan.level,
                plan.trials,
                plan.seed,
                *(("segment", result.segments) if plan.interval == "t" else unit),
            ),
        )

    @cached_property
    def size(self) -> str:
        """How much was compared, in words: runs, segments, references and documents."""
        result = self.result
        size = size_of_test_set(result.segments, result.references, result.documents)
        return f"{number_of_runs(result)}, {size}" if has_runs(result) else size

    @cached_property
    def titles(self) -> dict[str, str]:
        """What each metric is called."""
        titles = [title for title, _ in self.scores.signatures]
        return dict(zip(self.scores.metrics, titles, strict=True))

    @cached_property
    def signatures(self) -> list[tuple[str, str]]:
        """Metrics and tests, each with its signature."""
        return [*self.scores.signatures, *signatures_of_tests(self.result)]

    @cached_property
    def sliced(self) -> bool:
        """Whether slices were looked at."""
        return any(one.slice is not None for one in self.result.comparisons)

    @cached_property
    def _higher(self) -> dict[str, bool]:
        return {entry.metric: entry.higher_is_better for entry in self.result.scores}

    def higher(self, metric: str) -> bool:
        """Return whether larger scores are better."""
        return self._higher[metric]

    def decimals(self, metric: str) -> int:
        """Return how many decimals of a metric are shown."""
        return self.digits.get(metric, 2)

    @cached_property
    def tests(self) -> dict[str, list[Comparison]]:
        """The comparisons by test, and within it by metric, then by slice."""
        tests: dict[str, list[Comparison]] = {}
        metrics = list(self.titles)
        for one in sorted(self.result.comparisons, key=lambda one: metrics.index(one.metric)):
            tests.setdefault(one.test, []).append(one)
        return {test: tests[test] for test in {one.test: 0 for one in self.result.comparisons}}

    @cached_property
    def ranks(self) -> dict[tuple[str, str | None], dict[str, str]] | None:
        """Each system's place by the first test, a range where clusters have several systems."""
        if not self.result.rankings:
            return None
        first = self.result.rankings[0].test
        return {
            (ranking.metric, ranking.slice): places(ranking.clusters)
            for ranking in self.result.rankings
            if ranking.test == first
        }

    def clusters(self, one: Comparison) -> Sequence[Sequence[str]]:
        """Return the systems by rank for a comparison's metric, test and slice."""
        place = (one.metric, one.test, one.slice)
        for ranking in self.result.rankings:
            if (ranking.metric, ranking.test, ranking.slice) == place:
                return ranking.clusters
        sign = -1 if self.higher(one.metric) else 1
        entries = [e for e in self.result.scores if (e.metric, e.slice) == place[::2]]
        return [[entry.system for entry in sorted(entries, key=lambda e: sign * e.score)]]

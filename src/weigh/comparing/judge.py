"""Test one scope of a comparison: samples in, comparisons and rankings out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.comparing.compare_result import Comparison, Ranking
from weigh.comparing.dataset import Dataset
from weigh.comparing.metric_judgment import MetricJudgment
from weigh.comparing.plan import Plan
from weigh.comparing.resampling import resample_scope
from weigh.comparing.scopes import Scope
from weigh.comparing.score_result import SystemScore
from weigh.engine.threads import Progress
from weigh.metrics.registry import key_of
from weigh.stats.multiplicity import FAMILYWISE
from weigh.stats.procedures import BLOCK_TESTS
from weigh.stats.ranking import clusters, rank_ranges, wins_ties_losses, with_ties
from weigh.stats.resample import Pairs
from weigh.stats.sample import Sample
from weigh.stats.significance import PairTests

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Scores


@dataclass(frozen=True, slots=True)
class Judged:
    """Results of one scope.

    `tested` holds the tests by name, one per sample. `differing` counts the units on which the
    systems of each pair differ, by sample. `gate_detectable` are the losses that a gate would
    detect, by sample; it is empty without a gate.
    """

    scores: list[SystemScore]
    comparisons: list[Comparison]
    rankings: list[Ranking]
    tested: dict[str, list[PairTests]]
    differing: Sequence[NDArray[np.int64]]
    gate_detectable: Sequence[Sequence[float | None]]


def judge(
    scope: Scope,
    dataset: Dataset,
    plan: Plan,
    pairs: Pairs,
    identical: Sequence[NDArray[np.float64]],
    segment_scores: Sequence[tuple[Scores, Scores] | None],
    *,
    threads: int,
    progress: Progress | None,
) -> Judged:
    """Test all pairs of a scope by all metrics.

    `identical` are the shares of identical segments (systems × systems) by metric, and
    `segment_scores` the scores of single segments (`Sample.oriented_segments`).
    """
    resampled = resample_scope(scope, plan, pairs, threads, progress)
    judgments = [
        MetricJudgment(scope, dataset, plan, pairs, s, resampled) for s in range(len(scope.samples))
    ]
    tested = {
        test: [judgment.test(test) for judgment in judgments]
        for test in plan.tests
        if test not in BLOCK_TESTS or scope.plain
    }
    wins = [_wins_of_pairs(scores, scope, pairs) for scores in segment_scores]
    comparisons = [
        comparison
        for results in tested.values()
        for s, result in enumerate(results)
        for comparison in judgments[s].comparisons(result, identical[s], wins[s])
    ]
    return Judged(
        [score for judgment in judgments for score in judgment.scores()],
        comparisons,
        _rankings(scope, plan, comparisons),
        tested,
        resampled.randomized.differing,
        [judgment.gate_detectable for judgment in judgments] if plan.gate else [],
    )


def _wins_of_pairs(
    segment_scores: tuple[Scores, Scores] | None, scope: Scope, pairs: Pairs
) -> list[list[int]] | list[list[None]]:
    """Wins, ties and losses of each pair on the segments of a scope; None if unknown."""
    if segment_scores is None or scope.members is None:
        return [[None] * 3] * len(pairs)
    scores, sizes = segment_scores
    if len(scope.members) < scores.shape[1]:
        scores, sizes = scores[:, scope.members], sizes[:, scope.members]
    return wins_ties_losses(scores, sizes, pairs).tolist()  # type: ignore[no-any-return]


def _rankings(scope: Scope, plan: Plan, comparisons: Sequence[Comparison]) -> list[Ranking]:
    """Rankings by each test and metric, if all pairs were tested two-sided; otherwise none."""
    if plan.baseline is not None or plan.alternative != "two-sided":
        return []
    result = []
    tested = {comparison.test for comparison in comparisons}
    for test in [test for test in plan.tests if test in tested]:
        for sample in scope.samples:
            key, names = key_of(sample.metric), sample.names
            pairs = [pair for pair in comparisons if (pair.test, pair.metric) == (test, key)]
            sign = 1 if sample.metric.higher_is_better else -1
            wins = {
                (pair.a, pair.b) if sign * pair.difference > 0 else (pair.b, pair.a)
                for pair in pairs
                if pair.decided
            }
            beats = [[(a, b) in wins for b in names] for a in names]
            ranked = clusters(names, sign * _scores_with_ties(sample), beats)
            result.append(
                Ranking(
                    key,
                    test,
                    tuple(map(tuple, ranked)),
                    rank_ranges(names, wins),
                    scope.label,
                    uncorrected=any(
                        pair.family_size > 1 and pair.adjust not in FAMILYWISE for pair in pairs
                    ),
                )
            )
    return result


def _scores_with_ties(sample: Sample) -> Scores:
    """Scores of the systems, with ties made equal that differ only by rounding."""
    scores = sample.scores()
    return with_ties(scores, float(sample.magnitudes(scores).max()))

"""Metrics against people: how well each agrees with them, and whether one does better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError
from weigh.human.accuracy import accuracy_of_rows, pairwise_accuracy, soft_pairwise_accuracy
from weigh.human.correlation import kendall, kendall_of_rows, pearson, spearman, williams
from weigh.human.rivalry import segment_permutation, system_permutation
from weigh.stats.rounding import with_ties

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Gold:
    """What people say: a score for every system, and for every pair, in the order of
    `itertools.combinations`, the p-value of "the first is better"."""

    systems: tuple[str, ...]
    scores: Floats
    p_values: Floats


@dataclass(frozen=True, slots=True)
class MetricFindings:
    """What a metric says of the same systems and pairs, more being better.

    `metric` is how it was asked for and `name` what it is called. `significant` tells which pairs
    it finds to differ. `segments` holds its segment scores, systems × segments, if its scores are
    their means.
    """

    metric: str
    scores: Floats
    p_values: Floats
    significant: NDArray[np.bool_]
    segments: Floats | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """How well a metric agrees with people; `sensitivity` is the share of significant pairs."""

    metric: str
    pearson: float
    spearman: float
    kendall: float
    accuracy: float
    soft_accuracy: float
    sensitivity: float
    name: str | None = None


@dataclass(frozen=True, slots=True)
class MetricContest:
    """Whether one of two metrics agrees better with people: two-sided p-values.

    `williams` compares Pearson's correlations, `t` is its statistic; the others are permutation
    tests. `p_soft_accuracy` is None where a metric is no mean of segment scores.
    """

    a: str
    b: str
    t: float
    p_williams: float
    p_kendall: float
    p_accuracy: float
    p_soft_accuracy: float | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All metrics, and all pairs of metrics."""

    systems: tuple[str, ...]
    metrics: tuple[MetricAgreement, ...]
    contests: tuple[MetricContest, ...]
    trials: int
    seed: int


def evaluate(
    gold: Gold, findings: Sequence[MetricFindings], *, trials: int = 10_000, seed: int = 12345
) -> Evaluation:
    """Hold metrics against people."""
    if len(gold.systems) < 3:
        raise InputError(
            f"{len(gold.systems)} systems that both people and metrics have scored; "
            "a correlation needs 3 at least"
        )
    gold = replace(gold, scores=_settled(gold.scores))
    findings = [replace(each, scores=_settled(each.scores)) for each in findings]
    return Evaluation(
        gold.systems,
        tuple(_agreement(gold, each) for each in findings),
        tuple(_contest(gold, a, b, trials, seed) for a, b in combinations(findings, 2)),
        trials,
        seed,
    )


def _settled(scores: Floats) -> Floats:
    """Return scores without the order that rounding alone gives to equal ones."""
    return with_ties(scores, float(np.abs(scores).max()))


def _agreement(gold: Gold, metric: MetricFindings) -> MetricAgreement:
    return MetricAgreement(
        metric.metric,
        pearson(gold.scores, metric.scores),
        spearman(gold.scores, metric.scores),
        kendall(gold.scores, metric.scores),
        pairwise_accuracy(gold.scores, metric.scores),
        soft_pairwise_accuracy(gold.p_values, metric.p_values),
        float(metric.significant.mean()),
        metric.name,
    )


def _contest(
    gold: Gold, a: MetricFindings, b: MetricFindings, trials: int, seed: int
) -> MetricContest:
    t, p_williams = williams(
        pearson(gold.scores, a.scores),
        pearson(gold.scores, b.scores),
        pearson(a.scores, b.scores),
        len(gold.systems),
    )
    soft = None
    if a.segments is not None and b.segments is not None:
        if a.segments.shape != b.segments.shape:
            raise InputError(
                f"{a.metric} has {a.segments.shape[1]:,} segment scores, but {b.metric} "
                f"{b.segments.shape[1]:,}; give scores of one test set"
            )
        soft = segment_permutation(gold.p_values, a.segments, b.segments, trials, seed)[1]
    return MetricContest(
        a.metric,
        b.metric,
        t,
        p_williams,
        system_permutation(gold.scores, a.scores, b.scores, kendall_of_rows, trials, seed)[1],
        system_permutation(gold.scores, a.scores, b.scores, accuracy_of_rows, trials, seed)[1],
        soft,
    )

"""Metrics against people: how well each agrees with them, and whether one does better.

Under the null hypothesis of tests between two metrics it does not matter which of them a score
comes from. Their scores are put on one scale (mean 0, deviation 1), a coin decides whether they
are exchanged, and the difference in agreement is computed anew: the permutation tests of Deutsch,
Dror & Roth (2021).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from weigh.engine.executors import spreads
from weigh.errors import InputError, UsageError, did_you_mean
from weigh.human.deltas import DeltaCurve, Scored, delta_curve
from weigh.human.judgments import Answers, judged_names, left_out, taken_answers
from weigh.human.plan import MetricsPlan, Quality, RankPlan
from weigh.human.quality import controlled
from weigh.human.rank import rankings_of
from weigh.human.rank_result import HumanRanking
from weigh.human.segment_accuracy import (
    SegmentAccuracy,
    output_pairs,
    output_scores,
    places_of,
    segment_accuracy,
)
from weigh.read.answers import Judgments, Preferences
from weigh.result import Extent, Result, checked, sometimes, warns
from weigh.stats.correlation import kendall, kendall_of_rows, pearson, spearman, williams
from weigh.stats.ranking import with_ties
from weigh.types import Metric, System, TestSet

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from weigh.comparing.compare_result import CompareResult
    from weigh.comparing.measure import Measured
    from weigh.comparing.plan import Plan
    from weigh.engine.threads import Progress
    from weigh.metrics.custom import Definition

    Floats = NDArray[np.float64]
    SegmentScores = Mapping[str, Mapping[str, ArrayLike]]

# Trials that are computed together.
_BLOCK = 1000
_TIE = 1e-12
Agreement = Callable[["Floats", "Floats"], "Floats"]


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

    scale: str
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

    scale: str
    a: str
    b: str
    t: float
    p_williams: float
    p_kendall: float
    p_accuracy: float
    p_soft_accuracy: float | None


@dataclass(frozen=True, slots=True)
class ScaleSystems:
    """The systems that both people, on one scale, and metrics have scored."""

    scale: str
    systems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MetricsResult(Result):
    """All metrics, and all pairs of metrics, on every scale.

    `alpha` and `adjust` are those of the metrics' own tests, for sensitivity. `segments` are
    there where the judged segments are known to the metrics, `deltas` where they were asked for;
    `level` is that of their intervals.
    """

    command: ClassVar[str] = "human metrics"

    test_set: Extent
    quality: Quality
    alpha: float
    adjust: str
    trials: int
    seed: int
    systems: tuple[ScaleSystems, ...]
    metrics: tuple[MetricAgreement, ...]
    contests: tuple[MetricContest, ...]
    remarks: tuple[str, ...]
    segments: tuple[SegmentAccuracy, ...] = ()
    deltas: tuple[DeltaCurve, ...] = sometimes(())
    level: float = 0.95

    def __post_init__(self) -> None:
        scales = {row.scale for row in self.systems}
        others = [row.scale for row in self.contests]
        others += [row.scale for row in self.segments]
        others += [row.scale for row in self.deltas]
        checked(
            scales == {row.scale for row in self.metrics} and scales >= {*others},
            "systems, metrics and contests are not of the same scales",
        )


@warns
@spreads
def human_metrics(
    answers: Answers,
    systems: Sequence[System] | SegmentScores | Measured,
    test_set: TestSet | None = None,
    metrics: Sequence[Metric | Definition] = (),
    plan: MetricsPlan | None = None,
    *,
    quality: Quality = "none",
    lower: Sequence[str] = (),
    threads: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> MetricsResult:
    """Hold metrics against judgments of people: rank by people, test by metrics, compare the two.

    Systems are texts, with a test set and metrics, or segment scores by metric and system, of
    which `lower` names the metrics for which small is good, or what has been measured. Answers are
    judgments or preferences, or what `read_judgments` makes of files. All choices are those of
    `MetricsPlan`, given as
    `options` or as a `plan`; a `quality` control drops judges first.
    """
    # Here, so that a result can be read and shown without all that compares systems.
    from weigh.comparing.compare import compare
    from weigh.comparing.data import measured_data, split_options
    from weigh.comparing.measure import Measured, measure_scores
    from weigh.comparing.plan import Plan

    taken = taken_answers(answers, options)
    if isinstance(systems, Measured):
        measured = systems
    elif isinstance(systems, Mapping):
        measured = measure_scores(systems, lower=lower)
    else:
        data, options = split_options(options, test_set=test_set, metrics=metrics or None)
        measured = measured_data(systems, data, threads=threads, progress=progress)
    plan = replace(plan or MetricsPlan(), **options)
    _check_asked(plan.delta or {}, measured)
    left, rankings, remarks = _rankings(taken, quality)
    judged = {row.system for ranking in rankings for row in ranking.scores}
    measured = measured.renamed(judged_names(measured.names, judged))
    places, missed = places_of(measured, left)
    remarks += missed
    units = measured.samples[0].units
    if places and measured.documents is None and len(places) < units:
        remarks.append(
            f"people judged {len(places):,} of {units:,} segments, and scores of metrics are those "
            "of all of them"
        )

    def compared(chosen: Plan) -> CompareResult:
        return compare(measured, plan=chosen, threads=threads, progress=progress)

    both = compared(Plan(trials=plan.trials, alpha=plan.alpha, adjust=plan.adjust, seed=plan.seed))
    one_sided = compared(
        Plan(trials=plan.trials, alternative="better", adjust="none", seed=plan.seed)
    )
    remarks += both.warnings  # such as that no pair can be significant: sensitivity is 0 then
    segments = _segments(measured)
    scored = list(dict.fromkeys(row.system for row in both.scores))
    scales: list[ScaleSystems] = []
    agreements: list[MetricAgreement] = []
    contests: list[MetricContest] = []
    by_segment: list[SegmentAccuracy] = []
    deltas: list[DeltaCurve] = []
    outputs = output_scores(measured) if places else {}
    for ranking in rankings:
        gold, missing = _gold(ranking, scored)
        remarks += [f"{ranking.about}: {text}" for text in missing]
        findings = _findings(gold.systems, both, one_sided, segments)
        evaluation = evaluate(
            gold, findings, scale=ranking.about, trials=plan.trials, seed=plan.seed
        )
        scales.append(ScaleSystems(ranking.about, gold.systems))
        agreements += evaluation.metrics
        contests += evaluation.contests
        pairs = output_pairs(left, ranking, gold.systems, places, _RANKED)
        for metric, values in outputs.items():
            accuracy = segment_accuracy(
                pairs,
                np.array([values[name] for name in gold.systems]),
                scale=ranking.about,
                metric=metric,
                level=plan.level,
                seed=plan.seed,
            )
            by_segment += [] if accuracy is None else [accuracy]
        if plan.delta is not None:
            curves, refused = _curves(gold, findings, ranking.about, plan)
            deltas += curves
            remarks += refused
    return MetricsResult(
        both.test_set,
        quality,
        plan.alpha,
        plan.adjust,
        plan.trials,
        plan.seed,
        tuple(scales),
        tuple(agreements),
        tuple(contests),
        tuple(dict.fromkeys(remarks)),
        tuple(by_segment),
        tuple(deltas),
        plan.level,
    )


# Tests of every pair in both directions.
_RANKED = RankPlan(test="rank-sum", alternative="better", adjust="none", least_per_system=1)


def _rankings(
    answers: Answers, quality: Quality
) -> tuple[Judgments | Preferences, list[HumanRanking], list[str]]:
    """Return the answers that quality control leaves, people's rankings by them, and remarks."""
    left = controlled(answers, quality)
    ranked = rankings_of(left, _RANKED)
    ranked.check_pair()
    remarks = [*left_out(left), *left.remarks, *ranked.remarks]
    return left, [ranking for ranking in ranked.rankings if not ranking.combined], remarks


def _check_asked(delta: Mapping[str, float], measured: Measured) -> None:
    from weigh.metrics.registry import key_of

    known = [key_of(metric) for metric in measured.metrics]
    for name in delta:
        if name not in known:
            raise UsageError(f"--delta {name}: no such metric here; {did_you_mean(name, known)}")


def _curves(
    gold: Gold, findings: Sequence[MetricFindings], scale: str, plan: MetricsPlan
) -> tuple[list[DeltaCurve], list[str]]:
    """Return what differences of each metric mean, and why nothing can be said of some."""
    asked = plan.delta or {}
    curves: list[DeltaCurve] = []
    refused: list[str] = []
    for each in findings:
        try:
            curve = delta_curve(
                [Scored(gold.scores, each.scores)],
                each.metric,
                name=each.name or each.metric,
                scale=scale,
                asked=[asked[each.metric]] if each.metric in asked else [],
                level=plan.level,
                seed=plan.seed,
            )
        except InputError as error:
            refused.append(f"{scale}: {error}")
        else:
            curves.append(curve)
    return curves, refused


def _segments(measured: Measured) -> dict[str, dict[str, Floats]]:
    """Return given segment scores by metric and system, more being better."""
    segments: dict[str, dict[str, Floats]] = {}
    for sample in () if measured.contents is not None else measured.samples:
        metric = sample.metric
        if not metric.mean_of_segments:
            raise UsageError(
                f"{metric.name}: two numbers for each segment, but one was expected; divide them "
                "first"
            )
        sign = 1.0 if metric.higher_is_better else -1.0
        segments[metric.name] = {
            name: sign * np.asarray(metric.segment_scores(runs[0]))
            for name, runs in zip(sample.names, sample.rows, strict=True)
        }
    return segments


def _gold(ranking: HumanRanking, scored: Sequence[str]) -> tuple[Gold, list[str]]:
    """Return people's scores of systems that metrics have scored too, and who was left out."""
    judged = {row.system: row.score for row in ranking.scores}
    names = tuple(name for name in scored if name in judged)
    p_values = {(row.a, row.b): row.p_value for row in ranking.comparisons}
    missing = [
        f"not {what}, so left out: {', '.join(sorted(others))}"
        for what, others in (
            ("scored by metrics", judged.keys() - set(names)),
            ("judged by people", set(scored) - set(names)),
        )
        if others
    ]
    gold = Gold(
        names,
        np.array([judged[name] for name in names]),
        np.array([p_values[pair] for pair in combinations(names, 2)]),
    )
    return gold, missing


def _findings(
    names: Sequence[str],
    both: CompareResult,
    one_sided: CompareResult,
    segments: Mapping[str, Mapping[str, Floats]],
) -> list[MetricFindings]:
    pairs = list(combinations(names, 2))
    significant = {
        (row.metric, *sorted((row.a, row.b))): row.significant for row in both.comparisons
    }
    p_values = {(row.metric, row.a, row.b): row.p_value for row in one_sided.comparisons}
    scores = {
        (row.metric, row.system): row.score if row.higher_is_better else -row.score
        for row in both.scores
    }
    titles = {row.metric: row.name for row in both.scores}
    return [
        MetricFindings(
            metric,
            np.array([scores[metric, name] for name in names]),
            np.array([p_values[metric, a, b] for a, b in pairs]),
            np.array([significant[(metric, *sorted(pair))] for pair in pairs], bool),
            np.array([segments[metric][name] for name in names]) if metric in segments else None,
            title,
        )
        for metric, title in titles.items()
    ]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All metrics, and all pairs of metrics, on one scale."""

    metrics: tuple[MetricAgreement, ...]
    contests: tuple[MetricContest, ...]


def evaluate(
    gold: Gold,
    findings: Sequence[MetricFindings],
    *,
    scale: str = "",
    trials: int = 10_000,
    seed: int = 12345,
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
        tuple(_agreement(scale, gold, each) for each in findings),
        tuple(_contest(scale, gold, a, b, trials, seed) for a, b in combinations(findings, 2)),
    )


def _settled(scores: Floats) -> Floats:
    """Return scores without the order that rounding alone gives to equal ones."""
    return with_ties(scores, float(np.abs(scores).max()))


def _agreement(scale: str, gold: Gold, metric: MetricFindings) -> MetricAgreement:
    return MetricAgreement(
        scale,
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
    scale: str, gold: Gold, a: MetricFindings, b: MetricFindings, trials: int, seed: int
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
        scale,
        a.metric,
        b.metric,
        t,
        p_williams,
        system_permutation(gold.scores, a.scores, b.scores, kendall_of_rows, trials, seed)[1],
        system_permutation(gold.scores, a.scores, b.scores, accuracy_of_rows, trials, seed)[1],
        soft,
    )


def pairwise_accuracy(human: ArrayLike, metric: ArrayLike) -> float:
    """Return the share of pairs of systems that a metric orders as people do (Kocmi et al. 2021).

    Scores are oriented: more is better. Where one says that two systems are level and the other
    does not, they disagree.

    >>> pairwise_accuracy([1, 2, 3], [10, 30, 20])
    0.6666666666666666
    """
    scores = np.asarray(metric, np.float64)
    return float(accuracy_of_rows(np.asarray(human, np.float64), scores[None])[0])


def accuracy_of_rows(human: Floats, rows: Floats) -> Floats:
    """Return the pairwise accuracy of every row of scores."""
    if rows.shape[1:] != human.shape or human.size < 2:
        raise InputError(
            f"pairwise accuracy: scores of {rows.shape[1:]} and {human.shape} systems; "
            "give both for the same systems, two at least"
        )
    first, second = np.triu_indices(human.size, 1)
    signs = np.sign(human[first] - human[second])
    agree = np.sign(rows[:, first] - rows[:, second]) == signs
    return np.asarray(agree.mean(axis=1), np.float64)


def soft_pairwise_accuracy(p_human: ArrayLike, p_metric: ArrayLike) -> float:
    """Return the mean of 1 − |p_h − p_m| over pairs of systems (Thompson et al. 2024).

    Both are p-values of one-sided tests of "the first system is better", so that a metric is
    rewarded for being as sure as people are, not only for the same order.

    >>> round(soft_pairwise_accuracy([0.01, 0.5], [0.02, 0.9]), 3)
    0.795
    """
    human, metric = np.asarray(p_human, np.float64), np.asarray(p_metric, np.float64)
    if human.shape != metric.shape or not human.size:
        raise InputError(
            f"soft pairwise accuracy: {human.shape} and {metric.shape} p-values; "
            "give both for the same pairs"
        )
    return float((1 - np.abs(human - metric)).mean())


def system_permutation(
    human: Floats, a: Floats, b: Floats, agreement: Agreement, trials: int, seed: int
) -> tuple[float, float]:
    """Return the difference in agreement of two metrics' system scores, and its two-sided p-value.

    A coin for each system decides whether the metrics exchange their scores of it. When there are
    no more exchanges than trials, all are made and p is exact; else p = (c + 1)/(trials + 1).
    `agreement` tells how well each row of scores agrees with the human ones. If an agreement does
    not exist (a metric without variation), p is NaN.
    """
    # A system's score by one metric may equal another system's by the other, but for rounding.
    both = np.concatenate([_standardised(a), _standardised(b)])
    size = max(float(np.abs(each).max()) / (float(each.std()) or 1.0) for each in (a, b))
    first, second = np.split(with_ties(both, size), 2)
    exact = (1 << human.size) <= trials if human.size < 63 else False
    if exact:
        coins = np.array(list(product((False, True), repeat=human.size)))
    else:
        coins = tossed(seed, trials, human.size)
    observed = float(agreement(human, first[None])[0] - agreement(human, second[None])[0])
    swapped_a = np.where(coins, second, first)
    swapped_b = np.where(coins, first, second)
    null = agreement(human, swapped_a) - agreement(human, swapped_b)
    return observed, _p_value(observed, null, exact)


def segment_permutation(
    p_human: Floats, a: Floats, b: Floats, trials: int, seed: int
) -> tuple[float, float]:
    """Return the difference in soft pairwise accuracy of two metrics, and its two-sided p-value.

    `a` and `b` are segment scores, systems × segments. A coin for each segment decides whether
    the metrics exchange their scores of it, for all systems. The p-values of the metrics, which a
    permutation test would give, are taken from its normal approximation here, in the trials and
    for the data as they are.
    """
    from scipy.special import ndtr

    first, second = np.triu_indices(len(a), 1)
    of_a, of_b = (scores[first] - scores[second] for scores in map(_standardised, (a, b)))
    segments = a.shape[1]

    def accuracy(means: Floats, squares: Floats) -> Floats:
        # Under the null each difference has a sign of its own: its variance is its square.
        spread = np.sqrt(squares)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(spread > 0, means * np.sqrt(segments) / spread, 0.0)
        return np.asarray((1 - np.abs(ndtr(-z) - p_human)).mean(axis=-1))

    mean_a, mean_b = of_a.mean(axis=1), of_b.mean(axis=1)
    square_a, square_b = (of_a**2).mean(axis=1), (of_b**2).mean(axis=1)
    observed = float(accuracy(mean_a, square_a) - accuracy(mean_b, square_b))
    steps, square_steps = (of_b - of_a).T / segments, (of_b**2 - of_a**2).T / segments
    null = np.empty(trials)
    for start in range(0, trials, _BLOCK):
        count = min(_BLOCK, trials - start)
        coins = tossed(seed, count, segments, start).astype(np.float64)
        move, square_move = coins @ steps, coins @ square_steps
        null[start : start + count] = accuracy(mean_a + move, square_a + square_move) - accuracy(
            mean_b - move, square_b - square_move
        )
    return observed, _p_value(observed, null, exact=False)


def tossed(seed: int, trials: int, units: int, first: int = 0) -> NDArray[np.bool_]:
    """Return fair coins, trials × units; those of a trial depend on seed and number alone."""
    words = -(-units // 64)
    # A counter of Philox makes four words, so every trial begins at a counter of its own.
    counters = -(-words // 4)
    bits = np.random.Philox(key=seed, counter=first * counters).random_raw(trials * counters * 4)
    raw = bits.astype("<u8").view(np.uint8).reshape(trials, -1)
    return np.unpackbits(raw, axis=1, count=units).astype(bool)


def _standardised(scores: Floats) -> Floats:
    deviation = float(scores.std())
    return np.asarray((scores - scores.mean()) / (deviation or 1.0))


def _p_value(observed: float, null: Floats, exact: bool) -> float:
    if not np.isfinite(observed):
        return float("nan")
    # A permuted metric without variation agrees with nothing: as extreme as it gets.
    count = np.count_nonzero(~(np.abs(null) < abs(observed) - _TIE))
    return float(count / len(null)) if exact else float((count + 1) / (len(null) + 1))

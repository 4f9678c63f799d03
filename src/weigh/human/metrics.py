"""Agreement of metrics with people: ranked by people, tested by metrics, and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from weigh.engine.executors import accepts_executor
from weigh.errors import InputError, UsageError, did_you_mean
from weigh.human.contests import (
    Gold,
    MetricAgreement,
    MetricContest,
    MetricFindings,
    evaluate,
)
from weigh.human.deltas import DeltaCurve, Scored, delta_curve
from weigh.human.judgments import Answers, judged_names, left_out, load_answers
from weigh.human.plan import PRESETS, MetricsPlan, Quality
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
from weigh.keywords import keywords
from weigh.read.answers import BOUNDS, BadRows, Judgments, Preferences
from weigh.read.roles import LOWER
from weigh.result import Extent, Result, checked, sometimes, warns
from weigh.types import Metric, System, TestSet

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import ArrayLike, NDArray

    from weigh.comparing.compare_result import CompareResult
    from weigh.comparing.dataset import Dataset
    from weigh.comparing.plan import Plan
    from weigh.engine.threads import Progress
    from weigh.metrics.custom import Definition

    Floats = NDArray[np.float64]
    SegmentScores = Mapping[str, Mapping[str, ArrayLike]]


@dataclass(frozen=True, slots=True)
class ScaleSystems:
    """The systems that both people, on one scale, and metrics have scored."""

    scale: str
    systems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleMetrics:
    """The part of a result that is about one scale."""

    scale: str
    systems: tuple[str, ...]
    metrics: tuple[MetricAgreement, ...]
    contests: tuple[MetricContest, ...]
    segments: tuple[SegmentAccuracy, ...]
    deltas: tuple[DeltaCurve, ...]

    @property
    def names(self) -> dict[str, str]:
        """The metrics' names, by how they were asked for, which also names those that share one."""
        names = [row.name for row in self.metrics]
        return {
            row.metric: row.metric if row.name is None or names.count(row.name) > 1 else row.name
            for row in self.metrics
        }

    @property
    def most_accurate(self) -> tuple[MetricAgreement, ...]:
        """The metrics that order most pairs of systems as people do."""
        most = max(row.accuracy for row in self.metrics)
        return tuple(row for row in self.metrics if row.accuracy == most)

    @property
    def most_segments(self) -> int:
        """The number of segments with pairs of outputs; the most, where metrics differ."""
        return max((row.segments for row in self.segments), default=0)

    @property
    def most_tied(self) -> float:
        """The share of pairs of outputs that people call ties; the most, where metrics differ."""
        return max((row.tied for row in self.segments), default=0.0)


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

    def by_scale(self) -> list[ScaleMetrics]:
        """The results on each scale."""
        return [
            ScaleMetrics(
                scale=group.scale,
                systems=group.systems,
                metrics=tuple(row for row in self.metrics if row.scale == group.scale),
                contests=tuple(row for row in self.contests if row.scale == group.scale),
                segments=tuple(row for row in self.segments if row.scale == group.scale),
                deltas=tuple(row for row in self.deltas if row.scale == group.scale),
            )
            for group in self.systems
        ]


def _with_directions(systems: Any, lower: Sequence[str]) -> dict[str, Any]:
    """Scores by metric and system, negated for metrics of which lower is better."""
    if not isinstance(systems, Mapping):
        raise UsageError("lower is for scores by metric and system; metrics know it themselves")
    for name in lower:
        if name not in systems:
            raise UsageError(f"lower names {name!r}; {did_you_mean(name, list(systems))}")
    return {f"{name}:{LOWER}" if name in lower else name: entry for name, entry in systems.items()}


@warns
@accepts_executor
@keywords(MetricsPlan)
def human_metrics(
    answers: Answers,
    systems: Sequence[System] | SegmentScores | Dataset,
    test_set: TestSet | None = None,
    metrics: Sequence[Metric | Definition] = (),
    plan: MetricsPlan | None = None,
    *,
    quality: Quality = "none",
    lower: str | Sequence[str] = (),
    references: Any = None,
    sources: Sequence[str] | None = None,
    documents: Sequence[str] | None = None,
    slices: Sequence[str] | None = None,
    trials: int = 10_000,
    alpha: float = 0.05,
    adjust: str = "holm",
    level: float = 0.95,
    delta: Mapping[str, float] | None = None,
    seed: int = 12345,
    judge: str | None = None,
    system: str | None = None,
    item: str | None = None,
    score: str | None = None,
    scale: str | None = None,
    kind: str | None = None,
    hit: str | None = None,
    seconds: str | None = None,
    document: str | None = None,
    slice: str | None = None,
    columns: Mapping[str, str] | None = None,
    pair: str | None = None,
    bad_rows: BadRows = "refuse",
    names: bool = False,
    bounds: tuple[float, float] = BOUNDS,
    threads: int = 0,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> MetricsResult:
    """Compare metrics with judgments of people: rank by people, test by metrics, correlate.

    Systems are texts, with a test set (or `references`, `sources`, `documents` and `slices`) and
    metrics; segment scores by metric and system, of which `lower` names the metrics for which small
    is good; or a `weigh.dataset`. Answers are judgments or preferences, a file, several files or a
    data frame. The keywords from `trials` to `seed` are the fields of `MetricsPlan`, which tells
    what they mean; they replace those of a `plan` that is given too. A `quality` control drops
    judges first.

    Files and data frames are read as by `weigh.read_judgments`, with its `pair`, `bounds`,
    `bad_rows` and `names`. The keywords from `judge` to `slice` name columns of a long table, and
    `columns` names others by role.
    """
    taken = load_answers(answers, locals())
    # Here, so that a result can be read and shown without all that compares systems.
    from weigh.comparing.compare import compare
    from weigh.comparing.inputs import DataOptions, dataset_of
    from weigh.comparing.plan import Plan

    data = DataOptions(
        test_set=test_set,
        metrics=metrics or None,
        references=references,
        sources=sources,
        documents=documents,
        slices=slices,
    )
    if lower:
        systems = _with_directions(systems, [lower] if isinstance(lower, str) else lower)
    dataset = dataset_of(systems, data, threads=threads, progress=progress)
    plan = plan or MetricsPlan()
    _check_asked(plan.delta or {}, dataset)
    counted_answers, rankings, remarks = _rankings(taken, quality)
    judged = {row.system for ranking in rankings for row in ranking.scores}
    dataset = dataset.renamed(judged_names(dataset.names, judged))
    places, missed = places_of(dataset, counted_answers)
    remarks += missed
    units = dataset.samples[0].units
    if places and dataset.documents is None and len(places) < units:
        remarks.append(
            f"people judged {len(places):,} of {units:,} segments, but metric scores are over "
            "all segments"
        )

    def compared(chosen: Plan) -> CompareResult:
        return compare(dataset, plan=chosen, threads=threads, progress=progress)

    both = compared(Plan(trials=plan.trials, alpha=plan.alpha, adjust=plan.adjust, seed=plan.seed))
    one_sided = compared(
        Plan(trials=plan.trials, alternative="better", adjust="none", seed=plan.seed)
    )
    remarks += both.warnings  # such as that no pair can be significant: sensitivity is 0 then
    segments = _segments(dataset)
    scored = list(dict.fromkeys(row.system for row in both.scores))
    scales: list[ScaleSystems] = []
    agreements: list[MetricAgreement] = []
    contests: list[MetricContest] = []
    by_segment: list[SegmentAccuracy] = []
    deltas: list[DeltaCurve] = []
    outputs = output_scores(dataset) if places else {}
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
        pairs = output_pairs(counted_answers, ranking, gold.systems, places, _RANKED)
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
_RANKED = replace(PRESETS["wmt21"], boundary="all", least_per_system=1)


def _rankings(
    answers: Answers, quality: Quality
) -> tuple[Judgments | Preferences, list[HumanRanking], list[str]]:
    """The answers that pass quality control, people's rankings from them, and remarks."""
    counted_answers = controlled(answers, quality)
    ranked = rankings_of(counted_answers, _RANKED)
    ranked.check_pair()
    remarks = [*left_out(counted_answers), *counted_answers.remarks, *ranked.remarks]
    return (
        counted_answers,
        [ranking for ranking in ranked.rankings if not ranking.combined],
        remarks,
    )


def _check_asked(delta: Mapping[str, float], dataset: Dataset) -> None:
    from weigh.metrics.registry import key_of

    keys = [key_of(metric) for metric in dataset.metrics]
    for name in delta:
        if name not in keys:
            raise UsageError(f"--delta {name}: not one of the metrics; {did_you_mean(name, keys)}")


def _curves(
    gold: Gold, findings: Sequence[MetricFindings], scale: str, plan: MetricsPlan
) -> tuple[list[DeltaCurve], list[str]]:
    """Meaning of differences of each metric, and the reason where it is unknown."""
    differences = plan.delta or {}
    curves: list[DeltaCurve] = []
    refused: list[str] = []
    for finding in findings:
        try:
            curve = delta_curve(
                [Scored(gold.scores, finding.scores)],
                finding.metric,
                name=finding.name or finding.metric,
                scale=scale,
                differences=[differences[finding.metric]] if finding.metric in differences else [],
                level=plan.level,
                seed=plan.seed,
            )
        except InputError as error:
            refused.append(f"{scale}: {error}")
        else:
            curves.append(curve)
    return curves, refused


def _segments(dataset: Dataset) -> dict[str, dict[str, Floats]]:
    """Return given segment scores by metric and system, more being better."""
    segments: dict[str, dict[str, Floats]] = {}
    for sample in () if dataset.outputs is not None else dataset.samples:
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
    """People's scores of systems that metrics scored too, and the systems left out."""
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

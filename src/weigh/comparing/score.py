"""Scores of systems, with their confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.comparing.data import Metrics, Systems, measured_data, split_options
from weigh.comparing.measure import Measured, check_defined
from weigh.comparing.plan import ScorePlan
from weigh.comparing.score_result import MetricShown, ScoreResult, SystemScore, interval_method
from weigh.engine.executors import spreads
from weigh.engine.threads import Progress, after
from weigh.errors import InputError, UndefinedScoreError, UsageError
from weigh.metrics.registry import decimals_of, key_of
from weigh.read.text import shown
from weigh.result import library_of, warns
from weigh.stats.procedures import BLOCK_TESTS
from weigh.stats.ranking import TOLERANCE
from weigh.stats.sample import Sample, by_document, check_finite_scores
from weigh.types import Metric, TestSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Rows, Scores


# Below so many units the bootstrap's approximations are poor.
_FEW_UNITS = 30


@warns
@spreads
def score(
    systems: Systems,
    test_set: TestSet | None = None,
    metrics: Metrics | None = None,
    *,
    plan: ScorePlan | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> ScoreResult:
    """Score systems by metrics: metric by metric, systems in the order given.

    Systems are given in any of the forms that `weigh.compare` takes: lists of texts with
    `references`, arrays of scores, a data frame with the names of its columns, `System`s with a
    test set, or what has been measured. When the test set has slices, the scores of each slice
    follow those of the whole. All choices are those of `ScorePlan`, given as `options` or as a
    `plan`; `threads` 0 means one per core. A metric is given by name or as an object; one of one's
    own may be an object with two methods, `statistics` and `score`.

    >>> import weigh
    >>> references = ["The cat sat on the mat.", "It rained all day."]
    >>> texts = ["The cat sat on a mat.", "It rained all day."]
    >>> [bleu] = weigh.score({"A": texts}, references=references, metrics="bleu")
    >>> f"{bleu.score:.2f} {bleu.signature}"
    '69.19 nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:weigh-0.3.0'
    """
    data, choices = split_options(options, test_set=test_set, metrics=metrics)
    if plan is not None and choices:
        raise UsageError(f"give a plan or {', '.join(choices)}, not both")
    plan = plan or ScorePlan(**choices)
    measured = measured_data(systems, data, threads=threads, progress=progress)
    if plan.interval is not None:
        check_segment_means(measured.metrics, measured.documents, plan.interval)
    trials = _trials(plan, len(measured.samples), measured.slices)
    entries: list[SystemScore] = []
    remarks: list[str] = []
    for number, sample in enumerate(measured.samples):
        before = number * trials // len(measured.samples)
        entries += _scores_by(
            sample,
            measured,
            plan,
            remarks,
            threads=threads,
            progress=after(before, progress, trials),
        )
    intervals = None
    if plan.interval is not None:
        intervals = interval_method(
            plan.interval, plan.level, plan.trials, plan.seed, measured.test_set
        )
    warnings = list(dict.fromkeys([*measured.remarks, *remarks]))
    if intervals is not None and intervals.units < 2:
        warnings.append(f"only 1 {intervals.unit}, which has no interval")
    elif intervals is not None and intervals.units < _FEW_UNITS:
        warnings.append(
            f"only {intervals.units} {intervals.unit}s: intervals are rough below {_FEW_UNITS}"
        )
    return ScoreResult(
        measured.test_set,
        tuple(map(shown_as, measured.metrics)),
        tuple(entries),
        intervals,
        measured.ids if plan.segments else None,
        measured.numbers if plan.segments else None,
        tuple(warnings),
        library_of(systems),
    )


def shown_as(metric: Metric) -> MetricShown:
    """Return how a metric is shown: two decimals on a scale of 0 to 100, more where none is known.

    A metric that has that scale though no output is perfect says so by itself.
    """
    return MetricShown(key_of(metric), metric.name, decimals_of(metric))


def _trials(plan: ScorePlan, metrics: int, slices: Sequence[str] | None) -> int:
    """Return how many bootstrap samples are drawn in all."""
    if plan.interval is None:
        return 0
    return metrics * (1 + len(set(slices or ()))) * plan.trials


def _scores_by(
    sample: Sample,
    measured: Measured,
    plan: ScorePlan,
    remarks: list[str],
    *,
    threads: int,
    progress: Progress | None,
) -> list[SystemScore]:
    """Return the scores by one metric, of the whole test set and then by slice."""
    metric = sample.metric
    names = [measured.names[system] for system, _ in measured.order]
    rows = [sample.rows[system][run] for system, run in measured.order]
    documents = None
    if measured.documents is not None:
        documents = np.array(measured.documents, dtype=object)
    entries = []
    refused = False
    for place, (label, members) in enumerate(measured.slice_members()):
        sums = [matrix[members].sum(axis=0) for matrix in rows]
        why = _refusal(metric, names, sums)
        if why is not None and not refused:  # once is enough, and the whole comes before slices
            refused = True
            where = "" if label is None else f" of slice {shown(label)}"
            remarks.append(f"no system is marked as the best{where}, as {why}")
        ends: Sequence[tuple[float, float] | None] = [None] * len(rows)
        if plan.interval is not None:
            ends = _intervals(
                metric,
                names,
                [matrix[members] for matrix in rows],
                None if documents is None else documents[members],
                plan.interval,
                plan,
                remarks,
                threads=threads,
                progress=after(place * plan.trials, progress),
            )
        for (system, run), own, total, interval in zip(
            measured.order, rows, sums, ends, strict=True
        ):
            entries.append(
                SystemScore(
                    metric=key_of(metric),
                    signature=metric.signature(measured.references),
                    lower_is_better=not metric.higher_is_better,
                    system=measured.names[system],
                    score=_score(metric, measured.full_name(system, run), total, label, remarks),
                    interval=interval,
                    level=None if plan.interval is None else plan.level,
                    run=measured.runs[system][run],
                    slice=label,
                    comparable=why is None,
                    details=dict(metric.details(total)) or None if plan.details else None,
                    segments=_segment_scores(metric, measured, measured.names[system], own)
                    if plan.segments and label is None
                    else None,
                    name=metric.name,
                )
            )
    return entries


def _score(metric: Metric, name: str, sums: Rows, label: str | None, remarks: list[str]) -> float:
    """Return the score of sums, or NaN and a remark where there is none."""
    try:
        check_defined(metric, name, sums, label)
    except UndefinedScoreError as error:
        remarks.append(str(error).partition(";")[0])
        return math.nan
    return float(metric.score(sums))


def _segment_scores(metric: Metric, measured: Measured, name: str, rows: Rows) -> Any:
    scores = metric.segment_scores(rows)
    check_finite_scores(scores, f"{metric.name} of {name}", measured.number_of)
    return scores


def _refusal(metric: Metric, names: Sequence[str], sums: Sequence[Rows]) -> str | None:
    """Return why a metric does not compare systems on some segments; most compare any."""
    if len(names) > 1:
        try:
            metric.check_comparable(names, sums)
        except InputError as error:
            return str(error)
    return None


def _intervals(
    metric: Metric,
    names: Sequence[str],
    rows: Sequence[Rows],
    documents: NDArray[np.object_] | None,
    method: str,
    plan: ScorePlan,
    remarks: list[str],
    *,
    threads: int,
    progress: Progress | None,
) -> list[tuple[float, float] | None]:
    """Return the interval of every run's score, each of which stands for itself.

    The draws are those of `weigh.compare` with the same seed; one unit has no interval, and no
    more has a system without a score of some of its draws.
    """
    from weigh.stats.resample import bootstrap_scores

    if documents is not None:
        rows = [by_document(matrix, documents.tolist()) for matrix in rows]

    def intervals(some: slice) -> list[tuple[float, float] | None]:
        sample = Sample(metric, tuple(names[some]), tuple((matrix,) for matrix in rows[some]))
        [boots] = bootstrap_scores(
            [sample], plan.trials, plan.seed, threads=threads, progress=progress
        )
        return intervals_of(sample, method, plan.level, boots)

    try:
        return intervals(slice(None))
    except UndefinedScoreError:
        found: list[tuple[float, float] | None] = []
        for at, name in enumerate(names):
            try:
                found += intervals(slice(at, at + 1))
            except UndefinedScoreError as error:
                found.append(None)
                remarks.append(f"no interval of {shown(name)}: {str(error).partition(';')[0]}")
        return found


def intervals_of(
    sample: Sample, method: str, level: float, boots: Scores, *, plain: bool = True
) -> list[tuple[float, float] | None]:
    """Return the interval of each system's score.

    `boots` are its bootstrap scores (systems × trials). A t interval is there for `plain`
    samples only: of segments, without strata. One unit has no interval, and no more has the mean
    of slices of which one has a single unit.
    """
    from weigh.stats.intervals import (
        bca_interval,
        expanded_interval,
        percentile_interval,
        t_interval,
    )

    units = sample.fewest_units
    if units < 2:
        return [None] * len(sample.names)
    if method == "t":
        if not plain:
            return [None] * len(sample.names)
        return [t_interval(column, level) for column in sample.segment_means().T]
    if method != "bca":
        low, high = (
            expanded_interval(boots, units, level)
            if method == "expanded"
            else percentile_interval(boots, level)
        )
        return [(float(a), float(b)) for a, b in zip(low, high, strict=True)]
    scores = sample.scores()
    return [
        bca_interval(boot, score, left_out, level, tolerance=TOLERANCE * size)
        for boot, score, left_out, size in zip(
            boots, scores, sample.jackknife(), sample.magnitudes(scores), strict=True
        )
    ]


def check_segment_means(
    metrics: Sequence[Metric],
    documents: Sequence[str] | None,
    interval: str,
    tests: Sequence[str] = (),
) -> None:
    """Refuse what reckons with segment scores where there are none, or where units are others."""
    choices = [(test, "--test randomization") for test in tests if test in BLOCK_TESTS]
    if interval == "t":
        choices.append(("a t interval", "--interval percentile or bca"))
    for choice, remedy in choices:
        for metric in metrics:
            if not metric.mean_of_segments:
                raise UsageError(
                    f"{metric.name} is not a mean of segment scores, as {choice} needs; "
                    f"use {remedy}"
                )
        if documents is not None:
            raise UsageError(
                f"{choice} takes segments for units, not documents; use {remedy}, "
                "or leave out --documents"
            )

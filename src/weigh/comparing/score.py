"""Scores of systems, with their confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.comparing.dataset import Dataset, unit_range_of
from weigh.comparing.plan import BOOTSTRAP_TRIALS, ScorePlan
from weigh.comparing.scopes import check_defined
from weigh.comparing.score_result import MetricShown, ScoreResult, SystemScore, interval_method
from weigh.engine.executors import accepts_executor
from weigh.engine.threads import Progress, progress_from
from weigh.errors import InputError, UndefinedScoreError, UsageError, plural
from weigh.keywords import keywords
from weigh.metrics.registry import decimals_of, key_of
from weigh.metrics.segment import GivenScores
from weigh.read.text import shown
from weigh.result import MOST_DECIMALS, library_of, warns
from weigh.stats.procedures import BLOCK_TESTS
from weigh.stats.ranking import TOLERANCE
from weigh.stats.sample import Sample, check_finite_scores
from weigh.types import Metric, TestSet

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from weigh.comparing.inputs import ByRole, Columns, Metrics, Systems
    from weigh.stats.estimates import UnitRange
    from weigh.types import Rows, Scores


# With fewer units, intervals are rough.
_FEW_UNITS = 30


@warns
@accepts_executor
@keywords(ScorePlan)
def score(
    systems: Systems,
    test_set: TestSet | None = None,
    metrics: Metrics | None = None,
    *,
    interval: str | None = None,
    level: float = 0.95,
    trials: int = BOOTSTRAP_TRIALS,
    segments: bool = False,
    details: bool = False,
    seed: int = 12345,
    references: Any = None,
    sources: Sequence[str] | None = None,
    documents: Sequence[str] | None = None,
    slices: Sequence[str] | None = None,
    lower_is_better: bool = False,
    allow_missing: bool = False,
    missing: float | None = None,
    pass_at: int | Sequence[int] = (),
    only: ByRole | None = None,
    without: ByRole | None = None,
    system: Columns = None,
    item: str | None = None,
    score: Columns = None,
    run: str | None = None,
    slice: str | None = None,
    set: str | None = None,
    document: str | None = None,
    metric: str | None = None,
    direction: str | None = None,
    hypothesis: str | None = None,
    reference: Columns = None,
    source: str | None = None,
    extra: Columns = None,
    lower: Columns = None,
    plan: ScorePlan | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> ScoreResult:
    """Score systems: metric by metric, with the systems in input order.

    Systems, and the keywords that describe the data, are those of `weigh.compare`. If the test set
    has slices, the scores of the slices follow those of the whole. The keywords from `interval` to
    `seed` are the fields of `ScorePlan`, which explains them; they override the fields of `plan`,
    if both are given. Metrics are names or objects; a custom metric is any object with the methods
    `statistics` and `score`. `threads=0` means one thread per core; an `executor` runs the work
    elsewhere.

    >>> import weigh
    >>> references = ["The cat sat on the mat.", "It rained all day."]
    >>> texts = ["The cat sat on a mat.", "It rained all day."]
    >>> [bleu] = weigh.score({"A": texts}, references=references, metrics="bleu")
    >>> f"{bleu.score:.2f} {bleu.signature}"
    '69.19 nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:weigh-0.3.0'
    """
    data = locals()
    # Imported here because `weigh score` of texts does not need these modules.
    from weigh.comparing.inputs import data_options, dataset_of

    dataset = dataset_of(systems, data_options(data), threads=threads, progress=progress)
    result = score_dataset(dataset, plan or ScorePlan(), threads=threads, progress=progress)
    return replace(result, library=library_of(systems))


def score_dataset(
    dataset: Dataset, plan: ScorePlan, *, threads: int = 0, progress: Progress | None = None
) -> ScoreResult:
    """Score a dataset metric by metric, with the systems in input order."""
    if plan.interval is not None:
        check_segment_means(dataset.metrics, dataset.documents, plan.interval)
    trials = _trials(plan, len(dataset.samples), dataset.slices)
    entries: list[SystemScore] = []
    remarks: list[str] = []
    for number, sample in enumerate(dataset.samples):
        before = number * trials // len(dataset.samples)
        entries += _scores_by(
            sample,
            dataset,
            plan,
            remarks,
            threads=threads,
            progress=progress_from(before, progress, trials),
        )
    intervals = None
    if any(entry.level is not None for entry in entries):
        intervals = interval_method(
            plan.interval or "wilson",
            plan.level,
            plan.trials,
            plan.seed,
            dataset.test_set,
            dataset.noun,
        )
    warnings = list(dict.fromkeys([*dataset.remarks, *remarks]))
    if intervals is not None and intervals.units < _FEW_UNITS:
        from weigh.stats.halving import fewest_units

        fewest = fewest_units(plan.level) if intervals.method == "halving" else 0
        warnings.append(
            f"only {plural(intervals.units, intervals.unit)}: "
            + (
                f"intervals need at least {fewest}"
                if intervals.units < fewest
                else f"with fewer than {_FEW_UNITS}, intervals are rough"
            )
        )
    return ScoreResult(
        test_set=dataset.test_set,
        metrics=display_settings(dataset),
        scores=tuple(entries),
        intervals=intervals,
        ids=dataset.ids if plan.segments else None,
        numbers=dataset.numbers if plan.segments else None,
        warnings=tuple(warnings),
        extras=dataset.extras,
    )


def display_of(metric: Metric) -> MetricShown:
    """The name of a metric, and the number of decimals with which its scores are shown."""
    return MetricShown(key_of(metric), metric.name, decimals_of(metric))


def display_settings(dataset: Dataset) -> tuple[MetricShown, ...]:
    """Display settings of the metrics; pass/fail scores and pass@k are shown in percent."""
    return tuple(
        replace(
            display_of(sample.metric), decimals=_decimals(sample), percent=_is_pass_or_fail(sample)
        )
        for sample in dataset.samples
    )


def _decimals(sample: Sample) -> int:
    """The decimals of scores; on an unknown scale, as many as their standard deviation carries."""
    usual = decimals_of(sample.metric)
    if not isinstance(sample.metric, GivenScores) or sample.metric.ratio:
        return usual
    spread = max(float(run[:, 0].std()) for runs in sample.rows for run in runs)
    if not spread:
        return usual
    digits = math.floor(math.log10(spread))
    if digits >= 0:
        return max(0, usual - 1 - digits)
    return usual if digits >= -3 else min(2 - digits, MOST_DECIMALS)


def _is_pass_or_fail(sample: Sample) -> bool:
    metric = sample.metric
    if not isinstance(metric, GivenScores) or metric.ratio:
        return False
    if sample.run_shares is not None:
        return True
    runs = [run[:, 0] for system_rows in sample.rows for run in system_rows if len(run)]
    if not all(run.min() >= 0 and run.max() <= 1 for run in runs):
        return False
    is_pass_at = metric.name.startswith("pass@")
    return is_pass_at or all(np.issubdtype(run.dtype, np.integer) for run in runs)


def _trials(plan: ScorePlan, metrics: int, slices: Sequence[str] | None) -> int:
    """Total number of bootstrap samples, for progress."""
    if plan.interval is None:
        return 0
    return metrics * (1 + len(set(slices or ()))) * plan.trials


def _scores_by(
    sample: Sample,
    dataset: Dataset,
    plan: ScorePlan,
    remarks: list[str],
    *,
    threads: int,
    progress: Progress | None,
) -> list[SystemScore]:
    """Scores by one metric: of the whole test set, then of each slice."""
    metric = sample.metric
    names = [dataset.names[system] for system, _ in dataset.order]
    rows = [sample.rows[system][run] for system, run in dataset.order]
    # Every run is scored separately.
    by_run = replace(sample, names=tuple(names), rows=tuple((matrix,) for matrix in rows))
    documents = None
    if dataset.documents is not None:
        documents = np.array(dataset.documents, dtype=object)
    unit_range = unit_range_of(sample) if metric.mean_of_segments else None
    has_intervals = plan.interval is not None or (
        unit_range is not None and unit_range.is_pass_fail
    )
    entries = []
    refused = False
    for place, (label, members) in enumerate(dataset.slice_members()):
        sums = [matrix[members].sum(axis=0) for matrix in rows]
        why = _refusal(metric, names, sums)
        if why is not None and not refused:  # one remark is enough; the whole comes first
            refused = True
            where = "" if label is None else f" of slice {shown(label)}"
            remarks.append(f"no system is marked as the best{where}, because {why}")
        ends: Sequence[tuple[float, float] | None] = [None] * len(rows)
        if has_intervals:
            units = by_run.of_units(members)
            if documents is not None:
                units = units.of_documents(documents[members].tolist())
            ends = _intervals(
                units,
                unit_range,
                plan,
                remarks,
                threads=threads,
                progress=progress_from(place * plan.trials, progress),
            )
        for (system, run), run_rows, total, interval in zip(
            dataset.order, rows, sums, ends, strict=True
        ):
            entries.append(
                SystemScore(
                    metric=key_of(metric),
                    signature=metric.signature(dataset.references),
                    lower_is_better=not metric.higher_is_better,
                    system=dataset.names[system],
                    score=_score(metric, dataset.full_name(system, run), total, label, remarks),
                    interval=interval,
                    level=plan.level if has_intervals else None,
                    run=dataset.runs[system][run],
                    slice=label,
                    comparable=why is None,
                    details=dict(metric.details(total)) or None if plan.details else None,
                    segments=_segment_scores(metric, dataset, dataset.names[system], run_rows)
                    if plan.segments and label is None
                    else None,
                    name=metric.name,
                )
            )
    return entries


def _score(metric: Metric, name: str, sums: Rows, label: str | None, remarks: list[str]) -> float:
    """Score a sum of rows; if it is undefined, add a remark and return NaN."""
    try:
        check_defined(metric, name, sums, label)
    except UndefinedScoreError as error:
        remarks.append(str(error).partition(";")[0])
        return math.nan
    return float(metric.score(sums))


def _segment_scores(metric: Metric, dataset: Dataset, name: str, rows: Rows) -> Any:
    scores = metric.segment_scores(rows)
    check_finite_scores(scores, f"{metric.name} of {name}", dataset.number_of)
    return scores


def _refusal(metric: Metric, names: Sequence[str], sums: Sequence[Rows]) -> str | None:
    """The reason why a metric cannot compare these systems, if any."""
    if len(names) > 1:
        try:
            metric.check_comparable(names, sums)
        except InputError as error:
            return str(error)
    return None


def _intervals(
    sample: Sample,
    unit_range: UnitRange | None,
    plan: ScorePlan,
    remarks: list[str],
    *,
    threads: int,
    progress: Progress | None,
) -> list[tuple[float, float] | None]:
    """The interval of every run's score; each run is treated separately.

    The draws are the same as those of `weigh.compare` with this seed. There is no interval for a
    single unit, nor for a system whose score is undefined for some draws.
    """
    from weigh.stats.resample import bootstrap_scores

    if plan.interval in (None, "halving"):
        return _halving_intervals(sample, unit_range, plan, threads=threads, progress=progress)

    def intervals(part: Sample) -> list[tuple[float, float] | None]:
        [boots] = bootstrap_scores(
            [part], plan.trials, plan.seed, threads=threads, progress=progress
        )
        return intervals_of(part, plan.interval or "", plan.level, boots)

    try:
        return intervals(sample)
    except UndefinedScoreError:
        bounds: list[tuple[float, float] | None] = []
        for name, runs in zip(sample.names, sample.rows, strict=True):
            try:
                bounds += intervals(replace(sample, names=(name,), rows=(runs,)))
            except UndefinedScoreError as error:
                bounds.append(None)
                remarks.append(f"no interval of {shown(name)}: {str(error).partition(';')[0]}")
        return bounds


def _halving_intervals(
    sample: Sample,
    unit_range: UnitRange | None,
    plan: ScorePlan,
    *,
    threads: int,
    progress: Progress | None,
) -> list[tuple[float, float] | None]:
    from weigh.stats.estimates import Estimates
    from weigh.stats.halving import TRIALS, Halving, draw_halves

    if unit_range is not None and unit_range.is_pass_fail:
        return Estimates(sample, sample.means(), None, unit_range).scores(plan.level)
    halving = Halving([sample], plan.seed)
    _, [halves] = draw_halves(halving, TRIALS, [None], threads=threads, progress=progress)
    return Estimates(sample, halving.means[0], halves, unit_range).scores(plan.level)


def intervals_of(
    sample: Sample, method: str, level: float, boots: Scores, *, plain: bool = True
) -> list[tuple[float, float] | None]:
    """The percentile, BCa or t interval of each system's score; None where there is none.

    `boots` are bootstrap scores (systems × trials). t intervals exist only for `plain` samples,
    that is, of segments and without strata. A single unit has no interval, nor does a mean of
    slices that includes a slice of a single unit.
    """
    from weigh.stats.intervals import bca_interval, percentile_interval, t_interval

    if sample.fewest_units < 2:
        return [None] * len(sample.names)
    if method == "t":
        if not plain:
            return [None] * len(sample.names)
        return [t_interval(column, level) for column in sample.segment_means().T]
    if method == "percentile":
        low, high = percentile_interval(boots, level)
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
    """Reject tests and intervals of segment scores if scores are no means or units no segments."""
    choices = [(test, "--test randomization") for test in tests if test in BLOCK_TESTS]
    if interval == "t":
        choices.append(("a t interval", "--interval halving"))
    for choice, remedy in choices:
        for metric in metrics:
            if not metric.mean_of_segments:
                raise UsageError(
                    f"{choice} needs a metric that is the mean of segment scores, which "
                    f"{metric.name} is not; use {remedy}"
                )
        if documents is not None:
            raise UsageError(
                f"{choice} treats segments as units, not documents; use {remedy}, "
                "or leave out the documents"
            )

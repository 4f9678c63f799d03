"""`weigh.compare`: test, rank and gate the systems of a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

from weigh.comparing.compare_result import CompareResult, TestSignature
from weigh.comparing.dataset import Dataset
from weigh.comparing.evidence import observe
from weigh.comparing.identical import identical_shares
from weigh.comparing.inputs import (
    ByRole,
    Columns,
    Metrics,
    Systems,
    data_options,
    dataset_of,
    names_of,
    resolve_metrics,
)
from weigh.comparing.judge import judge
from weigh.comparing.margins import gate
from weigh.comparing.methods import methods, signatures_of_tests
from weigh.comparing.plan import BOOTSTRAP_TRIALS, DEFAULT_TESTS, Plan
from weigh.comparing.remarks import remarks_on
from weigh.comparing.scopes import MACRO, Scope, scopes
from weigh.comparing.score import check_segment_means, display_settings
from weigh.comparing.score_result import interval_method, titles
from weigh.engine.executors import accepts_executor
from weigh.engine.threads import Progress
from weigh.errors import InputError, UsageError, did_you_mean
from weigh.keywords import keywords
from weigh.metrics.registry import expansion_of, key_of
from weigh.read.inputs import find_system
from weigh.result import library_of, warns
from weigh.stats.procedures import BLOCK_TESTS
from weigh.stats.resample import Pairs
from weigh.types import Metric, TestSet

if TYPE_CHECKING:
    from concurrent.futures import Executor


@warns
@accepts_executor
@keywords(Plan)
def compare(
    systems: Systems,
    test_set: TestSet | None = None,
    metrics: Metrics | None = None,
    *,
    tests: tuple[str, ...] = DEFAULT_TESTS,
    alternative: str = "two-sided",
    trials: int | None = None,
    alpha: float = 0.05,
    adjust: str = "holm",
    baseline: str | None = None,
    interval: str = "halving",
    level: float = 0.95,
    margin: Mapping[str, float] | None = None,
    detect: Mapping[str, float] | None = None,
    gate: bool = False,
    strict: bool = False,
    anytime: bool = False,
    runs_as_sample: bool = False,
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
    details: bool = False,
    plan: Plan | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> CompareResult:
    """Compare systems: all pairs, or each with a `baseline`.

    Systems may be any of these:

    - a mapping of names to arrays or series of scores, one score per item (runs × items for
      several runs); `metric` names the score, and `lower_is_better` means that low scores are good;
    - a mapping of names to lists of texts, with `references` (one list or several), `sources`
      where a metric needs them, and `metrics` by name or as objects;
    - a data frame, or the path of a table, a log or a folder of logs. Columns are guessed from
      common names, or named: `system`, `item`, `score`, `run`, `slice`, `document`, `metric`,
      `direction`, `hypothesis`, `reference`, `source`, `extra`, and `lower` for scores whose low
      values are good;
    - `System`s with a `test_set`, or a `weigh.dataset`.

    `documents` and `slices` are labels of items. `only` and `without` filter by role, as in
    `only={"system": ["A", "B"]}`. If a system lacks a score for an item, that is an error, unless
    such items are left out (`allow_missing`) or counted as a score (`missing=0`). With `pass_at=k`,
    the score is the probability that at least one of k runs succeeds.

    The keywords from `tests` to `seed` are the fields of `Plan`, which explains them. They override
    the fields of `plan`, if both are given. With `details`, the result keeps distributions and
    items for an HTML page with pictures. `threads=0` means one thread per core; an `executor` runs
    the work elsewhere.

    >>> import weigh
    >>> result = weigh.compare({"A": [3, 5, 4, 6, 8], "B": [1, 4, 2, 6, 5]}, seed=1)
    >>> pair = result["A", "B"]
    >>> pair.difference, pair.p_value, pair.exact
    (1.6, 0.125, True)
    """
    data = data_options(locals())
    plan = plan or Plan()
    names = names_of(systems)
    if names is not None and data.takes_texts:
        check_plan(plan, resolve_metrics(data.metrics), names, data.all_documents)
    dataset = dataset_of(systems, data, threads=threads, progress=progress)
    return _compare(dataset, plan, details, library_of(systems), threads, progress)


def check_plan(
    plan: Plan,
    metrics: Sequence[Metric],
    names: Sequence[str],
    documents: Sequence[str] | None,
) -> None:
    """Check a plan before the metrics are computed, which may take hours."""
    systems = list(dict.fromkeys(names))
    plan = _resolve_names(plan, metrics, systems)
    check_segment_means(metrics, documents, plan.interval, plan.tests)
    _pairs(systems, plan)


def _compare(
    dataset: Dataset,
    plan: Plan,
    details: bool,
    library: str | None,
    threads: int,
    progress: Progress | None,
) -> CompareResult:
    plan = _resolve_names(plan, dataset.metrics, dataset.names)
    check_segment_means(dataset.metrics, dataset.documents, plan.interval, plan.tests)
    pairs = _pairs(dataset.names, plan)
    all_scopes = scopes(dataset, unequal_runs=plan.runs_as_sample)
    if plan.anytime:  # the units of a mean of slices do not come in one order
        all_scopes = [scope for scope in all_scopes if scope.label != MACRO]
    _check_whole(plan, dataset, all_scopes[0])
    identical = identical_shares(dataset)
    segment_scores = [sample.oriented_segments() for sample in dataset.samples]
    judged = [
        judge(
            scope,
            dataset,
            plan,
            pairs,
            identical,
            segment_scores,
            threads=threads,
            progress=progress,
        )
        for scope in all_scopes
    ]
    samples, metrics = all_scopes[0].samples, display_settings(dataset)
    result = CompareResult(
        test_set=dataset.test_set,
        metrics=metrics,
        plan=plan,
        unit=dataset.unit,
        units=samples[0].units,
        scores=tuple(score for result in judged for score in result.scores),
        comparisons=tuple(pair for result in judged for pair in result.comparisons),
        rankings=tuple(ranking for result in judged for ranking in result.rankings),
        warnings=tuple(remarks_on(all_scopes, judged, plan, dataset, pairs)),
        extras=dataset.extras,
        sets=tuple(dict.fromkeys(dataset.slices or ())) if dataset.has_sets else (),
        runs=dict(zip(dataset.names, map(len, samples[0].rows), strict=True)),
        intervals=interval_method(
            plan.interval,
            plan.level,
            plan.trials or BOOTSTRAP_TRIALS,
            plan.seed,
            dataset.test_set,
            dataset.noun,
        ),
        gate=gate(all_scopes[0], judged[0], plan, pairs, metrics, dataset.unit)
        if plan.gate
        else None,
        details=observe(dataset, samples, plan, pairs, threads=threads) if details else None,
        library=library,
    )
    return replace(
        result,
        tests=tuple(TestSignature(*pair) for pair in signatures_of_tests(result)),
        methods=methods(result, list(titles(result.metrics).values())),
    )


def _check_whole(plan: Plan, dataset: Dataset, whole: Scope) -> None:
    """Reject tests and bounds that do not exist for the test set as a whole."""
    if {*plan.tests} <= {*BLOCK_TESTS} and not whole.plain:
        raise UsageError(
            f"{plan.tests[0]} needs at least two {dataset.noun}s of a single test set; "
            "use --test randomization"
        )
    for option, is_used in (("--anytime", plan.anytime), ("--strict", plan.strict)):
        if is_used and dataset.has_sets:
            raise UsageError(
                f"{option} needs a single test set; leave it out, or compare each test set alone"
            )


def _pairs(names: Sequence[str], plan: Plan) -> Pairs:
    """Pairs to test; one-sided tests take both directions, unless there is a baseline."""
    if len(names) < 2:
        present = f"there is only one, {names[0]}" if names else "there is none"
        raise InputError(f"a comparison needs at least two systems, but {present}")
    if plan.baseline is not None:
        base = list(names).index(plan.baseline)
        return [(i, base) for i in range(len(names)) if i != base]
    if plan.alternative == "two-sided":
        return list(combinations(range(len(names)), 2))
    return list(permutations(range(len(names)), 2))


def _resolve_names(plan: Plan, metrics: Sequence[Metric], systems: Sequence[str]) -> Plan:
    """Replace the names of the baseline and the metrics in a plan by those used in results.

    A baseline may be named by its file. A metric may be named without its options or by its printed
    name, if that is unique. A name that expands into several metrics, such as `rypt`, stands for
    all of them.
    """
    names = {key_of(metric): metric.name for metric in metrics}
    if len(names) < len(metrics):
        raise UsageError("a metric is given twice; give it once, or give the two different names")
    by_option = {"margin": plan.margin, "detect": plan.detect}
    resolved: dict[str, dict[str, float]] = {option: {} for option in by_option}
    for option, values in by_option.items():
        for key, value in values.items():
            metrics_of_key = _find_metrics(key, names)
            if not metrics_of_key:
                raise UsageError(
                    f"{option}: {key!r} is not a metric of this comparison; "
                    f"{did_you_mean(key, names)}"
                )
            resolved[option] |= dict.fromkeys(metrics_of_key, value)
    baseline = plan.baseline
    if baseline is not None:
        baseline = find_system(baseline, systems)
        if baseline is None:
            raise UsageError(
                f"baseline {plan.baseline!r} is not one of the systems; "
                f"{did_you_mean(plan.baseline or '', systems)}"
            )
    return replace(plan, baseline=baseline, margin=resolved["margin"], detect=resolved["detect"])


def _find_metrics(key: str, names: Mapping[str, str]) -> list[str]:
    """Keys of the metrics to which a user's name refers; none if it is ambiguous."""
    if key in names and expansion_of(key) != key:
        return [key]
    matches = [
        metric
        for metric, name in names.items()
        if key in (metric, expansion_of(metric), metric.partition(":")[0], name)
    ]
    return matches if len({expansion_of(metric) or metric for metric in matches}) == 1 else []

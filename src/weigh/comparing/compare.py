"""The comparison as a whole, for texts and for given scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

from weigh.comparing.compare_result import CompareResult, TestSignature
from weigh.comparing.dataset import MACRO, MACRO_ITEMS, Dataset, Scope, identical_shares, scopes
from weigh.comparing.evidence import observe
from weigh.comparing.inputs import (
    ByRole,
    Columns,
    Metrics,
    Systems,
    data_options,
    dataset_of,
    known_metrics,
    names_of,
)
from weigh.comparing.judge import Judged, judge
from weigh.comparing.margins import gate
from weigh.comparing.methods import (
    label_cautions,
    methods,
    signatures_of_tests,
    trials_wanted,
)
from weigh.comparing.plan import BOOTSTRAP_TRIALS, DEFAULT_TESTS, Plan
from weigh.comparing.score import check_segment_means, shown_as, shown_metrics
from weigh.comparing.score_result import interval_method, titles
from weigh.engine.executors import spreads
from weigh.engine.threads import Progress
from weigh.errors import InputError, UsageError, did_you_mean, plural
from weigh.keywords import keywords
from weigh.metrics.registry import expanded_from, key_of
from weigh.read.inputs import find_system
from weigh.result import library_of, warns
from weigh.stats.adaptive import STAGES
from weigh.stats.power import Family
from weigh.stats.procedures import RUNS_TEST, TESTS
from weigh.stats.resample import Pairs
from weigh.types import Metric, TestSet
from weigh.wording import listed, share

if TYPE_CHECKING:
    from concurrent.futures import Executor

# Below so many units the bootstrap's approximations are poor.
_FEW_UNITS = 30
# With fewer, a variance from bootstrap trials is off by more than a tenth.
_FEW_TRIALS = 200
_MOST_NAMED = 6


@warns
@spreads
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
    """Compare systems: all pairs, or all with a `baseline`.

    Systems are one of these:

    - a mapping of names to arrays or series of scores, one score per item (runs × items where
      there are several runs); `metric` names the score, `lower_is_better` says that small is good;
    - a mapping of names to lists of texts, with `references` (one list or several), `sources`
      where a metric needs them, and `metrics` by name or as objects;
    - a data frame, or the path of a table, a log or a folder of logs. Columns are guessed from
      common names, or named: `system`, `item`, `score`, `run`, `slice`, `document`, `metric`,
      `direction`, `hypothesis`, `reference`, `source`, `extra`, and `lower` for scores whose small
      values are good;
    - `System`s with a `test_set`, or a `weigh.dataset`.

    `documents` and `slices` are labels of items. `only` and `without` choose labels by role, as in
    `only={"system": ["A", "B"]}`. Items that some systems lack are refused, unless they are left
    out (`allow_missing`) or scored (`missing=0`). `pass_at=k` is the chance that one of k runs
    succeeds.

    The keywords from `tests` to `seed` are the fields of `Plan`, which tells what they mean. They
    replace those of a `plan` that is given too. With `details`, the result keeps distributions and
    items, for a page with pictures. `threads` 0 means one per core; an `executor` takes the work
    elsewhere.

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
        check_plan(plan, known_metrics(data.metrics), names, data.all_documents)
    dataset = dataset_of(systems, data, threads=threads, progress=progress)
    return _compare(dataset, plan, details, library_of(systems), threads, progress)


def check_plan(
    plan: Plan,
    metrics: Sequence[Metric],
    names: Sequence[str],
    documents: Sequence[str] | None,
) -> None:
    """Check a plan before the work starts, which may take hours."""
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
    """Compare the systems of a dataset."""
    plan = _resolve_names(plan, dataset.metrics, dataset.names)
    check_segment_means(dataset.metrics, dataset.documents, plan.interval, plan.tests)
    pairs = _pairs(dataset.names, plan)
    all_scopes = scopes(dataset, unequal_runs=plan.runs_as_sample)
    if plan.anytime:  # a mean of slices has no order in which units come in
        all_scopes = [scope for scope in all_scopes if scope.label != MACRO]
    identical = identical_shares(dataset)
    alone = [sample.oriented_segments() for sample in dataset.samples]
    judged = [
        judge(scope, dataset, plan, pairs, identical, alone, threads=threads, progress=progress)
        for scope in all_scopes
    ]
    samples = all_scopes[0].samples
    result = CompareResult(
        test_set=dataset.test_set,
        metrics=shown_metrics(dataset),
        plan=plan,
        unit=dataset.unit,
        units=samples[0].units,
        scores=tuple(score for result in judged for score in result.scores),
        comparisons=tuple(pair for result in judged for pair in result.comparisons),
        rankings=tuple(ranking for result in judged for ranking in result.rankings),
        warnings=tuple(_warnings(all_scopes, judged, plan, dataset)),
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
        gate=gate(all_scopes[0], judged[0], plan, pairs, dataset.unit) if plan.gate else None,
        details=observe(dataset, samples, plan, pairs, threads=threads) if details else None,
        library=library,
    )
    return replace(
        result,
        tests=tuple(TestSignature(*pair) for pair in signatures_of_tests(result)),
        methods=methods(result, list(titles(result.metrics).values())),
    )


def _pairs(names: Sequence[str], plan: Plan) -> Pairs:
    """Pairs to test; one-sided, both directions of each unless there is a baseline."""
    if len(names) < 2:
        present = f"only {names[0]}" if names else "none"
        raise InputError(f"a comparison needs at least two systems, but there is {present}")
    if plan.baseline is not None:
        base = list(names).index(plan.baseline)
        return [(i, base) for i in range(len(names)) if i != base]
    if plan.alternative == "two-sided":
        return list(combinations(range(len(names)), 2))
    return list(permutations(range(len(names)), 2))


def _resolve_names(plan: Plan, metrics: Sequence[Metric], systems: Sequence[str]) -> Plan:
    """Replace the names of the baseline and of metrics in a plan by those that results have.

    A baseline may be named by its file. A metric may be named without its options, or as it is
    printed, if only one has that name; a name that expands into several metrics, as `rypt`, means
    all of them.
    """
    names = {key_of(metric): metric.name for metric in metrics}
    if len(names) < len(metrics):
        raise UsageError("a metric is given twice; give it once, or name the two apart")
    by_option = {"margin": plan.margin, "detect": plan.detect}
    resolved: dict[str, dict[str, float]] = {option: {} for option in by_option}
    for option, values in by_option.items():
        for key, value in values.items():
            metrics_of_key = _metrics_named(key, names)
            if not metrics_of_key:
                raise UsageError(
                    f"{option} for {key!r}, which is not computed; {did_you_mean(key, names)}"
                )
            resolved[option] |= dict.fromkeys(metrics_of_key, value)
    baseline = plan.baseline
    if baseline is not None:
        baseline = find_system(baseline, systems)
        if baseline is None:
            raise UsageError(
                f"baseline {plan.baseline!r} is none of the systems; "
                f"{did_you_mean(plan.baseline or '', systems)}"
            )
    return replace(plan, baseline=baseline, margin=resolved["margin"], detect=resolved["detect"])


def _metrics_named(key: str, names: Mapping[str, str]) -> list[str]:
    """Keys of the metrics that a user names by `key`; none where several share that name."""
    if key in names and expanded_from(key) != key:
        return [key]
    matches = [
        metric
        for metric, name in names.items()
        if key in (metric, expanded_from(metric), metric.partition(":")[0], name)
    ]
    return matches if len({expanded_from(metric) or metric for metric in matches}) == 1 else []


def _warnings(
    all_scopes: Sequence[Scope],
    judged: Sequence[Judged],
    plan: Plan,
    dataset: Dataset,
) -> list[str]:
    remarks = list(dataset.remarks)
    remarks += label_cautions(
        [pair for result in judged for pair in result.comparisons],
        titles(list(map(shown_as, dataset.metrics))),
    )
    remarks += _few_units(all_scopes, dataset.unit)
    remarks += _drawn_remarks(judged, plan)
    remarks += _interval_remarks(judged)
    if "randomization" in plan.tests:
        remarks += _differing_remarks(all_scopes[0], judged[0], plan, dataset)
    remarks += _slice_remarks(all_scopes, "test set" if dataset.has_sets else "slice")
    if plan.runs_as_sample:
        remarks += _run_remarks(all_scopes, judged, plan, dataset.unit)
    return remarks


def _run_remarks(
    all_scopes: Sequence[Scope], judged: Sequence[Judged], plan: Plan, unit: str
) -> list[str]:
    """Warn about only two runs, runs given twice, few trials, and pairs without a p-value."""
    remarks = []
    first = all_scopes[0].samples[0]
    two = [name for name, runs in zip(first.names, first.rows, strict=True) if len(runs) == 2]
    if two:
        remarks.append(
            f"only two runs of {', '.join(two)}: unless systems have equally many and vary alike, "
            f"{RUNS_TEST} then rejects up to .12 of true null hypotheses at .05; use three or more"
        )
    samples = all_scopes[0].samples
    twice = [
        name
        for s, name in enumerate(first.names)
        for run, other in combinations(range(len(first.rows[s])), 2)
        if all((sample.rows[s][run] == sample.rows[s][other]).all() for sample in samples)
    ]
    if twice:
        remarks.append(
            f"some runs of {', '.join(dict.fromkeys(twice))} are the same by every metric; if a "
            "run was given twice, systems seem steadier than they are"
        )
    if plan.trials is not None and plan.trials < _FEW_TRIALS:
        remarks.append(
            f"only {plan.trials} trials: variances are rough; use at least {_FEW_TRIALS}"
        )
    places: dict[tuple[str, str], list[str | None]] = {}
    for scope, result in zip(all_scopes, judged, strict=True):
        pairs = [f"{c.a} and {c.b} by {c.metric}" for c in result.comparisons if c.p_value is None]
        if pairs:
            named = "; ".join(pairs[:_MOST_NAMED])
            if len(pairs) > _MOST_NAMED:
                named += "; and others"
            why = (
                f"a single {unit} does not show how scores vary"
                if scope.samples[0].fewest_units < 2
                else f"nothing varies, neither over {unit}s nor over runs"
            )
            places.setdefault((named, why), []).append(scope.label)
    for (named, why), labels in places.items():
        whole = " on the whole and" if None in labels and len(labels) > 1 else ""
        remarks.append(f"no p-value{whole}{_in_slices(labels)} for {named}: {why}")
    return remarks


def _few_units(all_scopes: Sequence[Scope], unit: str) -> list[str]:
    """Warn about few units: once for the whole test set, once for all slices."""
    units = {scope.label: scope.samples[0].units for scope in all_scopes if scope.label != MACRO}
    groups: dict[tuple[bool, bool], list[str | None]] = {}
    for label, count in units.items():
        if count < _FEW_UNITS:
            groups.setdefault((label is None, count == 1), []).append(label)
    remarks = []
    for (_, is_single), labels in groups.items():
        counts = [units[label] for label in labels]
        noun = f"{unit}s" if max(counts) > 1 else unit
        only = f"only {_numbers(counts)} {noun}{_in_slices(labels)}"
        remarks.append(
            f"{only}: no difference can be tested"
            if is_single
            else f"{only}: tests and intervals are rough below {_FEW_UNITS}"
        )
    return remarks


def _drawn_remarks(judged: Sequence[Judged], plan: Plan) -> list[str]:
    """Warn where drawn p-values cannot decide, and where a bootstrap concludes nothing."""
    remarks = []
    comparisons = [pair for result in judged for pair in result.comparisons]
    drawn = [pair for pair in comparisons if pair.trials and pair.test in TESTS]
    powerless = [pair for pair in drawn if trials_wanted(pair, plan) is not None]
    if powerless:
        first = powerless[0]
        needed = max(trials_wanted(pair, plan) or 0 for pair in powerless)
        remedy = (
            f"use at least {needed:,} trials"
            if needed <= STAGES[-1]
            else "compare with one system by --baseline"
        )
        family = f"{first.family_size:,} comparisons and " if first.family_size > 1 else ""
        where = _in_slices(list(dict.fromkeys(pair.slice for pair in powerless)))
        remarks.append(
            f"{first.test}{where}: with {family}{first.trials:,} trials no difference can be "
            f"significant; {remedy}"
        )
    near = list(dict.fromkeys((pair.a, pair.b) for pair in comparisons if pair.within_error))
    if near:
        named = _some_pairs([f"{a} and {b}" for a, b in near])
        remarks.append(
            f"within Monte Carlo error of α after {max(p.trials for p in drawn):,} trials: {named}"
        )
    reasons = sorted({pair.inconclusive for pair in comparisons if pair.inconclusive is not None})
    remarks += [f"no system is called better: {reason}" for reason in reasons]
    return remarks


def _interval_remarks(judged: Sequence[Judged]) -> list[str]:
    """Warn that intervals and p-values of different methods disagree."""
    count = sum(pair.interval_contradicts for result in judged for pair in result.comparisons)
    if not count:
        return []
    return [
        f"{plural(count, 'interval')} (marked) and the test beside it disagree about 0: they come "
        "from different methods; --interval halving with --test randomization agrees"
    ]


def _differing_remarks(scope: Scope, judged: Judged, plan: Plan, dataset: Dataset) -> list[str]:
    """Name the pairs that differ in so few units that p cannot reach α, whatever the scores."""
    fewest = Family(plan.alpha, two_sided=plan.alternative == "two-sided").fewest_differing
    names = scope.samples[0].names
    sparse = {
        tuple(sorted(pair)): None
        for differing in judged.differing
        for pair, count in zip(_pairs(names, plan), differing.tolist(), strict=True)
        if 0 < count < fewest
    }
    if not sparse:
        return []
    named = _some_pairs([f"{names[a]} and {names[b]}" for a, b in sparse])
    side = plan.alternative if plan.alternative == "two-sided" else "one-sided"
    return [
        f"fewer than {fewest} {dataset.unit}s differ between {named}: "
        f"the {side} p cannot reach {share(plan.alpha)}"
    ]


def _slice_remarks(all_scopes: Sequence[Scope], noun: str) -> list[str]:
    slices = sum(scope.label not in (None, MACRO) for scope in all_scopes)
    if not slices:
        return []
    remarks = [
        f"p-values are adjusted within each {noun}, but not for the number of {noun}s ({slices})"
    ]
    small = [
        scope.label
        for scope in all_scopes
        if scope.label is not None
        and scope.members is not None
        and len(scope.members) < MACRO_ITEMS
    ]
    if small and slices > 1 and noun == "slice":
        remarks.append(
            f"fewer than {MACRO_ITEMS} items{_in_slices(small)}: not part of the macro mean"
        )
    return remarks


def _some_pairs(pairs: Sequence[str]) -> str:
    more = len(pairs) - _MOST_NAMED
    return "; ".join([*pairs[:_MOST_NAMED], *([f"{more:,} other pairs"] if more > 0 else [])])


def _in_slices(labels: Sequence[str | None]) -> str:
    """Format " in A, B and 3 other slices"; nothing for the whole test set."""
    names = [label for label in labels if label is not None]
    more = len(names) - _MOST_NAMED
    if more > 1:
        names = [*names[:_MOST_NAMED], f"{more:,} other slices"]
    return f" in {listed(names)}" if names else ""


def _numbers(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"

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
    result = _compare(dataset, plan, details, threads, progress)
    return replace(result, library=library_of(systems))


def check_plan(
    plan: Plan,
    metrics: Sequence[Metric],
    names: Sequence[str],
    documents: Sequence[str] | None,
) -> None:
    """Tell of mistakes in a plan before hours of work."""
    systems = list(dict.fromkeys(names))
    plan = _resolve_names(plan, metrics, systems)
    check_segment_means(metrics, documents, plan.interval, plan.tests)
    _pairs(systems, plan)


def _compare(
    dataset: Dataset, plan: Plan, details: bool, threads: int, progress: Progress | None
) -> CompareResult:
    """Compare what has been dataset."""
    plan = _resolve_names(plan, dataset.metrics, dataset.names)
    check_segment_means(dataset.metrics, dataset.documents, plan.interval, plan.tests)
    pairs = _pairs(dataset.names, plan)
    looked_at = scopes(dataset, unequal_runs=plan.runs_as_sample)
    if plan.anytime:  # a mean of slices has no order in which units come in
        looked_at = [scope for scope in looked_at if scope.label != MACRO]
    identical = identical_shares(dataset)
    alone = [sample.oriented_segments() for sample in dataset.samples]
    judged = [
        judge(scope, dataset, plan, pairs, identical, alone, threads=threads, progress=progress)
        for scope in looked_at
    ]
    samples = looked_at[0].samples
    result = CompareResult(
        test_set=dataset.test_set,
        metrics=shown_metrics(dataset),
        plan=plan,
        unit=dataset.unit,
        units=samples[0].units,
        scores=tuple(score for one in judged for score in one.scores),
        comparisons=tuple(pair for one in judged for pair in one.comparisons),
        rankings=tuple(ranking for one in judged for ranking in one.rankings),
        warnings=tuple(_warnings(looked_at, judged, plan, dataset)),
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
        gate=gate(looked_at[0], judged[0], plan, pairs, dataset.unit) if plan.gate else None,
        details=observe(dataset, samples, plan, pairs, threads=threads) if details else None,
    )
    return replace(
        result,
        tests=tuple(TestSignature(*pair) for pair in signatures_of_tests(result)),
        methods=methods(result, list(titles(result.metrics).values())),
    )


def _pairs(names: Sequence[str], plan: Plan) -> Pairs:
    """Return the pairs to test; one-sided, both directions of each unless there is a baseline."""
    if len(names) < 2:
        found = f"only {names[0]}" if names else "none"
        raise InputError(f"a comparison needs at least two systems, but there is {found}")
    if plan.baseline is not None:
        base = list(names).index(plan.baseline)
        return [(i, base) for i in range(len(names)) if i != base]
    if plan.alternative == "two-sided":
        return list(combinations(range(len(names)), 2))
    return list(permutations(range(len(names)), 2))


def _resolve_names(plan: Plan, metrics: Sequence[Metric], systems: Sequence[str]) -> Plan:
    """The plan with the baseline, margins and differences by the names that results have.

    A baseline may be named by its file. A metric may be named without its options, or as it is
    printed, if only one has that name; a name that expands into several metrics, as `rypt`, means
    all of them.
    """
    names = {key_of(metric): metric.name for metric in metrics}
    if len(names) < len(metrics):
        raise UsageError("a metric is given twice; give it once, or name the two apart")
    asked = {"margin": plan.margin, "detect": plan.detect}
    resolved: dict[str, dict[str, float]] = {name: {} for name in asked}
    for name, given in asked.items():
        for key, value in given.items():
            meant = _meant_metrics(key, names)
            if not meant:
                raise UsageError(
                    f"{name} for {key!r}, which is not computed; {did_you_mean(key, names)}"
                )
            resolved[name] |= dict.fromkeys(meant, value)
    baseline = plan.baseline
    if baseline is not None:
        baseline = find_system(baseline, systems)
        if baseline is None:
            raise UsageError(
                f"baseline {plan.baseline!r} is none of the systems; "
                f"{did_you_mean(plan.baseline or '', systems)}"
            )
    return replace(plan, baseline=baseline, margin=resolved["margin"], detect=resolved["detect"])


def _meant_metrics(key: str, names: Mapping[str, str]) -> list[str]:
    """Keys of the metrics that a user names by `key`; none where several share that name."""
    if key in names and expanded_from(key) != key:
        return [key]
    meant = [
        metric
        for metric, name in names.items()
        if key in (metric, expanded_from(metric), metric.partition(":")[0], name)
    ]
    return meant if len({expanded_from(metric) or metric for metric in meant}) == 1 else []


def _warnings(
    looked_at: Sequence[Scope],
    judged: Sequence[Judged],
    plan: Plan,
    dataset: Dataset,
) -> list[str]:
    result = list(dataset.remarks)
    result += label_cautions(
        [pair for one in judged for pair in one.comparisons],
        titles(list(map(shown_as, dataset.metrics))),
    )
    result += _few_units(looked_at, dataset.unit)
    result += _drawn_remarks(judged, plan)
    result += _interval_remarks(judged)
    if "randomization" in plan.tests:
        result += _differing_remarks(looked_at[0], judged[0], plan, dataset)
    result += _slice_remarks(looked_at, "test set" if dataset.has_sets else "slice")
    if plan.runs_as_sample:
        result += _of_runs(looked_at, judged, plan, dataset.unit)
    return result


def _of_runs(
    looked_at: Sequence[Scope], judged: Sequence[Judged], plan: Plan, unit: str
) -> list[str]:
    """Warn of two runs, of variances from few trials, and of what does not vary at all."""
    result = []
    first = looked_at[0].samples[0]
    two = [name for name, runs in zip(first.names, first.rows, strict=True) if len(runs) == 2]
    if two:
        result.append(
            f"only two runs of {', '.join(two)}: unless systems have equally many and vary alike, "
            f"{RUNS_TEST} then rejects up to .12 of true null hypotheses at .05; use three or more"
        )
    samples = looked_at[0].samples
    twice = [
        name
        for s, name in enumerate(first.names)
        for one, other in combinations(range(len(first.rows[s])), 2)
        if all((sample.rows[s][one] == sample.rows[s][other]).all() for sample in samples)
    ]
    if twice:
        result.append(
            f"some runs of {', '.join(dict.fromkeys(twice))} are the same by every metric; if a "
            "run was given twice, systems seem steadier than they are"
        )
    if plan.trials is not None and plan.trials < _FEW_TRIALS:
        result.append(f"only {plan.trials} trials: variances are rough; use at least {_FEW_TRIALS}")
    places: dict[tuple[str, str], list[str | None]] = {}
    for scope, found in zip(looked_at, judged, strict=True):
        pairs = [f"{c.a} and {c.b} by {c.metric}" for c in found.comparisons if c.p_value is None]
        if pairs:
            named = "; ".join(
                [*pairs[:_MOST_NAMED], *(["and others"] * (len(pairs) > _MOST_NAMED))]
            )
            why = (
                f"a single {unit} does not tell how scores vary"
                if scope.samples[0].fewest_units < 2
                else f"nothing varies, neither over {unit}s nor over runs"
            )
            places.setdefault((named, why), []).append(scope.label)
    for (named, why), labels in places.items():
        of_all = " on the whole and" * (None in labels and len(labels) > 1)
        result.append(f"no p-value{of_all}{_inside(labels)} for {named}: {why}")
    return result


def _few_units(looked_at: Sequence[Scope], unit: str) -> list[str]:
    """Warn of few units: of the whole by itself, of all slices together."""
    units = {scope.label: scope.samples[0].units for scope in looked_at if scope.label != MACRO}
    groups: dict[tuple[bool, bool], list[str | None]] = {}
    for label, count in units.items():
        if count < _FEW_UNITS:
            groups.setdefault((label is None, count == 1), []).append(label)
    said = []
    for (_, is_single), labels in groups.items():
        counts = [units[label] for label in labels]
        few = f"only {_numbers(counts)} {unit}{'s' * (max(counts) > 1)}{_inside(labels)}"
        said.append(
            f"{few}, which has no interval"
            if is_single
            else f"{few}: tests and intervals are rough below {_FEW_UNITS}"
        )
    return said


def _drawn_remarks(judged: Sequence[Judged], plan: Plan) -> list[str]:
    """Say where p-values are too rough for the conclusion, or can never reach it."""
    remarks = []
    comparisons = [pair for found in judged for pair in found.comparisons]
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
        where = _inside(list(dict.fromkeys(pair.slice for pair in powerless)))
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
    few = sorted({pair.inconclusive for pair in comparisons if pair.inconclusive is not None})
    remarks += [f"no system is called better: {reason}" for reason in few]
    return remarks


def _interval_remarks(judged: Sequence[Judged]) -> list[str]:
    """Say that intervals and p-values disagree where they come from different methods."""
    count = sum(pair.interval_contradicts for found in judged for pair in found.comparisons)
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
    few = {
        tuple(sorted(pair)): None
        for differing in judged.differing
        for pair, count in zip(_pairs(names, plan), differing.tolist(), strict=True)
        if 0 < count < fewest
    }
    if not few:
        return []
    named = _some_pairs([f"{names[a]} and {names[b]}" for a, b in few])
    return [
        f"fewer than {fewest} {dataset.unit}s differ between {named}: "
        f"p cannot reach {share(plan.alpha)}"
    ]


def _slice_remarks(looked_at: Sequence[Scope], noun: str) -> list[str]:
    slices = sum(scope.label not in (None, MACRO) for scope in looked_at)
    if not slices:
        return []
    remarks = [
        f"p-values are adjusted within each {noun}, but not for the number of {noun}s ({slices})"
    ]
    small = [
        scope.label
        for scope in looked_at
        if scope.label is not None
        and scope.members is not None
        and len(scope.members) < MACRO_ITEMS
    ]
    if small and slices > 1 and noun == "slice":
        remarks.append(
            f"fewer than {MACRO_ITEMS} items{_inside(small)}: not part of the macro mean"
        )
    return remarks


def _some_pairs(pairs: Sequence[str]) -> str:
    more = len(pairs) - _MOST_NAMED
    return "; ".join([*pairs[:_MOST_NAMED], *([f"{more:,} other pairs"] if more > 0 else [])])


def _inside(labels: Sequence[str | None]) -> str:
    """Return in which slices something is so; of the whole there is nothing to say."""
    names = [label for label in labels if label is not None]
    more = len(names) - _MOST_NAMED
    told = [*names[:_MOST_NAMED], f"{more:,} other slices"] if more > 1 else names
    return f" in {listed(told)}" if names else ""


def _numbers(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"

"""The comparison as a whole, for texts and for given scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

from weigh.comparing.gate import gate
from weigh.comparing.intervals import check_segment_means
from weigh.comparing.judge import Judged, judge
from weigh.comparing.measure import MACRO, Measured, View, measure_scores, measure_texts, views
from weigh.comparing.observation import observe
from weigh.comparing.plan import Plan
from weigh.comparing.result import Result
from weigh.engine.threads import Progress
from weigh.errors import InputError, UsageError, did_you_mean, plural
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.fingerprint import has_texts
from weigh.metrics.registry import key_of
from weigh.stats.multiplicity import too_few_trials, trials_needed
from weigh.stats.procedures import RUNS_TEST, TESTS
from weigh.stats.resample import Pairs
from weigh.types import Comparison, Metric, System, TestSet, readings_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from weigh.metrics.stored import StoredStatistics

# Below so many units the bootstrap's approximations are poor.
_FEW_UNITS = 30
# With fewer, a variance from bootstrap trials is off by more than a tenth.
_FEW_TRIALS = 200
_MOST_NAMED = 6


def compare(
    systems: Sequence[System] | Mapping[str, ArrayLike],
    test_set: TestSet | None = None,
    metrics: Sequence[Metric | Definition] = (),
    *,
    documents: Sequence[str] | None = None,
    slices: Sequence[str] | None = None,
    metric: str = "score",
    lower_is_better: bool = False,
    evidence: bool = False,
    stored: StoredStatistics | None = None,
    plan: Plan | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Result:
    """Compare systems: all pairs, or all with a baseline.

    Systems are texts, with a test set and metrics, or a mapping of names to arrays of segment
    scores (runs × segments where there are several runs), with `metric` for their name. All
    choices are those of `Plan`, given as `options` or as a `plan`. With `evidence`, the result
    keeps distributions and segments too, for a report with pictures. Rows that are `stored` are
    not computed again.

    >>> import weigh
    >>> result = weigh.compare({"A": [3, 5, 4, 6, 8], "B": [1, 4, 2, 6, 5]}, seed=1)
    >>> [pair] = result.comparisons
    >>> pair.difference, pair.count, pair.trials, pair.p_value  # all 2^5 ways to swap
    (1.6, 4, 32, 0.125)
    """
    if plan is not None and options:
        raise UsageError(f"give a plan or {', '.join(options)}, not both")
    if isinstance(systems, Mapping):
        if test_set is not None or metrics:
            raise UsageError("arrays of scores need neither a test set nor metrics")
        lower = (metric,) if lower_is_better else ()
        return compare_scores(
            {metric: systems},
            lower=lower,
            documents=documents,
            slices=slices,
            evidence=evidence,
            plan=plan or Plan(**options),
            threads=threads,
            progress=progress,
        )
    if test_set is None:
        raise InputError("systems of texts need a test set")
    chosen = plan or Plan(**options)
    if documents is not None:
        test_set = replace(test_set, documents=documents)
    if slices is not None:
        test_set = replace(test_set, slices=slices)
    known = [as_metric(one) for one in metrics]
    chosen = _with_metrics(chosen, [key_of(one) for one in known])
    check_segment_means(chosen, known, test_set.documents)
    names = list(dict.fromkeys(system.name for system in systems))
    pairs = _pairs(names, chosen)
    phases = _Phases(progress, len(metrics) * len(systems) * len(test_set), chosen, test_set.slices)
    measured = measure_texts(
        systems,
        test_set,
        known,
        stored=stored,
        unequal_runs=chosen.runs_as_sample,
        threads=threads,
        progress=phases.measuring(),
    )
    texts = (systems, test_set) if all(map(has_texts, systems)) else None
    return _judge_all(measured, chosen, pairs, threads, phases, texts, evidence=evidence)


def compare_scores(
    scores: Mapping[str, Mapping[str, ArrayLike]],
    *,
    lower: Sequence[str] = (),
    ratio: Sequence[str] = (),
    documents: Sequence[str] | None = None,
    slices: Sequence[str] | None = None,
    numbers: Sequence[int] | None = None,
    evidence: bool = False,
    plan: Plan | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Result:
    """Compare systems by segment scores: metric → system → scores.

    `lower` names metrics for which small is good, `ratio` those whose scores are two numbers.
    `numbers` are those of the segments, from 1, where some were left out.
    """
    chosen = _with_metrics(plan or Plan(), list(scores))
    measured = measure_scores(
        scores,
        lower=lower,
        ratio=ratio,
        documents=documents,
        slices=slices,
        numbers=numbers,
        unequal_runs=chosen.runs_as_sample,
    )
    check_segment_means(chosen, [one.metric for one in measured.samples], documents)
    pairs = _pairs(measured.names, chosen)
    phases = _Phases(progress, 0, chosen, measured.slices)
    return _judge_all(measured, chosen, pairs, threads, phases, evidence=evidence)


def _judge_all(
    measured: Measured,
    plan: Plan,
    pairs: Pairs,
    threads: int,
    phases: _Phases,
    texts: tuple[Sequence[System], TestSet] | None = None,
    *,
    evidence: bool,
) -> Result:
    looked_at = views(measured)
    judged = [
        judge(
            view,
            measured,
            plan,
            pairs,
            tally=evidence and number == 0,
            threads=threads,
            progress=phases.of_view(number),
        )
        for number, view in enumerate(looked_at)
    ]
    samples, tally = looked_at[0].samples, judged[0].tally
    documents = measured.documents
    return Result(
        plan=plan,
        scores=tuple(score for one in judged for score in one.scores),
        comparisons=tuple(pair for one in judged for pair in one.comparisons),
        rankings=tuple(ranking for one in judged for ranking in one.rankings),
        warnings=tuple(_warnings(looked_at, judged, plan, measured)),
        segments=measured.samples[0].units,
        references=measured.references,
        documents=None if documents is None else len(set(documents)),
        unit=measured.unit,
        units=samples[0].units,
        gate=gate(looked_at[0], judged[0], plan, pairs, measured.unit) if plan.gate else None,
        evidence=None
        if tally is None
        else observe(measured, samples, plan, pairs, tally, texts, threads=threads),
        runs=dict(zip(measured.names, map(len, samples[0].rows), strict=True)),
    )


def _pairs(names: Sequence[str], plan: Plan) -> Pairs:
    """Return the pairs to test; one-sided, both directions of each unless there is a baseline."""
    if len(names) < 2:
        found = f"only {names[0]}" if names else "none"
        raise InputError(f"a comparison needs at least two systems, but there is {found}")
    if plan.baseline is not None:
        if plan.baseline not in names:
            raise UsageError(
                f"baseline {plan.baseline!r} is none of the systems; "
                f"{did_you_mean(plan.baseline, names)}"
            )
        base = list(names).index(plan.baseline)
        return [(i, base) for i in range(len(names)) if i != base]
    if plan.alternative == "two-sided":
        return list(combinations(range(len(names)), 2))
    return list(permutations(range(len(names)), 2))


def _with_metrics(plan: Plan, keys: Sequence[str]) -> Plan:
    """Return the plan with margins and differences for metrics that are computed.

    A metric may be named without its options if only one metric has that name.
    """
    if len(set(keys)) < len(keys):
        raise UsageError("a metric is given twice; give it once, or name the two apart")
    asked = {"margin": plan.margin, "detect": plan.detect, "scale": plan.scale}
    resolved: dict[str, dict[str, float]] = {name: {} for name in asked}
    for name, given in asked.items():
        for key, value in given.items():
            meant = [one for one in keys if key in (one, one.partition(":")[0])]
            if key not in keys and len(meant) != 1:
                raise UsageError(
                    f"{name} for {key!r}, which is not computed; {did_you_mean(key, keys)}"
                )
            resolved[name][key if key in keys else meant[0]] = value
    return replace(
        plan, margin=resolved["margin"], detect=resolved["detect"], scale=resolved["scale"]
    )


def _warnings(
    looked_at: Sequence[View], judged: Sequence[Judged], plan: Plan, measured: Measured
) -> list[str]:
    result = list(measured.remarks)
    result += (said for view in looked_at[:1] for said in _read_in_several_ways(view))
    for view, found in zip(looked_at, judged, strict=True):
        result += _disagreements(view, found)
        if view.label == MACRO:  # whose slices have had their say
            continue
        where = "" if view.label is None else f" in {view.label}"
        units = view.samples[0].units
        if units < _FEW_UNITS:
            few = f"only {plural(units, measured.unit)}{where}"
            result.append(
                f"{few}, which has no interval"
                if units == 1
                else f"{few}: tests and intervals are rough below {_FEW_UNITS}"
            )
        for comparison in {one.test: one for one in found.comparisons}.values():
            if comparison.test in TESTS:
                result += _too_few(comparison, plan, where)
    if plan.runs_as_sample:
        result += _of_runs(looked_at, judged, plan, measured.unit)
    for test in plan.compat:
        result.append(
            f"{test} repeats another tool's formula, which is known to reject too often; "
            "do not conclude from it"
        )
    return result


def _of_runs(
    looked_at: Sequence[View], judged: Sequence[Judged], plan: Plan, unit: str
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
    if plan.trials < _FEW_TRIALS:
        result.append(f"only {plan.trials} trials: variances are rough; use at least {_FEW_TRIALS}")
    for view, found in zip(looked_at, judged, strict=True):
        pairs = [f"{c.a} and {c.b} by {c.metric}" for c in found.comparisons if c.p_value is None]
        if pairs:
            where = "" if view.label is None else f" in {view.label}"
            named = "; ".join(
                [*pairs[:_MOST_NAMED], *(["and others"] * (len(pairs) > _MOST_NAMED))]
            )
            why = (
                f"a single {unit} does not tell how scores vary"
                if view.samples[0].fewest_units < 2
                else f"nothing varies, neither over {unit}s nor over runs"
            )
            result.append(f"no p-value{where} for {named}: {why}")
    return result


def _read_in_several_ways(view: View) -> list[str]:
    """Say of a metric with several readings what a p-value is, and what it is not."""
    found = [(one.metric, readings_of(one.metric)) for one in view.samples]
    return [
        f"{metric.name}: a difference has to show by {' and by '.join(readings.scores)}, and p is "
        f"the largest of theirs; {readings.if_they_agree}"
        for metric, readings in found
        if readings is not None
    ]


def _disagreements(view: View, found: Judged) -> list[str]:
    """Name the pairs of which a metric's readings do not call the same system better."""
    said = []
    where = "" if view.label is None else f" in {view.label}"
    for metric, readings in ((one.metric, readings_of(one.metric)) for one in view.samples):
        if readings is None:
            continue
        own = [one for one in found.comparisons if one.metric == key_of(metric)]
        pairs = {frozenset((one.a, one.b)): one for one in own}
        split = [one for one in pairs.values() if not one.readings_agree]
        if split:
            first = split[0]
            by = ", ".join(f"{one.reading} {one.difference:+.2f}" for one in first.readings)
            more = f" and {plural(len(split) - 1, 'other pair')}" if len(split) > 1 else ""
            said.append(
                f"{metric.name}{where}: readings disagree on {first.a} and {first.b} ({by}){more}; "
                f"{readings.if_they_disagree}"
            )
    return said


def _too_few(comparison: Comparison, plan: Plan, where: str) -> list[str]:
    """Warn if the smallest p-value that there can be is not small enough."""
    exact = comparison.exact
    if not (plan.plus_one or exact):  # then it is 0
        return []
    stepwise = plan.adjust in ("holm", "bonferroni", "sidak")
    size, trials = comparison.family_size if stepwise else 1, comparison.trials
    both = comparison.alternative == "two-sided" and (
        exact or comparison.test == "paired-bootstrap"
    )
    plus_one = plan.plus_one and not exact
    if not too_few_trials(size, trials, plan.alpha, plus_one=plus_one, both_tails=both):
        return []
    needed = trials_needed(size, plan.alpha, plus_one=plus_one, both_tails=both)
    remedy = "use more units" if exact else f"use at least {needed:,} trials"
    family = f"{size} comparisons and " if size > 1 else ""
    return [
        f"{comparison.test}{where}: with {family}{trials:,} trials no difference can be "
        f"significant; {remedy}"
    ]


class _Phases:
    """One progress over all that is to be done: hypotheses, then trials of every view."""

    def __init__(
        self, progress: Progress | None, measuring: int, plan: Plan, slices: Sequence[str] | None
    ) -> None:
        labels = len(set(slices)) if slices is not None else 0
        self._views = 1 + labels + (labels > 1)
        self._progress = progress
        self._measuring = measuring
        self._trials = plan.trials
        self._each = 1 + ("randomization" in plan.tests)
        self._total = measuring + self._views * self._each * plan.trials

    def measuring(self) -> Progress:
        return self._after(0)

    def of_view(self, number: int) -> list[Progress]:
        start = self._measuring + number * self._each * self._trials
        return [self._after(start), self._after(start + self._trials)]

    def _after(self, start: int) -> Progress:
        def tell(done: int, _: int) -> None:
            if self._progress is not None:
                self._progress(start + done, self._total)

        return tell

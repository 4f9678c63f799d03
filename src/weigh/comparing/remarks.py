"""Warnings about a comparison: few units, few trials, tests that cannot decide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from weigh.comparing.dataset import Dataset, unit_range_of
from weigh.comparing.judge import Judged
from weigh.comparing.methods import label_cautions, trials_wanted
from weigh.comparing.plan import Plan
from weigh.comparing.scopes import MACRO, MACRO_ITEMS, Scope
from weigh.comparing.score import display_of
from weigh.comparing.score_result import titles
from weigh.errors import plural
from weigh.stats.adaptive import STAGES
from weigh.stats.estimates import SPARSE
from weigh.stats.halving import fewest_units
from weigh.stats.power import Family
from weigh.stats.procedures import ANYTIME, RUNS_TEST, TESTS
from weigh.stats.resample import Pairs
from weigh.wording import listed, percent, share

# With fewer units, tests and intervals are rough.
_FEW_UNITS = 30
# With fewer trials, the relative standard error of a variance exceeds a tenth.
_FEW_TRIALS = 200
_MOST_NAMED = 6


def remarks_on(
    all_scopes: Sequence[Scope],
    judged: Sequence[Judged],
    plan: Plan,
    dataset: Dataset,
    pairs: Pairs,
) -> list[str]:
    """All warnings about a comparison."""
    remarks = list(dataset.remarks)
    remarks += label_cautions(
        [pair for result in judged for pair in result.comparisons],
        titles(list(map(display_of, dataset.metrics))),
    )
    remarks += _few_units(all_scopes, dataset, plan)
    remarks += _drawn_remarks(judged, plan, dataset)
    remarks += _interval_remarks(judged, plan)
    if "randomization" in plan.tests:
        remarks += _differing_remarks(all_scopes[0], judged[0], plan, dataset.unit, pairs)
    remarks += _widened_intervals(all_scopes, judged, plan, dataset, pairs)
    remarks += _trial_remarks(plan)
    remarks += _slice_remarks(all_scopes, judged[0], dataset)
    if plan.runs_as_sample:
        remarks += _run_remarks(all_scopes, judged, plan, dataset.unit)
    return remarks


def _run_remarks(
    all_scopes: Sequence[Scope], judged: Sequence[Judged], plan: Plan, unit: str
) -> list[str]:
    """Warn about systems with two runs, identical runs, few trials, and pairs without a p-value."""
    remarks = []
    first = all_scopes[0].samples[0]
    two = [name for name, runs in zip(first.names, first.rows, strict=True) if len(runs) == 2]
    if two:
        remarks.append(
            f"only two runs of {listed(two)}: {RUNS_TEST} may reject up to 12% of true null "
            "hypotheses at α = .05, unless all systems have equally many runs that vary equally; "
            "use three runs or more"
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
            f"some runs of {listed([*dict.fromkeys(twice)])} have identical scores by every "
            "metric; if a run was given twice, results look more certain than they are"
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
                else f"the difference varies neither between {unit}s nor between runs"
            )
            places.setdefault((named, why), []).append(scope.label)
    for (named, why), labels in places.items():
        whole = " overall and" if None in labels and len(labels) > 1 else ""
        remarks.append(f"no p-value{whole}{_in_slices(labels)} for {named}: {why}")
    return remarks


def _few_units(all_scopes: Sequence[Scope], dataset: Dataset, plan: Plan) -> list[str]:
    """Warn about few units, once for the whole test set and once for similar slices."""
    units = {scope.label: scope.samples[0].units for scope in all_scopes if scope.label != MACRO}
    # Randomization and betting keep their level, however few units there are.
    keeps_level = {*plan.tests} <= {"randomization", ANYTIME}
    rough = "intervals are" if keeps_level else "tests and intervals are"
    if plan.anytime:  # only the scores have intervals that are rough
        rough = "intervals of scores are"
    halved = plan.interval == "halving" and not plan.anytime
    fewest = fewest_units(plan.level, two_sided=plan.alternative == "two-sided") if halved else 2
    ranges = map(unit_range_of, dataset.samples)
    is_pass_fail = any(scores is not None and scores.is_pass_fail for scores in ranges)
    missing = "intervals of differences" if is_pass_fail else "intervals"
    unit = dataset.unit
    groups: dict[tuple[bool, str], list[str | None]] = {}
    for label, count in units.items():
        if count == 1:
            problem = "no difference can be tested"
        elif count < fewest:
            problem = f"{missing} need at least {fewest}"
        elif count < _FEW_UNITS:
            problem = f"with fewer than {_FEW_UNITS}, {rough} rough"
        else:
            continue
        groups.setdefault((label is None, problem), []).append(label)
    remarks = []
    for (_, problem), labels in groups.items():
        counts = [units[label] for label in labels]
        noun = f"{unit}s" if max(counts) > 1 else unit
        where = f"{' each' if len(labels) > 1 else ''}{_in_slices(labels)}"
        remarks.append(f"only {_numbers(counts)} {noun}{where}: {problem}")
    return remarks


def _drawn_remarks(judged: Sequence[Judged], plan: Plan, dataset: Dataset) -> list[str]:
    """Warn about drawn p-values that cannot decide, and bootstraps that conclude nothing."""
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
            else "compare with one system only (--baseline)"
        )
        family = f"{first.family_size:,} comparisons and " if first.family_size > 1 else ""
        where = _in_slices(list(dict.fromkeys(pair.slice for pair in powerless)))
        remarks.append(
            f"{first.test}{where}: with {family}{first.trials:,} trials no difference can be "
            f"significant; {remedy}"
        )
    title_of = titles(list(map(display_of, dataset.metrics)))
    near = dict.fromkeys(
        f"{pair.a} and {pair.b}" + (f" by {title_of[pair.metric]}" if len(title_of) > 1 else "")
        for pair in comparisons
        if pair.within_error
    )
    if near:
        named = _some_pairs([*near])
        adjusted = "adjusted p" if comparisons[0].family_size > 1 else "p"
        trials = max(pair.trials for pair in drawn)
        advice = "" if plan.trials is None else "; use more --trials"
        remarks.append(
            f"{adjusted} is within Monte Carlo error of α after {trials:,} trials: {named}{advice}"
        )
    reasons = sorted({pair.inconclusive for pair in comparisons if pair.inconclusive is not None})
    remarks += [f"no system is called better: {reason}" for reason in reasons]
    return remarks


def _interval_remarks(judged: Sequence[Judged], plan: Plan) -> list[str]:
    """Warn if intervals and p-values from different methods disagree."""
    count = sum(pair.interval_contradicts for result in judged for pair in result.comparisons)
    if not count:
        return []
    remedy = (
        "--test randomization agrees with these intervals"
        if plan.interval == "halving"
        else "--interval halving agrees with --test randomization"
    )
    return [
        f"{plural(count, 'interval')} (marked) and the tests of the same pairs disagree, because "
        f"they come from different methods; {remedy}"
    ]


def _widened_intervals(
    all_scopes: Sequence[Scope],
    judged: Sequence[Judged],
    plan: Plan,
    dataset: Dataset,
    pairs: Pairs,
) -> list[str]:
    """Say which intervals allow for a difference that no unit shows; not of pass/fail scores."""
    if plan.interval != "halving" or plan.alternative != "two-sided" or plan.anytime:
        return []
    ranges = [unit_range_of(sample) for sample in dataset.samples]
    is_widened = [scores is not None and not scores.is_pass_fail for scores in ranges]
    names = dataset.names
    in_all, in_slices = [], []
    for scope, result in zip(all_scopes, judged, strict=True):
        if scope.samples[0].units < fewest_units(plan.level):  # there are no intervals
            continue
        widened = {
            f"{names[a]} and {names[b]}": None
            for applies, differing in zip(is_widened, result.differing, strict=True)
            for (a, b), count in zip(pairs, differing.tolist(), strict=True)
            if applies and count < SPARSE
        }
        if scope.label is None:
            in_all = [*widened]
        elif scope.label != MACRO and widened:
            in_slices.append(scope.label)
    remarks = []
    if in_all:
        intervals = (
            "the interval of the difference is"
            if len(in_all) == 1
            else "the intervals of these differences are"
        )
        remarks.append(
            f"fewer than {SPARSE} {dataset.unit}s differ between {_some_pairs(in_all)}: "
            f"{intervals} widened to allow for rare large differences"
        )
    if in_slices:
        between = "some pairs" if len(pairs) > 1 else "the systems"
        remarks.append(
            f"fewer than {SPARSE} {dataset.unit}s differ between {between}"
            f"{_in_slices(in_slices)}: intervals are widened to allow for rare large differences"
        )
    return remarks


def _trial_remarks(plan: Plan) -> list[str]:
    """Warn that so few trials give no interval."""
    if plan.trials is None or plan.interval != "halving" or plan.runs_as_sample or plan.anytime:
        return []
    fewest = math.ceil(1 / (1 - plan.level) - 1e-9) - 1
    if plan.trials >= fewest:
        return []
    return [
        f"{plural(plan.trials, 'trial')}: {percent(plan.level)} intervals of differences need at "
        f"least {fewest:,}"
    ]


def _differing_remarks(
    scope: Scope, judged: Judged, plan: Plan, unit: str, pairs: Pairs
) -> list[str]:
    """Warn about pairs that differ on so few units that p cannot reach α."""
    fewest = Family(plan.alpha, two_sided=plan.alternative == "two-sided").fewest_differing
    if plan.trials is None and scope.samples[0].units < fewest:  # the verdict says so
        return []
    names = scope.samples[0].names
    sparse = {
        tuple(sorted(pair)): None
        for differing in judged.differing
        for pair, count in zip(pairs, differing.tolist(), strict=True)
        if 0 < count < fewest
    }
    if not sparse:
        return []
    named = _some_pairs([f"{names[a]} and {names[b]}" for a, b in sparse])
    side = plan.alternative if plan.alternative == "two-sided" else "one-sided"
    return [
        f"fewer than {fewest} {unit}s differ between {named}: "
        f"a {side} p cannot reach {share(plan.alpha)}"
    ]


def _slice_remarks(all_scopes: Sequence[Scope], judged: Judged, dataset: Dataset) -> list[str]:
    noun = "test set" if dataset.has_sets else "slice"
    slices = sum(scope.label not in (None, MACRO) for scope in all_scopes)
    if not slices:
        return []
    is_adjusted = any(pair.adjust != "none" and pair.family_size > 1 for pair in judged.comparisons)
    within = f"adjusted within each {noun}, but not" if is_adjusted else "not adjusted"
    remarks = [f"p-values are {within} for the number of {noun}s ({slices})"]
    small = [
        scope.label
        for scope in all_scopes
        if scope.label is not None
        and scope.members is not None
        and len(scope.members) < MACRO_ITEMS
    ]
    if small and slices > 1 and not dataset.has_sets:
        remarks.append(
            f"fewer than {MACRO_ITEMS} {dataset.noun}s{_in_slices(small)}: "
            "not part of the macro mean"
        )
    return remarks


def _some_pairs(pairs: Sequence[str]) -> str:
    more = len(pairs) - _MOST_NAMED
    return "; ".join([*pairs[:_MOST_NAMED], *([plural(more, "other pair")] if more > 0 else [])])


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

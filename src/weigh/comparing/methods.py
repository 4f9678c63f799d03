"""Descriptions of tests: titles, explanations of p-values, signatures, and text for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from weigh import __version__
from weigh.comparing.compare_result import WITHOUT_FAILURE, label_disagreements
from weigh.comparing.plan import BOOTSTRAP_TRIALS
from weigh.result import signature
from weigh.stats.multiplicity import experimentwise, too_few_trials, trials_needed
from weigh.stats.procedures import ANYTIME, BLOCK_TESTS, PROCEDURES, RUNS_TEST, TESTS
from weigh.wording import listed, percent, plural, share

if TYPE_CHECKING:
    from weigh.comparing.compare_result import CompareResult, Comparison
    from weigh.comparing.plan import Plan

# Added if systems have several runs that are not treated as a sample.
THESE_RUNS = (
    "This result describes these runs. It accounts for noise within a run, but not for variation "
    "between training runs (--runs-as-sample does)."
)
ADJUSTMENTS = {
    "closed": "the closed e-test",
    "holm": "Holm's method",
    "bonferroni": "Bonferroni's method",
    "sidak": "Šidák's method",
    "bh": "the method of Benjamini and Hochberg",
}
_OF_THESE_RUNS = (*TESTS, *BLOCK_TESTS)
_MOST_NAMED = 6


def title_of(pair: Comparison, plan: Plan) -> str:
    """The name of a test, as a heading."""
    name = PROCEDURES[pair.test].title
    if plan.baseline is not None:
        name += f" against {plan.baseline}"
    if pair.test in BLOCK_TESTS:
        return f"{name}, segments as blocks"
    if pair.alternative == "two-sided":
        return f"{name}, two-sided"
    a, b = ("A", "B") if plan.baseline is None else ("the system", "the baseline")
    return f"{name}, one-sided: is {a} {pair.alternative} than {b}?"


def too_few(pair: Comparison, result: CompareResult) -> str | None:
    """What there is too little of for any p-value to reach α: units or trials, or neither."""
    if pair.inconclusive is not None:
        return f"{result.unit}s"
    if not pair.exact:
        return None if trials_wanted(pair, result.plan) is None else "trials"
    units = result.units
    if pair.slice is not None and pair.wins is not None and result.unit != "document":
        units = pair.wins + (pair.ties or 0) + (pair.losses or 0)
    smallest = (2 if pair.alternative == "two-sided" else 1) / 2.0 ** min(units, 1000)
    is_out_of_reach = tests_counted(pair) * smallest > result.plan.alpha * (1 + 1e-12)
    return f"{result.unit}s" if is_out_of_reach else None


def trials_wanted(pair: Comparison, plan: Plan, level: float | None = None) -> int | None:
    """Number of trials needed to reach a level (default α); None if the actual number suffices."""
    has_ended = plan.trials is None and pair.test == "randomization" and not pair.within_error
    if pair.trials == 0 or (level is None and has_ended):  # no more trials were needed
        return None
    level = plan.alpha if level is None else level
    size = tests_counted(pair)
    both = pair.alternative == "two-sided" and PROCEDURES[pair.test].doubled
    if not too_few_trials(size, pair.trials, level, both_tails=both):
        return None
    return trials_needed(size, level, both_tails=both)


def tests_counted(pair: Comparison) -> int:
    """The factor by which the adjustment multiplies the smallest p-value of a family."""
    return pair.family_size if pair.adjust in ("holm", "bonferroni", "sidak") else 1


def label_cautions(comparisons: Iterable[Comparison], titles: Mapping[str, str]) -> list[str]:
    """Warn about pairs on which metrics that use the same labels disagree."""
    pairs: dict[tuple[str, str], list[str]] = {}  # by metrics and slice
    for group in label_disagreements(comparisons):
        first = group[0]
        metrics = listed([titles[pair.metric] for pair in group])
        place = "" if first.slice is None else f" in {first.slice}"
        pairs.setdefault((metrics, place), []).append(f"{first.a} and {first.b}")
    cautions = []
    for (metrics, place), named in pairs.items():
        names = list(dict.fromkeys(named))
        more = len(names) - _MOST_NAMED
        listing = "; ".join(names[:_MOST_NAMED]) + (
            f"; {plural(more, 'other pair')}" if more > 0 else ""
        )
        cautions.append(
            f"{metrics} disagree{place} on {listing}: "
            "the labels, not the translations, may explain it"
        )
    return cautions


def tested_units(result: CompareResult) -> str:
    """The number of resampled units in words, including the number of averaged test sets."""
    units = plural(result.units, result.unit)
    return f"{units} of {len(result.sets)} test sets (averaged)" if result.sets else units


def has_runs(result: CompareResult) -> bool:
    """Whether any system has several runs."""
    return max(result.runs.values(), default=1) > 1


def number_of_runs(result: CompareResult) -> str:
    """The numbers of runs, in words."""
    counts = list(result.runs.values())
    if len(set(counts)) == 1:
        return f"{plural(counts[0], 'run')} of each system"
    if len(counts) > _MOST_NAMED:
        return f"{min(counts)} to {max(counts)} runs of each system"
    return listed([f"{plural(runs, 'run')} of {name}" for name, runs in result.runs.items()])


def meaning(pairs: Sequence[Comparison], result: CompareResult) -> str:
    """Explain the question of a test and its p-value in plain words."""
    explanation = _meaning(pairs, result)
    if has_runs(result) and pairs[0].test in _OF_THESE_RUNS:
        return f"{explanation} {THESE_RUNS}"
    return explanation


def _meaning(pairs: Sequence[Comparison], result: CompareResult) -> str:
    pair = pairs[0]
    unit = result.unit
    a, b = ("A", "B") if result.plan.baseline is None else ("the system", "the baseline")
    wide = {
        "two-sided": "at least as large as the observed one, in either direction",
        "better": f"at least as much in favour of {a} as the observed one",
        "worse": f"at least as much in favour of {b} as the observed one",
    }[pair.alternative]
    procedure = PROCEDURES[pair.test]
    swaps = (
        f"all ways to swap their outputs {unit} by {unit}"
        if all(pair.exact for pair in pairs)
        else f"random swaps of their outputs {unit} by {unit}"
    )
    both = ""
    if pair.alternative == "two-sided":
        both = ", doubled because either system could have been ahead"
    answer = procedure.answer.format(
        unit=unit,
        swaps=swaps,
        wide=wide,
        draws=plural(pair.trials, "draw"),
        loser={"better": a, "worse": b}.get(pair.alternative, "the better system"),
        both=both,
    )
    question = procedure.question.format(unit=unit)
    return f"Question: {question} p is {answer}"


def correction(pair: Comparison, plan: Plan) -> str:
    """Explain the guarantee of the adjustment for multiple comparisons in plain words."""
    alpha = share(plan.alpha)
    if pair.test in BLOCK_TESTS or pair.family_size == 1:
        return f"A difference is significant at p ≤ {alpha}."
    if pair.adjust == "none":
        chance = experimentwise(plan.alpha, pair.family_size)
        return (
            f"Not adjusted for multiple comparisons: a difference is significant at p ≤ {alpha}. "
            f"With {plural(pair.family_size, 'independent comparison')} of equal systems, the "
            f"probability of a false finding would be {chance:.2f}."
        )
    promise = (
        f"at most {percent(plan.alpha)} of significant findings are expected to be false"
        if pair.adjust == "bh"
        else f"the probability of any false finding among them is at most {alpha}"
    )
    return f"Adjusted by {ADJUSTMENTS[pair.adjust]} for {_family(pair)}: {promise}."


def _family(pair: Comparison) -> str:
    where = ", separately for each slice" if pair.slice is not None else ""
    return f"{plural(pair.family_size, 'comparison')} per metric{where}"


def first_of_each_test(result: CompareResult) -> dict[str, Comparison]:
    """The first comparison by each test."""
    first: dict[str, Comparison] = {}
    for pair in result.comparisons:
        first.setdefault(pair.test, pair)
    return first


def methods(result: CompareResult, metrics: Sequence[str]) -> str:
    """A sentence or two on the methods, for a paper."""
    plan = result.plan
    tests = first_of_each_test(result)
    names = list(dict.fromkeys(entry.system for entry in result.scores))
    against = (
        f"between {len(names)} systems"
        if plan.baseline is None
        else f"between {plural(len(names) - 1, 'system')} and the baseline"
    )
    ways = []
    for pair in tests.values():
        name, details = PROCEDURES[pair.test].phrase, [PROCEDURES[pair.test].source]
        if pair.test not in BLOCK_TESTS:
            side = pair.alternative if pair.alternative == "two-sided" else "one-sided"
            trials = "" if pair.test == ANYTIME else f", {_trials(pair, result)}"
            details += [f"{side}{trials}"]
            if trials == ", exact":
                name = name.removeprefix("approximate ")
        ways.append(f"{name} ({'; '.join(details)})")
    corrected = [
        f"p-values were adjusted by {ADJUSTMENTS[pair.adjust]} for {_family(pair)}"
        for pair in tests.values()
        if pair.adjust in ADJUSTMENTS and pair.family_size > 1
    ]
    level = percent(plan.level)
    sentences = [
        f"Differences in {listed(metrics)} {against} were tested by {listed(ways)} over "
        f"{tested_units(result)}{_runs(result)}, at α = {share(plan.alpha)}"
        + "".join(f"; {sentence}" for sentence in dict.fromkeys(corrected)),
        f"Intervals are {level} {_interval_phrase(result)}",
        *_margins(result),
        *_pass_at(metrics),
    ]
    return f"{'. '.join(sentences)}. Computed with weigh {__version__} (seed {plan.seed})."


_INTERVAL_PHRASES = {
    "halving": "confidence intervals from random halvings of the test set (Hartigan 1969)",
    "percentile": "percentile bootstrap intervals",
    "bca": "BCa bootstrap intervals",
    "t": "Student's t intervals",
    RUNS_TEST: "Student's t intervals with the same variances",
}


def _interval_phrase(result: CompareResult) -> str:
    plan = result.plan
    phrase = _INTERVAL_PHRASES[plan.interval]
    if plan.anytime:
        phrase = "confidence sequences for differences, and random halving intervals for scores"
    is_pass_fail = any(row.percent and "pass@" not in row.name for row in result.metrics)
    if plan.interval == "halving" and is_pass_fail:
        phrase += "; those of pass/fail scores are Wilson (1927) intervals"
        if result.unit == "document":
            phrase += ", with an effective number of items because documents are clusters"
        elif has_runs(result):
            phrase += ", with an effective number of items because the runs of an item are clusters"
    if plan.alternative != "two-sided" and plan.interval in ("halving", RUNS_TEST):
        phrase += "; those of differences are one-sided bounds"
    return phrase


def _margins(result: CompareResult) -> list[str]:
    """Sentences on the bounds for margins and the p-values of the gate."""
    plan = result.plan
    sentences = []
    if plan.margin:
        sentences.append(f"Margins were tested with {_margin_bounds(result)}")
    metrics = len({pair.metric for pair in result.comparisons})
    if result.gate is not None and not plan.margin:
        adjusted = f", adjusted by Holm's method for {metrics} metrics" if metrics > 1 else ""
        if len({pair.a for pair in result.comparisons}) > 1:
            adjusted += ", not adjusted for the number of systems"
        sentences.append(f"The gate uses one-sided p-values{adjusted}")
    elif result.gate is not None and metrics > 1:
        sentences.append(f"The gate fails at α adjusted for {metrics} metrics")
    return sentences


def _pass_at(metrics: Sequence[str]) -> list[str]:
    names = [metric for metric in metrics if "pass@" in metric]
    are = "is the unbiased estimate" if len(names) == 1 else "are the unbiased estimates"
    return [f"{listed(names)} {are} of Chen et al. (2021)"] if names else []


def _margin_bounds(result: CompareResult) -> str:
    """The kinds of bounds that were compared with margins."""
    plan = result.plan
    if plan.strict or plan.anytime:
        return "anytime-valid betting bounds"
    lack_failure = {
        (pair.margin_reason or "").startswith(WITHOUT_FAILURE)
        for pair in result.comparisons
        if pair.margin_interval is not None
    }
    level = f"one-sided {percent(1 - plan.alpha)}"
    student = f"{level} Student's t bounds"
    without = student if plan.runs_as_sample else f"{level} bounds from random halvings"
    if lack_failure == {True}:
        return without
    added = f"{student}, with one added {result.unit} at the worst possible score"
    if True not in lack_failure:
        return added
    return f"{added}, or, where noted, {'without it' if plan.runs_as_sample else without}"


def procedure(pair: Comparison, result: CompareResult) -> str:
    """Test, trials and adjustment in a few words, for a caption."""
    plan = result.plan
    parts = [title_of(pair, plan)]
    if pair.test not in BLOCK_TESTS:
        parts += [] if pair.test == ANYTIME else [_trials(pair, result), f"seed {pair.seed}"]
    level = f"p ≤ {share(plan.alpha)}"
    if has_runs(result):
        parts.append(f"runs treated as {_role_of_runs(result)}")
    if pair.adjust in ADJUSTMENTS and pair.family_size > 1:
        level += f" adjusted by {ADJUSTMENTS[pair.adjust]} for {_family(pair)}"
    return ", ".join([*parts, level])


def _trials(pair: Comparison, result: CompareResult) -> str:
    """`exact`, or the number of trials behind the p-values."""
    if pair.test == RUNS_TEST:
        samples = result.plan.trials or BOOTSTRAP_TRIALS
        return (
            f"variances from {plural(samples, 'bootstrap sample')}, or by formula for plain means"
        )
    of_test = [other for other in result.comparisons if other.test == pair.test]
    drawn = [other.trials for other in of_test if not other.exact]
    if not drawn:
        return "exact"
    low, high = min(drawn), max(drawn)
    trials = f"{low:,} to {high:,} trials" if low < high else plural(low, "trial")
    return trials if len(drawn) == len(of_test) else f"exact where feasible, otherwise {trials}"


def _runs(result: CompareResult) -> str:
    """The number of runs and their treatment; empty for single runs."""
    if not has_runs(result):
        return ""
    return f" and {number_of_runs(result)}, treated as {_role_of_runs(result)}"


def _role_of_runs(result: CompareResult) -> str:
    return "a random sample" if result.plan.runs_as_sample else "fixed"


def signatures_of_tests(result: CompareResult) -> list[tuple[str, str]]:
    """A signature for each test, with all settings to repeat it, in sacreBLEU's format."""
    first = first_of_each_test(result)
    return [(test, signature(_parts(pair, result))) for test, pair in first.items()]


def _trials_part(pair: Comparison, result: CompareResult) -> str | int:
    if pair.test == RUNS_TEST:
        return result.plan.trials or BOOTSTRAP_TRIALS
    drawn = [other.trials for other in result.comparisons if other.test == pair.test]
    if not any(drawn):
        return "exact"
    return max(drawn) if result.plan.trials or min(drawn) == max(drawn) else "adaptive"


def _parts(pair: Comparison, result: CompareResult) -> dict[str, object]:
    parts: dict[str, object] = {"test": pair.test, "alt": pair.alternative}
    if pair.test not in (*BLOCK_TESTS, ANYTIME):
        parts["trials"] = _trials_part(pair, result)
        parts["seed"] = pair.seed
    if pair.test != pair.adjust:
        parts |= {"adjust": pair.adjust}
    parts |= {"family": pair.family_size, "unit": result.unit, "units": result.units}
    if has_runs(result):
        counts = list(result.runs.values())
        parts["runs"] = counts[0] if len(set(counts)) == 1 else ",".join(map(str, counts))
    return parts

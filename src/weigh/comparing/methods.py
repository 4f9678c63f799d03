"""What was tested, what a p-value means, and how to say so in a paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from weigh import __version__
from weigh.comparing.compare_result import label_disagreements
from weigh.comparing.plan import BOOTSTRAP_TRIALS
from weigh.result import signature
from weigh.stats.multiplicity import experimentwise, too_few_trials, trials_needed
from weigh.stats.procedures import ANYTIME, BLOCK_TESTS, PROCEDURES, RUNS_TEST, TESTS
from weigh.wording import listed, percent, plural, share

if TYPE_CHECKING:
    from weigh.comparing.compare_result import CompareResult, Comparison
    from weigh.comparing.plan import Plan

# What the test of several runs speaks of, unless they are taken as a sample.
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


def title_of(one: Comparison, plan: Plan) -> str:
    """Return the name of a test as a heading."""
    name = PROCEDURES[one.test].title
    if plan.baseline is not None:
        name += f" against {plan.baseline}"
    if one.test in BLOCK_TESTS:
        return f"{name}, segments as blocks"
    if one.alternative == "two-sided":
        return f"{name}, two-sided"
    a, b = ("A", "B") if plan.baseline is None else ("the system", "the baseline")
    return f"{name}, one-sided: is {a} {one.alternative} than {b}?"


def is_powerless(one: Comparison, result: CompareResult) -> bool:
    """Return whether the smallest possible p-value, adjusted, is above α: nothing can be found."""
    if not one.exact:
        return trials_wanted(one, result.plan) is not None
    units = result.units
    if one.slice is not None and one.wins is not None and result.unit != "document":
        units = one.wins + (one.ties or 0) + (one.losses or 0)
    smallest = (2 if one.alternative == "two-sided" else 1) / 2.0 ** min(units, 1000)
    return tests_counted(one) * smallest > result.plan.alpha * (1 + 1e-12)


def trials_wanted(one: Comparison, plan: Plan, level: float | None = None) -> int | None:
    """Return how many trials could reach a level, α if none is named, or None if these can."""
    has_ended = plan.trials is None and one.test == "randomization" and not one.within_error
    if one.trials == 0 or (level is None and has_ended):  # more trials were not needed
        return None
    level = plan.alpha if level is None else level
    size = tests_counted(one)
    both = one.alternative == "two-sided" and PROCEDURES[one.test].doubled
    if not too_few_trials(size, one.trials, level, both_tails=both):
        return None
    return trials_needed(size, level, both_tails=both)


def tests_counted(one: Comparison) -> int:
    """Return for how many comparisons the smallest p-value of a family is corrected."""
    return one.family_size if one.adjust in ("holm", "bonferroni", "sidak") else 1


def label_cautions(comparisons: Iterable[Comparison], titles: Mapping[str, str]) -> list[str]:
    """Name the pairs on which metrics of the same labels draw different conclusions."""
    pairs: dict[tuple[str, str], list[str]] = {}  # by metrics and slice
    for group in label_disagreements(comparisons):
        first = group[0]
        metrics = listed([titles[pair.metric] for pair in group])
        place = "" if first.slice is None else f" in {first.slice}"
        pairs.setdefault((metrics, place), []).append(f"{first.a} and {first.b}")
    said = []
    for (metrics, place), named in pairs.items():
        names = list(dict.fromkeys(named))
        more = len(names) - _MOST_NAMED
        some = "; ".join(names[:_MOST_NAMED]) + (f"; {more:,} other pairs" if more > 0 else "")
        said.append(f"{metrics} disagree{place} on {some}: labels and not translations may decide")
    return said


def has_runs(result: CompareResult) -> bool:
    """Return whether a system has several runs."""
    return max(result.runs.values(), default=1) > 1


def number_of_runs(result: CompareResult) -> str:
    """Return how many runs the systems have, in words."""
    counts = list(result.runs.values())
    if len(set(counts)) == 1:
        return f"{plural(counts[0], 'run')} of each system"
    if len(counts) > _MOST_NAMED:
        return f"{min(counts)} to {max(counts)} runs of each system"
    return listed([f"{plural(runs, 'run')} of {name}" for name, runs in result.runs.items()])


def meaning(pairs: Sequence[Comparison], result: CompareResult) -> str:
    """Return in plain words what a test asks and what its p-value is, on the whole and by slice."""
    one = pairs[0]
    said = _meaning(pairs, result)
    return f"{said} {THESE_RUNS}" if has_runs(result) and one.test in _OF_THESE_RUNS else said


def _meaning(pairs: Sequence[Comparison], result: CompareResult) -> str:
    one = pairs[0]
    unit = result.unit
    a, b = ("A", "B") if result.plan.baseline is None else ("the system", "the baseline")
    wide = {
        "two-sided": "at least as large in either direction",
        "better": f"at least as much in favour of {a}",
        "worse": f"at least as much in favour of {b}",
    }[one.alternative]
    known = PROCEDURES[one.test]
    swaps = (
        f"all ways to swap their outputs, {unit} by {unit},"
        if all(pair.exact for pair in pairs)
        else f"random swaps of their outputs, {unit} by {unit},"
    )
    both = ", doubled because it might have been either of them" * (one.alternative == "two-sided")
    answer = known.answer.format(
        unit=unit,
        swaps=swaps,
        wide=wide,
        draws=plural(one.trials, "draw"),
        loser={"better": a, "worse": b}.get(one.alternative, "the better system"),
        both=both,
    )
    asked = known.question.format(unit=unit)
    return f"Tested: {asked} p is {answer}"


def correction(one: Comparison, plan: Plan) -> str:
    """Return in plain words what the adjustment of p-values is worth, or nothing to say."""
    alpha = share(plan.alpha)
    if one.test in BLOCK_TESTS or one.family_size == 1:
        return f"A difference is significant at p ≤ {alpha}."
    if one.adjust == "none":
        chance = experimentwise(plan.alpha, one.family_size)
        return (
            f"Not adjusted for multiple comparisons: a difference is significant at p ≤ {alpha}. "
            f"With {plural(one.family_size, 'independent comparison')} of equal systems, the "
            f"probability of a false finding would be {chance:.2f}."
        )
    promise = (
        f"at most {percent(plan.alpha)} of significant findings are expected to be false"
        if one.adjust == "bh"
        else f"the probability of any false finding among them is at most {alpha}"
    )
    return f"Adjusted by {ADJUSTMENTS[one.adjust]} for {_family(one)}: {promise}."


def _family(one: Comparison) -> str:
    where = ", each slice by itself" if one.slice is not None else ""
    return f"{plural(one.family_size, 'comparison')} by each metric{where}"


def first_of_each_test(result: CompareResult) -> dict[str, Comparison]:
    """Return one comparison by every test, on the whole test set."""
    first: dict[str, Comparison] = {}
    for one in result.comparisons:
        first.setdefault(one.test, one)
    return first


def methods(result: CompareResult, metrics: Sequence[str]) -> str:
    """Return a sentence or two for a paper."""
    plan = result.plan
    tests = first_of_each_test(result)
    names = list(dict.fromkeys(entry.system for entry in result.scores))
    against = (
        f"between {len(names)} systems"
        if plan.baseline is None
        else f"of {plural(len(names) - 1, 'system')} from the baseline"
    )
    ways = []
    for one in tests.values():
        name, details = PROCEDURES[one.test].phrase, [PROCEDURES[one.test].source]
        if one.test not in BLOCK_TESTS:
            side = one.alternative if one.alternative == "two-sided" else "one-sided"
            trials = "" if one.test == ANYTIME else f", {_trials(one, result)}"
            details += [f"{side}{trials}"]
        ways.append(f"{name} ({'; '.join(details)})")
    corrected = [
        f"p-values were adjusted by {ADJUSTMENTS[one.adjust]} for {_family(one)}"
        for one in tests.values()
        if one.adjust in ADJUSTMENTS and one.family_size > 1
    ]
    level = percent(plan.level)
    sentences = [
        f"Differences in {listed(metrics)} {against} were tested by {listed(ways)} over "
        f"{plural(result.units, result.unit)}{_runs(result)}, at α = {share(plan.alpha)}"
        + "".join(f"; {each}" for each in dict.fromkeys(corrected)),
        f"Intervals are {level} {_interval_phrase(plan)}",
        *_margins(result),
    ]
    return f"{'. '.join(sentences)} (weigh {__version__}, seed {plan.seed})."


_INTERVAL_PHRASES = {
    "halving": "intervals from random halvings of the test set (Hartigan 1969)",
    "percentile": "percentile bootstrap intervals",
    "bca": "BCa bootstrap intervals",
    "t": "Student's t intervals",
    RUNS_TEST: "Student's t intervals with the same variances",
}


def _interval_phrase(plan: Plan) -> str:
    if plan.anytime:
        return "confidence sequences of differences; those of scores come from random halvings"
    return _INTERVAL_PHRASES[plan.interval]


def _margins(result: CompareResult) -> list[str]:
    """Return how margins and the gate were judged."""
    plan = result.plan
    said = []
    if plan.margin:
        rule = (
            "any-time bounds by betting"
            if plan.strict or plan.anytime
            else f"one-sided {percent(1 - plan.alpha)} bounds by Student's t with one more "
            f"{result.unit} that fails totally"
        )
        said.append(f"Margins were held against {rule}")
    metrics = len({one.metric for one in result.comparisons})
    if result.gate is not None and metrics > 1:
        said.append(
            f"The gate's one-sided p-values were adjusted by Holm's method for {metrics} metrics"
            if not plan.margin
            else f"The gate fails at α adjusted for {metrics} metrics"
        )
    return said


def procedure(one: Comparison, result: CompareResult) -> str:
    """Return test, trials and correction in a few words, for a caption."""
    plan = result.plan
    parts = [title_of(one, plan)]
    if one.test not in BLOCK_TESTS:
        parts += [] if one.test == ANYTIME else [_trials(one, result), f"seed {one.seed}"]
    level = f"p ≤ {share(plan.alpha)}"
    if has_runs(result):
        parts.append(f"runs taken as {_taken(result)}")
    if one.adjust in ADJUSTMENTS and one.family_size > 1:
        level += f" after correction by {ADJUSTMENTS[one.adjust]} for {_family(one)}"
    return ", ".join([*parts, level])


def _trials(one: Comparison, result: CompareResult) -> str:
    """Say how p-values were computed: exactly, or with how many trials."""
    if one.test == RUNS_TEST:
        samples = result.plan.trials or BOOTSTRAP_TRIALS
        return f"variances from {plural(samples, 'bootstrap sample')}"
    pairs = [pair for pair in result.comparisons if pair.test == one.test]
    drawn = [pair.trials for pair in pairs if not pair.exact]
    if not drawn:
        return "exact"
    low, high = min(drawn), max(drawn)
    trials = f"{low:,} to {high:,} trials" if low < high else plural(low, "trial")
    return trials if len(drawn) == len(pairs) else f"exact where feasible, otherwise {trials}"


def _runs(result: CompareResult) -> str:
    """Return which runs a sentence speaks of."""
    if not has_runs(result):
        return ""
    return f" and {number_of_runs(result)} taken as {_taken(result)}"


def _taken(result: CompareResult) -> str:
    return "a sample of all that there might be" if result.plan.runs_as_sample else "they are"


def signatures_of_tests(result: CompareResult) -> list[tuple[str, str]]:
    """Return every test with all that must be known to run it again, in sacreBLEU's grammar."""
    first = first_of_each_test(result)
    return [(test, signature(_parts(one, result))) for test, one in first.items()]


def _trials_part(one: Comparison, result: CompareResult) -> str | int:
    if one.test == RUNS_TEST:
        return result.plan.trials or BOOTSTRAP_TRIALS
    drawn = [pair.trials for pair in result.comparisons if pair.test == one.test]
    if not any(drawn):
        return "exact"
    return max(drawn) if result.plan.trials or min(drawn) == max(drawn) else "adaptive"


def _parts(one: Comparison, result: CompareResult) -> dict[str, object]:
    parts: dict[str, object] = {"test": one.test, "alt": one.alternative}
    if one.test not in (*BLOCK_TESTS, ANYTIME):
        parts["trials"] = _trials_part(one, result)
        parts["seed"] = one.seed
    if one.test != one.adjust:
        parts |= {"adjust": one.adjust}
    parts |= {"family": one.family_size, "unit": result.unit, "units": result.units}
    if has_runs(result):
        counts = list(result.runs.values())
        parts["runs"] = counts[0] if len(set(counts)) == 1 else ",".join(map(str, counts))
    return parts

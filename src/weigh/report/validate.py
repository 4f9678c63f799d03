"""What is shown of studies of tests: `weigh validate type1`, `power` and `samples`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from weigh import __version__
from weigh.report.grid import Cell, Column, Grid, tabulated
from weigh.report.phrases import metric_name, named
from weigh.report.view import Part, Used, View, remarked, signature, view_of
from weigh.result import checked, encode
from weigh.stats.procedures import PROCEDURES
from weigh.types import grouped
from weigh.validate.power import Need, PilotMetric, Power, PowerResult
from weigh.validate.samples import (
    Bracket,
    PairAtSize,
    SampledMetric,
    SamplesResult,
    ShownSample,
    Spread,
    TruePair,
)
from weigh.validate.type1 import Rejections, Type1Result
from weigh.wording import (
    NO_NUMBER,
    fixed,
    intervals,
    listed,
    percent,
    plural,
    share,
)

_EXACT = "exact binomial intervals"
_BY = f"(weigh {__version__})."


@view_of(Type1Result)
def type1(result: Type1Result) -> View:
    """Show how often each test rejects a true null hypothesis."""
    from weigh.report.pictures import validation as pictures

    plan = result.plan
    metrics = list(dict.fromkeys(one.metric for one in result.rejections))
    names = {metric: metric_name(metric, result.signatures.items()) for metric in metrics}
    parts = {
        "nulls": plan.nulls,
        "unit": result.unit,
        "size": result.size,
        "trials": plan.trials,
        "seed": plan.seed,
    }
    return View(
        title=f"{listed([*names.values()])} of systems that do not differ",
        subtitle=f"{plural(plan.nulls, 'pair')} of equal systems, "
        f"{plural(result.size, result.unit)}, {plan.trials:,} trials",
        findings=[_rejected(metric, names, result) for metric in metrics],
        parts=[
            Part(
                "Rejections of a true null hypothesis",
                _rejections_grid(result, names),
                _about_rejections(result),
                pictures=lambda: pictures.type1_pictures(result, names),
                section="Rejections",
            )
        ],
        methods=f"{plural(plan.nulls, 'pair')} of systems that are equal by construction were "
        f"tested by {listed([*plan.tests, *plan.compat])} with {plan.trials:,} trials each "
        "(Riezler & Maxwell 2005); intervals of shares are exact (Clopper & Pearson 1934) "
        f"{_BY}",
        signatures=[*named([*result.signatures.items()]), ("type1", signature(parts))],
        records=encode(result.rejections),
        used=Used(
            list(result.signatures),
            list(dict.fromkeys(one.test for one in result.rejections)),
            works=["errors of type I", _EXACT],
            draws=True,
        ),
    )


def _about_rejections(result: Type1Result) -> list[str]:
    plan = result.plan
    made = (
        "by exchanging the outputs of "
        f"{' and '.join(result.systems)}, {result.unit} by {result.unit}, by fair coins"
        if result.outputs == 2 and len(result.systems) == 2
        else f"by drawing two of {result.outputs} outputs for each {result.unit}"
    )
    said = [
        f"Shares of {plural(plan.nulls, 'pair')} of equal systems with p at most α, with "
        f"{percent(plan.level)} intervals (Clopper & Pearson); the pairs were made {made}, from "
        f"{plural(result.size, result.unit)}, {plan.trials:,} trials, a new seed each. "
        "Doubled: twice the smaller one-sided p-value.",
        "Too often, too seldom: where the interval would still exclude α if it were as wide as "
        f"{plural(len(result.rejections), 'share')} together need for {percent(plan.level)} "
        f"(Bonferroni); so a table of exact tests has even one such remark in at most "
        f"{percent(1 - plan.level)} of cases.",
    ]
    tests_by_flaw: dict[str, list[str]] = {}
    for test in plan.compat:
        tests_by_flaw.setdefault(PROCEDURES[test].flaw, []).append(test)
    if tests_by_flaw:
        flaws = [f"{listed(tests)}: {flaw}" for flaw, tests in tests_by_flaw.items()]
        said.append(f"Flawed formulas of other tools. {'; '.join(flaws)}.")
    return said + remarked(result.remarks)


def _rejections_grid(result: Type1Result, names: dict[str, str]) -> Grid:
    plan = result.plan
    columns = [Column("Metric"), Column("Test"), Column("Alternative")]
    for alpha in plan.alphas:
        columns.append(Column(f"α = {share(alpha)}", kind="number"))
        columns.append(Column(f"{percent(plan.level)} interval", kind="number", attached=True))
    columns.append(Column("Remark", kind="remark"))
    cells = {(one.metric, one.test, one.alternative, one.alpha): one for one in result.rejections}
    blocks = []
    for metric, name in names.items():
        kinds = [[cells[metric, *kind, alpha] for alpha in plan.alphas] for kind in plan.kinds]
        ends = [
            intervals([kind[at].interval for kind in kinds], 3) for at in range(len(plan.alphas))
        ]
        rows = []
        for number, kind in enumerate(kinds):
            texts = [name, kind[0].test, kind[0].alternative]
            for at, one in enumerate(kind):
                texts += [f"{one.share:.3f}", ends[at][number]]
            rows.append([Cell(text) for text in (*texts, _remark(kind))])
        blocks.append(rows)
    return Grid(columns, blocks)


def _remark(kind: Sequence[Rejections]) -> str:
    """Return at which levels a test rejects too often, or too seldom, to be chance."""
    told = grouped((one for one in kind if one.verdict is not None), lambda one: one.verdict)
    return "; ".join(
        f"{verdict} at {', '.join(share(one.alpha) for one in group)}"
        for verdict, group in told.items()
    )


def _rejected(metric: str, names: dict[str, str], result: Type1Result) -> str:
    """Return which tests reject too often, at any level, and how often the flawed ones do."""
    plan = result.plan
    own = [one for one in result.rejections if one.metric == metric]
    sound = [one for one in own if one.test in plan.tests]
    often = [one for one in sound if one.verdict == "too often"]
    said = [
        f"{names[metric]}: of {plural(len(sound), 'rejection rate')} of sound tests, "
        f"{len(often) or 'none'} {'is' if len(often) < 2 else 'are'} above the level by more than "
        f"chance (exact intervals, {percent(plan.level)} for all "
        f"{plural(len(result.rejections), 'share')} of the study together)"
    ]
    if often:
        told = [f"{one.test} ({one.alternative}, α = {share(one.alpha)})" for one in often]
        said[0] += f": {', '.join(told)}"
    alpha = plan.alphas[-1] if 0.05 not in plan.alphas else 0.05
    flawed = [one for one in own if one.test in plan.compat and one.alpha == alpha]
    if flawed:
        rates = [f"{one.test} {fixed(100 * one.share, 1)}%" for one in flawed]
        said.append(f"At α = {share(alpha)} the flawed formulas reject: {', '.join(rates)}")
    return f"{'. '.join(said)}."


@view_of(PowerResult)
def power(result: PowerResult) -> View:
    """Show how often differences are found, and how much data they need."""
    plan = result.plan
    a, b = result.systems
    names = {
        one.metric: metric_name(one.metric, result.signatures.items()) for one in result.metrics
    }
    drawn = "judgments of each system" if result.unit == "judgment" else f"{result.unit}s"
    tests = list(dict.fromkeys(one.test for one in result.powers))
    parts: dict[str, object] = {
        "unit": result.unit,
        "simulations": plan.simulations,
        "trials": plan.trials,
        "alpha": share(plan.alpha),
        "seed": plan.seed,
    }
    works = [_EXACT]
    if result.unit == "judgment":
        del parts["trials"]
        tests = []
        works += ["direct assessment", "rank-sum test", "number of judgments"]
    return View(
        title=f"How often {listed([*names.values()])} tell {a} from {b}",
        subtitle=f"simulated from a pilot of {plural(result.pilot, result.unit)}"
        f"{per_system(result)}; {plan.simulations:,} data sets of each kind",
        findings=[_needed(one, names[one.metric], result) for one in result.metrics],
        cautions=["The pilot's own difference is uncertain: plan for one that matters."],
        parts=[
            part for one in result.metrics for part in _power_parts(one, names[one.metric], result)
        ],
        methods=f"Data sets were made by drawing {drawn} with replacement from the pilot, with a "
        f"share of its difference kept, {plan.simulations:,} of each kind; power is the share "
        f"with two-sided p at most {share(plan.alpha)} {_BY}",
        signatures=[*named([*result.signatures.items()]), ("power", signature(parts))],
        records=encode(result.powers),
        used=Used(list(result.signatures), tests, works=works, draws=True),
    )


def _power_parts(pilot: PilotMetric, name: str, result: PowerResult) -> Iterator[Part]:
    """Return what is said of one metric."""
    from weigh.report.pictures import validation as pictures

    plan = result.plan
    a, b = result.systems
    yield Part(
        f"{name}: how often a difference is found",
        _powers_grid(pilot, result),
        [
            f"Shares of {plural(plan.simulations, 'simulated data set')} with two-sided "
            f"p at most {share(plan.alpha)}, by the true difference and the number of "
            f"{result.unit}s{per_system(result)}. Pilot: {a} and {b}, "
            f"{plural(result.pilot, result.unit)}{per_system(result)}, difference "
            f"{difference_shown(pilot.observed, pilot)}.",
            *remarked(result.remarks),
        ],
        pictures=lambda: pictures.power_pictures(pilot, name, result),
        section=name,
    )
    needs = [need for need in result.needs if need.metric == pilot.metric]
    if needs:
        yield Part(
            f"{name}: {result.unit}s needed",
            _needs_grid(needs, pilot, result),
            _about_needs(needs, result),
        )


def difference_shown(difference: float, pilot: PilotMetric) -> str:
    """Return a difference with the decimals of its metric."""
    return fixed(difference, pilot.decimals, sign=True)


def per_system(result: PowerResult) -> str:
    """Return what the sizes are sizes of, where that is not all data."""
    return " of each system" if result.unit == "judgment" else ""


def _about_needs(needs: Sequence[Need], result: PowerResult) -> list[str]:
    said = [
        "Differences are shares of the pilot's, which is itself uncertain: plan for a difference "
        "that matters, not for the one that was seen."
    ]
    if any(len(need.steps) > 1 for need in needs):
        several = len(result.plan.tests) > 1
        said.append(
            "Where a simulation with the formula's number missed the aim, other numbers were "
            "simulated until one met it within its interval"
            f"{', by the test that finds the least' if several else ''}."
        )
    if any(need.steps and need.size not in need.steps for need in needs):
        said.append("Numbers above 10,000 were not simulated.")
    if any(need.stated for need in needs):
        said.append("* a difference that was stated.")
    return said


def _powers_grid(pilot: PilotMetric, result: PowerResult) -> Grid:
    sizes = result.plan.sizes
    powers = [one for one in result.powers if one.metric == pilot.metric]
    columns = [Column("Test"), Column("True difference", kind="number")]
    columns += [Column(f"{size:,}", kind="number") for size in sizes]
    blocks = []
    for test in dict.fromkeys(one.test for one in powers):
        by_test = [one for one in powers if one.test == test]
        rows = []
        for start in range(0, len(by_test), len(sizes)):
            row = by_test[start : start + len(sizes)]
            texts = [test, difference_shown(row[0].difference, pilot)]
            texts += [f"{one.power:.3f}" for one in row]
            rows.append([Cell(text) for text in texts])
        blocks.append(rows)
    return Grid(columns, blocks)


def _needs_grid(needs: Sequence[Need], pilot: PilotMetric, result: PowerResult) -> Grid:
    plan = result.plan
    tests = list(dict.fromkeys(one.test for need in needs for one in need.checks))
    columns = [Column("True difference", kind="number")]
    columns.append(Column(f"Needed for {percent(plan.power)}", kind="number"))
    columns += [Column(f"Found by {test} then", kind="number") for test in tests]
    rows = []
    for need in needs:
        shown = difference_shown(need.difference, pilot)
        texts = [f"* {shown}" if need.stated else shown, f"{need.size:,}"]
        checks = {one.test: one for one in need.steps.get(need.size, ())}
        texts += [_checked(checks.get(test)) for test in tests]
        remarks = filter(None, (_searched(need), _missed(need, plan.power)))
        rows.append([Cell(text) for text in (*texts, "; ".join(remarks))])
    if any(row[-1].text for row in rows):
        columns.append(Column("Remark", kind="remark"))
    return Grid(columns, [[row[: len(columns)] for row in rows]])


def _searched(need: Need) -> str:
    """Return what was simulated before the number that is needed, and found then."""
    before = [
        f"{size:,} ({min(one.power for one in checks):.3f})"
        for size, checks in need.steps.items()
        if size != need.size
    ]
    return f"formula {', then '.join(before)}" if before else ""


def _missed(need: Need, aim: float) -> str:
    """Return whether the number that is needed misses the aim by the test that finds the least."""
    checks = need.steps.get(need.size)
    if checks is None:
        return ""
    low, high = min(checks, key=lambda one: one.found).interval
    return "below the aim" if high < aim else "above the aim" if low > aim else ""


def _checked(one: Power | None) -> str:
    if one is None:
        return NO_NUMBER
    low, high = one.interval
    return f"{one.power:.3f} [{low:.3f}, {high:.3f}]"


def _needed(pilot: PilotMetric, name: str, result: PowerResult) -> str:
    """Return what the largest difference needs."""
    needs = [need for need in result.needs if need.metric == pilot.metric]
    if not needs:
        return (
            f"{name}: the pilot shows no difference; --detect tells what one that matters to you "
            "needs."
        )
    largest = max(needs, key=lambda need: abs(need.difference))
    said = (
        f"{name}: a true difference of {difference_shown(largest.difference, pilot)} needs "
        f"{plural(largest.size, result.unit)}{per_system(result)} to be found "
        f"{percent(result.plan.power)} of the time"
    )
    checks = largest.steps.get(largest.size, ())
    found = [f"{one.test} {fixed(100 * one.power, 1)}%" for one in checks]
    return (
        f"{said}; a simulation with so many finds it: {', '.join(found)}." if found else f"{said}."
    )


# More pairs than this are shown in as many groups as _GROUPS.
_LONGEST_LIST = 20
_GROUPS = 10
_DESIGNS = {
    "drawn": "drawn with replacement",
    "broad": "spread over the whole",
    "block": "consecutive",
}


@dataclass(frozen=True)
class SamplesByMetric:
    """What a study says by one of its metrics, which has a number from 1.

    `scores` are those of the whole test set, `pairs` hold the true differences.
    """

    result: SamplesResult
    metric: SampledMetric
    number: int
    name: str
    scores: Mapping[str, float]
    pairs: Mapping[tuple[str, str], TruePair]
    spread: Sequence[Spread]
    conclusions: Sequence[PairAtSize]
    brackets: Sequence[Bracket]
    broad_conclusions: Sequence[PairAtSize]
    broad_brackets: Sequence[Bracket]

    @classmethod
    def of(cls, result: SamplesResult, number: int) -> SamplesByMetric:
        """Return what a study says by the metric of a number."""
        metric = result.metrics[number - 1]
        key = metric.metric
        return cls(
            result,
            metric,
            number,
            metric_name(key, result.signatures.items()),
            {one.system: one.score for one in result.scores if one.metric == key},
            {(one.a, one.b): one for one in result.pairs if one.metric == key},
            [one for one in result.spread if one.metric == key],
            [one for one in result.conclusions if one.metric == key],
            [one for one in result.brackets if one.metric == key],
            [one for one in result.broad_conclusions if one.metric == key],
            [one for one in result.broad_brackets if one.metric == key],
        )

    def fixed(self, value: float, *, sign: bool = False) -> str:
        """Return a score or a difference as it is shown."""
        return fixed(value, self.metric.decimals, sign=sign)

    def series(self, design: str) -> list[ShownSample]:
        """Return the single samples of a design."""
        about = (self.metric.metric, design)
        return [one for one in self.result.series if (one.metric, one.design) == about]


@view_of(SamplesResult)
def samples(result: SamplesResult) -> View:
    """Show how samples scatter and how right their conclusions are."""
    plan = result.plan
    a, b = result.shown
    by_metric = [SamplesByMetric.of(result, at) for at, _ in enumerate(result.metrics, 1)]
    sizes = listed([f"{size:,}" for size in plan.sizes])
    parts = {
        "unit": result.unit,
        "sizes": "+".join(map(str, plan.sizes)),
        "samples": plan.samples,
        "trials": plan.trials,
        "level": f"{plan.level:g}",
        "seed": plan.seed,
    }
    return View(
        title=f"Samples of {plural(result.units, result.unit)}",
        subtitle=f"{plural(len(result.systems), 'system')}; {plan.samples:,} samples of each size, "
        f"{plan.trials:,} trials; pictures of single samples show {a} and {b}",
        findings=[_held(study) for study in by_metric],
        cautions=[
            "The truth is the score of this test set: a pair that differs by less than two "
            "standard errors, marked ~ in the tables, may be ordered otherwise by other texts."
        ],
        parts=[part for study in by_metric for part in _samples_parts(study)],
        methods=f"For every size ({sizes} {result.unit}s), {plan.samples:,} samples were drawn "
        f"with replacement from {plural(result.units, result.unit)}, whose scores are the truth, "
        f"and bootstrapped with {plan.trials:,} trials each; disjoint blocks and broad samples "
        f"stand beside (Koehn 2004) (weigh {__version__}).",
        signatures=[*named([*result.signatures.items()]), ("samples", signature(parts))],
        records=encode(result.conclusions),
        used=Used(
            list(result.signatures),
            ["paired-bootstrap"],
            works=["samples of a test set", "exact binomial intervals"],
        ),
    )


def _samples_parts(study: SamplesByMetric) -> Iterator[Part]:
    from weigh.report.pictures import panels as pictures

    scores, conclusions = f"{study.name}: scores of samples", f"{study.name}: conclusions"
    yield Part(
        scores,
        _spread_grid(study),
        _about_spread(study),
        pictures=lambda: pictures.score_plots(study),
        section=scores,
    )
    yield Part(
        conclusions,
        _conclusions_grid(study, study.conclusions),
        _about_conclusions(study),
        pictures=lambda: pictures.pair_plots(study),
        section=conclusions,
    )
    if study.broad_conclusions:
        yield Part(
            f"{study.name}: conclusions of disjoint broad samples",
            _conclusions_grid(study, study.broad_conclusions),
            [_about_broad(study)],
        )
    yield Part(
        f"{study.name}: accuracy by level",
        _brackets_grid(study, study.brackets),
        [
            "Conclusions on all pairs in all samples drawn with replacement, by the share of "
            "trials in which one system is better: how many of them are right, and how many on "
            "pairs that differ by at least two standard errors."
        ],
    )
    if study.broad_brackets:
        yield Part(
            f"{study.name}: accuracy by level, disjoint broad samples",
            _brackets_grid(study, study.broad_brackets),
            ["The same of disjoint broad samples (Koehn 2004, table 4)."],
        )


def _about_broad(study: SamplesByMetric) -> str:
    """Return how many disjoint samples there are, and what they have in common."""
    numbers = {one.size: one.samples for one in study.broad_conclusions}
    counts = listed([f"{count:,} of {size:,}" for size, count in numbers.items()])
    return (
        f"The same of samples of every k-th {study.result.unit}, which do not overlap (Koehn "
        f"2004, table 3): {counts}. There are few of them, and all together they are the test set "
        "that is called the truth, so that they contradict it less than other samples would."
    )


def _spread_grid(study: SamplesByMetric) -> Grid:
    """Return how samples scatter: Koehn (2004), figures 2 to 4 and 6, in numbers."""
    return tabulated(
        [*grouped(study.spread, lambda one: one.design).values()],
        {"Samples": lambda one: _DESIGNS[one.design]},
        {
            "Size": lambda one: f"{one.size:,}",
            "Number": lambda one: f"{one.samples:,}",
            "SD of scores": lambda one: study.fixed(one.sd_score),
            "SD of differences": lambda one: study.fixed(one.sd_difference),
            "Truth inside": lambda one: _percentage(one.covering, one.intervals),
        },
    )


def _about_spread(study: SamplesByMetric) -> list[str]:
    result, plan = study.result, study.result.plan
    return [
        f"{plural(len(result.systems), 'system')}, {plural(result.units, result.unit)} in all, "
        "whose scores are the truth. SD: standard deviation over samples, mean over systems or "
        f"pairs. Truth inside: share of {percent(plan.level)} bootstrap intervals of a system's "
        f"score, {plan.trials:,} trials each, that hold it.",
        *remarked(result.remarks),
    ]


def _conclusions_grid(study: SamplesByMetric, conclusions: Sequence[PairAtSize]) -> Grid:
    """Return how often a conclusion is drawn and is right: Koehn (2004), table 3."""
    sizes, pairs = study.result.plan.sizes, study.pairs
    counts = {(one.a, one.b, one.size): one for one in conclusions}
    order = sorted(
        dict.fromkeys((one.a, one.b) for one in conclusions),
        key=lambda pair: abs(pairs[pair].advantage),
    )
    is_listed = len(order) <= _LONGEST_LIST
    groups = [[pair] for pair in order]
    if not is_listed:
        ends = [len(order) * n // _GROUPS for n in range(_GROUPS + 1)]
        groups = [order[start:stop] for start, stop in pairwise(ends)]
    columns = [Column(title) for title in (("A", "B") if is_listed else ("Pairs",))]
    columns.append(Column("Difference", kind="number"))
    for size in sizes:
        columns.append(Column(f"{size:,}: right", kind="number"))
        columns.append(Column("wrong", kind="number", attached=True))
    rows = []
    for group in groups:
        true_pairs = [pairs[pair] for pair in group]
        texts = _one_pair(true_pairs[0], study) if is_listed else _several(true_pairs, study)
        for size in sizes:
            found = [counts[a, b, size] for a, b in group]
            samples = sum(one.samples for one in found)
            for count in (sum(one.right for one in found), sum(one.wrong for one in found)):
                texts.append(fixed(100 * count / samples, 1))
        rows.append([Cell(text) for text in texts])
    return Grid(columns, [rows])


def _one_pair(pair: TruePair, study: SamplesByMetric) -> list[str]:
    """Return what a row of one pair is about, the better system first."""
    names = [pair.a, pair.b] if pair.advantage >= 0 else [pair.b, pair.a]
    return [*names, f"{'' if pair.clear else '~ '}{study.fixed(abs(pair.advantage))}"]


def _several(pairs: Sequence[TruePair], study: SamplesByMetric) -> list[str]:
    """Return what a row of several pairs is about."""
    unclear = sum(not pair.clear for pair in pairs)
    first, last = (study.fixed(abs(pair.advantage)) for pair in (pairs[0], pairs[-1]))
    return [f"{len(pairs)}" + f" (~ {unclear})" * (unclear > 0), f"{first} to {last}"]


def _about_conclusions(study: SamplesByMetric) -> list[str]:
    plan, pairs = study.result.plan, study.pairs.values()
    said = [
        f"Per cent of {plan.samples:,} samples, drawn with replacement, of each size in which the "
        f"bootstrap is at least {percent(plan.level)} sure which of two systems is better, and is "
        "right or wrong; in all others no conclusion is drawn."
    ]
    unclear = sum(not pair.clear for pair in pairs)
    if unclear:
        said.append(
            f"~ {plural(unclear, 'pair')} with a difference of less than two standard errors of "
            "the whole test set: which one is better is known of these texts alone."
        )
    tied = sum(pair.advantage == 0 for pair in pairs)
    if tied:
        said.append(f"{plural(tied, 'pair')} with equal scores left out: nothing is right of them.")
    return said


def _brackets_grid(study: SamplesByMetric, brackets: Sequence[Bracket]) -> Grid:
    """Return how often conclusions of a level are right: Koehn (2004), table 4."""
    sizes = study.result.plan.sizes
    columns = [Column("Level")]
    for size in sizes:
        columns.append(Column(f"{size:,}: right", kind="number"))
        columns.append(Column("of", kind="number", attached=True))
        columns.append(Column("clear pairs", kind="number", attached=True))
    by_size = {(one.low, one.size): one for one in brackets}
    rows = []
    for low, high in dict.fromkeys((one.low, one.high) for one in brackets):
        texts = [f"{100 * low:.0f} to {100 * high:.0f}%"]
        for size in sizes:
            one = by_size[low, size]
            texts += [_percentage(one.right, one.conclusions), f"{one.conclusions:,}"]
            texts.append(_percentage(one.clear_right, one.clear_conclusions))
        rows.append([Cell(text) for text in texts])
    return Grid(columns, [rows])


def _percentage(count: int, total: int) -> str:
    return f"{100 * (count / total):.1f}%" if total else NO_NUMBER


def _held(study: SamplesByMetric) -> str:
    """Return how often intervals hold the truth, and how often conclusions are right."""
    result, plan = study.result, study.result.plan
    said = []
    drawn = {one.size: one for one in study.spread if one.design == "drawn"}
    for size in plan.sizes:
        spread = drawn[size]
        checked(spread.intervals > 0, f"no intervals of samples of {size:,}")
        share = spread.covering / spread.intervals
        conclusions = [one for one in study.conclusions if one.size == size]
        samples = sum(one.samples for one in conclusions)
        text = f"with {size:,} {result.unit}s {fixed(100 * share, 1)}%"
        if samples:
            right = sum(one.right for one in conclusions)
            wrong = sum(one.wrong for one in conclusions)
            text += (
                f" (conclusions on pairs: {fixed(100 * right / samples, 1)}% right, "
                f"{fixed(100 * wrong / samples, 1)}% wrong, the rest none)"
            )
        said.append(text)
    return (
        f"{study.name}: the share of {percent(plan.level)} intervals that hold the score of the "
        f"whole is {'; '.join(said)}."
    )

"""What is shown of studies of tests: `weigh validate`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from weigh import __version__
from weigh.report import validate_preference as validate_preference
from weigh.report import validate_samples as validate_samples
from weigh.report.grid import Cell, Column, Grid
from weigh.report.human import steps_part
from weigh.report.phrases import metric_name, named
from weigh.report.view import PAGE, Part, Used, View, remarked, signature, view_of
from weigh.result import encode
from weigh.stats.multiplicity import adjust
from weigh.validate.accuracy import AccuracyResult, Agreement, Difference
from weigh.validate.power import Need, PilotMetric, Power, PowerResult
from weigh.validate.type1 import Rejections, Type1Result
from weigh.wording import (
    NO_NUMBER,
    fixed,
    intervals,
    listed,
    p_value,
    percent,
    plural,
    probability,
    share,
)

# Up to this p-value, corrected, a difference between methods is told.
_NOTABLE = 0.05
_EXACT = "exact binomial intervals"
_BY = f"(weigh {__version__})."
_FLAWS = {
    "sacrebleu-bs": "sacrebleu-bs and moses-bs centre |d*| by its mean, so that one tail is lost "
    "(Graham et al. 2014, §2)",
    "moses-bs": "",
    "multeval": "multeval tosses a coin for every run, here three identical ones",
}


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
    flaws = [_FLAWS[test] for test in plan.compat if _FLAWS[test]]
    if flaws:
        said.append(f"Flawed formulas of other tools: {'; '.join(flaws)}.")
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
    levels: dict[str, list[str]] = {}
    for one in kind:
        if one.verdict is not None:
            levels.setdefault(one.verdict, []).append(share(one.alpha))
    return "; ".join(f"{verdict} at {', '.join(alphas)}" for verdict, alphas in levels.items())


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


@view_of(AccuracyResult)
def accuracy(result: AccuracyResult) -> View:
    """Show how often each test concludes what people conclude."""
    plan = result.plan
    metrics = [metric_name(metric, result.signatures.items()) for metric in result.signatures]
    pairs = f"{plural(len(result.pairs), 'pair')} of {plural(len(result.systems), 'system')}"
    parts = {
        "test": "+".join(plan.tests),
        "alt": "one-sided",
        "trials": plan.trials,
        "adjust": "none",
        "seed": plan.seed,
    }
    levels: dict[str, Sequence[Agreement]] = {"same": result.same_level}
    if result.fixed_level:
        levels["fixed"] = result.fixed_level
    about = [
        f"{pairs}. Agree: the test and people conclude the same of three things (A is better, B is "
        "better, no evidence of a difference), one-sided, both directions tried, not corrected. "
        "Found: pairs with a significant difference. Opposite: each finds the other system better. "
        "Tests by one metric that conclude the same of every pair share a row.",
        *_cautions(result),
        *remarked(result.remarks),
    ]
    return View(
        title=f"{listed(metrics)} held against people",
        subtitle=pairs,
        findings=[_found_at(alpha, result) for alpha in plan.alphas],
        cautions=_cautions(result),
        parts=[
            *_accuracy_parts("same", "Accuracy, tests and people at the same level", about, result),
            *_accuracy_parts(
                "fixed", f"Accuracy, people always at {share(plan.human_alpha)}", [], result
            ),
            *_answer_parts(result),
        ],
        methods=f"All pairs of {plural(len(result.systems), 'system')} were tested one-sided in "
        f"both directions by {listed(plan.tests)} with {plan.trials:,} trials, not corrected, and "
        "the conclusions held against those of people at the same level and at "
        f"{share(plan.human_alpha)} (Graham et al. 2014). Intervals of accuracy are exact "
        f"(Clopper & Pearson 1934) {_BY}",
        signatures=[*named([*result.signatures.items()]), ("tests", signature(parts))],
        records=[
            {"human": level} | encode(one)
            for level, agreements in levels.items()
            for one in agreements
        ],
        used=Used(
            list(result.signatures),
            plan.tests,
            works=["accuracy of tests", _EXACT, "Cochran's Q and McNemar's test"],
        ),
    )


def _accuracy_parts(
    level: Literal["same", "fixed"], heading: str, about: Sequence[str], result: AccuracyResult
) -> Iterator[Part]:
    """Return one of the tables, and whether methods differ in it."""
    from weigh.report.pictures import validation as pictures

    agreements: Sequence[Agreement] = getattr(result, f"{level}_level")
    differences: Sequence[Difference] = getattr(result, f"{level}_level_differences")
    if agreements:
        yield Part(
            heading,
            _accuracy_grid(agreements, result),
            about,
            pictures=lambda: pictures.accuracy_pictures(level, agreements, result),
            section=heading,
        )
    if differences:
        yield Part("", _differences_grid(differences, result), _notable(differences, result))


def _answer_parts(result: AccuracyResult) -> Iterator[Part]:
    """Return who was left out, and what became of people's answers."""
    yield Part(
        sentences=[f"Systems: {', '.join(result.systems)}."],
        section="Systems and people's answers",
        forms=PAGE,
    )
    if result.not_judged:
        yield Part(sentences=[f"Not judged by people, left out: {', '.join(result.not_judged)}."])
    if result.not_given:
        yield Part(
            sentences=[f"Judged by people but not given, left out: {', '.join(result.not_given)}."]
        )
    yield steps_part(result.steps, result.omissions)


def _accuracy_grid(agreements: Sequence[Agreement], result: AccuracyResult) -> Grid:
    """Return a block for every level: Graham et al. (2014), tables 1 and 2."""
    plan = result.plan
    columns = [Column("α"), Column("Metric"), Column("Test")]
    columns += [Column("Agree", kind="number"), Column("Accuracy", "higher")]
    columns.append(Column(f"{percent(plan.level)} interval", kind="number", attached=True))
    columns += [Column(title, kind="number") for title in ("Found", "By people", "Opposite")]
    blocks = []
    for alpha in plan.alphas:
        groups = alike([one for one in agreements if one.alpha == alpha])
        ends = intervals([percentages(group[0]) for group in groups], 1)
        best = max(group[0].agree for group in groups)
        rows = []
        for group, interval in zip(groups, ends, strict=True):
            one = group[0]
            metric = metric_name(one.metric, result.signatures.items())
            tests = together([each.test for each in group], plan.tests)
            texts = [share(alpha), metric, tests, f"{one.agree}/{one.pairs}"]
            cells = [Cell(text) for text in texts]
            cells.append(Cell(fixed(100 * one.accuracy, 1), best=one.agree == best))
            counts = (one.significant, one.human_significant, one.wrong_direction)
            rows.append([*cells, Cell(interval), *(Cell(str(count)) for count in counts)])
        blocks.append(rows)
    return Grid(columns, blocks)


def alike(agreements: Sequence[Agreement]) -> list[list[Agreement]]:
    """Return agreements in groups: tests by one metric that conclude the same of every pair."""
    groups: dict[tuple[str, tuple[int, ...]], list[Agreement]] = {}
    for one in agreements:
        groups.setdefault((one.metric, one.automatic), []).append(one)
    return list(groups.values())


def together(names: Sequence[str], all_names: Sequence[str]) -> str:
    """Return names as one: all of them, if there are several, are called so."""
    return "all" if len(names) == len(all_names) > 1 else ", ".join(names)


def percentages(one: Agreement) -> tuple[float, float]:
    """Return the exact interval of an accuracy in per cent."""
    low, high = one.interval
    return 100 * low, 100 * high


def _cautions(result: AccuracyResult) -> list[str]:
    """Return what the accuracies do not say."""
    plan = result.plan
    said = [
        f"Intervals are exact (Clopper & Pearson), {percent(plan.level)}, pairs treated as "
        "independent, which pairs of the same systems are not. With three possible conclusions "
        "50% is not chance."
    ]
    first = [one for one in result.same_level if one.alpha == plan.alphas[0]]
    p_values = adjust([one.mcnemar for one in first], "holm")
    stronger = [
        (p, one)
        for p, one in zip(p_values.tolist(), first, strict=True)
        if one.significant > one.human_significant and p <= _NOTABLE
    ]
    if stronger:
        p, one = min(stronger, key=lambda entry: entry[0])
        said.append(
            f"At {share(one.alpha)} people find {one.human_significant} of {one.pairs} differences "
            f"and {one.test} by {metric_name(one.metric, result.signatures.items())} "
            f"{one.significant}: {one.found_alone} that people do not find against "
            f"{one.found_by_people_alone} that they alone find (McNemar's exact test, "
            f"{p_value(p)}, adjusted by Holm's method for {plural(len(first), 'test')}). With so "
            "many answers people's tests are the weaker ones, and part of the disagreement is "
            "theirs."
        )
    return said


def _differences_grid(differences: Sequence[Difference], result: AccuracyResult) -> Grid:
    """Return the tests between methods that do not conclude the same of every pair."""
    columns = [Column("Between"), Column("By"), Column("α")]
    columns += [
        Column(title, kind="number") for title in ("χ²", "df", "p of χ²", "Q", "p of Cochran's Q")
    ]
    rows = []
    for group in _same_contrasts(differences):
        one = group[0]
        chi, q = one.chi_square, one.cochran
        all_of = {each.by for each in differences if each.between == one.between}
        by = together(_methods(group, result), list(all_of))
        texts = [one.between, by, share(one.alpha), fixed(chi.statistic, 2), str(chi.df)]
        texts += [probability(chi.p_value), fixed(q.statistic, 2), probability(q.p_value)]
        rows.append([Cell(text) for text in texts])
    return Grid(columns, [rows])


def _methods(group: Sequence[Difference], result: AccuracyResult) -> list[str]:
    """Return the metrics or tests by which methods differ alike; a test is called as it is."""
    return [metric_name(one.by, result.signatures.items()) for one in group]


def _same_contrasts(differences: Sequence[Difference]) -> list[list[Difference]]:
    groups: dict[tuple[object, ...], list[Difference]] = {}
    for one in differences:
        key = (one.between, one.alpha, one.chi_square, one.cochran, one.pairs)
        groups.setdefault(key, []).append(one)
    return list(groups.values())


def _notable(differences: Sequence[Difference], result: AccuracyResult) -> list[str]:
    """Return a sentence on methods that differ, the same cases considered."""
    pairs = [(group, pair) for group in _same_contrasts(differences) for pair in group[0].pairs]
    notable = []
    adjusted = adjust([pair.mcnemar_p for _, pair in pairs], "holm").tolist()
    for (group, pair), p in zip(pairs, adjusted, strict=True):
        if p <= _NOTABLE:
            a, b = (metric_name(name, result.signatures.items()) for name in (pair.a, pair.b))
            notable.append(
                f"{a} {pair.only_a}:{pair.only_b} {b} (by {', '.join(_methods(group, result))}, "
                f"α {share(group[0].alpha)}, p {probability(p)})"
            )
    corrected = f"adjusted by Holm's method for {plural(len(pairs), 'comparison')}"
    said = [
        "χ² takes the accuracies for independent ones, as Graham et al. (2014) do; Cochran's Q "
        "knows that the same pairs are judged."
    ]
    if notable:
        said.append(
            "McNemar's exact test, pairs of which only one is right, p at most "
            f"{share(_NOTABLE)}, {corrected}: {'; '.join(notable)}."
        )
    else:
        said.append(f"McNemar's exact test, {corrected}, is above {share(_NOTABLE)} for every two.")
    return said


def _found_at(alpha: float, result: AccuracyResult) -> str:
    """Return who agrees most often with people at a level, and who least."""
    groups = alike([one for one in result.same_level if one.alpha == alpha])
    counts = [group[0].agree for group in groups]
    said = f"most often as {_agreeing(groups, max(counts), result)}"
    if min(counts) < max(counts):
        said += f", least often as {_agreeing(groups, min(counts), result)}"
    opposite = max(one.wrong_direction for group in groups for one in group)
    most = f"At most {opposite}" if opposite else "None"
    return (
        f"At α = {share(alpha)} people find {groups[0][0].human_significant} differences. They "
        f"conclude {said}. {most} of a test's conclusions {'is' if opposite < 2 else 'are'} the "
        "opposite of theirs."
    )


def _agreeing(groups: Sequence[Sequence[Agreement]], count: int, result: AccuracyResult) -> str:
    """Return the tests that agree with people on so many pairs, and what share that is."""
    plan = result.plan
    agreeing = [group for group in groups if group[0].agree == count]
    methods = []
    for group in agreeing:
        tests = together([one.test for one in group], plan.tests)
        metric = metric_name(group[0].metric, result.signatures.items())
        methods.append(metric + f" by {tests}" * (tests != "all"))
    first = agreeing[0][0]
    low, high = (fixed(end, 1) for end in percentages(first))
    return (
        f"{listed(methods)}: {count} of {plural(first.pairs, 'pair')} "
        f"({fixed(100 * first.accuracy, 1)}%, {percent(plan.level)} interval {low} to {high})"
    )


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

"""What is shown of studies of tests: `weigh validate type1` and `power`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weigh.report.grid import Column, Grid, number_columns
from weigh.report.parts import Part, Pictures, summary
from weigh.report.phrases import BY, EXACT, interval_column, metric_name, named
from weigh.report.view import Used, View, remarked, signature, view_of
from weigh.result import encode
from weigh.stats.procedures import PROCEDURES
from weigh.types import grouped
from weigh.validate.power import Need, PilotMetric, Power, PowerResult
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


@view_of(Type1Result)
def type1(result: Type1Result) -> View:
    """Show how often each test rejects a true null hypothesis."""
    from weigh.report import validate_pictures as pictures

    plan = result.plan
    metrics = list(dict.fromkeys(row.metric for row in result.rejections))
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
        parts=[
            *summary([_rejected(metric, names, result) for metric in metrics]),
            _rejections_grid(result, names).titled(
                "Rejections of a true null hypothesis",
                _about_rejections(result),
                section="Rejections",
                paper=True,
            ),
            Pictures(lambda: pictures.type1_plots(result, names)),
        ],
        methods=f"{plural(plan.nulls, 'pair')} of systems that are equal by construction were "
        f"tested by {listed([*plan.tests, *plan.compat])} with {plan.trials:,} trials each "
        "(Riezler & Maxwell 2005); intervals of shares are exact (Clopper & Pearson 1934) "
        f"{BY}",
        signatures=[*named([*result.signatures.items()]), ("type1", signature(parts))],
        records=encode(result.rejections),
        used=Used(
            list(result.signatures),
            list(dict.fromkeys(row.test for row in result.rejections)),
            works=["errors of type I", EXACT],
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
        columns += [*number_columns(f"α = {share(alpha)}"), interval_column(plan.level)]
    columns.append(Column("Remark", kind="text"))
    told = {(row.metric, row.test, row.alternative, row.alpha): row for row in result.rejections}
    blocks = []
    for metric, name in names.items():
        kinds = [[told[metric, *kind, alpha] for alpha in plan.alphas] for kind in plan.kinds]
        ends = [
            intervals([kind[at].interval for kind in kinds], 3) for at in range(len(plan.alphas))
        ]
        rows = []
        for number, kind in enumerate(kinds):
            texts = [name, kind[0].test, kind[0].alternative]
            for at, row in enumerate(kind):
                texts += [f"{row.share:.3f}", ends[at][number]]
            rows.append([*texts, _remark(kind)])
        blocks.append(rows)
    return Grid(columns, blocks)


def _remark(kind: Sequence[Rejections]) -> str:
    """Return at which levels a test rejects too often, or too seldom, to be chance."""
    told = grouped((row for row in kind if row.verdict is not None), lambda row: row.verdict)
    return "; ".join(
        f"{verdict} at {', '.join(share(row.alpha) for row in group)}"
        for verdict, group in told.items()
    )


def _rejected(metric: str, names: dict[str, str], result: Type1Result) -> str:
    """Return which tests reject too often, at any level, and how often the flawed ones do."""
    plan = result.plan
    rates = [row for row in result.rejections if row.metric == metric]
    sound = [row for row in rates if row.test in plan.tests]
    often = [row for row in sound if row.verdict == "too often"]
    said = [
        f"{names[metric]}: of {plural(len(sound), 'rejection rate')} of sound tests, "
        f"{len(often) or 'none'} {'is' if len(often) < 2 else 'are'} above the level by more than "
        f"chance (exact intervals, {percent(plan.level)} for all "
        f"{plural(len(result.rejections), 'share')} of the study together)"
    ]
    if often:
        told = [f"{row.test} ({row.alternative}, α = {share(row.alpha)})" for row in often]
        said[0] += f": {', '.join(told)}"
    alpha = plan.alphas[-1] if 0.05 not in plan.alphas else 0.05
    flawed = [row for row in rates if row.test in plan.compat and row.alpha == alpha]
    if flawed:
        shares = [f"{row.test} {fixed(100 * row.share, 1)}%" for row in flawed]
        said.append(f"At α = {share(alpha)} the flawed formulas reject: {', '.join(shares)}")
    return f"{'. '.join(said)}."


@view_of(PowerResult)
def power(result: PowerResult) -> View:
    """Show how often differences are found, and how much data they need."""
    plan = result.plan
    a, b = result.systems
    names = {
        row.metric: metric_name(row.metric, result.signatures.items()) for row in result.metrics
    }
    drawn = "judgments of each system" if result.unit == "judgment" else f"{result.unit}s"
    tests = list(dict.fromkeys(row.test for row in result.powers))
    parts: dict[str, object] = {
        "unit": result.unit,
        "simulations": plan.simulations,
        "trials": plan.trials,
        "alpha": share(plan.alpha),
        "seed": plan.seed,
    }
    works = [EXACT]
    if result.unit == "judgment":
        del parts["trials"]
        tests = []
        works += ["direct assessment", "rank-sum test", "number of judgments"]
    return View(
        title=f"How often {listed([*names.values()])} tell {a} from {b}",
        subtitle=f"simulated from a pilot of {plural(result.pilot, result.unit)}"
        f"{per_system(result)}; {plan.simulations:,} data sets of each kind",
        parts=[
            *summary(
                [_needed(row, names[row.metric], result) for row in result.metrics],
                ["The pilot's own difference is uncertain: plan for one that matters."],
            ),
            *[
                part
                for row in result.metrics
                for part in _power_parts(row, names[row.metric], result)
            ],
        ],
        methods=f"Data sets were made by drawing {drawn} with replacement from the pilot, with a "
        f"share of its difference kept, {plan.simulations:,} of each kind; power is the share "
        f"with two-sided p at most {share(plan.alpha)} {BY}",
        signatures=[*named([*result.signatures.items()]), ("power", signature(parts))],
        records=encode(result.powers),
        used=Used(list(result.signatures), tests, works=works, draws=True),
    )


def _power_parts(pilot: PilotMetric, name: str, result: PowerResult) -> Iterator[Part]:
    """Return what is said of one metric."""
    from weigh.report import validate_pictures as pictures

    plan = result.plan
    a, b = result.systems
    yield _powers_grid(pilot, result).titled(
        f"{name}: how often a difference is found",
        [
            f"Shares of {plural(plan.simulations, 'simulated data set')} with two-sided "
            f"p at most {share(plan.alpha)}, by the true difference and the number of "
            f"{result.unit}s{per_system(result)}. Pilot: {a} and {b}, "
            f"{plural(result.pilot, result.unit)}{per_system(result)}, difference "
            f"{difference_shown(pilot.observed, pilot)}.",
            *remarked(result.remarks),
        ],
        section=name,
        paper=True,
    )
    yield Pictures(lambda: pictures.power_plots(pilot, name, result))
    needs = [need for need in result.needs if need.metric == pilot.metric]
    if needs:
        yield _needs_grid(needs, pilot, result).titled(
            f"{name}: {result.unit}s needed", _about_needs(needs), paper=True
        )


def difference_shown(difference: float, pilot: PilotMetric) -> str:
    """Return a difference with the decimals of its metric."""
    return fixed(difference, pilot.decimals, sign=True)


def per_system(result: PowerResult) -> str:
    """Return what the sizes are sizes of, where that is not all data."""
    return " of each system" if result.unit == "judgment" else ""


def _about_needs(needs: Sequence[Need]) -> list[str]:
    said = [
        "Differences are shares of the pilot's, which is itself uncertain: plan for a difference "
        "that matters, not for the one that was seen."
    ]
    if any(need.stated for need in needs):
        said.append("* a difference that was stated.")
    return said


def _powers_grid(pilot: PilotMetric, result: PowerResult) -> Grid:
    sizes = result.plan.sizes
    powers = [row for row in result.powers if row.metric == pilot.metric]
    columns = [Column("Test"), *number_columns("True difference")]
    columns += number_columns(*(f"{size:,}" for size in sizes))
    blocks = []
    for test in dict.fromkeys(row.test for row in powers):
        by_test = [row for row in powers if row.test == test]
        rows = []
        for start in range(0, len(by_test), len(sizes)):
            at_sizes = by_test[start : start + len(sizes)]
            texts = [test, difference_shown(at_sizes[0].difference, pilot)]
            texts += [f"{row.power:.3f}" for row in at_sizes]
            rows.append(texts)
        blocks.append(rows)
    return Grid(columns, blocks)


def _needs_grid(needs: Sequence[Need], pilot: PilotMetric, result: PowerResult) -> Grid:
    plan = result.plan
    tests = list(dict.fromkeys(row.test for need in needs for row in need.checks))
    columns = number_columns("True difference", f"Needed for {percent(plan.power)}")
    columns += number_columns(*(f"Found by {test} then" for test in tests))
    rows = []
    for need in needs:
        shown = difference_shown(need.difference, pilot)
        texts = [f"* {shown}" if need.stated else shown, f"{need.size:,}"]
        checks = {row.test: row for row in need.checks}
        texts += [_checked(checks.get(test)) for test in tests]
        rows.append([*texts, _missed(need, plan.power)])
    if any(row[-1] for row in rows):
        columns.append(Column("Remark", kind="text"))
    return Grid(columns, [[row[: len(columns)] for row in rows]])


def _missed(need: Need, aim: float) -> str:
    """Return whether the number that is needed misses the aim by the test that finds the least."""
    if not need.checks:
        return ""
    low, high = min(need.checks, key=lambda row: row.found).interval
    return "below the aim" if high < aim else "above the aim" if low > aim else ""


def _checked(row: Power | None) -> str:
    if row is None:
        return NO_NUMBER
    low, high = row.interval
    return f"{row.power:.3f} [{low:.3f}, {high:.3f}]"


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
    found = [f"{row.test} {fixed(100 * row.power, 1)}%" for row in largest.checks]
    if not found:
        return f"{said}."
    said += f" by the formula; a simulation with so many finds it: {', '.join(found)}"
    if _missed(largest, result.plan.power) == "below the aim":
        said += ", which is below the aim: use more"
    return f"{said}."

"""The views of `weigh validate type1` and `power`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from weigh.report.grid import Column, Grid, table
from weigh.report.parts import Part, Pictures, draw_later, summary
from weigh.report.phrases import (
    BY,
    EXACT,
    interval_column,
    metric_name,
    sentences,
    signatures_by_name,
)
from weigh.report.view import Used, View, signature, view_of
from weigh.result import encode
from weigh.types import grouped
from weigh.validate.power import Need, PilotMetric, PowerResult
from weigh.validate.type1 import Rejections, Type1Result
from weigh.wording import NO_NUMBER, fixed, listed, percent, percentage, plural, share


@view_of(Type1Result)
def type1(result: Type1Result) -> View:
    """Show how often each test rejects a true null hypothesis."""
    plan = result.plan
    metrics = list(dict.fromkeys(row.metric for row in result.rejections))
    names = {metric: metric_name(metric, result.signatures) for metric in metrics}
    parts = {
        "nulls": plan.nulls,
        "unit": result.unit,
        "size": result.size,
        "trials": plan.trials,
        "seed": plan.seed,
    }
    return View(
        title=f"Tests of systems that do not differ, by {listed([*names.values()])}",
        subtitle=f"{plural(plan.nulls, 'pair')} of equal systems, "
        f"{plural(result.size, result.unit)}, {plural(plan.trials, 'trial')}",
        parts=[
            *summary([_rejection_sentence(metric, names, result) for metric in metrics]),
            _rejections_grid(result, names),
            Pictures(draw_later("validate_pictures.type1_plots", result, names)),
        ],
        methods=f"{plural(plan.nulls, 'pair')} of systems that are equal by construction "
        f"{'was' if plan.nulls == 1 else 'were'} "
        f"tested by {listed([*plan.tests, *plan.compat])} with {plural(plan.trials, 'trial')} each "
        "(Riezler & Maxwell 2005); intervals of shares are exact (Clopper & Pearson 1934) "
        f"{BY}",
        signatures=[*signatures_by_name(result.signatures), ("type1", signature(parts))],
        records=encode(result.rejections),
        used=Used(
            list(result.signatures),
            list(dict.fromkeys(row.test for row in result.rejections)),
            works=["errors of type I", EXACT],
            draws=True,
        ),
    )


def _rejections_grid(result: Type1Result, names: Mapping[str, str]) -> Grid:
    """A row for each test and alternative, with the rejection rates at every level."""
    plan = result.plan
    rates = {(row.metric, row.test, row.alternative, row.alpha): row for row in result.rejections}
    blocks = [
        [[rates[metric, *kind, alpha] for alpha in plan.alphas] for kind in plan.kinds]
        for metric in names
    ]
    columns = [
        Column("Metric", lambda row: names[row[0].metric]),
        Column("Test", lambda row: row[0].test),
        Column("Alternative", lambda row: row[0].alternative),
    ]
    for at, alpha in enumerate(plan.alphas):
        columns += [
            Column(f"α = {share(alpha)}", _of(at, "share"), "score", decimals=3),
            interval_column(plan.level, _of(at, "interval"), 3),
        ]
    columns.append(Column("Remark", _remark, "text"))
    return Grid(
        columns,
        blocks,
        "Rejections of a true null hypothesis",
        _about_rejections(result),
        section="Rejections",
        paper=True,
    )


def _of(at: int, name: str) -> Callable[[Sequence[Any]], object]:
    """A function that reads an attribute of the row at position `at`."""
    return lambda row: getattr(row[at], name)


def _remark(rates: Sequence[Rejections]) -> str:
    """The levels at which a test rejects significantly too often or too seldom."""
    notable = grouped((row for row in rates if row.verdict is not None), lambda row: row.verdict)
    return "; ".join(
        f"{verdict} at {', '.join(share(row.alpha) for row in rows)}"
        for verdict, rows in notable.items()
    )


def _about_rejections(result: Type1Result) -> list[str]:
    plan = result.plan
    source = (
        f"by swapping the outputs of {' and '.join(result.systems)} at random, {result.unit} by "
        f"{result.unit}"
        if result.is_swapped
        else f"by drawing two of {result.outputs} outputs for each {result.unit}"
    )
    notes = [
        f"Shares of {plural(plan.nulls, 'pair')} of equal systems with p ≤ α, with "
        f"{percent(plan.level)} intervals (Clopper & Pearson). The pairs were made {source}, from "
        f"{plural(result.size, result.unit)}; {plural(plan.trials, 'trial')} and a new seed for "
        "each. Doubled: twice the smaller one-sided p-value.",
        f"Too often, too seldom: the interval excludes α even at a level of {percent(plan.level)} "
        f"for all {plural(len(result.rejections), 'share')} together (Bonferroni). If all tests "
        f"are exact, such a remark appears in at most {percent(1 - plan.level)} of tables.",
    ]
    if plan.compat:
        listing = "; ".join(f"{listed(tests)}: {flaw}" for flaw, tests in plan.flaws.items())
        notes.append(f"Flawed formulas of other tools. {listing}.")
    return notes + sentences(result.remarks)


def _rejection_sentence(metric: str, names: Mapping[str, str], result: Type1Result) -> str:
    """Sentences on the tests that reject too often, and on the rates of flawed formulas."""
    plan = result.plan
    sound, flawed = result.sound(metric), result.flawed(metric)
    often = [row for row in sound if row.verdict == "too often"]
    findings = [
        f"{names[metric]}: {len(often) or 'none'} of {plural(len(sound), 'rejection rate')} of "
        f"sound tests {'is' if len(often) < 2 else 'are'} significantly above its level "
        f"({percent(plan.level)} exact intervals, adjusted for "
        f"{plural(len(result.rejections), 'share')})"
    ]
    if often:
        tests = [f"{row.test} ({row.alternative}, α = {share(row.alpha)})" for row in often]
        findings[0] += f": {', '.join(tests)}"
    if flawed:
        shares = [f"{row.test} {percentage(row.share)}" for row in flawed]
        findings.append(
            f"At α = {share(flawed[0].alpha)} the flawed formulas reject: {', '.join(shares)}"
        )
    return f"{'. '.join(findings)}."


@view_of(PowerResult)
def power(result: PowerResult) -> View:
    """Show how often differences are found, and how much data is needed to find them."""
    plan = result.plan
    a, b = result.systems
    names = {row.metric: metric_name(row.metric, result.signatures) for row in result.metrics}
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
        title=f"Power of {listed([*names.values()])} to distinguish {a} from {b}",
        subtitle=f"simulated from a pilot of {plural(result.pilot, result.unit)}"
        f"{per_system(result)}; {plural(plan.simulations, 'data set')} of each kind",
        parts=[
            *summary([_need_sentence(row, names[row.metric], result) for row in result.metrics]),
            *(
                part
                for row in result.metrics
                for part in _power_parts(row, names[row.metric], result)
            ),
        ],
        methods=f"{plan.simulations:,} data sets of each kind were simulated by drawing {drawn} "
        "with replacement from the pilot, keeping a share of its difference; power is the share "
        f"with two-sided p at most {share(plan.alpha)} {BY}",
        signatures=[*signatures_by_name(result.signatures), ("power", signature(parts))],
        records=encode(result.powers),
        used=Used(list(result.signatures), tests, works=works, draws=True),
    )


def _power_parts(pilot: PilotMetric, name: str, result: PowerResult) -> Iterator[Part]:
    """Yield the power by one metric, and the sizes needed."""
    plan = result.plan
    a, b = result.systems
    yield _powers_grid(pilot, result).with_title(
        f"{name}: power",
        [
            f"Shares of {plural(plan.simulations, 'simulated data set')} with two-sided "
            f"p ≤ {share(plan.alpha)}, by the true difference and the number of "
            f"{result.unit}s{per_system(result)}. Pilot: {a} and {b}, "
            f"{plural(result.pilot, result.unit)}{per_system(result)}, difference "
            f"{format_difference(pilot.observed, pilot)}.",
            *sentences(result.remarks),
        ],
        section=name,
        paper=True,
    )
    yield Pictures(draw_later("validate_pictures.power_plots", pilot, name, result))
    if needs := result.needs_of(pilot.metric):
        notes = [
            "Differences are multiples of the pilot's, which is itself uncertain: plan for a "
            "difference that matters, not for the one you saw."
        ]
        if any(need.stated for need in needs):
            notes.append("* the difference given by --detect.")
        title = f"{name}: {result.unit}s needed"
        yield _needs_grid(needs, pilot, result).with_title(title, notes, paper=True)


def format_difference(difference: float, pilot: PilotMetric) -> str:
    """Format a difference with the decimals of its metric."""
    return fixed(difference, pilot.decimals, sign=True)


def per_system(result: PowerResult) -> str:
    """The words after a number of units: judgments are counted per system."""
    return " of each system" if result.unit == "judgment" else ""


def _powers_grid(pilot: PilotMetric, result: PowerResult) -> Grid:
    """A row for each test and true difference, with the power at every size."""
    powers = [row for row in result.powers if row.metric == pilot.metric]
    columns = [
        Column("Test", lambda row: row[0].test),
        Column(
            "True difference", lambda row: row[0].difference, "difference", decimals=pilot.decimals
        ),
        *(
            Column(f"{size:,}", _of(at, "power"), "score", decimals=3)
            for at, size in enumerate(result.plan.sizes)
        ),
    ]
    count = len(result.plan.sizes)
    blocks = [
        [rows[start : start + count] for start in range(0, len(rows), count)]
        for rows in grouped(powers, lambda row: row.test).values()
    ]
    return Grid(columns, blocks)


def _needs_grid(needs: Sequence[Need], pilot: PilotMetric, result: PowerResult) -> Grid:
    aim = result.plan.power

    def difference(need: Need) -> str:
        return f"{'* ' if need.stated else ''}{format_difference(need.difference, pilot)}"

    def check(test: str, need: Need) -> str:
        row = next((row for row in need.checks if row.test == test), None)
        if row is None:
            return NO_NUMBER
        low, high = row.interval
        return f"{row.power:.3f} [{low:.3f}, {high:.3f}]"

    columns = [
        Column("True difference", difference, "number"),
        Column(f"Needed for {percent(aim)}", "size", "count"),
    ]
    for test in dict.fromkeys(row.test for need in needs for row in need.checks):
        columns.append(Column(f"Power of {test}", partial(check, test), "number"))
    if any(need.misses(aim) for need in needs):
        columns.append(Column("Remark", lambda need: _MISSES[need.misses(aim)], "text"))
    return table(needs, columns)


_MISSES = {"below": "below the aim", "above": "above the aim", None: ""}


def _need_sentence(pilot: PilotMetric, name: str, result: PowerResult) -> str:
    """A sentence on the size that the largest difference needs."""
    largest = result.largest_need(pilot.metric)
    if largest is None:
        return f"{name}: the pilot shows no difference; --detect D gives the size that D needs."
    text = (
        f"{name}: a true difference of {format_difference(largest.difference, pilot)} needs "
        f"{plural(largest.size, result.unit)}{per_system(result)} for a power of "
        f"{percent(result.plan.power)}"
    )
    powers = [f"{row.test} {percentage(row.power)}" for row in largest.checks]
    if powers:
        text += f" by the formula; power in a simulation of that size: {', '.join(powers)}"
    if largest.misses(result.plan.power) == "below":
        text += ", which is below the aim: use more"
    return f"{text}."

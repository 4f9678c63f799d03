"""Pictures of what tests conclude: against people, of equal systems, and of a known difference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from weigh.report.number import fixed, percent, plural, share
from weigh.report.pictures.bars import Part, bar_plot
from weigh.report.pictures.curves import Curve, Point, curve_plot
from weigh.report.pictures.forest import Row, forest_plot
from weigh.report.pictures.picture import Picture, name_of
from weigh.report.svg import drawable
from weigh.report.text import visible
from weigh.report.validation_accuracy import AccuracyReport, alike, percentages, together
from weigh.report.validation_power import PowerReport, per_system

if TYPE_CHECKING:
    from weigh.validate.accuracy import AccuracyTable, Agreement
    from weigh.validate.plan import Type1Plan
    from weigh.validate.power import Power
    from weigh.validate.type1 import Rejections, Type1Result

_LONGEST_LABEL = 34
# Curves from the weakest to the strongest.
_SHADES = ("good1 broken", "good1", "good2 broken", "good2", "good3 broken", "good3")
_VERDICTS = {"too often": "against", "too seldom": "open"}
_PEOPLE = {"same": "", "fixed": ", people at {}"}
_PARTS = (
    Part("the same difference", "good3", inverse=True),
    Part("neither finds one", "swatch"),
    Part("the test alone finds one", "self"),
    Part("people alone find one", "shade", inverse=True),
    Part("opposite differences", "bad", inverse=True),
)


def accuracy_pictures(report: AccuracyReport) -> list[Picture]:
    """Return every picture of the study."""
    return [
        picture
        for kind, table in report.tables.items()
        for picture in accuracy_plots(kind, table, report)
    ]


def accuracy_plots(kind: str, table: AccuracyTable, report: AccuracyReport) -> list[Picture]:
    """Return accuracies with intervals, and what test and people conclude, for every level."""
    pictures: list[Picture] = []
    for number, alpha in enumerate(report.result.plan.alphas, 1):
        groups = alike([one for one in table.agreements if one.alpha == alpha])
        labels = [_label(group, report) for group in groups]
        people = _PEOPLE[kind].format(share(report.result.plan.human_alpha))
        at = f"α = {share(alpha)}{people}"
        pictures += [
            _accuracies(labels, groups, at, name_of("accuracy", number, kind), report),
            _conclusions(labels, groups, at, name_of("conclusions", number, kind), report),
        ]
    return pictures


def _label(group: list[Agreement], report: AccuracyReport) -> str:
    tests = together([one.test for one in group], report.result.plan.tests)
    metric = report.name(group[0].metric)
    return metric if tests == "all" else f"{metric}, {tests}"


def _accuracies(
    labels: list[str], groups: list[list[Agreement]], at: str, name: str, report: AccuracyReport
) -> Picture:
    level = report.result.plan.level
    rows = [
        Row(label, 100 * group[0].accuracy.share, percentages(group[0], level), level)
        for label, group in zip(labels, groups, strict=True)
    ]
    best = max(rows, key=lambda row: row.score)
    return forest_plot(
        rows,
        name=name,
        title=f"Agreement with people, {at}",
        axis="Pairs of which test and people conclude the same, per cent",
        decimals=1,
        description=f"{plural(len(report.result.pairs), 'pair')}, exact intervals: "
        f"{visible(best.system)} agrees most often, {best.told(1)}.",
        longest_label=20,
        label_lines=3,
        width=420.0,
    )


def _conclusions(
    labels: list[str], groups: list[list[Agreement]], at: str, name: str, report: AccuracyReport
) -> Picture:
    rows = [(label, _counts(group[0])) for label, group in zip(labels, groups, strict=True)]
    first, counts = rows[0]
    told = ", ".join(f"{part.title} in {count}" for part, count in zip(_PARTS, counts, strict=True))
    return bar_plot(
        rows,
        _PARTS,
        name=name,
        title=f"What tests and people find, {at}",
        description=f"Of {plural(len(report.result.pairs), 'pair')}, {visible(first)} and people "
        f"find {told}.",
    )


def _counts(one: Agreement) -> list[int]:
    """Return how many pairs are of each of `_PARTS`."""
    test, people = one.automatic != 0, one.human != 0
    kinds = (
        one.right & test,
        ~test & ~people,
        test & ~people,
        ~test & people,
        one.automatic * one.human < 0,
    )
    return [int(np.count_nonzero(kind)) for kind in kinds]


def type1_pictures(result: Type1Result, names: Mapping[str, str]) -> list[Picture]:
    """Return how often each test rejects, for every metric and level, with the level marked.

    Tests that reject too often, with all intervals of the study in mind, stand out; those that
    reject too seldom stand back.
    """
    plan = result.plan
    pictures: list[Picture] = []
    for metric, title in names.items():
        for alpha in plan.alphas:
            own = [one for one in result.rejections if (one.metric, one.alpha) == (metric, alpha)]
            rows = [_rejections(one, plan) for one in own]
            often = [row.system for row in rows if row.kind == "against"]
            seldom = [row.system for row in rows if row.kind == "open"]
            pictures.append(
                forest_plot(
                    rows,
                    name=name_of("type1", len(pictures) + 1, metric, share(alpha)),
                    title=f"Rejections at α = {share(alpha)} by {visible(title)}",
                    axis=f"Equal systems called different, per cent; dashed: {share(alpha)}",
                    decimals=1,
                    description=f"{plural(plan.nulls, 'pair')} of equal systems. Too often: "
                    f"{_listed(often)}. Too seldom: {_listed(seldom)}.",
                    longest_label=_LONGEST_LABEL,
                    marked=100 * alpha,
                    least=0.0,
                )
            )
    return pictures


def _rejections(one: Rejections, plan: Type1Plan) -> Row:
    low, high = one.interval
    flawed = one.test in plan.compat
    return Row(
        f"{one.test} (flawed)" if flawed else f"{one.test}, {one.alternative}",
        100 * one.share,
        (100 * low, 100 * high),
        plan.level,
        cluster=plan.tests.index(one.test) if one.test in plan.tests else len(plan.tests),
        kind="" if one.verdict is None else _VERDICTS[one.verdict],
    )


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none"


def power_pictures(report: PowerReport) -> list[Picture]:
    """Return every picture of the study."""
    return [picture for metric in report.result.observed for picture in power_plots(metric, report)]


def power_plots(metric: str, report: PowerReport) -> list[Picture]:
    """Return a picture for every test: how often each true difference is found, by size."""
    result, plan = report.result, report.result.plan
    own = [one for one in result.powers if one.metric == metric]
    number = list(result.observed).index(metric) + 1
    pictures = []
    for test in dict.fromkeys(one.test for one in own):
        differences = sorted({one.difference for one in own if one.test == test}, key=abs)
        real = [difference for difference in differences if difference]
        kinds = {0.0: "open"} | dict(zip(real, _shades(len(real)), strict=True))
        curves = [
            Curve(
                report.shown(metric, difference),
                [
                    _power(one, report)
                    for one in sorted(own, key=lambda one: one.size)
                    if (one.test, one.difference) == (test, difference)
                ],
                kinds[difference],
            )
            for difference in differences
        ]
        if not all(drawable(float(size)) for size in plan.sizes):
            continue
        last = curves[-1]
        pictures.append(
            curve_plot(
                curves,
                name=name_of("power", number, metric, test),
                title=f"Power of {test} by {visible(report.name(metric))}",
                description=f"A true difference of {last.label} is found in "
                f"{fixed(last.points[-1].share, 1)}% of data sets with the most {result.unit}s; "
                f"dashed: the {percent(plan.power)} that are wanted.",
                above=f"Differences found at α = {share(plan.alpha)}, per cent; dashed: wanted",
                axis=f"{result.unit.capitalize()}s{per_system(result)}; a line for every true "
                "difference",
                ticks=[(math.log(size), f"{size:,}") for size in sorted(plan.sizes)],
                marked=100 * plan.power,
            )
        )
    return pictures


def _shades(count: int) -> list[str]:
    """Return classes for so many curves, as far from each other as there are."""
    last = len(_SHADES) - 1
    return [_SHADES[last - round(at * last / max(count - 1, 1))] for at in reversed(range(count))]


def _power(one: Power, report: PowerReport) -> Point:
    low, high = one.found.interval(report.result.plan.level)
    told = (
        f"{report.shown(one.metric, one.difference)}, {one.size:,} {report.result.unit}s: "
        f"{one.found.count:,} of {one.found.total:,}"
    )
    return Point(math.log(one.size), 100 * one.found.share, told, (100 * low, 100 * high))

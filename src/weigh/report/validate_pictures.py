"""Pictures of validations: tests against people, on equal systems, and on known differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.pictures.axes import Axis, Scale
from weigh.report.pictures.curve import Curve, CurvePoint, curve_plot
from weigh.report.pictures.forest import Row, forest_plot
from weigh.report.pictures.picture import Caption, Picture, name_of
from weigh.report.svg import is_drawable
from weigh.report.validate import format_difference, per_system
from weigh.report.validate_people import name_method
from weigh.report.validate_samples import name_metric
from weigh.types import grouped
from weigh.validate.accuracy import group_alike_tests
from weigh.wording import fixed, plural, share

if TYPE_CHECKING:
    from weigh.validate.accuracy import AccuracyResult, Agreement
    from weigh.validate.plan import Type1Plan
    from weigh.validate.power import PilotMetric, Power, PowerResult
    from weigh.validate.samples_result import SamplesByMetric, SamplesResult
    from weigh.validate.type1 import Rejections, Type1Result

# Classes of curves from the weakest to the strongest.
_SHADES = ("good1 broken", "good1", "good2 broken", "good2", "good3 broken", "good3")
_VERDICTS = {"too often": "against", "too seldom": "open"}
_DESIGNS = {"block": "Consecutive blocks", "broad": "Broad samples"}
_PERCENT = (0.0, 100.0)
_BESIDE = 0.02  # horizontal offset of each system's points from their size, as a logarithm


def _in_percent(ends: tuple[float, float]) -> tuple[float, float]:
    return 100 * ends[0], 100 * ends[1]


def accuracy_plots(agreements: Sequence[Agreement], result: AccuracyResult) -> Iterator[Picture]:
    """Draw the share of pairs on which tests and people agree, for every level."""
    plan, kind, people = result.plan, "same", ""
    if agreements is result.fixed_level:
        kind, people = "fixed", f", people at {share(plan.human_alpha)}"
    for number, alpha in enumerate(plan.alphas, 1):
        rows = [
            Row(
                name_method(group, result),
                100 * group.agreement.accuracy,
                _in_percent(group.agreement.interval),
                plan.level,
            )
            for group in group_alike_tests(agreements, alpha)
        ]
        caption = Caption(
            name_of("accuracy", number, kind),
            f"Agreement with people, α = {share(alpha)}{people}",
        )
        axis = Axis("Pairs with the same conclusion by test and people (%)")
        yield forest_plot(rows, caption, axis, 1, longest_label=30, label_lines=3)


def type1_plots(result: Type1Result, names: Mapping[str, str]) -> Iterator[Picture]:
    """Draw how often each test rejects, for every metric and level, with the level marked.

    Tests that reject significantly too often are emphasised; tests that reject too seldom are
    de-emphasised.
    """
    plan = result.plan
    for number, (metric, alpha) in enumerate(product(names, plan.alphas), 1):
        rows = [
            _rejection_row(row, plan)
            for row in result.rejections
            if (row.metric, row.alpha) == (metric, alpha)
        ]
        caption = Caption(
            name_of("type1", number, metric, share(alpha)),
            f"Rejections at α = {share(alpha)} by {visible(names[metric])}",
        )
        axis = Axis(
            f"Equal systems found different (%); dashed: {share(alpha)}",
            marked=[(100 * alpha, "dashed")],
            includes=[0.0],
        )
        yield forest_plot(rows, caption, axis, 1, longest_label=34)


def _rejection_row(row: Rejections, plan: Type1Plan) -> Row:
    return Row(
        f"{row.test} (flawed)" if row.test in plan.compat else f"{row.test}, {row.alternative}",
        100 * row.share,
        _in_percent(row.interval),
        plan.level,
        cluster=plan.tests.index(row.test) if row.test in plan.tests else len(plan.tests),
        kind="" if row.verdict is None else _VERDICTS[row.verdict],
    )


def power_plots(pilot: PilotMetric, name: str, result: PowerResult) -> Iterator[Picture]:
    """Draw how often each true difference is found, by size, for every test."""
    plan = result.plan
    powers = sorted(
        (row for row in result.powers if row.metric == pilot.metric), key=lambda row: row.size
    )
    if not is_drawable(*map(float, plan.sizes)):
        return
    for test, rows in grouped(powers, lambda row: row.test).items():
        by_difference = grouped(rows, lambda row: row.difference)
        real = sorted(filter(None, by_difference), key=abs)
        kinds = {0.0: "open"} | dict(zip(real, _shades(len(real)), strict=True))
        curves = [
            Curve(
                format_difference(difference, pilot),
                [_power_point(row, pilot, result.unit) for row in by_difference[difference]],
                kinds[difference],
            )
            for difference in sorted(by_difference, key=abs)
        ]
        caption = Caption(
            name_of("power", result.metrics.index(pilot) + 1, pilot.metric, test),
            f"Power of {test} by {visible(name)}",
        )
        sizes = Axis(
            f"{result.unit.capitalize()}s{per_system(result)}; a line for every true difference",
            ticks=[(math.log(size), f"{size:,}") for size in sorted(plan.sizes)],
        )
        share_found = Axis(
            f"Differences found at α = {share(plan.alpha)} (%); dashed: target",
            marked=[(100 * plan.power, "dashed")],
            limits=_PERCENT,
        )
        yield curve_plot(curves, caption, sizes, share_found, labelled=True)


def _shades(count: int) -> list[str]:
    """Classes for `count` curves, as different from each other as possible."""
    last = len(_SHADES) - 1
    return [_SHADES[last - round(at * last / max(count - 1, 1))] for at in reversed(range(count))]


def _power_point(row: Power, pilot: PilotMetric, unit: str) -> CurvePoint:
    title = (
        f"{format_difference(row.difference, pilot)}, {plural(row.size, unit)}: "
        f"{row.found:,} of {row.simulations:,}"
    )
    return CurvePoint(math.log(row.size), 100 * row.power, title, _in_percent(row.interval))


def sample_plots(study: SamplesByMetric, result: SamplesResult) -> Iterator[Picture]:
    """Draw the scores of blocks and broad samples, and differences (Koehn 2004, figures 2–4)."""
    a, b = result.shown
    name, decimals = visible(name_metric(study, result)), study.metric.decimals
    whole = study.scores[a], study.scores[b]
    samples = {design: [row for row in study.series if row.design == design] for design in _DESIGNS}
    scores = [*whole, *(score for rows in samples.values() for row in rows for score in row.scores)]
    if len(scores) == len(whole) or not is_drawable(*scores):
        return
    # Both designs share a scale.
    ends = Scale.over(scores, 0, 1)
    direction = "lower" if study.metric.lower_is_better else "higher"
    up = Axis(
        f"{name} ({direction} is better); dashed: the whole test set",
        marked=[(whole[0], "dashed first"), (whole[1], "dashed against")],
        limits=(ends.low, ends.high),
    )
    for design, title in _DESIGNS.items():
        curves = [
            Curve(
                visible(system),
                [
                    CurvePoint(
                        math.log(row.size) + beside,
                        row.scores[at],
                        f"sample {row.sample} of {row.size:,}: {visible(system)} "
                        f"{fixed(row.scores[at], decimals)}",
                    )
                    for row in samples[design]
                ],
                kind,
                joined=False,
            )
            for at, system, kind, beside in ((0, a, "", -_BESIDE), (1, b, "against", _BESIDE))
        ]
        caption = Caption(
            name_of(f"{design}-scores", study.number, study.metric.metric),
            f"{title}: scores of {visible(a)} and {visible(b)} by {name}",
        )
        yield curve_plot(curves, caption, _sizes(result), up)
    yield _difference_plot(study, result)


def _difference_plot(study: SamplesByMetric, result: SamplesResult) -> Picture:
    name, decimals = visible(name_metric(study, result)), study.metric.decimals
    first, second = result.shown
    a, b = visible(first), visible(second)
    advantage = study.advantage((study.scores[first], study.scores[second]))
    points: dict[str, list[CurvePoint]] = {"": [], "open": [], "against": []}
    for row in study.series:
        if row.design == "broad":
            gain = study.advantage(row.scores)
            title = f"sample {row.sample} of {row.size:,}: {fixed(gain, decimals, sign=True)}"
            kind = "" if gain > 0 else "against" if gain < 0 else "open"
            points[kind].append(CurvePoint(math.log(row.size), gain, title))
    labels = {"": f"{a} scores better", "open": "both the same", "against": f"{b} scores better"}
    return curve_plot(
        [
            Curve(labels[kind], points[kind], kind, joined=False)
            for kind in points
            if points[kind] or kind != "open"
        ],
        Caption(
            name_of("differences", study.number, study.metric.metric),
            f"Broad samples: difference of {a} and {b} by {name}",
        ),
        _sizes(result),
        Axis(
            f"Difference by {name}, up: {a} better; dashed: all, "
            f"{fixed(advantage, decimals, sign=True)}",
            marked=[(0.0, "axis"), (advantage, "dashed")],
        ),
    )


def _sizes(result: SamplesResult) -> Axis:
    ticks = [(math.log(size), f"{size:,}") for size in sorted(result.plan.sizes)]
    return Axis(f"{result.unit.capitalize()}s of a sample", ticks=ticks)


def conclusion_plots(study: SamplesByMetric, result: SamplesResult) -> Iterator[Picture]:
    """Draw how often conclusions are right, by level."""
    brackets = sorted(study.brackets, key=lambda row: row.low)
    sizes = result.plan.sizes
    curves = []
    for at, size in enumerate(sizes):
        points = [
            CurvePoint(
                50 * (row.low + row.high),
                100 * row.accuracy,
                f"{row.size:,}, level {100 * row.low:.0f} to {100 * row.high:.0f}%: "
                f"{row.right:,} of {row.conclusions:,} right",
                _in_percent(row.interval),
            )
            for row in brackets
            if row.size == size and row.conclusions
        ]
        if points:  # larger sizes have stronger colours
            curves.append(
                Curve(plural(size, result.unit), points, f"good{1 + 3 * at // len(sizes)}")
            )
    if not curves:
        return
    caption = Caption(
        name_of("levels", study.number, study.metric.metric),
        f"Right conclusions by level, {visible(name_metric(study, result))}",
    )
    ends = {row.low: row.high for row in brackets}
    ticks = [(50 * (a + b), f"{100 * a:.0f}–{100 * b:.0f}") for a, b in sorted(ends.items())]
    level = Axis("Level of the conclusion (%)", ticks=ticks)
    right = Axis("Right conclusions (%); dashed: as often as the level says", limits=_PERCENT)
    yield curve_plot(curves, caption, level, right, diagonal=True)

"""Pictures of what tests conclude: against people, of equal systems, and of known differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.phrases import metric_name
from weigh.report.pictures.axes import Axis, Scale
from weigh.report.pictures.curve import Curve, CurvePoint, curve_plot
from weigh.report.pictures.forest import Row, forest_plot
from weigh.report.pictures.picture import Caption, Picture, name_of
from weigh.report.svg import drawable
from weigh.report.validate import format_difference, per_system
from weigh.report.validate_people import group_alike, join_names, percentages
from weigh.stats.intervals import Proportion
from weigh.wording import plural, share

if TYPE_CHECKING:
    from weigh.report.validate_samples import SamplesByMetric
    from weigh.validate.accuracy import AccuracyResult, Agreement
    from weigh.validate.plan import Type1Plan
    from weigh.validate.power import PilotMetric, Power, PowerResult
    from weigh.validate.samples import Bracket
    from weigh.validate.type1 import Rejections, Type1Result

# Classes of curves from the weakest to the strongest.
_SHADES = ("good1 broken", "good1", "good2 broken", "good2", "good3 broken", "good3")
_VERDICTS = {"too often": "against", "too seldom": "open"}
_PEOPLE = {"same": "", "fixed": ", people at {}"}
_DESIGNS = {"block": "Consecutive blocks", "broad": "Broad samples"}
_PERCENT = (0.0, 100.0)
_BESIDE = 0.02  # from a size to the points of either system, as a logarithm


def accuracy_plots(
    kind: str, agreements: Sequence[Agreement], result: AccuracyResult
) -> list[Picture]:
    """Share of pairs on which tests and people agree, for every level."""
    pictures: list[Picture] = []
    for number, alpha in enumerate(result.plan.alphas, 1):
        groups = group_alike([row for row in agreements if row.alpha == alpha])
        rows = [
            Row(
                _label(group, result),
                100 * group[0].accuracy,
                percentages(group[0]),
                result.plan.level,
            )
            for group in groups
        ]
        people = _PEOPLE[kind].format(share(result.plan.human_alpha))
        caption = Caption(
            name_of("accuracy", number, kind),
            f"Agreement with people, α = {share(alpha)}{people}",
        )
        axis = Axis("Pairs with the same conclusion by test and people (%)")
        pictures.append(forest_plot(rows, caption, axis, 1, longest_label=30, label_lines=3))
    return pictures


def _label(group: Sequence[Agreement], result: AccuracyResult) -> str:
    tests = join_names([row.test for row in group], result.plan.tests)
    metric = metric_name(group[0].metric, result.signatures.items())
    return metric if tests == "all" else f"{metric}, {tests}"


def type1_plots(result: Type1Result, names: Mapping[str, str]) -> list[Picture]:
    """How often each test rejects, for every metric and level, with the level marked.

    Tests that reject too often, with all intervals of the study in mind, stand out; those that
    reject too seldom stand back.
    """
    plan = result.plan
    pictures: list[Picture] = []
    for metric, title in names.items():
        for alpha in plan.alphas:
            rows = [
                _rejection_row(row, plan)
                for row in result.rejections
                if (row.metric, row.alpha) == (metric, alpha)
            ]
            caption = Caption(
                name_of("type1", len(pictures) + 1, metric, share(alpha)),
                f"Rejections at α = {share(alpha)} by {visible(title)}",
            )
            axis = Axis(
                f"Equal systems called different, per cent; dashed: {share(alpha)}",
                marked=[(100 * alpha, "dashed")],
                includes=[0.0],
            )
            pictures.append(forest_plot(rows, caption, axis, 1, longest_label=34))
    return pictures


def _rejection_row(row: Rejections, plan: Type1Plan) -> Row:
    low, high = row.interval
    return Row(
        f"{row.test} (flawed)" if row.test in plan.compat else f"{row.test}, {row.alternative}",
        100 * row.share,
        (100 * low, 100 * high),
        plan.level,
        cluster=plan.tests.index(row.test) if row.test in plan.tests else len(plan.tests),
        kind="" if row.verdict is None else _VERDICTS[row.verdict],
    )


def power_plots(pilot: PilotMetric, name: str, result: PowerResult) -> list[Picture]:
    """How often each true difference is found, by size, for every test."""
    plan = result.plan
    powers = sorted(
        (row for row in result.powers if row.metric == pilot.metric), key=lambda row: row.size
    )
    if not all(drawable(float(size)) for size in plan.sizes):
        return []
    pictures = []
    for test in dict.fromkeys(row.test for row in powers):
        by_test = [row for row in powers if row.test == test]
        differences = sorted({row.difference for row in by_test}, key=abs)
        real = [difference for difference in differences if difference]
        kinds = {0.0: "open"} | dict(zip(real, _shades(len(real)), strict=True))
        curves = [
            Curve(
                format_difference(difference, pilot),
                [
                    _power_point(row, pilot, result.unit)
                    for row in by_test
                    if row.difference == difference
                ],
                kinds[difference],
            )
            for difference in differences
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
            f"Differences found at α = {share(plan.alpha)}, per cent; dashed: wanted",
            marked=[(100 * plan.power, "dashed")],
            limits=_PERCENT,
        )
        pictures.append(curve_plot(curves, caption, sizes, share_found, labelled=True))
    return pictures


def _shades(count: int) -> list[str]:
    """Classes for so many curves, as different from each other as possible."""
    last = len(_SHADES) - 1
    return [_SHADES[last - round(at * last / max(count - 1, 1))] for at in reversed(range(count))]


def _power_point(row: Power, pilot: PilotMetric, unit: str) -> CurvePoint:
    low, high = row.interval
    title = (
        f"{format_difference(row.difference, pilot)}, {row.size:,} {unit}s: "
        f"{row.found:,} of {row.simulations:,}"
    )
    return CurvePoint(math.log(row.size), 100 * row.power, title, (100 * low, 100 * high))


def sample_plots(study: SamplesByMetric) -> list[Picture]:
    """Scores of blocks and of broad samples, and differences (Koehn 2004, figures 2 to 4)."""
    a, b = study.result.shown
    whole = study.scores[a], study.scores[b]
    drawn_samples = [row for design in _DESIGNS for row in study.series(design)]
    scores = [*whole, *(score for row in drawn_samples for score in row.scores)]
    if not drawn_samples or not drawable(*scores):
        return []
    # Both designs share a scale.
    ends = Scale.over(scores, 0, 1)
    pictures = []
    for design, title in _DESIGNS.items():
        samples = study.series(design)
        curves = [
            Curve(
                visible(name),
                [
                    CurvePoint(
                        math.log(row.size) + (-_BESIDE, _BESIDE)[at],
                        row.scores[at],
                        f"sample {row.sample} of {row.size:,}: {visible(name)} "
                        f"{study.fixed(row.scores[at])}",
                    )
                    for row in samples
                ],
                kind,
                joined=False,
            )
            for at, (name, kind) in enumerate(((a, ""), (b, "against")))
        ]
        caption = Caption(
            name_of(f"{design}-scores", study.number, study.metric.metric),
            f"{title}: scores of {visible(a)} and {visible(b)} by {visible(study.name)}",
        )
        direction = "lower" if study.metric.lower_is_better else "higher"
        up = Axis(
            f"{visible(study.name)} ({direction} is better); dashed: the whole test set",
            marked=[(whole[0], "dashed first"), (whole[1], "dashed against")],
            limits=(ends.low, ends.high),
        )
        pictures.append(curve_plot(curves, caption, _sizes(study), up))
    return [*pictures, _difference_plot(study, whole)]


def _difference_plot(study: SamplesByMetric, whole: tuple[float, float]) -> Picture:
    sign = -1 if study.metric.lower_is_better else 1
    a, b = map(visible, study.result.shown)
    advantage = sign * (whole[0] - whole[1])
    points = [
        CurvePoint(
            math.log(row.size),
            sign * (row.scores[0] - row.scores[1]),
            f"sample {row.sample} of {row.size:,}: "
            f"{study.fixed(sign * (row.scores[0] - row.scores[1]), sign=True)}",
        )
        for row in study.series("broad")
    ]
    gain = study.fixed(advantage, sign=True)
    return curve_plot(
        [
            Curve(label, chosen, kind, joined=False)
            for label, chosen, kind in (
                (f"{a} scores better", [point for point in points if point.y > 0], ""),
                ("both the same", [point for point in points if point.y == 0], "open"),
                (f"{b} scores better", [point for point in points if point.y < 0], "against"),
            )
            if chosen or kind != "open"
        ],
        Caption(
            name_of("differences", study.number, study.metric.metric),
            f"Broad samples: difference of {a} and {b} by {visible(study.name)}",
        ),
        _sizes(study),
        Axis(
            f"Difference by {visible(study.name)}, up: {a} better; dashed: all, {gain}",
            marked=[(0.0, "axis"), (advantage, "dashed")],
        ),
    )


def _sizes(study: SamplesByMetric) -> Axis:
    sizes = sorted(study.result.plan.sizes)
    ticks = [(math.log(size), f"{size:,}") for size in sizes]
    return Axis(f"{study.result.unit.capitalize()}s of a sample", ticks=ticks)


def _shade(at: int, study: SamplesByMetric) -> str:
    """Class of the curve of a size: the larger, the more it stands out."""
    return f"good{1 + 3 * at // len(study.result.plan.sizes)}"


def conclusion_plots(study: SamplesByMetric) -> list[Picture]:
    """How often conclusions are right, by their level."""
    brackets = sorted(study.brackets, key=lambda row: row.low)
    curves = []
    for at, size in enumerate(study.result.plan.sizes):
        points = [_bracket_point(row) for row in brackets if row.size == size and row.conclusions]
        if points:
            curves.append(Curve(plural(size, study.result.unit), points, _shade(at, study)))
    if not curves:
        return []
    caption = Caption(
        name_of("levels", study.number, study.metric.metric),
        f"Right conclusions by level, {visible(study.name)}",
    )
    ends = {row.low: row.high for row in brackets}
    ticks = [(50 * (a + b), f"{100 * a:.0f}–{100 * b:.0f}") for a, b in sorted(ends.items())]
    level = Axis("Level of the conclusion, per cent", ticks=ticks)
    right = Axis("Right conclusions, per cent; dashed: as often as the level says", limits=_PERCENT)
    return [curve_plot(curves, caption, level, right, diagonal=True)]


def _bracket_point(row: Bracket) -> CurvePoint:
    right = Proportion(row.right, row.conclusions)
    low, high = right.interval()
    title = (
        f"{row.size:,}, level {100 * row.low:.0f} to {100 * row.high:.0f}%: "
        f"{row.right:,} of {row.conclusions:,} right"
    )
    return CurvePoint(50 * (row.low + row.high), 100 * right.share, title, (100 * low, 100 * high))

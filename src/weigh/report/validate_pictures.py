"""Pictures of what tests conclude: against people, of equal systems, and of known differences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
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
from weigh.wording import fixed, percent, plural, share

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
        groups = group_alike([one for one in agreements if one.alpha == alpha])
        rows = [
            Row(
                _label(group, result),
                100 * group[0].accuracy,
                percentages(group[0]),
                result.plan.level,
            )
            for group in groups
        ]
        best = max(rows, key=lambda row: row.value)
        people = _PEOPLE[kind].format(share(result.plan.human_alpha))
        caption = Caption(
            name_of("accuracy", number, kind),
            f"Agreement with people, α = {share(alpha)}{people}",
            f"{plural(groups[0][0].pairs, 'pair')}, exact intervals: {visible(best.label)} agrees "
            f"most often, {best.in_words(1)}.",
        )
        axis = Axis("Pairs of which test and people conclude the same, per cent")
        pictures.append(forest_plot(rows, caption, axis, 1, longest_label=30, label_lines=3))
    return pictures


def _label(group: Sequence[Agreement], result: AccuracyResult) -> str:
    tests = join_names([one.test for one in group], result.plan.tests)
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
                _rejection_row(one, plan)
                for one in result.rejections
                if (one.metric, one.alpha) == (metric, alpha)
            ]
            often = [row.label for row in rows if row.kind == "against"]
            seldom = [row.label for row in rows if row.kind == "open"]
            caption = Caption(
                name_of("type1", len(pictures) + 1, metric, share(alpha)),
                f"Rejections at α = {share(alpha)} by {visible(title)}",
                f"{plural(plan.nulls, 'pair')} of equal systems. Too often: "
                f"{', '.join(often) or 'none'}. Too seldom: {', '.join(seldom) or 'none'}.",
            )
            axis = Axis(
                f"Equal systems called different, per cent; dashed: {share(alpha)}",
                marked=[(100 * alpha, "dashed")],
                includes=[0.0],
            )
            pictures.append(forest_plot(rows, caption, axis, 1, longest_label=34))
    return pictures


def _rejection_row(one: Rejections, plan: Type1Plan) -> Row:
    low, high = one.interval
    return Row(
        f"{one.test} (flawed)" if one.test in plan.compat else f"{one.test}, {one.alternative}",
        100 * one.share,
        (100 * low, 100 * high),
        plan.level,
        cluster=plan.tests.index(one.test) if one.test in plan.tests else len(plan.tests),
        kind="" if one.verdict is None else _VERDICTS[one.verdict],
    )


def power_plots(pilot: PilotMetric, name: str, result: PowerResult) -> list[Picture]:
    """How often each true difference is found, by size, for every test."""
    plan = result.plan
    powers = sorted(
        (one for one in result.powers if one.metric == pilot.metric), key=lambda one: one.size
    )
    if not all(drawable(float(size)) for size in plan.sizes):
        return []
    pictures = []
    for test in dict.fromkeys(one.test for one in powers):
        by_test = [one for one in powers if one.test == test]
        differences = sorted({one.difference for one in by_test}, key=abs)
        real = [difference for difference in differences if difference]
        kinds = {0.0: "open"} | dict(zip(real, _shades(len(real)), strict=True))
        curves = [
            Curve(
                format_difference(difference, pilot),
                [
                    _power_point(one, pilot, result.unit)
                    for one in by_test
                    if one.difference == difference
                ],
                kinds[difference],
            )
            for difference in differences
        ]
        last = curves[-1]
        caption = Caption(
            name_of("power", result.metrics.index(pilot) + 1, pilot.metric, test),
            f"Power of {test} by {visible(name)}",
            f"A true difference of {last.label} is found in {fixed(last.points[-1].y, 1)}% of data "
            f"sets with the most {result.unit}s; dashed: the {percent(plan.power)} that are "
            "wanted.",
        )
        sizes = Axis(
            f"{result.unit.capitalize()}s{per_system(result)}; a line for every true difference",
            ticks=[(math.log(size), f"{size:,}") for size in sorted(plan.sizes)],
        )
        found = Axis(
            f"Differences found at α = {share(plan.alpha)}, per cent; dashed: wanted",
            marked=[(100 * plan.power, "dashed")],
            limits=_PERCENT,
        )
        pictures.append(curve_plot(curves, caption, sizes, found, labelled=True))
    return pictures


def _shades(count: int) -> list[str]:
    """Classes for so many curves, as different from each other as possible."""
    last = len(_SHADES) - 1
    return [_SHADES[last - round(at * last / max(count - 1, 1))] for at in reversed(range(count))]


def _power_point(one: Power, pilot: PilotMetric, unit: str) -> CurvePoint:
    low, high = one.interval
    title = (
        f"{format_difference(one.difference, pilot)}, {one.size:,} {unit}s: "
        f"{one.found:,} of {one.simulations:,}"
    )
    return CurvePoint(math.log(one.size), 100 * one.power, title, (100 * low, 100 * high))


def sample_plots(study: SamplesByMetric) -> list[Picture]:
    """Scores of blocks and of broad samples, and differences (Koehn 2004, figures 2 to 4)."""
    a, b = study.result.shown
    whole = study.scores[a], study.scores[b]
    shown = [one for design in _DESIGNS for one in study.series(design)]
    scores = [*whole, *(score for one in shown for score in one.scores)]
    if not shown or not drawable(*scores):
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
                        math.log(one.size) + (-_BESIDE, _BESIDE)[at],
                        one.scores[at],
                        f"sample {one.sample} of {one.size:,}: {visible(name)} "
                        f"{study.fixed(one.scores[at])}",
                    )
                    for one in samples
                ],
                kind,
                joined=False,
            )
            for at, (name, kind) in enumerate(((a, ""), (b, "against")))
        ]
        caption = Caption(
            name_of(f"{design}-scores", study.number, study.metric.metric),
            f"{title}: scores of {visible(a)} and {visible(b)} by {visible(study.name)}",
            f"{title}: {_ranges(study, [(one.size, one.scores) for one in samples])}. The whole "
            f"test set has {study.fixed(whole[0])} and {study.fixed(whole[1])}.",
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
            math.log(one.size),
            sign * (one.scores[0] - one.scores[1]),
            f"sample {one.sample} of {one.size:,}: "
            f"{study.fixed(sign * (one.scores[0] - one.scores[1]), sign=True)}",
        )
        for one in study.series("broad")
    ]
    reverse = sum(point.y * advantage < 0 for point in points)
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
            f"On the whole test set {a} is better by {gain}. {reverse:,} of "
            f"{plural(len(points), 'sample')} say the reverse.",
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


def _ranges(study: SamplesByMetric, samples: Iterable[tuple[int, tuple[float, float]]]) -> str:
    by_size: dict[int, list[float]] = {}
    for size, scores in samples:
        by_size.setdefault(size, []).extend(scores)
    return "; ".join(
        f"{len(scores) // 2} of {size:,} {study.result.unit}s, from {study.fixed(min(scores))} to "
        f"{study.fixed(max(scores))}"
        for size, scores in by_size.items()
    )


def conclusion_plots(study: SamplesByMetric) -> list[Picture]:
    """How often conclusions are right, by the true difference and by their level."""
    return [*_by_difference(study), *_by_level(study)]


def _by_difference(study: SamplesByMetric) -> list[Picture]:
    plan, pairs = study.result.plan, study.pairs
    conclusions = study.conclusions
    distances = {(one.a, one.b): abs(pairs[one.a, one.b].advantage) for one in conclusions}
    if len(distances) < 3 or not drawable(*distances.values()):  # the table shows as much
        return []
    curves = [
        Curve(
            plural(size, study.result.unit),
            [
                CurvePoint(
                    distances[one.a, one.b],
                    100 * one.right / one.samples,
                    f"{visible(one.a)} and {visible(one.b)}, "
                    f"{study.fixed(distances[one.a, one.b])}: "
                    f"{percent(round(one.right / one.samples, 3))} right, "
                    f"{percent(round(one.wrong / one.samples, 3))} wrong",
                )
                for one in sorted(conclusions, key=lambda one: distances[one.a, one.b])
                if one.size == size
            ],
            _shade(at, study),
            joined=False,
        )
        for at, size in enumerate(plan.sizes)
    ]
    metric = visible(study.name)
    means = ", ".join(
        f"{fixed(math.fsum(p.y for p in one.points) / len(one.points), 1)}% on average with "
        f"{one.label}"
        for one in curves
    )
    caption = Caption(
        name_of("pairs", study.number, study.metric.metric),
        f"Right conclusions on {plural(len(distances), 'pair')} by {metric}",
        "Per cent of samples in which a conclusion is drawn and right, by the true difference of "
        f"a pair and by the size of the samples: {means}.",
    )
    ticks = Scale(0.0, max(distances.values()), 0, 1).ticks(7)
    right = Axis(
        f"Right conclusions at {percent(plan.level)}, per cent of samples", limits=_PERCENT
    )
    return [curve_plot(curves, caption, Axis(f"True difference by {metric}", ticks=ticks), right)]


def _shade(at: int, study: SamplesByMetric) -> str:
    """Class of the curve of a size: the larger, the more it stands out."""
    return f"good{1 + 3 * at // len(study.result.plan.sizes)}"


def _by_level(study: SamplesByMetric) -> list[Picture]:
    brackets = sorted(study.brackets, key=lambda one: one.low)
    curves = []
    for at, size in enumerate(study.result.plan.sizes):
        points = [_bracket_point(one) for one in brackets if one.size == size and one.conclusions]
        if points:
            curves.append(Curve(plural(size, study.result.unit), points, _shade(at, study)))
    if not curves:
        return []
    highest = ", ".join(f"{fixed(one.points[-1].y, 1)}% with {one.label}" for one in curves)
    caption = Caption(
        name_of("levels", study.number, study.metric.metric),
        f"Right conclusions by level, {visible(study.name)}",
        "Conclusions on all pairs in samples drawn with replacement, by their level: how many are "
        f"right. At the highest level: {highest}. On the dashed line they are right as often as "
        "the level says.",
    )
    ends = {one.low: one.high for one in brackets}
    ticks = [(50 * (a + b), f"{100 * a:.0f}–{100 * b:.0f}") for a, b in sorted(ends.items())]
    level = Axis("Level of the conclusion, per cent", ticks=ticks)
    right = Axis("Right conclusions, per cent; dashed: as often as the level says", limits=_PERCENT)
    return [curve_plot(curves, caption, level, right, diagonal=True)]


def _bracket_point(one: Bracket) -> CurvePoint:
    right = Proportion(one.right, one.conclusions)
    low, high = right.interval()
    title = (
        f"{one.size:,}, level {100 * one.low:.0f} to {100 * one.high:.0f}%: "
        f"{one.right:,} of {one.conclusions:,} right"
    )
    return CurvePoint(50 * (one.low + one.high), 100 * right.share, title, (100 * low, 100 * high))

"""Pictures of what tests conclude: against people, of equal systems, and of a known difference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.phrases import metric_name
from weigh.report.pictures.intervals import Row, forest_plot
from weigh.report.pictures.picture import Picture, Scale, name_of
from weigh.report.pictures.shares import Curve, Kind, Point, bar_plot, curve_plot
from weigh.report.svg import cut, drawable
from weigh.report.validate import difference_shown, per_system
from weigh.report.validate_people import alike, percentages, together
from weigh.stats.intervals import Proportion
from weigh.wording import fixed, percent, plural, share

if TYPE_CHECKING:
    from weigh.report.validate_samples import SamplesByMetric
    from weigh.validate.accuracy import AccuracyResult, Agreement
    from weigh.validate.plan import Type1Plan
    from weigh.validate.power import PilotMetric, Power, PowerResult
    from weigh.validate.preference import Votes
    from weigh.validate.samples import Bracket
    from weigh.validate.type1 import Rejections, Type1Result

_LONGEST_LABEL = 34
# Curves from the weakest to the strongest.
_SHADES = ("good1 broken", "good1", "good2 broken", "good2", "good3 broken", "good3")
_VERDICTS = {"too often": "against", "too seldom": "open"}
_PEOPLE = {"same": "", "fixed": ", people at {}"}
_PARTS = (
    Kind("the same difference", "good3", inverse=True),
    Kind("neither finds one", "swatch"),
    Kind("the test alone finds one", "self"),
    Kind("people alone find one", "shade", inverse=True),
    Kind("opposite differences", "bad2", inverse=True),
)


def accuracy_pictures(
    kind: str, agreements: Sequence[Agreement], result: AccuracyResult
) -> list[Picture]:
    """Return accuracies with intervals, and what test and people conclude, for every level."""
    pictures: list[Picture] = []
    for number, alpha in enumerate(result.plan.alphas, 1):
        groups = alike([one for one in agreements if one.alpha == alpha])
        labelled = [(_label(group, result), group[0]) for group in groups]
        people = _PEOPLE[kind].format(share(result.plan.human_alpha))
        at = f"α = {share(alpha)}{people}"
        pictures += [
            _accuracies(labelled, at, name_of("accuracy", number, kind), result.plan.level),
            _conclusions(labelled, at, name_of("conclusions", number, kind)),
        ]
    return pictures


def _label(group: Sequence[Agreement], result: AccuracyResult) -> str:
    tests = together([one.test for one in group], result.plan.tests)
    metric = metric_name(group[0].metric, result.signatures.items())
    return metric if tests == "all" else f"{metric}, {tests}"


def _accuracies(
    labelled: Sequence[tuple[str, Agreement]], at: str, name: str, level: float
) -> Picture:
    rows = [Row(label, 100 * one.accuracy, percentages(one), level) for label, one in labelled]
    best = max(rows, key=lambda row: row.score)
    return forest_plot(
        rows,
        name=name,
        title=f"Agreement with people, {at}",
        axis="Pairs of which test and people conclude the same, per cent",
        decimals=1,
        description=f"{plural(labelled[0][1].pairs, 'pair')}, exact intervals: "
        f"{visible(best.system)} agrees most often, {best.told(1)}.",
        longest_label=20,
        label_lines=3,
        width=420.0,
    )


def _conclusions(labelled: Sequence[tuple[str, Agreement]], at: str, name: str) -> Picture:
    rows = [(label, _counts(one)) for label, one in labelled]
    first, counts = rows[0]
    told = ", ".join(f"{part.title} in {count}" for part, count in zip(_PARTS, counts, strict=True))
    return bar_plot(
        rows,
        _PARTS,
        name=name,
        title=f"What tests and people find, {at}",
        description=f"Of {plural(labelled[0][1].pairs, 'pair')}, {visible(first)} and people find "
        f"{told}.",
    )


def _counts(one: Agreement) -> list[int]:
    """Return how many pairs are of each of `_PARTS`."""
    pairs = list(zip(one.automatic, one.human, strict=True))
    return [
        sum(a == h != 0 for a, h in pairs),
        sum(a == h == 0 for a, h in pairs),
        one.found_alone,
        one.found_by_people_alone,
        one.wrong_direction,
    ]


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


def power_pictures(pilot: PilotMetric, name: str, result: PowerResult) -> list[Picture]:
    """Return a picture for every test: how often each true difference is found, by size."""
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
                difference_shown(difference, pilot),
                [
                    _point(one, pilot, result.unit)
                    for one in by_test
                    if one.difference == difference
                ],
                kinds[difference],
            )
            for difference in differences
        ]
        last = curves[-1]
        pictures.append(
            curve_plot(
                curves,
                name=name_of("power", result.metrics.index(pilot) + 1, pilot.metric, test),
                title=f"Power of {test} by {visible(name)}",
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


def _point(one: Power, pilot: PilotMetric, unit: str) -> Point:
    low, high = one.interval
    told = (
        f"{difference_shown(one.difference, pilot)}, {one.size:,} {unit}s: "
        f"{one.found:,} of {one.simulations:,}"
    )
    return Point(math.log(one.size), 100 * one.power, told, (100 * low, 100 * high))


def by_difference(study: SamplesByMetric) -> list[Picture]:
    """Return how often conclusions on pairs are drawn and right, by their true difference."""
    plan, pairs = study.result.plan, study.pairs
    conclusions = study.conclusions
    distances = {(one.a, one.b): abs(pairs[one.a, one.b].advantage) for one in conclusions}
    if len(distances) < 3 or not drawable(*distances.values()):  # which the table shows as well
        return []
    curves = [
        Curve(
            plural(size, study.result.unit),
            [
                Point(
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
    return [
        curve_plot(
            curves,
            name=name_of("pairs", study.number, study.metric.metric),
            title=f"Right conclusions on {plural(len(distances), 'pair')} by {metric}",
            description=f"Per cent of samples in which a conclusion is drawn and right, by the "
            f"true difference of a pair and by the size of the samples: {_means(curves)}.",
            above=f"Right conclusions at {percent(plan.level)}, per cent of samples",
            axis=f"True difference by {metric}",
            ticks=Scale(0.0, max(distances.values()), 0, 1).ticks(7),
            labelled=False,
        )
    ]


def _shade(at: int, study: SamplesByMetric) -> str:
    """Return the class of a size by its place: the larger, the more it stands out."""
    return f"good{1 + 3 * at // len(study.result.plan.sizes)}"


def _means(curves: Sequence[Curve]) -> str:
    return ", ".join(
        f"{fixed(math.fsum(p.share for p in one.points) / len(one.points), 1)}% on average "
        f"with {one.label}"
        for one in curves
    )


def by_level(study: SamplesByMetric) -> list[Picture]:
    """Return how often conclusions of a level are right, which should be as often as it says."""
    brackets = sorted(study.brackets, key=lambda one: one.low)
    curves = []
    for at, size in enumerate(study.result.plan.sizes):
        points = [_right_at(one) for one in brackets if one.size == size and one.conclusions]
        if points:
            curves.append(Curve(plural(size, study.result.unit), points, _shade(at, study)))
    if not curves:
        return []
    ends = {one.low: one.high for one in brackets}
    picture = curve_plot(
        curves,
        name=name_of("levels", study.number, study.metric.metric),
        title=f"Right conclusions by level, {visible(study.name)}",
        description="Conclusions on all pairs in samples drawn with replacement, by their level: "
        f"how many are right. {_right(curves)}On the dashed line they are right as often as the "
        "level says.",
        above="Right conclusions, per cent; dashed: as often as the level says",
        axis="Level of the conclusion, per cent",
        ticks=[(50 * (a + b), f"{100 * a:.0f}–{100 * b:.0f}") for a, b in sorted(ends.items())],
        diagonal=True,
        labelled=False,
    )
    return [picture]


def _right_at(one: Bracket) -> Point:
    right = Proportion(one.right, one.conclusions)
    low, high = right.interval()
    told = (
        f"{one.size:,}, level {100 * one.low:.0f} to {100 * one.high:.0f}%: "
        f"{one.right:,} of {one.conclusions:,} right"
    )
    return Point(50 * (one.low + one.high), 100 * right.share, told, (100 * low, 100 * high))


def _right(curves: Sequence[Curve]) -> str:
    parts = [f"{fixed(one.points[-1].share, 1)}% with {one.label}" for one in curves]
    return f"At the highest level: {', '.join(parts)}. "


def preference_picture(votes: Votes, number: int) -> Picture:
    """Return what single answers, and sentences by most answers, are for."""
    rows = [
        ("Judgments", [votes.judgments_a, votes.judgments_neither, votes.judgments_b]),
        ("Sentences", [votes.sentences_a, votes.sentences_even, votes.sentences_b]),
    ]
    return bar_plot(
        rows,
        [
            Kind(f"for {cut(visible(votes.a), 24)}", "good3", inverse=True),
            Kind("for neither", "swatch"),
            Kind(f"for {cut(visible(votes.b), 24)}", "shade", inverse=True),
        ],
        name=name_of("preference", number, votes.a, votes.b),
        title=f"Whose choices people prefer, {visible(votes.a)} or {visible(votes.b)}",
        description=f"Sentences with more answers for {visible(votes.a)}: {votes.sentences_a:,}, "
        f"for {visible(votes.b)}: {votes.sentences_b:,}, for both equally: "
        f"{votes.sentences_even:,}.",
    )

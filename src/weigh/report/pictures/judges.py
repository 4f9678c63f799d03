"""What people did: errors that they marked, judges with their controls, and how far they agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.read.spans import SEVERITIES
from weigh.report.grid import visible
from weigh.report.pictures.picture import Box, Mark, Picture, Scale, bottom_axis, legend, name_of
from weigh.report.svg import cut, drawable, line, pixels, titled, told_apart, words
from weigh.wording import fixed, listed, plural, probability

if TYPE_CHECKING:
    from weigh.human.agreement import Consistency
    from weigh.human.contests import MetricAgreement
    from weigh.human.errors import SystemErrors
    from weigh.human.quality import Verdict

_WIDTH = 520.0
_TOP = 8.0
_LONGEST_LABEL = 24


@dataclass(frozen=True, slots=True)
class Dot:
    """A value of a row, by the number of its kind, and what is told of it."""

    kind: int
    value: float
    told: str


@dataclass(frozen=True, slots=True)
class DotRow:
    """Values that stand in one row; one that is `faint` stands back."""

    label: str
    dots: Sequence[Dot]
    faint: bool = False


def dot_plot(
    rows: Sequence[DotRow],
    kinds: Sequence[tuple[Mark, str]],
    *,
    name: str,
    title: str,
    description: str,
    axis: str,
    ends: tuple[float, float] | None = None,
    marked: float | None = None,
) -> Picture:
    """Draw rows from top to bottom, each with its values on one scale, and what their marks mean.

    Many rows stand closer together. The scale has the `ends`, if they are given, and a dashed line
    where it is `marked`.
    """
    high = 22.0 if len(rows) <= 30 else 13.0 if len(rows) <= 80 else 8.0
    size = 12.0 if high > 13 else 11.0 if high > 8 else 8.0
    style = {12.0: "end", 11.0: "small end", 8.0: "tiny end"}[size]
    labels = [cut(row.label, _LONGEST_LABEL) for row in rows]
    left = 14 + max(pixels(label, size) for label in labels)
    frame = Box(left + 6, _TOP, _WIDTH - 14, _TOP + high * len(rows))
    values = [each.value for row in rows for each in row.dots if drawable(each.value)]
    wanted = [value for value in (*(ends or ()), marked) if value is not None]
    scale = frame.across([*values, *wanted] or [0.0, 1.0], margin=0.02)
    parts = [bottom_axis(scale, frame, 8)]
    if marked is not None:
        parts.append(frame.upright(scale(marked), "dashed"))
    for at, row in enumerate(rows):
        y = _TOP + high * (at + 0.5)
        parts.append(
            words(left - 2, y + size / 3, labels[at], f"{style} soft" * row.faint or style)
        )
        known = [each for each in row.dots if drawable(each.value)]
        if len(known) > 1:
            places = [scale(each.value) for each in known]
            parts.append(line(min(places), y, max(places), y, "rule"))
        for each in known:
            told = f"{visible(row.label)}: {each.told}"
            parts.append(kinds[each.kind][0].at(scale(each.value), y, told, min(3.5, high / 3)))
    parts.append(frame.below(axis, 30))
    bottom = frame.bottom + 50
    if len(kinds) > 1:
        told, bottom = legend(kinds, 8, bottom, _WIDTH - 8)
        parts.append(told)
    return Picture(name, title, description, _WIDTH, bottom + 9, "".join(parts))


# Errors.

_SHADES = {
    "critical": "bad3",
    "major": "bad2",
    "minor": "bad1",
    "neutral": "shade",
    "undecided": "cell",
}
_ROW, _BAR = 22.0, 15.0


def error_plots(systems: Sequence[SystemErrors], pair: str, number: int = 1) -> list[Picture]:
    """Return a bar for every system, as long as it has errors in 100 texts, parted by severity."""
    severities = [name for name in SEVERITIES if any(name in each.severities for each in systems)]
    if not severities:
        return []
    names = told_apart([each.system for each in systems], _LONGEST_LABEL)
    labels = [cut(name, _LONGEST_LABEL) for name in names]
    left = 14 + max(pixels(label, 12) for label in labels)
    totals = [100 * sum(each.severities.values()) / each.texts for each in systems]
    frame = Box(left, _TOP, _WIDTH - 50, _TOP + _ROW * len(systems))
    scale = Scale(0.0, max(totals), frame.left, frame.right)
    parts = [bottom_axis(scale, frame, 6)]
    for at, (each, total) in enumerate(zip(systems, totals, strict=True)):
        y = _TOP + _ROW * at + (_ROW - _BAR) / 2
        parts.append(words(left - 6, y + _BAR - 3, labels[at], "end"))
        x = frame.left
        for name in severities:
            count = each.severities.get(name, 0)
            rate = 100 * count / each.texts
            told = f"{visible(each.system)}: {fixed(rate, 1)} {name} in 100 texts ({count:,})"
            wide = scale(rate) - frame.left
            if count:
                place = {"x": x, "y": y, "width": wide, "height": _BAR}
                parts.append(titled("rect", told, **place, class_=_SHADES[name]))
            x += wide
        parts.append(words(x + 4, y + _BAR - 3, fixed(total, 1), "small soft"))
    parts.append(frame.below("errors in 100 texts that somebody read", 30))
    entries = [(Mark("box", _SHADES[name]), name) for name in severities]
    told, bottom = legend(entries, 8, frame.bottom + 50, _WIDTH - 8)
    best, worst = systems[0], systems[-1]
    return [
        Picture(
            name_of("errors", number, pair),
            f"Marked errors{f', {visible(pair)}' if pair else ''}",
            f"A bar for each of {plural(len(systems), 'system')}: errors in 100 texts by severity "
            f"({listed(severities)}). Fewest has {visible(best.system)}, {fixed(totals[0], 1)}; "
            f"most has {visible(worst.system)}, {fixed(totals[-1], 1)}.",
            _WIDTH,
            bottom + 9,
            "".join([*parts, told]),
        )
    ]


# Judges.

_KINDS = (
    (Mark("square", "point against"), "damaged texts"),
    (Mark("circle", "point"), "outputs"),
    (Mark("circle", "point hollow"), "references"),
)


def judge_plots(judges: Sequence[Verdict]) -> list[Picture]:
    """Return what every judge gave damaged texts, outputs and references on average.

    Those who are kept stand first, and among them those whose test is clearest.
    """
    ordered = sorted(
        judges, key=lambda each: (not each.kept, math.inf if each.p_value is None else each.p_value)
    )
    rows = [
        DotRow(
            f"{each.judge}{'' if each.kept else ', dropped'}",
            [
                Dot(
                    kind,
                    value,
                    f"{_KINDS[kind][1]} {fixed(value, 1)}, p {probability(each.p_value)}",
                )
                for kind, value in enumerate((each.mean_bad, each.mean_system, each.mean_reference))
                if value is not None
            ],
            faint=not each.kept,
        )
        for each in ordered
    ]
    if not any(row.dots for row in rows):
        return []
    kept = sum(each.kept for each in judges)
    used = sorted({each.kind for row in rows for each in row.dots})
    return [
        dot_plot(
            [
                DotRow(
                    row.label,
                    [Dot(used.index(each.kind), each.value, each.told) for each in row.dots],
                    row.faint,
                )
                for row in rows
            ],
            [_KINDS[kind] for kind in used],
            name="judges-1",
            title="What judges gave on average",
            description=f"{plural(len(judges), 'judge')}, of whom {kept:,} are kept and stand "
            "first, the clearest test on top: mean scores of damaged texts, of outputs and of "
            "references. Somebody who looks gives damaged texts the least.",
            axis="mean score",
        )
    ]


# Agreement.


def coefficient_plot(
    rows: Sequence[tuple[str, Sequence[tuple[str, float]]]], number: int
) -> list[Picture]:
    """Return coefficients of agreement, by what they are of, between chance and full agreement."""
    drawn = [
        DotRow(label if len(rows) == 1 else f"{label}, {about}", [Dot(0, value, fixed(value, 3))])
        for about, values in rows
        for label, value in values
        if drawable(value)
    ]
    if not drawn:
        return []
    return [
        dot_plot(
            drawn,
            [(Mark("circle", "point"), "")],
            name=name_of("agreement", number),
            title="How far judges agree",
            description="; ".join(f"{row.label}: {row.dots[0].told}" for row in drawn)
            + ". 1 is full agreement, 0 what chance brings about.",
            axis="agreement (0: chance, dashed; 1: full)",
            ends=(0.0, 1.0),
            marked=0.0,
        )
    ]


def repeat_plots(repeats: Sequence[Consistency]) -> list[Picture]:
    """Return how far every judge's second answer to an item is from the first, on average."""
    rows = [
        DotRow(
            f"{each.judge} ({each.repeats:,})",
            [
                Dot(0, each.distance, f"{fixed(each.distance, 1)} apart"),
                Dot(1, each.difference, f"{fixed(each.difference, 1, sign=True)} later"),
            ],
        )
        for each in sorted(repeats, key=lambda each: each.distance)
    ]
    return [
        dot_plot(
            rows,
            [
                (Mark("circle", "point"), "distance of the two answers"),
                (Mark("circle", "point hollow"), "second answer less the first"),
            ],
            name="repeats-1",
            title="The same item again",
            description=f"{plural(len(repeats), 'judge')}, the most consistent on top: how far "
            "apart two answers to one item are on average, and how much the second is higher.",
            axis="points of the scale (in brackets: repeats)",
            marked=0.0,
        )
    ]


# Metrics.

_MEASURES = (
    (Mark("square", "point"), "pairwise accuracy"),
    (Mark("square", "point hollow"), "soft accuracy"),
    (Mark("circle", "point against"), "Pearson's r"),
    (Mark("circle", "point open"), "Kendall's τ"),
)


def metric_plots(
    metrics: Sequence[MetricAgreement], called: Mapping[str, str], number: int
) -> list[Picture]:
    """Return how well every metric agrees with people, by four measures."""
    rows = []
    for each in sorted(metrics, key=lambda each: -each.accuracy):
        values = (each.accuracy, each.soft_accuracy, each.pearson, each.kendall)
        dots = [
            Dot(kind, value, f"{_MEASURES[kind][1]} {fixed(value, 3)}")
            for kind, value in enumerate(values)
            if drawable(value)
        ]
        rows.append(DotRow(called[each.metric], dots))
    if not any(row.dots for row in rows):
        return []
    scale = metrics[0].scale
    return [
        dot_plot(
            rows,
            _MEASURES,
            name=name_of("metrics", number, scale),
            title=f"Metrics and people: {visible(scale)}",
            description=f"{plural(len(rows), 'metric')}, by pairwise accuracy from the top: "
            + "; ".join(
                f"{visible(row.label)}: {', '.join(each.told for each in row.dots)}" for row in rows
            )
            + ". 1 is full agreement with people.",
            axis="agreement with people over systems",
            ends=(0.0, 1.0),
        )
    ]

"""Systems as points on a plane: scores against lengths, and one metric against another."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.pairs import winner
from weigh.report.pictures.picture import Box, Picture, bottom_axis, dot, left_axis, name_of
from weigh.report.svg import cut, drawable, line, pixels, words
from weigh.wording import fixed, plural

if TYPE_CHECKING:
    from weigh.report.compared import CompareReport


_SIZE = 11.0
_RADIUS = 4.0
_LONGEST_LABEL = 18


@dataclass(frozen=True, slots=True)
class Point:
    """A system at a place in pixels."""

    x: float
    y: float
    label: str
    title: str


def scatter(points: Sequence[Point], frame: Box) -> tuple[str, int]:
    """Return points with labels, and how many labels found no room.

    A label stands beside its point; if others are in the way, a little farther off, at a line.
    """
    taken = [_around(point) for point in points]
    dots, labels = [], []
    homeless = 0
    for point in points:
        dots.append(dot(point.x, point.y, point.title, size=_RADIUS))
        text = cut(point.label, _LONGEST_LABEL)
        place = _free(point, text, taken, frame)
        if place is None:
            homeless += 1
            continue
        taken.append(place)
        nearest = place.nearest(point.x, point.y)
        if math.dist(nearest, (point.x, point.y)) > 3 * _RADIUS:
            labels.append(line(point.x, point.y, *nearest, "axis"))
        labels.append(_label(place, point, text))
    return "".join([*labels, *dots]), homeless


def _label(place: Box, point: Point, text: str) -> str:
    """Return the text, held fast where its point is, since no font is as wide as expected."""
    y = place.bottom - 3
    if place.left >= point.x:
        return words(place.left, y, text, "small")
    if place.right <= point.x:
        return words(place.right, y, text, "small end")
    return words((place.left + place.right) / 2, y, text, "small middle")


def _around(point: Point) -> Box:
    reach = _RADIUS + 1
    return Box(point.x - reach, point.y - reach, point.x + reach, point.y + reach)


def _free(point: Point, text: str, taken: Sequence[Box], frame: Box) -> Box | None:
    """Return the nearest place for a label where nothing is, or None."""
    wide, high = pixels(text, _SIZE), _SIZE + 2
    for away in (0.0, 8.0, 16.0, 26.0, 38.0, 52.0):
        rise = high + away
        for left, middle in (
            (point.x + 7 + away / 2, point.y),
            (point.x - 7 - away / 2 - wide, point.y),
            (point.x + 4, point.y - rise),
            (point.x + 4, point.y + rise),
            (point.x - 4 - wide, point.y - rise),
            (point.x - 4 - wide, point.y + rise),
            (point.x - wide / 2, point.y - rise),
            (point.x - wide / 2, point.y + rise),
        ):
            place = Box(left, middle - high / 2, left + wide, middle + high / 2)
            if frame.holds(place) and not any(place.touches(other) for other in taken):
                return place
    return None


_MARGIN = 0.1  # which labels use too


@dataclass(frozen=True, slots=True)
class _Axis:
    """What systems are placed by; scores are such that better is up, or to the right."""

    title: str
    decimals: int
    direction: str = ""
    turned: bool = False

    @classmethod
    def of(cls, report: CompareReport, metric: str) -> _Axis:
        which, turned = report.direction(metric), not report.higher(metric)
        return cls(report.heading(metric), report.decimals(metric), which, turned)

    def meaning(self, way: str) -> str:
        return f"{self.title}, {self.direction} ({way}: better)"

    def told(self, value: float) -> str:
        shown = fixed(value, self.decimals)
        return f"{shown} {self.title}" if self.direction else f"{self.title} {shown}"


def _plane(
    places: Mapping[str, tuple[float, float]],
    axes: tuple[_Axis, _Axis],
    below: str,
    *,
    size: tuple[float, float],
    name: str,
    title: str,
    description: str,
    caption: str = "",
    marked: float | None = None,
) -> Picture:
    """Draw systems by two values; a dashed line stands where the first is `marked`."""
    width, height = size
    frame = Box(52, 24, width - 20, height - (62 if caption else 40))
    across, up = axes
    firsts = [first for first, _ in places.values()] + ([] if marked is None else [marked])
    x = frame.across(firsts, _MARGIN, turned=across.turned)
    y = frame.up([second for _, second in places.values()], _MARGIN, turned=up.turned)
    points = [
        Point(x(a), y(b), system, f"{visible(system)}: {across.told(a)}, {up.told(b)}")
        for system, (a, b) in places.items()
    ]
    dots, homeless = scatter(points, replace(frame, right=width - 2))
    parts = [bottom_axis(x, frame, 5 if caption else 6), left_axis(y, frame)]
    if marked is not None:
        parts.append(frame.upright(x(marked), "dashed"))
    parts += [dots, frame.above(up.meaning("up")), frame.below(below, 32)]
    if caption:
        parts.append(frame.below(caption, 54, "small"))
    if homeless:
        description += f" {plural(homeless, 'name')} found no room."
    return Picture(name, title, description, width, height, "".join(parts))


def length_plots(report: CompareReport) -> list[Picture]:
    """Return a plot for every metric: score against length, with a line at the references'."""
    evidence = report.result.details
    if evidence is None:
        return []
    pictures: list[Picture] = []
    unit = evidence.length_unit
    for metric in report.titles:
        places = {
            entry.system: (evidence.lengths[entry.system], entry.score)
            for entry in report.ordered(metric)
            if drawable(evidence.lengths.get(entry.system, float("nan")))
        }
        if not places:
            continue
        by_length = sorted((length, system) for system, (length, _) in places.items())
        shortest, longest = (f"{by_length[at][0]:.3f}" for at in (0, -1))
        short, long = (visible(by_length[at][1]) for at in (0, -1))
        pictures.append(
            _plane(
                places,
                (_Axis("length", 3), _Axis.of(report, metric)),
                f"Length: {unit}s for every {unit} of the references",
                size=(480.0, 320.0),
                name=name_of("length", len(pictures) + 1, metric),
                title=f"{report.heading(metric)} against length",
                description=f"Outputs have from {shortest} ({short}) to {longest} {unit}s ({long}) "
                f"for every {unit} of the references; better scores stand higher, and the dashed "
                "line is at a length of 1.",
                marked=1.0,
            )
        )
    return pictures


_MOST_PICTURES = 10


def agreement_plots(report: CompareReport) -> list[Picture]:
    """Return a plot for every pair of metrics, the first ten."""
    pictures: list[Picture] = []
    for first, second in list(combinations(report.titles, 2))[:_MOST_PICTURES]:
        across = {entry.system: entry.score for entry in report.ordered(first)}
        up = {entry.system: entry.score for entry in report.ordered(second)}
        places = {name: (across[name], up[name]) for name in across if name in up}
        if len(places) > 1:
            name = name_of("agreement", len(pictures) + 1, first, second)
            pictures.append(_agreement_plot(report, (first, second), places, name))
    return pictures


def kendall_tau_b(pairs: Sequence[tuple[float, float]]) -> float:
    """Return Kendall's tau-b (Kendall 1945), which allows for ties; nan if one side is all ties.

    >>> kendall_tau_b([(1, 1), (2, 3), (3, 2)])
    0.3333333333333333
    """
    from weigh.stats.ranking import with_ties

    sides = [with_ties(side, max(map(abs, side))).tolist() for side in zip(*pairs, strict=True)]
    agreeing = first = second = 0
    for (x1, y1), (x2, y2) in combinations(zip(*sides, strict=True), 2):
        across, up = (x1 > x2) - (x1 < x2), (y1 > y2) - (y1 < y2)
        agreeing += across * up
        first += abs(across)
        second += abs(up)
    return agreeing / math.sqrt(first * second) if first and second else math.nan


def conclusions(report: CompareReport, first: str, second: str) -> Counter[str]:
    """Return how often two metrics lead to which conclusions about a pair, by the first test.

    `same`: both find the same winner; `none`: neither finds one; `one`: only one of them does;
    `opposite`: each finds another.
    """
    test = next(iter(report.tests.values()), [])
    winners = {
        (pair.metric, pair.a, pair.b): winner(pair, report.higher(pair.metric))
        for pair in test
        if pair.slice is None
    }
    counts = Counter(same=0, none=0, one=0, opposite=0)
    for metric, a, b in winners:
        if metric != first:
            continue
        two = winners[first, a, b], winners[second, a, b]
        if two[0] == two[1]:
            counts["none" if two[0] is None else "same"] += 1
        else:
            counts["one" if None in two else "opposite"] += 1
    return counts


def _agreement_plot(
    report: CompareReport,
    metrics: tuple[str, str],
    places: Mapping[str, tuple[float, float]],
    name: str,
) -> Picture:
    first, second = (_Axis.of(report, metric) for metric in metrics)
    signs = [-1 if axis.turned else 1 for axis in (first, second)]
    tau = fixed(kendall_tau_b([(signs[0] * a, signs[1] * u) for a, u in places.values()]), 2)
    counts = conclusions(report, *metrics)
    agreeing, total = counts["same"] + counts["none"], counts.total()
    return _plane(
        places,
        (first, second),
        first.meaning("right"),
        size=(400.0, 400.0),
        name=name,
        title=f"{first.title} and {second.title}",
        description=f"Kendall's tau-b over {plural(len(places), 'system')} is {tau}. Of "
        f"{plural(total, 'comparison')}, both metrics find the same winner in {counts['same']:,} "
        f"and no evidence of a difference in {counts['none']:,}; only one finds a winner in "
        f"{counts['one']:,}, and they contradict each other in {counts['opposite']:,}. "
        "Better is up and to the right.",
        caption=f"Kendall's τ-b {tau}; same conclusion in {agreeing:,} of {total:,} comparisons",
    )

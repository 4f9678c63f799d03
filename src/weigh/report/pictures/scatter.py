"""Systems as points on a plane: scores against lengths, and one metric against another."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.pairs import winner
from weigh.report.pictures.picture import Picture, Scale, bottom_axis, left_axis, name_of
from weigh.report.svg import cut, drawable, line, pixels, titled, words
from weigh.wording import fixed, plural

if TYPE_CHECKING:
    from weigh.report.compared import CompareReport


_SIZE = 11.0
_RADIUS = 4.0
_LONGEST_LABEL = 18


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a picture, from its upper left to its lower right corner."""

    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: Box) -> bool:
        """Return whether two boxes overlap."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def holds(self, other: Box) -> bool:
        """Return whether another box lies inside."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """Return the point of the box that is nearest to another."""
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)


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
        dots.append(
            titled("circle", point.title, cx=point.x, cy=point.y, r=_RADIUS, class_="point")
        )
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


_LENGTHS_WIDTH, _LENGTHS_HEIGHT = 480.0, 320.0
_LENGTHS_FRAME = Box(52, 24, _LENGTHS_WIDTH - 20, _LENGTHS_HEIGHT - 40)
_LENGTHS_ROOM = Box(
    _LENGTHS_FRAME.left, _LENGTHS_FRAME.top, _LENGTHS_WIDTH - 2, _LENGTHS_FRAME.bottom
)  # for labels
_MARGIN = 0.1  # which labels use too


def length_plots(report: CompareReport) -> list[Picture]:
    """Return a plot for every metric: score against length, with a line at the references'."""
    evidence = report.result.details
    if evidence is None:
        return []
    pictures: list[Picture] = []
    for metric in report.titles:
        places = {
            entry.system: (evidence.lengths[entry.system], entry.score)
            for entry in report.ordered(metric)
            if drawable(evidence.lengths.get(entry.system, float("nan")))
        }
        if places:
            name = name_of("length", len(pictures) + 1, metric)
            pictures.append(_length_plot(report, metric, places, evidence.length_unit, name))
    return pictures


def _length_plot(
    report: CompareReport, metric: str, places: dict[str, tuple[float, float]], unit: str, name: str
) -> Picture:
    across = Scale.over(
        [1.0, *(length for length, _ in places.values())],
        _LENGTHS_FRAME.left,
        _LENGTHS_FRAME.right,
        _MARGIN,
    )
    ends = (_LENGTHS_FRAME.bottom, _LENGTHS_FRAME.top)
    up = Scale.over(
        (score for _, score in places.values()),
        *(ends if report.higher(metric) else ends[::-1]),
        margin=_MARGIN,
    )
    decimals, called = report.decimals(metric), report.heading(metric)
    points = [
        Point(
            across(length),
            up(score),
            system,
            f"{visible(system)}: {fixed(score, decimals)} {called}, length {length:.3f}",
        )
        for system, (length, score) in places.items()
    ]
    dots, homeless = scatter(points, _LENGTHS_ROOM)
    parts = [
        bottom_axis(across, _LENGTHS_FRAME.top, _LENGTHS_FRAME.bottom),
        left_axis(up, _LENGTHS_FRAME.left, _LENGTHS_FRAME.right),
        line(across(1), _LENGTHS_FRAME.top, across(1), _LENGTHS_FRAME.bottom, "dashed"),
        dots,
        words(6, 14, cut(f"{called}, {report.direction(metric)} (up: better)", 56), "small soft"),
        words(
            (_LENGTHS_FRAME.left + _LENGTHS_FRAME.right) / 2,
            _LENGTHS_HEIGHT - 8,
            f"Length: {unit}s for every {unit} of the references",
            "small soft middle",
        ),
    ]
    shortest, longest = (pick(places, key=lambda system: places[system][0]) for pick in (min, max))
    said = (
        f"Outputs have from {places[shortest][0]:.3f} ({visible(shortest)}) to "
        f"{places[longest][0]:.3f} {unit}s ({visible(longest)}) for every {unit} of the "
        "references; better scores stand higher, and the dashed line is at a length of 1."
    )
    if homeless:
        said += f" {plural(homeless, 'name')} found no room."
    return Picture(
        name, f"{called} against length", said, _LENGTHS_WIDTH, _LENGTHS_HEIGHT, "".join(parts)
    )


_AGREEMENT_SIDE = 400.0
_AGREEMENT_FRAME = Box(52, 24, _AGREEMENT_SIDE - 20, _AGREEMENT_SIDE - 62)
_AGREEMENT_ROOM = Box(
    _AGREEMENT_FRAME.left, _AGREEMENT_FRAME.top, _AGREEMENT_SIDE - 2, _AGREEMENT_FRAME.bottom
)  # for labels
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
            pictures.append(_agreement_plot(report, first, second, places, name))
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
    first: str,
    second: str,
    places: dict[str, tuple[float, float]],
    name: str,
) -> Picture:
    sides, floor = (
        (_AGREEMENT_FRAME.left, _AGREEMENT_FRAME.right),
        (_AGREEMENT_FRAME.bottom, _AGREEMENT_FRAME.top),
    )
    x = Scale.over(
        (across for across, _ in places.values()),
        *(sides if report.higher(first) else sides[::-1]),
        margin=_MARGIN,
    )
    y = Scale.over(
        (up for _, up in places.values()),
        *(floor if report.higher(second) else floor[::-1]),
        margin=_MARGIN,
    )
    titles = report.heading(first), report.heading(second)
    digits = report.decimals(first), report.decimals(second)
    points = [
        Point(
            x(across),
            y(up),
            system,
            f"{visible(system)}: {fixed(across, digits[0])} {titles[0]}, "
            f"{fixed(up, digits[1])} {titles[1]}",
        )
        for system, (across, up) in places.items()
    ]
    dots, homeless = scatter(points, _AGREEMENT_ROOM)
    signs = [1 if report.higher(metric) else -1 for metric in (first, second)]
    tau = kendall_tau_b([(signs[0] * a, signs[1] * u) for a, u in places.values()])
    counts = conclusions(report, first, second)
    agreeing, total = counts["same"] + counts["none"], counts.total()
    below = f"{titles[0]}, {report.direction(first)} (right: better)"
    beside = f"{titles[1]}, {report.direction(second)} (up: better)"
    tau_text = fixed(tau, 2)
    caption = f"Kendall's τ-b {tau_text}; same conclusion in {agreeing:,} of {total:,} comparisons"
    parts = [
        bottom_axis(x, _AGREEMENT_FRAME.top, _AGREEMENT_FRAME.bottom, 5),
        left_axis(y, _AGREEMENT_FRAME.left, _AGREEMENT_FRAME.right),
        dots,
        words(6, 14, cut(beside, 56), "small soft"),
        words(
            (_AGREEMENT_FRAME.left + _AGREEMENT_FRAME.right) / 2,
            _AGREEMENT_SIDE - 30,
            cut(below, 56),
            "small soft middle",
        ),
        words(
            (_AGREEMENT_FRAME.left + _AGREEMENT_FRAME.right) / 2,
            _AGREEMENT_SIDE - 8,
            caption,
            "small middle",
        ),
    ]
    said = (
        f"Kendall's tau-b over {plural(len(places), 'system')} is {tau_text}. Of "
        f"{plural(total, 'comparison')}, both metrics find the same winner in {counts['same']:,} "
        f"and no evidence of a difference in {counts['none']:,}; only one finds a winner in "
        f"{counts['one']:,}, and they contradict each other in {counts['opposite']:,}. "
        "Better is up and to the right."
    )
    if homeless:
        said += f" {plural(homeless, 'name')} found no room."
    title = f"{titles[0]} and {titles[1]}"
    return Picture(name, title, said, _AGREEMENT_SIDE, _AGREEMENT_SIDE, "".join(parts))

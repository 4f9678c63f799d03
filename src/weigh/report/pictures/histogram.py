"""Histograms of pseudo-statistics, with the trials that count against a difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.pictures.picture import Picture, Scale, name_of
from weigh.report.svg import coordinate, cut, drawable, element, line, pixels, words
from weigh.stats.procedures import PROCEDURES
from weigh.wording import fixed, plural

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Comparison, Histogram
    from weigh.report.compared import CompareReport

_WIDTH, _HEIGHT = 240.0, 150.0
_TOP, _BOTTOM = 36.0, 112.0

# A part of a bin: from, to, how many trials the bin has.
Bar = tuple[float, float, int]


def histograms(report: CompareReport, chosen: Sequence[Histogram] | None = None) -> list[Picture]:
    """Return a small picture for every histogram, or for those chosen (Graham et al. 2014, §5)."""
    evidence = report.result.details
    if evidence is None:
        return []
    numbers = {id(each): number for number, each in enumerate(evidence.histograms, 1)}
    tested = {
        (pair.metric, pair.test, pair.a, pair.b): pair
        for pair in report.result.comparisons
        if pair.slice is None
    }
    pictures = []
    for histogram in evidence.histograms if chosen is None else chosen:
        key = (histogram.metric, histogram.test, histogram.a, histogram.b)
        name = name_of("histogram", numbers[id(histogram)], *key)
        pictures.append(_picture(report, histogram, tested[key], name))
    return pictures


def extreme_parts(
    histogram: Histogram, pair: Comparison, difference: float
) -> tuple[tuple[float, float], ...]:
    """Return where the trials lie that count against a difference.

    `difference` is that of the scores, turned like the trials so that positive means that a is
    better. Trials around the difference count where they reach zero (the paired bootstrap's,
    Koehn 2004 §6), trials around zero where they reach the difference. Two-sided, the former
    count on the smaller side and the latter on either.
    """
    below, above = (-math.inf, 0.0), (0.0, math.inf)
    if not PROCEDURES[pair.test].around_zero:
        if pair.alternative == "two-sided":
            counted = below if _share_below_zero(histogram) <= 0.5 else above
        else:
            counted = below if pair.alternative == "better" else above
        return (counted,)
    if pair.alternative == "two-sided":
        return ((-math.inf, -abs(difference)), (abs(difference), math.inf))
    if pair.alternative == "better":
        return ((difference, math.inf),)
    return ((-math.inf, difference),)


def _share_below_zero(histogram: Histogram) -> float:
    """Return about what share of the trials is negative, as if those of a bin lay evenly."""
    zero = -histogram.start / histogram.width  # counted in bins, which may be too narrow to tell
    below = sum(count * min(max(zero - at, 0.0), 1.0) for at, count in enumerate(histogram.counts))
    return below / sum(histogram.counts)


def bins(histogram: Histogram) -> list[Bar]:
    """Return the bins without the empty ones at both ends."""
    used = [at for at, count in enumerate(histogram.counts) if count]
    start, width = histogram.start, histogram.width
    return [
        (start + at * width, start + (at + 1) * width, histogram.counts[at])
        for at in range(used[0], used[-1] + 1)
    ]


def split(bars: Iterable[Bar], extreme: Iterable[tuple[float, float]]) -> tuple[list[Bar], ...]:
    """Return the usual and the extreme parts of bins, cut where the extreme begins or ends."""
    regions = list(extreme)
    cuts = sorted(end for region in regions for end in region if math.isfinite(end))
    usual: list[Bar] = []
    counted: list[Bar] = []
    for low, high, count in bars:
        edges = [low, *(cut for cut in cuts if low < cut < high), high]
        for first, last in pairwise(edges):
            middle = (first + last) / 2
            inside = any(region[0] <= middle <= region[1] for region in regions)
            (counted if inside else usual).append((first, last, count))
    return usual, counted


def _picture(report: CompareReport, histogram: Histogram, pair: Comparison, name: str) -> Picture:
    difference = pair.difference if report.higher(pair.metric) else -pair.difference
    shown = fixed(difference, report.decimals(pair.metric), sign=True)
    if drawable(difference, histogram.start, histogram.width) and histogram.width > 0:
        drawn = _bars(histogram, pair, difference, shown)
    else:
        drawn = words(10, _BOTTOM, "No numbers to draw", "small soft")
    return Picture(
        name=name,
        title=f"{visible(pair.a)} and {visible(pair.b)} by {report.heading(pair.metric)}: "
        f"{pair.test}",
        description=_description(pair, shown),
        width=_WIDTH,
        height=_HEIGHT,
        body=words(10, 14, f"{cut(pair.a, 16)} / {cut(pair.b, 16)}", "small") + drawn + _foot(pair),
    )


def _bars(histogram: Histogram, pair: Comparison, difference: float, shown: str) -> str:
    marked, label = (0.0, "0")
    if PROCEDURES[pair.test].around_zero:
        marked, label = difference, f"D = {shown}"
    bars = bins(histogram)
    scale = Scale.over([marked, bars[0][0], bars[-1][1]], 10, _WIDTH - 10, 0.02)
    tallest = Scale(0, max(histogram.counts), _BOTTOM, _TOP + 4)
    usual, counted = split(bars, extreme_parts(histogram, pair, difference))
    x = scale(marked)
    beside, class_ = (x + 4, "") if x < _WIDTH / 2 else (x - 4, " end")
    parts = [
        _steps(usual, scale, tallest, "bars"),
        _steps(counted, scale, tallest, "extreme"),
        line(10, _BOTTOM, _WIDTH - 10, _BOTTOM, "axis"),
        line(x, _TOP - 12, x, _BOTTOM, "actual"),
        words(beside, _TOP - 4, label, f"small marked{class_}"),
    ]
    for value, text in scale.ticks(5):
        if pixels(text, 11) / 2 <= min(scale(value), _WIDTH - scale(value)):
            parts.append(words(scale(value), _BOTTOM + 14, text, "small soft middle"))
    return "".join(parts)


def _foot(pair: Comparison) -> str:
    """Return the count, and which way is whose: the title names the two in this order."""
    count = f"c = {pair.count:,} of {pair.trials:,}"
    way = "first better →"
    foot = words(10, _HEIGHT - 6, count, "small")
    if pixels(count + way, 11) > _WIDTH - 30:  # millions of trials
        return foot
    return foot + words(_WIDTH - 10, _HEIGHT - 6, way, "small soft end")


def _steps(bars: list[Bar], x: Scale, y: Scale, class_: str) -> str:
    """Return bars as one path: up, along and down, without walls between neighbours."""
    if not bars:
        return ""
    floor = coordinate(y.start)
    path = ""
    before = None
    for low, high, count in bars:
        if low != before:
            down = f"V{floor}" if path else ""
            path += f"{down}M{coordinate(x(low))} {floor}"
        path += f"V{coordinate(y(count))}H{coordinate(x(high))}"
        before = high
    return element("path", d=f"{path}V{floor}Z", class_=class_)


def _description(pair: Comparison, shown: str) -> str:
    reach = "zero"
    if PROCEDURES[pair.test].around_zero:
        reach = f"the actual difference D = {shown}"
        reach += " in size" if pair.alternative == "two-sided" else ""
    return (
        f"Differences in {plural(pair.trials, 'trial')}, positive where {visible(pair.a)} is "
        f"better; c = {pair.count:,} of them reach {reach}."
    )

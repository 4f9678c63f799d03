"""Agreement between metrics: systems by two metrics at once, and what the tests conclude."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from weigh.report.pairs import winner
from weigh.report.pictures.axis import Scale, bottom_axis, left_axis
from weigh.report.pictures.picture import Picture, name_of
from weigh.report.pictures.scatter import Box, Point, scatter
from weigh.report.pictures.systems import direction, heading
from weigh.report.svg import cut, words
from weigh.report.text import visible
from weigh.wording import fixed, plural

if TYPE_CHECKING:
    from weigh.report.compared import CompareReport

_WIDTH, _HEIGHT = 400.0, 400.0
_FRAME = Box(52, 24, _WIDTH - 20, _HEIGHT - 62)
_ROOM = Box(_FRAME.left, _FRAME.top, _WIDTH - 2, _FRAME.bottom)  # for labels
_MARGIN = 0.1  # which labels use too
_MOST_PICTURES = 10


def agreement_plots(report: CompareReport) -> list[Picture]:
    """Return a plot for every pair of metrics, the first ten."""
    pictures: list[Picture] = []
    for first, second in list(combinations(report.titles, 2))[:_MOST_PICTURES]:
        across = {entry.system: entry.score for entry in report.ordered(first)}
        up = {entry.system: entry.score for entry in report.ordered(second)}
        found = {name: (across[name], up[name]) for name in across if name in up}
        if len(found) > 1:
            name = name_of("agreement", len(pictures) + 1, first, second)
            pictures.append(_plot(report, first, second, found, name))
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
    found = {
        (one.metric, one.a, one.b): winner(one, report.higher(one.metric))
        for one in test
        if one.slice is None
    }
    counts = Counter(same=0, none=0, one=0, opposite=0)
    for metric, a, b in found:
        if metric != first:
            continue
        two = found[first, a, b], found[second, a, b]
        if two[0] == two[1]:
            counts["none" if two[0] is None else "same"] += 1
        else:
            counts["one" if None in two else "opposite"] += 1
    return counts


def _plot(
    report: CompareReport,
    first: str,
    second: str,
    found: dict[str, tuple[float, float]],
    name: str,
) -> Picture:
    sides, floor = (_FRAME.left, _FRAME.right), (_FRAME.bottom, _FRAME.top)
    x = Scale.over(
        (across for across, _ in found.values()),
        *(sides if report.higher(first) else sides[::-1]),
        margin=_MARGIN,
    )
    y = Scale.over(
        (up for _, up in found.values()),
        *(floor if report.higher(second) else floor[::-1]),
        margin=_MARGIN,
    )
    titles = heading(report, first), heading(report, second)
    digits = report.decimals(first), report.decimals(second)
    points = [
        Point(
            x(across),
            y(up),
            system,
            f"{visible(system)}: {fixed(across, digits[0])} {titles[0]}, "
            f"{fixed(up, digits[1])} {titles[1]}",
        )
        for system, (across, up) in found.items()
    ]
    dots, homeless = scatter(points, _ROOM)
    signs = [1 if report.higher(metric) else -1 for metric in (first, second)]
    tau = kendall_tau_b([(signs[0] * a, signs[1] * u) for a, u in found.values()])
    counts = conclusions(report, first, second)
    agreeing, total = counts["same"] + counts["none"], counts.total()
    below = f"{titles[0]}, {direction(report, first)} (right: better)"
    beside = f"{titles[1]}, {direction(report, second)} (up: better)"
    tau_text = fixed(tau, 2)
    caption = f"Kendall's τ-b {tau_text}; same conclusion in {agreeing:,} of {total:,} comparisons"
    parts = [
        bottom_axis(x, _FRAME.top, _FRAME.bottom, 5),
        left_axis(y, _FRAME.left, _FRAME.right),
        dots,
        words(6, 14, cut(beside, 56), "small soft"),
        words((_FRAME.left + _FRAME.right) / 2, _HEIGHT - 30, cut(below, 56), "small soft middle"),
        words((_FRAME.left + _FRAME.right) / 2, _HEIGHT - 8, caption, "small middle"),
    ]
    said = (
        f"Kendall's tau-b over {plural(len(found), 'system')} is {tau_text}. Of "
        f"{plural(total, 'comparison')}, both metrics find the same winner in {counts['same']:,} "
        f"and no evidence of a difference in {counts['none']:,}; only one finds a winner in "
        f"{counts['one']:,}, and they contradict each other in {counts['opposite']:,}. "
        "Better is up and to the right."
    )
    if homeless:
        said += f" {plural(homeless, 'name')} found no room."
    title = f"{titles[0]} and {titles[1]}"
    return Picture(name, title, said, _WIDTH, _HEIGHT, "".join(parts))

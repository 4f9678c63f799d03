"""Forest plots: scores with their intervals."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from weigh.report.number import fixed, percent, plural
from weigh.report.pictures.axis import Scale, bottom_axis, drawable
from weigh.report.pictures.picture import Picture, name_of
from weigh.report.pictures.systems import direction, heading, ordered, slices
from weigh.report.svg import cut, line, pixels, titled, words
from weigh.report.text import visible

if TYPE_CHECKING:
    from weigh.metrics.scoring import SystemScore
    from weigh.report.compared import CompareReport

_WIDTH = 520.0
_ROW = 22.0
_TOP, _FOOT = 8.0, 42.0
_LONGEST_LABEL = 24


def forest_plots(report: CompareReport) -> list[Picture]:
    """Return a plot for every metric and slice: systems best first, clusters set apart."""
    pictures: list[Picture] = []
    for metric in report.titles:
        for label in slices(report):
            if entries := ordered(report, metric, label):
                name = name_of("forest", len(pictures) + 1, metric, label)
                pictures.append(_plot(report, entries, name))
    return pictures


def _plot(report: CompareReport, entries: list[SystemScore], name: str) -> Picture:
    first = entries[0]
    metric, decimals = first.metric, report.decimals(first.metric)
    labels = [cut(entry.system, _LONGEST_LABEL) for entry in entries]
    scores = [fixed(entry.score, decimals) for entry in entries]
    left = 14 + max(pixels(text, 12) for text in labels)
    right = _WIDTH - 14 - max(pixels(text, 12) for text in scores)
    bottom = _TOP + _ROW * len(entries)
    ends = [end for entry in entries for end in _interval(entry) or (entry.score,)]
    scale = Scale.over([*ends, *(entry.score for entry in entries)], left + 6, right - 6)
    parts = [bottom_axis(scale, _TOP, bottom, 8)]
    clusters = _clusters(report, first)
    for at, (one, other) in enumerate(pairwise(entries), 1):
        if clusters.get(one.system) != clusters.get(other.system):
            y = _TOP + _ROW * at
            parts.append(line(4, y, _WIDTH - 4, y, "rule"))
    for at, entry in enumerate(entries):
        y = _TOP + _ROW * (at + 0.5)
        parts.append(words(left - 6, y + 4, labels[at], "end"))
        if (interval := _interval(entry)) is not None:
            parts.append(line(scale(interval[0]), y, scale(interval[1]), y, "interval"))
        title = visible(entry.system) + ": " + _told(entry, decimals)
        parts.append(titled("circle", title, cx=scale(entry.score), cy=y, r=4, class_="point"))
        parts.append(words(_WIDTH - 6, y + 4, scores[at], "end"))
    axis = f"{heading(report, metric)} ({direction(report, metric)})"
    parts.append(words((left + right) / 2, bottom + 32, cut(axis, 60), "small soft middle"))
    return Picture(
        name=name,
        title=f"Scores by {heading(report, metric, first.slice)}",
        description=_description(report, entries, clusters),
        width=_WIDTH,
        height=bottom + _FOOT,
        body="".join(parts),
    )


def _interval(entry: SystemScore) -> tuple[float, float] | None:
    return entry.interval if entry.interval and drawable(*entry.interval) else None


def _told(entry: SystemScore, decimals: int) -> str:
    text = fixed(entry.score, decimals)
    if (interval := _interval(entry)) is None or entry.level is None:
        return text
    low, high = (fixed(end, decimals) for end in interval)
    return f"{text}, {percent(entry.level)} interval {low} to {high}"


def _clusters(report: CompareReport, entry: SystemScore) -> dict[str, int]:
    """Return the number of each system's cluster by the first test."""
    for ranking in report.result.rankings:
        if (ranking.metric, ranking.slice) == (entry.metric, entry.slice):
            return {name: at for at, names in enumerate(ranking.clusters) for name in names}
    return {}


def _description(
    report: CompareReport, entries: list[SystemScore], clusters: dict[str, int]
) -> str:
    decimals = report.decimals(entries[0].metric)
    best, last = entries[0], entries[-1]
    said = f"{plural(len(entries), 'system')}, best first: {visible(best.system)} has "
    said += _told(best, decimals)
    if len(entries) > 1:
        said += f"; {visible(last.system)} is last with {_told(last, decimals)}"
    if clusters:
        count = len(set(clusters.values()))
        said += f". Lines part {count} clusters" if count > 1 else ". They are in one cluster"
    return said + "."

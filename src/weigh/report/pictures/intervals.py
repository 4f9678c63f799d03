"""Intervals: of systems' scores, one below the other, and of differences, sample by sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.phrases import rank_text
from weigh.report.pictures.picture import Picture, Scale, bottom_axis, left_axis, name_of
from weigh.report.svg import cut, drawable, line, lines_of_words, pixels, titled, words, wrapped
from weigh.wording import fixed, percent, plural

if TYPE_CHECKING:
    from weigh.comparing.comparison import Sweep
    from weigh.comparing.result import SystemScore
    from weigh.human.rank import HumanRanking, RankResult
    from weigh.report.compared import CompareReport
    from weigh.report.scores import ScoreTable


_WIDTH = 520.0
_ROW = 22.0
_TOP, _FOOT = 8.0, 42.0
_LONGEST_LABEL = 24


@dataclass(frozen=True, slots=True)
class Row:
    """A system with its score; `level` is that of the interval, `cluster` a number if it has one.

    `rank` tells the ranks that it may have, if they are known.

    `kind` is `against` or `open` where a row is to stand out, or to stand back. The score is one
    that can be drawn (`weigh.report.svg.drawable`).
    """

    system: str
    score: float
    interval: tuple[float, float] | None = None
    level: float | None = None
    cluster: int | None = None
    kind: str = ""
    rank: str = ""

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval, if it can be drawn."""
        return self.interval if self.interval and drawable(*self.interval) else None

    def told(self, decimals: int) -> str:
        """Return the numbers in words."""
        text = fixed(self.score, decimals) + (f", rank {self.rank}" if self.rank else "")
        if self.ends is None or self.level is None:
            return text
        low, high = (fixed(end, decimals) for end in self.ends)
        return f"{text}, {percent(self.level)} interval {low} to {high}"


def forest_plots(report: CompareReport, *, sliced: bool | None = None) -> list[Picture]:
    """Return a plot for every metric and slice: systems best first, clusters set apart.

    They are of the whole test set or, where `sliced`, of its slices; of both if that is None.
    """
    pictures: list[Picture] = []
    for number, (metric, label) in enumerate(product(report.titles, report.slices), 1):
        entries = report.ordered(metric, label)
        if entries and sliced in (None, label is not None):
            clusters, ranks = _ranked(report, entries[0])
            pictures.append(
                forest_plot(
                    [
                        Row(
                            e.system,
                            e.score,
                            e.interval,
                            e.level,
                            clusters.get(e.system),
                            rank=ranks.get(e.system, ""),
                        )
                        for e in entries
                    ],
                    name=name_of("forest", number, metric, label),
                    title=f"Scores by {report.heading(metric, label)}",
                    axis=f"{report.heading(metric)} ({report.direction(metric)})",
                    decimals=report.decimals(metric),
                )
            )
    return pictures


def score_plots(table: ScoreTable, *, sliced: bool) -> list[Picture]:
    """Return a plot of the scores by every metric, on the whole or by slice, as they are given."""
    pictures: list[Picture] = []
    labels = dict.fromkeys(entry.slice for entry in table.scores)
    for number, ((metric, entries), label) in enumerate(product(table.metrics.items(), labels), 1):
        title = visible(table.titles[metric])
        which = "higher" if entries[0].higher_is_better else "lower"
        rows = [
            Row(
                entry.system if entry.run is None else f"{entry.system}@{entry.run}",
                entry.score,
                entry.interval,
                entry.level,
            )
            for entry in entries
            if entry.slice == label and drawable(entry.score)
        ]
        if rows and sliced == (label is not None):
            where = "" if label is None else f", {visible(label)}"
            pictures.append(
                forest_plot(
                    rows,
                    name=name_of("forest", number, metric, label),
                    title=f"Scores by {title}{where}",
                    axis=f"{title} ({which} is better)",
                    decimals=table.decimals(metric),
                )
            )
    return pictures


_AXES = {
    "z": "z, standardised for each judge",
    "raw": "score",
    "expected wins": "expected wins",
}


def ranking_plots(result: RankResult) -> list[Picture]:
    """Return a plot for every ranking: systems best first, clusters set apart."""
    pictures: list[Picture] = []
    for ranking in result.rankings:
        if rows := _ranking_rows(ranking, result.plan.level):
            pictures.append(
                forest_plot(
                    rows,
                    name=name_of("forest", len(pictures) + 1, ranking.pair, ranking.scale),
                    title=f"Scores: {visible(ranking.about)}",
                    axis=f"{'adequacy: ' * ranking.combined}{_AXES[ranking.by]} (higher is better)",
                    decimals=ranking.decimals,
                )
            )
    return pictures


def _ranking_rows(ranking: HumanRanking, level: float) -> list[Row]:
    from weigh.human.scores import HumanScore

    return [
        Row(
            score.system,
            score.score,
            score.interval if isinstance(score, HumanScore) else None,
            level,
            score.cluster - 1 if ranking.comparisons else None,
            rank=rank_text(score.rank) if ranking.comparisons else "",
        )
        for score in ranking.scores
        if drawable(score.score)
    ]


def _ranked(report: CompareReport, entry: SystemScore) -> tuple[dict[str, int], dict[str, str]]:
    """Return the number of each system's cluster, and its ranks, by the first test."""
    for ranking in report.result.rankings:
        if (ranking.metric, ranking.slice) == (entry.metric, entry.slice):
            clusters = {name: at for at, names in enumerate(ranking.clusters) for name in names}
            return clusters, {name: rank_text(ends) for name, ends in ranking.ranks.items()}
    return {}, {}


def forest_plot(
    rows: Sequence[Row],
    *,
    name: str,
    title: str,
    axis: str,
    decimals: int,
    description: str | None = None,
    longest_label: int = _LONGEST_LABEL,
    label_lines: int = 1,
    width: float = _WIDTH,
    marked: float | None = None,
    least: float | None = None,
) -> Picture:
    """Draw rows from top to bottom, with a line where one cluster ends and another begins.

    A dashed line stands at the value that is `marked`; `least` is one that the axis begins with.
    Labels may have several lines.
    """
    labels = [wrapped(row.system, longest_label, label_lines) for row in rows]
    high = _ROW + 13 * (max(map(len, labels)) - 1)
    scores = [fixed(row.score, decimals) for row in rows]
    ranks = max(pixels(row.rank, 11) for row in rows)
    left = 14 + max(pixels(text, 12) for label in labels for text in label)
    left += 10 + ranks if ranks else 0
    right = width - 14 - max(pixels(text, 12) for text in scores)
    bottom = _TOP + high * len(rows)
    ends = [end for row in rows for end in row.ends or (row.score,)]
    wanted = [value for value in (marked, least) if value is not None]
    scale = Scale.over([*ends, *wanted, *(row.score for row in rows)], left + 6, right - 6)
    parts = [bottom_axis(scale, _TOP, bottom, 8)]
    if marked is not None:
        parts.append(line(scale(marked), _TOP, scale(marked), bottom, "dashed"))
    for at, (row, other) in enumerate(pairwise(rows), 1):
        if row.cluster != other.cluster:
            y = _TOP + high * at
            parts.append(line(4, y, width - 4, y, "rule"))
    for at, row in enumerate(rows):
        y = _TOP + high * (at + 0.5)
        if row.rank:
            parts.append(words(6, y + 4, row.rank, "small soft"))
        parts.append(lines_of_words(left - 6, y, labels[at], "end"))
        if row.ends is not None:
            parts.append(
                line(scale(row.ends[0]), y, scale(row.ends[1]), y, _classes("interval", row))
            )
        told = visible(row.system) + ": " + row.told(decimals)
        dot = {"cx": scale(row.score), "cy": y, "r": 4.0}
        parts.append(titled("circle", told, **dot, class_=_classes("point", row)))
        parts.append(words(width - 6, y + 4, scores[at], "end"))
    said = cut(axis, 60)
    middle = min((left + right) / 2, width - 6 - pixels(said, 11) / 2)
    parts.append(words(middle, bottom + 32, said, "small soft middle"))
    return Picture(
        name=name,
        title=title,
        description=_description(rows, decimals) if description is None else description,
        width=width,
        height=bottom + _FOOT,
        body="".join(parts),
    )


def _classes(shape: str, row: Row) -> str:
    return f"{shape} {row.kind}".rstrip()


def _description(rows: Sequence[Row], decimals: int) -> str:
    best, last = rows[0], rows[-1]
    said = f"{plural(len(rows), 'system')}, best first: {visible(best.system)} has "
    said += best.told(decimals)
    if len(rows) > 1:
        said += f"; {visible(last.system)} is last with {last.told(decimals)}"
    if count := len({row.cluster for row in rows} - {None}):
        said += f". Lines part {count} clusters" if count > 1 else ". They are in one cluster"
    if any(row.rank for row in rows):
        said += ". The ranks that each may have stand on the left"
    return said + "."


_SWEEP_WIDTH, _SWEEP_HEIGHT = 480.0, 235.0
_SWEEP_LEFT, _SWEEP_TOP, _SWEEP_RIGHT, _SWEEP_BOTTOM = 52.0, 22.0, _SWEEP_WIDTH - 10, 175.0

# What a sample says, with the class that shows it.
_OPEN, _A, _B = "open", "", "against"


def drawn_sweeps(report: CompareReport) -> list[Sweep]:
    """Return the samples of pairs that a reader asks about first, and that can be drawn."""
    details = report.result.details
    pairs: dict[tuple[str, frozenset[str]], Sweep] = {}
    for sweep in () if details is None else details.sweeps:
        can_be_drawn = any(drawable(difference) for difference in sweep.differences)
        if can_be_drawn and report.is_neighbour(sweep):
            # One-sided, a pair is tested in both directions; one picture shows both.
            pairs.setdefault((sweep.metric, frozenset((sweep.a, sweep.b))), sweep)
    return list(pairs.values())


def sweep_plots(report: CompareReport, chosen: Sequence[Sweep] | None = None) -> list[Picture]:
    """Return a plot for pairs on samples, all or those chosen (Koehn 2004, figures 4, 7, 8)."""
    details = report.result.details
    if details is None:
        return []
    sweeps = drawn_sweeps(report)
    numbers = {id(sweep): number for number, sweep in enumerate(sweeps, 1)}
    return [
        _sweep_plot(
            report,
            sweep,
            details.sample_size,
            name_of("sweep", numbers[id(sweep)], sweep.metric, sweep.a, sweep.b),
        )
        for sweep in (sweeps if chosen is None else chosen)
    ]


def said_by(interval: tuple[float, float]) -> str:
    """Return the class of a sample by what its interval says of zero."""
    if interval[0] > 0:
        return _A
    return _B if interval[1] < 0 else _OPEN


def _sweep_plot(report: CompareReport, sweep: Sweep, size: int, name: str) -> Picture:
    decimals = report.decimals(sweep.metric)
    whole = _whole_difference(report, sweep)
    samples = [
        (number, difference, interval)
        for number, (difference, interval) in enumerate(
            zip(sweep.differences, sweep.intervals, strict=True), 1
        )
        if drawable(difference, *interval)
    ]
    count = len(sweep.differences)
    x = Scale(0.5, count + 0.5, _SWEEP_LEFT, _SWEEP_RIGHT)
    values = [value for _, difference, ends in samples for value in (difference, *ends)]
    y = Scale.over([0.0, *values, *([] if whole is None else [whole])], _SWEEP_BOTTOM, _SWEEP_TOP)
    parts = [
        words(_SWEEP_LEFT, 14, f"↑ {cut(sweep.a, 24)} better", "small soft"),
        left_axis(y, _SWEEP_LEFT, _SWEEP_RIGHT),
        line(_SWEEP_LEFT, y(0), _SWEEP_RIGHT, y(0), "axis"),
    ]
    if whole is not None:
        parts.append(line(_SWEEP_LEFT, y(whole), _SWEEP_RIGHT, y(whole), "dashed"))
    said = {_A: 0, _OPEN: 0, _B: 0}
    for number, difference, interval in samples:
        class_ = said_by(interval)
        said[class_] += 1
        at = x(number)
        parts.append(line(at, y(interval[0]), at, y(interval[1]), f"interval {class_}".rstrip()))
        low, high = (fixed(end, decimals, sign=True) for end in interval)
        title = f"sample {number}: {fixed(difference, decimals, sign=True)}, {low} to {high}"
        dot = {"cx": at, "cy": y(difference), "r": 3.5}
        parts.append(titled("circle", title, **dot, class_=f"point {class_}".rstrip()))
    for value, text in x.ticks(8):
        if value >= 1:
            parts.append(words(x(value), _SWEEP_BOTTOM + 14, text, "small soft middle"))
    under = f"Samples of {plural(size, report.result.unit)}"
    if whole is not None:
        under += f"; dashed: the whole test set, {fixed(whole, decimals, sign=True)}"
    parts.append(words(_SWEEP_LEFT, _SWEEP_BOTTOM + 32, under, "small soft"))
    parts.append(_sweep_legend(sweep, said))
    return Picture(
        name=name,
        title=f"{visible(sweep.a)} and {visible(sweep.b)} by {report.heading(sweep.metric)}, "
        "sample by sample",
        description=_sweep_description(report, sweep, size, said),
        width=_SWEEP_WIDTH,
        height=_SWEEP_HEIGHT,
        body="".join(parts),
    )


def _whole_difference(report: CompareReport, sweep: Sweep) -> float | None:
    """Return the difference on the whole test set, positive where a is better."""
    scores = {
        entry.system: entry.score
        for entry in report.result.scores
        if (entry.metric, entry.slice) == (sweep.metric, None)
    }
    difference = scores[sweep.a] - scores[sweep.b]
    if not drawable(difference):
        return None
    return difference if report.higher(sweep.metric) else -difference


def _sweep_legend(sweep: Sweep, said: dict[str, int]) -> str:
    parts = []
    x = 8.0
    for class_, text in (
        (_A, f"{cut(sweep.a, 13)} better: {said[_A]}"),
        (_OPEN, f"no evidence: {said[_OPEN]}"),
        (_B, f"{cut(sweep.b, 13)} better: {said[_B]}"),
    ):
        dot = {"cx": x + 5, "cy": _SWEEP_HEIGHT - 10, "r": 3.5}
        parts.append(titled("circle", text, **dot, class_=f"point {class_}".rstrip()))
        parts.append(words(x + 14, _SWEEP_HEIGHT - 6, text, "small"))
        x += 24 + pixels(text, 11)
    return "".join(parts)


def _sweep_description(report: CompareReport, sweep: Sweep, size: int, said: dict[str, int]) -> str:
    level = percent(report.result.plan.level)
    return (
        f"Of {plural(sum(said.values()), 'sample')} of {plural(size, report.result.unit)} each, "
        f"{said[_A]} say that {visible(sweep.a)} is better and {said[_B]} that {visible(sweep.b)} "
        f"is, by {level} intervals of the difference; {said[_OPEN]} give no evidence of a "
        "difference."
    )

"""Scores with their intervals, one below the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.phrases import rank_text
from weigh.report.pictures.picture import Box, Picture, bottom_axis, dot, name_of
from weigh.report.svg import (
    cut,
    drawable,
    line,
    lines_of_words,
    pixels,
    told_apart,
    words,
    wrapped,
)
from weigh.wording import fixed, listed, percent, plural

if TYPE_CHECKING:
    from weigh.human.rank_result import HumanRanking, RankResult
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

    def rows(metric: str, label: str | None) -> Iterator[Row]:
        ranking = report.ranking(metric, report.first_test, label)
        clusters = () if ranking is None else ranking.clusters
        numbers = {name: at for at, names in enumerate(clusters) for name in names}
        for entry in report.ordered(metric, label):
            row = Row(entry.system, entry.score, entry.interval, entry.level)
            if ranking is not None and entry.system in numbers:
                rank = rank_text(ranking.ranks[entry.system])
                row = replace(row, cluster=numbers[entry.system], rank=rank)
            yield row

    return _plots(report.scores, rows, sliced)


def score_plots(table: ScoreTable, *, sliced: bool) -> list[Picture]:
    """Return a plot of the scores by every metric, on the whole or by slice, as they are given."""

    def rows(metric: str, label: str | None) -> Iterator[Row]:
        for entry in table.metrics[metric]:
            if entry.slice == label and drawable(entry.score):
                name = entry.system if entry.run is None else f"{entry.system}@{entry.run}"
                yield Row(name, entry.score, entry.interval, entry.level)

    return _plots(table, rows, sliced)


def _plots(
    table: ScoreTable, rows_of: Callable[[str, str | None], Iterator[Row]], sliced: bool | None
) -> list[Picture]:
    pictures: list[Picture] = []
    labels = dict.fromkeys(entry.slice for entry in table.scores)
    for number, (metric, label) in enumerate(product(table.metrics, labels), 1):
        rows = list(rows_of(metric, label))
        if rows and sliced in (None, label is not None):
            title = visible(table.titles[metric])
            which = "higher" if table.metrics[metric][0].higher_is_better else "lower"
            pictures.append(
                forest_plot(
                    rows,
                    name=name_of("forest", number, metric, label),
                    title=f"Scores by {title}{'' if label is None else f', {visible(label)}'}",
                    axis=f"{title} ({which} is better)",
                    decimals=table.decimals(metric),
                )
            )
    return pictures


_AXES = {
    "z": "z, standardised for each judge",
    "raw": "score",
    "expected wins": "expected wins",
    "bradley-terry": "log strength",
}


_DIFFERENCES = {"z": "z", "raw": "points", "expected wins": "expected wins"}


def ranking_plots(result: RankResult) -> list[Picture]:
    """Return a plot for every ranking: systems best first, clusters set apart."""
    pictures: list[Picture] = []
    for ranking in result.rankings:
        if rows := _ranking_rows(ranking, result.plan.level):
            shown = _unranked_rows(ranking, result.plan.level)
            told = _description(rows, ranking.decimals)
            if shown:
                told += f" Unranked: {listed([visible(row.system) for row in shown])}."
            pictures.append(
                forest_plot(
                    [*rows, *shown],
                    name=name_of("forest", len(pictures) + 1, ranking.pair, ranking.scale),
                    title=f"Scores: {visible(ranking.about)}",
                    axis=f"{'adequacy: ' * ranking.combined}{_AXES[ranking.by]} (higher is better)",
                    decimals=ranking.decimals,
                    description=told,
                )
            )
    return pictures


# More pairs than this are for the list alone.
_MOST_PAIRS = 30
_LONGEST_PAIR = 40


def difference_plots(result: RankResult) -> list[Picture]:
    """Return a plot for every ranking of what holds of pairs for other judges and segments.

    An interval that does not reach zero stands out.
    """
    from weigh.report.human_pairs import once

    pictures: list[Picture] = []
    level = percent(result.plan.level)
    for ranking in result.rankings:
        systems = [row.system for row in ranking.scores]
        # Two names share the room of a label.
        called = dict(zip(systems, told_apart(systems, _LONGEST_PAIR // 2), strict=True))
        rows = [
            Row(
                f"{called[pair.a]} − {called[pair.b]}",
                found.difference,
                found.interval,
                result.plan.level,
                kind="open" if found.interval[0] <= 0 <= found.interval[1] else "",
            )
            for pair in once(ranking.comparisons)
            if (found := pair.for_others) is not None and drawable(found.difference)
        ]
        if not 0 < len(rows) <= _MOST_PAIRS or ranking.combined:
            continue
        clear = sum(not row.kind for row in rows)
        pictures.append(
            forest_plot(
                rows,
                name=name_of("others", len(pictures) + 1, ranking.pair, ranking.scale),
                title=f"For other judges and segments: {visible(ranking.about)}",
                axis=f"difference within judges, {_DIFFERENCES[ranking.by]}, {level} interval",
                decimals=ranking.decimals,
                description=f"{plural(len(rows), 'pair')}: {clear:,} of the {level} intervals of "
                "the difference for other judges and segments exclude zero, where the dashed line "
                "stands.",
                longest_label=_LONGEST_PAIR,
                marked=0.0,
            )
        )
    return pictures


def _unranked_rows(ranking: HumanRanking, level: float) -> list[Row]:
    """Return systems that are shown only, which stand back below all others."""
    return [
        Row(score.system, score.score, score.interval, level, kind="open", rank="–")
        for score in ranking.unranked
        if drawable(score.score)
    ]


def _ranking_rows(ranking: HumanRanking, level: float) -> list[Row]:
    from weigh.human.conclusions import ExpectedWins

    return [
        Row(
            score.system,
            score.score,
            None if isinstance(score, ExpectedWins) else score.interval,
            level,
            score.cluster - 1 if ranking.comparisons else None,
            rank=rank_text(score.rank) if ranking.comparisons else "",
        )
        for score in ranking.scores
        if drawable(score.score)
    ]


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
    names = [row.system for row in rows]
    if label_lines == 1:
        names = told_apart(names, longest_label)
    labels = [wrapped(name, longest_label, label_lines) for name in names]
    high = _ROW + 13 * (max(map(len, labels)) - 1)
    scores = [fixed(row.score, decimals) for row in rows]
    ranks = max(pixels(row.rank, 11) for row in rows)
    left = 14 + max(pixels(text, 12) for label in labels for text in label)
    left += 10 + ranks if ranks else 0
    right = width - 14 - max(pixels(text, 12) for text in scores)
    frame = Box(left + 6, _TOP, right - 6, _TOP + high * len(rows))
    ends = [end for row in rows for end in row.ends or (row.score,)]
    wanted = [value for value in (marked, least) if value is not None]
    scale = frame.across([*ends, *wanted, *(row.score for row in rows)])
    parts = [bottom_axis(scale, frame, 8)]
    if marked is not None:
        parts.append(frame.upright(scale(marked), "dashed"))
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
            start, stop = map(scale, row.ends)
            parts.append(line(start, y, stop, y, f"interval {row.kind}".rstrip()))
        told = f"{visible(row.system)}: {row.told(decimals)}"
        parts.append(dot(scale(row.score), y, told, row.kind, 4.0))
        parts.append(words(width - 6, y + 4, scores[at], "end"))
    said = cut(axis, 60)
    middle = min((left + right) / 2, width - 6 - pixels(said, 11) / 2)
    parts.append(words(middle, frame.bottom + 32, said, "small soft middle"))
    return Picture(
        name=name,
        title=title,
        description=_description(rows, decimals) if description is None else description,
        width=width,
        height=frame.bottom + _FOOT,
        body="".join(parts),
    )


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

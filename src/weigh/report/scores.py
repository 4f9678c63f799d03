"""The view of `weigh score`, and the scores of systems for all tables and pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from weigh.comparing.score_result import (
    GIVEN_SCORES,
    MetricShown,
    ScoreResult,
    SystemScore,
    item_word,
    titles,
)
from weigh.report.grid import Cell, Column, Grid, Value, table, visible
from weigh.report.parts import Part, Pictures, draw_later, summary
from weigh.report.phrases import rank_title
from weigh.report.svg import is_drawable
from weigh.report.view import Used, View, drop_empty_columns, view_of
from weigh.types import grouped
from weigh.wording import fixed, listed, percent, plural

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Ranking
    from weigh.result import Extent

_MOST_DECIMALS = 6
# TSV output has these columns even if they are empty.
_REQUIRED = ("metric", "system", "score", "lower_is_better", "signature")

Row = Mapping[str, SystemScore]
"""One system's scores on a slice or on the whole test set, by metric."""


class ScoreTable:
    """Scores as reports show them: metric by metric, all with the systems in the same order.

    `fewest_decimals` are the decimals that the significant differences of a metric need. A
    comparison adds rankings by metric and slice, superscripts by metric, slice and system, and the
    labels of systems that superscripts refer to.
    """

    rankings: Mapping[tuple[str, str | None], Ranking] = MappingProxyType({})
    superscripts: Mapping[tuple[str, str | None, str], str] = MappingProxyType({})
    labels: Mapping[str, str] = MappingProxyType({})
    interval_optional = 0
    overall = "(all)"
    """The label of the whole test set among its slices."""

    def __init__(
        self,
        scores: Sequence[SystemScore],
        metrics: Sequence[MetricShown],
        test_set: Extent,
        fewest_decimals: Mapping[str, int] | None = None,
    ) -> None:
        self.scores = scores
        self.metrics = grouped(scores, lambda entry: entry.metric)
        self.first_metric = next(iter(self.metrics))
        self._higher = {
            metric: entries[0].higher_is_better for metric, entries in self.metrics.items()
        }
        self.slices = list(dict.fromkeys(entry.slice for entry in scores))
        self.item = item_word(scores, test_set)
        names = titles(metrics)
        self.titles = {metric: names[metric] for metric in self.metrics}
        self._display = {display.metric: display for display in metrics}
        self._fewest_decimals = fewest_decimals or {}

    @property
    def signatures(self) -> list[tuple[str, str]]:
        """The titles of metrics with their signatures."""
        return [
            (self.titles[metric], entries[0].signature) for metric, entries in self.metrics.items()
        ]

    def higher_is_better(self, metric: str) -> bool:
        """Whether larger scores by a metric are better."""
        return self._higher[metric]

    def is_percent(self, metric: str) -> bool:
        """Whether scores by a metric are shares, shown in percent."""
        return self._display[metric].percent

    def decimals(self, metric: str) -> int:
        """The decimals of scores by a metric."""
        usual = 1 if self.is_percent(metric) else self._display[metric].decimals
        needed = self._fewest_decimals.get(metric, 0)
        return usual if needed <= usual else needed + 1

    def cell(self, metric: str, value: object, **marks: Any) -> Cell:
        """The cell of a score, a difference or an interval by a metric."""
        decimals, is_share = self.decimals(metric), self.is_percent(metric)
        return Cell(value, decimals=decimals, percent=is_share, **marks)

    def scaled(self, metric: str, value: float) -> float:
        """A score or a difference in the unit of pictures: percent if the metric is a share."""
        return 100 * value if self.is_percent(metric) else value

    def text(self, metric: str, value: float) -> str:
        """Format a score by a metric."""
        text = fixed(self.scaled(metric, value), self.decimals(metric))
        return f"{text}%" if self.is_percent(metric) and math.isfinite(value) else text

    def difference_text(self, metric: str, value: float) -> str:
        """Format a difference stated by the user, such as `0.5 BLEU` or `3 percentage points`.

        Scores from files have no unit: `1`, rather than `1 rating`.
        """
        number = f"{self.scaled(metric, value):g}"
        if self.is_percent(metric):
            return f"{number} percentage points"
        signature = self.metrics[metric][0].signature
        if not GIVEN_SCORES.isdisjoint(signature.split("|")):
            return number
        return f"{number} {self.titles[metric]}"

    def heading(self, metric: str, label: str | None = None) -> str:
        """The title of a metric, and the slice if there is one, for headings of pictures."""
        return ", ".join(map(visible, [self.titles[metric], *([label] if label else [])]))

    def unit(self, metric: str) -> str:
        """The title of a metric with its unit, for axes."""
        title = self.heading(metric)
        return f"{title} (%)" if self.is_percent(metric) else title

    def direction(self, metric: str) -> str:
        """Either `higher is better` or `lower is better`."""
        return "higher is better" if self.higher_is_better(metric) else "lower is better"

    def rows(self, label: str | None) -> list[Row]:
        """The systems in order, with their scores on a slice or on the whole test set."""
        columns = [
            [entry for entry in entries if entry.slice == label]
            for entries in self.metrics.values()
        ]
        return [{entry.metric: entry for entry in row} for row in zip(*columns, strict=True)]

    def drawable_scores(self, metric: str, label: str | None = None) -> list[SystemScore]:
        """The scores by a metric that can be drawn, on a slice or on the whole test set."""
        entries = self._entries.get((metric, label), [])
        return [entry for entry in entries if is_drawable(entry.score)]

    @cached_property
    def _entries(self) -> dict[tuple[str, str | None], list[SystemScore]]:
        return grouped(self.scores, lambda entry: (entry.metric, entry.slice))

    @cached_property
    def has_runs(self) -> bool:
        """Whether any score belongs to a single run."""
        return any(entry.run is not None for entry in self.scores)

    def key_columns(self, *, sliced: bool = False) -> list[Column]:
        """The columns that identify a row: the label for superscripts, slice, system and run."""
        first = self.first_metric
        columns = []
        if self.labels:
            columns.append(Column("", lambda row: self.labels[row[first].system], kind="label"))
        if sliced and len(self.slices) > 1:
            columns.append(Column("Slice", lambda row: row[first].slice or self.overall))
        columns.append(Column("System", lambda row: row[first].system, is_system=True))
        if self.has_runs:
            columns.append(Column("Run", lambda row: row[first].run))
        return columns

    def score_column(self, metric: str, title: str, value: Value, **options: Any) -> Column:
        """A column of scores by a metric; the best is marked if the scores can be compared."""
        return Column(
            title,
            value,
            "score",
            better="higher" if self.higher_is_better(metric) else "lower",
            marks_best=all(entry.comparable for entry in self.metrics[metric]),
            **options,
        )

    def system_columns(self, *, sliced: bool = True) -> list[Column]:
        """The columns of a table of systems: scores with their intervals and ranks, if any."""

        def score(metric: str, row: Row) -> Cell:
            return self.score_cell(row[metric])

        def interval(metric: str, row: Row) -> Cell:
            return self.cell(metric, row[metric].interval)

        level = next((entry.level for entry in self.scores if entry.level is not None), None)
        columns = self.key_columns(sliced=sliced)
        for metric, title in self.titles.items():
            columns.append(self.score_column(metric, title, partial(score, metric)))
            if level is not None:
                columns.append(
                    Column(
                        f"{percent(level)} interval",
                        partial(interval, metric),
                        "interval",
                        attached=True,
                        optional=self.interval_optional,
                    )
                )
            if self.rankings:
                columns.append(self.rank_column(metric))
        return columns

    def score_cell(self, entry: SystemScore) -> Cell:
        """A score with its superscript."""
        raised = self.superscripts.get((entry.metric, entry.slice, entry.system), "")
        return self.cell(entry.metric, entry.score, raised=raised)

    def rank_column(self, metric: str) -> Column:
        """A column of ranks by a metric, attached to the scores."""

        def rank(row: Row) -> object:
            ranking = self.rankings.get((metric, row[metric].slice))
            return "" if ranking is None else ranking.ranks.get(row[metric].system, "")

        title = rank_title(any(ranking.uncorrected for ranking in self.rankings.values()))
        optional = 1 if metric == self.first_metric else 2
        return Column(title, rank, "range", attached=True, optional=optional)

    def extra_columns(self, extras: Mapping[str, Mapping[str, float]]) -> list[Column]:
        """Columns of further means by system, such as the cost: of all its items and runs."""

        def mean(means: Mapping[str, float], decimals: int, row: Row) -> str:
            entry = row[self.first_metric]
            return "" if entry.slice is not None else f"{means[entry.system]:,.{decimals}f}"

        columns = []
        for name, means in extras.items():
            title, read = name.replace("_", " ").capitalize(), partial(mean, means, _digits(means))
            columns.append(Column(title, read, "number", optional=4))
        return columns


def _digits(means: Mapping[str, float]) -> int:
    """The decimals that show three digits of the smallest mean."""
    sizes = [abs(value) for value in means.values() if value and math.isfinite(value)]
    if not sizes:
        return 0
    return min(max(0, 2 - math.floor(math.log10(min(sizes)))), _MOST_DECIMALS)


def size_of_test_set(test_set: Extent, item: str) -> str:
    """The number of items, references and documents, in words."""
    parts = [plural(test_set.segments, item)]
    if test_set.references:
        parts.append(plural(test_set.references, "reference"))
    if test_set.documents is not None:
        parts.append(plural(test_set.documents, "document"))
    return ", ".join(parts)


@view_of(ScoreResult)
def scores(result: ScoreResult) -> View:
    """Show the scores of systems, their components, and segment scores if requested."""
    report = ScoreTable(result.scores, result.metrics, result.test_set)
    size = size_of_test_set(result.test_set, report.item)
    if result.intervals is not None:
        unit = report.item if result.intervals.unit == "segment" else result.intervals.unit
        size += f"; {replace(result.intervals, unit=unit)}"
    systems = len({(entry.system, entry.run) for entry in result.scores})
    labels = _segment_labels(result)
    columns = report.system_columns()
    if not report.has_runs:
        columns += report.extra_columns(result.extras)
    blocks = [report.rows(label) for label in report.slices]
    parts: list[Part] = [
        *summary([], result.warnings),
        Grid(columns, blocks, size, level="brief", section="Scores", paper=True),
        Pictures(draw_later("compare_pictures.forest_plots", report)),
        Pictures(
            draw_later("compare_pictures.forest_plots", report, sliced=True),
            folded="Scores of each slice",
        ),
        *_details_grids(report),
    ]
    if any(entry.segments is not None for entry in result.scores):
        parts.append(_segments_grid(report, labels))
    return View(
        title=f"{plural(systems, 'system')} scored by {listed([*report.titles.values()])}",
        subtitle=size,
        parts=parts,
        signatures=report.signatures,
        records=lambda: score_records(result.scores, labels),
        used=Used(
            [metric.metric for metric in result.metrics],
            intervals=[] if result.intervals is None else [result.intervals.method],
        ),
    )


def _segment_labels(result: ScoreResult) -> Sequence[str]:
    if result.ids is not None:
        return result.ids
    if all(entry.segments is None for entry in result.scores):
        return ()
    numbers = result.numbers or range(1, result.test_set.segments + 1)
    return [str(number) for number in numbers]


def _details_grids(report: ScoreTable) -> Iterator[Grid]:
    """Yield a table of score components for every metric that has some."""

    def component(name: str, entry: SystemScore) -> object:
        return (entry.details or {}).get(name)

    for metric, entries in report.metrics.items():
        names = list(entries[0].details or {})
        if not names:
            continue
        values = {
            name: [(entry.details or {}).get(name, math.nan) for entry in entries] for name in names
        }
        columns = [Column("System", "system")]
        if len(report.slices) > 1:
            columns.insert(0, Column("Slice", lambda entry: entry.slice or report.overall))
        if report.has_runs:
            columns.append(Column("Run", "run"))
        for name in names:
            are_counts = all(isinstance(value, int) for value in values[name])
            largest = max(map(abs, _values_of_kind(name, values)))
            columns.append(
                Column(
                    name.replace("_", " "),
                    partial(component, name),
                    "count" if are_counts else "score",
                    decimals=4 if largest < 2 else report.decimals(metric),
                )
            )
        blocks = [*grouped(entries, lambda entry: entry.slice).values()]
        title = f"Details of {report.titles[metric]}"
        yield Grid(columns, blocks, title, wide=True, section="Details")


def _values_of_kind(name: str, details: Mapping[str, Sequence[float]]) -> list[float]:
    """The values of all components whose names differ only by a number, such as an n-gram order."""
    kind = name.rstrip("0123456789")
    return [
        value
        for other, values in details.items()
        if other.rstrip("0123456789") == kind
        for value in values
    ]


def _segments_grid(report: ScoreTable, labels: Sequence[str]) -> Grid:
    """A row for each segment and system, with a column for every metric."""
    first, item = report.first_metric, report.item

    def score(metric: str, row: tuple[int, Row]) -> Cell:
        at, entries = row
        scores = entries[metric].segments
        return report.cell(metric, None if scores is None else float(scores[at]))

    columns = [
        Column(item.capitalize(), lambda row: labels[row[0]]),
        Column("System", lambda row: row[1][first].system),
    ]
    if report.has_runs:
        columns.append(Column("Run", lambda row: row[1][first].run))
    for metric, entries in report.metrics.items():
        if entries[0].segments is not None:
            column = report.score_column(metric, report.titles[metric], partial(score, metric))
            columns.append(replace(column, marks_best=False))
    rows = [(at, row) for at in range(len(labels)) for row in report.rows(None)]
    return table(rows, columns, title=f"{item.capitalize()}s", section=f"Single {item}s")


def score_records(scores: Sequence[SystemScore], labels: Sequence[str]) -> list[dict[str, Any]]:
    """A record for each metric and system, and for each of its details and segments, if any."""
    records = [record for entry in scores for record in _records(entry, labels)]
    return drop_empty_columns(records, _REQUIRED)


def _records(entry: SystemScore, labels: Sequence[str]) -> Iterator[dict[str, Any]]:
    low, high = entry.interval or (None, None)
    record = {
        "metric": entry.metric,
        "system": entry.system,
        "run": entry.run,
        "slice": entry.slice,
        "segment": None,
        "detail": None,
        "score": entry.score,
        "low": low,
        "high": high,
        "level": entry.level,
        "lower_is_better": entry.lower_is_better,
        "signature": entry.signature,
    }
    yield record
    without_interval = record | dict.fromkeys(("low", "high", "level"))
    for name, value in (entry.details or {}).items():
        yield {**without_interval, "detail": name, "score": value}
    if entry.segments is not None:
        for label, score in zip(labels, entry.segments, strict=True):
            yield {**without_interval, "segment": label, "score": float(score)}

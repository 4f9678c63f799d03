"""The view of `weigh score`, and scores as every table of systems shows them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

from weigh.comparing.score_result import MetricShown, ScoreResult, SystemScore, item_word, titles
from weigh.report.grid import Cell, Column, Grid, Value, table, visible
from weigh.report.parts import Part, Pictures, summary
from weigh.report.view import Used, View, view_of
from weigh.types import grouped
from weigh.wording import fixed, listed, percent, plural

if TYPE_CHECKING:
    from weigh.report.pictures.picture import Picture
    from weigh.result import Extent

OVERALL = "(all)"
SLICES = "Slices of the test set"
# Columns of TSV that are left out where they are empty.
_OPTIONAL = ("run", "slice", "segment", "detail", "low", "high", "level")

Row = Mapping[str, SystemScore]
"""One system's scores on a slice or on the whole, by metric."""


@dataclass(frozen=True)
class ScoreTable:
    """Scores as they are shown: metric by metric, with the systems in the same order for each.

    `fewest_decimals` are those that a metric's significant differences need.
    """

    scores: Sequence[SystemScore]
    shown_metrics: Sequence[MetricShown]
    fewest_decimals: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def metrics(self) -> dict[str, list[SystemScore]]:
        """The scores of every metric, by how the metric was asked for."""
        return grouped(self.scores, lambda entry: entry.metric)

    @cached_property
    def titles(self) -> dict[str, str]:
        """What each metric is called."""
        return titles(self.shown_metrics)

    @cached_property
    def signatures(self) -> list[tuple[str, str]]:
        """The title and the signature of every metric."""
        return [
            (self.titles[metric], entries[0].signature) for metric, entries in self.metrics.items()
        ]

    @cached_property
    def _shown(self) -> dict[str, MetricShown]:
        return {metric.metric: metric for metric in self.shown_metrics}

    def is_percent(self, metric: str) -> bool:
        """Whether scores by a metric are shares of items that passed."""
        return metric in self._shown and self._shown[metric].percent

    def decimals(self, metric: str) -> int:
        """How many decimals of scores by a metric are shown."""
        usual = self._shown[metric].decimals if metric in self._shown else 2
        usual = 1 if self.is_percent(metric) else usual
        needed = self.fewest_decimals.get(metric, 0)
        return usual if needed <= usual else needed + 1

    def cell(self, metric: str, value: object, **marks: Any) -> Cell:
        """A score, a difference or an interval by a metric."""
        decimals, is_share = self.decimals(metric), self.is_percent(metric)
        return Cell(value, decimals=decimals, percent=is_share, **marks)

    def scaled(self, metric: str, value: float) -> float:
        """A score or a difference as it is drawn: in percent where it is a share."""
        return 100 * value if self.is_percent(metric) else value

    def unit(self, metric: str) -> str:
        """What a metric's numbers are called in pictures."""
        title = visible(self.titles[metric])
        return f"{title} (%)" if self.is_percent(metric) else title

    def text(self, metric: str, value: float | None, *, sign: bool = False) -> str:
        """A score or a difference by a metric, as text."""
        if value is None:
            return fixed(value, 0)
        text = fixed(self.scaled(metric, value), self.decimals(metric), sign=sign)
        shows_unit = self.is_percent(metric) and not sign and math.isfinite(value)
        return f"{text}%" if shows_unit else text

    @cached_property
    def level(self) -> float | None:
        """The level of the intervals, if there are some."""
        return next((entry.level for entry in self.scores if entry.level is not None), None)

    @cached_property
    def has_runs(self) -> bool:
        """Whether scores are of single runs."""
        return any(entry.run is not None for entry in self.scores)

    @cached_property
    def slices(self) -> list[str | None]:
        """The whole test set, None, and its slices."""
        return list(dict.fromkeys(entry.slice for entry in self.scores))

    def score_column(self, metric: str, title: str, value: Value, **options: Any) -> Column:
        """A column of scores by a metric; the best is marked where scores can be compared."""
        entries = self.metrics[metric]
        better: Literal["higher", "lower"] = "lower"
        if entries[0].higher_is_better:
            better = "higher"
        comparable = all(entry.comparable for entry in entries)
        return Column(title, value, "score", better=better, marks_best=comparable, **options)

    def rows(self, label: str | None) -> list[Row]:
        """The systems on a slice, or on the whole, in order."""
        columns = [
            [entry for entry in entries if entry.slice == label]
            for entries in self.metrics.values()
        ]
        return [{entry.metric: entry for entry in row} for row in zip(*columns, strict=True)]


@dataclass(frozen=True)
class Ranked:
    """What a comparison adds to scores: ranks by metric, slice and system, and superscripts.

    Superscripts refer to the labels of systems.
    """

    title: str
    ranks: Mapping[tuple[str, str | None], Mapping[str, tuple[int, int]]]
    superscripts: Callable[[SystemScore], str]
    labels: Mapping[str, str]

    def column(self, metric: str, **options: Any) -> Column:
        """The ranks of systems by a metric, beside their scores."""

        def rank(row: Row) -> object:
            entry = row[metric]
            return self.ranks.get((metric, entry.slice), {}).get(entry.system, "")

        return Column(self.title, rank, "range", attached=True, **options)


def system_columns(
    report: ScoreTable, ranked: Ranked | None = None, *, sliced: bool = True
) -> list[Column]:
    """Columns of rows of systems: each score with its interval and its rank, if there are some."""
    first = next(iter(report.metrics))
    columns = key_columns(report, ranked, sliced=sliced and len(report.slices) > 1)
    if report.has_runs:
        columns.append(Column("Run", lambda row: row[first].run))
    for metric in report.metrics:
        score = partial(_score_cell, report, ranked, metric)
        columns.append(report.score_column(metric, report.titles[metric], score))
        if report.level is not None:
            columns.append(
                Column(
                    f"{percent(report.level)} interval",
                    partial(_interval_cell, report, metric),
                    "interval",
                    attached=True,
                    optional=3 if ranked is not None else 0,
                )
            )
        if ranked is not None and ranked.ranks:
            columns.append(ranked.column(metric, optional=1 if metric == first else 2))
    return columns


def key_columns(report: ScoreTable, ranked: Ranked | None, *, sliced: bool = False) -> list[Column]:
    """Columns that name a row: the label for superscripts, the slice and the system."""
    first = next(iter(report.metrics))
    columns = []
    if ranked is not None and ranked.labels:
        columns.append(Column("", lambda row: ranked.labels[row[first].system], kind="label"))
    if sliced:
        columns.append(Column("Slice", lambda row: row[first].slice or OVERALL))
    return [*columns, Column("System", lambda row: row[first].system, is_system=True)]


def extra_columns(extras: Mapping[str, Mapping[str, float]], first: str) -> list[Column]:
    """Columns of further numbers by system: means of what logs carry, such as cost."""

    def mean(means: Mapping[str, float], row: Row) -> str:
        return f"{means[row[first].system]:,.4g}"

    return [
        Column(title.replace("_", " ").capitalize(), partial(mean, means), "number", optional=4)
        for title, means in extras.items()
    ]


def _score_cell(report: ScoreTable, ranked: Ranked | None, metric: str, row: Row) -> Cell:
    entry = row[metric]
    superscript = "" if ranked is None else ranked.superscripts(entry)
    return report.cell(metric, entry.score, raised=superscript)


def _interval_cell(report: ScoreTable, metric: str, row: Row) -> Cell:
    return report.cell(metric, row[metric].interval)


def size_of_test_set(test_set: Extent, item: str) -> str:
    """How large a test set is, in words."""
    parts = [plural(test_set.segments, item)]
    if test_set.references:
        parts.append(plural(test_set.references, "reference"))
    if test_set.documents is not None:
        parts.append(plural(test_set.documents, "document"))
    return ", ".join(parts)


@view_of(ScoreResult)
def scores(result: ScoreResult) -> View:
    """Show scores of systems, what they are made of, and those of single segments."""
    report = ScoreTable(result.scores, result.metrics)
    item = item_word(result.scores)
    size = size_of_test_set(result.test_set, item)
    if result.intervals is not None:
        unit = item if result.intervals.unit == "segment" else result.intervals.unit
        size += f"; {replace(result.intervals, unit=unit)}"
    systems = len({(entry.system, entry.run) for entry in result.scores})
    labels = _segment_labels(result)
    columns = [
        *system_columns(report),
        *extra_columns(result.extras, next(iter(report.metrics))),
    ]
    blocks = [report.rows(label) for label in report.slices]
    parts: list[Part] = [
        *summary([], result.warnings),
        Grid(columns, blocks, size, level="brief", section="Scores", paper=True),
        Pictures(partial(_score_pictures, report, sliced=False)),
        Pictures(partial(_score_pictures, report, sliced=True), folded=SLICES),
        *_details_grids(report),
    ]
    if any(entry.segments is not None for entry in result.scores):
        parts.append(_segments_grid(report, labels, item))
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


def _score_pictures(report: ScoreTable, *, sliced: bool) -> list[Picture]:
    from weigh.report.compare_pictures import score_plots

    return score_plots(report, sliced=sliced)


def _details_grids(report: ScoreTable) -> Iterator[Grid]:
    """Yield the components of scores, for metrics that have some."""

    def component(name: str, entry: SystemScore) -> object:
        return (entry.details or {}).get(name)

    for metric, entries in report.metrics.items():
        names = list(entries[0].details or {})
        if not names:
            continue
        values = {
            name: [(entry.details or {}).get(name, math.nan) for entry in entries] for name in names
        }
        columns = [Column(report.titles[metric], "system")]
        if len(report.slices) > 1:
            columns.insert(0, Column("Slice", lambda entry: entry.slice or OVERALL))
        if report.has_runs:
            columns.append(Column("Run", "run"))
        for name in names:
            are_counts = all(isinstance(value, int) for value in values[name])
            largest = max(map(abs, _of_one_kind(name, values)))
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


def _of_one_kind(name: str, details: Mapping[str, Sequence[float]]) -> list[float]:
    """The details whose names differ from this one by a number alone: an n-gram order."""
    kind = name.rstrip("0123456789")
    return [
        value
        for other, values in details.items()
        if other.rstrip("0123456789") == kind
        for value in values
    ]


def _segments_grid(report: ScoreTable, labels: Sequence[str], item: str) -> Grid:
    """A row per segment and system, with a column for every metric."""
    first = next(iter(report.metrics))

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
    """One record per metric and system, per detail and segment where asked for."""
    records = [record for entry in scores for record in _records(entry, labels)]
    used = [
        name
        for name in records[0]
        if name not in _OPTIONAL or any(record[name] is not None for record in records)
    ]
    return [{name: record[name] for name in used} for record in records]


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
    alone = record | dict.fromkeys(("low", "high", "level"))
    for name, value in (entry.details or {}).items():
        yield {**alone, "detail": name, "score": value}
    if entry.segments is not None:
        for label, score in zip(labels, entry.segments, strict=True):
            yield {**alone, "segment": label, "score": float(score)}

"""Scores of systems as grids and records, in the order and groups in which they are shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh.comparing.score_result import MetricShown, ScoreResult, titles
from weigh.report.grid import Cell, Column, Grid, in_clusters
from weigh.report.phrases import Ranks, rank_title
from weigh.report.view import LATEX, PAGE, TEXT, Part, Used, View, view_of
from weigh.types import grouped
from weigh.wording import fixed, intervals, listed, percent, plural

if TYPE_CHECKING:
    from weigh.comparing.score_result import SystemScore
    from weigh.report.pictures.picture import Picture
    from weigh.result import Extent


OVERALL = "(all)"
SLICES = "Slices of the test set"
# Columns of TSV that are left out where nothing stands in them.
_OPTIONAL = ("run", "slice", "segment", "detail", "low", "high", "level")


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Scores as they are shown: metric by metric, with the systems in the same order for each."""

    scores: Sequence[SystemScore]
    shown_metrics: Sequence[MetricShown]

    @property
    def metrics(self) -> dict[str, list[SystemScore]]:
        """The scores of every metric, by how the metric was asked for."""
        return grouped(self.scores, lambda entry: entry.metric)

    @property
    def titles(self) -> dict[str, str]:
        """What each metric is called."""
        return titles(self.shown_metrics)

    @property
    def signatures(self) -> list[tuple[str, str]]:
        """The title and the signature of every metric."""
        return [
            (self.titles[metric], entries[0].signature) for metric, entries in self.metrics.items()
        ]

    def decimals(self, metric: str) -> int:
        """Return with how many decimals scores by a metric are shown."""
        return next((each.decimals for each in self.shown_metrics if each.metric == metric), 2)

    def shown(self, entry: SystemScore, score: float) -> str:
        """Return a score of the entry's metric as a reader wants to see it."""
        return fixed(score, self.decimals(entry.metric))


def size_of_test_set(test_set: Extent) -> str:
    """Return how large a test set is, in words."""
    parts = [plural(test_set.segments, "segment")]
    if test_set.references:
        parts.append(plural(test_set.references, "reference"))
    if test_set.documents is not None:
        parts.append(plural(test_set.documents, "document"))
    return ", ".join(parts)


def _metric_columns(report: ScoreTable) -> list[Column]:
    return [
        Column(title, "higher" if entries[0].higher_is_better else "lower")
        for (title, _), entries in zip(report.signatures, report.metrics.values(), strict=True)
    ]


def _key(entry: SystemScore, runs: bool, labels: Mapping[str, str] | None = None) -> list[Cell]:
    texts = [labels[entry.system]] if labels else []
    return [*map(Cell, texts), Cell(entry.system), *[Cell(entry.run or "")] * runs]


@dataclass(frozen=True, slots=True)
class Superscripts:
    """What a table for a paper adds: labels of systems, if any, and what is raised at scores."""

    labels: Mapping[str, str]
    raised: Callable[[SystemScore], str]


def systems_grid(
    report: ScoreTable,
    ranks: Ranks | None = None,
    clusters: Sequence[Sequence[str]] = (),
    *,
    mark_best: bool = True,
    superscripts: Superscripts | None = None,
) -> Grid:
    """Return system rows and metric columns, one block for all segments and one per slice.

    Each score has its interval beside it, if there are intervals, and its place, with `ranks`.
    With `clusters`, which are of systems in the order of the rows, each is a block of its own
    where rows are of all segments.
    """
    slices = list(dict.fromkeys(entry.slice for entry in report.scores))
    sliced, runs = slices != [None], any(entry.run is not None for entry in report.scores)
    labels = {} if superscripts is None else superscripts.labels
    blocks = []
    for label in slices:
        metrics = [
            [entry for entry in entries if entry.slice == label]
            for entries in report.metrics.values()
        ]
        head = [Cell(OVERALL if label is None else label)] * sliced
        columns = [
            column
            for entries in metrics
            for column in _columns_of_metric(report, entries, ranks, mark_best, superscripts)
        ]
        blocks.append(
            [
                [*head, *_key(entry, runs, labels), *cells]
                for entry, *cells in zip(metrics[0], *columns, strict=True)
            ]
        )
    keys = ["Slice"] * sliced + [""] * bool(labels) + ["System"] + ["Run"] * runs
    titles = [*map(Column, keys)]
    # A caption tells what the numbers are; longer titles would part the table.
    level = _level(report)
    interval = "interval" if superscripts or level is None else f"{percent(level)} interval"
    rank = rank_title(ranks.uncorrected) if ranks and not superscripts else "Rank"
    for column in _metric_columns(report):
        titles.append(column)
        if superscripts is not None:
            titles.append(Column("", kind="remark", attached=True))
        if superscripts is not None or level is not None:
            titles.append(Column(interval, kind="number", attached=True))
        if ranks is not None:
            titles.append(Column(rank, kind="number", attached=True))
    if clusters:
        blocks = [*in_clusters(blocks[0], clusters), *blocks[1:]]
    return Grid(titles, blocks, lined=bool(clusters))


def _level(report: ScoreTable) -> float | None:
    return next((entry.level for entry in report.scores if entry.level is not None), None)


def _columns_of_metric(
    report: ScoreTable,
    entries: Sequence[SystemScore],
    ranks: Ranks | None,
    mark_best: bool,
    superscripts: Superscripts | None,
) -> list[list[Cell]]:
    columns = [marked(entries, report, best=mark_best)]
    if superscripts is not None:
        columns.append([Cell(superscripts.raised(entry), raised=True) for entry in entries])
    if superscripts is not None or _level(report) is not None:
        decimals = report.decimals(entries[0].metric)
        columns.append([Cell(text) for text in intervals([e.interval for e in entries], decimals)])
    if ranks is not None:
        of_metric = ranks.shown.get((entries[0].metric, entries[0].slice), {})
        columns.append([Cell(of_metric.get(entry.system, "")) for entry in entries])
    return columns


def marked(entries: Sequence[SystemScore], report: ScoreTable, *, best: bool = True) -> list[Cell]:
    """Return one metric's cells; those that read the same as the best are marked like it."""
    shown = [report.shown(entry, entry.score) for entry in entries]
    finite = [entry.score for entry in entries if math.isfinite(entry.score)]
    known = all(entry.comparable for entry in entries)
    if not best or not known or len(set(shown)) < 2 or not finite:
        return [Cell(text) for text in shown]
    top = max(finite) if entries[0].higher_is_better else min(finite)
    return [Cell(text, best=text == report.shown(entries[0], top)) for text in shown]


def details_grids(report: ScoreTable) -> list[tuple[str, Grid]]:
    """Return, by title, for every metric that tells what its scores are made of, the numbers."""
    sliced = any(entry.slice is not None for entry in report.scores)
    runs = any(entry.run is not None for entry in report.scores)
    grids = []
    for (title, _), entries in zip(report.signatures, report.metrics.values(), strict=True):
        names = list(entries[0].details or {})
        if not names:
            continue
        values = {
            name: [(entry.details or {}).get(name, math.nan) for entry in entries] for name in names
        }
        least = report.decimals(entries[0].metric)
        shown = [_aligned(values[name], _of_one_kind(name, values), least) for name in names]
        blocks: dict[str | None, list[list[Cell]]] = {}
        for entry, *numbers in zip(entries, *shown, strict=True):
            head = [Cell(OVERALL if entry.slice is None else entry.slice)] if sliced else []
            row = [*head, *_key(entry, runs), *map(Cell, numbers)]
            blocks.setdefault(entry.slice, []).append(row)
        keys = ["Slice"] * sliced + [title] + ["Run"] * runs
        columns = [Column(name.replace("_", " "), kind="number") for name in names]
        grid = Grid([*map(Column, keys), *columns], list(blocks.values()), wide=True)
        grids.append((title, grid))
    return grids


def _of_one_kind(name: str, details: Mapping[str, Sequence[float]]) -> list[float]:
    """Return the numbers that differ from those of this name by a number alone: by their order."""
    kind = name.rstrip("0123456789")
    return [
        value
        for other, values in details.items()
        if other.rstrip("0123456789") == kind
        for value in values
    ]


def _aligned(values: Sequence[float], alike: Sequence[float], least: int) -> list[str]:
    """Return one column of details: whole numbers as such, others with decimals that tell.

    Those that are `alike` have as many, and no fewer than the `least`, those of the score.
    """
    if all(isinstance(value, int) for value in values):
        return [f"{value:,}" for value in values]
    return [fixed(value, 4 if max(map(abs, alike)) < 2 else least) for value in values]


def segments_grid(report: ScoreTable, labels: Sequence[str]) -> Grid:
    """Return a row per segment and system, and metric columns."""
    runs = any(entry.run is not None for entry in report.scores)
    columns = [
        [(entry, entry.segments) for entry in entries if entry.segments is not None]
        for entries in report.metrics.values()
    ]
    rows = [
        [
            Cell(label),
            *_key(system[0][0], runs),
            *(Cell(report.shown(entry, scores[at])) for entry, scores in system),
        ]
        for at, label in enumerate(labels)
        for system in zip(*columns, strict=True)
    ]
    titles = ["Segment", "System"] + ["Run"] * runs
    return Grid([*map(Column, titles), *_metric_columns(report)], [rows])


def score_records(scores: Sequence[SystemScore], labels: Sequence[str]) -> list[dict[str, Any]]:
    """Return one record per metric and system, per detail and segment where asked for."""
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


@view_of(ScoreResult)
def scores(result: ScoreResult) -> View:
    """Show scores of systems, what they are made of, and those of single segments."""
    table = ScoreTable(result.scores, result.metrics)
    size = size_of_test_set(result.test_set)
    summary = size if result.intervals is None else f"{size}; {result.intervals}"
    systems = len({(entry.system, entry.run) for entry in result.scores})
    labels = _segment_labels(result)
    parts = [
        Part(sentences=[summary], forms=TEXT),
        Part(grid=systems_grid(table), section="Scores", forms=(*TEXT, *PAGE)),
        Part(f"{summary}.", systems_grid(table), forms=LATEX, note=table.signatures),
        Part(pictures=lambda: _score_pictures(table, sliced=False), forms=PAGE),
        Part(pictures=lambda: _score_pictures(table, sliced=True), forms=PAGE, folded=SLICES),
    ]
    parts += [
        Part(f"Details of {title}", grid, section="Details") for title, grid in details_grids(table)
    ]
    if any(entry.segments is not None for entry in result.scores):
        grid = segments_grid(table, labels)
        parts.append(Part("Segments", grid, section="Single segments"))
    return View(
        title=f"{plural(systems, 'system')} scored by {listed([*table.titles.values()])}",
        subtitle=summary,
        parts=parts,
        signatures=table.signatures,
        records=score_records(result.scores, labels),
        cautions=result.warnings,
        used=Used(
            [each.metric for each in result.metrics],
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


def _score_pictures(table: ScoreTable, *, sliced: bool) -> list[Picture]:
    from weigh.report.compare_pictures import score_plots

    return score_plots(table, sliced=sliced)

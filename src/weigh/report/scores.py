"""Scores of systems as a table, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from weigh.report import document, github, latex, markdown, table, tsv
from weigh.report.grid import Cell, Column, Grid, in_clusters
from weigh.report.methods import INTERVALS
from weigh.report.number import fixed, intervals, percent, plural
from weigh.report.ranks import Ranks, rank_title
from weigh.report.text import left, visible, width
from weigh.stats.procedures import RUNS_TEST

if TYPE_CHECKING:
    from weigh.metrics.scoring import SystemScore

OVERALL = "(all)"
# Columns of TSV that are left out where nothing stands in them.
_OPTIONAL = ("run", "slice", "segment", "detail", "low", "high", "level")
# Details are many columns: where nobody knows how wide the screen is, they are as wide as text.
_WIDEST = 100


@dataclass(frozen=True, slots=True)
class IntervalMethod:
    """How intervals were made; `unit` is what was resampled, and `units` how many there are."""

    kind: str
    level: float
    trials: int
    seed: int
    unit: str
    units: int

    def __str__(self) -> str:
        level = percent(self.level)
        if self.kind == "t":
            return f"{level} intervals by Student's t over {plural(self.units, 'segment')}"
        if self.kind == RUNS_TEST:
            return (
                f"{level} intervals by Student's t over runs and {self.unit}s, variances from "
                f"{plural(self.trials, 'bootstrap sample')} of {self.unit}s, seed {self.seed}"
            )
        name = INTERVALS.get(self.kind, self.kind)
        samples = plural(self.trials, "bootstrap sample")
        return f"{level} {name} intervals, {samples} of {self.unit}s, seed {self.seed}"

    def fields(self) -> dict[str, Any]:
        """Return what a program wants to know."""
        fields: dict[str, Any] = {"method": self.kind, "level": self.level}
        if self.kind != "t":
            fields |= {"trials": self.trials, "seed": self.seed}
        return fields | {"unit": self.unit, "units": self.units}


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """All that `weigh score` says.

    `scores` are ordered metric by metric, with the systems in the same order for each.
    `decimals` tells with how many decimals a metric is shown, 2 where it is not in there.
    `ids` name the segments, which are numbered where it is None: from 1, or by `numbers` where some
    were left out. `warnings` are for programs too.
    """

    scores: Sequence[SystemScore]
    segments: int
    references: int
    documents: int | None = None
    ids: Sequence[str] | None = None
    numbers: Sequence[int] | None = None
    decimals: Mapping[str, int] = field(default_factory=dict)
    intervals: IntervalMethod | None = None
    warnings: Sequence[str] = ()

    @property
    def metrics(self) -> dict[str, list[SystemScore]]:
        """The scores of every metric, by how the metric was asked for."""
        metrics: dict[str, list[SystemScore]] = {}
        for entry in self.scores:
            metrics.setdefault(entry.metric, []).append(entry)
        return metrics

    @property
    def has_segments(self) -> bool:
        """Whether the segments' own scores were asked for."""
        return any(entry.segments is not None for entry in self.scores)

    @property
    def signatures(self) -> list[tuple[str, str]]:
        """The heading and the signature of every metric.

        It is headed by its name, or by how it was asked for where two have one name.
        """
        firsts = [entries[0] for entries in self.metrics.values()]
        names = [first.name for first in firsts]
        return [
            (first.name if names.count(first.name) == 1 else first.metric, first.signature)
            for first in firsts
        ]

    def shown(self, entry: SystemScore, score: float) -> str:
        """Return a score of the entry's metric as a reader wants to see it."""
        return fixed(score, self.decimals.get(entry.metric, 2))


def as_table(report: ScoreReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text with the signatures underneath."""
    grid = systems_grid(report)
    systems = table.render(grid, screen)
    if any(cell.best for row in grid.rows for cell in row):
        systems += "\n" + screen.dim("* best of its column")
    parts = [_summary(report), systems]
    narrow = screen if screen.columns else replace(screen, columns=_WIDEST)
    parts += [table.render(grid, narrow) for grid in details_grids(report)]
    if report.has_segments:
        parts.append(table.render(_segments(report), screen))
    parts.append(signature_lines(report.signatures, screen))
    return "\n\n".join(parts)


def signature_lines(
    signatures: Sequence[tuple[str, str]], screen: table.Screen = table.PLAIN
) -> str:
    """Return signatures, each on a line behind what it belongs to."""
    longest = max(width(visible(title)) for title, _ in signatures)
    return "\n".join(
        f"{left(visible(title), longest)}  {screen.dim(visible(signature))}"
        for title, signature in signatures
    )


def as_markdown(report: ScoreReport) -> str:
    """Return a pipe table and the list of signatures."""
    parts = [_summary(report), markdown.render(systems_grid(report))]
    parts += map(markdown.render, details_grids(report))
    if report.has_segments:
        parts.append(markdown.render(_segments(report)))
    parts.append(
        "\n".join(
            f"- {markdown.escape(title)}: {markdown.code(signature)}"
            for title, signature in report.signatures
        )
    )
    return "\n\n".join(parts)


def as_github(report: ScoreReport) -> str:
    """Return a summary for a step of GitHub's Actions."""
    segments = _segments(report) if report.has_segments else None
    return github.scored(
        _summary(report),
        systems_grid(report),
        details_grids(report),
        segments,
        report.signatures,
    )


def as_latex(report: ScoreReport) -> str:
    """Return a table with the signatures underneath; single segments are left out."""
    caption = latex.escape(f"{_summary(report)}.")
    return latex.render(systems_grid(report), caption, latex.signature_note(report.signatures))


def as_tsv(report: ScoreReport) -> str:
    """Return one row per metric and system, per detail and segment where asked for; all digits."""
    records = [record for entry in report.scores for record in _records(report, entry)]
    names = [
        name
        for name in records[0]
        if name not in _OPTIONAL or any(record[name] for record in records)
    ]
    rows = [[Cell(record[name]) for name in names] for record in records]
    return tsv.render(Grid([Column(name) for name in names], [rows]))


def as_json(report: ScoreReport) -> str:
    """Return the document that programs read."""
    sliced = any(entry.slice is not None for entry in report.scores)
    test_set = document.Extent(report.segments, report.references, report.documents).fields
    parts: dict[str, Any] = {"test_set": test_set, "metrics": metric_fields(report)}
    if report.has_segments and report.ids is not None:
        parts["ids"] = list(report.ids)
    if report.has_segments and report.numbers is not None:
        parts["numbers"] = list(report.numbers)
    if report.intervals is not None:
        parts["intervals"] = report.intervals.fields()
    parts["scores"] = [score_fields(entry, sliced) for entry in report.scores]
    if report.warnings:
        parts["warnings"] = list(report.warnings)
    return document.render("score", parts)


# Every format but the table, which also wants to know the screen.
FORMATS: dict[str, Callable[[ScoreReport], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "github": as_github,
    "latex": as_latex,
}


def _summary(report: ScoreReport) -> str:
    size = size_of_test_set(report.segments, report.references, report.documents)
    return size if report.intervals is None else f"{size}; {report.intervals}"


def size_of_test_set(segments: int, references: int, documents: int | None) -> str:
    """Return how large a test set is, in words."""
    parts = [plural(segments, "segment")]
    if references:
        parts.append(plural(references, "reference"))
    if documents is not None:
        parts.append(plural(documents, "document"))
    return ", ".join(parts)


def _metric_columns(report: ScoreReport) -> list[Column]:
    return [
        Column(title, "higher" if entries[0].higher_is_better else "lower")
        for (title, _), entries in zip(report.signatures, report.metrics.values(), strict=True)
    ]


def _key(entry: SystemScore, runs: bool) -> list[Cell]:
    return [Cell(entry.system), Cell(entry.run or "")] if runs else [Cell(entry.system)]


def systems_grid(
    report: ScoreReport,
    ranks: Ranks | None = None,
    clusters: Sequence[Sequence[str]] = (),
    *,
    mark_best: bool = True,
) -> Grid:
    """Return system rows and metric columns, one block for all segments and one per slice.

    Each score has its interval beside it, if there are intervals, and its place, with `ranks`.
    With `clusters`, which are of systems in the order of the rows, each is a block.
    """
    slices = list(dict.fromkeys(entry.slice for entry in report.scores))
    sliced, runs = slices != [None], any(entry.run is not None for entry in report.scores)
    blocks = []
    for label in slices:
        metrics = [
            [entry for entry in entries if entry.slice == label]
            for entries in report.metrics.values()
        ]
        head = [Cell(OVERALL if label is None else label)] if sliced else []
        columns = [
            column
            for entries in metrics
            for column in _columns_of_metric(report, entries, ranks, mark_best)
        ]
        blocks.append(
            [
                [*head, *_key(entry, runs), *cells]
                for entry, *cells in zip(metrics[0], *columns, strict=True)
            ]
        )
    keys = ["Slice"] * sliced + ["System"] + ["Run"] * runs
    titles = [*map(Column, keys)]
    for column in _metric_columns(report):
        titles.append(column)
        if (level := _level(report)) is not None:
            titles.append(Column(f"{percent(level)} interval", kind="number", attached=True))
        if ranks is not None:
            title = rank_title(ranks.uncorrected)
            titles.append(Column(title, kind="number", attached=True))
    if clusters:
        blocks = in_clusters(blocks[0], clusters)
    return Grid(titles, blocks, lined=bool(clusters))


def _level(report: ScoreReport) -> float | None:
    return next((entry.level for entry in report.scores if entry.level is not None), None)


def _columns_of_metric(
    report: ScoreReport, entries: Sequence[SystemScore], ranks: Ranks | None, mark_best: bool
) -> list[list[Cell]]:
    columns = [_marked(report, entries, best=mark_best)]
    if _level(report) is not None:
        decimals = report.decimals.get(entries[0].metric, 2)
        columns.append([Cell(text) for text in intervals([e.interval for e in entries], decimals)])
    if ranks is not None:
        of_metric = ranks.shown.get((entries[0].metric, entries[0].slice), {})
        columns.append([Cell(of_metric.get(entry.system, "")) for entry in entries])
    return columns


def _marked(report: ScoreReport, entries: Sequence[SystemScore], *, best: bool) -> list[Cell]:
    """Return one metric's cells; those that read the same as the best are marked like it."""
    shown = [report.shown(entry, entry.score) for entry in entries]
    finite = [entry.score for entry in entries if math.isfinite(entry.score)]
    known = all(entry.comparable for entry in entries)
    if not best or not known or len(set(shown)) < 2 or not finite:
        return [Cell(text) for text in shown]
    top = max(finite) if entries[0].higher_is_better else min(finite)
    return [Cell(text, best=text == report.shown(entries[0], top)) for text in shown]


def details_grids(report: ScoreReport) -> list[Grid]:
    """Return for every metric that tells what its scores are made of, systems and numbers."""
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
        least = report.decimals.get(entries[0].metric, 2)
        shown = [_aligned(values[name], _of_one_kind(name, values), least) for name in names]
        blocks: dict[str | None, list[list[Cell]]] = {}
        for entry, *numbers in zip(entries, *shown, strict=True):
            head = [Cell(OVERALL if entry.slice is None else entry.slice)] if sliced else []
            row = [*head, *_key(entry, runs), *map(Cell, numbers)]
            blocks.setdefault(entry.slice, []).append(row)
        keys = ["Slice"] * sliced + [title] + ["Run"] * runs
        columns = [Column(name.replace("_", " "), kind="number") for name in names]
        grids.append(Grid([*map(Column, keys), *columns], list(blocks.values())))
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


def _segments(report: ScoreReport) -> Grid:
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
        for at, label in enumerate(_labels(report))
        for system in zip(*columns, strict=True)
    ]
    titles = ["Segment", "System"] + ["Run"] * runs
    return Grid([*map(Column, titles), *_metric_columns(report)], [rows])


def _labels(report: ScoreReport) -> Sequence[str]:
    if report.ids is not None:
        return report.ids
    return [str(number) for number in report.numbers or range(1, report.segments + 1)]


def _records(report: ScoreReport, entry: SystemScore) -> Iterator[dict[str, str]]:
    low, high = entry.interval or (None, None)
    record = {
        "metric": entry.metric,
        "system": entry.system,
        "run": entry.run or "",
        "slice": entry.slice or "",
        "segment": "",
        "detail": "",
        "score": _digits(entry.score),
        "low": _digits(low),
        "high": _digits(high),
        "level": _digits(entry.level),
        "lower_is_better": "false" if entry.higher_is_better else "true",
        "signature": entry.signature,
    }
    yield record
    alone = record | dict.fromkeys(("low", "high", "level"), "")
    for name, value in (entry.details or {}).items():
        yield {**alone, "detail": name, "score": str(value)}
    if entry.segments is not None:
        for label, score in zip(_labels(report), entry.segments, strict=True):
            yield {**alone, "segment": label, "score": _digits(score)}


def _digits(number: float | None) -> str:
    return "" if number is None else repr(float(number))


def metric_fields(report: ScoreReport) -> list[dict[str, Any]]:
    """Return what is the same for all scores of a metric, so that they can be shown again."""
    return [
        {
            "metric": metric,
            "name": entries[0].name,
            "decimals": report.decimals.get(metric, 2),
        }
        for metric, entries in report.metrics.items()
    ]


def score_fields(entry: SystemScore, sliced: bool) -> dict[str, Any]:
    """Return what a program wants to know of a score."""
    fields: dict[str, Any] = {
        "metric": entry.metric,
        "signature": entry.signature,
        "lower_is_better": not entry.higher_is_better,
        "system": entry.system,
    }
    if entry.run is not None:
        fields["run"] = entry.run
    if sliced:
        fields["slice"] = entry.slice
    fields["score"] = document.number(entry.score)
    interval = entry.interval
    fields["interval"] = None if interval is None else [document.number(end) for end in interval]
    fields["level"] = entry.level
    if not entry.comparable:
        fields["comparable"] = False
    if entry.details is not None:
        fields["details"] = {
            name: value if isinstance(value, int) else document.number(value)
            for name, value in entry.details.items()
        }
    if entry.segments is not None:
        fields["segments"] = [document.number(score) for score in entry.segments]
    return fields

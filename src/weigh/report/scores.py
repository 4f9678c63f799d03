"""Scores of systems as grids and records, in the order and groups in which they are shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from weigh.comparing.methods import has_runs, number_of_runs
from weigh.comparing.result import MetricShown, titles
from weigh.report.grid import Cell, Column, Grid, in_clusters, visible
from weigh.report.phrases import RANGE, Ranks, confidence, rank_text, rank_title, why_uncorrected
from weigh.report.svg import drawable
from weigh.wording import fixed, intervals, percent, plural

if TYPE_CHECKING:
    from weigh.comparing.result import (
        CompareResult,
        Comparison,
        Histogram,
        Ranking,
        Sweep,
        SystemScore,
    )
    from weigh.result import Extent


OVERALL = "(all)"
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
        metrics: dict[str, list[SystemScore]] = {}
        for entry in self.scores:
            metrics.setdefault(entry.metric, []).append(entry)
        return metrics

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


def _key(entry: SystemScore, runs: bool) -> list[Cell]:
    return [Cell(entry.system), Cell(entry.run or "")] if runs else [Cell(entry.system)]


def systems_grid(
    report: ScoreTable,
    ranks: Ranks | None = None,
    clusters: Sequence[Sequence[str]] = (),
    *,
    mark_best: bool = True,
) -> Grid:
    """Return system rows and metric columns, one block for all segments and one per slice.

    Each score has its interval beside it, if there are intervals, and its place, with `ranks`.
    With `clusters`, which are of systems in the order of the rows, each is a block of its own
    where rows are of all segments.
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
        blocks = [*in_clusters(blocks[0], clusters), *blocks[1:]]
    return Grid(titles, blocks, lined=bool(clusters))


def _level(report: ScoreTable) -> float | None:
    return next((entry.level for entry in report.scores if entry.level is not None), None)


def _columns_of_metric(
    report: ScoreTable, entries: Sequence[SystemScore], ranks: Ranks | None, mark_best: bool
) -> list[list[Cell]]:
    columns = [_marked(report, entries, best=mark_best)]
    if _level(report) is not None:
        decimals = report.decimals(entries[0].metric)
        columns.append([Cell(text) for text in intervals([e.interval for e in entries], decimals)])
    if ranks is not None:
        of_metric = ranks.shown.get((entries[0].metric, entries[0].slice), {})
        columns.append([Cell(of_metric.get(entry.system, "")) for entry in entries])
    return columns


def _marked(report: ScoreTable, entries: Sequence[SystemScore], *, best: bool) -> list[Cell]:
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


def score_records(scores: Sequence[SystemScore], labels: Sequence[str]) -> list[dict[str, str]]:
    """Return one record per metric and system, per detail and segment where asked for."""
    records = [record for entry in scores for record in _records(entry, labels)]
    used = [
        name
        for name in records[0]
        if name not in _OPTIONAL or any(record[name] for record in records)
    ]
    return [{name: record[name] for name in used} for record in records]


def _records(entry: SystemScore, labels: Sequence[str]) -> Iterator[dict[str, str]]:
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
        for label, score in zip(labels, entry.segments, strict=True):
            yield {**alone, "segment": label, "score": _digits(score)}


def _digits(number: float | None) -> str:
    return "" if number is None else repr(float(number))


@dataclass(frozen=True)
class CompareReport:
    """What tables, pages and pictures ask a comparison for: orders, titles and groups."""

    result: CompareResult

    @cached_property
    def scores(self) -> ScoreTable:
        """The scores, best first by the first metric."""
        result = self.result
        first = result.scores[0]
        whole = [
            each for each in result.scores if (each.metric, each.slice) == (first.metric, None)
        ]
        sign = -1 if first.higher_is_better else 1
        names = [each.system for each in sorted(whole, key=lambda each: sign * each.score)]
        order = {name: place for place, name in enumerate(self._ranked_first or names)}
        metrics = list(dict.fromkeys(each.metric for each in result.scores))
        slices = list(dict.fromkeys(each.slice for each in result.scores))
        return ScoreTable(
            sorted(
                result.scores,
                key=lambda each: (
                    metrics.index(each.metric),
                    slices.index(each.slice),
                    order[each.system],
                ),
            ),
            result.metrics,
        )

    @cached_property
    def size(self) -> str:
        """How much was compared, in words: runs, segments, references and documents."""
        result = self.result
        size = size_of_test_set(result.test_set)
        return f"{number_of_runs(result)}, {size}" if has_runs(result) else size

    @property
    def intervals(self) -> str:
        """How intervals were made, or nothing where no score has one."""
        has_any = any(entry.interval is not None for entry in self.result.scores)
        return f"{self.result.intervals}" if has_any and self.result.intervals else ""

    @cached_property
    def titles(self) -> dict[str, str]:
        """What each metric is called."""
        return titles(self.result.metrics)

    @cached_property
    def signatures(self) -> list[tuple[str, str]]:
        """Metrics and tests, each with its signature."""
        tests = [(each.test, each.signature) for each in self.result.tests]
        return [*self.scores.signatures, *tests]

    @cached_property
    def sliced(self) -> bool:
        """Whether slices were looked at."""
        return any(pair.slice is not None for pair in self.result.comparisons)

    @cached_property
    def slices(self) -> list[str | None]:
        """The whole test set, None, and its slices."""
        return list(dict.fromkeys(entry.slice for entry in self.result.scores))

    @cached_property
    def _higher(self) -> dict[str, bool]:
        return {entry.metric: entry.higher_is_better for entry in self.result.scores}

    def higher(self, metric: str) -> bool:
        """Return whether larger scores are better."""
        return self._higher[metric]

    def direction(self, metric: str) -> str:
        """Return which scores are good."""
        return "higher is better" if self.higher(metric) else "lower is better"

    def heading(self, metric: str, label: str | None = None) -> str:
        """Return what a metric is called, and the slice, in the heading of a picture."""
        parts = [self.titles[metric]] + ([] if label is None else [label])
        return ", ".join(map(visible, parts))

    def decimals(self, metric: str) -> int:
        """Return how many decimals of a metric are shown."""
        return self.scores.decimals(metric)

    @cached_property
    def tests(self) -> dict[str, list[Comparison]]:
        """The comparisons by test, and within it by metric, then by slice."""
        tests: dict[str, list[Comparison]] = {}
        metrics = list(self.titles)
        for pair in sorted(self.result.comparisons, key=lambda pair: metrics.index(pair.metric)):
            tests.setdefault(pair.test, []).append(pair)
        return {test: tests[test] for test in {pair.test: 0 for pair in self.result.comparisons}}

    @cached_property
    def _ranked_first(self) -> list[str]:
        """The systems by rank, by the first metric and test on the whole test set."""
        for ranking in self.result.rankings[:1]:
            return [name for cluster in ranking.clusters for name in cluster]
        return []

    def lines(self, test: str) -> Sequence[Sequence[str]]:
        """Return the clusters that lines part in tables of scores: those of the first metric.

        They are of the whole test set; where lines set slices apart, one cluster needs none.
        """
        clusters = [
            ranking.clusters
            for ranking in self.result.rankings
            if ranking.test == test and ranking.slice is None
        ]
        return clusters[0] if clusters and (len(clusters[0]) > 1 or not self.sliced) else ()

    @cached_property
    def ranks(self) -> Ranks | None:
        """The ranks that each system may have by the first test."""
        return self.ranks_by(self.first_test)

    @cached_property
    def first_test(self) -> str:
        """The test that the ranks in tables of scores are by."""
        return self.result.rankings[0].test if self.result.rankings else ""

    def ranks_by(self, test: str) -> Ranks | None:
        """Return the ranks that each system may have by a test."""
        by_test = [ranking for ranking in self.result.rankings if ranking.test == test]
        if not by_test:
            return None
        return Ranks(
            {
                (ranking.metric, ranking.slice): {
                    name: rank_text(ends) for name, ends in ranking.ranks.items()
                }
                for ranking in by_test
            },
            any(ranking.uncorrected for ranking in by_test),
        )

    def about_ranks(self, test: str) -> str:
        """Return how ranks by a test, and lines between clusters, are to be read."""
        plan = self.result.plan
        ranks, lines = self.ranks_by(test), self.lines(test)
        why_not = why_uncorrected(plan.adjust) if ranks and ranks.uncorrected else ""
        said = f"Rank by the {test} test: {RANGE}. {confidence(plan.alpha, why_not)}"
        if len(lines) > 1:
            title = next(iter(self.titles.values()))
            where = f" within {OVERALL}" if self.sliced else ""
            said += (
                f" A line{where} stands where every system above beats every one below by {title}."
            )
        return said

    def ordered(self, metric: str, label: str | None = None) -> list[SystemScore]:
        """Return the scores by a metric, of a slice or of all, best first, that can be drawn."""
        sign = -1 if self.higher(metric) else 1
        entries = [
            entry
            for entry in self.result.scores
            if (entry.metric, entry.slice) == (metric, label) and drawable(entry.score)
        ]
        return sorted(entries, key=lambda entry: sign * entry.score)

    def is_neighbour(self, pair: Histogram | Sweep) -> bool:
        """Return whether a pair is one that a reader asks about first.

        Those are neighbours in the order of scores; with a baseline, all pairs.
        """
        if self.result.plan.baseline is not None:
            return True
        names = [entry.system for entry in self.ordered(pair.metric)]
        if pair.a not in names or pair.b not in names:
            return False
        return abs(names.index(pair.a) - names.index(pair.b)) == 1

    def ranking(self, pair: Comparison) -> Ranking | None:
        """Return the ranking by a comparison's metric, test and slice, if there is one."""
        place = (pair.metric, pair.test, pair.slice)
        for ranking in self.result.rankings:
            if (ranking.metric, ranking.test, ranking.slice) == place:
                return ranking
        return None

    def order(self, pair: Comparison) -> list[str]:
        """Return the systems by their scores, for a comparison's metric and slice."""
        sign = -1 if self.higher(pair.metric) else 1
        place = (pair.metric, pair.slice)
        entries = [e for e in self.result.scores if (e.metric, e.slice) == place]
        return [entry.system for entry in sorted(entries, key=lambda e: sign * e.score)]

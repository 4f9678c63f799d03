"""Scores of systems by labels, as a table, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh.report import document, pieces, table, tsv
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import fixed, plural
from weigh.report.pieces import Piece

if TYPE_CHECKING:
    from weigh.rypt.metric import Rypt
    from weigh.types import System

WAYS = ("strict", "half", "labelled")
_SENTENCES = (
    "strict: 100 × YES / nodes. half: nodes without a label, and NOT SURE, count as half a YES. "
    "labelled: 100 × YES / (YES + NO).",
    "Direct and after: the percentage of nodes that people have said YES or NO of themselves, and "
    "after percolation. Limit: strict, were all of these labels YES; since a YES never goes up, it "
    "is below 100 where only short constituents were asked about.",
)


@dataclass(frozen=True, slots=True)
class LabelledScore:
    """One system's nodes by label, and its score in each way; shares are in per cent.

    Without a YES or NO, the labelled nodes have no score: NaN.
    """

    system: str
    run: str | None
    counts: Mapping[str, int]
    scores: Mapping[str, float]
    unparsed: int

    @classmethod
    def of(cls, system: System, metric: Rypt) -> LabelledScore:
        """Take the counts that a system carries."""
        from dataclasses import replace

        import numpy as np

        from weigh.rypt.percolation import COLUMNS

        given = system.outputs.extra[metric.column]
        counts = {name: sum(row[at] for row in given) for at, name in enumerate(COLUMNS)}
        row = np.array([counts[name] for name in COLUMNS[: metric.width]])
        scores = {way: float(replace(metric, unlabelled=way).score(row)) for way in WAYS}
        if not counts["yes"] + counts["no"]:
            scores["labelled"] = math.nan
        unparsed = sum(not any(row[: metric.width]) for row in given)
        return cls(system.name, system.run, counts, scores, unparsed)

    @property
    def nodes(self) -> int:
        """The number of all nodes."""
        return sum(self.counts[name] for name in ("yes", "no", "not sure", "unlabelled"))

    @property
    def labels(self) -> int:
        """The number of nodes that are YES or NO."""
        return self.counts["yes"] + self.counts["no"]

    def share(self, *names: str) -> float:
        """Return the percentage of nodes that some counts are."""
        count = sum(self.counts[name] for name in names)
        return 100 * count / self.nodes if self.nodes else 0.0


@dataclass(frozen=True, slots=True)
class LabelScoreReport:
    """All that `weigh rypt score` says; `uneven` is why no system is marked as the best."""

    systems: Sequence[LabelledScore]
    segments: int
    signature: str
    remarks: Sequence[str] = ()
    uneven: str | None = None


def _pieces(report: LabelScoreReport) -> list[Piece]:
    unparsed = report.systems[0].unparsed
    heading = plural(report.segments, "sentence")
    if unparsed:
        heading += f", {unparsed:,} of them without a parse and left out"
    return [Piece(heading, _grid(report), _SENTENCES)]


def _grid(report: LabelScoreReport) -> Grid:
    runs = any(one.run is not None for one in report.systems)
    columns = [Column("System"), *[Column("Run")] * runs]
    columns += [Column(way, better="higher") for way in WAYS]
    numbers = ("Direct", "After", "Limit", "Nodes", "YES", "NO", "NOT SURE", "Open")
    columns += [Column(name, kind="number") for name in numbers]
    best = {
        way: max((one.scores[way] for one in report.systems if one.labels), default=math.nan)
        for way in WAYS
    }
    marked = len(report.systems) > 1 and report.uneven is None
    rows = [
        [
            Cell(one.system),
            *[Cell(one.run or "")] * runs,
            *(
                Cell(fixed(one.scores[way], 2), best=marked and one.scores[way] == best[way])
                for way in WAYS
            ),
            Cell(fixed(one.share("direct"), 1)),
            Cell(fixed(one.share("yes", "no"), 1)),
            Cell(fixed(one.share("reach"), 2)),
            Cell(f"{one.nodes:,}"),
            *(Cell(f"{one.counts[name]:,}") for name in ("yes", "no", "not sure", "unlabelled")),
        ]
        for one in report.systems
    ]
    return Grid(columns, [rows])


def _signatures(report: LabelScoreReport) -> list[tuple[str, str]]:
    return [("RYPT", report.signature)]


def as_table(report: LabelScoreReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text with the signature underneath."""
    return pieces.as_table(_pieces(report), _signatures(report), screen)


def as_markdown(report: LabelScoreReport) -> str:
    """Return a pipe table."""
    return pieces.as_markdown(_pieces(report), _signatures(report))


def as_latex(report: LabelScoreReport) -> str:
    """Return a table for a paper."""
    return pieces.as_latex(_pieces(report))


def _fields(one: LabelledScore) -> dict[str, Any]:
    return {
        "system": one.system,
        "run": one.run,
        **{way: document.number(score) for way, score in one.scores.items()},
        "coverage_before": one.share("direct"),
        "coverage": one.share("yes", "no"),
        "limit": one.share("reach"),
        "nodes": one.nodes,
        "yes": one.counts["yes"],
        "no": one.counts["no"],
        "not_sure": one.counts["not sure"],
        "unlabelled": one.counts["unlabelled"],
        "unparsed": one.unparsed,
    }


def as_tsv(report: LabelScoreReport) -> str:
    """Return one row per system, with all digits."""
    records = [_fields(one) for one in report.systems]
    rows = [
        [Cell("" if value is None else str(value)) for value in record.values()]
        for record in records
    ]
    return tsv.render(Grid([Column(name) for name in records[0]], [rows]))


def as_json(report: LabelScoreReport) -> str:
    """Return the document that programs read."""
    parts = {
        "test_set": document.Extent(report.segments, 0).fields,
        "signature": report.signature,
        "scores": [_fields(one) for one in report.systems],
        "uneven": report.uneven,
        "warnings": list(report.remarks),
    }
    return document.render("rypt score", parts)


# Every format but the table, which also wants to know the screen.
FORMATS: dict[str, Callable[[LabelScoreReport], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "latex": as_latex,
}

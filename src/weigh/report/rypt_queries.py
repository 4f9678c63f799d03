"""What is to be asked and what that takes, as a table, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from weigh import __version__
from weigh.report import document, pieces, table, tsv
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import fixed, listed, percent, plural
from weigh.report.pieces import Piece
from weigh.rypt.queries import PAPER

if TYPE_CHECKING:
    from weigh.rypt.queries import Estimate, Query, Tally


@dataclass(frozen=True, slots=True)
class QueriesReport:
    """All that `weigh rypt queries` says.

    `queries` are all that there are, the `estimate` is of those that were chosen, and `top` holds
    the most useful of them, each with the words of its span; people are shown the first `shown`.
    `assumed` names the rates that are the paper's; `sweep` tells for other lengths than
    `max_length` what there is to ask. `aggregate` says how labels were made of several judges',
    where there are any.
    """

    tally: Tally
    queries: int
    estimate: Estimate
    top: Sequence[tuple[Query, str]]
    shown: int
    max_length: int
    assumed: Collection[str]
    sweep: Mapping[int, Tally]
    files: Sequence[str] = ()
    aggregate: str | None = None


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _found(report: QueriesReport) -> Piece:
    tally = report.tally
    rows = [
        ("Source sentences", f"{tally.sentences:,}"),
        ("Candidates", f"{tally.candidates:,}"),
        (f"Source spans of up to {plural(report.max_length, 'word')}", f"{tally.nodes:,}"),
        ("Alternatives", f"{tally.alternatives:,}"),
        ("Alternatives of a span", fixed(_ratio(tally.alternatives, tally.nodes), 2)),
        ("With a gap (%)", fixed(100 * _ratio(tally.gapped, tally.alternatives), 1)),
        ("Labelled already", f"{tally.labelled:,}"),
        ("Decided by other labels", f"{tally.decided:,}"),
        ("To be asked", f"{report.queries:,}"),
    ]
    covered = 100 * _ratio(tally.covered, tally.places)
    sentences = [
        f"{fixed(covered, 1)}% of all nodes of candidates are labelled now, directly or by "
        f"percolation. In {fixed(100 * _ratio(tally.unaligned, tally.cells), 1)}% of cases a "
        "candidate has no word for a span, which cannot be asked about."
    ]
    if tally.crossed:
        sentences.append(
            f"{plural(tally.crossed, 'candidate')} with phrases whose words are linked each with "
            "each; weigh rypt align with a training corpus gives better links."
        )
    if tally.unparsed:
        sentences.append(f"Left out, {plural(tally.unparsed, 'sentence')}: without a parse.")
    if tally.without_candidates:
        sentences.append(f"{plural(tally.without_candidates, 'sentence')} have no candidate.")
    if tally.unfit:
        sentences.append(
            f"Left out, {plural(tally.unfit, 'alternative')}: with words that stand for a gap or "
            "with characters that end a line."
        )
    return Piece("Queries", _grid("What", "Number", rows), sentences)


def _grid(first: str, second: str, rows: Sequence[tuple[str, str]]) -> Grid:
    return Grid(
        [Column(first), Column(second, kind="number")],
        [[[Cell(name), Cell(value)] for name, value in rows]],
    )


def _estimate(report: QueriesReport) -> Piece:
    estimate = report.estimate
    rates = estimate.rates
    rows = [
        ("Queries", f"{estimate.queries:,}"),
        ("HITs", f"{estimate.hits:,}"),
        ("Alternatives on a HIT", fixed(_ratio(estimate.queries, estimate.hits), 2)),
        ("Judges of a HIT", f"{rates.judges:,}"),
        ("Labels", f"{estimate.labels:,}"),
        ("Hours of work", fixed(estimate.hours, 2)),
        ("Price", fixed(estimate.price, 2)),
    ]
    price = (
        f"{rates.price_per_label:g} for a label"
        if rates.price_per_hit is None
        else f"{rates.price_per_hit:g} for a HIT and judge"
    )
    names = []
    if "seconds" in report.assumed:
        names.append("the time")
    if "price_per_label" in report.assumed and rates.price_per_hit is None:
        names.append("the price, in dollars of 2009,")
    source = (
        f" {listed(names).capitalize()} {'are those' if len(names) > 1 else 'is that'} of Zaidan "
        "and Callison-Burch (2009)."
        if names
        else ""
    )
    sentences = [f"Assumed: {rates.seconds:g} s and {price}.{source}"]
    return Piece("Estimate", _grid("What", "Number", rows), sentences)


def _most_useful(report: QueriesReport) -> Piece:
    columns = [Column("Line", kind="number"), Column("Source"), Column("Alternative")]
    columns += [Column(title, kind="number") for title in ("Candidates", "Decides")]
    shown = report.top[: report.shown]
    rows = [
        [
            Cell(f"{query.sentence + 1:,}"),
            Cell(span),
            Cell(query.substring),
            Cell(f"{query.candidates:,}"),
            Cell(fixed(query.gain, 1)),
        ]
        for query, span in shown
    ]
    if all(query.shares == PAPER for query, _ in shown):
        assumed = (
            f"if {percent(PAPER.yes)} of labels are YES and {percent(PAPER.no)} NO, as in the paper"
        )
    else:
        assumed = "if YES and NO are as frequent as among the labels of spans as long"
    return Piece(
        "The most useful",
        Grid(columns, [rows]),
        [
            "Decides: the number of nodes, over all candidates, that a label is expected to decide "
            f"after percolation, {assumed}."
        ],
    )


def _pieces(report: QueriesReport) -> list[Piece]:
    parts = [_found(report), _estimate(report)]
    if report.sweep:
        parts.append(_swept(report.sweep))
    return [*parts, _most_useful(report)] if report.top else parts


def _swept(sweep: Mapping[int, Tally]) -> Piece:
    titles = ("Longest span", "Spans", "Alternatives", "of a span", "Labelled", "YES (%)")
    rows = [
        [
            Cell(f"{length:,}"),
            Cell(f"{tally.nodes:,}"),
            Cell(f"{tally.alternatives:,}"),
            Cell(fixed(_ratio(tally.alternatives, tally.nodes), 2)),
            Cell(f"{tally.labelled:,}"),
            Cell(fixed(100 * _ratio(tally.labelled_yes, tally.labelled), 1)),
        ]
        for length, tally in sweep.items()
    ]
    columns = [Column(title, kind="number") for title in titles]
    return Piece("By the longest span", Grid(columns, [rows]))


def _signatures(report: QueriesReport) -> list[tuple[str, str]]:
    labels = "" if report.aggregate is None else f"|aggregate:{report.aggregate}"
    return [("queries", f"max_length:{report.max_length}{labels}|version:weigh-{__version__}")]


def as_table(report: QueriesReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text."""
    return pieces.as_table(_pieces(report), _signatures(report), screen)


def as_markdown(report: QueriesReport) -> str:
    """Return pipe tables."""
    return pieces.as_markdown(_pieces(report), _signatures(report))


def as_latex(report: QueriesReport) -> str:
    """Return tables."""
    return pieces.as_latex(_pieces(report))


def _query_fields(query: Query, span: str) -> dict[str, Any]:
    return {
        "line": query.sentence + 1,
        "start": query.start,
        "end": query.end,
        "span": span,
        "substring": query.substring,
        "candidates": query.candidates,
        "if_yes": query.if_yes,
        "if_no": query.if_no,
        "gain": query.gain,
    }


def as_tsv(report: QueriesReport) -> str:
    """Return one row for each of the most useful queries, with all digits."""
    rows = [_query_fields(*each) for each in report.top]
    titles = list(rows[0]) if rows else ["line"]
    cells = [[Cell(str(value)) for value in row.values()] for row in rows]
    return tsv.render(Grid([Column(title) for title in titles], [cells]))


def as_json(report: QueriesReport) -> str:
    """Return the document that programs read."""
    estimate = report.estimate
    return document.render(
        "rypt queries",
        {
            "test_set": document.Extent(report.tally.sentences, 0).fields,
            "max_length": report.max_length,
            "aggregate": report.aggregate,
            "found": {**asdict(report.tally), "queries": report.queries},
            "estimate": {
                "queries": estimate.queries,
                "hits": estimate.hits,
                "labels": estimate.labels,
                "hours": estimate.hours,
                "price": estimate.price,
                **asdict(estimate.rates),
                "assumed": sorted(report.assumed),
            },
            "sweep": [
                {"max_length": length, **asdict(each)} for length, each in report.sweep.items()
            ],
            "shown": report.shown,
            "queries": [
                {**_query_fields(query, span), "shares": query.shares._asdict()}
                for query, span in report.top
            ],
            "files": list(report.files),
        },
    )


# Every format but the table, which also wants to know the screen.
FORMATS: dict[str, Callable[[QueriesReport], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "latex": as_latex,
}

"""Expected RYPT of systems, as a table, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh import __version__
from weigh.report import document, pieces, table, tsv
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import fixed, percent, plural
from weigh.report.pieces import Piece

if TYPE_CHECKING:
    from weigh.rypt.inferred import HeldOut, Inferred

_LENGTHS = ("1", "2", "3–4", "5–8", "9–16", "17 or more")
# Fewer answers than this on spans of some length say little of them.
_FEW = 20


@dataclass(frozen=True, slots=True)
class InferReport:
    """All that `weigh rypt infer` says; `remarks` are on the data, of so many `segments`."""

    result: Inferred
    segments: int
    labels: str
    parses: str
    unparsed: int
    remarks: tuple[str, ...] = ()


def cautions(report: InferReport) -> list[str]:
    """Return what a reader should know before he believes the numbers."""
    result = report.result
    said = list(report.remarks)
    few = [
        length
        for length, size, count in zip(_LENGTHS, result.sizes, result.answers, strict=True)
        if size and count < _FEW
    ]
    if few:
        said.append(
            f"fewer than {_FEW} answers on spans of {' and of '.join(few)} words: what is expected "
            "of them is mostly the prior's; ask people about some"
        )
    if not result.converged:
        said.append(f"learning was stopped after {plural(result.rounds, 'round')}")
    return said


def _pieces(report: InferReport) -> Iterator[Piece]:
    result = report.result
    yield Piece(
        "Expected RYPT",
        _systems_grid(result),
        [
            f"Means over all nodes of {plural(result.sentences, 'parsed sentence')}. ±: the "
            "standard deviation of what the labels leave open, if the model is right. Strict, half "
            "and labelled: the hard rules, with open nodes as NO, as half a YES, and left out."
        ],
    )
    yield Piece("What was learned", _length_grid(result), [_label_sentence(result)])
    if result.held_out is not None:
        yield _held_out_piece(result.held_out)
    said = cautions(report)
    if said:
        yield Piece("Remarks", None, [f"{one[0].upper()}{one[1:]}." for one in said])


def _systems_grid(result: Inferred) -> Grid:
    columns = [Column("System"), Column("Expected", better="higher")]
    columns.append(Column("±", kind="number", attached=True))
    titles = ("Strict", "Half", "Labelled")
    columns += [Column(title, better="higher") for title in titles]
    columns += [Column(title, kind="number") for title in ("Labelled %", "Decided %", "Nodes")]
    best = max(one.expected for one in result.systems)
    rows = [
        [
            Cell(one.system),
            Cell(fixed(one.expected, 2), best=one.expected == best),
            Cell(fixed(one.deviation, 2)),
            *(Cell(fixed(score, 2)) for score in (one.strict, one.half, one.labelled)),
            *(Cell(fixed(share, 1)) for share in (one.direct, one.coverage)),
            Cell(f"{one.nodes:,}"),
        ]
        for one in result.systems
    ]
    return Grid(columns, [rows])


def _length_grid(result: Inferred) -> Grid:
    titles = ("Nodes", "Answers", "Acceptable below NO", "Acceptable below YES", "As a sentence")
    columns = [Column("Words"), *(Column(title, kind="number") for title in titles)]
    root = result.parameters.root
    rows = [
        [
            Cell(length),
            Cell(f"{result.sizes[at]:,}"),
            Cell(f"{count:,}"),
            *(Cell(fixed(chance, 3)) for chance in (*result.below[at], float(root[at]))),
        ]
        for at, (length, count) in enumerate(zip(_LENGTHS, result.answers, strict=True))
    ]
    return Grid(columns, [rows])


def _label_sentence(result: Inferred) -> str:
    no, yes = result.parameters.label
    said = (
        f"Answers on what is acceptable: {percent(round(yes[0], 3))} YES, "
        f"{percent(round(yes[1], 3))} NO, {percent(round(yes[2], 3))} NOT SURE; on what is not: "
        f"{percent(round(no[0], 3))} YES, {percent(round(no[1], 3))} NO, "
        f"{percent(round(no[2], 3))} NOT SURE."
    )
    if result.symmetric:
        said += " Errors were taken to be symmetric, since no node was judged more than once."
    return said


def _held_out_piece(held: HeldOut) -> Piece:
    columns = [
        Column("Method"),
        Column("Right %", better="higher"),
        Column("Brier", better="lower"),
        Column("Above inference", kind="number"),
        Column("±", kind="number", attached=True),
        Column("Log loss", better="lower"),
    ]
    lowest = min(fit.brier for fit in held.fits)
    rows = [
        [
            Cell(fit.method),
            Cell(fixed(100 * fit.accuracy, 1)),
            Cell(fixed(fit.brier, 4), best=fit.brier == lowest),
            *(
                [Cell(""), Cell("")]
                if fit.method == "inference"
                else [Cell(fixed(fit.excess, 4, sign=True)), Cell(fixed(fit.error, 4))]
            ),
            Cell(fixed(fit.log_loss, 3)),
        ]
        for fit in held.fits
    ]
    return Piece(
        "Hidden labels, told from the others",
        Grid(columns, [rows]),
        [
            f"Of {plural(held.labels, 'label')}, {percent(held.share)} were hidden, "
            f"{plural(held.draws, 'time')}: {plural(held.hidden, 'node')} of outputs, of which the "
            f"hard rules decide {percent(round(held.decided, 3))}. ±: the standard error, by "
            "sentence. Log loss: no chance counts as more than .99."
        ],
    )


def _signatures(report: InferReport) -> list[tuple[str, str]]:
    parts = {"labels": report.labels, "parses": report.parses, "version": f"weigh-{__version__}"}
    if report.result.held_out is not None:
        parts = {"seed": str(report.result.held_out.seed), **parts}
    return [("infer", "|".join(f"{name}:{value}" for name, value in parts.items()))]


def as_table(report: InferReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text."""
    return pieces.as_table(_pieces(report), _signatures(report), screen)


def as_markdown(report: InferReport) -> str:
    """Return pipe tables."""
    return pieces.as_markdown(_pieces(report), _signatures(report))


def as_latex(report: InferReport) -> str:
    """Return a table for each of them."""
    return pieces.as_latex(_pieces(report))


def as_tsv(report: InferReport) -> str:
    """Return one row for each system, with all digits."""
    systems = [one._asdict() for one in report.result.systems]
    rows = [[Cell(str(value)) for value in one.values()] for one in systems]
    return tsv.render(Grid([Column(name) for name in systems[0]], [rows]))


def _numbers(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: document.number(value) if isinstance(value, float) else value
        for name, value in fields.items()
    }


def as_json(report: InferReport) -> str:
    """Return the document that programs read."""
    result = report.result
    held = result.held_out
    parts: dict[str, Any] = {
        "test_set": document.Extent(report.segments, 0).fields,
        "labels": report.labels,
        "parses": report.parses,
        "sentences": result.sentences,
        "unparsed": report.unparsed,
        "systems": [_numbers(one._asdict()) for one in result.systems],
        "parameters": {
            "root": result.parameters.root.tolist(),
            "child": result.parameters.child.tolist(),
            "label": result.parameters.label.tolist(),
            "symmetric": result.symmetric,
        },
        "nodes": list(result.sizes),
        "answers": list(result.answers),
        "below": [list(map(document.number, chances)) for chances in result.below],
        "rounds": result.rounds,
        "converged": result.converged,
        "warnings": cautions(report),
    }
    if held is not None:
        parts["held_out"] = {
            "share": held.share,
            "draws": held.draws,
            "seed": held.seed,
            "labels": held.labels,
            "hidden": held.hidden,
            "decided": held.decided,
            "methods": [fit._asdict() for fit in held.fits],
        }
    return document.render("rypt infer", parts)


FORMATS: dict[str, Callable[[InferReport], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "latex": as_latex,
}

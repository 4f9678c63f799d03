"""One source sentence's tree with the labels that outputs have, in all formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh.report import document, pieces, table, tsv
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import fixed, plural
from weigh.report.pieces import Piece
from weigh.rypt.labels import Label

if TYPE_CHECKING:
    from weigh.rypt.explanation import ExplainedNode

NO_LABEL = "–"
UNALIGNED = "(not aligned)"
LEGEND = (
    "A label that people gave stands alone; ↓ comes from a YES above, ↑ from a NO below, and – is "
    "without a label.",
)


@dataclass(frozen=True, slots=True)
class ExplainedOutput:
    """What one system says for a sentence, and its nodes."""

    system: str
    text: str
    nodes: Sequence[ExplainedNode]

    @property
    def summary(self) -> str:
        """The score, and how many nodes have which label."""
        labels = [node.label for node in self.nodes]
        counted = ", ".join(f"{labels.count(label)} {label.value}" for label in Label)
        score = fixed(100 * labels.count(Label.YES) / len(labels), 2)
        nodes = plural(len(labels), "node")
        return f"RYPT (strict) {score}: of {nodes} {counted}, {labels.count(None)} open"


@dataclass(frozen=True, slots=True)
class TreeReport:
    """All that `weigh rypt explain` says of one of so many segments."""

    segments: int
    segment: int
    source: Sequence[str]
    outputs: Sequence[ExplainedOutput]
    signature: str


def mark(node: ExplainedNode, place: int) -> str:
    """Return a node's label, with an arrow where it comes from another node."""
    if node.label is None:
        return NO_LABEL
    if node.because == place:
        return node.label.value
    return f"{node.label.value} {'↓' if node.label == Label.YES else '↑'}"


def reason(nodes: Sequence[ExplainedNode], place: int) -> str:
    """Return where a node's label comes from, in words."""
    because = nodes[place].because
    if because is None:
        return ""
    if because == place:
        return "said of it"
    return f"{'below' if nodes[place].label == Label.YES else 'above'} {span(nodes[because])}"


def span(node: ExplainedNode) -> str:
    """Return a node's name and range."""
    return f"{node.name}[{node.start},{node.end})"


def _pieces(report: TreeReport) -> list[Piece]:
    heading = f"Segment {report.segment:,}: {' '.join(report.source)}"
    return [
        Piece(heading),
        *(
            Piece(f"{one.system}: {one.text}", nodes_grid(report, one), [one.summary])
            for one in report.outputs
        ),
        Piece(sentences=LEGEND),
    ]


def nodes_grid(report: TreeReport, output: ExplainedOutput) -> Grid:
    """Return one row for every node, those below another set in."""
    rows = [
        [
            Cell("\u00a0\u00a0" * node.depth + span(node)),
            Cell(mark(node, place)),
            Cell(reason(output.nodes, place)),
            Cell(UNALIGNED if node.said is None else node.said),
            Cell(" ".join(report.source[node.start : node.end])),
        ]
        for place, node in enumerate(output.nodes)
    ]
    columns = [Column("Node"), Column("Label")]
    columns += [Column(title, kind="remark") for title in ("Why", "Output", "Source")]
    return Grid(columns, [rows])


def _signatures(report: TreeReport) -> list[tuple[str, str]]:
    return [("RYPT", report.signature)]


def as_table(report: TreeReport, screen: table.Screen = table.PLAIN) -> str:
    """Return the tree as aligned text."""
    return pieces.as_table(_pieces(report), _signatures(report), screen)


def as_markdown(report: TreeReport) -> str:
    """Return pipe tables."""
    return pieces.as_markdown(_pieces(report), _signatures(report))


def as_latex(report: TreeReport) -> str:
    """Return a table for every output."""
    return pieces.as_latex(_pieces(report))


def _fields(output: ExplainedOutput, place: int) -> dict[str, Any]:
    node = output.nodes[place]
    return {
        "system": output.system,
        "name": node.name,
        "start": node.start,
        "end": node.end,
        "depth": node.depth,
        "substring": node.said,
        "given": node.given,
        "label": node.label,
        "because": None if node.because is None else span(output.nodes[node.because]),
    }


def _records(report: TreeReport) -> list[dict[str, Any]]:
    return [_fields(one, place) for one in report.outputs for place in range(len(one.nodes))]


def as_tsv(report: TreeReport) -> str:
    """Return one row per system and node."""
    records = _records(report)
    rows = [
        [Cell("" if value is None else str(value)) for value in record.values()]
        for record in records
    ]
    return tsv.render(Grid([Column(name) for name in records[0]], [rows]))


def as_json(report: TreeReport) -> str:
    """Return the document that programs read."""
    parts = {
        "test_set": document.Extent(report.segments, 0).fields,
        "segment": report.segment,
        "source": list(report.source),
        "signature": report.signature,
        "outputs": [{"system": one.system, "text": one.text} for one in report.outputs],
        "nodes": _records(report),
    }
    return document.render("rypt explain", parts)


# Every format but the table, which also wants to know the screen.
FORMATS: dict[str, Callable[[TreeReport], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "latex": as_latex,
}

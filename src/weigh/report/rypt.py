"""What is shown of scores by labels: `weigh rypt score` and `explain`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weigh.report.grid import Cell, Column, Grid, visible
from weigh.report.parts import Note, Pictures, Verdict, summary
from weigh.report.rypt_labels import BY, RYPT, cells_of
from weigh.report.view import View, view_of
from weigh.result import encode
from weigh.rypt.explanation import ExplainedNode, ExplanationResult
from weigh.rypt.label_scores import LabelScore, LabelScoreResult
from weigh.rypt.labels import Label
from weigh.rypt.metric import WAYS
from weigh.wording import fixed, listed, plural

if TYPE_CHECKING:
    from weigh.report.pictures.picture import Picture

NO_LABEL = "–"
_TREE_LABELS = {Label.YES: "yes", Label.NO: "no"}
UNALIGNED = "(not aligned)"

_WAYS = (
    "strict: 100 × YES / nodes. half: nodes without a label, and NOT SURE, count as half a YES. "
    "labelled: 100 × YES / (YES + NO).",
    "Direct and after: the percentage of nodes that people have said YES or NO of themselves, and "
    "after percolation. Limit: strict, were all of these labels YES; since a YES never goes up, it "
    "is below 100 where only short constituents were asked about.",
)
_PERCOLATED = (
    "A NO holds for all constituents around one, up to the next that people have judged, and a YES "
    "for all within one that have no NO"
)


@view_of(LabelScoreResult)
def label_scores(result: LabelScoreResult) -> View:
    """Show scores in three ways, and how many labels count."""
    unparsed = result.scores[0].unparsed
    heading = plural(result.test_set.segments, "sentence")
    if unparsed:
        heading += f", {unparsed:,} of them without a parse and left out"
    return View(
        title=f"RYPT of {listed([_name(score) for score in result.scores])}",
        subtitle=heading,
        parts=[
            *summary(_leaders(result), result.warnings),
            _scores_grid(result).titled(heading, _WAYS, section="Scores", paper=True),
        ],
        methods="Systems were scored by the share of source constituents that people have called "
        f"translated acceptably (RYPT). {_PERCOLATED} {BY}",
        signatures=[("RYPT", result.signature)],
        records=encode(result.scores),
        used=RYPT,
    )


def _leaders(result: LabelScoreResult) -> list[str]:
    """Return which system is the best in which way."""
    known = [score for score in result.scores if score.yes + score.no]
    if len(known) < 2 or result.uneven is not None:
        return [
            f"{_name(score)}: {fixed(score.strict, 2)} of 100 (strict); "
            f"{fixed(score.coverage, 1)}% of {plural(score.nodes, 'node')} are labelled."
            for score in result.scores
        ]
    led: dict[tuple[str, ...], list[str]] = {}
    for way in WAYS:
        best = max(getattr(score, way) for score in known)
        names = tuple(_name(score) for score in known if getattr(score, way) == best)
        led.setdefault(names, []).append(f"{way} ({fixed(best, 2)})")
    leads = [
        f"{listed(names)} {'leads' if len(names) == 1 else 'lead'} by {listed(ways)}."
        for names, ways in led.items()
    ]
    tested = "whether a difference is more than chance is for weigh compare with the same metric"
    return [*leads, f"No test was made: {tested}."]


def _name(score: LabelScore) -> str:
    return score.system if score.run is None else f"{score.system}@{score.run}"


def _scores_grid(result: LabelScoreResult) -> Grid:
    runs = any(score.run is not None for score in result.scores)
    columns = [Column("System"), *[Column("Run")] * runs]
    columns += [Column(way, kind="number", better="higher") for way in WAYS]
    titles = ("Direct", "After", "Limit", "Nodes", "YES", "NO", "NOT SURE", "Open")
    columns += [Column(title, kind="number") for title in titles]
    known = [score for score in result.scores if score.yes + score.no]
    best = {way: max((getattr(score, way) for score in known), default=None) for way in WAYS}
    marked = len(result.scores) > 1 and result.uneven is None
    rows = [
        [
            score.system,
            *[score.run or ""] * runs,
            *(
                Cell(
                    fixed(getattr(score, way), 2), best=marked and getattr(score, way) == best[way]
                )
                for way in WAYS
            ),
            *cells_of(
                fixed(score.coverage_before, 1),
                fixed(score.coverage, 1),
                fixed(score.limit, 2),
                score.nodes,
                score.yes,
                score.no,
                score.not_sure,
                score.unlabelled,
            ),
        ]
        for score in result.scores
    ]
    return Grid(columns, [rows])


@view_of(ExplanationResult)
def explanation(result: ExplanationResult) -> View:
    """Show one sentence's tree with the label of every node, for each output."""
    summaries = {
        output.system: _summary(result.nodes_of(output.system)) for output in result.outputs
    }
    legend = (
        "A label that people gave stands alone; ↓ comes from a YES above, ↑ from a NO below, and – "
        "is without a label."
    )
    return View(
        title=f"Segment {result.segment:,} and its labels",
        subtitle=f"{plural(len(result.outputs), 'output')} of one of "
        f"{plural(result.test_set.segments, 'segment')}",
        parts=[
            Verdict([f"Segment {result.segment:,}: {' '.join(result.source)}"]),
            Pictures(lambda: _trees(result), section="Trees"),
            *(
                _nodes_grid(result, output.system).titled(
                    f"{output.system}: {output.text}",
                    [summaries[output.system]],
                    section="Nodes",
                    paper=True,
                )
                for output in result.outputs
            ),
            Note([legend]),
        ],
        methods=f"Constituents of the source were judged by people. {_PERCOLATED} {BY}",
        signatures=[("RYPT", result.signature)],
        records=encode(result.nodes),
        used=RYPT,
    )


def _trees(result: ExplanationResult) -> list[Picture]:
    """Draw a tree for every output."""
    from weigh.report.pictures.parse_tree import TreeNode, parse_tree
    from weigh.report.pictures.picture import Caption, name_of

    pictures = []
    for number, output in enumerate(result.outputs, 1):
        nodes = result.nodes_of(output.system)
        drawn = [
            TreeNode(
                start=node.start,
                end=node.end,
                depth=node.depth,
                name=node.name,
                text=mark(node),
                title=_node_title(node),
                label="none" if node.label is None else _TREE_LABELS.get(node.label, "none"),
                is_given=node.is_given,
            )
            for node in nodes
        ]
        caption = Caption(
            name_of("tree", number, output.system),
            f"{visible(output.system)}: {visible(output.text)}",
            "; ".join(f"{node.span} {mark(node)}" for node in nodes) + ".",
        )
        pictures.append(parse_tree(result.source, drawn, caption))
    return pictures


def _node_title(node: ExplainedNode) -> str:
    why = reason(node)
    label = f"{mark(node)}, {why}" if why else mark(node)
    return f"{node.span}: {label}; {UNALIGNED if node.substring is None else node.substring}"


def _summary(nodes: Sequence[ExplainedNode]) -> str:
    """Return the score of an output, and how many nodes have which label."""
    labels = [node.label for node in nodes]
    counted = ", ".join(f"{labels.count(label)} {label.value}" for label in Label)
    score = fixed(100 * labels.count(Label.YES) / len(labels), 2)
    return (
        f"RYPT (strict) {score}: of {plural(len(labels), 'node')} {counted}, "
        f"{labels.count(None)} open"
    )


def mark(node: ExplainedNode) -> str:
    """Return a node's label, with an arrow where it comes from another node."""
    if node.label is None:
        return NO_LABEL
    if node.is_given:
        return node.label.value
    return f"{node.label.value} {'↓' if node.label == Label.YES else '↑'}"


def reason(node: ExplainedNode) -> str:
    """Return where a node's label comes from, in words."""
    if node.label is None:
        return ""
    if node.is_given:
        return "said of it"
    return f"{'below' if node.label == Label.YES else 'above'} {node.because}"


def _nodes_grid(result: ExplanationResult, system: str) -> Grid:
    """Return one row for every node, those below another set in."""
    rows = [
        cells_of(
            "\u00a0\u00a0" * node.depth + node.span,
            mark(node),
            reason(node),
            UNALIGNED if node.substring is None else node.substring,
            " ".join(result.source[node.start : node.end]),
        )
        for node in result.nodes_of(system)
    ]
    columns = [Column("Node"), Column("Label")]
    columns += [Column(title, kind="text") for title in ("Why", "Output", "Source")]
    return Grid(columns, [rows])

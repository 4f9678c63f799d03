"""The views of `weigh rypt score` and `weigh rypt explain`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from weigh.report.grid import Column, table, visible
from weigh.report.parts import Note, Pictures, Verdict, summary
from weigh.report.rypt_labels import BY, RYPT
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
    "Direct: the percentage of nodes that people labelled YES or NO. After: the same after "
    "percolation. Limit: the strict score if all these labels were YES; it is below 100 where only "
    "short constituents were judged, because a YES does not spread upwards.",
)
_PERCOLATED = (
    "A NO also applies to all constituents that contain it, up to the next one that people judged, "
    "and a YES to all constituents within it that have no NO"
)


@view_of(LabelScoreResult)
def label_scores(result: LabelScoreResult) -> View:
    """Show scores in three ways, and the number of labels."""
    unparsed = result.scores[0].unparsed
    heading = plural(result.test_set.segments, "sentence")
    if unparsed:
        heading += f", {unparsed:,} without a parse left out"
    return View(
        title=f"RYPT of {listed([score.name for score in result.scores])}",
        subtitle=heading,
        parts=[
            *summary(_leaders(result), result.warnings),
            table(
                result.scores,
                _score_columns(result),
                title=heading,
                notes=_WAYS,
                section="Scores",
                paper=True,
            ),
        ],
        methods="Systems were scored by the share of source constituents that people judged "
        f"acceptably translated (RYPT). {_PERCOLATED} {BY}",
        signatures=[("RYPT", result.signature)],
        records=encode(result.scores),
        used=RYPT,
    )


def _leaders(result: LabelScoreResult) -> list[str]:
    """Sentences on the best systems, by every way of scoring."""
    leaders = result.leaders()
    if not leaders:
        return [
            f"{score.name}: {fixed(score.strict, 2)} of 100 (strict), with "
            f"{fixed(score.coverage, 1)}% of {plural(score.nodes, 'node')} labelled."
            for score in result.scores
        ]
    texts = []
    for names, scores in leaders.items():
        ways = listed([f"{way} ({fixed(score, 2)})" for way, score in scores.items()])
        texts.append(f"{listed(names)} {'leads' if len(names) == 1 else 'lead'} by {ways}.")
    return [*texts, "These are not tests: use weigh compare to test the differences."]


def _score_columns(result: LabelScoreResult) -> list[Column]:
    can_compare = len(result.scores) > 1 and result.uneven is None
    columns = [Column("System", "system")]
    if any(score.run is not None for score in result.scores):
        columns.append(Column("Run", "run"))
    columns += [
        Column(way, partial(_score, way), "score", better="higher", marks_best=can_compare)
        for way in WAYS
    ]
    return [
        *columns,
        Column("Direct", "coverage_before", "score", decimals=1),
        Column("After", "coverage", "score", decimals=1),
        Column("Limit", "limit", "score"),
        Column("Nodes", "nodes", "count"),
        Column("YES", "yes", "count"),
        Column("NO", "no", "count"),
        Column("NOT SURE", "not_sure", "count"),
        Column("Open", "unlabelled", "count"),
    ]


def _score(way: str, score: LabelScore) -> object:
    """A score; one without any YES or NO is text, so that it cannot be marked as best."""
    value: float = getattr(score, way)
    return value if score.is_labelled else fixed(value, 2)


@view_of(ExplanationResult)
def explanation(result: ExplanationResult) -> View:
    """Show one sentence's tree with the label of every node, for each output."""
    columns = [
        Column("Node", lambda node: "\u00a0\u00a0" * node.depth + node.span),
        Column("Label", mark),
        Column("Why", reason, "text"),
        Column("Output", _substring, "text"),
        Column("Source", lambda node: " ".join(result.source[node.start : node.end]), "text"),
    ]
    legend = (
        "A label without an arrow was given by a person. ↓: inferred from a YES above. ↑: inferred "
        "from a NO below. –: no label."
    )
    return View(
        title=f"Segment {result.segment:,} and its labels",
        subtitle=f"{plural(len(result.outputs), 'output')} of one of "
        f"{plural(result.test_set.segments, 'segment')}",
        parts=[
            Verdict([f"Segment {result.segment:,}: {' '.join(result.source)}"]),
            Pictures(lambda: _trees(result), section="Trees"),
            *(
                table(
                    result.nodes_of(output.system),
                    columns,
                    title=f"{output.system}: {output.text}",
                    notes=[_summary(result, output.system)],
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
        )
        pictures.append(parse_tree(result.source, drawn, caption))
    return pictures


def _node_title(node: ExplainedNode) -> str:
    why = reason(node)
    label = f"{mark(node)}, {why}" if why else mark(node)
    return f"{node.span}: {label}; {_substring(node)}"


def _summary(result: ExplanationResult, system: str) -> str:
    """The score of an output and the number of nodes with each label."""
    counts = result.label_counts(system)
    labels = ", ".join(f"{counts[label]:,} {label.value}" for label in Label)
    nodes = plural(len(result.nodes_of(system)), "node")
    return (
        f"RYPT (strict) {fixed(result.score(system), 2)}. {nodes}: {labels}, {counts[None]:,} open."
    )


def mark(node: ExplainedNode) -> str:
    """A node's label, with an arrow if it follows from another node."""
    if node.label is None:
        return NO_LABEL
    if node.is_given:
        return node.label.value
    return f"{node.label.value} {'↓' if node.label == Label.YES else '↑'}"


def reason(node: ExplainedNode) -> str:
    """Where a node's label comes from, in words."""
    if node.label is None:
        return ""
    if node.is_given:
        return "judged"
    return f"{'below' if node.label == Label.YES else 'above'} {node.because}"


def _substring(node: ExplainedNode) -> str:
    return UNALIGNED if node.substring is None else node.substring

"""What labels say of systems' outputs: scores in three ways, and why each node has its label."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from weigh.errors import InputError, plural
from weigh.metrics.statistics import statistics, supplied
from weigh.read.text import shown
from weigh.result import Extent, Result, checked, derived, warns
from weigh.rypt.alignment import AlignedTexts, always
from weigh.rypt.labels import Label, SpanLabels
from weigh.rypt.metric import Rypt
from weigh.rypt.percolation import CODES, COLUMNS, UNALIGNED, Substrings, percolate_codes
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from weigh.types import Rows, System, TestSet


@dataclass(frozen=True, slots=True)
class LabelScore:
    """One system's nodes by label; what follows from them is in per cent.

    `direct` nodes were labelled YES or NO themselves, and `reach` would be YES if all these were;
    `unparsed` sentences have no nodes.
    """

    system: str
    run: str | None
    yes: int
    no: int
    not_sure: int
    unlabelled: int
    direct: int
    reach: int
    unparsed: int

    def __post_init__(self) -> None:
        counts = (self.yes, self.no, self.not_sure, self.unlabelled, self.unparsed)
        checked(min(counts) >= 0, f"a count below 0 of {self.system!r}")
        fits = 0 <= self.direct <= self.reach <= self.nodes
        checked(fits, f"more nodes of {self.system!r} labelled than there are")

    @classmethod
    def of(cls, system: System, metric: Rypt) -> LabelScore:
        """Take the counts that a system carries."""
        carried = system.outputs.extra[metric.column]
        yes, no, not_sure, unlabelled, direct, reach = (
            sum(row[at] for row in carried) for at in range(len(COLUMNS))
        )
        unparsed = sum(not any(row[: metric.width]) for row in carried)
        return cls(system.name, system.run, yes, no, not_sure, unlabelled, direct, reach, unparsed)

    @property
    @derived
    def nodes(self) -> int:
        """The number of all nodes."""
        return self.yes + self.no + self.not_sure + self.unlabelled

    @property
    @derived
    def strict(self) -> float:
        """The score with open nodes as NO."""
        return self.score("strict")

    @property
    @derived
    def half(self) -> float:
        """The score with open nodes as half a YES."""
        return self.score("half")

    @property
    @derived
    def labelled(self) -> float:
        """The score of nodes that are YES or NO; NaN without any."""
        return self.score("labelled") if self.yes + self.no else math.nan

    def score(self, way: str) -> float:
        """Return the score in one of the WAYS."""
        counts = np.array([self.yes, self.no, self.not_sure, self.unlabelled])
        return float(Rypt(unlabelled=way).score(counts))

    @property
    @derived
    def coverage_before(self) -> float:
        """The share of nodes that people have said YES or NO of themselves."""
        return self._share(self.direct)

    @property
    @derived
    def coverage(self) -> float:
        """The share of nodes that are YES or NO after percolation."""
        return self._share(self.yes + self.no)

    @property
    @derived
    def limit(self) -> float:
        """The strict score, were all labels YES."""
        return self._share(self.reach)

    def _share(self, count: int) -> float:
        return 100 * count / self.nodes if self.nodes else 0.0


@dataclass(frozen=True, slots=True)
class LabelScoreResult(Result):
    """Scores of systems by labels; `uneven` is why no system is marked as the best."""

    command: ClassVar[str] = "rypt score"

    test_set: Extent
    signature: str
    scores: tuple[LabelScore, ...]
    uneven: str | None = None
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked(bool(self.scores), "no scores")


@warns
def score_outputs(systems: Sequence[System], test_set: TestSet, metric: Rypt) -> LabelScoreResult:
    """Score systems by labels in all three ways, and tell how many labels count."""
    systems, test_set, _ = supplied(systems, test_set, [metric])
    rows = statistics(systems, test_set, metric)
    uneven = metric.uneven(
        [system.name for system in systems], [matrix.sum(axis=0) for matrix in rows]
    )
    warnings = [*_remarks(systems, rows, metric), *_scattered(test_set, metric)]
    if uneven is not None:
        warnings.append(f"no system is marked as the best, as {uneven}; label more")
    return LabelScoreResult(
        Extent(len(test_set), 0),
        metric.signature(0),
        tuple(LabelScore.of(system, metric) for system in systems),
        uneven,
        tuple(warnings),
    )


def _remarks(systems: Sequence[System], rows: Sequence[Rows], metric: Rypt) -> list[str]:
    """Return what the table does not say itself: all but the shares of labelled nodes."""
    remarks = [
        remark
        for system, matrix in zip(systems, rows, strict=True)
        for remark in metric.remarks(system.name, matrix, system.outputs)[1:]
    ]
    return [*dict.fromkeys(remarks)] + [
        f"{metric.name} of {shown(system.name)}: no node is labelled YES or NO, so that 'labelled' "
        "has no score; label some of the output"
        for system, matrix in zip(systems, rows, strict=True)
        if not matrix[:, :2].any()
    ]


def _scattered(test_set: TestSet, metric: Rypt) -> list[str]:
    """Return how many subtrees of dependency parses are no nodes."""
    count = metric.trees(test_set).scattered
    if not count:
        return []
    are, their = ("is no node", "its") if count == 1 else ("are no nodes", "their")
    return [
        f"{shown(metric.parses)}: {plural(count, 'dependency subtree')} {are}, as {their} words do "
        "not stand together"
    ]


@dataclass(frozen=True, slots=True)
class ExplainedNode:
    """A node, what a system's output says for it, and its label.

    `substring` is None where no word is aligned with it. `given` is its own label, `label` that
    after percolation, and `because` the name and range of the node that this comes from: its own,
    if it was given.
    """

    system: str
    name: str
    start: int
    end: int
    depth: int
    substring: str | None
    given: Label | None
    label: Label | None
    because: str | None

    @property
    def span(self) -> str:
        """The node's name and range."""
        return f"{self.name}[{self.start},{self.end})"

    @property
    def is_given(self) -> bool:
        """Whether the label is what people said of the node itself."""
        return self.label is not None and self.given == self.label


@dataclass(frozen=True, slots=True)
class ExplainedOutput:
    """What a system says for the sentence."""

    system: str
    text: str


@dataclass(frozen=True, slots=True)
class ExplanationResult(Result):
    """One source sentence's tree with the labels that systems' outputs have."""

    command: ClassVar[str] = "rypt explain"

    test_set: Extent
    segment: int
    source: tuple[str, ...]
    signature: str
    outputs: tuple[ExplainedOutput, ...]
    nodes: tuple[ExplainedNode, ...]

    def __post_init__(self) -> None:
        checked(bool(self.outputs), "no outputs")
        for output in self.outputs:
            nodes = self.nodes_of(output.system)
            spans = {node.span for node in nodes}
            checked(
                bool(nodes)
                and nodes[0].depth == 0
                and all(
                    0 <= node.start < node.end <= len(self.source)
                    and min(at, 1) <= node.depth < len(nodes)
                    for at, node in enumerate(nodes)
                ),
                f"the nodes of {output.system!r} are not those of a tree of the source",
            )
            for node in nodes:
                checked(
                    (node.because is None) == (node.label is None)
                    and (node.because is None or node.because in spans),
                    f"a label because of {node.because!r}, which is no node",
                )

    def nodes_of(self, system: str) -> list[ExplainedNode]:
        """Return the nodes of a system's output, in preorder."""
        return [node for node in self.nodes if node.system == system]


def explain_outputs(
    systems: Sequence[System], test_set: TestSet, metric: Rypt, segment: int
) -> ExplanationResult:
    """Tell why systems' outputs for a segment, by its number from 1, have their scores."""
    if not 1 <= segment <= len(test_set):
        are = "is" if len(test_set) == 1 else "are"
        raise InputError(
            f"segment {segment:,}, but there {are} {len(test_set):,}; give one of them"
        )
    place = segment - 1
    judged = metric.judged(test_set)
    tree = judged.trees.trees[place]
    if tree is None:
        raise InputError(f"segment {segment:,} has no parse; choose another, or add --flat")
    outputs: list[ExplainedOutput] = []
    nodes: list[ExplainedNode] = []
    for system in systems:
        name = system.name if system.run is None else f"{system.name}@{system.run}"
        text = system.outputs.texts[place]
        file = metric.aligned(system, test_set)
        where, line = always(file.where(place)), file.alignments.lines[place]
        aligned = AlignedTexts.of([text], [line], [tree.words], where)
        outputs.append(ExplainedOutput(name, text))
        nodes += explain(tree, aligned, judged.labels[place], name)
    return ExplanationResult(
        Extent(len(test_set), 0),
        segment,
        tree.words,
        metric.signature(0),
        tuple(outputs),
        tuple(nodes),
    )


_LABELS = {code: label for label, code in CODES.items()}


def explain(
    tree: Tree, output: AlignedTexts, labels: SpanLabels, system: str = ""
) -> list[ExplainedNode]:
    """Return the nodes of an output in preorder, each with the reason for its label."""
    spans, depths = tree.spans, tree.depths()
    substrings = Substrings.of(tree, output)
    texts = [
        None if number == UNALIGNED else substrings.texts[number]
        for number in substrings.numbers[:, 0].tolist()
    ]
    direct = substrings.codes(labels)
    given, percolated = (
        [_LABELS.get(code) for code in codes[:, 0].tolist()]
        for codes in (direct, percolate_codes(tree, direct))
    )
    named = [f"{name}[{start},{end})" for name, (start, end) in zip(tree.names, spans, strict=True)]
    reasons = _reasons(tree, given, percolated)
    return [
        ExplainedNode(
            system,
            tree.names[node],
            start,
            end,
            depths[node],
            texts[node],
            given[node],
            percolated[node],
            None if because is None else named[because],
        )
        for node, ((start, end), because) in enumerate(zip(spans, reasons, strict=True))
    ]


def _reasons(
    tree: Tree, given: Sequence[Label | None], percolated: Sequence[Label | None]
) -> list[int | None]:
    """Return the node that each label comes from: itself, the next YES above or first NO below."""
    above, below = (
        [node if label == said else None for node, label in enumerate(given)]
        for said in (Label.YES, Label.NO)
    )
    for node, parent in enumerate(tree.parents[1:], 1):
        if above[node] is None:
            above[node] = above[parent]
    for node in range(len(tree) - 1, 0, -1):  # so that the first of several is the last to come
        parent = tree.parents[node]
        if below[node] is not None and given[parent] not in (Label.YES, Label.NO):
            below[parent] = below[node]
    nothing: list[int | None] = [None] * len(tree)
    origins = {None: nothing, Label.YES: above, Label.NO: below}
    return [
        node if label is not None and label == given[node] else origins[label][node]
        for node, label in enumerate(percolated)
    ]

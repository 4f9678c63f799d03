"""Why each node of systems' outputs has its label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from weigh.errors import InputError
from weigh.result import Extent, Result, checked
from weigh.rypt.alignment import AlignedTexts, always
from weigh.rypt.labels import Label, SpanLabels
from weigh.rypt.metric import Rypt
from weigh.rypt.percolation import CODES, UNALIGNED, Substrings, percolate_codes
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from weigh.types import System, TestSet


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
    """A system's translation of the sentence, with its labelled nodes."""

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

    def label_counts(self, system: str) -> dict[Label | None, int]:
        """The number of nodes of a system's output by label; None is no label."""
        labels = [node.label for node in self.nodes_of(system)]
        return {label: labels.count(label) for label in (*Label, None)}

    def score(self, system: str) -> float:
        """The strict score of a system's output."""
        return 100 * self.label_counts(system)[Label.YES] / len(self.nodes_of(system))


def explain_outputs(
    systems: Sequence[System], test_set: TestSet, metric: Rypt, segment: int
) -> ExplanationResult:
    """Explain the scores of systems' outputs for a segment, by its number from 1."""
    if not 1 <= segment <= len(test_set):
        are = "is" if len(test_set) == 1 else "are"
        raise InputError(
            f"no segment {segment:,}: there {are} {len(test_set):,}; give the number of one"
        )
    place = segment - 1
    judged = metric.judged(test_set)
    tree = judged.trees.trees[place]
    if tree is None:
        raise InputError(f"segment {segment:,} has no parse; choose another, or add --flat")
    outputs: list[ExplainedOutput] = []
    nodes: list[ExplainedNode] = []
    for system in systems:
        text = system.outputs.texts[place]
        file = metric.aligned(system, test_set)
        where, line = always(file.where(place)), file.alignments.lines[place]
        aligned = AlignedTexts.of([text], [line], [tree.words], where)
        outputs.append(ExplainedOutput(system.label, text))
        nodes += explain(tree, aligned, judged.labels[place], system.label)
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
    direct_labels, percolated = (
        [_LABELS.get(code) for code in codes[:, 0].tolist()]
        for codes in (direct, percolate_codes(tree, direct))
    )
    named = [f"{name}[{start},{end})" for name, (start, end) in zip(tree.names, spans, strict=True)]
    reasons = _reasons(tree, direct_labels, percolated)
    return [
        ExplainedNode(
            system,
            tree.names[node],
            start,
            end,
            depths[node],
            texts[node],
            direct_labels[node],
            percolated[node],
            None if because is None else named[because],
        )
        for node, ((start, end), because) in enumerate(zip(spans, reasons, strict=True))
    ]


def _reasons(
    tree: Tree, direct: Sequence[Label | None], percolated: Sequence[Label | None]
) -> list[int | None]:
    """The source of each label: the node itself, the next YES above, or the first NO below."""
    above, below = (
        [node if label == wanted else None for node, label in enumerate(direct)]
        for wanted in (Label.YES, Label.NO)
    )
    for node, parent in enumerate(tree.parents[1:], 1):
        if above[node] is None:
            above[node] = above[parent]
    for node in range(len(tree) - 1, 0, -1):  # so that the first of several is the last to come
        parent = tree.parents[node]
        if below[node] is not None and direct[parent] not in (Label.YES, Label.NO):
            below[parent] = below[node]
    nothing: list[int | None] = [None] * len(tree)
    origins = {None: nothing, Label.YES: above, Label.NO: below}
    return [
        node if label is not None and label == direct[node] else origins[label][node]
        for node, label in enumerate(percolated)
    ]

"""Expected scores of systems: from every answer of people, with what was learned on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from weigh.engine.threads import Progress
from weigh.errors import InputError, plural
from weigh.read.alignment import words_of
from weigh.read.text import public_path
from weigh.result import NO_TEST_SET, Extent, Result, checked, warns
from weigh.rypt.alignment import AlignedTexts
from weigh.rypt.collection import remarks_on_labels
from weigh.rypt.metric import Rypt
from weigh.rypt.percolation import NO, YES, is_decided, percolate_codes
from weigh_lab.rypt.hidden_labels import HeldOut, hold_out
from weigh_lab.rypt.label_evidence import LabelEvidence, evidence_of_systems, read_votes
from weigh_lab.rypt.plan import InferPlan
from weigh_lab.rypt.soft_percolation import (
    LENGTH_NAMES,
    LENGTHS,
    Forest,
    Learned,
    Parameters,
    expected,
    learn,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import System, TestSet

# Fewer answers than this on spans of some length say little of them.
_FEW = 20


class InferredSystem(NamedTuple):
    """One system; scores, and shares of its nodes labelled before and after rules, in per cent."""

    system: str
    expected: float
    deviation: float
    strict: float
    half: float
    labelled: float
    nodes: int
    direct: float
    coverage: float


@dataclass(frozen=True, slots=True)
class InferResult(Result):
    """Expected scores of systems, and the model that was learned from all their labels together.

    `nodes` counts the nodes of each length class in outputs, `answers` the answers on them, and
    `below` has the mean chance that such a node is acceptable, below a parent that is not and
    below one that is, NaN for no node.
    """

    command: ClassVar[str] = "rypt infer"

    test_set: Extent
    labels: str
    parses: str
    sentences: int
    unparsed: int
    systems: tuple[InferredSystem, ...]
    parameters: Parameters
    nodes: tuple[int, ...]
    answers: tuple[int, ...]
    below: tuple[tuple[float, float], ...]
    rounds: int
    converged: bool
    warnings: tuple[str, ...] = ()
    held_out: HeldOut | None = None

    def __post_init__(self) -> None:
        classes = {len(self.nodes), len(self.answers), len(self.below)}
        checked(bool(self.systems), "no systems")
        checked(classes == {LENGTHS}, f"numbers of other classes of length than {LENGTHS}")

    @property
    def all_answers(self) -> int:
        """The number of answers on nodes of outputs."""
        return sum(self.answers)


@warns
def infer_scores(
    systems: Sequence[System],
    test_set: TestSet,
    metric: Rypt,
    plan: InferPlan | None = None,
    *,
    progress: Progress | None = None,
) -> InferResult:
    """Expected scores of systems with few or wrong labels, and their uncertainty.

    Every answer counts, so that the metric's way to make one label of several plays no part.
    """
    trees = metric.trees(test_set)
    sources = [words_of(source) for source in test_set.sources or ()]
    texts = [" ".join(words) for words in sources]
    votes = read_votes(metric.labels, texts)
    aligned = [
        AlignedTexts.of(system.outputs.texts, file.alignments.lines, sources, file.where)
        for system, file in zip(systems, metric.aligned_files(systems, test_set), strict=True)
    ]
    evidence = evidence_of_systems(trees.trees, [votes.get(text, {}) for text in texts], aligned)
    remarks = [*remarks_on_labels(metric.labels)]
    if trees.unparsed:
        words = "a flat tree" if trees.unparsed == 1 else "flat trees"
        fate = f"treated as {words}" if metric.flat else "left out"
        count = plural(len(sources), "sentence")
        remarks.append(f"{trees.unparsed:,} of {count} without a parse, {fate}")
    result = infer_systems([system.name for system in systems], evidence, plan, progress=progress)
    return replace(
        result,
        test_set=Extent(len(sources), 0),
        labels=public_path(metric.labels),
        parses=public_path(metric.parses),
        unparsed=trees.unparsed,
        warnings=(*remarks, *result.warnings),
    )


def infer_systems(
    names: Sequence[str],
    evidence: Sequence[LabelEvidence],
    plan: InferPlan | None = None,
    *,
    progress: Progress | None = None,
) -> InferResult:
    """Learn from the labels on all systems' outputs and tell what to expect of each.

    What the result says of files and of sentences without a parse is for the caller to add.
    `progress` is told how often it was learned, and how often that is in all, where labels are
    hidden besides.
    """
    plan = plan or InferPlan()
    if not any(sentence.counts.any() for sentence in evidence):
        raise InputError(
            "no label is about any output; check that sources, outputs and labels are tokenised "
            "and cased alike"
        )
    forest = Forest.of(
        [sentence.tree for sentence in evidence], [sentence.counts for sentence in evidence]
    )
    learned = learn(forest)
    codes = [sentence.codes() for sentence in evidence]
    percolated = [
        percolate_codes(sentence.tree, direct)
        for sentence, direct in zip(evidence, codes, strict=True)
    ]
    nodes = np.bincount(forest.lengths, minlength=LENGTHS).tolist()
    answers = np.bincount(forest.lengths, forest.labels.sum(axis=1), minlength=LENGTHS)
    counted = answers.astype(int).tolist()
    rounds = len(learned.objective)
    return InferResult(
        test_set=NO_TEST_SET,
        labels="",
        parses="",
        sentences=len(evidence),
        unparsed=0,
        systems=tuple(
            _system(name, at, len(names), forest, learned, codes, percolated)
            for at, name in enumerate(names)
        ),
        parameters=learned.parameters,
        nodes=tuple(nodes),
        answers=tuple(counted),
        below=_below(forest, learned.parameters),
        rounds=rounds,
        converged=learned.converged,
        warnings=tuple(_cautions(nodes, counted, None if learned.converged else rounds)),
        held_out=_held_out(evidence, plan, progress),
    )


def _held_out(
    evidence: Sequence[LabelEvidence], plan: InferPlan, progress: Progress | None
) -> HeldOut | None:
    if plan.held_out is None:
        return None

    def tell(done: int, _: int) -> None:
        if progress is not None:
            progress(1 + done, 1 + plan.draws)

    tell(0, plan.draws)
    return hold_out(evidence, plan.held_out, draws=plan.draws, seed=plan.seed, progress=tell)


def _cautions(nodes: Sequence[int], answers: Sequence[int], stopped: int | None) -> list[str]:
    """Remarks on the reliability of the numbers."""
    remarks = []
    scarce = [
        length
        for length, size, count in zip(LENGTH_NAMES, nodes, answers, strict=True)
        if size and count < _FEW
    ]
    if scarce:
        remarks.append(
            f"fewer than {_FEW} answers on spans of {' and of '.join(scarce)} words: their "
            "estimates rely mostly on the prior; collect labels of such spans"
        )
    if stopped is not None:
        remarks.append(f"learning was stopped after {plural(stopped, 'round')}")
    return remarks


def _below(forest: Forest, parameters: Parameters) -> tuple[tuple[float, float], ...]:
    nodes = forest.parents >= 0
    lengths = forest.lengths[nodes]
    chances = parameters.child[lengths, forest.above[nodes]]
    numbers = np.bincount(lengths, minlength=LENGTHS)
    sums = [np.bincount(lengths, column, minlength=LENGTHS) for column in chances.T]
    return tuple(
        (float(no / size), float(yes / size)) if size else (float("nan"), float("nan"))
        for no, yes, size in zip(*sums, numbers, strict=True)
    )


def _system(
    name: str,
    at: int,
    systems: int,
    forest: Forest,
    learned: Learned,
    codes: Sequence[NDArray[np.int8]],
    percolated: Sequence[NDArray[np.int8]],
) -> InferredSystem:
    # Of each sentence the output of this system.
    outputs = np.arange(at, len(forest.roots), systems)
    soft = expected(forest, learned.posterior, outputs)
    before, after = (
        np.concatenate([values[:, at] for values in all_]) for all_ in (codes, percolated)
    )
    yes, no, nodes = int((after == YES).sum()), int((after == NO).sum()), len(after)
    return InferredSystem(
        name,
        100 * soft.share,
        100 * soft.deviation,
        100 * yes / nodes,
        100 * (yes + 0.5 * (nodes - yes - no)) / nodes,
        100 * yes / (yes + no) if yes + no else float("nan"),
        nodes,
        100 * int(is_decided(before).sum()) / nodes,
        100 * (yes + no) / nodes,
    )

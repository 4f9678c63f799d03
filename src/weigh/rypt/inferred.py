"""Expected scores of systems: from every answer of people, with what was learned on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from weigh.engine.threads import Progress
from weigh.errors import InputError, UsageError, plural
from weigh.read.alignment import words_of
from weigh.result import NO_TEST_SET, Extent, Result, checked, warns
from weigh.rypt.alignment import AlignedTexts
from weigh.rypt.collection import LabelSource, remarks_on_labels
from weigh.rypt.inference import (
    KINDS,
    LENGTH_NAMES,
    LENGTHS,
    Forest,
    Learned,
    Parameters,
    Prior,
    expected,
    label_counts,
    learn,
)
from weigh.rypt.labels import Label, by_source
from weigh.rypt.labels import votes as votes_of
from weigh.rypt.metric import Rypt
from weigh.rypt.percolation import CODES, NO, NOT_SURE, UNLABELLED, YES, Substrings, percolate_codes
from weigh.rypt.plan import InferPlan
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.rypt.inference import Integers, Reals
    from weigh.rypt.percolation import Codes
    from weigh.types import System, TestSet

SpanVotes = Mapping[tuple[int, int, str], Sequence[Label]]
"""The labels of one source sentence by (start, end, substring), one of each judge."""


class Evidence(NamedTuple):
    """A sentence's tree and what is known of its outputs.

    `counts` tells how often each label was given, as outputs × nodes × KINDS. `entries` are
    numbers, as nodes × outputs, that are equal for equal substrings of a node and different else.
    """

    tree: Tree
    counts: Integers
    entries: Integers

    def codes(self) -> Codes:
        """Return the labels that most people gave, as nodes × outputs."""
        return majority_codes(self.counts)


def evidence_of(tree: Tree, outputs: AlignedTexts, votes: SpanVotes) -> Evidence:
    """Return what the votes on a source sentence say of outputs with these word links."""
    substrings = Substrings.of(tree, outputs)
    numbers = substrings.numbers
    counts = np.zeros((len(outputs.words), len(tree), len(KINDS)), dtype=np.int64)
    for node, number, labels in substrings.known(votes):
        kinds = [KINDS.index(CODES[label]) for label in labels]
        counts[numbers[node] == number, node] += np.bincount(kinds, minlength=len(KINDS))
    size = len(substrings.texts) + 1  # numbers begin with UNALIGNED, −1
    return Evidence(tree, counts, numbers + size * np.arange(len(tree))[:, None])


def evidence_of_systems(
    trees: Sequence[Tree | None], votes: Sequence[SpanVotes], systems: Sequence[AlignedTexts]
) -> list[Evidence]:
    """Return what is known of each parsed sentence, whose outputs are those of the systems."""
    return [
        evidence_of(
            tree, AlignedTexts.joined([system.chosen([number]) for system in systems]), votes_on
        )
        for number, (tree, votes_on) in enumerate(zip(trees, votes, strict=True))
        if tree is not None
    ]


def majority_codes(counts: Integers) -> Codes:
    """Return the label that most people gave, by nodes × outputs.

    `counts` are how many gave each of KINDS, by outputs × nodes. It is NOT SURE where several are
    equally frequent, and UNLABELLED where there are none.
    """
    highest = counts.max(axis=-1, keepdims=True)
    tied = (counts == highest).sum(axis=-1) > 1
    best = np.where(tied, NOT_SURE, np.array(KINDS)[counts.argmax(axis=-1)])
    return np.where(highest[..., 0] == 0, UNLABELLED, best).T.astype(np.int8)


def read_votes(location: str, sources: Iterable[str]) -> Mapping[str, SpanVotes]:
    """Return every judge's last label on each entry of some sources, from a store or a file."""
    wanted = set(sources)
    votes = votes_of(LabelSource.read(location, wanted).judgments)
    return by_source(
        (entry, tuple(by_judge.values()))
        for entry, by_judge in votes.items()
        if entry.source in wanted
    )


METHODS = ("strict", "half", "length", "inference")
# Fewer answers than this on spans of some length say little of them.
_FEW = 20
# A wrong prediction without any doubt would cost without end.
_SUREST = 0.99


class Fit(NamedTuple):
    """How well a method tells hidden labels.

    `accuracy` is the share told right, half of it where both are as likely; `brier` the mean of
    (p − y)², `log_loss` the mean of −log p, where p is at most .99. `excess` is the Brier score
    less that of `inference`, and `error` its standard error, sentences being independent.
    """

    method: str
    accuracy: float
    brier: float
    log_loss: float
    excess: float
    error: float


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What came of hiding labels.

    Of so many different `labels`, some were hidden, which stand in `hidden` nodes of outputs, all
    draws together; the hard rules decide the share `decided` of these.
    """

    share: float
    draws: int
    seed: int
    labels: int
    hidden: int
    decided: float
    methods: tuple[Fit, ...]

    def __post_init__(self) -> None:
        checked(bool(self.methods), "labels were hidden, but no method tells them")


def hold_out(
    evidence: Sequence[Evidence],
    share: float = 0.2,
    *,
    draws: int = 5,
    seed: int = 12345,
    prior: Prior | None = None,
    progress: Progress | None = None,
) -> HeldOut:
    """Hide a share of all YES and NO, tell them from the labels left, and score that.

    A label is hidden in all outputs that share it, and each of these counts, as it does in RYPT.
    Four methods tell it: the hard rules, which take what they leave open for NO (`strict`) or for
    as likely as not (`half`); the share of YES among labels of that `length`; and `inference`,
    whose parameters are learned from the labels left.
    """
    if not 0 < share < 1:
        raise UsageError(f"a share of {share:g} of the labels; give a number between 0 and 1")
    if draws < 1:
        raise UsageError(f"{draws} draws; give at least one")
    labels = [sentence.codes() for sentence in evidence]
    judged = [
        np.unique(sentence.entries[_is_yes_or_no(codes)])
        for sentence, codes in zip(evidence, labels, strict=True)
    ]
    predictions: list[_Predictions] = []
    for number in range(draws):
        draw = np.random.Generator(np.random.Philox(key=[seed % 2**64, number]))
        hidden = [
            np.isin(sentence.entries, entries[draw.random(len(entries)) < share])
            & _is_yes_or_no(codes)
            for sentence, codes, entries in zip(evidence, labels, judged, strict=True)
        ]
        predictions.append(
            _predict_hidden([sentence.tree for sentence in evidence], labels, hidden, prior)
        )
        if progress is not None:
            progress(number + 1, draws)
    size = sum(len(draw.truths) for draw in predictions)
    if not size:
        raise InputError("no label is hidden; give more labels or a larger share")
    return HeldOut(
        share,
        draws,
        seed,
        sum(map(len, judged)),
        size,
        sum(int(draw.decided.sum()) for draw in predictions) / size,
        _fits(predictions),
    )


class _Predictions(NamedTuple):
    """The labels that one draw hides: what they are, and what each method makes of them.

    `sentences` tell where they stand, `decided` which of them the hard rules tell, and `chances`,
    by method, how likely each is YES.
    """

    sentences: Integers
    truths: NDArray[np.bool_]
    decided: NDArray[np.bool_]
    chances: dict[str, Reals]


def _is_yes_or_no(labels: Codes) -> NDArray[np.bool_]:
    return np.asarray((labels == YES) | (labels == NO))


def _predict_hidden(
    trees: Sequence[Tree],
    labels: Sequence[Codes],
    hidden: Sequence[NDArray[np.bool_]],
    prior: Prior | None,
) -> _Predictions:
    """Predict hidden labels from those that are left, by each method."""
    left = [
        np.where(away, np.int8(UNLABELLED), codes)
        for codes, away in zip(labels, hidden, strict=True)
    ]
    forest = Forest.of(trees, [label_counts(codes) for codes in left])
    if not forest.labels.any() and any(away.any() for away in hidden):
        raise InputError("all labels were hidden at once; give more labels or a smaller share")
    learned = learn(forest, prior)
    soft = predicted(learned.posterior.yes, learned.parameters)

    def gathered(matrices: Iterable[NDArray[Any]]) -> NDArray[Any]:
        pairs = zip(matrices, hidden, strict=True)
        return np.concatenate([matrix[away] for matrix, away in pairs])

    def chances(by_node: Reals) -> Reals:
        return gathered(matrix.T for matrix in forest.by_tree(by_node))

    hard = gathered(map(percolate_codes, trees, left))
    decided = _is_yes_or_no(hard)
    return _Predictions(
        np.repeat(np.arange(len(trees)), [int(away.sum()) for away in hidden]),
        gathered(labels) == YES,
        decided,
        {
            "strict": (hard == YES).astype(np.float64),
            "half": np.where(decided, hard == YES, 0.5),
            "length": chances(_by_length(forest)),
            "inference": chances(soft),
        },
    )


def predicted(yes: Reals, parameters: Parameters) -> Reals:
    """Return the chance that a label is YES, if it is YES or NO, where the truth is so likely."""
    label = parameters.label
    said_yes, said_no = (
        yes * label[1, kind] + (1 - yes) * label[0, kind] for kind in map(KINDS.index, (YES, NO))
    )
    return np.asarray(said_yes / (said_yes + said_no))


def _by_length(forest: Forest) -> Reals:
    """Return the share of YES among labels of nodes as long, with one of each made up."""
    yes, no = (
        np.bincount(forest.lengths, forest.labels[:, kind], minlength=LENGTHS)
        for kind in map(KINDS.index, (YES, NO))
    )
    return np.asarray(((yes + 1) / (yes + no + 2))[forest.lengths])


def _fits(predictions: Sequence[_Predictions]) -> tuple[Fit, ...]:
    truths = np.concatenate([draw.truths for draw in predictions])
    sentences = np.concatenate([draw.sentences for draw in predictions])
    chances = {
        name: np.concatenate([draw.chances[name] for draw in predictions]) for name in METHODS
    }
    squares = {name: (chances[name] - truths) ** 2 for name in METHODS}
    sizes = np.bincount(sentences)
    fits = []
    for name in METHODS:
        p = np.where(truths, chances[name], 1 - chances[name])
        excess = squares[name] - squares["inference"]
        mean = float(excess.mean())
        # The mean is a ratio of sums over sentences, of which each draw has the same ones.
        gaps = np.bincount(sentences, excess) - mean * sizes
        fits.append(
            Fit(
                name,
                float(((p > 0.5) + 0.5 * (p == 0.5)).mean()),
                float(squares[name].mean()),
                float(-np.log(np.clip(p, 1 - _SUREST, _SUREST)).mean()),
                mean,
                float(np.sqrt((gaps**2).sum()) / len(truths)),
            )
        )
    return tuple(fits)


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


@warns
def infer_scores(
    systems: Sequence[System],
    test_set: TestSet,
    metric: Rypt,
    plan: InferPlan | None = None,
    *,
    progress: Progress | None = None,
) -> InferResult:
    """Tell what score to expect of systems where labels are few or wrong, and how sure that is.

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
        words = "a tree of its words" if trees.unparsed == 1 else "trees of their words"
        fate = f"taken for {words}" if metric.flat else "left out"
        count = plural(len(sources), "sentence")
        remarks.append(f"{trees.unparsed:,} of {count} without a parse, {fate}")
    result = infer_systems([system.name for system in systems], evidence, plan, progress=progress)
    return replace(
        result,
        test_set=Extent(len(sources), 0),
        labels=metric.labels,
        parses=metric.parses,
        unparsed=trees.unparsed,
        warnings=(*remarks, *result.warnings),
    )


def infer_systems(
    names: Sequence[str],
    evidence: Sequence[Evidence],
    plan: InferPlan | None = None,
    *,
    progress: Progress | None = None,
) -> InferResult:
    """Learn from the labels on all systems' outputs and tell what to expect of each.

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
        NO_TEST_SET,
        "",
        "",
        len(evidence),
        0,
        tuple(
            _system(name, at, len(names), forest, learned, codes, percolated)
            for at, name in enumerate(names)
        ),
        learned.parameters,
        tuple(nodes),
        tuple(counted),
        _below(forest, learned.parameters),
        rounds,
        learned.converged,
        tuple(_cautions(nodes, counted, None if learned.converged else rounds)),
        _held_out(evidence, plan, progress),
    )


def _held_out(
    evidence: Sequence[Evidence], plan: InferPlan, progress: Progress | None
) -> HeldOut | None:
    if plan.held_out is None:
        return None

    def tell(done: int, _: int) -> None:
        if progress is not None:
            progress(1 + done, 1 + plan.draws)

    tell(0, plan.draws)
    return hold_out(evidence, plan.held_out, draws=plan.draws, seed=plan.seed, progress=tell)


def _cautions(nodes: Sequence[int], answers: Sequence[int], stopped: int | None) -> list[str]:
    """Return what a reader should know before believing the numbers."""
    said = []
    few = [
        length
        for length, size, count in zip(LENGTH_NAMES, nodes, answers, strict=True)
        if size and count < _FEW
    ]
    if few:
        said.append(
            f"fewer than {_FEW} answers on spans of {' and of '.join(few)} words: what is expected "
            "of them is mostly the prior's; ask people about some"
        )
    if stopped is not None:
        said.append(f"learning was stopped after {plural(stopped, 'round')}")
    return said


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
    before, after = (np.concatenate([each[:, at] for each in all_]) for all_ in (codes, percolated))
    yes, no, nodes = int((after == YES).sum()), int((after == NO).sum()), len(after)
    return InferredSystem(
        name,
        100 * soft.share,
        100 * soft.deviation,
        100 * yes / nodes,
        100 * (yes + 0.5 * (nodes - yes - no)) / nodes,
        100 * yes / (yes + no) if yes + no else float("nan"),
        nodes,
        100 * int(((before == YES) | (before == NO)).sum()) / nodes,
        100 * (yes + no) / nodes,
    )

"""How well hidden labels are predicted from the others: by inference and by the hard rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weigh.engine.threads import Progress
from weigh.errors import InputError, UsageError
from weigh.result import checked
from weigh.rypt.percolation import NO, UNLABELLED, YES, is_decided, percolate_codes
from weigh.rypt.tree import Tree
from weigh_lab.rypt.soft_percolation import (
    KINDS,
    LENGTHS,
    Forest,
    Parameters,
    label_counts,
    learn,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.rypt.percolation import Codes
    from weigh_lab.rypt.label_evidence import LabelEvidence
    from weigh_lab.rypt.soft_percolation import Integers, Reals

METHODS = ("strict", "half", "length", "inference")
# A wrong prediction without any doubt would cost without end.
_SUREST = 0.99


class PredictionFit(NamedTuple):
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
    methods: tuple[PredictionFit, ...]

    def __post_init__(self) -> None:
        checked(bool(self.methods), "labels were hidden, but no method predicts them")

    @property
    def best(self) -> PredictionFit:
        """The method with the lowest Brier score."""
        return min(self.methods, key=lambda fit: fit.brier)


def hold_out(
    evidence: Sequence[LabelEvidence],
    share: float = 0.2,
    *,
    draws: int = 5,
    seed: int = 12345,
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
        np.unique(sentence.entries[is_decided(codes)])
        for sentence, codes in zip(evidence, labels, strict=True)
    ]
    predictions: list[_Predictions] = []
    for number in range(draws):
        draw = np.random.Generator(np.random.Philox(key=[seed % 2**64, number]))
        hidden = [
            np.isin(sentence.entries, entries[draw.random(len(entries)) < share])
            & is_decided(codes)
            for sentence, codes, entries in zip(evidence, labels, judged, strict=True)
        ]
        predictions.append(
            _predict_hidden([sentence.tree for sentence in evidence], labels, hidden)
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


def _predict_hidden(
    trees: Sequence[Tree],
    labels: Sequence[Codes],
    hidden: Sequence[NDArray[np.bool_]],
) -> _Predictions:
    """Predict hidden labels from those that are left, by each method."""
    remaining = [
        np.where(away, np.int8(UNLABELLED), codes)
        for codes, away in zip(labels, hidden, strict=True)
    ]
    forest = Forest.of(trees, [label_counts(codes) for codes in remaining])
    if not forest.labels.any() and any(away.any() for away in hidden):
        raise InputError("all labels were hidden at once; give more labels or a smaller share")
    learned = learn(forest)
    soft = predicted(learned.posterior.yes, learned.parameters)

    def gathered(matrices: Iterable[NDArray[Any]]) -> NDArray[Any]:
        pairs = zip(matrices, hidden, strict=True)
        return np.concatenate([matrix[away] for matrix, away in pairs])

    def chances(by_node: Reals) -> Reals:
        return gathered(matrix.T for matrix in forest.by_tree(by_node))

    hard = gathered(map(percolate_codes, trees, remaining))
    decided = is_decided(hard)
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
    """The probability that a label is YES rather than NO, from the node's probability."""
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


def _fits(predictions: Sequence[_Predictions]) -> tuple[PredictionFit, ...]:
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
            PredictionFit(
                name,
                float(((p > 0.5) + 0.5 * (p == 0.5)).mean()),
                float(squares[name].mean()),
                float(-np.log(np.clip(p, 1 - _SUREST, _SUREST)).mean()),
                mean,
                float(np.sqrt((gaps**2).sum()) / len(truths)),
            )
        )
    return tuple(fits)

"""Soft percolation against the hard rules: labels are hidden, and each tells them from the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weigh.engine.threads import Progress
from weigh.errors import InputError, UsageError
from weigh.rypt.inference import KINDS, LENGTHS, Forest, Parameters, label_counts
from weigh.rypt.learning import Prior, learn
from weigh.rypt.percolation import NO, UNLABELLED, YES, percolate_codes
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.rypt.inference import Integers, Reals
    from weigh.rypt.percolation import Codes

METHODS = ("strict", "half", "length", "inference")
# A wrong prediction without any doubt would cost without end.
_SUREST = 0.99


@dataclass(frozen=True, slots=True)
class Labelled:
    """A parse, and the labels of nodes × outputs; `entries` tells what each label is about.

    Entries are numbers, equal for equal words of one span and different for others.
    """

    tree: Tree
    labels: Codes
    entries: NDArray[Any]


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
    fits: tuple[Fit, ...]


def hold_out(
    samples: Sequence[Labelled],
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
    told: list[_Told] = []
    for number in range(draws):
        draw = np.random.Generator(np.random.Philox(key=[seed % 2**64, number]))
        told.append(_tell(samples, [_hidden(one, share, draw) for one in samples], prior))
        if progress is not None:
            progress(number + 1, draws)
    size = sum(len(one.truths) for one in told)
    if not size:
        raise InputError("no label is hidden; give more labels or a larger share")
    return HeldOut(
        share,
        draws,
        seed,
        sum(_number(one) for one in samples),
        size,
        sum(int(one.decided.sum()) for one in told) / size,
        _fits(told),
    )


class _Told(NamedTuple):
    """Hidden labels: the sentence, what the label is, and what each method says."""

    sentences: Integers
    truths: NDArray[np.bool_]
    decided: NDArray[np.bool_]
    chances: dict[str, Reals]


def _is_told(labels: Codes) -> NDArray[np.bool_]:
    return np.asarray((labels == YES) | (labels == NO))


def _number(sample: Labelled) -> int:
    return len(np.unique(sample.entries[_is_told(sample.labels)]))


def _hidden(sample: Labelled, share: float, draw: np.random.Generator) -> NDArray[np.bool_]:
    """Draw the entries to hide; return where they stand."""
    told = _is_told(sample.labels)
    entries = np.unique(sample.entries[told])
    chosen = entries[draw.random(len(entries)) < share]
    return np.asarray(np.isin(sample.entries, chosen) & told)


def _tell(
    samples: Sequence[Labelled], hidden: Sequence[NDArray[np.bool_]], prior: Prior | None
) -> _Told:
    left = [
        np.where(away, np.int8(UNLABELLED), sample.labels)
        for sample, away in zip(samples, hidden, strict=True)
    ]
    forest = Forest.of([sample.tree for sample in samples], [label_counts(each) for each in left])
    if not forest.labels.any() and any(away.any() for away in hidden):
        raise InputError("all labels were hidden at once; give more labels or a smaller share")
    learned = learn(forest, prior)
    soft = forest.by_tree(predicted(learned.posterior.yes, learned.parameters))
    by_length = forest.by_tree(_by_length(forest))
    hard = np.concatenate(
        [
            percolate_codes(sample.tree, labels)[away]
            for sample, labels, away in zip(samples, left, hidden, strict=True)
        ]
    )
    sizes = [int(away.sum()) for away in hidden]
    decided = _is_told(hard)

    def gathered(matrices: Sequence[Reals]) -> Reals:
        pairs = zip(matrices, hidden, strict=True)
        return np.concatenate([matrix.T[away] for matrix, away in pairs])

    return _Told(
        np.repeat(np.arange(len(samples)), sizes),
        np.concatenate([sample.labels[away] for sample, away in zip(samples, hidden, strict=True)])
        == YES,
        decided,
        {
            "strict": (hard == YES).astype(np.float64),
            "half": np.where(decided, hard == YES, 0.5),
            "length": gathered(by_length),
            "inference": gathered(soft),
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


def _fits(told: Sequence[_Told]) -> tuple[Fit, ...]:
    truths = np.concatenate([one.truths for one in told])
    sentences = np.concatenate([one.sentences for one in told])
    chances = {name: np.concatenate([one.chances[name] for one in told]) for name in METHODS}
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

"""Expected RYPT of systems beside the hard rules' scores, with what was learned on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.engine.threads import Progress
from weigh.errors import InputError
from weigh.rypt.evidence import Evidence
from weigh.rypt.held_out import HeldOut, Labelled, hold_out
from weigh.rypt.inference import LENGTHS, Forest, expected
from weigh.rypt.learning import Learned, learn
from weigh.rypt.percolation import NO, YES, percolate_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.rypt.inference import Parameters


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
class Inferred:
    """All systems, and the model that was learned from all their labels together.

    `sizes` counts the nodes of each length class in outputs, `answers` the answers on them, and
    `below` has the mean chance that such a node is acceptable, below a parent that is not and
    below one that is, NaN for no node.
    """

    systems: tuple[InferredSystem, ...]
    sentences: int
    parameters: Parameters
    symmetric: bool
    rounds: int
    converged: bool
    sizes: tuple[int, ...]
    answers: tuple[int, ...]
    below: tuple[tuple[float, float], ...]
    held_out: HeldOut | None = None


def infer_systems(
    names: Sequence[str],
    evidence: Sequence[Evidence],
    *,
    share: float | None = None,
    draws: int = 5,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Inferred:
    """Learn from the labels on all systems' outputs and tell what to expect of each.

    With a `share`, so many labels are hidden besides, and told from the others. `progress` is
    told how often it was learned, and how often that is in all.
    """
    if not any(one.counts.any() for one in evidence):
        raise InputError(
            "no label is about any output; check that sources, outputs and labels are tokenised "
            "and cased alike"
        )
    forest = Forest.of([one.tree for one in evidence], [one.counts for one in evidence])
    learned = learn(forest)
    codes = [one.codes() for one in evidence]
    told = [percolate_codes(one.tree, own) for one, own in zip(evidence, codes, strict=True)]
    held_out = None
    if share is not None:
        samples = [
            Labelled(one.tree, own, one.entries) for one, own in zip(evidence, codes, strict=True)
        ]

        def tell(done: int, _: int) -> None:
            if progress is not None:
                progress(1 + done, 1 + draws)

        tell(0, draws)
        held_out = hold_out(samples, share, draws=draws, seed=seed, progress=tell)
    answers = np.bincount(forest.lengths, forest.labels.sum(axis=1), minlength=LENGTHS)
    return Inferred(
        tuple(
            _system(name, at, len(names), forest, learned, codes, told)
            for at, name in enumerate(names)
        ),
        len(evidence),
        learned.parameters,
        learned.symmetric,
        len(learned.objective),
        learned.converged,
        tuple(np.bincount(forest.lengths, minlength=LENGTHS).tolist()),
        tuple(answers.astype(int).tolist()),
        _below(forest, learned.parameters),
        held_out,
    )


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
    told: Sequence[NDArray[np.int8]],
) -> InferredSystem:
    own = np.arange(at, len(forest.roots), systems)  # of each sentence the output of this system
    soft = expected(forest, learned.posterior, own)
    before, after = (np.concatenate([each[:, at] for each in all_]) for all_ in (codes, told))
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

"""The parameters of soft percolation, learned from labels by expectation maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError, UsageError
from weigh.rypt.inference import KINDS, LENGTHS, Forest, Parameters, Posterior, infer
from weigh.rypt.percolation import NO, NOT_SURE, YES

if TYPE_CHECKING:
    from weigh.rypt.inference import Integers, Reals


# The columns of KINDS with YES and NO in each other's place.
_EXCHANGED = [KINDS.index(kind) for kind in (NO, YES, NOT_SURE)]


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed before any label, as so many made-up observations of each outcome.

    Chances of YES have a pair, of NO and of YES: at the root, and below a parent that is not or
    that is acceptable. `label[t]` are observations of KINDS where the truth is t. All are above
    0, so that nothing becomes impossible, and together they say that labels are mostly right:
    nothing else tells the truth from its opposite.
    """

    root: tuple[float, float] = (1.0, 1.0)
    below_no: tuple[float, float] = (1.0, 1.0)
    below_yes: tuple[float, float] = (1.0, 9.0)
    label: tuple[tuple[float, float, float], ...] = ((1.0, 8.0, 1.0), (8.0, 1.0, 1.0))

    def __post_init__(self) -> None:
        groups = (self.root, self.below_no, self.below_yes, *self.label)
        if not all(0 < value < np.inf for group in groups for value in group):
            raise UsageError("a prior count is not above 0 and finite; give one that is")

    def _child(self) -> Reals:
        """Return counts by length classes, the parent's truth and the child's."""
        return np.tile(np.array([self.below_no, self.below_yes]), (LENGTHS, LENGTHS, 1, 1))

    def parameters(self) -> Parameters:
        """Return the chances that the prior alone makes most likely."""
        child = np.zeros((LENGTHS, LENGTHS, 2, 2))
        return self.updated(np.zeros((LENGTHS, 2)), child, np.zeros((2, len(KINDS))))

    def updated(
        self, root: Reals, child: Reals, label: Reals, *, symmetric: bool = False
    ) -> Parameters:
        """Return the chances that these observations and those of the prior make most likely.

        If it is `symmetric`, a YES and a NO are mistaken for each other equally often, and give
        rise to a NOT SURE equally often.
        """
        roots = root + np.array(self.root)
        children = child + self._child()
        labels = label + np.array(self.label)
        if symmetric:
            labels = labels + labels[::-1][:, _EXCHANGED]
        return Parameters(
            roots[:, 1] / roots.sum(axis=1),
            children[..., 1] / children.sum(axis=-1),
            labels / labels.sum(axis=1, keepdims=True),
        )

    def log_density(self, parameters: Parameters) -> float:
        """Return the prior's logarithm at some parameters, less a constant."""
        root = np.log([1 - parameters.root, parameters.root]).T * np.array(self.root)
        child = np.log(np.stack([1 - parameters.child, parameters.child], axis=-1)) * self._child()
        label = np.log(parameters.label) * np.array(self.label)
        return float(root.sum() + child.sum() + label.sum())


@dataclass(frozen=True, slots=True)
class Learned:
    """Parameters, the posterior by them, and what was maximised, after each round.

    `symmetric` says that errors on YES and on NO were taken to be equally frequent.
    """

    parameters: Parameters
    posterior: Posterior
    objective: tuple[float, ...]
    converged: bool
    symmetric: bool


def learn(
    forest: Forest,
    prior: Prior | None = None,
    *,
    symmetric: bool | None = None,
    rounds: int = 200,
    tolerance: float = 1e-6,
) -> Learned:
    """Return the parameters of the highest posterior density that EM finds from the prior's own.

    Dempster, Laird & Rubin (1977): what is maximised, the log likelihood of the labels and the
    logarithm of the prior, never falls. It ends when a round gains less than `tolerance` per
    label. Whether people err more on YES or on NO can hardly be told from single answers, so that
    errors are `symmetric` unless some node was judged more than once, or as it is asked for.
    """
    if not forest.labels.any():
        raise InputError("no labels to learn from; give at least one")
    prior = Prior() if prior is None else prior
    if symmetric is None:
        symmetric = bool((forest.labels.sum(axis=1) <= 1).all())
    parameters = prior.parameters()
    least = tolerance * float(forest.labels.sum())
    history: list[float] = []
    converged = False
    for _ in range(rounds):
        posterior = infer(forest, parameters)
        history.append(float(posterior.log_likelihood.sum()) + prior.log_density(parameters))
        converged = len(history) > 1 and history[-1] - history[-2] < least
        if converged:
            break
        parameters = prior.updated(*_observed(forest, posterior), symmetric=symmetric)
    else:
        posterior = infer(forest, parameters)
    return Learned(parameters, posterior, tuple(history), converged, symmetric)


def _observed(forest: Forest, posterior: Posterior) -> tuple[Reals, Reals, Reals]:
    """Return how often each outcome is expected: of roots, of children, and of labels."""
    yes = posterior.yes
    roots = forest.roots
    root = _by_class(forest.lengths[roots], LENGTHS, np.column_stack([1 - yes[roots], yes[roots]]))
    below = np.flatnonzero(forest.parents >= 0)
    classes = forest.lengths[below] * LENGTHS + forest.above[below]
    above = yes[forest.parents[below]]
    both = []
    for parent, chance in enumerate((1 - above, above)):
        given = posterior.given[below, parent]
        outcomes = np.column_stack([chance * (1 - given), chance * given])
        both.append(_by_class(classes, LENGTHS**2, outcomes))
    child = np.stack(both, axis=1).reshape(LENGTHS, LENGTHS, 2, 2)
    label = np.column_stack([1 - yes, yes]).T @ forest.labels
    return root, child, label.reshape(2, len(KINDS))


def _by_class(classes: Integers, number: int, values: Reals) -> Reals:
    return np.column_stack([np.bincount(classes, column, minlength=number) for column in values.T])

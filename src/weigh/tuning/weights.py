"""Weights and where they may go: names, start, what is fixed, bounds, normalisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.read.text import quoted
from weigh.read.weights import WeightsFile, read_weights
from weigh.tuning.nbest import NBest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.tuning.nbest import Reals


# Weights by name, or their file.
Weights = Mapping[str, float] | str | PathLike[str] | WeightsFile


def normalised(weights: Reals, norm: str) -> Reals:
    """Scale weights so that a norm is 1: l1, l2 or max. Weights that are all 0 stay as they are.

    Weights of one direction choose the same candidates.
    """
    if norm == "none":
        return weights
    sizes = np.abs(weights)
    if norm == "max":
        size = float(sizes.max())
    else:
        power = {"l1": 1.0, "l2": 2.0}[norm]
        size = float((sizes**power).sum() ** (1 / power))
    return weights * (1 / size) if size > 0 else weights


@dataclass(frozen=True, slots=True)
class WeightSpace:
    """Where an optimizer starts, and how far each weight may go.

    A weight whose `low` and `high` are equal is fixed. Random starts are drawn between
    `random_low` and `random_high`; without them, around the start.
    """

    names: tuple[str, ...]
    start: Reals
    low: Reals
    high: Reals
    random_low: Reals | None = None
    random_high: Reals | None = None

    @classmethod
    def of(cls, names: Sequence[str], start: Reals | None = None) -> WeightSpace:
        """Return a space without bounds; the start is 1 for every feature unless given."""
        size = len(names)
        first = np.ones(size) if start is None else np.asarray(start, dtype=np.float64)
        return cls(tuple(names), first, np.full(size, -np.inf), np.full(size, np.inf))

    def __post_init__(self) -> None:
        if not np.isfinite(self.start).all():
            raise InputError("a start weight is not finite; give finite weights")
        if not self.start.any():
            raise InputError("all start weights are 0; give at least one that is not")
        outside = np.flatnonzero((self.start < self.low) | (self.start > self.high))
        if len(outside):
            at = outside[0]
            raise InputError(
                f"the start weight {self.start[at]:g} of {quoted(self.names[at])} is outside its "
                f"bounds {self.low[at]:g} and {self.high[at]:g}; change one of them"
            )

    @property
    def free(self) -> NDArray[np.bool_]:
        """Which weights may change."""
        return self.low < self.high

    @property
    def holds(self) -> bool:
        """Whether any weight is fixed or bounded, so that a scaled vector may be outside."""
        return not (np.isneginf(self.low).all() and np.isposinf(self.high).all())

    def fixed(self, names: Sequence[str]) -> WeightSpace:
        """Return the space with some weights fixed at their start."""
        low, high = self.low.copy(), self.high.copy()
        for name in names:
            at = self._place(name)
            low[at] = high[at] = self.start[at]
        return replace(self, low=low, high=high)

    def bounded(self, bounds: Mapping[str, tuple[float, float]]) -> WeightSpace:
        """Return the space with bounds on some weights."""
        low, high = self.low.copy(), self.high.copy()
        for name, (lowest, highest) in bounds.items():
            at = self._place(name)
            low[at], high[at] = lowest, highest
        return replace(self, low=low, high=high)

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise UsageError(
                f"no feature {quoted(name)} in the n-best list; {did_you_mean(name, self.names)}"
            )
        return self.names.index(name)


def aligned(
    names: Sequence[str], optional: Sequence[str], weights: Mapping[str, float], what: str
) -> Reals:
    """Return a weight for every feature of an n-best list, from weights by name.

    A feature that is optional, such as a sparse one, has the weight 0 unless it is given.
    """
    missing = next((name for name in names if name not in weights), None)
    if missing is not None:
        raise InputError(f"{what}: no weight for the feature {quoted(missing)}; give it one")
    return np.array(
        [weights[name] for name in names] + [weights.get(name, 0.0) for name in optional]
    )


def check_known(names: Sequence[str], weights: Mapping[str, float], what: str) -> None:
    """Refuse weights for features that an n-best list does not have."""
    expected = set(names)
    unknown = next((name for name in weights if name not in expected), None)
    if unknown is not None:
        raise InputError(
            f"{what}: a weight for {quoted(unknown)}, but the n-best list has no such feature; "
            f"{did_you_mean(unknown, list(names)[:100])}"
        )


def as_file(weights: Weights | None, label: str) -> WeightsFile | None:
    """Weights by name, or those of a file, with the label for messages."""
    if isinstance(weights, str | PathLike):
        return read_weights(fspath(weights))
    return WeightsFile(label, weights) if isinstance(weights, Mapping) else weights


def weight_space(nbest: NBest, file: WeightsFile | None) -> WeightSpace:
    """The space of an n-best list's features, started from a file if one is given."""
    names = nbest.feature_names
    if file is None:
        start = np.concatenate([np.ones(len(nbest.names)), np.zeros(len(nbest.sparse.names))])
        return WeightSpace.of(names, start)
    if file.named is not None:
        check_known(names, file.named, file.label)
        return WeightSpace.of(
            names, aligned(nbest.names, nbest.sparse.names, file.named, file.label)
        )
    for row in file.rows:
        if len(row) != len(names):
            raise InputError(
                f"{file.label}: {len(row):,} weights, but the n-best list has {len(names):,} "
                "features; give one for each"
            )
    space = WeightSpace.of(names, np.array(file.rows[0]))
    if len(file.rows) == 1:
        return space
    low, high = np.array(file.rows[1]), np.array(file.rows[2])
    crossed = np.flatnonzero(low > high)
    if len(crossed):
        raise InputError(
            f"{file.label}: the lowest random start of {quoted(names[crossed[0]])} is above the "
            "highest; swap lines 2 and 3"
        )
    return replace(space, random_low=low, random_high=high)


def transferred(weights: Mapping[str, float], nbest: NBest) -> Reals:
    """Return weights for another list of the same features."""
    unknown = next((name for name in nbest.names if name not in weights), None)
    if unknown is not None:
        raise InputError(
            f"the held-out list has the feature {quoted(unknown)}, which was not tuned; give a "
            "list with the same features"
        )
    return aligned(nbest.names, nbest.sparse.names, weights, "the held-out list")

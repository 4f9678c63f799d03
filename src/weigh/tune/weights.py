"""Weights and where they may go: names, start, what is fixed, bounds, normalisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.read.stream import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.tune.nbest import Reals

Norm = Literal["none", "l1", "l2", "max"]


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


def aligned(names: Sequence[str], weights: Mapping[str, float], what: str) -> Reals:
    """Return a weight for every feature of an n-best list, from weights by name."""
    unknown = next((name for name in weights if name not in set(names)), None)
    if unknown is not None:
        raise InputError(
            f"{what}: a weight for {quoted(unknown)}, which is no feature of the n-best list; "
            f"{did_you_mean(unknown, list(names)[:100])}"
        )
    missing = next((name for name in names if name not in weights), None)
    if missing is not None:
        raise InputError(f"{what}: no weight for the feature {quoted(missing)}; give it one")
    return np.array([weights[name] for name in names], dtype=np.float64)


def normalised(weights: Reals, norm: Norm) -> Reals:
    """Return weights of the same direction with the norm 1, which choose the same candidates."""
    size = {
        "none": 1.0,
        "l1": np.abs(weights).sum(),
        "l2": np.sqrt(weights @ weights),
        "max": np.abs(weights).max(initial=0.0),
    }[norm]
    return np.asarray(weights / size)

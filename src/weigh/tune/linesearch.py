"""Exact line search: the metric's score at every point of a line in weight space.

Och 2003, section 4; Zaidan & Callison-Burch 2009, section 2. The score is a step function, since
it changes only where some segment's best candidate does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.tune.nbest import Integers, Reals
    from weigh.tune.problem import Problem

Smoothing = Literal["none", "average", "minimum"]


@dataclass(frozen=True, slots=True)
class Surface:
    """Scores along a line: `scores[i]` holds between `breakpoints[i − 1]` and `breakpoints[i]`."""

    breakpoints: Reals
    scores: Reals

    def at(self, place: float) -> int:
        """Return the interval that a place lies in, the right one if it lies between two."""
        return int(np.searchsorted(self.breakpoints, place, side="right"))


class LineSearch:
    """Surfaces of one problem, by the core."""

    def __init__(self, problem: Problem) -> None:
        from weigh._core import IntegerEnvelopes, RealEnvelopes

        self._metric = problem.metric
        nbest = problem.nbest
        made = IntegerEnvelopes if problem.rows.dtype == np.int64 else RealEnvelopes
        self._envelopes = made(problem.rows, nbest.hypotheses, nbest.offsets)

    def surface(self, scores: Reals, slopes: Reals) -> Surface:
        """Return the score at every point of the line score + place × slope."""
        breakpoints, sums = self._envelopes.envelope_sums(scores, slopes)
        return Surface(breakpoints, np.asarray(self._metric.score(sums), dtype=np.float64))


def envelope(scores: Reals, slopes: Reals) -> tuple[Reals, Integers]:
    """Return where the highest of some lines changes, and the highest ones between."""
    from weigh._core import IntegerEnvelopes

    size = len(scores)
    numbers = np.arange(size)
    lines = IntegerEnvelopes(numbers[:, None], numbers.astype(np.int32), np.array([0, size]))
    breakpoints, best = lines.envelope_sums(scores, slopes)
    return breakpoints, best[:, 0]


@dataclass(frozen=True, slots=True)
class Step:
    """The best place of a line, what it is worth, and its gain over the place 0."""

    place: float
    worth: float
    gain: float


def best_step(
    breakpoints: Reals,
    values: Reals,
    low: float,
    high: float,
    reach: float,
    penalty: Callable[[Reals], Reals] | None = None,
) -> Step:
    """Return the middle of the best interval between `low` and `high`, or 0 to stay.

    `values` are those of the intervals, the larger the better. An interval without an end goes
    beyond the last breakpoint by `reach`, or by that breakpoint's own distance if it is larger.
    Of equally good intervals the widest is taken, since its middle is the safest. `penalty` is
    taken off at each place.
    """
    first, last = (breakpoints[0], breakpoints[-1]) if len(breakpoints) else (0.0, 0.0)
    reach = max(reach, abs(first), abs(last))
    edges = np.concatenate([[first - reach], breakpoints, [last + reach]])
    left, right = np.maximum(edges[:-1], low), np.minimum(edges[1:], high)
    places = (left + right) / 2
    here = int(np.searchsorted(breakpoints, 0.0, side="right"))
    places[here] = 0.0
    worth = values if penalty is None else values - penalty(places)
    now = worth[here]
    worth = np.where(left < right, worth, -np.inf)
    worth[here] = now
    best = worth.max()
    if best <= now:
        return Step(0.0, float(now), 0.0)
    equal = np.flatnonzero(worth == best)
    chosen = equal[np.argmax((right - left)[equal])]
    return Step(float(places[chosen]), float(best), float(best - now))


def smoothed(values: Reals, smoothing: Smoothing, window: int) -> Reals:
    """Return each interval's value smoothed over so many neighbours on either side.

    The mean or the least of them (Cer et al. 2008, section 4): a high but narrow step counts
    less than a plateau.
    """
    if smoothing == "none" or window == 0:
        return values
    padded = np.pad(values, window, mode="edge")
    views = np.lib.stride_tricks.sliding_window_view(padded, 2 * window + 1)
    return np.asarray(views.mean(axis=1) if smoothing == "average" else views.min(axis=1))

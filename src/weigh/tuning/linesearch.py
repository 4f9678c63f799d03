"""Exact line search: the metric's score at every point of a line in weight space.

Och 2003, section 4; Zaidan & Callison-Burch 2009, section 2. The score is a step function, since
it changes only where some segment's best candidate does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from weigh.tuning.nbest import empty_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from weigh.tuning.nbest import Integers, NBest, Reals
    from weigh.tuning.problem import Problem

Smoothing = Literal["none", "average", "minimum"]

# Number of axes whose scores are computed at a time: all at once would need twice the memory.
_AT_ONCE = 40


@dataclass(frozen=True, slots=True)
class Surface:
    """Scores along a line: `scores[i]` holds between `breakpoints[i − 1]` and `breakpoints[i]`."""

    breakpoints: Reals
    scores: Reals

    def at(self, place: float) -> int:
        """The interval that contains a place, the right one at a boundary."""
        return int(np.searchsorted(self.breakpoints, place, side="right"))


@dataclass(frozen=True, slots=True)
class ScoredWeights:
    """Weights of a point or a direction, and the model score of every candidate.

    `errors` bounds the rounding error of the scores of each segment.
    """

    weights: Reals
    scores: Reals
    errors: Reals

    def move(self, direction: ScoredWeights, place: float) -> ScoredWeights:
        """Move along a line; the rounding error grows with every step."""
        scores = self.scores + place * direction.scores
        rounding = 2.0**-51 * max(float(scores.max()), -float(scores.min()))
        errors = self.errors + abs(place) * direction.errors + rounding
        return ScoredWeights(self.weights + place * direction.weights, scores, errors)


class LineSearch:
    """Surfaces of one problem, computed by the core."""

    def __init__(self, problem: Problem) -> None:
        from weigh._core import IntegerEnvelopes, RealEnvelopes

        self._problem, self._metric = problem, problem.metric
        self._nbest = nbest = problem.nbest
        rows, hypotheses = problem.rows, nbest.hypotheses
        if len(hypotheses) < len(rows):
            # Rows of few candidates are stored together.
            texts, numbers = np.unique(hypotheses, return_inverse=True)
            rows, hypotheses = rows[texts], numbers.astype(np.int32)
        envelopes = IntegerEnvelopes if rows.dtype == np.int64 else RealEnvelopes
        self._envelopes = envelopes(rows, hypotheses, nbest.offsets)
        self._largest = _largest(nbest)

    def score_candidates(self, weights: Reals) -> ScoredWeights:
        """Model score of every candidate, computed from scratch."""
        moving = np.flatnonzero(weights)
        if len(moving) == 1 and moving[0] < len(self._nbest.names) and weights[moving[0]] == 1.0:
            scores = self._nbest.features[:, moving[0]]
        else:
            scores = self._nbest.scores(weights)
        return ScoredWeights(weights, scores, _errors(self._nbest, self._largest, weights))

    def axes(self, coordinates: Integers, others: Reals) -> Axes:
        """Coordinates and other directions, for lines along sums of them."""
        return Axes(self._nbest, self._largest, coordinates, others)

    def surface(
        self,
        point: ScoredWeights,
        direction: ScoredWeights,
        low: float = -np.inf,
        high: float = np.inf,
    ) -> Surface:
        """Return the score at every place between `low` and `high` of the line from a point.

        Breakpoints that rounding alone separates are one.
        """
        breakpoints, sums = self._envelopes.envelope_sums(
            point.scores, direction.scores, point.errors, direction.errors, low, high
        )
        return Surface(breakpoints, np.asarray(self._metric.score(sums), dtype=np.float64))

    def score(self, point: ScoredWeights, direction: ScoredWeights, place: float) -> float:
        """The metric's score at a place of a line, as if computed from scratch.

        Bounds on rounding leave few candidates per segment; only these are computed again.
        """
        nbest, starts = self._nbest, self._nbest.offsets[:-1]
        weights = point.weights + place * direction.weights
        scores = point.scores + place * direction.scores
        errors = point.errors + abs(place) * direction.errors
        errors += _errors(nbest, self._largest, weights)
        least = np.maximum.reduceat(scores, starts) - 2 * errors
        chosen = scores >= np.repeat(least, np.diff(nbest.offsets))
        if np.count_nonzero(chosen) == len(starts):
            return self._problem.score_of(np.flatnonzero(chosen))
        near = replace(self._problem, nbest=nbest.of(chosen))
        return near.scores_at(weights[None])[0]


class Axes:
    """Scores of every candidate along coordinates and other directions.

    Lines along sums of few axes are cheap, however many features there are.
    """

    def __init__(self, nbest: NBest, largest: Reals, coordinates: Integers, others: Reals) -> None:
        from weigh._core import weighted_scores

        others = np.ascontiguousarray(others[:, : len(nbest.names)])
        features = np.asfortranarray(nbest.features)
        scores = empty_table(len(features), len(others))
        for start in range(0, len(others), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            scores[:, part] = weighted_scores(features, others[part]).T
        # Columns one by one, which copies none of them.
        self._scores = [*(features[:, at] for at in coordinates), *scores.T]
        sizes = weighted_scores(largest, np.abs(others))
        sizes *= np.count_nonzero(others, axis=1)[:, None]
        self._sizes = [*(largest[:, at] for at in coordinates), *sizes]

    def along(self, weights: Reals, axes: Sequence[int], amounts: Sequence[float]) -> ScoredWeights:
        """A direction that is a weighted sum of some axes.

        The error bound leaves room for scaling and adding: four times the rounding of an axis.
        """
        scores = amounts[0] * self._scores[axes[0]]
        sizes = abs(amounts[0]) * self._sizes[axes[0]]
        for axis, amount in zip(axes[1:], amounts[1:], strict=True):
            if amount:
                scores += amount * self._scores[axis]
                sizes += abs(amount) * self._sizes[axis]
        return ScoredWeights(weights, scores, 16 * 2.0**-53 * sizes)


def _largest(nbest: NBest) -> Reals:
    """Largest absolute value of every dense feature in each segment."""
    largest = np.empty((len(nbest.ids), len(nbest.names)), order="F")
    for at, column in enumerate(nbest.features.T):  # not all at once, which would copy the list
        np.maximum.reduceat(np.abs(column), nbest.offsets[:-1], out=largest[:, at])
    return largest


def _errors(nbest: NBest, largest: Reals, weights: Reals) -> Reals:
    """Bound the rounding of a sum of products by the sum of their sizes (Higham 2002, 3.1).

    Four times the bound, since lines are also subtracted and divided.
    """
    from weigh._core import weighted_scores

    dense = len(nbest.names)
    [sizes] = weighted_scores(largest, np.abs(weights[None, :dense]))
    count = np.count_nonzero(weights[:dense])
    if nbest.sparse.names:
        whole = replace(nbest.sparse, values=np.abs(nbest.sparse.values))
        sums = whole.scores(np.abs(weights[dense:]))
        sizes = sizes + np.maximum.reduceat(sums, nbest.offsets[:-1])
        count += int(np.diff(nbest.sparse.indptr).max())
    return np.asarray(4 * count * 2.0**-53 * sizes)


@dataclass(frozen=True, slots=True)
class LineStep:
    """A place of a line, and the value of the objective there."""

    place: float
    value: float


class LineValues:
    """The objective on every interval of a line, and a place in each interval.

    Larger `values` are better; `low` and `high` bound the places. An unbounded interval extends
    beyond the last breakpoint by `reach`, or by that breakpoint's distance if it is larger. The
    place is the middle of the interval, but 0 in the current one. `penalty` is subtracted.
    """

    def __init__(
        self,
        breakpoints: Reals,
        values: Reals,
        low: float,
        high: float,
        reach: float,
        penalty: Callable[[Reals], Reals] | None = None,
    ) -> None:
        first, last = (breakpoints[0], breakpoints[-1]) if len(breakpoints) else (0.0, 0.0)
        reach = max(reach, abs(first), abs(last))
        edges = np.concatenate([[first - reach], breakpoints, [last + reach]])
        starts, ends = np.maximum(edges[:-1], low), np.minimum(edges[1:], high)
        self._places = (starts + ends) / 2
        self._left, self._widths = starts, ends - starts
        here = int(np.searchsorted(breakpoints, 0.0, side="right"))
        self._places[here] = 0.0
        net = values if penalty is None else values - penalty(self._places)
        self.now = float(net[here])
        self.values = np.where(self._widths > 0, net, -np.inf)
        self.values[here] = self.now
        self.best = float(self.values.max())

    @property
    def gain(self) -> float:
        """Gain of the best step."""
        return self.best - self.now

    def better(self) -> Iterator[LineStep]:
        """Yield the improving steps, best first.

        Of equally good intervals the widest comes first, since its middle is the safest.
        """
        values = self.values.copy()
        while (best := values.max()) > self.now:
            equal = np.flatnonzero(values == best)
            chosen = equal[np.argmax(self._widths[equal])]
            values[chosen] = -np.inf
            yield LineStep(float(self._places[chosen]), float(best))

    def jumps(self) -> Reals:
        """Differences of value between neighbouring intervals."""
        return np.diff(self.values[self._widths > 0])


def draw_place(
    breakpoints: Reals,
    values: Reals,
    low: float,
    high: float,
    temperature: float,
    draw: Sequence[float],
) -> tuple[int, float]:
    """Draw an interval and a place in it, with two random numbers between 0 and 1.

    The probability of an interval is proportional to exp(value / temperature), as in Gibbs
    sampling; all places of an interval between `low` and `high` are equally likely.
    """
    from weigh._core import draw_interval

    at = draw_interval(values, temperature, draw[0])
    edge = float(breakpoints[at - 1]) if at > 0 else low
    right = float(breakpoints[at]) if at < len(breakpoints) else high
    return at, edge + draw[1] * (right - edge)


def smooth(values: Reals, smoothing: Smoothing, window: int) -> Reals:
    """Smooth each interval's value over `window` neighbours on either side.

    The mean or the minimum (Cer et al. 2008, section 4): a high but narrow step counts less than
    a plateau.
    """
    if smoothing == "none" or window == 0:
        return values
    padded = np.pad(values, window, mode="edge")
    views = np.lib.stride_tricks.sliding_window_view(padded, 2 * window + 1)
    return np.asarray(views.mean(axis=1) if smoothing == "average" else views.min(axis=1))

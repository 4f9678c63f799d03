"""Minimum error rate training: coordinate search from many starts, then annealing.

Coordinate search from random starts (Och 2003) ends in one of very many local optima. Annealing
continues from there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.engine.executors import Shared, spread
from weigh.engine.threads import Progress, progress_from
from weigh.errors import UsageError
from weigh.tuning.annealing import LARGEST, AnnealedSearch, anneal, searches_by_stage
from weigh.tuning.linesearch import (
    Axes,
    LineSearch,
    LineValues,
    ScoredWeights,
    Smoothing,
    Surface,
    smooth,
)
from weigh.tuning.problem import Problem
from weigh.tuning.weights import WeightSpace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.tuning.nbest import NBest, Reals

# A smaller gain, relative to the score, may be rounding.
_LEAST = 1e-11
# Largest number of features that determines the number of annealed lines: with 200, four times as
# many lines take twice the time and gain hardly anything (bench/tuning.md).
_MANY = 50
# Number of steps of a line that are tried where rounding spoils the best one.
_TRIES = 20
# Every six starts, or fewer, share the number of lines in the plan.
_TOGETHER = 6
# Least share of variance of a principal axis: below it, features count as collinear.
_LEAST_VARIANCE = 1e-3
# Number of segments whose covariances are computed at a time.
_BLOCK = 8
# Purposes of random numbers.
_STARTING, _ANNEALING = 0, 1


@dataclass(frozen=True, slots=True)
class MertPlan:
    """Options of the search.

    `starts` counts the given start, then further points (such as the last optimum), then random
    ones. Annealing then searches `directions` lines per feature (at most 50 count) for every six
    starts. `regularise` is a penalty in points of the metric per squared distance from the start.
    """

    starts: int = 20
    directions: int = 420
    seed: int = 12345
    smoothing: Smoothing = "none"
    window: int = 1
    regularise: float = 0.0

    def __post_init__(self) -> None:
        if self.starts < 1:
            raise UsageError(f"{self.starts} starts; give at least one")
        if min(self.directions, self.window) < 0:
            raise UsageError("directions and window cannot be negative; give 0 or more")
        if not 0 <= self.regularise < np.inf:
            raise UsageError(
                f"regularisation by {self.regularise:g}; give a finite number of at least 0"
            )


@dataclass(frozen=True, slots=True)
class StartResult:
    """Result of the search from one start; scores are computed from scratch."""

    start: Reals
    start_score: float
    weights: Reals
    score: float
    searches: int


def mert(
    problem: Problem,
    space: WeightSpace,
    plan: MertPlan,
    *,
    further: tuple[Reals, ...] = (),
    threads: int = 0,
    progress: Progress | None = None,
) -> list[StartResult]:
    """Search from every start; return the results in order, the given start first.

    Sparse features keep their start weights. The result depends on the seed, but not on the number
    of threads or machines.
    """
    objective = Objective(problem, space, plan, FeatureScales.of(problem, space))
    points = [space.start, *further][: plan.starts]
    points += [
        objective.random_point(_generator(plan.seed, number, _STARTING))
        for number in range(len(points), plan.starts)
    ]
    shared = Shared(objective)
    annealings = sum(searches_by_stage(len(points))) if objective.steps else 0
    steps = len(points) + annealings
    searches = [
        search.attach(objective)
        for search in spread(
            _search_from,
            points,
            shared,
            threads=threads,
            progress=progress_from(0, progress, steps),
        )
    ]
    last = sorted(range(len(points)), key=lambda number: (-searches[number].value, number))
    unit = objective.unit(searches[last[0]]) if annealings else 0.0
    if unit > 0:
        annealed = {
            number: AnnealedSearch(
                objective, searches[number], _generator(plan.seed, number, _ANNEALING)
            )
            for number in last
        }
        last = anneal(
            annealed,
            shared,
            objective.steps * -(-len(points) // _TOGETHER),
            unit,
            threads=threads,
            progress=progress_from(len(points), progress, steps),
        )
        searches = [annealed[number].local for number in range(len(points))]
    finished = spread(_finish, [searches[number] for number in last], shared, threads=threads)
    for number, search in zip(last, finished, strict=True):
        searches[number] = search.attach(objective)
    return [search.result() for search in searches]


def _search_from(objective: Objective, point: Reals) -> CoordinateSearch:
    return objective.search_from(point)


def _finish(objective: Objective, search: CoordinateSearch) -> CoordinateSearch:
    objective.finish(search.attach(objective))
    return search


def best_result(
    results: Sequence[StartResult], problem: Problem, space: WeightSpace, plan: MertPlan
) -> StartResult:
    """The best result, the first of equals; never worse than the given start."""

    def value(result: StartResult) -> float:
        return _value(problem, space, plan, result.weights, result.score)

    best = max(results, key=value)
    first = results[0]
    if problem.sign * best.score < problem.sign * first.start_score:
        return StartResult(first.start, first.start_score, first.start, first.start_score, 0)
    return best


def _value(
    problem: Problem, space: WeightSpace, plan: MertPlan, weights: Reals, score: float
) -> float:
    """The objective: score minus regularisation penalty."""
    gap = weights - space.start
    return problem.sign * score - plan.regularise * float(gap @ gap)


def _generator(seed: int, number: int, purpose: int) -> np.random.Generator:
    """Random number generator of one start, for one purpose."""
    return np.random.Generator(np.random.Philox(key=[seed % 2**64, 2 * number + purpose]))


@dataclass(frozen=True)
class FeatureScales:
    """Scales of the features of a list.

    `spreads` are standard deviations of dense features within segments, 0 for constant ones, which
    change no choice. `moving` are the other features whose weights are free. `principal` are the
    principal axes: features of one model are correlated, so coordinate steps undo each other.
    """

    spreads: Reals
    moving: NDArray[np.int64]
    principal: Reals

    @classmethod
    def of(cls, problem: Problem, space: WeightSpace) -> FeatureScales:
        """Measure the features of all candidates."""
        nbest = problem.nbest
        covariances = _covariances(nbest)
        spreads = np.sqrt(np.diag(covariances))
        moving = np.flatnonzero((spreads > 0) & space.free[: len(spreads)])
        principal = np.zeros((len(moving), len(space.names)))
        if len(moving):
            correlations = covariances[np.ix_(moving, moving)] / spreads[moving]
            variances, vectors = np.linalg.eigh(correlations / spreads[moving, None])
            scales = np.sqrt(np.maximum(variances, _LEAST_VARIANCE))
            principal[:, moving] = vectors.T / scales[:, None] / spreads[moving]
        return cls(spreads, moving, principal)

    def size(self, weights: Reals) -> float:
        """Length of weights in units of their features' spread."""
        scaled = weights[: len(self.spreads)] * self.spreads
        return math.sqrt(scaled @ scaled) or 1.0

    @cached_property
    def axes(self) -> Reals:
        """The coordinates that move, in units of their features' spread, and the principal axes."""
        coordinates = np.zeros_like(self.principal)
        at = np.arange(len(self.moving))
        coordinates[at, self.moving] = 1 / self.spreads[self.moving]
        return np.concatenate([coordinates, self.principal])


class Objective:
    """The objective of a search: a problem, the space of weights, and the penalty."""

    def __init__(
        self, problem: Problem, space: WeightSpace, plan: MertPlan, scales: FeatureScales
    ) -> None:
        self.problem, self.space, self.plan, self.scales = problem, space, plan, scales
        self._is_high_good = problem.metric.higher_is_better

    def __reduce__(self) -> tuple[type[Objective], tuple[Any, ...]]:
        """Pickle without texts, which the search does not need, and without caches."""
        nbest = replace(self.problem.nbest, texts=(), extra={})
        return Objective, (
            replace(self.problem, nbest=nbest),
            self.space,
            self.plan,
            self.scales,
        )

    @cached_property
    def _axes(self) -> Sequence[ScoredWeights]:
        axes = np.eye(len(self.problem.nbest.names), len(self.space.names))
        return [self.line_search.score_candidates(axes[column]) for column in self.scales.moving]

    @cached_property
    def line_search(self) -> LineSearch:
        """Line search over all candidates."""
        return LineSearch(self.problem)

    @cached_property
    def axes(self) -> Axes:
        """Coordinates, not in units of their spread, and principal axes."""
        return self.line_search.axes(self.scales.moving, self.scales.principal)

    @cached_property
    def _is_bounded(self) -> bool:
        is_bounded = np.isfinite(self.space.low) | np.isfinite(self.space.high)
        return bool(is_bounded[self.scales.moving].any())

    def of(self, nbest: NBest) -> Objective:
        """The same objective for some of the candidates."""
        return Objective(replace(self.problem, nbest=nbest), self.space, self.plan, self.scales)

    def local_search(self, weights: Reals) -> CoordinateSearch:
        """A coordinate search at a point."""
        return CoordinateSearch(self, weights)

    def search_from(self, point: Reals) -> CoordinateSearch:
        """Search from a point along every coordinate that gains."""
        search = CoordinateSearch(self, point)
        self._along_axes(search)
        return search

    def finish(self, search: CoordinateSearch) -> None:
        """Repeat the coordinate search until nothing gains."""
        while self._along_axes(search):
            pass

    @property
    def steps(self) -> int:
        """Number of annealed lines for six starts; none with a single feature."""
        moving = len(self.scales.moving)
        return self.plan.directions * min(moving, _MANY) if moving > 1 else 0

    def _along_axes(self, search: CoordinateSearch) -> bool:
        """Step along every coordinate, the largest gain first; return whether any gained."""
        gains: list[float] = []
        for axis in self._axes:
            line = search.evaluate(axis)
            if not gains or line.gain > max(gains):
                first = line  # the others are dropped: with many features they need much memory
            gains.append(line.gain)
        order = sorted(range(len(gains)), key=lambda at: -gains[at])
        gained = False
        for at in order:
            if not gains[at] > 0:
                break
            # After the first step the others must be evaluated again.
            line = first if at == order[0] else search.evaluate(self._axes[at])
            gained |= search.step(self._axes[at].weights, line, along=self._axes[at])
        search.drop_scores()
        return gained

    def unit(self, search: CoordinateSearch) -> float:
        """Effect of one segment's change of candidate.

        The root mean square of the differences between neighbouring intervals along coordinates.
        """
        count, squares = 0, 0.0
        for axis in self._axes:
            jumps = search.evaluate(axis).jumps()
            count, squares = count + len(jumps), squares + float(np.sum(jumps**2))
        search.drop_scores()
        return math.sqrt(squares / count) if count else 0.0

    def random_point(self, generator: np.random.Generator) -> Reals:
        """A random start: free weights drawn within their bounds."""
        space = self.space
        point = space.start.copy()
        axes = self.scales.moving
        if space.random_low is not None and space.random_high is not None:
            point[axes] = generator.uniform(space.random_low[axes], space.random_high[axes])
        elif len(axes):
            # As large as the given weights, in units of the features' spreads.
            spreads = self.scales.spreads[axes]
            size = np.sqrt(np.mean((space.start[axes] * spreads) ** 2)) or 1.0
            point[axes] = generator.normal(size=len(axes)) * size / spreads
        point = np.clip(point, space.low, space.high)
        return point if point.any() else space.start

    def range_of(
        self, point: Reals, direction: Reals, farthest: float = np.inf
    ) -> tuple[float, float]:
        """Allowed range along a direction, at most `farthest` either way."""
        if not self._is_bounded:
            return -farthest, farthest
        moving = np.flatnonzero(direction)
        sizes = direction[moving]
        to_low = (self.space.low - point)[moving] / sizes
        to_high = (self.space.high - point)[moving] / sizes
        return (
            min(0.0, max(-farthest, float(np.minimum(to_low, to_high).max()))),
            max(0.0, min(farthest, float(np.maximum(to_low, to_high).min()))),
        )

    def line_values(self, point: ScoredWeights, direction: ScoredWeights) -> LineValues:
        """Evaluate the objective on every interval of a line."""
        low, high = self.range_of(point.weights, direction.weights)
        surface = self.line_search.surface(point, direction, low, high)
        return self.line_values_of(surface, point.weights, direction.weights, low, high)

    def line_values_of(
        self, surface: Surface, point: Reals, direction: Reals, low: float, high: float
    ) -> LineValues:
        """The objective on the intervals of a surface, with places."""
        plan = self.plan
        size = direction @ direction
        length = np.sqrt((point @ point) / size)
        penalty = None
        if plan.regularise > 0:
            gap = point - self.space.start
            curve = np.array([size, 2 * (gap @ direction), gap @ gap])

            def penalty(places: Reals) -> Reals:
                return np.asarray(plan.regularise * np.polyval(curve, places))

        values = self._surface_values(surface)
        return LineValues(surface.breakpoints, values, low, high, float(length), penalty)

    def interval_values(
        self, surface: Surface, point: Reals, direction: Reals, low: float, high: float
    ) -> Reals:
        """The objective on each interval of a surface."""
        if self.plan.regularise > 0:
            return self.line_values_of(surface, point, direction, low, high).values
        return self._surface_values(surface)

    def _surface_values(self, surface: Surface) -> Reals:
        values = surface.scores if self._is_high_good else -surface.scores
        return smooth(values, self.plan.smoothing, self.plan.window)

    def value(self, weights: Reals, score: float) -> float:
        """The objective."""
        return _value(self.problem, self.space, self.plan, weights, score)


class CoordinateSearch:
    """A local search along lines: its current point and value."""

    def __init__(self, objective: Objective, weights: Reals) -> None:
        self._objective = objective
        self._smooths = objective.plan.smoothing != "none"
        self.searches = 0
        [self.score] = objective.problem.scores_at(weights[None])
        self.weights = weights
        self._start = weights
        # What a smooth surface says of a point depends on the line, so the first step counts.
        self._value = -np.inf if self._smooths else objective.value(weights, self.score)
        self._point: ScoredWeights | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the objective and the scores of candidates."""
        return {**vars(self), "_objective": None, "_point": None}

    def attach(self, objective: Objective) -> CoordinateSearch:
        """Set the objective, which is not pickled."""
        self._objective = objective
        return self

    @property
    def value(self) -> float:
        """The objective at the current point, without smoothing."""
        return self._objective.value(self.weights, self.score)

    def result(self) -> StartResult:
        """Outcome of the search from this start, evaluated again."""
        score = self._objective.problem.score
        return StartResult(
            self._start, score(self._start), self.weights, score(self.weights), self.searches
        )

    def evaluate(self, direction: ScoredWeights) -> LineValues:
        """Evaluate the objective along a direction from the current point."""
        self.searches += 1
        if self._point is None:
            self._point = self._objective.line_search.score_candidates(self.weights)
        return self._objective.line_values(self._point, direction)

    def drop_scores(self) -> None:
        """Free the scores of all candidates."""
        self._point = None

    def step(
        self,
        direction: Reals,
        line: LineValues,
        start: Reals | None = None,
        along: ScoredWeights | None = None,
    ) -> bool:
        """Take the best step, from here or from `start`, if its recomputed value is a gain.

        If rounding makes a step worse than its surface says, the next ones are tried. `along` is
        the direction, if the slopes of all candidates are known. With smoothing, the surface's
        value counts, and must increase so that the search ends. Return whether any step gained.
        """
        objective, space = self._objective, self._objective.space
        start, point = self.weights if start is None else start, self._point
        gained = False
        if not self.improves(line.best):
            return False
        for step in itertools.islice(line.better(), _TRIES):
            if not self.improves(step.value):
                break
            there = start + step.place * direction
            weights = np.clip(there, space.low, space.high)
            if not 0 < np.abs(weights).max() <= LARGEST:
                continue
            moved = None
            if along is not None and point is not None and np.array_equal(weights, there):
                moved = point.move(along, step.place)
                score = objective.line_search.score(point, along, step.place)
            else:
                [score] = objective.problem.scores_at(weights[None])
            value = step.value if self._smooths else objective.value(weights, score)
            if self.improves(value):
                self.weights, self.score, self._value, self._point = weights, score, value, moved
                gained = True
        return gained

    def adopt_best(self, places: Sequence[Reals]) -> None:
        """Move to the best of some points if it is better than the current one."""
        scores = self._objective.problem.scores_at(np.array(places))
        for weights, score in zip(places, scores, strict=True):
            if self._objective.value(weights, score) > self.value:
                self.weights, self.score, self._point = weights, score, None
                self._value = -np.inf if self._smooths else self.value

    def improves(self, value: float) -> bool:
        """Whether a value exceeds the current one by more than rounding."""
        return value > self._value + _LEAST * max(1.0, abs(value))


def _covariances(nbest: NBest) -> Reals:
    """Covariances of dense features within segments; exactly 0 for constant features.

    Computed by the core, which adds in the same order on every machine.
    """
    from weigh._core import weighted_scores

    covariances = np.zeros((len(nbest.names), len(nbest.names)))
    for first in range(0, len(nbest.ids), _BLOCK):
        offsets = nbest.offsets[first : first + _BLOCK + 1]
        starts, counts = offsets[:-1] - offsets[0], np.diff(offsets)
        values = np.ascontiguousarray(nbest.features[offsets[0] : offsets[-1]])
        values -= np.repeat(values[starts], counts, axis=0)
        means = np.add.reduceat(values, starts) / counts[:, None]
        values -= np.repeat(means, counts, axis=0)
        covariances += weighted_scores(values.T, np.ascontiguousarray(values.T))
    return covariances / len(nbest)

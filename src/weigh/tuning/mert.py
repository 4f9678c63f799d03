"""Minimum error rate training: line searches from many starts, and annealing of what they reach.

Och 2003 climbs along coordinates from random starts and so ends on one of very many local
optima. Annealing goes on from there.
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
from weigh.engine.threads import Progress, after
from weigh.errors import UsageError
from weigh.tuning.annealing import LARGEST, Walker, anneal, walkers_by_stage
from weigh.tuning.linesearch import (
    Axes,
    LineSearch,
    Outlook,
    Scored,
    Smoothing,
    Surface,
    smoothed,
)
from weigh.tuning.problem import Problem
from weigh.tuning.weights import WeightSpace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.tuning.nbest import NBest, Reals

# A smaller gain, relative to the score, may be rounding.
_LEAST = 1e-11
# So many features count for the number of lines that annealing goes along: with 200, four times as
# many lines take twice the time and find hardly more (bench/tuning.md).
_MANY = 50
# So many steps of a line are tried where rounding belies the best one.
_TRIES = 20
# For so many starts, or a part of them, annealing goes along as many lines as the plan says.
_TOGETHER = 6
# Features that tell the same apart but for this share of their variance are one.
_LEAST_VARIANCE = 1e-3
# The features of so many segments are compared with each other at a time.
_BLOCK = 8
# What random numbers are drawn for.
_STARTING, _GOING_ON = 0, 1


@dataclass(frozen=True, slots=True)
class MertPlan:
    """How to search.

    `starts` counts the given start, then further points (such as the last optimum), then random
    ones. What is reached from them along coordinates is then annealed, for every six of them along
    so many `directions` for every feature, of which 50 count at most. `regularise` takes off so
    many points of the metric per squared distance from the start.
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
class Climb:
    """What came of one start: scores are the metric's, evaluated at the weights from scratch."""

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
) -> list[Climb]:
    """Climb from every start and return what came of each, in order; the first is the given one.

    Sparse features keep their start weights. The result depends on the seed, not on the number of
    threads nor on where climbs and walks are done.
    """
    landscape = Landscape(problem, space, plan, Terrain.of(problem, space))
    points = [space.start, *further][: plan.starts]
    points += [
        landscape.random_point(_generator(plan.seed, number, _STARTING))
        for number in range(len(points), plan.starts)
    ]
    shared = Shared(landscape)
    walks = sum(walkers_by_stage(len(points))) if landscape.steps else 0
    steps = len(points) + walks
    climbers = [
        climber.on(landscape)
        for climber in spread(
            _climbed, points, shared, threads=threads, progress=after(0, progress, steps)
        )
    ]
    last = sorted(range(len(points)), key=lambda number: (-climbers[number].worth, number))
    unit = landscape.unit(climbers[last[0]]) if walks else 0.0
    if unit > 0:
        walkers = {
            number: Walker(landscape, climbers[number], _generator(plan.seed, number, _GOING_ON))
            for number in last
        }
        last = anneal(
            walkers,
            shared,
            landscape.steps * -(-len(points) // _TOGETHER),
            unit,
            threads=threads,
            progress=after(len(points), progress, steps),
        )
        climbers = [walkers[number].climber for number in range(len(points))]
    finished = spread(_finished, [climbers[number] for number in last], shared, threads=threads)
    for number, climber in zip(last, finished, strict=True):
        climbers[number] = climber.on(landscape)
    return [climber.result() for climber in climbers]


def _climbed(landscape: Landscape, point: Reals) -> Climber:
    return landscape.climbed(point)


def _finished(landscape: Landscape, climber: Climber) -> Climber:
    landscape.finish(climber.on(landscape))
    return climber


def best_climb(
    climbs: Sequence[Climb], problem: Problem, space: WeightSpace, plan: MertPlan
) -> Climb:
    """Return the best climb, the first of equals; its weights are no worse than the start."""

    def worth(climb: Climb) -> float:
        return _worth(problem, space, plan, climb.weights, climb.score)

    best = max(climbs, key=worth)
    first = climbs[0]
    if problem.sign * best.score < problem.sign * first.start_score:
        return Climb(first.start, first.start_score, first.start, first.start_score, 0)
    return best


def _worth(
    problem: Problem, space: WeightSpace, plan: MertPlan, weights: Reals, score: float
) -> float:
    """The objective: score minus regularisation penalty."""
    gap = weights - space.start
    return problem.sign * score - plan.regularise * float(gap @ gap)


def _generator(seed: int, number: int, purpose: int) -> np.random.Generator:
    """Return the random numbers of one start, for one purpose."""
    return np.random.Generator(np.random.Philox(key=[seed % 2**64, 2 * number + purpose]))


@dataclass(frozen=True)
class Terrain:
    """What is known of the features of a list.

    `spreads` are the standard deviations of the dense ones within segments, 0 if they are constant
    and so change no choice; `moving` are those that do, and whose weights are free. `principal`
    are directions along which scores vary alike and apart from each other: features of one model
    go together, so that steps along coordinates undo each other.
    """

    spreads: Reals
    moving: NDArray[np.int64]
    principal: Reals

    @classmethod
    def of(cls, problem: Problem, space: WeightSpace) -> Terrain:
        """Look at all candidates."""
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
        """Return the length of weights in units of their features' spread."""
        scaled = weights[: len(self.spreads)] * self.spreads
        return math.sqrt(scaled @ scaled) or 1.0

    @cached_property
    def axes(self) -> Reals:
        """The coordinates that move, in units of their features' spread, and the principal axes."""
        coordinates = np.zeros_like(self.principal)
        at = np.arange(len(self.moving))
        coordinates[at, self.moving] = 1 / self.spreads[self.moving]
        return np.concatenate([coordinates, self.principal])


class Landscape:
    """A problem, where its weights may go and what is worth climbing."""

    def __init__(
        self, problem: Problem, space: WeightSpace, plan: MertPlan, terrain: Terrain
    ) -> None:
        self.problem, self.space, self.plan, self.terrain = problem, space, plan, terrain
        self._is_high_good = problem.metric.higher_is_better

    def __reduce__(self) -> tuple[type[Landscape], tuple[Any, ...]]:
        """Travel without texts, which climbing has no use for, and be made anew on arrival."""
        nbest = replace(self.problem.nbest, texts=(), extra={})
        return Landscape, (
            replace(self.problem, nbest=nbest),
            self.space,
            self.plan,
            self.terrain,
        )

    @cached_property
    def _axes(self) -> Sequence[Scored]:
        axes = np.eye(len(self.problem.nbest.names), len(self.space.names))
        return [self.search.scored(axes[column]) for column in self.terrain.moving]

    @cached_property
    def search(self) -> LineSearch:
        """Lines of any length over all candidates."""
        return LineSearch(self.problem)

    @cached_property
    def axes(self) -> Axes:
        """Those of the terrain, but that coordinates are not in units of their spread."""
        return self.search.axes(self.terrain.moving, self.terrain.principal)

    @cached_property
    def _is_bounded(self) -> bool:
        is_bounded = np.isfinite(self.space.low) | np.isfinite(self.space.high)
        return bool(is_bounded[self.terrain.moving].any())

    def of(self, nbest: NBest) -> Landscape:
        """Return the same landscape as some of the candidates make it."""
        return Landscape(replace(self.problem, nbest=nbest), self.space, self.plan, self.terrain)

    def climber(self, weights: Reals) -> Climber:
        """Return a climber who stands somewhere."""
        return Climber(self, weights)

    def climbed(self, point: Reals) -> Climber:
        """Go up from a point, along every coordinate that gains."""
        climber = Climber(self, point)
        self._along_axes(climber)
        return climber

    def finish(self, climber: Climber) -> None:
        """Climb until nothing gains."""
        while self._along_axes(climber):
            pass

    @property
    def steps(self) -> int:
        """How many lines annealing goes along; with one feature there is nothing to cross."""
        moving = len(self.terrain.moving)
        return self.plan.directions * min(moving, _MANY) if moving > 1 else 0

    def _along_axes(self, climber: Climber) -> bool:
        """Try every coordinate, the one that gains most first; return whether any gained."""
        gains: list[float] = []
        for axis in self._axes:
            outlook = climber.look(axis)
            if not gains or outlook.gain > max(gains):
                first = outlook  # alone, since those of many features take much memory
            gains.append(outlook.gain)
        order = sorted(range(len(gains)), key=lambda at: -gains[at])
        gained = False
        for at in order:
            if not gains[at] > 0:
                break
            # After a first step the others must be looked at again.
            outlook = first if at == order[0] else climber.look(self._axes[at])
            gained |= climber.go(self._axes[at].weights, outlook, along=self._axes[at])
        climber.forget()
        return gained

    def unit(self, climber: Climber) -> float:
        """Differences of value between neighbouring intervals along coordinates.

        The root of the mean square: what one segment's change of candidate makes.
        """
        count, squares = 0, 0.0
        for axis in self._axes:
            jumps = climber.look(axis).jumps()
            count, squares = count + len(jumps), squares + float(np.sum(jumps**2))
        climber.forget()
        return math.sqrt(squares / count) if count else 0.0

    def random_point(self, generator: np.random.Generator) -> Reals:
        """Return a random start: the free weights drawn anew, within their bounds."""
        space = self.space
        point = space.start.copy()
        axes = self.terrain.moving
        if space.random_low is not None and space.random_high is not None:
            point[axes] = generator.uniform(space.random_low[axes], space.random_high[axes])
        elif len(axes):
            # As large as the given weights are, counted in what a feature's spread makes of them.
            spreads = self.terrain.spreads[axes]
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

    def outlook(self, point: Scored, direction: Scored) -> Outlook:
        """Evaluate the objective on every interval of a line."""
        low, high = self.range_of(point.weights, direction.weights)
        surface = self.search.surface(point, direction, low, high)
        return self.outlook_of(surface, point.weights, direction.weights, low, high)

    def outlook_of(
        self, surface: Surface, point: Reals, direction: Reals, low: float, high: float
    ) -> Outlook:
        """Values of the intervals of a line's surface."""
        plan = self.plan
        size = direction @ direction
        length = np.sqrt((point @ point) / size)
        penalty = None
        if plan.regularise > 0:
            gap = point - self.space.start
            curve = np.array([size, 2 * (gap @ direction), gap @ gap])

            def penalty(places: Reals) -> Reals:
                return np.asarray(plan.regularise * np.polyval(curve, places))

        values = self._values(surface)
        return Outlook(surface.breakpoints, values, low, high, float(length), penalty)

    def worths(
        self, surface: Surface, point: Reals, direction: Reals, low: float, high: float
    ) -> Reals:
        """Value of each interval of a surface."""
        if self.plan.regularise > 0:
            return self.outlook_of(surface, point, direction, low, high).worths
        return self._values(surface)

    def _values(self, surface: Surface) -> Reals:
        values = surface.scores if self._is_high_good else -surface.scores
        return smoothed(values, self.plan.smoothing, self.plan.window)

    def worth(self, weights: Reals, score: float) -> float:
        """The objective."""
        return _worth(self.problem, self.space, self.plan, weights, score)


class Climber:
    """One climb: where it stands and what that is worth."""

    def __init__(self, landscape: Landscape, weights: Reals) -> None:
        self._landscape = landscape
        self._smooths = landscape.plan.smoothing != "none"
        self.searches = 0
        [self.score] = landscape.problem.scores_at(weights[None])
        self.weights = weights
        self._start = weights
        # What a smoothed surface says of a point depends on the line, so the first step counts.
        self._worth = -np.inf if self._smooths else landscape.worth(weights, self.score)
        self._point: Scored | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Travel without the landscape, and without the scores of all candidates."""
        return {**vars(self), "_landscape": None, "_point": None}

    def on(self, landscape: Landscape) -> Climber:
        """Stand on a landscape."""
        self._landscape = landscape
        return self

    @property
    def worth(self) -> float:
        """What is maximised, without any smoothing."""
        return self._landscape.worth(self.weights, self.score)

    def result(self) -> Climb:
        """Outcome of the search from this start, evaluated again."""
        score = self._landscape.problem.score
        return Climb(
            self._start, score(self._start), self.weights, score(self.weights), self.searches
        )

    def look(self, direction: Scored) -> Outlook:
        """Evaluate the objective along a direction from the current point."""
        self.searches += 1
        if self._point is None:
            self._point = self._landscape.search.scored(self.weights)
        return self._landscape.outlook(self._point, direction)

    def forget(self) -> None:
        """Forget the scores of all candidates, which many climbers have no room for."""
        self._point = None

    def go(
        self,
        direction: Reals,
        outlook: Outlook,
        start: Reals | None = None,
        along: Scored | None = None,
    ) -> bool:
        """Take the best step, from here or elsewhere, if it gains where it really leads.

        A step that leads less high than the surface says, by rounding, does not keep the next
        ones from being tried. `along` is the direction where all candidates' slopes are known.
        A smoothed surface is taken at its word, but steps must lead ever
        higher on it, lest the climb go round in circles. Return whether any step gained.
        """
        landscape, space = self._landscape, self._landscape.space
        start, point = self.weights if start is None else start, self._point
        gained = False
        if not self.is_more(outlook.best):
            return False
        for step in itertools.islice(outlook.better(), _TRIES):
            if not self.is_more(step.worth):
                break
            there = start + step.place * direction
            weights = np.clip(there, space.low, space.high)
            if not 0 < np.abs(weights).max() <= LARGEST:
                continue
            moved = None
            if along is not None and point is not None and np.array_equal(weights, there):
                moved = point.moved(along, step.place)
                score = landscape.search.score(point, along, step.place)
            else:
                [score] = landscape.problem.scores_at(weights[None])
            worth = step.worth if self._smooths else landscape.worth(weights, score)
            if self.is_more(worth):
                self.weights, self.score, self._worth, self._point = weights, score, worth, moved
                gained = True
        return gained

    def take(self, places: Sequence[Reals]) -> None:
        """Go to the best of some places if it is worth more than here."""
        scores = self._landscape.problem.scores_at(np.array(places))
        for weights, score in zip(places, scores, strict=True):
            if self._landscape.worth(weights, score) > self.worth:
                self.weights, self.score, self._point = weights, score, None
                self._worth = -np.inf if self._smooths else self.worth

    def is_more(self, worth: float) -> bool:
        """Whether a value exceeds the current one by more than rounding."""
        return worth > self._worth + _LEAST * max(1.0, abs(worth))


def _covariances(nbest: NBest) -> Reals:
    """Return the covariances of dense features within segments; exactly 0 where one is constant.

    By the core, which adds in the same order on every machine, a few segments at a time.
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

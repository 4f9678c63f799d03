"""Minimum error rate training: coordinate and random directions from many starts (Och 2003)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.engine.threads import Progress, run_in_parts
from weigh.errors import UsageError
from weigh.tune.linesearch import LineSearch, Smoothing, Step, best_step, smoothed
from weigh.tune.problem import Problem
from weigh.tune.weights import WeightSpace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.tune.nbest import Reals

# A smaller gain, relative to the score, may be rounding.
_LEAST = 1e-11
# So many weights are moved by a random direction: fewer than all, so that there is a fair chance
# that none of them moves the wrong way, and that its slopes are cheap to compute.
_TOGETHER = 3
# One in so many climbs, the best ones, goes on along random directions.
_CHOSEN = 4
# Weights do not go further, lest scores overflow.
_FARTHEST = 1e100
# What random numbers are drawn for.
_STARTING, _GOING_ON = 0, 1


@dataclass(frozen=True, slots=True)
class MertPlan:
    """How to search.

    `starts` counts the given start, then further points (such as the last optimum), then random
    ones. The best quarter of what is reached from them along coordinates is then improved along
    random directions too, until so many `directions` in turn gain nothing. `regularise` takes
    off so many points of the metric per squared distance from the start.
    """

    starts: int = 20
    directions: int = 80
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

    Sparse features keep their start weights. The result depends on the seed and not on the
    number of threads.
    """
    landscape = _Landscape(problem, space, plan)
    points = [space.start, *further][: plan.starts]
    points += [
        landscape.random_point(_generator(plan.seed, number, _STARTING))
        for number in range(len(points), plan.starts)
    ]
    climbs: dict[int, Climb] = {}
    chosen = -(-len(points) // _CHOSEN)

    def tell(done: int, _: int, before: int = 0) -> None:
        if progress is not None:
            progress(before + done, len(points) + chosen)

    def climb(start: int, stop: int) -> None:
        for number in range(start, stop):
            climbs[number] = landscape.climb(points[number])

    run_in_parts(climb, len(points), 1, threads=threads, progress=tell)
    order = sorted(climbs, key=lambda number: (-landscape.worth_of(climbs[number]), number))

    def go_on(start: int, stop: int) -> None:
        for number in order[start:stop]:
            generator = _generator(plan.seed, number, _GOING_ON)
            climbs[number] = landscape.go_on(climbs[number], generator)

    run_in_parts(
        go_on, chosen, 1, threads=threads, progress=lambda done, size: tell(done, size, len(points))
    )
    return [climbs[number] for number in range(len(points))]


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
    """Return what is maximised: the score, less what regularisation takes off."""
    gap = weights - space.start
    return problem.sign * score - plan.regularise * float(gap @ gap)


def _generator(seed: int, number: int, purpose: int) -> np.random.Generator:
    """Return the random numbers of one start, for one purpose."""
    return np.random.Generator(np.random.Philox(key=[seed % 2**64, 2 * number + purpose]))


class _Landscape:
    """A problem, where its weights may go and what is worth climbing."""

    def __init__(self, problem: Problem, space: WeightSpace, plan: MertPlan) -> None:
        self.problem, self.space, self.plan = problem, space, plan
        self._search = LineSearch(problem)
        self._spreads = _spreads(problem)
        # Constant features change no choice.
        dense = len(problem.nbest.names)
        self._axes = np.flatnonzero((self._spreads > 0) & space.free[:dense])

    def climb(self, point: Reals) -> Climb:
        """Go up from a point until no coordinate gains."""
        climber = _Climber(self, point)
        start_score = climber.score
        while self._along_axes(climber):
            pass
        return Climb(point, start_score, climber.weights, climber.score, climber.searches)

    def go_on(self, climb: Climb, generator: np.random.Generator) -> Climb:
        """Go further up than a climb did, along random directions too, until none gains."""
        climber = _Climber(self, climb.weights)
        while self._along_random(climber, generator):
            while self._along_axes(climber):
                pass
        return replace(
            climb,
            weights=climber.weights,
            score=self.problem.score(climber.weights),
            searches=climb.searches + climber.searches,
        )

    def _along_axes(self, climber: _Climber) -> bool:
        """Try every coordinate, the one that gains most first; return whether any gained."""
        axes = [self._direction(np.array([axis]), np.ones(1)) for axis in self._axes]
        steps = [climber.look(axis) for axis in axes]
        order = sorted(range(len(axes)), key=lambda at: -steps[at].gain)
        gained = False
        for at in order:
            if not steps[at].gain > 0:
                break
            # After a first step the others must be looked at again.
            step = climber.look(axes[at]) if gained else steps[at]
            gained |= climber.go(axes[at], step)
        return gained

    def _along_random(self, climber: _Climber, generator: np.random.Generator) -> bool:
        """Try random directions until too many have failed; return whether any gained.

        Each moves a few weights only, by Gaussian steps in units of their features' spread.
        """
        gained = False
        failed = 0
        few = min(_TOGETHER, len(self._axes))
        while failed < self.plan.directions and few > 1:
            chosen = generator.choice(self._axes, few, replace=False)
            sizes = generator.normal(size=few) / self._spreads[chosen]
            direction = self._direction(chosen, sizes)
            if climber.go(direction, climber.look(direction)):
                gained, failed = True, 0
            else:
                failed += 1
        return gained

    def _direction(self, axes: NDArray[np.int64], sizes: Reals) -> Reals:
        direction = np.zeros(len(self.space.names))
        direction[axes] = sizes
        return direction

    def random_point(self, generator: np.random.Generator) -> Reals:
        """Return a random start: the free weights drawn anew, within their bounds."""
        space = self.space
        point = space.start.copy()
        axes = self._axes
        if space.random_low is not None and space.random_high is not None:
            point[axes] = generator.uniform(space.random_low[axes], space.random_high[axes])
        elif len(axes):
            # As large as the given weights are, counted in what a feature's spread makes of them.
            spreads = self._spreads[axes]
            size = np.sqrt(np.mean((space.start[axes] * spreads) ** 2)) or 1.0
            point[axes] = generator.normal(size=len(axes)) * size / spreads
        point = np.clip(point, space.low, space.high)
        return point if point.any() else space.start

    def step(self, weights: Reals, scores: Reals, direction: Reals) -> Step:
        """Return the best step from some weights, whose scores are given, in a direction."""
        plan, space, nbest = self.plan, self.space, self.problem.nbest
        moving = np.flatnonzero(direction)
        alone = len(moving) == 1 and direction[moving[0]] == 1.0
        slopes = nbest.features[:, moving[0]] if alone else nbest.scores(direction)
        surface = self._search.surface(scores, slopes)
        values = smoothed(self.problem.sign * surface.scores, plan.smoothing, plan.window)
        to_low = (space.low - weights)[moving] / direction[moving]
        to_high = (space.high - weights)[moving] / direction[moving]
        length = np.sqrt((weights @ weights) / (direction @ direction))
        penalty = None
        if plan.regularise > 0:
            gap = weights - space.start
            curve = np.array([direction @ direction, 2 * (gap @ direction), gap @ gap])

            def penalty(places: Reals) -> Reals:
                return np.asarray(plan.regularise * np.polyval(curve, places))

        return best_step(
            surface.breakpoints,
            values,
            float(np.minimum(to_low, to_high).max()),
            float(np.maximum(to_low, to_high).min()),
            float(length),
            penalty,
        )

    def worth(self, weights: Reals, score: float) -> float:
        """Return what is maximised."""
        return _worth(self.problem, self.space, self.plan, weights, score)

    def worth_of(self, climb: Climb) -> float:
        """Return the worth of what a climb reached."""
        return self.worth(climb.weights, climb.score)


class _Climber:
    """One climb: where it stands and what that is worth."""

    def __init__(self, landscape: _Landscape, point: Reals) -> None:
        self._landscape = landscape
        self._smooths = landscape.plan.smoothing != "none"
        self.searches = 0
        self.weights, self._scores, self.score = self._evaluated(point)
        # What a smoothed surface says of a point depends on the line, so the first step counts.
        self._worth = -np.inf if self._smooths else landscape.worth(point, self.score)

    def _evaluated(self, weights: Reals) -> tuple[Reals, Reals, float]:
        scores = self._landscape.problem.nbest.scores(weights)
        return weights, scores, self._landscape.problem.score_of_scores(scores)

    def look(self, direction: Reals) -> Step:
        """Return the best step in a direction."""
        self.searches += 1
        return self._landscape.step(self.weights, self._scores, direction)

    def go(self, direction: Reals, step: Step) -> bool:
        """Take a step if it gains where it really leads; return whether it did.

        A smoothed surface is taken at its word, but steps must lead ever higher on it, lest the
        climb go round in circles.
        """
        if step.gain <= 0:
            return False
        space = self._landscape.space
        weights = np.clip(self.weights + step.place * direction, space.low, space.high)
        if not 0 < np.abs(weights).max() <= _FARTHEST:
            return False
        reached = self._evaluated(weights)
        worth = step.worth if self._smooths else self._landscape.worth(weights, reached[2])
        if worth <= self._worth + _LEAST * max(1.0, abs(worth)):
            return False
        self.weights, self._scores, self.score = reached
        self._worth = worth
        return True


def _spreads(problem: Problem) -> Reals:
    """Return the standard deviation of each dense feature within segments, 0 if constant."""
    nbest = problem.nbest
    counts = np.diff(nbest.offsets)
    starts = nbest.offsets[:-1]
    spreads = np.zeros(len(nbest.names))
    for column in range(len(spreads)):
        values = nbest.features[:, column]
        offset = values - np.repeat(values[starts], counts)
        if offset.any():
            offset -= np.repeat(np.add.reduceat(offset, starts) / counts, counts)
            spreads[column] = np.sqrt(np.mean(offset**2))
    return spreads

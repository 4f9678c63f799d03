"""Minimum error rate training: line searches from many starts, the best of which are annealed.

Och 2003 climbs along coordinates from random starts and so ends on one of very many local
optima. Annealing (Kirkpatrick et al. 1983) along lines (hit-and-run: Smith 1984; Romeijn & Smith
1994) goes on from there: line search knows the score of every interval of a line, so that the next
point can be drawn from all of them, the good ones more often the lower the temperature.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from weigh.engine.threads import Progress, run_in_parts
from weigh.errors import UsageError
from weigh.tuning.linesearch import LineSearch, Outlook, Scored, Smoothing, smoothed
from weigh.tuning.problem import Problem
from weigh.tuning.weights import WeightSpace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.tuning.nbest import NBest, Reals

# A smaller gain, relative to the score, may be rounding.
_LEAST = 1e-11
# So many steps of a line are tried where rounding belies the best one.
_TRIES = 20
# A random direction moves along so many axes: fewer than all, so that there is a fair chance that
# none of them leads the wrong way, and that its slopes are cheap to compute.
_TOGETHER = 3
# One in so many climbs, the best ones, is annealed.
_CHOSEN = 6
# The first and the last temperature, in units of what one segment's change of candidate makes.
_HOTTEST, _COLDEST = 2.0, 0.6
# Annealing looks along each line as far as the weight vector is long, or down to such a share of
# it: short ways are cheap, long ones cross valleys.
_NEAREST = 0.1
# Most candidates are best nowhere near: those that are at one of so many points around are all
# that annealing looks at, and are chosen anew so many times. Of short lists it looks at all.
_AROUND, _CHANGES = 50, 4
_SHORT = 10_000
# Features that tell the same apart but for this share of their variance are one.
_LEAST_VARIANCE = 1e-3
# Weights do not go further, lest scores overflow.
_FARTHEST = 1e100
# What random numbers are drawn for.
_STARTING, _GOING_ON = 0, 1


@dataclass(frozen=True, slots=True)
class MertPlan:
    """How to search.

    `starts` counts the given start, then further points (such as the last optimum), then random
    ones. The best sixth of what is reached from them along coordinates is then annealed along
    so many `directions` for every feature. `regularise` takes off so many points of the metric
    per squared distance from the start.
    """

    starts: int = 20
    directions: int = 130
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
    landscape = Landscape(problem, space, plan, Terrain.of(problem, space))
    points = [space.start, *further][: plan.starts]
    points += [
        landscape.random_point(_generator(plan.seed, number, _STARTING))
        for number in range(len(points), plan.starts)
    ]
    climbs: dict[int, Climb] = {}
    chosen = -(-len(points) // _CHOSEN) if plan.directions else len(points)

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


@dataclass(frozen=True, slots=True)
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
        dense = range(len(nbest.names))
        spreads = np.array([np.sqrt(np.mean(_within_segments(nbest, at) ** 2)) for at in dense])
        moving = np.flatnonzero((spreads > 0) & space.free[: len(dense)])
        apart = [_within_segments(nbest, int(at)) / spreads[at] for at in moving]
        correlations = np.array([[np.mean(a * b) for a in apart] for b in apart])
        principal = np.zeros((len(moving), len(space.names)))
        if len(moving):
            variances, vectors = np.linalg.eigh(correlations)
            scales = np.sqrt(np.maximum(variances, _LEAST_VARIANCE))
            principal[:, moving] = vectors.T / scales[:, None] / spreads[moving]
        return cls(spreads, moving, principal)

    def size(self, weights: Reals) -> float:
        """Return the length of weights in units of their features' spread."""
        return float(np.linalg.norm(weights[: len(self.spreads)] * self.spreads)) or 1.0

    def around(self, point: Reals, number: int, generator: np.random.Generator) -> Reals:
        """Return random points around one, as far from it as annealing looks along a line."""
        points = np.repeat(point[None], number, axis=0)
        steps = generator.normal(size=(number, len(self.moving))) / self.spreads[self.moving]
        away = _reaches(generator, number) * self.size(point) / np.sqrt(len(self.moving))
        points[:, self.moving] += away[:, None] * steps
        return points


def _reaches(generator: np.random.Generator, number: int) -> Reals:
    """Return how far to look, in lengths of the weight vector: of every order of size alike."""
    return np.asarray(_NEAREST ** generator.random(number))


class Landscape:
    """A problem, where its weights may go and what is worth climbing."""

    def __init__(
        self, problem: Problem, space: WeightSpace, plan: MertPlan, terrain: Terrain
    ) -> None:
        self.problem, self.space, self.plan, self.terrain = problem, space, plan, terrain
        self.search = LineSearch(problem)

    @cached_property
    def _axes(self) -> Sequence[Scored]:
        return [self._direction(axis, np.ones(1)) for axis in self.terrain.moving[:, None]]

    @cached_property
    def _principal_axes(self) -> Sequence[Scored]:
        return [self.search.scored(direction) for direction in self.terrain.principal]

    def climb(self, point: Reals) -> Climb:
        """Go up from a point, along every coordinate that gains."""
        climber = Climber(self, point)
        start_score = climber.score
        self._along_axes(climber)
        return Climb(point, start_score, climber.weights, climber.score, climber.searches)

    def go_on(self, climb: Climb, generator: np.random.Generator) -> Climb:
        """Anneal what a climb reached and climb from the best point seen, until nothing gains."""
        climber = Climber(self, self._annealed(climb, generator))
        while self._along_axes(climber):
            pass
        return replace(
            climb,
            weights=climber.weights,
            score=self.problem.score(climber.weights),
            searches=climb.searches + self._steps + climber.searches,
        )

    @property
    def _steps(self) -> int:
        """How many lines annealing goes along; with one feature there is nothing to cross."""
        moving = len(self.terrain.moving)
        return self.plan.directions * moving if moving > 1 else 0

    def _along_axes(self, climber: Climber) -> bool:
        """Try every coordinate, the one that gains most first; return whether any gained."""
        outlooks = [climber.look(axis) for axis in self._axes]
        order = sorted(range(len(outlooks)), key=lambda at: -outlooks[at].gain)
        gained = False
        for at in order:
            if not outlooks[at].gain > 0:
                break
            # After a first step the others must be looked at again.
            outlook = climber.look(self._axes[at]) if gained else outlooks[at]
            gained |= climber.go(self._axes[at], outlook)
        return gained

    def _annealed(self, climb: Climb, generator: np.random.Generator) -> Reals:
        """Let a point wander at a falling temperature; return the best weights on its way.

        On the way only the candidates count that are best somewhere around; what is found that way
        is held against all of them.
        """
        best, highest = climb.weights, self.worth_of(climb)
        unit = self._unit(Climber(self, best)) if self._steps else 0.0
        if not unit > 0:
            return best
        here = best
        temperatures = unit * np.geomspace(_HOTTEST, _COLDEST, self._steps)
        for some in np.array_split(temperatures, _CHANGES):
            near = self._near(here, best, generator)
            climber = Climber(near, best)
            here = near._wander(climber, here, some, generator)
            worth = self.worth(climber.weights, self.problem.score(climber.weights))
            if worth > highest:
                best, highest = climber.weights, worth
        return best

    def _near(self, here: Reals, best: Reals, generator: np.random.Generator) -> Landscape:
        """Return the landscape of the candidates that are best here, or somewhere around."""
        nbest = self.problem.nbest
        if len(nbest) <= _SHORT:
            return self
        points = self.terrain.around(here, _AROUND, generator)
        chosen = np.zeros(len(nbest), dtype=np.bool_)
        for weights in (here, best, *points):
            chosen[nbest.best(weights)] = True
        few = replace(self.problem, nbest=nbest.of(chosen))
        return Landscape(few, self.space, self.plan, self.terrain)

    def _wander(
        self,
        climber: Climber,
        here: Reals,
        temperatures: Reals,
        generator: np.random.Generator,
    ) -> Reals:
        """Go along a random line at each temperature; the climber takes the best on its way.

        Along each line all intervals count alike, whatever their width: high ones are narrow.
        """
        point = self.search.scored(here)
        for temperature in temperatures:
            direction = self._random_direction(generator)
            sizes = self.terrain.size(point.weights), self.terrain.size(direction.weights)
            [reach] = _reaches(generator, 1)
            outlook = climber.look(direction, point, float(reach) * sizes[0] / sizes[1])
            climber.go(direction, outlook, point)
            place = outlook.drawn(temperature, generator.random(), generator.random())
            point = self.search.moved(point, direction, place)
            if not 0 < np.abs(point.weights).max() <= _FARTHEST:
                point = climber.point
        return point.weights

    def _unit(self, climber: Climber) -> float:
        """Return by how much the worth of neighbouring intervals differs, along coordinates.

        The root of the mean square: what one segment's change of candidate makes.
        """
        jumps = [climber.look(axis).jumps() for axis in self._axes]
        return float(np.sqrt(np.mean(np.concatenate(jumps) ** 2))) if any(map(len, jumps)) else 0.0

    def _random_direction(self, generator: np.random.Generator) -> Scored:
        """Return a coordinate, or Gaussian steps along a few coordinates or principal axes.

        Those of coordinates are in units of their features' spread.
        """
        kind = generator.integers(3)
        if kind == 0:
            return self._axes[int(generator.integers(len(self._axes)))]
        if kind == 1:
            few = min(_TOGETHER, len(self.terrain.moving))
            chosen = generator.choice(self.terrain.moving, few, replace=False)
            return self._direction(
                chosen, generator.normal(size=few) / self.terrain.spreads[chosen]
            )
        axes = self._principal_axes
        chosen = generator.choice(len(axes), min(_TOGETHER, len(axes)), replace=False)
        first, *rest = (axes[int(at)] for at in chosen)
        sizes = generator.normal(size=len(chosen))
        direction = Scored(
            sizes[0] * first.weights, sizes[0] * first.scores, abs(sizes[0]) * first.errors
        )
        for size, axis in zip(sizes[1:], rest, strict=True):
            direction = self.search.moved(direction, axis, size)
        return direction

    def _direction(self, axes: NDArray[np.int64], sizes: Reals) -> Scored:
        direction = np.zeros(len(self.space.names))
        direction[axes] = sizes
        return self.search.scored(direction)

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

    def outlook(self, point: Scored, direction: Scored, farthest: float = np.inf) -> Outlook:
        """Return what is to be seen from a point in a direction, no further than `farthest`."""
        plan, space = self.plan, self.space
        moving = np.flatnonzero(direction.weights)
        sizes = direction.weights[moving]
        to_low = (space.low - point.weights)[moving] / sizes
        to_high = (space.high - point.weights)[moving] / sizes
        low = min(0.0, max(-farthest, float(np.minimum(to_low, to_high).max())))
        high = max(0.0, min(farthest, float(np.maximum(to_low, to_high).min())))
        surface = self.search.surface(point, direction, low, high)
        values = smoothed(self.problem.sign * surface.scores, plan.smoothing, plan.window)
        length = np.sqrt((point.weights @ point.weights) / (sizes @ sizes))
        penalty = None
        if plan.regularise > 0:
            gap = point.weights - space.start
            curve = np.array([sizes @ sizes, 2 * (gap @ direction.weights), gap @ gap])

            def penalty(places: Reals) -> Reals:
                return np.asarray(plan.regularise * np.polyval(curve, places))

        return Outlook(surface.breakpoints, values, low, high, float(length), penalty)

    def worth(self, weights: Reals, score: float) -> float:
        """Return what is maximised."""
        return _worth(self.problem, self.space, self.plan, weights, score)

    def worth_of(self, climb: Climb) -> float:
        """Return the worth of what a climb reached."""
        return self.worth(climb.weights, climb.score)


class Climber:
    """One climb: where it stands and what that is worth."""

    def __init__(self, landscape: Landscape, weights: Reals) -> None:
        self._landscape = landscape
        self._smooths = landscape.plan.smoothing != "none"
        self.searches = 0
        self.point, self.score = self._evaluated(weights)
        # What a smoothed surface says of a point depends on the line, so the first step counts.
        self._worth = -np.inf if self._smooths else landscape.worth(weights, self.score)

    @property
    def weights(self) -> Reals:
        """The weights that were reached."""
        return self.point.weights

    def _evaluated(self, weights: Reals) -> tuple[Scored, float]:
        point = self._landscape.search.scored(weights)
        return point, self._landscape.problem.score_of_scores(point.scores)

    def look(
        self, direction: Scored, point: Scored | None = None, farthest: float = np.inf
    ) -> Outlook:
        """Return what is to be seen in a direction from here, or from another point."""
        self.searches += 1
        return self._landscape.outlook(point or self.point, direction, farthest)

    def go(self, direction: Scored, outlook: Outlook, point: Scored | None = None) -> bool:
        """Take the best step if it gains where it really leads; return whether it did.

        A step that leads less high than the surface says, by rounding, does not keep the next
        ones from being tried. A smoothed surface is taken at its word, but steps must lead ever
        higher on it, lest the climb go round in circles.
        """
        space, start = self._landscape.space, (point or self.point).weights
        gained = False
        if not self._is_more(outlook.best):
            return False
        for step in itertools.islice(outlook.better(), _TRIES):
            if not self._is_more(step.worth):
                break
            weights = np.clip(start + step.place * direction.weights, space.low, space.high)
            if not 0 < np.abs(weights).max() <= _FARTHEST:
                continue
            reached, score = self._evaluated(weights)
            worth = step.worth if self._smooths else self._landscape.worth(weights, score)
            if self._is_more(worth):
                self.point, self.score, self._worth = reached, score, worth
                gained = True
        return gained

    def _is_more(self, worth: float) -> bool:
        return worth > self._worth + _LEAST * max(1.0, abs(worth))


def _within_segments(nbest: NBest, column: int) -> Reals:
    """Return a feature's differences from its mean in each segment, exactly 0 if constant."""
    values, starts, counts = nbest.features[:, column], nbest.offsets[:-1], np.diff(nbest.offsets)
    offset = values - np.repeat(values[starts], counts)
    return np.asarray(offset - np.repeat(np.add.reduceat(offset, starts) / counts, counts))

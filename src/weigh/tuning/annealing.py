"""Annealing along random lines: how the search goes on where climbing ends.

Annealing (Kirkpatrick et al. 1983) along lines (hit-and-run: Smith 1984; Romeijn & Smith 1994):
line search knows the score of every interval of a line, so that the next point can be drawn from
all of them, the good ones more often the lower the temperature. Several walkers set out, and of
those that wander in low country ever more give up, so that the others can go further (successive
halving: Jamieson & Talwalkar 2016).

Walkers of one stage are independent, so they can walk on other machines: they travel without their
landscape, which is sent once for all stages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weigh.engine.executors import Shared, spread
from weigh.engine.threads import Progress, after
from weigh.tuning.linesearch import drawn

if TYPE_CHECKING:
    from weigh.tuning.mert import Climber, Landscape
    from weigh.tuning.nbest import Reals

# In each of as many stages so many sixths of the walkers are on the way. All stages take equally
# many lines, so that those who stay go further.
_SIXTHS = (6, 4, 3, 2, 2, 1, 1, 1)
# The first and the last temperature, in units of what one segment's change of candidate makes.
_HOTTEST, _COLDEST = 2.0, 0.6
# Walkers look along each line so far, in lengths of the weight vector, or down to such a share of
# that: short ways are cheap, long ones cross valleys.
_FARTHEST, _NEAREST = 0.4, 0.25
# Most candidates are best nowhere near: those that are at one of so many points around are all
# that a walker looks at in one stage. Of short lists it looks at all.
_AROUND = 30
_SHORT = 10_000
# So many of the best places that a walker saw, the last ones, are held against all candidates.
_RECORDS = 8
# A random direction moves along so many axes: fewer than all, so that there is a fair chance that
# none of them leads the wrong way, and that its slopes are cheap to compute.
_TOGETHER = 3
# So many directions are made at a time, lest those of many features take much memory.
_BLOCK = 128
# Weights do not go further, lest scores overflow.
LARGEST = 1e100
# So many lines are gone along before scores, which carry rounding on, are computed from scratch.
_CARRIED = 64


class _Way(NamedTuple):
    """A random direction: weights, and how much of which axes they are the sum of."""

    direction: Reals
    axes: list[int]
    sizes: list[float]


def walkers_by_stage(count: int) -> list[int]:
    """Number of starts that are still searched in each stage."""
    return [-(-count * sixths // 6) for sixths in _SIXTHS]


def anneal(
    walkers: dict[int, Walker],
    landscape: Shared,
    lines: int,
    unit: float,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[int]:
    """Search along lines from all starts; return the starts that were never stopped.

    Temperatures fall from stage to stage, in units of what one segment's change of candidate makes.
    `walkers` has each as it stands in the end.
    """
    counts = walkers_by_stage(len(walkers))
    bounds = unit * np.geomspace(_HOTTEST, _COLDEST, len(counts) + 1)
    before = 0
    left = list(walkers)
    for count, hottest, coldest in zip(counts, bounds[:-1], bounds[1:], strict=True):
        # The first of equals stay, so that the number of threads changes nothing.
        left = sorted(left, key=lambda number: -walkers[number].altitude)[:count]
        temperatures = np.geomspace(hottest, coldest, lines // len(counts) // count)
        walked = spread(
            _walked,
            [(walkers[number], temperatures) for number in left],
            landscape,
            threads=threads,
            progress=after(before, progress, sum(counts)),
        )
        walkers.update(
            (number, walker.on(landscape.value))
            for number, walker in zip(left, walked, strict=True)
        )
        before += count
    return left


def _walked(landscape: Landscape, task: tuple[Walker, Reals]) -> Walker:
    walker, temperatures = task
    walker.on(landscape).walk(temperatures)
    return walker


class Walker:
    """A point that wanders over a landscape, and a climber that takes the best on its way.

    `altitude` is the mean worth of where it was in the second half of its last walk: what tells
    good country from bad, where the best place seen is partly luck.
    """

    def __init__(
        self, landscape: Landscape, climber: Climber, generator: np.random.Generator
    ) -> None:
        self._landscape = landscape
        self.climber = climber
        self._generator = generator
        self.point = climber.weights
        self.altitude = -np.inf

    def __getstate__(self) -> dict[str, Any]:
        """Travel without the landscape."""
        return {name: value for name, value in vars(self).items() if name != "_landscape"}

    def on(self, landscape: Landscape) -> Walker:
        """Stand on a landscape."""
        self._landscape = landscape
        self.climber.on(landscape)
        return self

    def walk(self, temperatures: Reals) -> None:
        """Go along a random line at each temperature.

        Along each line all intervals count alike, whatever their width: high ones are narrow. On
        the way only the candidates count that are best somewhere around; what is found that way is
        held against all of them.
        """
        if not len(temperatures):
            return
        near = self._near()
        scout = near.climber(self.climber.weights)
        seen = [scout.weights]
        altitudes = []
        weights, size = self.point, near.terrain.size(self.point)
        draws = self._generator.random((len(temperatures), 2)).tolist()
        for number, (way, temperature, draw) in enumerate(
            zip(self._ways(len(temperatures)), temperatures.tolist(), draws, strict=True)
        ):
            if number % _CARRIED == 0:
                point = near.search.scored(weights)
            step = near.axes.along(size * way.direction, way.axes, [size * s for s in way.sizes])
            low, high = near.range_of(weights, step.weights, 1.0)
            surface = near.search.surface(point, step, low, high)
            worths = near.worths(surface, weights, step.weights, low, high)
            if scout.is_more(float(worths.max())):
                outlook = near.outlook_of(surface, weights, step.weights, low, high)
                if scout.go(step.weights, outlook, weights):
                    seen.append(scout.weights)
            at, place = drawn(surface.breakpoints, worths, low, high, temperature, draw)
            altitudes.append(float(worths[at]))
            point = point.moved(step, place)
            size = near.terrain.size(point.weights)
            if not (size <= LARGEST and point.weights.any()):
                point, size = near.search.scored(seen[-1]), near.terrain.size(seen[-1])
            weights = point.weights
        self.point = weights
        self.altitude = float(np.mean(altitudes[len(altitudes) // 2 :]))
        self.climber.searches += len(temperatures)
        self.climber.take(seen[-_RECORDS:])

    def _near(self) -> Landscape:
        """Return the landscape of the candidates that are best here, or somewhere around."""
        landscape, here = self._landscape, self.point
        nbest = landscape.problem.nbest
        if len(nbest) <= _SHORT:
            return landscape
        points = np.array([here, self.climber.weights, *self._points_around(here)])
        chosen = np.zeros(len(nbest), dtype=np.bool_)
        chosen[nbest.best_by(points)] = True
        return landscape.of(nbest.of(chosen))

    def _points_around(self, point: Reals) -> Reals:
        """Return random points around one, as far from it as walkers look along a line."""
        terrain, generator = self._landscape.terrain, self._generator
        points = np.repeat(point[None], _AROUND, axis=0)
        axes = terrain.moving
        steps = generator.normal(size=(_AROUND, len(axes))) / terrain.spreads[axes]
        away = self._reaches(_AROUND) * terrain.size(point) / np.sqrt(len(axes))
        points[:, axes] += away[:, None] * steps
        return points

    def _reaches(self, count: int) -> Reals:
        """Search radius in lengths of the weight vector, uniform over orders of magnitude."""
        return np.asarray(_FARTHEST * _NEAREST ** self._generator.random(count))

    def _ways(self, count: int) -> Iterator[_Way]:
        """Yield random directions, as long as is to be looked along them.

        A third are coordinates, the others Gaussian steps along a few coordinates, in units of
        their features' spread, or along a few principal axes.
        """
        terrain, generator = self._landscape.terrain, self._generator
        axes = len(terrain.moving)
        few = min(_TOGETHER, axes)
        kinds = generator.integers(3, size=count)
        sizes = generator.normal(size=(count, few))
        sizes[kinds == 0, 1:] = 0.0
        chosen = np.empty((count, few), dtype=np.int64)
        for start in range(0, count, _BLOCK):
            part = slice(start, start + _BLOCK)
            ranks = generator.random((len(chosen[part]), axes))
            least = np.argpartition(ranks, few - 1, axis=1)[:, :few]
            order = np.argsort(np.take_along_axis(ranks, least, axis=1), axis=1)
            chosen[part] = np.take_along_axis(least, order, axis=1)
        chosen += np.where(kinds == 2, axes, 0)[:, None]
        reaches = self._reaches(count)
        # The list has coordinates as they are, not in units of their spread.
        units = np.concatenate([1 / terrain.spreads[terrain.moving], np.ones(axes)])
        for start in range(0, count, _BLOCK):
            part = slice(start, start + _BLOCK)
            # Axis by axis and not by a library for matrices: the same on every machine.
            directions = np.zeros((len(chosen[part]), len(self.point)))
            for axis, size in zip(chosen[part].T, sizes[part].T, strict=True):
                directions += size[:, None] * terrain.axes[axis]
            steps = directions[:, : len(terrain.spreads)] * terrain.spreads
            lengths = (reaches[part] / np.sqrt(np.sum(steps**2, 1)))[:, None]
            own = (lengths * sizes[part] * units[chosen[part]]).tolist()
            yield from map(_Way, directions * lengths, chosen[part].tolist(), own)

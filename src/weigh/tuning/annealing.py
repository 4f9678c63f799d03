"""Annealing along random lines, from the optima that coordinate search has reached.

Annealing (Kirkpatrick et al. 1983) along lines (hit-and-run: Smith 1984; Romeijn & Smith 1994):
line search knows the score of every interval of a line, so the next point can be drawn from all of
them, good ones more often the lower the temperature. Starts whose score falls behind are stopped
early, which leaves more lines for the others (successive halving: Jamieson & Talwalkar 2016).

Searches of one stage are independent, so they can run on other machines: they are sent without
their objective, which is sent once for all stages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weigh.engine.executors import Shared, spread
from weigh.engine.threads import Progress, progress_from
from weigh.tuning.linesearch import draw_place

if TYPE_CHECKING:
    from weigh.tuning.mert import CoordinateSearch, Objective
    from weigh.tuning.nbest import Reals

# Sixths of the searches that run in each stage. All stages have the same number of lines, so the
# searches that remain get more of them.
_SIXTHS = (6, 4, 3, 2, 2, 1, 1, 1)
# The first and the last temperature, in units of the effect of one segment's change of candidate.
_HOTTEST, _COLDEST = 2.0, 0.6
# The longest radius of a line, in lengths of the weight vector, and the shortest as a share of it:
# short lines are cheap, long ones leave a local optimum.
_FARTHEST, _NEAREST = 0.4, 0.25
# A stage uses only candidates that are best at one of this many points nearby, and all candidates
# of lists that are no longer than `_SHORT`.
_AROUND = 30
_SHORT = 10_000
# Number of the last best points of a stage that are evaluated on all candidates.
_RECORDS = 8
# A random direction combines this many axes: fewer than all, so that there is a fair chance that
# none of them leads the wrong way, and that its slopes are cheap to compute.
_TOGETHER = 3
# Number of directions made at a time, to limit memory with many features.
_BLOCK = 128
# Largest weight: scores of larger ones could overflow.
LARGEST = 1e100
# Number of lines after which scores are computed from scratch, since each move adds rounding.
_CARRIED = 64


class _Direction(NamedTuple):
    """A random direction: its weights, and the axes and sizes that they are the sum of."""

    weights: Reals
    axes: list[int]
    sizes: list[float]


def searches_by_stage(count: int) -> list[int]:
    """Number of starts that are still searched in each stage."""
    return [-(-count * sixths // 6) for sixths in _SIXTHS]


def anneal(
    searches: dict[int, AnnealedSearch],
    objective: Shared,
    lines: int,
    unit: float,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[int]:
    """Search along lines from all starts; return the starts that were never stopped.

    Temperatures fall from stage to stage; `unit` is the effect of one segment's
    change of candidate. `searches` is updated in place.
    """
    counts = searches_by_stage(len(searches))
    bounds = unit * np.geomspace(_HOTTEST, _COLDEST, len(counts) + 1)
    before = 0
    remaining = list(searches)
    for count, hottest, coldest in zip(counts, bounds[:-1], bounds[1:], strict=True):
        # The first of equals stay, so that the number of threads changes nothing.
        remaining = sorted(remaining, key=lambda number: -searches[number].mean_value)[:count]
        temperatures = np.geomspace(hottest, coldest, lines // len(counts) // count)
        searched = spread(
            _run_part,
            [(searches[number], temperatures) for number in remaining],
            objective,
            threads=threads,
            progress=progress_from(before, progress, sum(counts)),
        )
        searches.update(
            (number, search.attach(objective.value))
            for number, search in zip(remaining, searched, strict=True)
        )
        before += count
    return remaining


def _run_part(objective: Objective, task: tuple[AnnealedSearch, Reals]) -> AnnealedSearch:
    search, temperatures = task
    search.attach(objective).run(temperatures)
    return search


class AnnealedSearch:
    """A search along random lines, with a local search that keeps the best point.

    `mean_value` is the mean of the objective over the second half of the last stage. It shows how
    good a region is; the best point found is partly luck.
    """

    def __init__(
        self, objective: Objective, local: CoordinateSearch, generator: np.random.Generator
    ) -> None:
        self._objective = objective
        self.local = local
        self._generator = generator
        self.point = local.weights
        self.mean_value = -np.inf

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the objective."""
        return {name: value for name, value in vars(self).items() if name != "_objective"}

    def attach(self, objective: Objective) -> AnnealedSearch:
        """Set the objective, which is not pickled."""
        self._objective = objective
        self.local.attach(objective)
        return self

    def run(self, temperatures: Reals) -> None:
        """Move along one random line at each temperature.

        All intervals of a line count the same whatever their width, because good ones are narrow.
        Only candidates that are best somewhere nearby are used; the best points found are then
        evaluated on all candidates.
        """
        if not len(temperatures):
            return
        near = self._nearby()
        local = near.local_search(self.local.weights)
        seen = [local.weights]
        visited = []
        weights, size = self.point, near.scales.size(self.point)
        draws = self._generator.random((len(temperatures), 2)).tolist()
        for number, (direction, temperature, draw) in enumerate(
            zip(self._directions(len(temperatures)), temperatures.tolist(), draws, strict=True)
        ):
            if number % _CARRIED == 0:
                point = near.line_search.score_candidates(weights)
            step = near.axes.along(
                size * direction.weights, direction.axes, [size * s for s in direction.sizes]
            )
            low, high = near.range_of(weights, step.weights, 1.0)
            surface = near.line_search.surface(point, step, low, high)
            values = near.interval_values(surface, weights, step.weights, low, high)
            if local.improves(float(values.max())):
                line = near.line_values_of(surface, weights, step.weights, low, high)
                if local.step(step.weights, line, weights):
                    seen.append(local.weights)
            at, place = draw_place(surface.breakpoints, values, low, high, temperature, draw)
            visited.append(float(values[at]))
            point = point.move(step, place)
            size = near.scales.size(point.weights)
            if not (size <= LARGEST and point.weights.any()):
                point, size = (
                    near.line_search.score_candidates(seen[-1]),
                    near.scales.size(seen[-1]),
                )
            weights = point.weights
        self.point = weights
        self.mean_value = float(np.mean(visited[len(visited) // 2 :]))
        self.local.searches += len(temperatures)
        self.local.adopt_best(seen[-_RECORDS:])

    def _nearby(self) -> Objective:
        """The objective of the candidates that are best at the current point or nearby."""
        objective, here = self._objective, self.point
        nbest = objective.problem.nbest
        if len(nbest) <= _SHORT:
            return objective
        points = np.array([here, self.local.weights, *self._points_around(here)])
        chosen = np.zeros(len(nbest), dtype=np.bool_)
        chosen[nbest.best_by(points)] = True
        return objective.of(nbest.of(chosen))

    def _points_around(self, point: Reals) -> Reals:
        """Random points around a point, within the radius of lines."""
        scales, generator = self._objective.scales, self._generator
        points = np.repeat(point[None], _AROUND, axis=0)
        axes = scales.moving
        steps = generator.normal(size=(_AROUND, len(axes))) / scales.spreads[axes]
        away = self._reaches(_AROUND) * scales.size(point) / np.sqrt(len(axes))
        points[:, axes] += away[:, None] * steps
        return points

    def _reaches(self, count: int) -> Reals:
        """Search radius in lengths of the weight vector, uniform over orders of magnitude."""
        return np.asarray(_FARTHEST * _NEAREST ** self._generator.random(count))

    def _directions(self, count: int) -> Iterator[_Direction]:
        """Yield random directions, as long as the radius of their line.

        A third are coordinates, the others Gaussian steps along a few coordinates, in units of
        their features' spread, or along a few principal axes.
        """
        scales, generator = self._objective.scales, self._generator
        axes = len(scales.moving)
        combined = min(_TOGETHER, axes)
        kinds = generator.integers(3, size=count)
        sizes = generator.normal(size=(count, combined))
        sizes[kinds == 0, 1:] = 0.0
        chosen = np.empty((count, combined), dtype=np.int64)
        for start in range(0, count, _BLOCK):
            part = slice(start, start + _BLOCK)
            ranks = generator.random((len(chosen[part]), axes))
            least = np.argpartition(ranks, combined - 1, axis=1)[:, :combined]
            order = np.argsort(np.take_along_axis(ranks, least, axis=1), axis=1)
            chosen[part] = np.take_along_axis(least, order, axis=1)
        chosen += np.where(kinds == 2, axes, 0)[:, None]
        reaches = self._reaches(count)
        # The list has coordinates as they are, not in units of their spread.
        units = np.concatenate([1 / scales.spreads[scales.moving], np.ones(axes)])
        for start in range(0, count, _BLOCK):
            part = slice(start, start + _BLOCK)
            # Axis by axis and not by a library for matrices: the same on every machine.
            directions = np.zeros((len(chosen[part]), len(self.point)))
            for axis, size in zip(chosen[part].T, sizes[part].T, strict=True):
                directions += size[:, None] * scales.axes[axis]
            steps = directions[:, : len(scales.spreads)] * scales.spreads
            lengths = (reaches[part] / np.sqrt(np.sum(steps**2, 1)))[:, None]
            amounts = (lengths * sizes[part] * units[chosen[part]]).tolist()
            yield from map(_Direction, directions * lengths, chosen[part].tolist(), amounts)

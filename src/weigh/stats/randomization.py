"""The randomization test of all pairs by all metrics: exact where that is cheap, otherwise drawn.

1. A fair coin per unit decides whether the two systems swap their outputs for that unit; d* is the
   resulting difference (Riezler & Maxwell 2005, fig. 1; Noreen 1989).
2. c counts the trials whose difference is at least as extreme as the actual difference D:
   |d*| ≥ |D| two-sided, d* ≥ D for `better`, d* ≤ D for `worse`. Ties count.
3. p = (c + 1)/(T + 1) after T trials. For means of whole numbers, and where few units differ, p is
   instead the exact share among all possible swaps (`weigh.stats.exact`).

Where a conclusion is close, more trials are drawn, up to a million.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.engine.threads import Progress
from weigh.stats.adaptive import AdaptiveTrials, Decision
from weigh.stats.exact import MOST_ENUMERATED, Differences, sign_flips
from weigh.stats.halving import Bounds, Halves, Halving, draw_halves
from weigh.stats.sample import Means, Sample
from weigh.stats.significance import Observed, PairTests

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.stats.resample import Pairs
    from weigh.types import Scores

# For metrics that are not means: most swapped test sets to enumerate, over all pairs.
_MOST_SCORED = 1 << 23


class Randomized(NamedTuple):
    """Outcome by sample: tests and halves (if requested), and numbers of differing units."""

    tests: list[PairTests]
    halves: list[Halves]
    differing: list[NDArray[np.int64]]


def randomization(
    samples: Sequence[Sample],
    pairs: Pairs,
    seed: int,
    *,
    trials: int | None = None,
    decisions: Sequence[Decision] = (),
    tests: bool = True,
    halves: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Randomized:
    """Test pairs by swapping units, and halve the test set by the same draws.

    Drawn p-values use exactly `trials` trials. If that is None, they use as many as it takes until
    all `decisions` are clear, up to a million. `tests` and `halves` select the results to compute.
    """
    halving = Halving(samples, seed)
    chosen = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    outcomes = [
        _Outcome(sample, means, chosen, decisions, trials, tested=tests)
        for sample, means in zip(samples, halving.means, strict=True)
    ]
    all_halves: list[Halves] = []
    while True:
        start, due = _next_stage(outcomes)
        is_first = halves and not all_halves
        if not is_first and not any(map(len, due)):
            break
        stop = outcomes[0].adaptive.stop(start)
        bounds = [outcome.bounds(places) for outcome, places in zip(outcomes, due, strict=True)]
        if is_first:
            counts, all_halves = draw_halves(
                halving, stop, bounds, threads=threads, progress=progress
            )
        else:
            counts = _extreme_counts(halving, bounds, start, stop, threads, progress)
        for outcome, places, added in zip(outcomes, due, counts, strict=True):
            outcome.adaptive.add(places, added, stop)
    return Randomized(
        [outcome.tests() for outcome in outcomes] if tests else [],
        all_halves,
        [outcome.differing for outcome in outcomes],
    )


def _next_stage(outcomes: Sequence[_Outcome]) -> tuple[int, list[NDArray[np.intp]]]:
    """The fewest trials of any pair that needs more, and the pairs with that number by sample."""
    due = [outcome.adaptive.due() for outcome in outcomes]
    trials = [
        outcome.adaptive.trials[places] for outcome, places in zip(outcomes, due, strict=True)
    ]
    start = min((int(counts.min()) for counts in trials if len(counts)), default=0)
    return start, [places[counts == start] for places, counts in zip(due, trials, strict=True)]


def _extreme_counts(
    halving: Halving,
    bounds: Sequence[Bounds],
    start: int,
    stop: int,
    threads: int,
    progress: Progress | None,
) -> list[NDArray[np.int64]]:
    """Count extreme trials from `start` on, for the metrics and systems of these pairs only.

    A coin depends only on the trial and the unit, so leaving out other systems does not change it.
    """
    samples = [s for s, bound in enumerate(bounds) if len(bound.pairs)]
    systems = [np.unique(bounds[s].pairs) for s in samples]
    reduced = Halving(
        [
            halving.samples[s].of_systems(members.tolist())
            for s, members in zip(samples, systems, strict=True)
        ],
        halving.seed,
    )
    renumbered = [
        bounds[s]._replace(pairs=np.searchsorted(members, bounds[s].pairs))
        for s, members in zip(samples, systems, strict=True)
    ]
    counts, _ = draw_halves(
        reduced,
        stop - start,
        renumbered,
        first=start,
        halves=False,
        threads=threads,
        progress=progress,
    )
    result = [np.zeros((0, 3), dtype=np.int64) for _ in bounds]
    for s, counted in zip(samples, counts, strict=True):
        result[s] = counted
    return result


class _Outcome:
    """The pairs of one sample with their exact p-values, or counts from the trials so far."""

    def __init__(
        self,
        sample: Sample,
        means: Means | None,
        pairs: NDArray[np.int64],
        decisions: Sequence[Decision],
        trials: int | None,
        *,
        tested: bool,
    ) -> None:
        self._observed = Observed.of(sample, pairs.tolist(), means)
        self._pairs = pairs
        self._raw = self._observed.sign * self._observed.differences
        # If lower scores are better, a better system has a negative raw difference.
        above, below = ("better", "worse") if self._observed.sign > 0 else ("worse", "better")
        exact = self._exact_p_values(sample, means, tested=tested)
        columns = {"two-sided": 0, above: 1, below: 2}
        self.adaptive = AdaptiveTrials(exact, columns, decisions, trials)

    def _exact_p_values(self, sample: Sample, means: Means | None, *, tested: bool) -> Scores:
        """Exact p-values (two-sided, above, below) or NaN; also sets `differing`."""
        unknown = np.full((len(self._pairs), 3), np.nan if tested else 1.0)
        if means is None:
            self.differing = _differing_rows(sample, self._pairs)
            return self._enumerate_rows(sample, unknown) if tested else unknown
        equal = bool((means.weights == means.weights[0]).all())
        scale = float(means.weights.min())
        values = means.values if equal else means.values * (means.weights / scale)
        slack = 1e-12 * np.abs(values).max(axis=1, initial=0.0) + 4 * means.noise
        differences = Differences.of(values, self._pairs, slack[self._pairs].max(axis=1))
        self.differing = differences.differing
        if not tested:
            return unknown
        flips = sign_flips(
            values,
            self._pairs,
            differences,
            self._observed.tolerance / scale,
            means.noise[self._pairs].max(axis=1),
        )
        return np.column_stack([flips.two_sided, flips.better, flips.worse])

    def _enumerate_rows(self, sample: Sample, p_values: Scores) -> Scores:
        """Enumerate the swaps of pairs that differ in few units."""
        sparse = np.flatnonzero(self.differing <= MOST_ENUMERATED)
        if float((2.0 ** self.differing[sparse]).sum()) > _MOST_SCORED:
            sparse = sparse[self.differing[sparse] <= MOST_ENUMERATED - 3]
        for i in sparse:
            d, slack = self._raw[i], self._observed.tolerance[i]
            swapped = _all_swaps(sample, *self._pairs[i].tolist())
            p_values[i] = (
                np.mean(np.abs(swapped) >= abs(d) - slack),
                np.mean(swapped >= d - slack),
                np.mean(swapped <= d + slack),
            )
        return p_values

    def bounds(self, places: NDArray[np.intp]) -> Bounds:
        """The differences of these pairs, and their tolerances, to compare with trials."""
        return Bounds(self._pairs[places], self._raw[places], self._observed.tolerance[places])

    def tests(self) -> PairTests:
        adaptive, p_values = self.adaptive, self.adaptive.p_values
        return PairTests(
            "randomization",
            adaptive.trials,
            adaptive.exact,
            {name: adaptive.counts[:, column] for name, column in adaptive.columns.items()},
            {name: p_values[:, column] for name, column in adaptive.columns.items()},
            adaptive.is_open,
        )


def _differing_rows(sample: Sample, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each pair, count the units whose rows differ in any run: only their swaps matter."""
    return np.array(
        [np.count_nonzero(_rows_differ(sample, a, b)) for a, b in pairs.tolist()], dtype=np.int64
    )


def _rows_differ(sample: Sample, a: int, b: int) -> NDArray[np.bool_]:
    differs = np.zeros(sample.units, dtype=bool)
    for of_a, of_b in zip(sample.rows[a], sample.rows[b], strict=True):
        differs |= (of_a != of_b).any(axis=1)
    return differs


def _all_swaps(sample: Sample, a: int, b: int) -> Scores:
    """Differences under all possible swaps of the units in which two systems differ."""
    units = np.flatnonzero(_rows_differ(sample, a, b))
    ways = np.arange(1 << len(units))
    swapped = (ways[:, None] >> np.arange(len(units))) & 1
    result = np.zeros(len(ways))
    for part in sample.parts:
        members = np.isin(units, np.arange(sample.units)[part])
        for of_a, of_b in zip(sample.rows[a], sample.rows[b], strict=True):
            change = swapped[:, members] @ (of_b - of_a)[units[members]]
            result += sample.score(of_a[part].sum(axis=0) + change)
            result -= sample.score(of_b[part].sum(axis=0) - change)
    return result / (len(sample.parts) * len(sample.rows[a]))

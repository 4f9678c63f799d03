"""The randomization test of all pairs by all metrics: exact where that is cheap, drawn elsewhere.

1. A fair coin per unit decides whether the two systems exchange that unit; d* is the difference
   that results (Riezler & Maxwell 2005, fig. 1; Noreen 1989).
2. c counts the trials whose difference is at least as extreme as the actual one, D: |d*| ≥ |D|
   two-sided, d* ≥ D for `better`, d* ≤ D for `worse`. Ties count.
3. p = (c + 1)/(T + 1) after T trials. Means of whole numbers, and few differing units, have the
   exact share of all ways to swap instead (`weigh.stats.exact`).

Trials go on where a conclusion is close, up to a million.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.engine.threads import Progress
from weigh.stats.exact import MOST_ENUMERATED, Differences, common_step, sign_flips
from weigh.stats.halving import TRIALS, Bounds, Halves, Halving, draw_halves
from weigh.stats.multiplicity import multipliers, still_open
from weigh.stats.sample import Means, Sample
from weigh.stats.significance import Observed, PairTests

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.stats.resample import Pairs
    from weigh.types import Scores

# T + 1 after each stage; what is still close at the end stays open, and is said.
STAGES = (10_000, 40_000, 160_000, 640_000, 1_000_000)
# Metrics other than means enumerate up to so many swapped test sets over all pairs.
_MOST_SCORED = 1 << 23


class Decision(NamedTuple):
    """What a p-value is held against: α, after an adjustment for a family of `size` comparisons."""

    alternative: str
    alpha: float
    adjust: str = "none"
    size: int = 1


class Randomized(NamedTuple):
    """The outcome by sample: tests, halves if they were asked for, and how many units differ."""

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

    A stated number of `trials` is obeyed where p-values are drawn. Without one, trials go on until
    all `decisions` are clear, or a million is reached. `tests` and `halves` say what is wanted.
    """
    halving = Halving(samples, seed)
    chosen = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    outcomes = [
        _Outcome(sample, means, chosen, exact=tests)
        for sample, means in zip(samples, halving.means, strict=True)
    ]
    stages = [trials + 1] if trials is not None else STAGES
    done = 0
    found: list[Halves] = []
    for stage in stages:
        wanted = [
            outcome.needed(decisions, done, first=done == 0) if tests else outcome.none()
            for outcome in outcomes
        ]
        first = halves and done == 0
        if not first and not any(len(each.pairs) for each in wanted):
            break
        counts, drawn = draw_halves(
            halving,
            stage - 1 - done,
            wanted,
            first=done,
            halves=first,
            most_halved=TRIALS,
            threads=threads,
            progress=progress,
        )
        found = drawn if first else found
        done = stage - 1
        for outcome, added in zip(outcomes, counts, strict=True):
            outcome.add(added, done)
    return Randomized(
        [outcome.tests(decisions) for outcome in outcomes] if tests else [],
        found,
        [outcome.differing for outcome in outcomes],
    )


class _Outcome:
    """The pairs of one sample: exact p-values, or counts of trials so far."""

    def __init__(
        self, sample: Sample, means: Means | None, pairs: NDArray[np.int64], *, exact: bool
    ) -> None:
        self._observed = Observed.of(sample, pairs.tolist(), means)
        self._pairs = pairs
        self._raw = self._observed.sign * self._observed.differences
        self._p = np.full((len(pairs), 3), np.nan)  # exact ones: two-sided, above, below
        self._counts = np.zeros((len(pairs), 3), dtype=np.int64)
        self._trials = np.zeros(len(pairs), dtype=np.int64)
        self._last = np.empty(0, dtype=np.intp)
        if means is None:
            self.differing = _differing_rows(sample, pairs)
            if exact:
                self._enumerate_rows(sample)
            return
        equal = bool((means.weights == means.weights[0]).all())
        scale = float(means.weights.min())
        values = means.values if equal else means.values * (means.weights / scale)
        slack = 1e-12 * float(np.abs(values).max(initial=0.0)) + 4 * means.noise
        differences = Differences.of(values, pairs, slack)
        self.differing = differences.differing
        if exact:
            flips = sign_flips(
                values,
                pairs,
                differences,
                common_step(values, means.noise),
                self._observed.tolerance / scale,
            )
            self._p = np.column_stack([flips.two_sided, flips.better, flips.worse])

    def _enumerate_rows(self, sample: Sample) -> None:
        """Score all ways to swap the few units in which pairs differ."""
        few = np.flatnonzero(self.differing <= MOST_ENUMERATED)
        if float((2.0 ** self.differing[few]).sum()) > _MOST_SCORED:
            few = few[self.differing[few] <= MOST_ENUMERATED - 3]
        for i in few:
            d, slack = self._raw[i], self._observed.tolerance[i]
            swapped = _all_swaps(sample, *self._pairs[i].tolist())
            self._p[i] = (
                np.mean(np.abs(swapped) >= abs(d) - slack),
                np.mean(swapped >= d - slack),
                np.mean(swapped <= d + slack),
            )

    @property
    def _exact(self) -> NDArray[np.bool_]:
        return np.asarray(~np.isnan(self._p[:, 0]))

    def _p_values(self) -> Scores:
        """P-values so far, pairs × 3; 1 where no trial has been drawn."""
        drawn = (self._counts + 1) / (self._trials + 1)[:, None]
        return np.where(self._exact[:, None], self._p, drawn)

    def _column(self, alternative: str) -> int:
        """Return the column of an alternative: where small is good, a better system lies below."""
        if alternative == "two-sided":
            return 0
        return 1 if (alternative == "better") == (self._observed.sign > 0) else 2

    def none(self) -> Bounds:
        """Ask for no trials."""
        self._last = np.empty(0, dtype=np.intp)
        return self._bounds()

    def needed(self, decisions: Sequence[Decision], done: int, *, first: bool) -> Bounds:
        """Return what further trials are held against: the pairs that are still open."""
        chosen = ~self._exact if first else self._open(decisions) & (self._trials == done)
        self._last = np.flatnonzero(chosen)
        return self._bounds()

    def _bounds(self) -> Bounds:
        some = self._last
        return Bounds(self._pairs[some], self._raw[some], self._observed.tolerance[some])

    def add(self, counts: NDArray[np.int64], done: int) -> None:
        """Add the counts of the trials that were asked for last."""
        self._counts[self._last] += counts
        self._trials[self._last] = done

    def _open(self, decisions: Sequence[Decision]) -> NDArray[np.bool_]:
        p_values = self._p_values()
        result = np.zeros(len(p_values), dtype=bool)
        drawn = ~self._exact & (self._trials > 0)
        if not drawn.any():
            return result
        for alternative, alpha, adjust, size in decisions:
            column = self._column(alternative)
            p = p_values[:, column]
            factors = multipliers(p, adjust, size)
            result[drawn] |= still_open(
                p[drawn], self._counts[drawn, column], self._trials[drawn], alpha, factors[drawn]
            )
        return result

    def tests(self, decisions: Sequence[Decision]) -> PairTests:
        """Return the outcome."""
        p_values = self._p_values()
        columns = {name: self._column(name) for name in ("two-sided", "better", "worse")}
        return PairTests(
            "randomization",
            self._trials,
            self._exact,
            {name: self._counts[:, column] for name, column in columns.items()},
            {name: p_values[:, column] for name, column in columns.items()},
            self._open(decisions),
        )


def _differing_rows(sample: Sample, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the units that a swap changes: those whose rows differ in any run."""
    return np.array(
        [np.count_nonzero(_rows_differ(sample, a, b)) for a, b in pairs.tolist()], dtype=np.int64
    )


def _rows_differ(sample: Sample, a: int, b: int) -> NDArray[np.bool_]:
    differs = np.zeros(sample.units, dtype=bool)
    for of_a, of_b in zip(sample.rows[a], sample.rows[b], strict=True):
        differs |= (of_a != of_b).any(axis=1)
    return differs


def _all_swaps(sample: Sample, a: int, b: int) -> Scores:
    """Return the differences of all ways to swap the units in which two systems differ."""
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

"""Random halvings of a test set: the same draws for the test, the interval and the standard error.

A trial tosses a fair coin for each unit, which splits the units into a half S and its complement
Sᶜ. Everything is computed from each system's sums of rows over S:

- The randomization test swaps two systems on Sᶜ. Their sums become P_a + (T_b − P_b) and
  P_b + (T_a − P_a), where P is the sum over S and T the sum over all units.
- δ(S) and δ(Sᶜ) are the differences between the two systems on each half. Each end of the interval
  lies where only a share 1 − level of the trials has a half beyond it (Hartigan 1969). For means,
  the interval is the set of values that the randomization test does not reject.
- The distances between δ(S) and δ(Sᶜ) give the standard error.

A coin depends only on the seed, the trial and the unit. All systems, pairs and metrics share the
coins, so results do not depend on threads, blocks or other systems.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weigh._core import extreme_counts, halving_ends
from weigh.engine.executors import executor
from weigh.engine.threads import Progress, run_in_parts
from weigh.stats.resample import (
    BLOCK,
    Scratch,
    Stack,
    block_size,
    pseudo_differences,
    spread_ranges,
)
from weigh.stats.sample import Means, Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Rows, Scores

    PairArray = NDArray[np.int64]

# Number of trials for intervals, and in the first stage of a test.
TRIALS = 9_999
# With at most this many units, all splits are enumerated.
_MOST_SPLIT = 11


class Bounds(NamedTuple):
    """Pairs with their differences D, with which trials are compared, and tolerances for ties."""

    pairs: PairArray
    differences: Scores
    tolerance: Scores


class _Sizes(NamedTuple):
    """Rows in the form of a sample, such as the units' sizes, to be stacked with other samples."""

    rows: tuple[tuple[Rows, ...], ...]


@dataclass(frozen=True, slots=True)
class Halves:
    """Scores of both halves of every trial, for the systems of one sample.

    `first` and `second` are systems × trials. For means, the `base` of the trial is subtracted
    (`weigh.stats.sample.Means`). `lost` counts the trials that were left out because a half was
    empty or had no score; they count as infinitely wide. If `complete`, the trials are all possible
    splits. `fewest_units` is the size of the smallest stratum, None without strata. `covariance` is
    that of the systems' scores over test sets of this size, systems × systems.
    """

    first: Scores
    second: Scores
    base: tuple[Scores, Scores]
    lost: int
    complete: bool
    covariance: Scores
    fewest_units: int | None = None

    def standard_errors(self, pairs: PairArray) -> Scores:
        variance_of = np.diagonal(self.covariance)
        a, b = pairs.T
        variances = variance_of[a] + variance_of[b] - 2 * self.covariance[a, b]
        return np.asarray(np.sqrt(np.maximum(variances, 0.0)))

    def difference_ends(self, pairs: PairArray, level: float) -> Scores:
        """Ends of each pair's interval, pairs × 2; NaN where there is none."""
        k = self._place(1 - level)
        if k is None:
            return np.full((len(pairs), 2), np.nan)
        return halving_ends(self.first, self.second, pairs, k)

    def lower_bounds(self, pairs: PairArray, level: float) -> Scores:
        """One-sided lower bound of each pair's difference; NaN where there is none.

        The values below it are those that the one-sided test "better" rejects. For that test, a
        trial is extreme if the difference on the complement does not exceed the value.
        """
        k = self._place(1 - level, ordered=True)
        if k is None:
            return np.full(len(pairs), np.nan)
        if not self.complete:
            return halving_ends(self.second, self.second, pairs, k)[:, 0]
        both = np.concatenate([self.first, self.second], axis=1)  # each split in both orders
        return halving_ends(both, both, pairs, k)[:, 0]

    def score_ends(self, level: float) -> Scores:
        """Ends of the interval of each system's score, systems × 2."""
        systems, trials = self.first.shape
        k = self._place(1 - level)
        if k is None:
            return np.full((systems, 2), np.nan)
        # The difference to an imaginary system whose score is always 0.
        zero = np.zeros((1, trials))
        first = np.concatenate([self.first + self.base[0], zero])
        second = np.concatenate([self.second + self.base[1], zero])
        pairs = np.array([(a, systems) for a in range(systems)], dtype=np.int64)
        return halving_ends(first, second, pairs, k)

    def _place(self, alpha: float, *, ordered: bool = False) -> int | None:
        """Rank k of the trial value at which an interval ends, from the outside; None if none."""
        if self.fewest_units is not None and self.fewest_units - 1 < math.log2((1 - 1e-9) / alpha):
            return None  # the smallest stratum alone would have no interval
        trials = self.first.shape[1] + self.lost
        orders = 2 if ordered and self.complete else 1
        if self.complete:
            k = math.floor(alpha * trials * orders + 1e-9) + 1
            # A split with an empty half is beyond every value (in one of its two orders).
            k -= self.lost
        else:
            k = math.floor(alpha * (trials + 1) + 1e-9) - self.lost
        return k if 1 <= k <= self.first.shape[1] * orders else None


def fewest_units(level: float, *, two_sided: bool = True) -> int:
    """The smallest number of units for which there is an interval.

    >>> fewest_units(0.95), fewest_units(0.99), fewest_units(0.95, two_sided=False)
    (6, 8, 5)
    """
    return math.ceil(math.log2((1 - 1e-9) / (1 - level))) + (1 if two_sided else 0)


class Drawn(NamedTuple):
    """Outcome of a block of trials by sample: counts of extreme trials, and scores of the halves.

    `counts` are pairs × 3 (two-sided, above, below). `halves` are 3 × systems × trials: the scores
    of the first half, those of the second, and the weighted distance of the two. `bases` are the
    same for the base of means.
    """

    counts: list[NDArray[np.int64]]
    halves: list[Scores]
    bases: list[Scores]
    lost: NDArray[np.bool_]


class Halving:
    """Samples with the same units, whose trials share their coins."""

    def __init__(self, samples: Sequence[Sample], seed: int) -> None:
        self.samples = tuple(samples)
        self.seed = seed
        self.means: list[Means | None] = [sample.means() for sample in samples]
        self._scratch = Scratch()
        self._lock = threading.Lock()
        self._stacks: list[Stack] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"samples": self.samples, "seed": self.seed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    @property
    def units(self) -> int:
        return self.samples[0].units

    @property
    def stacks(self) -> list[Stack]:
        """The columns of all samples for each stratum, stacked on first use."""
        with self._lock:
            if self._stacks is None:
                rows = [*map(self._rows_to_stack, self.samples, self.means), self._sizes()]
                self._stacks = [Stack.of(rows, part) for part in self.samples[0].parts]
            return self._stacks

    @staticmethod
    def _rows_to_stack(sample: Sample, means: Means | None) -> Sample | _Sizes:
        """The rows to sum; for means, one column per system and one for their base."""
        if means is None:
            return sample
        values = [*means.values, means.base]
        if not means.noise.any():
            values = [column.astype(np.int64) for column in values]
        return _Sizes(tuple((column[:, None],) for column in values))

    def _sizes(self) -> _Sizes:
        return _Sizes(((self.samples[0].unit_sizes[:, None],),))

    def draw(
        self,
        start: int,
        stop: int,
        bounds: Sequence[Bounds | None],
        *,
        halves: bool,
        coins: NDArray[np.int64] | None = None,
    ) -> Drawn:
        """Run trials `start` to `stop`, with random coins or with `coins`, trials × units."""
        trials = stop - start
        sums = []
        for stream, (stack, part) in enumerate(
            zip(self.stacks, self.samples[0].parts, strict=True)
        ):
            sums.append(
                stack.swapped_sums(self.seed, stream, start, trials, 1)
                if coins is None
                else stack.chosen_sums(coins[:, part])
            )
        lost = np.zeros(trials, dtype=bool)
        halved, bases = self._halves(sums, lost) if halves else ([], [])
        counts = [
            np.zeros((0, 3), dtype=np.int64) if bound is None else self._count(s, bound, sums)
            for s, bound in enumerate(bounds)
        ]
        return Drawn(counts, halved, bases, lost)

    def _halves(
        self, sums: Sequence[dict[str, Rows]], lost: NDArray[np.bool_]
    ) -> tuple[list[Scores], list[Scores]]:
        """Score both halves of every trial; mark trials as `lost` if a half has no score."""
        stacks, strata = self.stacks, len(self.stacks)
        halves = [np.zeros((3, len(sample.names), len(lost))) for sample in self.samples]
        bases = [np.zeros((3, 0 if means is None else len(lost))) for means in self.means]
        for stack, chosen, units in zip(stacks, sums, self.samples[0].sizes(), strict=True):
            at = len(self.samples)
            inside = stack.pick(chosen, at, 1, 0, self._scratch)[0, :, 0].copy()
            whole = float(stack.pick(stack.totals, at, 1, 0, self._scratch)[0, 0, 0])
            empty = (inside == 0) | (inside == whole)
            weight = np.sqrt(inside * (whole - inside)) / whole
            if strata == 1:
                lost |= empty
            elif units > 1:
                # An empty half shows no spread; the other splits are weighted up to compensate.
                weight /= math.sqrt(1 - 2.0 ** (1 - units))
            for s, (sample, means) in enumerate(zip(self.samples, self.means, strict=True)):
                systems, runs = len(sample.names), len(sample.rows[0])
                if means is None:
                    for run in range(runs):
                        first, second = self._half_scores(s, stack, chosen, run)
                        halves[s] += _with_distance(first, second, weight, empty) / (strata * runs)
                    continue
                total = stack.pick(stack.totals, s, systems + 1, 0, self._scratch)[..., 0].copy()
                heads = stack.pick(chosen, s, systems + 1, 0, self._scratch)[..., 0]
                with np.errstate(all="ignore"):
                    first = heads / (inside * runs * strata)
                    second = (total - heads) / ((whole - inside) * runs * strata)
                if _is_plain(sample, means):  # needs no distances
                    halves[s][:2], bases[s][:2] = (first[:-1], second[:-1]), (first[-1], second[-1])
                    continue
                both = _with_distance(first, second, weight, empty)
                halves[s] += both[:, :-1]
                bases[s] += both[:, -1]
        if strata > 1:
            self._centre(halves, bases)
        for scores in halves:
            lost |= ~np.isfinite(scores).all(axis=(0, 1))
        return halves, bases

    def _centre(self, halves: Sequence[Scores], bases: Sequence[Scores]) -> None:
        """Place both half scores of stratified samples at their distance from the actual scores.

        Raw half scores would vary too much, because the halves of small strata are unequal. Their
        weighted distance has the variance of the score itself, with units − strata degrees of
        freedom. It is widened to the spread of Student's t with that many.
        """
        freedom = max(3, self.units - len(self.stacks))
        sides = math.sqrt(freedom / (freedom - 2)) * np.array([1.0, -1.0])
        for sample, means, both, base in zip(self.samples, self.means, halves, bases, strict=True):
            if means is None:
                scores = sample.scores()
            else:
                scores = means.values @ means.weights
                base[:2] = float(means.base @ means.weights) + np.multiply.outer(sides, base[2])
            both[:2] = scores[:, None] + np.multiply.outer(sides, both[2])

    def _half_scores(
        self, s: int, stack: Stack, chosen: dict[str, Rows], run: int
    ) -> tuple[Scores, Scores]:
        sample, systems = self.samples[s], len(self.samples[s].names)
        total = stack.pick(stack.totals, s, systems, run, self._scratch).copy()
        heads = stack.pick(chosen, s, systems, run, self._scratch)
        with np.errstate(all="ignore"):
            first = np.array(sample.metric.score(heads))
            second = np.array(sample.metric.score(total - heads))
        return first, second

    def _count(self, s: int, bounds: Bounds, sums: Sequence[dict[str, Rows]]) -> NDArray[np.int64]:
        """Count the trials whose swapped differences are as extreme as the actual ones."""
        sample, means = self.samples[s], self.means[s]
        pairs, d, slack = bounds
        if means is None:
            swapped = pseudo_differences(
                sample, s, self.stacks, sums, pairs.tolist(), self._scratch
            )
            return np.column_stack(
                [
                    np.count_nonzero(np.abs(swapped) >= (np.abs(d) - slack)[:, None], axis=1),
                    np.count_nonzero(swapped >= (d - slack)[:, None], axis=1),
                    np.count_nonzero(swapped <= (d + slack)[:, None], axis=1),
                ]
            )
        systems = len(sample.names)
        scores = np.zeros((systems, len(next(iter(sums[0].values())))))
        for stack, chosen, part in zip(self.stacks, sums, sample.parts, strict=True):
            weight = means.weights[part][0]
            scores += weight * stack.pick(chosen, s, systems, 0, self._scratch)[..., 0]
        # The swapped difference is 2 (P_a − P_b) minus the actual difference.
        limits = np.column_stack([d, d - slack, d + slack, np.abs(d) - slack]) / 2
        return extreme_counts(scores, pairs, limits)


def draw_halves(
    halving: Halving,
    trials: int,
    bounds: Sequence[Bounds | None],
    *,
    first: int = 0,
    halves: bool = True,
    most_halved: int = TRIALS,
    threads: int = 0,
    progress: Progress | None = None,
) -> tuple[list[NDArray[np.int64]], list[Halves]]:
    """Run `trials` trials from number `first` on; return extreme counts and halves by sample.

    Halves are kept for the first `most_halved` trials. If there are few units, they are instead all
    possible splits.
    """
    counts = [
        np.zeros((0 if bound is None else len(bound.pairs), 3), dtype=np.int64) for bound in bounds
    ]
    complete = halves and halving.units <= _MOST_SPLIT
    by_draws = halves and not complete
    blocks: list[Drawn] = []
    parts: dict[int, Drawn] = {}
    lock = threading.Lock()

    def collect(start: int, drawn: Drawn) -> None:
        with lock:
            for total, part in zip(counts, drawn.counts, strict=True):
                total += part
            if drawn.halves:
                parts[start] = drawn._replace(counts=[])

    if by_draws or any(bound is not None and len(bound.pairs) for bound in bounds):
        if executor() is not None:
            shared = (halving, tuple(bounds), most_halved if by_draws else 0, first)
            for part in spread_ranges(_drawn_part, trials, shared, progress):
                for start, drawn in part:
                    collect(start, drawn)
        else:

            def work(start: int, stop: int) -> None:
                with_halves = by_draws and start < most_halved
                collect(
                    start, halving.draw(first + start, first + stop, bounds, halves=with_halves)
                )

            run_in_parts(
                work, trials, block_size(trials, threads), threads=threads, progress=progress
            )
        blocks = [parts[start] for start in sorted(parts)]
    if complete:
        blocks = [_all_splits(halving)]
    if not halves:
        return counts, []
    return counts, [
        _join_blocks(halving, s, blocks, None if complete else most_halved)
        for s in range(len(halving.samples))
    ]


def _drawn_part(
    shared: tuple[Halving, Sequence[Bounds | None], int, int], part: tuple[int, int]
) -> list[tuple[int, Drawn]]:
    halving, bounds, halved, offset = shared
    start, stop = part
    return [
        (
            at,
            halving.draw(offset + at, offset + min(at + BLOCK, stop), bounds, halves=at < halved),
        )
        for at in range(start, stop, BLOCK)
    ]


def _all_splits(halving: Halving) -> Drawn:
    """All splits of the units; the last unit is always in the second half."""
    ways = np.arange(1 << (halving.units - 1))
    coins = (ways[:, None] >> np.arange(halving.units)) & 1
    return halving.draw(0, len(ways), [None] * len(halving.samples), halves=True, coins=coins)


def _join_blocks(halving: Halving, s: int, blocks: Sequence[Drawn], most: int | None) -> Halves:
    """Join the halves of one sample over blocks: the first `most` trials, or all splits (None)."""
    means = halving.means[s]
    is_plain = means is not None and _is_plain(halving.samples[s], means)
    lost = np.concatenate([drawn.lost for drawn in blocks])[:most]
    # Plain means need no distances between halves.
    whole = np.concatenate([drawn.halves[s][: 2 if is_plain else 3] for drawn in blocks], axis=2)
    whole = whole[:, :, :most]
    bases = np.concatenate([drawn.bases[s] for drawn in blocks], axis=1)[:, :most]
    if means is None:
        bases = np.zeros((2, len(lost)))
    if lost.any():
        whole, bases = whole[:, :, ~lost], bases[:, ~lost]
    first, second, *apart = whole
    if means is not None and is_plain:
        covariance = _covariance(means)
    elif first.shape[1]:
        covariance = apart[0] @ apart[0].T / first.shape[1]
    else:
        covariance = np.full((len(first), len(first)), np.nan)
    return Halves(
        np.ascontiguousarray(first),
        np.ascontiguousarray(second),
        (bases[0], bases[1]),
        int(np.count_nonzero(lost)),
        most is None,
        covariance,
        None if len(halving.samples[s].parts) == 1 else halving.samples[s].fewest_units,
    )


def _with_distance(
    first: Scores, second: Scores, weight: Scores, empty: NDArray[np.bool_]
) -> Scores:
    """Stack the scores of both halves and their weighted distance; all are 0 if a half is empty."""
    both = np.where(empty, 0.0, np.stack([first, second]))
    return np.concatenate([both, [weight * (both[0] - both[1])]])


def _is_plain(sample: Sample, means: Means) -> bool:
    """Whether the score is the plain mean of the units."""
    return sample.strata is None and bool((means.sizes == means.sizes[0]).all())


def _covariance(means: Means) -> Scores:
    """Covariance of plain means: the covariance of unit scores divided by their number."""
    scores = means.values / means.sizes
    systems, units = scores.shape
    if units < 2:
        return np.full((systems, systems), np.nan)
    return np.asarray(np.cov(scores).reshape(systems, systems) / units)

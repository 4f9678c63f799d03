"""Scores of resampled test sets: bootstrap samples, and outputs swapped between two systems.

All systems and metrics share the draws: one weight or one coin for each trial and unit. A draw
depends only on the seed, the trial and the unit, so results do not depend on threads or blocks.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from weigh._core import IntegerResampler, RealResampler
from weigh.engine.executors import executor, ranges, spread
from weigh.engine.threads import Progress, available_cores, run_in_parts
from weigh.stats.sample import Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Rows, Scores

    Places = dict[tuple[int, int, int], tuple[str, list[int]]]

# Resamplers and array types, by the kind of number: integer or float.
_RESAMPLERS: Mapping[str, Any] = {"i": IntegerResampler, "f": RealResampler}
_TYPES: Mapping[str, Any] = {"i": np.int64, "f": np.float64}
# With this many units or more, swaps are never enumerated.
_TOO_MANY_TO_ENUMERATE = 64


class HasRows(Protocol):
    """Rows of one sample: for every system one matrix (units × width) per run."""

    @property
    def rows(self) -> tuple[tuple[Rows, ...], ...]:
        """The matrices by system and run."""
        ...


class Scratch(threading.local):
    """Reusable arrays, separate for each thread: allocating new memory is slow."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[np.float64]] = {}

    def take(self, name: str, *shape: int) -> Scores:
        """An array of this shape with arbitrary content."""
        size = math.prod(shape)
        array = self._arrays.get(name)
        if array is None or array.size < size:
            array = self._arrays[name] = np.empty(size)
        return array[:size].reshape(shape)


class Stack:
    """The columns of all samples side by side, for one stratum, with resamplers for them.

    Equal columns, such as the reference lengths of all systems, are stored and summed only once.
    `columns` holds one matrix (columns × units) for each kind of number.
    """

    def __init__(self, places: Places, columns: Mapping[str, Rows]) -> None:
        self._places = places
        # Kept for `chosen_sums`, which is called only if few units make enumeration possible.
        self._columns = {
            kind: matrix
            for kind, matrix in columns.items()
            if matrix.shape[1] < _TOO_MANY_TO_ENUMERATE
        }
        self._resamplers = {kind: _RESAMPLERS[kind](matrix.T) for kind, matrix in columns.items()}
        # The sums over all units, in the form of one trial.
        self.totals: dict[str, Rows] = {
            kind: matrix.sum(axis=1)[None] for kind, matrix in columns.items()
        }

    @staticmethod
    def of(samples: Sequence[HasRows], part: Any) -> Stack:
        """Stack the columns of samples for the units of one stratum."""
        places: Places = {}
        every = [rows for sample in samples for runs in sample.rows for rows in runs]
        units = len(every[0][part])
        # Room for all columns; pages that are never written take no memory.
        columns: dict[str, Rows] = {
            kind: np.empty(
                (sum(rows.shape[1] for rows in every if rows.dtype.kind == kind), units), of
            )
            for kind, of in _TYPES.items()
        }
        used = dict.fromkeys(_TYPES, 0)
        by_sum: dict[tuple[str, float], list[int]] = {}  # only columns of equal sum can be equal
        for s, sample in enumerate(samples):
            for system, runs in enumerate(sample.rows):
                for run, rows in enumerate(runs):
                    kind = rows.dtype.kind
                    stacked = columns[kind]
                    positions = []
                    turned = np.ascontiguousarray(rows[part].T)
                    for column, total in zip(turned, turned.sum(axis=1).tolist(), strict=True):
                        same_sum = by_sum.setdefault((kind, total), [])
                        place = next(
                            (i for i in same_sum if np.array_equal(stacked[i], column)), None
                        )
                        if place is None:
                            place = used[kind]
                            stacked[place] = column
                            used[kind] += 1
                            same_sum.append(place)
                        positions.append(place)
                    places[s, system, run] = (kind, positions)
        return Stack(places, {kind: columns[kind][:count] for kind, count in used.items() if count})

    def bootstrap_sums(self, seed: int, stream: int, first: int, trials: int) -> dict[str, Rows]:
        """Sums over units drawn with replacement, for `trials` trials from number `first` on."""
        return {
            kind: resampler.bootstrap_sums(seed, stream, first, trials)
            for kind, resampler in self._resamplers.items()
        }

    def swapped_sums(
        self, seed: int, stream: int, first: int, trials: int, repeats: int
    ) -> dict[str, Rows]:
        """Sums over the units whose coins show heads; each unit is present `repeats` times."""
        return {
            kind: resampler.swapped_sums(seed, stream, first, trials, repeats)
            for kind, resampler in self._resamplers.items()
        }

    def chosen_sums(self, coins: Rows) -> dict[str, Rows]:
        """Sums over the units that `coins`, trials × units, select."""
        return {kind: coins @ matrix.T for kind, matrix in self._columns.items()}

    def pick(
        self, sums: dict[str, Rows], sample: int, systems: int, run: int, scratch: Scratch
    ) -> Scores:
        """Sums of one run of all systems: systems × trials × width.

        Each column is contiguous in memory, which makes scoring fast. Sums are converted to
        doubles, which represent the integers of any real test set exactly.
        """
        trials = len(next(iter(sums.values())))
        width = len(self._places[sample, 0, run][1])
        picked = scratch.take("picked", systems, width, trials)
        for system in range(systems):
            kind, places = self._places[sample, system, run]
            for column, place in enumerate(places):
                picked[system, column] = sums[kind][:, place]
        return np.moveaxis(picked, 1, -1)


def stacks_of(samples: Sequence[Sample]) -> list[Stack]:
    """One stack per stratum, for samples with the same strata."""
    pooled = [sample.pool_runs() for sample in samples]
    return [Stack.of(pooled, part) for part in samples[0].parts]


Pairs = Sequence[tuple[int, int]]
# Called with the index of a sample, the first trial, and pseudo-differences, pairs × trials.
Consumer = Callable[[int, int, Any], None]

# Most trials computed at a time: enough for efficient kernels, few enough for the cache.
BLOCK = 2048
# Most trials and pairs scored at a time, so that they stay in the processor's fastest cache.
_SCORED_TRIALS = 1024
_SCORED_PAIRS = 16


def block_size(trials: int, threads: int) -> int:
    """Number of trials per block, such that each of several threads gets a few blocks."""
    shares = 1 if threads == 1 else 4 * (threads or available_cores())
    return max(1, min(BLOCK, -(-trials // shares)))


def bootstrap_scores(
    samples: Sequence[Sample],
    trials: int,
    seed: int,
    *,
    stacks: Sequence[Stack] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Scores]:
    """Statistics of bootstrap samples (systems × trials), for every sample.

    A bootstrap sample draws the original number of units with replacement (Koehn 2004 §4), within
    each stratum if there are strata. Pass `stacks` if the samples are already stacked.
    """
    if executor() is not None:
        parts = spread_ranges(_bootstrap_part, trials, _Resampled(samples, seed), progress)
        return [np.concatenate(blocks, axis=1) for blocks in zip(*parts, strict=True)]
    resampled = _Resampled(samples, seed, stacks)
    results = [np.zeros((len(sample.names), trials)) for sample in samples]

    def work(start: int, stop: int) -> None:
        resampled.add_scores(start, stop, [result[:, start:stop] for result in results])

    run_in_parts(work, trials, block_size(trials, threads), threads=threads, progress=progress)
    return results


class _Resampled:
    """Samples to resample; an executor is sent the samples only, and stacks them itself."""

    def __init__(
        self, samples: Sequence[Sample], seed: int, stacks: Sequence[Stack] | None = None
    ) -> None:
        self.samples = [sample.pool_runs() for sample in samples]
        self.seed = seed
        self._stacks = stacks
        self._scratch = Scratch()
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {"samples": self.samples, "seed": self.seed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    @property
    def stacks(self) -> Sequence[Stack]:
        """The columns of the samples, stacked on first use."""
        with self._lock:
            if self._stacks is None:
                self._stacks = stacks_of(self.samples)
            return self._stacks

    def add_scores(self, start: int, stop: int, results: Sequence[Scores]) -> None:
        """Add the statistics of bootstrap samples to arrays of zeros, systems × trials."""
        for stream, stack in enumerate(self.stacks):
            sums = stack.bootstrap_sums(self.seed, stream, start, stop - start)
            for s, sample in enumerate(self.samples):
                systems, runs = len(sample.names), len(sample.rows[0])
                for run in range(runs):
                    scores = sample.score(stack.pick(sums, s, systems, run, self._scratch))
                    results[s] += scores / (len(self.stacks) * runs)

    def differences(
        self, pairs: Pairs, start: int, stop: int, repeats: int
    ) -> Iterator[tuple[int, Scores]]:
        """Yield every sample's pseudo-differences; use each before asking for the next."""
        chosen = [
            stack.swapped_sums(self.seed, stream, start, stop - start, repeats)
            for stream, stack in enumerate(self.stacks)
        ]
        return _differences(self.samples, self.stacks, chosen, pairs, repeats, self._scratch)


def _blocks(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield blocks of a range of trials that are small enough for the cache."""
    for first in range(start, stop, BLOCK):
        yield first, min(first + BLOCK, stop)


def _bootstrap_part(resampled: _Resampled, part: tuple[int, int]) -> list[Scores]:
    start, stop = part
    results = [np.zeros((len(sample.names), stop - start)) for sample in resampled.samples]
    for first, last in _blocks(start, stop):
        block = slice(first - start, last - start)
        resampled.add_scores(first, last, [result[:, block] for result in results])
    return results


Reducer = Callable[[int, "Scores"], Any]
"""Reduces a sample's pseudo-differences of a block of trials to something smaller."""


def _swapped_part(
    shared: tuple[_Resampled, Pairs, int, Reducer | None], part: tuple[int, int]
) -> list[tuple[int, int, Any]]:
    resampled, pairs, repeats, reduce = shared
    reduced = []
    for first, last in _blocks(*part):
        for s, differences in resampled.differences(pairs, first, last, repeats):
            value = differences.copy() if reduce is None else reduce(s, differences)
            reduced.append((s, first, value))
    return reduced


def spread_ranges(
    task: Callable[[Any, tuple[int, int]], Any],
    trials: int,
    shared: Any,
    progress: Progress | None,
) -> list[Any]:
    """Results of a task for ranges of trials, computed by the executor, in order."""

    def report(done: int, parts: int) -> None:
        if progress is not None:
            progress(done * trials // parts, trials)

    return spread(task, ranges(trials), shared, progress=report)


def swapped_differences(
    samples: Sequence[Sample],
    pairs: Pairs,
    trials: int,
    seed: int,
    consume: Consumer,
    *,
    reduce: Reducer | None = None,
    repeats: int = 1,
    stacks: Sequence[Stack] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> None:
    """Pass the differences of pairs whose outputs are swapped by fair coins to `consume`.

    One coin per trial and unit decides, for every pair and all its runs, whether the two systems
    swap their outputs for that unit (Riezler & Maxwell 2005, fig. 1). With `repeats`, each unit is
    present that many times, with a separate coin for each copy. Pass `stacks` if the samples are
    already stacked. `consume` gets the results of `reduce`, if given, instead of differences, so
    that an executor sends back less.
    """
    if executor() is not None:
        shared = (_Resampled(samples, seed), tuple(pairs), repeats, reduce)
        for part in spread_ranges(_swapped_part, trials, shared, progress):
            for s, first, value in part:
                consume(s, first, value)
        return
    resampled = _Resampled(samples, seed, stacks)

    def work(start: int, stop: int) -> None:
        for s, differences in resampled.differences(pairs, start, stop, repeats):
            consume(s, start, differences if reduce is None else reduce(s, differences))

    run_in_parts(work, trials, block_size(trials, threads), threads=threads, progress=progress)


def _differences(
    samples: Sequence[Sample],
    stacks: Sequence[Stack],
    chosen: Sequence[dict[str, Rows]],
    pairs: Pairs,
    repeats: int,
    scratch: Scratch,
) -> Iterator[tuple[int, Scores]]:
    """Yield every sample's pseudo-differences; use each before asking for the next."""
    for s, sample in enumerate(samples):
        yield s, pseudo_differences(sample, s, stacks, chosen, pairs, scratch, repeats)


def pseudo_differences(
    sample: Sample,
    s: int,
    stacks: Sequence[Stack],
    chosen: Sequence[dict[str, Rows]],
    pairs: Pairs,
    scratch: Scratch,
    repeats: int = 1,
) -> Scores:
    """Differences of pairs with swapped outputs, pairs × trials, from sums over chosen units.

    Pseudo-a has a's rows where the coin shows heads and b's elsewhere; pseudo-b has the others. `s`
    is the index of the sample in the stacks. The next call overwrites the returned array.
    """
    trials = len(next(iter(chosen[0].values())))
    together = min(trials, _SCORED_TRIALS)
    systems, runs, width = len(sample.names), len(sample.rows[0]), sample.rows[0][0].shape[1]
    differences = scratch.take("differences", len(pairs), trials)
    differences[:] = 0.0
    space = scratch.take("space", min(len(pairs), _SCORED_PAIRS), width, together)
    for stack, sums in zip(stacks, chosen, strict=True):
        for run, first in product(range(runs), range(0, trials, together)):
            trial_block = slice(first, first + together)
            part = {kind: block[trial_block] for kind, block in sums.items()}
            total = repeats * stack.pick(stack.totals, s, systems, run, scratch)
            heads = stack.pick(part, s, systems, run, scratch)
            tails = np.moveaxis(scratch.take("tails", *np.moveaxis(heads, -1, 1).shape), 1, -1)
            np.subtract(total, heads, out=tails)
            for start in range(0, len(pairs), _SCORED_PAIRS):
                pair_block = slice(start, start + _SCORED_PAIRS)
                pseudo_a = sample.score(_add_pairs(heads, tails, pairs[pair_block], space))
                pseudo_b = sample.score(_add_pairs(tails, heads, pairs[pair_block], space))
                pseudo_a -= pseudo_b
                differences[pair_block, trial_block] += pseudo_a
    differences /= len(stacks) * runs
    return differences


def _add_pairs(of_a: Scores, of_b: Scores, pairs: Pairs, space: Scores) -> Scores:
    """Sums of a plus sums of b for every pair: pairs × trials × width, columns contiguous."""
    trials = of_a.shape[1]
    for i, (a, b) in enumerate(pairs):
        np.add(of_a[a].T, of_b[b].T, out=space[i, :, :trials])
    return np.moveaxis(space[: len(pairs), :, :trials], 1, -1)

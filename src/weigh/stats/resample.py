"""Scores of resampled test sets: bootstrap samples, and outputs swapped between two systems.

All systems and all metrics share the draws: one weight or one coin for each trial and unit. A
draw depends only on the seed, the trial and the unit, so threads and blocks do not matter.
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

# For integers and for real numbers: what resamples them, and as which type.
_RESAMPLERS: Mapping[str, Any] = {"i": IntegerResampler, "f": RealResampler}
_TYPES: Mapping[str, Any] = {"i": np.int64, "f": np.float64}
# Too many units to try all swaps.
_TOO_MANY_TO_ENUMERATE = 64


class HasRows(Protocol):
    """Rows of one sample: for every system one matrix (units × width) per run."""

    @property
    def rows(self) -> tuple[tuple[Rows, ...], ...]:
        """The matrices, by system and run."""
        ...


class Scratch(threading.local):
    """Arrays that are used again, each thread its own: new memory is slow to come by."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[np.float64]] = {}

    def take(self, name: str, *shape: int) -> Scores:
        """Return an array of this shape, whatever it holds."""
        size = math.prod(shape)
        array = self._arrays.get(name)
        if array is None or array.size < size:
            array = self._arrays[name] = np.empty(size)
        return array[:size].reshape(shape)


class Stack:
    """The columns of all samples side by side, for one stratum, with a resampler for them.

    Equal columns, such as the reference lengths of all systems, are summed once. `columns` holds
    one matrix (columns × units) for each kind of number.
    """

    def __init__(self, places: Places, columns: Mapping[str, Rows]) -> None:
        self._places = places
        # Kept for `chosen_sums`, which is asked for where units are few enough to try all swaps.
        self._columns = {
            kind: matrix
            for kind, matrix in columns.items()
            if matrix.shape[1] < _TOO_MANY_TO_ENUMERATE
        }
        self._resamplers = {kind: _RESAMPLERS[kind](matrix.T) for kind, matrix in columns.items()}
        # The sums over all units, as one trial.
        self.totals: dict[str, Rows] = {
            kind: matrix.sum(axis=1)[None] for kind, matrix in columns.items()
        }

    @staticmethod
    def of(samples: Sequence[HasRows], part: Any) -> Stack:
        """Stack the columns of samples, of some units."""
        places: Places = {}
        every = [rows for sample in samples for runs in sample.rows for rows in runs]
        units = len(every[0][part])
        # Room for all columns; what is not used takes no memory.
        columns: dict[str, Rows] = {
            kind: np.empty(
                (sum(rows.shape[1] for rows in every if rows.dtype.kind == kind), units), of
            )
            for kind, of in _TYPES.items()
        }
        used = dict.fromkeys(_TYPES, 0)
        alike: dict[tuple[str, float], list[int]] = {}  # columns that may be equal, by their sum
        for s, sample in enumerate(samples):
            for system, runs in enumerate(sample.rows):
                for run, rows in enumerate(runs):
                    kind = rows.dtype.kind
                    stacked = columns[kind]
                    positions = []
                    turned = np.ascontiguousarray(rows[part].T)
                    for column, total in zip(turned, turned.sum(axis=1).tolist(), strict=True):
                        same = alike.setdefault((kind, total), [])
                        place = next((i for i in same if np.array_equal(stacked[i], column)), None)
                        if place is None:
                            place = used[kind]
                            stacked[place] = column
                            used[kind] += 1
                            same.append(place)
                        positions.append(place)
                    places[s, system, run] = (kind, positions)
        return Stack(places, {kind: columns[kind][:count] for kind, count in used.items() if count})

    def bootstrap_sums(self, seed: int, stream: int, first: int, trials: int) -> dict[str, Rows]:
        """Return the sums over units drawn with replacement, for some trials."""
        return {
            kind: resampler.bootstrap_sums(seed, stream, first, trials)
            for kind, resampler in self._resamplers.items()
        }

    def swapped_sums(
        self, seed: int, stream: int, first: int, trials: int, repeats: int
    ) -> dict[str, Rows]:
        """Sums over units whose coins show heads; each unit is present `repeats` times."""
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
        """Return one run of all systems: systems × trials × width.

        The numbers of one column lie side by side in memory, which makes scoring fast, and are
        doubles: integers of any real test set are exact as such.
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
    """Return a stack for each stratum of samples that have the same ones."""
    pooled = [sample.pool_runs() for sample in samples]
    return [Stack.of(pooled, part) for part in samples[0].parts]


Pairs = Sequence[tuple[int, int]]
# Called with a sample's place, the first trial, and pseudo-differences, pairs × trials.
Consumer = Callable[[int, int, Any], None]

# Trials that are computed together, at most: enough for the core, few enough for the cache.
BLOCK = 2048
# What is scored together should stay in the cache nearest to the processor.
_SCORED_TRIALS = 1024
_SCORED_PAIRS = 16


def block_size(trials: int, threads: int) -> int:
    """Number of trials to compute together, so that each of several threads gets a few blocks."""
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
    """Return, for every sample, the statistics (systems × trials) of bootstrap samples.

    As many units as there are, drawn with replacement (Koehn 2004 §4), within each stratum where
    there are strata. `stacks` are those of the samples, if they were made before.
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
    """Samples to resample, here or by an executor, to which only the samples are sent."""

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
        """The columns of the samples, which are stacked when they are first asked for."""
        with self._lock:
            if self._stacks is None:
                self._stacks = stacks_of(self.samples)
            return self._stacks

    def add_scores(self, start: int, stop: int, results: Sequence[Scores]) -> None:
        """Add the statistics of some bootstrap samples to arrays of zeros, systems × trials."""
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
        """Yield every sample's pseudo-differences of some trials, to be used at once."""
        chosen = [
            stack.swapped_sums(self.seed, stream, start, stop - start, repeats)
            for stream, stack in enumerate(self.stacks)
        ]
        return _differences(self.samples, self.stacks, chosen, pairs, repeats, self._scratch)


def _blocks(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield parts of a range of trials that are small enough for the cache."""
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
"""Turns a sample's pseudo-differences of a block of trials into something smaller."""


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
    """Results of a task on ranges of trials, computed by the executor, in order."""

    def tell(done: int, parts: int) -> None:
        if progress is not None:
            progress(done * trials // parts, trials)

    return spread(task, ranges(trials), shared, progress=tell)


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
    """Pass the pseudo-differences of pairs whose outputs are swapped by fair coins to `consume`.

    One coin per trial and unit decides, for every pair and all runs of it, whether the two
    systems exchange that unit's outputs (Riezler & Maxwell 2005, fig. 1). With `repeats`, each
    unit is present that many times, with a coin for each. `stacks` are those of the samples, if
    they exist already. With `reduce`, its results replace the differences, so that an executor
    sends back less.
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

    Pseudo-a has a's rows where the coin shows heads and b's elsewhere, and pseudo-b the rest. `s`
    is the sample's place in the stacks. The array is used again by the next call.
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
    """Return a's sums plus b's for every pair: pairs × trials × width, columns contiguous."""
    trials = of_a.shape[1]
    for i, (a, b) in enumerate(pairs):
        np.add(of_a[a].T, of_b[b].T, out=space[i, :, :trials])
    return np.moveaxis(space[: len(pairs), :, :trials], 1, -1)

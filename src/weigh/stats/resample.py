"""Scores of resampled test sets: bootstrap samples, and outputs swapped between two systems.

All systems and all metrics share the draws: one weight or one coin for each trial and unit. A
draw depends on the seed, the trial and the unit alone, so neither threads nor blocks matter."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh._core import IntegerResampler, RealResampler
from weigh.engine.threads import Progress, available_cores, run_in_parts
from weigh.stats.sample import Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Rows, Scores

    Places = dict[tuple[int, int, int], tuple[str, list[int]]]

# The columns of all samples side by side, which are resampled together.

# For integers and for real numbers: what resamples them, and as which type.
_RESAMPLERS: Mapping[str, Any] = {"i": IntegerResampler, "f": RealResampler}
_TYPES: Mapping[str, Any] = {"i": np.int64, "f": np.float64}


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
        self._columns = columns
        self._resamplers = {kind: _RESAMPLERS[kind](own.T) for kind, own in columns.items()}
        # The sums over all units, as one trial.
        self.totals: dict[str, Rows] = {
            kind: own.sum(axis=1)[None] for kind, own in columns.items()
        }

    @staticmethod
    def of(samples: Sequence[Sample], part: Any) -> Stack:
        """Stack the columns of samples, of some units."""
        places: Places = {}
        columns: dict[str, list[Rows]] = {"i": [], "f": []}
        alike: dict[tuple[str, float], list[int]] = {}  # columns that may be equal, by their sum
        for s, sample in enumerate(samples):
            for system, runs in enumerate(sample.rows):
                for run, rows in enumerate(runs):
                    kind = rows.dtype.kind
                    known = columns[kind]
                    own = []
                    turned = np.ascontiguousarray(rows[part].T)
                    for column, total in zip(turned, turned.sum(axis=1).tolist(), strict=True):
                        same = alike.setdefault((kind, total), [])
                        place = next((i for i in same if np.array_equal(known[i], column)), None)
                        if place is None:
                            place = len(known)
                            known.append(column)
                            same.append(place)
                        own.append(place)
                    places[s, system, run] = (kind, own)
        return Stack(
            places, {kind: np.array(own, _TYPES[kind]) for kind, own in columns.items() if own}
        )

    def bootstrap_sums(self, seed: int, stream: int, first: int, trials: int) -> dict[str, Rows]:
        """Return the sums over units drawn with replacement, for some trials."""
        return {
            kind: resampler.bootstrap_sums(seed, stream, first, trials)
            for kind, resampler in self._resamplers.items()
        }

    def swapped_sums(
        self, seed: int, stream: int, first: int, trials: int, repeats: int
    ) -> dict[str, Rows]:
        """Return the sums over units whose coins show heads, each unit there so many times."""
        return {
            kind: resampler.swapped_sums(seed, stream, first, trials, repeats)
            for kind, resampler in self._resamplers.items()
        }

    def chosen_sums(self, coins: Rows) -> dict[str, Rows]:
        """Return the sums over units that are chosen by given coins: trials × units."""
        return {kind: coins @ own.T for kind, own in self._columns.items()}

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
    pooled = [sample.pooled() for sample in samples]
    return [Stack.of(pooled, part) for part in samples[0].parts]


Pairs = Sequence[tuple[int, int]]
# Told of one sample's pseudo-differences: sample, first trial, (pairs × trials).
Consumer = Callable[[int, int, "Scores"], None]

# Trials that are computed together, at most: enough for the core, few enough for the cache.
BLOCK = 2048
# What is scored together should stay in the cache nearest to the processor.
_SCORED_TRIALS = 1024
_SCORED_PAIRS = 16


def _block(trials: int, threads: int) -> int:
    """Return how many trials to compute together: each of several threads should get a few."""
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
    stacks = stacks_of(samples) if stacks is None else stacks
    samples = [sample.pooled() for sample in samples]
    results = [np.zeros((len(sample.names), trials)) for sample in samples]
    scratch = Scratch()

    def work(start: int, stop: int) -> None:
        for stream, stack in enumerate(stacks):
            sums = stack.bootstrap_sums(seed, stream, start, stop - start)
            for s, sample in enumerate(samples):
                systems, runs = len(sample.names), len(sample.rows[0])
                for run in range(runs):
                    scores = sample.score(stack.pick(sums, s, systems, run, scratch))
                    results[s][:, start:stop] += scores / (len(stacks) * runs)

    run_in_parts(work, trials, _block(trials, threads), threads=threads, progress=progress)
    return results


def swapped_differences(
    samples: Sequence[Sample],
    pairs: Pairs,
    trials: int,
    seed: int,
    consume: Consumer,
    *,
    repeats: int = 1,
    stacks: Sequence[Stack] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> None:
    """Hand out the pseudo-differences of pairs whose outputs are swapped by fair coins.

    One coin per trial and unit decides, for every pair and all runs of it, whether the two
    systems exchange that unit's outputs (Riezler & Maxwell 2005, fig. 1). With `repeats`, each
    unit is there so many times, and the coins fall for each time anew. `stacks` are those of the
    samples, if they were made before.
    """
    stacks = stacks_of(samples) if stacks is None else stacks
    samples = [sample.pooled() for sample in samples]
    scratch = Scratch()

    def work(start: int, stop: int) -> None:
        chosen = [
            stack.swapped_sums(seed, stream, start, stop - start, repeats)
            for stream, stack in enumerate(stacks)
        ]
        for s, differences in _differences(samples, stacks, chosen, pairs, repeats, scratch):
            consume(s, start, differences)

    run_in_parts(work, trials, _block(trials, threads), threads=threads, progress=progress)


def exact_differences(samples: Sequence[Sample], pairs: Pairs, consume: Consumer) -> int:
    """Hand out the pseudo-differences of all ways to swap units; return how many there are."""
    sizes = [np.arange(samples[0].units)[part].size for part in samples[0].parts]
    trials = 1 << int(sum(sizes))
    stacks = stacks_of(samples)
    samples = [sample.pooled() for sample in samples]
    for start in range(0, trials, BLOCK):
        ways = np.arange(start, min(start + BLOCK, trials))
        coins = (ways[:, None] >> np.arange(sum(sizes))) & 1
        ends = np.cumsum(sizes)
        chosen = [
            stack.chosen_sums(coins[:, end - size : end])
            for stack, size, end in zip(stacks, sizes, ends, strict=True)
        ]
        for s, differences in _differences(samples, stacks, chosen, pairs, 1, Scratch()):
            consume(s, start, differences)
    return trials


def _differences(
    samples: Sequence[Sample],
    stacks: Sequence[Stack],
    chosen: Sequence[dict[str, Rows]],
    pairs: Pairs,
    repeats: int,
    scratch: Scratch,
) -> Iterator[tuple[int, Scores]]:
    """Yield every sample's pseudo-differences, given the sums over the units chosen by coins.

    Pseudo-a has a's rows where the coin shows heads and b's elsewhere, and pseudo-b the rest. The
    differences must be used before the next ones are asked for.
    """
    trials = len(next(iter(chosen[0].values())))
    together = min(trials, _SCORED_TRIALS)
    for s, sample in enumerate(samples):
        systems, runs, width = len(sample.names), len(sample.rows[0]), sample.rows[0][0].shape[1]
        differences = scratch.take("differences", len(pairs), trials)
        differences[:] = 0.0
        space = scratch.take("space", min(len(pairs), _SCORED_PAIRS), width, together)
        for stack, sums in zip(stacks, chosen, strict=True):
            for run, first in product(range(runs), range(0, trials, together)):
                some = slice(first, first + together)
                part = {kind: block[some] for kind, block in sums.items()}
                total = repeats * stack.pick(stack.totals, s, systems, run, scratch)
                heads = stack.pick(part, s, systems, run, scratch)
                tails = np.moveaxis(scratch.take("tails", *np.moveaxis(heads, -1, 1).shape), 1, -1)
                np.subtract(total, heads, out=tails)
                for start in range(0, len(pairs), _SCORED_PAIRS):
                    few = slice(start, start + _SCORED_PAIRS)
                    pseudo_a = sample.score(_added(heads, tails, pairs[few], space))
                    pseudo_b = sample.score(_added(tails, heads, pairs[few], space))
                    pseudo_a -= pseudo_b
                    differences[few, some] += pseudo_a
        differences /= len(stacks) * runs
        yield s, differences


def _added(of_a: Scores, of_b: Scores, pairs: Pairs, space: Scores) -> Scores:
    """Return a's sums plus b's for every pair: pairs × trials × width, columns contiguous."""
    trials = of_a.shape[1]
    for i, (a, b) in enumerate(pairs):
        np.add(of_a[a].T, of_b[b].T, out=space[i, :, :trials])
    return np.moveaxis(space[: len(pairs), :, :trials], 1, -1)

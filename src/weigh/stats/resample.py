"""Scores of resampled test sets: bootstrap samples, and outputs swapped between two systems.

All systems and all metrics share the draws: one weight or one coin for each trial and unit. A
draw depends on the seed, the trial and the unit alone, so neither threads nor blocks matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh._core import IntegerResampler, RealResampler
from weigh.engine.threads import Progress, run_in_parts
from weigh.stats.sample import Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Rows, Scores

Pairs = Sequence[tuple[int, int]]
# Told of one sample's pseudo-differences: sample, first trial, (pairs × trials).
Consumer = Callable[[int, int, "Scores"], None]

# Trials that are computed together: enough for the core, few enough for the cache.
_BLOCK = 512
# Draws of runs, not of units: streams of their own, beyond those of any stratum.
_RUN_STREAMS = 1 << 32


class _Stack:
    """The columns of all samples side by side, for one stratum, with a resampler for them."""

    def __init__(self, samples: Sequence[Sample], part: Any) -> None:
        self._places: dict[tuple[int, int, int], tuple[str, int, int]] = {}
        columns: dict[str, list[Rows]] = {"i": [], "f": []}
        widths = {"i": 0, "f": 0}
        for s, sample in enumerate(samples):
            for system, runs in enumerate(sample.rows):
                for run, rows in enumerate(runs):
                    kind = rows.dtype.kind
                    columns[kind].append(rows[part])
                    width = rows.shape[1]
                    self._places[s, system, run] = (kind, widths[kind], widths[kind] + width)
                    widths[kind] += width
        self._resamplers: dict[str, Any] = {}
        self._totals: dict[str, Rows] = {}
        for kind, made in (("i", IntegerResampler), ("f", RealResampler)):
            if columns[kind]:
                dtype = np.int64 if kind == "i" else np.float64
                together: Any = np.ascontiguousarray(np.hstack(columns[kind]), dtype=dtype)
                self._resamplers[kind] = made(together)
                self._totals[kind] = together.sum(axis=0, keepdims=True)

    def sums(self, method: str, seed: int, stream: int, first: int, trials: int) -> dict[str, Rows]:
        """Return the sums of each kind of column for some trials."""
        return {
            kind: getattr(resampler, method)(seed, stream, first, trials)
            for kind, resampler in self._resamplers.items()
        }

    def pick(self, sums: dict[str, Rows], sample: int, systems: int, run: int) -> Scores:
        """Return one run of all systems: systems × trials × width.

        The numbers of one column lie side by side in memory, which makes scoring fast, and are
        doubles: integers of any real test set are exact as such.
        """
        blocks = []
        for system in range(systems):
            kind, start, stop = self._places[sample, system, run]
            blocks.append(sums[kind][:, start:stop].T)
        return np.moveaxis(np.array(blocks, dtype=np.float64), 1, -1)

    @property
    def totals(self) -> dict[str, Rows]:
        """The sums over all units, as one trial."""
        return self._totals


def bootstrap_scores(
    samples: Sequence[Sample],
    trials: int,
    seed: int,
    *,
    runs_as_sample: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Scores]:
    """Return, for every sample, the statistics (systems × trials) of bootstrap samples.

    As many units as there are, drawn with replacement (Koehn 2004 §4), within each stratum where
    there are strata. With `runs_as_sample`, a system's runs are drawn first, for each system
    by itself.
    """
    stacks = [_Stack(samples, part) for part in samples[0].parts]
    results = [np.zeros((len(sample.names), trials)) for sample in samples]
    drawn = [_draw_runs(sample, trials, seed) for sample in samples] if runs_as_sample else []

    def work(start: int, stop: int) -> None:
        for stream, stack in enumerate(stacks):
            sums = stack.sums("bootstrap_sums", seed, stream, start, stop - start)
            for s, sample in enumerate(samples):
                systems, runs = len(sample.names), len(sample.rows[0])
                for run in range(runs):
                    scores = sample.metric.score(stack.pick(sums, s, systems, run))
                    if runs_as_sample:
                        scores = scores * drawn[s][start:stop, :, run].T
                    results[s][:, start:stop] += scores / (len(stacks) * runs)

    run_in_parts(work, trials, _BLOCK, threads=threads, progress=progress)
    return results


def _draw_runs(sample: Sample, trials: int, seed: int) -> NDArray[np.int64]:
    """Return how often each run is drawn: trials × systems × runs."""
    runs = IntegerResampler(np.eye(len(sample.rows[0]), dtype=np.int64))
    return np.stack(
        [
            runs.bootstrap_sums(seed, _RUN_STREAMS + system, 0, trials)
            for system in range(len(sample.names))
        ],
        axis=1,
    )


def swapped_differences(
    samples: Sequence[Sample],
    pairs: Pairs,
    trials: int,
    seed: int,
    consume: Consumer,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> None:
    """Hand out the pseudo-differences of pairs whose outputs are swapped by fair coins.

    One coin per trial and unit decides, for every pair and all runs of it, whether the two
    systems exchange that unit's outputs (Riezler & Maxwell 2005, fig. 1).
    """
    stacks = [_Stack(samples, part) for part in samples[0].parts]

    def work(start: int, stop: int) -> None:
        chosen = [
            stack.sums("swapped_sums", seed, stream, start, stop - start)
            for stream, stack in enumerate(stacks)
        ]
        for s, differences in _differences(samples, stacks, chosen, pairs):
            consume(s, start, differences)

    run_in_parts(work, trials, _BLOCK, threads=threads, progress=progress)


def exact_differences(samples: Sequence[Sample], pairs: Pairs, consume: Consumer) -> int:
    """Hand out the pseudo-differences of all ways to swap units; return how many there are."""
    sizes = [np.arange(samples[0].units)[part].size for part in samples[0].parts]
    trials = 1 << int(sum(sizes))
    stacks = [_Stack(samples, part) for part in samples[0].parts]
    for start in range(0, trials, _BLOCK):
        ways = np.arange(start, min(start + _BLOCK, trials))
        coins = (ways[:, None] >> np.arange(sum(sizes))) & 1
        ends = np.cumsum(sizes)
        chosen = [
            _chosen_sums(samples, part, coins[:, end - size : end])
            for part, size, end in zip(samples[0].parts, sizes, ends, strict=True)
        ]
        for s, differences in _differences(samples, stacks, chosen, pairs):
            consume(s, start, differences)
    return trials


def _chosen_sums(samples: Sequence[Sample], part: Any, coins: NDArray[np.int64]) -> dict[str, Rows]:
    columns: dict[str, list[Rows]] = {"i": [], "f": []}
    for sample in samples:
        for runs in sample.rows:
            for rows in runs:
                columns[rows.dtype.kind].append(coins @ rows[part])
    return {kind: np.hstack(blocks) for kind, blocks in columns.items() if blocks}


def _differences(
    samples: Sequence[Sample],
    stacks: Sequence[_Stack],
    chosen: Sequence[dict[str, Rows]],
    pairs: Pairs,
) -> Iterator[tuple[int, Scores]]:
    """Yield every sample's pseudo-differences, given the sums over the units chosen by coins.

    Pseudo-a has a's rows where the coin shows heads and b's elsewhere, and pseudo-b the rest.
    """
    first = np.array([a for a, _ in pairs])
    second = np.array([b for _, b in pairs])
    for s, sample in enumerate(samples):
        differences: Any = 0.0
        runs = len(sample.rows[0])
        for stack, sums in zip(stacks, chosen, strict=True):
            for run in range(runs):
                heads = stack.pick(sums, s, len(sample.names), run)
                total = stack.pick(stack.totals, s, len(sample.names), run)
                exchanged = heads[first] - heads[second]
                pseudo_a = sample.metric.score(total[second] + exchanged)
                pseudo_b = sample.metric.score(total[first] - exchanged)
                differences = differences + (pseudo_a - pseudo_b)
        yield s, differences / (len(stacks) * runs)

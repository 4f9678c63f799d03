"""What studies share: draws that a seed fixes, and every test of every pair by every metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from weigh.stats.resample import Pairs, bootstrap_scores, stacks_of
from weigh.stats.sample import Sample
from weigh.stats.significance import (
    Observed,
    PairTests,
    ReadSamples,
    bootstrap,
    paired_bootstrap,
    randomization,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.engine.threads import Progress
    from weigh.types import Scores

# Random draws of whole arrays that stay the same for a seed, whatever the version of NumPy.

_WORD = 1 << 64


class ArrayDraws:
    """One stream of draws: a seed has as many streams as there are whole numbers.

    The bits are those of Philox, whose sequence is fixed (Salmon et al. 2011); what is made of
    them is written out here, for NumPy keeps the right to change its methods.
    """

    def __init__(self, seed: int, stream: int) -> None:
        from numpy.random import Philox

        self._bits = Philox(key=seed + stream * _WORD)

    def seed(self) -> int:
        """Return a seed for other draws."""
        return int(self._words(1)[0])

    def below(self, size: int, count: int) -> NDArray[np.intp]:
        """Return numbers from 0 to `size` − 1, each as likely as the others."""
        limit = np.uint64(_WORD - _WORD % size - 1)
        words = self._words(count)
        while (over := words > limit).any():
            words[over] = self._words(int(over.sum()))
        return (words % np.uint64(size)).astype(np.intp)

    def chosen(self, size: int, count: int) -> NDArray[np.intp]:
        """Return `count` different numbers from 0 to `size` − 1, in order."""
        order = np.argsort(self._words(size), kind="stable")
        return np.sort(order[:count])

    def chances(self, share: float, count: int) -> NDArray[np.bool_]:
        """Return truth values, each true with a chance of `share`."""
        return (self._words(count) >> np.uint64(11)) * 2.0**-53 < share

    def _words(self, count: int) -> NDArray[np.uint64]:
        return self._bits.random_raw(count)


_BOOTSTRAPS = {"bootstrap": bootstrap, "paired-bootstrap": paired_bootstrap}


def bootstraps_needed(tests: Sequence[str]) -> bool:
    """Tell whether one of the tests works with bootstrap samples."""
    return any(test in _BOOTSTRAPS for test in tests)


class Battery:
    """Samples made ready once for all tests of some pairs.

    Where a metric has several readings, outcomes are those of all of them together.
    """

    def __init__(self, samples: Sequence[Sample], pairs: Pairs, trials: int, seed: int) -> None:
        self.samples = samples
        self._read = ReadSamples.of(samples)
        self._all_observed = [Observed.of(sample, pairs) for sample in self._read.samples]
        self.observed = self._all_observed[: len(samples)]
        self.stacks = stacks_of(self._read.samples)
        self._pairs = pairs
        self._trials = trials
        self._seed = seed

    def bootstrap_scores(self, *, threads: int, progress: Progress | None = None) -> list[Scores]:
        """Return the scores of bootstrap samples, for every sample, then for further readings."""
        return bootstrap_scores(
            self._read.samples,
            self._trials,
            self._seed,
            stacks=self.stacks,
            threads=threads,
            progress=progress,
        )

    def run(
        self,
        tests: Sequence[str],
        *,
        boots: Sequence[Scores] | None = None,
        threads: int = 0,
        progress: Progress | None = None,
    ) -> dict[str, list[PairTests]]:
        """Return each test's outcome for every sample; `boots` are bootstrap scores made before."""
        rounds = [bootstraps_needed(tests) and boots is None, "randomization" in tests]

        def told(number: int) -> Progress:
            def tell(done: int, _: int) -> None:
                if progress is not None:
                    before = sum(rounds[:number]) * self._trials
                    progress(before + done, sum(rounds) * self._trials)

            return tell

        if rounds[0]:
            boots = self.bootstrap_scores(threads=threads, progress=told(0))
        found: dict[str, list[PairTests]] = {}
        for test in tests:
            if test == "randomization":
                results = randomization(
                    self._read.samples,
                    self._pairs,
                    self._trials,
                    self._seed,
                    observed=self._all_observed,
                    stacks=self.stacks,
                    threads=threads,
                    progress=told(1),
                )
            else:
                results = [
                    _BOOTSTRAPS[test](sample, self._pairs, scores, observed=observed)
                    for sample, scores, observed in zip(
                        self._read.samples, boots or (), self._all_observed, strict=True
                    )
                ]
            found[test] = self._read.together(results, self._pairs)
        return found

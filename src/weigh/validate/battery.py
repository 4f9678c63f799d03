"""What studies share: every test of every pair by every metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

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
    from weigh.engine.threads import Progress
    from weigh.types import Scores

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

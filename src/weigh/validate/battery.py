"""What studies share: every test of every pair by every metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weigh.stats.procedures import PROCEDURES, any_use_trials, function_of
from weigh.stats.resample import Pairs, bootstrap_scores, stacks_of
from weigh.stats.sample import Sample
from weigh.stats.significance import Observed, PairTests

if TYPE_CHECKING:
    from weigh.engine.threads import Progress
    from weigh.types import Scores


class Battery:
    """Samples made ready once for all tests of some pairs."""

    def __init__(self, samples: Sequence[Sample], pairs: Pairs, trials: int, seed: int) -> None:
        self.samples = samples
        self.observed = [Observed.of(sample, pairs) for sample in samples]
        self.stacks = stacks_of(samples)
        self._pairs = pairs
        self._trials = trials
        self._seed = seed

    def bootstrap_scores(self, *, threads: int, progress: Progress | None = None) -> list[Scores]:
        """Return the scores of bootstrap samples, for every sample."""
        return bootstrap_scores(
            self.samples,
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
        by_swaps = [test for test in tests if PROCEDURES[test].trials == "swaps"]
        rounds = [any_use_trials(tests, "bootstrap") and boots is None, *(True for _ in by_swaps)]

        def progress_of(number: int) -> Progress:
            def tell(done: int, _: int) -> None:
                if progress is not None:
                    before = sum(rounds[:number]) * self._trials
                    progress(before + done, sum(rounds) * self._trials)

            return tell

        if rounds[0]:
            boots = self.bootstrap_scores(threads=threads, progress=progress_of(0))
        tests_of_pairs: dict[str, list[PairTests]] = {}
        for test in tests:
            run = function_of(test)
            if test in by_swaps:
                results = run(
                    self.samples,
                    self._pairs,
                    self._seed,
                    trials=self._trials,
                    threads=threads,
                    progress=progress_of(1 + by_swaps.index(test)),
                ).tests
            else:
                results = [
                    run(sample, self._pairs, scores, observed=observed)
                    for sample, scores, observed in zip(
                        self.samples, boots or (), self.observed, strict=True
                    )
                ]
            tests_of_pairs[test] = results
        return tests_of_pairs

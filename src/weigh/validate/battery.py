"""Every test of every pair by every metric, from the same draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weigh.stats.resample import Pairs, bootstrap_scores
from weigh.stats.sample import Sample
from weigh.stats.significance import PairTests, bootstrap, paired_bootstrap, randomization

if TYPE_CHECKING:
    from weigh.engine.threads import Progress
    from weigh.types import Scores

_BOOTSTRAPS = {"bootstrap": bootstrap, "paired-bootstrap": paired_bootstrap}


def bootstraps_needed(tests: Sequence[str]) -> bool:
    """Tell whether one of the tests works with bootstrap samples."""
    return any(test in _BOOTSTRAPS for test in tests)


def run_tests(
    samples: Sequence[Sample],
    pairs: Pairs,
    tests: Sequence[str],
    trials: int,
    seed: int,
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
                progress(sum(rounds[:number]) * trials + done, sum(rounds) * trials)

        return tell

    if rounds[0]:
        boots = bootstrap_scores(samples, trials, seed, threads=threads, progress=told(0))
    found: dict[str, list[PairTests]] = {}
    for test in tests:
        if test == "randomization":
            found[test] = randomization(
                samples, pairs, trials, seed, threads=threads, progress=told(1)
            )
        else:
            found[test] = [
                _BOOTSTRAPS[test](sample, pairs, scores)
                for sample, scores in zip(samples, boots or (), strict=True)
            ]
    return found

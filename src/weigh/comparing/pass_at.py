"""pass@k: the probability that at least one of k attempts at an item passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError, UsageError
from weigh.metrics.segment import GivenMean, GivenScores
from weigh.read.text import quoted, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.comparing.dataset import Floats, ScoreArrays

    Integers = NDArray[np.int64]


def pass_at_k(
    scores: ScoreArrays,
    metrics: Mapping[str, GivenScores],
    counts: Sequence[int],
    where: str = "",
    item_name: Callable[[int], str] = lambda item: f"item {item + 1:,}",
) -> tuple[ScoreArrays, dict[str, GivenScores]]:
    """Turn the runs of every item into the probability that at least one of k attempts passes.

    NaN means no attempt, so systems and items may have different numbers of attempts.
    """
    chances: dict[str, dict[str, Floats]] = {}
    metrics_at_k: dict[str, GivenScores] = {}
    for metric, by_system in scores.items():
        if not metrics[metric].higher_is_better:
            raise UsageError(
                f"pass@k needs scores for which higher is better, unlike {shown(metric)}"
            )
        for name, runs in by_system.items():
            is_attempt = ~np.isnan(runs)
            if not np.isin(runs[is_attempt], (0.0, 1.0)).all():
                raise InputError(
                    f"{where}{quoted(metric)} has scores other than 0 and 1 (false and true), "
                    "but pass@k counts passes; leave out --pass-at"
                )
            attempts, passed = is_attempt.sum(axis=0), np.nansum(runs, axis=0)
            for k in counts:
                if k < 1:
                    raise UsageError(f"pass@{k}: give a k of 1 or more")
                lacks_attempts = (attempts < k) & (attempts > 0)
                if lacks_attempts.any():
                    item = int(lacks_attempts.argmax())
                    raise UsageError(
                        f"pass@{k} needs at least {k} runs of every item, but {shown(name)} has "
                        f"{attempts[item]} of {item_name(item)}; give a smaller k, or more runs"
                    )
                title = f"pass@{k}" if len(scores) == 1 else f"{metric} pass@{k}"
                chance = _pass_chance(attempts, passed, k)
                chances.setdefault(title, {})[name] = chance[np.newaxis]
                metric_at_k = GivenMean(title, bounds=(0.0, 1.0))
                metrics_at_k[title] = metric_at_k.with_note("pass_at", str(k))
    return chances, metrics_at_k


def _pass_chance(attempts: Integers, passed: Floats, k: int) -> Floats:
    """1 − C(n − c, k)/C(n, k) with c of n attempts passed (Chen et al. 2021, equation 1)."""
    from scipy.special import gammaln

    failed = attempts - passed
    with np.errstate(all="ignore"):
        chance = 1 - np.exp(
            gammaln(failed + 1)
            - gammaln(failed - k + 1)
            - gammaln(attempts + 1)
            + gammaln(attempts - k + 1)
        )
    chance = np.where(failed < k, 1.0, chance)
    chance = np.where(passed == 0, 0.0, chance)
    return np.where(attempts == 0, np.nan, chance)

"""How often margins and gates are wrong where the true loss is the margin, or nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import numpy as np
from scipy.stats import binom

from calibration.nulls import noisy, texts
from weigh import Plan, compare
from weigh.comparing.dataset import from_arrays
from weigh.stats.equivalence import mean_bounds, t_quantile

ALPHA = 0.05
BLOCK = 250  # data sets that share their draws
METRICS = ("x", "y", "z")
FAILURES = 0.03
_SCALE, _SIGMA = 0.02, 1.0  # of lognormal losses


def _without_remarks(function: Callable[..., Any]) -> Callable[..., Any]:
    """Keep quiet about few trials and few units."""

    @wraps(function)
    def quiet(*args: Any, **options: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*args, **options)

    return quiet


def losses(kind: str, rng: np.random.Generator, shape: tuple[int, int]) -> tuple[np.ndarray, float]:
    """Return differences in [−1, 1], and the true loss.

    - `failures`: 3% of items fail totally, and there is a little noise everywhere.
    - `lognormal`: most items lose little and few much, up to all.
    - `pass/fail`: 3% of items are not passed any more.
    """
    if kind == "lognormal":
        largest = np.clip(_SCALE * np.exp(_SIGMA * _normal_grid()), 0, 1)
        lost = np.clip(_SCALE * rng.lognormal(0, _SIGMA, shape), 0, 1)
        return -lost, float(largest.mean())
    failed = rng.random(shape) < FAILURES
    noise = 0.0 if kind == "pass/fail" else rng.normal(0, 0.02, shape)
    return np.where(failed, -1.0, noise), FAILURES


def _normal_grid() -> np.ndarray:
    from scipy.special import ndtri

    return ndtri((np.arange(1_000_000) + 0.5) / 1_000_000)


def not_worse(kind: str, units: int, count: int, *, seed: int = 1) -> dict[str, float]:
    """Return how often a system that is worse by just the margin is called not worse.

    `margin` is the rule, and `plain` Student's bound of the units at hand alone.
    """
    called = {"margin": 0, "plain": 0}
    rng = np.random.default_rng([seed, units])
    ones = np.ones(units)
    for start in range(0, count, BLOCK):
        made, margin = losses(kind, rng, (min(BLOCK, count - start), units))
        for d in made:
            called["margin"] += mean_bounds(d, ones, 1.0, ALPHA).is_non_inferior(margin)
            error = d.std(ddof=1) / units**0.5
            called["plain"] += int(d.mean() - t_quantile(units - 1, 1 - ALPHA) * error > -margin)
    return {name: number / count for name, number in called.items()}


def largest_error(margin: float, sizes: range) -> float:
    """Return the largest chance, over these numbers of items, to miss a loss of just the margin.

    It is exact: items are failed with the probability `margin`, and never won.
    """
    worst = 0.0
    for units in sizes:
        ones = np.ones(units)
        passing = -1
        for failed in range(units):
            d = np.where(np.arange(units) < failed, -1.0, 0.0)
            if not mean_bounds(d, ones, 1.0, ALPHA).is_non_inferior(margin):
                break
            passing = failed
        worst = max(worst, float(binom.cdf(passing, units, margin)))
    return worst


def strict_not_worse(units: int, count: int, *, seed: int = 1) -> float:
    """Return how often the guaranteed bound calls losses of failures at the margin not worse."""
    from weigh.stats.betting import confidence_sequence

    rng = np.random.default_rng([seed, units])
    d, margin = losses("failures", rng, (count, units))
    low, _ = confidence_sequence(np.clip(d, -1, 1), 1 - ALPHA, tails=1)
    return float((low > -margin).mean())


@_without_remarks
def bleu_not_worse(units: int, count: int, *, seed: int = 1) -> float:
    """Return how often a system is called not worse whose true loss of BLEU is the margin."""
    rng = np.random.default_rng([seed, units])
    pool = texts(rng, 1500)
    good = [noisy(rng, words, 0.15) for words in pool]
    bad = [noisy(rng, words, 0.18) for words in pool]
    references = [" ".join(words) for words in pool]
    whole = compare(
        {"base": good, "new": bad}, references=references, metrics="bleu", trials=19, threads=1
    )
    margin = abs(whole.comparisons[0].difference)
    called = 0
    for number in range(count):
        chosen = rng.integers(0, len(pool), units)
        [pair] = compare(
            {
                "new": [bad[i] for i in chosen],
                "base": [good[i] for i in chosen],
            },
            references=[references[i] for i in chosen],
            metrics="bleu",
            baseline="base",
            margin={"bleu": margin},
            trials=19,
            seed=number,
            threads=1,
        ).comparisons
        called += bool(pair.non_inferior)
    return called / count


@_without_remarks
def gate_fails(
    units: int, nulls: int, *, margin: float | None, trials: int = 999, seed: int = 1
) -> dict[str, float]:
    """Return how often a gate over three metrics fails a system that it should not.

    Without a margin the system equals the baseline; with one, it is worse by just the margin on
    every metric. `alone` is how often one of the metrics by itself would fail it at α.
    """
    together = alone = 0
    shift = 0.0 if margin is None else -margin
    for number, size in _blocks(nulls):
        rng = np.random.default_rng([seed, units, number])
        given = {
            metric: {"base": np.zeros(units)}
            | {f"s{i}": rng.normal(shift, 1, units) for i in range(size)}
            for metric in METRICS
        }
        plan = Plan(
            baseline="base",
            gate=True,
            margin={} if margin is None else dict.fromkeys(METRICS, margin),
            alternative="worse",
            adjust="none",
            trials=trials,
            seed=seed * 10**6 + number,
        )
        result = compare(from_arrays(given), plan=plan, threads=1)
        failed = {
            reason.partition(",")[0] for reason in result.gate.reasons if ": fail (" in reason
        }
        together += len(failed)
        alone += len(
            {
                one.a
                for one in result.comparisons
                if (one.significant if margin is None else one.margin_interval[1] < -margin)
            }
        )
    return {"together": together / nulls, "alone": alone / nulls}


def _blocks(nulls: int) -> Iterator[tuple[int, int]]:
    for number, start in enumerate(range(0, nulls, BLOCK)):
        yield number, min(BLOCK, nulls - start)

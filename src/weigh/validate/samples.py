"""Conclusions from small samples of a large test set, compared with the whole (Koehn 2004)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.comparing.dataset import Dataset
from weigh.comparing.scopes import scopes
from weigh.engine.executors import accepts_executor, spread
from weigh.errors import InputError, UsageError, did_you_mean
from weigh.human.draws import ArrayDraws
from weigh.metrics.registry import decimals_of, key_of
from weigh.result import warns
from weigh.stats.intervals import percentile_interval
from weigh.stats.resample import Pairs, bootstrap_scores
from weigh.stats.sample import Sample
from weigh.stats.significance import Observed
from weigh.validate.plan import SamplesPlan
from weigh.validate.samples_result import (
    CLEAR,
    DESIGNS,
    Bracket,
    Design,
    PairAtSize,
    SampledMetric,
    SamplesResult,
    ShownSample,
    Spread,
    TruePair,
    TrueScore,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from weigh.engine.threads import Progress
    from weigh.types import Scores

# Lower ends of the brackets of significance levels (Koehn 2004, table 4).
BRACKETS = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5)


@dataclass(frozen=True, slots=True)
class Draw:
    """One sample of the test set."""

    design: Design
    size: int
    number: int

    def units(self, units: int, draws: ArrayDraws) -> NDArray[np.intp]:
        """Return the numbers of the units in the sample.

        With replacement the score of the whole is exactly the truth that samples scatter around.
        A broad sample takes every k-th unit, a block one after another; samples of one size do
        not overlap.
        """
        if self.design == "drawn":
            return draws.below(units, self.size)
        if self.design == "broad":
            return self.number + np.arange(self.size) * (units // self.size)
        return self.number * self.size + np.arange(self.size)


@dataclass(frozen=True, slots=True)
class _Truth:
    """Scores of the whole test set; differences of pairs are oriented and have standard errors."""

    metric: str
    scores: Scores
    differences: Scores
    errors: Scores

    @property
    def clear(self) -> NDArray[np.bool_]:
        """Which pairs differ by at least two standard errors."""
        return np.asarray(np.abs(self.differences) >= CLEAR * self.errors)


@dataclass(frozen=True, slots=True)
class _Found:
    """The results of one metric on samples of one design and size: one array row per sample."""

    scores: Scores  # samples × systems
    low: Scores
    high: Scores
    better: Scores  # samples × pairs: share of trials in which the first is better
    worse: Scores


@warns
@accepts_executor
def samples(
    dataset: Dataset,
    plan: SamplesPlan | None = None,
    *,
    shown: Sequence[str] = (),
    threads: int = 0,
    executor: Executor | None = None,  # noqa: ARG001, taken by @accepts_executor
    progress: Progress | None = None,
) -> SamplesResult:
    """Repeat Koehn's experiments on a test set that is large for its samples.

    1. The score on the whole test set is the truth.
    2. In every sample each system is scored and bootstrapped: intervals of scores, and for every
       pair the shares of trials in which one or the other is better.
    3. The level of a conclusion is the larger share (§6); it is right if the whole agrees.
    """
    plan = plan or SamplesPlan()
    whole = scopes(dataset)[0].samples
    names, units = dataset.names, whole[0].units
    if len(names) < 2:
        raise InputError(f"only one system, {names[0]}; give at least two")
    if max(plan.sizes) > units:
        raise UsageError(
            f"samples of {max(plan.sizes):,}, but there are only {units:,} units; "
            "give smaller sizes"
        )
    _check_shown(shown, names)
    pairs = tuple(combinations(range(len(names)), 2))
    draws = _draws(plan, units)
    shared = (whole, pairs, plan, draws)
    results = spread(_sampled_piece, range(len(draws)), shared, threads=threads, progress=progress)
    boots = bootstrap_scores(whole, plan.trials, plan.seed, threads=threads)
    truths = [_truth(sample, pairs, boot) for sample, boot in zip(whole, boots, strict=True)]
    first, second = shown or _closest(truths[0], pairs, names)
    pair_shown = names.index(first), names.index(second)
    scatter: list[Spread] = []
    conclusions: dict[Design, list[PairAtSize]] = {"drawn": [], "broad": []}
    brackets: dict[Design, list[Bracket]] = {"drawn": [], "broad": []}
    series: list[ShownSample] = []
    for s, truth in enumerate(truths):
        for design in DESIGNS:
            for size in plan.sizes:
                places = [
                    at
                    for at, draw in enumerate(draws)
                    if (draw.design, draw.size) == (design, size)
                ]
                gathered = _gather([results[at][s] for at in places], plan.trials)
                scatter.append(_spread(truth, design, size, gathered))
                series += _series(truth.metric, [draws[at] for at in places], gathered, pair_shown)
                if design in conclusions:
                    conclusions[design] += _conclusions(truth, names, size, gathered, plan.level)
                    brackets[design] += _brackets(truth, size, gathered)
    return SamplesResult(
        dataset.test_set,
        names,
        dataset.unit,
        units,
        plan,
        tuple(
            SampledMetric(key_of(metric), decimals_of(metric), not metric.higher_is_better)
            for metric in dataset.metrics
        ),
        dataset.signatures,
        tuple(
            TrueScore(truth.metric, name, float(score))
            for truth in truths
            for name, score in zip(names, truth.scores, strict=True)
        ),
        tuple(
            TruePair(truth.metric, names[a], names[b], float(difference), float(error))
            for truth in truths
            for (a, b), difference, error in zip(
                pairs, truth.differences, truth.errors, strict=True
            )
        ),
        tuple(scatter),
        tuple(conclusions["drawn"]),
        tuple(brackets["drawn"]),
        (first, second),
        tuple(series),
        dataset.remarks,
        tuple(conclusions["broad"]),
        tuple(brackets["broad"]),
    )


def _check_shown(systems: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a pair to be shown that is none, before the work."""
    for name in systems:
        if name not in names:
            raise UsageError(f"{name!r} is not one of the systems; {did_you_mean(name, names)}")
    if systems and len(set(systems)) != 2:
        raise UsageError(f"{len(set(systems))} systems to be shown; name two different ones")


def _closest(
    truth: _Truth, pairs: Sequence[tuple[int, int]], names: Sequence[str]
) -> tuple[str, str]:
    """The two systems with the closest scores, unless these are equal."""
    sizes = [abs(float(difference)) or math.inf for difference in truth.differences]
    a, b = pairs[sizes.index(min(sizes))]
    return names[a], names[b]


def _draws(plan: SamplesPlan, units: int) -> list[Draw]:
    return [
        Draw(design, size, number)
        for design in DESIGNS
        for size in plan.sizes
        for number in range(plan.samples if design == "drawn" else units // size)
    ]


def _sampled_piece(
    shared: tuple[Sequence[Sample], Pairs, SamplesPlan, Sequence[Draw]], piece: int
) -> list[dict[str, Any]]:
    """The results of a sample by its number, for every metric."""
    whole, pairs, plan, draws = shared
    stream = ArrayDraws(plan.seed, piece)
    chosen = draws[piece].units(whole[0].units, stream)
    return _sampled([sample.of_units(chosen) for sample in whole], pairs, plan, stream.seed())


def _sampled(
    samples: Sequence[Sample], pairs: Pairs, plan: SamplesPlan, seed: int
) -> list[dict[str, Any]]:
    """The results of a sample, by metric."""
    result = []
    boots = bootstrap_scores(samples, plan.trials, seed, threads=1)
    for sample, boot in zip(samples, boots, strict=True):
        observed = Observed.of(sample, pairs)
        low, high = percentile_interval(boot, plan.level)
        better, worse = [], []
        for (a, b), slack in zip(pairs, observed.tolerance, strict=True):
            differences = observed.sign * (boot[a] - boot[b])
            better.append(int(np.count_nonzero(differences > slack)))
            worse.append(int(np.count_nonzero(differences < -slack)))
        result.append(
            {
                "scores": sample.scores().tolist(),
                "low": low.tolist(),
                "high": high.tolist(),
                "better": better,
                "worse": worse,
            }
        )
    return result


def _gather(entries: Sequence[dict[str, Any]], trials: int) -> _Found:
    def column(name: str) -> Scores:
        return np.array([entry[name] for entry in entries], dtype=np.float64)

    return _Found(
        column("scores"),
        column("low"),
        column("high"),
        column("better") / trials,
        column("worse") / trials,
    )


def _truth(sample: Sample, pairs: Pairs, boot: Scores) -> _Truth:
    observed = Observed.of(sample, pairs)
    tied = np.abs(observed.differences) <= observed.tolerance
    errors = [float((boot[a] - boot[b]).std(ddof=1)) for a, b in pairs]
    return _Truth(
        key_of(sample.metric),
        sample.scores(),
        np.where(tied, 0.0, observed.differences),
        np.array(errors),
    )


def _spread(truth: _Truth, design: Design, size: int, estimates: _Found) -> Spread:
    samples, systems = estimates.scores.shape
    first, second = np.triu_indices(systems, 1)
    differences = estimates.scores[:, first] - estimates.scores[:, second]
    inside = (estimates.low <= truth.scores) & (truth.scores <= estimates.high)
    several = samples > 1
    return Spread(
        truth.metric,
        design,
        size,
        samples,
        float(estimates.scores.std(axis=0, ddof=1).mean()) if several else float("nan"),
        float(differences.std(axis=0, ddof=1).mean()) if several else float("nan"),
        inside.size,
        int(inside.sum()),
    )


def _directions(findings: _Found) -> tuple[Scores, NDArray[np.int8]]:
    """The level of every conclusion, and the system that it favours."""
    direction = np.sign(findings.better - findings.worse).astype(np.int8)
    return np.maximum(findings.better, findings.worse), direction


def _conclusions(
    truth: _Truth, names: Sequence[str], size: int, findings: _Found, level: float
) -> list[PairAtSize]:
    """The shares of conclusions and of right ones (Koehn 2004, table 3)."""
    levels, directions = _directions(findings)
    drawn = levels >= level
    right = (drawn & (directions == np.sign(truth.differences))).sum(axis=0)
    wrong = drawn.sum(axis=0) - right
    return [
        PairAtSize(
            truth.metric,
            names[a],
            names[b],
            float(truth.scores[a] - truth.scores[b]),
            float(truth.errors[pair]),
            bool(truth.clear[pair]),
            size,
            len(levels),
            int(right[pair]),
            int(wrong[pair]),
        )
        for pair, (a, b) in enumerate(combinations(range(len(names)), 2))
        if truth.differences[pair] != 0
    ]


def _brackets(truth: _Truth, size: int, findings: _Found) -> list[Bracket]:
    """The shares of right conclusions by level (Koehn 2004, table 4)."""
    levels, directions = _directions(findings)
    real = (truth.differences != 0) & (directions != 0)
    right = directions == np.sign(truth.differences)
    result = []
    for low, high in zip(BRACKETS, (1.0, *BRACKETS), strict=False):
        inside = real & (levels >= low) & ((levels < high) | (high == 1.0))
        counts = [
            int(part.sum())
            for part in (inside, right & inside, inside & truth.clear, right & inside & truth.clear)
        ]
        result.append(Bracket(truth.metric, size, low, high, *counts))
    return result


def _series(
    metric: str, draws: Sequence[Draw], findings: _Found, pair: tuple[int, int]
) -> list[ShownSample]:
    a, b = pair
    systems = findings.scores.shape[1]
    place = list(combinations(range(systems), 2)).index((min(pair), max(pair)))
    better, worse = findings.better[:, place], findings.worse[:, place]
    if a > b:
        better, worse = worse, better
    return [
        ShownSample(
            metric,
            draw.design,
            draw.size,
            draw.number + 1,
            (float(findings.scores[n, a]), float(findings.scores[n, b])),
            (
                (float(findings.low[n, a]), float(findings.high[n, a])),
                (float(findings.low[n, b]), float(findings.high[n, b])),
            ),
            float(better[n]),
            float(worse[n]),
        )
        for n, draw in enumerate(draws)
    ]

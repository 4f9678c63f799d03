"""Runs as a sample: would the difference hold if the systems were trained again?

S is the mean of a system's corpus scores over its k runs, on u units. Over other units and other
runs, a difference has the variance

    V = v_u + Σ max(v − w, 0)    summed over the compared systems.

- v_u is u/(u − 1) times the bootstrap variance over units, with the runs fixed.
- v is the sample variance of the runs' scores (k − 1 in the denominator), divided by k.
- w is the part of v that the noise of units explains: u/(u − 1) · Σ_r Var*(S*_r − S̄*)/(k (k − 1)).

With strata, u is the size of the smallest. The bootstrap variances of plain means are computed
instead of drawn, so that chance does not decide whether V is 0. V has
V²/(v_u²/(u − 1) + Σ v²/(k − 1)) degrees of freedom, at least 1 (Satterthwaite 1946).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import UsageError
from weigh.stats.power import Family
from weigh.stats.procedures import ALTERNATIVES, RUNS_TEST
from weigh.stats.ranking import TOLERANCE
from weigh.stats.resample import Pairs, bootstrap_scores
from weigh.stats.sample import Sample
from weigh.stats.significance import PairTests
from weigh.stats.student import noncentrality, t_quantile

if TYPE_CHECKING:
    from weigh.engine.threads import Progress
    from weigh.types import Scores


@dataclass(frozen=True, slots=True)
class RunError:
    """Variance V of a score or of a difference, in two parts, and its degrees of freedom."""

    of_units: float
    of_runs: float
    freedom: float

    @property
    def deviation(self) -> float:
        """The standard error √V."""
        return math.sqrt(self.of_units + self.of_runs)

    def ends(self, value: float, tail: float) -> tuple[float, float]:
        """Ends of the interval value ∓ t √V, with error probability `tail` at each end.

        >>> low, high = RunError(of_units=3.0, of_runs=1.0, freedom=4.0).ends(10.0, 0.025)
        >>> round(low, 3), round(high, 3)  # t is 2.776
        (4.447, 15.553)
        """
        half = t_quantile(self.freedom, 1 - tail) * self.deviation
        return value - half, value + half

    def detectable(self, family: Family) -> float:
        """Smallest true difference that the test detects with the power of the family: c √V.

        c is the noncentrality of Student's t, as in `weigh.stats.power`.
        """
        return self._noncentrality(family) * self.deviation

    def units_needed(self, units: int, delta: float, family: Family) -> int | None:
        """Number of units at which `delta` is detectable; None if only more runs would help.

        More units reduce the variance of units, but not that of runs.
        """
        variance = (delta / self._noncentrality(family)) ** 2
        if variance <= self.of_runs:
            return None
        exact = units * self.of_units / (variance - self.of_runs)
        return max(2, math.ceil(exact * (1 - 1e-12)))  # a single unit shows no variance

    def p_values(self, difference: float) -> dict[str, float]:
        """P-values of an oriented difference by alternative; none is 0."""
        from scipy.special import stdtr  # much quicker to import than scipy.stats

        t = difference / self.deviation
        tails = {"two-sided": 2 * stdtr(self.freedom, -abs(t)), "better": stdtr(self.freedom, -t)}
        tails["worse"] = stdtr(self.freedom, t)
        least = np.finfo(np.float64).tiny
        return {name: float(np.clip(tails[name], least, 1)) for name in ALTERNATIVES}

    def _noncentrality(self, family: Family) -> float:
        return noncentrality(
            self.freedom, family.alpha / family.size, family.power, two_sided=family.two_sided
        )


@dataclass(frozen=True, slots=True)
class RunSpread:
    """Variances of one sample's systems, each scored by the mean over its runs.

    All scores have `offset` subtracted (`Sample.subtract_offset`). `means` are the systems'
    bootstrap scores (systems × trials) with fixed runs. For each system, `scores` is S, `of_runs`
    v, `explained` w, `runs` k, and `rounding` the possible rounding error of its score. `by_units`
    are the systems' scores of units, if S is their plain mean.
    """

    sample: Sample
    offset: float
    scores: Scores
    rounding: Scores
    means: Scores
    of_runs: Scores
    explained: Scores
    runs: Scores
    by_units: Scores | None = None

    @staticmethod
    def of(sample: Sample, offset: float, scores: Scores, boots: Scores) -> RunSpread:
        """Compute the variances from the scores and bootstrap scores of all runs, by system."""
        counts = [len(runs) for runs in sample.rows]
        ends = np.cumsum(counts)[:-1]
        means, of_runs, explained = [], [], []
        exact = sample.run_scores()
        for at, (run_scores, drawn) in enumerate(
            zip(np.split(scores, ends), np.split(boots, ends), strict=True)
        ):
            k = len(run_scores)
            mean = drawn.mean(axis=0)
            means.append(mean)
            of_runs.append(np.var(run_scores, ddof=1) / k)
            variances = (
                np.var(drawn - mean, axis=1, ddof=1)
                if exact is None
                else sample.mean_variance(exact[at] - exact[at].mean(axis=0))
            )
            explained.append(variances.sum() / (k * (k - 1)))
        u = sample.fewest_units
        larger = u / (u - 1) if u > 1 else math.nan
        systems = sample.scores()
        return RunSpread(
            sample,
            offset,
            systems,
            # Smaller variation is due to rounding.
            TOLERANCE * sample.magnitudes(systems) + 4 * np.finfo(np.float64).eps * abs(offset),
            np.array(means),
            np.array(of_runs),
            larger * np.array(explained),
            np.array(counts, dtype=np.float64),
            None if exact is None else np.array([runs.mean(axis=0) for runs in exact]),
        )

    def error(self, *systems: int) -> RunError | None:
        """Error of one system's score, or of the difference between two.

        None if nothing varies beyond rounding, or if there is only one unit.
        """
        u = self.sample.fewest_units
        if u < 2:
            return None
        chosen = list(systems)
        signs = np.array([1.0, -1.0])[: len(chosen)]
        v_u = (
            u
            / (u - 1)
            * float(
                np.var(signs @ self.means[chosen], ddof=1)
                if self.by_units is None
                else self.sample.mean_variance(signs @ self.by_units[chosen])
            )
        )
        v, w, k = self.of_runs[chosen], self.explained[chosen], self.runs[chosen]
        of_runs = float(np.where(v - w > TOLERANCE * v, v - w, 0).sum())
        if math.sqrt(v_u + of_runs) <= self.rounding[chosen].max():
            return None
        # Relative to V, because squares of variances could underflow or overflow.
        total = v_u + of_runs
        squares = (v_u / total) ** 2 / (u - 1) + float(((v / total) ** 2 / (k - 1)).sum())
        return RunError(v_u, of_runs, max(1.0, 1 / squares))

    def interval(self, level: float, *systems: int) -> tuple[float, float] | None:
        """Interval of a score or of a difference (not oriented); None if there is none."""
        error = self.error(*systems)
        if error is None:
            return None
        first, *second = self.scores[list(systems)]
        value = first - second[0] if second else first + self.offset
        return error.ends(float(value), (1 - level) / 2)

    def bound(self, level: float, a: int, b: int, *, above: bool) -> tuple[float, float] | None:
        """One-sided interval of a difference: to ∞ if `above`, otherwise from −∞.

        It excludes 0 if and only if the one-sided test rejects at 1 − level.
        """
        error = self.error(a, b)
        if error is None:
            return None
        low, high = error.ends(float(self.scores[a] - self.scores[b]), 1 - level)
        return (low, math.inf) if above else (-math.inf, high)

    def test(self, pairs: Pairs) -> PairTests:
        """Test D/√V against Student's t. If V is 0, p is 1 for D = 0 and NaN otherwise."""
        sign = 1 if self.sample.metric.higher_is_better else -1
        p_values = {name: np.full(len(pairs), np.nan) for name in ALTERNATIVES}
        for i, (a, b) in enumerate(pairs):
            difference = sign * float(self.scores[a] - self.scores[b])
            if abs(difference) <= max(self.rounding[a], self.rounding[b]):
                difference = 0.0
            error = self.error(a, b)
            if error is not None:
                by_alternative = error.p_values(difference)
            elif difference == 0:
                by_alternative = dict.fromkeys(ALTERNATIVES, 1.0)
            else:
                continue
            for name, p in by_alternative.items():
                p_values[name][i] = p
        return PairTests.from_p_values(RUNS_TEST, p_values)


def run_spreads(
    samples: Sequence[Sample],
    trials: int,
    seed: int,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[RunSpread]:
    """Variances of each sample, from bootstrap samples of units with fixed runs."""
    for name, runs in zip(samples[0].names, samples[0].rows, strict=True):
        if len(runs) < 2:
            raise UsageError(
                f"{name} has only one run, but --runs-as-sample needs two or more; add runs "
                "(NAME@RUN=FILE), or leave out --runs-as-sample"
            )
    shifted, offsets = zip(*(sample.subtract_offset() for sample in samples), strict=True)
    single_runs = [
        replace(
            sample,
            names=tuple(
                name for name, runs in zip(sample.names, sample.rows, strict=True) for _ in runs
            ),
            rows=tuple((run,) for runs in sample.rows for run in runs),
        )
        for sample in shifted
    ]
    boots = bootstrap_scores(single_runs, trials, seed, threads=threads, progress=progress)
    return [
        RunSpread.of(sample, offset, runs.scores(), drawn)
        for sample, offset, runs, drawn in zip(shifted, offsets, single_runs, boots, strict=True)
    ]

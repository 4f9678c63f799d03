"""Runs as a sample: would the difference stay if the systems were trained again?

S is the mean of a system's corpus scores over its k runs, on u units. What S would be with other
units and other runs varies by both, and so

    V = v_u + Σ max(v − w, 0)    over the systems that are compared,

with v_u = u/(u − 1) times the bootstrap variance over units with the runs as they are, v the
variance of the runs' scores (k − 1) divided by k, and w the part of v that the noise of units
explains: u/(u − 1) · Σ_r Var*(S*_r − S̄*) / (k (k − 1)). Of strata, u is that of the smallest.
The bootstrap variances of plain means are known without drawing, so that chance does not decide
whether V is 0.
V has V² / (v_u²/(u − 1) + Σ v²/(k − 1)) degrees of freedom, at least 1 (Satterthwaite 1946).
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
        """√V."""
        return math.sqrt(self.of_units + self.of_runs)

    def ends(self, value: float, tail: float) -> tuple[float, float]:
        """Return value ∓ t √V, with a probability of `tail` beyond either end.

        >>> low, high = RunError(of_units=3.0, of_runs=1.0, freedom=4.0).ends(10.0, 0.025)
        >>> round(low, 3), round(high, 3)  # t is 2.776
        (4.447, 15.553)
        """
        half = t_quantile(self.freedom, 1 - tail) * self.deviation
        return value - half, value + half

    def detectable(self, family: Family) -> float:
        """Smallest true difference that the test finds with the power of the family: c √V.

        c is the noncentrality of Student's t, as in `weigh.stats.power`.
        """
        return self._noncentrality(family) * self.deviation

    def units_needed(self, units: int, delta: float, family: Family) -> int | None:
        """Units that make `delta` detectable, or None where only more runs would.

        The part of V that is of units falls with their number, and that of runs stays.
        """
        variance = (delta / self._noncentrality(family)) ** 2
        if variance <= self.of_runs:
            return None
        exact = units * self.of_units / (variance - self.of_runs)
        return max(2, math.ceil(exact * (1 - 1e-12)))  # one has no variance

    def p_values(self, difference: float) -> dict[str, float]:
        """Return the p-value of an oriented difference for every alternative; none is 0."""
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
    """Variances of the systems of one sample, each the mean of its runs.

    All scores are less `offset` (`Sample.less_offset`). `means` are the systems' bootstrap scores
    (systems × trials) with the runs as they are. For each system, `scores` is S, `of_runs` v,
    `explained` w, `runs` k, and `rounding` the possible rounding error of its score. `by_units` has
    the systems' scores of units, where S is their plain mean.
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
        """Take the scores of all runs, system after system, and their bootstrap scores."""
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
            # What varies by less does so by rounding.
            TOLERANCE * sample.magnitudes(systems) + 4 * np.finfo(np.float64).eps * abs(offset),
            np.array(means),
            np.array(of_runs),
            larger * np.array(explained),
            np.array(counts, dtype=np.float64),
            None if exact is None else np.array([runs.mean(axis=0) for runs in exact]),
        )

    def error(self, *systems: int) -> RunError | None:
        """Error of one system's score, or of the difference between two.

        None where nothing varies except by rounding, and for a single unit.
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
        # Parts of V, since squares of variances are too small or too large for some scores.
        total = v_u + of_runs
        squares = (v_u / total) ** 2 / (u - 1) + float(((v / total) ** 2 / (k - 1)).sum())
        return RunError(v_u, of_runs, max(1.0, 1 / squares))

    def interval(self, level: float, *systems: int) -> tuple[float, float] | None:
        """Return the interval of a score or of the difference between two as it is, if any."""
        error = self.error(*systems)
        if error is None:
            return None
        first, *second = self.scores[list(systems)]
        value = first - second[0] if second else first + self.offset
        return error.ends(float(value), (1 - level) / 2)

    def test(self, pairs: Pairs) -> PairTests:
        """Test pairs by D/√V against Student's t; without V, p is 1 if D is 0 and else NaN."""
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
    """Variances of each sample, from bootstrap samples of units in which runs stay as they are."""
    for name, runs in zip(samples[0].names, samples[0].rows, strict=True):
        if len(runs) < 2:
            raise UsageError(
                f"{name} has only one run, but --runs-as-sample needs two or more; add runs "
                "(NAME@RUN=FILE), or leave out --runs-as-sample"
            )
    shifted, offsets = zip(*(sample.less_offset() for sample in samples), strict=True)
    apart = [
        replace(
            sample,
            names=tuple(
                name for name, runs in zip(sample.names, sample.rows, strict=True) for _ in runs
            ),
            rows=tuple((run,) for runs in sample.rows for run in runs),
        )
        for sample in shifted
    ]
    boots = bootstrap_scores(apart, trials, seed, threads=threads, progress=progress)
    return [
        RunSpread.of(sample, offset, runs.scores(), drawn)
        for sample, offset, runs, drawn in zip(shifted, offsets, apart, boots, strict=True)
    ]

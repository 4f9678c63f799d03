"""Tests of the difference between two systems, for all pairs and metrics.

D = S_a − S_b is oriented so that positive means that a is better, and d* are its counterparts in B
trials. Comparisons such as d* ≥ D have a tolerance for rounding: 1e-12 times the largest unit
difference for means, and times max(|S_a|, |S_b|) for other metrics. Ties therefore count as
extreme, and two identical outputs have p = 1 in every test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError
from weigh.stats.procedures import ALTERNATIVES, PROCEDURES
from weigh.stats.ranking import TOLERANCE, with_ties
from weigh.stats.resample import Pairs
from weigh.stats.sample import Means, Sample

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from weigh.types import Scores

    Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Observed:
    """The observed differences of one sample's pairs, oriented, and their tolerances for ties."""

    sign: int
    differences: Scores
    tolerance: Scores

    @staticmethod
    def of(sample: Sample, pairs: Pairs, means: Means | None = None) -> Observed:
        """Compute the differences of a sample's pairs; `means` is `sample.means()` if known.

        For means, unit differences are averaged, so a common offset of all scores has no effect.
        """
        sign = 1 if sample.metric.higher_is_better else -1
        a, b = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        means = means or sample.means()
        if means is None:
            scores = sample.scores()
            size = sample.magnitudes(scores)
        else:
            scores = means.values @ means.weights
            units = np.abs(means.values / means.sizes).max(axis=1)
            size = units + 4 * means.noise / means.sizes.min() / TOLERANCE
        tolerance = TOLERANCE * np.maximum(size[a], size[b])
        return Observed(sign, sign * (scores[a] - scores[b]), tolerance)


@dataclass(frozen=True, slots=True)
class PairTests:
    """The outcome of one test for the pairs of one sample.

    `counts` and `p_values` hold one array (one element per pair) for each alternative. `trials` is
    the number of trials drawn for each pair, 0 where p is computed. `exact` marks p-values over all
    possible swaps. `is_open` marks conclusions within Monte Carlo error of α.
    """

    test: str
    trials: Counts
    exact: NDArray[np.bool_]
    counts: dict[str, Counts]
    p_values: dict[str, Scores]
    is_open: NDArray[np.bool_]

    @staticmethod
    def from_trials(
        test: str, trials: int, counts: dict[str, Counts], p_values: dict[str, Scores]
    ) -> PairTests:
        """The outcome of a test with the same number of trials for every pair."""
        pairs = len(next(iter(p_values.values())))
        no = np.zeros(pairs, dtype=bool)
        return PairTests(test, np.full(pairs, trials), no, counts, p_values, no)

    @staticmethod
    def from_p_values(test: str, p_values: dict[str, Scores]) -> PairTests:
        """The outcome of a test without trials."""
        pairs = len(next(iter(p_values.values())))
        none = np.zeros(pairs, dtype=np.int64)
        counts = dict.fromkeys(ALTERNATIVES, none)
        no = np.zeros(pairs, dtype=bool)
        return PairTests(test, none, no, counts, p_values, no)

    def p_stderr(self, alternative: str) -> Scores:
        """Monte Carlo standard error of the p-values: sqrt(p (1 − p)/(T + 1)).

        A two-sided p that is twice a tail q (paired bootstrap) has twice the error of q.
        """
        p = self.p_values[alternative]
        if alternative != "two-sided" or not PROCEDURES[self.test].doubled:
            error = np.sqrt(p * (1 - p) / (self.trials + 1))
        else:
            q = np.where(p < 1, p / 2, self.counts[alternative] / np.maximum(self.trials, 1))
            error = np.sqrt(4 * q * (1 - q) / (self.trials + 1))
        return np.where(self.trials == 0, 0.0, error)


def extreme_counts(observed: Observed, null: Scores) -> dict[str, Counts]:
    """For each alternative, count the trials that are at least as extreme as the observation."""
    d = observed.differences[:, None]
    slack = observed.tolerance[:, None]
    return {
        "two-sided": np.count_nonzero(np.abs(null) >= np.abs(d) - slack, axis=1),
        "better": np.count_nonzero(null >= d - slack, axis=1),
        "worse": np.count_nonzero(null <= d + slack, axis=1),
    }


def bootstrap(
    sample: Sample, pairs: Pairs, scores: Scores, *, observed: Observed | None = None
) -> PairTests:
    """Test pairs by the bootstrap shifted to the null (Graham et al. 2014, fig. 1 and 3).

    1. d* are the differences of bootstrap samples, τ their mean.
    2. c counts |d* − τ| ≥ |D| two-sided, d* − τ ≥ D for `better`, d* − τ ≤ D for `worse`. The shift
       is applied before the absolute value is taken.
    3. p = (c + 1)/(B + 1).
    """
    observed = observed or Observed.of(sample, pairs)
    trials = scores.shape[1]
    counts = {name: np.zeros(len(pairs), np.int64) for name in ALTERNATIVES}
    for i, (a, b) in enumerate(pairs):
        differences = observed.sign * (scores[a] - scores[b])
        shifted = differences - differences.mean()
        pair = Observed(
            observed.sign, observed.differences[i : i + 1], observed.tolerance[i : i + 1]
        )
        for name, counted in extreme_counts(pair, shifted[None, :]).items():
            counts[name][i] = counted[0]
    p_values = {name: (c + 1) / (trials + 1) for name, c in counts.items()}
    return PairTests.from_trials("bootstrap", trials, counts, p_values)


def paired_bootstrap(
    sample: Sample, pairs: Pairs, scores: Scores, *, observed: Observed | None = None
) -> PairTests:
    """Test pairs by how often a bootstrap sample reverses the difference (Koehn 2004 §6).

    See also Graham et al. (2014), fig. 4.

    1. d* are the differences of bootstrap samples.
    2. For `better` c counts d* ≤ 0 and for `worse` d* ≥ 0; p = (c + 1)/(B + 1). Two-sided,
       p = min(1, 2 (c + 1)/(B + 1)) for the smaller of the two.
    """
    observed = observed or Observed.of(sample, pairs)
    trials = scores.shape[1]
    counts = {name: np.zeros(len(pairs), np.int64) for name in ALTERNATIVES}
    for i, (a, b) in enumerate(pairs):
        differences = observed.sign * (scores[a] - scores[b])
        slack = observed.tolerance[i]
        counts["better"][i] = np.count_nonzero(differences <= slack)
        counts["worse"][i] = np.count_nonzero(differences >= -slack)
    counts["two-sided"] = np.minimum(counts["better"], counts["worse"])
    p_values = {name: (c + 1) / (trials + 1) for name, c in counts.items()}
    p_values["two-sided"] = np.minimum(1.0, 2 * p_values["two-sided"])
    return PairTests.from_trials("paired-bootstrap", trials, counts, p_values)


# Tukey's and Scheffé's comparisons of all pairs, for metrics that are means of segment scores.
#
# The scores, n segments × S systems, form a randomized block design: segments are blocks, because
# every system translates the same ones. The error is the interaction of system and segment, with
# (n − 1)(S − 1) degrees of freedom (Scheffé 1959, chapter 4). Both methods assume that it is normal
# with the same variance for every system. Their p-values are already adjusted for all pairs (Tukey)
# or for all contrasts (Scheffé).

# SciPy integrates the studentized range to about 1e-10; for smaller p, the tail bound is better.
_SMALLEST_INTEGRATED = 1e-8


def tukey(scores: ArrayLike) -> Scores:
    """P-values of all pairs (S × S) by Tukey's honestly significant difference.

    q = |mean_i − mean_j| / sqrt(MS/n), where MS is the mean square of the interaction, is compared
    with the studentized range of S means (Tukey 1953). Where Bonferroni's bound (the number of
    pairs times the p-value of Student's t) is below 1e-8, it is returned instead: it is slightly
    larger, but accurate where integration is not. Equal means give 1; no p-value is 0.
    """
    from scipy.special import stdtr
    from scipy.stats import studentized_range

    array = _check_scores(scores)
    systems, df = _shape(array)
    upper = np.triu_indices(systems, 1)
    q = _studentized_ranges(array)[upper]
    one_pair = 2 * stdtr(df, -q / np.sqrt(2))
    bound = np.minimum(one_pair * len(q), 1)
    p = bound.copy()
    integrated = bound >= _SMALLEST_INTEGRATED
    p[integrated] = np.clip(
        studentized_range.sf(q[integrated], systems, df), one_pair[integrated], bound[integrated]
    )
    return _matrix(p, upper, systems)


def scheffe(scores: ArrayLike) -> Scores:
    """P-values of all pairs (S × S) by Scheffé's method.

    F = (mean_i − mean_j)² / ((S − 1) · MS · 2/n), where MS is the mean square of the interaction,
    has S − 1 and (n − 1)(S − 1) degrees of freedom (Scheffé 1953). The method is valid for every
    contrast among the systems, even one chosen after seeing the data, and is therefore more
    conservative for pairs than Tukey's. Equal means give 1; no p-value is 0.
    """
    from scipy.special import fdtrc

    array = _check_scores(scores)
    systems, df = _shape(array)
    upper = np.triu_indices(systems, 1)
    f = _studentized_ranges(array)[upper] ** 2 / (2 * (systems - 1))
    return _matrix(fdtrc(systems - 1, df, f), upper, systems)


def interaction_mean_square(scores: ArrayLike) -> float:
    """Mean square of the interaction of system and segment:

    Σ (x_ij − mean of segment i − mean of system j + grand mean)² / ((n − 1)(S − 1)).
    """
    array = _check_scores(scores)
    _, df = _shape(array)
    rest = array - array.mean(axis=1, keepdims=True) - array.mean(axis=0) + array.mean()
    return float((rest**2).sum() / df)


def _check_scores(scores: ArrayLike) -> Scores:
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 2 or min(array.shape) < 2:
        raise InputError(
            f"Tukey and Scheffé: segment scores of shape {array.shape}; "
            "they need at least 2 segments of at least 2 systems"
        )
    return array


def _shape(array: Scores) -> tuple[int, int]:
    """Number of systems, and the degrees of freedom of the error."""
    segments, systems = array.shape
    return systems, (segments - 1) * (systems - 1)


def _studentized_ranges(array: Scores) -> Scores:
    """|mean_i − mean_j| / sqrt(MS/n) for all pairs; 0 where the means are equal."""
    means = with_ties(array.mean(axis=0), float(np.abs(array).max()))
    distances = np.abs(means[:, None] - means)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = distances / np.sqrt(interaction_mean_square(array) / len(array))
    return np.where(distances == 0, 0.0, q)


def _matrix(p: Scores, upper: tuple[NDArray[np.intp], ...], systems: int) -> Scores:
    matrix = np.ones((systems, systems))
    matrix[upper] = np.clip(p, np.finfo(np.float64).tiny, 1)
    return np.minimum(matrix, matrix.T)


# Other tools' p-values, computed from differences that are already resampled.
#
# These functions show where an old number came from. Each rejects a true null hypothesis more often
# than its level; the docstrings explain why. The draws are weigh's own, so p-values agree with
# those of the tools up to Monte Carlo error. Like the tools, they have no tolerance for rounding.
#
# `observed` has shape (...), `differences` of trials (..., trials), and p-values (...).


def sacrebleu_bootstrap_p(observed: ArrayLike, differences: ArrayLike) -> Scores:
    """P-value of sacreBLEU's paired bootstrap (`--paired-bs`, version 2).

    With differences d* over units drawn with replacement and observed difference D:
    c = #{|d*| − mean |d*| > |D|}, p = (c + 1)/(B + 1).

    What is wrong: the absolute value is taken before the centre is subtracted. Under the null
    hypothesis, this cuts off one tail and moves the other inwards, and at α = .05 the test rejects
    9 to 11% of the time. Moreover, ties do not count: identical systems get p = 1/(B + 1), the most
    significant value possible.

    >>> float(sacrebleu_bootstrap_p(0.0, [0.0] * 9))
    0.1
    """
    size, centred = _centred_sizes(observed, differences)
    count = (centred > size).sum(axis=-1)
    return np.asarray((count + 1) / (centred.shape[-1] + 1))


def moses_bootstrap_p(observed: ArrayLike, differences: ArrayLike) -> Scores:
    """P-value of Moses' `bootstrap-hypothesis-difference-significance.pl`.

    With differences d* over units drawn with replacement and observed difference D:
    c = #{|d*| − mean |d*| ≥ |D|}, p = c/B.

    What is wrong: absolute values are centred, a flaw that sacreBLEU's test has taken over, so it
    rejects as often as that test. Without the + 1, the p-value can be 0. Ties do count.

    >>> float(moses_bootstrap_p(0.0, [0.0] * 9))
    1.0
    """
    size, centred = _centred_sizes(observed, differences)
    return np.asarray((centred >= size).mean(axis=-1))


def multeval_p(observed: ArrayLike, differences: ArrayLike) -> Scores:
    """P-value of MultEval's stratified approximate randomization.

    c = #{|d*| > |D|}, p = (c + 1)/(B + 1). D and d* are differences between scores of statistics
    summed over all segments and runs of a system. In every trial, a separate coin for each segment
    *and run* decides whether the two systems swap that row. (MultEval also permutes the runs within
    a segment. This does not change sums over all runs, except for the second pseudo-system if there
    are three or more different runs: it gets the inverse permutation, so the two pseudo-systems are
    not exact complements.)

    What is wrong: the runs of a segment are not independent, but a coin for each treats them as
    separate segments. With r identical runs, the pseudo-differences are too small by a factor of
    √r: with three, the test rejects a true null hypothesis 26% of the time at α = .05. The
    statistic pools the runs instead of averaging their scores. Moreover, ties do not count:
    identical systems get p = 1/(B + 1).

    >>> float(multeval_p(0.0, [0.0] * 9))
    0.1
    """
    size, sizes = _sizes(observed, differences)
    return np.asarray(((sizes > size).sum(axis=-1) + 1) / (sizes.shape[-1] + 1))


def _sizes(observed: ArrayLike, differences: ArrayLike) -> tuple[Scores, Scores]:
    size = np.abs(np.asarray(observed, dtype=np.float64))[..., None]
    return size, np.abs(np.asarray(differences, dtype=np.float64))


def _centred_sizes(observed: ArrayLike, differences: ArrayLike) -> tuple[Scores, Scores]:
    size, sizes = _sizes(observed, differences)
    return size, sizes - sizes.mean(axis=-1, keepdims=True)

"""Other tools' p-values, as formulas over numbers already resampled.

They are here to show where an old number came from. Each rejects a true null hypothesis more often
than it says; the functions say why. The draws are ours, so p-values agree with the tools' own up
to Monte Carlo error. No tolerance is applied, as the tools apply none.

`observed` has shape (...), the resampled differences (..., trials), and the p-values (...).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


def sacrebleu_bootstrap_p(observed: ArrayLike, differences: ArrayLike) -> Floats:
    """Return the p-value of sacreBLEU's paired bootstrap (`--paired-bs`, version 2).

    With differences d* over units drawn with replacement and observed difference D:
    c = #{|d*| − mean |d*| > |D|}, p = (c + 1)/(B + 1).

    What is wrong: the absolute value is taken first and the centre subtracted after, so under the
    null hypothesis one tail is cut off and the other is moved inwards; at α = .05 it rejects 9 to
    11% of the time. And ties do not count: identical systems get p = 1/(B + 1), the most
    significant value there is.

    >>> float(sacrebleu_bootstrap_p(0.0, [0.0] * 9))
    0.1
    """
    size, centred = _centred_sizes(observed, differences)
    count = (centred > size).sum(axis=-1)
    return np.asarray((count + 1) / (centred.shape[-1] + 1))


def moses_bootstrap_p(observed: ArrayLike, differences: ArrayLike) -> Floats:
    """Return the p-value of Moses' `bootstrap-hypothesis-difference-significance.pl`.

    With differences d* over units drawn with replacement and observed difference D:
    c = #{|d*| − mean |d*| ≥ |D|}, p = c/B.

    What is wrong: it centres absolute values as sacreBLEU's does, which follows it, and rejects as
    often; and without + 1 the p-value can be 0. Ties do count.

    >>> float(moses_bootstrap_p(0.0, [0.0] * 9))
    1.0
    """
    size, centred = _centred_sizes(observed, differences)
    return np.asarray((centred >= size).mean(axis=-1))


def multeval_p(observed: ArrayLike, differences: ArrayLike) -> Floats:
    """Return the p-value of MultEval's stratified approximate randomization.

    c = #{|d*| > |D|}, p = (c + 1)/(B + 1), where D and d* are differences of scores of the
    statistics summed over all segments and all runs of a system, and in every trial a coin of its
    own for each segment *and run* decides whether the two systems swap that row. (MultEval also
    permutes the runs within a segment, which leaves sums over all runs as they are but for the
    second pseudo-system of three or more runs that differ: it takes the inverse permutation, and
    then the two pseudo-systems are not quite complements.)

    What is wrong: the runs of a segment are not independent, and tossing a coin for each takes
    them for new segments. With r identical runs the pseudo-differences are too small by √r: for
    three it rejects a true null hypothesis 26% of the time at α = .05. The statistic pools the
    runs instead of averaging their scores. And ties do not count: identical systems get
    p = 1/(B + 1).

    >>> float(multeval_p(0.0, [0.0] * 9))
    0.1
    """
    size, sizes = _sizes(observed, differences)
    return np.asarray(((sizes > size).sum(axis=-1) + 1) / (sizes.shape[-1] + 1))


def _sizes(observed: ArrayLike, differences: ArrayLike) -> tuple[Floats, Floats]:
    size = np.abs(np.asarray(observed, dtype=np.float64))[..., None]
    return size, np.abs(np.asarray(differences, dtype=np.float64))


def _centred_sizes(observed: ArrayLike, differences: ArrayLike) -> tuple[Floats, Floats]:
    size, sizes = _sizes(observed, differences)
    return size, sizes - sizes.mean(axis=-1, keepdims=True)

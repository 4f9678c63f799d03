"""Tukey's and Scheffé's comparisons of all pairs, for metrics that are means of segment scores.

The scores, n segments × S systems, are a randomized block design: segments are blocks, for every
system translates the same ones. The error is the interaction of system and segment, with
(n − 1)(S − 1) degrees of freedom (Scheffé 1959, chapter 4). Both methods assume
that it is normal with the same variance for every system. The p-values are already adjusted for
all pairs (Tukey) or for all contrasts (Scheffé).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError
from weigh.stats.ranking import with_ties

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

# SciPy integrates the studentized range to about 1e-10; below this the tail bound is better.
_SMALLEST_INTEGRATED = 1e-8


def tukey(scores: ArrayLike) -> Floats:
    """Return the p-value of every pair (S × S) by Tukey's honestly significant difference.

    q = |mean_i − mean_j| / sqrt(MS/n), MS the mean square of the interaction, against the
    studentized range of S means (Tukey 1953). Where Bonferroni's bound, the number of pairs times
    the p-value of Student's t, is below 1e-8, the bound is given: it is a little larger, but
    accurate where integration is not. Equal means give 1; no p-value is 0.
    """
    from scipy.special import stdtr
    from scipy.stats import studentized_range

    array = _checked(scores)
    systems, df = _shape(array)
    upper = np.triu_indices(systems, 1)
    q = _studentized(array)[upper]
    one_pair = 2 * stdtr(df, -q / np.sqrt(2))
    bound = np.minimum(one_pair * len(q), 1)
    p = bound.copy()
    integrated = bound >= _SMALLEST_INTEGRATED
    p[integrated] = np.clip(
        studentized_range.sf(q[integrated], systems, df), one_pair[integrated], bound[integrated]
    )
    return _matrix(p, upper, systems)


def scheffe(scores: ArrayLike) -> Floats:
    """Return the p-value of every pair (S × S) by Scheffé's method.

    F = (mean_i − mean_j)² / ((S − 1) · MS · 2/n), MS the mean square of the interaction, with
    S − 1 and (n − 1)(S − 1) degrees of freedom (Scheffé 1953). It holds for every contrast among
    the systems, also one chosen after looking, and is therefore stricter than Tukey's for pairs.
    Equal means give 1; no p-value is 0.
    """
    from scipy.special import fdtrc

    array = _checked(scores)
    systems, df = _shape(array)
    upper = np.triu_indices(systems, 1)
    f = _studentized(array)[upper] ** 2 / (2 * (systems - 1))
    return _matrix(fdtrc(systems - 1, df, f), upper, systems)


def interaction_mean_square(scores: ArrayLike) -> float:
    """Return the mean square of what neither the system nor the segment explains.

    Σ (x_ij − mean of segment i − mean of system j + grand mean)² / ((n − 1)(S − 1)).
    """
    array = _checked(scores)
    _, df = _shape(array)
    rest = array - array.mean(axis=1, keepdims=True) - array.mean(axis=0) + array.mean()
    return float((rest**2).sum() / df)


def _checked(scores: ArrayLike) -> Floats:
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 2 or min(array.shape) < 2:
        raise InputError(
            f"Tukey and Scheffé: segment scores of shape {array.shape}; "
            "they need at least 2 segments of at least 2 systems"
        )
    return array


def _shape(array: Floats) -> tuple[int, int]:
    """Return the number of systems and the degrees of freedom of the error."""
    segments, systems = array.shape
    return systems, (segments - 1) * (systems - 1)


def _studentized(array: Floats) -> Floats:
    """Return |mean_i − mean_j| / sqrt(MS/n) for all pairs; 0 where the means are equal."""
    means = with_ties(array.mean(axis=0), float(np.abs(array).max()))
    distances = np.abs(means[:, None] - means)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = distances / np.sqrt(interaction_mean_square(array) / len(array))
    return np.where(distances == 0, 0.0, q)


def _matrix(p: Floats, upper: tuple[NDArray[np.intp], ...], systems: int) -> Floats:
    matrix = np.ones((systems, systems))
    matrix[upper] = np.clip(p, np.finfo(np.float64).tiny, 1)
    return np.minimum(matrix, matrix.T)

"""How often a metric decides between two systems as people do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


def pairwise_accuracy(human: ArrayLike, metric: ArrayLike) -> float:
    """Return the share of pairs of systems that a metric orders as people do (Kocmi et al. 2021).

    Scores are oriented: more is better. Where one says that two systems are level and the other
    does not, they disagree.

    >>> pairwise_accuracy([1, 2, 3], [10, 30, 20])
    0.6666666666666666
    """
    scores = np.asarray(metric, np.float64)
    return float(accuracy_of_rows(np.asarray(human, np.float64), scores[None])[0])


def accuracy_of_rows(human: Floats, rows: Floats) -> Floats:
    """Return the pairwise accuracy of every row of scores."""
    if rows.shape[1:] != human.shape or human.size < 2:
        raise InputError(
            f"pairwise accuracy: scores of {rows.shape[1:]} and {human.shape} systems; "
            "give both for the same systems, two at least"
        )
    first, second = np.triu_indices(human.size, 1)
    signs = np.sign(human[first] - human[second])
    agree = np.sign(rows[:, first] - rows[:, second]) == signs
    return np.asarray(agree.mean(axis=1), np.float64)


def soft_pairwise_accuracy(p_human: ArrayLike, p_metric: ArrayLike) -> float:
    """Return the mean of 1 − |p_h − p_m| over pairs of systems (Thompson et al. 2024).

    Both are p-values of one-sided tests of "the first system is better", so that a metric is
    rewarded for being as sure as people are, not only for the same order.

    >>> round(soft_pairwise_accuracy([0.01, 0.5], [0.02, 0.9]), 3)
    0.795
    """
    human, metric = np.asarray(p_human, np.float64), np.asarray(p_metric, np.float64)
    if human.shape != metric.shape or not human.size:
        raise InputError(
            f"soft pairwise accuracy: {human.shape} and {metric.shape} p-values; "
            "give both for the same pairs"
        )
    return float((1 - np.abs(human - metric)).mean())

"""Right and wrong outcomes of several methods on the same cases: do the methods differ?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.stats.ranking import sign_test

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Outcomes = NDArray[np.bool_]  # methods × cases: whether a method is right in a case


class ChiSquare(NamedTuple):
    """A statistic that has a chi-square distribution, its degrees of freedom and its p-value."""

    statistic: float
    df: int
    p_value: float


@dataclass(frozen=True, slots=True)
class PairOfMethods:
    """Two methods; `only_a` and `only_b` count the cases in which just one of them is right."""

    a: str
    b: str
    only_a: int
    only_b: int
    chi_square_p: float
    mcnemar_p: float


def pairs_of_methods(names: Sequence[str], outcomes: Outcomes) -> tuple[PairOfMethods, ...]:
    """Compare every two methods that were tried on the same cases."""
    pairs = []
    for i, j in combinations(range(len(names)), 2):
        first, second = outcomes[i], outcomes[j]
        only_a = int(np.count_nonzero(first & ~second))
        only_b = int(np.count_nonzero(second & ~first))
        pairs.append(
            PairOfMethods(
                names[i],
                names[j],
                only_a,
                only_b,
                chi_square(outcomes[[i, j]]).p_value,
                mcnemar(only_a, only_b),
            )
        )
    return tuple(pairs)


def chi_square(outcomes: Outcomes) -> ChiSquare:
    """Pearson's test of equal success rates of all methods.

    For two methods with Yates' correction. It takes the cases of each method for a sample of
    their own, which they are not where all are tried on the same cases. Methods that are always
    or never right give p = 1.
    """
    from scipy.stats import chi2_contingency

    methods, cases = outcomes.shape
    right = outcomes.sum(axis=1)
    if right.sum() in (0, methods * cases):
        return ChiSquare(0.0, methods - 1, 1.0)
    test = chi2_contingency(np.array([right, cases - right]))
    return ChiSquare(float(test.statistic), int(test.dof), float(test.pvalue))


def cochran(outcomes: Outcomes) -> ChiSquare:
    """Cochran's Q test of equal success rates of methods on the same cases.

    Cochran (1950): with k methods, C_j the cases in which method j is right, R_i the methods that
    are right in case i and T all of these, Q = (k − 1)(k Σ C_j² − T²)/(k T − Σ R_i²), against
    chi-square with k − 1 degrees of freedom. Methods that never differ give p = 1.
    """
    from scipy.special import chdtrc

    k = len(outcomes)
    by_method, by_case = outcomes.sum(axis=1), outcomes.sum(axis=0)
    total = int(by_method.sum())
    spread = k * total - int((by_case**2).sum())
    if spread == 0:
        return ChiSquare(0.0, k - 1, 1.0)
    q = (k - 1) * (k * int((by_method**2).sum()) - total**2) / spread
    return ChiSquare(q, k - 1, float(chdtrc(k - 1, q)))


def mcnemar(only_a: int, only_b: int) -> float:
    """The exact p-value of McNemar's test on cases in which only one method is right.

    McNemar (1947), with the binomial distribution instead of its approximation.

    >>> round(mcnemar(6, 0), 6)
    0.03125
    """
    return sign_test(only_a, only_b)

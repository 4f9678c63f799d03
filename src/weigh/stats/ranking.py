"""Systems from best to worst, in clusters that the tests can tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def clusters(names: Sequence[str], scores: ArrayLike, beats: ArrayLike) -> list[list[str]]:
    """Return clusters of systems, best first, as shared tasks print them.

    1. Order the systems by score, higher is better (turn the sign of error rates); equal scores
       keep their order.
    2. A boundary stands where every system above significantly beats every system below.

    `beats[i, j]` says that system i is significantly better than system j, from adjusted
    two-sided tests of all pairs. Two systems of one cluster may still differ significantly.

    >>> clusters(["A", "B", "C"], [1, 3, 2], [[0, 0, 0], [1, 0, 0], [1, 0, 0]])
    [['B', 'C'], ['A']]
    """
    order = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")
    matrix = np.asarray(beats, dtype=bool)[np.ix_(order, order)]
    result: list[list[str]] = []
    for place, system in enumerate(order):
        if matrix[:place, place:].all():  # true of the first place, where nobody stands above
            result.append([])
        result[-1].append(names[system])
    return result

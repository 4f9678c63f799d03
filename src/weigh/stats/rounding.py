"""Numbers that are equal in exact arithmetic, and that only rounding tells apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Sums of some hundred floats err by about 1e-14 of the largest of them, and what people or metrics
# really tell apart differs by more than 1e-9: 1e-12 lies between, as for the ties of every test.
TOLERANCE = 1e-12


def with_ties(values: ArrayLike, scale: float) -> NDArray[np.float64]:
    """Return values with those set equal that lie no further apart than rounding may put them.

    `scale` is the size of the numbers that they were computed of, such as the largest score of
    those that were averaged: that of the values may be much smaller, where they cancel out. Values
    are neighbours if they differ by at most `TOLERANCE` of it, and a chain of neighbours becomes
    its smallest value. Rounding to so many digits would part those on both sides of a boundary.

    >>> with_ties([0.1 + 0.2, 0.3, 0.31], 1.0).tolist()
    [0.3, 0.3, 0.31]
    """
    given = np.asarray(values, dtype=np.float64)
    ordered = np.sort(given)
    first = np.append(True, ~(np.diff(ordered) <= TOLERANCE * scale))[: ordered.size]
    places = np.searchsorted(ordered, given)
    return ordered[first][np.cumsum(first)[places] - 1] if ordered.size else given

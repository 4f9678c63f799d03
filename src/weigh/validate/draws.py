"""Random draws of whole arrays that stay the same for a seed, whatever the version of NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD = 1 << 64


class ArrayDraws:
    """One stream of draws: a seed has as many streams as there are whole numbers.

    The bits are those of Philox, whose sequence is fixed (Salmon et al. 2011); what is made of
    them is written out here, for NumPy keeps the right to change its methods.
    """

    def __init__(self, seed: int, stream: int) -> None:
        from numpy.random import Philox

        self._bits = Philox(key=seed + stream * _WORD)

    def seed(self) -> int:
        """Return a seed for other draws."""
        return int(self._words(1)[0])

    def below(self, size: int, count: int) -> NDArray[np.intp]:
        """Return numbers from 0 to `size` − 1, each as likely as the others."""
        limit = np.uint64(_WORD - _WORD % size - 1)
        words = self._words(count)
        while (over := words > limit).any():
            words[over] = self._words(int(over.sum()))
        return (words % np.uint64(size)).astype(np.intp)

    def chosen(self, size: int, count: int) -> NDArray[np.intp]:
        """Return `count` different numbers from 0 to `size` − 1, in order."""
        order = np.argsort(self._words(size), kind="stable")
        return np.sort(order[:count])

    def chances(self, share: float, count: int) -> NDArray[np.bool_]:
        """Return truth values, each true with a chance of `share`."""
        return (self._words(count) >> np.uint64(11)) * 2.0**-53 < share

    def _words(self, count: int) -> NDArray[np.uint64]:
        return self._bits.random_raw(count)

"""Random draws that depend on the seed, but not on the version of NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")

_WORD = 1 << 64
_BUFFER = 256
_NORMAL = NormalDist()


class _Stream:
    """One stream of bits: a seed has as many streams as there are whole numbers.

    The bits are those of Philox, whose sequence is fixed (Salmon et al. 2011); what is made of
    them is written out here, for NumPy keeps the right to change its methods.
    """

    def __init__(self, seed: int, stream: int = 0) -> None:
        from numpy.random import Philox

        self._bits = Philox(key=seed + stream * _WORD)
        self._buffer: list[int] = []


class Draws(_Stream):
    """Single draws from a stream."""

    def _word(self) -> int:
        if not self._buffer:
            self._buffer = self._bits.random_raw(_BUFFER).tolist()[::-1]
        return self._buffer.pop()

    def below(self, size: int) -> int:
        """A uniform random integer from 0 to `size` − 1."""
        limit = _WORD - _WORD % size
        word = self._word()
        while word >= limit:
            word = self._word()
        return word % size

    def between(self, low: float = 0.0, high: float = 1.0) -> float:
        """A uniform random number from the open interval (low, high)."""
        return low + (high - low) * ((self._word() >> 12) + 0.5) / (1 << 52)

    def normal(self, mean: float = 0.0, deviation: float = 1.0) -> float:
        """A random number from the standard normal distribution."""
        return mean + deviation * _NORMAL.inv_cdf(self.between())

    def choice(self, values: Sequence[T]) -> T:
        """Return one of the values."""
        return values[self.below(len(values))]

    def order(self, size: int) -> Iterator[int]:
        """Yield the numbers from 0 to `size` − 1 in a random order (Fisher & Yates).

        What is not asked for is not drawn.
        """
        moved: dict[int, int] = {}
        for last in range(size - 1, -1, -1):
            chosen = self.below(last + 1)
            yield moved.get(chosen, chosen)
            moved[chosen] = moved.get(last, last)

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """Return the values in a random order."""
        return [values[number] for number in self.order(len(values))]


class ArrayDraws(_Stream):
    """Draws of whole arrays from a stream."""

    def seed(self) -> int:
        """Return a seed for other draws."""
        return int(self._words(1)[0])

    def below(self, size: int, count: int) -> NDArray[np.intp]:
        """Uniform random integers from 0 to `size` − 1."""
        import numpy as np

        limit = np.uint64(_WORD - _WORD % size - 1)
        words = self._words(count)
        while (over := words > limit).any():
            words[over] = self._words(int(over.sum()))
        return (words % np.uint64(size)).astype(np.intp)

    def chosen(self, size: int, count: int) -> NDArray[np.intp]:
        """`count` distinct random integers from 0 to `size` − 1, in order."""
        order = self._words(size).argsort(kind="stable")[:count]
        order.sort()
        return order

    def chances(self, share: float, count: int) -> NDArray[np.bool_]:
        """Random truth values, each true with probability `share`."""
        return (self._words(count) >> 11) * 2.0**-53 < share

    def _words(self, count: int) -> NDArray[np.uint64]:
        return self._bits.random_raw(count)

"""What the metrics share that are counted by the core: from texts to rows of statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from weigh import __version__
from weigh.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Outputs, Rows, Scores, TestSet

Spread = Callable[[Sequence[str]], Sequence[str]]

# So many texts are prepared at a time: changed copies of all texts are never held at once.
_BATCH = 1 << 16


class Counter(Protocol):
    """One of the core's counters: references in, rows out."""

    def expect(self, segments: int) -> None:
        """Say how many segments will be appended."""
        ...

    def add(self, sets: list[Sequence[str]]) -> None:
        """Append segments: one sequence of texts for each reference set."""
        ...

    def rows(self, texts: Sequence[str], segments: NDArray[np.int64]) -> Rows:
        """Return the statistics of texts that belong to these segments."""
        ...


class CountedExtractor:
    """Rows of a test set's hypotheses, by a counter that holds the references.

    Each of `spreads` is applied to all texts first, in turn: lower-casing, tokenising. With
    `whole`, the counter's doubles are known to be whole numbers and become integers.
    """

    def __init__(
        self, counter: Counter, test_set: TestSet, *spreads: Spread | None, whole: bool = False
    ) -> None:
        if not test_set.references:
            raise InputError("this metric needs references; give them with -r")
        self._counter = counter
        self._whole = whole
        self._spreads = [spread for spread in spreads if spread is not None]
        counter.expect(len(test_set))
        for start in range(0, len(test_set), _BATCH):
            stop = start + _BATCH
            counter.add([self._spread(texts[start:stop]) for texts in test_set.references])

    def rows(self, outputs: Outputs) -> Rows:
        """Return one row of additive statistics per hypothesis."""
        segments = range(len(outputs)) if outputs.segments is None else outputs.segments
        rows = self._counter.rows(
            self._spread(outputs.texts), np.ascontiguousarray(segments, dtype=np.int64)
        )
        return rows.astype(np.int64) if self._whole else rows

    def _spread(self, texts: Sequence[str]) -> Sequence[str]:
        for spread in self._spreads:
            texts = spread(texts)
        return texts


def error_rate(sums: Rows) -> Scores:
    """Return 100 × edits / words; without words, 100 if there are edits and else 0."""
    edits, words = np.asarray(sums, dtype=np.float64)[..., 0], np.asarray(sums)[..., 1]
    some = words > 0
    rate = np.divide(edits, words, out=np.where(edits > 0, 1.0, 0.0), where=some)
    return np.asarray(100.0 * rate)


def count(number: float) -> float:
    """Return a sum as a whole number where it is one.

    >>> count(3.0), count(2.5)
    (3, 2.5)
    """
    return int(number) if float(number).is_integer() else float(number)


def quotient(above: float, below: float) -> float:
    """Return above / below, or 0 where there is nothing below."""
    return float(above / below) if below else 0.0


def edit_details(sums: Rows) -> dict[str, float]:
    """Return what an error rate is made of."""
    return {"edits": count(sums[0]), "reference_words": count(sums[1])}


def signed(references: int, **parts: object) -> str:
    """Join parts as sacreBLEU's signatures do: `nrefs:1|case:mixed|…|version:…`."""

    def text(value: object) -> str:
        return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)

    pairs = {"nrefs": references, **parts, "version": f"weigh-{__version__}"}
    return "|".join(f"{name}:{text(value)}" for name, value in pairs.items())

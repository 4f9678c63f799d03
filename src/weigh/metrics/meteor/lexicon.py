"""What METEOR knows of words: a number for each, its stem, its synsets, whether it is function."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Words = Sequence[str]


class _GrowingArray:
    """An array that is appended to; what was handed out of it before stays as it is."""

    def __init__(self, dtype: Any) -> None:
        self._values = np.zeros(1024, dtype)
        self._size = 0

    def extend(self, values: Sequence[int]) -> None:
        size = self._size + len(values)
        if size > len(self._values):
            # A new array, since the old one may be in use by another thread.
            values_so_far = self._values[: self._size]
            self._values = np.zeros(2 * size, self._values.dtype)
            self._values[: self._size] = values_so_far
        self._values[self._size : size] = values
        self._size = size

    def all(self) -> NDArray[Any]:
        return self._values[: self._size]


class NumberedSentences(NamedTuple):
    """The numbers of the words of all sentences, and where each sentence starts in them."""

    words: NDArray[np.int32]
    starts: NDArray[np.int64]


class Knowledge(NamedTuple):
    """What is known of the words so far, by their numbers."""

    stems: NDArray[np.int32]
    function: NDArray[np.uint8]
    synsets: NDArray[np.int32]
    synset_starts: NDArray[np.int64]


class Lexicon:
    """Numbers words as they come, and asks once for what is to be known of each."""

    def __init__(
        self,
        stem: Callable[[str], str] | None,
        synsets: Callable[[str], set[int]] | None,
        function_words: frozenset[str],
    ) -> None:
        self._stem = stem
        self._synsets_of = synsets
        self._function_words = function_words
        self._numbers: dict[str, int] = {}
        self._stem_numbers: dict[str, int] = {}
        self._stems = _GrowingArray(np.int32)
        self._function = _GrowingArray(np.uint8)
        self._synsets = _GrowingArray(np.int32)
        self._synset_starts = _GrowingArray(np.int64)
        self._synset_starts.extend([0])
        self._lock = threading.Lock()

    def number(self, sentences: Sequence[Words]) -> NumberedSentences:
        """Return the numbers of the words of sentences; new words are learned."""
        sizes = np.fromiter(map(len, sentences), np.int64, len(sentences))
        starts = np.zeros(len(sentences) + 1, np.int64)
        np.cumsum(sizes, out=starts[1:])
        with self._lock:
            self._learn(set(chain.from_iterable(sentences)).difference(self._numbers))
        numbers = map(self._numbers.__getitem__, chain.from_iterable(sentences))
        return NumberedSentences(np.fromiter(numbers, np.int32, int(starts[-1])), starts)

    def knowledge(self) -> Knowledge:
        """Return what is known of all words that have a number."""
        with self._lock:
            return Knowledge(
                self._stems.all(),
                self._function.all(),
                self._synsets.all(),
                self._synset_starts.all(),
            )

    def _learn(self, words: set[str]) -> None:
        stems, synsets, ends = [], [], []
        end = len(self._synsets.all())
        for word in words:
            self._numbers[word] = len(self._numbers)
            if self._stem is not None:
                stem = self._stem(word)
                stems.append(self._stem_numbers.setdefault(stem, len(self._stem_numbers)))
            if self._synsets_of is not None:
                found = sorted(self._synsets_of(word))
                synsets += found
                end += len(found)
            ends.append(end)
        self._stems.extend(stems or [0] * len(words))
        self._function.extend([word.lower() in self._function_words for word in words])
        self._synsets.extend(synsets)
        self._synset_starts.extend(ends)

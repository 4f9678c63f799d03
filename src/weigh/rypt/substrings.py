"""What the outputs say for each node of a source sentence's tree."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING

import numpy as np

from weigh.read.alignment import Links
from weigh.rypt.label import GAP
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

UNALIGNED = -1
# Outputs are taken in parts, so that the arrays of one part have about so many entries.
_ENTRIES = 1 << 21
_GAP = 1  # its number among words; 0 stands for nothing


def substring(
    words: Sequence[str], links: Iterable[tuple[int, int]], start: int, end: int
) -> str | None:
    """Return the words of an output that are linked to a source span, None if there are none.

    They stand in the output's order, with one GAP for each run of other words between them.

    >>> substring(["a", "b", "c", "d"], [(0, 3), (0, 0), (1, 1)], 0, 1)
    'a [GAP] d'
    """
    parts: list[str] = []
    before = -1
    for place in sorted({target for source, target in links if start <= source < end}):
        if parts and place > before + 1:
            parts.append(GAP)
        parts.append(words[place])
        before = place
    return " ".join(parts) if parts else None


@dataclass(frozen=True, slots=True)
class Substrings:
    """The substrings of outputs for all nodes of a tree, each of them once.

    `numbers` (nodes × outputs) tells which substring it is, counted from 0, or UNALIGNED where an
    output has no word for a node. They are texts when they are asked for, since for most nothing
    but their number is of interest.
    """

    numbers: Integers
    _known: Mapping[bytes, int]
    _vocabulary: Mapping[str, int]

    @classmethod
    def of(cls, tree: Tree, outputs: Sequence[Sequence[str]], links: Links) -> Substrings:
        """Find the substrings of all nodes at once, which are those that `substring` defines."""
        # What is looked up for the first time is given the next number.
        known = defaultdict(count(0).__next__, {b"": UNALIGNED})
        vocabulary = defaultdict(count(_GAP + 1).__next__, {GAP: _GAP})
        longest = max(map(len, outputs), default=0) or 1
        width = 2 * longest  # of words and the gaps between them
        part = max(1, _ENTRIES // (len(tree) * width))
        ends = np.searchsorted(links.owners, np.arange(0, len(outputs) + part, part))
        numbers = np.empty((len(tree), len(outputs)), dtype=np.int64)
        for at, start in enumerate(range(0, len(outputs), part)):
            some = outputs[start : start + part]
            own = slice(ends[at], ends[at + 1])
            covered = _covered(
                tree,
                (len(some), longest),
                Links(links.owners[own] - start, links.sources[own], links.targets[own]),
            )
            keys = _sequences(covered, _word_numbers(some, longest, vocabulary), width)
            found = list(map(known.__getitem__, keys))
            numbers[:, start : start + len(some)] = np.reshape(found, (len(tree), len(some)))
        return cls(numbers, dict(known), dict(vocabulary))

    def __len__(self) -> int:
        """Return how many different substrings there are."""
        return len(self._known) - 1  # less what stands for none

    @property
    def texts(self) -> list[str]:
        """All substrings, by their numbers."""
        return self.texts_of(range(len(self)))

    def texts_of(self, numbers: Iterable[int]) -> list[str]:
        """Return some substrings."""
        words = [*" " * _GAP, *self._vocabulary]
        keys = list(self._known)[1:]  # in the order of their numbers, behind that of UNALIGNED
        return [
            " ".join([words[word] for word in array("i", _padded(keys[number]))])
            for number in numbers
        ]

    def number(self, text: str) -> int | None:
        """Return the number of a substring, or None if no output has it for any node."""
        try:
            sequence = array("i", [self._vocabulary[word] for word in text.split(" ")])
        except KeyError:
            return None
        return self._known.get(sequence.tobytes().rstrip(b"\0"))


def _covered(tree: Tree, shape: tuple[int, int], links: Links) -> NDArray[np.bool_]:
    """Return whether each word of each output is linked to each node."""
    outputs, longest = shape
    counts = np.zeros((len(tree.words) + 1, outputs, longest), dtype=np.int16)
    counts[links.sources + 1, links.owners, links.targets] = 1
    np.cumsum(counts, axis=0, out=counts)
    return np.asarray(counts[list(tree.ends)] != counts[list(tree.starts)])


def _word_numbers(
    outputs: Sequence[Sequence[str]], longest: int, vocabulary: Mapping[str, int]
) -> NDArray[np.intc]:
    numbers = np.zeros((len(outputs), longest), dtype=np.intc)
    lengths = np.fromiter(map(len, outputs), np.int64, len(outputs))
    flat = list(map(vocabulary.__getitem__, chain.from_iterable(outputs)))
    numbers[np.arange(longest) < lengths[:, None]] = flat
    return numbers


def _sequences(covered: NDArray[np.bool_], words: NDArray[np.intc], width: int) -> list[bytes]:
    """Return words and gaps as sequences of numbers, one for each node and output."""
    nodes, outputs, longest = covered.shape
    sequences = np.zeros((nodes * outputs, width), dtype=np.intc)
    rows, places = np.nonzero(covered.reshape(-1, longest))
    starts_row = np.empty(len(rows), dtype=bool)
    starts_row[:1] = True
    np.not_equal(rows[1:], rows[:-1], out=starts_row[1:])
    after_gap = np.zeros(len(rows), dtype=bool)
    np.greater(places[1:], places[:-1] + 1, out=after_gap[1:])
    after_gap &= ~starts_row
    # A word's place in its sequence: those before it, and the gaps before it, less those of the
    # sequences before.
    order = np.arange(len(rows)) + np.cumsum(after_gap)
    heads = np.flatnonzero(starts_row)
    order -= np.repeat(order[heads], np.diff(heads, append=len(rows)))
    sequences[rows, order] = words[rows % outputs, places]
    sequences[rows[after_gap], order[after_gap] - 1] = _GAP
    # Bytes without zeros at the end are still different for different sequences.
    found: list[bytes] = sequences.view(f"S{4 * width}").ravel().tolist()
    return found


def _padded(key: bytes) -> bytes:
    return key + bytes(-len(key) % 4)

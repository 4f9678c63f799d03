"""What the outputs say for each node of a source sentence's tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from weigh.read.alignment import Links
from weigh.rypt.label import GAP
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Characters = NDArray[np.uint32]
    Integers = NDArray[np.int64]

UNALIGNED = -1
# Outputs are taken in parts, so that the arrays of one part have about so many entries.
_ENTRIES = 1 << 21
# Each word is one character, of which there are over a million, and so is a gap: what substrings
# are told apart by is then text itself, which is fast to look up and to join.
_GAP = "\1"


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
    _known: Mapping[str, int]
    _vocabulary: Mapping[str, str]

    @classmethod
    def of(cls, tree: Tree, outputs: Sequence[Sequence[str]], links: Links) -> Substrings:
        """Find the substrings of all nodes at once, which are those that `substring` defines."""
        vocabulary = defaultdict(map(chr, count(ord(_GAP) + 1)).__next__, {GAP: _GAP})
        # What is looked up for the first time is given the next number.
        known = defaultdict(count(0).__next__, {"": UNALIGNED})
        longest = max(map(len, outputs), default=0) or 1
        part = max(1, _ENTRIES // (len(tree) * longest))
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
            spelt = ["".join(map(vocabulary.__getitem__, words)) for words in some]
            shape = len(some), longest
            words = np.array(spelt, dtype=f"U{longest}").view(np.uint32).reshape(shape)
            found = list(map(known.__getitem__, _texts(_without_others(covered, words))))
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
        words = {character: word for word, character in self._vocabulary.items()}
        keys = list(self._known)[1:]  # in the order of their numbers, behind that of UNALIGNED
        return [" ".join(map(words.__getitem__, keys[number])) for number in numbers]

    def number(self, text: str) -> int | None:
        """Return the number of a substring, or None if no output has it for any node."""
        try:
            return self._known.get("".join(map(self._vocabulary.__getitem__, text.split(" "))))
        except KeyError:
            return None


def _without_others(covered: NDArray[np.bool_], words: Characters) -> Characters:
    """Return the words that each node covers, a gap for each run of others among them, then zeros.

    `words` are outputs × places, and `covered` has one such table for each node.
    """
    follows = np.zeros_like(covered)  # whether a covered word stands somewhere behind
    np.logical_or.accumulate(covered[..., :0:-1], axis=-1, out=follows[..., -2::-1])
    is_gap = ~covered & follows
    is_gap[..., 1:] &= covered[..., :-1]  # the first word of a run
    is_gap[..., 0] = False
    kept = covered | is_gap
    places = np.cumsum(kept, axis=-1) - 1
    places += np.arange(0, kept.size, kept.shape[-1]).reshape(*kept.shape[:-1], 1)
    found = np.zeros(kept.shape, dtype=words.dtype)
    found.ravel()[places[kept]] = np.where(is_gap, ord(_GAP), words)[kept]
    return found


def _texts(characters: Characters) -> list[str]:
    """Return the last axis of an array as texts, less the zeros at their ends."""
    return list(characters.view(f"U{characters.shape[-1]}").ravel().tolist())


def _covered(tree: Tree, shape: tuple[int, int], links: Links) -> NDArray[np.bool_]:
    """Return whether each word of each output is linked to each node."""
    outputs, longest = shape
    counts = np.zeros((len(tree.words) + 1, outputs, longest), dtype=np.int16)
    counts[links.sources + 1, links.owners, links.targets] = 1
    np.cumsum(counts, axis=0, out=counts)
    return np.asarray(counts[list(tree.ends)] != counts[list(tree.starts)])

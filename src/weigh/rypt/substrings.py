"""What the outputs say for each node of a source sentence's tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh._core import span_substrings
from weigh.read.alignment import Links
from weigh.rypt.label import GAP
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

UNALIGNED = -1


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

    `numbers` (nodes × outputs) tells which of `texts` it is, or UNALIGNED where an output has no
    word for a node.
    """

    numbers: Integers
    texts: Sequence[str]

    @classmethod
    def of(cls, tree: Tree, outputs: Sequence[Sequence[str]], links: Links) -> Substrings:
        """Find the substrings of all nodes at once, which are those that `substring` defines."""
        starts, ends = np.array([tree.starts, tree.ends], dtype=np.int64)
        return cls(*span_substrings(list(outputs), *links, starts, ends, GAP))

    def by_text(self) -> dict[str, int]:
        """Return the numbers of all texts."""
        return {text: number for number, text in enumerate(self.texts)}

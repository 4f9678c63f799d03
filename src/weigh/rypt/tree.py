"""The spans of a source sentence that are asked about: its parse tree by distinct ranges."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tree:
    """The nodes of a parse in preorder, one for each distinct range; the first is the sentence.

    A chain of nodes with one range is one node, which bears the name of the highest.
    """

    words: tuple[str, ...]
    names: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]  # half-open
    parents: tuple[int, ...]  # the place of the parent, -1 for the first

    def __len__(self) -> int:
        return len(self.names)

    def children(self, node: int) -> list[int]:
        """Return the places of a node's children, from left to right."""
        return [place for place, parent in enumerate(self.parents) if parent == node]

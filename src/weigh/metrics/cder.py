"""CDER: edit distance with block moves (Leusch, Ueffing & Ney 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weigh.metrics.edit_rates import EditRate


@dataclass(frozen=True, slots=True)
class Cder(EditRate):
    """Edits of words and long jumps, each at cost one, per word of the reference.

    >>> from weigh import Cder, Outputs, TestSet
    >>> rows = Cder().prepare(TestSet([["a b c d"]])).rows(Outputs(["c d a b"]))
    >>> rows.tolist()
    [[3, 4]]
    """

    name: ClassVar[str] = "CDER"
    counter: ClassVar[str] = "BlockMoveEditCounter"

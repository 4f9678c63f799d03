"""PER: position-independent word error rate (Tillmann et al. 1997)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weigh.metrics.edit_rates import EditRate


@dataclass(frozen=True, slots=True)
class Per(EditRate):
    """Words that differ, wherever they stand, per word of the reference.

    >>> from weigh import Per, Outputs, TestSet
    >>> rows = Per().prepare(TestSet([["a b c d"]])).rows(Outputs(["c d a b"]))
    >>> rows.tolist()
    [[0, 4]]
    """

    name: ClassVar[str] = "PER"
    counter: ClassVar[str] = "PositionIndependentEditCounter"

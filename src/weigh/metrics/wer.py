"""WER: word error rate by edit distance (Levenshtein 1966)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weigh.metrics.edit_rates import EditRate


@dataclass(frozen=True, slots=True)
class Wer(EditRate):
    """Insertions, deletions and substitutions of words, per word of the reference.

    >>> from weigh import Wer, Outputs, TestSet
    >>> rows = Wer().prepare(TestSet([["a b c d"]])).rows(Outputs(["c d a b"]))
    >>> rows.tolist()
    [[4, 4]]
    """

    name: ClassVar[str] = "WER"
    counter: ClassVar[str] = "WordEditCounter"

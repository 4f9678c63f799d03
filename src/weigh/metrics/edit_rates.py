"""WER, PER and CDER: edits per word of the nearest reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from weigh.metrics.words import (
    CountedExtractor,
    Counter,
    CountsWords,
    Effort,
    count,
    ratios,
    signed,
    tokenize_option,
)
from weigh.options import option
from weigh.tokenize import lower

if TYPE_CHECKING:
    from weigh.types import Rows, Scores, TestSet


class ErrorRate(CountsWords):
    """Edits per hundred words of the reference: rows are [edits, words]."""

    __slots__ = ()

    higher_is_better: ClassVar[bool] = False
    perfect: ClassVar[float | None] = 0.0
    scale: ClassVar[float] = 100.0  # an output with far too many words goes beyond

    def score(self, sums: Rows) -> Scores:
        """Score sums of rows; without words, 100 if there are edits and else 0."""
        edits, words = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
        return np.asarray(100.0 * ratios(edits, words, np.where(edits > 0, 1.0, 0.0)))

    def details(self, sums: Rows) -> dict[str, float]:
        """Return the edits, shifts among them, and the words of the references."""
        return {"edits": count(sums[0]), "reference_words": count(sums[1])}


@dataclass(frozen=True, slots=True)
class EditRate(ErrorRate):
    """Edits over words of the reference with the lowest rate, the first one on ties."""

    name: ClassVar[str]
    counter: ClassVar[str]  # the name of the core's counter of the edits
    is_quick: ClassVar[bool] = False  # whether its time grows with the length alone

    tokenize: str = tokenize_option("none, unless there are no spaces between words")
    lowercase: bool = option(False, "compare without case")

    def signature(self, references: int) -> str:
        """Return name and options in sacreBLEU's grammar."""
        return signed(
            references,
            case="lc" if self.lowercase else "mixed",
            tok=self.tokenizer_signature,
        )

    def prepare(self, test_set: TestSet) -> CountedExtractor:
        """Tokenise the references."""
        from weigh import _core

        tokens = self.tokenizer(test_set)
        counter: Counter = getattr(_core, self.counter)(
            len(test_set.references), tokens.core_scheme
        )
        return CountedExtractor(
            counter,
            test_set,
            lower if self.lowercase else None,
            tokens.spread,
            effort=None if self.is_quick else Effort(self.name, 1e9),
        )


@dataclass(frozen=True, slots=True)
class Wer(EditRate):
    """Insertions, deletions and substitutions of words, per word of the reference.

    >>> from weigh import Wer, Outputs, TestSet
    >>> rows = Wer().prepare(TestSet([["a b c d"]])).rows(Outputs(["c d a b"]))
    >>> rows.tolist()
    [[4, 4]]
    """

    name: ClassVar[str] = "WER"
    citations: ClassVar[tuple[str, ...]] = ("levenshtein-1966-binary",)
    counter: ClassVar[str] = "WordEditCounter"


@dataclass(frozen=True, slots=True)
class Per(EditRate):
    """Words that differ, in any position, per word of the reference.

    >>> from weigh import Per, Outputs, TestSet
    >>> rows = Per().prepare(TestSet([["a b c d"]])).rows(Outputs(["c d a b"]))
    >>> rows.tolist()
    [[0, 4]]
    """

    name: ClassVar[str] = "PER"
    citations: ClassVar[tuple[str, ...]] = ("tillmann-etal-1997-accelerated",)
    counter: ClassVar[str] = "PositionIndependentEditCounter"
    is_quick: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Cder(EditRate):
    """Edits of words and long jumps, each at cost one, per word of the reference.

    >>> from weigh import Cder, Outputs, TestSet
    >>> rows = Cder().prepare(TestSet([["a b c d"]])).rows(Outputs(["c d a b"]))
    >>> rows.tolist()
    [[3, 4]]
    """

    name: ClassVar[str] = "CDER"
    citations: ClassVar[tuple[str, ...]] = ("leusch-etal-2006-cder",)
    counter: ClassVar[str] = "BlockMoveEditCounter"

"""WER, PER and CDER: edits per word of the nearest reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from weigh.metrics.counted import CountedExtractor, Counter, edit_details, error_rate, signed
from weigh.metrics.words import (
    CountsWords,
    tokenize_option,
    tokenizer_for,
    tokenizer_signature,
    with_tokenizer,
)
from weigh.options import check_choices, option
from weigh.tokenize.lower import lower

if TYPE_CHECKING:
    from weigh.tokenize.writing import Writing
    from weigh.types import Rows, Scores, TestSet


@dataclass(frozen=True, slots=True)
class EditRate(CountsWords):
    """Edits over words of the reference with the lowest rate, the first one on ties."""

    name: ClassVar[str]
    counter: ClassVar[str]  # the name of the core's counter of the edits
    higher_is_better: ClassVar[bool] = False
    mean_of_segments: ClassVar[bool] = False
    perfect: ClassVar[float | None] = 0.0
    scale: ClassVar[float] = 100.0  # an output with far too many words goes beyond

    tokenize: str = tokenize_option("none, unless there are no spaces between words")
    lowercase: bool = option(False, "compare without case")

    def __post_init__(self) -> None:
        check_choices(self)

    def signature(self, references: int) -> str:
        """Return name and options in sacreBLEU's grammar."""
        return signed(
            references,
            case="lc" if self.lowercase else "mixed",
            tok=tokenizer_signature(self),
        )

    def for_writing(self, writing: Writing) -> Self:
        """Return the metric with a tokeniser for references that are written so."""
        return with_tokenizer(self, writing, "none")

    def prepare(self, test_set: TestSet) -> CountedExtractor:
        """Tokenise the references."""
        from weigh import _core

        tokens = tokenizer_for(self, test_set)
        counter: Counter = getattr(_core, self.counter)(
            len(test_set.references), tokens.core_scheme
        )
        return CountedExtractor(counter, test_set, lower if self.lowercase else None, tokens.spread)

    def score(self, sums: Rows) -> Scores:
        """Score sums of rows: edits per hundred words of the references."""
        return error_rate(sums)

    def details(self, sums: Rows) -> dict[str, float]:
        """Return the edits and the words of the references."""
        return edit_details(sums)

    def segment_scores(self, rows: Rows) -> Scores:
        """Score every row for itself."""
        return error_rate(rows)


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

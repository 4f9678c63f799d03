"""TER (Snover et al. 2006), as sacreBLEU or as tercom computes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from weigh.metrics.edit_rates import ErrorRate
from weigh.metrics.words import (
    SPREADING,
    CountedExtractor,
    Effort,
    signed,
    tokenize_option,
    with_tokenizer,
)
from weigh.options import option
from weigh.tokenize.tercom import tercom_spread
from weigh.tokenize.writing import Writing

if TYPE_CHECKING:
    from weigh.types import TestSet


@dataclass(frozen=True, slots=True)
class Ter(ErrorRate):
    """Edits and shifts of phrases that turn the output into the reference, per reference word.

    >>> from weigh import Outputs, Ter, TestSet
    >>> rows = Ter().prepare(TestSet([["on monday we met"]])).rows(Outputs(["we met on Monday"]))
    >>> rows.tolist()  # one shift, four words
    [[1, 4]]
    """

    name: ClassVar[str] = "TER"
    citations: ClassVar[tuple[str, ...]] = ("snover-etal-2006-study", "post-2018-call")

    normalized: bool = option(False, "split punctuation and decode entities, as tercom does")
    no_punct: bool = option(False, "leave punctuation out")
    asian_support: bool = option(
        False,
        "with normalized, count Chinese characters and runs of kana as words; with no_punct, "
        "leave Asian punctuation out",
    )
    case_sensitive: bool = option(False, "compare with case")
    variant: str = option(
        "sacrebleu", "whose limits the search for shifts has", choices=("sacrebleu", "tercom")
    )
    tokenize: str = tokenize_option(
        "none, unless there are no spaces between words; others come before tercom's rules",
        SPREADING,
    )

    def signature(self, references: int) -> str:
        """Return name and options in sacreBLEU's grammar."""
        variant = {} if self.variant == "sacrebleu" else {"variant": self.variant}
        words = self.tokenizer_signature
        return signed(
            references,
            case="mixed" if self.case_sensitive else "lc",
            tok="tercom" if words == "none" else f"{words}+tercom",
            # What sacreBLEU writes as norm:yes is its own reading of these rules.
            norm="tercom" if self.normalized else False,
            punct=not self.no_punct,
            asian=self.asian_support,
            **variant,
        )

    def for_writing(self, writing: Writing) -> Ter:
        """Return the metric with a tokeniser for references that are written so."""
        divided = writing.language in ("Chinese", "Japanese")
        if divided and self.normalized and self.asian_support:
            writing = Writing(writing.language, spaced=True)
        return with_tokenizer(
            self, writing, otherwise="ter:normalized:asian_support" if divided else ""
        )

    def prepare(self, test_set: TestSet) -> CountedExtractor:
        """Tokenise the references."""
        from weigh._core import ShiftEditCounter, TercomEditCounter

        sets = len(test_set.references)
        tokens = self.tokenizer(test_set)
        spread = partial(
            tercom_spread,
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )
        # tercom is a Java program: it splits at ASCII white space only.
        ascii_only = self.variant == "tercom" and tokens.name == "none"
        counter = (
            ShiftEditCounter(sets, "none")
            if self.variant == "sacrebleu"
            else TercomEditCounter(sets, "ascii" if ascii_only else "none")
        )
        # Only the mean length of several references is not a whole number.
        # Shifts are searched for anew after each; of two texts that have little in common, tercom's
        # way takes a time that grows with more than the square of their length.
        effort = Effort(self.name, 2e8 if self.variant == "sacrebleu" else 2e7)
        return CountedExtractor(
            counter, test_set, tokens.spread, spread, whole=sets == 1, effort=effort
        )

"""GTM, the General Text Matcher (Melamed, Green & Turian 2003; Turian, Shen & Melamed 2003)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from weigh.metrics.words import (
    CountedExtractor,
    CountsWords,
    Effort,
    count,
    quotient,
    ratios,
    signed,
    tokenize_option,
)
from weigh.options import option
from weigh.wording import number_text

if TYPE_CHECKING:
    from weigh.types import Rows, Scores, TestSet


@dataclass(frozen=True, slots=True)
class Gtm(CountsWords):
    """F of the words that output and reference share; runs of them may count for more.

    A row is the match size, the length of the output and the mean length of the references. The
    match size is (Σ length^exponent)^(1/exponent) over the runs of words in common.

    >>> from weigh import Gtm, Outputs, TestSet
    >>> test_set, outputs = TestSet([["a b c d e"]]), Outputs(["a b c x e"])
    >>> Gtm().prepare(test_set).rows(outputs).tolist()  # the runs are "a b c" and "e"
    [[4, 5, 5]]
    >>> round(float(Gtm(exponent=2).prepare(test_set).rows(outputs)[0, 0] ** 2), 9)
    10.0
    """

    name: ClassVar[str] = "GTM"
    higher_is_better: ClassVar[bool] = True
    perfect: ClassVar[float | None] = 100.0
    scale: ClassVar[float] = 100.0
    citations: ClassVar[tuple[str, ...]] = ("melamed-etal-2003-precision",)

    exponent: float = option(
        1.0, "weight of long runs; 1 compares without regard to word order", least=1
    )
    tokenize: str = tokenize_option("none, unless there are no spaces between words")

    def signature(self, references: int) -> str:
        """Return name and options in sacreBLEU's grammar."""
        return signed(
            references,
            case="mixed",
            tok=self.tokenizer_signature,
            exponent=number_text(self.exponent),
        )

    def prepare(self, test_set: TestSet) -> CountedExtractor:
        """Number the references' words."""
        from weigh._core import MatchSizeCounter

        sets = len(test_set.references)
        tokens = self.tokenizer(test_set)
        # GTM is a Java program: it splits at ASCII white space only.
        scheme = "ascii" if tokens.name == "none" else tokens.core_scheme
        counter = MatchSizeCounter(sets, self.exponent, scheme)
        # Powers, and the mean length of several references, are not whole numbers.
        return CountedExtractor(
            counter,
            test_set,
            tokens.spread,
            whole=sets == 1 and self.exponent == 1,
            effort=Effort(self.name, 1e9),
        )

    def score(self, sums: Rows) -> Scores:
        """Score sums of rows: F = 2PR/(P + R) of P and R over the two lengths."""
        sums = np.asarray(sums, dtype=np.float64)
        return np.asarray(100.0 * ratios(2 * sums[..., 0], sums[..., 1] + sums[..., 2]))

    def details(self, sums: Rows) -> dict[str, float]:
        """Return precision, recall and what they are made of."""
        matched, hypothesis, reference = sums
        return {
            "precision": 100 * quotient(matched, hypothesis),
            "recall": 100 * quotient(matched, reference),
            "match_size": count(matched),
            "hypothesis_length": count(hypothesis),
            "reference_length": count(reference),
        }

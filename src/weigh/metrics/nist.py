"""NIST (Doddington 2002), as mteval-v13a computes it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from weigh.metrics.words import (
    LONGEST_NGRAM,
    CountedExtractor,
    CountsWords,
    count,
    quotient,
    ratios,
    signed,
    tokenize_option,
)
from weigh.options import option
from weigh.tokenize import lower_ascii

if TYPE_CHECKING:
    from weigh.types import Rows, Scores, TestSet

# The penalty is one half for an output that is two thirds as long as the references.
_BETA = -math.log(0.5) / math.log(1.5) ** 2


@dataclass(frozen=True, slots=True)
class Nist(CountsWords):
    """Mean information of the matched n-grams up to order 5, with a penalty for brevity.

    The information of an n-gram is log2 of how often its first n - 1 words occur in the
    references over how often all of it does: a constant of the test set, computed once.

    >>> from weigh import Nist, Outputs, TestSet
    >>> nist = Nist()
    >>> rows = nist.prepare(TestSet([["a b a c"]])).rows(Outputs(["a b"]))
    >>> rows[0, :2].tolist()  # log2(4/2) + log2(4/1) for the words, log2(2/1) for "a b"
    [3.0, 1.0]
    """

    name: ClassVar[str] = "NIST"
    citations: ClassVar[tuple[str, ...]] = ("doddington-2002-automatic",)
    higher_is_better: ClassVar[bool] = True
    spaced: ClassVar[str] = "13a"

    tokenize: str = tokenize_option("13a, unless there are no spaces between words")
    lowercase: bool = option(False, "compare ASCII letters without case, as mteval does by default")
    max_ngram_order: int = option(5, "longest n-grams", least=1, most=LONGEST_NGRAM)
    compat: bool = option(False, "take the word 0 for an empty history, as the Perl program does")

    def signature(self, references: int) -> str:
        """Return name and options in sacreBLEU's grammar."""
        compat = {"compat": True} if self.compat else {}
        return signed(
            references,
            case="lc" if self.lowercase else "mixed",
            tok=self.tokenizer_signature,
            order=self.max_ngram_order,
            **compat,
        )

    def prepare(self, test_set: TestSet) -> CountedExtractor:
        """Tokenise the references and compute the information of their n-grams."""
        from weigh._core import InformationCounter

        tokens = self.tokenizer(test_set)
        counter = InformationCounter(
            len(test_set.references), self.max_ngram_order, tokens.core_scheme, self.compat
        )
        extractor = CountedExtractor(
            counter, test_set, lower_ascii if self.lowercase else None, tokens.spread
        )
        counter.finish()
        return extractor

    def score(self, sums: Rows) -> Scores:
        """Score sums of rows (Doddington 2002, eq. 3 and 4)."""
        order = self.max_ngram_order
        sums = np.asarray(sums, dtype=np.float64)
        information, ngrams = sums[..., :order], sums[..., order : 2 * order]
        hypothesis, reference = sums[..., 2 * order], sums[..., 2 * order + 1]
        means = ratios(information, ngrams).sum(axis=-1)
        return np.asarray(means * _penalty(hypothesis, reference))

    def details(self, sums: Rows) -> dict[str, float]:
        """Return the mean information by order, the penalty for brevity, and lengths in words."""
        order = self.max_ngram_order
        information, ngrams = sums[:order], sums[order : 2 * order]
        hypothesis, reference = sums[2 * order :]
        means = [quotient(information[n], ngrams[n]) for n in range(order)]
        return {
            **{f"information_{n}": mean for n, mean in enumerate(means, 1)},
            "brevity_penalty": float(_penalty(hypothesis, reference)),
            "length_ratio": quotient(hypothesis, reference),
            "hypothesis_length": count(hypothesis),
            "reference_length": count(reference),
        }


def _penalty(hypothesis: Rows, reference: Rows) -> Scores:
    """Return the penalty for brevity; that of nothing is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        brevity = np.log(np.minimum(1.0, np.asarray(hypothesis) / reference))
        return np.where(np.asarray(hypothesis) > 0, np.exp(-_BETA * (brevity * brevity)), 0.0)

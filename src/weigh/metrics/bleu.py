"""BLEU (Papineni et al. 2002), statistics and smoothing as sacreBLEU defines them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from weigh.errors import UsageError
from weigh.metrics.words import (
    LONGEST_NGRAM,
    CountedExtractor,
    CountsWords,
    count,
    quotient,
    signed,
    tokenize_option,
)
from weigh.options import option
from weigh.tokenize import lower
from weigh.wording import number_text

if TYPE_CHECKING:
    from weigh.types import Rows, Scores, TestSet

_SMOOTH_DEFAULTS = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0}
_VALUED = ("floor", "add-k")


@dataclass(frozen=True, slots=True)
class Bleu(CountsWords):
    """Precision of n-grams up to order 4, with a penalty for brevity.

    >>> from weigh import Bleu, Outputs, TestSet
    >>> bleu = Bleu()
    >>> extractor = bleu.prepare(TestSet([["the cat sat on the mat ."]]))
    >>> rows = extractor.rows(Outputs(["the cat sat on a mat ."]))
    >>> rows.tolist()
    [[7, 7, 6, 4, 2, 1, 7, 6, 5, 4]]
    >>> round(float(bleu.score(rows.sum(axis=0))), 2)
    48.89
    """

    name: ClassVar[str] = "BLEU"
    higher_is_better: ClassVar[bool] = True
    perfect: ClassVar[float | None] = 100.0
    scale: ClassVar[float] = 100.0
    citations: ClassVar[tuple[str, ...]] = ("papineni-etal-2002-bleu", "post-2018-call")
    spaced: ClassVar[str] = "13a"
    by_language: ClassVar[Mapping[str, str]] = {"Chinese": "zh", "Japanese": "ja-mecab"}

    tokenize: str = tokenize_option("13a, but zh for Chinese and ja-mecab for Japanese")
    lowercase: bool = option(False, "compare without case")
    smooth_method: str = option(
        "exp", "smoothing of orders without a match", choices=_SMOOTH_DEFAULTS
    )
    smooth_value: float | None = option(
        None, "value for smoothing floor (default 0.1) and add-k (default 1)", least=0
    )
    max_ngram_order: int = option(4, "longest n-grams", least=1, most=LONGEST_NGRAM)
    effective_order: bool = option(False, "leave out orders longer than every hypothesis")

    def __post_init__(self) -> None:
        CountsWords.__post_init__(self)
        if self.smooth_value is not None and self.smooth_method not in _VALUED:
            raise UsageError(
                f"Bleu: smooth_value has no effect with smooth_method={self.smooth_method}; use "
                "floor or add-k, or leave it out"
            )

    def signature(self, references: int) -> str:
        """Return name and options in sacreBLEU's grammar."""
        value = ""
        if self.smooth_method in _VALUED:
            short = f"{self._smooth_value:.2f}"  # as sacreBLEU has it, unless that is another
            exact = float(short) == self._smooth_value
            value = f"[{short if exact else number_text(self._smooth_value)}]"
        order = {} if self.max_ngram_order == 4 else {"order": self.max_ngram_order}
        return signed(
            references,
            case="lc" if self.lowercase else "mixed",
            eff=self.effective_order,
            tok=self.tokenizer_signature,
            smooth=self.smooth_method + value,
            **order,
        )

    def prepare(self, test_set: TestSet) -> CountedExtractor:
        """Tokenise the references."""
        from weigh._core import NgramCounter

        tokens = self.tokenizer(test_set)
        counter = NgramCounter(len(test_set.references), self.max_ngram_order, tokens.core_scheme)
        return CountedExtractor(counter, test_set, lower if self.lowercase else None, tokens.spread)

    def score(self, sums: Rows) -> Scores:
        """Score sums of rows (Papineni et al. 2002, eq. 2; smoothing of Chen & Cherry 2014)."""
        from weigh._core import bleu_scores

        sums = np.asarray(sums, dtype=np.float64)
        shape = sums.shape[:-1]
        if sums.ndim != 3:
            sums = sums.reshape(1, -1, sums.shape[-1])
        scores = bleu_scores(sums, self.smooth_method, self._smooth_value, self.effective_order)
        return scores.reshape(shape)

    def details(self, sums: Rows) -> dict[str, float]:
        """Return precisions without smoothing, the penalty for brevity, and lengths in words."""
        order = self.max_ngram_order
        hypothesis, reference = sums[:2]
        matches, ngrams = sums[2 : 2 + order], sums[2 + order :]
        # Papineni et al. 2002, section 2.2.2.
        brevity = 1.0
        if hypothesis < reference:
            brevity = math.exp(1 - reference / hypothesis) if hypothesis else 0.0
        return {
            **{f"precision_{n + 1}": 100 * quotient(matches[n], ngrams[n]) for n in range(order)},
            "brevity_penalty": brevity,
            "length_ratio": quotient(hypothesis, reference),
            "hypothesis_length": count(hypothesis),
            "reference_length": count(reference),
        }

    def smoothed_precisions(self, sums: Rows) -> list[float]:
        """Return the precisions that the score is the mean of (Chen & Cherry 2014), in percent."""
        order = self.max_ngram_order
        result = [0.0] * order
        if not sums[2 : 2 + order].any():
            return result
        halvings = 0
        for n in range(order):
            added = self._smooth_value if self.smooth_method == "add-k" and n else 0.0
            matches, ngrams = sums[2 + n] + added, sums[2 + order + n] + added
            if ngrams == 0:
                break
            if matches == 0 and self.smooth_method == "exp":
                halvings += 1
                matches = 0.5**halvings
            elif matches == 0 and self.smooth_method == "floor":
                matches = self._smooth_value
            result[n] = float(100 * matches / ngrams)
        return result

    def segment_scores(self, rows: Rows) -> Scores:
        """Score every row with the effective order, since a segment may be very short."""
        return replace(self, effective_order=True).score(rows)

    @property
    def _smooth_value(self) -> float:
        return (
            _SMOOTH_DEFAULTS[self.smooth_method] if self.smooth_value is None else self.smooth_value
        )

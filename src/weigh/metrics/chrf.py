"""chrF and chrF++ (Popović 2015, 2017), as sacreBLEU defines them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from weigh.errors import UsageError
from weigh.metrics.words import (
    AUTO,
    LONGEST_NGRAM,
    CountedExtractor,
    CountsWords,
    ratios,
    resolve_tokenizer,
    signed,
    tokenize_option,
    with_tokenizer,
)
from weigh.options import Chosen, option
from weigh.tokenize import lower
from weigh.tokenize.writing import Writing
from weigh.wording import number_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Rows, Scores, TestSet

_EPS = 1e-16


@dataclass(frozen=True, slots=True)
class Chrf(CountsWords):
    """F score of character n-grams up to order 6; with word_order=2, chrF++.

    >>> from weigh import Chrf, Outputs, TestSet
    >>> chrf = Chrf(word_order=2)
    >>> chrf.name
    'chrF2++'
    >>> rows = chrf.prepare(TestSet([["a blue house"]])).rows(Outputs(["a blue mouse"]))
    >>> rows[0, :3].tolist()  # characters of the hypothesis, of the reference, and matches
    [10, 10, 9]
    """

    higher_is_better: ClassVar[bool] = True
    perfect: ClassVar[float | None] = 100.0
    scale: ClassVar[float] = 100.0

    char_order: int = option(6, "longest n-grams of characters", least=0, most=LONGEST_NGRAM)
    word_order: int = option(
        0, "longest n-grams of words; 2 gives chrF++", least=0, most=LONGEST_NGRAM
    )
    beta: float = option(2, "weight of recall against precision", least=0, most=1e6)
    lowercase: bool = option(False, "compare without case")
    whitespace: bool = option(False, "count white space as characters")
    eps_smoothing: bool = option(False, "smooth as chrF++.py, NLTK and Moses do")
    tokenize: str = tokenize_option(
        "none, unless there are no spaces between words; for word_order", ("none",)
    )

    def __post_init__(self) -> None:
        CountsWords.__post_init__(self)
        if self.char_order + self.word_order == 0:
            raise UsageError("Chrf: char_order=0 and word_order=0 leave nothing to compare")
        if not self.word_order and self.tokenize != AUTO and not isinstance(self.tokenize, Chosen):
            raise UsageError("Chrf: tokenize has no effect without word_order; leave it out")

    @property
    def name(self) -> str:
        """The name that sacreBLEU prints: chrF, beta, and a plus for every word order."""
        return f"chrF{number_text(self.beta)}{'+' * self.word_order}"

    @property
    def citations(self) -> tuple[str, ...]:
        """The works on chrF, and with words on chrF++."""
        with_words = ("popovic-2017-chrf",) if self.word_order else ()
        return ("popovic-2015-chrf", *with_words, "post-2018-call")

    def signature(self, references: int) -> str:
        """Return name and options in sacreBLEU's grammar, and beta, which only its name tells."""
        beta = {} if self.beta == 2 else {"beta": number_text(self.beta)}
        return signed(
            references,
            case="lc" if self.lowercase else "mixed",
            eff=not self.eps_smoothing,
            nc=self.char_order,
            nw=self.word_order,
            space=self.whitespace,
            **beta,
        )

    def for_writing(self, writing: Writing) -> Chrf:
        """Return the metric if it finds the words of references that are written so."""
        if not self.word_order:
            writing = Writing()
        return with_tokenizer(self, writing, otherwise="chrf without word_order")

    def prepare(self, test_set: TestSet) -> CountedExtractor:
        """Note the references; they are read where they are."""
        from weigh._core import CharacterCounter

        resolve_tokenizer(self, test_set)  # which refuses references whose words it does not find

        counter = CharacterCounter(
            len(test_set.references),
            self.char_order,
            self.word_order,
            self.beta,
            self.whitespace,
            self.eps_smoothing,
        )
        return CountedExtractor(counter, test_set, lower if self.lowercase else None)

    def score(self, sums: Rows) -> Scores:
        """Score sums of rows: F of precision and recall, each averaged over the orders."""
        precision, recall, counted = self._by_order(sums)
        if self.eps_smoothing:
            return np.asarray(100.0 * self._f(precision, recall, _EPS).mean(axis=-1))
        precision, recall = _mean(precision, counted), _mean(recall, counted)
        return np.asarray(100.0 * self._f(precision, recall, 0.0))

    def details(self, sums: Rows) -> dict[str, float]:
        """Return precision and recall, means over the orders of which both texts have n-grams."""
        precision, recall, counted = self._by_order(sums)
        return {
            "precision": 100.0 * float(_mean(precision, counted)),
            "recall": 100.0 * float(_mean(recall, counted)),
        }

    @staticmethod
    def _by_order(sums: Rows) -> tuple[Scores, Scores, NDArray[np.bool_]]:
        """Return precision and recall of every order, and whether both texts have n-grams of it."""
        sums = np.asarray(sums, dtype=np.float64)
        hypothesis, reference, matches = sums[..., 0::3], sums[..., 1::3], sums[..., 2::3]
        precision, recall = (ratios(matches, whole, _EPS) for whole in (hypothesis, reference))
        return precision, recall, (hypothesis > 0) & (reference > 0)

    def _f(self, precision: Scores, recall: Scores, otherwise: float) -> Scores:
        factor = self.beta**2
        product = (1 + factor) * precision * recall
        return ratios(product, factor * precision + recall, otherwise)


def _mean(values: Scores, counted: NDArray[np.bool_]) -> Scores:
    """Return the mean over the orders that count, 0 where there are none."""
    if counted.all():
        return np.asarray(values.sum(axis=-1) / counted.shape[-1])
    orders = np.maximum(np.count_nonzero(counted, axis=-1), 1)
    return np.asarray(np.where(counted, values, 0.0).sum(axis=-1) / orders)

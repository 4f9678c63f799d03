"""Options of training a translator and of decoding."""

from __future__ import annotations

from dataclasses import dataclass

from weigh.options import check_plan_options, count, option
from weigh.tokenize import TOKENIZERS

SYMMETRIES = ("intersection", "union", "grow-diag", "grow-diag-final-and")
LONGEST = 256
"""The longest sentence that is aligned or decoded, in words."""
TOKENIZED = tuple(name for name in TOKENIZERS if name != "13a")


@dataclass(frozen=True, slots=True)
class AlignPlan:
    """Options of word alignment: IBM model 1, then an HMM, in both directions, then symmetrised."""

    lowercase: bool = option(True, "ignore case")
    tokenize: str = option(
        "intl",
        f"tokeniser: {', '.join(TOKENIZED)}; none if the texts are already tokenised",
        choices=TOKENIZED,
        metavar="NAME",
    )
    rounds: int = count(5, "training iterations of IBM model 1, and of the HMM", most=100)
    symmetry: str = option(
        "grow-diag-final-and",
        f"how to combine the alignments of both directions: {', '.join(SYMMETRIES)}",
        choices=SYMMETRIES,
        metavar="NAME",
    )
    longest: int = count(100, "skip sentence pairs with more words on either side", most=LONGEST)

    def __post_init__(self) -> None:
        check_plan_options(self)


@dataclass(frozen=True, slots=True)
class TranslatorPlan(AlignPlan):
    """Options of training: phrases and language model."""

    phrase: int = count(7, "longest phrase, in words", most=20)
    order: int = count(3, "order of the n-gram language model", most=6)


@dataclass(frozen=True, slots=True)
class DecodePlan:
    """Options of the search for translations."""

    nbest: int = count(1, "number of translations per sentence", most=100_000)
    distinct: bool = option(True, "list each translation only once")
    options: int = count(20, "number of translations to try per phrase", most=10_000)
    pops: int = count(500, "number of hypotheses to generate per stack", most=1_000_000)
    stack: int = count(200, "number of hypotheses to keep per stack", most=1_000_000)
    distortion: int = count(
        6, "distortion limit: the most source words to skip at a time", least=0, most=LONGEST
    )

    def __post_init__(self) -> None:
        check_plan_options(self)

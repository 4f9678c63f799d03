"""How a translator is trained and how it decodes: all choices."""

from __future__ import annotations

from dataclasses import dataclass

from weigh.options import check_plan_options, count, option
from weigh.tokenize import TOKENIZERS

SYMMETRIES = ("intersection", "union", "grow-diag", "grow-diag-final-and")
LONGEST = 256
"""No sentence that is aligned or decoded has more words."""
TOKENIZED = tuple(name for name in TOKENIZERS if name != "13a")


@dataclass(frozen=True, slots=True)
class AlignPlan:
    """How words are aligned.

    Rounds of model 1, then of the hidden Markov model, in both directions, made one set of links.
    """

    lowercase: bool = option(True, "take words without their case")
    tokenize: str = option(
        "intl",
        f"how texts become words: {', '.join(TOKENIZED)}; none for text that is tokenised",
        choices=TOKENIZED,
        metavar="NAME",
    )
    rounds: int = count(5, "rounds of model 1 and of the hidden Markov model each", most=100)
    symmetry: str = option(
        "grow-diag-final-and",
        f"how two directions become one: {', '.join(SYMMETRIES)}",
        choices=SYMMETRIES,
        metavar="NAME",
    )
    longest: int = count(
        100, "leave out sentence pairs with more words on either side", most=LONGEST
    )

    def __post_init__(self) -> None:
        check_plan_options(self)


@dataclass(frozen=True, slots=True)
class TranslatorPlan(AlignPlan):
    """How a translator is trained: its phrases and its language model."""

    phrase: int = count(7, "most words of a phrase", most=20)
    order: int = count(3, "words that the language model looks at, the next one included", most=6)


@dataclass(frozen=True, slots=True)
class DecodePlan:
    """How far the search for translations goes."""

    nbest: int = count(1, "translations of each sentence", most=100_000)
    distinct: bool = option(True, "list every text once")
    options: int = count(20, "translations of a phrase that are tried", most=10_000)
    pops: int = count(500, "hypotheses made for each number of translated words", most=1_000_000)
    stack: int = count(200, "hypotheses of these that are gone on with", most=1_000_000)
    distortion: int = count(6, "most words that may be skipped at a time", least=0, most=LONGEST)

    def __post_init__(self) -> None:
        check_plan_options(self)

"""How labels are collected and used: all choices, with what the command line says of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from weigh.errors import UsageError
from weigh.options import check_plan_options, count, option

AGGREGATES = ("majority", "any-yes", "weighted")
MAX_LENGTH = 4
"""Default maximum length of a frontier node, in words."""
ALTERNATIVES = 10
"""Largest number of alternatives on one HIT."""
SHOWN = 10
"""Default number of queries shown."""
# Zaidan & Callison-Burch 2009: $81.44 in all, 0.62 cents and 8.4 s for a label.
SECONDS_PER_LABEL = 8.4
PRICE_PER_LABEL = 0.0062


class Shares(NamedTuple):
    """The shares of YES and NO among labels; the rest is NOT SURE."""

    yes: float
    no: float


PAPER = Shares(0.351, 0.601)
"""Of all labels in Zaidan & Callison-Burch 2009."""
FORMS = ("both", "phrases", "words", "nbest")
EXPORTS = {
    "jsonl": ("hits.jsonl",),
    "mturk": ("hits.csv", "hit.html", "preview.html"),
}
"""The files of HITs by export."""

_LARGEST = 1e6


@dataclass(frozen=True, slots=True)
class AggregatePlan:
    """Options of aggregating several judges' labels of one entry."""

    aggregate: str = option(
        "majority",
        "how to combine several judges' labels of one entry: majority, any-yes, or weighted (by "
        "each judge's agreement with the others); ties become NOT SURE",
        metavar="HOW",
        choices=AGGREGATES,
    )

    def __post_init__(self) -> None:
        check_plan_options(self)


@dataclass(frozen=True, slots=True)
class LabelPlan(AggregatePlan):
    """Options of reading trees and labels."""

    flat: bool = option(
        False,
        "treat a sentence without a parse as a flat tree of its words instead of skipping it",
    )


@dataclass(frozen=True, slots=True)
class QueryPlan(LabelPlan):
    """Options of queries and of estimating their cost.

    Of the queries that are asked, a result holds the `top` ones, None for all. Without `seconds`
    and a price these are the paper's; a price of a HIT goes before that of a label.
    """

    max_length: int = count(MAX_LENGTH, "longest source span to ask about, in words")
    sweep: int | None = count(
        None, "also show the result for each maximum length from 1 to N", advanced=True
    )
    most: int | None = count(None, "ask only the N most useful queries")
    per_hit: int = count(ALTERNATIVES, "alternatives per HIT, at most 10", most=ALTERNATIVES)
    top: int | None = count(
        None,
        "show the N most useful queries",
        shown=f"{SHOWN}, and all with --format json or tsv",
    )
    judges: int = count(1, "judges per HIT", most=1000)
    seconds: float | None = option(
        None,
        "seconds per label",
        metavar="N",
        least=0.01,
        most=_LARGEST,
        shown=f"{SECONDS_PER_LABEL}, as in the paper",
    )
    price_per_label: float | None = option(
        None,
        "cost of a label",
        metavar="AMOUNT",
        least=0,
        most=_LARGEST,
        shown=f"{PRICE_PER_LABEL}, the paper's dollars of 2009",
    )
    price_per_hit: float | None = option(
        None,
        "cost of a HIT per judge, instead of a cost per label",
        metavar="AMOUNT",
        least=0,
        most=_LARGEST,
    )

    def __post_init__(self) -> None:
        check_plan_options(self)
        if self.price_per_hit is not None and self.price_per_label is not None:
            raise UsageError("price-per-hit and price-per-label; give one of them")

    @property
    def assumed(self) -> tuple[str, ...]:
        """The names of the rates that are the paper's."""
        names = ("price_per_label", "seconds")
        return tuple(name for name in names if getattr(self, name) is None)


@dataclass(frozen=True, slots=True)
class CollectionPlan(AggregatePlan):
    """Options of summarising labels; `paid` is their total cost."""

    paid: float | None = option(
        None,
        "with show: total cost of the labels, to report the cost of one",
        metavar="AMOUNT",
        least=0,
        below=1e12,
    )


@dataclass(frozen=True, slots=True)
class AlignPlan:
    """Options of writing the alignments of outputs."""

    write: str = option(
        "both",
        "phrases (0,2--0,2), words (0-0 1-2), both (one line each), or nbest (an n-best list with "
        "word links as the last field)",
        metavar="FORM",
        choices=FORMS,
    )

    def __post_init__(self) -> None:
        check_plan_options(self)

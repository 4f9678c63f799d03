"""Options of inferring labels and of measuring their reuse."""

from __future__ import annotations

from dataclasses import dataclass

from weigh.options import check_plan_options, count, option
from weigh.rypt.plan import MAX_LENGTH, LabelPlan


@dataclass(frozen=True, slots=True)
class DiversityPlan(LabelPlan):
    """Options of measuring how often labels can be reused."""

    max_length: int = count(MAX_LENGTH, "longest source span to ask about, in words")


@dataclass(frozen=True, slots=True)
class InferPlan:
    """Options of checking inference on hidden labels."""

    held_out: float | None = option(
        None,
        "also hide this share of the labels, and report how well inference and percolation "
        "predict them",
        metavar="SHARE",
        above=0,
        below=1,
    )
    draws: int = count(5, "number of times to hide labels, each time other ones")
    seed: int = 12345

    def __post_init__(self) -> None:
        check_plan_options(self)

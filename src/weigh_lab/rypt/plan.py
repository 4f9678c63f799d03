"""How labels are inferred and how their use over iterations is counted: all choices."""

from __future__ import annotations

from dataclasses import dataclass

from weigh.options import check_plan_options, count, option
from weigh.rypt.plan import MAX_LENGTH, LabelPlan


@dataclass(frozen=True, slots=True)
class DiversityPlan(LabelPlan):
    """How candidates of iterations are counted."""

    max_length: int = count(MAX_LENGTH, "most words of a source span that is asked about")


@dataclass(frozen=True, slots=True)
class InferPlan:
    """Whether labels are hidden besides, to tell how well they are told from the others."""

    held_out: float | None = option(
        None,
        "hide this share of the labels besides, and tell how well they are told from the others: "
        "by inference and by the hard rules",
        metavar="SHARE",
        above=0,
        below=1,
    )
    draws: int = count(5, "hide labels so many times, others each time")
    seed: int = 12345

    def __post_init__(self) -> None:
        check_plan_options(self)

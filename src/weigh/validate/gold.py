"""What people conclude of pairs of systems: the standard that tests are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from weigh.errors import InputError, UsageError
from weigh.human.judgments import Answers, as_answers
from weigh.human.plan import RankPlan
from weigh.human.quality import controlled
from weigh.human.rank import COMBINED, Rankings, rankings_of
from weigh.read.answers import Judgments, Omission, Preferences

if TYPE_CHECKING:
    from weigh.human.judgments import Step
    from weigh.human.rank import HumanRanking


# As in Graham et al. (2014), §4: one-sided, both directions tried, not corrected.
PLAN = RankPlan(unit="judgment", alternative="better", adjust="none")


class Gold:
    """Answers of people about one language pair, from which conclusions at any level come.

    `omissions` and `read_remarks` are about what became of the answers before.
    """

    def __init__(self, answers: Judgments | Preferences, plan: RankPlan = PLAN) -> None:
        self.omissions: tuple[Omission, ...] = answers.omissions
        self.read_remarks: tuple[str, ...] = answers.remarks
        self._answers = answers
        self._plan = plan
        self._results: dict[float, Rankings] = {}

    def ranking(self, alpha: float) -> HumanRanking:
        """Return the ranking at a level: of adequacy with fluency where both were judged."""
        rankings = self._result(alpha).rankings
        pairs = {one.pair for one in rankings}
        if len(pairs) > 1:
            raise InputError(
                f"judgments of {len(pairs)} language pairs ({', '.join(sorted(pairs))}); "
                "choose one with --pair"
            )
        chosen = [one for one in rankings if one.scale == COMBINED] or list(rankings)
        if len(chosen) > 1:
            scales = ", ".join(one.scale for one in chosen)
            raise InputError(f"judgments on several scales ({scales}); give those of one")
        return chosen[0]

    def steps(self, alpha: float) -> tuple[Step, ...]:
        """Return how many answers are left at each step of the ranking."""
        return self._result(alpha).steps

    def remarks(self, alpha: float) -> tuple[str, ...]:
        """Return what a reader should know of the ranking at a level."""
        return self._result(alpha).remarks

    def verdicts(
        self, names: Sequence[str], alpha: float
    ) -> dict[tuple[str, str], Literal[-1, 0, 1]]:
        """Return what people say of all pairs of named systems: 1 for the first, −1, or 0."""
        winners = {
            frozenset((one.a, one.b)): one.winner
            for one in self.ranking(alpha).comparisons
            if one.winner is not None
        }
        verdicts: dict[tuple[str, str], Literal[-1, 0, 1]] = {}
        for a, b in combinations(names, 2):
            winner = winners.get(frozenset((a, b)))
            verdicts[a, b] = 0 if winner is None else 1 if winner == a else -1
        return verdicts

    def _result(self, alpha: float) -> Rankings:
        if alpha not in self._results:
            plan = replace(self._plan, alpha=alpha)
            answers = self._answers
            self._results[alpha] = rankings_of(
                answers.preferences if isinstance(answers, Preferences) else answers.judgments, plan
            )
        return self._results[alpha]


def gold_of(answers: Answers, quality: str = "none", unit: Any = "judgment") -> Gold:
    """Return people's conclusions from judgments or preferences, after a quality control."""
    told = as_answers(answers)
    if isinstance(told, Judgments):
        kept, remarks = controlled(told, quality)
        told = replace(told, judgments=kept, remarks=remarks)
    elif quality != "none":
        raise UsageError(
            f"quality control by {quality} is for judgments and not for relative rankings; "
            "leave it out"
        )
    return Gold(told, replace(PLAN, unit=unit))

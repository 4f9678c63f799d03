"""What people conclude of pairs of systems: the standard that tests are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from weigh.errors import InputError, UsageError
from weigh.human.rank import COMBINED, RankPlan, rank, rank_preferences
from weigh.read.answers import Judgments, Omission, Preferences
from weigh.types import Judgment, Preference

if TYPE_CHECKING:
    from weigh.human.rank import HumanRanking, HumanResult
    from weigh.human.steps import Step

Answers = Judgments | Preferences | Sequence[Judgment] | Sequence[Preference]

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
        self._results: dict[float, HumanResult] = {}

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
            for one in self.ranking(alpha).conclusions
            if one.winner is not None
        }
        verdicts: dict[tuple[str, str], Literal[-1, 0, 1]] = {}
        for a, b in combinations(names, 2):
            winner = winners.get(frozenset((a, b)))
            verdicts[a, b] = 0 if winner is None else 1 if winner == a else -1
        return verdicts

    def _result(self, alpha: float) -> HumanResult:
        if alpha not in self._results:
            plan = replace(self._plan, alpha=alpha)
            self._results[alpha] = (
                rank_preferences(self._answers.preferences, plan)
                if isinstance(self._answers, Preferences)
                else rank(self._answers.judgments, plan)
            )
        return self._results[alpha]


def gold_of(answers: Answers, quality: str = "none", unit: Any = "judgment") -> Gold:
    """Return people's conclusions from judgments or preferences, after a quality control."""
    told = answers_of(answers)
    if isinstance(told, Judgments):
        told = controlled(told, quality)
    elif quality != "none":
        raise UsageError(
            f"quality control by {quality} is for judgments and not for relative rankings; "
            "leave it out"
        )
    return Gold(told, replace(PLAN, unit=unit))


def answers_of(answers: Answers) -> Judgments | Preferences:
    """Return answers as files tell them, wherever they come from."""
    if isinstance(answers, Judgments | Preferences):
        return answers
    preferences = tuple(one for one in answers if isinstance(one, Preference))
    if preferences:
        return Preferences(preferences)
    return Judgments(tuple(one for one in answers if isinstance(one, Judgment)))


def controlled(answers: Judgments, quality: str) -> Judgments:
    """Return the judgments that a quality control leaves, with remarks on what it dropped."""
    if quality == "none":
        return answers
    from weigh.human.quality import check_quality

    found = check_quality(answers.judgments, quality)
    dropped = len(answers.judgments) - len(found.kept)
    said = f"{dropped:,} of {len(answers.judgments):,} judgments dropped by {quality}"
    return replace(answers, judgments=found.kept, remarks=(*answers.remarks, *found.remarks, said))

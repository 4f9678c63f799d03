"""What people conclude of pairs of systems: the standard that tests are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError
from weigh.human.plan import RankPlan
from weigh.human.rank import COMBINED, Rankings, rankings_of
from weigh.types import Judgment, Preference

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.human.judgments import Step
    from weigh.human.rank import HumanRanking
    from weigh.stats.resample import Pairs

    Verdicts = NDArray[np.int8]  # of pairs: 1 the first is better, −1 the second, 0 neither

# As in Graham et al. (2014), §4: one-sided, both directions tried, not corrected.
PLAN = RankPlan(unit="judgment", alternative="better", adjust="none")


class Gold:
    """Answers of people about one language pair, from which conclusions at any level come."""

    def __init__(
        self, answers: Sequence[Judgment] | Sequence[Preference], plan: RankPlan = PLAN
    ) -> None:
        self._judgments = [one for one in answers if isinstance(one, Judgment)]
        self._preferences = [one for one in answers if isinstance(one, Preference)]
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

    def verdicts(self, names: Sequence[str], pairs: Pairs, alpha: float) -> Verdicts:
        """Return what people say of pairs of named systems at a level."""
        winners = {
            frozenset((one.a, one.b)): one.winner
            for one in self.ranking(alpha).comparisons
            if one.winner is not None
        }
        found = [winners.get(frozenset((names[a], names[b]))) for a, b in pairs]
        return np.array(
            [
                0 if winner is None else 1 if winner == names[a] else -1
                for winner, (a, _) in zip(found, pairs, strict=True)
            ],
            dtype=np.int8,
        )

    def _result(self, alpha: float) -> Rankings:
        if alpha not in self._results:
            plan = replace(self._plan, alpha=alpha)
            self._results[alpha] = rankings_of(self._preferences or self._judgments, plan)
        return self._results[alpha]

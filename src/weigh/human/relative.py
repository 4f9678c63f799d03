"""Relative rankings: expected wins of systems, and sign tests of pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations

from weigh.human.conclusions import Conclusion
from weigh.human.ranksum import Alternative
from weigh.types import Preference


@dataclass(frozen=True, slots=True)
class ExpectedWins:
    """How often a system wins against an opponent drawn at random, ties aside."""

    system: str
    score: float
    wins: int
    losses: int
    ties: int


class Tally:
    """Wins, losses and ties of every pair of systems."""

    def __init__(self, preferences: Iterable[Preference]) -> None:
        self._wins: Counter[tuple[str, str]] = Counter()
        self._ties: Counter[str] = Counter()
        names = set()
        for one in preferences:
            names |= {one.winner, one.loser}
            if one.tied:
                self._ties.update((one.winner, one.loser))
            else:
                self._wins[one.winner, one.loser] += 1
        self._systems = sorted(names)

    def scores(self) -> list[ExpectedWins]:
        """Return the systems by expected wins, best first; equal ones by name.

        Koehn (2012), Bojar et al. (2013, §3.2): the mean over opponents b of wins over b divided
        by wins and losses against b. Opponents that were never beaten nor lost to are left out.
        """
        return sorted(map(self._score, self._systems), key=lambda one: (-one.score, one.system))

    def _score(self, system: str) -> ExpectedWins:
        won = {other: self._wins[system, other] for other in self._systems if other != system}
        lost = {other: self._wins[other, system] for other in won}
        # As fractions, since 1/3 and 2/3 have the mean of 1/2 and 1/2: equal scores are no order.
        shares = [Fraction(won[b], won[b] + lost[b]) for b in won if won[b] + lost[b]]
        score = float(sum(shares) / len(shares)) if shares else 0.5
        wins, losses = sum(won.values()), sum(lost.values())
        return ExpectedWins(system, score, wins, losses, self._ties[system])

    def conclusions(
        self, scores: Sequence[ExpectedWins], alternative: Alternative
    ) -> list[Conclusion]:
        """Return the sign test of every pair, the better one by score first; `better`: both ways.

        Of n preferences that are not ties, each goes either way with a chance of one half if the
        systems do not differ: the p-value is exact, from the binomial distribution.
        """
        by_name = {one.system: one.score for one in scores}
        names = list(by_name)
        pairs = combinations(names, 2) if alternative == "two-sided" else permutations(names, 2)
        found = []
        for a, b in pairs:
            won, lost = self._wins[a, b], self._wins[b, a]
            found.append(
                Conclusion(
                    a,
                    b,
                    by_name[a],
                    by_name[b],
                    difference=by_name[a] - by_name[b],
                    test="sign",
                    alternative=alternative,
                    p_value=sign_test(won, lost, alternative),
                    ahead=int(won > lost) - int(won < lost),
                    count_a=won,
                    count_b=lost,
                    scale="preference",
                )
            )
        return found


def sign_test(wins: int, losses: int, alternative: Alternative = "two-sided") -> float:
    """Return the exact p-value of wins against losses; `better` asks for more wins only.

    >>> sign_test(5, 0), sign_test(5, 0, "better")
    (0.0625, 0.03125)
    """
    from scipy.special import bdtrc  # much quicker to import than scipy.stats

    def at_least(k: int) -> float:
        return float(bdtrc(k - 1, wins + losses, 0.5)) if k > 0 else 1.0

    if alternative == "better":
        return at_least(wins)
    return min(1.0, 2 * at_least(max(wins, losses)))

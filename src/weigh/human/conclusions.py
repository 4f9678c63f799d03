"""Conclusions on pairs of systems from judgments, with p-values, ranks and clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, permutations
from typing import Literal, NamedTuple

import numpy as np

from weigh.human.plan import PAIRED, PREFERENCE, PairTest
from weigh.result import checked, checked_p_value, derived, sometimes, unsaved
from weigh.stats.multiplicity import adjust
from weigh.stats.ranking import Alternative, clusters, rank_ranges, sign, sign_test
from weigh.types import Preference


@dataclass(frozen=True, slots=True, kw_only=True)
class ForOthers:
    """The difference for other judges and segments like these.

    `difference` is the mean of what judges who scored both systems on a segment gave to a, less
    what they gave to b; its interval is by t with `freedom` degrees of freedom. Where documents
    are the unit, it is the difference of the scores, for other judges and `documents`; `judges`
    are 0 where there are too few of either to allow for other judges.
    """

    difference: float
    interval: tuple[float, float]
    freedom: float
    judges: int
    segments: int
    documents: int | None = sometimes()

    @property
    def contains_zero(self) -> bool:
        """Whether the interval contains 0."""
        return self.interval[0] <= 0 <= self.interval[1]

    def turned(self) -> ForOthers:
        """The same with a and b exchanged."""
        low, high = self.interval
        return replace(self, difference=-self.difference, interval=(-high, -low))


Test = PairTest | Literal["sign", "bradley-terry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """Result of a test of systems a and b; with the alternative `better`, of a over b only.

    `ahead` is 1 where the test finds a the better one, −1 for b, 0 for neither; it may contradict
    the difference of the scores, and then nothing is significant. `pair` and `scale` are those of
    the ranking, and `decided_by` is the scale that was tested. `count_a` and `count_b` are the
    values that were compared, or of preferences the wins. `shared` counts the segments that both
    were judged on, and `left_out` those of one alone, which a paired test leaves out. `p_stderr`
    is the Monte Carlo error of a randomization test. What is said of other judges and segments is
    known where three judges or more have scored both.

    Where documents are the unit, the test swaps whole `documents` and leaves out nothing; with
    fewer than 6 of them there is no p-value. `trials` are 0 where it is exact; where it `is_open`,
    more trials than a million could change the conclusion.
    """

    pair: str = ""
    scale: str = ""
    decided_by: str
    a: str
    b: str
    score_a: float
    score_b: float
    difference: float
    test: Test
    alternative: Alternative
    count_a: int
    count_b: int
    shared: int | None = sometimes()
    left_out: int | None = sometimes()
    documents: int | None = sometimes()
    p_value: float | None
    p_stderr: float | None = sometimes()
    trials: int | None = sometimes()
    is_open: bool = unsaved(False)
    ahead: Literal[-1, 0, 1]
    for_others: ForOthers | None = sometimes()
    p_adjusted: float | None = 1.0
    adjust: str = "none"
    family_size: int = 1
    significant: bool = False

    def __post_init__(self) -> None:
        checked(self.a != self.b, f"{self.a!r} compared with itself")
        for p_value in (self.p_value, self.p_adjusted):
            if p_value is not None:
                checked_p_value(p_value)

    @property
    def contradicts(self) -> bool:
        """Whether the test and the scores point in opposite directions."""
        return self.ahead * self.difference < 0

    @property
    @derived
    def winner(self) -> str | None:
        """The system that is significantly better, if one is."""
        return self.beats[0] if self.beats is not None else None

    @property
    @derived
    def these_judges_only(self) -> bool:
        """Whether the difference is significant but may not hold for other judges."""
        others = self.for_others
        return bool(
            self.significant and others and others.documents is not None and others.contains_zero
        )

    @property
    def beats(self) -> tuple[str, str] | None:
        """The system that is significantly better and the other one, if there is evidence."""
        if not self.significant:
            return None
        return (self.a, self.b) if self.ahead > 0 else (self.b, self.a)

    @property
    def leader(self) -> str | None:
        """The system that is better by both the test and the scores, if there is one."""
        if self.ahead * self.difference <= 0:
            return None
        return self.a if self.ahead > 0 else self.b

    def verdict(
        self, alpha: float
    ) -> Literal["better", "worse", "untested", "contradictory", "undecided"]:
        """The conclusion about a at the ranking's significance level."""
        if self.winner is not None:
            return "better" if self.winner == self.a else "worse"
        if self.p_adjusted is None:
            return "untested"
        return "contradictory" if self.p_adjusted <= alpha else "undecided"


def count_tests(conclusions: Iterable[Conclusion]) -> dict[Test, int]:
    """The number of conclusions by test, paired tests first."""
    counts = Counter(conclusion.test for conclusion in conclusions)
    return {test: counts[test] for test in sorted(counts, key=lambda t: (t not in PAIRED, t))}


class Outcome(NamedTuple):
    """Result of a test of two systems, with the number of values, or wins, of each."""

    test: Test
    p_value: float | None
    ahead: Literal[-1, 0, 1]
    count_a: int
    count_b: int
    shared: int | None = None
    left_out: int | None = None
    p_stderr: float | None = None
    for_others: ForOthers | None = None
    documents: int | None = None
    trials: int | None = None
    is_open: bool = False


def conclusions_of(
    scores: Mapping[str, float],
    compare: Callable[[str, str], Outcome],
    *,
    alternative: Alternative,
    scale: str,
) -> list[Conclusion]:
    """Test every pair, the better one by score first; with `better`, in both directions."""
    return [
        Conclusion(
            decided_by=scale,
            a=a,
            b=b,
            score_a=scores[a],
            score_b=scores[b],
            difference=scores[a] - scores[b],
            alternative=alternative,
            **compare(a, b)._asdict(),
        )
        for a, b in (combinations if alternative == "two-sided" else permutations)(scores, 2)
    ]


def judged(conclusions: Sequence[Conclusion], method: str, alpha: float) -> tuple[Conclusion, ...]:
    """Adjust the p-values of one family and mark those significant at `alpha`."""
    family = [pair.p_value for pair in conclusions if pair.p_value is not None]
    adjusted = iter(adjust(family, method).tolist())
    final = []
    for conclusion in conclusions:
        p = None if conclusion.p_value is None else next(adjusted)
        agrees = conclusion.ahead * conclusion.difference > 0
        final.append(
            replace(
                conclusion,
                p_adjusted=p,
                adjust=method,
                family_size=len(family),
                significant=p is not None and p <= alpha and agrees,
            )
        )
    return tuple(final)


def combined(
    adequacy: Sequence[Conclusion], fluency: Sequence[Conclusion]
) -> tuple[Conclusion, ...]:
    """Use fluency where adequacy finds no difference (Graham et al. 2014, §4.2).

    If a pair differs in adequacy, in either direction, that is the conclusion. Only if it does
    not, the conclusion and the p-value are those of fluency. A pair that was not judged for
    fluency keeps its conclusion. Two tests at α each are wrong more often than one.
    """
    decided = {
        frozenset((conclusion.a, conclusion.b)) for conclusion in adequacy if conclusion.significant
    }
    second = {(conclusion.a, conclusion.b): conclusion for conclusion in _both_ways(fluency)}
    return tuple(
        conclusion
        if frozenset((conclusion.a, conclusion.b)) in decided
        else second.get((conclusion.a, conclusion.b), conclusion)
        for conclusion in adequacy
    )


def _both_ways(conclusions: Sequence[Conclusion]) -> list[Conclusion]:
    """Two-sided conclusions in both orders, since scales may order a pair differently."""
    turned = [
        replace(
            conclusion,
            a=conclusion.b,
            b=conclusion.a,
            score_a=conclusion.score_b,
            score_b=conclusion.score_a,
            difference=-conclusion.difference,
            ahead=sign(-conclusion.ahead),
            count_a=conclusion.count_b,
            count_b=conclusion.count_a,
            for_others=conclusion.for_others and conclusion.for_others.turned(),
        )
        for conclusion in conclusions
        if conclusion.alternative == "two-sided"
    ]
    return [*conclusions, *turned]


def net_wins(names: Sequence[str], conclusions: Iterable[Conclusion]) -> dict[str, int]:
    """Number of systems that each system beats, minus those that beat it."""
    net = dict.fromkeys(names, 0)
    for winner, loser in {
        conclusion.beats for conclusion in conclusions if conclusion.beats is not None
    }:
        net[winner] += 1
        net[loser] -= 1
    return net


def by_net_wins(
    names: Sequence[str], conclusions: Sequence[Conclusion]
) -> tuple[list[str], tuple[Conclusion, ...]]:
    """Order systems by the systems that they beat less those that beat them; equal ones as given.

    Conclusions of different scales need not be transitive: A may beat B, B beat C, and C beat A.
    Then no order shows every win as a step down, but this one (Copeland's) has every boundary
    that any order could have: k systems that beat all n − k others win n − 2k + 1 or more, net,
    and each of the others at most n − 2k − 1. The conclusions are returned with the pairs turned
    so that the system that stands higher is their a.
    """
    net = net_wins(names, conclusions)
    order = sorted(names, key=lambda name: -net[name])
    place = {name: at for at, name in enumerate(order)}
    facing = [
        conclusion
        for conclusion in _both_ways(conclusions)
        if conclusion.alternative != "two-sided" or place[conclusion.a] < place[conclusion.b]
    ]
    return order, tuple(
        sorted(facing, key=lambda conclusion: (place[conclusion.a], place[conclusion.b]))
    )


@dataclass(frozen=True, slots=True)
class Order:
    """Systems in clusters, best first, and the lowest and highest rank that each may have."""

    clusters: tuple[tuple[str, ...], ...]
    ranges: Mapping[str, tuple[int, int]]


def ordered(
    names: Sequence[str], conclusions: Sequence[Conclusion], boundary: str = "all"
) -> Order:
    """Clusters and rank ranges of systems, whose names are given best first.

    A boundary stands where every system above significantly beats every system below (`all`), or,
    as the WMT printed its results in 2021, below a system that itself beats every system below
    (`last`): then only the last system above is looked at.
    """
    wins = {conclusion.beats for conclusion in conclusions if conclusion.beats is not None}
    beats = np.array([[(a, b) in wins for b in names] for a in names])
    if boundary == "all":
        groups = clusters(names, range(len(names), 0, -1), beats)
    else:
        groups = [[]]
        for at, name in enumerate(names):
            groups[-1].append(name)
            if at + 1 < len(names) and beats[at, at + 1 :].all():
                groups.append([])
    return Order(tuple(tuple(group) for group in groups), rank_ranges(names, wins))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedWins:
    """The probability of a win against a random opponent, ties aside."""

    pair: str = ""
    scale: str = PREFERENCE
    system: str
    by: Literal["expected wins"] = "expected wins"
    score: float
    wins: int
    losses: int
    ties: int
    rank: tuple[int, int] = (1, 1)
    cluster: int = 1


class PreferenceTally:
    """Wins, losses and ties of every pair of systems."""

    def __init__(self, preferences: Iterable[Preference]) -> None:
        self._wins: Counter[tuple[str, str]] = Counter()
        self._ties: Counter[str] = Counter()
        names = set()
        for preference in preferences:
            names |= {preference.winner, preference.loser}
            if preference.tied:
                self._ties.update((preference.winner, preference.loser))
            else:
                self._wins[preference.winner, preference.loser] += 1
        self._systems = sorted(names)

    def scores(self) -> list[ExpectedWins]:
        """Return the systems by expected wins, best first; equal ones by name.

        Koehn (2012), Bojar et al. (2013, §3.2): the mean over opponents b of wins over b divided
        by wins and losses against b. Opponents that were never beaten nor lost to are left out.
        """
        return sorted(
            map(self._score, self._systems), key=lambda score: (-score.score, score.system)
        )

    def _score(self, system: str) -> ExpectedWins:
        won = {other: self._wins[system, other] for other in self._systems if other != system}
        lost = {other: self._wins[other, system] for other in won}
        # As fractions, since 1/3 and 2/3 have the mean of 1/2 and 1/2: equal scores are no order.
        shares = [Fraction(won[b], won[b] + lost[b]) for b in won if won[b] + lost[b]]
        score = float(sum(shares) / len(shares)) if shares else 0.5
        wins, losses = sum(won.values()), sum(lost.values())
        return ExpectedWins(
            system=system, score=score, wins=wins, losses=losses, ties=self._ties[system]
        )

    def conclusions(
        self, scores: Sequence[ExpectedWins], alternative: Alternative
    ) -> list[Conclusion]:
        """Return the sign test of every pair.

        Of n preferences that are not ties, each goes either way with a chance of one half if the
        systems do not differ: the p-value is exact, from the binomial distribution.
        """

        def compare(a: str, b: str) -> Outcome:
            won, lost = self._wins[a, b], self._wins[b, a]
            p_value = sign_test(won, lost, alternative)
            return Outcome("sign", p_value, sign(won - lost), won, lost)

        return conclusions_of(
            {score.system: score.score for score in scores},
            compare,
            alternative=alternative,
            scale=PREFERENCE,
        )

"""What people say of pairs of systems: who is better, with what p-value, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weigh.stats.multiplicity import adjust
from weigh.stats.ranking import clusters


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a test says of systems a and b; with the alternative `better`, of a over b alone.

    `ahead` is 1 where the test finds a the better one, −1 for b, 0 for neither; it may contradict
    the difference of the scores, and then nothing is significant. `scale` names what was judged.
    `count_a` and `count_b` are the values that were compared, or for a sign test the wins.
    """

    a: str
    b: str
    score_a: float
    score_b: float
    difference: float
    test: str
    alternative: str
    p_value: float
    ahead: int
    count_a: int
    count_b: int
    scale: str
    p_adjusted: float = 1.0
    adjust: str = "none"
    family_size: int = 1
    significant: bool = False

    @property
    def contradicts(self) -> bool:
        """Whether the test and the scores point in opposite directions."""
        return self.ahead * self.difference < 0

    @property
    def winner(self) -> str | None:
        """The system that is significantly better, if one is."""
        return self.beats[0] if self.beats is not None else None

    @property
    def beats(self) -> tuple[str, str] | None:
        """The system that is significantly better and the other one, if there is evidence."""
        if not self.significant:
            return None
        return (self.a, self.b) if self.ahead > 0 else (self.b, self.a)


def judged(conclusions: Sequence[Conclusion], method: str, alpha: float) -> tuple[Conclusion, ...]:
    """Adjust the p-values of one family and tell which are significant at `alpha`."""
    adjusted = adjust([one.p_value for one in conclusions], method)
    return tuple(
        replace(
            one,
            p_adjusted=float(p),
            adjust=method,
            family_size=len(conclusions),
            significant=bool(p <= alpha) and one.ahead * one.difference > 0,
        )
        for one, p in zip(conclusions, adjusted, strict=True)
    )


def combined(
    adequacy: Sequence[Conclusion], fluency: Sequence[Conclusion]
) -> tuple[Conclusion, ...]:
    """Let fluency decide where adequacy does not (Graham et al. 2014, §4.2).

    If a pair differs in adequacy, in either direction, that is the conclusion. Only if it does
    not, the conclusion and the p-value are those of fluency. A pair that was not judged for
    fluency keeps its conclusion. Two tests at α each are wrong more often than one.
    """
    decided = {frozenset((one.a, one.b)) for one in adequacy if one.significant}
    second = {(one.a, one.b): one for one in _both_ways(fluency)}
    return tuple(
        one if frozenset((one.a, one.b)) in decided else second.get((one.a, one.b), one)
        for one in adequacy
    )


def _both_ways(conclusions: Sequence[Conclusion]) -> list[Conclusion]:
    """Return two-sided conclusions from either side: scales may order a pair differently."""
    turned = [
        replace(
            one,
            a=one.b,
            b=one.a,
            score_a=one.score_b,
            score_b=one.score_a,
            difference=-one.difference,
            ahead=-one.ahead,
            count_a=one.count_b,
            count_b=one.count_a,
        )
        for one in conclusions
        if one.alternative == "two-sided"
    ]
    return [*conclusions, *turned]


@dataclass(frozen=True, slots=True)
class Order:
    """Systems in clusters, best first, and the lowest and highest rank that each may have."""

    clusters: tuple[tuple[str, ...], ...]
    ranges: Mapping[str, tuple[int, int]]


def ordered(
    names: Sequence[str], conclusions: Sequence[Conclusion], boundary: str = "all"
) -> Order:
    """Return clusters and rank ranges of systems whose names stand best first.

    A boundary stands where every system above significantly beats every system below (`all`), or,
    as the WMT printed its results in 2021, below a system that itself beats every system below
    (`last`): then only the last system above is looked at. A rank range goes from the number of
    systems that beat this one plus one to the number of systems less those that it beats.
    """
    place = {name: at for at, name in enumerate(names)}
    beats = np.zeros((len(names), len(names)), dtype=bool)
    for one in conclusions:
        if one.beats is not None:
            winner, loser = one.beats
            beats[place[winner], place[loser]] = True
    if boundary == "all":
        groups = clusters(names, range(len(names), 0, -1), beats)
    else:
        groups = [[]]
        for at, name in enumerate(names):
            groups[-1].append(name)
            if at + 1 < len(names) and beats[at, at + 1 :].all():
                groups.append([])
    ranges = {
        name: (int(beats[:, at].sum()) + 1, len(names) - int(beats[at].sum()))
        for name, at in place.items()
    }
    return Order(tuple(tuple(group) for group in groups), ranges)

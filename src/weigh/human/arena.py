"""Rankings by strength of systems that people compared in pairs, as in chat arenas.

The model is that of `weigh.stats.bradley_terry`. Intervals and tests of pairs are for other judges
and other segments: their variance is that of `weigh.stats.crossed`, of what each answer contributes
to an estimate's error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import attrgetter
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weigh.errors import InputError, plural
from weigh.human.conclusions import Conclusion, Outcome, conclusions_of
from weigh.human.plan import PREFERENCE, RankPlan
from weigh.result import checked, checked_p_value, derived
from weigh.stats.bradley_terry import (
    Duels,
    Strengths,
    Unbounded,
    connected_groups,
    contrast_of,
    fit_strengths,
)
from weigh.stats.crossed import LEAST_JUDGES, Spread
from weigh.stats.ranking import sign
from weigh.types import Preference
from weigh.wording import first_names

BY: Literal["bradley-terry"] = "bradley-terry"
ELO = 400 / math.log(10)
"""Points on the scale of Elo ratings for 1 of log strength: 400 are odds of ten to one."""
_MEAN_ELO = 1000
_MOST_NAMED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """A system's log strength, of which those that are bounded have the mean 0, and how it won.

    `win_rate` counts a tie as half a win. The interval is for other judges and segments; there is
    none where the answers set no bound: the system won every time (`above`), lost every time
    (`below`), or neither can be told from other systems (`both`).
    """

    pair: str = ""
    scale: str = PREFERENCE
    system: str
    by: Literal["bradley-terry"] = BY
    score: float
    interval: tuple[float, float] | None
    unbounded: Unbounded = ""
    win_rate: float
    wins: int
    losses: int
    ties: int
    rank: tuple[int, int] = (1, 1)
    cluster: int = 1

    @property
    @derived
    def elo(self) -> float:
        """The strength on the scale of Elo ratings, with a mean of 1000."""
        return _MEAN_ELO + ELO * self.score


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionBias:
    """The advantage of the system that is shown first.

    `effect` is added to the log strength of the system that is shown first. `first_wins` is how
    often that one would be preferred, of answers that are no ties, if both were equally strong.
    """

    effect: float
    interval: tuple[float, float] | None
    first_wins: float
    first_wins_interval: tuple[float, float] | None
    p_value: float

    def __post_init__(self) -> None:
        checked_p_value(self.p_value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """Wins, losses and ties of two systems, and the interval of their difference.

    There is none where the strength of one of them is unbounded.
    """

    a: str
    b: str
    wins_a: int
    wins_b: int
    ties: int
    interval: tuple[float, float] | None

    def __post_init__(self) -> None:
        checked(min(self.wins_a, self.wins_b, self.ties) >= 0, "fewer than 0 wins")

    @property
    def win_rate(self) -> float:
        """The share of wins of a, ties counting half; NaN without comparisons."""
        count = self.wins_a + self.wins_b + self.ties
        return (self.wins_a + self.ties / 2) / count if count else math.nan

    def turned(self) -> Duel:
        """The same from the side of b."""
        ends = self.interval
        return Duel(
            a=self.b,
            b=self.a,
            wins_a=self.wins_b,
            wins_b=self.wins_a,
            ties=self.ties,
            interval=None if ends is None else (-ends[1], -ends[0]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Arena:
    """Parameters of a ranking by strength other than the strengths.

    `tie` is Davidson's ν, null if all answers are ties; `tied` is the share of ties between equal
    systems. `holds_for` says what the intervals generalise to. With a `phantom`, every system got
    half a win and half a loss against a fictitious one.
    """

    answers: int
    judges: int
    segments: int
    holds_for: Literal["judges and segments", "segments", "answers", "nothing"]
    tie: float
    tied: float
    position: PositionBias | None
    phantom: bool
    duels: tuple[Duel, ...]

    def both_ways(self) -> dict[tuple[str, str], Duel]:
        """Every duel from either side."""
        duels = [*self.duels, *(duel.turned() for duel in self.duels)]
        return {(duel.a, duel.b): duel for duel in duels}

    def intervals(self) -> dict[tuple[str, str], tuple[float, float] | None]:
        """Intervals of the differences of all pairs, in both directions."""
        return {pair: duel.interval for pair, duel in self.both_ways().items()}


class ArenaRanking(NamedTuple):
    """Strengths, best first, conclusions on pairs, and the parameters of the fit."""

    scores: list[Strength]
    conclusions: list[Conclusion]
    arena: Arena
    remarks: list[str]


class _Table(NamedTuple):
    """Preferences as numbers, in an order that the order of rows does not change."""

    names: list[str]
    duels: Duels
    judges: NDArray[np.int64] | None
    segments: NDArray[np.int64]
    named_judges: int
    named_segments: int
    unnamed_judges: int


def arena_ranking(preferences: Sequence[Preference], plan: RankPlan) -> ArenaRanking:
    """Rank systems by Bradley & Terry's strengths, and test the difference of every pair."""
    table = _table(preferences)
    _check_connected(table)
    fit = _Fit(table, plan)
    order = sorted(range(len(table.names)), key=lambda at: (-fit.values[at], table.names[at]))
    conclusions = conclusions_of(
        {table.names[at]: fit.values[at] for at in order},
        fit.compare,
        alternative=plan.alternative,
        scale=PREFERENCE,
    )
    arena = fit.arena(order)
    scores = [fit.strength(at) for at in order]
    return ArenaRanking(scores, conclusions, arena, _remarks(table, fit.strengths, arena))


class _Fit:
    """Strengths fitted to a table, with their spreads and the systems' wins."""

    def __init__(self, table: _Table, plan: RankPlan) -> None:
        self._table, self._plan = table, plan
        self._place = {name: at for at, name in enumerate(table.names)}
        self.strengths = fit_strengths(table.duels)
        self._spreads = self.strengths.spreads(table.judges, table.segments)
        self.values: list[float] = self.strengths.log_strengths.tolist()
        self._counts = _counts(table)
        self._known: dict[tuple[int, int | None], Spread | None] = {}

    @property
    def _all_tied(self) -> bool:
        """Whether all answers are ties, so that the spread of strengths is unknown."""
        return math.isinf(self.strengths.tie)

    def _spread(self, plus: int, minus: int | None = None) -> Spread | None:
        """Spread of a parameter, or of the difference of two; computed once for each."""
        if self._all_tied:
            return None
        if (plus, minus) not in self._known:
            contrast = contrast_of(self.strengths.bread.shape[0], plus, minus)
            self._known[plus, minus] = self._spreads.of(contrast)
        return self._known[plus, minus]

    def _interval(self, value: float, spread: Spread | None) -> tuple[float, float] | None:
        if spread is None:
            return None
        half = spread.half_width(self._plan.level)
        return value - half, value + half

    def compare(self, a: str, b: str) -> Outcome:
        """Test the difference of two strengths by Student's t."""
        first, second = self._place[a], self._place[b]
        difference = self.values[first] - self.values[second]
        spread = self._spread(first, second)
        p_value = 1.0 if spread is None else spread.p_value(difference)
        if self._plan.alternative == "better":
            p_value = p_value / 2 if difference > 0 else 1 - p_value / 2
        return Outcome(BY, p_value, sign(difference), *self._wins(first, second))

    def _wins(self, a: int, b: int) -> tuple[int, int]:
        return int(self._counts[0, a, b]), int(self._counts[0, b, a])

    def strength(self, at: int) -> Strength:
        """Strength of the system at an index of the table."""
        counts = self._counts
        wins, losses = int(counts[0, at].sum()), int(counts[0, :, at].sum())
        ties = int(counts[1, at].sum())
        unbounded = self.strengths.unbounded[at]
        return Strength(
            system=self._table.names[at],
            score=self.values[at],
            interval=None if unbounded else self._interval(self.values[at], self._spread(at)),
            unbounded=unbounded,
            win_rate=(wins + ties / 2) / (wins + losses + ties),
            wins=wins,
            losses=losses,
            ties=ties,
        )

    def _duel(self, a: int, b: int) -> Duel:
        wins_a, wins_b = self._wins(a, b)
        interval = None
        if not (self.strengths.unbounded[a] or self.strengths.unbounded[b]):
            interval = self._interval(self.values[a] - self.values[b], self._spread(a, b))
        return Duel(
            a=self._table.names[a],
            b=self._table.names[b],
            wins_a=wins_a,
            wins_b=wins_b,
            ties=int(self._counts[1, a, b]),
            interval=interval,
        )

    def _position(self) -> PositionBias | None:
        effect = self.strengths.position
        if effect is None:
            return None
        spread = self._spread(self.strengths.bread.shape[0] - 1)  # the last parameter
        ends = self._interval(effect, spread)
        return PositionBias(
            effect=effect,
            interval=ends,
            first_wins=_share(effect),
            first_wins_interval=None if ends is None else (_share(ends[0]), _share(ends[1])),
            p_value=1.0 if spread is None else spread.p_value(effect),
        )

    def arena(self, order: Sequence[int]) -> Arena:
        """Everything except the strengths; duels are in the order of the systems."""
        table, tie = self._table, self.strengths.tie
        holds_for: Literal["judges and segments", "segments", "answers", "nothing"]
        if self._all_tied or self._spreads.segments < 2:
            holds_for = "nothing"
        elif self._spreads.crossed:
            holds_for = "judges and segments"
        else:
            holds_for = "segments" if table.named_segments else "answers"
        return Arena(
            answers=table.duels.a.size,
            judges=table.named_judges,
            segments=self._spreads.segments,
            holds_for=holds_for,
            tie=tie,
            tied=1.0 if self._all_tied else tie / (2 + tie),
            position=self._position(),
            phantom=self.strengths.phantom,
            duels=tuple(self._duel(a, b) for a, b in combinations(order, 2)),
        )


def _table(preferences: Sequence[Preference]) -> _Table:
    winners, losers, ties, shown_first, by, on = (
        list(map(attrgetter(name), preferences))
        for name in ("winner", "loser", "tied", "first", "judge", "segment")
    )
    names = sorted({*winners, *losers})
    place: dict[str | None, int] = {name: at for at, name in enumerate(names)}
    winner, loser = (
        _array(map(place.__getitem__, names_of_side)) for names_of_side in (winners, losers)
    )
    tied = np.array(ties, dtype=np.bool_)
    others = dict.fromkeys({*shown_first} - {*names}, -2)
    first = _array(map({**place, **others, None: -1}.__getitem__, shown_first))
    wrong = np.flatnonzero(
        (winner == loser) | ((first != -1) & (first != winner) & (first != loser))
    )
    if wrong.size:
        bad = preferences[int(wrong[0])]
        raise InputError(
            f"a preference between {bad.winner!r} and {bad.loser!r} with {bad.first!r} shown "
            "first; give two systems, one of them first"
        )
    turned = first == loser
    outcome = np.where(tied, 0, np.where(turned, -1, 1))
    a, b = np.where(turned, loser, winner), np.where(turned, winner, loser)
    duels = Duels(len(names), a, b, outcome, first >= 0).align()
    judges, named_judges = _codes(by)
    # Where no segment comes twice, as in arenas, their names need no order: that takes long.
    segments, named_segments = _codes(on if len({*on}) < len(on) else [""] * len(on))
    in_order = np.lexsort((duels.key, judges, segments))
    duels = duels.sorted_by(in_order)
    judges, unnamed = _own(judges[in_order], named_judges)
    segments, _ = _own(segments[in_order], named_segments)
    return _Table(
        names,
        duels,
        judges if named_judges else None,
        segments,
        named_judges,
        named_segments,
        unnamed,
    )


def _codes(labels: Sequence[str | None]) -> tuple[NDArray[np.int64], int]:
    """Codes of labels in sorted order, −1 for missing ones."""
    names = sorted(label for label in {*labels} if label)
    codes: dict[str | None, int] = {None: -1, "": -1}
    codes |= {label: at for at, label in enumerate(names)}
    return _array(map(codes.__getitem__, labels)), len(names)


def _array(numbers: Iterable[int]) -> NDArray[np.int64]:
    return np.array([*numbers], dtype=np.int64)


def _own(codes: NDArray[np.int64], named: int) -> tuple[NDArray[np.int64], int]:
    """Replace every missing label by a code of its own."""
    empty = codes < 0
    count = int(empty.sum())
    codes[empty] = named + np.arange(count)
    return codes, count


def _check_connected(table: _Table) -> None:
    groups = connected_groups(table.duels)
    if len(groups) > 1:
        descriptions = "; ".join(
            first_names([table.names[at] for at in group], _MOST_NAMED)
            for group in groups[:_MOST_NAMED]
        )
        more = f"; and {len(groups) - _MOST_NAMED:,} more" if len(groups) > _MOST_NAMED else ""
        raise InputError(
            f"the systems fall into {len(groups):,} groups that were never compared with each "
            f"other ({descriptions}{more}); rank each group separately, or collect answers that "
            "connect them"
        )


def _counts(table: _Table) -> NDArray[np.int64]:
    """For every two systems, the wins of the row's system (0) and the ties (1)."""
    duels, size = table.duels, len(table.names)
    winner = np.where(duels.outcome < 0, duels.b, duels.a)
    loser = np.where(duels.outcome < 0, duels.a, duels.b)
    kind = (duels.outcome == 0).astype(np.int64)
    places = (kind * size + winner) * size + loser
    counts = np.bincount(places, minlength=2 * size * size).reshape(2, size, size)
    counts[1] += counts[1].T.copy()
    return counts


def _share(effect: float) -> float:
    """Share of wins, ignoring ties, of a system that is stronger by this much."""
    return 1 / (1 + math.exp(-effect)) if effect > -700 else 0.0


def _remarks(table: _Table, strengths: Strengths, arena: Arena) -> list[str]:
    remarks = []
    if math.isinf(strengths.tie):
        remarks.append(
            "all answers are ties, so all systems are equally strong, and there are no intervals "
            "or tests"
        )
    elif arena.segments < 2:
        remarks.append("only one segment, so there are no intervals or tests")
    if strengths.phantom:
        sides: dict[str, list[str]] = {}
        for name, side in zip(table.names, strengths.unbounded, strict=True):
            if side:
                sides.setdefault(side, []).append(name)
        unbounded = "; ".join(
            f"{first_names(names, _MOST_NAMED)} ({_WHY[side]})" for side, names in sides.items()
        )
        remarks.append(
            f"unbounded: the answers set no limit to the strength of {unbounded}; to obtain "
            "finite strengths, every system got half a win and half a loss against a fictitious one"
        )
    if strengths.why_no_position:
        remarks.append(
            f"the effect of being shown first is not estimated: {strengths.why_no_position}"
        )
    if arena.holds_for == "nothing":
        return remarks
    if table.judges is None:
        remarks.append(
            f"no judges are named, so intervals and tests generalise to other {arena.holds_for} "
            "but not to other judges; if answers of one person are similar, they are too narrow"
        )
    elif arena.holds_for != "judges and segments":
        remarks.append(
            f"only {plural(table.named_judges, 'judge')}: intervals and tests hold only for "
            f"these judges ({LEAST_JUDGES} are needed to generalise to others)"
        )
    elif table.unnamed_judges:
        remarks.append(
            f"{plural(table.unnamed_judges, 'answer')} without a judge, each treated as a "
            "different judge's"
        )
    return remarks


_WHY = {
    "above": "the others never beat them",
    "below": "they never beat the others",
    "both": "no wins and losses place them among the others",
}

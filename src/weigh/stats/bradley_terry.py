"""Strengths of systems from answers to "which of two is better?", with ties and order effects.

Davidson's model (1970), after Bradley & Terry (1952), gives each system a log strength θ. With
d = θ_first − θ_second + δ for the systems shown first and second, the outcomes "first", "neither"
and "second" have probabilities proportional to exp(d/2), ν and exp(−d/2). ν sets the frequency of
ties. δ is the advantage of being shown first (Davidson & Beaver 1977), which is estimated only
where the order is known. The mean of the log strengths is 0, excluding unbounded ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from weigh.errors import InputError
from weigh.stats.crossed import LEAST_JUDGES, Spread, spread_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

Unbounded = Literal["", "above", "below", "both"]
"""The direction in which the answers leave a strength unbounded; empty if it is bounded.

A system that always wins is unbounded above, one that always loses below.
"""
# Newton's method squares the error with every step, so a further step would change nothing.
_SMALL = 1e-11
_MOST_STEPS = 200
_NO_VARIANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Duels:
    """Answers as arrays, with one element per answer.

    `a` and `b` are the numbers of the two systems, from 0. `outcome` is 1 if a was preferred, −1 if
    b was, and 0 for neither. `ordered` means that a was shown first; otherwise the order is
    unknown.
    """

    systems: int
    a: Places
    b: Places
    outcome: Places
    ordered: NDArray[np.bool_]

    def align(self) -> Duels:
        """The same answers with the lower number as `a` where the order is unknown."""
        swap = ~self.ordered & (self.a > self.b)
        return Duels(
            self.systems,
            np.where(swap, self.b, self.a),
            np.where(swap, self.a, self.b),
            np.where(swap, -self.outcome, self.outcome),
            self.ordered,
        )

    def sorted_by(self, order: Places) -> Duels:
        """The answers in another order."""
        return Duels(
            self.systems,
            self.a[order],
            self.b[order],
            self.outcome[order],
            self.ordered[order],
        )

    @property
    def key(self) -> Places:
        """A number for each answer that encodes its systems, order and outcome."""
        key: Places = ((self.a * self.systems + self.b) * 2 + self.ordered) * 3 + self.outcome + 1
        return key


@dataclass(frozen=True, slots=True)
class _Cells:
    """Numbers of wins, ties and losses of each two systems in each order."""

    a: Places
    b: Places
    ordered: Floats
    won: Floats
    tied: Floats
    lost: Floats

    @classmethod
    def of(cls, duels: Duels) -> _Cells:
        size = duels.systems
        keys, counts = np.unique(duels.align().key, return_counts=True)
        pairs, places = np.unique(keys // 3, return_inverse=True)
        table = np.zeros((pairs.size, 3))
        table[places, keys % 3] = counts
        first = pairs // 2
        return cls(
            first // size,
            first % size,
            (pairs % 2).astype(np.float64),
            won=table[:, 2],
            tied=table[:, 1],
            lost=table[:, 0],
        )


@dataclass(frozen=True, slots=True)
class Strengths:
    """The fitted model.

    The mean of `log_strengths` is 0, over the bounded ones if there are any. `tie` is ν, which is
    infinite if all answers are ties. `position` is δ; None if it is not estimated, and then
    `why_no_position` is the reason, provided that the order is known. `unbounded` is the direction
    in which each system's strength is unbounded. If any is, `phantom` is true: every system was
    given half a win and half a loss against a phantom.
    """

    log_strengths: Floats
    tie: float
    position: float | None
    why_no_position: str
    phantom: bool
    unbounded: tuple[Unbounded, ...]
    bread: Floats
    """Rows of the inverse information for strengths (minus their mean) and δ, by all parameters.

    The product with the sum of an answer's scores is that answer's influence on the estimates."""
    model: Floats
    """Covariances of strengths and δ under independent answers."""
    duels: Duels

    def _scores(self) -> tuple[Places, Places, Floats]:
        """Derivatives of each answer's log-likelihood: arrays of answers, parameters, values."""
        duels, size = self.duels, self.duels.systems
        d = self.log_strengths[duels.a] - self.log_strengths[duels.b]
        d = d + duels.ordered * (self.position or 0.0)
        wins, ties, losses = _probabilities(d, self.tie)
        slope = ((duels.outcome == 1) - wins - (duels.outcome == -1) + losses) / 2
        answer = np.arange(duels.a.size)
        parts = [(answer, duels.a, slope), (answer, duels.b, -slope)]
        if 0 < self.tie < math.inf:
            parts.append((answer, np.full(answer.size, size), (duels.outcome == 0) - ties))
        if self.position is not None:
            ordered = np.flatnonzero(duels.ordered)
            last = np.full(ordered.size, self.bread.shape[1] - 1)
            parts.append((ordered, last, slope[ordered]))
        rows, columns, values = (np.concatenate(column) for column in zip(*parts, strict=True))
        return rows, columns, values

    def spreads(self, judges: Places | None, segments: Places) -> Spreads:
        """Variances of strengths over judges and segments (`crossed_spread`).

        Judges and segments are numbered from 0, one of each per answer. Without judges, or with
        fewer than three, the variances are over segments only.
        """
        rows, columns, values = self._scores()
        size, width = self.duels.a.size, self.bread.shape[1]

        def meat(groups: Places, count: int) -> Floats:
            return self._meat(groups[rows], columns, values, (count, width))

        count = int(segments.max()) + 1
        n_judges = 0 if judges is None else int(judges.max()) + 1
        crossed = judges is not None and n_judges >= LEAST_JUDGES
        by_answer = meat(np.arange(size), size) if crossed else np.zeros((width, width))
        return Spreads(
            meat(judges, n_judges) if crossed and judges is not None else None,
            meat(segments, count),
            by_answer,
            n_judges,
            count,
            self.model,
            tuple(map(bool, self.unbounded)),
        )

    def _meat(
        self, rows: Places, columns: Places, values: Floats, shape: tuple[int, int]
    ) -> Floats:
        """Covariance of the estimates, B Σ s sᵀ Bᵀ, where s is a group's sum of scores."""
        from scipy.sparse import csr_array

        sums: Any = csr_array((values, (rows, columns)), shape=shape)
        result: Floats = self.bread @ (sums.T @ sums).toarray() @ self.bread.T
        return result


@dataclass(frozen=True, slots=True)
class Spreads:
    """Variances of contrasts of strengths (and δ, which comes last), from groups of answers."""

    by_judge: Floats | None
    by_segment: Floats
    by_answer: Floats
    judges: int
    segments: int
    model: Floats
    """Covariances under independent answers: a lower limit if a strength is unbounded or answers do
    not vary."""
    unbounded: tuple[bool, ...]

    @property
    def crossed(self) -> bool:
        """Whether variances are over judges and segments, not over segments alone."""
        return self.by_judge is not None

    def of(self, contrast: Floats) -> Spread | None:
        """Spread of a contrast of strengths; None if there is only one segment."""
        if self.segments < 2:
            return None
        places = np.flatnonzero(contrast)  # one or two of many
        weights, square = contrast[places], np.ix_(places, places)

        def quadratic_form(matrix: Floats, correction: float = 1.0) -> float:
            return float(weights @ matrix[square] @ weights) * correction

        by_segment = quadratic_form(self.by_segment, self.segments / (self.segments - 1))
        if self.by_judge is None:
            spread = Spread(by_segment, self.segments - 1.0)
        else:
            spread = spread_of(
                quadratic_form(self.by_judge, self.judges / (self.judges - 1)),
                by_segment,
                quadratic_form(self.by_answer),
                self.judges,
                self.segments,
            )
        least = quadratic_form(self.model)
        of_unbounded = contrast[: len(self.unbounded)][np.array(self.unbounded)]
        if of_unbounded.any() or spread.variance <= _NO_VARIANCE * least:
            return spread._replace(variance=max(spread.variance, least))
        return spread


def fit_strengths(duels: Duels) -> Strengths:
    """Fit the model by maximum likelihood.

    1. The systems must be connected by comparisons.
    2. If the likelihood has no maximum, for example because a system wins every time, every system
       gets half a win and half a loss against a phantom, without ties. The result says which
       strengths are unbounded.
    3. δ is left out if it is unbounded as well or cannot be separated from the strengths.
    4. The log-likelihood is concave and is maximised by Newton's method; a step that overshoots is
       halved.
    """
    cells = _Cells.of(duels)
    size = duels.systems
    ties, decided = float(cells.tied.sum()), float((cells.won + cells.lost).sum())
    if decided == 0:
        flat = np.zeros((size, size))
        nobody = _all(size, "")
        return Strengths(np.zeros(size), math.inf, None, "", False, nobody, flat, flat, duels)
    unbounded = _unbounded_systems(cells, size)
    if not any(unbounded) and ties and _ties_grow(cells, size):
        unbounded = _all(size, "both")
    phantom = any(unbounded)
    why = _why_no_position(cells, size, phantom=phantom)
    has_position = why is None and bool(cells.ordered.any())
    problem = _Problem(cells, size, phantom, has_ties=ties > 0, has_position=has_position)
    solution = problem.solve(ties / decided)
    is_bounded = np.array([not direction for direction in unbounded])
    if not is_bounded.any():
        is_bounded[:] = True
    mean_weights = is_bounded / is_bounded.sum()
    theta = solution[:size] - mean_weights @ solution[:size]
    position = float(solution[-1]) if problem.has_position else None
    tie = math.exp(solution[size]) if problem.has_ties else 0.0
    bread, model = problem.inverse(solution, mean_weights)
    return Strengths(theta, tie, position, why or "", phantom, unbounded, bread, model, duels)


def _probabilities(d: Floats, tie: float) -> tuple[Floats, Floats, Floats]:
    """Probabilities of the outcomes "first", "neither" and "second"."""
    if tie == math.inf:
        return np.zeros_like(d), np.ones_like(d), np.zeros_like(d)
    half = np.abs(d) / 2
    ahead, behind = np.ones_like(d), np.exp(-2 * half)
    tied = tie * np.exp(-half)
    total = ahead + behind + tied
    positive = d >= 0
    return (
        np.where(positive, ahead, behind) / total,
        tied / total,
        np.where(positive, behind, ahead) / total,
    )


@dataclass(frozen=True, slots=True)
class _Problem:
    """The log-likelihood of cells as a function of θ, then log ν and δ if they are estimated."""

    cells: _Cells
    size: int
    phantom: bool
    has_ties: bool
    has_position: bool

    def _d(self, x: Floats) -> Floats:
        cells = self.cells
        d: Floats = x[cells.a] - x[cells.b]
        return d + cells.ordered * x[-1] if self.has_position else d

    def _tie(self, x: Floats) -> float:
        return math.exp(x[self.size]) if self.has_ties else 0.0

    def value(self, x: Floats) -> float:
        cells = self.cells
        d = self._d(x)
        half = np.abs(d) / 2
        total = half + np.log1p(np.exp(-2 * half) + self._tie(x) * np.exp(-half))
        terms = (cells.won - cells.lost) * d / 2 - (cells.won + cells.tied + cells.lost) * total
        value = float(terms.sum())
        if self.has_ties:
            value += float(cells.tied.sum()) * float(x[self.size])
        if self.phantom:
            theta = np.abs(x[: self.size])
            value -= float((theta / 2 + np.log1p(np.exp(-theta))).sum())
        return value

    def slopes(self, x: Floats) -> tuple[Floats, Floats]:
        """Gradient and information matrix."""
        cells, size = self.cells, self.size
        wins, ties, losses = _probabilities(self._d(x), self._tie(x))
        count = cells.won + cells.tied + cells.lost
        ahead = wins - losses
        slope = (cells.won - cells.lost - count * ahead) / 2
        bend = count * (wins + losses - ahead**2) / 4
        gradient = np.zeros(x.size)
        information = np.zeros((x.size, x.size))
        np.add.at(gradient, cells.a, slope)
        np.add.at(gradient, cells.b, -slope)
        for i, j, sign in (
            (cells.a, cells.a, 1),
            (cells.b, cells.b, 1),
            (cells.a, cells.b, -1),
            (cells.b, cells.a, -1),
        ):
            np.add.at(information, (i, j), sign * bend)
        if self.has_ties:
            gradient[size] = (cells.tied - count * ties).sum()
            information[size, size] = (count * ties * (1 - ties)).sum()
            mixed = -count * ahead * ties / 2
            self._cross(information, size, mixed)
        if self.has_position:
            ordered = cells.ordered
            gradient[-1] = (ordered * slope).sum()
            information[-1, -1] = (ordered * bend).sum()
            self._cross(information, x.size - 1, ordered * bend)
            if self.has_ties:
                information[-1, size] = information[size, -1] = (ordered * mixed).sum()
        if self.phantom:
            theta = x[:size]
            share = 1 / (1 + np.exp(-np.abs(theta)))
            gradient[:size] -= np.sign(theta) * (share - 0.5)
            information[range(size), range(size)] += share * (1 - share)
        return gradient, information

    def _cross(self, information: Floats, place: int, values: Floats) -> None:
        """Set the information shared by strengths and another parameter."""
        np.add.at(information[place], self.cells.a, values)
        np.add.at(information[place], self.cells.b, -values)
        information[: self.size, place] = information[place, : self.size]

    def _regularize(self, information: Floats) -> Floats:
        """Make the information invertible: answers do not determine the sum of the strengths."""
        if self.phantom:
            return information
        fixed = information.copy()
        fixed[: self.size, : self.size] += np.trace(information) / self.size**2
        return fixed

    def solve(self, tie: float) -> Floats:
        x = np.zeros(self.size + self.has_ties + self.has_position)
        if self.has_ties:
            x[self.size] = math.log(2 * tie)
        value = self.value(x)
        for _ in range(_MOST_STEPS):
            gradient, information = self.slopes(x)
            step = np.linalg.solve(self._regularize(information), gradient)
            largest = float(np.abs(step).max())
            if largest < _SMALL:
                return x + step
            while largest > _SMALL and self.value(x + step) < value - 1e-12 * abs(value):
                step, largest = step / 2, largest / 2
            x = x + step
            value = self.value(x)
        raise InputError("the strengths do not converge; give more answers")

    def inverse(self, x: Floats, mean_weights: Floats) -> tuple[Floats, Floats]:
        """`Strengths.bread` and `Strengths.model`: the inverse information, strengths centred.

        `bread` is centred in its rows only, `model` in rows and columns. `mean_weights` are the
        weights of the strengths in the mean.
        """
        size = self.size
        information = self._regularize(self.slopes(x)[1])
        inverse = np.asarray(np.linalg.inv(information), dtype=np.float64)
        inverse[:size] -= mean_weights @ inverse[:size]
        reported = [*range(size), *([x.size - 1] if self.has_position else [])]
        bread = inverse[reported]
        model = bread[:, reported]
        model[:, :size] -= (model[:, :size] @ mean_weights)[:, None]
        return bread, model


# What answers cannot determine: unconnected systems, and unbounded strengths.


def connected_groups(duels: Duels) -> list[list[int]]:
    """Groups of systems connected by comparisons; a single group if all are."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    shape = (duels.systems, duels.systems)
    places = (duels.a.astype(np.int32), duels.b.astype(np.int32))  # older SciPy needs int32
    graph = csr_array((np.ones(duels.a.size), places), shape=shape)
    count, labels = connected_components(graph, directed=False)
    return [np.flatnonzero(labels == part).tolist() for part in range(count)]


def _unbounded_systems(cells: _Cells, size: int) -> tuple[Unbounded, ...]:
    """The direction in which each system's strength is unbounded, if any.

    A strength is bounded if chains of wins or ties lead in both directions between the system and
    the main group: the largest group within which such chains lead from each system to every other.
    If several groups are largest, there is no main group.
    """
    from scipy.sparse.csgraph import connected_components

    beats = np.zeros((size, size), dtype=bool)
    for winner, loser, counts in (
        (cells.a, cells.b, cells.won + cells.tied),
        (cells.b, cells.a, cells.lost + cells.tied),
    ):
        beats[winner[counts > 0], loser[counts > 0]] = True
    count, labels = connected_components(beats, directed=True, connection="strong")
    if count == 1:
        return _all(size, "")
    sizes = np.bincount(labels)
    largest = np.flatnonzero(sizes == sizes.max())
    reach = _reach(beats)
    if largest.size == 1:
        main = int(np.flatnonzero(labels == largest[0])[0])
        above, below = reach[:, main], reach[main]
        in_main = labels == largest[0]
    else:
        others = labels[:, None] != labels[None, :]
        above, below = (reach & others).any(axis=1), (reach & others).any(axis=0)
        in_main = np.zeros(size, dtype=bool)
    directions: list[Unbounded] = []
    for at in range(size):
        if in_main[at]:
            directions.append("")
        elif above[at] == below[at]:
            directions.append("both")
        else:
            directions.append("above" if above[at] else "below")
    return tuple(directions)


def _all(size: int, direction: Unbounded) -> tuple[Unbounded, ...]:
    return (direction,) * size


def _reach(edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Pairs connected by a path of one step or more (the transitive closure)."""
    reach = edges.copy()
    while True:
        more = reach | (reach.astype(np.float32) @ reach.astype(np.float32) > 0)
        if (more == reach).all():
            return reach
        reach = more


def _ties_grow(cells: _Cells, size: int) -> bool:
    """Whether ν is unbounded because ties and distances can grow together without limit.

    They can if strengths exist that are at least 1 apart for every win and at most 1 apart for
    every tie. Two systems that have each beaten the other rule this out.
    """
    won = np.zeros((size, size), dtype=bool)
    won[cells.a[cells.won > 0], cells.b[cells.won > 0]] = True
    won[cells.b[cells.lost > 0], cells.a[cells.lost > 0]] = True
    if (won & won.T).any():
        return False
    return _can_grow(cells, size, "tie", phantom=False)


def _why_no_position(cells: _Cells, size: int, *, phantom: bool) -> str | None:
    """Reason why δ cannot be estimated; None if it can be, or if the order is unknown.

    It can be estimated if two systems were shown in both orders and each position has won in both.
    Otherwise, a linear program decides whether δ can grow without lowering the likelihood.
    """
    if not cells.ordered.any():
        return None
    both = (cells.ordered > 0) & (cells.won > 0) & (cells.lost > 0)
    orders = {(int(a), int(b)) for a, b in zip(cells.a[both], cells.b[both], strict=True)}
    if any((b, a) in orders for a, b in orders):
        return None
    if any(_can_grow(cells, size, "position", phantom=phantom, sign=sign) for sign in (1, -1)):
        return "it cannot be separated from the strengths, or is unbounded"
    return None


def _can_grow(
    cells: _Cells, size: int, which: Literal["tie", "position"], *, phantom: bool, sign: int = 1
) -> bool:
    """Whether ν or δ can change in some direction in which the likelihood never falls.

    In such a direction, the weight of every observed outcome grows at least as fast as those of its
    alternatives. With d the change of the distance and η that of log ν, this requires d ≥ 2η for a
    win and |d| ≤ 2η for a tie.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    tie, position = size, size + 1
    has_ties = bool(cells.tied.any())
    entries: list[tuple[int, int, float]] = []
    count = 0
    for counts, way, ties in (
        (cells.won, 1, 1),
        (cells.lost, -1, 1),
        (cells.tied, 1, -1),
        (cells.tied, -1, -1),
    ):
        for at in np.flatnonzero(counts):
            # Win: 2η − d ≤ 0 (loss: 2η + d ≤ 0); tie: ±d − 2η ≤ 0.
            turn = -way * ties
            entries += [(count, int(cells.a[at]), turn), (count, int(cells.b[at]), -turn)]
            entries += [(count, tie, 2.0 * ties), (count, position, turn * cells.ordered[at])]
            count += 1
    rows, columns, values = zip(*entries, strict=True)
    matrix = csr_array((values, (rows, columns)), shape=(count, size + 2))
    width = size * 4.0 + 4
    bounds = [(0.0, 0.0) if phantom else (-width, width)] * size
    bounds.append((0.0, 1.0) if has_ties else (0.0, 0.0))
    bounds.append((-1.0, 1.0) if which == "position" else (0.0, 0.0))
    if not phantom:
        bounds[0] = (0.0, 0.0)
    goal = np.zeros(size + 2)
    goal[tie if which == "tie" else position] = -1.0 * sign
    optimum = linprog(goal, A_ub=matrix, b_ub=np.zeros(count), bounds=bounds, method="highs")
    return bool(-optimum.fun > 1e-6)


def contrast_of(size: int, plus: int, minus: int | None = None) -> Floats:
    """Contrast vector that selects one of `size` numbers, or the difference of two."""
    contrast = np.zeros(size)
    contrast[plus] = 1.0
    if minus is not None:
        contrast[minus] = -1.0
    return contrast

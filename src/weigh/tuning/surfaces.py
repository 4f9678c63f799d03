"""What line search sees from some weights: the score along every feature, one segment's lines.

Every step of a surface is one of the events of the search, and the lines of an envelope are a
segment's candidates, as in figure 1 of Zaidan & Callison-Burch 2009.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weigh.result import checked
from weigh.tuning.linesearch import LineSearch, Surface, envelope

if TYPE_CHECKING:
    from weigh.tuning.nbest import Reals
    from weigh.tuning.problem import Problem

# The share of a feature's changes at either end that a surface leaves out, but for a margin: many
# segments have some far away, where nothing of interest happens.
OUTSIDE = 0.2
_MARGIN = 0.1
# So many places of the range are told apart; more would be no use to a picture of it.
_TOLD_APART = 800
_DIGITS = 5  # of a number that is as large as the range


@dataclass(frozen=True, slots=True)
class ErrorSurface:
    """The score over the weight of one feature, where it changes; all other weights as they are.

    `weight` is the feature's own and `score` the score there. `scores[i]` holds between
    `places[i − 1]` and `places[i]`. Of `steps` there may be more than are told: `low` and `high`
    are the ends between which most are, and of steps too close to be told apart only the least
    and the largest score are left.
    """

    feature: str
    weight: float
    score: float
    steps: int
    low: float
    high: float
    places: NDArray[np.float64]
    scores: NDArray[np.float64]

    def __post_init__(self) -> None:
        checked(
            len(self.scores) == len(self.places) + 1,
            f"{len(self.places)} steps with {len(self.scores)} scores",
        )
        checked(bool((np.diff(self.places) >= 0).all()), "steps that are not in order")

    @classmethod
    def of(cls, feature: str, weight: float, surface: Surface) -> ErrorSurface:
        """Take what matters of all that line search knows."""
        low, high = np.quantile(surface.breakpoints, [OUTSIDE, 1 - OUTSIDE]).tolist()
        ends = np.array([min(low, weight), max(high, weight)])
        margin = _MARGIN * (ends[1] - ends[0] or max(abs(ends[0]), 1.0))
        first, last = surface.breakpoints.searchsorted([ends[0] - margin, ends[1] + margin])
        part = _thinned(
            Surface(surface.breakpoints[first:last], surface.scores[first : last + 1]),
            float(ends[1] - ends[0]) / _TOLD_APART,
        )
        return cls(
            feature,
            weight,
            float(surface.scores[surface.at(weight)]),
            len(surface.scores),
            low,
            high,
            _rounded(part.breakpoints, float(ends[1] - ends[0])),
            _rounded(part.scores, float(np.ptp(part.scores))),
        )


def _thinned(surface: Surface, apart: float) -> Surface:
    """Return a surface of which at most three steps lie as close together as `apart`.

    The first leads to the least score that there was between, the second to the largest.
    """
    places, scores = surface.breakpoints, surface.scores
    kept, values, at = [], [scores[:1]], 0
    while at < len(places):
        end = max(at + 1, int(places.searchsorted(places[at] + apart, side="right")))
        passed = scores[at + 1 : end + 1]
        if end - at > 3:
            kept.append(places[[at, at + 1, end - 1]])
            values.append(np.array([passed.min(), passed.max(), passed[-1]]))
        else:
            kept.append(places[at:end])
            values.append(passed)
        at = end
    return Surface(np.concatenate([[], *kept]), np.concatenate(values))


def _rounded(values: Reals, span: float) -> Reals:
    """Return numbers with fewer digits, which still are more than a picture of the span has."""
    largest = float(np.abs(values).max(initial=0.0))
    if not 0 < span < np.inf or not largest:
        return values
    digits = min(17, max(1, _DIGITS + math.ceil(math.log10(largest / span))))
    return np.array([float(f"{value:.{digits}g}") for value in values.tolist()])


@dataclass(frozen=True, slots=True)
class SegmentEnvelope:
    """The candidates of one segment as lines over a feature's weight, and the highest of them.

    Candidate i has the model's score `scores[i] + weight × slopes[i]`. `best[j]` is the highest
    up to `breakpoints[j]`, and `texts[j]` what it says.
    """

    segment: str
    feature: str
    weight: float
    scores: NDArray[np.float64]
    slopes: NDArray[np.float64]
    breakpoints: NDArray[np.float64]
    best: NDArray[np.int64]
    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        checked(len(self.scores) == len(self.slopes) > 0, "scores and slopes of other candidates")
        checked(
            len(self.texts) == len(self.best) == len(self.breakpoints) + 1,
            "an envelope with other pieces than candidates",
        )


def look_around(
    problem: Problem, weights: Reals
) -> tuple[tuple[ErrorSurface, ...], SegmentEnvelope | None]:
    """Return the surfaces along all dense features that change a choice, and an envelope.

    That is of the segment whose best candidate changes most often along the feature that
    changes choices most often.
    """
    surfaces = tuple(ErrorSurface.of(*seen) for seen in exact_surfaces(problem, weights))
    if not surfaces:
        return (), None
    busiest = max(surfaces, key=lambda each: each.steps)
    scores = problem.nbest.scores(weights)
    return surfaces, _envelope(problem, scores, busiest.feature, busiest.weight)


def exact_surfaces(problem: Problem, weights: Reals) -> Iterator[tuple[str, float, Surface]]:
    """Yield every dense feature that changes a choice, its weight and the score over it."""
    search = LineSearch(problem)
    point = search.scored(weights)
    for column, name in enumerate(problem.nbest.names):
        axis = np.zeros(len(weights))
        axis[column] = 1.0
        surface = search.surface(point, search.scored(axis))
        if len(surface.breakpoints):
            weight = float(weights[column])
            yield name, weight, Surface(surface.breakpoints + weight, surface.scores)


def _envelope(problem: Problem, scores: Reals, feature: str, weight: float) -> SegmentEnvelope:
    nbest = problem.nbest
    slopes = nbest.features[:, nbest.names.index(feature)]
    own = [slice(*nbest.offsets[at : at + 2]) for at in range(len(nbest.ids))]
    found = [envelope(scores[each], slopes[each]) for each in own]
    segment = int(np.argmax([len(breakpoints) for breakpoints, _ in found]))
    breakpoints, best = found[segment]
    chosen = own[segment]
    return SegmentEnvelope(
        nbest.ids[segment],
        feature,
        weight,
        scores[chosen] - weight * slopes[chosen],
        slopes[chosen].copy(),
        breakpoints + weight,
        best,
        tuple(nbest.texts[text] for text in nbest.hypotheses[chosen][best]),
    )

"""What line search sees from some weights: the score along every feature, one segment's lines.

Both are exact. Every step of a surface is one of the events of the search, and the lines of an
envelope are a segment's candidates, as in figure 1 of Zaidan & Callison-Burch 2009.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.tuning.linesearch import LineSearch, Surface, envelope

if TYPE_CHECKING:
    from weigh.tuning.nbest import Integers, Reals
    from weigh.tuning.problem import Problem


@dataclass(frozen=True, slots=True)
class FeatureView:
    """The score over the weight of one feature, all others as they are; `here` is its weight."""

    feature: str
    here: float
    surface: Surface


@dataclass(frozen=True, slots=True)
class SegmentView:
    """The candidates of one segment as lines over a feature's weight, and the highest of them.

    Candidate i has the model's score `scores[i] + weight × slopes[i]`. `best[j]` is the highest
    up to `breakpoints[j]`, and `texts[j]` what it says.
    """

    segment: str
    feature: str
    here: float
    scores: Reals
    slopes: Reals
    breakpoints: Reals
    best: Integers
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Views:
    """Views along all dense features that change a choice, and of one segment."""

    features: Sequence[FeatureView]
    segment: SegmentView | None

    @classmethod
    def of(cls, problem: Problem, weights: Reals) -> Views:
        """Look around from the given weights.

        The segment is the one whose best candidate changes most often along the feature that
        changes choices most often.
        """
        nbest = problem.nbest
        search = LineSearch(problem)
        point = search.scored(weights)
        features = []
        for column, name in enumerate(nbest.names):
            axis = np.zeros(len(weights))
            axis[column] = 1.0
            surface = search.surface(point, search.scored(axis))
            if len(surface.breakpoints):
                here = float(weights[column])
                moved = Surface(surface.breakpoints + here, surface.scores)
                features.append(FeatureView(name, here, moved))
        if not features:
            return cls((), None)
        busiest = max(features, key=lambda each: len(each.surface.breakpoints))
        return cls(features, _segment_view(problem, point.scores, busiest))


def _segment_view(problem: Problem, scores: Reals, view: FeatureView) -> SegmentView:
    nbest = problem.nbest
    slopes = nbest.features[:, nbest.names.index(view.feature)]
    own = [slice(*nbest.offsets[at : at + 2]) for at in range(len(nbest.ids))]
    found = [envelope(scores[each], slopes[each]) for each in own]
    segment = int(np.argmax([len(breakpoints) for breakpoints, _ in found]))
    breakpoints, best = found[segment]
    chosen = own[segment]
    return SegmentView(
        nbest.ids[segment],
        view.feature,
        view.here,
        scores[chosen] - view.here * slopes[chosen],
        slopes[chosen],
        breakpoints + view.here,
        best,
        [nbest.texts[text] for text in nbest.hypotheses[chosen][best]],
    )

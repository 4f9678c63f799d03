"""What is seen from some weights, against plain evaluation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.tuning.lists import problems, store
from weigh import TestSet, parse_metric
from weigh.tuning.linesearch import Surface
from weigh.tuning.problem import Problem
from weigh.tuning.surfaces import ErrorSurface, exact_surfaces, look_around

# Irrational, so that candidates with other features do not tie along a whole line, where rounding
# would choose between them.
WEIGHTS = np.sqrt([2.0, 3.0, 5.0]) * [1.0, -0.5, 1.0]


def between(breakpoints: np.ndarray) -> list[float]:
    """Places inside every interval, and beyond the last ones.

    Irrational ones, since candidates that tie at a single point are chosen there alone.
    """
    edges = [breakpoints[0] - 1, *breakpoints.tolist(), breakpoints[-1] + 1]
    return [a + (b - a) * (math.sqrt(2) - 1) for a, b in itertools.pairwise(edges)]


@pytest.mark.parametrize("metric", ["bleu", "ter"])
@settings(max_examples=40, deadline=None)
@given(problem=problems())
def test_surfaces_are_scores_at_other_weights(metric, problem):
    nbest, test_set = problem
    problem = Problem.of(nbest, test_set, parse_metric(metric))
    surfaces = list(exact_surfaces(problem, WEIGHTS))
    seen, envelope = look_around(problem, WEIGHTS)
    assert [(each.feature, each.weight, each.steps) for each in seen] == [
        (name, weight, len(surface.scores)) for name, weight, surface in surfaces
    ]
    assert (envelope is None) == (not surfaces)
    for name, weight, surface in surfaces:
        column = nbest.names.index(name)
        assert weight == WEIGHTS[column]
        for score, place in zip(surface.scores.tolist(), between(surface.breakpoints), strict=True):
            weights = WEIGHTS.copy()
            weights[column] = place
            assert problem.score(weights) == pytest.approx(score, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 1000), size=st.integers(1, 3000))
def test_a_thinner_surface_keeps_all_that_a_picture_shows(seed, size):
    """Around every place, the least and the largest score are about as they were."""
    rng = np.random.default_rng(seed)
    places = np.sort(rng.normal(size=size)) * 10.0 ** rng.integers(-3, 4)
    scores = rng.integers(0, 50, size + 1).astype(float)
    weight = float(rng.choice(places)) + 1e-9
    thin = ErrorSurface.of("f", weight, Surface(places, scores))
    assert thin.steps == size + 1
    assert thin.score == scores[np.searchsorted(places, weight, side="right")]
    assert len(thin.places) <= 3 * 1300
    low, high = min(thin.low, weight), max(thin.high, weight)
    whole, kept, width = Surface(places, scores), Surface(thin.places, thin.scores), high - low
    for place in np.linspace(low, high, 40) if width else ():
        least, largest = _ends(kept, place, width / 500)
        inner, outer = (_ends(whole, place, width / share) for share in (4000, 200))
        assert outer[0] <= least <= inner[0]
        assert inner[1] <= largest <= outer[1]


def _ends(surface, place, away):
    """The least and the largest score of a surface around a place."""
    first, last = surface.breakpoints.searchsorted([place - away, place + away])
    passed = surface.scores[first : last + 1]
    return passed.min(), passed.max()


@settings(max_examples=40, deadline=None)
@given(problem=problems(max_candidates=8))
def test_the_envelope_tells_whose_line_is_highest(problem):
    nbest, test_set = problem
    _, view = look_around(Problem.of(nbest, test_set, parse_metric("bleu")), WEIGHTS)
    if view is None:
        return
    column = nbest.names.index(view.feature)
    segment = nbest.ids.index(view.segment)
    own = slice(nbest.offsets[segment], nbest.offsets[segment + 1])
    for place, best, text in zip(between(view.breakpoints), view.best, view.texts, strict=True):
        weights = WEIGHTS.copy()
        weights[column] = place
        scores = nbest.scores(weights)[own]
        assert scores[best] == pytest.approx(scores.max(), abs=1e-9)
        assert view.scores[best] + place * view.slopes[best] == pytest.approx(scores[best])
        assert text == nbest.texts[nbest.hypotheses[own][best]]


def test_the_segment_that_changes_most_often_is_shown():
    few, many = ([(f"t{i}", [i, -i * i, 1]) for i in range(size)] for size in (2, 6))
    nbest = store([few, many], ("f_0", "f_1", "f_2"))
    problem = Problem.of(nbest, TestSet([["t1", "t2"]]), parse_metric("bleu"))
    surfaces, envelope = look_around(problem, np.array([0.0, 1.0, 0.0]))
    assert envelope is not None
    assert envelope.segment == "1"
    # Along f_0 all candidates of the second segment are chosen in turn, where w = 1, 3, 5, 7, 9.
    assert envelope.feature == "f_0"
    assert envelope.breakpoints.tolist() == [1, 3, 5, 7, 9]
    assert envelope.best.tolist() == [0, 1, 2, 3, 4, 5]
    # The constant feature has nothing to show.
    assert [surface.feature for surface in surfaces] == ["f_0", "f_1"]

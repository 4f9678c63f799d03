"""Views from some weights against plain evaluation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings

from unit.tuning.lists import problems, store
from weigh import TestSet, parse_metric
from weigh.tuning.problem import Problem
from weigh.tuning.views import Views

WEIGHTS = np.array([1.0, -0.5, 2.0])


def between(breakpoints: np.ndarray) -> list[float]:
    """Places inside every interval, and beyond the last ones.

    Irrational ones, since candidates that tie at a single point are chosen there alone.
    """
    edges = [breakpoints[0] - 1, *breakpoints.tolist(), breakpoints[-1] + 1]
    return [a + (b - a) * (math.sqrt(2) - 1) for a, b in itertools.pairwise(edges)]


@pytest.mark.parametrize("name", ["bleu", "ter"])
@settings(max_examples=40, deadline=None)
@given(problem=problems())
def test_surfaces_are_scores_at_other_weights(name, problem):
    nbest, test_set = problem
    problem = Problem.of(nbest, test_set, parse_metric(name))
    views = Views.of(problem, WEIGHTS)
    assert (views.segment is None) == (not views.features)
    for view in views.features:
        column = nbest.names.index(view.feature)
        assert view.here == WEIGHTS[column]
        for score, place in zip(
            view.surface.scores.tolist(), between(view.surface.breakpoints), strict=True
        ):
            weights = WEIGHTS.copy()
            weights[column] = place
            assert problem.score(weights) == pytest.approx(score, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(problem=problems(max_candidates=8))
def test_the_envelope_tells_whose_line_is_highest(problem):
    nbest, test_set = problem
    view = Views.of(Problem.of(nbest, test_set, parse_metric("bleu")), WEIGHTS).segment
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
    views = Views.of(problem, np.array([0.0, 1.0, 0.0]))
    assert views.segment is not None
    assert views.segment.segment == "1"
    # Along f_0 all candidates of the second segment are chosen in turn, where w = 1, 3, 5, 7, 9.
    assert views.segment.feature == "f_0"
    assert views.segment.breakpoints.tolist() == [1, 3, 5, 7, 9]
    assert views.segment.best.tolist() == [0, 1, 2, 3, 4, 5]
    # The constant feature has nothing to show.
    assert [view.feature for view in views.features] == ["f_0", "f_1"]

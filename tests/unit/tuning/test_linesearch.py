"""Line search against brute force over all breakpoints and middles."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from every_metric import EXAMPLES
from oracle import envelope as oracle
from unit.tuning.lists import integers, problems
from weigh import parse_metric
from weigh.tuning.linesearch import (
    LineSearch,
    LineStep,
    LineValues,
    Surface,
    smooth,
)
from weigh.tuning.problem import Problem


def chosen_at(nbest, weights, direction, place: Fraction) -> list[int]:
    """Each segment's first best candidate, in rational numbers."""
    point = [Fraction(w) + place * Fraction(d) for w, d in zip(weights, direction, strict=True)]
    chosen = []
    for start, stop in zip(nbest.offsets[:-1], nbest.offsets[1:], strict=True):
        heights = [
            sum(w * Fraction(f) for w, f in zip(point, nbest.features[i].tolist(), strict=True))
            for i in range(start, stop)
        ]
        chosen.append(int(start) + heights.index(max(heights)))
    return chosen


def all_places(nbest, weights, direction) -> list[Fraction]:
    """Middles between all places where any two candidates of a segment cross."""
    scores = (nbest.features @ np.array(weights)).astype(int).tolist()
    slopes = (nbest.features @ np.array(direction)).astype(int).tolist()
    points = set()
    for a, b in zip(nbest.offsets[:-1], nbest.offsets[1:], strict=True):
        points |= oracle.crossings(scores[a:b], slopes[a:b])
    return oracle.places_between(sorted(points))


def surface_of(problem: Problem, weights, direction) -> Surface:
    search = LineSearch(problem)
    w, d = np.array(weights, dtype=float), np.array(direction, dtype=float)
    return search.surface(search.score_candidates(w), search.score_candidates(d))


def best_step(*arguments) -> LineStep:
    """The first of the steps that gain, or none."""
    line = LineValues(*arguments)
    step = next(line.better(), LineStep(0.0, line.now))
    assert step.value == line.best == pytest.approx(line.now + line.gain)
    return step


# A count, a rate, and a sum whose parts go up and down: line search knows sums of rows alone.
@pytest.mark.parametrize("name", ["bleu", "ter", EXAMPLES["combine"][0]])
@given(
    problem=problems(),
    weights=st.lists(integers, min_size=3, max_size=3),
    direction=st.lists(integers, min_size=3, max_size=3),
)
def test_surface_against_brute_force(name, problem, weights, direction):
    nbest, test_set = problem
    metric = parse_metric(name)
    problem = Problem.of(nbest, test_set, metric)
    surface = surface_of(problem, weights, direction)
    expected = []
    for place in all_places(nbest, weights, direction):
        rows = problem.rows[nbest.hypotheses[chosen_at(nbest, weights, direction, place)]]
        expected.append(float(metric.score(rows.sum(axis=0))))
        found = surface.scores[surface.at(float(place))]
        assert found == pytest.approx(expected[-1], rel=1e-9, abs=1e-9)
    assert surface.scores.max() == pytest.approx(max(expected), rel=1e-9, abs=1e-9)
    assert surface.scores.min() == pytest.approx(min(expected), rel=1e-9, abs=1e-9)


@given(
    problem=problems(),
    weights=st.lists(integers, min_size=3, max_size=3),
    direction=st.lists(integers, min_size=3, max_size=3).filter(any),
)
def test_best_step_leads_to_the_best_score_of_the_line(problem, weights, direction):
    nbest, test_set = problem
    problem = Problem.of(nbest, test_set, parse_metric("bleu"))
    surface = surface_of(problem, weights, direction)
    step = best_step(surface.breakpoints, surface.scores, -np.inf, np.inf, 1.0)
    best = max(
        problem.score_of(np.array(chosen_at(nbest, weights, direction, place)))
        for place in all_places(nbest, weights, direction)
    )
    reached = chosen_at(nbest, weights, direction, Fraction(step.place))
    if step.place != 0:
        assert problem.score_of(np.array(reached)) == pytest.approx(best)
    else:
        assert step.value == pytest.approx(best)


@given(
    problem=problems(),
    weights=st.lists(st.sampled_from([0.1, 0.3, -0.7, 1 / 3]), min_size=3, max_size=3),
    direction=st.lists(integers, min_size=3, max_size=3),
    place=st.sampled_from([0.0, 0.1, 0.7, -0.3, -1 / 3, 1e9]),
)
def test_the_score_at_a_place_is_that_from_scratch(problem, weights, direction, place):
    """Also where weights cancel but for rounding, which then tells candidates apart."""
    problem = Problem.of(*problem, parse_metric("bleu"))
    search = LineSearch(problem)
    point, along = (
        search.score_candidates(np.array(weights)),
        search.score_candidates(np.array(direction, float)),
    )
    assert search.score(point, along, place) == problem.score(
        np.array(weights) + place * np.array(direction)
    )


@given(
    st.lists(st.floats(-5, 5), min_size=1, max_size=12),
    st.sampled_from(["average", "minimum"]),
    st.integers(0, 4),
)
def test_smoothing_against_definition(values, smoothing, window):
    expected = []
    for at in range(len(values)):
        places = [min(max(i, 0), len(values) - 1) for i in range(at - window, at + window + 1)]
        near = [values[i] for i in places]
        expected.append(sum(near) / len(near) if smoothing == "average" else min(near))
    assert smooth(np.array(values), smoothing, window) == pytest.approx(expected, abs=1e-12)

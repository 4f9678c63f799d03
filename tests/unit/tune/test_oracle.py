from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.tune.written import make_list, problem_of, random_list
from weigh.tune.oracle import extremes


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), higher=st.booleans())
def test_extremes_against_all_choices(seed: int, higher: bool) -> None:
    problem = problem_of(random_list(seed, segments=5, features=1, longest=4), higher)
    rows, metric = problem.rows, problem.metric
    parts = itertools.pairwise(problem.nbest.offsets.tolist())
    choices = itertools.product(*(range(first, last) for first, last in parts))
    scores = [metric.score(rows[list(choice)].sum(axis=0)) for choice in choices]
    found = extremes(problem)
    # A ratio of sums has no local optima but the global one: whoever is above (below) the best
    # ratio can only lower (raise) it.
    top, bottom = (max(scores), min(scores)) if higher else (min(scores), max(scores))
    assert found.oracle == pytest.approx(top)
    assert found.lowest == pytest.approx(bottom)
    assert metric.score(rows[found.best].sum(axis=0)) == found.oracle
    assert metric.score(rows[found.worst].sum(axis=0)) == found.lowest


def test_first_and_average() -> None:
    numbers = np.array([[1, 2], [3, 2], [5, 4]])
    found = extremes(problem_of(make_list([2, 1], numbers, np.zeros((3, 1)))))
    assert found.first == pytest.approx((1 + 5) / (2 + 4))
    assert found.average == pytest.approx(((1 + 3) / 2 + 5) / (2 + 4))

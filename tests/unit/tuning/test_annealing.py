"""Annealing: searches that see few candidates on the way score all of them in the end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.tuning.lists import problems
from unit.tuning.test_mert import plainly
from weigh import parse_metric
from weigh.tuning import annealing
from weigh.tuning.mert import MertPlan, mert
from weigh.tuning.problem import Problem
from weigh.tuning.weights import WeightSpace


@settings(max_examples=15)
@given(problem=problems(), seed=st.integers(0, 100))
def test_few_candidates_on_the_way_but_all_in_the_end(problem, seed):
    nbest, test_set = problem
    problem = Problem.of(nbest, test_set, parse_metric("bleu"))
    space = WeightSpace.of(nbest.feature_names, np.array([1.0, -1.0, 0.5]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(annealing, "_SHORT", 0)
        results = mert(problem, space, MertPlan(starts=3, directions=40, seed=seed), threads=1)
    for result in results:
        assert result.score >= result.start_score
        assert result.score == problem.score_of(np.array(plainly(nbest, result.weights)))

"""Annealing: who walks how far, and what searches that see few candidates still get right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.tuning.lists import problems, store
from unit.tuning.test_mert import plainly
from weigh import TestSet, parse_metric
from weigh.tuning import annealing
from weigh.tuning.annealing import AnnealedSearch
from weigh.tuning.mert import CoordinateSearch, FeatureScales, MertPlan, Objective, mert
from weigh.tuning.nbest import SparseFeatures
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


def with_sparse_feature(rng: np.random.Generator) -> Problem:
    """Two dense features, and a sparse one that half of the candidates have."""
    segments = [
        [(" ".join(rng.choice(list("abc"), 3)), rng.normal(size=2).tolist()) for _ in range(8)]
        for _ in range(10)
    ]
    nbest = store(segments, ("f_0", "g_0"))
    has = np.arange(len(nbest)) % 2
    sparse = SparseFeatures(
        ("s",),
        np.concatenate([[0], np.cumsum(has)]),
        np.zeros(has.sum(), np.int32),
        rng.normal(size=has.sum()),
    )
    references = TestSet([["a b c"] * 10])
    return Problem.of(replace(nbest, sparse=sparse), references, parse_metric("chrf"))


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), size=st.sampled_from([1e-6, 1.0, 1e6]))
def test_scores_that_are_carried_along_a_walk_stay_within_their_bounds(seed, size):
    """Half of them at most: two lines are subtracted. Surfaces are those from scratch."""
    rng = np.random.default_rng(seed)
    problem = with_sparse_feature(rng)
    space = WeightSpace.of(problem.nbest.feature_names, np.array([0.2 * size, 0.3, 0.7]))
    objective = Objective(problem, space, MertPlan(), FeatureScales.of(problem, space))
    lines, counts = objective.line_search, np.diff(problem.nbest.offsets)
    search = AnnealedSearch(objective, CoordinateSearch(objective, space.start), rng)
    point = lines.score_candidates(space.start)
    length = objective.scales.size(space.start)
    for direction in search._directions(64):
        step = objective.axes.along(
            length * direction.weights, direction.axes, [length * own for own in direction.sizes]
        )
        for carried in (point, step):
            scratch = lines.score_candidates(carried.weights)
            apart = np.abs(carried.scores - scratch.scores)
            assert (2 * apart <= np.repeat(carried.errors, counts)).all()
            assert (carried.errors < 1e-9 * np.abs(scratch.scores).max()).all()
        scratch = [lines.score_candidates(each.weights) for each in (point, step)]
        surfaces = [lines.surface(*both, -1.0, 1.0) for both in ((point, step), scratch)]
        carried, expected = (surface.breakpoints for surface in surfaces)
        if len(carried) == len(expected):
            assert carried == pytest.approx(expected, rel=1e-6, abs=1e-9)
            assert surfaces[0].scores.tolist() == surfaces[1].scores.tolist()
        else:  # some of which only rounding sets apart
            gaps = np.abs(carried[:, None] - expected).min(axis=1, initial=np.inf)
            assert (gaps < 1e-9).all()
        point = point.move(step, float(rng.uniform(-1, 1)))

"""What other programs found on real lists, and at least as much."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shared_data import SHARED, needs_shared
from weigh import parse_metric
from weigh.read import read_test_set
from weigh.read.weights import read_weights
from weigh.tuning.gather import read_nbest
from weigh.tuning.mert import MertPlan, mert
from weigh.tuning.problem import Problem, read_problem
from weigh.tuning.weights import WeightSpace, weight_space

LISTS = SHARED / "data" / "nbest"
BASIC, TUTORIAL = LISTS / "moses-mert-basic", LISTS / "zmert-tutorial"
MULTI30K = LISTS / "multi30k-de-en-1014x100"

pytestmark = needs_shared


def best_of(problem: Problem, init: Path, **plan) -> tuple[float, np.ndarray]:
    space = weight_space(problem.nbest, read_weights(str(init)))
    result = max(mert(problem, space, MertPlan(**plan)), key=lambda each: each.score)
    return result.score, result.weights


def test_moses_basic_at_its_own_statistics():
    metric = parse_metric("bleu:smooth_method=none")
    problem = read_problem(str(BASIC / "FEATSTAT.txt.gz"), str(BASIC / "SCORESTAT.txt.gz"), metric)
    [optimum] = read_weights(str(BASIC / "weights.txt")).rows
    assert problem.score(np.array(optimum)) == pytest.approx(30.4339, abs=5e-5)
    found, weights = best_of(problem, BASIC / "INIT", starts=20)
    assert found >= 30.4339
    assert found == problem.score(weights)


def test_zmert_tutorial():
    nbest = read_nbest([str(TUTORIAL / f"nbest.out.ZMERT.it{number}") for number in (1, 2, 3)])
    test_set = read_test_set([str(TUTORIAL / f"ref.{number}") for number in range(4)])
    problem = Problem.of(nbest, test_set, parse_metric("bleu:tokenize=none:smooth_method=none"))
    zmert = np.array([0.8320812859083565, -0.7222275427704292, 0.6539535776649275])
    assert problem.score(zmert) == pytest.approx(51.14880406806395, abs=1e-9)
    space = WeightSpace.of(nbest.feature_names, np.array([0.1, 0.2, -0.1]))
    assert max(result.score for result in mert(problem, space, MertPlan())) >= 51.148


def test_multi30k_from_the_given_start():
    nbest = read_nbest([str(MULTI30K / "nbest.gz")])
    test_set = read_test_set([str(MULTI30K / "ref.0")])
    metric = parse_metric("bleu:tokenize=none")
    problem = Problem.of(nbest, test_set, metric)
    start = np.array(read_weights(str(MULTI30K / "init.opt")).rows[0])
    assert problem.score(start) == pytest.approx(38.4262, abs=5e-5)
    moses = (MULTI30K / "moses-best.BLEU.start0.txt").read_text().split()[2:-2]
    assert problem.score(np.array(moses, dtype=float)) == pytest.approx(40.7506, abs=5e-5)
    # tests/e2e/test_tune_real_lists.py chooses and scores again without any of the tuner.
    found, _ = best_of(problem, MULTI30K / "init.opt", starts=1)
    assert found >= 40.7506

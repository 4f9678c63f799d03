"""PRO, MIRA and the reranker on a real list: learn from one half, choose in the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from shared_data import SHARED, lines
from weigh.metrics.bleu import Bleu
from weigh.read.nbest import read_candidates
from weigh.stats.sample import Sample
from weigh.stats.significance import randomization
from weigh.tune.blocks import SpooledBlocks
from weigh.tune.examples import collect
from weigh.tune.gather import gather
from weigh.tune.mira import mira
from weigh.tune.pro import pro
from weigh.tune.problem import Problem
from weigh.tune.training import Plan, train
from weigh.tune.weights import WeightSpace
from weigh.types import TestSet

DATA = SHARED / "data" / "nbest" / "multi30k-de-en-1014x100"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="../shared, with data that may not be published, is not here"
)


@cache
def halves() -> tuple[Problem, Problem]:
    test_set = TestSet([lines(DATA / "ref.0")])
    half = np.random.default_rng(0).permutation(len(test_set)) % 2
    candidates = list(read_candidates(str(DATA / "nbest.gz")))
    parts = (
        gather(each for each in candidates if half[int(each.id)] == number) for number in (0, 1)
    )
    first, second = (Problem.of(part, test_set, Bleu(tokenize="none")) for part in parts)
    return first, second


@cache
def start() -> Any:
    return np.array(
        [float(word) for word in (DATA / "init.opt").read_text().split("\n")[0].split()]
    )


def p_value(problem: Problem, weights: Any) -> float:
    """Test the difference that weights make to the start, the way `weigh compare` does."""
    rows = [
        problem.rows[problem.nbest.hypotheses[problem.nbest.best(w)]] for w in (weights, start())
    ]
    sample = Sample(problem.metric, ("tuned", "start"), ((rows[0],), (rows[1],)))
    [tests] = randomization([sample], [(0, 1)], 2000, seed=1)
    return float(tests.p_values["two-sided"][0])


@pytest.mark.parametrize("optimizer", [pro, mira])
def test_what_is_learnt_holds_on_the_other_half(optimizer: Callable[..., Any]) -> None:
    here, there = halves()
    weights = optimizer(here, WeightSpace.of(here.nbest.feature_names, start()), 1)
    assert here.score(weights) > here.score(start()) + 1
    assert there.score(weights) > there.score(start())
    assert p_value(there, weights) < 0.05


def test_the_reranker_improves_the_other_half() -> None:
    here, there = halves()
    test_set = TestSet([lines(DATA / "ref.0")])
    with SpooledBlocks() as blocks:
        examples = collect([here.nbest], test_set, here.metric, blocks)
        training = train(examples, here.metric, Plan(seed=1, gammas=[2.5]))
    weights = np.array([training.weights[name] for name in there.nbest.feature_names])
    assert training.score == pytest.approx(here.score(weights))
    assert there.score(weights) > there.score(start())

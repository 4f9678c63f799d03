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
from weigh.tuning.examples import SpooledBlocks, collect
from weigh.tuning.gather import gather
from weigh.tuning.model import train
from weigh.tuning.plan import TrainPlan
from weigh.tuning.problem import Problem
from weigh.tuning.ranked import mira, pro
from weigh.tuning.rerank import by_model
from weigh.tuning.weights import WeightSpace
from weigh.types import Metric, Outputs, TestSet

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


def p_value(metric: Metric, rows: Any, others: Any) -> float:
    """Test a difference the way `weigh compare` does."""
    sample = Sample(metric, ("tuned", "start"), ((rows,), (others,)))
    [tests] = randomization([sample], [(0, 1)], 2000, seed=1)
    return float(tests.p_values["two-sided"][0])


@pytest.mark.parametrize("optimizer", [pro, mira])
def test_what_is_learnt_holds_on_the_other_half(optimizer: Callable[..., Any]) -> None:
    here, there = halves()
    weights = optimizer(here, WeightSpace.of(here.nbest.feature_names, start()), 1)
    assert here.score(weights) > here.score(start()) + 1
    assert there.score(weights) > there.score(start())
    rows = [there.rows[there.nbest.hypotheses[there.nbest.best(w)]] for w in (weights, start())]
    assert p_value(there.metric, *rows) < 0.05


@pytest.mark.parametrize("direction", [1, -1])
def test_the_reranker_improves_the_other_half(direction: int) -> None:
    here, there = halves()[::direction]
    test_set = TestSet([lines(DATA / "ref.0")])
    with SpooledBlocks() as blocks:
        examples = collect([here.nbest], test_set, here.metric, blocks)
        training = train(examples, here.metric, TrainPlan(seed=1, gamma=(2.5,)))
    rows = {}
    for name, problem in (("here", here), ("there", there)):
        choices = by_model([problem.nbest], training.weights, "model")
        outputs = Outputs([each.text for each in choices], [int(each.id) for each in choices])
        rows[name] = here.metric.prepare(test_set).rows(outputs)
    assert training.score == pytest.approx(here.metric.score(rows["here"].sum(axis=0)))
    total = rows["there"].sum(axis=0)
    assert here.metric.score(total) > there.score(start()) + 0.5
    # Words of output per word of the references; without the search for it .96.
    assert total[0] / total[1] == pytest.approx(1, abs=0.015)
    first = there.rows[there.nbest.hypotheses[there.nbest.offsets[:-1]]]
    assert p_value(there.metric, rows["there"], first) < 0.05

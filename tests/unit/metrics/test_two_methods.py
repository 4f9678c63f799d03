"""A class of two methods is taken wherever a metric is, and does what the metric does."""

from __future__ import annotations

import numpy as np
import pytest

from unit.tuning.lists import store
from weigh import Outputs, System, TestSet, compare, score
from weigh.comparing.dataset import from_texts
from weigh.metrics.combine import Combine
from weigh.metrics.custom import as_metric
from weigh.metrics.statistics import statistics
from weigh.tuning.examples import SpooledBlocks, collect
from weigh.tuning.mert import MertPlan
from weigh.tuning.model import train
from weigh.tuning.nbest import rows_of
from weigh.tuning.oracle import extremes
from weigh.tuning.plan import TrainPlan
from weigh.tuning.problem import Problem
from weigh.tuning.search import Tuner
from weigh.tuning.weights import WeightSpace
from weigh.validate.nbest_systems import measure_list


class Missed:
    """Share of the references' words that the output lacks."""

    higher_is_better = False

    def statistics(self, hypothesis, references):
        words = references[0].split()
        return [sum(word not in hypothesis.split() for word in words), len(words)]

    def score(self, sums):
        return 100 * sums[..., 0] / sums[..., 1]


TEST_SET = TestSet([["a b c", "d e f", "a c e", "b d f"]])
SYSTEMS = [
    System("good", Outputs(["a b c", "d e", "a c e", "b f"])),
    System("poor", Outputs(["a x x", "x x f", "c e", "x"])),
]
# The first feature is right in three sentences of four, the second in one.
NBEST = store(
    [
        [(good, [1.0 - (at == 3), float(at == 3)]), (poor, [float(at == 3), 1.0 - (at == 3)])]
        for at, (good, poor) in enumerate(
            zip(SYSTEMS[0].outputs.texts, SYSTEMS[1].outputs.texts, strict=True)
        )
    ],
    ("right_0", "wrong_0"),
)


def reranked(metric):
    with SpooledBlocks() as blocks:
        training = train(
            collect([NBEST], TEST_SET, metric, blocks), metric, TrainPlan(seed=1, folds=2)
        )
    return training.score, training.weights


def tuned(optimizer):
    def scores(metric):
        problem = Problem.of(NBEST, TEST_SET, metric)
        space = WeightSpace.of(NBEST.names, np.array([0.1, 1.0]))
        result = Tuner(optimizer, MertPlan(starts=2)).tune(problem, space, seed=1)
        return result.start_score, result.score, result.weights.tolist()

    return scores


def samples(measured):
    return [[rows.tolist() for runs in sample.rows for rows in runs] for sample in measured.samples]


USES = {
    "score": lambda metric: [each.score for each in score(SYSTEMS, TEST_SET, [metric])],
    "intervals": lambda metric: [
        (each.score, each.interval)
        for each in score(SYSTEMS, TEST_SET, [metric], interval="percentile", trials=99)
    ],
    "compare": lambda metric: [
        (each.difference, each.p_value) for each in compare(SYSTEMS, TEST_SET, [metric]).comparisons
    ],
    "statistics": lambda metric: [rows.tolist() for rows in statistics(SYSTEMS, TEST_SET, metric)],
    "from_texts": lambda metric: samples(from_texts(SYSTEMS, TEST_SET, [metric])),
    "measure_list": lambda metric: samples(measure_list(NBEST, TEST_SET, [metric])),
    "combine": lambda metric: [
        each.score for each in score(SYSTEMS, TEST_SET, [Combine([metric], [-1.0])])
    ],
    "rows_of": lambda metric: rows_of(NBEST, TEST_SET, metric).tolist(),
    "mert": tuned("mert"),
    "pro": tuned("pro"),
    "mira": tuned("mira"),
    "oracle": lambda metric: extremes(Problem.of(NBEST, TEST_SET, metric)).oracle,
    "rerank": reranked,
}


@pytest.mark.parametrize("use", USES)
def test_two_methods_do_what_the_metric_does(use):
    assert USES[use](Missed()) == USES[use](as_metric(Missed()))


def test_what_is_tuned_is_what_the_methods_say():
    """Words of twelve that are missing where the first or the second feature decides, by hand."""
    start, found, weights = USES["mert"](Missed())
    assert (start, found) == (pytest.approx(100 * 6 / 12), pytest.approx(100 * 4 / 12))
    assert weights[0] > weights[1]

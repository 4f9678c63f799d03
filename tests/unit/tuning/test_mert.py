"""MERT: what holds of every result, and what its options do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pickling import PicklingExecutor
from unit.tuning.lists import problems, store
from weigh import TestSet, parse_metric
from weigh.engine.executors import running_on
from weigh.errors import InputError, UsageError
from weigh.tuning.mert import MertPlan, best_result, mert
from weigh.tuning.problem import Problem
from weigh.tuning.search import Tuner
from weigh.tuning.weights import WeightSpace, normalised

METRICS = ["bleu", "ter", "chrf"]


def plainly(nbest, weights) -> list[int]:
    """Each segment's first best candidate, chosen in plain Python."""
    chosen = []
    for start, stop in zip(nbest.offsets[:-1].tolist(), nbest.offsets[1:].tolist(), strict=True):
        scores = []
        for i in range(start, stop):
            total = 0.0
            for weight, value in zip(weights.tolist(), nbest.features[i].tolist(), strict=True):
                total += weight * value
            scores.append(total)
        chosen.append(start + scores.index(max(scores)))
    return chosen


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=15)
@given(problem=problems(), seed=st.integers(0, 100))
def test_results_are_no_worse_than_the_start_and_what_they_claim(name, problem, seed):
    nbest, test_set = problem
    problem = Problem.of(nbest, test_set, parse_metric(name))
    space = WeightSpace.of(nbest.feature_names, np.array([1.0, -1.0, 0.5]))
    plan = MertPlan(starts=3, directions=5, seed=seed)
    results = mert(problem, space, plan)
    assert len(results) == 3
    for result in results:
        assert result.weights.any()
        assert problem.sign * result.score >= problem.sign * result.start_score
        assert result.score == problem.score_of(np.array(plainly(nbest, result.weights)))
    best = best_result(results, problem, space, plan)
    assert problem.sign * best.score >= problem.sign * problem.score(space.start)


def grid_problem():
    """Two features, both informative, so that the best weights can be found by a scan."""
    rng = np.random.default_rng(3)
    words = ["a", "b", "c", "d", "e"]
    references, segments = [], []
    for _ in range(15):
        reference = list(rng.choice(words, 6))
        references.append(" ".join(reference))
        own = []
        for _ in range(12):
            text, damage = list(reference), int(rng.integers(0, 5))
            for place in rng.choice(6, damage, replace=False):
                text[place] = rng.choice(words)
            own.append((" ".join(text), [-damage + rng.normal(0, 2), damage + rng.normal(0, 2)]))
        segments.append(own)
    return Problem.of(
        store(segments, ("good_0", "bad_0")), TestSet([references]), parse_metric("bleu")
    )


def test_two_features_against_a_scan_of_all_angles():
    problem = grid_problem()
    angles = np.linspace(0, 2 * np.pi, 20001)
    best = max(problem.score(np.array([np.cos(a), np.sin(a)])) for a in angles)
    results = mert(problem, WeightSpace.of(("good_0", "bad_0")), MertPlan(starts=10))
    assert max(result.score for result in results) >= best - 1e-9


def test_threads_change_nothing_and_seeds_do():
    problem = grid_problem()
    space = WeightSpace.of(("good_0", "bad_0"))
    one, two, other = (
        mert(problem, space, MertPlan(starts=6, seed=seed), threads=threads)
        for seed, threads in ((0, 1), (0, 3), (1, 1))
    )
    assert [c.weights.tolist() for c in one] == [c.weights.tolist() for c in two]
    assert [c.start.tolist() for c in one][1:] != [c.start.tolist() for c in other][1:]
    assert one[0].start.tolist() == [1, 1]


def told(results):
    return [
        (c.start.tolist(), c.start_score, c.weights.tolist(), c.score, c.searches) for c in results
    ]


@pytest.mark.parametrize(
    "options",
    [{}, {"smoothing": "average"}, {"regularise": 0.1}, {"starts": 1}, {"directions": 0}],
    ids=str,
)
@pytest.mark.parametrize("short", [0, 10**6])
def test_climbs_and_walks_elsewhere_change_nothing(monkeypatch, short, options):
    monkeypatch.setattr("weigh.tuning.annealing._SHORT", short)
    problem = related_features(4)
    space = WeightSpace.of(problem.nbest.names).bounded({"f_1": (0.5, 2.0)})
    plan = MertPlan(**{"starts": 7, "directions": 8, **options})
    here = mert(problem, space, plan)
    elsewhere, steps = PicklingExecutor(), []
    with running_on(elsewhere):
        there = mert(problem, space, plan, progress=lambda *both: steps.append(both))
    assert told(there) == told(here)
    assert elsewhere.tasks > plan.starts
    assert [done for done, _ in steps] == list(range(1, steps[-1][1] + 1))


def test_texts_stay_where_they_are():
    """Only what is climbed on is sent: features and rows."""
    problem = grid_problem()
    long = replace(problem.nbest, texts=tuple(text * 1000 for text in problem.nbest.texts))
    space, plan = WeightSpace.of(("good_0", "bad_0")), MertPlan(starts=2, directions=2)
    sent = []
    for nbest in (problem.nbest, long):
        elsewhere = PicklingExecutor()
        with running_on(elsewhere):
            mert(replace(problem, nbest=nbest), space, plan)
        sent.append(elsewhere.sent)
    assert sent[0] == sent[1]


def test_fixed_and_bounded_weights_stay_where_they_must():
    problem = grid_problem()
    start = np.array([0.5, 0.5])
    space = WeightSpace.of(("good_0", "bad_0"), start)
    free = max(c.score for c in mert(problem, space, MertPlan(starts=5)))
    for result in mert(problem, space.fixed(["good_0"]), MertPlan(starts=5)):
        assert result.weights[0] == 0.5
    held = mert(problem, space.bounded({"bad_0": (0.4, 0.6)}), MertPlan(starts=5))
    for result in held:
        assert 0.4 <= result.weights[1] <= 0.6
    assert max(c.score for c in held) <= free + 1e-9
    both = space.fixed(["good_0", "bad_0"])
    assert [c.weights.tolist() for c in mert(problem, both, MertPlan(starts=2))] == [[0.5, 0.5]] * 2


def test_regularisation_keeps_weights_near_the_start():
    problem, space = grid_problem(), WeightSpace.of(("good_0", "bad_0"))
    distances, worths = [], []
    for rate in (0.0, 1.0, 1e6):
        plan = MertPlan(starts=4, regularise=rate)
        best = best_result(mert(problem, space, plan), problem, space, plan)
        distance = float(((best.weights - space.start) ** 2).sum())
        distances.append(distance)
        worths.append(best.score - rate * distance)
    assert distances[0] > distances[1] >= distances[2]
    assert worths[1] >= problem.score(space.start)
    assert distances[2] < 1e-3


def test_constant_features_are_left_alone():
    rows = [[("a b", [7, 1, 5]), ("c", [7, 0, 5])], [("b", [2, 0, 5]), ("a", [2, 1, 5])]]
    nbest = store(rows, ("sentence_0", "good_0", "bias_0"))
    problem = Problem.of(nbest, TestSet([["a b", "a"]]), parse_metric("wer"))
    space = WeightSpace.of(nbest.feature_names, np.array([1.0, -1.0, 2.0]))
    for result in mert(problem, space, MertPlan(starts=4)):
        assert result.weights[[0, 2]].tolist() == [1, 2]
        assert result.weights[1] > 0


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        ("none", [3.0, -4.0]),
        ("l1", [3 / 7, -4 / 7]),
        ("l2", [0.6, -0.8]),
        ("max", [0.75, -1.0]),
    ],
)
def test_norms(norm, expected):
    assert normalised(np.array([3.0, -4.0]), norm) == pytest.approx(expected)
    assert normalised(np.zeros(2), norm).tolist() == [0, 0]


@pytest.mark.parametrize("optimizer", ["mert", "pro", "mira"])
@pytest.mark.parametrize("norm", ["none", "l1"])
def test_every_optimizer_claims_what_its_weights_score(optimizer, norm):
    problem, space = grid_problem(), WeightSpace.of(("good_0", "bad_0"))
    tuner = Tuner(optimizer, MertPlan(starts=2), norm)
    tuned = tuner.tune(problem, space, seed=1)
    assert tuned.score == problem.score_of(np.array(plainly(problem.nbest, tuned.weights)))
    assert tuned.score > tuned.start_score == problem.score(space.start)
    if norm == "l1":
        assert np.abs(tuned.weights).sum() == pytest.approx(1)


@pytest.mark.parametrize("optimizer", ["mert", "pro", "mira"])
def test_results_stand_on_one_scale_unless_weights_are_held(optimizer):
    """By default absolute weights sum to 1; a fixed weight keeps the value that it was given."""
    problem = grid_problem()
    space = WeightSpace.of(("good_0", "bad_0"), np.array([30.0, 50.0]))
    tuner = Tuner(optimizer, MertPlan(starts=3))
    tuned = tuner.tune(problem, space, seed=1)
    for weights in (tuned.weights, *(result.weights for result in tuned.results)):
        assert np.abs(weights).sum() == pytest.approx(1)
    assert [result.score for result in tuned.results] == [
        problem.score(result.weights) for result in tuned.results
    ]
    assert tuner.normalised(problem, space, space.start) == pytest.approx([3 / 8, 5 / 8])
    held = tuner.tune(problem, space.fixed(["bad_0"]), seed=1)
    assert held.weights[1] == 50
    bounded = tuner.tune(problem, space.bounded({"bad_0": (40.0, 60.0)}), seed=1)
    assert 40 <= bounded.weights[1] <= 60


def related_features(seed: int) -> Problem:
    """Five features that go together, each a noisy count of the wrong words."""
    rng = np.random.default_rng(seed)
    letters = list("abcdefgh")
    references, segments = [], []
    for _ in range(20):
        reference = rng.choice(letters, 8)
        references.append(" ".join(reference))
        own = []
        for _ in range(10):
            wrong = rng.random(8) < rng.random()
            text = np.where(wrong, rng.choice(letters, 8), reference)
            shared = rng.normal(0, 3)
            own.append((" ".join(text), (rng.normal(-wrong.sum(), 3, 5) + shared).tolist()))
        segments.append(own)
    names = tuple(f"f_{number}" for number in range(5))
    return Problem.of(store(segments, names), TestSet([references]), parse_metric("chrf"))


def test_annealing_finds_more_than_climbing():
    """From the same starts, all of them climbed to the end, or annealed."""
    gains = []
    for seed in range(10):
        problem = related_features(seed)
        space = WeightSpace.of(problem.nbest.names)
        climbed, annealed = (
            best_result(mert(problem, space, plan), problem, space, plan).score
            for plan in (MertPlan(starts=2, directions=0), MertPlan(starts=2))
        )
        gains.append(annealed - climbed)
    assert np.mean(gains) > 3 * np.std(gains, ddof=1) / np.sqrt(len(gains))
    assert min(gains) > -0.1 * max(gains)


@settings(max_examples=30)
@given(problem=problems(), seed=st.integers(0, 100))
def test_a_part_of_a_list_is_a_list(problem, seed):
    nbest, _ = problem
    rng = np.random.default_rng(seed)
    chosen = rng.random(len(nbest)) < 0.4
    chosen[nbest.best(np.ones(len(nbest.feature_names)))] = True
    part = nbest.of(chosen)
    weights = rng.normal(size=len(nbest.feature_names))
    assert part.scores(weights).tolist() == nbest.scores(weights)[chosen].tolist()
    assert part.segments().tolist() == nbest.segments()[chosen].tolist()
    assert part.hypotheses.tolist() == nbest.hypotheses[chosen].tolist()


def test_bad_spaces():
    space = WeightSpace.of(("lm_0", "tm_0"))
    with pytest.raises(UsageError, match=r"no feature 'lm0'.*did you mean 'lm_0'"):
        space.fixed(["lm0"])
    with pytest.raises(InputError, match="outside its bounds 2 and 3"):
        space.bounded({"tm_0": (2.0, 3.0)})
    with pytest.raises(InputError, match="all start weights are 0"):
        WeightSpace.of(("a",), np.zeros(1))
    with pytest.raises(InputError, match="not finite"):
        WeightSpace.of(("a",), np.array([np.nan]))
    with pytest.raises(UsageError, match="0 starts"):
        MertPlan(starts=0)

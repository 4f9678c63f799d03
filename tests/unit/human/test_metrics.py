"""Metrics against people: the pieces are put together as they should."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from unit.human.judgments import one
from weigh.errors import InputError, UsageError
from weigh.human.contests import (
    Gold,
    MetricFindings,
    evaluate,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)
from weigh.human.metrics import ScaleSystems, human_metrics

NAMES = tuple("abcdef")


def gold(generator: np.random.Generator) -> Gold:
    scores = generator.normal(size=6)
    first, second = np.triu_indices(6, 1)
    return Gold(NAMES, scores, stats.norm.sf((scores[first] - scores[second]) * 2))


def findings(
    name: str, scores: np.ndarray, segments: np.ndarray | None = None, strength: float = 2
) -> MetricFindings:
    first, second = np.triu_indices(6, 1)
    z = (scores[first] - scores[second]) * strength
    return MetricFindings(name, scores, stats.norm.sf(z), np.abs(z) > 1.96, segments)


def test_a_metric_that_says_what_people_say() -> None:
    people = gold(np.random.default_rng(1))
    [found] = evaluate(people, [findings("copy", people.scores)]).metrics
    measures = (found.pearson, found.spearman, found.kendall, found.accuracy, found.soft_accuracy)
    assert measures == pytest.approx((1,) * 5)
    turned = findings("turned", -people.scores)
    [found] = evaluate(people, [turned]).metrics
    assert (found.pearson, found.kendall, found.accuracy) == pytest.approx((-1, -1, 0))
    assert found.soft_accuracy == pytest.approx(np.mean(1 - np.abs(1 - 2 * people.p_values)))
    assert found.sensitivity == pytest.approx(turned.significant.mean())


def test_contests() -> None:
    generator = np.random.default_rng(2)
    people = gold(generator)
    segments = people.scores[:, None] + generator.normal(size=(6, 50))
    good = findings("good", segments.mean(axis=1), segments)
    noise = generator.normal(size=(6, 50))
    poor = findings("poor", noise.mean(axis=1), noise)
    corpus = findings("corpus", generator.normal(size=6))
    found = evaluate(people, [good, poor, corpus], trials=999)
    assert [(each.a, each.b) for each in found.contests] == [
        ("good", "poor"),
        ("good", "corpus"),
        ("poor", "corpus"),
    ]
    first = found.contests[0]
    assert first.p_soft_accuracy is not None
    assert first.p_soft_accuracy < 0.05
    assert first.t > 0
    # Without ties τ is 2 · accuracy − 1, so both tests are one.
    assert first.p_kendall == first.p_accuracy
    assert found.contests[1].p_soft_accuracy is None
    again = evaluate(people, [good, poor, corpus], trials=999)
    assert again.contests == found.contests


def test_a_constant_metric_has_no_correlation() -> None:
    people = gold(np.random.default_rng(3))
    flat = MetricFindings("flat", np.ones(6), np.full(15, 0.5), np.zeros(15, bool))
    found = evaluate(people, [flat, findings("copy", people.scores)])
    assert math.isnan(found.metrics[0].pearson)
    assert found.metrics[0].accuracy == 0
    assert math.isnan(found.contests[0].p_williams)


def test_what_cannot_be_evaluated() -> None:
    two = Gold(("a", "b"), np.zeros(2), np.zeros(1))
    with pytest.raises(InputError, match="2 systems that both people and metrics have scored"):
        evaluate(two, [])
    people = gold(np.random.default_rng(4))
    first = findings("one", people.scores, np.zeros((6, 5)))
    other = findings("other", people.scores, np.zeros((6, 4)))
    with pytest.raises(InputError, match="one has 5 segment scores, but other 4"):
        evaluate(people, [first, other])


def test_the_direction_of_scores_is_that_of_a_metric_that_is_there() -> None:
    generator = np.random.default_rng(5)
    quality = {name: 20.0 * at for at, name in enumerate("abcd")}
    judgments = [
        one(system=name, segment=str(at), value=float(mean + generator.normal()))
        for name, mean in quality.items()
        for at in range(1, 11)
    ]
    errors = {name: 100 - mean + generator.normal(size=10) for name, mean in quality.items()}
    [turned] = human_metrics(judgments, {"ter": errors}, trials=50).metrics
    for lower in ("ter", ["ter"]):
        [found] = human_metrics(judgments, {"ter": errors}, lower=lower, trials=50).metrics
        assert found.pearson == pytest.approx(-turned.pearson)
        assert found.pearson > 0.9
    for lower in ("TER", ["bettering"]):
        with pytest.raises(UsageError, match="lower names"):
            human_metrics(judgments, {"ter": errors}, lower=lower)


coarse = st.integers(-4, 4).map(float)
pairs = st.lists(st.tuples(coarse, coarse), min_size=2, max_size=15)


@settings(deadline=None)
@given(pairs)
def test_pairwise_accuracy_as_defined(both: list[tuple[float, float]]) -> None:
    human, metric = map(list, zip(*both, strict=True))
    agree = [
        ((human[i] > human[j]) - (human[i] < human[j]))
        == ((metric[i] > metric[j]) - (metric[i] < metric[j]))
        for i in range(len(both))
        for j in range(i)
    ]
    assert pairwise_accuracy(human, metric) == pytest.approx(sum(agree) / len(agree))


def test_soft_accuracy_is_accuracy_of_the_certain() -> None:
    assert soft_pairwise_accuracy([0.0, 1.0, 1.0], [0.0, 0.0, 1.0]) == pytest.approx(2 / 3)
    assert soft_pairwise_accuracy([0.3, 0.6], [0.3, 0.6]) == 1
    with pytest.raises(InputError, match="give both for the same pairs"):
        soft_pairwise_accuracy([0.1], [])
    with pytest.raises(InputError, match="give both for the same systems"):
        pairwise_accuracy([1], [1])


def scored(generator: np.random.Generator, order: str) -> dict[str, np.ndarray]:
    """Segment scores of systems that are the better the earlier they are named."""
    return {name: generator.normal(-at, 0.5, 40) for at, name in enumerate(order)}


class TestWhole:
    """Judgments in, agreement out: as the command does it."""

    people = tuple(
        one(name, n, 80 - 10 * at + (7 * n + 3 * at) % 13)
        for at, name in enumerate("ABCD")
        for n in range(40)
    )

    def test_metrics_that_agree_and_one_that_does_not(self) -> None:
        generator = np.random.default_rng(5)
        errors = {name: -values for name, values in scored(generator, "ABCE").items()}
        scores = {
            "good": scored(generator, "ABCE"),
            "err": errors,
            "bad": scored(generator, "CBAE"),
        }
        scores["bad"] = {name: scores["bad"][name] for name in "ABCE"}
        result = human_metrics(self.people, scores, lower=["err"], trials=99, seed=3)
        assert result.systems == (ScaleSystems("de-en, adequacy", ("A", "B", "C")),)
        found = {each.metric: each for each in result.metrics}
        assert (found["good"].accuracy, found["err"].accuracy, found["bad"].accuracy) == (1, 1, 0)
        assert found["good"].pearson > 0.9
        assert found["bad"].pearson < -0.9
        assert all(each.p_soft_accuracy is not None for each in result.contests)
        assert (result.trials, result.seed, result.quality) == (99, 3, "none")
        assert "de-en, adequacy: not scored by metrics, so left out: D" in result.remarks
        assert "de-en, adequacy: not judged by people, so left out: E" in result.remarks

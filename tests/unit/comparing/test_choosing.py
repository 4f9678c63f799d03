"""Segments that tell systems apart: by their definitions, and against random draws."""

from __future__ import annotations

import numpy as np
import pytest

from weigh.comparing.choosing import choose_segments, segment_spreads
from weigh.comparing.measure import measure_scores, measure_texts
from weigh.errors import InputError, UsageError
from weigh.metrics.bleu import Bleu
from weigh.metrics.chrf import Chrf
from weigh.types import Outputs, System, TestSet


def scores(seed=0, systems=4, segments=50):
    draws = np.random.default_rng(seed)
    apart = draws.exponential(size=segments)
    return {f"s{at}": 0.5 + apart * draws.normal(at / 3, 1, segments) for at in range(systems)}


def test_difference_is_the_standard_deviation_between_systems():
    given = scores()
    result = choose_segments({"comet": given}, 10)
    spread = np.array(list(given.values())).std(axis=0)
    assert result.numbers == tuple(sorted((np.argsort(-spread)[:10] + 1).tolist()))
    everything, chosen, random = result.draws
    assert everything.spread == pytest.approx(1)
    assert chosen.spread == pytest.approx(np.sort(spread)[-10:].mean() / spread.mean())
    assert random.spread == pytest.approx(1, abs=0.05)
    assert everything.metrics[0].agreement == 1
    assert chosen.metrics[0].score == pytest.approx(
        np.mean([[each[at - 1] for at in result.numbers] for each in given.values()])
    )


def test_metrics_count_alike_whatever_their_units():
    one, other = scores(1), scores(2)
    many = {name: 1000 * each for name, each in other.items()}
    expected = choose_segments({"x": one, "y": other}, 12).numbers
    assert choose_segments({"x": one, "y": many}, 12).numbers == expected
    level = {name: np.ones(50) for name in one}
    alone = choose_segments({"x": one}, 12).numbers
    assert choose_segments({"x": one, "y": level}, 12).numbers == alone


OUTPUTS = {
    "a": ["the same words here", "a cat sat", "one two three"],
    "b": ["the same words here", "some dogs ran", "one two four"],
    "c": ["the same words here", "my fish swims", "one two three"],
}


def test_diversity_is_one_less_chrf_between_outputs():
    test_set = TestSet([["x", "y", "z"]])
    systems = [System(name, Outputs(each)) for name, each in OUTPUTS.items()]
    measured = measure_texts(systems, test_set, [Bleu(), Chrf()])
    expected = []
    chrf = Chrf()
    for at in range(3):
        texts = [each[at] for each in OUTPUTS.values()]
        pairs = [(a, b) for i, a in enumerate(texts) for j, b in enumerate(texts) if i != j]
        rows = [chrf.prepare(TestSet([[b]])).rows(Outputs([a]))[0] for a, b in pairs]
        expected.append(np.mean([1 - chrf.segment_scores(row[None])[0] / 100 for row in rows]))
    found = segment_spreads(measured, "diversity")
    np.testing.assert_allclose(found, np.array(expected) / np.mean(expected), rtol=1e-12)
    assert found[0] == 0
    result = choose_segments(measured, 1, "diversity")
    assert (result.numbers, result.by) == ((2,), "diversity")
    assert [metric.metric for metric in result.draws[1].metrics] == ["BLEU", "chrF2"]


def test_whole_documents_by_the_mean_of_their_segments():
    given = {"a": np.array([0.0, 0, 0, 0, 0, 0]), "b": np.array([9.0, 0, 2, 2, 5, 5])}
    documents = ["x", "x", "y", "y", "z", "z"]  # means 4.5, 2 and 5
    assert choose_segments({"m": given}, 1, documents=documents).numbers == (5, 6)
    assert choose_segments({"m": given}, 2, documents=documents).numbers == (1, 2, 5, 6)
    assert choose_segments({"m": given}, 1).numbers == (1,)
    with pytest.raises(InputError, match="a sample of 4, but there are 3 documents"):
        choose_segments({"m": given}, 4, documents=documents)
    with pytest.raises(InputError, match="the documents of 5 segments, but there are 6"):
        choose_segments({"m": given}, 1, documents=documents[:5])


def test_between_equals_the_first_is_chosen():
    given = {"a": np.zeros(6), "b": np.array([1.0, 2, 2, 1, 2, 2])}
    assert choose_segments({"m": given}, 2).numbers == (2, 3)


def test_all_segments_are_all_segments():
    result = choose_segments({"m": scores()}, 50)
    assert result.numbers == tuple(range(1, 51))
    assert result.draws[0].metrics == result.draws[1].metrics
    assert result.draws[2].spread == pytest.approx(1)


def test_the_seed_is_only_for_what_stands_beside():
    a, b, c = (choose_segments({"m": scores()}, 10, seed=seed) for seed in (1, 1, 2))
    assert a == b
    assert a.numbers == c.numbers
    assert a.draws[2] != c.draws[2]


def test_a_lower_score_that_is_better_makes_no_difference():
    turned = measure_scores({"m": {name: -each for name, each in scores().items()}}, lower=["m"])
    assert choose_segments(turned, 9).numbers == choose_segments({"m": scores()}, 9).numbers


def test_what_cannot_be_chosen():
    given = scores()
    with pytest.raises(InputError, match="one system, s0; segments tell systems apart"):
        choose_segments({"m": {"s0": given["s0"]}}, 5)
    with pytest.raises(UsageError, match="diversity compares texts, but scores are given"):
        choose_segments({"m": given}, 5, "diversity")
    with pytest.raises(UsageError, match="segments by 'differences'; did you mean 'difference'"):
        choose_segments({"m": given}, 5, "differences")
    with pytest.raises(InputError, match="all systems score the same on every segment"):
        choose_segments({"m": {"a": np.ones(5), "b": np.ones(5)}}, 2)
    systems = [System(name, Outputs(["x", "y"])) for name in "ab"]
    same = measure_texts(systems, TestSet([["x", "z"]]), [Chrf()])
    with pytest.raises(InputError, match="all systems have the same outputs"):
        choose_segments(same, 1, "diversity")

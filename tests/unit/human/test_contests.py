"""Permutation tests between metrics: exact where they can be, of the right size where not."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from weigh.human.contests import accuracy_of_rows, segment_permutation, system_permutation, tossed
from weigh.stats.correlation import kendall_of_rows, pearson_of_rows, spearman_of_rows


def standardised(x: np.ndarray) -> np.ndarray:
    return (x - x.mean()) / x.std()


CORRELATIONS = {
    "pearson": pearson_of_rows,
    "spearman": spearman_of_rows,
    "kendall": kendall_of_rows,
}


@pytest.mark.parametrize("name", [*CORRELATIONS, "accuracy"])
def test_all_exchanges_are_tried(name: str) -> None:
    agreement = {**CORRELATIONS, "accuracy": accuracy_of_rows}[name]
    generator = np.random.default_rng(5)
    human, a, b = generator.normal(size=(3, 6))
    difference, p = system_permutation(human, a, b, agreement, trials=64, seed=1)
    one, other = standardised(a), standardised(b)

    def agree(x: np.ndarray) -> float:
        return float(agreement(human, x[None])[0])

    found = []
    for coins in product((0, 1), repeat=6):
        swap = np.array(coins, bool)
        found.append(agree(np.where(swap, other, one)) - agree(np.where(swap, one, other)))
    assert difference == pytest.approx(agree(a) - agree(b))
    assert p == sum(abs(d) >= abs(difference) - 1e-12 for d in found) / 64
    # As likely with coins that are tossed, 63 trials being too few for all exchanges.
    _, tossed_p = system_permutation(human, a, b, agreement, trials=63, seed=1)
    assert abs(tossed_p - p) < 4 * math.sqrt(0.25 / 63)


def test_a_metric_and_its_copy() -> None:
    human, a = np.random.default_rng(6).normal(size=(2, 20))
    for scores in (a, 3 * a + 7):
        assert system_permutation(human, a, scores, pearson_of_rows, 999, 1)[1] == 1
    constant = np.ones(20)
    difference, p = system_permutation(human, a, constant, pearson_of_rows, 999, 1)
    assert math.isnan(difference)
    assert math.isnan(p)


def test_size_over_systems() -> None:
    """Metrics that are equally good reject as often as stated, whatever their scale."""
    generator = np.random.default_rng(7)
    trials, rejected = 600, 0
    for seed in range(trials):
        quality = generator.normal(size=9)
        human = quality + 0.4 * generator.normal(size=9)
        a = quality + 0.6 * generator.normal(size=9)
        b = 100 * (quality + 0.6 * generator.normal(size=9))
        rejected += system_permutation(human, a, b, pearson_of_rows, 512, seed)[1] <= 0.05
    assert abs(rejected / trials - 0.05) < 4 * math.sqrt(0.05 * 0.95 / trials)


def simulated(generator: np.random.Generator, noise_a: float, noise_b: float) -> list[np.ndarray]:
    quality = np.linspace(0, 0.4, 5)[:, None] + generator.normal(size=(5, 60))
    return [
        quality + 0.5 * generator.normal(size=quality.shape),
        quality + noise_a * generator.normal(size=quality.shape),
        quality + noise_b * generator.normal(size=quality.shape),
    ]


def one_sided(scores: np.ndarray) -> np.ndarray:
    first, second = np.triu_indices(len(scores), 1)
    return np.asarray(
        stats.ttest_rel(scores[first], scores[second], axis=1, alternative="greater")[1]
    )


def test_size_and_power_over_segments() -> None:
    generator = np.random.default_rng(8)
    trials, alike, unlike = 300, 0, 0
    for seed in range(trials):
        human, a, b = simulated(generator, 1.0, 1.0)
        alike += segment_permutation(one_sided(human), a, 9 * b, 199, seed)[1] <= 0.05
        human, a, b = simulated(generator, 0.1, 9.0)
        unlike += segment_permutation(one_sided(human), a, b, 199, seed)[1] <= 0.05
    assert abs(alike / trials - 0.05) < 4 * math.sqrt(0.05 * 0.95 / trials)
    assert unlike / trials > 0.5


def test_soft_accuracy_of_the_data_as_they_are() -> None:
    human, a, b = simulated(np.random.default_rng(9), 0.5, 3.0)
    p_human = one_sided(human)
    difference, p = segment_permutation(p_human, a, b, 999, 1)
    soft = [1 - np.abs(one_sided(scores) - p_human).mean() for scores in (a, b)]
    assert difference == pytest.approx(soft[0] - soft[1], abs=0.01)
    assert segment_permutation(p_human, b, a, 999, 1) == pytest.approx((-difference, p))
    assert segment_permutation(p_human, a, 2 * a + 1, 999, 1)[1] == 1


def test_coins_are_fair_and_belong_to_their_trial() -> None:
    coins = tossed(3, 2000, 70)
    assert coins.shape == (2000, 70)
    assert abs(coins.mean() - 0.5) < 4 * 0.5 / math.sqrt(coins.size)
    assert np.abs(np.corrcoef(coins.T) - np.eye(70)).max() < 0.12
    assert (tossed(3, 500, 70, first=1500) == coins[1500:]).all()
    for units in (1, 64, 65, 300):
        assert (tossed(3, 7, units, first=3) == tossed(3, 10, units)[3:]).all()

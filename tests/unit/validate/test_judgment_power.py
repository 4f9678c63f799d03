from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from weigh.errors import InputError
from weigh.human.draws import ArrayDraws
from weigh.read.answers import Judgments, Omission
from weigh.result import Extent
from weigh.stats.ranking import rank_sum
from weigh.types import Judgment, Preference
from weigh.validate.judgment_power import (
    Pilot,
    judgment_power,
    noether,
    pilot_of,
    power_of_pilot,
)
from weigh.validate.plan import PowerPlan

values = st.lists(st.integers(0, 9), min_size=1, max_size=15)


@given(values, values)
def test_superiority_against_all_pairs(first: list[int], second: list[int]) -> None:
    pilot = Pilot(("A", "B"), "x", np.array(first, float), np.array(second, float))
    wins = sum((a > b) + (a == b) / 2 for a, b in product(first, second))
    assert pilot.superiority == pytest.approx(wins / (len(first) * len(second)))


@cache
def normal_pilot(shift: float = 0.4) -> Pilot:
    quantiles = norm.ppf((np.arange(2000) + 0.5) / 2000)
    return Pilot(("A", "B"), "x", quantiles + shift, quantiles)


def test_power_of_normal_scores_against_theory() -> None:
    """P − ½ = Φ(δ/√2) − ½, and the rank-sum statistic has the variance (2n + 1)/(12 n²)."""
    plan = PowerPlan(sizes=(60, 200), strengths=(0.0, 1.0), simulations=1500)
    found = power_of_pilot(normal_pilot(), plan)
    for one in found.powers:
        distance = norm.cdf(one.difference / np.sqrt(2)) - 0.5
        distance /= np.sqrt((2 * one.size + 1) / (12 * one.size**2))
        expected = norm.cdf(distance - 1.96) + norm.cdf(-distance - 1.96)
        assert one.power == pytest.approx(expected, abs=0.04)
    [need] = found.needs
    [check] = need.checks
    assert check.power == pytest.approx(0.8, abs=0.04)


def test_noether_against_a_published_formula() -> None:
    """Noether's N of both samples together, c = ½: (1.96 + .8416)² / (12 · ¼ · (.7 − .5)²)."""
    both = (1.959964 + 0.841621) ** 2 / (3 * 0.2**2)
    assert noether(0.7, 0.05, 0.8) == int(np.ceil(both / 2)) == 33


def test_campaigns_against_the_rank_sum_test_one_by_one() -> None:
    rng = np.random.default_rng(4)
    pilot = Pilot(("A", "B"), "x", rng.integers(0, 9, 70) + 1.0, rng.integers(0, 9, 90) + 0.0)
    plan = PowerPlan(sizes=(40,), strengths=(0.5,), simulations=60, seed=9)
    draws = ArrayDraws(9, 0)
    made = []
    for own, other in ((pilot.first, pilot.second), (pilot.second, pilot.first)):
        exchanged = draws.chances(0.25, 2400)
        from_other = other[draws.below(len(other), 2400)]
        from_own = own[draws.below(len(own), 2400)]
        drawn = [
            b if swap else a for a, b, swap in zip(from_own, from_other, exchanged, strict=True)
        ]
        made.append([drawn[n : n + 40] for n in range(0, 2400, 40)])
    expected = sum(rank_sum(a, b).p_value <= 0.05 for a, b in zip(*made, strict=True))
    assert power_of_pilot(pilot, plan).powers[0].found == expected > 0


def judged(**means: float) -> list[Judgment]:
    rng = np.random.default_rng(6)
    return [
        Judgment(judge, "h", "de-en", "system", name, str(n), float(value))
        for judge in ("ann", "bob")
        for name, mean in means.items()
        for n, value in enumerate(rng.normal(mean, 10, 30).clip(0, 100))
    ]


def test_a_pilot_is_made_of_standard_scores() -> None:
    pilot = pilot_of(judged(A=60, B=50), ["A", "B"])
    together = np.concatenate([pilot.first, pilot.second])
    assert together.mean() == pytest.approx(0, abs=1e-9)
    assert len(pilot.first) == len(pilot.second) == 60
    assert pilot.difference > 0
    assert pilot.what == "adequacy (z)"
    plan = PowerPlan(sizes=(20, 40), strengths=(0.0, 1.0), simulations=50)
    assert power_of_pilot(pilot, plan, threads=2) == power_of_pilot(pilot, plan, threads=1)


def test_one_score_only_is_never_a_find() -> None:
    flat = Pilot(("A", "B"), "x", np.ones(5), np.ones(5))
    found = power_of_pilot(flat, PowerPlan(sizes=(10,), strengths=(1.0,), simulations=5))
    assert (found.powers[0].found, found.needs) == (0, ())


def test_bad_pilots() -> None:
    with pytest.raises(InputError, match="no judgments of 'C'"):
        pilot_of(judged(A=60, B=50), ["A", "C"])
    with pytest.raises(InputError, match="1 systems named; name the two"):
        pilot_of(judged(A=60, B=50), ["A"])
    fluency = [Judgment("ann", "h", "de-en", "system", "A", "1", 5.0, "fluency")]
    with pytest.raises(InputError, match=r"several kinds \(de-en, adequacy; de-en, fluency\)"):
        pilot_of([*judged(A=60, B=50), *fluency], ["A", "B"])


def test_judgments_in_one_call() -> None:
    """What was left out, who was dropped and how many segments were judged is told."""
    plan = PowerPlan(sizes=(20,), strengths=(1.0,), simulations=20)
    flat = [Judgment("eve", "h", "de-en", "system", "A", str(n), 50.0) for n in range(3)]
    answers = Judgments((*judged(A=60, B=50), *flat), (Omission("no score", 2),), ("a remark",))
    found = judgment_power(answers, ["A", "B"], plan)
    assert found.remarks[:2] == ("2 answers left out: no score", "a remark")
    assert "eve: 3 judgments, all the same" in found.remarks[2]
    assert found.test_set == Extent(30, 0)
    [metric] = found.metrics
    pilot = pilot_of(answers.judgments, ["A", "B"])
    assert (metric.metric, metric.observed) == ("adequacy (z)", pilot.difference)
    assert found.powers == power_of_pilot(pilot, plan).powers
    with pytest.raises(InputError, match="relative rankings, but judgments with scores"):
        judgment_power([Preference("A", "B", "1")], ["A", "B"], plan)

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from unit.comparing.systems import corpus
from weigh import Bleu, Ter
from weigh.comparing.dataset import Dataset, from_arrays, from_texts
from weigh.errors import InputError, UsageError
from weigh.human.draws import ArrayDraws
from weigh.validate.plan import PowerPlan
from weigh.validate.power import MOST_UNITS, TrueDifference, power, simulated

UNITS = 400


@cache
def scores() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(2)
    base = rng.normal(50, 8, UNITS)
    return {name: base + rng.normal(mean, 5, UNITS) for name, mean in (("A", 1.2), ("B", 0))}


def measured() -> Dataset:
    return from_arrays({"mean": scores()})


@given(st.floats(0, 1))
def test_the_true_difference_of_means_is_the_share_that_was_asked_for(strength: float) -> None:
    [sample] = measured().samples
    observed = scores()["A"].mean() - scores()["B"].mean()
    assert TrueDifference(sample).at(strength) == pytest.approx(strength * observed, abs=1e-9)


@pytest.mark.parametrize("metric", [Bleu(), Ter()])
def test_true_differences_against_one_large_data_set(metric: object) -> None:
    systems, test_set = corpus()
    samples = from_texts(systems[:2], test_set, [metric]).samples  # type: ignore[list-item]
    together = [np.array([rows for [rows] in samples[0].rows])]
    [large] = simulated(samples, together, 0.4, 300_000, ArrayDraws(1, 1))
    first, second = large.scores()
    truth = TrueDifference(samples[0])
    assert first - second == pytest.approx(truth.at(0.4), abs=0.15)
    assert truth.at(0.0) == pytest.approx(0, abs=1e-9)
    whole = samples[0].scores()
    assert truth.at(1.0) == pytest.approx(whole[0] - whole[1])
    found = truth.strength_of(abs(truth.at(0.4)))
    assert found == pytest.approx(0.4, abs=1e-6)
    assert truth.strength_of(abs(truth.at(1.0)) + 1) is None


def test_power_against_the_z_test() -> None:
    """Of a mean difference w·m with E d² = q: Φ(±|w m|√n/σ − 1.96), σ² = q − (w m)²."""
    plan = PowerPlan(sizes=(100,), strengths=(0.0, 0.5, 1.0), simulations=500, trials=299)
    d = scores()["A"] - scores()["B"]
    found = power(measured(), plan)
    assert len(found.powers) == 3
    for one in found.powers:
        error = np.sqrt(((d**2).mean() - one.difference**2) / one.size)
        distance = abs(one.difference) / error
        expected = norm.cdf(distance - 1.96) + norm.cdf(-distance - 1.96)
        # Four standard errors of a share of 500, and a little for the approximation.
        assert one.power == pytest.approx(expected, abs=0.09 + 0.01)
        if one.difference == 0:
            assert 0.02 < one.power < 0.09
    for need in found.needs:
        n = (1.96 + 0.8416) ** 2 * ((d**2).mean() - need.difference**2) / need.difference**2
        assert need.size == pytest.approx(n, rel=0.03)
        [check] = need.checks
        assert check.size == need.size
        assert check.power == pytest.approx(0.8, abs=0.1)


def test_the_number_of_items_does_not_depend_on_the_seed() -> None:
    """The error of a mean is known: only checks are simulated."""
    d = scores()["A"] - scores()["B"]
    plan = {"sizes": (50,), "strengths": (1.0,), "simulations": 20, "trials": 99}
    sizes = {power(measured(), PowerPlan(**plan, seed=seed)).needs[0].size for seed in range(4)}
    [size] = sizes
    assert size == pytest.approx((1.96 + 0.8416) ** 2 * d.var() / d.mean() ** 2, rel=0.03)


def test_a_formula_that_is_too_small_is_remarked_on() -> None:
    """Of few units the randomization test finds less than the normal approximation promises."""
    rng = np.random.default_rng(4)
    base = rng.normal(50, 8, UNITS)
    far = from_arrays({"mean": {"A": base + rng.normal(1, 1, UNITS), "B": base}})
    plan = PowerPlan(sizes=(5,), strengths=(1.0,), simulations=300, trials=199)
    result = power(far, plan)
    [need] = result.needs
    [check] = need.checks
    assert check.size == need.size
    assert check.interval[1] < 0.8
    assert "below the aim" in result.to_text()


def test_large_numbers_are_not_simulated() -> None:
    plan = PowerPlan(sizes=(50,), strengths=(0.02,), simulations=20, trials=99)
    [need] = power(measured(), plan).needs
    assert need.size > MOST_UNITS
    assert need.checks == ()


def test_a_stated_difference() -> None:
    plan = PowerPlan(sizes=(50,), strengths=(1.0,), simulations=40, trials=99, detect={"mean": 0.5})
    whole, stated = power(measured(), plan).needs
    assert (whole.stated, stated.stated) == (False, True)
    assert stated.difference == 0.5
    [check] = stated.checks
    assert check.difference == pytest.approx(0.5)
    large = PowerPlan(
        sizes=(50,), strengths=(1.0,), simulations=20, trials=99, detect={"mean": 99.0}
    )
    assert power(measured(), large).needs[1].checks == ()  # the pilot holds no such difference


def test_systems_that_do_not_differ_need_nothing() -> None:
    values = scores()["A"]
    same = from_arrays({"mean": {"A": values, "B": values}})
    found = power(same, PowerPlan(sizes=(50,), simulations=20, trials=99))
    assert found.needs == ()
    assert {one.found for one in found.powers} == {0}


def test_threads_change_nothing() -> None:
    plan = PowerPlan(
        tests=("randomization", "bootstrap"),
        sizes=(30, 60),
        strengths=(0.0, 1.0),
        simulations=30,
        trials=99,
    )
    assert power(measured(), plan, threads=1) == power(measured(), plan, threads=2)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"strengths": (2.0,)}, "strengths 2: give a number from 0 to 1"),
        ({"strengths": (1.0, 1.0)}, "strengths 1.0 is given twice"),
        ({"strengths": ()}, "strengths: no value"),
        ({"sizes": (1,)}, "sizes 1: give a number of at least 2"),
        ({"power": 1.0}, "power 1: give a number between 0 and 1"),
        ({"detect": {"mean": -1.0}}, "detect mean=-1; give a positive number"),
        ({"alpha": 0.01, "trials": 99}, "use at least 199 trials"),
    ],
)
def test_bad_choices(choice: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        PowerPlan(**choice)


def test_bad_data() -> None:
    values = scores()["A"]
    three = from_arrays({"mean": {"A": values, "B": values, "C": values}})
    with pytest.raises(InputError, match=r"a pilot needs two systems.* 3 outputs \(A, B, C\)"):
        power(three)
    with pytest.raises(UsageError, match="detect for 'maen', which is not among the metrics"):
        power(measured(), PowerPlan(detect={"maen": 1.0}))

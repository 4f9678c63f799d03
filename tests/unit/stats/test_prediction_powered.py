"""Prediction-powered means: against statsmodels, by their definition, and with a known truth."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.powered import covered
from weigh.errors import InputError
from weigh.stats.prediction_powered import powered_mean


def drawn(seed, n=30, others=200, slope=0.6):
    draws = np.random.default_rng(seed)
    metric = draws.normal(50, 10, n + others)
    return slope * metric[:n] + draws.normal(0, 5, n), metric[:n], metric[n:]


@pytest.mark.parametrize("slope", [0.6, 0.0, -2.0])
def test_the_estimate_is_the_mean_moved_by_lambda(slope):
    human, labelled, others = drawn(3, slope=slope)
    mean = powered_mean(human, labelled, others)
    n, more = len(labelled), len(others)
    b = np.cov(human, labelled)[0, 1] / labelled.var(ddof=1)
    assert mean.weight == pytest.approx(b * more / (n + more), rel=1e-10)
    moved = human.mean() + mean.weight * (others.mean() - labelled.mean())
    assert mean.estimate == pytest.approx(moved, rel=1e-12)
    assert mean.spread.freedom == n - 2
    assert mean.classical == pytest.approx(human.mean())
    assert mean.classical_spread.variance == pytest.approx(human.var(ddof=1) / n)
    assert mean.classical_spread.freedom == n - 1


def test_the_variance_of_the_line_is_that_of_statsmodels():
    """HC3 at the mean of all segments, and what other segments would change in that mean."""
    statsmodels = pytest.importorskip("statsmodels.regression.linear_model")
    human, labelled, others = drawn(5)
    everything = np.concatenate([labelled, others])
    fit = statsmodels.OLS(human, np.column_stack([np.ones(len(labelled)), labelled])).fit(
        cov_type="HC3"
    )
    at = np.array([1.0, everything.mean()])
    expected = at @ fit.cov_params() @ at
    expected += fit.params[1] ** 2 * everything.var(ddof=1) / everything.size
    mean = powered_mean(human, labelled, others)
    assert mean.estimate == pytest.approx(at @ fit.params, rel=1e-10)
    assert mean.spread.variance == pytest.approx(expected, rel=1e-9)


def test_a_finite_test_set_has_its_factor():
    """(1 − n/(n + N)) HC3 at the mean of all segments, which is known."""
    statsmodels = pytest.importorskip("statsmodels.regression.linear_model")
    human, labelled, others = drawn(5)
    fit = statsmodels.OLS(human, np.column_stack([np.ones(len(labelled)), labelled])).fit(
        cov_type="HC3"
    )
    at = np.array([1.0, np.concatenate([labelled, others]).mean()])
    mean = powered_mean(human, labelled, others, finite=True)
    assert mean.estimate == powered_mean(human, labelled, others).estimate
    assert mean.spread.variance == pytest.approx(200 / 230 * (at @ fit.cov_params() @ at), rel=1e-9)
    assert mean.classical_spread.variance == pytest.approx(200 / 230 * human.var(ddof=1) / 30)


def test_a_perfect_metric_leaves_only_the_segments():
    _, labelled, others = drawn(7)
    mean = powered_mean(3 * labelled - 4, labelled, others)
    everything = np.concatenate([labelled, others])
    assert mean.estimate == pytest.approx(3 * everything.mean() - 4)
    assert mean.spread.variance == pytest.approx(9 * everything.var(ddof=1) / everything.size)
    assert mean.saved == pytest.approx(1 - 30 / 230, abs=0.15)


def test_scale_and_direction_of_the_metric_do_not_matter():
    human, labelled, others = drawn(11)
    mean = powered_mean(human, labelled, others)
    turned = powered_mean(human, 7 - 1000 * labelled, 7 - 1000 * others)
    assert turned.estimate == pytest.approx(mean.estimate, rel=1e-10)
    assert turned.spread.variance == pytest.approx(mean.spread.variance, rel=1e-9)
    assert turned.weight == pytest.approx(-mean.weight / 1000)


@pytest.mark.parametrize("kind", ["constant", "rounded", "one", "all labelled"])
def test_without_a_slope_the_mean_is_the_classical_one(kind):
    human, labelled, others = drawn(13)
    if kind == "constant":
        labelled = np.full(30, 0.3)
    elif kind == "rounded":
        labelled = np.where(np.arange(30) % 2, 0.1 + 0.2, 0.3)
    elif kind == "one":
        labelled = np.eye(30)[4]
    else:
        others = others[:0]
    mean = powered_mean(human, labelled, others)
    assert mean.weight == 0
    assert mean.saved == 0
    assert mean.estimate == mean.classical
    assert mean.spread == mean.classical_spread


def test_people_who_always_say_the_same_save_nothing():
    _, labelled, others = drawn(17)
    mean = powered_mean(np.full(30, 5.0), labelled, others)
    assert (mean.estimate, mean.saved) == (5.0, 0.0)


def test_too_few_labels_are_refused():
    human, labelled, others = drawn(19, n=19)
    with pytest.raises(InputError, match=r"19 segments have human scores; .* at least 20"):
        powered_mean(human, labelled, others)
    with pytest.raises(InputError, match="19 human scores, but 18 "):
        powered_mean(human, labelled[1:], others)


# Coverage of intervals with a known truth.


SIZES = [(20, 200), (20, 2000), (50, 500), (200, 200), (200, 2000)]


@pytest.mark.parametrize("correlation", [0.0, 0.7, 1.0, -0.7])
@pytest.mark.parametrize("size", SIZES)
def test_intervals_hold_the_truth(size, correlation):
    found = covered("normal", correlation, *size, trials=2000 if size[1] < 2000 else 1000)
    assert 0.94 <= found.powered <= 0.98
    n, others = size
    # 1 − ρ² N/(n + N), and what fitting the slope costs.
    expected = 1 - correlation**2 * others / (n + others)
    assert found.ratio == pytest.approx(expected * (1 + 1 / (n - 3)), rel=0.15)


@pytest.mark.parametrize("correlation", [0.0, 0.7, -0.7])
@pytest.mark.parametrize("size", SIZES)
def test_intervals_hold_the_truth_of_skewed_scores(size, correlation):
    found = covered("skewed", correlation, *size, trials=2000 if size[1] < 2000 else 1000)
    assert found.powered >= 0.90
    assert found.ratio < 1.1

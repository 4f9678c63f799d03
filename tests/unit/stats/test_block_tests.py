"""Tukey and Scheffé: linear models, paired t-tests and tables as authorities."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from weigh.errors import InputError
from weigh.stats.significance import interaction_mean_square, scheffe, tukey

METHODS = [tukey, scheffe]
both = pytest.mark.parametrize("method", METHODS)
tables = arrays(
    float,
    st.tuples(st.integers(2, 6), st.integers(2, 4)),
    elements=st.integers(0, 20).map(float),
)
quick = settings(max_examples=25)


def scores_of(segments: int, systems: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    difficulty = rng.normal(scale=3, size=(segments, 1))
    return difficulty + rng.normal(size=(segments, systems)) + np.arange(systems) * 0.3


def with_statistic(q: float, systems: int, segments: int) -> np.ndarray:
    """Scores whose first two systems are q standard errors of a mean apart."""
    noise = scores_of(segments, systems)
    noise -= noise.mean(axis=0)
    standard_error = np.sqrt(interaction_mean_square(noise) / segments)
    return noise + np.eye(systems)[0] * q * standard_error


@pytest.mark.parametrize(("segments", "systems"), [(2, 2), (5, 3), (12, 4), (30, 7)])
def test_mean_square_against_a_linear_model(segments, systems):
    scores = scores_of(segments, systems)
    # One column for the mean, one for each segment and system but the first.
    segment = np.repeat(np.arange(segments), systems)
    system = np.tile(np.arange(systems), segments)
    design = np.column_stack(
        [np.ones(scores.size)]
        + [segment == i for i in range(1, segments)]
        + [system == j for j in range(1, systems)]
    ).astype(float)
    fitted, *_ = np.linalg.lstsq(design, scores.ravel(), rcond=None)
    rest = ((scores.ravel() - design @ fitted) ** 2).sum()
    expected = rest / (scores.size - design.shape[1])
    assert scores.size - design.shape[1] == (segments - 1) * (systems - 1)
    assert interaction_mean_square(scores) == pytest.approx(expected, rel=1e-10)


@both
@pytest.mark.parametrize("segments", [2, 5, 50])
@pytest.mark.parametrize("shift", [0.0, 1.0, 40.0, 1e4])
def test_two_systems_against_the_paired_t_test(method, segments, shift):
    scores = scores_of(segments, 2) + np.array([0, shift])
    expected = scipy.stats.ttest_rel(*scores.T).pvalue
    np.testing.assert_allclose(method(scores), [[1, expected], [expected, 1]], rtol=1e-7)


@pytest.mark.parametrize(
    # Upper 5% and 1% points of the studentized range for S means and df degrees of freedom, as
    # printed in Harter (1960); df = (n − 1)(S − 1).
    ("systems", "segments", "p", "q"),
    [(3, 6, 0.05, 3.877), (3, 6, 0.01, 5.270), (5, 6, 0.05, 4.232), (4, 21, 0.05, 3.737)],
)
def test_tukey_against_tables(systems, segments, p, q):
    assert tukey(with_statistic(q, systems, segments))[0, 1] == pytest.approx(p, rel=2e-3)


@pytest.mark.parametrize(
    # Upper 5% and 1% points of F with S − 1 and (n − 1)(S − 1) degrees of freedom.
    ("systems", "segments", "p", "f"),
    [(3, 6, 0.05, 4.103), (3, 6, 0.01, 7.559), (5, 6, 0.05, 2.866), (4, 21, 0.05, 2.758)],
)
def test_scheffe_against_tables(systems, segments, p, f):
    q = np.sqrt(2 * (systems - 1) * f)
    assert scheffe(with_statistic(q, systems, segments))[0, 1] == pytest.approx(p, rel=2e-3)


def test_tukey_holds_the_family_wise_error_against_simulation():
    # Twelve segments, five systems without a difference; the critical value is Tukey's.
    critical = scipy.stats.studentized_range.ppf(0.95, 5, 44)
    rng = np.random.default_rng(1)
    rejected = 0
    for _ in range(2000):
        scores = rng.normal(size=(12, 5)) + rng.normal(size=(12, 1))
        spread = np.ptp(scores.mean(axis=0))
        rejected += spread >= critical * np.sqrt(interaction_mean_square(scores) / 12)
    assert rejected / 2000 == pytest.approx(0.05, abs=0.016)


@quick
@given(scores=tables, data=st.data())
def test_properties(scores, data):
    by_tukey, by_scheffe = tukey(scores), scheffe(scores)
    order = np.array(data.draw(st.permutations(range(scores.shape[1]))))
    for method, p in ((tukey, by_tukey), (scheffe, by_scheffe)):
        np.testing.assert_array_equal(p, p.T)
        assert (np.diag(p) == 1).all()
        assert ((p > 0) & (p <= 1)).all()
        moved = method(scores[:, order])
        np.testing.assert_allclose(moved, p[np.ix_(order, order)], rtol=1e-6, atol=1e-12)
    assert (by_scheffe >= by_tukey * (1 - 1e-7)).all()  # pairs are only some of all contrasts


@both
def test_identical_systems(method):
    scores = scores_of(10, 1)
    assert (method(np.repeat(scores, 3, axis=1)) == 1).all()
    with_twins = np.column_stack([scores, scores, scores_of(10, 1, seed=9)])
    assert method(with_twins)[0, 1] == 1
    assert method(with_twins)[0, 2] < 1
    assert (method(np.zeros((4, 3))) == 1).all()


@both
def test_a_difference_without_noise_is_small_but_not_zero(method):
    p = method(np.add.outer(np.arange(5.0), [0, 1, 1]))
    assert 0 < p[0, 1] < 1e-12
    assert p[1, 2] == 1
    exactly_none = method(np.tile([0.0, 1.0, 1.0, 0.0], (4, 1)))
    assert 0 < exactly_none[0, 1] < 1e-300
    assert exactly_none[0, 3] == 1


@pytest.mark.parametrize("systems", [2, 3, 12])
def test_tukey_stays_smooth_where_integration_ends(systems):
    statistics = np.linspace(5, 40, 30)
    p = [tukey(with_statistic(q, systems, 40))[0, 1] for q in statistics]
    assert (np.diff(np.log(p)) < 0).all()
    assert p[-1] > 0


@pytest.mark.parametrize("systems", [2, 3, 4, 8, 12])
def test_tukey_far_out_is_bonferroni_against_theory(systems):
    # Integration is good to 1e-10 or so; no chance is larger than the sum over the pairs.
    p = tukey(with_statistic(20.0, systems, 100))[0, 1]
    one_pair = 2 * scipy.stats.t.sf(20 / np.sqrt(2), 99 * (systems - 1))
    assert p == pytest.approx(systems * (systems - 1) / 2 * one_pair, rel=1e-9, abs=0)


@both
@pytest.mark.parametrize("shape", [(1, 3), (5, 1), (5,), (0, 2)])
def test_too_few(method, shape):
    with pytest.raises(InputError, match="at least 2 segments of at least 2 systems"):
        method(np.zeros(shape))

"""95% intervals hold the truth about 95% of the time: the quick version of the full tables.

1,000 data sets each and fixed seeds, so a share of .95 has a standard error of .007. The intervals
are of 1,999 trials, a fifth of the default, which changes the coverage by less than .003.
"""

from __future__ import annotations

import pytest

from calibration.intervals import (
    WILSON,
    bleu_coverage,
    coverage,
    document_coverage,
    macro_coverage,
    pass_fail_coverage,
    wilson_coverage,
)
from calibration.test_calibration import world

COUNT = 1000
TRIALS = 1999
CHANCE = 0.035
EXPECTED = {
    ("normal", 6): 0.971,
    ("normal", 10): 0.952,
    ("normal", 20): 0.941,
    ("normal", 50): 0.954,
    ("normal", 200): 0.949,
    ("exponential", 6): 0.932,
    ("exponential", 10): 0.902,
    ("exponential", 20): 0.913,
    ("exponential", 50): 0.927,
    ("exponential", 200): 0.945,
}


@pytest.mark.parametrize(("kind", "units"), EXPECTED)
def test_differences_of_means(kind, units):
    found = coverage(kind, units, COUNT, trials=TRIALS, others=False)["halving"]
    assert found == pytest.approx(EXPECTED[kind, units], abs=CHANCE)


@pytest.mark.parametrize(("slices", "exponential"), [(2, 0.913), (5, 0.927)])
def test_means_over_slices_of_ten_items(slices, exponential):
    """As those of as many items in one: the slices' own means are no part of the error.

    The full run has 30 slices too, which take most of a minute.
    """
    assert macro_coverage("normal", slices, COUNT, trials=TRIALS) == pytest.approx(0.95, abs=0.02)
    found = macro_coverage("exponential", slices, COUNT, trials=TRIALS)
    assert found == pytest.approx(exponential, abs=CHANCE)


def test_percentiles_of_few_units_hold_too_little():
    """This test can fail: the bounds above would catch such an interval."""
    found = coverage("normal", 6, COUNT)
    assert found["percentile"] < 0.9 < 0.95 - CHANCE < found["halving"]
    assert found["t"] == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("units", [10, 20, 50])
def test_differences_of_bleu(units):
    found = bleu_coverage(world(), units, 200, trials=TRIALS, others=False)
    assert found["halving"] == pytest.approx(0.95, abs=CHANCE)


@pytest.mark.parametrize("units", [10, 20])
def test_differences_of_pass_and_fail(units):
    found = pass_fail_coverage(units, 60, trials=TRIALS)
    assert found["mean"] > 0.96
    assert found["least"] > 0.926 - 0.06


@pytest.mark.parametrize(("units", "share"), WILSON)
def test_scores_of_pass_and_fail(units, share):
    assert 0.915 < wilson_coverage(units, share) < 0.935


@pytest.mark.parametrize("units", [10, 30, 100])
def test_scores_of_pass_and_fail_over_all_shares(units):
    found = [wilson_coverage(units, share / 100) for share in range(1, 100)]
    assert sum(found) / len(found) == pytest.approx(0.95, abs=0.015)
    assert min(found) > 0.83


@pytest.mark.parametrize(("documents", "share"), [(10, 0.7), (20, 0.9), (50, 0.5)])
def test_scores_of_documents(documents, share):
    assert document_coverage(documents, share, COUNT) == pytest.approx(0.95, abs=CHANCE)

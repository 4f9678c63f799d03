"""Student's t against SciPy's."""

from __future__ import annotations

import pytest
from scipy import stats

from weigh.stats.student import noncentrality, t_quantile, t_tail

FREEDOMS = [1, 1.5, 2, 5, 9, 24, 399, 20_000]


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_tails_and_quantiles(freedom):
    for t in (-3.0, 0.0, 0.1, 1.0, 4.5, 40.0):
        expected = stats.t.sf(t, freedom)
        assert t_tail(t, freedom) == pytest.approx(expected, rel=1e-11, abs=1e-16)
    for share in (0.025, 0.5, 0.55, 0.9, 0.975, 0.995, 1 - 0.025 / 8_911):
        assert t_quantile(freedom, share) == pytest.approx(stats.t.ppf(share, freedom), rel=1e-9)


@pytest.mark.parametrize("freedom", FREEDOMS[3:])
@pytest.mark.parametrize("level", [0.9, 0.5, 0.05, 0.05 / 66, 0.05 / 8_911])
@pytest.mark.parametrize("two_sided", [True, False])
def test_noncentrality_has_the_power(freedom, level, two_sided):
    c = noncentrality(freedom, level, 0.8, two_sided=two_sided)
    critical = stats.t.isf(level / (1 + two_sided), freedom)
    if level == 0.9 and not two_sided:  # rejects more often than .8 where nothing differs
        assert c == 0
    else:
        assert stats.nct.sf(critical, freedom, c) == pytest.approx(0.8, abs=1e-6)

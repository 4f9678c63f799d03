"""The variance of judges and segments together: by its definition, and with a known truth."""

from __future__ import annotations

import numpy as np
import pytest

from weigh.errors import InputError
from weigh.stats.crossed import crossed_spread


def by_definition(d, judges, segments):
    n, mean = len(d), sum(d) / len(d)
    r = [(each - mean) / n for each in d]

    def clustered(groups):
        count = len(set(groups))
        sums = [
            sum(part for part, own in zip(r, groups, strict=True) if own == group)
            for group in sorted(set(groups))
        ]
        return sum(each**2 for each in sums) * count / (count - 1), count

    v_j, n_j = clustered(judges)
    v_s, n_s = clustered(segments)
    variance = max(v_j + v_s - sum(part**2 for part in r), v_j, v_s)
    return variance, max(1, variance**2 / (v_j**2 / (n_j - 1) + v_s**2 / (n_s - 1)))


@pytest.mark.parametrize("size", [6, 30, 200])
def test_it_is_what_the_definition_says(size):
    draws = np.random.default_rng(size)
    d = draws.normal(size=size)
    judges = [*range(3), *draws.integers(0, 3 + size // 20, size - 3).tolist()]
    segments = [*range(2), *draws.integers(0, 2 + size // 4, size - 2).tolist()]
    expected = by_definition(d.tolist(), judges, segments)
    found = crossed_spread((d - d.mean()) / size, judges, [f"s{each}" for each in segments])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def rejected(judges, segments, trials, spread=1.0):
    """How often a mean that is 0 is found to differ at .05."""
    draws = np.random.default_rng(len(judges))
    j, s = np.asarray(judges), np.asarray(segments)
    wrong = 0
    for _ in range(trials):
        d = (
            draws.normal(0, spread, j.max() + 1)[j]
            + draws.normal(0, spread, s.max() + 1)[s]
            + draws.normal(0, 1, j.size)
        )
        found = crossed_spread((d - d.mean()) / d.size, judges, segments)
        wrong += found.p_value(d.mean()) <= 0.05
    return wrong / trials


CROSSED = [(j, s) for j in range(5) for s in range(40)]
FEW = [(j, s) for j in range(3) for s in range(30)]
NESTED = [(s // 8, s) for s in range(40)]
TWO_EACH = [((s + k) % 6, s) for s in range(48) for k in range(2)]


@pytest.mark.parametrize("design", [CROSSED, FEW, NESTED, TWO_EACH])
def test_it_rejects_no_more_than_it_may(design):
    judges, segments = map(list, zip(*design, strict=True))
    # .08 is what is promised; the standard error of 1,000 trials at .05 is .007.
    assert rejected(judges, segments, 1000) <= 0.08


def test_two_judges_say_nothing_of_others():
    with pytest.raises(InputError, match="2 judges and 3 segments"):
        crossed_spread([0.1, -0.1, 0.0], ["a", "b", "a"], [1, 2, 3])


def test_no_spread_at_all():
    found = crossed_spread(np.zeros(6), [0, 1, 2] * 2, [0, 0, 0, 1, 1, 1])
    assert found.variance == 0
    assert found.p_value(0.0) == 1
    assert found.p_value(0.5) == 0

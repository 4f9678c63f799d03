"""Taking runs as a sample holds the level: the quick version of scripts/calibrate.py --part runs.

1,000 data sets of each kind and fixed seeds, so a share of .05 has a standard error of .007.
"""

from __future__ import annotations

from functools import cache

import pytest

from calibration import runs
from calibration.test_calibration import world

NULLS = 1000
CASES = [
    ("mean", "equal", 2),
    ("mean", "equal", 5),
    ("mean", "spreads", 3),
    ("bleu", "equal", 2),
    ("bleu", "numbers", 3),
]


@cache
def shares(metric: str, design: str, count: int) -> dict[str, float]:
    found = runs.rejections(world(), metric, design, count, NULLS, trials=200, seed=1)
    return {side: rejected / NULLS for side, rejected in found.items()}


@pytest.mark.parametrize(("metric", "design", "count"), CASES)
def test_a_true_null_is_rejected_at_alpha(metric, design, count):
    found = shares(metric, design, count)
    assert 0.02 < found["two-sided"] < runs.bound(design, count) + 0.02
    assert max(found["better"], found["worse"]) < runs.bound(design, count) + 0.025


def test_the_normal_distribution_would_be_caught():
    """This test can fail: the bounds above would catch such a flaw."""
    assert shares("mean", "equal", 2)["normal"] > 0.1

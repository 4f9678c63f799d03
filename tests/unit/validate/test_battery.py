from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from weigh.human.draws import ArrayDraws


@pytest.mark.parametrize("size", [3, 7])
def test_all_numbers_are_equally_likely(size: int) -> None:
    counts = np.bincount(ArrayDraws(1, 1).below(size, 70_000), minlength=size)
    assert chisquare(counts).pvalue > 0.001
    places = np.bincount(
        np.concatenate([ArrayDraws(1, s).chosen(size, 2) for s in range(5000)]), minlength=size
    )
    assert chisquare(places).pvalue > 0.001

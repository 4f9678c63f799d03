"""Odd arguments for every kernel; `scripts/fuzz.py --core` tries more of them."""

from __future__ import annotations

import pytest

from fuzzing.kernels import CASES, attempt

INPUTS = 600


@pytest.mark.parametrize("case", CASES)
def test_odd_arguments_are_refused_or_taken(case: str) -> None:
    taken = sum(attempt(case, number) for number in range(INPUTS))
    assert INPUTS / 5 < taken < INPUTS  # neither all odd, nor none

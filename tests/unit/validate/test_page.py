"""Numbers on docs/validation.md that are nobody's output."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scipy.stats import t

from weigh.stats.intervals import t_interval
from weigh.stats.multiplicity import experimentwise

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "validation.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| (1\.\d{4}) \| (1\.\d{4}) \|$", PAGE, re.MULTILINE)


def test_the_table_of_t() -> None:
    assert [int(n) for n, _, _ in ROWS] == [100, 300, 600, 2000, 3000]
    for n, printed, ours in ROWS:
        assert printed == f"{t.ppf(0.975, int(n)):.4f}"
        assert ours == f"{t.ppf(0.975, int(n) - 1):.4f}"


@pytest.mark.parametrize("row", ROWS)
def test_our_intervals_take_one_degree_less(row: tuple[str, str, str]) -> None:
    """Of n values with mean 0 and standard error 1, the interval ends at t."""
    n = int(row[0])
    deviation = (n * (n - 1) / n) ** 0.5  # of values ±x: s = x √(n/(n − 1)), s/√n = 1
    low, high = t_interval([deviation, -deviation] * (n // 2))
    assert f"{high:.4f}" == row[2]
    assert low == pytest.approx(-high)


def test_the_error_of_105_comparisons() -> None:
    assert "1 − .95^105 = .9954" in PAGE
    assert round(experimentwise(0.05, 105), 4) == round(1 - 0.95**105, 4) == 0.9954

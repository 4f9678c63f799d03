"""Numbers on docs/validate.md that no command writes."""

from __future__ import annotations

import re
from pathlib import Path

from scipy.stats import t

from weigh.stats.multiplicity import experimentwise

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "validate.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| (1\.\d{4}) \| (1\.\d{4}) \|$", PAGE, re.MULTILINE)


def test_the_table_of_t() -> None:
    assert [int(n) for n, _, _ in ROWS] == [100, 300, 600, 2000, 3000]
    for n, printed, ours in ROWS:
        assert printed == f"{t.ppf(0.975, int(n)):.4f}"
        assert ours == f"{t.ppf(0.975, int(n) - 1):.4f}"


def test_the_error_of_105_comparisons() -> None:
    assert "1 − .95^105 = .9954" in PAGE
    assert round(experimentwise(0.05, 105), 4) == round(1 - 0.95**105, 4) == 0.9954

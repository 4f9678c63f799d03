"""A workshop with little to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from weigh_lab.papers.plan import PaperPlan
from weigh_lab.papers.workshop import Workshop

LITTLE = PaperPlan(training=150, tuning=20, test=60, trials=99, seed=3)


@pytest.fixture(scope="package")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """A workshop for generated texts, whose work all tests share."""
    out: Path = tmp_path_factory.mktemp("papers")
    return Workshop(LITTLE, out, threads=1)

"""A workshop with little to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared_data import SHARED
from weigh_lab.papers.paper_result import PaperTable
from weigh_lab.papers.plan import PaperPlan
from weigh_lab.papers.workshop import Workshop
from weigh_lab.papers.zaidan2009 import ZaidanResult, pilot, zaidan2009

LITTLE = PaperPlan(training=150, tuning=20, test=60, trials=99, seed=3)


@pytest.fixture(scope="package")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """A workshop for generated texts, whose work all tests share."""
    out: Path = tmp_path_factory.mktemp("papers")
    return Workshop(LITTLE, out, threads=1)


@pytest.fixture(scope="package")
def zaidan_workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    plan = PaperPlan(training=160, tuning=12, test=20)
    return Workshop(plan, tmp_path_factory.mktemp("zaidan"))


@pytest.fixture(scope="package")
def zaidan_result(zaidan_workshop: Workshop) -> ZaidanResult:
    return zaidan2009(zaidan_workshop)


@pytest.fixture(scope="package")
def zaidan_pilot() -> list[PaperTable]:
    """The tables of the authors' own data, none where these are not here."""
    return [*pilot(SHARED / "data")]

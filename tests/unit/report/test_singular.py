"""Views of the smallest studies: one judge, one HIT, one metric, one sample, two systems."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from unit.report.studies import measured
from weigh.human.agreement import agreement
from weigh.human.campaign import plan_campaign
from weigh.human.quality import quality
from weigh.human.rank import rank
from weigh.result import Result
from weigh.types import Judgment, Preference
from weigh.validate.plan import PowerPlan, SamplesPlan, Type1Plan
from weigh.validate.power import power
from weigh.validate.samples import samples
from weigh.validate.type1 import type1

_SCRIPTS = re.compile(r"<(script|style).*?</\1>", re.DOTALL)
_ONE = re.compile(r"(?<![\d,.–−-])1 (?!minus\b|is\b|was\b)[A-Za-z]+s\b")


def judgments() -> list[Judgment]:
    """One judge's answers on one HIT, with one repeat."""
    made = []
    for segment in range(8):
        for system, score in (("A", 70.0 + segment), ("B", 50.0 - segment)):
            rest = (system, str(segment))
            about = ("ann", "hit", "")
            made.append(Judgment(*about, "system", *rest, score, "adequacy", 20.0))
            made.append(Judgment(*about, "bad", *rest, score - 30 - segment, "adequacy", 20.0))
    made.append(Judgment("ann", "hit", "", "repeat", "A", "1", 72.0, "adequacy", 20.0))
    return made


STUDIES: dict[str, Callable[[], Result]] = {
    "rank": lambda: rank(judgments()),
    "rank by strength": lambda: rank([Preference("A", "B", "1", False, "ann")]),
    "quality": lambda: quality(judgments()),
    "agreement": lambda: agreement(judgments()),
    "plan": lambda: plan_campaign(2, hits=1),
    "plan of pairs": lambda: plan_campaign(2, hits=1, kind="pair", rate=1.0),
    "samples": lambda: samples(measured(1, 2), SamplesPlan(sizes=(2,), samples=1, trials=100)),
    "type1": lambda: type1(measured(1, 2), Type1Plan(nulls=1, trials=100, alphas=(0.05,))),
    "power": lambda: power(
        measured(1, 2), PowerPlan(sizes=(10,), simulations=1, trials=100, strengths=(1.0,))
    ),
}


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.filterwarnings("ignore::weigh.errors.WeighWarning")
def test_one_of_something_is_singular(study: str) -> None:
    result = STUDIES[study]()
    page = re.sub(r"<[^>]+>", " ", _SCRIPTS.sub("", result.to_html()))
    for text in (result.to_text(), page):
        assert not _ONE.findall(text)
        assert not re.search(r"(?<![\d,.])1 [a-z ]{0,20}\b(are|were|have) ", text)

"""Published campaigns: tests against people, as an independent program counted them."""

from __future__ import annotations

from functools import cache

import pytest

from shared_data import SHARED
from weigh.comparing.dataset import Dataset, from_texts
from weigh.metrics.bleu import Bleu
from weigh.read import read_inputs
from weigh.read.answers import Judgments, Preferences
from weigh.read.judgments import read_answers
from weigh.validate.accuracy import accuracy
from weigh.validate.plan import AccuracyPlan

DATA = SHARED / "data"
HUMAN = {"wmt12": "human-rnk.tsv.gz", "wmt13": "human-pairwise-rnk.tsv.gz"}

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="../shared, with data that may not be published, is not here"
)


@cache
def campaign(name: str) -> tuple[Dataset, Judgments | Preferences]:
    folder = DATA / name
    language = name.rpartition("-")[2]
    systems = [
        f"{path.name.removesuffix(f'.{language}.gz')}={path}"
        for path in sorted((folder / "sys").iterdir())
    ]
    test_set, read = read_inputs(systems, [str(folder / f"ref.{language}.gz")])
    answers = read_answers([str(folder / HUMAN[name.partition("/")[0]])])
    return from_texts(read, test_set, [Bleu()]), answers


@pytest.mark.parametrize(
    ("name", "seed", "agree", "pairs", "wrong"),
    [
        ("wmt12/es-en", 1, 45, 66, 1),
        ("wmt12/es-en", 2, 45, 66, 1),
        ("wmt12/en-es", 1, 28, 55, 10),
        ("wmt13/es-en", 2, 47, 66, None),
        ("wmt13/cs-en", 1, 43, 55, None),
    ],
)
def test_bleu_at_05_by_all_three_tests(
    name: str, seed: int, agree: int, pairs: int, wrong: int | None
) -> None:
    plan = AccuracyPlan(alphas=(0.05,), trials=2000, seed=seed)
    found = accuracy(*campaign(name), plan)
    assert found.not_given == ()
    for one in found.same_level:
        assert (one.agree, one.pairs) == (agree, pairs)
        assert wrong in (one.wrong_direction, None)


def test_people_find_44_of_66_and_bleu_62() -> None:
    found = accuracy(*campaign("wmt12/es-en"), AccuracyPlan(alphas=(0.05,), trials=2000))
    for one in found.same_level:
        assert (one.human_significant, one.significant) == (44, 62)

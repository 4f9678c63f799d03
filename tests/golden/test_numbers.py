"""The numbers of all verbs are those that were recorded.

That guards against accidental changes and does not show that a number is right. Where a change is
intended, `python tests/golden/numbers/record.py --only PATTERN` records the new numbers.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from golden.numbers.cases import CASES, SHARED, Case, prepare
from golden.numbers.paths import Numbers, differences, numbers
from golden.numbers.record import recorded

read = cache(recorded)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("numbers")
    prepare(place)
    return place


# Papers take long, and are held to their numbers where they are run: tests/e2e/test_paper*.py.
@pytest.mark.parametrize(
    "case",
    [case for case in CASES.values() if case.group != "paper"],
    ids=lambda case: case.name,
)
def test_numbers_stay(case: Case, folder: Path) -> None:
    if case.shared and not SHARED.is_dir():
        pytest.skip("../shared, with data that may not be published, is not here")
    for module in case.modules:
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    if case.by_processor and case.key not in read(case.group):
        pytest.skip("not recorded for this kind of processor")
    before = read(case.group)[case.key]
    assert not differences(before, numbers(case.ask(folder)), case.tolerance)


def test_no_numbers_of_other_questions() -> None:
    kept = {name.partition(" (")[0] for case in CASES.values() for name in read(case.group)}
    assert kept == set(CASES)


BEFORE: Numbers = {"": {"exit": 0}, "scores[bleu,A]": {"score": 30.5, "interval": [1.5, 2.5]}}


def test_numbers_are_told_by_names() -> None:
    scores = [
        {"metric": "bleu", "system": "B", "score": 20.25, "level": 0.95},
        {"metric": "bleu", "system": "A", "score": 30.5, "interval": [1.5, 2.5]},
    ]
    found = numbers({"exit": 0, "new": 3, "scores": scores})
    assert found["scores[bleu,B]"] == {"score": 20.25}
    assert differences(BEFORE, found) == []
    scores[1]["score"] = 30.5000001
    assert differences(BEFORE, numbers({"exit": 0, "scores": scores})) == [
        "scores[bleu,A].score: 30.5 is now 30.5000001"
    ]
    assert len(differences(BEFORE, {})) == 3


def test_long_lists_are_summed() -> None:
    found = numbers({"segments": [float(at) for at in range(-50, 51)]})
    assert found == {"": {"segments": {"count": 101, "sum": 0.0, "absolute": 2550.0}}}
    assert differences(found, numbers({"segments": [0.0] * 101}))

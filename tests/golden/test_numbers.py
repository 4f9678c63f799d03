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
from golden.numbers.paths import differences, numbers
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

"""Cells into numbers: every spelling alone, and none mixed with another."""

import math
import random

import pytest

from weigh.errors import InputError
from weigh.read.columns import Columns, NumberColumn, is_numeric

SPELLINGS = {
    "points": (["0.5", "12", "-3e2", "", "NA"], [0.5, 12, -300, math.nan, math.nan]),
    "commas": (["0,5", "12", "-3,25", "null"], [0.5, 12, -3.25, math.nan]),
    "percentages": (["65%", "7,5 %", "100%"], [0.65, 0.075, 1]),
    "truth": (["true", "FALSE", ""], [1, 0, math.nan]),
    "pass": (["Pass", "fail"], [1, 0]),
    "yes": (["yes", "no", "N/A"], [1, 0, math.nan]),
    "spreadsheet": (["WAHR", "FALSCH"], [1, 0]),
    "typed": ([1, 0.5, None], [1, 0.5, math.nan]),
    "typed truth": ([True, False, None], [1, 0, math.nan]),
}


def numbers(cells: list[object]) -> list[float]:
    column = NumberColumn("score")
    middle = len(cells) // 2
    column.add(cells[:middle], lambda at: f"row {at + 1}")
    column.add(cells[middle:], lambda at: f"row {at + middle + 1}")
    return column.finish().tolist()


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings_are_understood_and_said(name: str) -> None:
    cells, expected = SPELLINGS[name]
    assert numbers(cells) == pytest.approx(expected, nan_ok=True)
    assert is_numeric(cells)
    column = NumberColumn("score")
    column.add(cells, str)
    is_plain = name in ("points", "typed", "typed truth")
    assert (column.remark() is None) == is_plain


@pytest.mark.parametrize("first", SPELLINGS)
@pytest.mark.parametrize("second", SPELLINGS)
def test_no_two_spellings_in_one_column(first: str, second: str) -> None:
    alike = ({"points", "typed"}, {"truth", "typed truth"}, {"commas", "typed"})
    cells = SPELLINGS[first][0] + SPELLINGS[second][0]
    if first == second or {first, second} in alike:
        assert len(numbers(cells)) == len(cells)
    else:
        with pytest.raises(InputError, match=r"row \d"):
            numbers(cells)


@pytest.mark.parametrize("cell", ["1_000", "0x1", "1,234,567", "-", "one", "1.2.3", "٣", [], {}])
def test_what_is_no_number_is_refused_with_its_row(cell: object) -> None:
    with pytest.raises(InputError, match="row 2: 'score' is"):
        numbers(["1", cell])


def test_a_comma_that_could_separate_thousands() -> None:
    with pytest.raises(InputError, match=r"row 1: 'score' is '1,234'.*1234 or 1\.234"):
        numbers(["1,234", "2"])
    assert numbers(["1,234", "0,5"]) == [1.234, 0.5]  # another cell tells
    assert numbers(["0,234", "2"]) == [0.234, 2]  # no thousand begins with 0
    with pytest.raises(InputError, match="thousands separators"):
        numbers(["1,234", "0.5"])


def test_infinite_numbers_are_refused() -> None:
    for cell in ("1e999", math.inf, 10**400):
        with pytest.raises(InputError, match="row 1: 'score' is not a finite number"):
            numbers([cell, 1])


def test_columns_do_not_depend_on_chunks() -> None:
    draw = random.Random(3)
    cells = [draw.choice(["a", "b", "", "ü", None]) for _ in range(50)]
    scores = [draw.choice(["0", "1", "0.25", ""]) for _ in range(50)]
    tables = []
    for size in (1, 7, 50):
        columns = Columns({"x": "label", "y": "number"}, "t", str)
        for start in range(0, 50, size):
            part = {"x": cells[start : start + size], "y": scores[start : start + size]}
            columns.add(len(part["x"]), part.__getitem__)
        tables.append(columns.finish())
    for table in tables:
        assert table.labels("x").cells() == cells
        assert table.numbers("y").tolist() == pytest.approx(
            [float(score or "nan") for score in scores], nan_ok=True
        )
    assert tables[0].where(3) == "3"

"""What is shown of errors that people marked."""

from __future__ import annotations

from weigh.human.errors import SystemErrors
from weigh.report.grid import Grid
from weigh.report.human_errors import error_parts
from weigh.report.parts import Part


def systems(count: int) -> list[SystemErrors]:
    return [
        SystemErrors("", f"s{at}", 50, 40, {"minor": at + 1}, {"Style": at + 1, "Other": 5}, 1)
        for at in range(count)
    ]


def cells(part: Part) -> list[list[str]]:
    assert isinstance(part, Grid)
    columns = zip(part.columns, part.cells(), strict=True)
    texts = [column.texts(cells) for column, cells in columns]
    return [list(row) for row in zip(*texts, strict=True)]


def test_errors_in_a_hundred_texts() -> None:
    severities, categories = error_parts(systems(2), None)
    assert cells(severities) == [
        ["s0", "50", "80.0%", "2.0", "2.0", "2.0"],
        ["s1", "50", "80.0%", "4.0", "4.0", "2.0"],
    ]
    assert cells(categories) == [["Other", "10.0", "10.0"], ["Style", "2.0", "4.0"]]

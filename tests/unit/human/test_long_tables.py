"""Long tables of judgments, one row per answer: the same from files, frames and lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import weigh
from weigh.types import Judgment

ROWS = [
    {"annotator": judge, "model": system, "id": segment, "rating": rating}
    for judge, shift in (("w1", 0), ("w2", 5), ("w3", -4))
    for system, level in (("ash", 70), ("birch", 55))
    for segment in range(1, 9)
    for rating in [level + shift + 3 * (segment % 4) - (segment * level) % 7]
]
COLUMNS = {"judge": "annotator", "system": "model", "item": "id", "score": "rating"}


@pytest.fixture(scope="module")
def expected() -> weigh.Result:
    judgments = [
        Judgment(
            row["annotator"],
            row["annotator"],
            "",
            "system",
            row["model"],
            str(row["id"]),
            float(row["rating"]),
        )
        for row in ROWS
    ]
    return weigh.rank(judgments)


def write(folder: Path, ending: str) -> str:
    path = folder / f"judgments{ending}"
    if ending == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    elif ending == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    else:
        separator = "," if ending == ".csv" else "\t"
        lines = [separator.join(map(str, row.values())) for row in (dict.fromkeys(ROWS[0]), *ROWS)]
        lines[0] = separator.join(ROWS[0])
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("named", [False, True])
def test_files_say_what_judgments_do(tmp_path, expected, ending, named) -> None:
    found = weigh.rank(write(tmp_path, ending), **(COLUMNS if named else {}))
    assert found.scores == expected.scores
    assert found.comparisons == expected.comparisons


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_say_what_judgments_do(expected, library) -> None:
    module = pytest.importorskip(library)
    rows = ROWS[::-1]  # in another order
    frame = module.Table.from_pylist(rows) if library == "pyarrow" else module.DataFrame(rows)
    assert weigh.rank(frame).scores == expected.scores
    assert weigh.rank(frame, **COLUMNS).comparisons == expected.comparisons
    assert weigh.agreement(frame, **COLUMNS).agreement == weigh.agreement(frame).agreement


def test_what_was_guessed_and_what_is_absent_is_said(tmp_path) -> None:
    remarks = weigh.rank(write(tmp_path, ".csv")).remarks
    assert any("taken as judge=annotator, system=model" in remark for remark in remarks)
    assert any("no column 'kind'" in remark for remark in remarks)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"judge": "anotator"}, "did you mean 'annotator'?"),
        ({"judge": "annotator"}, "no column"),
        ({"judge": "annotator", "system": "model", "item": "id", "score": "model"}, "name two"),
    ],
)
def test_bad_columns_are_told_in_a_line(tmp_path, columns, said) -> None:
    with pytest.raises(weigh.WeighError) as error:
        weigh.rank(write(tmp_path, ".csv"), **columns)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_column_of_that_name_that_is_something_else_is_left_alone(tmp_path, expected) -> None:
    path = tmp_path / "judgments.jsonl"
    rows = [{**row, "judge": "everybody", "value": "n/a"} for row in ROWS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert weigh.rank(str(path), **COLUMNS).scores == expected.scores

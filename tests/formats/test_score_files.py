from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from formats import made
from formats.made import column, rows
from weigh.errors import InputError
from weigh.read.formats import find_format
from weigh.read.table import Table


def read(folder: Path, name: str, content: str) -> Table:
    path = folder / name
    path.write_text(content)
    found = find_format(str(path))
    assert found is not None
    assert not found.is_log
    return found.read(str(path))


def test_comet_scores_are_named_after_files(tmp_path: Path) -> None:
    segments = [{"src": "x", "mt": "y", "ref": "z", "COMET": score} for score in (0.5, 0.25)]
    content = json.dumps({"out/a.txt": segments, "out/b.txt": segments[::-1]}, indent=4)
    table = read(tmp_path, "comet.json", content)
    assert rows(table, "system", "item", "metric", "score") == [
        ("a.txt", "1", "COMET", 0.5),
        ("a.txt", "2", "COMET", 0.25),
        ("b.txt", "1", "COMET", 0.25),
        ("b.txt", "2", "COMET", 0.5),
    ]
    assert table.where(3) == f"{tmp_path}/comet.json: 'out/b.txt', segment 2"


def test_what_comet_score_prints(tmp_path: Path) -> None:
    lines = ["out/a.txt\tSegment 0\tscore: 0.5", "out/a.txt\tSegment 1\tscore: 0.25"]
    content = "\n".join([*lines, "out/a.txt\tscore: 0.375", ""])
    table = read(tmp_path, "a.out", content)
    assert rows(table, "system", "item", "metric", "score") == [
        ("a.txt", "1", "COMET", 0.5),
        ("a.txt", "2", "COMET", 0.25),
    ]
    assert table.where(1) == f"{tmp_path}/a.out: line 2"
    with pytest.raises(InputError, match=r"line 2 is not what comet-score prints"):
        read(tmp_path, "b.out", f"{lines[0]}\nSegment 1\n")


def test_metricx_predictions_are_errors(tmp_path: Path) -> None:
    records = [{"source": "s", "hypothesis": "h", "prediction": value} for value in (2.5, 0, None)]
    table = read(tmp_path, "metricx.jsonl", made.lines(records))
    assert [*table.columns] == ["item", "lower_is_better", "score", "metric"]
    assert rows(table, "item", "lower_is_better", "metric", "score")[:2] == [
        ("1", "true", "MetricX", 2.5),
        ("2", "true", "MetricX", 0),
    ]
    assert math.isnan(column(table, "score")[2])
    named = [
        {**record, "system_id": "A", "segment_id": 7 + at} for at, record in enumerate(records)
    ]
    table = read(tmp_path, "named.jsonl", made.lines(named))
    assert rows(table, "system", "item") == [("A", "7"), ("A", "8"), ("A", "9")]


def test_segment_scores_are_numbered_by_system(tmp_path: Path) -> None:
    content = "sys A\t0.5\nsys A\tNone\nB\t-1\nB\t2\n"
    table = read(tmp_path, "COMET-22-refA.seg.score", content)
    assert rows(table, "system", "item", "metric") == [
        ("sys A", "1", "COMET-22-refA"),
        ("sys A", "2", "COMET-22-refA"),
        ("B", "1", "COMET-22-refA"),
        ("B", "2", "COMET-22-refA"),
    ]
    assert [str(score) for score in column(table, "score")] == ["0.5", "nan", "-1.0", "2.0"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0.5\n-1e-3\n2", [0.5, -0.001, 2]),
        ("\ufeff1\r\n2\r\n", [1, 2]),
        ("true\nFALSE\n", [1, 0]),
        (" 1 \n+.5\n", [1, 0.5]),
    ],
)
def test_one_number_per_line(tmp_path: Path, content: str, expected: list[float]) -> None:
    table = read(tmp_path, "sys.comet", content)
    assert column(table, "score") == expected
    assert column(table, "item") == [str(at + 1) for at in range(len(expected))]
    assert column(table, "metric") == ["score"] * len(expected)
    assert "system" not in table.columns
    assert table.where(1) == f"{tmp_path}/sys.comet: line 2"


def test_missing_numbers(tmp_path: Path) -> None:
    scores = column(read(tmp_path, "sys.comet", "1\nNone\n\nnan\nN/A\n"), "score")
    assert [math.isnan(score) for score in scores] == [False, True, True, True, True]


def test_two_numbers_per_line_are_ratios(tmp_path: Path) -> None:
    table = read(tmp_path, "ratio", "1 2\n0\t3.5\n")
    assert rows(table, "item", "numerator", "denominator") == [("1", 1, 2), ("2", 0, 3.5)]
    assert "score" not in table.columns


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.sys.score", "A 1\n", "one score per system"),
        ("x.seg.score", "A 1\nB\n", "line 2 has 1 columns"),
        ("x.seg.score", "A 1\nB 1_0\n", "line 2: 'score' is '1_0', not a number"),
        ("x", "1\n" * 40_000 + "x\n", "line 40,001: 'score' is 'x', not a number"),
        ("x", "1\n" * 40_000 + "1 2\n", "line 40,001 has 2 numbers, but others have 1"),
        ("x", "1\ninf\n", "line 2: 'score' is not a finite number"),
        ("x", "1\n1e400\n", "line 2: 'score' is not a finite number"),
        ("x", "none\nna\n", "all scores are missing"),
        ("x", "1 2\n1 -2\n", "line 2: the denominator is negative"),
        ("x.json", '{"a": [{"COMET": 1}, {"BLEU": 2}]}', "'a', segment 2 has no key 'COMET'"),
        (
            "x.json",
            '{"a": [{"COMET": 1}, {"COMET": true}]}',
            "'a', segment 2: 'score' is true, but",
        ),
        ("x.json", '{"a": [{"COMET": 1}], "b": 3}', "'b' is a number"),
        ("x.json", '{"a": [{"COMET": 1}], "a": []}', "the key 'a' occurs twice"),
        ("x.jsonl", '{"hypothesis": "", "prediction": 1}\n{"id": 1}\n', "line 2 has no key"),
        (
            "x.jsonl",
            '{"hypothesis": "", "prediction": 1}\n{"id": 1, "prediction": 2}\n',
            "some lines have no item",
        ),
    ],
)
def test_broken_score_files_are_refused(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, name, content)
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


def test_long_digits_are_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("9" * 60_000 + "x\n")
    assert find_format(str(path)) is None

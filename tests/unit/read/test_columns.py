"""Tables of people's own: the same columns from every format, and faults told in one line."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from weigh.errors import InputError, MissingExtraError
from weigh.read import columns
from weigh.read.columns import Kind, Table, frame_table, is_frame, read_columns

ROWS = [
    {"model": "a", "id": 1, "ok": True, "text": 'He said "no", twice'},
    {"model": "b", "id": 1, "ok": False, "text": "Zwölf"},
    {"model": "a", "id": 2, "ok": None, "text": ""},
    {"model": "b", "id": 2, "ok": True, "text": "x, y"},
]
KINDS: dict[str, Kind] = {"model": "label", "id": "label", "ok": "number"}


def choose(head: Mapping[str, Any]) -> Mapping[str, Kind]:
    return {title: KINDS.get(title, "text") for title in head}


def as_csv(rows: list[dict[str, Any]]) -> str:
    def cell(value: object) -> str:
        text = (
            "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        )
        return '"' + text.replace('"', '""') + '"' if set(text) & set(',"') else text

    return "".join(
        ",".join(cell(value) for value in row) + "\n"
        for row in [list(rows[0]), *(list(row.values()) for row in rows)]
    )


def as_tsv(rows: list[dict[str, Any]]) -> str:
    names = "\t".join(rows[0])
    return "\n".join(
        [names, *("\t".join("" if v is None else str(v) for v in row.values()) for row in rows)]
    )


WRITTEN: dict[str, Callable[[list[dict[str, Any]]], str]] = {
    "t.csv": as_csv,
    "t.tsv": as_tsv,
    "t.jsonl": lambda rows: "\n".join(map(json.dumps, rows)) + "\n",
    "t.json": json.dumps,
    "no-ending-csv": as_csv,
    "no-ending-tsv": as_tsv,
    "no-ending-json": json.dumps,
    "no-ending-lines": lambda rows: "\n".join(map(json.dumps, rows)),
}


def check(table: Table) -> None:
    assert table.size == 4
    assert [table.labels["model"].values[at] for at in table.labels["model"].codes] == list("abab")
    assert [table.labels["id"].values[at] for at in table.labels["id"].codes] == list("1122")
    np.testing.assert_array_equal(table.numbers["ok"], [1, 0, math.nan, 1])
    assert [text or "" for text in table.texts["text"]] == [row["text"] for row in ROWS]


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("change", ["", "bom", "crlf", "gz"])
def test_every_format_has_the_same_columns(name: str, change: str, tmp_path: Path) -> None:
    content = WRITTEN[name](ROWS)
    if change == "crlf":
        content = content.replace("\n", "\r\n")
    data = content.encode("utf-8-sig" if change == "bom" else "utf-8")
    path = tmp_path / (f"{name}.gz" if change == "gz" else name)
    path.write_bytes(gzip.compress(data) if change == "gz" else data)
    check(read_columns(str(path), choose))


def test_lazy_frames_are_collected() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.LazyFrame({title: [row[title] for row in ROWS] for title in ROWS[0]})
    assert is_frame(frame)
    check(frame_table(frame, choose))


@pytest.mark.parametrize("without", [None, "pyarrow"])
def test_parquet(without: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("polars")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    if without is not None:
        for name in (without, f"{without}.parquet"):
            monkeypatch.setitem(__import__("sys").modules, name, None)
    check(read_columns(str(path), choose))


def test_parquet_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 but no more")
    with monkeypatch.context() as context:
        for name in ("pyarrow", "pyarrow.parquet", "polars"):
            context.setitem(__import__("sys").modules, name, None)
        with pytest.raises(MissingExtraError, match="Parquet needs pyarrow or polars; run pip"):
            read_columns(str(path), choose)
    pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match=r"t\.parquet: cannot be read as Parquet"):
        read_columns(str(path), choose)


def test_parquet_with_names_that_are_not_utf8(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    parquet.write_table(pyarrow.Table.from_pylist([{"columnname": 1}]), path)
    path.write_bytes(path.read_bytes().replace(b"columnname", b"column\xffame"))
    with pytest.raises(InputError, match=r"t\.parquet: cannot be read as Parquet"):
        read_columns(str(path), list)


def test_large_json_lines_are_read_alike_by_a_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.jsonl"
    plain = [{title: row[title] for title in KINDS} for row in ROWS]
    path.write_text("\n".join(map(json.dumps, plain)), encoding="utf-8")
    slowly = read_columns(str(path), lambda _: KINDS)
    monkeypatch.setattr(columns, "_LARGE", 0)
    quickly = read_columns(str(path), lambda _: KINDS)
    for title in ("model", "id"):
        assert slowly.labels[title].codes.tolist() == quickly.labels[title].codes.tolist()
        assert list(slowly.labels[title].values) == list(quickly.labels[title].values)
    np.testing.assert_array_equal(slowly.numbers["ok"], quickly.numbers["ok"])


@pytest.mark.parametrize("ids", [[1, 2], ["1", "2"], [1.0, 2.0], np.array([1, 2])])
def test_whole_numbers_are_the_same_label_however_they_are_written(ids: Any) -> None:
    pd = pytest.importorskip("pandas")
    table = frame_table(pd.DataFrame({"id": ids}), lambda _: {"id": "label"})
    assert list(table.labels["id"].values) == ["1", "2"]


def test_numbers_as_texts(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    cells = ["1", " 0.5 ", "1e-3", "-.5", "+2.", "", "NA", "nan", "None"]
    path.write_text("x\n" + "\n".join(f'"{cell}"' for cell in cells) + "\n", encoding="utf-8")
    table = read_columns(str(path), lambda _: {"x": "number"})
    nan = math.nan
    np.testing.assert_array_equal(table.numbers["x"], [1, 0.5, 0.001, -0.5, 2, nan, nan, nan, nan])
    path.write_text("x\ntrue\nFALSE\nNA\n", encoding="utf-8")
    table = read_columns(str(path), lambda _: {"x": "number"})
    np.testing.assert_array_equal(table.numbers["x"], [1, 0, nan])


@pytest.mark.parametrize("pair", columns.WORD_PAIRS)
def test_a_pair_of_words_counts_as_1_and_0(pair: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    good, bad = pair
    cells = [good, bad.upper(), f" {bad.title()} ", "", good]
    path.write_text("x\n" + "\n".join(f'"{cell}"' for cell in cells) + "\n", encoding="utf-8")
    table = read_columns(str(path), lambda _: {"x": "number"})
    np.testing.assert_array_equal(table.numbers["x"], [1, 0, 0, math.nan, 1])
    assert table.words == {"x": pair}


@pytest.mark.parametrize("library", ["pandas", "category", "string", "polars", "enum", "pyarrow"])
def test_words_in_frames(library: str) -> None:
    kinds = {"category": "pandas", "string": "pandas", "enum": "polars"}
    module = pytest.importorskip(kinds.get(library, library))
    content = {"ok": ["PASS", None, "fail"]}
    frame = module.table(content) if library == "pyarrow" else module.DataFrame(content)
    if library in ("category", "string"):
        frame = frame.astype(library)
    if library == "enum":
        frame = frame.with_columns(module.col("ok").cast(module.Enum(["PASS", "fail"])))
    table = frame_table(frame, choose)
    np.testing.assert_array_equal(table.numbers["ok"], [1, math.nan, 0])
    assert table.words == {"ok": ("pass", "fail")}


def test_what_pandas_calls_missing_is_empty_in_every_column() -> None:
    pd = pytest.importorskip("pandas")
    content = {"model": ["a", None], "id": [1, None], "ok": ["1", None], "text": ["x", None]}
    types = {"model": "string", "id": "Int64", "ok": "string", "text": "string"}
    table = frame_table(pd.DataFrame(content).astype(types), choose)
    assert [table.labels[title].codes.tolist() for title in ("model", "id")] == [[0, -1]] * 2
    assert list(table.labels["id"].values) == ["1"]
    np.testing.assert_array_equal(table.numbers["ok"], [1, math.nan])
    assert table.texts["text"] == ["x", None]


MIXED = [
    ("pass", "no"),
    ("pass", "passed"),
    ("yes", 0),
    (1, "yes"),
    ("true", "pass"),
    ("no", False),
    (0.5, True),
    (0, True),
    (False, 1),
    ("0.5", "true"),
]


@pytest.mark.parametrize("at_once", [1, 100])
@pytest.mark.parametrize("cells", MIXED)
def test_words_of_two_pairs_or_among_numbers_are_refused(
    cells: tuple[object, object], at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "_AT_ONCE", at_once)
    path = tmp_path / "t.jsonl"
    rows = [{"ok": cells[0]}, {"ok": None}, {"ok": cells[1]}]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with pytest.raises(InputError, match=r"t\.jsonl: row 3: 'ok'.*; write numbers") as caught:
        read_columns(str(path), lambda _: {"ok": "number"})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_words_that_a_library_reads(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"model": "a", "id": 1, "ok": "pass"}, {"model": "b", "id": 1, "ok": "Fail"}]
    path = tmp_path / f"t.{form}"
    if form == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        monkeypatch.setattr(columns, "_LARGE", 0)
        monkeypatch.setattr(columns, "line_blocks", None)  # what Python itself reads with
    else:
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    table = read_columns(str(path), lambda _: KINDS)
    assert table.numbers["ok"].tolist() == [1, 0]
    assert table.words == {"ok": ("pass", "fail")}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "", "empty, but a table was expected"),
        ("t.csv", "\n\n", "empty, but a table was expected"),
        ("t.csv", " \n \n", "empty, but a table was expected"),
        ("t.jsonl", " \n", "empty, but a table was expected"),
        ("t.csv", "ok\n", "column names without rows"),
        ("t.csv", "ok,ok\n1,2\n", "2 columns are called 'ok'; rename one"),
        ("t.csv", "ok,id\n1\n", "row 2 has 1 cells, but the header has 2"),
        ("t.csv", "ok;id\n1;2\n", "separate cells by commas"),
        ("t.csv", "ok\tid\n1\t2\n", "by tabs in a .tsv file"),
        ("t.csv", 'ok,id\n1,"a\n', "is not CSV"),
        ("t.csv", "ok\n1\ngood\n", "row 3: 'ok' is 'good' and not a number"),
        ("t.csv", "ok\ninf\n", "row 2: 'ok' is 'inf' and not a number"),
        ("t.csv", "ok\n1e999\n", "row 2: 'ok' is not a finite number"),
        ("t.csv", "ok\n1_0\n", "row 2: 'ok' is '1_0' and not a number"),
        ("t.csv", "ok\n\N{SUPERSCRIPT TWO}\n", "and not a number"),
        ("t.tsv", "ok\tid\n1\n", "row 2 has 1 cells, but the header has 2"),
        ("t.jsonl", "", "empty"),
        ("t.jsonl", "[1]\n", "row 1 is not a JSON object"),
        ("t.jsonl", '{"ok": 1}\n{"ok": \n', "row 2"),
        ("t.jsonl", '{"ok": 1}\n{"ok": [1]}\n', "row 2: 'ok' is a list and not a number"),
        ("t.jsonl", '{"ok": 1}\n{"ok": {}}\n', "row 2: 'ok' is a dict and not a number"),
        ("t.jsonl", f'{{"ok": {10**400}}}\n', "row 1: 'ok' is not a finite number"),
        ("t.jsonl", '{"ok": 1, "id": []}\n', "row 1 has a list or an object where a name"),
        ("t.jsonl", '{"ok": 1}\n{"ok": 1, "ok": 2}\n', "row 2: the key 'ok' stands twice"),
        ("t.json", '[{"ok": 1, "id": "a", "id": "b"}]', "the key 'id' stands twice"),
        ("t.json", "[]", "an empty array"),
        ("t.json", "{}", "give an array of JSON objects"),
        ("t.json", "[1]", "give an array of JSON objects"),
        ("t.json", "[", "t.json"),
        ("t.jsonl", '{"ok": 1, "id": "\\ud800"}\n', "row 1"),
        ("t.jsonl", '{"ok": 1, "text": "a\\u0000b"}\n', "row 1: 'text' has a NUL"),
        ("t.jsonl", '{"ok": 1, "text": 5}\n', "row 1: 'text' is not a text; put it in quotes"),
    ],
)
def test_faults_are_one_clear_line(name: str, content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_columns(str(path), choose)
    said = str(caught.value)
    assert message in said
    assert name in said
    assert "\n" not in said


def test_bytes_that_are_no_utf8_and_nul(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for data in (b"ok,id\n1,\xff\n", b"ok,id\n1,a\0b\n"):
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"t\.csv"):
            read_columns(str(path), choose)


def test_frames_without_rows_and_other_objects() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(InputError, match="the data frame: no rows"):
        frame_table(pd.DataFrame({"ok": []}), choose)
    with pytest.raises(InputError, match="two columns have the same name"):
        frame_table(pd.DataFrame([[1, 2]], columns=["ok", "ok"]), choose)
    for other in ([1], {"a": 1}, "t.csv", np.ones(3), None):
        assert not is_frame(other)

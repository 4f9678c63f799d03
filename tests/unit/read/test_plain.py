"""One table in every form: what is read is the same, and faults name the row."""

import gzip
import json
from pathlib import Path

import pytest

from weigh.errors import InputError
from weigh.read import plain
from weigh.read.columns import Head, Kind
from weigh.read.plain import read_frame, read_plain
from weigh.read.table import Table

KINDS: dict[str, Kind] = {"id": "label", "model": "label", "score": "number", "text": "text"}
ROWS = [
    {"id": "1", "model": "A; B", "score": 0.25, "text": 'a "quoted", text'},
    {"id": "007", "model": "ü|x", "score": 1.0, "text": "two\nlines"},
    {"id": "1", "model": "C", "score": None, "text": ""},
]


def choose(head: Head) -> dict[str, Kind]:
    assert {*KINDS} <= {*head}
    return KINDS


def content(table: Table) -> dict[str, list[object]]:
    return {
        title: [None if cell != cell else cell for cell in table.numbers(title).tolist()]
        if kind == "number"
        else table.labels(title).cells()
        for title, kind in KINDS.items()
    }


def expected() -> dict[str, list[object]]:
    return {title: [row[title] for row in ROWS] for title in KINDS}


def delimited(mark: str) -> str:
    def cell(value: object) -> str:
        text = "" if value is None else str(value)
        return '"' + text.replace('"', '""') + '"'

    lines = [mark.join(KINDS), *(mark.join(map(cell, row.values())) for row in ROWS)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_csv(tmp_path: Path, mark: str, ending: str) -> None:
    text = delimited(mark).replace("two\nlines", "two lines").replace("\n", ending)
    (tmp_path / "t.csv").write_text(f"\ufeff{text}", encoding="utf-8", newline="")
    table = read_plain(str(tmp_path / "t.csv"), choose)
    found = content(table)
    assert found == expected() | {"text": [ROWS[0]["text"], "two lines", ""]}
    assert bool(table.remarks) == (mark != ",")
    assert table.where(0).endswith("t.csv: row 2")


def test_json(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(ROWS))
    (tmp_path / "t.jsonl.gz").write_bytes(
        gzip.compress("".join(f"{json.dumps(row)}\n" for row in ROWS).encode())
    )
    (tmp_path / "none").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    for name in ("t.json", "t.jsonl.gz", "none"):
        assert content(read_plain(str(tmp_path / name), choose)) == expected()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_and_parquet(tmp_path: Path, library: str) -> None:
    module = pytest.importorskip(library)
    columns = expected()
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    assert content(read_frame(frame, choose)) == expected()
    pytest.importorskip("pyarrow")
    path = str(tmp_path / "t.parquet")
    if library == "pyarrow":
        import pyarrow.parquet

        pyarrow.parquet.write_table(frame, path)
    elif library == "polars":
        frame.write_parquet(path)
    else:
        frame.to_parquet(path)
    assert content(read_plain(path, choose)) == expected()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_large_files_are_read_alike(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    path = str(tmp_path / f"t.{form}")
    Path(path).write_text(
        delimited(";") if form == "csv" else "".join(f"{json.dumps(row)}\n" for row in ROWS)
    )
    slow = read_plain(path, choose)
    monkeypatch.setattr(plain, "_LARGE", 0)
    called = []
    reader = f"_read_{form.removesuffix('l')}_quickly"
    read = getattr(plain, reader)

    def counted(*given: object, **more: object) -> Table | None:
        called.append(table := read(*given, **more))
        return table

    monkeypatch.setattr(plain, reader, counted)
    quick = read_plain(path, choose)
    assert called[0] is not None
    assert content(quick) == content(slow) == expected()
    assert quick.remarks == slow.remarks
    assert [quick.where(row) for row in range(3)] == [slow.where(row) for row in range(3)]


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "id,model,score\n1,A\n", "row 2 has 2 cells, but the header has 3"),
        ("t.csv", "id,id\n1,2\n", "2 columns are called 'id'"),
        ("t.csv", 'id,model\n1,"A\n', "line 2 is not CSV"),
        ("t.csv", "", "empty"),
        ("t.csv", "id,model,score,text\n", "a header without rows"),
        ("t.csv", "id,model,score,text\n1,A,one,x\n", "row 2: 'score' is 'one'"),
        ("t.csv", "id,model,score,text\n1,A,1,x\n2,A,true,x\n", "row 3: 'score' is 'true'"),
        ("t.csv", "id,model,score,text\n1,A,inf,x\n", "row 2: 'score' is not a finite number"),
        ("t.csv", "id,model,score,text\n1,A,1\0,x\n", "NUL"),
        ("t.jsonl", '{"id": 1, "id": 2}\n', "occurs twice"),
        ("t.jsonl", '{"id": 1}\n[1]\n', "row 2 is not a JSON object"),
        ("t.jsonl", '{"id": 1\n', "row 1 is not JSON"),
        (
            "t.jsonl",
            '{"id": 1, "model": "A", "score": 1, "text": "x"}\n' * 1100 + "\n{}\n",
            "row 1,101 is not JSON",
        ),
        (
            "t.jsonl",
            '{"id": 1, "model": "A", "score": 1, "text": "x"}\n'
            '{"id": 2, "model": "A", "score": true, "text": "x"}\n',
            "row 2: 'score' is true, but rows above have numbers",
        ),
        ("t.json", '{"id": 1}', "give an array of JSON objects"),
        ("t.json", "[]", "an empty array"),
    ],
)
def test_faults(
    tmp_path: Path,
    name: str,
    text: str,
    message: str,
    large: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if large:
        monkeypatch.setattr(plain, "_LARGE", 0)
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read_plain(str(tmp_path / name), lambda _: KINDS)


def test_nested_keys(tmp_path: Path) -> None:
    rows = [{"meta": {"model": "A", "run.x": 1}, "a.b": "plain"}, {"meta": {"model": None}}]
    (tmp_path / "t.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    seen: list[Head] = []

    def nested(head: Head) -> dict[str, Kind]:
        seen.append(head)
        return dict.fromkeys(head, "label")

    table = read_plain(str(tmp_path / "t.jsonl"), nested)
    assert {*seen[0]} == {"meta.model", "meta.run.x", "a.b"}
    assert table.labels("meta.model").cells() == ["A", None]
    assert table.labels("meta.run.x").cells() == ["1", None]
    assert table.labels("a.b").cells() == ["plain", None]


def test_wide_files_are_read_in_small_parts(tmp_path: Path) -> None:
    width = 3000
    lines = [",".join(f"c{at}" for at in range(width))]
    lines += [",".join(["1"] * width)] * 40
    (tmp_path / "t.csv").write_text("\n".join(lines))
    table = read_plain(str(tmp_path / "t.csv"), lambda _: {"c7": "number"})
    assert table.numbers("c7").tolist() == [1.0] * 40


def test_dates_stay_as_they_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "_LARGE", 0)
    for name, text in (
        ("t.jsonl", '{"id": "2026-01-02T03:04:05"}\n{"id": "007"}\n'),
        ("u.jsonl", '{"id": "2026-01-02T03:04:05"}\n'),
        ("t.csv", "id\n2026-01-02T03:04:05\n"),
    ):
        (tmp_path / name).write_text(text)
        table = read_plain(str(tmp_path / name), lambda _: {"id": "label"})
        assert table.labels("id").names[0] == "2026-01-02T03:04:05"

"""Long tables of judgments, one row per answer: the same from files, frames and lists."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import weigh
from weigh.errors import InputError, UsageError
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
    # As texts: NaN does not equal itself.
    named, guessed = weigh.agreement(frame, **COLUMNS), weigh.agreement(frame)
    assert repr(named.agreement) == repr(guessed.agreement)


def test_a_column_of_that_name_that_is_something_else_is_left_alone(tmp_path, expected) -> None:
    path = tmp_path / "judgments.jsonl"
    rows = [{**row, "judge": "everybody", "value": "n/a"} for row in ROWS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert weigh.rank(str(path), **COLUMNS).scores == expected.scores


MEANS = [
    {"system": system, "segment": segment, "score": level + segment % 5 + segment * level % 3}
    for system, level in (("ash", -0.5), ("birch", 0.25), ("elm", 70.0))
    for segment in range(1, 9)
]


def means_file(folder: Path, ending: str, rows: list[dict[str, object]]) -> str:
    path = folder / f"means{ending}"
    if ending == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        separator = "," if ending == ".csv" else "\t"
        lines = [separator.join(map(str, row.values())) for row in rows]
        text = "\n".join([separator.join(rows[0]), *lines])
        path.write_text(f"{text}\n", encoding="utf-8")
    return str(path)


class TestMeans:
    """Tables that are already averaged are read as they are."""

    @pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl"])
    def test_files(self, tmp_path: Path, ending: str) -> None:
        found = weigh.rank(means_file(tmp_path, ending, MEANS))
        [ranking] = found.rankings
        assert (ranking.by, [row.system for row in ranking.scores]) == (
            *("raw", ["elm", "birch", "ash"]),
        )
        for row in ranking.scores:
            values = [each["score"] for each in MEANS if each["system"] == row.system]
            assert row.score == pytest.approx(sum(values) / 8)
            assert (row.segments, row.judgments) == (8, 8)
        assert [pair.test for pair in ranking.comparisons] == ["signed-rank"] * 3
        assert found.judges == ()
        assert "No interval for new judges: the scores are means" in str(found)
        assert [step.judges for step in found.steps] == [0, 0]
        assert any("no judge column" in remark for remark in found.remarks)

    def test_frames(self) -> None:
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(MEANS).rename(columns={"segment": "seg", "score": "z_mean"})
        [ranking] = weigh.rank(frame).rankings
        assert ranking.by == "z"
        assert all(math.isnan(row.raw) for row in ranking.scores)

    def test_of_raw_and_standard_scores_the_latter_unless_told(self, tmp_path: Path) -> None:
        rows = [
            {"system": row["system"], "seg": row["segment"], "raw_mean": row["score"], "z_mean": z}
            for z, row in enumerate(MEANS)
        ]
        path = means_file(tmp_path, ".tsv", rows)
        standard, raw = weigh.rank(path), weigh.rank(path, score="raw_mean")
        assert [row.score for row in standard.scores] == [19.5, 11.5, 3.5]
        assert standard.rankings[0].by == "z"
        assert (raw.rankings[0].by, raw.scores[0].system) == ("raw", "elm")
        assert any("value=z_mean (and not raw_mean)" in each for each in standard.remarks)
        with pytest.raises(UsageError, match="--by raw, but the files have means of z scores"):
            weigh.rank(path, by="raw")

    def test_a_segment_twice_is_no_mean(self, tmp_path: Path) -> None:
        path = means_file(tmp_path, ".csv", [*MEANS, MEANS[0]])
        with pytest.raises(InputError, match="row 26: segment '1' of 'ash' repeats row 2; "):
            weigh.rank(path)

    @pytest.mark.parametrize("number", ["1e308", "-1e13", "nan", "inf"])
    def test_numbers_without_bounds_are_refused(self, number: str, tmp_path: Path) -> None:
        path = means_file(tmp_path, ".csv", [{**MEANS[0], "score": number}, *MEANS[1:]])
        with pytest.raises(InputError, match=r"row 2: the score is .*expected a number between"):
            weigh.rank(path)

    def test_a_column_of_judges_is_never_left_unread(self, tmp_path: Path) -> None:
        rows = [{"annotator": "u", "rater": "v", **row} for row in MEANS]
        with pytest.raises(InputError, match="no column judge, which long tables"):
            weigh.rank(means_file(tmp_path, ".csv", rows))

    def test_they_do_not_mix_with_judgments(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="hold scores of different kinds: means"):
            weigh.rank([means_file(tmp_path, ".csv", MEANS), write(tmp_path, ".tsv")])

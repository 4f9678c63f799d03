"""Long and wide tables: joined by item, whatever their order, and faults told in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student_t
from statsmodels.stats.proportion import proportion_confint

import weigh
from weigh.comparing.compare import compare
from weigh.comparing.dataset import Dataset
from weigh.comparing.inputs import DataOptions, dataset_of
from weigh.comparing.joining import Filter
from weigh.errors import InputError, UsageError, WeighError
from weigh.read.roles import Roles
from weigh.types import grouped

SCORES = {"A": [1.0, 0.0, 0.5, 1.0], "B": [0.0, 0.25, 0.5, 1.0]}
LONG = [
    {"system": name, "item": f"q{at}", "score": score}
    for name, scores in SCORES.items()
    for at, score in enumerate(scores)
]


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return str(path)


def measured(*paths: str, columns: str = "", **options: Any) -> Dataset:
    roles = Roles.parse(columns) if columns else Roles()
    return dataset_of(list(paths), DataOptions(columns=roles, **options))


def scores_of(made: Dataset, metric: int = 0) -> dict[str, list[list[float]]]:
    """Return by system the runs' scores of items, which are sorted by slice, document and id."""
    assert made.ids is not None
    labels = [column or made.ids for column in (made.slices, made.documents)]
    order = sorted(
        range(len(made.ids)), key=lambda at: (labels[0][at], labels[1][at], made.ids[at], at)
    )
    sample = made.samples[metric]
    return {
        name: [(run[order, 0] / run[order, 1]).tolist() for run in runs]
        for name, runs in zip(sample.names, sample.rows, strict=True)
    }


WANTED = {name: [scores] for name, scores in SCORES.items()}


@settings(deadline=None, max_examples=25)
@given(rows=st.permutations(LONG))
def test_the_order_of_rows_does_not_matter(rows: list[dict[str, Any]], tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("rows") / "t.jsonl"
    assert scores_of(measured(write(path, rows))) == WANTED


@settings(deadline=None, max_examples=40)
@given(
    values=st.integers(1, 3).flatmap(
        lambda runs: st.integers(2, 4).flatmap(
            lambda systems: st.lists(
                st.lists(
                    st.lists(st.integers(-9, 9), min_size=runs, max_size=runs),
                    min_size=systems,
                    max_size=systems,
                ),
                min_size=1,
                max_size=6,
            )
        )
    )
)
def test_a_wide_table_is_a_long_one(values: list[list[list[int]]], tmp_path_factory) -> None:
    """The values stand by item, system and run."""
    folder = tmp_path_factory.mktemp("wide")
    names = [f"s{at}" for at in range(len(values[0]))]
    long = [
        {"system": name, "item": item, "run": run, "score": score}
        for item, systems in enumerate(values)
        for name, runs in zip(names, systems, strict=True)
        for run, score in enumerate(runs)
    ]
    wide = [
        {"item": item, "run": run, **{n: s[run] for n, s in zip(names, systems, strict=True)}}
        for item, systems in enumerate(values)
        for run in range(len(systems[0]))
    ]
    # Scores of 1, 2, 3 would look like row numbers if their column were not named.
    first = measured(write(folder / "long.jsonl", long), columns="score=score")
    columns = ",".join(f"system={name}" for name in names)
    second = measured(write(folder / "wide.jsonl", wide), columns=columns)
    assert scores_of(first) == scores_of(second)
    assert first.runs == second.runs
    assert first.ids == second.ids


def test_several_scores_are_several_metrics(tmp_path: Path) -> None:
    rows = [{**row, "seconds": 2 + at} for at, row in enumerate(LONG)]
    path = write(tmp_path / "t.jsonl", rows)
    made = measured(path, columns="score=score,score=seconds:lower")
    assert [(m.name, m.higher_is_better) for m in made.metrics] == [
        ("score", True),
        ("seconds", False),
    ]
    assert scores_of(made, 1) == {"A": [[2, 3, 4, 5]], "B": [[6, 7, 8, 9]]}


def test_a_column_of_metrics(tmp_path: Path) -> None:
    rows = [{**row, "metric": "x"} for row in LONG]
    rows += [{**row, "metric": "y", "score": -row["score"]} for row in LONG]
    made = measured(write(tmp_path / "t.jsonl", rows), columns="lower=y")
    assert [(m.name, m.higher_is_better) for m in made.metrics] == [("x", True), ("y", False)]
    assert scores_of(made) == WANTED
    assert scores_of(made, 1)["A"] == [[-score for score in SCORES["A"]]]


def test_items_are_known_within_slices_and_documents(tmp_path: Path) -> None:
    rows = [
        {"system": s, "item": i, "dataset": d, "doc": f"{d}{i}", "score": float(ord(d) + i)}
        for s in "AB"
        for d in "xy"
        for i in (1, 2)
    ]
    made = measured(write(tmp_path / "t.jsonl", rows))
    assert made.ids == ("1", "2", "1", "2")
    assert made.slices == ("x", "x", "y", "y")
    assert made.documents == ("x1", "x2", "y1", "y2")


def test_missing_scores(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", [*LONG[:2], *LONG[3:]])
    with pytest.raises(InputError, match=r"A has no score for item 'q2'; leave out such items"):
        measured(path)
    left = measured(path, allow_missing=True)
    assert scores_of(left) == {"A": [[1.0, 0.0, 1.0]], "B": [[0.0, 0.25, 1.0]]}
    assert "1 of 4 items is left out for all systems" in left.remarks[-1]
    counted = measured(path, missing=0)
    assert scores_of(counted)["A"] == [[1.0, 0.0, 0.0, 1.0]]
    assert "1 missing score counted as 0" in counted.remarks[-1]
    with pytest.raises(UsageError, match="choose one"):
        measured(path, allow_missing=True, missing=0)
    with pytest.raises(UsageError, match="give a finite number"):
        measured(path, missing=float("nan"))


def in_slices(**labels: str) -> list[dict[str, Any]]:
    return [
        {"system": name, "slice": label, "item": at, "score": at % 2}
        for name, slices in labels.items()
        for label in slices
        for at in range(12)
    ]


def test_a_system_that_lacks_a_whole_slice(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", in_slices(A="xyz", B="xyz", C="xz"))
    with pytest.raises(InputError) as caught:
        measured(path)
    assert str(caught.value).endswith(
        "C has no score in y (and 11 more scores missing); leave out what is missing with "
        "--without slice=y or --without system=C"
    )
    for role, label in (("slice", "y"), ("system", "C")):
        assert measured(path, choice=Filter(without={role: (label,)})).slices is not None
    # Leaving out slices or systems does not help if nothing would remain to compare.
    path = write(tmp_path / "two.jsonl", in_slices(A="xyz", B="xy"))
    with pytest.raises(InputError, match="B has no score for item '0' in z"):
        measured(path)


def test_a_single_slice_is_the_whole_test_set(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", in_slices(A="x", B="x"))
    assert measured(path).slices is None
    path = write(tmp_path / "gaps.jsonl", in_slices(A="xy", B="x"))
    assert measured(path, allow_missing=True).slices is None
    rows = [{**row, "slice": ""} if row["item"] == 3 else row for row in in_slices(A="x", B="x")]
    with pytest.raises(InputError, match="'slice' is empty"):
        measured(write(tmp_path / "empty.jsonl", rows))


def test_averages_are_no_items(tmp_path: Path) -> None:
    rows = [{"model": name, "accuracy": 0.5} for name in "AB"]
    with pytest.raises(UsageError, match="every system has a single row; give a row for each item"):
        measured(write(tmp_path / "t.jsonl", rows))


def test_systems_that_name_items_differently(tmp_path: Path) -> None:
    rows = [{**row, "item": f"{row['system']}{row['item']}"} for row in LONG]
    path = write(tmp_path / "t.jsonl", rows)
    for gaps in ({}, {"allow_missing": True}, {"missing": 0}):
        with pytest.raises(InputError, match="use the same item ids"):
            measured(path, **gaps)


@pytest.mark.parametrize(
    ("column", "values", "advice"),
    [
        ("score", (0, 1), "as failures with --missing 0"),
        ("score:lower", (0, 1), "as failures with --missing 1"),
        ("score:1..10", (2, 9), "as failures with --missing 1"),
        ("score:lower:1..10", (2, 9), "as failures with --missing 10"),
        ("score", (2, 9), "give them a score with --missing SCORE"),
    ],
)
def test_a_missing_score_comes_with_advice_that_fits_its_scale(
    column: str, values: tuple[float, float], advice: str, tmp_path: Path
) -> None:
    rows = [{"system": s, "item": i, "score": values[i % 2]} for s in "AB" for i in range(4)]
    with pytest.raises(InputError, match=advice):
        measured(write(tmp_path / "t.jsonl", rows[:-1]), columns=f"score={column}")


def test_signatures_say_how_scores_were_completed(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", [*LONG, {**LONG[0], "item": "alone"}])
    for gaps, note in (
        ({"missing": 0}, "missing:0"),
        ({"allow_missing": True}, "missing:left_out"),
    ):
        [metric] = measured(path, **gaps).metrics
        assert note in metric.signature(0).split("|")


def test_two_files_and_names(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{s}.jsonl", [r for r in LONG if r["system"] == s]) for s in "AB"]
    assert scores_of(measured(*paths)) == WANTED
    renamed = scores_of(measured(*(f"{n}={p}" for n, p in zip("XY", paths, strict=True))))
    assert renamed == {"X": WANTED["A"], "Y": WANTED["B"]}
    bare = [
        write(
            tmp_path / f"model{s}.jsonl",
            [{"item": r["item"], "score": r["score"]} for r in LONG if r["system"] == s],
        )
        for s in "AB"
    ]
    assert list(scores_of(measured(*bare)).values()) == list(WANTED.values())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*LONG, LONG[1]], r"row 9: repeats item 'q1' of A, first in row 2; name the column that"),
        ([{**row, "score": "good"} for row in LONG], "not a number"),
        ([*LONG, {**LONG[0], "item": None}], r"row 9: 'item' is empty, so the item is unknown"),
        ([*LONG, {**LONG[0], "system": ""}], r"row 9: 'system' is empty"),
        ([{**row, "system": f"s{at}"} for at, row in enumerate(LONG * 1251)], "is it an id?"),
    ],
)
def test_faults_are_one_clear_line(
    rows: list[dict[str, Any]], message: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "t.jsonl", rows)
    with pytest.raises(WeighError, match=message.replace("?", r"\?")) as caught:
        measured(path)
    assert "\n" not in str(caught.value)


def in_words(rows: list[dict[str, Any]], good: str, bad: str) -> list[dict[str, Any]]:
    return [{**row, "score": good if row["score"] == 1 else bad} for row in rows]


def test_words_for_scores_are_taken_and_told(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", in_words(LONG, "PASS", "fail"))
    assert scores_of(measured(path)) == {"A": [[1, 0, 0, 1]], "B": [[0, 0, 0, 1]]}
    for columns in ("", "system=system,item=item,score=score"):
        said = measured(path, columns=columns).reading
        assert sum("pass" in line and "fail" in line for line in said) == 1
    said = measured(write(tmp_path / "true.jsonl", in_words(LONG, "true", "false"))).reading
    assert sum("true counts as 1" in line for line in said) == 1
    booleans = [{**row, "score": row["score"] == 1} for row in LONG]
    said = measured(write(tmp_path / "typed.jsonl", booleans)).reading
    assert not any("true" in line for line in said)


def test_words_of_a_wide_table(tmp_path: Path) -> None:
    rows = [
        {"item": at, "A": "yes" if a == 1 else "no", "B": "no" if b == 1 else "yes"}
        for at, (a, b) in enumerate(zip(*SCORES.values(), strict=True))
    ]
    path = write(tmp_path / "t.jsonl", rows)
    assert scores_of(measured(path)) == {"A": [[1, 0, 0, 1]], "B": [[1, 1, 1, 0]]}
    numbers = write(tmp_path / "n.jsonl", [{**row, "B": 55} for row in rows])
    with pytest.raises(InputError, match=r"n\.jsonl: 'B' has numbers, but .*'A' has yes and no"):
        measured(numbers, columns="system=A,system=B")
    with pytest.raises(UsageError, match="on a different scale"):
        measured(numbers)


def test_files_with_other_words(tmp_path: Path) -> None:
    of = {name: [row for row in LONG if row["system"] == name] for name in SCORES}
    first = write(tmp_path / "one.jsonl", in_words(of["A"], "pass", "fail"))
    alike = write(tmp_path / "alike.jsonl", in_words(of["B"], "PASS", "FAIL"))
    assert scores_of(measured(first, alike))["B"] == [[0, 0, 0, 1]]
    for rows in (of["B"], in_words(of["B"], "yes", "no")):
        with pytest.raises(InputError, match=r"two\.jsonl: .*one\.jsonl: 'score' has pass and"):
            measured(first, write(tmp_path / "two.jsonl", rows))


def test_a_system_without_any_score_beside_words(tmp_path: Path) -> None:
    of = {name: [row for row in LONG if row["system"] == name] for name in SCORES}
    empty = write(tmp_path / "empty.jsonl", [{**row, "score": None} for row in of["A"]])
    words = write(tmp_path / "words.jsonl", in_words(of["B"], "pass", "fail"))
    for paths in ([empty, words], [words, empty]):
        assert scores_of(measured(*paths, missing=0))["A"] == [[0, 0, 0, 0]]
        assert any("fail as 0" in line for line in measured(*paths, missing=0).reading)


def test_two_rows_of_one_item_in_two_files(tmp_path: Path) -> None:
    first, second = (write(tmp_path / f"{name}.jsonl", LONG) for name in ("one", "two"))
    with pytest.raises(
        InputError,
        match=r"two\.jsonl: row 1: repeats item 'q0' of A, first in .*one\.jsonl: row 1;",
    ):
        measured(first, second)


def test_the_same_file_twice(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", LONG)
    with pytest.raises(UsageError, match=r"t\.jsonl: given twice"):
        measured(path, path)


def test_two_judges_of_an_item(tmp_path: Path) -> None:
    rows = [{**row, "judge": judge} for row in LONG for judge in "xy"]
    path = write(tmp_path / "t.jsonl", rows)
    for paths in ([path], [path, write(tmp_path / "more.jsonl", rows)]):
        with pytest.raises(InputError, match="run=judge"):
            measured(*paths)
    assert scores_of(measured(path, columns="run=judge"))["A"] == WANTED["A"] * 2


def test_files_with_other_columns(tmp_path: Path) -> None:
    first = write(tmp_path / "one.jsonl", LONG)
    second = write(tmp_path / "two.jsonl", [{**row, "run": 1} for row in LONG])
    with pytest.raises(
        InputError, match=r"two\.jsonl: its columns differ from those of .*one\.jsonl"
    ):
        measured(first, second)


def test_small_is_good_of_no_such_score(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no score is called 'seconds'"):
        measured(write(tmp_path / "t.jsonl", LONG), columns="lower=seconds")


def test_the_direction_of_a_column_is_that_of_its_metrics(tmp_path: Path) -> None:
    rows = [{**row, "metric": metric} for row in LONG for metric in "xy"]
    made = measured(write(tmp_path / "t.jsonl", rows), columns="score=score:lower:0..1")
    assert [(m.name, m.higher_is_better, m.scale) for m in made.metrics] == [
        ("x", False, 1),
        ("y", False, 1),
    ]


def test_scores_of_a_column_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", [{**row, "f1": 0.5} for row in LONG])
    [metric] = measured(path, metrics="segment:name=mine:lower").metrics
    assert (metric.name, metric.higher_is_better) == ("mine", False)
    for columns, names in (("", "segment:name=a,segment:name=b"), ("score=f1,score=score", "a")):
        with pytest.raises(UsageError):
            measured(path, columns=columns, metrics=f"segment:name={names}")


def test_a_wide_table_of_texts(tmp_path: Path) -> None:
    rows = [{"id": at, "A": "a b c", "B": "a x c", "ref": "a b c", "src": "x"} for at in (1, 2)]
    path = write(tmp_path / "t.jsonl", rows)
    for columns in ("system=A,system=B", "system=*,source=src"):
        made = measured(path, columns=columns, metrics="wer")
        assert (made.names, made.ids) == (("A", "B"), ("1", "2"))
        assert made.samples[0].scores().tolist() == [0, pytest.approx(100 / 3)]
    assert measured(
        path, columns="system=*,source=src", metrics="wer", choice=Filter(only={"system": ("B",)})
    ).names == ("B",)


def test_several_systems_have_no_single_name(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", LONG)
    with pytest.raises(UsageError, match=r"2 systems \('A', 'B', …\), but only one name, X"):
        measured(f"X={path}")


def test_pass_at_with_other_numbers_of_runs(tmp_path: Path) -> None:
    rows = [
        {"system": s, "item": i, "run": run, "score": int(run == i)}
        for s, runs in (("A", 2), ("B", 3))
        for i in range(3)
        for run in range(runs)
    ]
    made = measured(write(tmp_path / "t.jsonl", rows), pass_at=(1, 2))
    assert [metric.name for metric in made.metrics] == ["pass@1", "pass@2"]
    np.testing.assert_allclose(scores_of(made)["A"], [[0.5, 0.5, 0]])
    np.testing.assert_allclose(scores_of(made, 1)["B"], [[2 / 3, 2 / 3, 2 / 3]])


def test_labels_are_chosen(tmp_path: Path) -> None:
    rows = [{**row, "task": "xy"[at % 2]} for at, row in enumerate(LONG)]
    rows += [{**row, "system": "C"} for row in rows[:4]]
    path = write(tmp_path / "t.jsonl", rows)
    assert measured(path, choice=Filter(only={"system": ("C", "B")})).names == ("B", "C")
    assert measured(path, choice=Filter(without={"system": ("B",)})).names == ("A", "C")
    some = measured(path, choice=Filter(only={"slice": ("y",)}))
    assert (some.ids, some.slices) == (("q1", "q3"), None)
    for wrong in ({"system": ("D",)}, {"run": ("1",)}):
        with pytest.raises(UsageError):
            measured(path, choice=Filter(only=wrong))


def test_bounds_are_held(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", LONG)
    [metric] = measured(path, columns="score=score:0..1").metrics
    assert metric.scale == 1
    with pytest.raises(InputError, match=r"score of A: item 1 has 1, outside 0\.\.0\.9"):
        measured(path, columns="score=score:0..0.9")


def test_further_numbers_are_means_by_system(tmp_path: Path) -> None:
    rows = [{**row, "tokens": at, "cost": None} for at, row in enumerate(LONG)]
    rows = [{**row, "metric": metric} for row in rows for metric in "xy"]
    made = measured(write(tmp_path / "t.jsonl", rows))
    assert made.extras == {"tokens": {"A": 1.5, "B": 5.5}}


def test_runs_of_a_system_in_files_of_their_own(tmp_path: Path) -> None:
    bare = [
        write(
            tmp_path / f"{s}.jsonl",
            [{"item": r["item"], "score": r["score"]} for r in LONG if r["system"] == s],
        )
        for s in "AB"
    ]
    made = measured(f"X@1={bare[0]}", f"X@2={bare[1]}", f"Y@1={bare[1]}", f"Y@2={bare[0]}")
    assert made.runs == (("1", "2"), ("1", "2"))
    assert scores_of(made)["X"] == [SCORES["A"], SCORES["B"]]


def test_numbers_on_lines_need_no_names(tmp_path: Path) -> None:
    for name, scores in SCORES.items():
        (tmp_path / f"{name}.comet").write_text("".join(f"{score}\n" for score in scores))
    paths = [str(tmp_path / f"{name}.comet") for name in SCORES]
    made = measured(*paths)
    assert scores_of(made) == WANTED
    assert [metric.name for metric in made.metrics] == ["comet"]
    lower = measured(*paths, metrics="segment:name=errors:lower", documents=["x", "x", "y", "z"])
    assert [(m.name, m.higher_is_better) for m in lower.metrics] == [("errors", False)]
    assert lower.documents == ("x", "x", "y", "z")
    with pytest.raises(InputError, match="3 labels of documents"):
        measured(*paths, documents=["x", "x", "y"])


def test_numbers_on_lines_are_refused_where_a_line_is_lost(tmp_path: Path) -> None:
    for name, count in (("A", 6), ("B", 5)):
        (tmp_path / f"{name}.comet").write_text("0.5\n" * count)
    with pytest.raises(InputError, match=r"B\.comet: 5 scores, but .*A\.comet has 6"):
        measured(*(str(tmp_path / f"{name}.comet") for name in "AB"), missing=0.0)


def test_systems_that_differ_by_spaces_are_refused(tmp_path: Path) -> None:
    rows = [{"system": name, "item": "1", "score": 1} for name in ("A", "A ")]
    with pytest.raises(InputError, match="'A' and 'A ' differ only by spaces"):
        measured(write(tmp_path / "long.jsonl", rows))


def test_doubtful_scales_and_directions_are_asked_about() -> None:
    shares = {"A": [0.0, 1.0, 1.0, 0.0], "B": [0.0, 100.0, 100.0, 100.0]}
    assert "same scale" in weigh.dataset(shares).remarks[0]
    assert "wer:lower" in weigh.dataset({"A": [1, 2], "B": [3, 4]}, metric="wer").remarks[0]
    assert weigh.dataset({"A": [1, 2], "B": [3, 4]}, metric="wer:lower").remarks == ()
    for name in ("error_rate", "num-errors", "byte_perplexity"):
        [remark] = weigh.dataset({"A": [1, 2], "B": [3, 4]}, metric=name).remarks
        assert f"{name}:lower" in remark
    assert weigh.dataset({"A": [1, 2], "B": [3, 4]}, metric="terseness").remarks == ()
    assert weigh.dataset({"A": [1, 30], "B": [3, 400]}).remarks == ()


def test_six_ways_give_the_same_comparison(tmp_path: Path) -> None:
    """CSV with semicolons, JSON lines, Parquet, pandas, polars, and a folder of logs."""
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    draw = np.random.default_rng(1)
    rows = [
        {"model": name, "id": at, "task": task, "accuracy": int(draw.random() < chance)}
        for name, chance in (("A", 0.8), ("B", 0.5))
        for task in ("law", "math")
        for at in range(1, 31)
    ]
    write(tmp_path / "t.jsonl", rows)
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "t.csv", sep=";", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    for name in "AB":
        for task in ("law", "math"):
            _lm_eval_log(tmp_path / "logs", name, task, rows)
    columns = {"system": "model", "item": "id", "slice": "task", "score": "accuracy"}
    ways = [
        *((str(tmp_path / f"t.{form}"), columns) for form in ("csv", "jsonl", "parquet")),
        (frame, columns),
        (pl.DataFrame(rows), columns),
        (str(tmp_path / "logs"), {}),
    ]
    made = []
    for data, named in ways:
        made.append(compare(data, **named).to_json())
    assert len({*made}) == 1
    with pytest.warns(weigh.WeighWarning, match="semicolons separate columns") as caught:
        weigh.compare(str(tmp_path / "t.csv"), **columns)
    assert {each.filename for each in caught} == {__file__}


def _lm_eval_log(folder: Path, model: str, task: str, rows: list[dict[str, Any]]) -> None:
    (folder / model).mkdir(parents=True, exist_ok=True)
    samples = [
        {
            "doc_id": row["id"],
            "doc": {},
            "target": "",
            "arguments": [],
            "resps": [],
            "filtered_resps": [],
            "filter": "none",
            "metrics": ["accuracy"],
            "doc_hash": f"{task}{row['id']}",
            "accuracy": row["accuracy"],
        }
        for row in rows
        if (row["model"], row["task"]) == (model, task)
    ]
    write(folder / model / f"samples_{task}_2026-01-01T00-00-00.000000.jsonl", samples)


TASKS = [
    {"system": name, "item": "q1", "slice": task, "run": str(run), "metric": metric, "score": score}
    for name, scores in {"A": (1, 0, 1), "B": (0, 0, 1)}.items()
    for task, metric, run, score in zip(
        ("sums", "sums", "quiz"), ("match", "match", "choice"), (1, 2, 1), scores, strict=True
    )
]


def test_slices_with_metrics_of_their_own_are_compared_together(tmp_path: Path) -> None:
    rows = [row for row in TASKS if row["run"] == "1"]
    made = measured(write(tmp_path / "t.jsonl", rows), columns="run=")
    assert [metric.name for metric in made.metrics] == ["score"]
    assert scores_of(made) == {"A": [[1, 1]], "B": [[1, 0]]}
    assert "match in sums, choice in quiz" in made.remarks[-1]


def test_two_metrics_of_a_slice_are_not_mixed(tmp_path: Path) -> None:
    rows = [row for row in TASKS if row["run"] == "1"]
    rows += [{**row, "metric": "length", "score": 7} for row in rows if row["slice"] == "sums"]
    path = write(tmp_path / "t.jsonl", rows)
    with pytest.raises(InputError, match="--columns score=NAME,score=NAME"):
        measured(path, columns="run=")
    outside = [{**row, "score": 10 * row["score"]} for row in TASKS if row["run"] == "1"]
    with pytest.raises(InputError, match="no score is common"):
        measured(write(tmp_path / "o.jsonl", outside), columns="run=")


def test_slices_with_other_numbers_of_runs(tmp_path: Path) -> None:
    rows = [{**row, "metric": "match"} for row in TASKS]
    made = measured(write(tmp_path / "t.jsonl", rows))
    assert scores_of(made) == {"A": [[1, 0.5]], "B": [[1, 0]]}
    assert "2 in sums, 1 in quiz" in made.remarks[-1]
    with pytest.raises(InputError, match="run 2 of A has no score"):  # B ran once in both slices
        measured(write(tmp_path / "t.jsonl", [*rows[:-2], rows[-1]]))


def test_a_document_is_one_within_its_slice(tmp_path: Path) -> None:
    rows = [{**row, "slice": place, "document": "d"} for place in "xy" for row in LONG]
    rows += [{**row, "slice": "y", "document": "e"} for row in LONG]
    made = measured(write(tmp_path / "t.jsonl", rows))
    assert list(dict.fromkeys(made.documents or ())) == ["x: d", "y: d", "e"]
    assert compare(made, trials=99).units == 3


def test_pass_fail_scores_over_unequal_runs_have_wilson_intervals(tmp_path):
    """A slice has the interval of that slice alone; a single run that of independent items."""
    rng = np.random.default_rng(3)
    rows = [
        {"system": name, "item": f"q{at}", "slice": label, "run": run, "score": score(rng)}
        for name, score in (("all", lambda _: 1), ("some", lambda rng: int(rng.random() < 0.6)))
        for label, runs in (("math", 1), ("law", 3))
        for at in range(20)
        for run in range(runs)
    ]
    columns = "slice=slice,run=run"
    together = weigh.compare(measured(write(tmp_path / "t.jsonl", rows), columns=columns))
    assert all(metric.percent for metric in together.metrics)
    ends = {(row.slice, row.system): row.interval for row in together.scores}
    assert ends["math", "all"] == pytest.approx(proportion_confint(20, 20, method="wilson"))
    for label in ("math", "law"):
        alone = [row for row in rows if row["slice"] == label]
        made = measured(write(tmp_path / f"{label}.jsonl", alone), columns=columns)
        for row in weigh.compare(made).scores:
            assert ends[label, row.system] == pytest.approx(row.interval, abs=1e-12)
    # The whole: 40 items with equal weights, 20 of them of three runs. No run fails, so that the
    # effective number of items is 40, with a quantile of Student's t for 39 degrees of freedom.
    q2 = student_t.ppf(0.975, 39) ** 2
    assert ends[None, "all"] == pytest.approx((40 / (40 + q2), 1))
    # With failures it is p(1 − p) over the variance of a mean of 40 item scores.
    items = grouped(
        [row for row in rows if row["system"] == "some"], lambda row: (row["slice"], row["item"])
    )
    means = np.array([np.mean([row["score"] for row in runs]) for runs in items.values()])
    p = means.mean()
    n_eff = np.clip(p * (1 - p) / (means.var(ddof=1) / 40), 40, 40**2 / (20 + 20 / 3))
    centre, half = (p + q2 / (2 * n_eff)), np.sqrt(q2 * (p * (1 - p) + q2 / (4 * n_eff)) / n_eff)
    expected = (np.array([centre - half, centre + half])) / (1 + q2 / n_eff)
    assert ends[None, "some"] == pytest.approx(expected, abs=1e-9)


def test_scores_that_some_slices_lack_are_named(tmp_path):
    rows = [
        {"system": name, "item": f"q{at}", "slice": label, "metric": metric, "score": at % 2}
        for name in "AB"
        for label, metrics in (("math", ["match", "length"]), ("law", ["match"]))
        for metric in metrics
        for at in range(10)
    ]
    made = measured(write(tmp_path / "t.jsonl", rows), columns="slice=slice,metric=metric")
    assert [metric.name for metric in made.metrics] == ["match"]
    [remark] = [text for text in made.remarks if "length" in text]
    assert "--only slice=" in remark

"""Lists, arrays, series and frames give what files give."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weigh
from weigh import InputError, UsageError
from weigh.comparing.inputs import DataOptions, dataset_of
from weigh.result import document

REFERENCES = ["The cat sat on the mat.", "It rained all day long.", "Nobody came to the party."]
TEXTS = {
    "A": ["The cat sat on a mat.", "It rained all day long.", "Nobody came to a party."],
    "B": ["A cat was on the mat.", "It rains the day.", "No one came to the party."],
}
SCORES = {"A": [1.0, 0.0, 0.5, 1.0], "B": [0.0, 0.25, 0.5, 1.0]}
COLUMNS = {"system": "model", "item": "id", "score": "passed"}
TABLE = {
    "model": [name for name, scores in SCORES.items() for _ in scores],
    "id": [at for scores in SCORES.values() for at in range(len(scores))],
    "passed": [score for scores in SCORES.values() for score in scores],
}


def numbers(result: weigh.CompareResult) -> list[Any]:
    """Return all that is found of pairs, whatever the metric is called."""
    return [replace(pair, metric="") for pair in result.comparisons]


def frame(library: str, content: dict[str, Any]) -> Any:
    module = pytest.importorskip(library)
    return module.table(content) if library == "pyarrow" else module.DataFrame(content)


def test_lists_of_texts_are_systems_with_a_test_set() -> None:
    systems = [weigh.System(name, weigh.Outputs(texts)) for name, texts in TEXTS.items()]
    wanted = weigh.compare(systems, weigh.TestSet([REFERENCES]), [weigh.Bleu(), weigh.Chrf()])
    for metrics in (["bleu", "chrf"], "bleu,chrf", [weigh.Bleu(), "chrf"], None):
        found = weigh.compare(TEXTS, references=REFERENCES, metrics=metrics)
        assert document(found) == document(wanted)
    several = weigh.score(TEXTS, references=[REFERENCES, TEXTS["B"]], metrics="bleu")
    assert several.test_set.references == 2
    assert several[1].score == pytest.approx(100)


def test_small_scores_of_a_table_can_be_good() -> None:
    data = frame("pandas", TABLE)
    low = weigh.compare(data, lower_is_better=True, trials=100, baseline="B", gate=True)
    assert (
        low.gate
        == weigh.compare(
            SCORES, metric="passed", lower_is_better=True, trials=100, baseline="B", gate=True
        ).gate
    )
    assert all(score.lower_is_better for score in low.scores)
    assert all(score.lower_is_better for score in weigh.score(data, lower_is_better=True).scores)
    for column in (["true"] * 8, [True] * 8):
        told = frame("pandas", TABLE | {"lower_is_better": column})
        assert all(score.lower_is_better for score in weigh.score(told).scores)
        assert not any(score.lower_is_better for score in weigh.score(told, direction="").scores)
    told = frame("pandas", TABLE | {"lower_is_better": [False] * 8})
    assert not any(score.lower_is_better for score in weigh.score(told).scores)
    with pytest.raises(UsageError, match="says false"):
        weigh.score(told, lower_is_better=True)
    for column in ([True, False] * 4, ["perhaps"] * 8):
        with pytest.raises(InputError, match="give true or false"):
            weigh.score(frame("pandas", TABLE | {"lower_is_better": column}))


def test_pass_at_k_of_arrays_is_that_of_a_frame() -> None:
    attempts = {"A": np.array([[1, 0, 0], [0, 1, 0]]), "B": np.zeros((2, 3))}
    table = frame(
        "pandas",
        [
            {"system": name, "run": run, "item": item, "passed": value}
            for name, runs in attempts.items()
            for run, row in enumerate(runs)
            for item, value in enumerate(row)
        ],
    )
    found = weigh.score(attempts, pass_at=[1, 2])
    assert [each.score for each in found.scores] == pytest.approx([1 / 3, 0, 2 / 3, 0])
    assert [(each.metric, each.score) for each in found.scores] == [
        (each.metric, each.score) for each in weigh.score(table, pass_at=[1, 2]).scores
    ]
    by_metric = weigh.score({"x": attempts, "y": attempts}, pass_at=2)
    assert {each.metric for each in by_metric.scores} == {"x pass@2", "y pass@2"}
    with pytest.raises(UsageError, match="at least 3 runs"):
        weigh.score(attempts, pass_at=3)
    with pytest.raises(UsageError, match="higher is better"):
        weigh.score(attempts, pass_at=2, lower_is_better=True)


def test_the_name_of_a_metric_may_say_that_small_is_good() -> None:
    for found in (
        weigh.score(SCORES, metric="seconds:lower"),
        weigh.score({"seconds:lower": SCORES}),
    ):
        assert [(each.metric, each.lower_is_better) for each in found.scores] == [
            ("seconds", True)
        ] * 2
    with pytest.raises(UsageError, match="rename one"):
        weigh.score({"seconds:lower": SCORES, "seconds": SCORES})
    two = weigh.score({"seconds:lower": SCORES, "passed": SCORES})
    assert [each.lower_is_better for each in two.scores] == [True, True, False, False]


def test_series_of_all_kinds_are_paired_by_their_index() -> None:
    pandas = pytest.importorskip("pandas")
    labels = ["x", "y", "x"]
    wanted = weigh.score(
        TEXTS, references=[REFERENCES, TEXTS["B"]], slices=labels, documents=[*"aab"]
    )
    order = [2, 0, 1]
    series = {name: pandas.Series(texts) for name, texts in TEXTS.items()}
    found = weigh.score(
        series,
        references=[pandas.Series(each).iloc[order] for each in (REFERENCES, TEXTS["B"])],
        slices=pandas.Series(labels).iloc[order],
        documents=pandas.Series(list("aab")).iloc[order],
    )
    assert found.scores == wanted.scores
    systems = [weigh.System(name, weigh.Outputs(texts)) for name, texts in TEXTS.items()]
    with pytest.raises(InputError, match="has an index"):
        weigh.score(systems, references=pandas.Series(REFERENCES).iloc[order])
    same = weigh.score(systems, references=pandas.Series(REFERENCES), metrics="bleu")
    assert document(same) == document(weigh.score(systems, references=REFERENCES, metrics="bleu"))


def test_references_beside_a_test_set_are_refused() -> None:
    systems = [weigh.System(name, weigh.Outputs(texts)) for name, texts in TEXTS.items()]
    for more in ({"references": REFERENCES}, {"sources": REFERENCES}):
        with pytest.raises(UsageError, match="includes its references"):
            weigh.score(systems, weigh.TestSet([REFERENCES]), "bleu", **more)


def test_one_metric_of_texts() -> None:
    found = weigh.compare(TEXTS, references=REFERENCES, metric="ter", margin={"ter": 1}, trials=100)
    assert found.comparisons[0].margin == 1
    found = weigh.compare(TEXTS, references=REFERENCES, metric="ter", trials=100)
    assert {each.metric for each in found.comparisons} == {"ter"}
    with pytest.raises(UsageError, match="metric and metrics"):
        weigh.compare(TEXTS, references=REFERENCES, metric="ter", metrics="bleu")


@pytest.mark.parametrize(
    ("systems", "options"),
    [
        (TEXTS, {"references": REFERENCES, "lower_is_better": True}),
        (TEXTS, {"references": REFERENCES, "pass_at": 2}),
        (TEXTS, {"references": REFERENCES, "missing": 0.0}),
        (SCORES, {"references": np.array(REFERENCES)}),
        (SCORES, {"sources": REFERENCES}),
        (SCORES, {"missing": 0.0}),
    ],
)
def test_what_says_nothing_of_the_data_is_refused(systems: Any, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="does not apply to"):
        weigh.compare(systems, **options)


@pytest.mark.parametrize("role", ["item", "metric", "document", "system"])
def test_a_score_has_no_other_role(role: str) -> None:
    with pytest.raises(UsageError, match=f"as the score and as the {role}"):
        weigh.score(frame("pandas", TABLE), **COLUMNS | {role: "passed"})


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_give_what_arrays_give(library: str) -> None:
    wanted = numbers(weigh.compare(SCORES, trials=100))
    assert numbers(weigh.compare(frame(library, TABLE), trials=100, **COLUMNS)) == wanted
    assert numbers(weigh.compare(frame(library, TABLE), trials=100)) == wanted
    turned = {name: values[::-1] for name, values in TABLE.items()}
    backwards = {"B": SCORES["B"][::-1], "A": SCORES["A"][::-1]}
    found = weigh.compare(frame(library, turned), trials=100, **COLUMNS)
    assert numbers(found) == numbers(weigh.compare(backwards, trials=100))
    scores = weigh.score(frame(library, TABLE), **COLUMNS)
    assert [score.score for score in scores] == [0.625, 0.4375]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_texts_give_what_lists_give(library: str) -> None:
    rows = [(name, at, text) for name, texts in TEXTS.items() for at, text in enumerate(texts)]
    content = {
        "model": [name for name, _, _ in rows],
        "id": [at for _, at, _ in rows],
        "output": [text for _, _, text in rows],
        "ref": [REFERENCES[at] for _, at, _ in rows],
    }
    found = weigh.compare(frame(library, content), metrics="chrf", trials=100)
    wanted = weigh.compare(TEXTS, references=REFERENCES, metrics="chrf", trials=100)
    assert numbers(found) == numbers(wanted)


def test_files_give_what_frames_give(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(TABLE)
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    table.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    table.to_json(tmp_path / "t.json", orient="records")
    wanted = numbers(weigh.compare(table, trials=100))
    for name in ("t.csv", "t.tsv", "t.jsonl", "t.json"):
        assert numbers(weigh.compare(str(tmp_path / name), trials=100)) == wanted


def test_booleans_are_numbers() -> None:
    flags = {"A": [True, False, True, True], "B": [False, False, True, True]}
    ones = {name: [int(flag) for flag in own] for name, own in flags.items()}
    wanted = document(weigh.compare(ones, trials=100))
    assert document(weigh.compare(flags, trials=100)) == wanted
    arrays = {name: np.array(own) for name, own in flags.items()}
    assert document(weigh.compare(arrays, trials=100)) == wanted


def test_series_are_paired_by_their_index() -> None:
    pd = pytest.importorskip("pandas")
    first = pd.Series(SCORES["A"], index=list("wxyz"))
    second = pd.Series(SCORES["B"], index=list("wxyz"))
    wanted = numbers(weigh.compare(SCORES, trials=100))
    assert numbers(weigh.compare({"A": first, "B": second}, trials=100)) == wanted
    assert numbers(weigh.compare({"A": first, "B": second[::-1]}, trials=100)) == wanted
    with pytest.raises(InputError, match="B and A have different indexes: only A has 'w'"):
        weigh.compare({"A": first, "B": second[1:]})
    with pytest.raises(InputError, match="the label 'w' occurs twice in its index"):
        weigh.compare({"A": first, "B": second.rename(index={"x": "w"})})


def test_missing_scores_of_a_frame() -> None:
    table = frame("pandas", TABLE)[:-1]
    with pytest.raises(InputError, match="B has no score for item '3'"):
        weigh.compare(table)
    assert weigh.compare(table, allow_missing=True).test_set.segments == 3
    assert weigh.compare(table, missing=0)["A", "B"].score_b == pytest.approx(0.1875)


@pytest.mark.parametrize(
    ("systems", "options", "message"),
    [
        ({}, {}, "no scores and no texts"),
        ({"A": "text"}, {}, "A: one text; give a list of texts"),
        ([1, 2], {}, "systems are given as list; give a mapping"),
        (5, {}, "systems are given as int; give a mapping"),
        (TEXTS, {}, "lists of texts need references"),
        (TEXTS, {"references": "text"}, "references: one text; give a list"),
        (TEXTS, {"references": [*REFERENCES[:2], None]}, "segment 3 is None, not a string"),
        (TEXTS | {"C": ["x", None, "y"]}, {"references": REFERENCES}, "segment 2 is None"),
        (TEXTS, {"references": REFERENCES[:2]}, "segments"),
        (SCORES, {"metrics": "bleu"}, "arrays of scores take no test set"),
        (SCORES, {"system": "model"}, "system names a column, but the data"),
        (SCORES | {"C": [1, 2]}, {}, "C: 2 scores, but A has 4"),
        (SCORES | {"C": [1, 2, 3, "x"]}, {}, "C: not numbers"),
        (SCORES | {"C": [1, 2, 3, float("nan")]}, {}, "score of C: item 4 has no score; leave"),
        (SCORES | {"C": [1, 2, 3, float("inf")]}, {}, "segment 4 has a number that is not finite"),
        (SCORES, {"documents": ["d"]}, "documents: 1 labels, but there are 4 items"),
    ],
)
def test_faults_are_one_clear_line(systems: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, UsageError)) as caught:
        weigh.compare(systems, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_faults_of_columns_are_told() -> None:
    table = frame("pandas", TABLE)
    with pytest.raises(UsageError, match="no column 'pased' for the score; did you mean 'passed'"):
        weigh.compare(table, score="pased")
    with pytest.raises(UsageError, match="a data frame has its documents in a column"):
        weigh.compare(table, documents=["x"] * 4)
    for first, second in (("a.csv", "b.csv"), (["a text"], ["another"]), (table, table)):
        with pytest.raises(UsageError, match=r"test_set is of type \w+; give several tables"):
            weigh.compare(first, second)
    many = frame(
        "pandas",
        {"model": [f"m{at}" for at in range(10_000)], "id": [1] * 10_000, "passed": [1] * 10_000},
    )
    with pytest.raises(UsageError, match="10,000 systems in the column 'model', such as 'm0'; is"):
        weigh.compare(many)


def test_a_series_with_labels_is_not_paired_with_what_has_none() -> None:
    pandas = pytest.importorskip("pandas")
    labelled = pandas.Series([1.0, 2.0, 3.0], index=["c", "a", "b"])
    with pytest.raises(weigh.InputError, match="A has an index, but B has none"):
        weigh.compare({"A": labelled, "B": [1.0, 2.0, 2.0]})
    numbered = pandas.Series([1.0, 2.0, 3.0])
    assert weigh.compare({"A": numbered, "B": [1.0, 2.0, 2.0]})["A", "B"].difference > 0


def test_references_with_labels_are_called_references() -> None:
    pandas = pytest.importorskip("pandas")
    references = pandas.Series(["a b", "c d"], index=["x", "y"])
    with pytest.raises(weigh.InputError, match=r"^references has an index, but A has none"):
        weigh.score({"A": ["a b", "c d"]}, references=references, metrics="chrf")
    others = pandas.Series(["a b", "c d"], index=["x", "z"])
    with pytest.raises(weigh.InputError, match=r"^references and A .*: only references has 'y'"):
        weigh.score({"A": others}, references=references, metrics="chrf")


def test_no_systems_are_refused_with_references_and_without() -> None:
    for test_set in (weigh.TestSet([["a"]]), weigh.TestSet([], sources=["a"])):
        with pytest.raises(weigh.InputError, match="no systems"):
            weigh.score([], test_set)


def test_a_table_with_the_texts_of_a_reference_is_refused_on_the_command_line(
    tmp_path: Path,
) -> None:
    rows = [
        {"system": name, "id": at, "output": text if name == "copy" else "a", "reference": text}
        for name in ("copy", "other")
        for at, text in enumerate(["a b", "c d"])
    ]
    path = tmp_path / "texts.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    options = DataOptions(metrics="bleu", kept_references=())
    with pytest.raises(UsageError, match="copy has the same texts as a reference"):
        dataset_of(str(path), options)
    for kept in (["copy"], ["copy.en"], None):
        assert len(dataset_of(str(path), replace(options, kept_references=kept)).names) == 2


def test_labels_of_arrays_are_chosen() -> None:
    labels = {"slices": list("xxyy"), "documents": list("abcd")}
    chosen = weigh.dataset(SCORES, **labels, only={"slice": "y"})
    assert (chosen.test_set.segments, chosen.numbers, chosen.documents) == (2, (3, 4), ("c", "d"))
    expected = {name: scores[2:] for name, scores in SCORES.items()}
    assert numbers(weigh.compare(chosen, trials=100)) == numbers(
        weigh.compare(expected, slices=list("yy"), documents=list("cd"), trials=100)
    )
    for wrong, message in (
        ({"slice": "z"}, "no slice is called 'z'"),
        ({"run": "1"}, "no runs"),
        ({"sytem": "A"}, "did you mean 'system'"),
        ({"system": 3}, "give labels by role"),
    ):
        with pytest.raises(UsageError, match=message):
            weigh.dataset(SCORES, **labels, only=wrong)
    with pytest.raises(UsageError, match="the filter leaves no items"):
        weigh.dataset(SCORES, **labels, without={"slice": ["x", "y"]})


@pytest.mark.parametrize(
    ("systems", "options", "message"),
    [
        (SCORES, {"documents": ["a", None, "b", "c"]}, "documents: item 2 has no label"),
        (SCORES, {"slices": ["a", "b", "c", float("nan")]}, "slices: item 4 has no label"),
        (
            SCORES | {"C": np.ma.masked_array([1, 2, 3, 4], [0, 0, 1, 0])},
            {},
            "C: item 3 has no score",
        ),
        (SCORES | {"C": [10**400, 1, 1, 1]}, {}, "C: not numbers"),
        ({"x:0..1": SCORES, "x:0..2": SCORES}, {}, "two metrics are called x"),
        ({"x": SCORES | {3: [1, 2, 3, 4]}}, {}, "a system is named 3"),
        (TEXTS, {"references": 3}, "references: of type int; give a list of one text"),
        (TEXTS, {"references": [REFERENCES, 3]}, "reference 2: of type int"),
        (TEXTS, {"references": REFERENCES, "sources": [1, 2, 3]}, "sources: segment 1 is 1"),
        (TEXTS, {"references": REFERENCES, "metrics": 3}, "metrics 3; give names"),
        (TEXTS, {"test_set": REFERENCES}, "test_set is of type list"),
        (TEXTS, {"references": REFERENCES, "pass_at": True}, "pass_at True"),
    ],
)
def test_values_of_other_kinds_are_one_clear_line(
    systems: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((InputError, UsageError)) as caught:
        weigh.compare(systems, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)

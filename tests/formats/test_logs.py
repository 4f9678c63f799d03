from __future__ import annotations

import gzip
import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from formats import made
from formats.made import column, rows
from weigh.errors import InputError
from weigh.read.formats import find_format, stack_logs
from weigh.read.log_stack import required_metrics
from weigh.read.table import Table

REAL = Path(__file__).parent / "real"


def read(path: Path | str) -> Table:
    found = find_format(str(path))
    assert found is not None
    return found.read(str(path))


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def means(table: Table) -> dict[str, float]:
    metrics, scores = np.array(column(table, "metric")), table.numbers("score")
    return {metric: float(np.mean(scores[metrics == metric])) for metric in dict.fromkeys(metrics)}


# Logs that the tools wrote themselves: their own means are the oracle.


def test_scores_of_an_inspect_log_have_the_means_that_inspect_reports() -> None:
    table = read(REAL / "capitals.eval")
    with made.zipfile.ZipFile(REAL / "capitals.eval") as archive:
        results = json.loads(archive.read("header.json"))["results"]["scores"]
    expected = {
        each["name"]
        if each["name"] == each["scorer"]
        else f"{each['scorer']}/{each['name']}": next(iter(each["metrics"].values()))["value"]
        for each in results
    }
    assert means(table) == pytest.approx(expected)
    assert len(table) == 3 * 2 * 3
    assert table.labels("run").names == ["1", "2"]
    assert table.labels("metadata.nested.kind").names == ["easy"]
    assert table.labels("metadata.level").names == ["0", "1", "2"]


def test_scores_of_a_helm_run_have_the_means_that_helm_reports() -> None:
    table = read(REAL / "helm" / "per_instance_stats.json.gz")
    reported = json.loads(gzip.decompress((REAL / "helm" / "stats.json.gz").read_bytes()))
    original = {
        each["name"]["name"]: each.get("mean", math.nan)
        for each in reported
        if "perturbation" not in each["name"] and each["name"].get("split") == "test"
    }
    found = means(table)
    expected = {metric: original[metric] for metric in found}
    assert found == pytest.approx(expected, nan_ok=True)
    assert {*column(table, "system")} == {"mine/good"}
    assert {*column(table, "slice")} == {"simple_mcqa:data_augmentation=lower,num_train_trials=2"}
    assert table.labels("run").names == ["1", "2"]
    assert len(table) == 4 * 2 * len(found)
    assert {"exact_match", "exact_match@5"} <= {*required_metrics(table).labels("metric").cells()}


@pytest.mark.parametrize("task", ["arith", "mc"])
def test_scores_of_lm_eval_samples_have_the_means_that_it_reports(task: str) -> None:
    [path] = (REAL / "lm-eval" / "dummy").glob(f"samples_{task}_*")
    [results] = (REAL / "lm-eval" / "dummy").glob("results_*")
    reported = json.loads(results.read_text())["results"][task]
    table = read(path)
    assert {*column(table, "system")} == {"dummy"}
    assert {*column(table, "slice")} == {task}
    found = means(table)
    for metric, mean in found.items():
        name, _, filtered = metric.partition("/")
        assert reported[f"{name},{filtered or 'none'}"] == pytest.approx(mean)
    assert {*column(table, "lower_is_better")} == {"false"}
    assert any("are not numbers" in remark for remark in table.remarks)


# inspect_ai.


def test_grades_count_as_inspect_counts_them(tmp_path: Path) -> None:
    grades = ["C", "I", "P", "N", True, "0.25", "yes", 3, "No", None]
    log = made.inspect_log(scores=[{"grade": grade} for grade in grades])
    scores = column(read(write(tmp_path, "log.json", json.dumps(log))), "score")
    assert scores[:-1] == [1, 0, 0.5, 0, 1, 0.25, 1, 3, 0]
    assert math.isnan(scores[-1])


@pytest.mark.parametrize("summaries", [True, False])
@pytest.mark.parametrize("method", [made.ZSTANDARD, made.DEFLATED, made.STORED])
def test_an_archive_says_the_same_as_json(tmp_path: Path, method: int, summaries: bool) -> None:
    values = [{"match": "C", "shape": {"length": at, "even": at % 2 == 0}} for at in range(6)]
    log = made.inspect_log(scores=values, epochs=2)
    table = read(write(tmp_path, "a.json", json.dumps(log, indent=2)))
    packed = read(write(tmp_path, "a.eval", made.archive(log, method, summaries=summaries)))
    assert [*packed.columns] == [*table.columns]
    for title in table.columns:
        assert column(packed, title) == column(table, title)
    assert rows(table, "item", "run", "metric", "score")[3:6] == [
        ("item-1", "1", "match", 1),
        ("item-1", "1", "shape/length", 1),
        ("item-1", "1", "shape/even", 0),
    ]
    assert packed.where(17) == f"{tmp_path}/a.eval: sample item-2, epoch 2"


def test_tokens_are_those_of_the_evaluated_model(tmp_path: Path) -> None:
    table = read(write(tmp_path, "a.eval", made.archive(made.inspect_log())))
    assert rows(table, "input_tokens", "output_tokens", "seconds")[0] == (7, 5, 0.5)
    assert rows(table, "metadata.passage", "metadata.level", "metadata.tags.hard")[2] == (
        *("p1", "2", "true"),
    )


def test_shortened_metadata_is_missing(tmp_path: Path) -> None:
    log = made.inspect_log()
    log["samples"][0]["metadata"] = {"text": "word " * 200 + "..."}
    log["samples"][1]["metadata"] = {"text": "Key removed from summary (> 1k)"}
    log["samples"][2]["metadata"] = {"text": "short"}
    table = read(write(tmp_path, "a.eval", made.archive(log)))
    assert column(table, "metadata.text") == [None, None, "short"]


def test_samples_without_scores_are_missing(tmp_path: Path) -> None:
    log = made.inspect_log(scores=[{"match": "C"}, {"match": "I"}, {}])
    log["status"] = "cancelled"
    table = read(write(tmp_path, "log.json", json.dumps(log)))
    assert column(table, "score")[:2] == [1, 0]
    assert math.isnan(column(table, "score")[2])
    assert table.remarks == ("log.json: its status is 'cancelled', 2 of 3 samples have scores",)
    assert not made.as_log(table).facts.is_finished


def test_a_metric_that_is_no_number_is_left_out(tmp_path: Path) -> None:
    log = made.inspect_log(scores=[{"match": "C", "note": "fine"}, {"match": "I", "note": "C"}])
    table = read(write(tmp_path, "log.json", json.dumps(log)))
    assert table.labels("metric").names == ["match"]
    assert table.remarks == ("quiz: left out note, whose scores are not numbers",)


# lm-evaluation-harness.


def test_scores_of_other_filters_are_optional(tmp_path: Path) -> None:
    records = [
        made.lm_eval_sample(at, name, em=float(name == "loose"))
        for name in ("strict", "loose")
        for at in range(2)
    ]
    table = read(write(tmp_path, "m/samples_quiz.jsonl", made.lines(records)))
    assert rows(table, "item", "metric", "score", "optional") == [
        ("0", "em/strict", 0, "false"),
        ("0", "em/loose", 1, "true"),
        ("1", "em/strict", 0, "false"),
        ("1", "em/loose", 1, "true"),
    ]
    assert "METRIC/loose" in table.remarks[0]
    required = required_metrics(table)
    assert column(required, "metric") == ["em/strict"] * 2
    assert "optional" not in required.columns
    assert required.where(1) == f"{tmp_path}/m/samples_quiz.jsonl: line 2"


def test_results_beside_samples_say_which_metrics_are_errors(tmp_path: Path) -> None:
    paths = made.write_every_format(tmp_path)
    table = read(next(path for path in paths if path.name.startswith("samples_quiz")))
    assert {*rows(table, "metric", "lower_is_better")} == {
        ("acc/strict", "true"),
        ("acc/loose", "true"),
    }


def test_a_very_long_first_line_is_recognized(tmp_path: Path) -> None:
    record = made.lm_eval_sample(1, acc=1.0)
    record["doc"] = {"passage": "x" * 100_000}
    path = write(tmp_path, "m/samples_quiz.jsonl", made.lines([record]))
    assert column(read(path), "score") == [1]


# promptfoo.


def test_providers_are_systems_whatever_the_order_of_results(tmp_path: Path) -> None:
    order = [(1, 1, 0.25), (1, 0, 1), (0, 1, 0), (0, 0, 0.5)]
    results = [made.promptfoo_result(*each) for each in order]
    table = read(write(tmp_path, "out.json", made.promptfoo(results)))
    scores = [
        row[:3] for row in rows(table, "system", "item", "score", "metric") if row[3] == "score"
    ]
    assert scores == [
        ("alpha", "0", 0.5),
        ("beta", "0", 0),
        ("alpha", "1", 1),
        ("beta", "1", 0.25),
    ]
    assert rows(table, *["input_tokens", "output_tokens", "seconds", "cost"])[0] == (
        7,
        2,
        0.25,
        0.125,
    )
    assert rows(table, "metadata.kind", "metadata.vars.word")[-1] == ("noun", "word 1")
    assert table.where(0) == f"{tmp_path}/out.json: result 4"


def test_a_score_that_only_says_success_is_optional(tmp_path: Path) -> None:
    same = [made.promptfoo_result(0, 0, 1), made.promptfoo_result(0, 1, 0)]
    table = read(write(tmp_path, "out.json", made.promptfoo(same)))
    assert {*column(required_metrics(table), "metric")} == {"success"}
    other = [made.promptfoo_result(1, 0, 0.5), made.promptfoo_result(1, 1, 0.5)]
    both = [table, read(write(tmp_path, "b.json", made.promptfoo(other).replace("eval-1", "2")))]
    renamed = [each.with_label("slice", name) for each, name in zip(both, "ab", strict=True)]
    contentless = [replace(made.as_log(each), contents={}) for each in renamed]
    assert {*column(required_metrics(stack_logs(contentless)), "metric")} == {"success", "score"}


def test_prompts_are_told_apart_and_named_scores_are_metrics(tmp_path: Path) -> None:
    second = {"prompt": {"label": "polite: Say {{word}}, please"}, "namedScores": {"tone": 1}}
    results = [
        made.promptfoo_result(0, 0, 0.5, namedScores={"tone": 0}),
        made.promptfoo_result(0, 2, 0.5, **second),
    ]
    table = read(write(tmp_path, "out.json", made.promptfoo(results)))
    tones = [row for row in rows(table, "system", "metric", "score") if row[1] == "tone"]
    assert tones == [("alpha: plain", "tone", 0), ("alpha: polite", "tone", 1)]


def test_repeats_are_runs_of_an_item(tmp_path: Path) -> None:
    """A test whose variable has two values is repeated as a whole: 0, 1, 0, 1, and then 2, 2."""
    words = ["apple", "pear", "apple", "pear", "plum", "plum"]
    results = [
        made.promptfoo_result(at, 0, at / 8, testCase={"vars": {"word": word}, "assert": []})
        for at, word in enumerate(words)
    ]
    table = read(write(tmp_path, "out.json", made.promptfoo(results, repeat=2)))
    found = [row[:2] for row in rows(table, "item", "run", "metric") if row[2] == "score"]
    assert found == [("0", "1"), ("1", "1"), ("0", "2"), ("1", "2"), ("2", "1"), ("2", "2")]


def test_a_provider_that_failed_has_no_score(tmp_path: Path) -> None:
    results = [made.promptfoo_result(0, 0, 1), made.promptfoo_result(1, 0, 0, failureReason=2)]
    table = read(write(tmp_path, "out.json", made.promptfoo(results)))
    assert [math.isnan(score) for score in column(table, "score")] == [False, False, True, True]
    assert "1 result without a score" in table.remarks[0]


# HELM and Every Eval Ever.


def test_helm_statistics_are_metrics_and_trials_are_runs(tmp_path: Path) -> None:
    entries = [
        made.helm_entry("id1", made.helm_stat("exact_match", 1.0)),
        made.helm_entry("id1", made.helm_stat("num_prompt_tokens", 12)),
        made.helm_entry("id1", made.helm_stat("exact_match", 0.0), trial=1),
        made.helm_entry("id2", made.helm_stat("exact_match", None)),
        {
            **made.helm_entry("id1", made.helm_stat("exact_match", 0.0)),
            "perturbation": {"name": "x"},
        },
    ]
    table = read(made.write_helm(tmp_path, entries))
    kept = required_metrics(table)
    assert rows(kept, "system", "slice", "item", "run", "metric")[1] == (
        *("org/one", "quiz:subject=law,method=joint", "id1", "2", "exact_match"),
    )
    assert column(kept, "score")[:2] == [1, 0]
    assert math.isnan(column(kept, "score")[2])
    assert column(kept, "input_tokens")[0] == 12
    assert {*column(kept, "metadata.split")} == {"test"}
    assert "perturbed" in table.remarks[0]
    assert table.where(0).endswith("per_instance_stats.json: instance id1, trial 1")


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("mmlu:subject=law,model=a_b", "mmlu:subject=law"),
        ("mmlu:model=a_b,subject=law", "mmlu:subject=law"),
        ("gsm:model=a_b", "gsm"),
        ("gsm:model=a_b,model_deployment=c", "gsm"),
        ("plain", "plain"),
    ],
)
def test_the_task_of_a_helm_run_does_not_name_the_model(
    tmp_path: Path, name: str, task: str
) -> None:
    path = made.write_helm(tmp_path, [made.helm_entry("id1", made.helm_stat("f1", 1.0))])
    spec = {"name": name, "adapter_spec": {"model": "a/b"}}
    (tmp_path / "run_spec.json").write_text(json.dumps(spec))
    assert column(read(path), "slice") == [task]


def test_records_of_every_eval_ever(tmp_path: Path) -> None:
    records = [
        made.instance_record("a", 1),
        made.instance_record("a", 2.5, "loss"),
        made.instance_record("a", 0),
        made.instance_record("b", 0.5),
    ]
    path = write(tmp_path, "x_samples.jsonl", made.lines(records))
    results = [{"evaluation_result_id": "loss", "metric_config": {"lower_is_better": True}}]
    write(tmp_path, "x.json", json.dumps({"evaluation_results": results}))
    table = read(path)
    assert rows(table, "item", "run", "metric", "score", "lower_is_better") == [
        ("a", "1", "acc", 1, None),
        ("a", "1", "loss", 2.5, "true"),
        ("a", "2", "acc", 0, None),
        ("b", "1", "acc", 0.5, None),
    ]
    assert rows(table, "system", "slice", "metadata.subject", "input_tokens", "seconds")[0] == (
        *("org/one", "quiz", "law", 7, 1.5),
    )
    unnamed = [made.instance_record("a", 1, None)]
    assert column(read(write(tmp_path, "y.jsonl", made.lines(unnamed))), "metric") == ["score"]


# What is none of them, and what is broken.


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.jsonl", '{"doc_id": 1, "model": "A", "acc": 1}\n'),
        ("t.json", '[{"doc_id": 1, "resps": [], "filter": "x", "metrics": []}]'),
        ("t.json", '{"version": 2, "status": "success", "eval": "x"}'),
        ("t.json", '{\n "results": []\n}'),
        ("t.csv", "system,item,score\nA,1,2\n"),
        ("t.tsv", "1\t2\t3\n"),
        ("t.jsonl", '{"hypothesis": "x", "prediction": "y"}\n'),
        ("t.jsonl", ""),
        ("t.jsonl", '{"doc_id": '),
        ("t.jsonl", b"{\xff}"),
        ("t.txt", "42 is a number\n"),
        ("t.zip", made.archive({"samples": []})[:2]),
    ],
)
def test_other_content_is_no_foreign_format(
    tmp_path: Path, name: str, content: str | bytes
) -> None:
    assert find_format(str(write(tmp_path, name, content))) is None


def test_standard_input_is_no_foreign_format() -> None:
    assert find_format("-") is None


_GOOD = made.lm_eval_sample(1, acc=1.0)
_BAD_SAMPLES = {
    "line 2 is not JSON": made.lines([_GOOD]) + '{"doc_id": 2, "do',
    "line 2 is not a JSON object": made.lines([_GOOD]) + "[]",
    "line 2: 'doc_id' is missing": made.lines([_GOOD, {**_GOOD, "doc_id": None}]),
    "'doc_id' is a list": made.lines([_GOOD, {**_GOOD, "doc_id": [1]}]),
    "repeats item '1' of m, first in line 1": made.lines([_GOOD, _GOOD]),
    "'metrics' is a number": made.lines([_GOOD, {**_GOOD, "doc_id": 2, "metrics": 3}]),
    "'f1' has no value": made.lines([{**_GOOD, "metrics": ["f1"]}]),
    "acc is a string in line 2": made.lines([_GOOD, made.lm_eval_sample(2, acc="x")]),
    "line 2: acc is not a finite number": made.lines([_GOOD, made.lm_eval_sample(2, acc=10**400)]),
    "not a finite": made.lines([_GOOD])
    + made.lines([made.lm_eval_sample(2, acc=7)]).replace("7", "1e400"),
    "surrogate": made.lines([made.lm_eval_sample("\ud800", acc=1)]),
    "different inputs": made.lines([_GOOD, {**_GOOD, "filter": "x", "doc_hash": "y"}]),
    "the key 'acc' occurs twice": made.lines([_GOOD]).replace('"acc": 1.0', '"acc": 1.0, "acc": 0'),
    "too deep": made.lines([_GOOD]).replace('{"question"', "[" * 90_000 + '{"question"'),
}


@pytest.mark.parametrize(("message", "content"), _BAD_SAMPLES.items())
def test_broken_samples_are_refused(tmp_path: Path, message: str, content: str) -> None:
    path = write(tmp_path, "m/samples_quiz.jsonl", made.lines([_GOOD]))
    found = find_format(str(path))
    assert found is not None
    path.write_text(content)
    refused(found.read, path, message)


def refused(read_file: Callable[[str], Any], path: Path, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_file(str(path))
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


def _changed(at: Sequence[str | int], value: object) -> dict[str, Any]:
    log = made.inspect_log()
    place: Any = log
    for key in at[:-1]:
        place = place[key]
    place[at[-1]] = value
    return log


@pytest.mark.parametrize(
    ("message", "log"),
    [
        ("a log without samples", _changed(["samples"], [])),
        ("'model' is missing", _changed(["eval", "model"], None)),
        ("the name of a system is 'a\\nb'", _changed(["eval", "model"], "a\nb")),
        ("surrogate", _changed(["eval", "task"], "\ud800")),
        ("repeats item 'item-0' of mock/one", _changed(["samples", 1, "id"], "item-0")),
        ("'scores' is a list", _changed(["samples", 1, "scores"], [])),
        ("not a finite number", _changed(["samples", 1, "scores", "match", "value"], math.inf)),
        ("no sample has a score", {**made.inspect_log(scores=[{}, {}])}),
        ("run the evaluation again", {**made.inspect_log(scores=[{}]), "status": "error"}),
        ("two scores are called 'a/b'", made.inspect_log(scores=[{"a/b": 1, "a": {"b": 2}}])),
        ("no metric has a number", made.inspect_log(scores=[{"a": "x"}])),
    ],
)
def test_broken_logs_are_refused(tmp_path: Path, message: str, log: dict[str, Any]) -> None:
    refused(read, write(tmp_path, "log.json", json.dumps(log)), message)
    refused(read, write(tmp_path, "log.eval", made.archive(log)), message)


def test_broken_archives_are_refused(tmp_path: Path) -> None:
    whole = made.archive(made.inspect_log())
    refused(read, write(tmp_path, "cut.eval", whole[: len(whole) // 2]), "a damaged archive")
    damaged = bytearray(whole)
    damaged[whole.index(b"summaries.json") + 20] ^= 0xFF
    refused(read, write(tmp_path, "damaged.eval", bytes(damaged)), "a damaged archive")
    unfinished = io.BytesIO()
    with made.zipfile.ZipFile(unfinished, "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    refused(read, write(tmp_path, "u.eval", unfinished.getvalue()), "has not finished")


@pytest.mark.parametrize("method", [made.ZSTANDARD, made.DEFLATED])
@pytest.mark.parametrize("lie", [False, True])
def test_bombs_are_refused_without_unpacking_them(tmp_path: Path, method: int, lie: bool) -> None:
    """An archive may also claim that a huge member is small."""
    bomb = io.BytesIO()
    with made.zipfile.ZipFile(bomb, "w", method) as archive:
        archive.writestr("_journal/start.json", "{}")
        archive.writestr("header.json", " " * 50_000_000)
    data = bomb.getvalue()
    if lie:
        data = data.replace((50_000_000).to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    message = "a damaged archive" if lie else "unpacks to more than 200 times its size"
    refused(read, write(tmp_path, "bomb.eval", data), message)


def test_promptfoo_lines_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "out.jsonl", made.lines([made.promptfoo_result(0, 0, 1)]))
    refused(read, path, "-o FILE.json")


def test_helm_statistics_need_their_run_spec(tmp_path: Path) -> None:
    path = made.write_helm(tmp_path, [made.helm_entry("id1", made.helm_stat("f1", 1.0))])
    (tmp_path / "run_spec.json").unlink()
    refused(read, Path(path), "no run_spec.json in the same directory")

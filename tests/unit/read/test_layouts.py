from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weigh
from weigh.comparing.table import Gaps, measure_table, read_tables
from weigh.read.columns import Table, is_table
from weigh.read.layouts import known_table
from weigh.read.roles import Roles

Write = Callable[[str, "str | bytes"], str]
Complaint = Callable[..., str]


def _sample(doc_id: Any, filtered: str = "none", **scores: Any) -> dict[str, Any]:
    """A line of lm-evaluation-harness 0.4.13."""
    return {
        "doc_id": doc_id,
        "doc": {"question": f"Which is {doc_id}?"},
        "target": "1",
        "arguments": {"gen_args_0": {"arg_0": "Which?", "arg_1": " 1"}},
        "resps": [[["-0.5", "False"]]],
        "filtered_resps": [["-0.5", "False"]],
        "filter": filtered,
        "metrics": list(scores),
        "doc_hash": f"hash-{doc_id}",
        "prompt_hash": "p",
        "target_hash": "t",
        **scores,
    }


def _lines(records: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def _log(
    model: str, values: list[dict[str, Any]], task: str = "quiz", epochs: int = 1
) -> dict[str, Any]:
    """A log of inspect_ai 0.3.285: the scores of all samples, epoch by epoch."""
    size = len(values) // epochs
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": task, "model": model, "dataset": {"samples": size}},
        "samples": [
            {
                "id": f"item-{at % size}",
                "epoch": at // size + 1,
                "input": f"What is {at % size}?",
                "target": "1",
                "scores": {name: {"value": value, "history": []} for name, value in each.items()},
            }
            for at, each in enumerate(values)
        ],
    }


def _archive(log: dict[str, Any], **others: bytes) -> bytes:
    """The same log as an `.eval` file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", "{}")
        archive.writestr("summaries.json", json.dumps(log["samples"]))
        archive.writestr("header.json", json.dumps({**log, "samples": None}))
        for name, content in others.items():
            archive.writestr(name, content)
    return data.getvalue()


def _result(test: int, column: int, score: float, **others: Any) -> dict[str, Any]:
    """A result of promptfoo 0.121.20, of the first or the second of two providers."""
    return {
        "promptIdx": column,
        "testIdx": test,
        "testCase": {"vars": {"word": f"word {test}"}, "assert": [{"type": "contains"}]},
        "provider": {"id": "echo", "label": ["alpha", "beta"][column % 2]},
        "prompt": {"raw": "Say a word", "label": "plain: Say {{word}}"},
        "success": score == 1,
        "score": score,
        "namedScores": {},
        "failureReason": 0 if score == 1 else 1,
        **others,
    }


def _promptfoo(results: list[dict[str, Any]], repeat: int | None = None) -> str:
    return json.dumps(
        {
            "evalId": "eval-1",
            "results": {"version": 3, "prompts": [], "results": results, "stats": {}},
            "config": {},
            "runtimeOptions": {} if repeat is None else {"repeat": repeat},
        },
        indent=2,
    )


def _known(path: str) -> tuple[Table, Roles, list[str]]:
    known = known_table(path)
    assert known is not None
    return known


def _means(
    files: list[str], roles: Roles | None = None, **gaps: Any
) -> dict[str, dict[str, float]]:
    table, found, _ = read_tables(files, roles or Roles())
    measured = measure_table(table, found, gaps=Gaps(**gaps))
    means: dict[str, dict[str, list[float]]] = {}
    for score in weigh.score(measured):
        if score.slice is None:
            means.setdefault(score.metric, {}).setdefault(score.system, []).append(score.score)
    return {
        metric: {system: float(np.mean(runs)) for system, runs in systems.items()}
        for metric, systems in means.items()
    }


# lm-evaluation-harness.


def _write_models(write: Write) -> list[str]:
    scores = {"alpha": [1.0, 0.0, 1.0, 1.0], "beta": [0.0, 0.0, 1.0, 0.0]}
    return [
        write(
            f"out/org__{model}/samples_quiz_2026-11-17T09-46-05.438396.jsonl",
            _lines([_sample(at, acc=v, acc_norm=1 - v) for at, v in enumerate(values)]),
        )
        for model, values in scores.items()
    ]


def test_models_of_lm_eval_are_called_after_their_directories(write: Write) -> None:
    files = _write_models(write)
    table, roles, said = read_tables(files, Roles())
    assert roles.score == ("acc", "acc_norm")
    assert roles.slice is None
    assert roles.run is None
    assert _means(files) == {
        "acc": {"org__alpha": 0.75, "org__beta": 0.25},
        "acc_norm": {"org__alpha": 0.25, "org__beta": 0.75},
    }
    assert table.size == 8
    assert len(said) == 1
    assert "lm-evaluation-harness" in said[0]


def test_files_may_be_named_with_system_and_run(write: Write) -> None:
    first, second = _write_models(write)
    table, roles, _ = read_tables([f"mine@1={first}", f"mine@2={second}"], Roles())
    assert roles.run is not None
    assert table.labels[roles.system[0]].values == ["mine"]
    assert table.labels[roles.run].values == ["1", "2"]
    assert _means([f"A={first}", f"B={second}"])["acc"] == {"A": 0.75, "B": 0.25}


def test_tasks_are_slices_and_metrics_those_that_all_tasks_have(write: Write) -> None:
    files = _write_models(write)
    for model in ("alpha", "beta"):
        name = f"out/org__{model}/samples_other_task_2026-11-17T09-46-05.4.jsonl"
        files.append(write(name, _lines([_sample(at, acc=True, f1=0.5) for at in range(2)])))
    table, roles, said = read_tables(files, Roles())
    assert roles.slice is not None
    assert table.labels[roles.slice].values == ["quiz", "other_task"]
    assert roles.score == ("acc",)
    assert any("acc_norm and f1" in remark for remark in said)
    assert _means(files)["acc"]["org__alpha"] == pytest.approx(5 / 6)


def test_of_several_filters_the_first_is_taken_unless_another_is_named(write: Write) -> None:
    lines = [
        _sample(at, filtered, exact_match=value)
        for filtered, value in (("strict", 0.0), ("flexible", 1.0))
        for at in range(3)
    ]
    path = write("m/samples_quiz.jsonl", _lines(lines))
    _, roles, said = _known(path)
    assert roles.score == ("exact_match",)
    assert any("strict is taken" in remark for remark in said)
    assert _means([path]) == {"exact_match": {"m": 0.0}}
    named = Roles.of(score="exact_match/flexible")
    assert _means([path], named) == {"exact_match/flexible": {"m": 1.0}}


# inspect_ai.


def test_letters_count_as_inspect_counts_them(write: Write) -> None:
    values = [{"grade": grade} for grade in ("C", "I", "P", "N", True, "0.25", "yes", 3)]
    table, roles, _ = _known(write("log.json", json.dumps(_log("m", values))))
    assert table.numbers["grade"].tolist() == [1, 0, 0.5, 0, 1, 0.25, 1, 3]
    assert roles.run is None


@pytest.mark.parametrize("form", ["json", "eval"])
def test_epochs_are_runs_and_parts_of_a_score_are_metrics(write: Write, form: str) -> None:
    files = []
    for model, right in (("mock/one", "C"), ("mock/two", "I")):
        values = [{"includes": right, "shape": {"length": at, "even": True}} for at in range(6)]
        log = _log(model, values, epochs=2)
        content = json.dumps(log, indent=2) if form == "json" else _archive(log)
        files.append(write(f"{model.replace('/', '-')}.{form}", content))
    assert all(is_table(file) for file in files)
    table, roles, _ = read_tables(files, Roles())
    assert roles.score == ("includes", "shape/length", "shape/even")
    assert roles.run is not None
    assert table.labels[roles.run].values == ["1", "2"]
    assert _means(files) == {
        "includes": {"mock/one": 1.0, "mock/two": 0.0},
        "shape/length": {"mock/one": 2.5, "mock/two": 2.5},
        "shape/even": {"mock/one": 1.0, "mock/two": 1.0},
    }


def test_samples_that_failed_are_missing(write: Write, complaint: Complaint) -> None:
    log = _log("m", [{"match": "C"}, {"match": "I"}, {}])
    log["status"] = "error"
    path = write("log.json", json.dumps(log))
    table, _, said = _known(path)
    assert np.isnan(table.numbers["match"]).tolist() == [False, False, True]
    assert any("2 of 3 samples have scores" in remark for remark in said)
    assert "no score of item 'item-2'" in complaint(_means, [path])
    assert _means([path], allow=True)["match"]["m"] == 0.5
    assert _means([path], instead=0.0)["match"]["m"] == pytest.approx(1 / 3)


# promptfoo.


def test_providers_are_systems_whatever_the_order_of_results(write: Write) -> None:
    results = [_result(1, 1, 0.25), _result(1, 0, 1), _result(0, 1, 0), _result(0, 0, 0.5)]
    path = write("out.json", _promptfoo(results))
    table, roles, _ = _known(path)
    assert roles.score == ("success", "score")
    assert table.labels[roles.system[0]].values == ["alpha", "beta"]
    assert _means([path]) == {
        "success": {"alpha": 0.5, "beta": 0.0},
        "score": {"alpha": 0.75, "beta": 0.125},
    }


def test_a_score_that_only_says_success_is_no_second_metric(write: Write) -> None:
    path = write("out.json", _promptfoo([_result(0, 0, 1), _result(0, 1, 0)]))
    assert _means([path]) == {"success": {"alpha": 1.0, "beta": 0.0}}
    assert _means([path], Roles.of(score="score")) == {"score": {"alpha": 1.0, "beta": 0.0}}


def test_prompts_are_told_apart_and_named_scores_are_metrics(write: Write) -> None:
    second = {"prompt": {"label": "polite: Say {{word}}, please"}, "namedScores": {"tone": 1}}
    results = [_result(0, 0, 0.5, namedScores={"tone": 0}), _result(0, 2, 0.5, **second)]
    means = _means([write("out.json", _promptfoo(results))])
    assert means["tone"] == {"alpha: plain": 0.0, "alpha: polite": 1.0}


def test_repeats_are_runs_of_an_item(write: Write) -> None:
    """A test whose variable has two values is repeated as a whole: 0, 1, 0, 1, and then 2, 2."""
    words = ["apple", "pear", "apple", "pear", "plum", "plum"]
    results = [
        _result(at, 0, float(at % 2), testCase={"vars": {"word": word}, "assert": []})
        for at, word in enumerate(words)
    ]
    path = write("out.json", _promptfoo(results, repeat=2))
    table, roles, _ = _known(path)
    assert roles.run is not None
    items, runs = table.labels[roles.item or ""], table.labels[roles.run]
    assert [items.values[code] for code in items.codes] == ["0", "1", "0", "1", "2", "2"]
    assert [runs.values[code] for code in runs.codes] == ["1", "1", "2", "2", "1", "2"]


def test_a_provider_that_failed_has_no_score(write: Write, complaint: Complaint) -> None:
    results = [_result(0, 0, 1), _result(1, 0, 0, failureReason=2, error="no connection")]
    path = write("out.json", _promptfoo(results))
    assert "no score" in complaint(_means, [path])
    assert _means([path], allow=True)["success"]["alpha"] == 1.0


# What is none of them, and what is broken.


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.jsonl", '{"doc_id": 1, "model": "A", "acc": 1}\n'),
        ("t.json", '[{"doc_id": 1, "resps": [], "filter": "x", "metrics": []}]'),
        ("t.json", '{"version": 2, "status": "success", "eval": "x"}'),
        ("t.json", '{\n "results": []\n}'),
        ("t.csv", "system,item,score\nA,1,2\n"),
        ("t.jsonl", ""),
        ("t.jsonl", '{"doc_id": '),
        ("t.jsonl", b"{\xff}"),
    ],
)
def test_other_content_is_not_known(write: Write, name: str, content: str | bytes) -> None:
    assert known_table(write(name, content)) is None


def test_an_archive_of_something_else_is_not_known(write: Write) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("x.txt", "x")
    assert known_table(write("x.zip", data.getvalue())) is None


_GOOD = _sample(1, acc=1.0)
_BAD_LINES = {
    "cut": (_lines([_GOOD]) + '{"doc_id": 2, "do', "line 2 is not JSON"),
    "no object": (_lines([_GOOD]) + "[]", "line 2 is not a JSON object"),
    "no id": (_lines([_GOOD, {**_GOOD, "doc_id": None}]), "line 2: 'doc_id' is missing"),
    "id of a list": (_lines([_GOOD, {**_GOOD, "doc_id": [1]}]), "'doc_id' is a list"),
    "twice": (_lines([_GOOD, _GOOD]), "doc_id '1' again, after line 1"),
    "no metrics": (_lines([_GOOD, {**_GOOD, "doc_id": 2, "metrics": 3}]), "'metrics' is a number"),
    "no value": (_lines([{**_GOOD, "metrics": ["f1"]}]), "'f1' has no value"),
    "odd value": (_lines([_GOOD, _sample(2, acc="x")]), "line 2: acc is a text and not a number"),
    "infinite": (_lines([_GOOD, _sample(2, acc=10**400)]), "line 2: acc is not a finite number"),
    "only lists": (_lines([_sample(1, ppl=[-1.0, 3])]), "nothing to compare"),
    "surrogate": (_lines([_sample("\ud800", acc=1)]), "surrogate"),
    "hashes": (
        _lines([_GOOD, {**_sample(1, "other", acc=1.0), "doc_hash": "x"}]),
        "another 'doc_hash'",
    ),
}


@pytest.mark.parametrize("case", _BAD_LINES)
def test_broken_samples_of_lm_eval(write: Write, complaint: Complaint, case: str) -> None:
    content, expected = _BAD_LINES[case]
    assert expected in complaint(known_table, write("m/samples_quiz.jsonl", content))


def test_files_that_do_not_belong_together(write: Write, complaint: Complaint) -> None:
    first = write("a/samples_quiz.jsonl", _lines([_sample(1, acc=1.0)]))
    again = write("a/samples_quiz_2026-01-01T00-00-00.0.jsonl", _lines([_sample(1, acc=1.0)]))
    assert "NAME@RUN=path" in complaint(read_tables, [first, again], Roles())
    changed = write("b/samples_quiz.jsonl", _lines([{**_sample(1, acc=1.0), "doc_hash": "x"}]))
    assert "another one than in a/samples_quiz" in complaint(read_tables, [first, changed], Roles())
    other = write("b/samples_other.jsonl", _lines([_sample(1, f1=1.0)]))
    assert "different metrics apart" in complaint(read_tables, [first, other], Roles())
    table = write("t.jsonl", '{"system": "A", "id": 1, "score": 2}\n')
    assert "give both apart" in complaint(read_tables, [first, table], Roles())
    assert "did you mean 'acc'" in complaint(read_tables, [first], Roles.of(score="ac"))
    filtered = write("c/samples_quiz.jsonl", _lines([_sample(1, "strict", acc=1.0)]))
    assert "filtered alike" in complaint(read_tables, [first, filtered], Roles())


def test_broken_logs_of_inspect(write: Write, complaint: Complaint) -> None:
    log = _log("m", [{"match": "C"}, {"match": "I"}])

    def told(**changes: Any) -> str:
        return complaint(known_table, write("log.json", json.dumps({**log, **changes}, indent=1)))

    first, second = log["samples"]
    assert "without samples" in told(samples=None)
    assert "sample 2: 'epoch' is missing" in told(samples=[first, {"id": 2}])
    assert "sample 2: item 'item-0' of m again" in told(samples=[first, first])
    assert "'scores' is a list" in told(samples=[first, {**second, "scores": []}])
    assert "'id' is missing" in told(samples=[3])
    assert "'model' is missing" in told(eval={"task": "t", "model": None})
    wrong = {**second, "scores": {"match": {"value": "hm"}}}
    assert "sample 2: match is a text" in told(samples=[first, wrong])
    unscored = [{**sample, "scores": {}} for sample in log["samples"]]
    assert "0 of 2 samples" in told(samples=unscored, status="cancelled")
    assert "no sample has a score" in told(samples=unscored)
    text = json.dumps(log, indent=2)
    assert "is not JSON" in complaint(known_table, write("log.json", text[:-40]))


def test_broken_archives_of_inspect(write: Write, complaint: Complaint) -> None:
    data = _archive(_log("m", [{"match": "C"}]))
    assert "broken archive" in complaint(known_table, write("a.eval", data[:-30]))
    at = data.find(b"PK\x01\x02", data.find(b"PK\x01\x02") + 4)  # the second entry's
    unknown = data[: at + 10] + b"\x62\x00" + data[at + 12 :]  # way of compression
    assert "inspect log convert" in complaint(known_table, write("a.eval", unknown))
    running = io.BytesIO()
    with zipfile.ZipFile(running, "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    assert "has not ended" in complaint(known_table, write("a.eval", running.getvalue()))


def test_broken_results_of_promptfoo(write: Write, complaint: Complaint) -> None:
    def told(*results: Any, repeat: int | None = None) -> str:
        return complaint(known_table, write("out.json", _promptfoo(list(results), repeat)))

    good = _result(0, 0, 1)
    assert "no results" in told()
    assert "result 2: 'promptIdx' is missing" in told(good, 3)
    assert "'score' is a text" in told({**good, "score": "1"})
    assert "'success' is a number" in told({**good, "success": 1})
    assert "'namedScores' is a list" in told({**good, "namedScores": []})
    assert "again, after" in told(good, good)
    assert "not a finite number" in told({**good, "score": 10**400})
    assert "two providers are called 'alpha'" in told(good, _result(0, 2, 1))
    assert "not all tests are there 2 times" in told(good, repeat=2)
    assert "same 'testIdx'" in told(good, {**_result(0, 1, 1), "testCase": {"vars": {}}})
    both = write("out.json", _promptfoo([good, _result(0, 1, 1)]))
    assert "but one name" in complaint(read_tables, [f"mine={both}"], Roles())
    lines = write("out.jsonl", json.dumps(good) + "\n")
    assert "-o FILE.json" in complaint(known_table, lines)

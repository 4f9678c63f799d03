"""Files as other tools write them, each of them with a few made-up results."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weigh.read.log_table import Log
from weigh.read.table import Labels, Table

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

ZSTANDARD, DEFLATED, STORED = zipfile.ZIP_ZSTANDARD, zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED


def column(table: Table, title: str) -> list[Any]:
    """The cells of a column."""
    found = table.columns[title]
    return found.cells() if isinstance(found, Labels) else found.tolist()


def rows(table: Table, *titles: str) -> list[tuple[Any, ...]]:
    """The cells of some columns, row by row."""
    return list(zip(*(column(table, title) for title in titles), strict=True))


def lines(records: Sequence[object]) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def inspect_log(
    model: str = "mock/one",
    task: str = "quiz",
    scores: Sequence[dict[str, Any]] = ({"match": "C"}, {"match": "I"}, {"match": "C"}),
    epochs: int = 1,
    **about: Any,
) -> dict[str, Any]:
    """A log of inspect_ai 0.3: the scores of all samples, epoch by epoch."""
    size = len(scores) // epochs
    return {
        "version": 2,
        "status": "success",
        "eval": {"eval_id": f"{model} {task}", "task": task, "model": model, **about},
        "samples": [
            {
                "id": f"item-{at % size}",
                "epoch": at // size + 1,
                "input": f"What is {at % size}?",
                "metadata": {"passage": f"p{at % size // 2}", "level": 2.0, "tags": {"hard": True}},
                "scores": {name: {"value": value} for name, value in each.items()},
                "model_usage": {
                    model: {"input_tokens": 3, "input_tokens_cache_read": 4, "output_tokens": 5},
                    "judge": {"input_tokens": 1000, "output_tokens": 1000},
                },
                "total_time": 0.5,
            }
            for at, each in enumerate(scores)
        ],
    }


def archive(log: dict[str, Any], method: int = ZSTANDARD, *, summaries: bool = True) -> bytes:
    """The same log as an `.eval` file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as file:
        file.writestr("_journal/start.json", "{}")
        if summaries:
            file.writestr("summaries.json", json.dumps(log["samples"]))
        for at, sample in enumerate(log["samples"]):
            file.writestr(f"samples/{at}.json", json.dumps(sample))
        file.writestr("header.json", json.dumps({**log, "samples": None}))
    return data.getvalue()


def lm_eval_sample(doc_id: Any, filtered: str = "none", **scores: Any) -> dict[str, Any]:
    """A line of lm-evaluation-harness 0.4."""
    return {
        "doc_id": doc_id,
        "doc": {"question": f"Which is {doc_id}?"},
        "resps": [["1"]],
        "filter": filtered,
        "metrics": list(scores),
        "doc_hash": f"hash-{doc_id}",
        **scores,
    }


def promptfoo_result(test: int, system: int, score: float, **others: Any) -> dict[str, Any]:
    """A result of promptfoo 0.121, of the first or the second of two providers."""
    return {
        "promptIdx": system,
        "testIdx": test,
        "testCase": {"vars": {"word": f"word {test}"}, "assert": [], "metadata": {"kind": "noun"}},
        "provider": {"id": "echo", "label": ["alpha", "beta"][system % 2]},
        "prompt": {"raw": "Say a word", "label": "plain: Say {{word}}"},
        "response": {"tokenUsage": {"prompt": 7, "completion": 2}},
        "latencyMs": 250,
        "cost": 0.125,
        "success": score == 1,
        "score": score,
        "namedScores": {},
        "failureReason": 0 if score == 1 else 1,
        **others,
    }


def promptfoo(results: Sequence[dict[str, Any]], repeat: int | None = None) -> str:
    return json.dumps(
        {
            "evalId": "eval-1",
            "results": {"version": 3, "prompts": [], "results": results, "stats": {}},
            "config": {},
            "runtimeOptions": {} if repeat is None else {"repeat": repeat},
        },
        indent=2,
    )


def helm_stat(metric: str, mean: float | None, **name: Any) -> dict[str, Any]:
    stat = {"name": {"name": metric, "split": "test", **name}, "count": 0, "sum": 0}
    return stat if mean is None else {**stat, "count": 1, "sum": mean, "mean": mean}


def helm_entry(instance: str, *stats: dict[str, Any], trial: int = 0) -> dict[str, Any]:
    return {"instance_id": instance, "train_trial_index": trial, "stats": list(stats)}


def write_helm(folder: Path, entries: Sequence[dict[str, Any]], model: str = "org/one") -> str:
    """A run of HELM 0.5."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"quiz:subject=law,model={model.replace('/', '_')},method=joint"
    spec = {"name": name, "adapter_spec": {"model": model}, "scenario_spec": {}}
    (folder / "run_spec.json").write_text(json.dumps(spec))
    path = folder / "per_instance_stats.json"
    path.write_text(json.dumps(entries, indent=2))
    return str(path)


def instance_record(sample: str, score: float, metric: str | None = "acc") -> dict[str, Any]:
    """A record of Every Eval Ever's instance-level schema 0.3."""
    record: dict[str, Any] = {
        "schema_version": "instance_level_eval_0.3.0",
        "evaluation_id": "quiz/org_one/1",
        "model_id": "org/one",
        "evaluation_name": "quiz",
        "sample_id": sample,
        "interaction_type": "single_turn",
        "input": {"raw": "Which?", "reference": ["this"]},
        "output": {"raw": ["this"]},
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score == 1},
        "token_usage": {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9},
        "performance": {"latency_ms": 1500},
        "metadata": {"subject": "law"},
    }
    return record if metric is None else {**record, "evaluation_result_id": metric}


def write_every_format(folder: Path) -> list[Path]:
    """Write one good file of every format."""
    folder.mkdir(parents=True, exist_ok=True)
    scores = [{"match": "C", "style": {"length": 3}}, {"match": "I", "style": {"length": 4}}] * 2
    log = inspect_log(scores=scores, epochs=2)
    contents: dict[str, str | bytes] = {
        "log.json": json.dumps(log, indent=1),
        "log.eval": archive(log),
        "deflated.eval": archive(log, DEFLATED),
        "long.eval": archive(log, summaries=False),
        "one/samples_quiz_2026-01-02T03-04-05.678.jsonl": lines(
            [lm_eval_sample(at, name, acc=at) for at in (0, 1) for name in ("strict", "loose")]
        ),
        "one/results_2026-01-02T03-04-05.678.json": json.dumps(
            {"higher_is_better": {"quiz": {"acc": False}}, "n-shot": {"quiz": 5}}
        ),
        "promptfoo.json": promptfoo([promptfoo_result(at // 2, at % 2, at / 4) for at in range(6)]),
        "eee_samples.jsonl": lines([instance_record("a", 1), instance_record("b", 0.5)]),
        "comet.json": json.dumps({"a.txt": [{"src": "x", "COMET": 0.5}, {"COMET": 0.25}]}),
        "metricx.jsonl": lines([{"hypothesis": "x", "prediction": 2.5, "segment_id": "s1"}]),
        "BLEU-refA.seg.score": "sysA 1\nsysA 2.5\nsysB None\nsysB 3\n",
        "plain.comet": "0.5\n-1e-3\nNone\n",
        "ratio": "1 2\n0 3\n",
    }
    paths = []
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        paths.append(path)
    stats = (helm_stat("exact_match", 1.0), helm_stat("num_prompt_tokens", 12))
    paths.append(Path(write_helm(folder / "helm", [helm_entry("id1", *stats)])))
    return [path for path in paths if not path.name.startswith("results")]


def as_log(table: Table) -> Log:
    assert isinstance(table, Log)
    return table

"""Logs of HELM and Every Eval Ever."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from weigh.errors import InputError
from weigh.read.json_text import (
    LIST,
    REWRITE,
    digest,
    field,
    json_objects,
    key_paths,
    label,
    optional_field,
    parse_json,
    top_keys,
)
from weigh.read.log_table import Facts, Log, LogSample, Samples, seconds, tabulate
from weigh.read.text import quoted, read_whole, shown

if TYPE_CHECKING:
    from weigh.read.formats import Head

HELM, EVERY_EVAL_EVER = "HELM log", "Every Eval Ever log"

# HELM: `per_instance_stats.json`, beside which `run_spec.json` names the model and the task.

_RUN_SPEC = "run_spec.json"
_MOST_TRIALS = 1_000_000
_HELM_USAGE = {
    "num_prompt_tokens": "input_tokens",
    "num_output_tokens": "output_tokens",
    "inference_runtime": "seconds",
}
# Statistics of HELM that describe requests and not the quality of outputs.
_HELM_REQUESTS = re.compile(
    r"num_.*|finish_reason_.*|training_.*|inference_.*|batch_size|prompt_truncated|max_prob"
    r"|predicted_index|logprob"
)
_MODEL_ARGUMENT = re.compile(r"(?:(?<=:)|,)model(?:_deployment)?=[^,]*")


def is_helm(head: Head) -> bool:
    """Whether a file has HELM's statistics by instance."""
    keys = {(LIST, "instance_id"), (LIST, "train_trial_index"), (LIST, "stats")}
    return keys <= key_paths(head.start)


def read_helm(path: str) -> Log:
    """Read statistics by instance: trials are runs, and requests' statistics optional metrics."""
    name = shown(path)
    beside = str(PurePath(path).with_name(_RUN_SPEC))
    if not Path(beside).is_file():
        raise InputError(
            f"{name}: no {_RUN_SPEC} in the same directory; copy it too, because it names the model"
        )
    spec = parse_json(read_whole(beside), shown(beside))
    system = label(field(spec, "adapter_spec", dict, shown(beside)), "model", shown(beside))
    run_name = label(spec, "name", shown(beside))
    task = _MODEL_ARGUMENT.sub("", run_name).replace(":,", ":").rstrip(":,") or run_name
    text = read_whole(path)
    records = parse_json(text, name)
    if not isinstance(records, list) or not records:
        raise InputError(f"{name}: no instances; run HELM on at least one")
    samples = Samples(path)
    seen: dict[tuple[str, ...], object] = {}
    perturbed = False
    for number, record in enumerate(records, 1):
        where = f"{name}: entry {number:,}"
        item = label(record, "instance_id", where)
        trial = field(record, "train_trial_index", int, where)
        if not 0 <= trial < _MOST_TRIALS:
            raise InputError(f"{where}: 'train_trial_index' is not a number from 0; {REWRITE}")
        run = str(trial + 1)
        if record.get("perturbation") is not None:
            perturbed = True
            continue
        scores, usage, metadata = _helm_stats(field(record, "stats", list, where), where)
        for metric, score in scores.items():
            if seen.get((item, run, metric), score) != score:  # HELM only warns of repetitions
                raise InputError(
                    f"{where}: {quoted(metric)} of {quoted(item)} occurs twice, with different "
                    f"values; {REWRITE}"
                )
        new = {metric: score for metric, score in scores.items() if (item, run, metric) not in seen}
        seen |= {(item, run, metric): score for metric, score in new.items()}
        if new:
            samples.add(
                LogSample(
                    place=f"instance {shown(item[:60])}, trial {run}",
                    system=system,
                    task=task,
                    item=item,
                    run=run,
                    scores=new,
                    usage=usage,
                    metadata=metadata,
                )
            )
    metrics = {metric for _, _, metric in seen}
    requests = frozenset(metric for metric in metrics if _HELM_REQUESTS.fullmatch(metric))
    remarks = (f"{shown(task)}: left out perturbed instances",) if perturbed else ()
    facts = Facts(
        kind=HELM,
        id=digest(text),
        beside=frozenset([beside]),
        optional=requests if requests != metrics else frozenset(),
        remarks=remarks,
    )
    return tabulate(path, samples.finish(), facts)


def _helm_stats(
    stats: Sequence[object], where: str
) -> tuple[dict[str, object], dict[str, object], dict[str, object]]:
    """The scores, usage and metadata of an instance."""
    scores: dict[str, object] = {}
    usage: dict[str, object] = {}
    metadata: dict[str, object] = {}
    for stat in stats:
        title = field(stat, "name", dict, where)
        metric = label(title, "name", where)
        if metric in scores:
            raise InputError(f"{where}: {quoted(metric)} occurs twice; {REWRITE}")
        assert isinstance(stat, dict)
        scores[metric] = stat.get("mean")
        if metric in _HELM_USAGE:
            usage[_HELM_USAGE[metric]] = stat.get("mean")
        for key in ("split", "sub_split"):
            if isinstance(title.get(key), str):
                metadata[key] = title[key]
    return scores, usage, metadata


# Every Eval Ever: a line for every sample and aggregated result.

_RECORD_KEYS = {"schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id"}
_SAMPLES_ENDING = re.compile(r"_samples\.jsonl(?:\.gz|\.zst)?$")


def is_every_eval_ever(head: Head) -> bool:
    """Whether a file has records of the instance-level schema."""
    return top_keys(head.start) >= _RECORD_KEYS


def read_every_eval_ever(path: str) -> Log:
    """Read records: results are metrics, and repeated records of a sample are runs."""
    name = shown(path)
    counts: dict[tuple[str, ...], int] = {}
    samples = Samples(path)
    metrics: dict[str, str] = {}
    text = read_whole(path)
    for number, record in json_objects(text, name):
        where = f"{name}: line {number:,}"
        system, task = label(record, "model_id", where), label(record, "evaluation_name", where)
        item = label(record, "sample_id", where)
        metric = "score"
        if record.get("evaluation_result_id") is not None:
            metric = label(record, "evaluation_result_id", where)
        metrics[metric] = task
        counts[system, task, item, metric] = counts.get((system, task, item, metric), 0) + 1
        run = str(counts[system, task, item, metric])
        scored = field(record, "evaluation", dict, where)
        content = record.get("sample_hash")
        samples.add(
            LogSample(
                place=f"line {number:,}",
                system=system,
                task=task,
                item=item,
                run=run,
                scores={metric: field(scored, "score", (int, float), where)},
                content=content if isinstance(content, str) else None,
                usage=dict(_record_usage(record)),
                metadata=optional_field(record, "metadata", where),
            )
        )
    beside = _SAMPLES_ENDING.sub(".json", path)
    facts = Facts(
        kind=EVERY_EVAL_EVER,
        id=digest(text),
        beside=frozenset([beside]),
        lower_is_better=_record_directions(beside, metrics),
    )
    return tabulate(path, samples.finish(), facts)


def _record_usage(record: dict[str, Any]) -> Iterator[tuple[str, object]]:
    tokens, performance = record.get("token_usage"), record.get("performance")
    if isinstance(tokens, dict):
        yield from ((key, tokens.get(key)) for key in ("input_tokens", "output_tokens"))
    if isinstance(performance, dict):
        yield "seconds", seconds(performance.get("latency_ms"))


def _record_directions(path: str, metrics: Mapping[str, str]) -> dict[str, bool]:
    """Note which metrics are errors, from the aggregated results beside the samples."""
    if not path.endswith(".json") or not Path(path).is_file():
        return {}
    document = parse_json(read_whole(path), shown(path))
    results = document.get("evaluation_results") if isinstance(document, dict) else None
    directions: dict[str, bool] = {}
    for result in results if isinstance(results, list) else []:
        if not isinstance(result, dict) or not isinstance(result.get("metric_config"), dict):
            continue
        lower = result["metric_config"].get("lower_is_better")
        metric = result.get("evaluation_result_id", "score")
        if isinstance(metric, str) and metric in metrics and isinstance(lower, bool):
            directions[metric] = lower
    return directions

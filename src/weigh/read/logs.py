"""Logs of inspect_ai and lm-evaluation-harness."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from weigh.errors import InputError, plural
from weigh.read.json_text import (
    REWRITE,
    canonical_json,
    digest,
    field,
    json_objects,
    key_paths,
    label,
    optional_field,
    parse_json,
    top_keys,
)
from weigh.read.log_table import Facts, Log, LogSample, Samples, tabulate
from weigh.read.text import (
    blocks,
    check_unpacked,
    decode,
    file_label,
    quoted,
    read_whole,
    shown,
    unpack_ratio,
)

if TYPE_CHECKING:
    from weigh.read.formats import Head

INSPECT, LM_EVAL = "inspect_ai log", "lm-eval log"


# inspect_ai: one model and one task, as JSON or as an archive.

_ZIP = b"PK\x03\x04"
_HEADER, _SUMMARIES, _SAMPLES = "header.json", "summaries.json", "samples/"
_JOURNAL = "_journal/start.json"
_USED = ("id", "epoch", "input", "metadata", "scores", "model_usage", "total_time")
_LARGEST = 1 << 30  # bytes of one member of an archive
_CHUNK = 4096  # packed bytes unpacked at once: at most 128 MB, whatever the archive claims
_LONGEST_INPUT = 5120  # characters of an input that summaries keep
_CUT = 500  # characters: longer metadata that ends with dots was shortened by inspect_ai
_REMOVED = "Key removed from summary (> 1k)"
# inspect_ai's letters: correct, incorrect, partially correct, no answer.
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_ANSWERS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def is_inspect(head: Head) -> bool:
    """Whether a file is a log, by its first keys or the names of an archive's members."""
    if head.start.startswith(_ZIP):
        return head.path.endswith(".eval") or _JOURNAL.encode() in head.start
    return {("version",), ("status",), ("eval",), ("eval", "task")} <= key_paths(head.start)


def read_inspect(path: str) -> Log:
    """Read a log: scorers are metrics, the parts of a score SCORER/PART, epochs are runs."""
    if next(blocks(path), b"").startswith(_ZIP):
        return _inspect_log(path, *_read_archive(path))
    text = read_whole(path)
    document = parse_json(text, shown(path))
    samples = document.get("samples") if isinstance(document, dict) else None
    return _inspect_log(path, document, samples, digest(text))


def _read_archive(path: str) -> tuple[Any, Any]:
    """The header and the samples, in short form where there is one."""
    import sys
    import zlib

    if sys.version_info >= (3, 14):
        import zipfile

        from compression.zstd import ZstdError
    else:
        from backports.zstd import ZstdError, zipfile
    name = shown(path)
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if _HEADER not in names:
                if _JOURNAL in names:
                    raise InputError(
                        f"{name}: the evaluation has not finished; wait for inspect_ai"
                    )
                raise InputError(
                    f"{name}: an archive, but not an inspect_ai log; give another file"
                )
            header = _read_member(archive, _HEADER, name)
            if _SUMMARIES in names:
                return header, _read_member(archive, _SUMMARIES, name)
            members = dict.fromkeys(member for member in names if member.startswith(_SAMPLES))
            return header, [_short(_read_member(archive, member, name)) for member in members]
    except NotImplementedError:
        raise InputError(
            f"{name}: unknown compression; run inspect log convert {name} --to json "
            "--output-dir DIR"
        ) from None
    except (zipfile.BadZipFile, zlib.error, ZstdError, EOFError, RuntimeError, ValueError, OSError):
        raise InputError(f"{name}: a damaged archive; copy it again") from None


def _short(sample: object) -> object:
    """A sample without its messages and events, which take a lot of memory."""
    if not isinstance(sample, dict):
        return sample
    return {key: value for key, value in sample.items() if key in _USED}


def _read_member(archive: Any, member: str, name: str) -> Any:
    about = archive.getinfo(member)
    where = f"{name}: {shown(member)}"
    if about.file_size > _LARGEST:
        raise InputError(f"{where} has more than {_LARGEST:,} bytes; split the log")
    check_unpacked(where, about.file_size, about.compress_size, unpack_ratio())
    with archive.open(about) as stream:
        data = b"".join(iter(lambda: stream.read(_CHUNK), b""))
    return parse_json(decode(data, where), where)


def _inspect_log(path: str, document: object, records: object, file_id: str = "") -> Log:
    name = shown(path)
    about = field(document, "eval", dict, name)
    status = field(document, "status", str, name)
    system = label(about, "model", f"{name}: 'eval'")
    task = label(about, "task", f"{name}: 'eval'")
    if not isinstance(records, list) or not records:
        raise InputError(
            f"{name}: a log without samples; run inspect_ai without --no-log-samples, and wait "
            "for the evaluation to finish"
        )
    epochs = any(isinstance(record, dict) and record.get("epoch") != 1 for record in records)
    reader = Samples(path)
    for number, record in enumerate(records, 1):
        where = f"{name}: sample {number:,}"
        item, epoch = label(record, "id", where), str(field(record, "epoch", int, where))
        place = f"sample {shown(item[:60])}" + (f", epoch {epoch}" if epochs else "")
        content = record.get("input")
        reader.add(
            LogSample(
                place=place,
                system=system,
                task=task,
                item=item,
                run=epoch,
                scores=_inspect_scores(record, where),
                content=content[:_LONGEST_INPUT] if isinstance(content, str) else None,
                usage=_inspect_usage(record, system, where),
                metadata=_inspect_metadata(optional_field(record, "metadata", where)),
            )
        )
    samples = reader.finish()
    remarks: tuple[str, ...] = ()
    if status != "success":
        scored = sum(bool(sample.scores) for sample in samples)
        state = f"its status is {quoted(status)}, {scored:,} of {plural(len(samples), 'sample')}"
        if not scored:
            raise InputError(f"{name}: {state} have scores; run the evaluation again")
        remarks = (f"{file_label(path)}: {state} have scores",)
    arguments = {
        **optional_field(about, "task_args_passed", name),
        **{f"solver {key}": value for key, value in _solver(about).items()},
    }
    evaluation = about.get("eval_id")
    facts = Facts(
        kind=INSPECT,
        id=evaluation if isinstance(evaluation, str) and evaluation else file_id or path,
        created=_time(about.get("created")),
        settings={shown(key): canonical_json(value, name) for key, value in arguments.items()},
        is_finished=status == "success",
        remarks=remarks,
    )
    return tabulate(path, samples, facts)


def _solver(about: Mapping[str, Any]) -> dict[str, Any]:
    arguments = about.get("solver_args")
    solver = {"name": about["solver"]} if isinstance(about.get("solver"), str) else {}
    return solver | (arguments if isinstance(arguments, dict) else {})


def _time(text: object) -> datetime | None:
    with suppress(TypeError, ValueError, OverflowError):
        time = datetime.fromisoformat(str(text))
        return time.replace(tzinfo=time.tzinfo or UTC)
    return None


def _inspect_scores(record: dict[str, Any], where: str) -> dict[str, object]:
    scores: dict[str, object] = {}
    for scorer, score in optional_field(record, "scores", where).items():
        value = score.get("value") if isinstance(score, dict) else None
        parts = {scorer: value}
        if isinstance(value, dict):
            parts = {f"{scorer}/{part}": score for part, score in value.items()}
        for metric, part_value in parts.items():
            if metric in scores:
                raise InputError(f"{where}: two scores are called {quoted(metric)}; rename one")
            scores[metric] = _grade(part_value)
    return scores


def _grade(value: object) -> object:
    """The number that inspect_ai assigns to a string, if any."""
    if not isinstance(value, str):
        return value
    if value in _GRADES:
        return _GRADES[value]
    with suppress(ValueError):
        return float(value)
    return _ANSWERS.get(value.lower(), value)


def _inspect_usage(record: dict[str, Any], model: str, where: str) -> dict[str, object]:
    """Tokens and cost of the evaluated model, without those of models that grade."""
    by_model = optional_field(record, "model_usage", where)
    parts = [by_model[model]] if model in by_model else list(by_model.values())
    usage: dict[str, object] = {}
    for key, names in {
        "input_tokens": ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write"),
        "output_tokens": ("output_tokens",),
        "cost": ("total_cost",),
    }.items():
        numbers = [part.get(name) for part in parts if isinstance(part, dict) for name in names]
        numeric = [number for number in numbers if isinstance(number, int | float)]
        if numeric:
            usage[key] = sum(numeric)
    if "total_time" in record:
        usage["seconds"] = record["total_time"]
    return usage


def _inspect_metadata(record: dict[str, Any]) -> dict[str, object]:
    """Metadata without values that inspect_ai shortened: two of them may not be the same."""
    return {key: value for key, value in record.items() if not _is_shortened(value)}


def _is_shortened(value: object) -> bool:
    if not isinstance(value, str):
        return False
    return value in (_REMOVED, "...") or (len(value) > _CUT and value.endswith("..."))


# lm-evaluation-harness: a line for every item and filter, of one model and one task.

_SAMPLES_OF_TASK = re.compile(
    r"samples_(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+))?\.jsonl(?:\.gz|\.zst)?"
)
_NO_FILTER = "none"


def is_lm_eval(head: Head) -> bool:
    """Whether a file has samples, by their keys; after a very long first line, also by its name."""
    keys = top_keys(head.start)
    if {"doc_id", "resps", "filter", "metrics"} <= keys:
        return True
    is_cut = b"\n" not in head.start
    return is_cut and {"doc_id", "doc"} <= keys and PurePath(head.path).name.startswith("samples_")


def read_lm_eval(path: str) -> Log:
    """Read samples: the system is called after its folder, the task by the file's name.

    Scores of a filter are called METRIC/FILTER, and without one METRIC. Those of all filters but
    the first are optional.
    """
    name = shown(path)
    file = PurePath(path)
    system = file.parent.name or Path(path).absolute().parent.name or file.name
    named = _SAMPLES_OF_TASK.fullmatch(file.name)
    task = named["task"] if named else file.name
    samples = Samples(path)
    metrics: dict[str, dict[str, str]] = {}
    text = read_whole(path)
    for number, record in json_objects(text, name):
        where = f"{name}: line {number:,}"
        item, filtered = label(record, "doc_id", where), label(record, "filter", where)
        scores: dict[str, object] = {}
        for metric in field(record, "metrics", list, where):
            if not isinstance(metric, str) or metric not in record:
                raise InputError(
                    f"{where}: the metric {quoted(str(metric))} has no value; {REWRITE}"
                )
            title = metric if filtered == _NO_FILTER else f"{metric}/{filtered}"
            scores[title] = record[metric]
            metrics.setdefault(filtered, {})[title] = metric
        content, doc = record.get("doc_hash"), record.get("doc")
        samples.add(
            LogSample(
                place=f"line {number:,}",
                system=system,
                task=task,
                item=item,
                scores=scores,
                content=content if isinstance(content, str) else None,
                metadata=doc if isinstance(doc, dict) else {},
            )
        )
    first, *others = metrics or {_NO_FILTER: {}}
    of_metric = {title: metric for titles in metrics.values() for title, metric in titles.items()}
    beside = _results_beside(path, named)
    lower, settings = _lm_eval_results(beside, task)
    remarks: tuple[str, ...] = ()
    if others:
        remarks = (
            f"{shown(task)}: used the filter {shown(first)}; scores of other filters are called "
            + " and ".join(f"METRIC/{shown(other)}" for other in others),
        )
    facts = Facts(
        kind=LM_EVAL,
        id=digest(text),
        created=_stamp(named["time"]) if named and named["time"] else None,
        settings=settings,
        beside=frozenset([beside]),
        optional=frozenset(title for other in others for title in metrics[other]),
        lower_is_better={
            title: lower[metric] for title, metric in of_metric.items() if metric in lower
        },
        remarks=remarks,
    )
    return tabulate(path, samples.finish(), facts)


def _stamp(text: str) -> datetime | None:
    """The time in a file's name, where dashes stand for colons."""
    day, _, time = text.partition("T")
    return _time(f"{day}T{time.replace('-', ':')}")


def _results_beside(path: str, named: re.Match[str] | None) -> str:
    """The path of the results that were written together with samples, which may not exist."""
    time = named["time"] if named else None
    return str(PurePath(path).with_name(f"results_{time}.json")) if time else ""


def _lm_eval_results(path: str, task: str) -> tuple[dict[str, bool], dict[str, str]]:
    """Which metrics are errors, and how many examples there were."""
    if not path or not Path(path).is_file():
        return {}, {}
    results = parse_json(read_whole(path), shown(path))
    higher, shots = (
        results[key].get(task)
        if isinstance(results, dict) and isinstance(results.get(key), dict)
        else None
        for key in ("higher_is_better", "n-shot")
    )
    higher = higher if isinstance(higher, dict) else {}
    return (
        {metric: not is_higher for metric, is_higher in higher.items() if type(is_higher) is bool},
        {"num_fewshot": str(shots)} if isinstance(shots, int) else {},
    )

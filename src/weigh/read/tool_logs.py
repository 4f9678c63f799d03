"""What evaluation tools write, read as it is: lm-evaluation-harness, inspect_ai and promptfoo.

The reader of a tool makes samples of a file, one for each item, system and run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from weigh.errors import InputError, UsageError, plural
from weigh.read.inputs import FileArgument
from weigh.read.tables import parsed_json
from weigh.read.text import STDIN, blocks, check_characters, decode, quoted, read_whole, shown

_ONLY_RUN = "1"
_SAMPLES_OF_TASK = re.compile(r"samples_(.+?)(?:_\d{4}-\d\d-\d\dT[\d.-]+)?\.\w+(?:\.gz)?")
_ZIP = b"PK\x03\x04"
_LARGEST = 1 << 30  # bytes of what is packed in an archive
_LONGEST_PROMPT = 40  # characters of a prompt that stand in the name of a system
_PROVIDER_FAILED = 2  # promptfoo's reason of a failure: there was nothing to be tested
_KINDS: Mapping[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "missing",
}


class Sample(NamedTuple):
    """What a file says of an item: by metric, as it stands there.

    `content` tells whether two files mean the same item by a name; None where that is not known.
    `place` is its number in the file, from 1.
    """

    place: int
    system: str
    task: str
    item: str
    run: str
    scores: Mapping[str, object]
    content: str | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """A file of a tool.

    `spare` are metrics that are taken only if they are named, `filters` those of
    lm-evaluation-harness, of which the first is taken. `said` is to be told of the file.
    """

    name: str
    tool: str
    unit: str
    samples: Sequence[Sample]
    spare: frozenset[str] = frozenset()
    filters: tuple[str, ...] = ()
    said: list[str] = field(default_factory=list)

    def where(self, sample: Sample) -> str:
        """Return what a message calls a sample."""
        return f"{self.name}: {self.unit} {sample.place:,}"

    def named(self, file: FileArgument) -> Log:
        """Return the log with the system and the run that were given with the file."""
        samples: Sequence[Sample] = self.samples
        if file.name is not None:
            systems = list(dict.fromkeys(sample.system for sample in samples))
            if len(systems) > 1:
                raise UsageError(
                    f"{self.name}: {len(systems)} systems ({', '.join(map(shown, systems[:9]))}), "
                    f"but one name, {shown(file.name)}; give the file without a name"
                )
            samples = [sample._replace(system=file.name) for sample in samples]
        if file.run is not None:
            runs = {sample.run for sample in samples}
            if len(runs) > 1:
                raise UsageError(
                    f"{self.name}: {len(runs)} runs, but one name, @{shown(file.run)}; leave it out"
                )
            samples = [sample._replace(run=file.run) for sample in samples]
        return replace(self, samples=samples)


# Which tool it was.


def read_log(path: str) -> Log | None:
    """Read a file of a tool that its content tells; None if it is of no such tool."""
    if path == STDIN:
        return None
    name = shown(path)
    start = _first_line(path)
    if start.startswith(_ZIP):
        return _inspect_archive(path)
    start = start.removeprefix(b"\xef\xbb\xbf").strip()
    if not start.startswith(b"{"):
        return None
    document: Any = None
    if start != b"{":
        with suppress(InputError, UnicodeDecodeError):
            document = parsed_json(start.decode(), name, "")
        if not isinstance(document, dict):
            return None
        if _is_lm_eval(document):
            return _lm_eval(path)
        if {"promptIdx", "testIdx", "testCase"} <= set(document):
            raise InputError(
                f"{name}: promptfoo's JSON lines do not tell repeats; give what it writes with "
                "-o FILE.json"
            )
        if not _is_inspect(document) and not _is_promptfoo(document):
            return None
    document = parsed_json(read_whole(path), name, "let the tool write it again")
    if _is_inspect(document):
        return _inspect(document, document.get("samples"), name)
    return _promptfoo(document, name) if _is_promptfoo(document) else None


def described(cell: object) -> str:
    """Return what a message calls a value of JSON."""
    return _KINDS.get(type(cell), "something else")


def _first_line(path: str) -> bytes:
    """Return the first line of a file, or a little more; of an archive its first bytes."""
    parts: list[bytes] = []
    for block in blocks(path):
        parts.append(block)
        if b"\n" in block or parts[0].startswith(_ZIP):
            break
    start = b"".join(parts)
    return start if start.startswith(_ZIP) else start.split(b"\n", 1)[0]


def _field(record: object, key: str, kind: type | tuple[type, ...], where: str) -> Any:
    """Return what stands under a key; a value that is missing or of another kind is refused."""
    value = record.get(key) if isinstance(record, dict) else None
    if type(value) in (kind if isinstance(kind, tuple) else (kind,)):  # a bool is no number here
        return value
    raise _wrong(key, value, where)


def _wrong(key: str, value: object, where: str) -> InputError:
    return InputError(f"{where}: {key!r} is {described(value)}; let the tool write the file again")


def _label(record: object, key: str, where: str) -> str:
    label = str(_field(record, key, (str, int), where))
    check_characters(label, where)
    if not label:
        raise InputError(f"{where}: {key!r} is empty; let the tool write the file again")
    return label


# lm-evaluation-harness: a line for every item and filter, of one model and one task.


def _is_lm_eval(document: Mapping[str, object]) -> bool:
    return {"doc_id", "resps", "filter", "metrics"} <= set(document)


def _lm_eval(path: str) -> Log:
    name = shown(path)
    file = PurePath(path)
    system = file.parent.name or Path(path).absolute().parent.name or file.name
    of_task = _SAMPLES_OF_TASK.fullmatch(file.name)
    task = of_task[1] if of_task else file.name
    check_characters(system + task, f"{name}: its path")
    filters: dict[str, None] = {}
    items: dict[str, Sample] = {}
    lines: dict[tuple[str, str], int] = {}
    spare: set[str] = set()
    for place, record in _records(path):
        where = f"{name}: line {place:,}"
        item = _label(record, "doc_id", where)
        filtered = _label(record, "filter", where)
        before = lines.setdefault((item, filtered), place)
        if before != place:
            raise InputError(
                f"{where}: doc_id {quoted(item)} again, after line {before:,}; let the tool write "
                "the file again"
            )
        filters[filtered] = None
        scores = {}
        for metric in _field(record, "metrics", list, where):
            if not isinstance(metric, str) or metric not in record:
                raise InputError(
                    f"{where}: the metric {quoted(str(metric))} has no value; let the tool write "
                    "the file again"
                )
            if filtered == next(iter(filters)):
                scores[metric] = record[metric]
            else:  # taken only if it is named
                scores[f"{metric}/{filtered}"] = record[metric]
                spare.add(f"{metric}/{filtered}")
        content = record.get("doc_hash")
        content = content if isinstance(content, str) else None
        if item in items:
            if items[item].content != content:
                raise InputError(
                    f"{where}: doc_id {quoted(item)} with another 'doc_hash' than above"
                )
            items[item] = items[item]._replace(scores={**items[item].scores, **scores})
        else:
            items[item] = Sample(place, system, task, item, _ONLY_RUN, scores, content)
    samples = list(items.values())
    return Log(name, "lm-evaluation-harness", "line", samples, frozenset(spare), tuple(filters))


def _records(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON lines with their numbers; lines may be long."""
    name = shown(path)
    for place, line in enumerate(read_whole(path).split("\n"), 1):
        if line.strip():
            where = f"{name}: line {place:,}"
            record = parsed_json(line, where, "let the tool write the file again")
            if not isinstance(record, dict):
                raise InputError(f"{where} is not a JSON object; let the tool write the file again")
            yield place, record


# inspect_ai: a log of one model and one task, as JSON or as an archive.


def _is_inspect(document: object) -> bool:
    return (
        isinstance(document, dict)
        and {"version", "status", "eval"} <= set(document)
        and isinstance(document["eval"], dict)
        and {"task", "model"} <= set(document["eval"])
    )


def _inspect(document: Mapping[str, Any], samples: object, name: str, unit: str = "sample") -> Log:
    about = document["eval"]
    system = _label(about, "model", f"{name}: 'eval'")
    task = _label(about, "task", f"{name}: 'eval'")
    if not isinstance(samples, list) or not samples:
        raise InputError(
            f"{name}: a log without samples; run inspect_ai without --no-log-samples, and compare "
            "logs of evaluations that have ended"
        )
    found = []
    for place, record in enumerate(samples, 1):
        where = f"{name}: {unit} {place:,}"
        scores: dict[str, object] = {}
        scored = record.get("scores") if isinstance(record, dict) else None
        if scored is not None and not isinstance(scored, dict):
            raise _wrong("scores", scored, where)
        for scorer, score in (scored or {}).items():
            value = score.get("value") if isinstance(score, dict) else None
            if isinstance(value, dict):
                scores |= {f"{scorer}/{part}": each for part, each in value.items()}
            else:
                scores[scorer] = value
        item, run = _label(record, "id", where), str(_field(record, "epoch", int, where))
        content = record.get("input")
        content = content if isinstance(content, str) else None
        found.append(Sample(place, system, task, item, run, scores, content))
    status = document["status"]
    said = []
    if status != "success":
        scored_ones = sum(bool(sample.scores) for sample in found)
        told = f"its status is {quoted(str(status))}, and {scored_ones:,} of "
        told += f"{plural(len(found), 'sample')} have scores"
        if not scored_ones:
            raise InputError(f"{name}: {told}; let inspect_ai run it again")
        said.append(told)
    return Log(name, "inspect_ai", unit, found, said=said)


def _inspect_archive(path: str) -> Log | None:
    """Read an `.eval` file: a zip archive with a header and a summary of every sample."""
    import zipfile
    import zlib

    with suppress(ImportError):  # teaches Zstandard, which Python itself knows since 3.14
        import zipfile_zstd  # type: ignore[import-not-found]  # noqa: F401
    name = shown(path)
    remedy = f"run inspect log convert {name} --to json --output-dir DIR"
    parts: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if "_journal/start.json" in names and "header.json" not in names:
                raise InputError(f"{name}: the evaluation has not ended; let inspect_ai finish it")
            if not {"header.json", "summaries.json"} <= names:
                return None
            for part in ("header.json", "summaries.json"):
                if archive.getinfo(part).file_size > _LARGEST:
                    raise InputError(f"{name}: {part} has more than {_LARGEST:,} bytes; {remedy}")
                parts[part] = archive.read(part)
    except NotImplementedError:
        raise InputError(
            f"{name}: compressed in a way that this Python cannot read; pip install zipfile-zstd, "
            f"or {remedy}"
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError):
        raise InputError(f"{name}: a broken archive; copy it again") from None
    header, summaries = (
        parsed_json(decode(data, f"{name}: {part}"), f"{name}: {part}", remedy)
        for part, data in parts.items()
    )
    if not _is_inspect(header):
        return None
    return _inspect(header, summaries, name, "summary")


# promptfoo: results of all tests by all providers and prompts.


def _is_promptfoo(document: object) -> bool:
    return (
        isinstance(document, dict)
        and isinstance(document.get("results"), dict)
        and {"results", "prompts", "version"} <= set(document["results"])
    )


def _promptfoo(document: Mapping[str, Any], name: str) -> Log:
    records = _field(document["results"], "results", list, f"{name}: 'results'")
    if not records:
        raise InputError(f"{name}: no results; let promptfoo run at least one test")
    systems = _promptfoo_systems(records, name)
    items, said = _promptfoo_items(document, records, name)
    samples = []
    order = {}
    for place, record in enumerate(records, 1):
        where = f"{name}: result {place:,}"
        order[place] = record["testIdx"], record["promptIdx"]
        scores: dict[str, object] = {}
        if record.get("failureReason") != _PROVIDER_FAILED:
            scores["success"] = _field(record, "success", bool, where)
            scores["score"] = _field(record, "score", (int, float), where)
            named = record.get("namedScores")
            if named is not None and not isinstance(named, dict):
                raise _wrong("namedScores", named, where)
            scores |= {
                title: value for title, value in (named or {}).items() if title not in scores
            }
        item, run, content = items[record["testIdx"]]
        samples.append(
            Sample(place, systems[record["promptIdx"]], "tests", item, run, scores, content)
        )
    # Results stand as they came in; systems are listed in the order of the configuration.
    samples.sort(key=lambda sample: order[sample.place])
    failed = sum(not sample.scores for sample in samples)
    if failed:
        said.append(f"{plural(failed, 'result')} without a score, as the provider failed")
    return Log(name, "promptfoo", "result", samples, said=said)


def _promptfoo_systems(records: Sequence[object], name: str) -> dict[int, str]:
    """Return what the columns of results are called: providers, with prompts if several."""
    providers: dict[int, str] = {}
    prompts: dict[int, str] = {}
    for place, record in enumerate(records, 1):
        where = f"{name}: result {place:,}"
        column = _field(record, "promptIdx", int, where)
        provider = _field(record, "provider", dict, where)
        prompt = _field(record, "prompt", dict, where)
        providers[column] = _label(provider, "label" if provider.get("label") else "id", where)
        prompts[column] = _label(prompt, "label" if prompt.get("label") else "raw", where)
    systems = providers
    if len(set(prompts.values())) > 1:
        short = _short_prompts(list(dict.fromkeys(prompts.values())))
        systems = {column: f"{providers[column]}: {short[prompts[column]]}" for column in providers}
    twice = [system for system in systems.values() if list(systems.values()).count(system) > 1]
    if twice:
        raise InputError(
            f"{name}: two providers are called {quoted(twice[0])}; give each a label in the "
            "configuration of promptfoo"
        )
    return systems


def _short_prompts(prompts: Sequence[str]) -> dict[str, str]:
    """Return names of prompts: the labels, which promptfoo puts before their text, if they differ.

    >>> _short_prompts(["plain: Say {{word}}", "polite: Say {{word}}, please"])
    {'plain: Say {{word}}': 'plain', 'polite: Say {{word}}, please': 'polite'}
    """
    labels = [text.partition(": ")[0].strip() for text in prompts]
    starts = [" ".join(text.split()) for text in prompts]
    for names in (labels, starts):
        if len({name[:_LONGEST_PROMPT] for name in names if name}) == len(prompts):
            return {text: name[:_LONGEST_PROMPT] for text, name in zip(prompts, names, strict=True)}
    return {text: f"prompt {at}" for at, text in enumerate(prompts, 1)}


def _promptfoo_items(
    document: Mapping[str, Any], records: Sequence[Any], name: str
) -> tuple[dict[int, tuple[str, str, str]], list[str]]:
    """Return item, run and content by the number of a test, which counts repeats as well."""
    import json

    options = document.get("runtimeOptions")
    repeats = options.get("repeat") if isinstance(options, dict) else None
    repeats = repeats if isinstance(repeats, int) and repeats > 1 else 1
    tests: dict[int, tuple[str, str]] = {}
    for place, record in enumerate(records, 1):
        where = f"{name}: result {place:,}"
        test = _field(record, "testCase", dict, where)
        content = json.dumps(test.get("vars"), sort_keys=True)
        test_of = (content, json.dumps(test.get("assert"), sort_keys=True))
        if tests.setdefault(_field(record, "testIdx", int, where), test_of) != test_of:
            raise InputError(
                f"{where}: another test than above has the same 'testIdx'; let the tool write the "
                "file again"
            )
    same: dict[tuple[str, str], list[int]] = {}
    for index in sorted(tests):
        same.setdefault(tests[index], []).append(index)
    if any(len(indexes) % repeats for indexes in same.values()):
        raise InputError(
            f"{name}: not all tests are there {repeats:,} times, as repeat={repeats:,} says; let "
            "promptfoo run them all"
        )
    said = []
    twice = next((indexes for indexes in same.values() if len(indexes) > repeats), None)
    if twice is not None:
        said.append(f"some tests are the same ({twice[0]} and {twice[-1]}), and count twice")
    firsts = sorted(index for indexes in same.values() for index in indexes[::repeats])
    names = {first: str(at) for at, first in enumerate(firsts)}
    found: dict[int, tuple[str, str, str]] = {}
    for indexes in same.values():
        for at, index in enumerate(indexes):
            item = names[indexes[at - at % repeats]]
            found[index] = (item, str(at % repeats + 1), tests[index][0])
    return found, said

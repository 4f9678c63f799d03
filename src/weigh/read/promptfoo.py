"""Results of promptfoo: all tests by all providers and prompts, in one JSON file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from weigh.errors import InputError, plural
from weigh.read.json_text import (
    REWRITE,
    canonical_json,
    digest,
    field,
    key_paths,
    label,
    optional_field,
    parse_json,
    top_keys,
)
from weigh.read.log_table import Facts, Log, LogSample, Samples, seconds, tabulate
from weigh.read.text import file_label, quoted, read_whole, shown

if TYPE_CHECKING:
    from weigh.read.formats import Head

PROMPTFOO = "promptfoo log"
_TASK = "tests"
_LONGEST_PROMPT = 40  # characters of a prompt in the name of a system
_PROVIDER_FAILED = 2  # promptfoo's reason of a failure: there was no output to test


def is_promptfoo(head: Head) -> bool:
    """Whether a file is from `promptfoo eval -o FILE.json`."""
    keys = key_paths(head.start)
    inner = {("results", "timestamp"), ("results", "prompts"), ("results", "results")}
    return ("results", "version") in keys and not inner.isdisjoint(keys)


def is_promptfoo_lines(head: Head) -> bool:
    """Whether a file is from `promptfoo eval -o FILE.jsonl`."""
    return {"promptIdx", "testIdx", "testCase"} <= top_keys(head.start)


def refuse_promptfoo_lines(path: str) -> NoReturn:
    """Reject JSON lines, which do not distinguish repeated tests from different ones."""
    raise InputError(
        f"{shown(path)}: promptfoo's JSON lines do not number repeats; give the file that it "
        "writes with -o FILE.json"
    )


def read_promptfoo(path: str) -> Log:
    """Read results: providers are systems, with prompts if there are several; repeats are runs."""
    name = shown(path)
    text = read_whole(path)
    document = parse_json(text, name)
    records = field(field(document, "results", dict, name), "results", list, f"{name}: 'results'")
    if not records:
        raise InputError(f"{name}: no results; let promptfoo run at least one test")
    systems = _systems(records, name)
    items, remarks = _items(document, records, name)
    # Results are in the order in which they came in; systems keep the order of the configuration.
    order = sorted(
        range(len(records)), key=lambda at: (records[at]["testIdx"], records[at]["promptIdx"])
    )
    reader = Samples(path)
    for at in order:
        record, where = records[at], f"{name}: result {at + 1:,}"
        item, run, content = items[record["testIdx"]]
        test = record["testCase"]
        reader.add(
            LogSample(
                place=f"result {at + 1:,}",
                system=systems[record["promptIdx"]],
                task=_TASK,
                item=item,
                run=run,
                scores=_scores(record, where),
                content=content,
                usage=_usage(record),
                metadata=optional_field(test, "metadata", where)
                | {"vars": optional_field(test, "vars", where)},
            )
        )
    samples = reader.finish()
    failed = sum(not sample.scores for sample in samples)
    if failed:
        remarks.append(f"{plural(failed, 'result')} without a score, because the provider failed")
    is_same = all(sample.scores.get("success") == sample.scores.get("score") for sample in samples)
    facts = Facts(
        kind=PROMPTFOO,
        id=_evaluation_id(document) or digest(text),
        optional=frozenset(["score"]) if is_same else frozenset(),
        remarks=tuple(f"{file_label(path)}: {remark}" for remark in remarks),
    )
    return tabulate(path, samples, facts)


def _evaluation_id(document: Mapping[str, Any]) -> str:
    evaluation = document.get("evalId")
    return evaluation if isinstance(evaluation, str) else ""


def _scores(record: dict[str, Any], where: str) -> dict[str, object]:
    if record.get("failureReason") == _PROVIDER_FAILED:
        return {}
    scores = {
        "success": field(record, "success", bool, where),
        "score": field(record, "score", (int, float), where),
    }
    return optional_field(record, "namedScores", where) | scores


def _usage(record: Mapping[str, Any]) -> dict[str, object]:
    usage: dict[str, object] = {}
    response = record.get("response")
    tokens = response.get("tokenUsage") if isinstance(response, dict) else None
    if isinstance(tokens, dict):
        usage |= {"input_tokens": tokens.get("prompt"), "output_tokens": tokens.get("completion")}
    if "latencyMs" in record:
        usage["seconds"] = seconds(record["latencyMs"])
    if "cost" in record:
        usage["cost"] = record["cost"]
    return usage


def _systems(records: Sequence[object], name: str) -> dict[int, str]:
    """Name the columns of results."""
    providers: dict[int, str] = {}
    prompts: dict[int, str] = {}
    for number, record in enumerate(records, 1):
        where = f"{name}: result {number:,}"
        column = field(record, "promptIdx", int, where)
        provider = field(record, "provider", dict, where)
        prompt = field(record, "prompt", dict, where)
        providers[column] = label(provider, "label" if provider.get("label") else "id", where)
        prompts[column] = label(prompt, "label" if prompt.get("label") else "raw", where)
    systems = providers
    if len(set(prompts.values())) > 1:
        short = _short_prompts(list(dict.fromkeys(prompts.values())))
        systems = {column: f"{providers[column]}: {short[prompts[column]]}" for column in providers}
    seen: set[str] = set()
    for system in systems.values():
        if system in seen:
            raise InputError(
                f"{name}: two providers are called {quoted(system)}; give each a label in the "
                "configuration of promptfoo"
            )
        seen.add(system)
    return systems


def _short_prompts(prompts: Sequence[str]) -> dict[str, str]:
    """Name prompts by their labels, which promptfoo puts before the text, if they differ.

    >>> _short_prompts(["plain: Say {{word}}", "polite: Say {{word}}, please"])
    {'plain: Say {{word}}': 'plain', 'polite: Say {{word}}, please': 'polite'}
    """
    labels = [" ".join(text.partition(": ")[0].split()) for text in prompts]
    starts = [" ".join(text.split()) for text in prompts]
    for names in (labels, starts):
        if len({name[:_LONGEST_PROMPT] for name in names if name}) == len(prompts):
            return {text: name[:_LONGEST_PROMPT] for text, name in zip(prompts, names, strict=True)}
    return {text: f"prompt {number}" for number, text in enumerate(prompts, 1)}


def _items(
    document: Mapping[str, Any], records: Sequence[Any], name: str
) -> tuple[dict[int, tuple[str, str, str]], list[str]]:
    """The item, run and content of each test; promptfoo numbers repeated tests as new ones."""
    options = document.get("runtimeOptions")
    repeats = options.get("repeat") if isinstance(options, dict) else None
    repeats = repeats if isinstance(repeats, int) and repeats > 1 else 1
    tests: dict[int, tuple[str, ...]] = {}
    for number, record in enumerate(records, 1):
        where = f"{name}: result {number:,}"
        test = field(record, "testCase", dict, where)
        key = tuple(canonical_json(test.get(part), where) for part in ("vars", "assert"))
        if tests.setdefault(field(record, "testIdx", int, where), key) != key:
            raise InputError(f"{where}: 'testIdx' repeats that of another test above; {REWRITE}")
    same: dict[tuple[str, ...], list[int]] = {}
    for index in sorted(tests):
        same.setdefault(tests[index], []).append(index)
    if any(len(indexes) % repeats for indexes in same.values()):
        raise InputError(
            f"{name}: repeat is {repeats:,}, but some tests have fewer results; let promptfoo run "
            "them all"
        )
    remarks = []
    twice = next((indexes for indexes in same.values() if len(indexes) > repeats), None)
    if twice is not None:
        remarks.append(f"some tests are identical ({twice[0]} and {twice[-1]}) and count twice")
    firsts = sorted(index for indexes in same.values() for index in indexes[::repeats])
    names = {first: str(at) for at, first in enumerate(firsts)}
    items: dict[int, tuple[str, str, str]] = {}
    for key, indexes in same.items():
        for at, index in enumerate(indexes):
            item = names[indexes[at - at % repeats]]
            items[index] = (item, str(at % repeats + 1), key[0])
    return items, remarks

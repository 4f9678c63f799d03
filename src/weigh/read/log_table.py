"""Samples of an evaluation log, laid out as a table in long form.

The table has one row for every sample and metric, in the columns `system`, `slice` (the task),
`item`, `run`, `metric` and `score`. There may also be

- `lower_is_better`: "true" or "false", where the log says it;
- `optional`: "true" for metrics to be used only if the user names them;
- `input_tokens`, `output_tokens`, `seconds`, `cost`: numbers, the same for all metrics of a sample;
- `metadata.KEY`: labels of the sample, nested keys joined by dots.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError
from weigh.read.columns import label_text
from weigh.read.json_text import REWRITE, describe, number
from weigh.read.table import Labels, Table
from weigh.read.text import check_characters, file_label, quoted, shown

if TYPE_CHECKING:
    from datetime import datetime

    from weigh.read.table import Column

USAGE = ("input_tokens", "output_tokens", "seconds", "cost")
"""Columns of numbers that are no scores."""

_MOST_METADATA = 200
_DEEPEST_METADATA = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSample:
    """The scores of one item in one run. `place` is where people find it: "line 12".

    A sample without scores failed. `content` shows whether two logs mean the same item by a name.
    """

    place: str
    system: str
    task: str
    item: str
    run: str = "1"
    scores: Mapping[str, object]
    content: str | None = None
    usage: Mapping[str, object] = field(default_factory=dict)
    metadata: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts that a log states about itself.

    Two logs with the same `id`, systems and tasks are copies of one evaluation. Logs whose
    `settings` differ are not repetitions of each other. `beside` are other files that were read.
    """

    kind: str
    id: str
    created: datetime | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    is_finished: bool = True
    beside: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    lower_is_better: Mapping[str, bool] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Log(Table):
    """The table of one log. `contents` and their places are by task and item."""

    facts: Facts
    contents: Mapping[tuple[str, str], tuple[str, str]]


class Samples:
    """The samples of one log while it is read. Records of the same sample are put together."""

    def __init__(self, path: str) -> None:
        self._name = shown(path)
        self._samples: dict[tuple[str, ...], LogSample] = {}
        self._contents: dict[tuple[str, str], str] = {}

    def add(self, sample: LogSample) -> None:
        """Add a sample, or further scores of one."""
        where = f"{self._name}: {sample.place}"
        key = (sample.system, sample.task, sample.item, sample.run)
        before = self._samples.get(key)
        if before is None:
            self._samples[key] = sample
        elif not sample.scores or not before.scores.keys().isdisjoint(sample.scores):
            raise InputError(
                f"{where}: repeats item {quoted(sample.item)} of {shown(sample.system)}, first in "
                f"{before.place}; {REWRITE}"
            )
        else:
            self._samples[key] = replace(
                before,
                scores={**before.scores, **sample.scores},
                usage={**before.usage, **sample.usage},
                metadata={**before.metadata, **sample.metadata},
            )
        if sample.content is not None:
            content = self._contents.setdefault((sample.task, sample.item), sample.content)
            if content != sample.content:
                raise InputError(
                    f"{where}: item {quoted(sample.item)} has different inputs in this log; "
                    f"{REWRITE}"
                )

    def finish(self) -> list[LogSample]:
        """The samples in order of appearance."""
        return list(self._samples.values())


def tabulate(path: str, samples: Sequence[LogSample], facts: Facts) -> Log:
    """Lay out samples as a table."""
    name = shown(path)
    _check_names(name, samples)
    metrics, left_out = _numeric_metrics(name, samples)
    sample_rows, metric_rows, scores = [], [], []
    for at, sample in enumerate(samples):
        for metric in sample.scores or metrics:
            if metric in metrics:
                sample_rows.append(at)
                metric_rows.append(metrics[metric])
                scores.append(_number(sample.scores.get(metric)))
    rows = np.array(sample_rows, np.int64)
    metric_codes = np.array(metric_rows, np.int32)

    def by_sample(cells: Iterable[str | None]) -> Labels:
        labels = Labels.of(cells)
        return Labels(labels.codes[rows], labels.names)

    def by_metric(cells: Iterable[str | None]) -> Labels:
        labels = Labels.of(cells)
        return Labels(labels.codes[metric_codes], labels.names)

    columns: dict[str, Column] = {
        "system": by_sample(sample.system for sample in samples),
        "slice": by_sample(sample.task for sample in samples),
        "item": by_sample(sample.item for sample in samples),
        "run": by_sample(sample.run for sample in samples),
        "metric": Labels(metric_codes, list(metrics)),
        "score": np.array(scores, np.float64),
    }
    if any(metric in facts.lower_is_better for metric in metrics):
        lower = [facts.lower_is_better.get(metric) for metric in metrics]
        columns["lower_is_better"] = by_metric(None if low is None else _text(low) for low in lower)
    if any(metric in facts.optional for metric in metrics):
        columns["optional"] = by_metric(_text(metric in facts.optional) for metric in metrics)
    for title in USAGE:
        if any(title in sample.usage for sample in samples):
            numbers = [_usage(sample.usage.get(title)) for sample in samples]
            columns[title] = np.array(numbers, np.float64)[rows]
    metadata, too_many = _metadata(name, samples)
    columns |= {title: by_sample(cells) for title, cells in metadata.items()}
    remarks = [*facts.remarks, *left_out]
    if too_many:
        remarks.append(
            f"{file_label(path)}: only the first {_MOST_METADATA} metadata keys are read"
        )
    places = [sample.place for sample in samples]
    return Log(
        name=path,
        columns=columns,
        where=lambda row: f"{name}: {places[int(rows[row])]}",
        remarks=tuple(remarks),
        facts=facts,
        contents={
            (sample.task, sample.item): (sample.content, f"{name}: {sample.place}")
            for sample in reversed(samples)
            if sample.content is not None
        },
    )


def _check_names(name: str, samples: Sequence[LogSample]) -> None:
    names = {text: what for sample in samples for text, what in _names(sample)}
    for text, what in names.items():
        check_characters(text, f"{name}: the name of a {what}")
        if not text or any(ord(character) < 32 or character == "\x7f" for character in text):
            raise InputError(
                f"{name}: the name of a {what} is {quoted(text)}; names must consist of "
                "printable characters"
            )


def _names(sample: LogSample) -> Iterable[tuple[str, str]]:
    yield sample.system, "system"
    yield sample.task, "task"
    for metric in sample.scores:
        yield metric, "metric"


def _numeric_metrics(name: str, samples: Sequence[LogSample]) -> tuple[dict[str, int], list[str]]:
    """Number the metrics whose scores are all numbers, and say which are not."""
    odd: dict[str, str] = {}
    missing = True
    titles: dict[str, int] = {}
    for sample in samples:
        for metric, value in sample.scores.items():
            score = _number(value)
            if score is None:
                odd.setdefault(metric, f"{describe(value)} in {sample.place}")
            elif math.isinf(score):
                raise InputError(
                    f"{name}: {sample.place}: {shown(metric)} is not a finite number; check that "
                    "sample"
                )
            else:
                titles.setdefault(metric, 0)
                missing = missing and math.isnan(score)
    if missing and not odd:
        raise InputError(f"{name}: no sample has a score; check that scoring finished")
    metrics = [metric for metric in titles if metric not in odd]
    reasons = [f"{shown(metric)} is {reason}" for metric, reason in odd.items()]
    if not metrics:
        raise InputError(f"{name}: no metric has a number for every sample: {reasons[0]}")
    if not reasons:
        return {metric: at for at, metric in enumerate(metrics)}, []
    task = shown(samples[0].task)
    remark = f"{task}: left out {', '.join(map(shown, odd))}, whose scores are not numbers"
    return {metric: at for at, metric in enumerate(metrics)}, [remark]


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, bool) else number(value)


def seconds(milliseconds: object) -> float:
    """Milliseconds of a log in seconds; NaN if they are not a number."""
    return _usage(milliseconds) / 1000


def _usage(value: object) -> float:
    amount = number(value)
    return amount if amount is not None and math.isfinite(amount) else math.nan


def _text(value: bool) -> str:
    return "true" if value else "false"


def _metadata(name: str, samples: Sequence[LogSample]) -> tuple[dict[str, list[str | None]], bool]:
    """The columns of metadata, and whether there are too many to read them all."""
    columns: dict[str, list[str | None]] = {}
    too_many = False
    for at, sample in enumerate(samples):
        for title, text in _flat(sample.metadata, "metadata"):
            if title not in columns:
                if len(columns) == _MOST_METADATA:
                    too_many = True
                    continue
                columns[title] = [None] * len(samples)
            check_characters(title + text, f"{name}: {sample.place}")
            columns[title][at] = text
    return columns, too_many


def _flat(record: Mapping[str, object], above: str) -> Iterable[tuple[str, str]]:
    """Yield labels with their keys joined by dots; lists and missing values are none."""
    for key, value in record.items():
        title = f"{above}.{key}"
        if isinstance(value, dict) and above.count(".") < _DEEPEST_METADATA:
            yield from _flat(value, title)
        elif not isinstance(value, dict | list) and (text := label_text(value)) is not None:
            yield title, text

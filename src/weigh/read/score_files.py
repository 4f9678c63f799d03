"""Segment scores that COMET, MetricX and mt-metrics-eval write, and plain files of numbers.

Scores without systems have no column `system`, and the items of scores without ids are numbered
from 1. Files of two numbers per line have the columns `numerator` and `denominator` instead of
`score`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError
from weigh.read.json_text import (
    LIST,
    describe,
    field,
    json_objects,
    key_paths,
    label,
    parse_json,
    top_keys,
)
from weigh.read.table import Labels, Table
from weigh.read.text import (
    NUMBER,
    check_characters,
    file_label,
    less_gz,
    quoted,
    read_texts,
    read_whole,
    shortest_endings,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.read.formats import Head
    from weigh.read.table import Column

_COMET = "COMET"
_METRICX, _PREDICTION = "MetricX", "prediction"
_MISSING = ("", "none", "null", "na", "n/a", "nan")
_PASSED = {"true": 1.0, "false": 0.0}
_FINITE = "give every segment a finite score, or none"


# COMET: an object with a list of segments for each system.


def is_comet(head: Head) -> bool:
    """Recognize what `comet-score --to_json` writes."""
    return any(path[1:] == (LIST, _COMET) for path in key_paths(head.start))


def read_comet(path: str) -> Table:
    """Read the scores of all systems; a system is called after its file."""
    name = shown(path)
    content = parse_json(read_whole(path), name)
    if not isinstance(content, dict):
        raise InputError(f"{name}: an object with a list of segments for each system was expected")
    systems, items, scores, places = [], [], [], []
    short_names = shortest_endings([less_gz(system) for system in content])
    for system, short in zip(content, short_names, strict=True):
        segments = field(content, system, list, name)
        check_characters(system, name)
        for number, segment in enumerate(segments, 1):
            place = f"{quoted(system)}, segment {number:,}"
            if not isinstance(segment, Mapping) or _COMET not in segment:
                raise InputError(f"{name}: {place} has no key {_COMET!r}; run comet-score again")
            systems.append(short)
            items.append(str(number))
            scores.append(_number(segment[_COMET], f"{name}: {place}"))
            places.append(place)
    columns = {"system": Labels.of(systems), "item": Labels.of(items)}
    return _table(path, columns, _COMET, scores, lambda row: places[row])


# MetricX: JSON lines with a prediction for each hypothesis.

_PREDICTED = re.compile(rb'"prediction"\s*:\s*-?[0-9]')


def is_metricx(head: Head) -> bool:
    """Recognize predictions that are numbers."""
    line = head.start.partition(b"\n")[0]
    return {"hypothesis", _PREDICTION} <= top_keys(head.start) and bool(_PREDICTED.search(line))


def read_metricx(path: str) -> Table:
    """Read predictions, with the columns `system_id` and `segment_id` where there are any."""
    name = shown(path)
    systems, items, scores, lines = [], [], [], []
    for number, record in json_objects(read_whole(path), name):
        where = f"{name}: line {number:,}"
        if _PREDICTION not in record:
            raise InputError(f"{where} has no key {_PREDICTION!r}; run MetricX again")
        systems.append(_key(record, ("system", "system_id"), where))
        items.append(_key(record, ("segment", "segment_id", "id"), where))
        scores.append(_number(record[_PREDICTION], where))
        lines.append(number)
    columns: dict[str, Column] = {}
    for title, cells in (("system", systems), ("item", items)):
        if None not in cells:
            columns[title] = Labels.of(cells)
        elif any(cell is not None for cell in cells):
            raise InputError(f"{name}: some lines have no {title}; give it on all lines or none")
    if "item" not in columns:
        columns["item"] = _numbered(systems)
    columns["lower_is_better"] = Labels.of(["true"] * len(scores))
    remark = f"{file_label(path)}: MetricX predicts errors, so lower is better"
    return _table(path, columns, _METRICX, scores, lambda row: f"line {lines[row]:,}", remark)


def _key(record: dict[str, object], keys: Sequence[str], where: str) -> str | None:
    key = next((key for key in keys if key in record), None)
    return None if key is None else label(record, key, where)


def _numbered(systems: Sequence[str | None]) -> Labels:
    """Number the rows of each system from 1."""
    counts: dict[str | None, int] = {}
    items = []
    for system in systems:
        counts[system] = counts.get(system, 0) + 1
        items.append(str(counts[system]))
    return Labels.of(items)


# mt-metrics-eval: system and score on each line, segments in order.


def is_segment_scores(head: Head) -> bool:
    """Recognize `.seg.score` and `.sys.score` by name."""
    return less_gz(head.path).lower().endswith(".score") and not is_numbers(head)


def read_segment_scores(path: str) -> Table:
    """Read a `.seg.score` file; its name is that of the metric."""
    name = shown(path)
    base = PurePath(less_gz(path)).name.removesuffix(".score")
    if base.endswith(".sys"):
        raise InputError(f"{name}: one score per system; give the scores of segments, .seg.score")
    metric = base.removesuffix(".seg") or "score"
    systems, scores = [], []
    for number, line in enumerate(read_texts(path), 1):
        where = f"{name}: line {number:,}"
        cells = line.split()
        if len(cells) < 2:
            raise InputError(f"{where} has {len(cells)} columns; give a system and a score")
        systems.append(" ".join(cells[:-1]))
        scores.append(_parse(cells[-1], where))
    columns = {"system": Labels.of(systems), "item": _numbered(systems)}
    return _table(path, columns, metric, scores, lambda row: f"line {row + 1:,}")


# Plain numbers: one or two on each line.


def is_numbers(head: Head) -> bool:
    """Recognize files whose first lines are all numbers, as many on each."""
    lines = head.start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").split("\n")
    *complete, last = lines
    rows = [line.split() for line in (complete or [last])]
    numbers = [[cell for cell in row if _is_number(cell)] for row in rows]
    width = max(map(len, rows))
    return (
        width in (1, 2)
        and any(len(row) == width for row in numbers)
        and all(row == cells for row, cells in zip(rows, numbers, strict=True))
        and (width == 1 or all(len(row) == 2 for row in rows))
    )


def _is_number(cell: str) -> bool:
    word = cell.lower()
    return bool(NUMBER.fullmatch(cell)) or word in _MISSING or word in _PASSED or _is_infinite(word)


def read_numbers(path: str) -> Table:
    """Read one score per line, or a numerator and a denominator."""
    name = shown(path)
    lines = read_texts(path)
    width = max(len(line.split()) for line in lines[:1000])
    if width not in (1, 2):
        raise InputError(f"{name}: {width:,} numbers on a line; give one score, or two for a ratio")
    columns: list[list[float]] = [[] for _ in range(width)]
    for number, line in enumerate(lines, 1):
        where = f"{name}: line {number:,}"
        cells = line.split() or [""] * width
        if len(cells) != width:
            raise InputError(f"{where} has {len(cells):,} numbers, but others have {width:,}")
        for column, cell in zip(columns, cells, strict=True):
            column.append(_parse(cell, where))
        if width == 2 and columns[1][-1] < 0:
            raise InputError(f"{where}: the denominator is negative; give the size of the segment")
    items: dict[str, Column] = {"item": Labels.of(str(at + 1) for at in range(len(lines)))}
    if width == 1:
        return _table(path, items, "score", columns[0], lambda row: f"line {row + 1:,}")
    for title, values in zip(("numerator", "denominator"), columns, strict=True):
        items[title] = np.array(values, np.float64)
    items["metric"] = Labels(np.zeros(len(lines), np.int32), ["score"])
    return Table(name=path, columns=items, where=lambda row: f"{name}: line {row + 1:,}")


def _table(
    path: str,
    columns: Mapping[str, Column],
    metric: str,
    scores: Sequence[float],
    place: Callable[[int], str],
    *remarks: str,
) -> Table:
    name = shown(path)
    if not scores:
        raise InputError(f"{name}: no scores; give at least one segment")
    if all(map(math.isnan, scores)):
        raise InputError(f"{name}: all scores are missing; check the file")
    check_characters(metric, name)
    return Table(
        name=path,
        columns={
            **columns,
            "metric": Labels(np.zeros(len(scores), np.int32), [metric]),
            "score": np.array(scores, np.float64),
        },
        where=lambda row: f"{name}: {place(row)}",
        remarks=remarks,
    )


def _parse(cell: str, where: str) -> float:
    """A number as people and programs write it, NaN where it is missing."""
    word = cell.lower()
    if word in _MISSING:
        return math.nan
    if word in _PASSED:
        return _PASSED[word]
    if not NUMBER.fullmatch(cell) and not _is_infinite(word):
        raise InputError(f"{where} is not a number but {quoted(cell)}; give one score")
    return _finite(float(cell), where)


def _is_infinite(word: str) -> bool:
    return re.fullmatch("[+-]?inf(inity)?", word) is not None


def _number(value: object, where: str) -> float:
    """A score of JSON, NaN where it is missing."""
    if value is None:
        return math.nan
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise InputError(f"{where}: the score is {describe(value)}; give a number")
    try:
        return _finite(float(value), where)
    except OverflowError:
        return _finite(math.inf, where)


def _finite(number: float, where: str) -> float:
    if math.isinf(number):
        raise InputError(f"{where}: the score is not a finite number; {_FINITE}")
    return number

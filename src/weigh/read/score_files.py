"""Segment scores that COMET, MetricX and mt-metrics-eval write, and plain files of numbers.

Scores without systems have no column `system`, and the items of scores without ids are numbered
from 1. Files of two numbers per line have the columns `numerator` and `denominator` instead of
`score`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError
from weigh.read.columns import INFINITE, MISSING, Columns, Kind
from weigh.read.json_text import (
    LIST,
    field,
    json_objects,
    key_paths,
    label,
    parse_json,
    top_keys,
)
from weigh.read.roles import RATIO
from weigh.read.table import Table
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

_COMET = "COMET"
_METRICX, _PREDICTION = "MetricX", "prediction"
_WORDS = {*MISSING, "true", "false"}


# COMET: an object with a list of segments for each system.


def is_comet(head: Head) -> bool:
    """Whether a file is from `comet-score --to_json`."""
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
        for number, segment in enumerate(field(content, system, list, name), 1):
            place = f"{quoted(system)}, segment {number:,}"
            if not isinstance(segment, Mapping) or _COMET not in segment:
                raise InputError(f"{name}: {place} has no key {_COMET!r}; run comet-score again")
            systems.append(short)
            items.append(str(number))
            scores.append(segment[_COMET])
            places.append(place)
    cells = {"system": systems, "item": items, "score": scores}
    return _table(path, cells, _COMET, places.__getitem__)


_COMET_LINE = re.compile(r"(?P<file>.+)\tSegment (?P<segment>\d+)\tscore: (?P<score>\S+)")
_COMET_MEAN = re.compile(r".+\tscore: \S+")


def is_comet_output(head: Head) -> bool:
    """Whether a file is printed output of `comet-score`."""
    line = head.start.partition(b"\n")[0].decode("utf-8", "replace")
    return _COMET_LINE.fullmatch(line.rstrip("\r")) is not None


def read_comet_output(path: str) -> Table:
    """Read the printed scores of segments; lines with the mean of a system are skipped."""
    rows = []
    for number, line in enumerate(read_texts(path), 1):
        match = _COMET_LINE.fullmatch(line)
        if match is not None:
            rows.append((number, match))
        elif _COMET_MEAN.fullmatch(line) is None:
            raise InputError(
                f"{shown(path)}: line {number:,} is not what comet-score prints; give its output "
                "as it is, or that of comet-score --to_json"
            )
    files = list(dict.fromkeys(match["file"] for _, match in rows))
    names = dict(zip(files, shortest_endings(list(map(less_gz, files))), strict=True))
    cells = {
        "system": [names[match["file"]] for _, match in rows],
        "item": [str(int(match["segment"]) + 1) for _, match in rows],
        "score": [match["score"] for _, match in rows],
    }
    return _table(path, cells, _COMET, lambda row: f"line {rows[row][0]:,}")


# MetricX: JSON lines with a prediction for each hypothesis.

_PREDICTED = re.compile(rb'"prediction"\s*:\s*-?[0-9]')


def is_metricx(head: Head) -> bool:
    """Whether a file has MetricX predictions that are numbers."""
    line = head.start.partition(b"\n")[0]
    return {"hypothesis", _PREDICTION} <= top_keys(head.start) and bool(_PREDICTED.search(line))


def read_metricx(path: str) -> Table:
    """Read predictions, with the columns `system_id` and `segment_id` if there are any."""
    name = shown(path)
    systems, items, scores, lines = [], [], [], []
    for number, record in json_objects(read_whole(path), name):
        where = f"{name}: line {number:,}"
        if _PREDICTION not in record:
            raise InputError(f"{where} has no key {_PREDICTION!r}; run MetricX again")
        systems.append(_key(record, ("system", "system_id"), where))
        items.append(_key(record, ("segment", "segment_id", "id"), where))
        scores.append(record[_PREDICTION])
        lines.append(number)
    cells: dict[str, Sequence[object]] = {}
    for title, labels in (("system", systems), ("item", items)):
        if None not in labels:
            cells[title] = labels
        elif any(label is not None for label in labels):
            raise InputError(f"{name}: some lines have no {title}; give it on all lines or none")
    cells.setdefault("item", _number_rows(systems))
    cells |= {"lower_is_better": ["true"] * len(scores), "score": scores}
    remark = f"{file_label(path)}: MetricX predicts errors, so lower is better"
    return _table(path, cells, _METRICX, lambda row: f"line {lines[row]:,}", remark)


def _key(record: dict[str, object], keys: Sequence[str], where: str) -> str | None:
    key = next((key for key in keys if key in record), None)
    return None if key is None else label(record, key, where)


def _number_rows(systems: Sequence[str | None]) -> list[str]:
    """Number the rows of each system from 1."""
    counts: dict[str | None, int] = {}
    items = []
    for system in systems:
        counts[system] = counts.get(system, 0) + 1
        items.append(str(counts[system]))
    return items


# mt-metrics-eval: system and score on each line, segments in order.


def is_segment_scores(head: Head) -> bool:
    """Whether a file's name ends in `.seg.score` or `.sys.score`."""
    return less_gz(head.path).lower().endswith(".score") and not is_numbers(head)


def read_segment_scores(path: str) -> Table:
    """Read a `.seg.score` file; its name is that of the metric."""
    name = shown(path)
    base = PurePath(less_gz(path)).name.removesuffix(".score")
    if base.endswith(".sys"):
        raise InputError(
            f"{name}: contains one score per system; give the segment scores, .seg.score"
        )
    metric = base.removesuffix(".seg") or "score"
    systems, scores = [], []
    for number, line in enumerate(read_texts(path), 1):
        where = f"{name}: line {number:,}"
        cells = line.split()
        if len(cells) < 2:
            raise InputError(f"{where} has {len(cells)} columns; give a system and a score")
        systems.append(" ".join(cells[:-1]))
        scores.append(cells[-1])
    content = {"system": systems, "item": _number_rows(systems), "score": scores}
    return _table(path, content, metric, _line)


# Plain numbers: one or two on each line.


def is_numbers(head: Head) -> bool:
    """Whether the first lines of a file are all numbers, as many on each."""
    lines = head.start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").split("\n")
    *complete, last = lines
    rows = [line.split() for line in (complete or [last])]
    widths = {*map(len, rows)}
    are_alike = widths in ({1}, {0, 1}, {2})  # an empty line is a missing score
    return are_alike and all(_is_number(cell) for row in rows for cell in row)


def _is_number(cell: str) -> bool:
    word = cell.lower()
    return (
        NUMBER.fullmatch(cell) is not None or word in _WORDS or INFINITE.fullmatch(word) is not None
    )


def read_numbers(path: str) -> Table:
    """Read one score per line, or a numerator and a denominator."""
    name = shown(path)
    lines = read_texts(path)
    width = max(len(line.split()) for line in lines[:1000])
    if width not in (1, 2):
        raise InputError(f"{name}: {width:,} numbers on a line; give one score, or two for a ratio")
    rows = []
    for number, line in enumerate(lines, 1):
        cells = line.split() or [""] * width
        if len(cells) != width:
            raise InputError(
                f"{name}: line {number:,} has {len(cells):,} numbers, but others have {width:,}"
            )
        rows.append(cells)
    titles = ("score",) if width == 1 else RATIO
    content = dict(zip(titles, zip(*rows, strict=True), strict=True))
    content["item"] = tuple(str(at + 1) for at in range(len(lines)))
    table = _table(path, content, "score", _line)
    if width == 2 and (negative := table.numbers(RATIO[1]) < 0).any():
        where = table.where(int(negative.argmax()))
        raise InputError(f"{where}: the denominator is negative; give the size of the segment")
    return table


def _line(row: int) -> str:
    return f"line {row + 1:,}"


def _table(
    path: str,
    cells: Mapping[str, Sequence[object]],
    metric: str,
    place: Callable[[int], str],
    *remarks: str,
) -> Table:
    """The scores of one metric; `place` names a row in messages."""
    name = shown(path)
    check_characters(metric, name)
    size = len(cells["item"])
    if not size:
        raise InputError(f"{name}: no scores; give at least one segment")
    numbers = [title for title in ("score", *RATIO) if title in cells]
    kinds: dict[str, Kind] = {title: "number" if title in numbers else "label" for title in cells}
    columns = Columns(kinds, name, lambda row: f"{name}: {place(row)}")
    columns.add(size, cells.__getitem__)
    table = columns.finish().with_label("metric", metric)
    if all(np.isnan(table.numbers(title)).all() for title in numbers):
        raise InputError(f"{name}: all scores are missing; check the file")
    return replace(table, remarks=(*table.remarks, *remarks))

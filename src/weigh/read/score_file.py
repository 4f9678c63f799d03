"""One file of segment scores, in the formats that other programs write.

The ending of the name, less `.gz`, tells the format:

- `.tsv`: a row of column names, then one row per score; `.jsonl`: one JSON object per line, such
  as MetricX writes. Both name the score `score` or `prediction`, and where they tell it, the
  system `system` or `system_id` and the segment `segment`, `segment_id` or `id`.
- `.json`: what `comet-score --to_json` writes, an object with a list of segments per system.
- `.score`: what mt-metrics-eval calls `.seg.score`: system and score, segments in order.
- anything else: one number per line.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from weigh.errors import InputError, did_you_mean
from weigh.read.argument import file_names
from weigh.read.lines import read_texts
from weigh.read.stream import quoted, read_whole, shown

_SCORE = ("score", "prediction")
_SYSTEM = ("system", "system_id")
_SEGMENT = ("segment", "segment_id", "id")
_COMET = "COMET"

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE = ("nan", "inf", "infinity")
_MISSING = ("", "none", "null", "na", "n/a")


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """One system's scores as a file holds them; `label` names them in messages.

    `name` is None where the file names no system, and `ids` is None where segments are known by
    their order alone.
    """

    label: str
    name: str | None
    scores: tuple[float, ...]
    ids: tuple[str, ...] | None = None


# What a row says: where it stands, system, segment and score.
_Row = tuple[str, str | None, str | None, float]


def read_score_file(path: str, id_column: str | None = None) -> list[ScoreColumn]:
    """Return the scores of every system in a file; `id_column` names the segments' column."""
    name = shown(path)
    form = _ending(path)
    if form == ".json":
        return _comet(read_whole(path), name)
    lines = read_texts(path)
    if form == ".tsv":
        return _columns(_tsv_rows(lines, name, id_column), name)
    if form == ".jsonl":
        return _columns(_json_rows(lines, name, id_column), name)
    if form == ".score":
        return _columns(_pair_rows(lines, name), name)
    scores = (_number(line, f"{name}: line {at:,}") for at, line in enumerate(lines, 1))
    return [ScoreColumn(name, None, tuple(scores))]


def _ending(path: str) -> str:
    return PurePath(path[:-3] if path.lower().endswith(".gz") else path).suffix.lower()


def _columns(rows: Iterable[_Row], name: str) -> list[ScoreColumn]:
    """Group rows by system, in order of appearance."""
    scores: dict[str | None, list[float]] = {}
    ids: dict[str | None, list[str]] = {}
    seen: set[tuple[str | None, str]] = set()
    for where, system, segment, score in rows:
        scores.setdefault(system, []).append(score)
        if segment is not None:
            if (system, segment) in seen:
                of = "" if system is None else f" of {shown(system)}"
                raise InputError(
                    f"{where}: the segment {quoted(segment)}{of} occurs twice; "
                    "every segment needs one score"
                )
            seen.add((system, segment))
            ids.setdefault(system, []).append(segment)
    if not scores:
        raise InputError(f"{name}: no scores; give at least one for each system")
    return [
        ScoreColumn(
            name if system is None else f"{name}, {shown(system)}",
            system,
            tuple(values),
            tuple(ids[system]) if system in ids else None,
        )
        for system, values in scores.items()
    ]


def _tsv_rows(lines: Sequence[str], name: str, id_column: str | None) -> Iterator[_Row]:
    header = lines[0].split("\t")
    for title, count in Counter(header).items():
        if count > 1:
            raise InputError(f"{name}: two columns are called {quoted(title)}; rename one")
    score_at, system_at, segment_at = (
        None if key is None else header.index(key)
        for key in _keys(header, f"{name}: the first line", "column", id_column)
    )
    assert score_at is not None
    for at, line in enumerate(lines[1:], 2):
        where = f"{name}: line {at:,}"
        cells = line.split("\t")
        if len(cells) != len(header):
            raise InputError(
                f"{where} has {len(cells):,} cells, but the header has {len(header):,}; "
                "separate cells by one tab each"
            )
        system = None if system_at is None else _filled(cells[system_at], where, "system")
        segment = None if segment_at is None else _filled(cells[segment_at], where, "segment")
        yield where, system, segment, _number(cells[score_at], where)


def _json_rows(lines: Sequence[str], name: str, id_column: str | None) -> Iterator[_Row]:
    first: tuple[str, str | None, str | None] | None = None
    for at, line in enumerate(lines, 1):
        where = f"{name}: line {at:,}"
        row = _parsed(line, where)
        if not isinstance(row, dict):
            raise InputError(f"{where} is not a JSON object; give one object on each line")
        keys = _keys(list(row), where, "key", id_column)
        first = first or keys
        if keys != first:
            raise InputError(
                f"{where} has not the keys of line 1 ({', '.join(filter(None, first))}); "
                "give every line the same"
            )
        score, system, segment = keys
        yield (
            where,
            None if system is None else _label(row[system], where, system),
            None if segment is None else _label(row[segment], where, segment),
            _value(row[score], where),
        )


def _keys(
    found: Sequence[str], where: str, noun: str, id_column: str | None
) -> tuple[str, str | None, str | None]:
    """Return what score, system and segment are called here."""
    score = next((key for key in _SCORE if key in found), None)
    if score is None:
        known = did_you_mean("score", [shown(each)[:60] for each in found[:20]])
        raise InputError(f"{where} has no {noun} 'score' or 'prediction' ({known})")
    if id_column is not None and id_column not in found:
        known = did_you_mean(id_column, [shown(each)[:60] for each in found[:20]])
        raise InputError(f"{where} has no {noun} {quoted(id_column)}; name one with --id ({known})")
    system = next((key for key in _SYSTEM if key in found), None)
    segment = id_column or next((key for key in _SEGMENT if key in found), None)
    return score, system, segment


def _pair_rows(lines: Sequence[str], name: str) -> Iterator[_Row]:
    for at, line in enumerate(lines, 1):
        where = f"{name}: line {at:,}"
        cells = line.split()
        if len(cells) < 2:
            raise InputError(f"{where} has {len(cells)} columns; give a system and its score")
        yield where, " ".join(cells[:-1]), None, _number(cells[-1], where)


def _comet(text: str, name: str) -> list[ScoreColumn]:
    content = _parsed(text, name)
    if not isinstance(content, dict) or not content:
        raise InputError(
            f"{name}: not what comet-score --to_json writes, an object with a list of segments "
            "for each system; give JSON lines the ending .jsonl"
        )
    for system, segments in content.items():
        if not isinstance(segments, list) or not segments:
            raise InputError(
                f"{name}: {quoted(system)} has no list of segments, as comet-score --to_json "
                "writes it; give JSON lines the ending .jsonl"
            )
    return [
        ScoreColumn(
            f"{name}, {shown(short)}",
            short,
            tuple(
                _comet_score(segment, f"{name}: {quoted(system)}, segment {at:,}")
                for at, segment in enumerate(segments, 1)
            ),
        )
        for short, (system, segments) in zip(
            file_names(list(content)), content.items(), strict=True
        )
    ]


def _comet_score(segment: object, where: str) -> float:
    if not isinstance(segment, Mapping) or _COMET not in segment:
        raise InputError(f"{where} has no key {_COMET!r}, as comet-score --to_json writes it")
    return _value(segment[_COMET], where)


def _parsed(text: str, where: str) -> Any:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", "too deep or too long a value")
        line = getattr(error, "lineno", 1)
        column = getattr(error, "colno", 1)
        place = f"column {column:,}" if line == 1 else f"line {line:,}, column {column:,}"
        raise InputError(
            f"{where} is not JSON ({reason} at {place}); check the file's format and ending"
        ) from None


def _filled(cell: str, where: str, what: str) -> str:
    if not cell:
        raise InputError(f"{where} has an empty {what}; fill it in")
    return cell


def _label(value: object, where: str, key: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value:
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{where} has half of a surrogate pair; write the whole character"
            ) from None
        return value
    raise InputError(f"{where}: {quoted(key)} is not a string or whole number; give it one")


def _number(text: str, where: str) -> float:
    """Return a number as people and programs write it; `1_000` and `nan` are none."""
    stripped = text.strip(" \t")
    if _NUMBER.fullmatch(stripped):
        return _value(float(stripped), where)
    if stripped.lower() in _MISSING:
        raise InputError(f"{where} has no score; every segment of every system needs one")
    if stripped.lower().lstrip("+-") in _NOT_FINITE:
        return _value(math.nan, where)
    raise InputError(f"{where} is not a number but {quoted(stripped)}; give one score")


def _value(value: object, where: str) -> float:
    if value is None:
        raise InputError(f"{where} has no score; every segment of every system needs one")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{where}: the score is not a number; write it without quotes")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{where}: the score is not a finite number; look at that segment")
    return number

"""One file of segment scores, in the formats that other programs write.

The ending of the name, less `.gz`, tells the format:

- `.tsv`: a row of column names, then one row per score; `.jsonl`: one JSON object per line, such
  as MetricX writes. Both name the score `score` or `prediction`, and where they tell it, the
  system `system` or `system_id`, the segment `segment`, `segment_id` or `id`, and the direction
  `lower_is_better`. All scores of a file are by one `metric`, if it tells that.
- `.json`: what `comet-score --to_json` writes, an object with a list of segments per system.
- `.score`: what mt-metrics-eval calls `.seg.score`: system and score, segments in order.
- anything else: one number per line.

For a ratio, two numbers stand where one does for a score: in columns or keys `numerator` and
`denominator`, or beside each other. COMET's format has no place for them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from weigh.errors import InputError, did_you_mean
from weigh.read.inputs import file_names
from weigh.read.tables import cells_of, parsed_json
from weigh.read.text import (
    NUMBER,
    check_characters,
    ending,
    quoted,
    read_texts,
    read_whole,
    shown,
)

_SCORE = ("score", "prediction")
_RATIO = ("numerator", "denominator")
_SYSTEM = ("system", "system_id")
_SEGMENT = ("segment", "segment_id", "id")
_METRIC, _LOWER = "metric", "lower_is_better"
_COMET = "COMET"
_CHECK = "check the file's format and ending"

_NOT_FINITE = ("nan", "inf", "infinity")
_MISSING = ("", "none", "null", "na", "n/a")
_PASSED = {"true": 1.0, "false": 0.0}


# A number, or the numerator and the denominator of a ratio.
Score = float | tuple[float, float]


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """One system's scores as a file holds them; `label` names them in messages.

    `name` is None where the file names no system, and `ids` is None where segments are known by
    their order alone. A score that is missing is None. `lower` says whether small scores are good,
    where the file says it.
    """

    label: str
    name: str | None
    scores: tuple[Score | None, ...]
    ids: tuple[str, ...] | None = None
    lower: bool | None = None


@dataclass(frozen=True, slots=True)
class ScoreFormat:
    """What a file's rows hold: a score or the two numbers of a `ratio`, which may be missing.

    `id_column` names the column or key of the segments.
    """

    id_column: str | None = None
    ratio: bool = False
    allow_missing: bool = False

    @property
    def what(self) -> str:
        """What stands in one row, for messages."""
        return "two numbers" if self.ratio else "one score"

    def of_texts(self, cells: Sequence[str], where: str) -> Score | None:
        """Return the score that is written in these cells."""
        return self._score([_number(cell, where) for cell in cells], where)

    def of_values(self, values: Sequence[object], where: str) -> Score | None:
        """Return the score that these values of JSON are."""
        return self._score([_value(value, where) for value in values], where)

    def _score(self, numbers: Sequence[float | None], where: str) -> Score | None:
        finite = []
        for number in numbers:
            if self.allow_missing and (number is None or math.isnan(number)):
                return None
            if number is None:
                raise InputError(
                    f"{where} has no score; every segment of every system needs one, or add "
                    "--allow-missing"
                )
            if not math.isfinite(number):
                raise InputError(f"{where}: the score is not a finite number; look at that segment")
            finite.append(number)
        if not self.ratio:
            return finite[0]
        numerator, denominator = finite
        if denominator < 0:
            raise InputError(f"{where}: the denominator is negative; give the size of the segment")
        return numerator, denominator


def read_score_file(path: str, form: ScoreFormat) -> list[ScoreColumn]:
    """Return the scores of every system in a file."""
    name = shown(path)
    kind = ending(path)
    if kind == ".json":
        return _comet(read_whole(path), name, form)
    lines = read_texts(path)
    if kind == ".tsv":
        return _columns(_tsv_rows(lines, name, form), name)
    if kind == ".jsonl":
        return _columns(_json_rows(lines, name, form), name)
    if kind == ".score":
        return _columns(_named_rows(lines, name, form), name)
    scores = (
        form.of_texts(_cells(line, f"{name}: line {at:,}", form), f"{name}: line {at:,}")
        for at, line in enumerate(lines, 1)
    )
    return [ScoreColumn(name, None, tuple(scores))]


def _cells(line: str, where: str, form: ScoreFormat) -> list[str]:
    if not form.ratio:
        return [line]
    cells = line.split()
    if len(cells) != 2:
        raise InputError(f"{where} has {len(cells)} columns; give a numerator and a denominator")
    return cells


class _Row(NamedTuple):
    """What a row says, and where it stands; `metric` and `lower` as they are written."""

    where: str
    system: str | None
    segment: str | None
    score: Score | None
    metric: str | None = None
    lower: str | None = None


def _columns(rows: Iterable[_Row], name: str) -> list[ScoreColumn]:
    """Group rows by system, in order of appearance."""
    scores: dict[str | None, list[Score | None]] = {}
    ids: dict[str | None, list[str]] = {}
    seen: set[tuple[str | None, str]] = set()
    first: _Row | None = None
    for row in rows:
        first = first or row
        _check_alike(row, first)
        where, system, segment, score = row[:4]
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
            None if first is None or first.lower is None else first.lower == "true",
        )
        for system, values in scores.items()
    ]


def _check_alike(row: _Row, first: _Row) -> None:
    """Refuse scores by two metrics, and a direction that is none or another one."""
    if row.metric != first.metric:
        raise InputError(
            f"{row.where}: scores by {quoted(row.metric or '')} after those by "
            f"{quoted(first.metric or '')}; give a file for each metric"
        )
    if row.lower is not None and row.lower not in ("true", "false"):
        raise InputError(f"{row.where}: {_LOWER} is {quoted(row.lower)}; say true or false")
    if row.lower != first.lower:
        raise InputError(f"{row.where}: {_LOWER} is another than before; say the same on all lines")


def _tsv_rows(lines: Sequence[str], name: str, form: ScoreFormat) -> Iterator[_Row]:
    header = lines[0].split("\t")
    for title, count in Counter(header).items():
        if count > 1:
            raise InputError(f"{name}: two columns are called {quoted(title)}; rename one")
    scores, system_key, segment_key = _keys(header, f"{name}: the first line", "column", form)
    places = [header.index(key) for key in scores]
    # What `weigh score --segments` writes has the scores of whole systems too.
    ours = segment_key == "segment" and {"metric", "signature"} <= {*header}
    for at, line in enumerate(lines[1:], 2):
        where = f"{name}: line {at:,}"
        cells = cells_of(line, len(header), where)
        if ours and not cells[header.index("segment")]:
            continue
        system, segment = (
            None if key is None else _filled(cells[header.index(key)], where, what)
            for key, what in ((system_key, "system"), (segment_key, "segment"))
        )
        metric, lower = (
            cells[header.index(key)] if key in header else None for key in (_METRIC, _LOWER)
        )
        score = form.of_texts([cells[place] for place in places], where)
        yield _Row(where, system, segment, score, metric, lower and lower.lower())


def _json_rows(lines: Sequence[str], name: str, form: ScoreFormat) -> Iterator[_Row]:
    first: _Keys | None = None
    for at, line in enumerate(lines, 1):
        where = f"{name}: line {at:,}"
        row = parsed_json(line, where, _CHECK)
        if not isinstance(row, dict):
            raise InputError(f"{where} is not a JSON object; give one object on each line")
        keys = _keys(list(row), where, "key", form)
        first = first or keys
        if keys != first:
            expected = ", ".join(filter(None, (*first[0], *first[1:])))
            raise InputError(
                f"{where} has not the keys of line 1 ({expected}); give every line the same"
            )
        scores, system, segment = keys
        yield _Row(
            where,
            None if system is None else _label(row[system], where, system),
            None if segment is None else _label(row[segment], where, segment),
            form.of_values([row[score] for score in scores], where),
            None if _METRIC not in row else str(row[_METRIC]),
            None if _LOWER not in row else str(row[_LOWER]).lower(),
        )


# What score (or numerator and denominator), system and segment are called.
_Keys = tuple[tuple[str, ...], str | None, str | None]


def _keys(found: Sequence[str], where: str, noun: str, form: ScoreFormat) -> _Keys:
    """Return what score, system and segment are called here."""
    known = [shown(each)[:60] for each in found[:20]]
    if form.ratio:
        scores: tuple[str, ...] = _RATIO
        for key in _RATIO:
            if key not in found:
                raise InputError(f"{where} has no {noun} {key!r} ({did_you_mean(key, known)})")
    else:
        scores = tuple(key for key in _SCORE if key in found)[:1]
        if not scores:
            raise InputError(
                f"{where} has no {noun} 'score' or 'prediction' ({did_you_mean('score', known)})"
            )
    column = form.id_column
    if column is not None and column not in found:
        raise InputError(
            f"{where} has no {noun} {quoted(column)}; name one with --id "
            f"({did_you_mean(column, known)})"
        )
    system = next((key for key in _SYSTEM if key in found), None)
    segment = column or next((key for key in _SEGMENT if key in found), None)
    return scores, system, segment


def _named_rows(lines: Sequence[str], name: str, form: ScoreFormat) -> Iterator[_Row]:
    numbers = 2 if form.ratio else 1
    for at, line in enumerate(lines, 1):
        where = f"{name}: line {at:,}"
        cells = line.split()
        if len(cells) <= numbers:
            raise InputError(f"{where} has {len(cells)} columns; give a system and {form.what}")
        system = " ".join(cells[:-numbers])
        yield _Row(where, system, None, form.of_texts(cells[-numbers:], where))


def _comet(text: str, name: str, form: ScoreFormat) -> list[ScoreColumn]:
    if form.ratio:
        raise InputError(f"{name}: COMET's format has no ratios; give them as TSV or JSON lines")
    content = parsed_json(text, name, _CHECK)
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
                _comet_score(segment, f"{name}: {quoted(system)}, segment {at:,}", form)
                for at, segment in enumerate(segments, 1)
            ),
        )
        for short, (system, segments) in zip(
            file_names(list(content)), content.items(), strict=True
        )
    ]


def _comet_score(segment: object, where: str, form: ScoreFormat) -> Score | None:
    if not isinstance(segment, Mapping) or _COMET not in segment:
        raise InputError(f"{where} has no key {_COMET!r}, as comet-score --to_json writes it")
    return form.of_values([segment[_COMET]], where)


def _filled(cell: str, where: str, what: str) -> str:
    if not cell:
        raise InputError(f"{where} has an empty {what}; fill it in")
    return cell


def _label(value: object, where: str, key: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value:
        check_characters(value, where)
        return value
    raise InputError(f"{where}: {quoted(key)} is not a string or whole number; give it one")


def _number(text: str, where: str) -> float | None:
    """Return a number as people and programs write it, None where there is none; not `1_000`."""
    stripped = text.strip(" \t")
    if NUMBER.fullmatch(stripped):
        return float(stripped)
    if stripped.lower() in _MISSING:
        return None
    if stripped.lower() in _PASSED:
        return _PASSED[stripped.lower()]
    if stripped.lower().lstrip("+-") in _NOT_FINITE:
        return float(stripped)
    raise InputError(f"{where} is not a number but {quoted(stripped)}; give one score")


def _value(value: object, where: str) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float):
        raise InputError(f"{where}: the score is not a number; write it without quotes")
    try:
        return float(value)
    except OverflowError:
        return math.inf

"""N-best lists as JSON lines: `{"id": …, "text": …, "features": {…}, "alignment": …}`.

A feature's value is a number or a list of numbers, which become `Name_0 Name_1` as in Moses'
lists. Further keys are kept for the metrics that need them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from weigh.errors import InputError
from weigh.read.nbest import Candidate, FeatureNames, finite
from weigh.read.stream import quoted

_OWN = ("id", "text", "features")


def parse_lines(
    lines: Iterable[tuple[int, str]], name: str, feature_names: FeatureNames
) -> Iterator[Candidate]:
    """Yield the candidates of numbered lines."""
    keys: list[tuple[str, int]] = []
    names: tuple[str, ...] = ()
    for number, line in lines:
        where = f"{name}: line {number:,}"
        row = _row(line, where)
        labels, values = _features(row["features"], where)
        if labels != keys or not names:
            keys, names = labels, feature_names.expand(labels, where)
        extra = {
            key: value if isinstance(value, str | int | float) else json.dumps(value)
            for key, value in row.items()
            if key not in _OWN
        }
        segment = _identifier(row["id"], where)
        yield Candidate(segment, row["text"], names, values, extra, number, extra.get("score"))


def _row(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", "too deep or too long a value")
        raise InputError(f"{where} is not JSON ({reason}); give one object on each line") from None
    if not isinstance(row, dict):
        raise InputError(f"{where} is not a JSON object; give one object on each line")
    if "id" not in row:
        raise InputError(f"{where}: 'id' is missing; give a string or whole number")
    for key, kind, expected in (("text", str, "a string"), ("features", dict, "an object")):
        if not isinstance(row.get(key), kind):
            found = "missing" if key not in row else f"not {expected}"
            raise InputError(f"{where}: {key!r} is {found}; give {expected}")
    if "\\u" in line:
        try:
            row["text"].encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{where} has half of a surrogate pair; write the whole character"
            ) from None
    return row


def _identifier(value: Any, where: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value:
        return value
    raise InputError(f"{where}: the id is not a string or whole number; give it one")


def _features(features: dict[str, Any], where: str) -> tuple[list[tuple[str, int]], list[float]]:
    labels: list[tuple[str, int]] = []
    numbers: list[Any] = []
    for label, value in features.items():
        given = value if isinstance(value, list) else [value]
        labels.append((label, len(value) if isinstance(value, list) else 0))
        for each in given or [None]:
            if not isinstance(each, int | float) or isinstance(each, bool):
                raise InputError(
                    f"{where}: the feature {quoted(label)} is not a number; give a number"
                )
        numbers += given
    if not numbers:
        raise InputError(f"{where} has no features; give at least one")
    return labels, finite(numbers, where)


def write_json(
    ids: Iterable[str],
    texts: Iterable[str],
    names: tuple[str, ...],
    rows: Iterable[Iterable[float]],
) -> Iterator[str]:
    """Yield one JSON object per candidate, without line ends."""
    for segment, text, row in zip(ids, texts, rows, strict=True):
        features = dict(zip(names, map(float, row), strict=True))
        yield json.dumps(
            {"id": segment, "text": text, "features": features}, ensure_ascii=False, allow_nan=False
        )

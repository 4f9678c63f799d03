"""The numbers of a JSON document by path, and the differences between two sets of them.

A path is that of a record and a field. Records of a list have keys made of their names
(`comparisons[bleu,good,poor,randomization]`), so that their order does not matter. Text, booleans
and the settings that a result repeats are left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

Value = int | float | list[Any] | dict[str, float]
Numbers = dict[str, dict[str, Value]]

# Fields that name a record.
NAMES = (
    "metric", "system", "a", "b", "against", "test", "run", "slice", "document", "scale", "pair",
    "judge", "feature", "label", "row", "column", "size", "alpha", "strength", "share", "segment",
)  # fmt: skip
# Settings, what pictures alone show, what is no number of ours, and where a solver stopped.
IGNORED = {
    "plan", "level", "seed", "decimals", "schema", "surfaces", "envelope", "readings", "compat",
    "trees", "published", "files", "figures", "series", "bins", "gap",
}  # fmt: skip
LONG_LIST = 50
MANY_RECORDS = 24


def numbers(document: Any) -> Numbers:
    """All numbers of a document: by the path of their record, then by field."""
    found: Numbers = {}
    for record, field, value in _walk(document, ""):
        found.setdefault(record, {})[field] = value
    return found


def _walk(value: Any, path: str) -> Iterator[tuple[str, str, Value]]:
    for field, part in value.items():
        if field in IGNORED:
            continue
        inner = f"{path}.{field}" if path else field
        if _is_number(part):
            yield path, field, _short(part)
        elif isinstance(part, dict):
            yield from _walk(part, inner)
        elif isinstance(part, list) and part:
            if all(isinstance(each, dict) for each in part):
                yield from _records(part, inner)
            elif flat := [each for each in _flat(part) if _is_number(each)]:
                yield (
                    path,
                    field,
                    _summary(flat) if len(flat) > LONG_LIST else list(map(_short, flat)),
                )


def _records(records: list[dict[str, Any]], path: str) -> Iterator[tuple[str, str, Value]]:
    if len(records) > MANY_RECORDS:
        columns: dict[tuple[str, str], list[float]] = {}
        for record in records:
            metric = record.get("metric")
            for inner, field, value in _walk(record, f"{path}[{metric}]" if metric else path):
                if isinstance(value, int | float):
                    columns.setdefault((inner, field), []).append(value)
                elif isinstance(value, list):
                    columns.setdefault((inner, field), []).extend(value)
        for (inner, field), column in columns.items():
            yield inner, field, _summary(column)
        return
    seen: dict[str, int] = {}
    for record in records:
        names = [str(record[name]) for name in NAMES if _is_name(record.get(name))]
        key = ",".join(names)
        seen[key] = seen.get(key, 0) + 1
        again = f"#{seen[key]}" if seen[key] > 1 or not key else ""
        yield from _walk(record, f"{path}[{key}{again}]")


def _is_name(value: Any) -> bool:
    return (isinstance(value, str) and value != "") or _is_number(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _flat(values: list[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        else:
            yield value


def _short(value: float) -> float:
    """The number with twelve significant digits."""
    return float(f"{value:.12g}") if isinstance(value, float) else value


def _summary(values: list[float]) -> dict[str, float]:
    return {
        "count": len(values),
        "sum": _short(math.fsum(values)),
        "absolute": _short(math.fsum(map(abs, values))),
    }


def differences(recorded: Numbers, found: Numbers, tolerance: float = 1e-9) -> list[str]:
    """Recorded numbers that are missing or have another value. New numbers are allowed."""
    changes = []
    for record, fields in recorded.items():
        for field, value in fields.items():
            now = found.get(record, {}).get(field)
            place = f"{record}.{field}" if record else field
            if now is None:
                changes.append(f"{place}: {json.dumps(value)} is missing")
            elif not _same(value, now, tolerance):
                changes.append(f"{place}: {json.dumps(value)} is now {json.dumps(now)}")
    return changes


def _same(value: Value, now: Value, tolerance: float) -> bool:
    if isinstance(value, dict):
        if not isinstance(now, dict) or value["count"] != now["count"]:
            return False
        size = value["absolute"]
        return all(abs(value[each] - now[each]) <= tolerance * size for each in ("sum", "absolute"))
    if isinstance(value, list):
        return (
            isinstance(now, list)
            and len(value) == len(now)
            and all(_same(*both, tolerance) for both in zip(value, now, strict=True))
        )
    if not isinstance(now, int | float):
        return False
    if isinstance(value, int):
        return value == now
    return math.isclose(value, now, rel_tol=tolerance, abs_tol=1e-14)

"""JSON of other programs: strict parsing, and recognition by the first keys."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from typing import Any

from weigh.errors import InputError
from weigh.read.text import check_characters, quoted

REWRITE = "export the file again"
"""The remedy for a file that its tool should have written otherwise."""

ONE_OBJECT = "give one object on each line"
"""The remedy for a line of JSON lines."""

LIST = "[]"
"""Stands for any place of a list in a path of keys."""

_KINDS = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "missing",
}
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|["{}\[\]:]', re.DOTALL)
_DEEPEST = 3


class RepeatedKeyError(ValueError):
    """An object of a JSON text has a key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.msg = f"the key {quoted(key)} occurs twice in one object"


def parse_json(text: str, where: str, remedy: str = REWRITE) -> Any:
    """Parse JSON; an object with the same key twice is an error."""
    try:
        return json.loads(text, object_pairs_hook=unique_keys)
    except RepeatedKeyError as error:
        raise InputError(f"{where}: {error.msg}; keep one of them") from None
    except json.JSONDecodeError as error:
        at = f"column {error.colno:,}"
        if error.lineno > 1:
            at = f"line {error.lineno:,}, {at}"
        raise InputError(f"{where} is not JSON ({error.msg} at {at}); {remedy}") from None
    except (ValueError, RecursionError):
        raise InputError(
            f"{where} is not JSON (a value is nested too deeply or is too long); {remedy}"
        ) from None


def canonical_json(value: object, where: str) -> str:
    """The same text for equal values."""
    try:
        return json.dumps(value, sort_keys=True)
    except RecursionError:
        raise InputError(f"{where}: a value is nested too deeply; {REWRITE}") from None


def digest(text: str) -> str:
    """A hash that identifies a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Reject an object with a key twice: the `object_pairs_hook` of all JSON that weigh reads."""
    row = dict(pairs)
    if len(row) < len(pairs):
        raise RepeatedKeyError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return row


def parse_object(line: str, where: str) -> dict[str, Any]:
    """Parse a line of JSON lines."""
    row = parse_json(line, where, ONE_OBJECT)
    if not isinstance(row, dict):
        raise InputError(f"{where} is not a JSON object; {ONE_OBJECT}")
    return row


def json_objects(text: str, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON lines with their line numbers."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, parse_object(line, f"{name}: line {number:,}")


@lru_cache(maxsize=4)
def key_paths(start: bytes) -> frozenset[tuple[str, ...]]:
    """The paths of keys in the first JSON value of a text, which may be cut off.

    >>> sorted(key_paths(b'[{"id": 1, "stats": [{"mean": 2, "na'))
    [('[]', 'id'), ('[]', 'stats')]
    """
    text = start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").lstrip()
    paths: set[tuple[str, ...]] = set()
    above: list[str | None] = []
    string = ""
    for match in _TOKEN.finditer(text) if text.startswith(("{", "[")) else ():
        token = match[0]
        if token == '"':  # cut off
            break
        if token == "{":
            above.append(None)
        elif token == "[":
            above.append(LIST)
        elif token in "}]":
            above.pop()
            if not above:
                break
        elif token != ":":
            string = token
        elif above[-1] != LIST:
            above[-1] = string[1:-1]
            if len(above) <= _DEEPEST:
                paths.add(tuple(str(key) for key in above))
    return frozenset(paths)


def top_keys(start: bytes) -> frozenset[str]:
    """The keys of the object at the start of a text."""
    return frozenset(path[0] for path in key_paths(start) if len(path) == 1)


# Values of objects.


def field(record: object, key: str, kind: type | tuple[type, ...], where: str) -> Any:
    """The value of a required key, which must be of this kind; a bool is not a number."""
    value = record.get(key) if isinstance(record, dict) else None
    if type(value) in (kind if isinstance(kind, tuple) else (kind,)):
        return value
    raise InputError(f"{where}: {key!r} is {describe(value)}; {REWRITE}")


def optional_field(record: dict[str, Any], key: str, where: str) -> dict[str, Any]:
    """The object under a key; empty if there is none."""
    return {} if record.get(key) is None else field(record, key, dict, where)


def label(record: object, key: str, where: str) -> str:
    """The string or whole number of a key, which must not be empty."""
    text = str(field(record, key, (str, int), where))
    check_characters(text, where)
    if not text:
        raise InputError(f"{where}: {key!r} is empty; {REWRITE}")
    return text


def number(value: object) -> float | None:
    """A JSON number; NaN if it is missing, None if the value is something else."""
    if value is None:
        return math.nan
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def describe(value: object) -> str:
    """The kind of a JSON value, for messages."""
    return _KINDS[type(value)]

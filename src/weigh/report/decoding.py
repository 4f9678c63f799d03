"""JSON values into dataclasses and named tuples, checked against their type hints."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from weigh.errors import InputError

T = TypeVar("T")

_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def decode(kind: type[T], value: Any, where: str) -> T:
    """Return a dataclass or named tuple made of a JSON object; errors say `where` it stands.

    Keys that it does not know are left alone, since later versions may add some.
    """
    result: T = _decode(kind, value, where)
    return result


def _decode(kind: Any, value: Any, where: str) -> Any:
    origin = get_origin(kind)
    if kind is Any:
        return value
    if origin in (Union, types.UnionType):
        if value is None:
            return None
        [kind] = [one for one in get_args(kind) if one is not type(None)]
        return _decode(kind, value, where)
    if origin is Literal:
        if value not in get_args(kind):
            raise _wrong(where, f"one of {', '.join(map(str, get_args(kind)))}", value)
        return value
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        return _decode_object(kind, _expect(dict, value, where, "an object"), where)
    if origin is tuple:
        return _decode_tuple(get_args(kind), _expect(list, value, where, "a list"), where)
    if origin is Sequence:
        [of] = get_args(kind)
        items = _expect(list, value, where, "a list")
        return [_decode(of, one, f"{where}[{i}]") for i, one in enumerate(items)]
    if origin in (dict, Mapping):
        _, of = get_args(kind)
        entries = _expect(dict, value, where, "an object")
        return {key: _decode(of, one, f"{where}.{key}") for key, one in entries.items()}
    return _decode_plain(kind, value, where)


def _decode_tuple(kinds: Sequence[Any], values: Sequence[Any], where: str) -> tuple[Any, ...]:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = [kinds[0]] * len(values)
    if len(kinds) != len(values):
        raise _wrong(where, f"a list of {len(kinds)}", values)
    return tuple(
        _decode(kind, value, f"{where}[{i}]")
        for i, (kind, value) in enumerate(zip(kinds, values, strict=True))
    )


def _decode_object(kind: Any, value: Mapping[str, Any], where: str) -> Any:
    given = {}
    for name, needed in _members(kind):
        if name in value:
            given[name] = _decode(_hints(kind)[name], value[name], f"{where}.{name}")
        elif needed:
            raise InputError(f"{where} has no {name!r}; give a file that weigh has written")
    return kind(**given)


@cache
def _members(kind: Any) -> list[tuple[str, bool]]:
    """Return the names of what an object has, and whether it must be told."""
    if is_dataclass(kind):
        return [
            (one.name, one.default is MISSING and one.default_factory is MISSING)
            for one in fields(kind)
        ]
    return [(name, name not in kind._field_defaults) for name in kind._fields]


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, localns={"Scores": Any})  # arrays, which documents do not hold


def _decode_plain(kind: Any, value: Any, where: str) -> Any:
    if kind is float and value is None:  # what JSON has for numbers that do not exist
        return float("nan")
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise _wrong(where, "a number", value) from None
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _wrong(where, _WORDS[kind], value)
    return value


def _expect(kind: type, value: Any, where: str, word: str) -> Any:
    if not isinstance(value, kind):
        raise _wrong(where, word, value)
    return value


def _wrong(where: str, expected: str, value: Any) -> InputError:
    found = repr(value)
    found = found if len(found) <= 40 else f"{found[:39]}…"
    return InputError(
        f"{where}: expected {expected}, found {found}; give a file that weigh has written"
    )

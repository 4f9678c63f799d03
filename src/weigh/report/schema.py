"""JSON Schemas of the documents that commands write, derived from their result classes."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, is_dataclass
from enum import EnumType
from inspect import cleandoc
from typing import Any, Literal, Union, get_args, get_origin

from weigh.errors import UsageError
from weigh.report.view import result_kinds
from weigh.result import SCHEMA, saved_members, saved_types

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Classes = dict[Any, dict[str, Any]]
_PLAIN = {str: "string", int: "integer", bool: "boolean", types.NoneType: "null"}
# The JSON types of an array's cells, by NumPy type; numbers that are not finite are null.
_CELLS = {"float64": ["number", "null"], "int64": ["integer"], "bool": ["boolean"]}


def json_schema(command: str) -> dict[str, Any]:
    """The JSON Schema of the documents that a command writes with `--format json`.

    Documents may have further keys, since later versions may add some.

    >>> json_schema("compare")["properties"]["schema"]
    {'const': 'weigh/3'}
    """
    try:
        kinds = list(result_kinds(command))
    except KeyError:
        raise UsageError(f"no command {command!r} writes results; see weigh --help-all") from None
    classes: Classes = {}
    bodies = [_object(kind, classes) for kind in kinds]
    head = {
        "schema": {"const": SCHEMA},
        "weigh": {"type": "string", "description": "version of weigh"},
        "command": {"const": command},
    }
    for body in bodies:
        body["properties"] = head | body["properties"]
        body["required"] = [*head, *body["required"]]
    body = bodies[0] if len(bodies) == 1 else {"anyOf": bodies}
    definitions = {kind.__name__: schema for kind, schema in classes.items()}
    assert len(definitions) == len(classes), "two classes have one name"
    return {"$schema": DIALECT, "title": f"weigh {command}", **body, "$defs": definitions}


def _object(kind: Any, classes: Classes) -> dict[str, Any]:
    """The schema of a dataclass or named tuple; nested classes are added to `classes`."""
    declared = getattr(kind, "__dataclass_fields__", {})
    hints = saved_types(kind)
    properties: dict[str, Any] = {}
    for name, _ in saved_members(kind):
        properties[name] = _schema(hints[name], classes)
        if name in declared and "help" in declared[name].metadata:
            properties[name]["description"] = declared[name].metadata["help"]
    return {
        "type": "object",
        "description": cleandoc(kind.__doc__ or "").partition("\n\n")[0].replace("\n", " "),
        "properties": properties,
        "required": [name for name, left_out in saved_members(kind) if left_out is MISSING],
    }


def _schema(kind: Any, classes: Classes) -> dict[str, Any]:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if kind is float:  # NaN and infinities are null
        return {"type": ["number", "null"]}
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if origin in (Union, types.UnionType):
        return _union([_schema(kind, classes) for kind in inner])
    if origin is Literal:
        return {"enum": list(inner)}
    if isinstance(kind, EnumType):
        members: list[Any] = list(kind)
        return {"enum": [member.value for member in members]}
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        if kind not in classes:
            classes[kind] = {}  # the class may contain itself
            classes[kind] = _object(kind, classes)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if origin is tuple and inner[1:] != (Ellipsis,):
        entries = [_schema(kind, classes) for kind in inner]
        return {"type": "array", "prefixItems": entries, "minItems": len(entries), "items": False}
    if origin in (tuple, Sequence, list, Iterable):
        return {"type": "array", "items": _schema(inner[0], classes)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _schema(inner[1], classes)}
    return _array(inner[-1])


def _array(of: Any) -> dict[str, Any]:
    """The schema of a NumPy array: a list of cells, or of lists if it has more dimensions."""
    [cell] = get_args(of) or [of]
    return {"type": "array", "items": {"type": [*_CELLS[cell.__name__.rstrip("_")], "array"]}}


def _union(schemas: Sequence[dict[str, Any]]) -> dict[str, Any]:
    if any(schema.keys() != {"type"} for schema in schemas):
        return {"anyOf": list(schemas)}
    words: dict[str, None] = {}
    for schema in schemas:
        word = schema["type"]
        words |= dict.fromkeys([word] if isinstance(word, str) else word)
    return {"type": list(words)}

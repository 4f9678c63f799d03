"""The page of the site on Python: every public name with its types, from the code itself."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import weigh
import weigh_lab
from weigh import rypt
from weigh.result import Result
from weigh.types import Metric

# The parts of the page, and the packages whose names stand in them.
PARTS = {
    "Scores and comparisons": ["comparing"],
    "Texts and files": ["types", "read"],
    "Metrics": ["metrics", "options"],
    "Human evaluation": ["human", "web"],
    "Validation": ["validate"],
    "Tuning and reranking": ["tuning"],
    "RYPT": ["rypt"],
    "The lab": ["weigh_lab"],
    "Results": ["result", "report"],
    "Errors": ["errors"],
}
INTRODUCTION = """\
All that is public in Python, with types and defaults. How it is used, with examples that run:
[Python](../python.md).
"""


def reference_page() -> str:
    """Return the page. Raises an error for a public name of a package without a section."""
    names = [f"weigh.{name}" for name in weigh.__all__ if name != "__version__"]
    names += [f"weigh.rypt.{name}" for name in dir(rypt) if name not in weigh.__all__]
    names += [f"weigh_lab.{name}" for name in weigh_lab.__all__]
    sections: dict[str, list[str]] = {part: [] for part in PARTS}
    part_of = {package: part for part, packages in PARTS.items() for package in packages}
    for name in sorted(names, key=lambda name: (name.lower(), name)):
        module, _, last = name.rpartition(".")
        value = getattr(import_module(module), last)
        package, inner, *_ = value.__module__.split(".")
        section = sections[part_of[inner if package == "weigh" else package]]
        section.append(f"### {name}\n\n" + "\n".join(_entry(last, value)))
    parts = [f"## {part}\n\n" + "\n".join(entries) for part, entries in sections.items()]
    return "\n".join([f"# Python reference\n\n{INTRODUCTION}", *parts])


@cache
def classes() -> dict[str, type]:
    """Return the plans and results of all functions, by name."""
    for package in (weigh, weigh_lab):
        folder = Path(str(package.__file__)).parent  # __path__ of a working copy begins elsewhere
        for path in sorted([*folder.glob("*/plan.py"), *folder.glob("report/*.py")]):
            import_module(f"{package.__name__}.{path.parent.name}.{path.stem}")
    return {
        name: value
        for module in [*sys.modules]
        if module.startswith(("weigh.", "weigh_lab."))
        for name, value in vars(sys.modules[module]).items()
        if inspect.isclass(value) and name.endswith(("Plan", "Result"))
    }


def _entry(name: str, value: Any) -> Iterator[str]:
    """Yield the lines about a function or a class, with the options and result of a function."""
    if inspect.isclass(value):
        yield _prose(value)
        yield from _members(value)
        return
    yield _block(name, value)
    yield _prose(value)
    for told in re.findall(r"\w+(?:Plan|Result)\b", _signature(value)):
        if told not in {*weigh.__all__, *dir(rypt), *weigh_lab.__all__}:
            kind = classes()[told]
            verb = "It returns" if told.endswith("Result") else "Options are the fields of"
            yield f"{verb} a `{kind.__module__}.{told}`. {_prose(kind)}"
            yield from _members(kind)


def _members(kind: type) -> Iterator[str]:
    """Yield a table of an object's fields, and a list of its methods."""
    if dataclasses.is_dataclass(kind) and dataclasses.fields(kind):
        yield _table(kind)
    elif {"__init__", "__new__"} & {*vars(kind)}:
        yield _block(kind.__name__, kind)
    told_once = {name for base in (Metric, Result) if kind is not base for name in vars(base)}
    methods = []
    for name, member in sorted(vars(kind).items()):
        called = getattr(member, "fget", None) or getattr(member, "__func__", member)
        if name[0] == "_" or name in told_once:
            continue
        if inspect.isfunction(called) and called.__doc__:
            arguments = "" if isinstance(member, property) else _signature(called)
            first = inspect.cleandoc(called.__doc__).partition("\n\n")[0].replace("\n", " ")
            methods.append(f"- `.{name}{arguments}`: {first}\n")
    yield "".join(methods)


def _table(kind: type) -> str:
    """Return the fields of a dataclass as a table, with defaults and meanings."""
    rows = []
    for field in dataclasses.fields(kind):
        if field.init:
            rows.append([f"`{field.name}`", _code(field.type), _default(field), _meaning(field)])
    rows.insert(0, ["Field", "Type", "Default", "Meaning"])
    columns = [at for at in range(4) if any(row[at] for row in rows[1:])]
    rows.insert(1, ["---"] * 4)
    return "".join(f"| {' | '.join(row[at] for at in columns)} |\n" for row in rows)


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default_factory is not dataclasses.MISSING:
        return _code(repr(field.default_factory()))
    return "" if field.default is dataclasses.MISSING else _code(repr(field.default))


def _meaning(field: dataclasses.Field[Any]) -> str:
    """Return the help of an option, and its choices where the help does not name them all."""
    told = field.metadata.get("help", "")
    choices = field.metadata.get("choices") or ()
    if not all(re.search(rf"\b{re.escape(each)}\b", told) for each in choices):
        told += f" ({', '.join(choices)})"
    return re.sub(r"([|<*])", r"\\\1", told)


def _code(text: object) -> str:
    """Return code that is safe in a cell of a table."""
    return f"`{str(text).replace('|', chr(92) + '|')}`"


def _block(name: str, value: Any) -> str:
    """Return a signature as a block of code, broken into lines if it is too long."""
    line = f"{name}{_signature(value)}"
    if len(line) > 88:
        line = (
            f"{name}{_signature(value, before=chr(10) + 4 * ' ', between=',', after=',' + chr(10))}"
        )
    return f"```python\n{line}\n```\n"


def _signature(value: Any, before: str = "", between: str = ", ", after: str = "") -> str:
    """Return arguments with types and defaults, each after `before`, and what is returned."""
    signature = inspect.signature(value)
    parts: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in "".join(parts):
            parts.append("*")
        if parameter.name not in ("self", "cls"):
            kind = getattr(parameter.annotation, "__forward_arg__", parameter.annotation)
            typed = kind is not parameter.empty
            bare = parameter.replace(annotation=parameter.empty, default=parameter.empty)
            given = parameter.default is not parameter.empty
            parts.append(f"{bare}{f': {kind}' * typed}{f' = {parameter.default!r}' * given}")
    returned = signature.return_annotation
    arrow = "" if inspect.isclass(value) or returned is signature.empty else f" -> {returned}"
    inside = between.join(f"{before}{part}" for part in parts)
    return f"({inside}{after if inside else ''}){arrow}"


def _prose(value: Any) -> str:
    """Return a docstring as Markdown: examples become blocks of code."""
    paragraphs = (inspect.getdoc(value) or "").split("\n\n")
    shown = [f"```pycon\n{each}\n```" if each.startswith(">>>") else each for each in paragraphs]
    return "\n\n".join(shown) + "\n"

"""File names in results without the directories of the machine that made them.

Whatever of a file's name gets into a result (remarks, the names of metrics that read files, their
signatures, warnings), a page or a document that is sent around tells nothing of the disk: of an
absolute path only the file's name is left, or the shortest ending that tells files apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from weigh.read.text import exists

Shown = TypeVar("Shown")

# Absolute paths in arguments, alone or within NAME=path, METRIC:option=path and lists of those;
# separators that belong to a path are escaped there.
_PATH = re.compile(r"(?:(?<=[=,:])|^)(?:/|[A-Za-z]:\\)(?:\\[,:]|[^,:\n])+")
_ESCAPED = re.compile(r"\\([,:])")
# Fields that hold people's texts, in which a path is a word like any other.
_DATA = ("references", "outputs", "sources", "text", "texts")
# What is left of each directory that the command names.
_directories: dict[str, str] = {}


def remember(arguments: Iterable[str]) -> None:
    """Take note of the directories that a command's arguments name."""
    _directories.clear()
    split = {path: _parts(path) for each in arguments for path in _paths(each)}
    endings = Counter(
        parts[-depth:] for parts in set(split.values()) for depth in range(1, len(parts) + 1)
    )
    for path, own in split.items():
        depth = next(n for n in range(1, len(own) + 1) if endings[own[-n:]] == 1)
        ending = "".join(f"{part}/" for part in own[-depth:-1])
        # Files of one directory keep as much of it as any of them needs.
        name = path[: -len(own[-1]) - 1]
        _directories[name] = max(_directories.get(name, ""), ending, key=len)


def _paths(argument: str) -> list[str]:
    """Return the absolute paths in an argument that have a directory to speak of."""
    start = re.match(r"-\w(?=/)|--[\w-]+=(?=/)", argument)
    text = argument[start.end() :] if start else argument
    value = text[text.find("=/") + 1 :]
    # A path may hold what separates options: then it is known by being there.
    whole = [each for each in (text, value) if _is_absolute(each) and exists(each)]
    found = whole or [_ESCAPED.sub(r"\1", path) for path in _PATH.findall(text)]
    return [path for path in found if len(_parts(path)) > 2]


def _is_absolute(path: str) -> bool:
    return re.match(r"/|[A-Za-z]:\\", path) is not None


def _parts(path: str) -> tuple[str, ...]:
    return tuple(re.split(r"[/\\]+", path))


def shortened(shown: Shown) -> Shown:
    """Return a report, whatever it is made of, without the directories of the arguments."""
    if not _directories:
        return shown
    # The longest first, or what lies within another directory would keep a part of its name.
    longest = sorted(_directories, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w./\\-])({'|'.join(map(re.escape, longest))})[/\\](?=[^/\\\s])")
    made: Shown = _walked(shown, pattern)
    return made


def _walked(value: Any, pattern: re.Pattern[str]) -> Any:
    """Return a value with all its texts shortened; the value itself where nothing is to be done."""
    if isinstance(value, str):
        if pattern.search(value) is None:
            return value
        return pattern.sub(lambda match: _directories[match[1]], value)
    if is_dataclass(value) and not isinstance(value, type):
        own = {
            each.name: getattr(value, each.name)
            for each in fields(value)
            if each.init and each.name not in _DATA
        }
        new = {name: _walked(each, pattern) for name, each in own.items()}
        changed = {name: each for name, each in new.items() if each is not own[name]}
        return replace(value, **changed) if changed else value
    if isinstance(value, Mapping):
        made = {_walked(key, pattern): _walked(each, pattern) for key, each in value.items()}
        same = all(made.get(key, made) is each for key, each in value.items())
        return value if same else made
    if isinstance(value, tuple | list):
        parts = [_walked(each, pattern) for each in value]
        if all(new is each for new, each in zip(parts, value, strict=True)):
            return value
        if hasattr(value, "_make"):
            return value._make(parts)
        return type(value)(parts)
    return value

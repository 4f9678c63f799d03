"""Entry points by which installed packages extend weigh.

The groups are `weigh.metrics`, `weigh.readers`, `weigh.verbs`, `weigh.views` and
`weigh.decoders`.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh.errors import InputError, UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@cache
def entries(group: str) -> dict[str, list[EntryPoint]]:
    """The entry points of a group by name, in lower case."""
    if not _is_declared(group):
        return {}
    from importlib.metadata import entry_points

    by_name: dict[str, list[EntryPoint]] = {}
    for entry in sorted(entry_points(group=group)):
        by_name.setdefault(entry.name.lower(), []).append(entry)
    return by_name


def _is_declared(group: str) -> bool:
    """Whether an installed package may have entry points of a group.

    Searching their files is much faster than importing importlib.metadata, which therefore waits
    until it is needed.
    """
    section = f"[{group}]".encode()
    for folder in map(Path, sys.path):
        if folder.is_file():  # an archive, into which only importlib.metadata looks
            return True
        if any(section in path.read_bytes() for path in folder.glob("*-info/entry_points.txt")):
            return True
    return False


def package_of(group: str, name: str) -> str:
    """Name and version of the package that provides an object."""
    packages = (entry.dist for entry in entries(group)[name])
    return " and ".join(f"{dist.name} {dist.version}" if dist else "a package" for dist in packages)


def load(group: str, name: str) -> Any:
    """Import an object; raises an error if two packages provide it, or if loading fails."""
    kind = group.removeprefix("weigh.").removesuffix("s")
    entry, *others = entries(group)[name]
    package = package_of(group, name)
    if others:
        raise UsageError(f"{kind} {name!r} is provided by {package}; uninstall one of them")
    try:
        return entry.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a module may even exit
        reason = " ".join(str(error).split())
        raise InputError(
            f"{kind} {name!r} of {package} cannot be loaded "
            f"({type(error).__name__}: {reason}); repair or uninstall the package"
        ) from error

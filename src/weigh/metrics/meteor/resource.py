"""Files that METEOR needs and that are not part of weigh: their lines and their fingerprints."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from weigh.errors import InputError
from weigh.read.text import blocks, read_whole, shown


def read_lines(path: str) -> list[str]:
    """Return the lines of a UTF-8 file, gzip or not."""
    lines = read_whole(path).replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def file_in(folder: str, name: str) -> str | None:
    """Return the path of a file in a folder, as it is or with `.gz`, if it is there."""
    for path in (Path(folder, name), Path(folder, f"{name}.gz")):
        if path.is_file():
            return str(path)
    return None


def required_file(path: str, name: str, what: str) -> str:
    """Return `path`, or the file of that name in it if it is a folder."""
    if not Path(path).is_dir():
        return path
    found = file_in(path, name)
    if found is None:
        raise InputError(f"{shown(path)}: there is no {name} in this folder; give {what}")
    return found


def fingerprint(*paths: str) -> str:
    """Return eight hexadecimal digits that tell the content of files, uncompressed."""
    states = []
    for path in paths:
        try:
            state = os.stat(path)  # noqa: PTH116, Path.stat fails on NUL
        except (OSError, ValueError):
            raise InputError(f"{shown(path)}: no such file; check the path") from None
        states.append((path, state.st_mtime_ns, state.st_size))
    return _fingerprint(tuple(states))


@lru_cache(maxsize=64)
def _fingerprint(states: tuple[tuple[str, int, int], ...]) -> str:
    import hashlib

    content = hashlib.sha256()
    for path, _, size in states:
        content.update(f"{size} ".encode())
        for block in blocks(path):
            content.update(block)
    return content.hexdigest()[:8]

"""METEOR's cache between runs: compiled paraphrase tables, and hashes of large files.

An entry is a file in the user's cache folder, with a checksum. A damaged entry is made again, and
a folder that cannot be read or written costs time, but changes no score.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from weigh.errors import WeighError
from weigh.files import write_whole

LIMIT = 1 << 30
"""The maximum size of all entries, in bytes; the most recently used entries are kept."""

_FORM = b"weigh-meteor/1 "
_ENDING = ".meteor"
_HASH_BYTES = 20
_HEAD_BYTES = len(_FORM) + 2 * _HASH_BYTES + 1


def load(key: str) -> memoryview | None:
    """An entry, or None if there is no complete one."""
    try:
        path = _path(key)
        content = path.read_bytes()
        payload = memoryview(content)[_HEAD_BYTES:]
        if content[:_HEAD_BYTES] != _head(key, payload):
            return None
        os.utime(path)  # the entries that were used least recently are removed first
    except (OSError, RuntimeError):  # the latter where there is no home directory
        return None
    return payload


def store(key: str, payload: bytes) -> None:
    """Write an entry, if the folder can be written to."""
    with suppress(OSError, RuntimeError, WeighError):
        path = _path(key)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(path, _head(key, memoryview(payload)) + payload)
        _trim(path.parent)


def _path(key: str) -> Path:
    """Path of an entry in weigh's folder of the user's caches."""
    caches = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not caches.is_absolute():  # which the standard says to ignore
        caches = Path.home() / ".cache"
    name = blake2b(key.encode(), digest_size=_HASH_BYTES).hexdigest()
    return caches / "weigh" / f"{name}{_ENDING}"


def _head(key: str, payload: memoryview) -> bytes:
    digest = blake2b(f"{key}\n".encode(), digest_size=_HASH_BYTES)
    digest.update(payload)
    return _FORM + digest.hexdigest().encode("ascii") + b"\n"


def _trim(folder: Path) -> None:
    """Remove the entries that were used least recently, if there is more than may be kept."""
    states = {path: path.stat() for path in folder.glob(f"*{_ENDING}*")}
    total = sum(state.st_size for state in states.values())
    for path, state in sorted(states.items(), key=lambda entry: entry[1].st_mtime):
        if total <= LIMIT:
            break
        path.unlink(missing_ok=True)
        total -= state.st_size

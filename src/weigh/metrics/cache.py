"""What was computed before and is kept in a folder: statistics of systems, tables of metrics.

An entry is a file under the hash of all that it depends on, with a checksum. One that is damaged,
or of another version, is as good as none and is written again. Entries are written beside and
moved into place, so that processes may share a folder; what goes wrong with the folder never
stops the work.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weigh.errors import UsageError, WeighError
from weigh.files import write_whole
from weigh.metrics.custom import AdaptedMetric, PluginMetric, is_plain
from weigh.metrics.registry import key_of, metric_class, metric_names
from weigh.read.text import shown
from weigh.tokenize.flores200 import find_model
from weigh.types import ParsedText

if TYPE_CHECKING:
    from weigh.types import Metric, Rows, System, TestSet

LIMIT = 1 << 30
"""So many bytes are kept: beyond that, what was not used for the longest time is removed."""

_FORM = b"weigh-cache/1 "
_ENDING, _UNFINISHED = ".entry", ".part"
_HASH_BYTES = 20
_HEAD_BYTES = len(_FORM) + 2 * _HASH_BYTES + 1
# So many texts are hashed at a time.
_BATCH = 1 << 16
# What an ended process left unfinished is removed after so many seconds.
_ABANDONED = 3600.0


class Key(NamedTuple):
    """What an entry is kept under, and the version of what made it."""

    name: str
    version: str


class Cache:
    """A folder of entries; `hits` and `misses` count what was asked for.

    `failure` says in one line why the folder could not be used, if that happened.
    """

    def __init__(self, directory: str | os.PathLike[str], limit: int = LIMIT) -> None:
        self.directory = Path(directory)
        self.limit = limit
        self.hits = self.misses = 0
        self.failure: str | None = None
        self._has_grown = False
        self._columns: dict[int, tuple[Sequence[Any], bytes]] = {}

    def __reduce__(self) -> tuple[type[Cache], tuple[Path, int]]:
        """Send the folder alone to where a task runs, which may have the same one."""
        return Cache, (self.directory.absolute(), self.limit)

    @classmethod
    def of(cls, chosen: object) -> Cache:
        """Return the cache that a caller chooses: True for the user's own, or a folder."""
        if isinstance(chosen, Cache):
            return chosen
        if chosen is True:
            return cls(default_directory())
        if isinstance(chosen, str | os.PathLike):
            return cls(chosen)
        raise UsageError(
            f"cache is {type(chosen).__name__}; give True, or the folder to keep statistics in"
        )

    def take(self, key: Key) -> memoryview | None:
        """Return an entry, or None where there is none that is whole and of this version."""
        path = self._path(key)
        content = b""
        try:
            content = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            pass
        except (OSError, ValueError) as error:  # the latter of a path with a NUL
            self._failed("read", error)
        payload = memoryview(content)[_HEAD_BYTES:]
        if not content or content[:_HEAD_BYTES] != _head(key, payload):
            self.misses += 1
            return None
        self.hits += 1
        with suppress(OSError):
            os.utime(path)  # it was used, and is not the oldest any more
        return payload

    def keep(self, key: Key, payload: bytes) -> None:
        """Write an entry; after a failure, such as a full disk, nothing more is tried."""
        if self.failure is not None:
            return
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self._path(key), _head(key, memoryview(payload)) + payload)
            self._has_grown = True
        except (OSError, WeighError) as error:
            self._failed("written", error.__cause__ or error)

    def trim(self) -> None:
        """Remove what was not used for the longest time, if there is more than may be kept.

        Texts that were seen are forgotten: they may have changed when they are seen again.
        """
        self._columns.clear()
        if not self._has_grown:
            return
        self._has_grown = False
        found: list[tuple[float, int, str]] = []
        with suppress(OSError), os.scandir(self.directory) as entries:
            for entry in entries:
                with suppress(OSError):
                    state = entry.stat(follow_symlinks=False)
                    if entry.name.endswith(_ENDING):
                        found.append((state.st_mtime, state.st_size, entry.path))
                    elif (
                        entry.name.endswith(_UNFINISHED)
                        and _ENDING in entry.name
                        and time.time() - state.st_mtime > _ABANDONED
                    ):
                        os.unlink(entry.path)  # noqa: PTH108
        total = sum(size for _, size, _ in found)
        if total <= self.limit:
            return
        for _, size, path in sorted(found):
            if total <= 0.9 * self.limit:  # some room, so that this is not done every time
                break
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108
            total -= size

    def digest(self, column: Sequence[Any]) -> bytes:
        """Return a hash of a column of texts, which is computed once for all metrics."""
        known = self._columns.get(id(column))
        if known is None:
            known = self._columns[id(column)] = (column, _digest(column))
        return known[1]

    def _path(self, key: Key) -> Path:
        return self.directory / f"{key.name}{_ENDING}"

    def _failed(self, what: str, error: BaseException) -> None:
        reason = getattr(error, "strerror", None) or error
        self.failure = f"{shown(str(self.directory))}: the cache cannot be {what}: {reason}"


def _head(key: Key, payload: memoryview) -> bytes:
    """Return what stands before an entry: the form, and a checksum of all that it is."""
    whose = "\n".join(key).encode("utf-8", "surrogatepass")
    made = blake2b(whose + b"\n", digest_size=_HASH_BYTES)
    made.update(payload)
    return _FORM + made.hexdigest().encode("ascii") + b"\n"


def hashed(*parts: str | bytes) -> str:
    """Return the key of what depends on these parts."""
    made = blake2b(digest_size=_HASH_BYTES)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        made.update(b"%d\n" % len(data))
        made.update(data)
    return made.hexdigest()


def _digest(column: Sequence[Any]) -> bytes:
    """Return a hash of texts; of those that carry a parse, the parse too."""
    made = blake2b(np.fromiter(map(len, column), np.int64, len(column)).tobytes())
    for start in range(0, len(column), _BATCH):
        some = column[start : start + _BATCH]
        made.update("".join(some).encode("utf-8", "surrogatepass"))
        if set(map(type, some)) != {str}:
            parses = [text.words if isinstance(text, ParsedText) else None for text in some]
            made.update(repr(parses).encode("utf-8", "surrogatepass"))
    return made.digest()


def default_directory() -> Path:
    """Return where a user's statistics are kept: $WEIGH_CACHE, or weigh in the user's caches."""
    given = os.environ.get("WEIGH_CACHE")
    if given:
        return Path(given)
    caches = os.environ.get("XDG_CACHE_HOME", "")
    if Path(caches).is_absolute():  # others are to be ignored, the standard says
        return Path(caches, "weigh")
    try:
        return Path.home() / ".cache" / "weigh"
    except RuntimeError:
        raise WeighError("there is no home directory; name a folder by WEIGH_CACHE") from None


# Rows of statistics.


def rows_keys(
    cache: Cache,
    metric: Metric,
    systems: Sequence[System],
    test_set: TestSet,
    columns: Sequence[str],
) -> list[Key] | None:
    """Return what the rows of each system are kept under, or None if they are not to be kept.

    Whatever a metric may read is part of the key. Weigh's own read references, sources where they
    say so, and the `columns` that outputs carry for them; others may read all that there is.
    """
    version = vouched(metric)
    if version is None:
        return None
    references = len(test_set.references) + len(systems[0].references)
    signature = [
        part
        for part in metric.signature(references).split("|")
        if not part.startswith("version:")  # that of weigh, whose metrics have their own
    ]
    parts: list[str | bytes] = [
        "rows",
        key_of(metric),
        "|".join(signature),
        _unicode_version(),
        str(len(test_set)),
    ]
    is_ours = _is_ours(metric)
    labels = [test_set.sources if metric.needs_sources or not is_ours else None]
    if not is_ours:
        labels += [test_set.documents, test_set.slices, test_set.ids]
    parts += [b"" if label is None else cache.digest(label) for label in labels]
    parts += [cache.digest(texts) for texts in test_set.references]
    if any("flores200" in part for part in signature):
        parts.append(Path(find_model()).read_bytes())  # any file may be named as the model
    keys = []
    for system in systems:
        own = [*system.references, system.outputs.texts]
        names = columns if is_ours else sorted(system.outputs.extra)
        extra = {name: list(system.outputs.extra[name]) for name in names}
        if not is_plain(extra):
            return None
        keys.append(Key(hashed(*parts, *map(cache.digest, own), repr(extra)), version))
    return keys


def take_rows(cache: Cache, key: Key, segments: int) -> Rows | None:
    """Return the rows of a system by a metric, if they are there."""
    payload = cache.take(key)
    if payload is None:
        return None
    rows: Rows = np.load(BytesIO(payload), allow_pickle=False)
    if rows.ndim != 2 or len(rows) != segments:
        return None
    rows = rows.astype(np.float64 if rows.dtype.kind == "f" else np.int64)
    rows.flags.writeable = False
    return rows


def keep_rows(cache: Cache, key: Key, rows: Rows) -> None:
    """Keep the rows of a system by a metric; counts take as few bytes as the largest needs."""
    if rows.dtype.kind == "i" and rows.size and rows.min() >= 0:
        rows = rows.astype(np.min_scalar_type(rows.max()))
    stream = BytesIO()
    np.save(stream, rows, allow_pickle=False)
    cache.keep(key, stream.getvalue())


def vouched(metric: Metric) -> str | None:
    """Return the version of a metric's rows, of all metrics in it, or None if there is none.

    What a class inherits says nothing of it, unless both are weigh's.
    """
    if metric.metrics:
        versions = list(map(vouched, metric.metrics))
        return None if None in versions else repr(versions)
    inner: Any = metric
    while isinstance(inner, AdaptedMetric | PluginMetric):
        inner = inner._metric
    kind, version = type(inner), getattr(inner, "statistics_version", None)
    if version is None or not (
        kind.__module__.startswith("weigh.") or "statistics_version" in vars(kind)
    ):
        return None
    return f"{kind.__module__}:{kind.__qualname__}={version}"


def _is_ours(metric: Metric) -> bool:
    name = key_of(metric).partition(":")[0]
    ours = name in metric_names() and type(metric) is metric_class(name)
    return ours and all(map(_is_ours, metric.metrics))


def _unicode_version() -> str:
    """Return the version of Unicode by which texts are lower-cased and split."""
    from unicodedata import unidata_version

    return unidata_version

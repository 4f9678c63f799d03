"""Long runs in pieces that are written down as they are finished, to be stopped and resumed.

The file is JSON lines: the first names the run by a digest of its settings and data, every other
holds the number of a piece, its result and a checksum of both. Only one run at a time may have it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from weigh import __version__
from weigh.engine.executors import Task, spread
from weigh.engine.threads import Progress
from weigh.errors import InputError, WeighError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from weigh.stats.sample import Sample

_MARK = "weigh validate"


class Journal:
    """The finished pieces of a run; without a path they are kept in memory alone."""

    def __init__(self, path: str | None, settings: Mapping[str, Any]) -> None:
        self._path = path
        self._run = digest({**settings, "version": __version__})
        self._done: dict[int, Any] = {}
        self._lock = threading.Lock()
        self._hold: Hold | None = None
        if path is not None:
            self._hold = Hold(path)
            try:
                self._open(path)
            except WeighError:
                self._hold.end()
                raise

    def finish(
        self,
        task: Task[Any],
        shared: Any,
        pieces: int,
        *,
        payload: Callable[[int], Any] = int,
        more: Callable[[list[Any]], int] = lambda _: 0,
        threads: int = 0,
        progress: Progress | None = None,
    ) -> list[Any]:
        """Return the results of all pieces, computing those that are not there yet.

        That of piece n is `task(shared, payload(n))`, here or where an executor runs it.
        `more` is given the results so far and returns how many further pieces they call for, 0 at
        the end. A result is what JSON makes of it, so that a run that was resumed ends as any
        other. After it the file is free for other runs.
        """
        try:
            results = self._finished(task, shared, pieces, payload, threads, progress)
            while added := more(results):
                pieces += added
                results = self._finished(task, shared, pieces, payload, threads, progress)
            return results
        finally:
            if self._hold is not None:
                self._hold.end()

    def _finished(
        self,
        task: Task[Any],
        shared: Any,
        pieces: int,
        payload: Callable[[int], Any],
        threads: int,
        progress: Progress | None,
    ) -> list[Any]:
        left = [piece for piece in range(pieces) if piece not in self._done]

        def tell(done: int, _: int) -> None:
            if progress is not None:
                progress(pieces - len(left) + done, pieces)

        if left:
            spread(
                task,
                [payload(piece) for piece in left],
                shared,
                take=lambda at, result: self._keep(left[at], result),
                threads=threads,
                progress=tell,
            )
        return [self._done[piece] for piece in range(pieces)]

    def _keep(self, piece: int, result: Any) -> None:
        text = json.dumps({"piece": piece, "result": result}, allow_nan=False)
        result = json.loads(text)["result"]
        line = json.dumps({"piece": piece, "result": result, "check": _check(piece, result)})
        with self._lock:
            if self._path is not None:
                self._append(line)
            self._done[piece] = result

    def _open(self, path: str) -> None:
        lines = self._lines(path)
        if not lines:
            self._append(json.dumps({"journal": _MARK, "run": self._run}))
            return
        head = _parsed(lines[0])
        if head.get("journal") != _MARK:
            raise InputError(f"{path}: not the file of a run that was stopped; name another one")
        if head.get("run") != self._run:
            raise InputError(
                f"{path}: of a run with other settings or other data; give the same ones, "
                "or name another file"
            )
        for number, line in enumerate(lines[1:], 2):
            entry = _parsed(line)
            piece, result = entry.get("piece"), entry.get("result")
            if type(piece) is not int or entry.get("check") != _check(piece, result):
                raise InputError(f"{path}: line {number:,} was changed; name another file")
            self._done[piece] = result

    def _lines(self, path: str) -> list[str]:
        """Return the lines of the file, without a last one that was not written to its end."""
        try:
            with open(path, "rb+") as file:  # noqa: PTH123
                content = file.read()
                whole = content.rfind(b"\n") + 1
                if whole < len(content) and (whole or _is_cut_off(content)):
                    file.truncate(whole)
                    content = content[:whole]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise WeighError(f"{path}: cannot be used: {error.strerror}") from error
        if content and not whole:
            return [content.decode("utf-8", errors="replace")]
        return content.decode("utf-8", errors="replace").split("\n")[:-1]

    def _append(self, line: str) -> None:
        """Write a line by one system call, so that it is there as a whole or not at all."""
        assert self._path is not None
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            try:
                content = f"{line}\n".encode()
                if os.write(file, content) < len(content):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            finally:
                os.close(file)
        except OSError as error:
            raise WeighError(f"{self._path}: cannot be written: {error.strerror}") from error


def _is_cut_off(content: bytes) -> bool:
    """Return whether a file without a whole line has the beginning of a journal's first one.

    So little that it may be of anything is not taken for it.
    """
    start = json.dumps({"journal": _MARK})[:-1].encode()
    return len(content) > len(start) // 2 and start.startswith(content[: len(start)])


def _check(piece: int, result: Any) -> str:
    """Return what tells that a piece is as it was written."""
    return digest({"piece": piece, "result": result})[:16]


def _parsed(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def digest(settings: Mapping[str, Any]) -> str:
    """Return a name for settings: the same for the same ones, in whatever order."""
    text = json.dumps(settings, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def digest_of_samples(samples: Iterable[Sample]) -> str:
    """Return a name for the rows of systems by their metrics."""
    made = hashlib.sha256()
    for sample in samples:
        made.update(repr((sample.metric, sample.names)).encode())
        for runs in sample.rows:
            for rows in runs:
                made.update(f"{rows.dtype.str}{rows.shape}".encode())
                made.update(rows.tobytes())
    return made.hexdigest()


class Hold:
    """A hold on a file that one run has to itself, until `end`; it is made if it is not there.

    Where the system has locks, the file is locked, and the lock ends with the process, however
    that ends. Elsewhere a lock file stands beside it; one that a killed run has left must be
    removed by hand.
    """

    def __init__(self, path: str) -> None:
        self._file: int | None = None
        self._beside = f"{path}.lock" if fcntl is None else None
        try:
            if self._beside is None:
                self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
                # A file system without locks is one where nobody can tell.
                with contextlib.suppress(OSError):
                    self._lock(path)
            else:
                self._file = os.open(self._beside, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            raise InputError(
                f"{path}: another run is using it; wait for its end, or name another file "
                f"(if no run is left, remove {self._beside})"
            ) from None
        except OSError as error:
            raise WeighError(f"{path}: cannot be used: {error.strerror}") from error

    def _lock(self, path: str) -> None:
        assert self._file is not None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.end()
            raise InputError(
                f"{path}: another run is using it; wait for its end, or name another file"
            ) from None

    def end(self) -> None:
        """Let go of the file, if that was not done before."""
        if self._file is None:
            return
        os.close(self._file)
        self._file = None
        if self._beside is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._beside)  # noqa: PTH108

    def __del__(self) -> None:
        """Let go of what nobody else has ended."""
        self.end()

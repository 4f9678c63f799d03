"""A file that one run has to itself, so that two runs do not write into it at once."""

from __future__ import annotations

import contextlib
import os

from weigh.errors import InputError, WeighError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Hold:
    """A hold on a file, which is made if it is not there, until `end`.

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

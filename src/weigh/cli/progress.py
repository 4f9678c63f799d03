"""A progress bar for work that takes more than a second, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

from weigh.cli.terminal import columns, is_quiet, is_terminal

_PATIENCE = 1.0  # seconds of work before the first bar
_PAUSE = 0.1  # seconds between two bars
_CELLS = 30
_ERASE = "\r\x1b[K"


class Progress:
    """Call it with the work done and the work in all; leaving its context erases the bar."""

    def __init__(
        self,
        label: str,
        *,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._label = label
        self._stream = sys.stderr if stream is None else stream
        self._shows = is_terminal(self._stream) and not is_quiet()
        self._clock = clock
        self._start = clock()
        self._due = self._start + _PATIENCE
        self._drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._drawn:
            self._stream.write(_ERASE)
            self._stream.flush()

    def __call__(self, done: int, total: int) -> None:
        """Show that `done` of `total` parts of the work are done."""
        now = self._clock()
        if self._shows and now >= self._due and done > 0:
            self._due = now + _PAUSE
            self._drawn = True
            # A line that wraps could not be erased.
            room = columns(self._stream) - 1
            text = bar(self._label, done, total, now - self._start)
            self._stream.write(_ERASE + text[:room])
            self._stream.flush()


def bar(label: str, done: int, total: int, seconds: float) -> str:
    """The bar, the count, and the time left at the average speed.

    >>> bar("scoring", 5, 20, 10.0)
    'scoring ━━━━━━━─────────────────────── 5/20, 0:30 left'
    """
    filled = _CELLS * done // total
    minutes, rest = divmod(round(seconds * (total - done) / done), 60)
    strip = "━" * filled + "─" * (_CELLS - filled)
    return f"{label} {strip} {done:,}/{total:,}, {minutes}:{rest:02} left"

"""The server's console: one line for each kind of event, at most once a minute.

Clients can cause events as often as they like, so that nothing that they cause is logged each time.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from threading import Lock

_SECONDS = 60.0
_MOST_KINDS = 100
_LONGEST_KEY = 200
# Python writes what nobody listens to on stderr.
_LOG = logging.getLogger("weigh")


class Throttle:
    """Counts events by kind, and limits messages about them."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._told: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._lock = Lock()

    def untold(self, kind: str) -> int | None:
        """Number of suppressed events since the last message; None if this one is suppressed."""
        kind, at = kind[:_LONGEST_KEY], time.monotonic()
        with self._lock:
            since, count = self._told.pop(kind, (-self._seconds, 0))
            is_due = at - since >= self._seconds
            self._told[kind] = (at, 0) if is_due else (since, count + 1)
            if len(self._told) > _MOST_KINDS:
                self._told.popitem(last=False)
        return count if is_due else None


def with_count(text: str, untold: int) -> str:
    """A message with the number of those that were held back before it."""
    return f"{text} ({untold:,} more like this since the last message)" if untold else text


class Console:
    """Writes lines to the console, each at most once a minute."""

    def __init__(self) -> None:
        self._throttle = Throttle()

    def warn(self, text: str) -> None:
        """Write a line, unless it was written within the last minute."""
        untold = self._throttle.untold(text)
        if untold is not None:
            _LOG.warning("weigh: %s", with_count(text, untold))


class ThrottledRecords(logging.Filter):
    """Lets each message of another library's logger through once a minute."""

    def __init__(self) -> None:
        super().__init__()
        self._throttle = Throttle()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write a record; a written one counts those that were suppressed."""
        error = record.exc_info[0] if record.exc_info else None
        untold = self._throttle.untold(f"{error} {record.msg}")
        if untold is None:
            return False
        record.msg, record.args = with_count(record.getMessage(), untold), ()
        return True

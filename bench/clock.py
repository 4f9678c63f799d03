"""CPU time of functions and of commands: the minimum of several runs."""

from __future__ import annotations

import gc
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence


def cpu_time(work: Callable[[], object], runs: int, before: Callable[[], object] = int) -> float:
    """Return the least CPU time of `work`; `before` runs ahead of each, untimed."""
    best = float("inf")
    for _ in range(runs):
        before()
        gc.collect()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def command_time(command: Sequence[str], runs: int) -> float:
    """Return the least CPU time of a command, its start included.

    It runs in a folder without settings of its own.
    """

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    best = float("inf")
    for _ in range(runs):
        start = spent()
        subprocess.run(command, check=True, capture_output=True, cwd=tempfile.gettempdir())
        best = min(best, spent() - start)
    return best

"""Time of functions and of commands: the minimum of several runs."""

from __future__ import annotations

import gc
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple


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


class Times(NamedTuple):
    """Seconds of all cores together, and on the wall."""

    cpu: float
    wall: float


def command_times(command: Sequence[str], runs: int) -> Times:
    """Return the least times of a command, its start included.

    It runs in a folder without settings of its own.
    """

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    best = Times(float("inf"), float("inf"))
    for _ in range(runs):
        start, wall = spent(), time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, cwd=tempfile.gettempdir())
        best = Times(min(best.cpu, spent() - start), min(best.wall, time.perf_counter() - wall))
    return best


def command_time(command: Sequence[str], runs: int) -> float:
    """Return the least CPU time of a command, its start included."""
    return command_times(command, runs).cpu

"""Run work in parts on this process's threads, with progress, and stop at once on Ctrl-C."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

Progress = Callable[[int, int], None]

# Seconds that an interrupted run waits for parts in progress; most take a fraction of a second.
_JOIN_TIMEOUT = 0.5
# Seconds between the waiting thread's checks for an interrupt.
_POLL_INTERVAL = 0.2


def run_in_parts(
    work: Callable[[int, int], None],
    size: int,
    part: int,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> None:
    """Call `work(start, stop)` for consecutive parts of `range(size)`.

    Several threads (0: one per core) take parts in turn, which saves time to the extent that `work`
    releases the GIL. The number of threads never changes the result, because `work` stores each
    part's result by its position. `progress(done, size)` is called after each part, by one thread
    at a time.
    """
    starts = iter(range(0, size, part))
    lock = threading.Lock()
    stopped = threading.Event()
    errors: list[BaseException] = []
    done = 0

    def take_parts() -> None:
        nonlocal done
        try:
            while not stopped.is_set():
                with lock:
                    start = next(starts, None)
                if start is None:
                    return
                stop = min(start + part, size)
                work(start, stop)
                with lock:
                    done += stop - start
                    if progress is not None:
                        progress(done, size)
        except BaseException as error:
            errors.append(error)
            stopped.set()

    parts = -(-size // part)
    workers = [
        threading.Thread(target=take_parts, daemon=True)
        for _ in range(min(threads or available_cores(), parts))
    ]
    for worker in workers:
        worker.start()
    try:
        for worker in workers:
            # The signal may be delivered to another thread, so this one must wake up to notice it.
            while worker.is_alive():
                worker.join(_POLL_INTERVAL)
    except BaseException:  # Python raises KeyboardInterrupt in this thread only
        stopped.set()
        for worker in workers:
            worker.join(_JOIN_TIMEOUT)
        raise
    if errors:
        raise errors[0]


def progress_from(
    start: int, progress: Progress | None, total: int | None = None
) -> Progress | None:
    """A progress function for work that begins when `start` parts of `total` are done."""
    if progress is None:
        return None

    def report(done: int, size: int) -> None:
        progress(start + done, size if total is None else total)

    return report


def available_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

"""Work in parts on this process's threads, with progress, stopped at once by Ctrl-C."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

Progress = Callable[[int, int], None]

# Seconds that an interrupted run waits for a part to end; most take a small part of one.
_PATIENCE = 0.5
# Seconds after which the waiting thread looks whether it has been interrupted.
_LOOKING_UP = 0.2


def run_in_parts(
    work: Callable[[int, int], None],
    size: int,
    part: int,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> None:
    """Call `work(start, stop)` for consecutive parts of `range(size)`.

    Several threads (0: one per core) take parts in turn; that helps as far as `work` releases
    the GIL, and never changes the result because `work` puts each part's result in its place.
    `progress(done, size)` is called after each part, by one thread at a time.
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
            # A signal may reach another thread, and wakes this one only when it looks up.
            while worker.is_alive():
                worker.join(_LOOKING_UP)
    except BaseException:  # Ctrl-C reaches this thread only, which is free to stop at once
        stopped.set()
        for worker in workers:
            worker.join(_PATIENCE)
        raise
    if errors:
        raise errors[0]


def after(start: int, progress: Progress | None, total: int | None = None) -> Progress | None:
    """A progress function for work that begins when `start` parts of `total` are done."""
    if progress is None:
        return None

    def tell(done: int, size: int) -> None:
        progress(start + done, size if total is None else total)

    return tell


def available_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

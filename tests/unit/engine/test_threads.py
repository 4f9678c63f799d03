"""Work in parts: all of it, once, by any number of threads, and stopped at once."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from weigh.engine.threads import run_in_parts


@pytest.mark.parametrize("threads", [0, 1, 2, 7])
@pytest.mark.parametrize(("size", "part"), [(0, 5), (1, 5), (5, 5), (23, 5), (23, 1)])
def test_every_part_is_done_once(size: int, part: int, threads: int) -> None:
    done = [0] * size
    told: list[tuple[int, int]] = []

    def work(start: int, stop: int) -> None:
        assert stop - start <= part
        for i in range(start, stop):
            done[i] += 1

    run_in_parts(
        work, size, part, threads=threads, progress=lambda now, all_: told.append((now, all_))
    )
    assert done == [1] * size
    assert [now for now, _ in told] == sorted(now for now, _ in told)
    assert told[-1:] == ([(size, size)] if size else [])


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_stops_the_work_and_is_raised(threads: int) -> None:
    begun = []

    def work(start: int, _: int) -> None:
        begun.append(start)
        if start == 2:
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_in_parts(work, 10_000, 1, threads=threads)
    assert len(begun) < 10_000


def test_interrupted_while_a_part_takes_long() -> None:
    """The waiting thread gets the signal, however long a part takes."""
    finish = threading.Event()
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_in_parts(lambda *_: finish.wait(20) and None, 1, 1)
        assert time.monotonic() - start < 10
    finally:
        finish.set()
        timer.join()

"""The progress bar: on a terminal, after a second, on one line, and gone at the end."""

from __future__ import annotations

import io

import pytest

from weigh.cli import terminal
from weigh.cli.progress import Progress

ERASE = "\r\x1b[K"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(stream: io.StringIO, steps: int, seconds: float) -> list[str]:
    """The bars of work that takes this time; the last one is empty."""
    now = [100.0]
    with Progress("scoring", stream=stream, clock=lambda: now[0]) as progress:
        for done in range(steps + 1):
            progress(done, steps)
            now[0] += seconds / steps
    return stream.getvalue().split(ERASE)[1:]


def test_it_is_drawn_after_a_second_and_erased_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    bars = drawn(Terminal(), 10, 5.0)
    assert bars[0] == f"scoring {'━' * 6}{'─' * 24} 2/10, 0:04 left"
    assert bars[-2].endswith(" 10/10, 0:00 left")
    assert bars[-1] == ""
    assert len(bars) == 10


def test_short_work_pipes_and_quiet_have_none() -> None:
    assert drawn(Terminal(), 10, 0.9) == []
    assert drawn(io.StringIO(), 10, 5.0) == []
    with terminal.quiet(True):
        assert drawn(Terminal(), 10, 5.0) == []


def test_it_is_drawn_ten_times_a_second_and_fits_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    bars = drawn(Terminal(), 3000, 3.0)
    assert 18 <= len(bars) <= 22
    assert {len(bar) for bar in bars[:-1]} == {19}

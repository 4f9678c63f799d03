from __future__ import annotations

import io

import pytest

from weigh.cli import terminal
from weigh.cli.progress import Progress, bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def shown(stream: io.StringIO, *, quiet: bool = False) -> str:
    """Return what is written in five seconds of work, a tenth of it every half second."""
    clock = Clock()
    with terminal.quiet(quiet), Progress("scoring", stream=stream, clock=clock) as progress:
        for done in range(11):
            progress(done, 10)
            clock.now += 0.5
    return stream.getvalue()


def test_it_comes_after_a_second_and_goes_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = shown(Terminal())
    bars = text.split("\r\x1b[K")
    assert bars[0] == ""
    assert bars[1] == bar("scoring", 2, 10, 1.0)
    assert bars[-1] == ""
    assert len(bars) == 11


def test_quiet_and_pipes_see_nothing() -> None:
    assert shown(Terminal(), quiet=True) == ""
    assert shown(io.StringIO()) == ""


def test_short_work_shows_nothing() -> None:
    clock = Clock()
    stream = Terminal()
    with Progress("scoring", stream=stream, clock=clock) as progress:
        clock.now += 0.9
        progress(9, 10)
    assert stream.getvalue() == ""


def test_it_is_not_drawn_more_often_than_one_can_see() -> None:
    clock = Clock()
    stream = Terminal()
    with Progress("scoring", stream=stream, clock=clock) as progress:
        clock.now += 2.0
        for done in range(1, 1000):
            clock.now += 0.001
            progress(done, 1000)
    assert 9 <= stream.getvalue().count("scoring") <= 11


def test_it_stays_on_one_line_of_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert {len(each) for each in shown(Terminal()).split("\r\x1b[K")} == {0, 19}


def test_time_left() -> None:
    assert bar("scoring", 1, 3, 60.0).endswith(" 1/3, 2:00 left")
    assert bar("scoring", 3, 3, 60.0).endswith(" 3/3, 0:00 left")

from __future__ import annotations

import fcntl
import io
import os
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from weigh.cli import terminal
from weigh.errors import WeighError


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "is_terminal", "colour"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colour(
    environment: dict[str, str],
    is_terminal: bool,
    colour: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert terminal.takes_colour(Terminal() if is_terminal else io.StringIO()) is colour


def test_files_have_a_width_only_if_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stdout", stream)
        assert terminal.screen().columns == 72
    monkeypatch.setenv("COLUMNS", "wide")
    assert terminal.screen().columns is None
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert terminal.screen().columns == 80


def test_files_get_utf8_whatever_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    terminal.write("BLEU ↑ bad\udcffbyte\n\n")
    assert written.getvalue() == "BLEU ↑ bad\\udcffbyte\n".encode()


def test_output_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(WeighError, match="cannot be written: No space left on device"):
        terminal.write("x")
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(WeighError, match="standard output is closed"):
        terminal.write("x")


def test_messages_need_no_stderr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    terminal.say("nobody hears")


def test_other_things_are_printed_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.reserve_stdout([], to_the_end=False):
        print("noise")
        terminal.write("data")
    print("later")
    assert capsys.readouterr() == ("data\nlater\n", "noise\n")


def test_the_width_of_a_terminal_while_stderr_is_a_file(tmp_path: Path) -> None:
    """A pseudo-terminal of 91 columns is asked, not the descriptor that leads elsewhere."""
    script = (
        "import sys; from weigh.cli import terminal\n"
        "with terminal.reserve_stdout([], to_the_end=True):\n"
        "    terminal.write(str(terminal.screen().columns))\n"
    )
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 91, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with (tmp_path / "log").open("w") as log:
        command = [sys.executable, "-c", script]
        subprocess.run(command, stdout=slave, stderr=log, env=environment, check=True)
    os.close(slave)
    shown = os.read(master, 100)
    os.close(master)
    assert shown == b"91\r\n"
    assert (tmp_path / "log").read_text() == ""


@pytest.mark.parametrize(("count", "lines"), [(0, 0), (6, 6), (7, 7), (300, 7)])
def test_only_a_handful_of_warnings_is_said(
    count: int, lines: int, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal.warn([f"number {at}" for at in range(count)])
    said = capsys.readouterr().err.splitlines()
    assert len(said) == lines
    if count > 6:
        assert said[-1].startswith(f"weigh: {count - 6} more warning")

"""What the command writes to which stream, and how it looks there."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.in_process import run_inside, surroundings
from weigh.cli import main, terminal

if TYPE_CHECKING:
    from conftest import FakeVerb

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SCORE = ("score", "-r", "reference.en", "-m", "bleu", "good.en", "poor.en")


@pytest.mark.parametrize(
    ("environment", "has_colour"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_of_files(environment: dict[str, str], has_colour: bool) -> None:
    done = run_inside(*SCORE, cwd=EXAMPLES, **environment)
    assert ("\x1b[" in done.stdout) is has_colour


@pytest.mark.parametrize(
    ("environment", "has_colour"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_a_terminal_has_its_own_colour(
    environment: dict[str, str], has_colour: bool, tmp_path: Path
) -> None:
    """Stderr is a file meanwhile, and stdout of the libraries leads there."""
    shown, said = on_terminal(["compare", "logs", "--brief"], 40, environment, tmp_path)
    assert ("\x1b[" in shown) is has_colour
    assert "lm-eval" in said


def test_help_is_as_wide_as_a_terminal(tmp_path: Path) -> None:
    narrow, _ = on_terminal(["compare", "--help"], 60, {}, tmp_path)
    assert 50 < max(len(line) for line in narrow.split("\r\n")[2:-3]) <= 58


def on_terminal(
    arguments: list[str], columns: int, environment: dict[str, str], folder: Path
) -> tuple[str, str]:
    """What a command prints on a terminal, and to stderr."""
    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    with (folder / "log").open("w") as log:
        subprocess.run(
            [sys.executable, "-m", "weigh", *arguments],
            cwd=EXAMPLES,
            stdout=follower,
            stderr=log,
            env=surroundings() | environment,
            check=True,
        )
    os.close(follower)
    shown = b""
    try:
        while part := os.read(leader, 10_000):
            shown += part
    except OSError:  # the end
        os.close(leader)
    return shown.decode(), (folder / "log").read_text(encoding="utf-8")


def test_a_file_has_a_width_only_if_columns_says_so() -> None:
    help_of = ["compare", "--help"]
    widths = [
        max(map(len, run_inside(*help_of, cwd=EXAMPLES, COLUMNS=columns).stdout.split("\n")[2:-3]))
        for columns in ("60", "wide", "-3", "1")
    ]
    assert widths[0] <= 58
    assert widths[1] == widths[2] <= 78


def test_files_get_utf8_whatever_the_locale() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "weigh", *SCORE],
        cwd=EXAMPLES,
        env=surroundings() | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
        capture_output=True,
        check=True,
    )
    assert "BLEU ↑" in done.stdout.decode("utf-8")


def test_closed_streams() -> None:
    command = f'"{sys.executable}" -m weigh score -r reference.en good.en'
    for redirection, code, said in (
        (">&-", 1, "weigh: the output cannot be written: standard output is closed\n"),
        ("2>&-", 0, ""),
        ("- <&-", 1, "weigh: -: standard input is closed; give a file\n"),
    ):
        done = subprocess.run(
            f"{command} {redirection}", shell=True, cwd=EXAMPLES, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr.decode()) == (code, said)


def test_what_libraries_print_goes_to_stderr(
    fake: FakeVerb, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> int:
        print("noise")
        terminal.write("data")
        return 0

    fake.work = work
    assert main(["fake"]) == 0
    print("later")
    assert capsys.readouterr() == ("data\nlater\n", "noise\n")


@pytest.mark.parametrize(("count", "lines"), [(0, 0), (6, 6), (7, 7), (300, 7)])
def test_only_the_first_warnings_are_printed(
    count: int, lines: int, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal.warn([f"number {at}" for at in range(count)])
    printed = capsys.readouterr().err.splitlines()
    assert len(printed) == lines
    if count > 6:
        assert printed[-1].startswith(f"weigh: {count - 6} more warning")

"""The terminal: what is written to it, whether it takes colour, how wide it is."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TextIO

from weigh.errors import WeighError
from weigh.report.grid import Screen, visible

_USUAL_COLUMNS = 80
# Where data go while a command runs, and other things that are printed go to stderr.
_data: TextIO | None = None


@contextlib.contextmanager
def reserved_stdout(arguments: Sequence[str], *, to_the_end: bool) -> Iterator[None]:
    """Keep stdout for data: what else is printed, by a plug-in or a library, goes to stderr.

    To the end of the process it is also kept from what writes past Python, such as C libraries
    and processes that are started; unless the arguments name it as a file to write.
    """
    global _data
    outer, before = _data, sys.stdout
    if before is None:  # closed: nothing to keep
        yield
        return
    named = any("/dev/stdout" in each or "/dev/fd/1" in each for each in arguments)
    _data = kept = _moved(before) if to_the_end and not named else before
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        _data, sys.stdout = outer, before
        if kept is not before:
            kept.close()


def _moved(stdout: TextIO) -> TextIO:
    """Open a stream to where stdout goes; from now on its descriptor leads to stderr."""
    try:
        descriptor = stdout.fileno()
        stdout.flush()
        moved = os.fdopen(os.dup(descriptor), "w", encoding=stdout.encoding, errors=stdout.errors)
        elsewhere = os.open(os.devnull, os.O_WRONLY) if sys.stderr is None else sys.stderr.fileno()
        os.dup2(elsewhere, descriptor)
    except (OSError, ValueError):  # no file behind it
        return stdout
    return moved


def _stdout() -> TextIO | None:
    return sys.stdout if _data is None else _data


def write(text: str) -> None:
    """Write a result to stdout, with one line end after it."""
    write_lines([text.rstrip("\n")])


def write_lines(lines: Sequence[str]) -> None:
    """Write data to stdout: UTF-8 into files and pipes, what can be shown on a terminal.

    Every line is ended, also an empty last one.
    """
    stdout = _stdout()
    try:
        if stdout is None:
            raise OSError("standard output is closed")
        if isinstance(stdout, io.TextIOWrapper):
            if stdout.isatty():
                stdout.reconfigure(errors="replace")
            else:
                stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        stdout.write("".join(f"{line}\n" for line in lines))
        stdout.flush()
    except BrokenPipeError:
        _abandon_stdout()
        raise
    except OSError as error:
        _abandon_stdout()
        raise WeighError(f"the output cannot be written: {error.strerror or error}") from error


def say(message: str) -> None:
    """Write one line to stderr, whatever the message contains."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"weigh: {visible(message)}", file=sys.stderr, flush=True)


def takes_colour(stream: TextIO | None) -> bool:
    """Whether to use colour: NO_COLOR decides, then FORCE_COLOR, then the terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether the stream is a terminal."""
    return stream is not None and stream.isatty()


_MOST_WARNINGS = 6


def warn(warnings: Sequence[str]) -> None:
    """Say the first warnings to a person, and how many more there are."""
    for warning in warnings[:_MOST_WARNINGS]:
        say(warning)
    if (more := len(warnings) - _MOST_WARNINGS) > 0:
        say(f"{more:,} more warning{'s' * (more > 1)}; --format json and --html FILE have all")


def screen() -> Screen:
    """The colours and the width of stdout."""
    stdout = _stdout()
    wide = columns(stdout) if stdout is not None and is_terminal(stdout) else None
    return Screen(takes_colour(stdout), wide)


def columns(stream: TextIO | None) -> int:
    """The width of a terminal: COLUMNS, then its own, then 80."""
    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and int(given) > 0:
        return int(given)
    try:
        wide = 0 if stream is None else os.get_terminal_size(stream.fileno()).columns
        return wide or _USUAL_COLUMNS
    except (OSError, ValueError):
        return _USUAL_COLUMNS


def _abandon_stdout() -> None:
    """Let the interpreter's own last flush go nowhere, so that it does not complain as well."""
    stdout = _stdout()
    with contextlib.suppress(OSError, ValueError):
        if stdout is not None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stdout.fileno())
            os.close(nowhere)

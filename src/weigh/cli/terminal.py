"""Standard output and standard error: writing, colour and width."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TextIO

from weigh.errors import WeighError, plural
from weigh.report.grid import Screen, visible

_USUAL_COLUMNS = 80
_LONGEST_WORD = 500  # more than any path that people type
# The stream for data while a command runs; anything else that is printed goes to stderr.
_data: TextIO | None = None
_quiet = False  # whether --quiet was given


@contextlib.contextmanager
def reserve_stdout(arguments: Sequence[str], *, to_the_end: bool) -> Iterator[None]:
    """Reserve stdout for data; what a plug-in or a library prints goes to stderr.

    With `to_the_end` of the process, this includes the output of C libraries and child processes,
    unless the arguments name stdout as a file to write.
    """
    global _data
    outer, before = _data, sys.stdout
    if before is None:  # closed
        yield
        return
    named = any("/dev/stdout" in argument or "/dev/fd/1" in argument for argument in arguments)
    _data = kept = _move_stdout(before) if to_the_end and not named else before
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        _data, sys.stdout = outer, before
        if kept is not before:
            kept.close()


def _move_stdout(stdout: TextIO) -> TextIO:
    """A stream to the target of stdout, whose descriptor leads to stderr from now on."""
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
    """Write a result to stdout, ending with one newline."""
    write_lines([text.rstrip("\n")])


def write_lines(lines: Sequence[str]) -> None:
    """Write lines to stdout: UTF-8 to files and pipes, replacing characters a terminal lacks."""
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
        _redirect_to_null(stdout)
        raise
    except OSError as error:
        _redirect_to_null(stdout)
        raise WeighError(f"the output cannot be written: {error.strerror or error}") from error


def say(message: str) -> None:
    """Write one line to stderr; escape control characters and shorten very long words."""
    if sys.stderr is None:
        return
    words = (
        word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}…"
        for word in visible(message).split(" ")
    )
    try:
        print("weigh:", *words, file=sys.stderr, flush=True)
    except OSError:
        _redirect_to_null(sys.stderr)


@contextlib.contextmanager
def quiet(is_on: bool) -> Iterator[None]:
    """Print no remarks and no progress bars in this context, if `is_on`; warnings stay."""
    global _quiet
    outer, _quiet = _quiet, is_on
    try:
        yield
    finally:
        _quiet = outer


def is_quiet() -> bool:
    """Whether remarks and progress bars are off."""
    return _quiet


def remark(*remarks: str) -> None:
    """Write remarks to stderr, each on a line, unless --quiet was given."""
    for text in remarks:
        if not _quiet:
            say(text)


def _takes_colour(stream: TextIO | None) -> bool:
    """Whether to use colour: by NO_COLOR, FORCE_COLOR, or the terminal, in this order."""
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
    """Print the first warnings to stderr, and the number of the others."""
    for warning in warnings[:_MOST_WARNINGS]:
        say(warning)
    if (more := len(warnings) - _MOST_WARNINGS) > 0:
        say(f"{plural(more, 'more warning')}; --format json and --html FILE show all")


def screen() -> Screen:
    """The width and colour that stdout supports; a file has a width if COLUMNS gives one."""
    stdout = _stdout()
    width = columns() if is_terminal(stdout) else _columns_by_environment()
    return Screen(_takes_colour(stdout), width)


def _columns_by_environment() -> int | None:
    value = os.environ.get("COLUMNS", "")
    is_width = value.isascii() and value.isdigit() and len(value) < 6 and int(value) > 0
    return int(value) if is_width else None


def columns(stream: TextIO | None = None) -> int:
    """The width of a stream, or of stdout: by COLUMNS, else that of the terminal, else 80."""
    width = _columns_by_environment()
    if width is None and (stream := stream or _stdout()) is not None:
        with contextlib.suppress(OSError, ValueError):
            width = os.get_terminal_size(stream.fileno()).columns
    return width or _USUAL_COLUMNS


def _redirect_to_null(stream: TextIO | None) -> None:
    """Send the rest of a stream nowhere, so that Python's last flush does not fail as well."""
    with contextlib.suppress(OSError, ValueError):
        if stream is not None:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)

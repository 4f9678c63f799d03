"""The terminal: what is written to it, whether it takes colour, how wide it is."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TextIO, TypeVar

from weigh.errors import WeighError
from weigh.report.table import Screen
from weigh.report.text import visible

Report = TypeVar("Report")


def write(text: str) -> None:
    """Write a result to stdout, with one line end after it."""
    write_lines([text.rstrip("\n")])


def write_lines(lines: Sequence[str]) -> None:
    """Write data to stdout: UTF-8 into files and pipes, what can be shown on a terminal.

    Every line is ended, also an empty last one.
    """
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed")
        if isinstance(sys.stdout, io.TextIOWrapper):
            if sys.stdout.isatty():
                sys.stdout.reconfigure(errors="replace")
            else:
                sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon_stdout()
        raise
    except OSError as error:
        _abandon_stdout()
        raise WeighError(f"the output cannot be written: {error.strerror or error}") from error


def show(
    report: Report,
    format_name: str,
    as_table: Callable[[Report, Screen], str],
    formats: Mapping[str, Callable[[Report], str]],
) -> None:
    """Write a report in one of its formats; only the table depends on the screen.

    GitHub shows plain Markdown where a report has nothing of its own for it.
    """
    if format_name == "table":
        write(as_table(report, screen()))
    elif format_name == "github" and format_name not in formats:
        write(formats["markdown"](report))
    else:
        write(formats[format_name](report))


def say(message: str) -> None:
    """Write one line to stderr, whatever the message contains."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"weigh: {visible(message)}", file=sys.stderr, flush=True)


def takes_colour(stream: TextIO) -> bool:
    """Return whether to colour what is written: NO_COLOR, then FORCE_COLOR, then the terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a person is looking at the stream."""
    return stream is not None and stream.isatty()


def screen() -> Screen:
    """Return what stdout can show."""
    columns = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None
    return Screen(takes_colour(sys.stdout), columns)


def _abandon_stdout() -> None:
    """Let the interpreter's own last flush go nowhere, so that it does not complain as well."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)

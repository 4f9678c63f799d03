"""The command without a process of its own, since most of a short command's time is its start."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from unittest import mock

from weigh.cli import main


def surroundings() -> dict[str, str]:
    """Return the environment of a command, without what changes its output."""
    unset = {"COLUMNS", "FORCE_COLOR", "NO_COLOR", "WEIGH_FORMAT", "WEIGH_DEBUG"}
    return {name: value for name, value in os.environ.items() if name not in unset}


def run_inside(
    *arguments: str | Path, cwd: Path, stdin: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in this process, with standard streams of its own.

    Unlike in a process, warnings are errors, as in all tests.
    """
    given = [str(each) for each in arguments]
    with (
        tempfile.TemporaryFile() as read,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        read.write(stdin.encode())
        read.seek(0)
        with (
            mock.patch.dict(os.environ, surroundings() | variables, clear=True),
            contextlib.chdir(cwd),
            _standing_for("stdin", read),
            _standing_for("stdout", out),
            _standing_for("stderr", err),
        ):
            code = main(given)
        written = []
        for stream in (out, err):
            stream.seek(0)
            written.append(stream.read().decode())
    return subprocess.CompletedProcess(given, code, *written)


@contextlib.contextmanager
def _standing_for(name: str, file: IO[bytes]) -> Iterator[None]:
    """Let a file be a standard stream, for Python and for what writes past it."""
    descriptor = ("stdin", "stdout", "stderr").index(name)
    before = os.dup(descriptor)
    os.dup2(file.fileno(), descriptor)
    mode = "r" if name == "stdin" else "w"
    try:
        with (
            os.fdopen(descriptor, mode, encoding="utf-8", closefd=False) as stream,
            mock.patch.object(sys, name, stream),
        ):
            yield
    finally:
        os.dup2(before, descriptor)
        os.close(before)

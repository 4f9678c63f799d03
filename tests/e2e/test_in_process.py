"""Commands in the tests' own process are what the installed command is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize(
    ("arguments", "stdin", "variables"),
    [
        (("score", "-r", "ref", "-"), "a b é d\n", {"WEIGH_FORMAT": "json"}),
        (("score", "-r", "ref", "-"), "", {}),
        (("compare", "--help"), "", {"FORCE_COLOR": "1"}),
        (("scor",), "", {}),
    ],
)
def test_both_do_the_same(
    arguments: tuple[str, ...],
    stdin: str,
    variables: dict[str, str],
    installed: Run,
    inside: Run,
    tmp_path: Path,
) -> None:
    (tmp_path / "ref").write_text("a b é d\n", encoding="utf-8")
    before = (Path.cwd(), dict(os.environ), sys.stdin, sys.stdout, sys.stderr)
    one = installed(*arguments, stdin=stdin, **variables)
    other = inside(*arguments, stdin=stdin, **variables)
    assert (one.returncode, one.stdout, one.stderr) == (
        other.returncode,
        other.stdout,
        other.stderr,
    )
    assert one.stdout or one.stderr
    assert (Path.cwd(), dict(os.environ), sys.stdin, sys.stdout, sys.stderr) == before

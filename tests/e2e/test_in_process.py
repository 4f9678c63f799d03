"""Commands in the tests' own process are what the installed command is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
TEXTS = ("-r", "reference.en", "good.en", "poor.en")
LISTS = ("--nbest", "nbest.txt", "-r", "reference.en")


def check(
    installed: Run, weigh: Run, *arguments: str, **given: str | Path
) -> subprocess.CompletedProcess[str]:
    """Run a command both ways, which must say and do the same."""
    before = (Path.cwd(), dict(os.environ), sys.stdin, sys.stdout, sys.stderr)
    process = installed(*arguments, **given)
    done = weigh(*arguments, **given)
    assert (process.returncode, process.stdout, process.stderr) == (
        done.returncode,
        done.stdout,
        done.stderr,
    )
    assert process.stdout or process.stderr
    assert (Path.cwd(), dict(os.environ), sys.stdin, sys.stdout, sys.stderr) == before
    return process


@pytest.mark.parametrize(
    ("arguments", "stdin", "variables"),
    [
        (("score", "-r", "ref", "-"), "a b é d\n", {"WEIGH_FORMAT": "json"}),
        (("score", "-r", "ref", "-"), "", {}),
        (("compare", "--help"), "", {"FORCE_COLOR": "1"}),
        (("scor",), "", {}),
    ],
)
def test_streams_and_variables(
    arguments: tuple[str, ...],
    stdin: str,
    variables: dict[str, str],
    installed: Run,
    weigh: Run,
    tmp_path: Path,
) -> None:
    (tmp_path / "ref").write_text("a b é d\n", encoding="utf-8")
    check(installed, weigh, *arguments, stdin=stdin, **variables)


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "-m", "bleu,ter,gtm", *TEXTS),
        ("compare", "--trials", "200", "--test", "randomization,bootstrap", *TEXTS),
        ("tune", *LISTS, "-m", "bleu"),
        ("human", "plan", "--detect", ".3", "--count", "4"),
        ("human", "rank", "judgments.csv", "--format", "json"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_verbs(arguments: tuple[str, ...], installed: Run, weigh: Run, root: Path) -> None:
    """Those of each kind; test_examples.py runs all verbs as they are installed."""
    assert check(installed, weigh, *arguments, cwd=root / "examples").returncode == 0


def test_a_result_that_was_saved(installed: Run, weigh: Run, root: Path, tmp_path: Path) -> None:
    made = weigh("score", "-m", "bleu", "--format", "json", *TEXTS, cwd=root / "examples")
    (tmp_path / "saved.json").write_text(made.stdout, encoding="utf-8")
    assert check(installed, weigh, "report", "saved.json").returncode == 0

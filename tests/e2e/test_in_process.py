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
RYPT = ("-s", "source.de", "--parses", "parses.mrg", "--labels", "labels.jsonl")


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
        ("cite", "-m", "bleu,ter", "--test", "paired-bootstrap"),
        ("tune", *LISTS, "-m", "bleu"),
        ("rerank", *LISTS, "--oracle"),
        ("metrics", "--format", "markdown"),
        ("validate", "type1", "--nulls", "5", "--trials", "199", *TEXTS),
        ("validate", "samples", "--sizes", "10", "--samples", "5", "--trials", "99", *TEXTS),
        ("validate", "power", "--sizes", "20", "--simulations", "5", "--trials", "99", *TEXTS),
        ("human", "plan", "--detect", ".3", "--count", "4"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_verbs(arguments: tuple[str, ...], installed: Run, weigh: Run, root: Path) -> None:
    assert check(installed, weigh, *arguments, cwd=root / "examples").returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("queries", *RYPT, "--nbest", "candidates.nbest"),
        ("diversity", *RYPT, "candidates.nbest"),
        ("labels", "export", "labels.jsonl"),
        *(
            (verb, *RYPT, "--alignments", "reference.align", *more, "reference.en")
            for verb, more in [("score", ()), ("infer", ()), ("explain", ("--segment", "1"))]
        ),
    ],
    ids=lambda arguments: arguments[0],
)
def test_verbs_on_labels(
    arguments: tuple[str, ...], installed: Run, weigh: Run, root: Path
) -> None:
    done = check(installed, weigh, "rypt", *arguments, cwd=root / "examples" / "rypt")
    assert done.returncode == 0


def test_verbs_on_judgments(installed: Run, weigh: Run, tmp_path: Path) -> None:
    """From a made-up campaign to a report of its ranking."""
    small = ("--systems", "3", "--segments", "30", "--hits", "20", "--judges", "10", "--force")
    assert check(installed, weigh, "demo", "campaign", "trial", *small).returncode == 0
    trial = tmp_path / "trial"
    [judgments] = trial.glob("judgments*")
    for verb in ("quality", "agreement", "rank"):
        done = check(installed, weigh, "human", verb, str(judgments), "--format", "json")
        assert done.returncode == 0
    (tmp_path / "saved.json").write_text(done.stdout, encoding="utf-8")
    assert check(installed, weigh, "report", "saved.json").returncode == 0

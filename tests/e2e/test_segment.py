"""Given segment scores beside texts, and scores that are missing."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def work(root: Path, tmp_path: Path) -> Path:
    """Return a directory with two systems, a reference and scores of 40 segments."""
    for name in ("good.en", "poor.en", "reference.en"):
        (tmp_path / name).write_bytes((root / "examples" / name).read_bytes())
    for name, shift in (("good.en", 0.5), ("poor.en", 0.25)):
        numbers = "".join(f"{shift + at / 100}\n" for at in range(40))
        (tmp_path / f"{name}.comet").write_text(numbers)
    return tmp_path


def document(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def lose(path: Path, *lines: int) -> None:
    """Write NA for some scores."""
    scores = path.read_text().split("\n")
    for line in lines:
        scores[line - 1] = "NA"
    path.write_text("\n".join(scores))


COMMON = ("-r", "reference.en", "--format", "json", "good.en", "poor.en")
GIVEN = "segment:file={system}.comet:name=comet"


def test_missing_scores_are_an_error_or_reported(weigh: Run, work: Path) -> None:
    lose(work / "good.en.comet", 3)
    lose(work / "poor.en.comet", 3, 40)
    refused = weigh("score", "-m", GIVEN, *COMMON, cwd=work)
    assert refused.returncode == 1
    assert refused.stderr == (
        "weigh: good.en.comet: no score of good for segment 3; every segment of every system "
        "needs one, or add --allow-missing\n"
    )
    warning = (
        "2 of 40 segments are left out for all systems, because scores are missing: "
        "comet of good 1, comet of poor 2"
    )
    kept = [at for at in range(40) if at not in (2, 39)]
    mean = sum(kept) / 100 / 38
    commands = [
        ("score", "-m", f"bleu,{GIVEN}", "--allow-missing", *COMMON),
        ("compare", "-m", f"bleu,{GIVEN}", "--allow-missing", "--trials", "100", *COMMON),
        ("compare", "--allow-missing", "--format", "json", "--trials", "100", "good.en.comet",
         "poor.en.comet"),
    ]  # fmt: skip
    for command in commands:
        done = weigh(*command, cwd=work)
        made = document(done)
        said = warning if "-m" in command else "2 of 40 items are left out for all systems"
        assert said in done.stderr
        assert said in made["warnings"][0]
        assert made["test_set"]["segments"] == 38
        assert made["scores"][-1]["score"] == pytest.approx(0.25 + mean)


def test_segments_keep_their_numbers(weigh: Run, work: Path) -> None:
    lose(work / "good.en.comet", 3)
    lose(work / "poor.en.comet", 3, 39)
    left = [number for number in range(1, 41) if number not in (3, 39)]
    texts = ("score", "-m", GIVEN, "--allow-missing", "--segments", *COMMON)
    made = document(weigh(*texts, cwd=work))
    assert made["numbers"] == left
    assert made["scores"][0]["segments"][-1] == pytest.approx(0.5 + 39 / 100)
    (work / "result.json").write_text(json.dumps(made))
    for again in (
        weigh(*texts, "--format", "tsv", cwd=work),
        weigh("report", "result.json", "--format", "tsv", cwd=work),
    ):
        rows = [line.split("\t") for line in again.stdout.rstrip("\n").split("\n")]
        column = rows[0].index("segment")
        shown = [row[column] for row in rows[1:] if row[column]]
        assert shown == [*map(str, left)] * 2
    tables = weigh(*texts, "--format", "table", cwd=work).stdout
    assert [line.split()[0] for line in tables.split("\n") if line.endswith("0.8900")] == ["40"]

    few = ("--details", "--trials", "100")
    files = ("good.en.comet", "poor.en.comet")
    for command in (
        ("compare", "-m", GIVEN, "--allow-missing", *few, *COMMON),
        ("compare", "--allow-missing", "--format", "json", *few, *files),
    ):
        made = document(weigh(*command, cwd=work))
        assert made["details"]["segments"]["numbers"] == left

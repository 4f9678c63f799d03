"""`weigh validate`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def preferences(tmp_path: Path) -> Path:
    """People like the good system better than the middling one, nine times out of ten."""
    rows = ["seg\twinner\tloser"]
    rows += ["1\tgood.en\tmiddling.en"] * 18 + ["1\tmiddling.en\tgood.en"] * 2
    path = tmp_path / "preferences.tsv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def texts(root: Path) -> list[str | Path]:
    folder = root / "examples"
    return ["-r", folder / "reference.en", folder / "good.en", folder / "middling.en"]


def accuracy(weigh: Run, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return weigh("validate", "accuracy", "--trials", "999", *arguments)


def test_rows_that_cannot_be_read(weigh: Run, texts: list[str | Path], preferences: Path) -> None:
    good = json.loads(accuracy(weigh, "--human", preferences, *texts, "--format", "json").stdout)
    preferences.write_text(preferences.read_text() + "1\tgood.en\t\n")
    refused = accuracy(weigh, "--human", preferences, *texts)
    assert (refused.returncode, "--bad-rows skip" in refused.stderr) == (1, True)
    done = accuracy(weigh, "--human", preferences, *texts, "--bad-rows", "skip", "--format", "json")
    made = json.loads(done.stdout)
    assert "row 22 left out: the winner is 'good.en'" in done.stderr
    assert made["omissions"][0]["count"] == 1
    assert made["same_level"] == good["same_level"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "no human judgments given; add them with --human FILE"),
        (("--human", "PREFERENCES", "--quality", "appraise"), 2, "control appraise is for scores"),
        (("--human", "PREFERENCES", "--alpha", "x"), 2, "--alpha: expected a number, not 'x'"),
        (("--human", "PREFERENCES", "--trials", "99"), 2, "use at least 999 trials"),
        (("--human", "PREFERENCES", "-m", "bleu,bleu"), 2, "metric 'bleu' is given twice"),
        (("--human", "no.tsv"), 1, "no.tsv: no such file"),
    ],
)
def test_bad_input_of_accuracy(
    arguments: tuple[str, ...],
    code: int,
    words: str,
    weigh: Run,
    texts: list[str | Path],
    preferences: Path,
) -> None:
    given = [preferences if each == "PREFERENCES" else each for each in arguments]
    done = weigh("validate", "accuracy", *given, *texts)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_systems_that_people_do_not_know(
    weigh: Run, texts: list[str | Path], tmp_path: Path
) -> None:
    (tmp_path / "people.tsv").write_text("seg\twinner\tloser\n1\tgood\tpoor\n")
    done = accuracy(weigh, "--human", "people.tsv", *texts)
    assert done.returncode == 1
    assert "people judged good, poor, but the systems given are good, middling" in done.stderr
    assert done.stderr.count("\n") == 1


def test_bad_sizes(weigh: Run, texts: list[str | Path]) -> None:
    for given, words in (
        ("10,x", "--sizes: expected a whole number of at least 2, not 'x'"),
        ("10,50", "samples of 50, but there are only 40 units; give smaller sizes"),
    ):
        done = weigh("validate", "samples", *texts, "--sizes", given)
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("verb", ["accuracy", "power", "samples", "type1"])
def test_segments_left_out_are_in_every_report(
    verb: str, weigh: Run, tmp_path: Path, preferences: Path
) -> None:
    for name, more in (("good.en", 1), ("middling.en", 0)):
        scores = [f"{(7 * n) % 5 / 4 + more}" for n in range(40)]
        (tmp_path / name).write_text("\n".join(["NA", *scores]))
    few = {
        "accuracy": ("--human", preferences, "--trials", "1999"),
        "power": ("--sizes", "20", "--simulations", "5", "--trials", "99"),
        "samples": ("--sizes", "10", "--samples", "5", "--trials", "99"),
        "type1": ("--nulls", "5", "--trials", "199"),
    }[verb]
    given = ("--allow-missing", "good.en", "middling.en")
    done = weigh("validate", verb, *few, *given, "--format", "json")
    assert done.returncode == 0, done.stderr
    said = "1 of 41 items is left out for all systems, because some have no score"
    assert said in done.stderr
    [remark] = json.loads(done.stdout)["remarks"]
    assert said in remark

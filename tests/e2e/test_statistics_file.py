"""`--save-statistics` and `--statistics`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
SYSTEMS = ("good.en", "middling.en", "poor.en")
FEW = ("--trials", "200", "--format", "json")
METRICS = ("-m", "bleu,ter,combine:bleu=1:chrf=2")


@pytest.fixture
def work(root: Path, tmp_path: Path, weigh: Run) -> Path:
    """Return a directory with the examples and their statistics."""
    for path in filter(Path.is_file, (root / "examples").iterdir()):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    done = weigh(
        *("score", "-r", "reference.en", "--slices", "domains.txt", *METRICS),
        *("--save-statistics", "s.npz", *SYSTEMS),
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return tmp_path


def document(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_way_to_read_them_gives_the_same_result(weigh: Run, work: Path) -> None:
    texts = ("-r", "reference.en", "--slices", "domains.txt", *SYSTEMS)
    for verb in (("compare",), ("score", "--interval", "percentile"), ("score", "--segments")):
        plain = weigh(*verb, *FEW, *METRICS, *texts, cwd=work)
        beside = weigh(*verb, *FEW, *METRICS, "--statistics", "s.npz", *texts, cwd=work)
        alone = weigh(*verb, *FEW, "--statistics", "s.npz", cwd=work)
        assert document(plain) == document(beside) == document(alone)


@pytest.mark.parametrize(
    "verb",
    [
        ("type1", "--nulls", "20"),
        ("samples", "--sizes", "10", "--samples", "3"),
        ("power", "--sizes", "20", "--simulations", "20"),
        ("accuracy", "--human", "people.tsv"),
    ],
)
def test_every_validation_reads_them(verb: tuple[str, ...], weigh: Run, work: Path) -> None:
    rows = ["1\tgood.en\tmiddling.en"] * 18 + ["1\tmiddling.en\tgood.en"] * 2
    (work / "people.tsv").write_text("\n".join(["seg\twinner\tloser", *rows, ""]))
    two = ("-r", "reference.en", "-m", "ter", *SYSTEMS[:2])
    saved = weigh("score", "--save-statistics", "two.npz", *two, cwd=work)
    assert saved.returncode == 0, saved.stderr
    common = ("validate", *verb, "--trials", "999", "--format", "json")
    plain = document(weigh(*common, *two, cwd=work))
    assert plain == document(weigh(*common, "--statistics", "two.npz", *two, cwd=work))
    assert plain == document(weigh(*common, "--statistics", "two.npz", cwd=work))
    lines = (work / "good.en").read_text().split("\n")
    (work / "good.en").write_text("\n".join([lines[0] + "!", *lines[1:]]))
    stale = weigh(*common, "--statistics", "two.npz", *two, cwd=work)
    assert stale.returncode == 1
    assert "two.npz: out of date, as good.en has changed in segment 1;" in stale.stderr


def test_systems_and_metrics_that_are_not_in_the_file_are_computed(weigh: Run, work: Path) -> None:
    texts = ("-r", "reference.en", "-m", "wer,ter", "good.en", "new=reference2.en")
    plain = weigh("score", "--format", "json", *texts, cwd=work)
    beside = weigh("score", "--format", "json", "--statistics", "s.npz", *texts, cwd=work)
    assert document(plain) == document(beside)


def test_a_part_of_the_file(weigh: Run, work: Path) -> None:
    made = document(
        weigh("compare", "--statistics", "s.npz", "-m", "ter", "--documents", "documents.txt",
              "--baseline", "poor.en", *FEW, cwd=work)
    )  # fmt: skip
    assert {each["metric"] for each in made["scores"]} == {"ter"}
    assert (made["unit"], made["units"]) == ("document", 4)
    assert {each["b"] for each in made["comparisons"]} == {"poor.en"}


def test_systems_by_name(weigh: Run, work: Path) -> None:
    """In the order given; the texts are not needed any more."""
    names = ("poor.en", "good.en")
    texts = ("-r", "reference.en", "--slices", "domains.txt", *names)
    for verb in (("compare",), ("validate", "power", "--sizes", "20", "--simulations", "20")):
        few = ("--trials", "200", "--format", "json", "-m", "ter")
        some = texts[:2] + texts[4:] if verb[0] == "validate" else texts
        plain = document(weigh(*verb, *few, *some, cwd=work))
        picked = document(weigh(*verb, *few, "--statistics", "s.npz", *names, cwd=work))
        assert plain == picked
    for name in SYSTEMS:
        (work / name).unlink()
    made = document(weigh("score", "--format", "json", "--statistics", "s.npz", *names, cwd=work))
    assert list(dict.fromkeys(each["system"] for each in made["scores"])) == [*names]
    for given, message in (
        (("goood.en",), "s.npz: no statistics of goood.en, and no references to score a file with; "
         "did you mean 'good.en'?"),
        (("good.en", "good.en"), "good.en is named twice; name every system once"),
    ):  # fmt: skip
        done = weigh("score", "--statistics", "s.npz", *given, cwd=work)
        assert done.stderr == f"weigh: {message}\n"


def test_metrics_that_only_some_systems_have(weigh: Run, work: Path) -> None:
    """What the chosen ones have is enough."""
    one = ("-r", "reference.en", "-m", "wer", "good.en")
    document(weigh("score", "--format", "json", *one, "--save-statistics", "w.npz", cwd=work))
    both = ("--statistics", "s.npz", "--statistics", "w.npz", "--format", "json")
    made = document(weigh("score", *both, "good.en", cwd=work))
    assert {each["metric"] for each in made["scores"]} >= {"bleu", "wer"}
    made = document(weigh("score", *both, cwd=work))
    assert "wer" not in {each["metric"] for each in made["scores"]}


def test_hter_without_texts(installed: Run, work: Path) -> None:
    own = ("-r", "a=reference.en", "-r", "b=reference2.en", "a=good.en", "b=poor.en", "-m", "ter")
    plain = installed("score", "--format", "json", *own, "--save-statistics", "own.npz", cwd=work)
    again = installed("score", "--format", "json", "--statistics", "own.npz", cwd=work)
    assert document(plain) == document(again)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-r", "reference2.en", "good.en"), "s.npz: out of date, as reference 1 has changed in "
         "segment 1 (and 39 more); compute them again with weigh score --save-statistics"),
        (("-r", "reference.en", "good.en=poor.en"), "s.npz: out of date, as good.en has changed in "
         "segment 1 (and 39 more); compute them again with weigh score --save-statistics"),
        (("-m", "wer"), "s.npz: no statistics of wer for all systems; did you mean 'ter'?"),
        (("-r", "reference.en"), "--ref is given, but no system's output; give them too, or "
         "neither, to take all from the statistics"),
        (("--slices", "short"), "short: 1 line, but s.npz has 40; check that both belong to one "
         "test set"),
        (("--statistics", "good.en"), "good.en: not a file that weigh score --save-statistics has "
         "written, or a damaged one; write it again"),
        (("--save-statistics", "good.en"), "good.en: exists and is no file of statistics; choose "
         "another name"),
    ],
)  # fmt: skip
def test_mistakes(arguments: tuple[str, ...], message: str, weigh: Run, work: Path) -> None:
    (work / "short").write_text("x\n")
    done = weigh("score", "--statistics", "s.npz", *arguments, cwd=work)
    assert done.stderr == f"weigh: {message}\n"
    assert done.returncode in (1, 2)


def test_a_changed_line_is_found(weigh: Run, work: Path) -> None:
    lines = (work / "good.en").read_text().split("\n")
    lines[6] += " "
    (work / "good.en").write_text("\n".join(lines))
    done = weigh("score", "--statistics", "s.npz", "-r", "reference.en", *SYSTEMS, cwd=work)
    assert done.returncode == 1
    assert "good.en has changed in segment 7;" in done.stderr

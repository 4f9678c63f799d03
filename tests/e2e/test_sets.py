"""Several test sets: each as by itself, their average, and ranks over all."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
OPTIONS = ("-m", "bleu,ter", "--format", "json", "-r", "{set}/ref.txt")
SYSTEMS = ("{set}/a.txt", "{set}/b.txt", "{set}/c.txt")


@pytest.fixture
def folder(tmp_path: Path, root: Path) -> Path:
    for name, reference in (("en-de", "reference.en"), ("en-ja", "reference2.en")):
        (tmp_path / name).mkdir()
        for system, file in zip("abc", ("good", "middling", "poor"), strict=True):
            shutil.copy(root / "examples" / f"{file}.en", tmp_path / name / f"{system}.txt")
        shutil.copy(root / "examples" / reference, tmp_path / name / "ref.txt")
    return tmp_path


def test_every_set_is_as_by_itself_and_the_average_is_their_mean(weigh: Run, folder: Path) -> None:
    done = weigh("compare", "--sets", "en-de,en-ja", *OPTIONS, *SYSTEMS, cwd=folder)
    made = json.loads(done.stdout)
    assert made["sets"] == ["en-de", "en-ja"]
    scores = {(each["metric"], each.get("slice"), each["system"]): each for each in made["scores"]}
    for name in made["sets"]:
        own = [part.replace("{set}", name) for part in (*OPTIONS, *SYSTEMS)]
        alone = json.loads(weigh("compare", *own, cwd=folder).stdout)
        for each in alone["scores"]:
            assert scores[each["metric"], name, each["system"]]["score"] == each["score"]
        differences = [each["difference"] for each in alone["comparisons"]]
        assert differences == [
            each["difference"] for each in made["comparisons"] if each.get("slice") == name
        ]
    for metric in ("bleu", "ter"):
        for system in "abc":
            parts = [scores[metric, name, system]["score"] for name in made["sets"]]
            assert scores[metric, None, system]["score"] == pytest.approx(np.mean(parts))
    overall = next(each for each in made["rankings"] if each.get("slice") is None)
    assert overall["clusters"] == [["a"], ["b"], ["c"]]


def test_margins_of_each_set_are_those_by_itself(weigh: Run, folder: Path) -> None:
    options = (*OPTIONS, *SYSTEMS[:2], "--baseline", "a", "--margin", "bleu=1", "--margin", "ter=1")
    made = json.loads(weigh("compare", "--sets", "en-de,en-ja", *options, cwd=folder).stdout)
    assert "of 2 test sets (averaged)" in made["methods"]
    for name in made["sets"]:
        own = [part.replace("{set}", name) for part in options]
        alone = json.loads(weigh("compare", *own, cwd=folder).stdout)
        bounds = [pair["margin_interval"] for pair in alone["comparisons"]]
        assert bounds == [
            pair["margin_interval"] for pair in made["comparisons"] if pair.get("slice") == name
        ]


def test_the_table_of_a_paper(weigh: Run, folder: Path) -> None:
    options = ["-m", "bleu", "-r", "{set}/ref.txt", "--sets", "en-de,en-ja", *SYSTEMS]
    table = weigh("compare", *options, "--brief", cwd=folder).stdout
    header = next(line for line in table.split("\n") if line.startswith("System"))
    assert [header.index(name) for name in ("en-de", "en-ja", "Average", "Rank")] == sorted(
        header.index(name) for name in ("en-de", "en-ja", "Average", "Rank")
    )
    latex = weigh("compare", *options, "--format", "latex", cwd=folder).stdout
    assert latex.count("\\begin{tabular}") == 1


def test_several_metrics_are_a_group_of_columns_for_each_set(weigh: Run, folder: Path) -> None:
    options = ["-m", "bleu,ter", "-r", "{set}/ref.txt", "--sets", "en-de,en-ja", *SYSTEMS]
    lines = weigh("compare", *options, "--brief", cwd=folder).stdout.split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith("System"))
    assert lines[at - 1].split() == ["en-de", "en-ja", "Average", "Rank"]
    assert lines[at].split() == ["System", *(["BLEU", "↑", "TER", "↓"] * 3), "BLEU", "TER"]
    for group, width in (("en-de", "BLEU"), ("Average", "BLEU")):
        start = lines[at - 1].index(group)
        assert lines[at][start:].startswith(width)
    latex = weigh("compare", *options, "--format", "latex", cwd=folder).stdout
    assert r"\multicolumn{2}{c}{en-de} & \multicolumn{2}{c}{en-ja}" in latex
    # Superscripts name systems by the labels in the first column.
    assert re.search(r"^a & .*a & .*\\textsuperscript\{b,c\}", latex, re.MULTILINE)
    html = folder / "sets.html"
    weigh("compare", *options, "--html", html, cwd=folder)
    groups = re.findall(
        r'colspan="2" class="group(?: optional)?">([^<]*)<', html.read_text("utf-8")
    )
    assert groups == ["en-de", "en-ja", "Average", "Rank"]


def test_a_column_of_test_sets(weigh: Run, tmp_path: Path) -> None:
    rows = [
        f"{name},{at},{part},{int(hash_of(name, at) < level)}"
        for name, level in (("A", 7), ("B", 4))
        for part, count in (("x", 30), ("y", 90))
        for at in range(count)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["model,id,part,passed", *rows]) + "\n")
    done = weigh("compare", "t.csv", "--columns", "set=part", "--format", "json")
    scores = {
        (each.get("slice"), each["system"]): each["score"]
        for each in json.loads(done.stdout)["scores"]
    }
    for system in "AB":
        mean = (scores["x", system] + scores["y", system]) / 2
        assert scores[None, system] == pytest.approx(mean)


def hash_of(name: str, at: int) -> int:
    return (at * 37 + ord(name) * 11) % 10


@pytest.mark.parametrize(
    "arguments",
    [
        ("--sets", "x", *SYSTEMS),
        ("--sets", "x,y", "a.txt", "{set}/b.txt"),
        ("--sets", "en-de,none", *SYSTEMS),
    ],
)
def test_bad_sets_are_one_line(weigh: Run, folder: Path, arguments: tuple[str, ...]) -> None:
    done = weigh("compare", "-r", "{set}/ref.txt", *arguments, cwd=folder)
    assert done.returncode in (1, 2)
    assert done.stderr.count("\n") == 1


def test_large_test_sets(weigh: Run, tmp_path: Path) -> None:
    """More items than a double has powers of two."""
    rng = np.random.default_rng(1)
    rows = [
        f"{name},{at},{part},{shift + rng.normal():.6f}"
        for name, shift in (("A", 0.2), ("B", 0.0))
        for part in "xy"
        for at in range(1100)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["model,id,part,score", *rows]) + "\n")
    done = weigh("compare", "t.csv", "--columns", "set=part", "--format", "json")
    assert done.returncode == 0, done.stderr
    overall = next(
        row for row in json.loads(done.stdout)["comparisons"] if row.get("slice") is None
    )
    assert overall["interval"][0] < overall["difference"] < overall["interval"][1]
    assert overall["significant"]

"""`weigh validate preference` as installed: from an n-best list to a p-value."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def make(weigh: Run, root: Path, *more: str | Path) -> subprocess.CompletedProcess[str]:
    folder = root / "examples"
    inputs = ("--nbest", folder / "nbest.txt", "-r", folder / "reference.en")
    return weigh("validate", "preference", *inputs, "-m", "nist", "-m", "ter", *more)


def test_judges_who_agree_with_one_metric(weigh: Run, root: Path, tmp_path: Path) -> None:
    files = ("-o", "pairs.csv", "--key", "key.json", "--show-reference")
    done = make(weigh, root, *files, "-s", root / "examples/source.de", "--format", "json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["pairs"] + made["same"] == made["segments"] == 40
    with (tmp_path / "pairs.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert set(rows[0]) == {"pair", "source", "reference", "left", "right"}
    key = json.loads((tmp_path / "key.json").read_text(encoding="utf-8"))
    assert [row["pair"] for row in rows] == [pair["pair"] for pair in key["pairs"]]
    answers = ["pair,judge,choice,country"]
    for pair in key["pairs"]:
        # Those in Germany always take the first metric's choice, the others always the left.
        first = "left" if pair["left"] == "a" else "right"
        answers += [f"{pair['pair']},{judge},{first},DE" for judge in ("x", "y")]
        answers.append(f"{pair['pair']},z,left,US")
    (tmp_path / "answers.csv").write_text("\n".join(answers) + "\n")
    count = ("validate", "preference", "--answers", "answers.csv", "--key", "key.json")
    done = weigh(*count, "--only", "country=DE", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    [found] = json.loads(done.stdout)["preferences"]
    size = len(rows)
    assert found["judgments_a"] == 2 * size
    assert (found["sentences_a"], found["sentences_b"]) == (size, 0)
    assert found["p_value"] == pytest.approx(min(1, 2 * 0.5**size))
    table = weigh(*count, "--html", "page.html")
    assert table.returncode == 0
    assert "more for the choices of NIST" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "NIST +3" in table.stdout
    for name in ("tsv", "markdown", "latex"):
        assert weigh(*count, "--format", name).returncode == 0


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (("-o", "p.jsonl"), 2, "no key given; name its file with --key FILE"),
        (("-o", "p.csv"), 2, "no key given; name its file with --key FILE"),
        ((), 2, "no output given; name a directory with -o DIR"),
        (("--key", "k.json"), 2, "name a directory with -o DIR"),
        (("-o", "p.txt", "--key", "k.json"), 2, "the name must end in .jsonl or .csv"),
        (("-o", "p", "--key", "k.json"), 2, "or leave out --key for a directory with both"),
        (("-o", "p.csv", "--key", "k.json", "--key", "l.json"), 2, "2 keys; give one file"),
        (("-o", "p.csv", "--key", "no/k.json"), 1, "there is no directory no; create it first"),
        (("-o", "p.csv", "--key", "k.json", "-m", "bleu"), 2, "3 metrics given; give two"),
        (("-o", "p.csv", "--key", "k.json", "--only", "a=b"), 2, "--only needs --answers"),
        (("--answers", "a.csv", "--key", "k.json"), 2, "does not apply with --answers"),
    ],
)
def test_mistakes(
    weigh: Run, root: Path, tmp_path: Path, more: tuple[str, ...], code: int, words: str
) -> None:
    done = make(weigh, root, *more)
    assert done.returncode == code
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["pairs.jsonl", "key.json"])
def test_nothing_in_a_directory_is_overwritten(
    weigh: Run, root: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs" / name).write_text("mine")
    done = make(weigh, root, "-o", "pairs")
    assert done.returncode == 1
    assert f"pairs/{name}: exists; name another" in done.stderr
    assert [path.read_text() for path in (tmp_path / "pairs").iterdir()] == ["mine"]


def test_a_file_is_no_directory_of_pairs(weigh: Run, root: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs").write_text("mine")
    done = make(weigh, root, "-o", "pairs")
    assert done.returncode == 1
    assert done.stderr == "weigh: pairs: a file, but a directory was expected\n"
    assert (tmp_path / "pairs").read_text() == "mine"


def test_nothing_is_overwritten(weigh: Run, root: Path, tmp_path: Path) -> None:
    (tmp_path / "key.json").write_text("mine")
    done = make(weigh, root, "-o", "pairs.jsonl", "--key", "key.json")
    assert done.returncode == 1
    assert "key.json: exists" in done.stderr
    assert (tmp_path / "key.json").read_text() == "mine"
    done = weigh("validate", "preference", "--answers", "a.csv", "--key", "key.json")
    assert "key.json: not a key of blind pairs" in done.stderr

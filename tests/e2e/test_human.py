"""`weigh human quality` and `weigh human rank`."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

HEADER = "judge\thit\tpair\tkind\tsystem\tsegment\tvalue"


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    """Two systems, one better, by a judge who looks and one who always gives much the same."""
    rows = [HEADER]
    for judge, gap in (("careful", 40), ("careless", 0)):
        for n in range(20):
            for system, lower in (("good", 0), ("poor", gap // 2)):
                value = 60 + (7 * n) % 11 - lower
                rows.append(f"{judge}\th1\tde-en\tsystem\t{system}\t{n}\t{value}")
            rows.append(f"{judge}\th1\tde-en\tbad\tgood\t{n}\t{60 + (3 * n) % 11 - gap}")
    path = tmp_path / "judgments.tsv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_from_judgments_to_a_ranking(installed: Run, weigh: Run, judgments: Path) -> None:
    done = installed("human", "quality", judgments, "-o", "kept.jsonl", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    verdicts = {each["judge"]: each["kept"] for each in json.loads(done.stdout)["judges"]}
    assert verdicts == {"judge 1": True, "judge 2": False}
    again = installed("human", "rank", "kept.jsonl", "--format", "json")
    at_once = weigh("human", "rank", "--quality", "crowd-alone", judgments, "--format", "json")
    made, other = json.loads(again.stdout), json.loads(at_once.stdout)
    assert made["scores"] == other["scores"]
    assert made["comparisons"] == other["comparisons"]
    assert made["rankings"][0]["clusters"] == [["good"], ["poor"]]
    assert [step["judgments"] for step in other["steps"]] == [120, 120, 60, 40]
    assert other["quality"] == "crowd-alone"
    assert "fewer than 500 judgments of good and poor" in again.stderr
    assert weigh("human", "rank", "kept.jsonl", "--quiet").stderr == ""


@pytest.fixture
def many(tmp_path: Path) -> list[Path]:
    """Twelve judges in two files, one of them in both, and one who always gives the same score."""
    rows: list[list[str]] = [[], []]
    for number in range(12):
        for n in range(8):
            for kind, lower in (("system", 0), ("repeat", 1), ("bad", 30)):
                value = 50 if number == 3 else 60 + (7 * n + number) % 11 - lower
                which = n % 2 if number == 5 else number % 2
                rows[which].append(
                    f"w{number}@mail.org\th{which}\tde-en\t{kind}\tgood\t{n}\t{value}"
                )
    paths = [tmp_path / "one.tsv", tmp_path / "two.tsv"]
    for path, lines in zip(paths, rows, strict=True):
        path.write_text("\n".join([HEADER, *lines]) + "\n")
    return paths


NAMING = (
    *(("quality",), ("quality", "--preset", "appraise"), ("rank",), ("agreement",)),
    ("rank", "--quality", "crowd-alone"),
)


@pytest.mark.parametrize("verb", NAMING, ids=" ".join)
def test_results_number_the_judges(verb: tuple[str, ...], weigh: Run, many: list[Path]) -> None:
    for form in ("table", "json", "tsv", "markdown", "latex"):
        done = weigh("human", *verb, *many, "--format", form)
        assert done.returncode == 0, done.stderr
        assert "mail.org" not in done.stdout + done.stderr
        shown = set(re.findall(r"judge \d+", done.stdout + done.stderr))
        assert shown <= {f"judge {number}" for number in range(1, 13)}
    # Judges of any name are in the document, the constant one as number 4.
    assert "judge 4" in weigh("human", *verb, *many, "--format", "json").stdout
    assert "w3@mail.org" in weigh("human", *verb, *many, "--names", "--format", "json").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["human"], 2, "human: no verb given; choose from "),
        (["human", "rnk"], 2, "human: unknown verb 'rnk'; did you mean 'rank'?"),
        (["human", "rank"], 2, "no file given; name at least one file of judgments"),
        (["human", "rank", "missing.tsv"], 1, "missing.tsv: no such file"),
        (["human", "rank", "x", "--unit", "page"], 2, "unit 'page' is unknown; choose from "),
        (["human", "rank", "x", "--preset", "wmt"], 2, "unknown preset 'wmt'; did you mean"),
        (["human", "rank", "x", "--bounds", "9-1"], 2, "--bounds: expected LOW-HIGH, such as"),
        (["human", "quality", "x", "--preset", "x"], 2, "unknown preset 'x'; choose from "),
        (["human", "quality", "x", "-o", "there"], 1, "there: exists; add --force"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], code: int, message: str, weigh: Run, tmp_path: Path
) -> None:
    (tmp_path / "there").write_text("kept")
    done = weigh(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"weigh: {message}")
    assert done.stderr.count("\n") == 1


def test_stdout_as_a_file(installed: Run, judgments: Path) -> None:
    """It takes judgments, and refuses a page, which is written as a whole."""
    written = ("-o", "/dev/stdout", "--force", "--format", "json")
    done = installed("human", "quality", judgments, *written)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n")
    assert {"judge", "score"} & json.loads(lines[0]).keys()
    assert "schema" in json.loads("\n".join(lines[lines.index("{") :]))
    done = installed("human", "rank", judgments, "--html", "/dev/stdout")
    assert (done.returncode, done.stdout) == (1, "")
    assert "--html /dev/stdout: cannot be written; name another file" in done.stderr


@pytest.mark.parametrize("verb", ["quality", "rank", "agreement"])
def test_bad_rows_are_refused_or_skipped(verb: str, weigh: Run, judgments: Path) -> None:
    good = json.loads(weigh("human", verb, judgments, "--format", "json").stdout)
    text = judgments.read_text()
    judgments.write_text(text + "careful\th1\tde-en\tsystem\tgood\t99\tmany\nx\n")
    refused = weigh("human", verb, judgments)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.count("\n") == 1
    assert "--bad-rows skip" in refused.stderr
    done = weigh("human", verb, judgments, "--bad-rows", "skip", "--format", "json")
    made = json.loads(done.stdout)
    assert done.returncode == 0
    for row, why in ((122, "the score is 'many'"), (123, "it has 1 cells")):
        assert f"row {row} left out: {why}" in done.stderr
        assert any(f"row {row} left out: {why}" in remark for remark in made["remarks"])
    assert [(one["count"], one["unit"]) for one in made["omissions"]] == [(2, "row")]
    for key in set(good) - {"omissions", "remarks"}:
        assert made[key] == good[key]
    table = weigh("human", verb, judgments, "--bad-rows", "skip", "--quiet")
    assert "2 rows: " in " ".join(table.stdout.split())
    assert weigh("human", verb, judgments, "--bad-rows", "skipp").returncode == 2


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("A,B,C", "row 3: the winner is 'C'"),
        ("A,A,tie", "row 3: the models are 'A' and 'A'"),
        ("C,D,tie", "2 groups that were never compared with each other (A, B; C, D)"),
    ],
)
def test_bad_tables_of_arenas(weigh: Run, tmp_path: Path, row: str, words: str) -> None:
    (tmp_path / "arena.csv").write_text(f"model_a,model_b,winner\nA,B,tie\n{row}\n")
    done = weigh("human", "rank", tmp_path / "arena.csv")
    assert done.returncode != 0
    assert words in done.stderr
    assert done.stderr.count("\n") == 1

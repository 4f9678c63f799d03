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
    assert "fewer than 500 judgments of good, poor" in again.stderr
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


def test_files_and_pages(weigh: Run, many: list[Path], tmp_path: Path) -> None:
    assert weigh("human", "quality", *many, "-o", "kept.jsonl").returncode == 0
    written = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert {one["judge"] for one in written} == {f"w{n}@mail.org" for n in range(12) if n != 3}
    for path in many:  # a file that names no hits has the judge in their place
        rows = [line.split("\t") for line in path.read_text().splitlines()]
        rows[1:] = [[row[0], row[0], *row[2:]] for row in rows[1:]]
        path.write_text("\n".join(map("\t".join, rows)) + "\n")
    assert weigh("human", "quality", *many, "-o", "kept.jsonl", "--force").returncode == 0
    written = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert all(one["hit"] == one["judge"] for one in written)
    assert weigh("human", "rank", *many, "--html", "p.html").returncode == 0
    page = (tmp_path / "p.html").read_text()
    assert "mail.org" not in page
    assert "judge 12" in page
    assert weigh("human", "rank", *many, "--html", "n.html", "--names").returncode == 0
    assert "w11@mail.org" in (tmp_path / "n.html").read_text()


def test_presets_and_what_is_given_beside_them(weigh: Run, judgments: Path) -> None:
    done = weigh("human", "rank", judgments, "--preset", "wmt21", "--format", "json")
    made = json.loads(done.stdout)
    assert {(c["alternative"], c["adjust"]) for c in made["comparisons"]} == {("better", "none")}
    assert (made["plan"]["boundary"], made["plan"]["unit"]) == ("last", "segment")
    done = weigh(
        "human", "rank", judgments, "--preset", "wmt21", "--adjust", "holm", "--format", "json"
    )
    assert {c["adjust"] for c in json.loads(done.stdout)["comparisons"]} == {"holm"}


def test_tables_slices_and_a_reference_that_is_not_ranked(
    weigh: Run, judgments: Path, tmp_path: Path
) -> None:
    text = judgments.read_text().replace("\tgood\t0\t", "\tgood\t20\t")
    judgments.write_text(text.replace("\tpoor\t0\t", "\tpoor\t20\t"))
    (tmp_path / "domains").write_text("news\n" * 12 + "talks\n" * 8)
    (tmp_path / "documents").write_text("".join(f"d{n // 5}\n" for n in range(20)))
    options = ("--slices", "domains", "--documents", "documents", "--tables", "out")
    command = ("human", "rank", judgments, *options, "--unranked", "poor", "--format", "json")
    done = weigh(*command)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [one["system"] for one in told["scores"]] == ["good"]
    assert [one["system"] for one in told["unranked"]] == ["poor"]
    assert {one["slice"] for one in told["slices"]} == {"news", "talks"}
    names = ["documents.tsv", "segments.tsv", "slices.tsv", "systems.tsv"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == names
    assert len((tmp_path / "out" / "segments.tsv").read_text().split("\n")) == 1 + 40 + 1
    done = weigh(*command)
    assert done.returncode == 1
    assert "exists; add --force to overwrite it" in done.stderr
    assert weigh(*command, "--force").returncode == 0
    (tmp_path / "documents").write_text("d\n")
    done = weigh(*command, "--force")
    assert "was judged, but documents are given for the segments 1 to 1" in done.stderr


def test_relative_rankings(weigh: Run, tmp_path: Path) -> None:
    rows = ["seg\twinner\tloser", *(f"{n}\tA\tB" for n in range(9)), "9\tB\tA"]
    (tmp_path / "p.tsv").write_text("\n".join(rows))
    done = weigh("human", "rank", "p.tsv", "--format", "json")
    [one] = json.loads(done.stdout)["comparisons"]
    assert one["p_value"] == pytest.approx(22 / 1024)
    assert one["winner"] == "A"
    done = weigh("human", "quality", "p.tsv")
    assert done.returncode == 1
    assert "relative rankings, but judgments with scores were expected" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["human"], 2, "human: no verb given; known: "),
        (["human", "rnk"], 2, "human: unknown verb 'rnk'; did you mean 'rank'?"),
        (["human", "rank"], 2, "no file given; name at least one file of judgments"),
        (["human", "rank", "missing.tsv"], 1, "missing.tsv: no such file"),
        (["human", "rank", "x", "--unit", "page"], 2, "unknown unit 'page'; known: "),
        (["human", "rank", "x", "--preset", "wmt"], 2, "unknown preset 'wmt'; did you mean"),
        (["human", "rank", "x", "--bounds", "9-1"], 2, "--bounds: expected LOW-HIGH, such as"),
        (["human", "quality", "x", "--preset", "x"], 2, "unknown preset 'x'; known: "),
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


def test_defaults_from_a_file(weigh: Run, judgments: Path, tmp_path: Path) -> None:
    (tmp_path / "weigh.toml").write_text('["human rank"]\npreset = "wmt21"\nformat = "json"\n')
    assert json.loads(weigh("human", "rank", judgments).stdout)["plan"]["boundary"] == "last"


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


def test_metrics_against_people_from_two_tables(weigh: Run, tmp_path: Path) -> None:
    """Judgments and scores in long tables, whatever their columns are called."""
    people = [
        f"w{judge},{model},{item},{50 + 9 * 'CBA'.index(model) + item % 7 + judge}"
        for judge in (1, 2)
        for model in "ABC"
        for item in range(1, 31)
    ]
    scores = [
        f"{m},{i},{0.5 + 0.1 * 'CBA'.index(m) + i % 5 / 50}" for m in "ABC" for i in range(1, 31)
    ]
    (tmp_path / "people.csv").write_text("\n".join(["annotator,model,id,rating", *people]) + "\n")
    (tmp_path / "scores.csv").write_text("\n".join(["engine,number,comet", *scores]) + "\n")
    named = ["--score-columns", "system=engine,item=number,score=comet"]
    done = weigh(
        "human", "metrics", "people.csv", "--scores", "scores.csv", *named, "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [each["metric"] for each in found["metrics"]] == ["comet"]
    lost = weigh("human", "metrics", "people.csv", "--system", "scores.csv", *named)
    assert (lost.returncode, lost.stdout) == (2, "")
    assert "--score-columns" in lost.stderr


def test_a_table_of_an_arena(weigh: Run, root: Path, tmp_path: Path) -> None:
    table = root / "examples" / "arena.csv"
    done = weigh("human", "rank", table, "--format", "json", "--html", tmp_path / "page.html")
    assert done.returncode == 0
    assert "columns that are not used: language" in done.stderr
    found = json.loads(done.stdout)
    assert [row["system"] for row in found["scores"]] == ["large", "tuned", "base", "small"]
    assert {row["by"] for row in found["scores"]} == {"bradley-terry"}
    [ranking] = found["rankings"]
    assert ranking["arena"]["holds_for"] == "judges and segments"
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "preference: win rates" in page
    assert "Position bias" in page
    wins = weigh("human", "rank", table, "--model", "expected-wins", "--format", "json")
    assert {row["by"] for row in json.loads(wins.stdout)["scores"]} == {"expected wins"}
    assert weigh("human", "agreement", table).returncode == 0


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("A,B,C", "row 3: the winner is 'C'"),
        ("A,A,tie", "row 3: the models are 'A' and 'A'"),
        ("C,D,tie", "2 parts that nobody compared with each other (A, B; C, D)"),
    ],
)
def test_bad_tables_of_arenas(weigh: Run, tmp_path: Path, row: str, words: str) -> None:
    (tmp_path / "arena.csv").write_text(f"model_a,model_b,winner\nA,B,tie\n{row}\n")
    done = weigh("human", "rank", tmp_path / "arena.csv")
    assert done.returncode != 0
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_lists_of_whom_to_pay(weigh: Run, judgments: Path, tmp_path: Path) -> None:
    target = tmp_path / "pay.tsv"
    made = weigh("human", "quality", judgments, "--payments", target)
    assert "pay.tsv: 1 to thank, 0 to pay, 1 to refuse; it names people" in made.stderr
    assert "careless" not in made.stdout
    rows = [row.split("\t") for row in target.read_text(encoding="utf-8").split("\n")]
    assert [row[:2] for row in rows[1:3]] == [["careful", "thank"], ["careless", "refuse"]]
    again = weigh("human", "quality", judgments, "--payments", target)
    assert "exists; add --force" in again.stderr
    wrong = weigh("human", "quality", judgments, "--payments", tmp_path / "pay")
    assert "name it FILE.tsv, or FILE.csv for MTurk" in wrong.stderr
    nameless = weigh("human", "quality", judgments, "--payments", tmp_path / "pay.csv")
    assert "no judgment names its assignment" in nameless.stderr

"""`weigh human rank --with`: a metric's scores beside judgments."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

SEGMENTS = 60


@pytest.fixture(autouse=True)
def campaign(tmp_path: Path) -> None:
    """Judgments of every second segment, and a metric's scores of all of them in several forms."""
    rows, table, metric = ["judge\tsystem\tsegment\tvalue"], ["model\tid\tcomet"], []
    for at, system in enumerate(("KIT", "UPC")):
        scores = [(37 * n) % 50 / 50 - at / 10 for n in range(1, SEGMENTS + 1)]
        (tmp_path / f"{system}.cs.comet").write_text("".join(f"{each}\n" for each in scores))
        for n, score in enumerate(scores, 1):
            table.append(f"{system}.cs.gz\t{n}\t{score}")
            metric.append({"system": system, "segment": f"s{n}", "score": -score})
            if n % 2:
                rows.append(f"ann\t{system}\t{n}\t{50 + 40 * score + n % 5}")
    (tmp_path / "judged.tsv").write_text("\n".join(rows) + "\n")
    (tmp_path / "table.tsv").write_text("\n".join(table) + "\n")
    named = "\n".join(rows).replace("KIT\t", "KIT\ts").replace("UPC\t", "UPC\ts")
    (tmp_path / "named.tsv").write_text(named + "\n")
    (tmp_path / "metric.jsonl").write_text("".join(json.dumps(row) + "\n" for row in metric))


def powered(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, object]] = json.loads(done.stdout)["powered"]
    return rows


def test_all_forms_of_scores_help_alike(weigh: Run) -> None:
    rank = ("human", "rank", "--by", "raw", "--format", "json")
    columns = ("--with-columns", "system=model,item=id,score=comet")
    of_table = powered(weigh(*rank, "judged.tsv", "--with", "table.tsv", *columns))
    assert [(row["system"], row["against"]) for row in of_table] == [
        ("KIT", None),
        ("UPC", None),
        ("KIT", "UPC"),
    ]
    files = ("--with", "comet=KIT.cs.comet", "--with", "comet=UPC.cs.comet")
    assert powered(weigh(*rank, "judged.tsv", *files)) == of_table
    by_name = powered(weigh(*rank, "named.tsv", "--with", "comet:lower=metric.jsonl"))
    for one, other in zip(by_name, of_table, strict=True):
        assert one["score"] == pytest.approx(other["score"])
        assert one["saved"] == pytest.approx(other["saved"])
    assert of_table[0]["saved"] > 0.4  # type: ignore[operator]


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--lines", "lines.txt"], 2, "--lines is for the scores of a metric"),
        (["--with-columns", "system=model"], 2, "--with-columns is for a table of --with"),
        (["--with", "missing.tsv"], 1, "missing.tsv"),
        (["--with", "x=few.txt"], 1, "scores of few.txt, none of which was judged"),
        (["--with", "x=KIT.short"], 1, "no score of 25 of the 30 segments of KIT"),
        (["--with", "x=KIT.cs.comet", "--lines", "lines.txt"], 1, "lines.txt: 2 lines, but the"),
    ],
)
def test_what_does_not_fit_is_said_in_one_line(
    weigh: Run, tmp_path: Path, options: list[str], status: int, message: str
) -> None:
    (tmp_path / "lines.txt").write_text("1\n2\n")
    (tmp_path / "few.txt").write_text("1\n2\n")
    (tmp_path / "KIT.short").write_text("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n")
    done = weigh("human", "rank", "judged.tsv", "--quiet", *options)
    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1

"""`weigh human rank --with`: a metric's scores beside judgments."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

SEGMENTS = 60


@pytest.fixture(autouse=True)
def campaign(tmp_path: Path) -> None:
    """Judgments of every second segment, and a metric's scores of all of them."""
    rows = ["judge\tsystem\tsegment\tvalue"]
    for at, system in enumerate(("KIT", "UPC")):
        scores = [(37 * n) % 50 / 50 - at / 10 for n in range(1, SEGMENTS + 1)]
        (tmp_path / f"{system}.cs.comet").write_text("".join(f"{each}\n" for each in scores))
        for n, score in enumerate(scores, 1):
            if n % 2:
                rows.append(f"ann\t{system}\t{n}\t{50 + 40 * score + n % 5}")
    (tmp_path / "judged.tsv").write_text("\n".join(rows) + "\n")


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--lines", "lines.txt"], 2, "--lines applies to"),
        (["--with-columns", "system=model"], 2, "--with-columns needs a table"),
        (["--with", "missing.tsv"], 1, "missing.tsv"),
        (["--with", "few.txt"], 1, "scores of few, none of which was judged"),
        (["--with", "KIT.short"], 1, "no score of 25 of the 30 segments of KIT"),
        (["--with", "KIT.cs.comet", "--lines", "lines.txt"], 1, "lines.txt: 2 lines, but the"),
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

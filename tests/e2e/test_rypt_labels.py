"""`weigh rypt labels`: import, show, export, merge."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

HEADER = "source\tstart\tend\tsubstring\tlabel\tjudge\tat\tseconds\n"
# Two judges agree on the first, differ on the second; one of them changes his mind on the third.
ROWS = """\
das haus\t0\t1\tthe\tYES\tw1\t2009-06-01T12:00:00Z\t8
das haus\t0\t1\tthe\tYES\tw2\t2009-06-01T12:00:00Z\t10
das haus\t1\t2\thouse\tYES\tw1\t2009-06-01T12:00:00Z\t6
das haus\t1\t2\thouse\tNO\tw2\t2009-06-01T12:00:00Z\t
ein baum\t0\t2\ta [GAP] tree\tYES\tw1\t2009-06-01T12:00:00Z\t4
ein baum\t0\t2\ta [GAP] tree\tNO\tw1\t2009-06-01T12:00:09Z\t2
"""


@pytest.fixture
def labels(tmp_path: Path) -> str:
    (tmp_path / "labels.tsv").write_text(HEADER + ROWS)
    return "labels.tsv"


def test_labels_go_round(weigh: Run, labels: str, tmp_path: Path) -> None:
    done = weigh("rypt", "labels", "import", "a.db", labels)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "weigh: a.db: 6 labels added, 0 already stored\n"
    done = weigh("rypt", "labels", "import", "a.db", labels)
    assert done.stderr == "weigh: a.db: 0 labels added, 6 already stored\n"
    done = weigh("rypt", "labels", "export", "a.db")
    assert (done.returncode, done.stderr) == (0, "")
    exported = done.stdout
    assert len(exported.split("\n")) == 7
    done = weigh("rypt", "labels", "export", "a.db", "-o", "out.tsv")
    assert done.stderr == "weigh: a.db: 6 labels written to out.tsv\n"
    done = weigh("rypt", "labels", "export", "a.db", "-o", "out.tsv")
    assert done.stderr == (
        "weigh: out.tsv: exists; add --force to overwrite it, or name another file\n"
    )
    # From a file of half the labels and a store of the other half, the same store again.
    header, *rows = (tmp_path / "out.tsv").read_text().split("\n")[:-1]
    for name, part in (("b.tsv", rows[:3]), ("c.tsv", rows[3:])):
        (tmp_path / name).write_text("\n".join([header, *part]) + "\n")
    assert weigh("rypt", "labels", "import", "b.db", "b.tsv", "--quiet").stderr == ""
    assert weigh("rypt", "labels", "import", "c.db", "c.tsv").returncode == 0
    done = weigh("rypt", "labels", "merge", "b.db", "c.db", "a.db")
    # b.db has three of the nine already; what both others bring was not there before.
    assert done.stderr == (
        "weigh: b.db: 3 labels added, 3 already stored, 3 given more than once\n"
    )
    assert weigh("rypt", "labels", "export", "b.db").stdout == exported
    assert weigh("rypt", "labels", "export", "out.tsv").stdout == exported


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no action given; choose from export, import, merge, show"),
        (["shwo", "a.db"], "unknown action 'shwo'; did you mean 'show'?"),
        (["show"], "show: no store given; name a file or a postgresql:// URL"),
        (["show", "a.db", "b.db"], "show: unexpected argument 'b.db'; give one store"),
        (["import", "a.db"], "import: nothing to add; name at least one file"),
        (["merge", "a.db"], "merge: nothing to add; name at least one other store"),
        (["merge", "a.db", "a.db"], "merge: 'a.db' is named twice; name another store"),
        (["show", "a.db", "-o", "x"], "--output applies to export only; leave it out"),
        (["import", "a.db", "x", "--paid", "3"], "--paid applies to show only; leave it out"),
        (["export", "a.db", "-o", "x.txt"], "-o x.txt: unknown format; name a file that ends in"),
        (
            ["show", "a.db", "--paid", "-3"],
            "--paid: expected a number of at least 0 and below 1e+12",
        ),
    ],
)
def test_wrong_commands(arguments: list[str], message: str, weigh: Run, tmp_path: Path) -> None:
    done = weigh("rypt", "labels", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"weigh: {message}")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_wrong_files(weigh: Run, labels: str, tmp_path: Path) -> None:
    (tmp_path / "other.tsv").write_text(HEADER + ROWS.replace("NO", "YES"))
    weigh("rypt", "labels", "import", "a.db", labels)
    before = weigh("rypt", "labels", "export", "a.db").stdout
    for arguments, message in (
        (["import", "a.db", "other.tsv"], "other.tsv: row 5: YES, but the same judge said NO at"),
        (["import", "a.db", "none.tsv"], "none.tsv: no such file; check the path"),
        (["import", "no/a.db", labels], "no/a.db: unable to open database file; check that its"),
        (["show", "none.db"], "none.db: no such file; check the path, or create a store with"),
        (["show", labels + "x"], "labels.tsvx: no such file"),
    ):
        done = weigh("rypt", "labels", *arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"weigh: {message}")
        assert done.stderr.count("\n") == 1
    assert weigh("rypt", "labels", "export", "a.db").stdout == before


@pytest.mark.parametrize("name", ["new.jsonl", "new.TSV", "new.csv.gz"])
@pytest.mark.parametrize("action", ["import", "merge"])
def test_no_store_has_the_name_of_a_file(
    weigh: Run, labels: str, tmp_path: Path, name: str, action: str
) -> None:
    done = weigh("rypt", "labels", action, name, labels)
    assert done.returncode == 2
    assert f"{action}: {name} is the name of a file of labels" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [labels]


@pytest.mark.parametrize(
    ("who", "said"),
    [
        ("", "another judgment without judge or time says YES; add a judge, or a time"),
        ("w1", "the same judge said YES at the same time; correct one of them"),
    ],
)
def test_contradicting_files_make_no_store(weigh: Run, tmp_path: Path, who: str, said: str) -> None:
    for name, label in (("a.tsv", "YES"), ("b.tsv", "NO")):
        (tmp_path / name).write_text(f"{HEADER}das\t0\t1\tthe\t{label}\t{who}\t\t\n")
    done = weigh("rypt", "labels", "import", "new.db", "a.tsv", "b.tsv")
    assert done.returncode == 1
    assert done.stderr.startswith("weigh: b.tsv: row 2: NO, but ")
    assert said in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tsv", "b.tsv"]

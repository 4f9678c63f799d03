"""`weigh paper` from generated texts to tables, JSON and pages; what is kept is found again."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pickling import PicklingExecutor

Run = Callable[..., "subprocess.CompletedProcess[str]"]
LITTLE = (
    "--training", "120", "--tuning", "10", "--test", "45", "--trials", "99", "--out", "work",
    "--threads", "1",
)  # fmt: skip


@pytest.mark.parametrize("name", ["koehn2004", "riezler2005"])
def test_a_paper_is_run_again(
    weigh: Run, elsewhere: PicklingExecutor, tmp_path: Path, name: str
) -> None:
    done = weigh("paper", name, *LITTLE, "--format", "json", "--html", "page.html")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["command"] == f"paper {name}"
    labels = [table["label"] for table in document["tables"]]
    assert {"Table 1", "Table 2"} <= set(labels)
    page = (tmp_path / "page.html").read_text()
    assert all(label in page for label in labels)
    (tmp_path / "result.json").write_text(done.stdout)
    models = sorted((tmp_path / "work" / "models").iterdir())
    again = weigh("paper", name, *LITTLE, "--engine", "dask")
    assert again.returncode == 0, again.stderr
    assert again.stdout == weigh("report", "result.json").stdout
    assert elsewhere.tasks > 1
    assert sorted((tmp_path / "work" / "models").iterdir()) == models


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("paper", "koehn2004", "--data", "nowhere"), 1, "nowhere: not a directory"),
        (("paper", "koehn2004", "--data", "."), 1, "no directory multi30k"),
        (("paper", "nobody1999"), 2, "unknown verb 'nobody1999'"),
        (("paper", "koehn2004", "--tuning", "3"), 2, "whole number of at least 10"),
    ],
)
def test_what_cannot_be_run_is_told(
    weigh: Run, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = weigh(*arguments)
    assert done.returncode == code
    assert said in done.stderr
    assert done.stderr.count("\n") == 1

"""`weigh paper` from generated texts to tables, JSON and pages."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from golden.numbers.paths import differences, numbers
from golden.numbers.record import recorded
from pickling import PicklingExecutor

Run = Callable[..., "subprocess.CompletedProcess[str]"]
# As in tests/golden/numbers.
LITTLE = ("--training", "120", "--tuning", "10", "--test", "45", "--trials", "99")


@pytest.mark.parametrize("name", ["koehn2004", "riezler2005"])
def test_a_paper_is_run_again(
    weigh: Run, elsewhere: PicklingExecutor, tmp_path: Path, name: str
) -> None:
    """Elsewhere, with the numbers that are recorded of a run in one process."""
    done = weigh("paper", name, *LITTLE, "--engine", "dask", "--format", "json", "--html", "page")
    assert done.returncode == 0, done.stderr
    assert elsewhere.tasks > 1
    document = json.loads(done.stdout)
    assert document["command"] == f"paper {name}"
    before = recorded("paper")[f"paper/{name}"]
    assert not differences(before, numbers({"exit": 0, **document}))
    labels = [table["label"] for table in document["tables"]]
    assert {"Table 1", "Table 2"} <= set(labels)
    (tmp_path / "result.json").write_text(done.stdout)
    for shown in ((tmp_path / "page").read_text(), weigh("report", "result.json").stdout):
        assert all(label in shown for label in labels)


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

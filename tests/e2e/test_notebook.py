"""The notebooks in examples/ run from top to bottom."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pandas")


def run_cell(source: str, name: str, names: dict[str, Any]) -> object:
    """Run a cell and return what its last line shows, as a notebook does."""
    tree = ast.parse(source, name)
    shown = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    return (
        None if shown is None else eval(compile(ast.Expression(shown.value), name, "eval"), names)
    )


def test_notebook(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = json.loads((root / "examples/language_models.ipynb").read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    shutil.copy(root / "examples/passed.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for at, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            shown.append(run_cell("".join(cell["source"]), f"cell {at}", names))
    assert "<table" in names["result"]._repr_html_()
    assert len(names["result"].to_frame()) == 3 * 4
    assert (names["clustered"].unit, names["clustered"].units) == ("document", 110)
    # By Student's noncentral t at .05/3, with standard deviations of .3706, .3243 and .3845.
    assert shown[-2] == {("base", "tuned"): 3598, ("base", "large"): 2756, ("tuned", "large"): 3873}
    assert (tmp_path / "models.html").stat().st_size > 10_000

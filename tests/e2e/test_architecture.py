"""What import-linter cannot see: the compiled core is no Python module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import weigh
import weigh_lab

MAY_USE_THE_CORE = {
    "weigh._core": {f"weigh.{name}" for name in ("metrics", "read", "rypt", "stats", "tuning")},
    "weigh_lab._translator": {"weigh_lab.translator"},
}
PACKAGES = ("weigh", "weigh_lab")


def imported(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def sources(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the text of every source file with its package, such as `weigh.stats`."""
    for package in PACKAGES:
        folder = root / "src" / package
        for path in folder.rglob("*.py"):
            yield f"{package}.{path.relative_to(folder).parts[0]}", path.read_text("utf-8")


@pytest.mark.parametrize("core", MAY_USE_THE_CORE)
def test_few_packages_use_the_core(core: str, root: Path) -> None:
    name = core.rpartition(".")[2]  # only files that mention it are worth parsing
    users = {
        package
        for package, text in sources(root)
        if name in text and core in imported(ast.parse(text))
    }
    assert users == MAY_USE_THE_CORE[core]


def test_only_the_command_line_prints(root: Path) -> None:
    printing = {
        package
        for package, text in sources(root)
        if "print(" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    }
    assert printing == {"weigh.cli"}


def test_views_compute_no_numbers(root: Path) -> None:
    """Views show what results hold; of the statistics they know only the names of tests."""
    computing = {
        name
        for package, text in sources(root)
        if package.endswith(".report")
        for name in imported(ast.parse(text))
        if name.split(".")[0] in ("numpy", "scipy", "statistics")
        or (name.startswith("weigh.stats") and not name.startswith("weigh.stats.procedures"))
    }
    assert not computing


@pytest.mark.parametrize("package", [weigh, weigh_lab], ids=PACKAGES)
def test_type_checkers_know_the_public_names(package: ModuleType, root: Path) -> None:
    path = root / "src" / package.__name__ / "__init__.py"
    imports = {
        alias.asname: node.module
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    assert imports == package._HOMES

"""What import-linter cannot see: the compiled core is no Python module."""

from __future__ import annotations

import ast
from pathlib import Path

import weigh

MAY_USE_THE_CORE = {"metrics", "read", "rypt", "stats", "translator", "tuning"}


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_few_packages_use_the_core(root: Path) -> None:
    package = root / "src" / "weigh"
    users = {
        path.relative_to(package).parts[0]
        for path in package.rglob("*.py")
        if imported(path) & {"weigh._core", "weigh._translator"}
    }
    assert users == MAY_USE_THE_CORE


def test_only_the_command_line_prints(root: Path) -> None:
    package = root / "src" / "weigh"
    printing = {
        path.relative_to(package).parts[0]
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    }
    assert printing == {"cli"}


def test_type_checkers_know_the_public_names(root: Path) -> None:
    tree = ast.parse((root / "src" / "weigh" / "__init__.py").read_text(encoding="utf-8"))
    imports = {
        alias.asname: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    assert imports == weigh._HOMES

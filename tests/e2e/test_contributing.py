"""What contributors are told works: commands, hooks and forms."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")


def test_hooks_run_the_tools_of_the_checks(root: Path) -> None:
    [local] = yaml.safe_load((root / ".pre-commit-config.yaml").read_text())["repos"]
    assert local["repo"] == "local"
    setup = (root / "scripts" / "setup.sh").read_text()
    checks = setup[setup.index("\nchecks() {") :]
    tools = [shlex.split(hook["entry"])[0] for hook in local["hooks"]]
    assert {hook["language"] for hook in local["hooks"]} == {"system"}  # nothing is downloaded
    assert all(re.search(rf"\b{tool}\b", checks) for tool in tools)
    assert {"ruff", "mypy", "lint-imports", "clang-format"} == set(tools)


def test_commands_are_there(root: Path) -> None:
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ bash (\S+)(?: (\S+))?$", text, re.MULTILINE)
    assert len(commands) == 3
    for script, argument in commands:
        assert (root / script).exists()
        if argument.startswith("--"):
            assert argument in (root / script).read_text(encoding="utf-8")
        elif argument:
            assert (root / argument).exists()
    for target in re.findall(r"\]\(([^)#]*)\)", text):
        assert (root / target).exists()


@pytest.mark.parametrize("name", ["bug", "idea"])
def test_forms_are_whole(name: str, root: Path) -> None:
    form = yaml.safe_load((root / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text())
    assert {"name", "description", "body"} <= set(form)
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids)
    for field in form["body"]:
        assert field["type"] in ("textarea", "input")
        assert field["attributes"]["label"]
    assert any(field.get("validations", {}).get("required") for field in form["body"])

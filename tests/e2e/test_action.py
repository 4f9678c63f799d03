"""The GitHub Action: its steps are run by the shell that GitHub would run them by."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

GOOD, MIDDLING, POOR = ("examples/good.en", "examples/middling.en", "examples/poor.en")
GIVEN = {"new": GOOD, "baseline": MIDDLING, "references": "examples/reference.en"}
# The margin is about what the system loses.
OPEN = {"new": MIDDLING, "baseline": GOOD, "metrics": "bleu", "margin": "bleu=31.6"}
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


@pytest.fixture(scope="module")
def action(root: Path) -> Any:
    return yaml.safe_load((root / "action.yml").read_text(encoding="utf-8"))


def run(
    action: Any, step: str, folder: Path, root: Path, path: str = "", **inputs: str
) -> subprocess.CompletedProcess[str]:
    """Run a step; what it reports is in the files `summary` and `output` of the folder."""
    known = {name: each.get("default") for name, each in action["inputs"].items()}
    assert set(inputs) <= set(known)
    known |= inputs
    [found] = [each for each in action["runs"]["steps"] if each["name"] == step]
    values = {f"inputs.{name}": value for name, value in known.items()}
    values["github.action_path"] = "/the action"
    variables = {
        name: EXPRESSION.sub(lambda match: values[match[1]], text)
        for name, text in found["env"].items()
    }
    script = folder / "script.sh"
    script.write_text(found["run"], encoding="utf-8")
    assert found["shell"] == "bash"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
        cwd=root,
        env=os.environ
        | variables
        | {
            "PATH": os.pathsep.join([path, str(Path(sys.executable).parent), os.environ["PATH"]]),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "GITHUB_OUTPUT": str(folder / "output"),
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize(
    ("changed", "code", "verdict"),
    [
        ({"metrics": "bleu,chrf,ter", "margin": "bleu=1\n\nchrf=1\nter=1\n"}, 0, "pass"),
        ({"new": POOR, "margin": "chrf=0.5"}, 3, "fail"),
        ({"new": POOR, "allow-inconclusive": "true"}, 3, "fail"),
        (OPEN, 4, "inconclusive"),
        (OPEN | {"allow-inconclusive": "true"}, 0, "inconclusive"),
    ],
)
def test_the_verdict_is_the_gate_s(
    changed: dict[str, str], code: int, verdict: str, action: Any, tmp_path: Path, root: Path
) -> None:
    done = run(action, "Compare", tmp_path, root, **(GIVEN | changed))
    assert done.returncode == code, done.stderr
    assert (tmp_path / "output").read_text() == f"verdict={verdict}\n"
    assert f"Gate: {verdict}" in (tmp_path / "summary").read_text(encoding="utf-8")


def test_references_and_options_are_lines(action: Any, tmp_path: Path, root: Path) -> None:
    references = "examples/reference.en\nexamples/reference2.en"
    options = "--seed=7\n--documents=examples/documents.txt"
    given = GIVEN | {"references": references, "options": options}
    assert run(action, "Compare", tmp_path, root, **given).returncode in (0, 4)
    summary = (tmp_path / "summary").read_text(encoding="utf-8")
    assert "2 references" in summary
    assert "4 documents" in summary
    assert "seed:7" in summary


def test_nothing_that_is_given_is_run(action: Any, tmp_path: Path, root: Path) -> None:
    """All inputs at once: a shell that runs one of them does so before the command fails."""
    names = ("new", "baseline", "references", "metrics", "margin", "options")
    assert set(names) <= set(action["inputs"])
    tricks = ("$(touch F)", "`touch F`", "'; touch F; '", '"; touch F; "', "&& touch F")
    given = {name: " ".join(tricks).replace("F", str(tmp_path / f"{name}!")) for name in names}
    done = run(action, "Compare", tmp_path, root, **given)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith("weigh: ")
    assert not list(tmp_path.glob("*!"))
    assert not (tmp_path / "output").exists()


def test_no_script_has_an_expression(action: Any) -> None:
    for step in action["runs"]["steps"]:
        assert not EXPRESSION.search(step["run"])


@pytest.mark.parametrize(
    ("install", "expected"), [("", "/the action"), ("weigh==0.2; x", "weigh==0.2; x")]
)
def test_one_thing_is_installed(
    install: str, expected: str, action: Any, tmp_path: Path, root: Path
) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    done = run(action, "Install weigh", tmp_path, root, str(tmp_path), install=install)
    assert done.stdout.split("\n")[-3:] == ["--", expected, ""]


def test_the_workflow_in_the_docs_fits(action: Any, root: Path) -> None:
    text = (root / "docs" / "report.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    [job] = yaml.safe_load(block)["jobs"].values()
    [step] = [each for each in job["steps"] if "weigh@" in each.get("uses", "")]
    required = {name for name, each in action["inputs"].items() if each.get("required")}
    assert required <= set(step["with"]) <= set(action["inputs"])

"""Starting is cheap: nothing is imported before it is needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from weigh.cli import main
code = main(sys.argv[1:])
print("", code, *sys.modules)
"""


def modules(root: Path, *arguments: str) -> set[str]:
    """Return what is loaded after a command has run."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    code, *names = done.stdout.rstrip("\n").split("\n")[-1].split()
    assert code == "0", done.stderr
    return set(names)


def test_version_loads_nothing(root: Path) -> None:
    loaded = modules(root, "--version")
    assert {name for name in loaded if name.startswith("weigh")} == {"weigh", "weigh.cli"}
    assert not {"argparse", "dataclasses", "re", "typing"} & loaded


@pytest.mark.parametrize("verb", ["score", "compare", "sample"])
def test_help_loads_no_numpy(verb: str, root: Path) -> None:
    loaded = modules(root, verb, "--help")
    assert "numpy" not in loaded
    assert not {"weigh.cli.metrics", "importlib.metadata"} & loaded


def test_score_loads_neither_scipy_nor_what_other_formats_need(root: Path) -> None:
    loaded = modules(root, "score", "-r", "examples/reference.en", "examples/good.en")
    assert "numpy" in loaded
    assert not {"scipy", "matplotlib", "defusedxml", "json", "xml", "importlib.metadata"} & loaded
    assert not {"weigh.comparing.inputs", "weigh.read.table"} & loaded


def test_compare_loads_little_of_scipy(root: Path) -> None:
    systems = ("examples/good.en", "examples/poor.en")
    tests = "randomization,bootstrap,paired-bootstrap"
    loaded = modules(
        root, "compare", "-r", "examples/reference.en", "--trials", "99", "--test", tests, *systems
    )
    assert "numpy" in loaded
    slow = {"scipy.stats", "scipy.optimize", "matplotlib", "defusedxml", "xml"}
    assert not slow & loaded


def test_sample_loads_no_numpy(root: Path, tmp_path: Path) -> None:
    loaded = modules(root, "sample", "-n", "3", "-o", str(tmp_path / "x"), "examples/good.en")
    assert "numpy" not in loaded


def test_the_package_is_the_command_too(root: Path) -> None:
    for arguments, code in ((["--version"], 0), (["no-such-verb"], 2)):
        done = subprocess.run(
            [sys.executable, "-m", "weigh", *arguments],
            cwd=root,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == code
        assert (done.stdout or done.stderr).startswith("weigh")


INTERRUPTED = """
import os, signal, sys
from weigh.cli import main

module = sys.argv.pop(1)

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
sys.exit(main())
"""


@pytest.mark.parametrize(
    "module",
    ["argparse", "weigh.cli.app", "weigh.comparing.plan", "numpy", "weigh.report.view"],
)
def test_an_interrupt_while_importing_is_one_line(module: str, root: Path) -> None:
    arguments = ("score", "-r", "examples/reference.en", "examples/good.en")
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, module, *arguments],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "weigh: interrupted\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["score", "--help"], ["metrics"]])
def test_a_full_disk_is_one_line(arguments: list[str], root: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "weigh", *arguments],
            cwd=root,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
        silent = subprocess.run(
            [sys.executable, "-m", "weigh", "no-such-verb"], cwd=root, stderr=full, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "weigh: the output cannot be written: No space left on device\n"
    assert silent.returncode == 2


def test_a_reader_that_leaves_is_no_error(root: Path) -> None:
    for argument in ("--version", "--help"):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(
            [sys.executable, "-m", "weigh", argument],
            cwd=root,
            stdout=write,
            stderr=subprocess.PIPE,
            check=False,
        )
        os.close(write)
        assert (done.returncode, done.stderr) == (141, b"")

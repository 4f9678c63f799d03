"""Starting is cheap: nothing is imported before it is needed."""

from __future__ import annotations

import os
import signal
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
    assert not {"weigh.cli.metrics", "weigh.plugins", "importlib.metadata"} & loaded


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


def test_settings_of_a_verb_load_no_other_verbs(root: Path, tmp_path: Path) -> None:
    (tmp_path / "weigh.toml").write_text('seed = 3\nmetric = "bleu"\n[score]\nlevel = 0.9\n')
    reference, good = root / "examples/reference.en", root / "examples/good.en"
    loaded = modules(tmp_path, "score", "-r", str(reference), str(good))
    assert not {"weigh.cli.compare", "weigh.cli.human", "weigh_lab"} & loaded


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


# Runs the command, and interrupts it when it begins to import a module.
INTERRUPTED = """
import os, signal, sys

module = sys.argv.pop(1)

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
from weigh.__main__ import main
sys.exit(main())
"""
SCORE = ("score", "-r", "examples/reference.en", "examples/good.en")


def run_program(root: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize(
    "module",
    [
        "argparse",
        "gettext",
        "weigh.cli.app",
        "weigh.comparing.plan",
        "numpy",
        "weigh.report.view",
    ],
)
def test_an_interrupt_while_importing_is_one_line(module: str, root: Path) -> None:
    done = run_program(root, INTERRUPTED, module, *SCORE)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "weigh: interrupted\n")


def test_an_interrupt_before_the_handler_is_installed_is_silent(root: Path) -> None:
    done = run_program(root, INTERRUPTED, "weigh.cli", *SCORE)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_an_interrupt_stays_ignored_where_the_parent_process_ignores_it(root: Path) -> None:
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    for module in ("weigh.cli", "numpy"):
        done = run_program(root, ignoring + INTERRUPTED, module, *SCORE)
        assert (done.returncode, done.stderr) == (0, "")
        assert "BLEU" in done.stdout


# Python prints an exception of a finaliser with its traceback, and goes on.
FINALISED = """
import os, signal, sys
from weigh.__main__ import main
import weigh.cli.app

class Interrupting:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

weigh.cli.app.execute = lambda arguments: [Interrupting() for _ in range(2)].clear() or 0
sys.exit(main())
"""


def test_an_interrupt_in_a_finaliser_is_one_line(root: Path) -> None:
    done = run_program(root, FINALISED, *SCORE)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "weigh: interrupted\n")


def test_importing_the_library_does_not_change_signals(root: Path) -> None:
    program = "import signal, weigh\nweigh.compare\nfrom weigh.cli import main\n"
    program += "main(['--version'])\nmain(['score', '--help'])\n"
    program += "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    assert run_program(root, program).stdout.endswith("True\n")


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

"""Scripts of completion, asked by the shells themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from e2e.in_process import run_inside
from weigh.cli import command

SHELLS = ("bash", "zsh", "fish")
# What stands before the cursor, and some of what may be chosen there.
CASES = {
    "": {"score", "compare", "human", "sacrebleu"},
    "comp": {"compare", "completion"},
    "human ": {"rank", "quality"},
    "human ra": {"rank"},
    "compare --ga": {"--gate"},
    "compare --te": {"--test", "--text"},
    "compare a.txt b.txt --mar": {"--margin"},
    "human rank --pay": set(),
    "human quality --pay": {"--payments"},
    "compare --format g": {"github"},
    "compare -m chr": {"chrf"},
    "sacrebleu ref.txt --paired-a": {"--paired-ar", "--paired-ar-n"},
    "sacrebleu ref.txt --format ": {"json", "text", "latex"},
    "completion --h": {"--help"},
}
WHOLE = {"comp", "sacrebleu ref.txt --format ", "compare --te", "human rank --pay"}
BASH = """
. ./weigh.bash
read -ra COMP_WORDS <<< "weigh $1"
[[ $1 == "" || $1 == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_weigh
printf '%s\\n' "${COMPREPLY[@]}"
complete -p weigh >/dev/null
"""
# What zsh's own completion would offer is printed instead.
ZSH = """
compdef() { : }
_describe() { local each; for each in "${(@P)@[-1]}"; do print -r -- "${each%%:*}"; done }
compadd() { shift; print -rl -- "$@" }
_files() { print -r -- FILES }
. ./weigh.zsh
words=(weigh ${(z)1})
[[ $1 == "" || $1 == *" " ]] && words+=("")
CURRENT=$#words
_weigh
"""
FISH = 'source weigh.fish; complete -C "weigh $argv[1]"'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        done = run_inside("completion", shell, cwd=made)
        assert done.returncode == 0
        (made / f"weigh.{shell}").write_text(done.stdout, encoding="utf-8")
    return made


def offered(shell: str, folder: Path, typed: str) -> set[str]:
    """Return what a shell offers; zsh and fish also narrow that down to what was typed."""
    programs = {"bash": [BASH, "bash", typed], "zsh": [ZSH, "zsh", typed], "fish": [FISH, typed]}
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    settings = {"zsh": ["-f"], "fish": ["--no-config"]}.get(shell, ["--norc"])
    done = subprocess.run(
        [shell, *settings, "-c", *programs[shell]],
        cwd=folder,
        env=os.environ | {"HOME": str(folder)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stderr == ""
    last = typed.rpartition(" ")[2]
    words = {line.partition("\t")[0] for line in done.stdout.split("\n")} - {""}
    return {word for word in words if word.startswith(last)}


@pytest.mark.parametrize("typed", CASES)
@pytest.mark.parametrize("shell", SHELLS)
def test_what_is_offered(shell: str, typed: str, folder: Path) -> None:
    words = offered(shell, folder, typed)
    assert words >= CASES[typed]
    if typed in WHOLE:
        assert words == CASES[typed]


@pytest.mark.parametrize("shell", SHELLS)
def test_files_are_offered_where_nothing_is_known(shell: str, folder: Path) -> None:
    words = offered(shell, folder, "compare weigh.b")
    if shell == "zsh":
        assert offered(shell, folder, "compare ") == {"FILES"}
    else:  # readline does it for bash
        assert words == (set() if shell == "bash" else {"weigh.bash"})


def test_every_option_is_in_every_script(folder: Path) -> None:
    for shell in SHELLS:
        text = (folder / f"weigh.{shell}").read_text(encoding="utf-8")
        for verb in command.verbs():
            for name in command.parser(verb).options:
                assert (f"-l {name} " if shell == "fish" else f"--{name}") in text


def test_other_shells_are_refused(folder: Path) -> None:
    done = run_inside("completion", "tcsh", cwd=folder)
    assert done.returncode == 2
    assert "invalid choice: 'tcsh'" in done.stderr

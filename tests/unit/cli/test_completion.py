"""Scripts of completion, asked by the shells themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.in_process import run_inside

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
    "compare --format m": {"markdown"},
    "compare -m chr": {"chrf"},
    "sacrebleu ref.txt --paired-a": {"--paired-ar", "--paired-ar-n"},
    "sacrebleu ref.txt --format ": {"json", "text", "latex"},
    "completion --h": {"--help"},
    "completion ": {"bash", "zsh", "fish"},
    "human rank --quality ": {"crowd-alone", "appraise", "none"},
    "human plan --export m": {"mturk"},
    "campaign export --form ": {"jsonl", "tsv"},
    "rypt labels im": {"import"},
    "validate type1 --compat sac": {"sacrebleu-bs"},
    "help human ra": {"rank"},
    "no-such-verb --": set(),
}
WHOLE = {"comp", "sacrebleu ref.txt --format ", "compare --te", "human rank --pay"}
BASH = """
. ./weigh.bash
COMP_LINE="weigh $1"
COMP_POINT=${#COMP_LINE}
_weigh
printf '%s\\n' "${COMPREPLY[@]}"
complete -p weigh >/dev/null
"""
# What zsh's own completion would offer is printed instead.
ZSH = """
compdef() { : }
_describe() { local each; for each in "${(@P)@[-1]}"; do print -r -- "${each%%:*}"; done }
compset() { : }
_files() { print -r -- FILES }
. ./weigh.zsh
words=(weigh ${(z)1})
[[ $1 == "" || $1 == *" " ]] && words+=("")
CURRENT=$#words
_weigh
"""
FISH = 'source weigh.fish; complete -C "weigh $argv[1]"'
# How a shell is started with a keyboard, in a directory that is its home too; `weigh` then keeps
# what it is given.
KEEP = "weigh() { printf '%s\\n' \"$*\" >> typed; }\n"
STARTS = {
    "bash": (["--rcfile", "start", "-i"], f". ./weigh.bash\n{KEEP}"),
    "zsh": (["-d", "-i"], f"autoload -U compinit; compinit -D -u\n. ./weigh.zsh\n{KEEP}"),
    "fish": (
        ["--no-config", "--init-command", "source start", "-i"],
        'source weigh.fish\nfunction weigh; echo "$argv" >> typed; end\n',
    ),
}
KEYBOARD = "import pty, sys; pty.spawn(sys.argv[1:])"
# What is typed before the Tab key, and what the command is given.
TYPED = {
    "compare -m gt": "compare -m gtm",
    "compare -m bleu,gt": "compare -m bleu,gtm",
    "score -m bleu:tokenize=13a:lowercase,chrf,gt": (
        "score -m bleu:tokenize=13a:lowercase,chrf,gtm"
    ),
    "score --metric=bleu,gt": "score --metric=bleu,gtm",
    "score --metric=bleu:lowercase,gt": "score --metric=bleu:lowercase,gtm",
    "score --format=mark": "score --format=markdown",
    "score --format=json out.t": "score --format=json out.txt",
    "score -m bleu --html=out.t": "score -m bleu --html=out.txt",
    "human metrics -m bleu,gt": "human metrics -m bleu,gtm",
    "compare --format json,mark": "compare --format json,mark",  # which takes one
    "compare -m bleu my:file,gt": "compare -m bleu my:file,gt",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        done = run_inside("completion", shell, cwd=made)
        assert done.returncode == 0
        (made / f"weigh.{shell}").write_text(done.stdout, encoding="utf-8")
    return made


def environment(home: Path) -> dict[str, str]:
    """An environment in which shells find `weigh`."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"HOME": str(home), "PATH": path}


def offered(shell: str, folder: Path, typed: str) -> set[str]:
    """Return what a shell offers; zsh and fish also narrow that down to what was typed."""
    programs = {"bash": [BASH, "bash", typed], "zsh": [ZSH, "zsh", typed], "fish": [FISH, typed]}
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    settings = {"zsh": ["-f"], "fish": ["--no-config"]}.get(shell, ["--norc"])
    done = subprocess.run(
        [shell, *settings, "-c", *programs[shell]],
        cwd=folder,
        env=environment(folder),
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
def test_what_the_tab_key_does(shell: str, folder: Path, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    options, start = STARTS[shell]
    for name in ("start", ".zshrc"):
        (tmp_path / name).write_text(start, encoding="utf-8")
    (tmp_path / "out.txt").touch()
    shutil.copy(folder / f"weigh.{shell}", tmp_path)
    subprocess.run(
        [sys.executable, "-c", KEYBOARD, shell, *options],
        input="".join(f"weigh {line}\t\n" for line in TYPED) + "exit\n",
        cwd=tmp_path,
        env=environment(tmp_path) | {"ZDOTDIR": str(tmp_path), "TERM": "dumb"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,  # a shell ends as its last command did
    )
    given = (tmp_path / "typed").read_text(encoding="utf-8").split("\n")
    assert dict(zip(TYPED, map(str.strip, given), strict=False)) == TYPED


@pytest.mark.parametrize("shell", SHELLS)
def test_files_are_offered_where_nothing_is_known(shell: str, folder: Path) -> None:
    words = offered(shell, folder, "compare weigh.b")
    if shell == "zsh":
        assert offered(shell, folder, "compare ") == {"FILES"}
    else:  # readline does it for bash
        assert words == (set() if shell == "bash" else {"weigh.bash"})


def test_other_shells_are_refused(folder: Path) -> None:
    done = run_inside("completion", "tcsh", cwd=folder)
    assert done.returncode == 2
    assert "unknown shell 'tcsh'" in done.stderr

"""Completions of words, and the scripts that offer them, asked by the shells themselves."""

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
    "completion b": {"bash"},
    "human rank --quality ": {"crowd-alone", "appraise", "none"},
    "human plan --export m": {"mturk"},
    "campaign export --form ": {"jsonl", "tsv"},
    "rypt labels im": {"import"},
    "validate type1 --compat sac": {"sacrebleu-bs"},
    "help human ra": {"rank"},
    "no-such-verb --": set(),
    "compare -m gt": {"gtm"},
    "compare --format json,mark": set(),  # which takes one
}
WHOLE = {
    "comp",
    "completion b",
    "sacrebleu ref.txt --format ",
    "compare --te",
    "human rank --pay",
    "human ra",
    "no-such-verb --",
    "compare -m gt",
    "compare --format json,mark",
}
# What a shell of each kind is asked, in one process since each start of `weigh` takes long.
IN_SHELLS = ("", "compare --te", "human ra", "no-such-verb --", "compare weigh.b", "compare ")
BASH = """
. ./weigh.bash
complete -p weigh >/dev/null
for typed; do
    COMP_LINE="weigh $typed"
    COMP_POINT=${#COMP_LINE}
    _weigh
    printf '%s\\n' "${COMPREPLY[@]}" @
done
"""
# What zsh's own completion would offer is printed instead.
ZSH = """
compdef() { : }
_describe() { local each; for each in "${(@P)@[-1]}"; do print -r -- "${each%%:*}"; done }
compset() { : }
_files() { print -r -- FILES }
. ./weigh.zsh
for typed; do
    words=(weigh ${(z)typed})
    [[ $typed == "" || $typed == *" " ]] && words+=("")
    CURRENT=$#words
    _weigh
    print @
done
"""
FISH = 'source weigh.fish; for typed in $argv; complete -C "weigh $typed"; echo @; end'
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
    "compare -m bleu,gt": "compare -m bleu,gtm",
    "score -m bleu:tokenize=13a:lowercase,chrf,gt": (
        "score -m bleu:tokenize=13a:lowercase,chrf,gtm"
    ),
    "score --metric=bleu:lowercase,gt": "score --metric=bleu:lowercase,gtm",
    "score --format=json out.t": "score --format=json out.txt",
    "score -m bleu --html=out.t": "score -m bleu --html=out.txt",
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


@pytest.mark.parametrize("typed", CASES)
def test_what_is_offered(typed: str, folder: Path) -> None:
    done = run_inside("completion", "bash", "--", f"weigh {typed}", cwd=folder)
    words = set(done.stdout.split("\n")) - {""}
    assert words >= CASES[typed]
    assert all(word.startswith(typed.rpartition(" ")[2]) for word in words)
    if typed in WHOLE:
        assert words == CASES[typed]


@pytest.mark.parametrize("shell", SHELLS)
def test_shells_offer_what_there_is(shell: str, folder: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    programs = {"bash": [BASH, "bash"], "zsh": [ZSH, "zsh"], "fish": [FISH]}
    settings = {"zsh": ["-f"], "fish": ["--no-config"]}.get(shell, ["--norc"])
    done = subprocess.run(
        [shell, *settings, "-c", *programs[shell], *IN_SHELLS],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stderr == ""
    *answers, rest = done.stdout.split("@\n")
    assert rest == ""
    offered = {
        typed: {line.partition("\t")[0] for line in answer.split("\n")} - {""}
        for typed, answer in zip(IN_SHELLS, answers, strict=True)
    }
    assert offered[""] >= CASES[""]
    for typed in ("compare --te", "human ra", "no-such-verb --"):
        # zsh and fish also narrow down what they are given to what was typed, or to files.
        last = typed.rpartition(" ")[2]
        assert {word for word in offered[typed] if word.startswith(last)} == CASES[typed]
    # Files are offered where nothing is known; readline does it for bash.
    if shell == "zsh":
        assert offered["compare "] == {"FILES"}
    else:
        assert offered["compare weigh.b"] == (set() if shell == "bash" else {"weigh.bash"})


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


def test_other_shells_are_refused(folder: Path) -> None:
    done = run_inside("completion", "tcsh", cwd=folder)
    assert done.returncode == 2
    assert "unknown shell 'tcsh'" in done.stderr

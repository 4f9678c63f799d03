"""`weigh rypt infer` and `weigh rypt diversity` as a user runs them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = "die katze schläft\nes regnet\nso\n"
PARSES = "(S (NP (ART Die) (NN Katze)) (VV schläft))\n(S (P es) (V regnet))\nnull\n"
LABELS = """\
source\tstart\tend\tsubstring\tlabel\tjudge
die katze schläft\t0\t2\tthe cat\tYES\tone
die katze schläft\t0\t2\tthe cat\tYES\ttwo
die katze schläft\t2\t3\tsleeps\tYES\tone
die katze schläft\t2\t3\truns\tNO\tone
es regnet\t0\t2\tit rains\tYES\tone
es regnet\t1\t2\tpours\tNO\tone
"""
LINKS = "0-0 1-1 2-2\n0-0 1-1\n\n"
FIRST = """\
0 ||| the cat runs ||| a= 1 ||| 1 ||| 0-0 1-1 2-2
0 ||| the cat sleeps ||| a= 0 ||| 0 ||| 0-0 1-1 2-2
1 ||| it pours ||| a= 1 ||| 1 ||| 0-0 1-1
"""
SECOND = """\
0 ||| the cat sleeps ||| a= 0 ||| 0 ||| 0-0 1-1 2-2
0 ||| a cat sleeps ||| a= 0 ||| 0 ||| 0-0 1-1 2-2
1 ||| it rains ||| a= 0 ||| 0 ||| 0-0 1-1
"""
FILES = ("-s", "src", "--parses", "parses.mrg", "--labels", "labels.tsv")
SYSTEMS = (*FILES, "--alignments", "{system}.align", "A", "B")


@pytest.fixture(autouse=True)
def files(tmp_path):
    for name, text in {
        "src": SOURCE,
        "parses.mrg": PARSES,
        "labels.tsv": LABELS,
        "first": FIRST,
        "second": SECOND,
        "A": "the cat sleeps\nit rains\nso\n",
        "B": "the cat runs\nit pours\nso\n",
        "A.align": LINKS,
        "B.align": LINKS,
    }.items():
        (tmp_path / name).write_text(text)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("infer", *SYSTEMS, "--seed", "1"), 2, "--seed needs --held-out SHARE"),
        (
            ("infer", *SYSTEMS, "--held-out", "2"),
            2,
            "--held-out: expected a number between 0 and 1",
        ),
        (("infer", *FILES, "--alignments", "A", "B"), 1, "A: line 1: 'the' is not a link"),
        (("infer", *FILES, "--alignments", "A.align", "A", "B"), 2, "one file for several systems"),
        (
            ("infer", *FILES, "--alignments", "labels.tsv", "A"),
            1,
            "7 lines, but the test set has 3",
        ),
        (("diversity", "first"), 2, "missing -s/--src, --parses"),
        (("diversity", *FILES, "A"), 1, "A: line 1"),
        (("diversity", "-s", "A", "--parses", "parses.mrg", "first"), 1, "parses.mrg: line 1"),
    ],
)
def test_mistakes(weigh, arguments, code, words) -> None:
    done = weigh("rypt", *arguments)
    assert done.returncode == code
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_progress_on_a_terminal_until_it_is_interrupted(tmp_path) -> None:
    """A bar comes while labels are hidden, and Ctrl-C erases it and ends at once."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [Path(sys.executable).with_name("weigh"), "rypt", "infer", *SYSTEMS]
    with subprocess.Popen(
        [*command, "--held-out", ".05", "--draws", "100000"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "COLUMNS": "100"},
    ) as process:
        os.close(theirs)
        said = b""
        while b"/100,001, " not in said:
            said += os.read(ours, 1000)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        with contextlib.suppress(OSError):  # which is how a terminal says that nobody writes
            while more := os.read(ours, 1000):
                said += more
    os.close(ours)
    assert "inferring ━" in said.decode() or "inferring ─" in said.decode()
    assert said.endswith(b"\r\x1b[Kweigh: interrupted\r\n")

"""Every mistake in a comparison, in scores and in a sample gives one clear line."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
DATA, USAGE = 1, 2


@pytest.fixture
def files(tmp_path: Path) -> Path:
    good = "one two three\nfour five six\nseven eight nine\n"
    texts = {
        "ref": good,
        "a": good,
        "b": good.upper(),
        "two-lines": "one\ntwo\n",
        "empty": "",
        "1.s": "1\n2\n3\n",
        "2.s": "2\n3\n4\n",
        "short.s": "1\n2\n",
        "nan.s": "1\nnan\n3\n",
        "inf.s": "1\n2\ninf\n",
        "x.tsv": "a\tb\n1\t2\n",
        "sub/a": good,
    }
    for name, content in texts.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    return tmp_path


def check(done: subprocess.CompletedProcess[str], code: int, parts: list[str]) -> None:
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("weigh: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert "bug in weigh" not in done.stderr
    for part in parts:
        assert part in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        ("--trials 0 a b", USAGE, ["--trials", "'0'"]),
        ("--trials 1.5 a b", USAGE, ["--trials", "'1.5'"]),
        ("--alpha 0 a b", USAGE, ["alpha", "between 0 and 1"]),
        ("--alpha 1 a b", USAGE, ["alpha", "between 0 and 1"]),
        ("--alpha nan a b", USAGE, ["alpha", "between 0 and 1"]),
        ("--alpha 1e-320 a b", USAGE, ["alpha", "at least 1e-12"]),
        ("--detect bleu=5e-324 a b", USAGE, ["detect", "give a positive number"]),
        ("-m chrf:beta=1e155 a b", USAGE, ["beta", "too large"]),
        ("--alpha x a b", USAGE, ["--alpha", "'x'"]),
        ("--level 95 a b", USAGE, ["level", "between 0 and 1"]),
        ("--seed=-1 a b", USAGE, ["--seed", "'-1'"]),
        ("a", DATA, ["at least two systems", "only one, a"]),
        ("", USAGE, ["no system"]),
        ("a two-lines", DATA, ["two-lines: 2 lines", "ref has 3"]),
        ("a empty", DATA, ["empty"]),
        ("-r empty a b", DATA, ["empty"]),
        ("--documents two-lines a b", DATA, ["two-lines: 2 lines"]),
        ("--slices two-lines a b", DATA, ["two-lines: 2 lines"]),
        ("--keep-reference x x@1=a x@2=a y@1=b", DATA, ["1 run,", "x has 2"]),
        ("--baseline c a b", USAGE, ["'c'", "not one of the systems"]),
        ("--gate a b", USAGE, ["baseline"]),
        ("--margin ter=1 a b", USAGE, ["'ter'", "not a metric"]),
        ("--margin bleu a b", USAGE, ["--margin 'bleu'", "METRIC=NUMBER"]),
        ("--margin bleu=x a b", USAGE, ["--margin 'bleu=x'", "'x'"]),
        ("--margin bleu=0 a b", USAGE, ["margin", "give a positive number"]),
        ("--margin bleu=nan a b", USAGE, ["margin", "give a positive number"]),
        ("--margin bleu=1 --margin bleu=2 a b", USAGE, ["twice"]),
        ("--margin blue=1 a b", USAGE, ["'blue'", "did you mean 'bleu'?"]),
        ("--detect ter=1 a b", USAGE, ["'ter'", "not a metric"]),
        ("--test randomisation a b", USAGE, ["did you mean 'randomization'?"]),
        ("--test= a b", USAGE, ["test ''"]),
        ("--test tukey a b", USAGE, ["BLEU", "mean of segment"]),
        ("--interval t a b", USAGE, ["BLEU", "mean of segment"]),
        ("--interval tt a b", USAGE, ["interval"]),
        ("--alternative less a b", USAGE, ["alternative", "'less'"]),
        ("--adjust hlom a b", USAGE, ["did you mean 'holm'?"]),
        ("--detials a b", USAGE, ["unknown option '--detials'; did you mean '--details'?"]),
        ("a a", USAGE, ["a: two systems"]),
    ],
)
def test_comparisons_of_texts(
    arguments: str, code: int, parts: list[str], weigh: Run, files: Path
) -> None:
    reference = [] if "-r" in arguments.split() else ["-r", "ref"]
    trials = [] if "--trials" in arguments else ["--trials", "10"]
    done = weigh("compare", *reference, *trials, "-m", "bleu", *arguments.split(), cwd=files)
    check(done, code, parts)


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        ("1.s nan.s", DATA, ["nan has no score for item '2'"]),
        ("1.s inf.s", DATA, ["inf.s: line 3", "finite"]),
        ("1.s short.s", DATA, ["short.s: 2 scores", "1.s has 3"]),
        ("1.s empty", USAGE, ["empty"]),
        ("1.s a", USAGE, ["no reference given for the text a"]),
        ("1.s x.tsv", USAGE, ["x.tsv", "score=NAME"]),
        ("1.s", DATA, ["at least two systems"]),
        ("", USAGE, ["no system given"]),
        ("1.s 2.s --documents two-lines", DATA, ["2 labels of documents"]),
        ("1.s 2.s --slices two-lines", DATA, ["2 labels of slices"]),
        ("1.s 2.s --margin comet=1", USAGE, ["'comet'", "not a metric"]),
        ("1.s 2.s -m bleu", USAGE, ["no reference given for the text 1.s"]),
        ("1.s 2.s -m segment:low", USAGE, ["lower"]),
    ],
)
def test_comparisons_of_scores(
    arguments: str, code: int, parts: list[str], weigh: Run, files: Path
) -> None:
    check(weigh("compare", *arguments.split(), cwd=files), code, parts)


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        ("-o out a", USAGE, ["missing -n/--size"]),
        ("-n 2 a", USAGE, ["missing -o/--output"]),
        ("-n 2 -o out", USAGE, ["missing FILE"]),
        ("-n 0 -o out a", USAGE, ["--size", "'0'"]),
        ("-n 4 -o out a", DATA, ["a sample of 4", "from 3"]),
        ("-n 2 -o out a two-lines", DATA, ["two-lines: 2 lines, but a has 3"]),
        ("-n 2 -o out a missing", DATA, ["missing: no such file"]),
        ("-n 2 -o out a x.tsv", DATA, ["x.tsv", "plain text"]),
        ("-n 2 -o ref a", DATA, ["ref: a file"]),
        ("-n 2 -o . a", DATA, ["a: exists", "--force"]),
        ("-n 2 -o out a a", USAGE, ["a would be written as a", "once"]),
        ("-n 2 -o out --documents two-lines a", DATA, ["two-lines: 2 lines"]),
        ("-n 4 -o out --documents ref a", DATA, ["a sample of 4", "from 3"]),
    ],
)
def test_samples(arguments: str, code: int, parts: list[str], weigh: Run, files: Path) -> None:
    check(weigh("sample", *arguments.split(), cwd=files), code, parts)
    assert not (files / "out").exists()


def test_hostile_names_stay_on_their_line(weigh: Run, tmp_path: Path) -> None:
    names = ["evil\x1b[31m\nname", "tab\there", "back\\slash|pipe"]
    (tmp_path / "ref").write_text("one two three four\n" * 6)
    for name in names:
        (tmp_path / name).write_text("one two three five\n" * 6)
    for style in ("table", "json", "tsv", "markdown", "latex"):
        done = weigh("compare", "-r", "ref", "--trials", "50", "--format", style, *names)
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout
    baseline = weigh("compare", "-r", "ref", "--trials", "50", "--baseline", names[0], *names)
    assert r"against evil\x1b[31m\nname" in baseline.stdout

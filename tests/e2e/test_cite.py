"""`weigh cite` as installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
KEY = re.compile(r"^@\w+\{(.*),$", re.MULTILINE)

DEFAULTS = {
    "hartigan-1969-using",
    "holm-1979-simple",
    "noreen-1989-computer",
    "papineni-etal-2002-bleu",
    "popovic-2015-chrf",
    "post-2018-call",
    "riezler-maxwell-2005-pitfalls",
    "salmon-etal-2011-parallel",
    "wilson-1927-probable",
}


def cited(done: subprocess.CompletedProcess[str]) -> set[str]:
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    keys = KEY.findall(done.stdout)
    assert keys == sorted(set(keys))
    return set(keys)


def test_defaults_are_those_of_compare(weigh: Run) -> None:
    assert cited(weigh("cite")) == DEFAULTS


def test_a_result_says_what_it_used(weigh: Run, root: Path, tmp_path: Path) -> None:
    examples = root / "examples"
    texts = ["-r", "reference.en", "good.en", "middling.en", "poor.en"]
    compared = weigh("compare", *texts, "--trials", "50", "--format", "json", cwd=examples)
    (tmp_path / "result.json").write_text(compared.stdout, encoding="utf-8")
    assert cited(weigh("cite", "result.json")) == DEFAULTS
    scored = weigh("score", *texts, "--format", "json", cwd=examples)
    assert cited(weigh("cite", "-", stdin=scored.stdout)) == {
        "papineni-etal-2002-bleu",
        "popovic-2015-chrf",
        "post-2018-call",
    }


def test_bibtex_takes_it(weigh: Run, tmp_path: Path) -> None:
    bibtex = shutil.which("bibtex")
    if bibtex is None:
        pytest.skip("bibtex is not installed")
    everything = ["-m", "bleu,chrf:word_order=2,ter,nist,wer,per,cder", "--interval", "bca"]
    tests = "--test=randomization,bootstrap,paired-bootstrap,tukey,scheffe"
    for adjust in ("holm", "bonferroni", "sidak", "bh"):
        cite = weigh("cite", *everything, tests, "--adjust", adjust)
        (tmp_path / "used.bib").write_text(cite.stdout, encoding="ascii")
        (tmp_path / "paper.aux").write_text(
            "\\citation{*}\n\\bibstyle{plain}\n\\bibdata{used}\n", encoding="ascii"
        )
        done = subprocess.run(
            [bibtex, "paper"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
        )
        # Scheffe 1953 is given without pages, on which sources differ.
        warnings = re.findall("^Warning--.*", done.stdout, re.MULTILINE)
        assert done.returncode == 0, done.stdout
        assert warnings == ["Warning--empty pages in scheffe-1953-method"] * len(warnings)
        made = (tmp_path / "paper.bbl").read_text(encoding="ascii")
        assert set(re.findall(r"\\bibitem\{(.*)\}", made)) == cited(cite)


def test_scores_of_others(weigh: Run, tmp_path: Path) -> None:
    (tmp_path / "a.comet").write_text("1\n2\n3\n", encoding="utf-8")
    (tmp_path / "b.comet").write_text("2\n2\n1\n", encoding="utf-8")
    named = ("-m", "segment:name=@misc{evil\\,")
    done = weigh("compare", *named, "a.comet", "b.comet", "--format", "json")
    assert done.returncode == 0, done.stderr
    cite = weigh("cite", "-", stdin=done.stdout)
    assert cited(cite) == {
        "hartigan-1969-using",
        "noreen-1989-computer",
        "riezler-maxwell-2005-pitfalls",
        "salmon-etal-2011-parallel",
        "wilson-1927-probable",
    }
    assert cite.stdout.endswith("\n% (at)misc{evil,: not a built-in metric; cite its authors\n")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-m", "blue"], 2, ["blue", "bleu"]),
        (["--test", "t-test"], 2, ["t-test", "known"]),
        (["--adjust", "hol"], 2, ["hol", "holm"]),
        (["--interval", "wald"], 2, ["wald"]),
        (["a.json", "-m", "bleu"], 2, ["--metric", "leave it out"]),
        (["none.json"], 1, ["none.json", "no such file"]),
        (["text.json"], 1, ["text.json", "not JSON"]),
        (["other.json"], 1, ["other.json", "weigh/3"]),
    ],
)
def test_what_cannot_be_cited(
    arguments: list[str], code: int, words: list[str], weigh: Run, tmp_path: Path
) -> None:
    (tmp_path / "text.json").write_text("BLEU = 30\n", encoding="utf-8")
    (tmp_path / "other.json").write_text('{"score": 1}\n', encoding="utf-8")
    done = weigh("cite", *arguments)
    assert done.returncode == code
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr

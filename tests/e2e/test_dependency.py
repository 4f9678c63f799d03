"""Dependency F as installed: parses from CoNLL-U files."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

CAT = """\
# text = The cat sat.
1	The	the	DET	_	_	2	det	_	_
2	cat	cat	NOUN	_	_	3	nsubj	_	_
3	sat	sit	VERB	_	_	0	root	_	SpaceAfter=No
4	.	.	PUNCT	_	_	3	punct	_	_
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "ref.conllu").write_text(CAT)
    (tmp_path / "good.conllu").write_text(CAT)
    (tmp_path / "poor.conllu").write_text(CAT.replace("sat", "slept").replace("sit", "sleep"))
    (tmp_path / "plain.en").write_text("The cat sat.\n")
    return tmp_path


@pytest.mark.usefixtures("files")
def test_score(weigh: Run) -> None:
    metrics = "dependency,dependency:lemmas:labels=false,wer"
    done = weigh(
        *("score", "-r", "ref.conllu", "-m", metrics, "good.conllu", "poor.conllu"),
        *("--format", "json"),
    )
    assert done.returncode == 0, done.stderr
    found = {(each["metric"], each["system"]): each for each in json.loads(done.stdout)["scores"]}
    # Of det(cat, The), nsubj(sat, cat), punct(sat, .) only the first is left; 2·1/(3 + 3).
    for metric, good, poor in (
        ("dependency", 100, 100 / 3),
        ("dependency:labels=false:lemmas", 100, 100 / 3),
        ("wer", 0, 100 / 3),
    ):
        assert found[metric, "good"]["score"] == pytest.approx(good)
        assert found[metric, "poor"]["score"] == pytest.approx(poor)
    signature = found["dependency", "good"]["signature"]
    assert signature.startswith("nrefs:1|words:forms|labels:yes|parser:given|")


@pytest.mark.usefixtures("files")
def test_what_is_missing_is_said_on_one_line(weigh: Run) -> None:
    for arguments, expected in (
        (
            ("-m", "dependency", "plain.en"),
            "weigh: dependency: an output (segment 1) has no parse; give outputs and references "
            "as .conllu files, or name a spaCy model by dependency:model=MODEL\n",
        ),
        (("-m", "dependency:model=no_such_model", "plain.en"), "weigh: dependency:model=no_such"),
    ):
        done = weigh("score", "-r", "ref.conllu", *arguments)
        assert done.returncode == 1
        assert done.stderr.startswith(expected)
        assert done.stderr.count("\n") == 1

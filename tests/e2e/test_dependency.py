"""Dependency F as installed: parses from CoNLL-U files."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from shared_data import SHARED, lines, needs_shared

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
        assert found[metric, "good.conllu"]["score"] == pytest.approx(good)
        assert found[metric, "poor.conllu"]["score"] == pytest.approx(poor)
    signature = found["dependency", "good.conllu"]["signature"]
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


@needs_shared
def test_gold_trees_with_every_tenth_sentence_spoilt(weigh: Run, tmp_path: Path) -> None:
    """A sentence whose relations are renamed has matches without labels only."""
    gold = SHARED / "data" / "pud" / "en_pud-ud-test.conllu.gz"
    sentences = "\n".join(lines(gold)).strip("\n").split("\n\n")
    assert len(sentences) == 1000
    kept = lost = 0
    for number, sentence in enumerate(sentences):
        rows = [row.split("\t") for row in sentence.split("\n")]
        for row in rows:
            if row[0].isdigit() and row[6] != "0":
                kept, lost = (kept, lost + 1) if number % 10 == 0 else (kept + 1, lost)
                row[7] = f"other:{row[7]}" if number % 10 == 0 else row[7]
        sentences[number] = "\n".join("\t".join(row) for row in rows)
    (tmp_path / "spoilt.conllu").write_text("\n\n".join(sentences) + "\n\n", encoding="utf-8")
    done = weigh(
        *("score", "-r", gold, "-m", "dependency,dependency:labels=false"),
        *("spoilt.conllu", f"gold={gold}", "--format", "json"),
    )
    assert done.returncode == 0, done.stderr
    scores = [each["score"] for each in json.loads(done.stdout)["scores"]]
    assert scores == pytest.approx([100 * kept / (kept + lost), 100, 100, 100], rel=1e-12)

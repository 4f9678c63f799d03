"""What `weigh rypt` does is one call in Python, with the same document."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import weigh
import weigh_lab
from weigh import rypt
from weigh.cli import main
from weigh.read import read_texts
from weigh.result import Result

FILES = {
    "src": "die katze schläft\nes regnet\n",
    "parses.mrg": "(S (NP (ART Die) (NN Katze)) (VV schläft))\n(S (P es) (V regnet))\n",
    "labels.tsv": """\
source\tstart\tend\tsubstring\tlabel\tjudge
die katze schläft\t0\t2\tthe cat\tYES\ta
die katze schläft\t0\t2\tthe cat\tNO\tb
die katze schläft\t2\t3\truns\tNO\ta
es regnet\t0\t2\tit rains\tYES\ta
""",
    "A": "the cat runs\nit rains\n",
    "B": "a cat sleeps\nit pours\n",
    "A.align": "0-0 1-1 2-2\n0-0 1-1\n",
    "B.align": "0-0 1-1 2-2\n0-0 1-1\n",
    "list": (
        "0 ||| the cat runs ||| f= 1 ||| 1 ||| 0-0 1-1 2-2\n1 ||| it rains ||| f= 0 ||| 0 ||| 0-0\n"
    ),
}
SOURCES = ("-s", "src", "--parses", "parses.mrg")
LABELLED = (*SOURCES, "--labels", "labels.tsv", "--alignments", "{system}.align", "A", "B")


def inputs() -> tuple[Any, Any, rypt.Rypt]:
    test_set = weigh.read_test_set([], "src", references_needed=False)
    metric = weigh.Rypt(labels="labels.tsv", parses="parses.mrg", alignments="{system}.align")
    return weigh.read_systems(["A", "B"], test_set), test_set, metric


CALLS: dict[tuple[str, ...], Callable[[], Result]] = {
    ("score", *LABELLED): lambda: rypt.score_outputs(*inputs()),
    ("explain", *LABELLED, "--segment", "1"): lambda: rypt.explain_outputs(*inputs(), 1),
    ("infer", *LABELLED, "--held-out", ".5", "--seed", "3"): lambda: weigh_lab.infer_scores(
        *inputs(), weigh_lab.InferPlan(held_out=0.5, seed=3)
    ),
    ("queries", *SOURCES, "--nbest", "list", "--labels", "labels.tsv"): lambda: rypt.find_queries(
        read_texts("src"), "parses.mrg", nbest=["list"], labels="labels.tsv"
    ),
    ("diversity", *SOURCES, "list", "list"): lambda: weigh_lab.measure_diversity(
        read_texts("src"), "parses.mrg", ["list", "list"]
    ),
    ("labels", "show", "labels.tsv", "--paid", "2"): lambda: rypt.summarize_labels(
        "labels.tsv", rypt.CollectionPlan(paid=2.0)
    ),
}


@pytest.mark.parametrize("command", CALLS, ids=lambda command: command[0])
def test_the_command_writes_what_python_returns(
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    assert main(["rypt", *command, "--format", "json"]) == 0
    result = CALLS[command]()
    assert capsys.readouterr().out == f"{result.to_json()}\n"
    assert json.loads(result.to_json())["command"] == f"rypt {command[0]}"

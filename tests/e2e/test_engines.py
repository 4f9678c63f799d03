"""Every verb that takes an engine says the same wherever its work is done."""

from __future__ import annotations

import inspect
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import weigh as library
import weigh_lab
from pickling import PicklingExecutor
from weigh.cli.app import parser, verbs
from weigh.errors import UsageError

Run = Callable[..., "subprocess.CompletedProcess[str]"]

TEXTS = ("-r", "reference.en", "-m", "bleu,ter", "good.en", "middling.en")
LISTS = ("--nbest", "nbest.txt", "-r", "reference.en", "-s", "source.de")
SCORED = (
    *("-r", "reference.en", "--system", "good.en", "--system", "middling.en"),
    *("--system", "poor.en"),
)
VERBS: dict[str, tuple[str, ...]] = {
    "score": ("--interval", "percentile", *TEXTS),
    "compare": ("--trials", "300", *TEXTS),
    "tune": (*LISTS, "--starts", "3", "--directions", "8"),
    "rerank": (*LISTS, "--train", "--folds", "3", "--phrases", "2"),
    "human metrics": ("judgments.csv", *SCORED, "--trials", "200"),
    "validate accuracy": ("--human", "judgments.csv", "--trials", "999", *TEXTS),
    "validate samples": ("--sizes", "10", "--samples", "3", "--trials", "99", *TEXTS),
    "validate type1": ("--nulls", "30", "--trials", "199", *TEXTS),
    "validate power": ("--sizes", "20", "--simulations", "20", "--trials", "99", *TEXTS),
    "validate preference": (*LISTS, "-m", "chrf", "-m", "bleu", "-o", "{work}/pairs"),
}
# They take long, and are run elsewhere where their results are looked at: test_paper*.py.
PAPERS = {f"paper {name}" for name in ("koehn2004", "riezler2005", "zaidan2009", "graham2014")}


def takes(verb: str, option: str) -> bool:
    return any(option in action.option_strings for action in parser(verb)._actions)


def test_every_verb_with_an_engine_is_here() -> None:
    assert {verb for verb in verbs() if takes(verb, "--engine")} == {*VERBS} | PAPERS


@pytest.mark.parametrize("verb", VERBS)
def test_the_same_answer_elsewhere(
    verb: str,
    weigh: Run,
    elsewhere: PicklingExecutor,
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("weigh.tuning.nbest._PART", 50)  # the list of the examples is short

    def document(work: str, *more: str) -> str:
        given = [each.format(work=tmp_path / work) for each in VERBS[verb]]
        done = weigh(*verb.split(), *given, *more, "--format", "json", cwd=root / "examples")
        assert done.returncode == 0, done.stderr
        return done.stdout

    here = document("here")
    assert elsewhere.tasks == 0
    assert document("there", "--engine", "dask") == here
    assert elsewhere.tasks > 1


def test_every_function_with_threads_takes_an_executor() -> None:
    functions = [
        getattr(package, name)
        for package in (library, weigh_lab)
        for name in package.__all__
        if name[0].islower()
    ]
    threaded = {
        function.__name__: function
        for function in functions
        if "threads" in inspect.signature(function).parameters
    }
    del threaded["train_translator"]  # its work is one run of threads over shared counts
    assert len(threaded) > 10
    for function in threaded.values():
        with pytest.raises(UsageError, match="executor is int"):
            function(executor=3)

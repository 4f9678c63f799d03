"""Tuning and reranking in one call, as the command does it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import weigh
from unit.report.made.tune import made_list
from weigh.errors import InputError, UsageError
from weigh.result import document
from weigh.tuning.held_out import Spread
from weigh.tuning.problem import Problem

ROOT = Path(__file__).parents[3]
LIST = ROOT / "examples" / "nbest.txt"
QUICK = {"starts": 2, "directions": 5, "threads": 1}


@pytest.fixture(scope="module")
def test_set() -> weigh.TestSet:
    return weigh.read_test_set([str(ROOT / "examples" / "reference.en")])


def test_what_is_claimed_is_scored_again(test_set: weigh.TestSet) -> None:
    nbest = weigh.read_nbest([str(LIST)])
    result = weigh.tune(LIST, test_set, weigh.Bleu(), runs=2, average=True, **QUICK)
    problem = Problem.of(nbest, test_set, weigh.Bleu())
    for weights, score in (
        (result.weights, result.score),
        (result.start_weights, result.start_score),
        *((run.weights, run.score) for run in result.runs),
        *((start.weights, start.score) for start in result.starts),
    ):
        assert problem.score(np.array([*weights.values()])) == score
    assert result.score == result.average_score
    assert [run.seed for run in result.runs] == [12345, 12346]
    assert result.spread == Spread.of([run.score for run in result.runs])
    assert list(result.texts) == ["start.txt", "tuned.1.txt", "tuned.2.txt"]
    chosen = [nbest.texts[text] for text in nbest.hypotheses[nbest.best(np.ones(3))]]
    assert result.texts["start.txt"] == chosen


def test_files_lists_and_problems_are_tuned_alike(test_set: weigh.TestSet) -> None:
    nbest = weigh.read_nbest([str(LIST)])
    problem = Problem.of(nbest, test_set, weigh.Ter())
    plan = weigh.TunePlan(starts=2, directions=5, seed=3)
    documents = {
        document(weigh.tune(given, of, "ter", plan, threads=1))
        for given, of in ((str(LIST), test_set), ([LIST], test_set), (nbest, test_set))
    }
    assert len(documents) == 1
    assert weigh.tune(problem, plan=plan).weights == json.loads(documents.pop())["weights"]


def test_weights_are_started_fixed_and_bounded(test_set: weigh.TestSet, tmp_path: Path) -> None:
    start = {"lm_0": 0.5, "tm_0": 1.0, "length_0": 0.25}
    (tmp_path / "init").write_text("".join(f"{name} {value}\n" for name, value in start.items()))
    more = {"fix": ["lm_0"], "bound": {"tm_0": (None, 0.75)}, **QUICK}
    with pytest.raises(InputError, match="'tm_0' is outside its bounds"):
        weigh.tune(LIST, test_set, start=start, **more)
    more["bound"] = {"tm_0": (None, 1.5)}
    result = weigh.tune(LIST, test_set, start=start, **more)
    assert result.start_weights == start
    assert result.weights["lm_0"] == 0.5
    assert result.weights["tm_0"] <= 1.5
    assert result == weigh.tune(LIST, test_set, start=str(tmp_path / "init"), **more)


def test_a_held_out_list_is_scored_and_compared(test_set: weigh.TestSet) -> None:
    held_out = weigh.HeldOut(LIST, test_set)
    result = weigh.tune(LIST, test_set, held_out=held_out, runs=2, **QUICK)
    scores = result.held_out
    assert scores is not None
    assert (scores.start_score, scores.score) == (result.start_score, result.score)
    assert [run.held_out_score for run in result.runs] == [run.score for run in result.runs]
    assert scores.spread == result.spread
    assert scores.p_value is not None
    assert scores.is_significant == (scores.p_value <= 0.05)
    with pytest.raises(UsageError, match="--heldout-parses is for -m rypt"):
        weigh.tune(LIST, test_set, held_out=weigh.HeldOut(LIST, test_set, "parses.mrg"))
    with pytest.raises(UsageError, match="--heldout-ref go together"):
        weigh.tune(LIST, test_set, held_out=weigh.HeldOut(LIST, weigh.TestSet([], ["x"])))


def test_remarks_are_told_at_once_and_kept() -> None:
    nbest, test_set = made_list(("a_0", "b_0"), "word")
    longer = weigh.TestSet([[*test_set.references[0], "more"]])
    told: list[str] = []
    result = weigh.tune(nbest, longer, tell=told.append, **QUICK)
    assert tuple(told) == result.remarks
    assert told == ["1 of 13 sentences have no candidates and are left out: 12 (from 0)"]
    assert result.test_set.left_out == 1
    assert "Cautions" in result.to_html()


def test_no_test_set_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="no test set"):
        weigh.tune(LIST)


class Listed:
    """A decoder that finds the reference at the second try; the second feature tells it."""

    def __init__(self) -> None:
        self.asked: list[dict[str, float]] = []

    def decode(self, weights: dict[str, float], folder: Path, nbest: Path) -> None:
        assert folder.is_dir()
        self.asked.append(dict(weights))
        texts = ["x", "a b c d e"] if len(self.asked) > 1 else ["x y", "a b x"]
        nbest.write_text(
            "".join(
                f"0 ||| {text} ||| lm= {len(texts) - at} tm= {at}\n"
                for at, text in enumerate(texts)
            )
        )


def test_a_decoder_is_tuned_and_gone_on_with(tmp_path: Path) -> None:
    test_set = weigh.TestSet([["a b c d e"]])
    decoder, told = Listed(), list[str]()
    start = {"lm_0": 1.0, "tm_0": 0.5}
    result = weigh.tune_decoder(
        decoder,
        test_set,
        "bleu:effective_order",
        start=start,
        folder=tmp_path,
        progress=lambda iteration: told.append(str(iteration)),
        **QUICK,
    )
    assert decoder.asked[0] == start
    assert (result.iterations[1].score, result.score) == (pytest.approx(100), pytest.approx(100))
    assert told[0].startswith("iteration 1: 2 new of 2 candidates, decoded ")
    assert len(told) == len(result.iterations)
    again = Listed()
    more = {"start": start, "folder": tmp_path, **QUICK}
    assert weigh.tune_decoder(again, test_set, "bleu:effective_order", **more) == result
    assert again.asked == []
    with pytest.raises(InputError, match="contains a run with another 'optimizer'"):
        weigh.tune_decoder(again, test_set, "bleu:effective_order", optimizer="pro", **more)


def test_a_loop_of_an_older_version_goes_on(tmp_path: Path) -> None:
    test_set = weigh.TestSet([["a b c d e"]])
    more = {"start": {"lm_0": 1.0, "tm_0": 0.5}, "folder": tmp_path, **QUICK}
    first = weigh.tune_decoder(Listed(), test_set, "bleu:effective_order", **more)
    for path in tmp_path.glob("iteration*/result.json"):
        known = json.loads(path.read_text())
        known["number"] = known.pop("iteration")
        path.write_text(json.dumps(known))
    assert weigh.tune_decoder(Listed(), test_set, "bleu:effective_order", **more) == first


def test_candidates_are_chosen_by_weights_or_by_a_model(
    test_set: weigh.TestSet, tmp_path: Path
) -> None:
    weights = {"lm_0": 0.3, "tm_0": 1.5, "length_0": 0.4}
    (tmp_path / "w").write_text("".join(f"{name} {value}\n" for name, value in weights.items()))
    by_weights = weigh.rerank(LIST, weights)
    assert by_weights == weigh.rerank(LIST, str(tmp_path / "w"))
    assert [one.text for one in by_weights.sentences] == [
        one.text for one in weigh.rerank(LIST, model=weights).sentences
    ]
    for given in ({}, {"weights": weights, "model": weights}):
        with pytest.raises(UsageError, match="either weights or a model"):
            weigh.rerank(LIST, **given)
    model = weigh.train_reranker(LIST, test_set, "ter", gamma=(0.5,), threads=1)
    assert (model.p_value, model.trial, model.folds) == (None, None, None)
    scored = Problem.of(weigh.read_nbest([str(LIST)]), test_set, weigh.Ter())
    chosen = weigh.rerank(LIST, model=model.weights).sentences
    places = scored.nbest.offsets[:-1] + [one.place - 1 for one in chosen]
    assert scored.score_of(places) == model.score
    limits = weigh.oracle(LIST, test_set, ["ter"], threads=1)
    assert limits.scores[0].oracle <= model.score <= limits.scores[0].worst

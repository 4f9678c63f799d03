"""γ by cross-validation, the model, and what it chooses."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pickling import PicklingExecutor
from unit.tuning.written import Written, make_list
from weigh.engine.executors import running_on
from weigh.errors import InputError, UsageError
from weigh.metrics.bleu import Bleu
from weigh.read.nbest import Candidate
from weigh.tuning.examples import Examples, SpooledBlocks, collect
from weigh.tuning.gather import gather
from weigh.tuning.loglinear import fit, gradient
from weigh.tuning.model import chosen, train, validate
from weigh.tuning.nbest import NBest
from weigh.tuning.plan import TrainPlan
from weigh.tuning.rerank import by_model, choose
from weigh.types import TestSet


def planted(seed: int, segments: int = 120, features: int = 40) -> NBest:
    """A list in which two of many features tell how good a candidate is."""
    generator = np.random.default_rng(seed)
    size = 10
    values = generator.normal(size=(segments * size, features))
    quality = 50 + 1.5 * values[:, 3] - values[:, 1] + generator.normal(size=len(values))
    # All texts are equally long, or their length would be a feature too.
    numbers = np.stack([(1000 * quality).round(), np.full(len(quality), 1000)], axis=1)
    return make_list([size] * segments, numbers, values)


def examples_of(nbest: NBest, blocks: SpooledBlocks) -> Examples:
    size = len(nbest.ids)
    return collect([nbest], TestSet([[""] * size]), Written(), blocks)


def score(nbest: NBest, scores: Any) -> float:
    """By definition: the mean of what is written in the chosen texts."""
    texts = [choice.text for choice in choose(nbest, scores)]
    numbers = [[float(word) for word in text.split()] for text in texts]
    return math.fsum(n for n, _ in numbers) / math.fsum(d for _, d in numbers)


def test_held_out_sentences_are_judged_by_models_that_have_not_seen_them() -> None:
    nbest = planted(1, segments=30, features=6)
    with SpooledBlocks() as blocks:
        examples = examples_of(nbest, blocks)
        [trial] = validate(blocks, 6, Written(), gammas=[4.0], folds=3, seed=8)
        fold_of = np.random.default_rng(8).permutation(30) % 3
        chosen_rows, loss = np.zeros((30, 2)), 0.0
        [block] = blocks
        for fold in range(3):
            kept = fold_of != fold
            weights = fit(blocks, 4.0 * 2 / 3, np.zeros(6), kept=kept, tolerance=1e-4).weights
            loss += gradient(blocks, weights, ~kept)[0]
            scores = (block.features @ weights).reshape(30, 10)
            best = scores.argmax(axis=1)
            rows = block.rows.reshape(30, 10, 2)[np.arange(30), best]
            chosen_rows[~kept] = rows[~kept]
    assert examples.names == nbest.names
    assert np.array_equal(trial.rows, chosen_rows)
    assert trial.loss == pytest.approx(loss / 30)
    total = chosen_rows.sum(axis=0)
    assert trial.score == pytest.approx(total[0] / total[1])


def test_the_path_halves_gamma_until_the_loss_rises() -> None:
    nbest = planted(2, segments=40)
    with SpooledBlocks() as blocks:
        examples_of(nbest, blocks)
        steepest = float(np.abs(gradient(blocks, np.zeros(40))[1]).max())
        trials = validate(blocks, 40, Written(), folds=4, seed=1)
    assert [trial.gamma for trial in trials] == pytest.approx(
        [steepest / 2**step for step in range(1, len(trials) + 1)]
    )
    losses = [trial.loss for trial in trials]
    assert losses.index(min(losses)) == len(losses) - 3
    assert trials[-1].features > trials[0].features


def test_folds_that_are_fitted_elsewhere_are_the_same() -> None:
    nbest, test_set = of_all_lengths(3)
    metric = Bleu(tokenize="none")
    with SpooledBlocks(in_memory=0) as blocks:  # a file, whose content is sent
        examples = collect([nbest], test_set, metric, blocks)
        plan = TrainPlan(seed=1, folds=2, gamma=(16.0, 8.0))
        here = train(examples, metric, plan)
        elsewhere = PicklingExecutor()
        with running_on(elsewhere):
            there = train(examples, metric, plan)
    assert there.weights == here.weights
    assert there.p_value == here.p_value
    assert [(t.gamma, t.score, t.loss, t.features) for t in there.trials] == [
        (t.gamma, t.score, t.loss, t.features) for t in here.trials
    ]
    assert elsewhere.tasks > 2 * 2


def test_the_smallest_loss_is_chosen_and_of_equals_the_simplest() -> None:
    with SpooledBlocks() as blocks:
        examples_of(planted(2, segments=40), blocks)
        trials = validate(blocks, 40, Written(), gammas=[1e9, 2e9, 3.0], folds=4, seed=1)
    assert [trial.gamma for trial in trials] == [2e9, 1e9, 3.0]
    assert trials[0].loss == trials[1].loss == pytest.approx(math.log(10))
    assert trials[0].loss > trials[2].loss
    assert chosen(trials) is trials[2]
    assert chosen(trials[:2]) is trials[0]


def test_a_trained_model_finds_the_planted_features_and_holds_on_another_list() -> None:
    nbest, other = planted(3), planted(4)
    with SpooledBlocks() as blocks:
        training = train(examples_of(nbest, blocks), Written(), TrainPlan(seed=1))
    largest = sorted(training.weights, key=lambda name: -abs(training.weights[name]))
    assert set(largest[:2]) == {"dense_3", "dense_1"}
    assert training.weights["dense_3"] > 0 > training.weights["dense_1"]
    first = -np.arange(len(nbest), dtype=float)
    assert training.first_score == pytest.approx(score(nbest, first))
    weights = np.array([training.weights[name] for name in nbest.names])
    assert training.score == pytest.approx(score(nbest, nbest.scores(weights)))
    assert training.trial is not None
    assert training.p_value is not None
    assert training.trial.score > training.first_score + 1
    assert training.p_value < 0.01
    assert training.fit.gap <= 1e-6
    assert score(other, other.scores(weights)) > score(other, first) + 1


def of_all_lengths(seed: int) -> tuple[NBest, TestSet]:
    """A list whose feature tells, with noise, how many of a candidate's words are wrong.

    Candidates are on average longer than the reference, so that gold is shorter than most.
    """
    rng = random.Random(seed)
    references, candidates = [], []
    for sentence in range(400):
        right = [f"w{rng.randrange(500)}" for _ in range(12)]
        references.append(" ".join(right))
        for _ in range(12):
            text, wrong, longer = list(right), rng.randint(0, 5), rng.randint(-3, 5)
            for at in rng.sample(range(12), wrong):
                text[at] = f"x{rng.randrange(500)}"
            text = text[: 12 + longer] + [f"x{rng.randrange(500)}" for _ in range(longer)]
            feature = [-wrong + rng.gauss(0, 3)]
            candidates.append(Candidate(str(sentence), " ".join(text), ("lm_0",), feature, {}, 1))
    return gather(candidates), TestSet([references])


def test_the_weight_of_length_is_searched_for_without_the_sentences_left_out() -> None:
    """Other statistics of a sentence left out must not change what its model chooses there."""
    nbest, test_set = of_all_lengths(9)
    metric = Bleu(tokenize="none")
    with SpooledBlocks() as blocks:
        examples = collect([nbest], test_set, metric, blocks)
        [block] = blocks
    fold_of = np.random.default_rng(4).permutation(400) % 2
    left_out = np.repeat(fold_of == 0, np.diff(block.starts))
    changed = block.rows.copy()
    changed[left_out, 0] += 7
    places = []
    for rows in (block.rows, changed):
        # The place of each candidate as a further column, to see which one is chosen.
        marked = np.column_stack([rows, np.arange(len(rows))])
        [trial] = validate(
            [replace(block, rows=marked)],
            len(examples.names),
            _Marked(),
            length=examples.length,
            gammas=[1.0],
            folds=2,
            seed=4,
        )
        places.append(trial.rows[fold_of == 0, -1].tolist())
    assert places[0] == places[1]


class _Marked(Bleu):
    """BLEU of rows with one more column, which it does not look at."""

    def score(self, sums: Any) -> Any:
        return super().score(np.asarray(sums)[..., :-1])


def test_folds_must_fit() -> None:
    with SpooledBlocks() as blocks:
        examples = examples_of(planted(5, segments=3, features=4), blocks)
        for folds in (1, 4):
            with pytest.raises(UsageError, match="from 2 to 3"):
                train(examples, Written(), TrainPlan(seed=1, folds=folds))


def test_nothing_to_learn_from() -> None:
    constant = make_list([2, 2], np.ones((4, 2)), np.ones((4, 2)))
    with SpooledBlocks() as blocks, pytest.raises(InputError, match="no feature varies"):
        train(examples_of(constant, blocks), Written(), TrainPlan(seed=1))
    # All candidates are equally good: their features vary, but the loss does not.
    equal = make_list([2, 2], np.ones((4, 2)), np.arange(8.0).reshape(4, 2) ** 2)
    with SpooledBlocks() as blocks, pytest.raises(InputError, match="no feature tells"):
        train(examples_of(equal, blocks), Written(), TrainPlan(seed=1, folds=2))


def test_a_model_with_phrases_chooses_by_all_its_features() -> None:
    nbest = make_list([3, 1], np.array([[1, 1], [2, 1], [1, 1], [7, 1]]), np.eye(4)[:, :2])
    model = {"dense_0": 0.5, "dense_1": -1.0, "phrase:2.0 1.0": 1.75, "sparse_word_x": 9.0}
    choices = by_model([nbest], model, "model")
    # Scores of the first sentence: 0.5, −1 + 1.75, 0; of the second 0.
    assert [(each.id, each.place, each.score) for each in choices] == [("0", 2, 0.75), ("1", 1, 0)]


def test_a_model_for_other_features_is_refused() -> None:
    nbest = make_list([2], np.ones((2, 2)), np.eye(2))
    with pytest.raises(
        InputError, match=r"model.txt: a weight for 'lm_0', but the n-best list has no such feature"
    ):
        by_model([nbest], {"dense_0": 1.0, "lm_0": 2.0}, "model.txt")

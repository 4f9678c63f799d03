"""Hidden labels are told as the definitions say, and better by inference."""

from __future__ import annotations

import numpy as np
import pytest

from rypt_world import Judges, World
from weigh.errors import InputError, UsageError
from weigh.rypt.percolation import NO, NOT_SURE, UNLABELLED, YES
from weigh.rypt.tree import Tree
from weigh_lab.rypt.hidden_labels import hold_out, predicted
from weigh_lab.rypt.label_evidence import (
    LabelEvidence,
)
from weigh_lab.rypt.soft_percolation import LENGTHS, Parameters, label_counts


def samples(world: World, judges: Judges, sentences: int = 60, outputs: int = 3):
    found = [world.sentence(number, outputs) for number in range(sentences)]
    return [LabelEvidence(one.tree, judges.counts(one), one.entries.T) for one in found]


def test_hard_rules_are_never_wrong_where_they_always_hold():
    # Below a YES all is YES, and every label is true: so what is decided is right, the rest is a
    # guess of one half with a square of one quarter.
    labelled = samples(World(idiom=0, clash=0.3), Judges(wrong=0, unsure=0, asked=0.7))
    found = hold_out(labelled, 0.3, draws=2)
    half = {fit.method: fit for fit in found.methods}["half"]
    assert 0 < found.decided < 1
    assert half.brier == pytest.approx(0.25 * (1 - found.decided))
    assert half.accuracy == pytest.approx(found.decided + 0.5 * (1 - found.decided))


def test_inference_tells_noisy_labels_better_than_hard_rules():
    labelled = samples(World(), Judges(wrong=0.15, asked=0.7), sentences=120)
    found = hold_out(labelled, 0.3, draws=2)
    fits = {fit.method: fit for fit in found.methods}
    for method in ("strict", "half", "length"):
        assert fits[method].excess > 3 * fits[method].error > 0
        assert fits[method].log_loss > fits["inference"].log_loss
        assert fits[method].brier - fits["inference"].brier == pytest.approx(fits[method].excess)
    assert fits["inference"].excess == fits["inference"].error == 0


def test_words_alone_are_told_by_how_often_they_are_right():
    # Nothing is connected, so that nothing can be told but the share of YES, and no label helps
    # another: log loss and Brier score are those of the share.
    draw = np.random.default_rng(5)
    tree = Tree.of(["a"], [])
    labels = draw.random(2000) < 0.7
    labelled = [
        LabelEvidence(tree, label_counts(np.array([[YES if yes else NO]])), np.array([[number]]))
        for number, yes in enumerate(labels)
    ]
    found = hold_out(labelled, 0.5, draws=1)
    assert found.decided == 0
    for fit in found.methods:
        if fit.method in ("length", "inference"):
            assert fit.brier == pytest.approx(0.21, abs=0.02)
            assert fit.log_loss == pytest.approx(0.611, abs=0.04)
        if fit.method == "half":
            assert fit.accuracy == 0.5
            assert fit.log_loss == pytest.approx(np.log(2))
        if fit.method == "strict":
            assert fit.accuracy == pytest.approx(0.3, abs=0.05)
            assert fit.accuracy == pytest.approx(1 - fit.brier)


def test_prediction_of_a_label_by_definition():
    model = Parameters(
        np.full(LENGTHS, 0.5),
        np.full((LENGTHS, LENGTHS, 2), 0.5),
        np.array([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]]),
    )
    chance = (0.25 * 0.6 + 0.75 * 0.1) / (0.25 * 0.9 + 0.75 * 0.8)
    assert predicted(np.array([0.25]), model)[0] == pytest.approx(chance)


def test_what_cannot_be_hidden_is_said():
    labelled = samples(World(), Judges(), sentences=2)
    with pytest.raises(UsageError, match="between 0 and 1"):
        hold_out(labelled, 0.0)
    with pytest.raises(UsageError, match="at least one"):
        hold_out(labelled, draws=0)
    tree = Tree.of(["a", "b"], [])
    unsure = np.array([[NOT_SURE], [UNLABELLED], [UNLABELLED]], dtype=np.int8)
    with pytest.raises(InputError, match="no label is hidden"):
        hold_out([LabelEvidence(tree, label_counts(unsure), np.arange(3)[:, None])])
    only = np.array([[YES], [UNLABELLED], [UNLABELLED]], dtype=np.int8)
    with pytest.raises(InputError, match="all labels were hidden at once"):
        hold_out([LabelEvidence(tree, label_counts(only), np.arange(3)[:, None])], 0.999, draws=1)

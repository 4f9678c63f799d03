"""The simulated world: what it promises, and what RYPT's labels come to in it."""

from __future__ import annotations

import numpy as np

from rypt_world import Judges, World
from weigh.rypt.percolation import YES, percolate_codes
from weigh_lab.rypt.label_evidence import majority_codes


def _rypt(sentences, judges) -> float:
    """Return the share of YES of all nodes after percolation: what `strict` is."""
    codes = [
        percolate_codes(one.tree, majority_codes(judges.counts(one)))[:, 0] for one in sentences
    ]
    return float((np.concatenate(codes) == YES).mean())


def test_rypt_rises_to_the_truth_as_more_nodes_are_labelled():
    # With true labels and the hard rules always holding, nodes that are YES are never counted
    # too often; with all nodes labelled, RYPT is the truth.
    sentences = [World(idiom=0).sentence(number, 1) for number in range(200)]
    truth = np.concatenate([one.truth[0] for one in sentences]).mean()
    scores = [
        _rypt(sentences, Judges(wrong=0, unsure=0, asked=asked)) for asked in (0.2, 0.68, 0.9, 1.0)
    ]
    assert scores == sorted(scores)
    assert scores[2] < truth
    assert scores[3] == truth


def test_rypt_converges_with_more_judges_of_every_node():
    sentences = [World().sentence(number, 1) for number in range(200)]
    truth = np.concatenate([one.truth[0] for one in sentences]).mean()
    errors = [
        abs(_rypt(sentences, Judges(wrong=0.2, unsure=0.1, each=each)) - truth)
        for each in (1, 15, 75)
    ]
    assert errors[0] > errors[1] > errors[2]
    # No more nodes can be wrong than have a wrong majority: see the test below.
    assert errors[2] <= 2 * np.exp(-75 * 0.5**2 / 2) + 1e-9

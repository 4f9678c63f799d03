"""Expected scores of systems, by their definition and held against the truth."""

from __future__ import annotations

import numpy as np
import pytest

from rypt_world import Judges, World
from weigh.errors import InputError
from weigh.rypt.percolation import NO, YES, percolate_codes
from weigh_lab.rypt.inferred import infer_systems
from weigh_lab.rypt.label_evidence import (
    LabelEvidence,
)
from weigh_lab.rypt.soft_percolation import Forest, infer

SYSTEMS = ("A", "B", "C")


def _simulated(judges: Judges, sentences: int = 150):
    found = [World().sentence(number, len(SYSTEMS)) for number in range(sentences)]
    evidence = [LabelEvidence(one.tree, judges.counts(one), one.entries.T) for one in found]
    return found, evidence


def test_systems_are_sums_over_their_own_nodes():
    _, evidence = _simulated(Judges(asked=0.5, each=2), sentences=30)
    result = infer_systems(SYSTEMS, evidence)
    for at, system in enumerate(result.systems):
        yes = variance = 0.0
        after = []
        for one in evidence:
            posterior = infer(Forest.of([one.tree], [one.counts[at : at + 1]]), result.parameters)
            yes += posterior.yes.sum()
            variance += posterior.variance[0] * len(one.tree) ** 2
            after += percolate_codes(one.tree, one.codes())[:, at].tolist()
        nodes = len(after)
        assert system.nodes == nodes
        assert system.expected == pytest.approx(100 * yes / nodes)
        assert system.deviation == pytest.approx(100 * np.sqrt(variance) / nodes)
        assert system.strict == pytest.approx(100 * after.count(YES) / nodes)
        told = after.count(YES) + after.count(NO)
        assert system.coverage == pytest.approx(100 * told / nodes)
        assert system.labelled == pytest.approx(100 * after.count(YES) / told)
        assert system.half == pytest.approx(system.strict + 0.5 * (100 - system.coverage))
    assert sum(result.answers) == sum(int(one.counts.sum()) for one in evidence)
    assert sum(result.nodes) == sum(system.nodes for system in result.systems)
    assert result.parameters.symmetric is False


def test_expectation_is_nearer_to_the_truth_than_strict():
    found, evidence = _simulated(Judges(asked=0.5))
    result = infer_systems(SYSTEMS, evidence)
    for at, system in enumerate(result.systems):
        truth = 100 * np.concatenate([one.truth[at] for one in found]).mean()
        assert system.expected == pytest.approx(truth, abs=2.5)
        assert abs(system.strict - truth) > 10


def test_nothing_to_learn_from_is_said():
    _, evidence = _simulated(Judges(asked=0.0), sentences=2)
    with pytest.raises(InputError, match="no label is about any output"):
        infer_systems(SYSTEMS, evidence)

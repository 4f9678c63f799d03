"""Answers of people on the nodes of outputs, by their definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.rypt import substring
from rypt_cases import AlignedOutput, aligned, aligned_outputs, trees
from rypt_world import Judges, World
from weigh.errors import InputError, UsageError
from weigh.rypt.alignment import AlignedTexts
from weigh.rypt.inference import KINDS, LENGTHS, Forest, Parameters, infer, label_counts
from weigh.rypt.inferred import (
    Evidence,
    evidence_of,
    evidence_of_systems,
    hold_out,
    infer_systems,
    majority_codes,
    predicted,
    read_votes,
)
from weigh.rypt.labels import Entry, EntryJudgment, Label, majority
from weigh.rypt.percolation import CODES, NO, NOT_SURE, UNLABELLED, YES, percolate_codes
from weigh.rypt.tree import Tree


@st.composite
def judged(draw):
    """Return a tree, outputs, and votes on some of their substrings and on others."""
    tree = draw(trees(5))
    outputs = draw(aligned_outputs(tree))
    votes = {}
    for node in range(len(tree)):
        span = (tree.starts[node], tree.ends[node])
        texts = {substring(one.words, one.links, *span) for one in outputs} - {None}
        for text in sorted([*texts, "x"]):
            labels = draw(st.lists(st.sampled_from(Label), max_size=3))
            if labels:
                votes[*span, text] = labels
    return tree, outputs, votes


@given(judged())
def test_evidence_by_definition(case):
    tree, outputs, votes = case
    found = evidence_of(tree, aligned(tree, outputs), votes)
    codes = found.codes()
    known: dict[int, tuple[int, str | None]] = {}
    for at, one in enumerate(outputs):
        for node in range(len(tree)):
            span = (tree.starts[node], tree.ends[node])
            text = substring(one.words, one.links, *span)
            labels = votes.get((*span, text), [])
            wanted = [sum(CODES[label] == kind for label in labels) for kind in KINDS]
            assert found.counts[at, node].tolist() == wanted
            assert codes[node, at] == (CODES[majority(labels)] if labels else UNLABELLED)
            entry = int(found.entries[node, at])
            assert known.setdefault(entry, (node, text)) == (node, text)
    assert len(set(known.values())) == len(known)


def test_majority_is_that_of_the_store():
    for labels in ([Label.YES], [Label.YES, Label.NO], [Label.NO, Label.NO, Label.NOT_SURE]):
        counts = np.array([[[sum(CODES[one] == kind for one in labels) for kind in KINDS]]])
        assert majority_codes(counts)[0, 0] == CODES[majority(labels)]


@pytest.mark.parametrize("ending", ["jsonl", "db"])
def test_votes_of_a_store_and_of_its_export(tmp_path, ending):
    from weigh.rypt.collection import open_store
    from weigh.rypt.label_files import as_jsonl

    times = ["2020-01-01T00:00:00.000000Z", "2020-01-02T00:00:00.000000Z"]
    entry = Entry("a b", 0, 1, "x")
    judgments = [
        EntryJudgment(entry, Label.YES, "one", times[0]),
        EntryJudgment(entry, Label.NO, "one", times[1]),
        EntryJudgment(entry, Label.NOT_SURE, "two", times[0]),
        EntryJudgment(Entry("c", 0, 1, "y"), Label.YES, "one", times[0]),
    ]
    path = tmp_path / f"labels.{ending}"
    if ending == "db":
        open_store(path, create=True).add(judgments)
    else:
        path.write_text("".join(f"{line}\n" for line in as_jsonl(judgments)), encoding="utf-8")
    assert read_votes(str(path), ["a b", "z"]) == {"a b": {(0, 1, "x"): (Label.NO, Label.NOT_SURE)}}


def samples(world: World, judges: Judges, sentences: int = 60, outputs: int = 3):
    found = [world.sentence(number, outputs) for number in range(sentences)]
    return [Evidence(one.tree, judges.counts(one), one.entries.T) for one in found]


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
        Evidence(tree, label_counts(np.array([[YES if yes else NO]])), np.array([[number]]))
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


def test_the_same_seed_hides_the_same():
    labelled = samples(World(), Judges(asked=0.6), sentences=20)
    assert hold_out(labelled, draws=1, seed=3) == hold_out(labelled, draws=1, seed=3)
    assert hold_out(labelled, draws=1, seed=3) != hold_out(labelled, draws=1, seed=4)


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
        hold_out([Evidence(tree, label_counts(unsure), np.arange(3)[:, None])])
    only = np.array([[YES], [UNLABELLED], [UNLABELLED]], dtype=np.int8)
    with pytest.raises(InputError, match="all labels were hidden at once"):
        hold_out([Evidence(tree, label_counts(only), np.arange(3)[:, None])], 0.999, draws=1)


SYSTEMS = ("A", "B", "C")


def _simulated(judges: Judges, sentences: int = 150):
    found = [World().sentence(number, len(SYSTEMS)) for number in range(sentences)]
    evidence = [Evidence(one.tree, judges.counts(one), one.entries.T) for one in found]
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


def test_sentences_of_systems_are_put_together():
    trees = [Tree.of(["s", "t"], []), None, Tree.of(["u"], [])]
    votes = [{(0, 1, "a"): [Label.YES]}, {}, {(0, 1, "x"): [Label.NO, Label.NO]}]
    sources = ["st", "?", "u"]
    outputs = [
        AlignedTexts.of(["a b", "?", "x"], ["0-0 1-1", "0-0", "0-0"], sources, str),
        AlignedTexts.of(["c", "", "x a"], ["1-0", "", "0-0"], sources, str),
    ]
    first, second = evidence_of_systems(trees, votes, outputs)
    whole = [AlignedOutput(("a", "b"), ((0, 0), (1, 1))), AlignedOutput(("c",), ((1, 0),))]
    alone = evidence_of(trees[0], aligned(trees[0], whole), votes[0])
    assert (first.counts == alone.counts).all()
    assert (first.entries == alone.entries).all()
    assert first.counts[0, 1].tolist() == [1, 0, 0]
    assert not first.counts[1].any()
    assert second.counts[:, 0].tolist() == [[0, 2, 0], [0, 2, 0]]

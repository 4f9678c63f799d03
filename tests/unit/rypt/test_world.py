"""The simulated world: what it promises, and what RYPT's labels come to in it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rypt_world import Judges, World, random_tree
from weigh.errors import UsageError
from weigh.rypt.percolation import NO, NOT_SURE, UNLABELLED, YES, percolate_codes
from weigh_lab.rypt.label_evidence import majority_codes


@given(st.integers(0, 50), st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0]))
def test_truth_by_definition(number, seed, faithful):
    world = World(faithful=faithful, seed=seed, idiom=0.1)
    sentence = world.sentence(number, 12)
    tree = sentence.tree
    known: dict[tuple[int, ...], tuple[int, bool]] = {}
    for candidate, choices in enumerate(sentence.choices.tolist()):
        for node in range(len(tree)):
            span = (tree.starts[node], tree.ends[node])
            entry = int(sentence.entries[candidate, node])
            truth = bool(sentence.truth[candidate, node])
            # One truth and one entry for the same words of a span, other entries for others.
            told = known.setdefault((*span, *choices[slice(*span)]), (entry, truth))
            assert told == (entry, truth)
            if not tree.children()[node]:
                assert truth == (choices[span[0]] == sentence.right[span[0]])
    assert len({entry for entry, _ in known.values()}) == len(known)
    if faithful == 1:
        assert (sentence.reference == sentence.right).all()


def test_same_seed_same_world():
    one, again = (World(seed=7).sentence(3, 5) for _ in range(2))
    assert one.tree == again.tree
    assert (one.truth == again.truth).all()
    assert one.texts() == again.texts()
    assert World(seed=8).sentence(3, 5).texts() != one.texts()


def test_clashes_and_idioms_as_often_as_said():
    world = World(clash=0.2, idiom=0.1)
    clashes, idioms = [], []
    for number in range(300):
        sentence = world.sentence(number, 3)
        for node in range(len(sentence.tree)):
            children = sentence.tree.children()[node]
            if children:
                parts = sentence.truth[:, children].all(axis=1)
                _, first = np.unique(sentence.entries[:, node], return_index=True)
                truth, parts = sentence.truth[first, node], parts[first]
                clashes += (~truth[parts]).tolist()
                idioms += truth[~parts].tolist()
    # Five standard errors of independent draws: each entry is drawn once.
    assert np.mean(clashes) == pytest.approx(0.2, abs=5 * np.sqrt(0.16 / len(clashes)))
    assert np.mean(idioms) == pytest.approx(0.1, abs=5 * np.sqrt(0.09 / len(idioms)))


def test_judges_err_as_often_as_said():
    judges = Judges(wrong=0.1, unsure=0.05, asked=0.68, each=3)
    counts, truths = [], []
    for number in range(300):
        sentence = World().sentence(number, 1)
        counts.append(judges.counts(sentence)[0])
        truths.append(sentence.truth[0])
    given_labels, truth = np.concatenate(counts), np.concatenate(truths)
    asked = given_labels.sum(axis=1) > 0
    assert asked.mean() == pytest.approx(0.68, abs=5 * np.sqrt(0.22 / len(truth)))
    assert (given_labels[asked].sum(axis=1) == 3).all()
    shares = given_labels[asked & truth].sum(axis=0) / given_labels[asked & truth].sum()
    slack = 5 * np.sqrt(0.13 / given_labels[asked & truth].sum())
    assert shares == pytest.approx([0.85, 0.1, 0.05], abs=slack)
    shares = given_labels[asked & ~truth].sum(axis=0) / given_labels[asked & ~truth].sum()
    assert shares == pytest.approx([0.1, 0.85, 0.05], abs=slack)


def test_majority_by_definition():
    counts = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 1], [1, 1, 0], [1, 0, 1], [2, 2, 3]])
    found = majority_codes(counts[None])
    assert found[:, 0].tolist() == [UNLABELLED, YES, NO, NOT_SURE, NOT_SURE, NOT_SURE]


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


def test_more_judges_bring_labels_to_the_truth():
    # A majority is wrong with a chance of at most 2 exp(-k d²/2) if k people answer, of whom the
    # right answer has on average a lead of d over each of the others (Hoeffding 1963).
    sentences = [World().sentence(number, 1) for number in range(200)]
    truth = np.concatenate([sentence.truth[0] for sentence in sentences])
    errors = []
    for each in (1, 5, 25, 75):
        judges = Judges(wrong=0.2, unsure=0.1, each=each)
        found = np.concatenate([majority_codes(judges.counts(one))[:, 0] for one in sentences])
        lead = min(1 - 2 * 0.2 - 0.1, 1 - 0.2 - 2 * 0.1)
        most = 2 * np.exp(-each * lead**2 / 2)
        wrong = (found != np.where(truth, YES, NO)).mean()
        assert wrong <= most + 5 * np.sqrt(0.25 / len(truth))
        errors.append(abs((found == YES).mean() - truth.mean()))
    assert errors[0] > errors[1] > errors[3]
    assert errors[3] < 0.002


def test_a_share_of_labels_is_a_sample_of_the_truth():
    # The share of YES among n of N nodes has the standard error of sampling without replacement.
    sentences = [World().sentence(number, 1) for number in range(400)]
    truth = np.concatenate([sentence.truth[0] for sentence in sentences])
    last = np.inf
    for asked in (0.1, 0.68, 1.0):
        judges = Judges(wrong=0, unsure=0, asked=asked)
        counts = np.concatenate([judges.counts(sentence)[0] for sentence in sentences])
        labelled = counts.any(axis=1)
        share = counts[labelled, 0].mean()
        error = np.sqrt(truth.var() / labelled.sum() * (1 - labelled.mean()))
        assert share == pytest.approx(truth.mean(), abs=5 * error + 1e-12)
        assert error < last
        last = error


@given(st.integers(1, 30), st.integers(0, 5))
def test_random_trees_are_trees(words, seed):
    tree = random_tree(np.random.default_rng(seed), words)
    assert (tree.starts[0], tree.ends[0], tree.parents[0]) == (0, words, -1)
    assert len(set(zip(tree.starts, tree.ends, strict=True))) == len(tree)
    for node in range(len(tree)):
        children = tree.children()[node]
        places = [place for child in children for place in (tree.starts[child], tree.ends[child])]
        if children:
            assert len(children) in (2, 3)
            assert all(child > node for child in children)
            assert places[0] == tree.starts[node]
            assert places[-1] == tree.ends[node]
            assert places[1:-1:2] == places[2:-1:2]
        else:
            assert tree.ends[node] - tree.starts[node] == 1


def test_impossible_worlds_are_refused():
    with pytest.raises(UsageError, match="from 0 to 1"):
        World(faithful=1.5)
    with pytest.raises(UsageError, match="2 to 10 translations"):
        World(translations=1)
    with pytest.raises(UsageError, match="simulated judges"):
        Judges(wrong=0.7, unsure=0.5)

"""Soft percolation: against all assignments, against the hard rules, and against known truths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oracle.inference import sums
from rypt_cases import trees
from rypt_world import random_tree
from weigh.errors import InputError, UsageError
from weigh.read.trees import Node
from weigh.rypt.percolation import NO, NOT_SURE, UNLABELLED, YES, percolate_codes
from weigh.rypt.tree import Tree
from weigh_lab.rypt.soft_percolation import (
    LENGTHS,
    Forest,
    Parameters,
    Prior,
    expected,
    infer,
    label_counts,
    learn,
)

HARD = Parameters(
    np.full(LENGTHS, 0.5),
    np.tile([0.5, 1.0], (LENGTHS, LENGTHS, 1)),
    np.array([[0.0, 0.9, 0.1], [0.9, 0.0, 0.1]]),
)


def counts(candidates: int, nodes: int, most: int = 2) -> st.SearchStrategy[np.ndarray]:
    """Return how often each node of each candidate has each label; mostly never."""
    one = st.lists(st.sampled_from([0, 0, 0, *range(1, most + 1)]), min_size=3, max_size=3)
    return st.lists(one, min_size=candidates * nodes, max_size=candidates * nodes).map(
        lambda rows: np.array(rows, dtype=np.int64).reshape(candidates, nodes, 3)
    )


def models() -> st.SearchStrategy[Parameters]:
    """Return parameters, all of them possible and none certain."""

    def made(values: list[float]) -> Parameters:
        root, child, label = np.split(np.array(values), [LENGTHS, size - 6])
        labels = label.reshape(2, 3)
        return Parameters(
            root, child.reshape(LENGTHS, LENGTHS, 2), labels / labels.sum(axis=1, keepdims=True)
        )

    size = LENGTHS + 2 * LENGTHS**2 + 6
    chances = st.lists(st.floats(0.01, 0.99), min_size=8, max_size=8)
    seeds = st.integers(0, 2**32)
    # A few chances that are made for it, and many drawn.
    return st.builds(
        lambda some, seed: made(
            [*some, *np.random.default_rng(seed).uniform(0.01, 0.99, size - 8)]
        ),
        chances,
        seeds,
    )


def forest_of(tree: Tree, codes: list[int]) -> Forest:
    """Return the forest of one labelling of one tree."""
    return Forest.of([tree], [label_counts(np.array(codes, dtype=np.int8)[:, None])])


@st.composite
def labelled_trees(draw, max_trees: int = 3):
    """Return trees, each with labels of one or two candidates."""
    found = draw(st.lists(trees(4), min_size=1, max_size=max_trees))
    return found, [draw(counts(draw(st.integers(1, 2)), len(tree))) for tree in found]


@given(labelled_trees(), models())
def test_posterior_against_all_assignments(labelled, model):
    found, labels = labelled
    forest = Forest.of(found, labels)
    posterior = infer(forest, model)
    by_tree = forest.by_tree(posterior.yes)
    candidate = 0
    for tree, rows, yes in zip(found, labels, by_tree, strict=True):
        for own, chances in zip(rows, yes, strict=True):
            truth = sums(tree, own.tolist(), model)
            assert np.exp(posterior.log_likelihood[candidate]) == pytest.approx(truth.likelihood)
            assert chances.tolist() == pytest.approx(truth.yes)
            assert posterior.mean[candidate] == pytest.approx(truth.mean)
            assert posterior.variance[candidate] == pytest.approx(truth.variance, abs=1e-12)
            candidate += 1
    assert candidate == len(posterior.mean)


@given(labelled_trees(), models())
def test_corpus_adds_up_independent_sentences(labelled, model):
    found, labels = labelled
    forest = Forest.of(found, [rows[:1] for rows in labels])
    whole = expected(forest, infer(forest, model))
    each = [sums(tree, rows[0].tolist(), model) for tree, rows in zip(found, labels, strict=True)]
    sizes = [len(tree) for tree in found]
    yes = sum(one.mean * size for one, size in zip(each, sizes, strict=True))
    variance = sum(one.variance * size**2 for one, size in zip(each, sizes, strict=True))
    assert whole.share == pytest.approx(yes / sum(sizes))
    assert whole.deviation == pytest.approx(variance**0.5 / sum(sizes), abs=1e-9)


def _below(tree: Tree, node: int, above: int) -> bool:
    return tree.starts[above] <= tree.starts[node] and tree.ends[node] <= tree.ends[above]


@given(trees(), st.data())
def test_hard_parameters_are_the_hard_rules(tree, data):
    # A truth in which all below a YES is YES, and labels of some nodes that say what is true.
    size = len(tree)
    tops = data.draw(st.lists(st.integers(0, size - 1), max_size=3))
    truth = [any(_below(tree, node, top) for top in tops) for node in range(size)]
    codes = [
        data.draw(st.sampled_from([UNLABELLED, NOT_SURE, YES if yes else NO])) for yes in truth
    ]
    yes = infer(forest_of(tree, codes), HARD).yes
    hard = percolate_codes(tree, np.array(codes, dtype=np.int8)[:, None])[:, 0]
    assert (yes[hard == YES] == 1).all()
    assert (yes[hard == NO] == 0).all()
    open_ = yes[(hard != YES) & (hard != NO)]
    assert ((open_ > 0) & (open_ < 1)).all()


def test_contradiction_needs_soft_parameters():
    tree = Tree.of(["a", "b"], [])
    forest = forest_of(tree, [YES, NO, UNLABELLED])
    with pytest.raises(InputError, match="impossible"):
        infer(forest, HARD)
    soft = infer(forest, Prior().parameters())
    assert ((soft.yes > 0) & (soft.yes < 1)).all()


def test_no_goes_up_and_yes_goes_down_softly():
    tree = Tree.of(["a", "b", "c", "d"], [Node("X", 0, 2), Node("X", 2, 4)])
    size = len(tree)

    def yes(labels: dict[int, int]) -> np.ndarray:
        forest = forest_of(tree, [labels.get(node, UNLABELLED) for node in range(size)])
        return infer(forest, Prior().parameters()).yes

    before = yes({})
    gain = yes({0: YES}) - before
    assert (gain[1:] > 0).all()
    assert gain[1] > gain[2]  # the nearer, the more
    assert yes({size - 1: NO})[0] < before[0]


def _simulated(model: Parameters, sentences: int, share: float, seed: int):
    """Return trees, labels drawn by the model, and the truths behind them."""
    from oracle.inference import chance_of_yes, length_class

    generator = np.random.default_rng(seed)
    found, labels, truths = [], [], []
    for _ in range(sentences):
        tree = random_tree(generator, int(generator.integers(3, 20)))
        truth = np.zeros(len(tree), dtype=int)
        given_labels = np.zeros((1, len(tree), 3), dtype=int)
        sizes = [length_class(b - a) for a, b in zip(tree.starts, tree.ends, strict=True)]
        for node, parent in enumerate(tree.parents):
            truth[node] = generator.random() < chance_of_yes(parent, node, sizes, truth, model)
            if generator.random() < share:
                kind = generator.choice(3, p=model.label[truth[node]])
                given_labels[0, node, kind] = 1
        found.append(tree)
        labels.append(given_labels)
        truths.append(truth)
    return found, labels, truths


TRUE = Parameters(
    np.linspace(0.6, 0.2, LENGTHS),
    np.stack(
        [
            np.linspace(0.6, 0.3, LENGTHS)[:, None] + np.linspace(-0.1, 0.1, LENGTHS),
            np.full((LENGTHS, LENGTHS), 0.96),
        ],
        axis=-1,
    ),
    np.array([[0.08, 0.87, 0.05], [0.85, 0.10, 0.05]]),
)


def test_learning_recovers_the_parameters():
    found, labels, _ = _simulated(TRUE, 2000, 0.8, 1)
    forest = Forest.of(found, labels)
    learned = learn(forest, symmetric=False, rounds=100)
    assert learned.parameters.label == pytest.approx(TRUE.label, abs=0.02)
    # Words below parents of all lengths abound; roots have 3 words at least.
    assert learned.parameters.child[0, 1:5] == pytest.approx(TRUE.child[0, 1:5], abs=0.06)
    assert learned.parameters.root[3:5] == pytest.approx(TRUE.root[3:5], abs=0.06)


def test_single_answers_have_symmetric_errors_unless_asked_otherwise():
    found, labels, _ = _simulated(TRUE, 500, 0.8, 3)
    single = Forest.of(found, labels)
    chances = learn(single).parameters.label
    assert chances[0].tolist() == pytest.approx(chances[1, [1, 0, 2]].tolist())
    # The mean of the true ones: .08 and .10 wrong, .05 not sure.
    assert chances[1].tolist() == pytest.approx([0.86, 0.09, 0.05], abs=0.03)
    twice = Forest.of(found, [2 * each for each in labels])
    assert learn(twice).parameters.label[0, 0] != learn(twice).parameters.label[1, 1]
    objective = learn(single, tolerance=0, rounds=20).objective
    assert (np.diff(objective) >= -1e-9 * np.abs(objective[1:])).all()


def test_posteriors_are_calibrated_and_intervals_cover():
    found, labels, truths = _simulated(TRUE, 2000, 0.68, 2)
    forest = Forest.of(found, labels)
    posterior = infer(forest, TRUE)
    truth = np.concatenate(truths)
    for low in np.arange(0, 1, 0.2):
        inside = (posterior.yes >= low) & (posterior.yes < low + 0.2)
        # Five standard errors of a share, had all nodes been independent, and as much again.
        slack = 10 * np.sqrt(0.25 / inside.sum())
        assert truth[inside].mean() == pytest.approx(posterior.yes[inside].mean(), abs=slack)
    shares = np.add.reduceat(truth, forest.roots) / forest.sizes
    z = (shares - posterior.mean)[posterior.variance > 0]
    z = z / np.sqrt(posterior.variance[posterior.variance > 0])
    assert z.std() == pytest.approx(1, abs=0.1)


@given(labelled_trees(max_trees=4))
def test_learning_never_goes_down(labelled):
    found, labels = labelled
    assume(any(rows.any() for rows in labels))
    learned = learn(Forest.of(found, labels), rounds=30, tolerance=0)
    gains = np.diff(learned.objective)
    assert (gains >= -1e-9 * np.abs(learned.objective[1:])).all()


@settings(max_examples=25)
@given(labelled_trees(max_trees=3))
def test_learning_ends_where_the_slope_is_level(labelled):
    # At the end no parameter can be moved a little to a better place.
    found, labels = labelled
    assume(any(rows.any() for rows in labels))
    forest, prior = Forest.of(found, labels), Prior()
    learned = learn(forest, prior, rounds=1000, tolerance=1e-12)

    def objective(model: Parameters) -> float:
        return float(infer(forest, model).log_likelihood.sum()) + prior.log_density(model)

    best = objective(learned.parameters)
    at = learned.parameters
    for step in (1e-3, -1e-3):
        moved = Parameters(np.clip(at.root + step, 0.001, 0.999), at.child, at.label)
        assert objective(moved) <= best + 1e-7
        moved = Parameters(at.root, np.clip(at.child + step, 0.001, 0.999), at.label)
        assert objective(moved) <= best + 1e-7


def test_bad_input_is_named():
    tree = Tree.of(["a", "b"], [])
    with pytest.raises(InputError, match="3 nodes"):
        Forest.of([tree], [np.zeros((1, 2, 3), dtype=int)])
    with pytest.raises(InputError, match="without candidates"):
        Forest.of([tree], [np.zeros((0, 3, 3), dtype=int)])
    with pytest.raises(InputError, match="no parse trees"):
        Forest.of([], [])
    with pytest.raises(InputError, match="no labels"):
        learn(Forest.of([tree], [np.zeros((1, 3, 3), dtype=int)]))
    with pytest.raises(UsageError, match="above 0"):
        Prior(root=(0.0, 1.0))
    with pytest.raises(InputError, match="probabilities"):
        Parameters(np.full(LENGTHS, 2.0), HARD.child, HARD.label)

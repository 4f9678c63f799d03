"""Soft percolation: the chance that each node of a parse is translated acceptably, given labels.

The hard rules say that a NO goes up and a YES goes down, which is one rule: below an acceptable
constituent all constituents are acceptable. Here it holds with a chance. Going down the tree, a
node is acceptable with a chance that depends on its parent and on its length, and a label says
what is true with a chance. Sums over all assignments are exact (sum-product, Pearl 1988).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError, plural
from weigh.rypt.percolation import NO, NOT_SURE, YES
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.rypt.percolation import Codes

    Reals = NDArray[np.float64]
    Integers = NDArray[np.int64]

# The columns of counts of labels.
KINDS = (YES, NO, NOT_SURE)
# Spans of 1, 2, up to 4, up to 8, up to 16 and more words.
LENGTHS = 6


def length_class(lengths: Integers) -> Integers:
    """Return the class of each length: 0 for 1 word, 1 for 2, then doubling, LENGTHS − 1 at most.

    >>> length_class(np.array([1, 2, 3, 4, 5, 16, 17, 90])).tolist()
    [0, 1, 2, 2, 3, 4, 5, 5]
    """
    return np.searchsorted(2 ** np.arange(LENGTHS - 1), lengths).astype(np.int64)


def label_counts(codes: Codes) -> Integers:
    """Return how often each output's node has each label, given labels of nodes × outputs.

    >>> label_counts(np.array([[NO], [0]])).tolist()
    [[[0, 1, 0], [0, 0, 0]]]
    """
    return np.asarray(codes.T[..., None] == np.array(KINDS), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The model, as chances by length class.

    `root[l]` is the chance that a whole sentence is acceptable, `child[l, m, p]` that a node is
    whose parent has the length m and is not (p = 0) or is (p = 1) acceptable, and `label[t, k]`
    that a node whose truth is t gets the label KINDS[k].
    """

    root: Reals
    child: Reals
    label: Reals

    def __post_init__(self) -> None:
        child = (LENGTHS, LENGTHS, 2)
        for name, shape in (("root", (LENGTHS,)), ("child", child), ("label", (2, 3))):
            values = getattr(self, name)
            if values.shape != shape or not ((values >= 0) & (values <= 1)).all():
                raise InputError(f"parameters: {name} must be chances of the shape {shape}")


@dataclass(frozen=True, slots=True)
class Level:
    """The nodes of one depth, of all trees; those of one parent stand next to each other.

    `parents` are their parents, each once, and `firsts` the place in `nodes` of each one's first
    child.
    """

    nodes: Integers
    parents: Integers
    firsts: Integers

    def gathered(self, values: Reals) -> Reals:
        """Return the sums over each parent's children."""
        return np.add.reduceat(values, self.firsts, axis=0)


@dataclass(frozen=True, slots=True)
class Forest:
    """Parse trees with the labels of one or more candidates each, all nodes in one row.

    First come the nodes of the first tree's first candidate, in preorder, then those of its
    second one. `starts` has each candidate's first node, and at the end the number of all.
    """

    starts: Integers
    candidates: Integers  # of each tree
    parents: Integers  # -1 at roots
    lengths: Integers  # classes
    labels: Reals  # how often each node has each label
    levels: tuple[Level, ...]  # without the roots, from the top down

    @classmethod
    def of(cls, trees: Sequence[Tree], labels: Sequence[NDArray[np.generic]]) -> Forest:
        """Put together trees and counts of labels, for each tree (candidates × nodes × KINDS)."""
        if not trees:
            raise InputError("no parse trees; give at least one")
        parents, lengths, depths, sizes = [], [], [], []
        for tree, counts in zip(trees, labels, strict=True):
            if counts.shape[1:] != (len(tree), len(KINDS)):
                raise InputError(
                    f"labels of the shape {counts.shape[1:]}, but the tree has "
                    f"{plural(len(tree), 'node')} and there are {len(KINDS)} labels; give a "
                    "count for each"
                )
            if not len(counts):
                raise InputError(
                    "a parse tree without candidates; give at least one, or leave it out"
                )
            own = np.array(tree.parents, dtype=np.int64)
            spans = np.array(tree.ends, dtype=np.int64) - np.array(tree.starts, dtype=np.int64)
            times = len(counts)
            parents.append(np.tile(own, times))
            lengths.append(np.tile(length_class(spans), times))
            depths.append(np.tile(_depths(tree.parents), times))
            sizes.append(np.full(times, len(tree), dtype=np.int64))
        starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
        within = np.concatenate(parents)
        first = np.repeat(starts[:-1], np.diff(starts))
        everywhere = np.where(within < 0, -1, within + first)
        return cls(
            starts,
            np.array([len(counts) for counts in labels], dtype=np.int64),
            everywhere,
            np.concatenate(lengths),
            np.concatenate([counts.reshape(-1, len(KINDS)) for counts in labels]).astype(float),
            _levels(np.concatenate(depths), everywhere),
        )

    @property
    def roots(self) -> Integers:
        """The first node of each candidate."""
        return self.starts[:-1]

    @property
    def sizes(self) -> Integers:
        """The number of nodes of each candidate."""
        return np.diff(self.starts)

    @property
    def above(self) -> Integers:
        """The length class of each node's parent; a root's is its own."""
        roots = self.parents < 0
        return np.where(roots, self.lengths, self.lengths[self.parents])

    def by_tree(self, values: Reals) -> list[Reals]:
        """Return what each node has as one matrix for each tree, candidates × nodes."""
        ends = np.cumsum(self.candidates)
        return [
            values[self.starts[end - count] : self.starts[end]].reshape(count, -1)
            for end, count in zip(ends, self.candidates, strict=True)
        ]


def _depths(parents: Sequence[int]) -> Integers:
    depths = [0] * len(parents)
    for node, parent in enumerate(parents[1:], 1):
        depths[node] = depths[parent] + 1
    return np.array(depths, dtype=np.int64)


def _levels(depths: Integers, parents: Integers) -> tuple[Level, ...]:
    order = np.argsort(depths, kind="stable")
    ends = np.searchsorted(depths[order], np.arange(int(depths.max()) + 1), side="right")
    levels = []
    for start, end in pairwise(ends):
        nodes = order[start:end]
        above = parents[nodes]
        # In preorder the children of one node come before those of another of its depth.
        firsts = np.flatnonzero(np.diff(above, prepend=-1))
        levels.append(Level(nodes, above[firsts], firsts))
    return tuple(levels)


@dataclass(frozen=True, slots=True)
class Posterior:
    """What labels say of each node and each candidate.

    `yes` is the chance that a node is acceptable, `given[:, p]` the same if its parent is not
    (p = 0) or is (p = 1). `log_likelihood` is that of each candidate's labels. `mean` and
    `variance` are those of the share of acceptable nodes of each candidate: its RYPT, 0 to 1.
    """

    yes: Reals
    given: Reals
    log_likelihood: Reals
    mean: Reals
    variance: Reals


def infer(forest: Forest, parameters: Parameters) -> Posterior:
    """Return the exact posterior: once up the trees, once down, and once up for the variance."""
    below, message = _upward(forest, parameters)
    log_child = _log(_child(forest, parameters))
    root = _log(parameters.root[forest.lengths[forest.roots]])
    other = _log(1 - parameters.root[forest.lengths[forest.roots]])
    total = np.logaddexp(root + below[forest.roots, 1], other + below[forest.roots, 0])
    impossible = np.flatnonzero(np.isneginf(total))
    if len(impossible):
        raise InputError(
            f"the labels of candidate {impossible[0] + 1:,} are impossible by the parameters; "
            "give no chance of 0 or 1"
        )
    # A state of the parent that is impossible has no say, whatever its child would be then.
    weighed = log_child + below[:, 1, None]
    given = np.exp(weighed - np.where(np.isneginf(message), 0.0, message))
    yes = np.empty(len(forest.parents))
    yes[forest.roots] = np.exp(root + below[forest.roots, 1] - total)
    for level in forest.levels:
        above = yes[forest.parents[level.nodes]]
        yes[level.nodes] = above * given[level.nodes, 1] + (1 - above) * given[level.nodes, 0]
    mean, variance = _moments(forest, yes, given)
    return Posterior(yes, given, total, mean, variance)


def _log(chances: Reals) -> Reals:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(chances))


def _child(forest: Forest, parameters: Parameters) -> Reals:
    """Return the chance that each node is acceptable, by its parent's truth."""
    return parameters.child[forest.lengths, forest.above]


def _upward(forest: Forest, parameters: Parameters) -> tuple[Reals, Reals]:
    """Return the log chance of all labels from a node down, by its truth and by its parent's."""
    below = np.zeros((len(forest.parents), 2))
    logs = _log(parameters.label)
    for kind in range(len(KINDS)):
        labelled = np.flatnonzero(forest.labels[:, kind])
        below[labelled] += forest.labels[labelled, kind, None] * logs[:, kind]
    chances = _child(forest, parameters)
    yes, no = _log(chances), _log(1 - chances)
    message = np.zeros_like(below)
    for level in reversed(forest.levels):
        nodes = level.nodes
        message[nodes] = np.logaddexp(
            yes[nodes] + below[nodes, 1, None], no[nodes] + below[nodes, 0, None]
        )
        below[level.parents] += level.gathered(message[nodes])
    return below, message


def _moments(forest: Forest, yes: Reals, given: Reals) -> tuple[Reals, Reals]:
    """Return mean and variance of each candidate's share of acceptable nodes.

    Given its truth, a node's children are independent, so that the number of acceptable nodes
    from it down has a mean and a variance which add up; the law of total variance takes each
    child's truth out of them.
    """
    means = np.tile([0.0, 1.0], (len(yes), 1))
    variances = np.zeros_like(means)
    for level in reversed(forest.levels):
        nodes = level.nodes
        mean, variance = _mixed(given[nodes], means[nodes], variances[nodes])
        means[level.parents] += level.gathered(mean)
        variances[level.parents] += level.gathered(variance)
    roots = forest.roots
    _, variance = _mixed(yes[roots, None], means[roots], variances[roots])
    sizes = forest.sizes
    mean = np.add.reduceat(yes, roots) / sizes
    return mean, variance[:, 0] / sizes**2


def _mixed(chances: Reals, means: Reals, variances: Reals) -> tuple[Reals, Reals]:
    """Return mean and variance of a mixture of two: of YES with these chances, and of NO."""
    no, yes = 1 - chances, chances
    mean = yes * means[:, 1:] + no * means[:, :1]
    variance = yes * variances[:, 1:] + no * variances[:, :1]
    return mean, variance + yes * no * (means[:, 1:] - means[:, :1]) ** 2


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected share of acceptable nodes and its standard deviation, from 0 to 1."""

    share: float
    deviation: float


def expected(forest: Forest, posterior: Posterior, candidates: Integers | None = None) -> Expected:
    """Return the expected RYPT of an output of many sentences: of one `candidate` for each.

    It is the mean over all nodes, like RYPT itself. The deviation is that of what the labels
    leave open, for these sentences and these parameters; sentences are independent, so their
    variances add up. Without `candidates`, all of them are that output.
    """
    chosen = slice(None) if candidates is None else candidates
    sizes = forest.sizes[chosen]
    nodes = float(sizes.sum())
    variance = float((posterior.variance[chosen] * sizes**2).sum()) / nodes**2
    return Expected(float((posterior.mean[chosen] * sizes).sum()) / nodes, float(np.sqrt(variance)))

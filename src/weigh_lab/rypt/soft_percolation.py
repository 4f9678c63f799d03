"""Soft percolation: the chance that each node of a parse is translated acceptably, given labels.

The hard rules say that a NO goes up and a YES goes down, which is one rule: below an acceptable
constituent all constituents are acceptable. Here it holds with a chance. Going down the tree, a
node is acceptable with a chance that depends on its parent and on its length, and a label says
what is true with a chance. Sums over all assignments are exact (sum-product, Pearl 1988).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weigh.errors import InputError, UsageError, plural
from weigh.rypt.percolation import NO, NOT_SURE, YES
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from weigh.rypt.percolation import Codes

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

# The columns of counts of labels.
KINDS = (YES, NO, NOT_SURE)
# Spans of 1, 2, up to 4, up to 8, up to 16 and more words.
LENGTH_NAMES = ("1", "2", "3–4", "5–8", "9–16", "17 or more")
LENGTHS = len(LENGTH_NAMES)


def length_class(lengths: Integers) -> Integers:
    """Return the class of each length: 0 for 1 word, 1 for 2, then doubling, LENGTHS − 1 at most.

    >>> length_class(np.array([1, 2, 3, 4, 5, 16, 17, 90])).tolist()
    [0, 1, 2, 2, 3, 4, 5, 5]
    """
    return np.searchsorted(2 ** np.arange(LENGTHS - 1), lengths).astype(np.int64)


def label_counts(codes: Codes) -> Integers:
    """Count the labels of each output's node, given labels of nodes × outputs.

    >>> label_counts(np.array([[NO], [0]])).tolist()
    [[[0, 1, 0], [0, 0, 0]]]
    """
    return np.asarray(codes.T[..., None] == np.array(KINDS), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The model, as chances by length class.

    `root[l]` is the chance that a whole sentence is acceptable, `child[l, m, p]` that a node is
    whose parent has the length m and is not (p = 0) or is (p = 1) acceptable, and `label[t, k]`
    that a node whose truth is t gets the label KINDS[k]. `symmetric` says that errors on YES and
    on NO were taken to be equally frequent.
    """

    root: Reals
    child: Reals
    label: Reals
    symmetric: bool = False

    def __post_init__(self) -> None:
        child = (LENGTHS, LENGTHS, 2)
        for name, shape in (("root", (LENGTHS,)), ("child", child), ("label", (2, 3))):
            values = getattr(self, name)
            if values.shape != shape or not ((values >= 0) & (values <= 1)).all():
                raise InputError(f"parameters: {name} must be probabilities of the shape {shape}")


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
        candidates = np.array([len(counts) for counts in labels], dtype=np.int64)

        def repeated(by_tree: Iterable[Sequence[int] | Integers]) -> Integers:
            pairs = zip(by_tree, candidates, strict=True)
            return np.concatenate([np.tile(values, times) for values, times in pairs])

        sizes = np.repeat([len(tree) for tree in trees], candidates)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        within = repeated(tree.parents for tree in trees)
        parents = np.where(within < 0, -1, within + np.repeat(starts[:-1], sizes))
        return cls(
            starts,
            candidates,
            parents,
            length_class(repeated(np.subtract(tree.ends, tree.starts) for tree in trees)),
            np.concatenate([counts.reshape(-1, len(KINDS)) for counts in labels]).astype(float),
            _levels(repeated(tree.depths() for tree in trees), parents),
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
        """Values of nodes as one matrix per tree, candidates × nodes."""
        ends = np.cumsum(self.candidates)
        return [
            values[self.starts[end - count] : self.starts[end]].reshape(count, -1)
            for end, count in zip(ends, self.candidates, strict=True)
        ]


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
            f"the labels of candidate {impossible[0] + 1:,} are impossible under the "
            "parameters; give no probability of 0 or 1"
        )
    # An impossible state of the parent does not count, whatever its child would be.
    weighed = log_child + below[:, 1, None]
    conditional = np.exp(weighed - np.where(np.isneginf(message), 0.0, message))
    yes = np.empty(len(forest.parents))
    yes[forest.roots] = np.exp(root + below[forest.roots, 1] - total)
    for level in forest.levels:
        above = yes[forest.parents[level.nodes]]
        yes[level.nodes] = (
            above * conditional[level.nodes, 1] + (1 - above) * conditional[level.nodes, 0]
        )
    mean, variance = _moments(forest, yes, conditional)
    return Posterior(yes, conditional, total, mean, variance)


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


def _moments(forest: Forest, yes: Reals, conditional: Reals) -> tuple[Reals, Reals]:
    """Return mean and variance of each candidate's share of acceptable nodes.

    Given its truth, a node's children are independent, so that the number of acceptable nodes
    from it down has a mean and a variance which add up; the law of total variance takes each
    child's truth out of them.
    """
    means = np.tile([0.0, 1.0], (len(yes), 1))
    variances = np.zeros_like(means)
    for level in reversed(forest.levels):
        nodes = level.nodes
        mean, variance = _mixed(conditional[nodes], means[nodes], variances[nodes])
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
class ExpectedScore:
    """The expected share of acceptable nodes and its standard deviation, from 0 to 1."""

    share: float
    deviation: float


def expected(
    forest: Forest, posterior: Posterior, candidates: Integers | None = None
) -> ExpectedScore:
    """Return the expected RYPT of an output of many sentences: of one `candidate` for each.

    It is the mean over all nodes, like RYPT itself. The deviation is that of what the labels
    leave open, for these sentences and these parameters; sentences are independent, so their
    variances add up. Without `candidates`, all of them are that output.
    """
    chosen = slice(None) if candidates is None else candidates
    sizes = forest.sizes[chosen]
    nodes = float(sizes.sum())
    variance = float((posterior.variance[chosen] * sizes**2).sum()) / nodes**2
    return ExpectedScore(
        float((posterior.mean[chosen] * sizes).sum()) / nodes, float(np.sqrt(variance))
    )


# The columns of KINDS with YES and NO in each other's place.
_EXCHANGED = [KINDS.index(kind) for kind in (NO, YES, NOT_SURE)]


@dataclass(frozen=True, slots=True)
class Prior:
    """The prior, as numbers of pseudo-observations of each outcome.

    Chances of YES have a pair, of NO and of YES: at the root, and below a parent that is not or
    that is acceptable. `label[t]` are observations of KINDS where the truth is t. All are above
    0, so that nothing becomes impossible, and together they say that labels are mostly right:
    nothing else tells the truth from its opposite.
    """

    root: tuple[float, float] = (1.0, 1.0)
    below_no: tuple[float, float] = (1.0, 1.0)
    below_yes: tuple[float, float] = (1.0, 9.0)
    label: tuple[tuple[float, float, float], ...] = ((1.0, 8.0, 1.0), (8.0, 1.0, 1.0))

    def __post_init__(self) -> None:
        groups = (self.root, self.below_no, self.below_yes, *self.label)
        if not all(0 < value < np.inf for group in groups for value in group):
            raise UsageError("a prior count is not above 0 and finite; give one that is")

    def _child(self) -> Reals:
        """Return counts by length classes, the parent's truth and the child's."""
        return np.tile(np.array([self.below_no, self.below_yes]), (LENGTHS, LENGTHS, 1, 1))

    def parameters(self) -> Parameters:
        """Return the chances that the prior alone makes most likely."""
        child = np.zeros((LENGTHS, LENGTHS, 2, 2))
        return self.updated(np.zeros((LENGTHS, 2)), child, np.zeros((2, len(KINDS))))

    def updated(
        self, root: Reals, child: Reals, label: Reals, *, symmetric: bool = False
    ) -> Parameters:
        """Return the chances that these observations and those of the prior make most likely.

        If it is `symmetric`, a YES and a NO are mistaken for each other equally often, and give
        rise to a NOT SURE equally often.
        """
        roots = root + np.array(self.root)
        children = child + self._child()
        labels = label + np.array(self.label)
        if symmetric:
            labels = labels + labels[::-1][:, _EXCHANGED]
        return Parameters(
            roots[:, 1] / roots.sum(axis=1),
            children[..., 1] / children.sum(axis=-1),
            labels / labels.sum(axis=1, keepdims=True),
            symmetric,
        )

    def log_density(self, parameters: Parameters) -> float:
        """Return the prior's logarithm at some parameters, less a constant."""
        root = np.log([1 - parameters.root, parameters.root]).T * np.array(self.root)
        child = np.log(np.stack([1 - parameters.child, parameters.child], axis=-1)) * self._child()
        label = np.log(parameters.label) * np.array(self.label)
        return float(root.sum() + child.sum() + label.sum())


@dataclass(frozen=True, slots=True)
class Learned:
    """Parameters, the posterior by them, and what was maximised, after each round."""

    parameters: Parameters
    posterior: Posterior
    objective: tuple[float, ...]
    converged: bool


def learn(
    forest: Forest,
    prior: Prior | None = None,
    *,
    symmetric: bool | None = None,
    rounds: int = 200,
    tolerance: float = 1e-6,
) -> Learned:
    """Return the parameters of the highest posterior density that EM finds from the prior's own.

    Dempster, Laird & Rubin (1977): what is maximised, the log likelihood of the labels and the
    logarithm of the prior, never falls. It ends when a round gains less than `tolerance` per
    label. Whether people err more on YES or on NO can hardly be told from single answers, so that
    errors are `symmetric` unless some node was judged more than once, or as it is asked for.
    """
    if not forest.labels.any():
        raise InputError("no labels to learn from; give at least one")
    prior = Prior() if prior is None else prior
    if symmetric is None:
        symmetric = bool((forest.labels.sum(axis=1) <= 1).all())
    parameters = prior.parameters()
    least = tolerance * float(forest.labels.sum())
    history: list[float] = []
    converged = False
    for _ in range(rounds):
        posterior = infer(forest, parameters)
        history.append(float(posterior.log_likelihood.sum()) + prior.log_density(parameters))
        converged = len(history) > 1 and history[-1] - history[-2] < least
        if converged:
            break
        parameters = prior.updated(*_observed(forest, posterior), symmetric=symmetric)
    else:
        posterior = infer(forest, parameters)
    return Learned(parameters, posterior, tuple(history), converged)


def _observed(forest: Forest, posterior: Posterior) -> tuple[Reals, Reals, Reals]:
    """Expected counts of each outcome: of roots, of children, and of labels."""
    yes = posterior.yes
    roots = forest.roots
    root = _by_class(forest.lengths[roots], LENGTHS, np.column_stack([1 - yes[roots], yes[roots]]))
    below = np.flatnonzero(forest.parents >= 0)
    classes = forest.lengths[below] * LENGTHS + forest.above[below]
    above = yes[forest.parents[below]]
    both = []
    for parent, chance in enumerate((1 - above, above)):
        conditional = posterior.given[below, parent]
        outcomes = np.column_stack([chance * (1 - conditional), chance * conditional])
        both.append(_by_class(classes, LENGTHS**2, outcomes))
    child = np.stack(both, axis=1).reshape(LENGTHS, LENGTHS, 2, 2)
    label = np.column_stack([1 - yes, yes]).T @ forest.labels
    return root, child, label.reshape(2, len(KINDS))


def _by_class(classes: Integers, number: int, values: Reals) -> Reals:
    return np.column_stack([np.bincount(classes, column, minlength=number) for column in values.T])

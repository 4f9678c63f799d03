"""A simulated world in which it is known what is translated acceptably: to try RYPT on.

A source word has a few translations, of which one is acceptable; a sentence's reference uses
acceptable ones, or any, as the world has it. A constituent is acceptable if all its parts are,
but for clashes of parts that are each acceptable, and for idioms, whose parts are not. As with
real labels, truth belongs to a span and its words, whatever candidate they stand in.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from weigh.rypt.tree import Tree
from weigh_lab.rypt.soft_percolation import KINDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Reals = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Entries = NDArray[np.uint64]

# What chances are drawn for, by a hash of the entry.
_CLASH, _IDIOM, _ASKED, _JUDGED = range(4)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, its candidates and the truth about them.

    `choices` is the translation of each word in each candidate, `truth` whether each node is
    acceptable, and `entries` names what a label is about: equal for equal words of one span.
    `right` and `reference` are the acceptable translation of each word and that of the reference.
    """

    number: int
    tree: Tree
    choices: Integers  # candidates × words
    truth: Bools  # candidates × nodes
    entries: Entries  # candidates × nodes
    right: Integers
    reference: Integers

    def texts(self) -> list[str]:
        """Return the candidates as texts."""
        return [_text(choices) for choices in self.choices.tolist()]

    def reference_text(self) -> str:
        """Return the reference as a text."""
        return _text(self.reference.tolist())


def _text(choices: list[int]) -> str:
    return " ".join(f"w{place}{'abcdefghij'[choice]}" for place, choice in enumerate(choices))


@dataclass(frozen=True, slots=True)
class World:
    """How sentences and candidates come about.

    `faithful` is the chance that the reference has the acceptable translation of a word; else it
    has any. A candidate has a chance of its own, up to `skill`, to have the acceptable one, and
    another, up to `closeness`, to have the reference's; else it has any of `translations`.
    """

    faithful: float = 1.0
    translations: int = 4
    shortest: int = 6
    longest: int = 20
    skill: float = 0.9
    closeness: float = 0.5
    clash: float = 0.1
    idiom: float = 0.02
    seed: int = 12345

    def sentence(self, number: int, candidates: int) -> Sentence:
        """Return one sentence of the world, the same whenever it is asked for."""
        draw = np.random.Generator(np.random.Philox(key=[self.seed % 2**64, number]))
        words = int(draw.integers(self.shortest, self.longest + 1))
        tree = random_tree(draw, words)
        right = draw.integers(0, self.translations, words)
        other = draw.integers(0, self.translations, words)
        reference = np.where(draw.random(words) < self.faithful, right, other)
        size = (candidates, words)
        choices = draw.integers(0, self.translations, size)
        close = draw.random(size) < self.closeness * draw.random((candidates, 1))
        choices = np.where(close, reference, choices)
        skilled = draw.random(size) < self.skill * draw.random((candidates, 1))
        choices = np.where(skilled, right, choices)
        entries = self._entries(draw, tree, choices)
        truth = self._truth(tree, choices == right, entries)
        return Sentence(number, tree, choices, truth, entries, right, reference)

    def _entries(self, draw: np.random.Generator, tree: Tree, choices: Integers) -> Entries:
        """Return a number for each span and its words: the mixed sum of numbers of the words."""
        numbers = draw.integers(0, 2**64, (choices.shape[1], self.translations), dtype=np.uint64)
        of_words = numbers[np.arange(choices.shape[1]), choices]
        sums = np.zeros((len(choices), choices.shape[1] + 1), dtype=np.uint64)
        np.cumsum(of_words, axis=1, out=sums[:, 1:])
        nodes = draw.integers(0, 2**64, len(tree), dtype=np.uint64)
        return _mixed(sums[:, tree.ends] - sums[:, tree.starts] + nodes)

    def _truth(self, tree: Tree, right: Bools, entries: Entries) -> Bools:
        truth = np.ones(entries.shape, dtype=bool)
        clash = _chance(entries, self.seed, _CLASH) < self.clash
        idiom = _chance(entries, self.seed, _IDIOM) < self.idiom
        children = tree.children()
        for node in range(len(tree) - 1, -1, -1):
            if children[node]:
                parts = truth[:, children[node]].all(axis=1)
                truth[:, node] = np.where(parts, ~clash[:, node], idiom[:, node])
            else:
                truth[:, node] = right[:, tree.starts[node] : tree.ends[node]].all(axis=1)
        return truth


@dataclass(frozen=True, slots=True)
class Judges:
    """People who label entries: each is wrong or not sure with the same chances, by themselves.

    An entry is asked about with the chance `asked`, and then `each` people answer.
    """

    wrong: float = 0.1
    unsure: float = 0.05
    asked: float = 1.0
    each: int = 1
    seed: int = 12345

    def counts(self, sentence: Sentence, nodes: Reals | None = None) -> Integers:
        """Return how often each node of each candidate is called YES, NO and NOT SURE.

        `nodes` says how likely each node is asked about, as a share of `asked`.
        """
        share = self.asked if nodes is None else self.asked * nodes
        asked = _chance(sentence.entries, self.seed, _ASKED) < share
        counts = np.zeros((*sentence.entries.shape, len(KINDS)), dtype=np.int64)
        for judge in range(self.each):
            chance = _chance(sentence.entries, self.seed, _JUDGED + judge)
            said = np.where(chance < self.wrong, ~sentence.truth, sentence.truth)
            unsure = chance >= 1 - self.unsure
            counts[..., 0] += asked & said & ~unsure
            counts[..., 1] += asked & ~said & ~unsure
            counts[..., 2] += asked & unsure
        return counts


def random_tree(draw: np.random.Generator, words: int) -> Tree:
    """Return a tree over so many words, whose nodes have two or three children down to words."""
    starts: list[int] = []
    ends: list[int] = []
    parents: list[int] = []
    waiting = [(0, words, -1)]
    while waiting:
        start, end, parent = waiting.pop()
        node = len(starts)
        starts.append(start)
        ends.append(end)
        parents.append(parent)
        if end - start > 1:
            cuts = np.unique(draw.integers(start + 1, end, 2)).tolist()
            parts = pairwise([start, *cuts, end])
            waiting.extend((left, right, node) for left, right in reversed(list(parts)))
    names = tuple("W" if end - start == 1 else "X" for start, end in zip(starts, ends, strict=True))
    spoken = tuple(f"s{place}" for place in range(words))
    return Tree(spoken, names, tuple(starts), tuple(ends), tuple(parents))


def _mixed(values: Entries) -> Entries:
    """Return other numbers that look random: the finalizer of SplitMix64 (Steele et al. 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(values ^ (values >> np.uint64(31)))


def _chance(entries: Entries, seed: int, purpose: int) -> Reals:
    """Return numbers between 0 and 1, always the same for an entry, a seed and a purpose."""
    step = np.uint64((seed * 1_000_003 + purpose + 1) * 0x9E3779B97F4A7C15 % 2**64)
    return np.asarray((_mixed(entries + step) >> np.uint64(11)) * 2.0**-53)

"""How far labels can be used again: new and repeated candidates and substrings over iterations.

Zaidan & Callison-Burch (2009, section 3): a label is asked for once for each source span and
substring, so what people must be asked in a later iteration of tuning is what its candidates say
that no earlier one has said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.rypt.candidates import UNALIGNED, Substrings
from weigh.rypt.percolation import NO, UNLABELLED, YES
from weigh.rypt.tree import MAX_LENGTH, Tree, frontier

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.read.alignment import Links
    from weigh.rypt.percolation import Codes


class Candidates(NamedTuple):
    """All candidates of a sentence, each once, and which of them each iteration has.

    `labels` are what its substrings are called, as nodes × candidates, where that is known.
    """

    tree: Tree
    outputs: Sequence[Sequence[str]]
    links: Links
    iterations: Sequence[Sequence[int]]
    labels: Codes | None = None


class Iteration(NamedTuple):
    """What an iteration brings.

    Of its `candidates`, so many are `new`; the others were there before. Of the substrings that
    they have for nodes of the frontiers, `entries` are distinct, and `known` of these were seen in
    earlier iterations: their labels can be used again. `alternatives` is the number of distinct
    substrings of a node that any candidate has a word for, up to this iteration.
    """

    number: int
    candidates: int
    new: int
    entries: int
    known: int
    alternatives: float

    @property
    def reusable(self) -> float:
        """The share of what would be asked about that was seen before."""
        return self.known / self.entries if self.entries else float("nan")


class Length(NamedTuple):
    """What a maximum length of the frontier's nodes means.

    `entries` are the distinct substrings that would be asked about. Of those that are labelled
    YES or NO, `yes` are YES and `no` NO.
    """

    max_length: int
    nodes: int
    per_sentence: float
    entries: int
    yes: int
    no: int

    @property
    def per_node(self) -> float:
        """The number of alternatives of a node."""
        return self.entries / self.nodes if self.nodes else float("nan")

    @property
    def yes_share(self) -> float:
        """The share of YES among the labelled."""
        labelled = self.yes + self.no
        return self.yes / labelled if labelled else float("nan")


@dataclass(slots=True)
class _Seen:
    """What was counted in one iteration, over all sentences."""

    candidates: int = 0
    new: int = 0
    entries: int = 0
    known: int = 0
    alternatives: int = 0
    nodes: int = 0


def diversity(sentences: Iterable[Candidates], max_length: int = MAX_LENGTH) -> list[Iteration]:
    """Return what every iteration brings, over all sentences."""
    counted: list[_Seen] = []
    for sentence in sentences:
        numbers = _numbers(sentence)[frontier(sentence.tree, max_length)]
        had: set[int] = set()
        seen: list[set[int]] = [set() for _ in numbers]
        for number, places in enumerate(sentence.iterations):
            if number == len(counted):
                counted.append(_Seen())
            own = counted[number]
            own.candidates += len(places)
            own.new += len(set(places) - had)
            had |= set(places)
            for row, before in zip(numbers, seen, strict=True):
                distinct = set(row[list(places)].tolist()) - {UNALIGNED}
                own.entries += len(distinct)
                own.known += len(distinct & before)
                before |= distinct
            own.alternatives += sum(map(len, seen))
            own.nodes += sum(map(bool, seen))
    return [
        Iteration(
            number,
            own.candidates,
            own.new,
            own.entries,
            own.known,
            own.alternatives / own.nodes if own.nodes else float("nan"),
        )
        for number, own in enumerate(counted, 1)
    ]


def sweep_entries(sentences: Sequence[Candidates], lengths: Iterable[int]) -> list[Length]:
    """Return what would be asked about for each maximum length, all iterations together."""
    prepared = [(one, _firsts(_numbers(one))) for one in sentences]
    found = []
    for length in lengths:
        nodes = entries = yes = no = 0
        for sentence, firsts in prepared:
            chosen = frontier(sentence.tree, length)
            nodes += len(chosen)
            entries += int(firsts[chosen].sum())
            if sentence.labels is not None:
                labels = np.where(firsts, sentence.labels, UNLABELLED)[chosen]
                yes += int((labels == YES).sum())
                no += int((labels == NO).sum())
        per_sentence = nodes / len(sentences) if sentences else float("nan")
        found.append(Length(length, nodes, per_sentence, entries, yes, no))
    return found


def _numbers(sentence: Candidates) -> NDArray[np.int64]:
    return Substrings.of(sentence.tree, sentence.outputs, sentence.links).numbers


def _firsts(numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which outputs are the first to have their substring of a node."""
    firsts = np.zeros(numbers.shape, dtype=bool)
    for row, marks in zip(numbers, firsts, strict=True):
        _, places = np.unique(row, return_index=True)
        marks[places] = True
    return np.asarray(firsts & (numbers != UNALIGNED))

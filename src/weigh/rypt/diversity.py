"""How far labels can be used again: new and repeated candidates and substrings over iterations.

Zaidan & Callison-Burch (2009, section 3): a label is asked for once for each source span and
substring, so what people must be asked in a later iteration of tuning is what its candidates say
that no earlier one has said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from weigh.errors import InputError, plural
from weigh.read.text import shown
from weigh.result import Extent, Result, checked, derived, warns
from weigh.rypt.candidates import UNALIGNED, Pool, Substrings, gather
from weigh.rypt.collection import read_labels_of
from weigh.rypt.labels import SpanLabels
from weigh.rypt.percolation import NO, UNLABELLED, YES, direct_codes
from weigh.rypt.plan import MAX_LENGTH, DiversityPlan
from weigh.rypt.tree import Tree, frontier, read_trees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.read.alignment import Links
    from weigh.rypt.percolation import Codes


_LONGEST = 10  # words of the spans that are always tried


class Candidates(NamedTuple):
    """All candidates of a sentence, each once, and which of them each iteration has.

    `labels` are what its substrings are called, as nodes × candidates, where that is known.
    """

    tree: Tree
    outputs: Sequence[Sequence[str]]
    links: Links
    iterations: Sequence[Sequence[int]]
    labels: Codes | None = None

    @classmethod
    def of(cls, tree: Tree, pools: Sequence[Pool], labels: SpanLabels | None) -> Candidates:
        """Take each candidate of a sentence's iterations once."""
        together = Pool()
        places: dict[tuple[str, str], int] = {}
        iterations = []
        for pool in pools:
            chosen = []
            for text, alignment, (name, line) in zip(
                pool.texts, pool.alignments, pool.places, strict=True
            ):
                chosen.append(places.setdefault((text, alignment), len(places)))
                together.add(text, alignment, name, line)
            iterations.append(chosen)
        aligned = together.aligned(tree.words)
        codes = None
        if labels is not None:
            substrings = Substrings.of(tree, aligned.words, aligned.links)
            codes = direct_codes(tree, substrings, labels)
        return cls(tree, aligned.words, aligned.links, iterations, codes)


@dataclass(frozen=True, slots=True)
class Iteration:
    """What an iteration of tuning brings, whose n-best list is the file `list`.

    Of its `candidates`, so many are `new`; the others were there before. Of the substrings that
    they have for nodes of the frontiers, `entries` are distinct, and `known` of these were seen in
    earlier iterations: their labels can be used again. `alternatives` is the number of distinct
    substrings of a node that any candidate has a word for, up to this iteration.
    """

    list: str
    number: int
    candidates: int
    new: int
    entries: int
    known: int
    alternatives: float

    @property
    @derived
    def reusable(self) -> float:
        """The share of what would be asked about that was seen before."""
        return self.known / self.entries if self.entries else float("nan")


@dataclass(frozen=True, slots=True)
class Length:
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
    @derived
    def per_node(self) -> float:
        """The number of alternatives of a node."""
        return self.entries / self.nodes if self.nodes else float("nan")

    @property
    @derived
    def yes_share(self) -> float:
        """The share of YES among the labelled."""
        labelled = self.yes + self.no
        return self.yes / labelled if labelled else float("nan")


@dataclass(frozen=True, slots=True)
class DiversityResult(Result):
    """New and repeated candidates and substrings over iterations.

    Of the test set's segments, so many `sentences` have both a parse and candidates. `aggregate`
    says how labels were made of several judges', where there are any.
    """

    command: ClassVar[str] = "rypt diversity"

    test_set: Extent
    parses: str
    labels: str | None
    aggregate: str | None
    sentences: int
    max_length: int
    iterations: tuple[Iteration, ...]
    lengths: tuple[Length, ...]
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked(bool(self.iterations), "no iterations")


@warns
def measure_diversity(
    sources: Sequence[str],
    parses: str,
    lists: Sequence[str],
    plan: DiversityPlan | None = None,
    *,
    labels: str | None = None,
) -> DiversityResult:
    """Count what each iteration's n-best list says that no earlier one has said.

    `lists` are files, the first iteration's first, whose candidates carry alignments or
    derivations; `parses` is a file too, and `labels` a store or a file.
    """
    plan = plan or DiversityPlan()
    trees = read_trees(parses, sources, flat=plan.flat).trees
    known = {} if labels is None else read_labels_of(labels, sources, plan.aggregate)
    pools = [gather(len(sources), [path]) for path in lists]
    sentences = []
    unparsed = 0
    for tree, *iterations in zip(trees, *pools, strict=True):
        if not any(pool.texts for pool in iterations):
            continue
        if tree is None:
            unparsed += 1
            continue
        said = None if labels is None else known.get(" ".join(tree.words), {})
        sentences.append(Candidates.of(tree, iterations, said))
    if not sentences:
        raise InputError("no sentence has both a parse and candidates; check the files")
    left_out = f"left out, {plural(unparsed, 'sentence')} with candidates: without a parse"
    longest = max(_LONGEST, plan.max_length)
    return DiversityResult(
        Extent(len(sources), 0),
        parses,
        labels,
        None if labels is None else plan.aggregate,
        len(sentences),
        plan.max_length,
        tuple(iterations_of(sentences, list(map(shown, lists)), plan.max_length)),
        tuple(sweep_entries(sentences, range(1, longest + 1))),
        (left_out,) if unparsed else (),
    )


@dataclass(slots=True)
class _Seen:
    """What was counted in one iteration, over all sentences."""

    candidates: int = 0
    new: int = 0
    entries: int = 0
    known: int = 0
    alternatives: int = 0
    nodes: int = 0


def iterations_of(
    sentences: Iterable[Candidates], lists: Sequence[str], max_length: int = MAX_LENGTH
) -> list[Iteration]:
    """Return what every iteration brings, over all sentences; `lists` are their names."""
    counted: list[_Seen] = []
    for sentence in sentences:
        numbers = _numbers(sentence)[frontier(sentence.tree, max_length)]
        had: set[int] = set()
        seen: list[set[int]] = [set() for _ in numbers]
        for number, places in enumerate(sentence.iterations):
            if number == len(counted):
                counted.append(_Seen())
            counts = counted[number]
            counts.candidates += len(places)
            counts.new += len(set(places) - had)
            had |= set(places)
            for row, before in zip(numbers, seen, strict=True):
                distinct = set(row[list(places)].tolist()) - {UNALIGNED}
                counts.entries += len(distinct)
                counts.known += len(distinct & before)
                before |= distinct
            counts.alternatives += sum(map(len, seen))
            counts.nodes += sum(map(bool, seen))
    return [
        Iteration(
            name,
            number,
            counts.candidates,
            counts.new,
            counts.entries,
            counts.known,
            counts.alternatives / counts.nodes if counts.nodes else float("nan"),
        )
        for number, (name, counts) in enumerate(zip(lists, counted, strict=True), 1)
    ]


def sweep_entries(sentences: Sequence[Candidates], lengths: Iterable[int]) -> list[Length]:
    """Return what would be asked about for each maximum length, all iterations together."""
    prepared = [(sentence, _firsts(_numbers(sentence))) for sentence in sentences]
    swept = []
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
        swept.append(Length(length, nodes, per_sentence, entries, yes, no))
    return swept


def _numbers(sentence: Candidates) -> NDArray[np.int64]:
    return Substrings.of(sentence.tree, sentence.outputs, sentence.links).numbers


def _firsts(numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which outputs are the first to have their substring of a node."""
    firsts = np.zeros(numbers.shape, dtype=bool)
    for row, marks in zip(numbers, firsts, strict=True):
        _, places = np.unique(row, return_index=True)
        marks[places] = True
    return np.asarray(firsts & (numbers != UNALIGNED))

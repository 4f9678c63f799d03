"""How far labels can be used again: new and repeated candidates and substrings over iterations.

Zaidan & Callison-Burch (2009, section 3): a label is asked for once for each source span and
substring, so what people must be asked in a later iteration of tuning is what its candidates say
that no earlier one has said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from weigh.errors import InputError, plural
from weigh.read.text import file_labels, public_path
from weigh.result import Extent, Result, checked, derived, warns
from weigh.rypt.collection import read_labels, remarks_on_labels
from weigh.rypt.labels import SpanLabels, ratio
from weigh.rypt.percolation import NO, UNALIGNED, UNLABELLED, YES, Substrings
from weigh.rypt.plan import MAX_LENGTH
from weigh.rypt.pools import Pool, gather
from weigh.rypt.tree import Tree, frontier, read_trees
from weigh_lab.rypt.plan import DiversityPlan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.rypt.percolation import Codes


_LONGEST = 10  # words of the spans that are always tried


class CandidateSets(NamedTuple):
    """What all candidates of a sentence say, each once, and which of them each iteration has.

    `labels` are what its substrings are called, as nodes × candidates, where that is known.
    """

    substrings: Substrings
    iterations: Sequence[Sequence[int]]
    labels: Codes | None = None

    @classmethod
    def of(cls, tree: Tree, pools: Sequence[Pool], labels: SpanLabels | None) -> CandidateSets:
        """Take each candidate of a sentence's iterations once."""
        together = Pool()
        iterations = [
            [
                together.add(text, alignment, *place)
                for text, alignment, place in zip(
                    pool.texts, pool.alignments, pool.places, strict=True
                )
            ]
            for pool in pools
        ]
        substrings = Substrings.of(tree, together.aligned(tree.words))
        return cls(substrings, iterations, None if labels is None else substrings.codes(labels))


@dataclass(frozen=True, slots=True)
class Iteration:
    """The candidates and substrings of one iteration of tuning; `list` is its n-best file.

    `new` of its `candidates` do not occur in earlier iterations. `entries` counts the distinct
    substrings that candidates have for nodes of the frontiers, and `known` those of them that were
    seen in earlier iterations, so that their labels can be reused. `alternatives` is the mean
    number of distinct substrings of a node so far, over nodes for which a candidate has words.
    """

    list: str
    number: int
    candidates: int
    new: int
    entries: int
    known: int
    alternatives: float

    @property
    def repeated(self) -> int:
        """The number of candidates that occur in earlier iterations."""
        return self.candidates - self.new

    @property
    @derived
    def reusable(self) -> float:
        """The share of what would be asked about that was seen before."""
        return ratio(self.known, self.entries)


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
    def labelled(self) -> int:
        """The number of substrings that are labelled YES or NO."""
        return self.yes + self.no

    @property
    @derived
    def per_node(self) -> float:
        """The number of alternatives of a node."""
        return ratio(self.entries, self.nodes)

    @property
    @derived
    def yes_share(self) -> float:
        """The share of YES among the labelled."""
        return ratio(self.yes, self.yes + self.no)


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
    stored_labels = {} if labels is None else read_labels(labels, sources, plan.aggregate)
    pools = [gather(len(sources), [path]) for path in lists]
    sentences = []
    unparsed = 0
    for tree, *iterations in zip(trees, *pools, strict=True):
        if not any(pool.texts for pool in iterations):
            continue
        if tree is None:
            unparsed += 1
            continue
        labelled = None if labels is None else stored_labels.get(" ".join(tree.words), {})
        sentences.append(CandidateSets.of(tree, iterations, labelled))
    if not sentences:
        raise InputError("no sentence has both a parse and candidates; check the files")
    left_out = f"left out, {plural(unparsed, 'sentence')} with candidates: without a parse"
    longest = max(_LONGEST, plan.max_length)
    names = file_labels(lists)
    return DiversityResult(
        Extent(len(sources), 0),
        public_path(parses),
        None if labels is None else public_path(labels),
        None if labels is None else plan.aggregate,
        len(sentences),
        plan.max_length,
        tuple(iterations_of(sentences, [names[path] for path in lists], plan.max_length)),
        tuple(sweep_entries(sentences, range(1, longest + 1))),
        (
            *((left_out,) if unparsed else ()),
            *(remarks_on_labels(labels) if labels is not None else ()),
        ),
    )


def iterations_of(
    sentences: Iterable[CandidateSets], lists: Sequence[str], max_length: int = MAX_LENGTH
) -> list[Iteration]:
    """Counts of every iteration over all sentences; `lists` are their names."""
    counted: list[Counter[str]] = [Counter() for _ in lists]
    for sentence in sentences:
        chosen = frontier(sentence.substrings.tree, max_length)
        numbers = sentence.substrings.numbers[chosen]
        had: set[int] = set()
        seen: list[set[int]] = [set() for _ in numbers]
        for counts, places in zip(counted, sentence.iterations, strict=True):
            counts.update(candidates=len(places), new=len(set(places) - had))
            had |= set(places)
            for row, before in zip(numbers, seen, strict=True):
                distinct = set(row[list(places)].tolist()) - {UNALIGNED}
                counts.update(entries=len(distinct), known=len(distinct & before))
                before |= distinct
            counts.update(alternatives=sum(map(len, seen)), nodes=sum(map(bool, seen)))
    return [
        Iteration(
            name,
            number,
            counts["candidates"],
            counts["new"],
            counts["entries"],
            counts["known"],
            ratio(counts["alternatives"], counts["nodes"]),
        )
        for number, (name, counts) in enumerate(zip(lists, counted, strict=True), 1)
    ]


def sweep_entries(sentences: Sequence[CandidateSets], lengths: Iterable[int]) -> list[Length]:
    """Number of queries for each maximum length, over all iterations."""
    prepared = [(sentence, _firsts(sentence.substrings.numbers)) for sentence in sentences]
    swept = []
    for length in lengths:
        counts: Counter[str] = Counter()
        for sentence, firsts in prepared:
            chosen = frontier(sentence.substrings.tree, length)
            counts.update(nodes=len(chosen), entries=int(firsts[chosen].sum()))
            if sentence.labels is not None:
                labels = np.where(firsts, sentence.labels, UNLABELLED)[chosen]
                counts.update(yes=int((labels == YES).sum()), no=int((labels == NO).sum()))
        nodes, entries, yes, no = (counts[name] for name in ("nodes", "entries", "yes", "no"))
        swept.append(Length(length, nodes, ratio(nodes, len(sentences)), entries, yes, no))
    return swept


def _firsts(numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mask of outputs that are the first with their substring of a node."""
    firsts = np.zeros(numbers.shape, dtype=bool)
    for row, marks in zip(numbers, firsts, strict=True):
        _, places = np.unique(row, return_index=True)
        marks[places] = True
    return np.asarray(firsts & (numbers != UNALIGNED))

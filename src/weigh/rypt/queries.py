"""Queries for labels: translations without a label, their HITs, and the cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from weigh.errors import InputError
from weigh.metrics.statistics import path_of
from weigh.read.alignment import words_of
from weigh.result import Extent, Result, checked, derived, unsaved
from weigh.rypt.alignment import AlignedTexts, check_distinct
from weigh.rypt.collection import read_labels
from weigh.rypt.hits import Hit, make_hits, number_of_hits, read_references
from weigh.rypt.labels import GAP, Label, SpanLabels, ratio, source_fault, substring_fault
from weigh.rypt.percolation import (
    NO,
    UNALIGNED,
    UNLABELLED,
    YES,
    Substrings,
    is_decided,
    percolate_codes,
)
from weigh.rypt.plan import (
    MAX_LENGTH,
    PAPER,
    PRICE_PER_LABEL,
    SECONDS_PER_LABEL,
    SHOWN,
    QueryPlan,
    Shares,
)
from weigh.rypt.pools import Pool, gather
from weigh.rypt.tree import Tree, frontier, read_trees
from weigh.types import System

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.rypt.percolation import Codes

    Integers = NDArray[np.int64]


# Weight of the paper's shares, in labels of each length.
_WEIGHT = 20


def shares_by_length(labels: Iterable[SpanLabels]) -> dict[int, Shares]:
    """Return the shares for each length of a span, in words, that was labelled.

    Few labels are taken together with some of the paper's: (YES + 20 · 0.351) / (labels + 20).
    Other lengths have the paper's shares.
    """
    counts: Counter[tuple[int, Label]] = Counter()
    for of_sentence in labels:
        counts.update(count_lengths(of_sentence))
    return shares_of(counts)


def count_lengths(labels: SpanLabels) -> Counter[tuple[int, Label]]:
    """Frequency of each label by length of span."""
    return Counter([(end - start, label) for (start, end, _), label in labels.items()])


def shares_of(counts: Mapping[tuple[int, Label], int]) -> dict[int, Shares]:
    """Return the shares for each length of which labels were counted."""
    shares = {}
    for length in {length for length, _ in counts}:
        size = sum(counts.get((length, label), 0) for label in Label) + _WEIGHT
        yes, no = (
            (counts.get((length, label), 0) + _WEIGHT * paper) / size
            for label, paper in zip((Label.YES, Label.NO), PAPER, strict=True)
        )
        shares[length] = Shares(yes, no)
    return shares


@dataclass(frozen=True, slots=True)
class Query:
    """One alternative to be judged: what candidates say for the words `span` of a source sentence.

    `line` is the sentence's in the sources. So many `candidates` have it, and `context` is the
    place of the first of them in the sentence's list. A YES would decide `if_yes` nodes of
    candidates, a NO would decide `if_no`; `shares` tell how likely these are for a span as long.
    """

    line: int
    start: int
    end: int
    span: str
    substring: str
    candidates: int
    if_yes: int
    if_no: int
    shares: Shares = PAPER
    context: int = unsaved(0)

    @property
    @derived
    def gain(self) -> float:
        """The expected number of nodes, over all candidates, that a label decides.

        A node is decided if it is YES or NO after percolation. NOT SURE decides nothing. Every
        query is seen as if it were the only one.
        """
        return self.shares.yes * self.if_yes + self.shares.no * self.if_no


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts from the search for queries, over all sentences, by maximum length of spans.

    In `crossed` candidates some links are mere combinations. `nodes` are those of the frontiers,
    `cells` the same once for each candidate, of which `unaligned` have no word. `alternatives` are
    distinct; of them `gapped` have a gap, `labelled` were asked already (`labelled_yes` are YES),
    `decided` would decide nothing that labels of other nodes do not, and `unfit` hold what no
    label can be stored of; the others are `queries`. `covered` of all `places` (nodes of
    candidates) are decided already.
    """

    max_length: int
    sentences: int
    unparsed: int
    without_candidates: int
    candidates: int
    crossed: int
    nodes: int
    cells: int
    unaligned: int
    alternatives: int
    gapped: int
    labelled: int
    labelled_yes: int
    decided: int
    unfit: int
    places: int
    covered: int
    queries: int

    @classmethod
    def of(cls, max_length: int, counts: Counter[str]) -> Tally:
        """Take what was counted by the names of the fields."""
        return cls(max_length, *(counts[field.name] for field in fields(cls)[1:]))

    @property
    def per_span(self) -> float:
        """The number of alternatives of a span."""
        return ratio(self.alternatives, self.nodes)

    @property
    def gapped_share(self) -> float:
        """The share of alternatives with a gap."""
        return ratio(self.gapped, self.alternatives)

    @property
    def yes_share(self) -> float:
        """The share of YES among the alternatives that are labelled already."""
        return ratio(self.labelled_yes, self.labelled)

    @property
    def covered_share(self) -> float:
        """The share of all nodes of candidates that are decided already."""
        return ratio(self.covered, self.places)

    @property
    def unaligned_share(self) -> float:
        """The share of cases in which a candidate has no word for a span."""
        return ratio(self.unaligned, self.cells)


class Queries(NamedTuple):
    """All queries, the most useful first, with counts."""

    queries: list[Query]
    tally: Tally


def make_queries(
    trees: Sequence[Tree | None],
    pools: Sequence[Pool],
    labels: Mapping[str, SpanLabels],
    max_length: int = MAX_LENGTH,
) -> Queries:
    """Queries about all candidates of all sentences, the most useful first.

    1. The frontier of each tree; for each of its nodes the distinct substrings of all candidates.
       A sentence that is there several times with the same tree is asked about once.
    2. Left out are those that have a label, and those that would decide nothing.
    3. Queries are ordered by their gain, which reckons with the labels of spans as long; among
       equals those of earlier sentences and spans come first, and then those of earlier
       candidates.
    """
    counts: Counter[str] = Counter(
        sentences=len(trees),
        unparsed=sum(tree is None for tree in trees),
        without_candidates=sum(not pool.texts for pool in pools),
        candidates=sum(len(pool.texts) for pool in pools),
    )
    shares = shares_by_length(labels.values())
    queries: list[Query] = []
    for parsed in parsed_pools(trees, pools, max_length):
        queries += parsed.queries(labels.get(parsed.source, {}), shares, counts)
    queries.sort(key=lambda query: -query.gain)  # stable, by span and candidate
    counts["queries"] = len(queries)
    return Queries(queries, Tally.of(max_length, counts))


def parsed_pools(
    trees: Sequence[Tree | None], pools: Sequence[Pool], max_length: int
) -> list[ParsedPool]:
    """Return the candidates of all sentences that have a parse, those with one tree together."""
    by_tree: dict[Tree, dict[int, Pool]] = {}
    for number, (tree, pool) in enumerate(zip(trees, pools, strict=True)):
        if tree is not None and pool.texts:
            fault = source_fault(" ".join(tree.words))
            if fault is not None:
                raise InputError(f"sentence {number + 1:,}: {fault.what}; {fault.remedy}")
            by_tree.setdefault(tree, {})[number] = pool
    return [ParsedPool(tree, parts, max_length) for tree, parts in by_tree.items()]


class ParsedPool:
    """A tree, and the candidates of all sentences that have it, by the sentences' numbers.

    What candidates say for nodes is kept, so that asking again with other labels is quick.
    """

    def __init__(self, tree: Tree, pools: Mapping[int, Pool], max_length: int) -> None:
        self.source = " ".join(tree.words)
        self._tree = tree
        self._pools = pools
        self._frontier = np.array(sorted(frontier(tree, max_length)))
        # Of every candidate, the line of its sentence and its place in that one's list.
        sizes = [len(pool.texts) for pool in pools.values()]
        self._lines = np.repeat([number + 1 for number in pools], sizes)
        self._contexts = np.concatenate([np.arange(size) for size in sizes])
        self._said: tuple[list[int], Substrings] | None = None  # for some nodes

    def _substrings(self, labels: SpanLabels) -> tuple[list[int], Substrings]:
        """The nodes with queries or labels, and the candidates' substrings for them."""
        part, rows = _part(self._tree, self._frontier.tolist(), labels)
        cached = self._said
        if cached is None or cached[0] != rows:
            words = self._tree.words
            aligned = AlignedTexts.joined([pool.aligned(words) for pool in self._pools.values()])
            cached = self._said = rows, Substrings.of(part, aligned)
        return cached

    def queries(
        self, labels: SpanLabels, shares: Mapping[int, Shares], tally: Counter[str]
    ) -> list[Query]:
        """Queries about the frontier's nodes by span and candidate; updates the counts.

        The labels are those of the sentence.
        """
        rows, substrings = self._substrings(labels)
        texts = substrings.texts
        direct = np.zeros((len(self._tree), len(self._lines)), dtype=np.int8)
        direct[rows] = substrings.codes(labels)
        covered, gains = _decided(self._tree, direct, self._frontier)
        alternatives = _Alternatives.of(substrings.numbers[np.searchsorted(rows, self._frontier)])
        codes = direct[self._frontier[alternatives.nodes], alternatives.firsts]
        if_yes, if_no = map(alternatives.summed, gains)
        is_aligned = alternatives.numbers != UNALIGNED
        is_open = is_aligned & (codes == UNLABELLED)
        useful = np.flatnonzero(is_open & (if_yes + if_no > 0))
        can_be_stored = [_can_be_stored(texts[at]) for at in alternatives.numbers[useful].tolist()]
        storable = useful[np.array(can_be_stored, dtype=bool)]
        tally.update(
            crossed=sum(pool.crossed for pool in self._pools.values()),
            nodes=len(self._frontier),
            cells=len(self._frontier) * len(self._lines),
            places=covered.size,
            covered=int(covered.sum()),
            unaligned=int(alternatives.counts[~is_aligned].sum()),
            alternatives=int(is_aligned.sum()),
            gapped=sum(
                GAP in texts[number] for number in alternatives.numbers[is_aligned].tolist()
            ),
            labelled=int((is_aligned & ~is_open).sum()),
            labelled_yes=int((codes == YES).sum()),
            decided=int(is_open.sum()) - len(useful),
            unfit=len(useful) - len(storable),
        )
        columns = (
            self._lines[alternatives.firsts],
            self._frontier[alternatives.nodes],
            alternatives.numbers,
            alternatives.counts,
            if_yes,
            if_no,
            self._contexts[alternatives.firsts],
        )
        queries = []
        for line, node, number, candidates, yes, no, context in zip(
            *(column[storable].tolist() for column in columns), strict=True
        ):
            start, end = self._tree.starts[node], self._tree.ends[node]
            query = Query(
                line=line,
                start=start,
                end=end,
                span=" ".join(self._tree.words[start:end]),
                substring=texts[number],
                candidates=candidates,
                if_yes=yes,
                if_no=no,
                shares=shares.get(end - start, PAPER),
                context=context,
            )
            queries.append(query)
        return queries


def _can_be_stored(substring: str) -> bool:
    """Whether a label of a substring can be stored."""
    is_plain = GAP not in substring and substring.isprintable()
    return is_plain or substring_fault(substring) is None


class _Alternatives(NamedTuple):
    """The distinct substrings of nodes, in the order of nodes and of candidates.

    Each has the place of its node, its number among all substrings, the first candidate that has
    it and how many do. `owners` tell which of them each candidate has for each node.
    """

    nodes: Integers
    numbers: Integers
    firsts: Integers
    counts: Integers
    owners: Integers

    @classmethod
    def of(cls, numbers: Integers) -> _Alternatives:
        """Take what candidates say for nodes, as nodes × candidates."""
        # A node and a substring are one number, so that all nodes are looked at at once.
        keys = np.arange(len(numbers))[:, None] * (numbers.max() + 2) + (numbers - UNALIGNED)
        _, firsts, owners, counts = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        order = np.argsort(firsts)
        nodes, candidates = np.divmod(firsts[order], numbers.shape[1])
        ranks = np.argsort(order)
        return cls(
            nodes, numbers[nodes, candidates], candidates, counts[order], ranks[owners.ravel()]
        )

    def summed(self, values: Integers) -> Integers:
        """Return the sums of what each candidate has for each node, over those of one substring."""
        return np.bincount(self.owners, values.ravel(), len(self.counts)).astype(np.int64)


def _part(tree: Tree, nodes: Iterable[int], labels: SpanLabels) -> tuple[Tree, list[int]]:
    """Return some nodes of a tree and those that have labels, and their places in the tree."""
    places = tree.nodes_by_span()
    spans = {(start, end) for start, end, _ in labels}
    rows = sorted({*nodes, *(places[span] for span in spans if span in places)})
    part = Tree(
        tree.words,
        tuple(tree.names[row] for row in rows),
        tuple(tree.starts[row] for row in rows),
        tuple(tree.ends[row] for row in rows),
        (-1,) * len(rows),  # nothing is percolated through a part
    )
    return part, rows


def _decided(tree: Tree, direct: Codes, nodes: Integers) -> tuple[NDArray[np.bool_], Integers]:
    """Decided nodes of each candidate, and how many more a label would decide.

    The latter are YES, NO × nodes × candidates. Candidates are percolated independently of each
    other, so all these labels are tried at once: behind the candidates as they are stand copies
    of all of them, in each of which one node has one label more.
    """
    size, outputs = direct.shape
    tried = np.repeat(direct[:, None, :], 1 + 2 * len(nodes), axis=1)
    copies = 1 + np.arange(len(nodes))
    tried[nodes, copies] = YES
    tried[nodes, copies + len(nodes)] = NO
    percolated = percolate_codes(tree, tried.reshape(size, -1)).reshape(tried.shape)
    decided = is_decided(percolated)
    now, then = decided[:, 0], decided[:, 1:]
    gains = (then & ~now[:, None]).sum(axis=0)
    return now, gains.reshape(2, len(nodes), outputs)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Time and cost of queries and HITs; rates from the paper are `assumed`.

    A price of a HIT goes before that of a label.
    """

    queries: int
    hits: int
    judges: int
    seconds: float
    price_per_label: float
    price_per_hit: float | None
    assumed: tuple[str, ...] = ()

    @classmethod
    def of(cls, queries: int, hits: int, plan: QueryPlan) -> Estimate:
        """Take the rates of a plan, and the paper's where it has none."""
        return cls(
            queries,
            hits,
            plan.judges,
            SECONDS_PER_LABEL if plan.seconds is None else plan.seconds,
            PRICE_PER_LABEL if plan.price_per_label is None else plan.price_per_label,
            plan.price_per_hit,
            plan.assumed,
        )

    @property
    def queries_per_hit(self) -> float:
        """The number of queries on a HIT."""
        return ratio(self.queries, self.hits)

    @property
    @derived
    def labels(self) -> int:
        """The number of labels to collect."""
        return self.queries * self.judges

    @property
    @derived
    def hours(self) -> float:
        """The hours of work."""
        return self.labels * self.seconds / 3600

    @property
    @derived
    def price(self) -> float:
        """The total cost, in the currency of the rates."""
        if self.price_per_hit is not None:
            return self.hits * self.judges * self.price_per_hit
        return self.labels * self.price_per_label


@dataclass(frozen=True, slots=True)
class QueriesResult(Result):
    """The queries to label, with an estimate of their cost.

    `found` tells of all queries, the `estimate` is of those that are asked, and `queries` holds
    the most useful of them, of which people are shown the first `shown`. `sweep` tells for other
    lengths than `max_length` what there is to ask. `aggregate` says how labels were made of
    several judges', where there are any. `files` hold the `hits` that were made.
    """

    command: ClassVar[str] = "rypt queries"

    test_set: Extent
    max_length: int
    aggregate: str | None
    found: Tally
    estimate: Estimate
    sweep: tuple[Tally, ...]
    shown: int
    queries: tuple[Query, ...]
    files: tuple[str, ...] = ()
    hits: Sequence[Hit] = unsaved(())

    def __post_init__(self) -> None:
        checked(self.shown >= 1, f"{self.shown} queries to be shown")

    @property
    def first_queries(self) -> tuple[Query, ...]:
        """The queries that people are shown."""
        return self.queries[: self.shown]

    @property
    def assumes_paper(self) -> bool:
        """Whether the shares of YES and NO behind the first queries are those of the paper."""
        return all(query.shares == PAPER for query in self.first_queries)


def find_queries(
    sources: Sequence[str],
    parses: str,
    plan: QueryPlan | None = None,
    *,
    nbest: Sequence[str] = (),
    systems: Sequence[System] = (),
    alignments: str = "",
    labels: str | None = None,
    with_hits: bool = False,
    reference: str | None = None,
    reference_alignment: str | None = None,
) -> QueriesResult:
    """Find out what to ask people about candidates, and what that takes.

    Candidates are those of n-best lists, which carry alignments or derivations, and the outputs
    of systems, whose `alignments` are files with `{system}` in the name. All others are files too;
    the reference, with its alignment, is for the HITs, which are made where that is asked for.
    """
    plan = plan or QueryPlan()
    trees = read_trees(parses, sources, flat=plan.flat).trees
    words = [words_of(text) for text in sources]
    references = None
    if reference is not None:
        references = read_references(reference, reference_alignment, words)
    labelled = {} if labels is None else read_labels(labels, sources, plan.aggregate)
    pools = gather(len(sources), nbest, _read_alignments(systems, alignments))
    queries = make_queries(trees, pools, labelled, plan.max_length)
    chosen = queries.queries[: plan.most]
    return QueriesResult(
        Extent(len(sources), 0),
        plan.max_length,
        None if labels is None else plan.aggregate,
        queries.tally,
        Estimate.of(len(chosen), number_of_hits(chosen, plan.per_hit), plan),
        tuple(
            make_queries(trees, pools, labelled, length).tally
            for length in range(1, (plan.sweep or 0) + 1)
        ),
        plan.top or SHOWN,
        tuple(chosen[: plan.top]),
        hits=make_hits(chosen, words, pools, references, plan.per_hit) if with_hits else (),
    )


def _read_alignments(systems: Sequence[System], pattern: str) -> list[tuple[Sequence[str], str]]:
    """Return outputs of systems, each with the file of their alignments."""
    paths = [path_of(pattern, system, "--alignments") for system in systems]
    check_distinct(paths, "--alignments")
    return [(system.outputs.texts, path) for system, path in zip(systems, paths, strict=True)]

"""An inquiry: what to ask people about candidates, what that takes, and the HITs to ask it with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from weigh.metrics.supply import path_of
from weigh.read.alignment import words_of
from weigh.result import Extent, Result, checked, derived, unsaved
from weigh.rypt.alignment import check_distinct
from weigh.rypt.candidates import gather
from weigh.rypt.collection import read_labels_of
from weigh.rypt.hits import Hit, make_hits, number_of_hits, read_references
from weigh.rypt.plan import PRICE_PER_LABEL, SECONDS_PER_LABEL, SHOWN, QueryPlan
from weigh.rypt.queries import Query, Shares, Tally, make_queries
from weigh.rypt.tree import read_trees
from weigh.types import System


@dataclass(frozen=True, slots=True)
class Estimate:
    """What so many queries on so many HITs take; the rates that are the paper's are `assumed`.

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
    @derived
    def labels(self) -> int:
        """How many labels are collected."""
        return self.queries * self.judges

    @property
    @derived
    def hours(self) -> float:
        """How long people work."""
        return self.labels * self.seconds / 3600

    @property
    @derived
    def price(self) -> float:
        """What is paid, in the currency of the rates."""
        if self.price_per_hit is not None:
            return self.hits * self.judges * self.price_per_hit
        return self.labels * self.price_per_label


@dataclass(frozen=True, slots=True)
class UsefulQuery:
    """A query as it is shown: about the words `span` of a line of the sources; see `Query`."""

    line: int
    start: int
    end: int
    span: str
    substring: str
    candidates: int
    if_yes: int
    if_no: int
    shares: Shares

    @classmethod
    def of(cls, query: Query, source: Sequence[str]) -> UsefulQuery:
        """Show a query about a source sentence of these words."""
        return cls(
            query.sentence + 1,
            query.start,
            query.end,
            " ".join(source[query.start : query.end]),
            query.substring,
            query.candidates,
            query.if_yes,
            query.if_no,
            query.shares,
        )

    @property
    @derived
    def gain(self) -> float:
        """The expected number of nodes, over all candidates, that a label decides."""
        return self.shares.gain(self.if_yes, self.if_no)


@dataclass(frozen=True, slots=True)
class QueriesResult(Result):
    """What to ask people, and what that takes.

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
    queries: tuple[UsefulQuery, ...]
    files: tuple[str, ...] = ()
    hits: Sequence[Hit] = unsaved(())

    def __post_init__(self) -> None:
        checked(self.shown >= 1, f"{self.shown} queries to be shown")


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
    known = {} if labels is None else read_labels_of(labels, sources, plan.aggregate)
    pools = gather(len(sources), nbest, _aligned(systems, alignments))
    asked = make_queries(trees, pools, known, plan.max_length)
    chosen = asked.queries[: plan.most]
    return QueriesResult(
        Extent(len(sources), 0),
        plan.max_length,
        None if labels is None else plan.aggregate,
        asked.tally,
        Estimate.of(len(chosen), number_of_hits(chosen, plan.per_hit), plan),
        tuple(
            make_queries(trees, pools, known, length).tally
            for length in range(1, (plan.sweep or 0) + 1)
        ),
        plan.top or SHOWN,
        tuple(UsefulQuery.of(query, words[query.sentence]) for query in chosen[: plan.top]),
        hits=make_hits(chosen, words, pools, references, plan.per_hit) if with_hits else (),
    )


def _aligned(systems: Sequence[System], pattern: str) -> list[tuple[Sequence[str], str]]:
    """Return outputs of systems, each with the file of their alignments."""
    paths = [path_of(pattern, system, "--alignments") for system in systems]
    check_distinct(paths, "--alignments")
    return [(system.outputs.texts, path) for system, path in zip(systems, paths, strict=True)]

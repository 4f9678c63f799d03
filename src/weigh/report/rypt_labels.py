"""What is shown of labels and of asking for them: `weigh rypt queries` and `labels`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weigh import __version__
from weigh.report.grid import Column, Grid
from weigh.report.parts import Note, Part, summary
from weigh.report.view import Used, View, signature, view_of
from weigh.result import encode
from weigh.rypt.collection import CollectedLabels, LabelsResult
from weigh.rypt.labels import Label
from weigh.rypt.plan import PAPER
from weigh.rypt.queries import QueriesResult, Tally, ratio
from weigh.wording import fixed, listed, percent, plural

BY = f"(Zaidan & Callison-Burch 2009; weigh {__version__})."
RYPT = Used(works=["RYPT"])


def number_grid(name: str, titles: Sequence[str], rows: Iterable[Sequence[int | str]]) -> Grid:
    """Return a grid whose rows are a name and numbers; whole ones have commas."""
    columns = [Column(name), *(Column(title, kind="number") for title in titles)]
    return Grid(columns, [[cells_of(*row) for row in rows]])


def cells_of(*row: int | str) -> list[str]:
    """Texts, and whole numbers with commas."""
    return [f"{each:,}" if isinstance(each, int) else each for each in row]


def remarks_part(warnings: Sequence[str]) -> list[Part]:
    """Remarks as sentences, if there are any."""
    said = [f"{warning[0].upper()}{warning[1:]}." for warning in warnings if warning]
    return [Note(said, "Remarks", caution=True)] if said else []


@view_of(QueriesResult)
def queries(result: QueriesResult) -> View:
    """Show what there is to ask, what that takes, and the most useful queries."""
    estimate = result.estimate
    parts: dict[str, object] = {"max_length": result.max_length}
    if result.aggregate is not None:
        parts["aggregate"] = result.aggregate
    records = encode(result.queries)
    for record in records:
        del record["shares"]
    return View(
        title=f"What to ask about {plural(result.found.candidates, 'candidate')} of "
        f"{plural(result.test_set.segments, 'sentence')}",
        subtitle=f"source spans of up to {plural(result.max_length, 'word')}",
        parts=[
            *summary(
                [
                    f"{estimate.queries:,} of {result.found.queries:,} queries are to be asked, on "
                    f"{plural(estimate.hits, 'HIT')}: {plural(estimate.labels, 'label')}, "
                    f"{fixed(estimate.hours, 2)} hours of work, a price of "
                    f"{fixed(estimate.price, 2)}."
                ]
            ),
            _found_part(result),
            _estimate_part(result),
            *([_swept(result.sweep)] if result.sweep else []),
            *([_most_useful(result)] if result.queries else []),
        ],
        methods="People are asked about translations of source constituents of at most "
        f"{plural(result.max_length, 'word')}, each distinct one once, those first whose labels "
        f"decide the most constituents of all candidates {BY}",
        signatures=[("queries", signature(parts))],
        records=records,
        used=RYPT,
    )


def _found_part(result: QueriesResult) -> Part:
    tally = result.found
    rows: list[tuple[str, int | str]] = [
        ("Source sentences", tally.sentences),
        ("Candidates", tally.candidates),
        (f"Source spans of up to {plural(result.max_length, 'word')}", tally.nodes),
        ("Alternatives", tally.alternatives),
        ("Alternatives of a span", fixed(ratio(tally.alternatives, tally.nodes), 2)),
        ("With a gap (%)", fixed(100 * ratio(tally.gapped, tally.alternatives), 1)),
        ("Labelled already", tally.labelled),
        ("Decided by other labels", tally.decided),
        ("To be asked", tally.queries),
    ]
    covered = 100 * ratio(tally.covered, tally.places)
    sentences = [
        f"{fixed(covered, 1)}% of all nodes of candidates are labelled now, directly or by "
        f"percolation. In {fixed(100 * ratio(tally.unaligned, tally.cells), 1)}% of cases a "
        "candidate has no word for a span, which cannot be asked about."
    ]
    if tally.crossed:
        sentences.append(
            f"{plural(tally.crossed, 'candidate')} with phrases whose words are linked each with "
            "each; weigh rypt align with a training corpus gives better links."
        )
    if tally.unparsed:
        sentences.append(f"Left out, {plural(tally.unparsed, 'sentence')}: without a parse.")
    if tally.without_candidates:
        sentences.append(f"{plural(tally.without_candidates, 'sentence')} have no candidate.")
    if tally.unfit:
        sentences.append(
            f"Left out, {plural(tally.unfit, 'alternative')}: with words that stand for a gap or "
            "with characters that end a line."
        )
    return number_grid("What", ["Number"], rows).titled("Queries", sentences, paper=True)


def _estimate_part(result: QueriesResult) -> Part:
    estimate = result.estimate
    rows: list[tuple[str, int | str]] = [
        ("Queries", estimate.queries),
        ("HITs", estimate.hits),
        ("Alternatives on a HIT", fixed(ratio(estimate.queries, estimate.hits), 2)),
        ("Judges of a HIT", estimate.judges),
        ("Labels", estimate.labels),
        ("Hours of work", fixed(estimate.hours, 2)),
        ("Price", fixed(estimate.price, 2)),
    ]
    price = (
        f"{estimate.price_per_label:g} for a label"
        if estimate.price_per_hit is None
        else f"{estimate.price_per_hit:g} for a HIT and judge"
    )
    names = []
    if "seconds" in estimate.assumed:
        names.append("the time")
    if "price_per_label" in estimate.assumed and estimate.price_per_hit is None:
        names.append("the price, in dollars of 2009,")
    source = (
        f" {listed(names).capitalize()} {'are those' if len(names) > 1 else 'is that'} of Zaidan "
        "and Callison-Burch (2009)."
        if names
        else ""
    )
    sentences = [f"Assumed: {estimate.seconds:g} s and {price}.{source}"]
    return number_grid("What", ["Number"], rows).titled("Estimate", sentences, paper=True)


def _swept(sweep: Sequence[Tally]) -> Part:
    titles = ("Longest span", "Spans", "Alternatives", "of a span", "Labelled", "YES (%)")
    rows = [
        cells_of(
            tally.max_length,
            tally.nodes,
            tally.alternatives,
            fixed(ratio(tally.alternatives, tally.nodes), 2),
            tally.labelled,
            fixed(100 * ratio(tally.labelled_yes, tally.labelled), 1),
        )
        for tally in sweep
    ]
    columns = [Column(title, kind="number") for title in titles]
    return Grid(columns, [rows]).titled("By the longest span", paper=True)


def _most_useful(result: QueriesResult) -> Part:
    columns = [Column("Line", kind="number"), Column("Source"), Column("Alternative")]
    columns += [Column(title, kind="number") for title in ("Candidates", "Decides")]
    shown = result.queries[: result.shown]
    rows = [
        cells_of(query.line, query.span, query.substring, query.candidates, fixed(query.gain, 1))
        for query in shown
    ]
    if all(query.shares == PAPER for query in shown):
        assumed = (
            f"if {percent(PAPER.yes)} of labels are YES and {percent(PAPER.no)} NO, as in the paper"
        )
    else:
        assumed = "if YES and NO are as frequent as among the labels of spans as long"
    return Grid(columns, [rows]).titled(
        "The most useful",
        [
            "Decides: the number of nodes, over all candidates, that a label is expected to decide "
            f"after percolation, {assumed}."
        ],
        paper=True,
    )


_WORTH = {
    "majority": "what most judges say",
    "any-yes": "YES if any judge says so, else what most say",
    "weighted": "what most say, each judge weighted by agreement with the others",
}
# With more judges than this, those who agree least are shown.
_MOST_JUDGES = 15


@view_of(LabelsResult)
def labels(result: LabelsResult) -> View:
    """Show what a store holds, what it took, and how far its judges agree."""
    found = result.labels
    record = encode(found)
    del record["agreement_by_judge"]
    return View(
        title=f"Labels in {found.store}",
        subtitle=f"{plural(found.labels, 'label')} of {plural(found.judges, 'judge')} on "
        f"{plural(found.sources, 'source sentence')}",
        parts=[
            *summary(
                [
                    f"Of {found.entries:,} judged translations of source spans, "
                    f"{fixed(100 * ratio(found.entries_yes, found.entries), 1)}% are acceptable."
                ]
            ),
            _counts_part(found),
            _shares_part(found),
            *_effort_part(found),
            _agreement_part(found),
            *_judges_part(found),
        ],
        methods="Translations of source constituents were judged by people as acceptable or not; "
        f"of an entry counts {_WORTH[found.aggregate]}, and NOT SURE in a tie {BY}",
        signatures=[("labels", signature({"aggregate": found.aggregate, "tie": "not-sure"}))],
        records=[record],
        used=RYPT,
    )


def _counts_part(found: CollectedLabels) -> Part:
    rows = [
        ("Source sentences", found.sources),
        ("Spans", found.spans),
        ("Entries (span and substring)", found.entries),
        ("Judges", found.judges),
        ("Labels", found.labels),
    ]
    sentences = []
    if found.corrected:
        sentences = [f"Not counted, {plural(found.corrected, 'label')}: corrected by a later one."]
    return number_grid("What", ["Number"], rows).titled(
        f"Labels in {found.store}", sentences, section="Labels", paper=True
    )


def _shares_part(found: CollectedLabels) -> Part:
    rows = []
    for label, said, worth in (
        (Label.YES, found.labels_yes, found.entries_yes),
        (Label.NO, found.labels_no, found.entries_no),
        (Label.NOT_SURE, found.labels_not_sure, found.entries_not_sure),
    ):
        shares = [
            fixed(100 * ratio(count, total), 1)
            for count, total in ((said, found.labels), (worth, found.entries))
        ]
        rows.append((label.value, said, shares[0], worth, shares[1]))
    return number_grid("Label", ("Labels", "% of labels", "Entries", "% of entries"), rows).titled(
        "", [f"Of an entry counts {_WORTH[found.aggregate]}, and NOT SURE in a tie."], paper=True
    )


def _effort_part(found: CollectedLabels) -> list[Part]:
    rows = []
    if found.seconds_per_label is not None:
        rows += [
            ("Hours of work", fixed(found.seconds / 3600, 2)),
            ("Seconds per label", fixed(found.seconds_per_label, 1)),
        ]
    if found.labels_per_hour is not None:
        rows.append(("Labels per hour", fixed(found.labels_per_hour, 0)))
    if found.cost_per_label is not None:
        rows += [
            ("Paid", fixed(found.paid, 2)),
            ("Cost of a label", fixed(found.cost_per_label, 4)),
        ]
    untimed = found.judgments - found.timed
    sentences = []
    if untimed and found.timed:
        sentences = [f"Of {plural(untimed, 'label')} the time is not known."]
    return (
        [number_grid("Effort", [""], rows).titled("", sentences, section="Effort", paper=True)]
        if rows
        else []
    )


def _agreement_part(found: CollectedLabels) -> Part:
    several = found.judged_by_several
    if not several:
        said = "No entry was judged by two people, so nothing shows agreement."
        return Note([said], section="Agreement")
    rows = [
        ("Cohen's κ, mean over pairs of judges", fixed(found.cohen_kappa, 3)),
        (f"Fleiss' κ, entries with {found.fleiss_judges} judges", fixed(found.fleiss_kappa, 3)),
        ("Pairs of labels that agree (%)", fixed(100 * found.agreeing_pairs, 1)),
    ]
    noun = "entry" if found.entries == 1 else "entries"
    were = "was" if several == 1 else "were"
    return number_grid("Agreement", [""], rows).titled(
        "",
        [f"{several:,} of {found.entries:,} {noun} {were} judged by two or more."],
        section="Agreement",
        paper=True,
    )


def _judges_part(found: CollectedLabels) -> list[Part]:
    """Return how far each judge agrees with the others; judges are numbers."""
    judged = [judge for judge in found.agreement_by_judge if judge.pairs]
    if not judged:
        return []
    ordered = sorted(judged, key=lambda judge: (judge.weight, judge.judge))
    rows = [
        (
            str(judge.judge),
            judge.labels,
            judge.pairs,
            fixed(100 * judge.agreeing / judge.pairs, 1),
            fixed(judge.weight, 3),
        )
        for judge in ordered[:_MOST_JUDGES]
    ]
    cut = f"The {_MOST_JUDGES} of {len(ordered):,} judges who agree least. "
    return [
        number_grid("Judge", ("Labels", "Pairs with others", "% agreeing", "Weight"), rows).titled(
            "",
            [
                cut
                * (len(ordered) > _MOST_JUDGES)
                + "A pair is a label of the judge and one of another on the same entry. Weight: "
                "(agreeing + 1) / (pairs + 2), what a vote counts with --aggregate weighted."
            ],
            paper=True,
        )
    ]

"""The views of `weigh rypt queries` and `weigh rypt labels`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weigh import __version__
from weigh.report.grid import Column, facts, table
from weigh.report.parts import Note, Part, summary
from weigh.report.view import Used, View, signature, view_of
from weigh.result import encode
from weigh.rypt.collection import CollectedLabels, LabelsResult
from weigh.rypt.plan import PAPER
from weigh.rypt.queries import QueriesResult, Tally
from weigh.wording import fixed, listed, percent, percentage, plural

BY = f"(Zaidan & Callison-Burch 2009; weigh {__version__})."
RYPT = Used(works=["RYPT"])
# At most this many judges are shown: those who agree least.
_MOST_JUDGES = 15
_AGGREGATES = {
    "majority": "the majority of its labels",
    "any-yes": "YES if any judge says YES, otherwise the majority label",
    "weighted": "the majority of its labels, each judge weighted by agreement with the others",
}


@view_of(QueriesResult)
def queries(result: QueriesResult) -> View:
    """Show the number of queries, the work that they take, and the most useful ones."""
    estimate, longest = result.estimate, plural(result.max_length, "word")
    about: dict[str, object] = {"max_length": result.max_length}
    if result.aggregate is not None:
        about["aggregate"] = result.aggregate
    records = encode(result.queries)
    for record in records:
        del record["shares"]
    return View(
        title=f"Queries on {plural(result.found.candidates, 'candidate')} of "
        f"{plural(result.test_set.segments, 'sentence')}",
        subtitle=f"source spans of up to {longest}",
        parts=[
            *summary(
                [
                    f"Queries to ask: {estimate.queries:,} of {result.found.queries:,}, on "
                    f"{plural(estimate.hits, 'HIT')}: {plural(estimate.labels, 'label')}, "
                    f"{fixed(estimate.hours, 2)} hours of work, a price of "
                    f"{fixed(estimate.price, 2)}."
                ]
            ),
            _queries_part(result.found, longest),
            _estimate_part(result),
            *_sweep_part(result.sweep),
            *_most_useful(result),
        ],
        methods="People label translations of source constituents of at most "
        f"{longest}, each distinct one once, starting with those whose labels decide the most "
        f"constituents of all candidates {BY}",
        signatures=[("queries", signature(about))],
        records=records,
        used=RYPT,
    )


def _queries_part(tally: Tally, longest: str) -> Part:
    notes = [
        f"{percentage(tally.covered_share)} of all nodes of candidates are labelled so far, "
        f"directly or by percolation. In {percentage(tally.unaligned_share)} of cases, a candidate "
        "has no word for a span, so there is no query."
    ]
    if tally.crossed:
        notes.append(
            f"{plural(tally.crossed, 'candidate')} with phrases whose words are all linked with "
            "each other; weigh rypt align with a training corpus gives better links."
        )
    if tally.unparsed:
        notes.append(f"Left out: {plural(tally.unparsed, 'sentence')} without a parse.")
    if tally.without_candidates:
        notes.append(f"Without a candidate: {plural(tally.without_candidates, 'sentence')}.")
    if tally.unfit:
        notes.append(
            f"Left out: {plural(tally.unfit, 'alternative')} with gap symbols as words or with "
            "line-ending characters."
        )
    return facts(
        "What",
        [
            ("Source sentences", tally.sentences),
            ("Candidates", tally.candidates),
            (f"Source spans of up to {longest}", tally.nodes),
            ("Alternatives", tally.alternatives),
            ("Alternatives of a span", fixed(tally.per_span, 2)),
            ("With a gap", percentage(tally.gapped_share)),
            ("Labelled already", tally.labelled),
            ("Decided by other labels", tally.decided),
            ("To ask", tally.queries),
        ],
        "Number",
        title="Queries",
        notes=notes,
        paper=True,
    )


def _estimate_part(result: QueriesResult) -> Part:
    estimate = result.estimate
    price = f"{estimate.price_per_label:g} for a label"
    if estimate.price_per_hit is not None:
        price = f"{estimate.price_per_hit:g} for a HIT and judge"
    assumed = []
    if "seconds" in estimate.assumed:
        assumed.append("the time")
    if "price_per_label" in estimate.assumed and estimate.price_per_hit is None:
        assumed.append("the price, in dollars of 2009,")
    note = f"Assumed: {estimate.seconds:g} s and {price}."
    if assumed:
        verb = "are" if len(assumed) > 1 else "is"
        note += f" {listed(assumed).capitalize()} {verb} from Zaidan and Callison-Burch (2009)."
    return facts(
        "What",
        [
            ("Queries", estimate.queries),
            ("HITs", estimate.hits),
            ("Alternatives on a HIT", fixed(estimate.queries_per_hit, 2)),
            ("Judges of a HIT", estimate.judges),
            ("Labels", estimate.labels),
            ("Hours of work", fixed(estimate.hours, 2)),
            ("Price", fixed(estimate.price, 2)),
        ],
        "Number",
        title="Estimate",
        notes=[note],
        paper=True,
    )


def _sweep_part(sweep: Sequence[Tally]) -> Iterator[Part]:
    if sweep:
        yield table(
            sweep,
            [
                Column("Longest span", "max_length", "count"),
                Column("Spans", "nodes", "count"),
                Column("Alternatives", "alternatives", "count"),
                Column("of a span", "per_span", "score"),
                Column("Labelled", "labelled", "count"),
                Column("YES", "yes_share", "percent", decimals=1),
            ],
            title="By the longest span",
            paper=True,
        )


def _most_useful(result: QueriesResult) -> Iterator[Part]:
    if not result.queries:
        return
    assumed = "if YES and NO are as frequent as among the labels of spans of that length"
    if result.assumes_paper:
        assumed = (
            f"if {percent(PAPER.yes)} of labels are YES and {percent(PAPER.no)} NO, as in the paper"
        )
    yield table(
        result.first_queries,
        [
            Column("Line", "line", "count"),
            Column("Source", "span"),
            Column("Alternative", "substring"),
            Column("Candidates", "candidates", "count"),
            Column("Decides", "gain", "score", decimals=1),
        ],
        title="The most useful",
        notes=[
            "Decides: the expected number of nodes, over all candidates, that a label decides "
            f"after percolation, {assumed}."
        ],
        paper=True,
    )


@view_of(LabelsResult)
def labels(result: LabelsResult) -> View:
    """Show the labels of a store, the work behind them, and how far the judges agree."""
    collected = result.labels
    aggregate = f"an entry has {_AGGREGATES[collected.aggregate]}, and NOT SURE in a tie"
    record = encode(collected)
    del record["agreement_by_judge"]
    return View(
        title=f"Labels in {collected.store}",
        subtitle=f"{plural(collected.labels, 'label')} of {plural(collected.judges, 'judge')} on "
        f"{plural(collected.sources, 'source sentence')}",
        parts=[
            *summary(
                [
                    f"{percentage(collected.counts[0].entries_share)} of "
                    f"{plural(collected.entries, 'judged translation')} of source spans "
                    f"{'is' if collected.entries == 1 else 'are'} acceptable."
                ]
            ),
            _counts_part(collected),
            _shares_part(collected, f"{aggregate[0].upper()}{aggregate[1:]}."),
            *_effort_part(collected),
            _agreement_part(collected),
            *_judges_part(collected),
        ],
        methods="Translations of source constituents were judged by people as acceptable or not; "
        f"{aggregate} {BY}",
        signatures=[("labels", signature({"aggregate": collected.aggregate, "tie": "not-sure"}))],
        records=[record],
        used=RYPT,
    )


def _counts_part(collected: CollectedLabels) -> Part:
    corrected = plural(collected.corrected, "label")
    return facts(
        "What",
        [
            ("Source sentences", collected.sources),
            ("Spans", collected.spans),
            ("Entries (span and substring)", collected.entries),
            ("Judges", collected.judges),
            ("Labels", collected.labels),
        ],
        "Number",
        title=f"Labels in {collected.store}",
        notes=[f"Not counted: {corrected} corrected by a later one."]
        if collected.corrected
        else [],
        section="Labels",
        paper=True,
    )


def _shares_part(collected: CollectedLabels, aggregate: str) -> Part:
    return table(
        collected.counts,
        [
            Column("Label", lambda row: row.label.value),
            Column("Labels", "labels", "count"),
            Column("Share", "labels_share", "percent", decimals=1),
            Column("Entries", "entries", "count"),
            Column("Share", "entries_share", "percent", decimals=1),
        ],
        notes=[aggregate],
        paper=True,
    )


def _effort_part(collected: CollectedLabels) -> Iterator[Part]:
    rows = []
    if collected.seconds_per_label is not None:
        rows += [
            ("Hours of work", fixed(collected.hours, 2)),
            ("Seconds per label", fixed(collected.seconds_per_label, 1)),
        ]
    if collected.labels_per_hour is not None:
        rows.append(("Labels per hour", fixed(collected.labels_per_hour, 0)))
    if collected.cost_per_label is not None:
        rows += [
            ("Paid", fixed(collected.paid, 2)),
            ("Cost of a label", fixed(collected.cost_per_label, 4)),
        ]
    notes = []
    if collected.untimed and collected.timed:
        notes = [f"Without a time: {plural(collected.untimed, 'label')}."]
    if rows:
        yield facts("Effort", rows, notes=notes, section="Effort", paper=True)


def _agreement_part(collected: CollectedLabels) -> Part:
    several, judges = collected.judged_by_several, collected.fleiss_judges
    if not several:
        text = "Agreement is unknown, because no entry was judged by two people."
        return Note([text], section="Agreement")
    return facts(
        "Agreement",
        [
            ("Cohen's κ, mean over pairs of judges", fixed(collected.cohen_kappa, 3)),
            (
                f"Fleiss' κ, entries with {plural(judges, 'judge')}",
                fixed(collected.fleiss_kappa, 3),
            ),
            ("Pairs of labels that agree", percentage(collected.agreeing_pairs)),
        ],
        notes=[f"Entries judged by at least two people: {several:,} of {collected.entries:,}."],
        section="Agreement",
        paper=True,
    )


def _judges_part(collected: CollectedLabels) -> Iterator[Part]:
    """Yield each judge's agreement with the others; judges are identified by numbers."""
    judges = collected.least_agreeing
    if not judges:
        return
    notes = [
        "A pair is a label of the judge and one of another judge on the same entry. Weight: "
        "(agreeing + 1) / (pairs + 2), the weight of a vote with --aggregate weighted."
    ]
    if len(judges) > _MOST_JUDGES:
        notes.insert(0, f"The {_MOST_JUDGES} of {len(judges):,} judges who agree least.")
    yield table(
        judges[:_MOST_JUDGES],
        [
            Column("Judge", lambda judge: str(judge.judge)),
            Column("Labels", "labels", "count"),
            Column("Pairs with others", "pairs", "count"),
            Column("Agreeing", "share", "percent", decimals=1),
            Column("Weight", "weight", "score", decimals=3),
        ],
        notes=notes,
        paper=True,
    )

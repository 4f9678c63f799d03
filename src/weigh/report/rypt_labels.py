"""What a label store holds, as a table, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh import __version__
from weigh.report import document, pieces, table, tsv
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import fixed, plural
from weigh.report.pieces import Piece
from weigh.rypt.labels import Label

if TYPE_CHECKING:
    from weigh.human.agreement import Kappas
    from weigh.rypt.collection import Collected


@dataclass(frozen=True, slots=True)
class LabelsReport:
    """All that `weigh rypt labels show` says; `paid` is what the labels cost, where it is told.

    So many entries were `judged_by_several`; of the pairs of labels on one entry, the share
    `agreeing` are the same, NaN without any pair.
    """

    name: str
    collected: Collected
    kappas: Kappas
    judged_by_several: int
    agreeing: float
    paid: float | None = None

    @classmethod
    def of(
        cls, name: str, collected: Collected, kappas: Kappas, paid: float | None
    ) -> LabelsReport:
        """Count how far the judges of an entry agree."""
        same = pairs = 0
        for by_judge in collected.given.values():
            labels = list(by_judge.values())
            pairs += len(labels) * (len(labels) - 1) // 2
            same += sum(count * (count - 1) // 2 for count in map(labels.count, set(labels)))
        several = sum(len(by_judge) > 1 for by_judge in collected.given.values())
        return cls(name, collected, kappas, several, _share(same, pairs), paid)


def _share(count: int, total: int) -> float:
    return count / total if total else float("nan")


def _counts(report: LabelsReport) -> Piece:
    found = report.collected
    rows = [
        ("Source sentences", found.sources),
        ("Spans", found.spans),
        ("Entries (span and substring)", found.entries),
        ("Judges", found.judges),
        ("Labels", found.votes),
    ]
    cells = [[Cell(name), Cell(f"{count:,}")] for name, count in rows]
    sentences = []
    if found.corrected:
        sentences = [f"Not counted, {plural(found.corrected, 'label')}: corrected by a later one."]
    return Piece(
        f"Labels in {report.name}",
        Grid([Column("What"), Column("Number", kind="number")], [cells]),
        sentences,
    )


_WORTH = {
    "majority": "what most judges say",
    "any-yes": "YES if any judge says so, else what most say",
    "weighted": "what most say, each judge weighted by agreement with the others",
}
# With more judges than this, those who agree least are shown.
_MOST_JUDGES = 15


def _shares(found: Collected) -> Piece:
    columns = [Column("Label")]
    titles = ("Labels", "% of labels", "Entries", "% of entries")
    columns += [Column(title, kind="number") for title in titles]
    rows = []
    for label in Label:
        counts = (found.labels[label], found.votes), (found.worth[label], found.entries)
        cells = [Cell(label.value)]
        for count, total in counts:
            cells += [Cell(f"{count:,}"), Cell(fixed(100 * _share(count, total), 1))]
        rows.append(cells)
    return Piece(
        "",
        Grid(columns, [rows]),
        [f"Of an entry counts {_WORTH[found.aggregate]}, and NOT SURE in a tie."],
    )


def _effort(report: LabelsReport) -> Piece | None:
    found = report.collected
    rows = []
    if found.seconds_per_label is not None:
        rows += [
            ("Hours of work", fixed(found.seconds / 3600, 2)),
            ("Seconds per label", fixed(found.seconds_per_label, 1)),
        ]
    if found.labels_per_hour is not None:
        rows.append(("Labels per hour", fixed(found.labels_per_hour, 0)))
    if report.paid is not None and found.judgments:
        rows += [
            ("Paid", fixed(report.paid, 2)),
            ("Cost of a label", fixed(report.paid / found.judgments, 4)),
        ]
    if not rows:
        return None
    untimed = found.judgments - found.timed
    sentences = []
    if untimed and found.timed:
        sentences = [f"Of {plural(untimed, 'label')} the time is not known."]
    cells = [[Cell(name), Cell(value)] for name, value in rows]
    return Piece("", Grid([Column("Effort"), Column("", kind="number")], [cells]), sentences)


def _agreement(report: LabelsReport) -> Piece:
    several = report.judged_by_several
    if not several:
        return Piece("", None, ["No entry was judged by two people, so nothing shows agreement."])
    kappas = report.kappas
    rows = [
        ("Cohen's κ, mean over pairs of judges", kappas.mean),
        (f"Fleiss' κ, entries with {kappas.judges} judges", kappas.fleiss),
        ("Pairs of labels that agree (%)", 100 * report.agreeing),
    ]
    cells = [
        [Cell(name), Cell(fixed(value, 1 if name.endswith("%)") else 3))] for name, value in rows
    ]
    entries = report.collected.entries
    noun, were = "entry" if entries == 1 else "entries", "was" if several == 1 else "were"
    return Piece(
        "",
        Grid([Column("Agreement"), Column("", kind="number")], [cells]),
        [f"{several:,} of {entries:,} {noun} {were} judged by two or more."],
    )


def _by_judge(found: Collected) -> Piece | None:
    """Return how far each judge agrees with the others; judges are numbers."""
    numbered = [(at, one) for at, one in enumerate(found.agreements, 1) if one.pairs]
    if not numbered:
        return None
    ordered = sorted(numbered, key=lambda one: (one[1].weight, one[0]))
    titles = ("Labels", "Pairs with others", "% agreeing", "Weight")
    rows = [
        [
            Cell(f"{at}"),
            Cell(f"{one.labels:,}"),
            Cell(f"{one.pairs:,}"),
            Cell(fixed(100 * one.agreeing / one.pairs, 1)),
            Cell(fixed(one.weight, 3)),
        ]
        for at, one in ordered[:_MOST_JUDGES]
    ]
    cut = f"The {_MOST_JUDGES} of {len(ordered):,} judges who agree least. "
    return Piece(
        "",
        Grid([Column("Judge"), *(Column(title, kind="number") for title in titles)], [rows]),
        [
            cut
            * (len(ordered) > _MOST_JUDGES)
            + "A pair is a label of the judge and one of another on the same entry. Weight: "
            "(agreeing + 1) / (pairs + 2), what a vote counts with --aggregate weighted."
        ],
    )


def _pieces(report: LabelsReport) -> list[Piece]:
    parts = [
        _counts(report),
        _shares(report.collected),
        _effort(report),
        _agreement(report),
        _by_judge(report.collected),
    ]
    return [part for part in parts if part is not None]


def _signatures(report: LabelsReport) -> list[tuple[str, str]]:
    how = report.collected.aggregate
    return [("labels", f"aggregate:{how}|tie:not-sure|version:weigh-{__version__}")]


def as_table(report: LabelsReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text."""
    return pieces.as_table(_pieces(report), _signatures(report), screen)


def as_markdown(report: LabelsReport) -> str:
    """Return pipe tables."""
    return pieces.as_markdown(_pieces(report), _signatures(report))


def as_latex(report: LabelsReport) -> str:
    """Return tables."""
    return pieces.as_latex(_pieces(report))


def _fields(report: LabelsReport) -> dict[str, Any]:
    found, kappas = report.collected, report.kappas
    paid = report.paid
    return {
        "store": report.name,
        "sources": found.sources,
        "spans": found.spans,
        "entries": found.entries,
        "judges": found.judges,
        "judgments": found.judgments,
        "labels": found.votes,
        "corrected": found.corrected,
        **{f"labels_{_key(label)}": found.labels[label] for label in Label},
        **{f"entries_{_key(label)}": found.worth[label] for label in Label},
        "timed": found.timed,
        "seconds": found.seconds,
        "seconds_per_label": found.seconds_per_label,
        "labels_per_hour": found.labels_per_hour,
        "paid": paid,
        "cost_per_label": paid / found.judgments if paid is not None and found.judgments else None,
        "judged_by_several": report.judged_by_several,
        "agreeing_pairs": document.number(report.agreeing),
        "cohen_kappa": document.number(kappas.mean),
        "cohen_pairs": kappas.pairs,
        "fleiss_kappa": document.number(kappas.fleiss),
        "fleiss_units": kappas.units,
        "fleiss_judges": kappas.judges,
        "aggregate": found.aggregate,
    }


def _key(label: Label) -> str:
    return label.value.lower().replace(" ", "_")


def as_tsv(report: LabelsReport) -> str:
    """Return one row, with all digits."""
    fields = _fields(report)
    cells = [Cell("" if value is None else str(value)) for value in fields.values()]
    return tsv.render(Grid([Column(name) for name in fields], [[cells]]))


def as_json(report: LabelsReport) -> str:
    """Return the document that programs read."""
    by_judge = [
        {"judge": at, **one._asdict(), "weight": one.weight}
        for at, one in enumerate(report.collected.agreements, 1)
    ]
    fields = _fields(report) | {"agreement_by_judge": by_judge}
    return document.render("rypt labels", {"labels": fields})


# Every format but the table, which also wants to know the screen.
FORMATS: dict[str, Callable[[LabelsReport], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "latex": as_latex,
}

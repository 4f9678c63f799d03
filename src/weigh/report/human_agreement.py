"""What is said of the agreement of judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh.report import document
from weigh.report.document import NO_TEST_SET, Extent
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import fixed, plural
from weigh.report.pieces import Piece
from weigh.report.presentation import Presentation, signature

if TYPE_CHECKING:
    from weigh.human.agreement import Consistency
    from weigh.human.consensus import Consensus, ConsensusReport
    from weigh.human.replication import Replication
    from weigh.read.answers import Omission

_ALPHAS = {
    "interval": "Krippendorff's α of scores",
    "standardised": "Krippendorff's α of standard scores",
    "ordinal": "Krippendorff's α of ranks",
    "nominal": "Krippendorff's α of answers",
}


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All that `weigh human agreement` says; `categories` and `weights` are those of kappas."""

    found: ConsensusReport
    replications: Sequence[Replication] = ()
    categories: int | None = None
    weights: str = "none"
    omissions: Sequence[Omission] = ()
    remarks: Sequence[str] = ()
    test_set: Extent = NO_TEST_SET


def _pieces(report: AgreementReport) -> list[Piece]:
    parts = [
        Piece(_title(scale), _scale_grid(scale), _sentences(scale)) for scale in report.found.scales
    ]
    if report.found.repeats:
        parts.append(_repeats(report.found.repeats))
    if report.replications:
        parts.append(_replications(report.replications))
    left_out = [f"Left out, {omission.extent}: {omission.why}." for omission in report.omissions]
    if left_out:
        parts.append(Piece("", None, left_out))
    return parts


def _title(scale: Consensus) -> str:
    return ", ".join(filter(None, (scale.pair, scale.scale)))


def _scale_grid(scale: Consensus) -> Grid:
    rows = [(_ALPHAS[name], fixed(value, 3)) for name, value in scale.alphas.items()]
    kappas = scale.kappas
    if kappas is not None:
        rows.append(("Cohen's κ, mean over pairs of judges", fixed(kappas.mean, 3)))
        rows.append(("Fleiss' κ", fixed(kappas.fleiss, 3)))
    if scale.intra is not None:
        rows.append(("Cohen's κ of judges with themselves", fixed(scale.intra[0], 3)))
    return Grid(
        [Column("Agreement"), Column("", kind="number")],
        [[[Cell(name), Cell(value)] for name, value in rows]],
    )


def _sentences(scale: Consensus) -> list[str]:
    what = "pair" if scale.scale == "preference" else "output"
    text = (
        f"{scale.outputs:,} of {plural(scale.judged, what)} judged by two or more of "
        f"{plural(scale.judges, 'judge')}."
    )
    kappas = scale.kappas
    if kappas is not None and kappas.judges:
        text += (
            f" Cohen's κ over {plural(kappas.pairs, 'pair')} of judges, Fleiss' over "
            f"{plural(kappas.units, what)} with {kappas.judges} judges."
        )
    if scale.intra is not None:
        text += f" {scale.intra[1]:,} were judged twice by the same person."
    return [text]


def _repeats(repeats: Sequence[Consistency]) -> Piece:
    columns = [
        Column("Judge"),
        *(Column(title, kind="number") for title in ("Repeats", "Difference", "Distance", "r")),
    ]
    rows = [
        [
            Cell(each.judge),
            Cell(f"{each.repeats:,}"),
            Cell(fixed(each.difference, 1, sign=True)),
            Cell(fixed(each.distance, 1)),
            Cell(fixed(each.correlation, 3)),
        ]
        for each in repeats
    ]
    total = sum(each.repeats for each in repeats)
    mean = sum(each.distance * each.repeats for each in repeats) / total
    return Piece(
        "Repeats",
        Grid(columns, [rows]),
        [
            "Difference: mean of repeat less original; distance: mean of its size, "
            f"{fixed(mean, 1)} over all {total:,} repeats; r: Pearson's correlation."
        ],
    )


def _replications(replications: Sequence[Replication]) -> Piece:
    columns = [
        Column("Scale"),
        *(Column(title, kind="number") for title in ("Systems", "r", "Outputs", "r of outputs")),
    ]
    rows = [
        [
            Cell(", ".join(filter(None, (each.pair, each.scale)))),
            Cell(f"{each.systems:,}"),
            Cell(fixed(each.r_systems, 3)),
            Cell(f"{each.outputs:,}"),
            Cell(fixed(each.r_outputs, 3)),
        ]
        for each in replications
    ]
    return Piece(
        "Two runs",
        Grid(columns, [rows]),
        ["Pearson's correlation of standard scores, over what both runs have judged."],
    )


def _signatures(report: AgreementReport) -> list[tuple[str, str]]:
    parts = {}
    if report.categories is not None:
        parts = {"categories": str(report.categories), "weights": report.weights}
    return [("agreement", signature(parts))]


def _records(report: AgreementReport) -> list[dict[str, Any]]:
    return [
        {"pair": scale.pair, "scale": scale.scale, "measure": name, "value": value}
        for scale in report.found.scales
        for name, value in _scale_fields(scale).items()
        if name not in ("pair", "scale")
    ]


def _scale_fields(scale: Consensus) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "pair": scale.pair,
        "scale": scale.scale,
        "judges": scale.judges,
        "judged": scale.judged,
        "judged_by_several": scale.outputs,
        **{f"alpha_{name}": document.number(value) for name, value in scale.alphas.items()},
    }
    if scale.kappas is not None:
        fields |= {
            "cohen_kappa": document.number(scale.kappas.mean),
            "cohen_pairs": scale.kappas.pairs,
            "fleiss_kappa": document.number(scale.kappas.fleiss),
            "fleiss_units": scale.kappas.units,
            "fleiss_judges": scale.kappas.judges,
        }
    if scale.intra is not None:
        fields |= {
            "intra_kappa": document.number(scale.intra[0]),
            "intra_units": scale.intra[1],
        }
    return fields


def _document(report: AgreementReport) -> dict[str, Any]:
    return {
        "test_set": report.test_set.fields,
        "categories": report.categories,
        "weights": report.weights,
        "agreement": [_scale_fields(scale) for scale in report.found.scales],
        "repeats": [
            {
                "judge": each.judge,
                "repeats": each.repeats,
                "difference": each.difference,
                "distance": each.distance,
                "r": document.number(each.correlation),
            }
            for each in report.found.repeats
        ],
        "replication": [
            {
                "pair": each.pair,
                "scale": each.scale,
                "systems": each.systems,
                "r_systems": document.number(each.r_systems),
                "outputs": each.outputs,
                "r_outputs": document.number(each.r_outputs),
            }
            for each in report.replications
        ],
        "omissions": [each.fields for each in report.omissions],
        "remarks": list(report.remarks),
    }


SHOWN = Presentation("human agreement", _pieces, _signatures, _records, _document)

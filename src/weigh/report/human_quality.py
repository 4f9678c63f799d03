"""What is said of judges: verdicts, reasons and advice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh.human.conduct import LEAST_SECONDS, LONGEST_RUN, TASK
from weigh.report.document import NO_TEST_SET, Extent
from weigh.report.grid import Cell, Column, Grid
from weigh.report.human_steps import step_fields, steps_piece
from weigh.report.number import NO_NUMBER, fixed, plural, probability, share
from weigh.report.pieces import Piece
from weigh.report.presentation import Presentation, signature

if TYPE_CHECKING:
    from weigh.human.quality import Preset, Quality, Verdict
    from weigh.read.answers import Omission

_TESTS = {
    "paired-t": "a one-sided paired t-test between bad items and those that they were made from",
    "mann-whitney": "a one-sided Mann-Whitney test between bad items and outputs",
}
_WIDTH_OF_NAMES = 60

ADVICE = (
    ", for which nobody is dropped: mean scores in the wrong order, a hit in less than "
    f"{LEAST_SECONDS:g} s (divided by the number of hits that were open at once), one score more "
    f"than {LONGEST_RUN} times running."
)


@dataclass(frozen=True, slots=True)
class QualityReport:
    """All that `weigh human quality` says."""

    quality: Quality
    preset: Preset
    omissions: Sequence[Omission] = ()
    remarks: Sequence[str] = ()
    test_set: Extent = NO_TEST_SET


def _pieces(report: QualityReport) -> list[Piece]:
    kept = [each for each in report.quality.verdicts if each.kept]
    dropped = [each for each in report.quality.verdicts if not each.kept]
    judges = f"{plural(len(kept), 'judge')} kept, {len(dropped):,} dropped"
    reasons = _reasons([*dropped, *kept])
    advised = any(each.conduct.flags for each in report.quality.verdicts)
    return [
        Piece(judges, _without_why(verdicts_grid([kept, dropped])), [rule(report.preset)]),
        *(
            [Piece("Reasons", reasons, [f"In brackets stands advice{ADVICE}"] if advised else [])]
            if reasons.blocks
            else []
        ),
        steps_piece(report.quality.steps, report.omissions),
    ]


def _reasons(verdicts: Sequence[Verdict]) -> Grid:
    """Return all reasons and advice with the judges that they are about, in rows not too long."""
    found: dict[str, list[str]] = {}
    for each in verdicts:
        for text in _said(each):
            found.setdefault(text, []).append(each.judge)
    rows = []
    for text, names in sorted(found.items(), key=lambda item: item[0].startswith("[")):
        first, *others = _lines(names)
        rows.append([Cell(text), Cell(f"{len(names):,}"), Cell(first)])
        rows += [[Cell(""), Cell(""), Cell(line)] for line in others]
    columns = [Column("Why"), Column("Judges", kind="number"), Column("Who", kind="remark")]
    return Grid(columns, [rows] if rows else [])


def _lines(names: Sequence[str]) -> list[str]:
    """Return names in lines that are not too long, one at least in each."""
    lines = [names[0]]
    for name in names[1:]:
        if len(lines[-1]) + len(name) > _WIDTH_OF_NAMES:
            lines.append(name)
        else:
            lines[-1] += f", {name}"
    return lines


def _said(verdict: Verdict) -> list[str]:
    """Return why a judge is dropped, and advice in brackets."""
    return [*verdict.reasons, *(f"[{flag}]" for flag in verdict.conduct.flags)]


def _without_why(grid: Grid) -> Grid:
    """Return verdicts in a table that fits a terminal: the last column stands in one of its own."""
    return Grid(grid.columns[:-1], [[row[:-1] for row in block] for block in grid.blocks])


def rule(preset: Preset) -> str:
    """Return who stays, in words."""
    said = f"A judge stays if p ≤ {share(preset.alpha)} by {_TESTS[preset.test]}"
    if preset.least_seconds is not None:
        said += f", and if no hit takes less than {preset.least_seconds:g} s per {TASK} items"
    return f"{said}. Judges with a rejected hit are dropped before."


def verdicts_grid(blocks: Sequence[Sequence[Verdict]]) -> Grid:
    """Return judges in blocks, with what the test says, how they worked, and why it matters."""
    titles = ("p", "Controls", "Bad", "Outputs", "References", "Hits", "s/hit", "Run")
    columns = [
        Column("Judge"),
        Column("Verdict"),
        *(Column(title, kind="number") for title in titles),
        Column("Why", kind="remark"),
    ]
    return Grid(columns, [[_row(each) for each in block] for block in blocks if block])


def _row(verdict: Verdict) -> list[Cell]:
    conduct = verdict.conduct
    means = [conduct.means.get(kind) for kind in ("bad", "system", "reference")]
    run = NO_NUMBER if conduct.longest_run is None else f"{conduct.longest_run}"
    seconds = NO_NUMBER if conduct.seconds_per_hit is None else fixed(conduct.seconds_per_hit, 0)
    texts = [
        verdict.judge,
        "kept" if verdict.kept else "dropped",
        NO_NUMBER if verdict.p_value is None else probability(verdict.p_value),
        f"{verdict.controls:,}",
        *(NO_NUMBER if mean is None else fixed(mean, 1) for mean in means),
        f"{conduct.hits:,}",
        seconds,
        run,
        "; ".join(_said(verdict)),
    ]
    return [Cell(text) for text in texts]


def _signatures(report: QualityReport) -> list[tuple[str, str]]:
    preset = report.preset
    parts = {"preset": report.quality.preset, "test": preset.test, "alpha": share(preset.alpha)}
    if preset.least_seconds is not None:
        parts["seconds"] = f"{preset.least_seconds:g}"
    return [("quality", signature(parts))]


def verdict_fields(verdict: Verdict) -> dict[str, Any]:
    """Return what a program wants to know of a judge."""
    conduct = verdict.conduct
    return {
        "judge": verdict.judge,
        "kept": verdict.kept,
        "p_value": verdict.p_value,
        "controls": verdict.controls,
        "mean_bad": conduct.means.get("bad"),
        "mean_system": conduct.means.get("system"),
        "mean_reference": conduct.means.get("reference"),
        "judgments": conduct.judgments,
        "hits": conduct.hits,
        "rejected_hits": conduct.rejected_hits,
        "seconds_per_hit": conduct.seconds_per_hit,
        "least_seconds": conduct.least_seconds,
        "least_seconds_per_item": conduct.least_seconds_per_item,
        "longest_run": conduct.longest_run,
        "reasons": list(verdict.reasons),
        "flags": list(conduct.flags),
    }


def _records(report: QualityReport) -> list[dict[str, Any]]:
    return [verdict_fields(each) for each in report.quality.verdicts]


def _document(report: QualityReport) -> dict[str, Any]:
    preset = report.preset
    return {
        "test_set": report.test_set.fields,
        "preset": report.quality.preset,
        "test": preset.test,
        "alpha": preset.alpha,
        "least_seconds": preset.least_seconds,
        **step_fields(report.quality.steps, report.omissions),
        "judges": _records(report),
        "remarks": list(report.remarks),
    }


SHOWN = Presentation("human quality", _pieces, _signatures, _records, _document)

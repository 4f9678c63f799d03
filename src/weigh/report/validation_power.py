"""Power simulated from a pilot, as a table, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from weigh import __version__
from weigh.report import document, pieces, table, tsv
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import NO_NUMBER, fixed, percent, plural, share
from weigh.report.pieces import Piece

if TYPE_CHECKING:
    from weigh.validate.power import Need, Power, PowerResult


@dataclass(frozen=True, slots=True)
class PowerReport:
    """All that `weigh validate power` says; `digits` are the decimals of each metric."""

    result: PowerResult
    digits: Mapping[str, int] = field(default_factory=dict)

    def shown(self, metric: str, difference: float) -> str:
        """Return a difference with the decimals of its metric."""
        return fixed(difference, self.digits.get(metric, 3), sign=True)


def _pieces(report: PowerReport) -> Iterator[Piece]:
    result, plan = report.result, report.result.plan
    for metric, observed in result.observed.items():
        a, b = result.names
        yield Piece(
            f"{metric}: how often a difference is found",
            _powers_grid(metric, report),
            [
                f"Shares of {plural(plan.simulations, 'simulated data set')} with two-sided "
                f"p at most {share(plan.alpha)}, by the true difference and the number of "
                f"{result.unit}s{_per_system(result)}. Pilot: {a} and {b}, "
                f"{plural(result.pilot, result.unit)}{_per_system(result)}, difference "
                f"{report.shown(metric, observed)}."
            ],
        )
        needs = [need for need in result.needs if need.metric == metric]
        if needs:
            yield Piece(
                f"{metric}: {result.unit}s needed", _needs_grid(needs, report), _caution(needs)
            )


def _per_system(result: PowerResult) -> str:
    return " of each system" if result.unit == "judgment" else ""


def _caution(needs: list[Need]) -> list[str]:
    said = [
        "Differences are shares of the pilot's, which is itself uncertain: plan for a difference "
        "that matters, not for the one that was seen."
    ]
    if any(need.stated for need in needs):
        said.append("* a difference that was stated.")
    return said


def _powers_grid(metric: str, report: PowerReport) -> Grid:
    plan = report.result.plan
    chosen = [one for one in report.result.powers if one.metric == metric]
    columns = [Column("Test"), Column("True difference", kind="number")]
    columns += [Column(f"{size:,}", kind="number") for size in plan.sizes]
    blocks = []
    for test in dict.fromkeys(one.test for one in chosen):
        own = [one for one in chosen if one.test == test]
        rows = []
        for start in range(0, len(own), len(plan.sizes)):
            row = own[start : start + len(plan.sizes)]
            texts = [test, report.shown(metric, row[0].difference)]
            texts += [f"{one.found.share:.3f}" for one in row]
            rows.append([Cell(text) for text in texts])
        blocks.append(rows)
    return Grid(columns, blocks)


def _needs_grid(needs: list[Need], report: PowerReport) -> Grid:
    plan = report.result.plan
    tests = list(dict.fromkeys(one.test for need in needs for one in need.checks))
    columns = [Column("True difference", kind="number")]
    columns.append(Column(f"Needed for {percent(plan.power)}", kind="number"))
    columns += [Column(f"Found by {test} then", kind="number") for test in tests]
    rows = []
    for need in needs:
        shown = report.shown(need.metric, need.difference)
        texts = [f"* {shown}" if need.stated else shown, f"{need.size:,}"]
        found = {one.test: one for one in need.checks}
        texts += [_checked(found.get(test), plan.level) for test in tests]
        rows.append([Cell(text) for text in texts])
    return Grid(columns, [rows])


def _checked(one: Power | None, level: float) -> str:
    if one is None:
        return NO_NUMBER
    low, high = one.found.interval(level)
    return f"{one.found.share:.3f} [{low:.3f}, {high:.3f}]"


def _signatures(report: PowerReport) -> list[tuple[str, str]]:
    plan = report.result.plan
    parts = {
        "unit": report.result.unit,
        "simulations": plan.simulations,
        "trials": plan.trials,
        "alpha": share(plan.alpha),
        "seed": plan.seed,
        "version": f"weigh-{__version__}",
    }
    if report.result.unit == "judgment":
        del parts["trials"]
    study = "|".join(f"{name}:{value}" for name, value in parts.items())
    return [*report.result.signatures, ("power", study)]


def as_table(report: PowerReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text."""
    return pieces.as_table(_pieces(report), _signatures(report), screen)


def as_markdown(report: PowerReport) -> str:
    """Return pipe tables."""
    return pieces.as_markdown(_pieces(report), _signatures(report))


def as_latex(report: PowerReport) -> str:
    """Return a table for each of them."""
    return pieces.as_latex(_pieces(report))


def _fields(one: Power, level: float) -> dict[str, Any]:
    return {
        "metric": one.metric,
        "test": one.test,
        "difference": one.difference,
        "size": one.size,
        "found": one.found.count,
        "simulations": one.found.total,
        "power": one.found.share,
        "interval": one.found.interval(level),
    }


def as_tsv(report: PowerReport) -> str:
    """Return one row for every metric, test, difference and size, with all digits."""
    records = []
    for one in report.result.powers:
        record = _fields(one, report.result.plan.level)
        low, high = record.pop("interval")
        records.append(record | {"low": low, "high": high})
    rows = [[Cell(str(value)) for value in record.values()] for record in records]
    return tsv.render(Grid([Column(name) for name in records[0]], [rows]))


def as_json(report: PowerReport) -> str:
    """Return the document that programs read."""
    result, plan = report.result, report.result.plan
    return document.render(
        "validate power",
        {
            "systems": list(result.names),
            "unit": result.unit,
            "pilot": result.pilot,
            "observed": dict(result.observed),
            "alpha": plan.alpha,
            "wanted_power": plan.power,
            "simulations": plan.simulations,
            "trials": plan.trials,
            "seed": plan.seed,
            "level": plan.level,
            "signatures": dict(result.signatures),
            "powers": [_fields(one, plan.level) for one in result.powers],
            "needs": [
                {
                    "metric": need.metric,
                    "difference": need.difference,
                    "stated": need.stated,
                    "size": need.size,
                    "checks": [_fields(one, plan.level) for one in need.checks],
                }
                for need in result.needs
            ],
        },
    )


FORMATS: dict[str, Callable[[PowerReport], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "latex": as_latex,
}

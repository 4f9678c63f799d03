"""What is said of power simulated from a pilot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from weigh.report.document import NO_TEST_SET, Extent
from weigh.report.grid import Cell, Column, Grid
from weigh.report.metric_names import metric_name, named
from weigh.report.number import NO_NUMBER, fixed, percent, plural, share
from weigh.report.pieces import Piece, remarked
from weigh.report.presentation import Presentation, signature

if TYPE_CHECKING:
    from weigh.validate.power import Need, Power, PowerResult


@dataclass(frozen=True, slots=True)
class PowerReport:
    """All that `weigh validate power` says.

    `digits` are the decimals of each metric, `remarks` are on the data.
    """

    result: PowerResult
    digits: Mapping[str, int] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    test_set: Extent = NO_TEST_SET

    def decimals(self, metric: str) -> int:
        """Return with how many decimals a metric is shown."""
        return self.digits.get(metric, 3)

    def name(self, metric: str) -> str:
        """Return what a metric is called."""
        return metric_name(metric, self.result.signatures)

    def shown(self, metric: str, difference: float) -> str:
        """Return a difference with the decimals of its metric."""
        return fixed(difference, self.decimals(metric), sign=True)


def _pieces(report: PowerReport) -> Iterator[Piece]:
    for metric in report.result.observed:
        yield from pieces_of(metric, report)


def pieces_of(metric: str, report: PowerReport) -> Iterator[Piece]:
    """Return what is said of one metric."""
    result, plan = report.result, report.result.plan
    a, b = result.names
    yield Piece(
        f"{report.name(metric)}: how often a difference is found",
        _powers_grid(metric, report),
        [
            f"Shares of {plural(plan.simulations, 'simulated data set')} with two-sided "
            f"p at most {share(plan.alpha)}, by the true difference and the number of "
            f"{result.unit}s{per_system(result)}. Pilot: {a} and {b}, "
            f"{plural(result.pilot, result.unit)}{per_system(result)}, difference "
            f"{report.shown(metric, result.observed[metric])}.",
            *remarked(report.remarks),
        ],
    )
    needs = [need for need in result.needs if need.metric == metric]
    if needs:
        yield Piece(
            f"{report.name(metric)}: {result.unit}s needed",
            _needs_grid(needs, report),
            _caution(needs, report),
        )


def per_system(result: PowerResult) -> str:
    """Return what the sizes are sizes of, where that is not all data."""
    return " of each system" if result.unit == "judgment" else ""


def _caution(needs: list[Need], report: PowerReport) -> list[str]:
    said = [
        "Differences are shares of the pilot's, which is itself uncertain: plan for a difference "
        "that matters, not for the one that was seen."
    ]
    if any(len(need.steps) > 1 for need in needs):
        several = len(report.result.plan.tests) > 1
        said.append(
            "Where a simulation with the formula's number missed the aim, other numbers were "
            "simulated until one met it within its interval"
            f"{', by the test that finds the least' if several else ''}."
        )
    if any(need.steps and need.size not in need.steps for need in needs):
        said.append("Numbers above 10,000 were not simulated.")
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
        found = {one.test: one for one in need.steps.get(need.size, ())}
        texts += [_checked(found.get(test), plan.level) for test in tests]
        remarks = filter(None, (_searched(need), _missed(need, report)))
        rows.append([Cell(text) for text in (*texts, "; ".join(remarks))])
    if any(row[-1].text for row in rows):
        columns.append(Column("Remark", kind="remark"))
    return Grid(columns, [[row[: len(columns)] for row in rows]])


def _searched(need: Need) -> str:
    """Return what was simulated before the number that is needed, and found then."""
    before = [
        f"{size:,} ({min(one.found.share for one in checks):.3f})"
        for size, checks in need.steps.items()
        if size != need.size
    ]
    return f"formula {', then '.join(before)}" if before else ""


def _missed(need: Need, report: PowerReport) -> str:
    """Return whether the number that is needed misses the aim by the test that finds the least."""
    plan = report.result.plan
    checks = need.steps.get(need.size)
    if checks is None:
        return ""
    low, high = min((one.found for one in checks), key=lambda one: one.count).interval(plan.level)
    return "below the aim" if high < plan.power else "above the aim" if low > plan.power else ""


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
    }
    if report.result.unit == "judgment":
        del parts["trials"]
    return [*named(report.result.signatures), ("power", signature(parts))]


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


def _records(report: PowerReport) -> list[dict[str, Any]]:
    level = report.result.plan.level
    return [_fields(one, level) for one in report.result.powers]


def _document(report: PowerReport) -> dict[str, Any]:
    result = report.result
    return {
        "test_set": report.test_set.fields,
        "systems": list(result.names),
        "unit": result.unit,
        "pilot": result.pilot,
        "metrics": [
            {"metric": metric, "decimals": report.decimals(metric), "observed": observed}
            for metric, observed in result.observed.items()
        ],
        "plan": asdict(result.plan),
        "signatures": dict(result.signatures),
        "powers": _records(report),
        "needs": [
            {
                "metric": need.metric,
                "difference": need.difference,
                "stated": need.stated,
                "size": need.size,
                "checks": [_fields(one, result.plan.level) for one in need.checks],
            }
            for need in result.needs
        ],
        "remarks": list(report.remarks),
    }


SHOWN = Presentation("validate power", _pieces, _signatures, _records, _document)

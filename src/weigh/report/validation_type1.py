"""What is said of rejections of true null hypotheses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from weigh.report.document import NO_TEST_SET, Extent
from weigh.report.grid import Cell, Column, Grid
from weigh.report.metric_names import metric_name, named
from weigh.report.number import intervals, percent, plural, share
from weigh.report.pieces import Piece, remarked
from weigh.report.presentation import Presentation, signature

if TYPE_CHECKING:
    from weigh.validate.type1 import Rejections, Type1Result

_FLAWS = {
    "sacrebleu-bs": "sacrebleu-bs and moses-bs centre |d*| by its mean, so that one tail is lost "
    "(Graham et al. 2014, §2)",
    "moses-bs": "",
    "multeval": "multeval tosses a coin for every run, here three identical ones",
}


@dataclass(frozen=True, slots=True)
class Type1Report:
    """All that `weigh validate type1` says; `remarks` are on the data."""

    result: Type1Result
    remarks: Sequence[str] = ()
    test_set: Extent = NO_TEST_SET

    def name(self, metric: str) -> str:
        """Return what a metric is called."""
        return metric_name(metric, self.result.signatures)


def _pieces(report: Type1Report) -> Iterator[Piece]:
    result, plan = report.result, report.result.plan
    made = (
        "by exchanging the outputs of "
        f"{' and '.join(result.names)}, {result.unit} by {result.unit}, by fair coins"
        if result.outputs == 2 and len(result.names) == 2
        else f"by drawing two of {result.outputs} outputs for each {result.unit}"
    )
    said = [
        f"Shares of {plural(plan.nulls, 'pair')} of equal systems with p at most α, with "
        f"{percent(plan.level)} intervals (Clopper & Pearson); the pairs were made {made}, from "
        f"{plural(result.size, result.unit)}, {plan.trials:,} trials, a new seed each. "
        "Doubled: twice the smaller one-sided p-value.",
        "Too often, too seldom: where the interval would still exclude α if it were as wide as "
        f"{plural(len(result.rejections), 'share')} together need for {percent(plan.level)} "
        f"(Bonferroni); so a table of exact tests has even one such remark in at most "
        f"{percent(1 - plan.level)} of cases.",
    ]
    flaws = [_FLAWS[test] for test in plan.compat if _FLAWS[test]]
    if flaws:
        said.append(f"Flawed formulas of other tools: {'; '.join(flaws)}.")
    said += remarked(report.remarks)
    yield Piece("Rejections of a true null hypothesis", _grid(report), said)


def _grid(report: Type1Report) -> Grid:
    result, plan = report.result, report.result.plan
    columns = [Column("Metric"), Column("Test"), Column("Alternative")]
    for alpha in plan.alphas:
        columns.append(Column(f"α = {share(alpha)}", kind="number"))
        columns.append(Column(f"{percent(plan.level)} interval", kind="number", attached=True))
    columns.append(Column("Remark", kind="remark"))
    found = {(one.metric, one.test, one.alternative, one.alpha): one for one in result.rejections}
    blocks = []
    for metric in dict.fromkeys(one.metric for one in result.rejections):
        kinds = [[found[metric, *kind, alpha] for alpha in plan.alphas] for kind in plan.kinds]
        ends = [
            intervals([kind[at].found.interval(plan.level) for kind in kinds], 3)
            for at in range(len(plan.alphas))
        ]
        rows = []
        for number, kind in enumerate(kinds):
            texts = [report.name(metric), kind[0].test, kind[0].alternative]
            for at, one in enumerate(kind):
                texts += [f"{one.found.share:.3f}", ends[at][number]]
            rows.append([Cell(text) for text in (*texts, _remark(kind, result))])
        blocks.append(rows)
    return Grid(columns, blocks)


def _remark(kind: list[Rejections], result: Type1Result) -> str:
    """Return at which levels a test rejects too often, or too seldom, to be chance."""
    found: dict[str, list[str]] = {}
    for one in kind:
        verdict = one.verdict(result.verdict_level)
        if verdict is not None:
            found.setdefault(verdict, []).append(share(one.alpha))
    return "; ".join(f"{verdict} at {', '.join(alphas)}" for verdict, alphas in found.items())


def _signatures(report: Type1Report) -> list[tuple[str, str]]:
    result, plan = report.result, report.result.plan
    parts = {
        "nulls": plan.nulls,
        "unit": result.unit,
        "size": result.size,
        "trials": plan.trials,
        "seed": plan.seed,
    }
    return [*named(result.signatures), ("type1", signature(parts))]


def _fields(one: Rejections, result: Type1Result) -> dict[str, Any]:
    return {
        "metric": one.metric,
        "test": one.test,
        "alternative": one.alternative,
        "alpha": one.alpha,
        "rejected": one.found.count,
        "nulls": one.found.total,
        "share": one.found.share,
        "interval": one.found.interval(result.plan.level),
        "verdict": one.verdict(result.verdict_level),
    }


def _records(report: Type1Report) -> list[dict[str, Any]]:
    return [_fields(one, report.result) for one in report.result.rejections]


def _document(report: Type1Report) -> dict[str, Any]:
    result = report.result
    return {
        "test_set": report.test_set.fields,
        "systems": list(result.names),
        "outputs": result.outputs,
        "unit": result.unit,
        "size": result.size,
        "plan": asdict(result.plan),
        "signatures": dict(result.signatures),
        "rejections": _records(report),
        "remarks": list(report.remarks),
    }


SHOWN = Presentation("validate type1", _pieces, _signatures, _records, _document)

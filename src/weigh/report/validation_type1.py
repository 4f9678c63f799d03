"""Rejections of true null hypotheses, as a table, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh import __version__
from weigh.report import document, pieces, table, tsv
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import intervals, percent, plural, share
from weigh.report.pieces import Piece

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
    """All that `weigh validate type1` says."""

    result: Type1Result


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
        "Doubled: twice the smaller one-sided p-value."
    ]
    flaws = [_FLAWS[test] for test in plan.compat if _FLAWS[test]]
    if flaws:
        said.append(f"Flawed formulas of other tools: {'; '.join(flaws)}.")
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
            texts = [metric, kind[0].test, kind[0].alternative]
            for at, one in enumerate(kind):
                texts += [f"{one.found.share:.3f}", ends[at][number]]
            rows.append([Cell(text) for text in (*texts, _remark(kind, plan.level))])
        blocks.append(rows)
    return Grid(columns, blocks)


def _remark(kind: list[Rejections], level: float) -> str:
    """Return at which levels a test rejects too often, or too seldom, to be chance."""
    often = [one.alpha for one in kind if one.found.interval(level)[0] > one.alpha]
    seldom = [one.alpha for one in kind if one.found.interval(level)[1] < one.alpha]
    said = []
    for word, alphas in (("often", often), ("seldom", seldom)):
        if alphas:
            said.append(f"too {word} at {', '.join(map(share, alphas))}")
    return "; ".join(said)


def _signatures(report: Type1Report) -> list[tuple[str, str]]:
    result, plan = report.result, report.result.plan
    parts = {
        "nulls": plan.nulls,
        "unit": result.unit,
        "size": result.size,
        "trials": plan.trials,
        "seed": plan.seed,
        "version": f"weigh-{__version__}",
    }
    study = "|".join(f"{name}:{value}" for name, value in parts.items())
    return [*result.signatures, ("type1", study)]


def as_table(report: Type1Report, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text."""
    return pieces.as_table(_pieces(report), _signatures(report), screen)


def as_markdown(report: Type1Report) -> str:
    """Return a pipe table."""
    return pieces.as_markdown(_pieces(report), _signatures(report))


def as_latex(report: Type1Report) -> str:
    """Return a table."""
    return pieces.as_latex(_pieces(report))


def _fields(one: Rejections, level: float) -> dict[str, Any]:
    return {
        "metric": one.metric,
        "test": one.test,
        "alternative": one.alternative,
        "alpha": one.alpha,
        "rejected": one.found.count,
        "nulls": one.found.total,
        "share": one.found.share,
        "interval": one.found.interval(level),
    }


def as_tsv(report: Type1Report) -> str:
    """Return one row for every metric, test, alternative and level, with all digits."""
    records = []
    for one in report.result.rejections:
        record = _fields(one, report.result.plan.level)
        low, high = record.pop("interval")
        records.append(record | {"low": low, "high": high})
    rows = [[Cell(str(value)) for value in record.values()] for record in records]
    return tsv.render(Grid([Column(name) for name in records[0]], [rows]))


def as_json(report: Type1Report) -> str:
    """Return the document that programs read."""
    result, plan = report.result, report.result.plan
    return document.render(
        "validate type1",
        {
            "systems": list(result.names),
            "outputs": result.outputs,
            "unit": result.unit,
            "size": result.size,
            "nulls": plan.nulls,
            "trials": plan.trials,
            "seed": plan.seed,
            "level": plan.level,
            "signatures": dict(result.signatures),
            "rejections": [_fields(one, plan.level) for one in result.rejections],
        },
    )


FORMATS: dict[str, Callable[[Type1Report], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "latex": as_latex,
}

"""What is said of small samples held against a large test set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from weigh.report import document
from weigh.report.document import NO_TEST_SET, Extent
from weigh.report.grid import Cell, Column, Grid
from weigh.report.metric_names import metric_name, named
from weigh.report.number import NO_NUMBER, fixed, percent, plural
from weigh.report.pieces import Piece, remarked
from weigh.report.presentation import Presentation, signature

if TYPE_CHECKING:
    from weigh.stats.proportion import Proportion
    from weigh.validate.samples import PairAtSize, SamplesResult, Truth

# More pairs than this are shown in as many groups as _GROUPS.
_LONGEST_LIST = 20
_GROUPS = 10
_DESIGNS = {
    "drawn": "drawn with replacement",
    "broad": "spread over the whole",
    "block": "consecutive",
}


@dataclass(frozen=True, slots=True)
class SamplesReport:
    """All that `weigh validate samples` says.

    `digits` are the decimals of each metric, `remarks` are on the data.
    """

    result: SamplesResult
    digits: Mapping[str, int] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    test_set: Extent = NO_TEST_SET

    def decimals(self, metric: str) -> int:
        """Return with how many decimals a metric is shown."""
        return self.digits.get(metric, 2)

    def name(self, metric: str) -> str:
        """Return what a metric is called."""
        return metric_name(metric, self.result.signatures)


def _pieces(report: SamplesReport) -> Iterator[Piece]:
    result = report.result
    for truth in result.truths:
        yield spread_piece(truth, report)
        yield conclusions_piece(truth, report)
        yield brackets_piece(truth, report)


def spread_piece(truth: Truth, report: SamplesReport) -> Piece:
    """Return how samples scatter: Koehn (2004), figures 2 to 4 and 6, in numbers."""
    result, decimals = report.result, report.decimals(truth.metric)
    level = percent(result.plan.level)
    columns = [Column("Samples"), Column("Size", kind="number"), Column("Number", kind="number")]
    columns += [
        Column("SD of scores", kind="number"),
        Column("SD of differences", kind="number"),
        Column("Truth inside", kind="number"),
    ]
    blocks: dict[str, list[list[Cell]]] = {}
    for one in result.spreads:
        if one.metric == truth.metric:
            texts = [_DESIGNS[one.design], f"{one.size:,}", f"{one.samples:,}"]
            texts += [fixed(one.score, decimals), fixed(one.difference, decimals)]
            texts.append(_percentage(one.covered))
            blocks.setdefault(one.design, []).append([Cell(text) for text in texts])
    said = [
        f"{plural(len(result.names), 'system')}, {plural(result.units, result.unit)} in all, whose "
        "scores are the truth. SD: standard deviation over samples, mean over systems or pairs. "
        f"Truth inside: share of {level} bootstrap intervals of a system's score, "
        f"{result.plan.trials:,} trials each, that hold it.",
        *remarked(report.remarks),
    ]
    return Piece(
        f"{report.name(truth.metric)}: scores of samples",
        Grid(columns, list(blocks.values())),
        said,
    )


def conclusions_piece(truth: Truth, report: SamplesReport) -> Piece:
    """Return how often a conclusion is drawn and is right: Koehn (2004), table 3."""
    result, plan = report.result, report.result.plan
    found: dict[int, dict[int, PairAtSize]] = {}
    for one in result.conclusions:
        if one.metric == truth.metric:
            found.setdefault(one.pair, {})[one.size] = one
    order = sorted(found, key=lambda pair: abs(float(truth.differences[pair])))
    listed = len(order) <= _LONGEST_LIST
    groups = [[pair] for pair in order]
    if not listed:
        ends = [len(order) * n // _GROUPS for n in range(_GROUPS + 1)]
        groups = [order[start:stop] for start, stop in pairwise(ends)]
    keys = ["A", "B"] if listed else ["Pairs"]
    columns = [*map(Column, keys), Column("Difference", kind="number")]
    for size in plan.sizes:
        columns.append(Column(f"{size:,}: right", kind="number"))
        columns.append(Column("wrong", kind="number", attached=True))
    rows = []
    for group in groups:
        texts = _key(group, truth, report, listed=listed)
        for size in plan.sizes:
            samples = sum(found[pair][size].samples for pair in group)
            for count in ("right", "wrong"):
                share = sum(getattr(found[pair][size], count) for pair in group) / samples
                texts.append(fixed(100 * share, 1))
        rows.append([Cell(text) for text in texts])
    unclear = int((~truth.clear).sum())
    said = [
        f"Per cent of {plan.samples:,} samples, drawn with replacement, of each size in which the "
        f"bootstrap is at least {percent(plan.level)} sure which of two systems is better, and is "
        "right or wrong; in all others no conclusion is drawn."
    ]
    if unclear:
        said.append(
            f"~ {plural(unclear, 'pair')} with a difference of less than two standard errors of "
            "the whole test set: which one is better is known of these texts alone."
        )
    tied = int((truth.differences == 0).sum())
    if tied:
        said.append(f"{plural(tied, 'pair')} with equal scores left out: nothing is right of them.")
    return Piece(f"{report.name(truth.metric)}: conclusions", Grid(columns, [rows]), said)


def _key(group: Sequence[int], truth: Truth, report: SamplesReport, *, listed: bool) -> list[str]:
    """Return what a row of pairs is about, the better system first."""
    result, decimals = report.result, report.decimals(truth.metric)
    sizes = [abs(float(truth.differences[pair])) for pair in group]
    if not listed:
        marks = sum(not truth.clear[pair] for pair in group)
        count = f"{len(group)}" + f" (~ {marks})" * (marks > 0)
        return [count, f"{fixed(sizes[0], decimals)} to {fixed(sizes[-1], decimals)}"]
    [pair] = group
    a, b = (result.names[at] for at in result.pairs[pair])
    if truth.differences[pair] < 0:
        a, b = b, a
    mark = "" if truth.clear[pair] else "~ "
    return [a, b, f"{mark}{fixed(sizes[0], decimals)}"]


def brackets_piece(truth: Truth, report: SamplesReport) -> Piece:
    """Return how often conclusions of a level are right: Koehn (2004), table 4."""
    plan = report.result.plan
    columns = [Column("Level")]
    for size in plan.sizes:
        columns.append(Column(f"{size:,}: right", kind="number"))
        columns.append(Column("of", kind="number", attached=True))
        columns.append(Column("clear pairs", kind="number", attached=True))
    found = [one for one in report.result.brackets if one.metric == truth.metric]
    rows = []
    for low, high in dict.fromkeys((one.low, one.high) for one in found):
        texts = [f"{100 * low:.0f} to {100 * high:.0f}%"]
        for size in plan.sizes:
            [one] = [each for each in found if (each.low, each.size) == (low, size)]
            texts += [_percentage(one.right), f"{one.right.total:,}", _percentage(one.clear)]
        rows.append([Cell(text) for text in texts])
    said = [
        "Conclusions on all pairs in all samples drawn with replacement, by the share of trials in "
        "which one system is better: how many of them are right, and how many on pairs that "
        "differ by at least two standard errors."
    ]
    return Piece(f"{report.name(truth.metric)}: accuracy by level", Grid(columns, [rows]), said)


def _percentage(one: Proportion) -> str:
    return f"{100 * one.share:.1f}%" if one.total else NO_NUMBER


def _signatures(report: SamplesReport) -> list[tuple[str, str]]:
    result, plan = report.result, report.result.plan
    parts = {
        "unit": result.unit,
        "sizes": "+".join(map(str, plan.sizes)),
        "samples": plan.samples,
        "trials": plan.trials,
        "level": f"{plan.level:g}",
        "seed": plan.seed,
    }
    return [*named(result.signatures), ("samples", signature(parts))]


def _records(report: SamplesReport) -> list[dict[str, Any]]:
    result = report.result
    truths = {truth.metric: truth for truth in result.truths}
    records = []
    for one in result.conclusions:
        truth = truths[one.metric]
        a, b = result.pairs[one.pair]
        records.append(
            {
                "metric": one.metric,
                "a": result.names[a],
                "b": result.names[b],
                "difference": float(truth.scores[a] - truth.scores[b]),
                "standard_error": float(truth.errors[one.pair]),
                "clear": bool(truth.clear[one.pair]),
                "size": one.size,
                "samples": one.samples,
                "right": one.right,
                "wrong": one.wrong,
            }
        )
    return records


def _document(report: SamplesReport) -> dict[str, Any]:
    """Return what programs read, with all that pictures need."""
    result = report.result
    named = [(result.names[a], result.names[b]) for a, b in result.pairs]
    return {
        "test_set": report.test_set.fields,
        "systems": list(result.names),
        "unit": result.unit,
        "units": result.units,
        "plan": asdict(result.plan),
        "metrics": [
            {
                "metric": truth.metric,
                "decimals": report.decimals(truth.metric),
                "lower_is_better": not truth.higher_is_better,
            }
            for truth in result.truths
        ],
        "signatures": dict(result.signatures),
        "scores": [
            {"metric": truth.metric, "system": name, "score": float(score)}
            for truth in result.truths
            for name, score in zip(result.names, truth.scores, strict=True)
        ],
        "pairs": [
            {
                "metric": truth.metric,
                "a": a,
                "b": b,
                "advantage": float(truth.differences[at]),
                "standard_error": float(truth.errors[at]),
            }
            for truth in result.truths
            for at, (a, b) in enumerate(named)
        ],
        "spread": [
            {
                "metric": one.metric,
                "design": one.design,
                "size": one.size,
                "samples": one.samples,
                "sd_score": document.number(one.score),
                "sd_difference": document.number(one.difference),
                "intervals": one.covered.total,
                "covering": one.covered.count,
            }
            for one in result.spreads
        ],
        "conclusions": _records(report),
        "brackets": [
            {
                "metric": one.metric,
                "size": one.size,
                "low": one.low,
                "high": one.high,
                "conclusions": one.right.total,
                "right": one.right.count,
                "clear_conclusions": one.clear.total,
                "clear_right": one.clear.count,
            }
            for one in result.brackets
        ],
        "shown": list(result.shown),
        "series": [
            {
                "metric": one.metric,
                "design": one.draw.design,
                "size": one.draw.size,
                "sample": one.draw.number + 1,
                "scores": one.scores,
                "intervals": one.intervals,
                "better": one.better,
                "worse": one.worse,
            }
            for one in result.series
        ],
        "remarks": list(report.remarks),
    }


SHOWN = Presentation("validate samples", _pieces, _signatures, _records, _document)

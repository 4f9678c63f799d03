"""Pairs of systems as rows of tables, the better system first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from weigh.comparing.compare_result import WITHOUT_FAILURE
from weigh.comparing.methods import too_few
from weigh.comparing.scopes import MACRO
from weigh.report.grid import Cell, Column, Grid, Interval
from weigh.report.phrases import join_texts
from weigh.types import grouped
from weigh.wording import percent, plural

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Comparison
    from weigh.report.compared import CompareReport

_CONCLUSIONS = {
    "undecided": "no evidence",
    "contradictory": "none: test and scores disagree",
    "inconclusive": "none: test set too small",
    "untested": "cannot be tested",
}
_MARGINS = {
    "equivalent": "equivalent within {}",
    "not worse": "not worse by more than {}",
    "worse": "worse by more than {}",
    "undecided": "undecided (margin {})",
    None: "",
}
_DISAGREES = "†"
# Text formats show at most this many pairs by a metric and a test.
_LIMIT = 20
_FEWEST_ROWS = 3  # of a slice
_MOST_REASONS = 6
# A sentence reports identical outputs from this share on.
_NOTABLE = 0.2

_IN_POINTS = "Differences are in percentage points."
DETECTABLE = "Detectable: the true difference that this test set would detect with about 80% power"


@dataclass(frozen=True, slots=True)
class PairRow:
    """A tested pair, oriented so that a positive difference means that `first` is better.

    If `flipped`, `first` is the comparison's b.
    """

    pair: Comparison
    first: str
    second: str
    flipped: bool
    sign: int
    winner: str | None
    too_few: str | None

    @classmethod
    def of(cls, report: CompareReport, pair: Comparison, *, keeps_order: bool = False) -> PairRow:
        """Put the better system first, except with a baseline or in a one-sided test."""
        higher = report.higher_is_better(pair.metric)
        has_baseline = report.result.plan.baseline is not None
        can_flip = not (keeps_order or has_baseline or pair.alternative != "two-sided")
        flipped = can_flip and (pair.difference < 0) == higher and pair.difference != 0
        first, second = (pair.b, pair.a) if flipped else (pair.a, pair.b)
        sign = (1 if higher else -1) * (-1 if flipped else 1)
        winner = pair.winner(higher_is_better=higher)
        return cls(pair, first, second, flipped, sign, winner, too_few(pair, report.result))

    @property
    def difference(self) -> float:
        """The difference, positive if `first` is better."""
        return self.sign * self.pair.difference

    @property
    def interval(self) -> Interval | None:
        """The interval of `difference`."""
        pair = self.pair
        if pair.interval is None:
            return None
        low, high = pair.interval
        # If the test rejects 0 at the level of the interval, an end of 0 is open.
        ends = (low, high) if self.sign > 0 else (-high, -low)
        return Interval(*ends, pair.excludes_zero)

    @property
    def detectable(self) -> float | None:
        """The detectable difference of a pair that is not significant, if one is known."""
        return None if self.pair.significant or self.too_few else self.pair.detectable

    @property
    def counts(self) -> str | None:
        """The items won, tied and lost by `first`."""
        pair = self.pair
        if pair.wins is None:
            return None
        ends = (pair.losses, pair.wins) if self.flipped else (pair.wins, pair.losses)
        return f"{ends[0]}/{pair.ties}/{ends[1]}"

    def conclusion(self, *, against_baseline: bool = False) -> Cell:
        """The conclusion in words; a lack of evidence is never called equality."""
        if self.winner is None:
            is_open = self.pair.verdict in ("undecided", "inconclusive")
            return Cell(_CONCLUSIONS[self.pair.verdict], tone="open" if is_open else "")
        is_first = self.winner == self.first
        if against_baseline or self.pair.alternative == "worse":
            return Cell("better", tone="good") if is_first else Cell("worse", tone="bad")
        return Cell("A is better" if is_first else "B is better", tone="good")


def pairs_grid(report: CompareReport, *, sliced: bool = False) -> Grid:
    """The pairs of the whole test set, or of each slice, by test and metric."""
    pairs = [
        pair
        for tested in report.tests.values()
        for pair in tested
        if (pair.slice is not None) == sliced
    ]
    blocks = _blocks(report, pairs)
    rows = [row for block in blocks for row in block]
    columns, merged = _pair_columns(report, rows), _merge_single(blocks)
    label = f"Pairs by {report.slice_word}" if sliced else "Pairs"
    baseline = report.result.plan.baseline
    title = label if baseline is None else f"{label}: each system against {baseline}"
    if sliced:  # the columns are explained above
        return Grid(
            [replace(column, note="") for column in columns],
            merged,
            title,
            [f"Conclusions are not adjusted for the number of {report.slice_word}s."],
            limit=max(_LIMIT // len(merged), _FEWEST_ROWS),
            section="Pairs",
            folded=label,
        )
    return Grid(
        columns,
        merged,
        title,
        _notes(report, rows),
        limit=_LIMIT,
        section="Pairs",
        significant=[row.pair.decided for row in rows],
        choices={
            "Metric": [report.titles[row.pair.metric] for row in rows],
            "Test": [row.pair.test for row in rows],
        },
    )


def _blocks(
    report: CompareReport, pairs: Sequence[Comparison], *, keeps_order: bool = False
) -> list[list[PairRow]]:
    """The rows of pairs by test, metric and slice, in rank order."""
    groups = grouped(pairs, lambda pair: (pair.test, pair.metric, pair.slice))
    return [
        [
            PairRow.of(report, pair, keeps_order=keeps_order)
            for pair in sorted(group, key=_rank_order(report, group[0]))
        ]
        for group in groups.values()
    ]


def _merge_single(blocks: Sequence[Sequence[PairRow]]) -> Sequence[Sequence[PairRow]]:
    """Merge blocks of one row each: lines between all rows would not help."""
    if all(len(block) == 1 for block in blocks):
        return [[row for block in blocks for row in block]]
    return blocks


def _rank_order(
    report: CompareReport, pair: Comparison
) -> Callable[[Comparison], tuple[int, int, int]]:
    """A sort key: the best systems first, but neighbours first if not all pairs can be shown."""
    places = report.places[pair.metric, pair.slice]
    last = len(places)
    many = last * (last - 1) > 2 * _LIMIT and report.result.plan.baseline is None

    def order(pair: Comparison) -> tuple[int, int, int]:
        a, b = places.get(pair.a, last), places.get(pair.b, last)
        return abs(a - b) if many else 0, min(a, b), max(a, b) * 2 + (a > b)

    return order


def _pair_columns(report: CompareReport, rows: Sequence[PairRow]) -> list[Column]:
    """The columns of a table of pairs; columns that would be empty are omitted."""
    plan = report.result.plan
    is_adjusted = any(row.pair.p_adjusted != row.pair.p_value for row in rows)

    def interval(row: PairRow) -> Cell:
        mark = _DISAGREES if row.pair.interval_contradicts else ""
        return report.cell(row.pair.metric, row.interval, raised=mark)

    def conclusion(row: PairRow) -> Cell:
        return row.conclusion(against_baseline=plan.baseline is not None)

    columns = [
        *_key_columns(report, rows),
        Column("Better by", partial(_difference, report), "difference"),
        Column(
            "p adjusted" if is_adjusted else "p",
            "pair.p_adjusted",
            "p",
            note="Conclusions use p adjusted for the number of comparisons." if is_adjusted else "",
        ),
        Column("Conclusion", conclusion, "text", optional=1),
        Column(
            f"{percent(plan.level)} interval",
            interval,
            "interval",
            optional=2,
            note=" ".join(_interval_notes(report, rows, is_adjusted=is_adjusted)),
        ),
    ]
    if is_adjusted:
        columns.append(Column("p", "pair.p_value", "p", optional=4, note="p: before adjustment."))
    if any(row.pair.wins is not None for row in rows):
        whose = "A" if plan.baseline is None else "the system"
        note = f"W/T/L: {report.item}s won, tied and lost by {whose}."
        columns.append(Column("W/T/L", "counts", "number", optional=5, note=note))
    if any(row.detectable is not None for row in rows):

        def detectable(row: PairRow) -> Cell:
            return report.cell(row.pair.metric, "" if row.pair.significant else row.detectable)

        note = DETECTABLE
        if is_adjusted:
            note += ", for this number of comparisons"
        unknown = any(row.detectable is None for row in rows if not row.pair.significant)
        note += f". A dash: too few {report.result.unit}s differ to tell." if unknown else "."
        columns.append(Column("Detectable", detectable, "size", optional=3, note=note))
    return columns


def _interval_notes(
    report: CompareReport, rows: Sequence[PairRow], *, is_adjusted: bool
) -> Iterator[str]:
    if is_adjusted:
        yield "Intervals are unadjusted: each describes one pair on its own."
    if any(
        row.interval and _is_open_at_zero(report, row.pair.metric, row.interval) for row in rows
    ):
        yield "A round bracket beside 0: the interval does not contain 0."


def _is_open_at_zero(report: CompareReport, metric: str, interval: Interval) -> bool:
    scale = 100 if report.is_percent(metric) else 1
    return interval.excludes_zero and 0.0 in interval.ends(scale, report.decimals(metric))


def _difference(report: CompareReport, row: PairRow) -> Cell:
    return report.cell(row.pair.metric, row.difference)


def _key_columns(report: CompareReport, rows: Sequence[PairRow]) -> Iterator[Column]:
    """Yield the columns that identify a pair."""
    if len({row.pair.test for row in rows}) > 1:
        yield Column("Test", "pair.test", nowrap=True)
    if len(report.titles) > 1:
        yield Column("Metric", lambda row: report.titles[row.pair.metric], nowrap=True)
    if any(row.pair.slice is not None for row in rows):
        heading = report.slice_word.capitalize()
        yield Column(heading, lambda row: row.pair.slice or report.overall)
    if report.result.plan.baseline is not None:
        yield Column("System", "first", is_system=True)
    else:
        yield Column("A", "first", is_system=True)
        yield Column("B", "second", is_system=True)


def _notes(report: CompareReport, rows: Sequence[PairRow]) -> list[str]:
    """Sentences on how to read the columns, and cautions."""
    pairs = [row.pair for row in rows]
    notes = []
    if any(map(report.is_percent, report.titles)):
        notes.append(_IN_POINTS)
    if any(pair.interval_contradicts for pair in pairs):
        notes.append(
            f"{_DISAGREES} The interval and the test disagree on whether the difference is 0."
        )
    notes += report.label_cautions(pairs)
    is_open = [row.pair for row in rows if not row.pair.significant and row.too_few is None]
    if is_open and all(pair.differs_too_rarely for pair in is_open):
        notes.append(
            f"Too few {report.result.unit}s differ to tell which differences this test set would "
            "detect."
        )
    return notes


# Margins and sample sizes.


def margins_grid(report: CompareReport) -> Iterator[Grid]:
    """Yield the table of --margin, if it is used.

    Margins have a direction, so the systems of a pair keep their order.
    """
    pairs = [pair for pair in report.tests[report.first_test] if pair.margin is not None]
    if pairs:
        blocks = _blocks(report, pairs, keeps_order=True)
        yield _short_grid(
            report, blocks, _margin_columns(report), "Margins", _margin_notes(report, pairs)
        )


def sample_sizes_grid(report: CompareReport) -> Iterator[Grid]:
    """Yield the table of --detect, if it is used."""
    detect = report.result.plan.detect
    pairs = [pair for pair in report.tests[report.first_test] if pair.metric in detect]
    if pairs:

        def size(row: PairRow) -> str:
            return _size(report, row.pair.metric, detect[row.pair.metric])

        columns = [
            Column("Difference to detect", size, "number"),
            Column(f"{_units(report)} needed", "pair.units_needed", "count", attached=True),
        ]
        blocks = _blocks(report, pairs)
        grid = _short_grid(report, blocks, columns, "Sample sizes", _size_notes(report, pairs))
        yield replace(grid, level="brief")


def _short_grid(
    report: CompareReport,
    blocks: Sequence[Sequence[PairRow]],
    columns: Iterable[Column],
    title: str,
    notes: Sequence[str],
) -> Grid:
    """A table of pairs with other columns than those of the tests."""
    keys = _key_columns(report, [row for block in blocks for row in block])
    return Grid([*keys, *columns], _merge_single(blocks), title, notes, limit=_LIMIT)


def _units(report: CompareReport) -> str:
    return f"{report.result.unit.capitalize()}s"


def _size(report: CompareReport, metric: str, value: float | None) -> str:
    """A difference stated by the user, in percentage points if the metric is a share."""
    return "" if value is None else f"{report.scaled(metric, value):g}"


def _margin_columns(report: CompareReport) -> Iterator[Column]:
    """Yield the differences with their bounds, and the conclusions about margins."""
    plan = report.result.plan

    def bounds(row: PairRow) -> Cell:
        ends = row.pair.margin_interval
        return report.cell(row.pair.metric, Interval(*ends) if ends else None)

    def conclusion(row: PairRow) -> str:
        margin = _size(report, row.pair.metric, row.pair.margin)
        return _MARGINS[row.pair.margin_conclusion].format(margin)

    level = percent(1 - plan.alpha)
    note = f"Bounds are one-sided, each at {level}."
    yield Column("Difference", partial(_difference, report), "difference")
    yield Column(f"{level} bounds", bounds, "interval", attached=True, optional=1, note=note)
    yield Column("Margin", conclusion, "text", attached=True)


def _margin_notes(report: CompareReport, pairs: Sequence[Comparison]) -> list[str]:
    """The meaning of the conclusions, and the reasons for those reached in another way."""
    plan, unit = report.result.plan, report.result.unit
    better = "A is better" if plan.baseline is None else "better than the baseline"
    condition = f", computed with one more {unit} at the worst possible score"
    alone = f", computed without that {unit},"
    if plan.strict or plan.anytime:
        condition = f"; the bounds hold for any number of {unit}s"
        alone = ""
    elif all((pair.margin_reason or "").startswith(WITHOUT_FAILURE) for pair in pairs):
        condition = alone = ""
    pairs_by_reason: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.margin_reason is not None:
            by = f" by {report.titles[pair.metric]}" if len(report.titles) > 1 else ""
            part = "the macro mean" if pair.slice == MACRO else pair.slice
            where = "" if part is None else f" in {part}"
            name = f"{pair.a} and {pair.b}{by}{where}"
            pairs_by_reason.setdefault(pair.margin_reason, []).append(name)
    # How bounds were computed comes first: the methods refer to it.
    reasons = [
        f"{'Every pair' if len(names) == len(pairs) > 1 else join_texts(names)}: {reason}."
        for reason, names in sorted(
            pairs_by_reason.items(), key=lambda entry: not entry[0].startswith(WITHOUT_FAILURE)
        )
    ]
    more = len(reasons) - _MOST_REASONS
    if any(pair.margin_verdict == "fail" for pair in pairs):
        condition += f". Worse: the upper bound{alone} is below minus the margin"
    return [
        f"Difference: positive if {better}. Not worse: the lower bound is above minus the "
        f"margin{condition}. Equivalent: both bounds are within the margin.",
        *reasons[:_MOST_REASONS],
        *([f"And {plural(more, 'more reason')}."] if more > 0 else []),
    ]


def _size_notes(report: CompareReport, pairs: Sequence[Comparison]) -> list[str]:
    unit = report.result.unit
    notes = [
        f"{_units(report)} needed: to detect the difference with about 80% power, if it is the "
        "true difference."
    ]
    if any(report.is_percent(pair.metric) for pair in pairs):
        notes.append(_IN_POINTS)
    without = [pair for pair in pairs if pair.units_needed is None]
    reasons = []
    if any(pair.detectable is None for pair in without):
        reasons.append(f"too few {unit}s differ to tell")
    if any(pair.detectable is not None for pair in without):
        reasons.append(f"no number of {unit}s is enough, since runs vary too much; use more runs")
    if reasons:
        notes.append(f"A dash: {', or '.join(reasons)}.")
    return notes


def identical_outputs(report: CompareReport) -> list[str]:
    """A sentence on pairs with many identical outputs; identical scores are ties in the table."""
    pairs = {
        frozenset((pair.a, pair.b)): pair
        for pair in report.first_pairs
        if (pair.identical or 0) >= _NOTABLE and report.content(pair.metric) == "outputs"
    }
    if not pairs:
        return []
    ordered = sorted(pairs.values(), key=lambda pair: -(pair.identical or 0))
    texts = [f"{pair.a} and {pair.b} {percent(round(pair.identical or 0, 2))}" for pair in ordered]
    return [f"Share of {report.item}s with identical outputs: {join_texts(texts)}."]

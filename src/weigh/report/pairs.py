"""Pairs of systems as lists, as triangles and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING

from weigh.comparing.methods import is_powerless
from weigh.report.compared import CompareReport
from weigh.report.grid import Cell, Column, Grid
from weigh.report.phrases import (
    GIVEN_SCORES,
    NO_EVIDENCE,
    rank_text,
    rank_title,
)
from weigh.report.scores import OVERALL, Superscripts, systems_grid
from weigh.report.view import Part
from weigh.wording import NO_NUMBER, fixed, intervals, percent, plural, probability

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Comparison
    from weigh.comparing.score_result import SystemScore


# Columns with their cells.
_Columns = list[tuple[Column, list[str]]]

NO_TEST = "cannot be tested"
CONTRADICTION = "none: test and scores disagree"
TOO_FEW = "none: too few items for a bootstrap"
_DISAGREES = "†"
_CONCLUSION = "Conclusion"
_WINS = "W/T/L"
_BETTER, _WORSE = "+", "−"

# Metric, slice and system.
_Place = tuple[str, str | None, str]


def winner(pair: Comparison, higher_is_better: bool) -> tuple[str, str] | None:
    """Return who beats whom, or None without evidence, or where test and scores disagree."""
    if not pair.decided:
        return None
    if pair.alternative == "two-sided":
        ahead = (pair.difference > 0) == higher_is_better
    else:
        ahead = pair.alternative == "better"
    return (pair.a, pair.b) if ahead else (pair.b, pair.a)


def verdict(pair: Comparison, higher_is_better: bool) -> str:
    """Return what a comparison says, in words; the absence of evidence is not equality."""
    if pair.p_value is None:
        return NO_TEST
    beats = winner(pair, higher_is_better)
    if beats is None:
        if pair.significant:
            return CONTRADICTION
        if pair.inconclusive is not None:
            return TOO_FEW
        if pair.alternative == "two-sided":
            return NO_EVIDENCE
        return f"no evidence that {pair.a} is {pair.alternative}"
    if pair.alternative == "worse":
        return f"{pair.a} is worse"
    return f"{beats[0]} is better"


def list_grid(report: CompareReport, pairs: Sequence[Comparison]) -> Grid:
    """Return one row per pair, in blocks by metric and slice."""
    return _in_blocks(_list_columns(report, pairs), pairs)


def _in_blocks(columns: _Columns, pairs: Sequence[Comparison]) -> Grid:
    blocks: list[list[list[Cell]]] = []
    places = [(pair.metric, pair.slice) for pair in pairs]
    together = len(set(places)) == len(pairs)  # a rule between all rows would be no help
    cells = [
        [
            Cell(text, strong=column.title == _CONCLUSION and pair.decided)
            for text, pair in zip(texts, pairs, strict=True)
        ]
        for column, texts in columns
    ]
    for at, row in enumerate(zip(*cells, strict=True)):
        if at == 0 or (places[at] != places[at - 1] and not together):
            blocks.append([])
        blocks[-1].append(list(row))
    return Grid([column for column, _ in columns], blocks)


def _list_columns(report: CompareReport, pairs: Sequence[Comparison]) -> _Columns:
    """Return the columns that have something to say."""
    plan = report.result.plan
    columns = _pair_columns(report, pairs)
    columns.append(
        (
            Column(f"{percent(plan.level)} interval", kind="number", attached=True),
            _difference_cells(report, pairs),
        )
    )
    if any(pair.wins is not None for pair in pairs):
        columns.append((Column(_WINS, kind="number"), [_won(pair) for pair in pairs]))
    columns.append((Column("p", kind="number"), [probability(pair.p_value) for pair in pairs]))
    if any(pair.p_adjusted != pair.p_value for pair in pairs):
        adjusted = [probability(pair.p_adjusted) for pair in pairs]
        columns.append((Column("p adjusted", kind="number", attached=True), adjusted))
    if shows_detectable(report, pairs):
        sizes = [
            ""
            if pair.significant
            else fixed(detectable(report, pair), report.decimals(pair.metric))
            for pair in pairs
        ]
        columns.append((Column("Detectable", kind="number"), sizes))
    words = [verdict(pair, report.higher(pair.metric)) for pair in pairs]
    columns.append((Column(_CONCLUSION, kind="remark"), words))
    return columns


def _won(pair: Comparison) -> str:
    return "" if pair.wins is None else f"{pair.wins}/{pair.ties}/{pair.losses}"


def shows_detectable(report: CompareReport, pairs: Sequence[Comparison]) -> bool:
    """Return whether it is worth telling what differences a test would have found."""
    return any(detectable(report, pair) is not None for pair in pairs if not pair.significant)


def detectable(report: CompareReport, pair: Comparison) -> float | None:
    """Return what would have been found, or None where that is unknown or nothing would."""
    return None if is_powerless(pair, report.result) else pair.detectable


def _pair_columns(
    report: CompareReport, pairs: Sequence[Comparison], *, oriented: bool = False
) -> _Columns:
    """Return which pair each row is about, and its difference.

    With `oriented`, it is turned so that positive means that the first system is better.
    """
    columns: _Columns = []
    if len(report.titles) > 1:
        columns.append((Column("Metric"), [report.titles[pair.metric] for pair in pairs]))
    if report.sliced:
        labels = [OVERALL if pair.slice is None else pair.slice for pair in pairs]
        columns.append((Column("Slice"), labels))
    if report.result.plan.baseline is None:
        columns.append((Column("A"), [pair.a for pair in pairs]))
        columns.append((Column("B"), [pair.b for pair in pairs]))
        difference = "A − B"
    else:
        columns.append((Column("System"), [pair.a for pair in pairs]))
        difference = "Difference"
    signs = [-1 if oriented and not report.higher(pair.metric) else 1 for pair in pairs]
    shown = [
        fixed(sign * pair.difference, report.decimals(pair.metric), sign=True)
        for sign, pair in zip(signs, pairs, strict=True)
    ]
    title = "Better by" if oriented else difference
    return [*columns, (Column(title, kind="number"), shown)]


def _difference_cells(report: CompareReport, pairs: Sequence[Comparison]) -> list[str]:
    """Return the intervals of differences; those that their tests contradict are marked."""
    texts = _interval_cells(report, pairs, [pair.interval for pair in pairs])
    if not any(pair.interval_contradicts for pair in pairs):
        return texts
    return [
        f"{text}{_DISAGREES if pair.interval_contradicts else ' '}"
        for text, pair in zip(texts, pairs, strict=True)
    ]


def _excludes_zero(pair: Comparison) -> bool:
    """Whether an end of the interval at 0 is open: the test at its level rejects 0."""
    return pair.p_value is not None and pair.p_value <= 1 - pair.level


def _interval_cells(
    report: CompareReport,
    pairs: Sequence[Comparison],
    ends: Sequence[tuple[float, float] | None],
) -> list[str]:
    """Return intervals, aligned among those of one metric."""
    texts = [""] * len(pairs)
    for metric in report.titles:
        places = [i for i, pair in enumerate(pairs) if pair.metric == metric]
        made = intervals(
            [ends[i] for i in places],
            report.decimals(metric),
            sign=True,
            without_zero=[_excludes_zero(pairs[i]) for i in places],
        )
        for i, text in zip(places, made, strict=True):
            texts[i] = text
    return texts


def further_grid(report: CompareReport, pairs: Sequence[Comparison]) -> Grid:
    """Return what a margin shows and how many units a stated difference needs, pair by pair."""
    plan = report.result.plan
    with_margin = [pair for pair in pairs if pair.margin is not None]
    columns = _pair_columns(report, pairs, oriented=bool(with_margin))
    if with_margin:
        level = percent(1 - plan.alpha)
        ends = _interval_cells(report, pairs, [pair.margin_interval for pair in pairs])
        ends = ["" if pair.margin is None else text for pair, text in zip(pairs, ends, strict=True)]
        columns.append((Column(f"{level} bounds", kind="number", attached=True), ends))
        words = [margin_verdict(pair) for pair in pairs]
        columns.append((Column("Margin", kind="remark", attached=True), words))
    if any(pair.metric in plan.detect for pair in pairs):
        asked = [plan.detect.get(pair.metric) for pair in pairs]
        wanted = ["" if size is None else f"{size:g}" for size in asked]
        needed = [
            ""
            if size is None
            else NO_NUMBER
            if pair.units_needed is None
            else f"{pair.units_needed:,}"
            for pair, size in zip(pairs, asked, strict=True)
        ]
        columns.append((Column("To find", kind="number"), wanted))
        unit = f"{report.result.unit.capitalize()}s needed"
        columns.append((Column(unit, kind="number", attached=True), needed))
    return _in_blocks(columns, pairs)


def margin_verdict(pair: Comparison) -> str:
    """Return what is shown of a difference and its margin."""
    if pair.margin is None:
        return ""
    if pair.equivalent:
        return f"equivalent within {pair.margin:g}"
    if pair.non_inferior:
        return f"not worse by {pair.margin:g}"
    if pair.margin_verdict == "fail":
        return f"worse by more than {pair.margin:g}"
    return f"not shown for {pair.margin:g}"


def matrix_grid(report: CompareReport, pairs: Sequence[Comparison]) -> Grid:
    """Return ranked systems against each other, for one metric, test and slice.

    `>` says that the row's system beats the column's, `<` the reverse; otherwise the adjusted
    p-value stands there. Clusters are blocks.
    """
    metric, label = pairs[0].metric, pairs[0].slice
    ranking = report.ranking(metric, pairs[0].test, label)
    in_order = [entry.system for entry in report.order(metric, label)]
    clusters = [in_order] if ranking is None else ranking.clusters
    names = [name for cluster in clusters for name in cluster]
    by_names = {(pair.a, pair.b): pair for pair in pairs}
    one_sided = pairs[0].alternative != "two-sided"
    higher = report.higher(metric)
    columns = range(0 if one_sided else 1, len(names))
    marks = [
        [
            "" if i == j or (j < i and not one_sided) else _mark(by_names, name, names[j], higher)
            for j in columns
        ]
        for i, name in enumerate(names)
    ]
    # As wide as any, so that the columns of a triangle stand at equal distances.
    wide = max(len(mark) for row in marks for mark in row)
    titles = [Column("#"), Column("System")]
    if ranking is not None:
        titles.append(Column(rank_title(ranking.uncorrected)))
    titles += [Column(f"{j + 1:>{wide}}", kind="number") for j in columns]
    last = len(str(len(names)))
    rows = {}
    for i, name in enumerate(names):
        head = [f"{i + 1:>{last}}", name]
        if ranking is not None:
            head.append(rank_text(ranking.ranks[name]))
        rows[name] = [*map(Cell, head), *map(Cell, marks[i])]
    return Grid(titles, [[rows[name] for name in cluster] for cluster in clusters], lined=True)


def _mark(
    by_names: Mapping[tuple[str, str], Comparison], row: str, column: str, higher: bool
) -> str:
    pair = by_names.get((row, column)) or by_names[column, row]
    beats = winner(pair, higher)
    if beats is None:
        return probability(pair.p_adjusted, 3)
    return ">" if beats == (row, column) else "<"


def superscripts_grid(report: CompareReport, pairs: Sequence[Comparison]) -> Grid:
    """Return scores with those that they beat in superscripts, for one test."""
    baseline = report.result.plan.baseline
    names = list(dict.fromkeys(entry.system for entry in report.scores.scores))
    labels = _labels(len(names))
    beaten: dict[_Place, list[str]] = {}
    for pair in pairs:
        beats = winner(pair, report.higher(pair.metric))
        if beats is not None:
            beaten.setdefault((pair.metric, pair.slice, beats[0]), []).append(beats[1])

    def raised(entry: SystemScore) -> str:
        losers = beaten.get((entry.metric, entry.slice, entry.system), ())
        if baseline is None:
            return _ranges([names.index(name) for name in losers], labels)
        if baseline in losers:
            return _BETTER
        lost = entry.system in beaten.get((entry.metric, entry.slice, baseline), ())
        return _WORSE if lost else ""

    return systems_grid(
        report.scores,
        report.ranks_by(pairs[0].test),
        report.lines(pairs[0].test),
        mark_best=False,
        superscripts=Superscripts(
            dict(zip(names, labels, strict=True)) if baseline is None else {}, raised
        ),
    )


def _labels(count: int) -> list[str]:
    """Return letters, or numbers where there are not enough letters."""
    if count <= len(ascii_lowercase):
        return list(ascii_lowercase[:count])
    return [str(number) for number in range(1, count + 1)]


def _ranges(places: Sequence[int], labels: Sequence[str]) -> str:
    """Return labels with three or more neighbours drawn together.

    >>> _ranges([1, 3, 4, 5], "abcdef")
    'b,d–f'
    """
    runs: list[list[int]] = []
    for place in sorted(set(places)):
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    texts: list[str] = []
    for run in runs:
        names = [labels[place] for place in run]
        texts += names if len(names) < 3 else [f"{names[0]}–{names[-1]}"]
    return ",".join(texts)


# From so large a share of identical outputs on it is worth a word.
_NOTABLE = 0.2
_MOST_NAMED = 6

DETECTABLE = (
    "No evidence of a difference is not evidence of none: a true difference of the size under "
    "Detectable would have been found about 4 times in 5, at the corrected level."
)
_NOTHING_KNOWN = "too few items differ to tell"
UNKNOWN = f"A dash says that {_NOTHING_KNOWN}."
POWERLESS = "So few units or trials can show no difference at all, however large it is."
KEY = (
    "> the row's system is better than the column's; a number is the adjusted p of a pair "
    "without evidence."
)


def further(report: CompareReport) -> Iterator[Part]:
    """Yield the answers to --margin and --detect, which no test has a part in."""
    first = next(iter(report.tests.values()))
    plan = report.result.plan
    asked = [pair for pair in first if pair.margin is not None or pair.metric in plan.detect]
    if not asked:
        return
    sentences = []
    if any(pair.margin is not None for pair in asked):
        sentences.append(
            "Better by: the difference, oriented so that + is better for the first system. Not "
            "worse: the lower bound lies above the margin's negative, even with one more total "
            "failure. Equivalent: both bounds lie within the margin."
        )
        sentences += margin_reasons(report, asked)
    sized = [pair for pair in asked if pair.metric in plan.detect]
    if sized:
        sentences.append(
            f"{report.result.unit.capitalize()}s needed: as many would show a true difference of "
            "the size under To find 4 times in 5."
        )
    without = [pair for pair in sized if pair.units_needed is None]
    whys = [_NOTHING_KNOWN] * any(pair.detectable is None for pair in without)
    whys += [_more_runs(report)] * any(pair.detectable is not None for pair in without)
    if whys:
        sentences.append(f"A dash says that {', or that '.join(whys)}.")
    yield Part("Margins and sizes", further_grid(report, asked), sentences)


def _more_runs(report: CompareReport) -> str:
    return f"no number of {report.result.unit}s is enough, for runs vary too much; use more runs"


def margin_reasons(report: CompareReport, pairs: Sequence[Comparison]) -> list[str]:
    """Return what margins rest upon where it is not the bootstrap, or why they are left open."""
    pairs_by_reason: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.margin_reason is not None:
            where = f", {pair.slice}" if pair.slice is not None else ""
            name = f"{pair.a} and {pair.b} by {report.titles[pair.metric]}{where}"
            pairs_by_reason.setdefault(pair.margin_reason, []).append(name)
    count = sum(pair.margin is not None for pair in pairs)
    told = [
        f"{'Every pair' if len(names) == count > 1 else some(names)}: {reason}."
        for reason, names in pairs_by_reason.items()
    ]
    more = len(told) - _MOST_NAMED
    return [*told[:_MOST_NAMED], *([f"And {more:,} more like these."] if more > 0 else [])]


def under_list(report: CompareReport, pairs: Sequence[Comparison]) -> list[str]:
    """Return how wins are to be read, and what the pairs without evidence mean."""
    whose = "A" if report.result.plan.baseline is None else "the system"
    counted = f"{_WINS}: segments won, tied and lost by {whose}."
    disagrees = f"{_DISAGREES} This interval and the test disagree about 0."
    return [
        counted if any(pair.wins is not None for pair in pairs) else "",
        disagrees if any(pair.interval_contradicts for pair in pairs) else "",
        *report.label_cautions(pairs),
        said_of_power(report, pairs),
    ]


def said_of_power(report: CompareReport, pairs: Sequence[Comparison]) -> str:
    """Return what the pairs without evidence mean: what a list of them shows, or that it cannot."""
    if is_powerless(pairs[0], report.result):
        return POWERLESS
    if not shows_detectable(report, pairs):
        return ""
    unknown = any(detectable(report, pair) is None for pair in pairs if not pair.significant)
    return f"{DETECTABLE} {UNKNOWN}" if unknown else DETECTABLE


def under_scores(report: CompareReport) -> list[str]:
    """Return how intervals and ranks are to be read."""
    sentences = [f"{report.intervals}."] if report.intervals else []
    if report.ranks is not None:
        sentences.append(report.about_ranks(report.first_test))
    return sentences


def under_matrix(report: CompareReport, group: Sequence[Comparison]) -> list[str]:
    """Return what a triangle has no room for."""
    metric = group[0].metric
    decimals, title = report.decimals(metric), report.titles[metric]
    sentences = []
    if is_powerless(group[0], report.result):
        sentences.append(POWERLESS)
    elif shows_detectable(report, group):
        open_pairs = [
            pair.detectable
            for pair in group
            if not pair.significant and pair.detectable is not None
        ]
        low, high = (fixed(end(open_pairs), decimals) for end in (min, max))
        size = low if low == high else f"{low} to {high}"
        sentences.append(
            "No evidence of a difference is not evidence of none: in these pairs a true "
            f"difference of {size} {title} would have been found about 4 times in 5, at the "
            "corrected level."
        )
    return [*sentences, *asked_of_group(report, group)]


def asked_of_group(report: CompareReport, group: Sequence[Comparison]) -> list[str]:
    """Return the answers to --margin and --detect where pairs are too many for a list."""
    metric = group[0].metric
    title = report.titles[metric]
    sentences = []
    if group[0].margin is not None:
        close = [f"{pair.a} and {pair.b}" for pair in group if pair.equivalent]
        level = percent(1 - report.result.plan.alpha)
        sentences.append(
            f"Equivalent within {group[0].margin:g} {title} (both {level} bounds lie inside): "
            f"{some(close) or 'no pair'}."
        )
        sentences += margin_reasons(report, group)
    needed = [pair.units_needed for pair in group if pair.units_needed is not None]
    wanted = report.result.plan.detect.get(metric)
    never = [pair for pair in group if pair.units_needed is None and pair.detectable is not None]
    if never and wanted is not None:
        sentences.append(
            f"To find a true difference of {wanted:g} {title} between "
            f"{plural(len(never), 'pair')}, {_more_runs(report)}."
        )
    if needed and wanted is not None:
        sentences.append(
            f"To find a true difference of {wanted:g} {title} 4 times in 5, {min(needed):,} to "
            f"{max(needed):,} {report.result.unit}s are needed, depending on the pair."
        )
    return sentences


def some(texts: Sequence[str]) -> str:
    """Return the first few of a list, and how many more there are."""
    if len(texts) <= _MOST_NAMED:
        return "; ".join(texts)
    return f"{'; '.join(texts[:_MOST_NAMED])}; and {len(texts) - _MOST_NAMED:,} more"


def identical_outputs(report: CompareReport) -> list[str]:
    """Return which pairs are the same in many segments, or nothing where none is."""
    scored = {
        entry.metric
        for entry in report.result.scores
        if not GIVEN_SCORES.isdisjoint(entry.signature.split("|"))
    }
    groups: dict[str, dict[frozenset[str], tuple[Comparison, float]]] = {}
    for pair in report.result.comparisons:
        if pair.identical is not None and pair.identical >= _NOTABLE:
            several = f"{report.titles[pair.metric]} " * (len(report.titles) > 1)
            what = f"{several}scores" if pair.metric in scored else "outputs"
            shares = groups.setdefault(what, {})
            shares.setdefault(frozenset((pair.a, pair.b)), (pair, pair.identical))
    sentences = []
    for what, shares in groups.items():
        ordered = sorted(shares.values(), key=lambda pair: -pair[1])
        texts = [f"{pair.a} and {pair.b} {percent(round(part, 2))}" for pair, part in ordered]
        sentences.append(f"Share of segments with identical {what}: {some(texts)}.")
    return sentences

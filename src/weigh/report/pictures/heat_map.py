"""Heat maps of p-values: who is significantly better than whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from weigh.report.methods import title_of
from weigh.report.number import fixed, plural, probability, share
from weigh.report.pairs import NO_EVIDENCE, winner
from weigh.report.pictures.picture import Picture, name_of
from weigh.report.pictures.systems import heading, ordered
from weigh.report.svg import cut, element, pixels, titled, words
from weigh.report.text import visible

if TYPE_CHECKING:
    from weigh.report.compared import CompareReport
    from weigh.types import Comparison

# The levels of Graham et al. (2014), figures 7 and 8, with the class of the shade.
LEVELS = ((0.001, "good3"), (0.01, "good2"), (0.05, "good1"))
_LONGEST_LABEL = 24
_TOP = 20.0
_LEAST_WIDTH = 330.0

_Pairs = Mapping[tuple[str, str], "Comparison"]


def heat_maps(report: CompareReport) -> list[Picture]:
    """Return a map for every test, metric and slice.

    A cell is filled where the row's system is better than the column's by the adjusted p-value.
    With a baseline it is the only column, and where it is the better one has a colour of its own.
    """
    groups: dict[tuple[str, str, str | None], dict[tuple[str, str], Comparison]] = {}
    for comparisons in report.tests.values():
        for one in comparisons:
            group = groups.setdefault((one.test, one.metric, one.slice), {})
            group[one.a, one.b] = one
    pictures: list[Picture] = []
    for (test, metric, label), pairs in groups.items():
        names = [entry.system for entry in ordered(report, metric, label)]
        if names:
            name = name_of("heat", len(pictures) + 1, metric, test, label)
            pictures.append(_map(report, pairs, names, name))
    return pictures


def _map(report: CompareReport, pairs: _Pairs, names: list[str], name: str) -> Picture:
    first = next(iter(pairs.values()))
    baseline = report.result.plan.baseline
    columns = names if baseline is None else [baseline]
    size = 24.0 if len(names) <= 16 else 18.0 if len(names) <= 32 else 13.0
    left = 36 + max(pixels(cut(each, _LONGEST_LABEL), 12) for each in names)
    right = left + size * len(columns) + 8
    bottom = _TOP + size * len(names)
    parts = [_labels(names, left, size)]
    if baseline is None:
        class_ = f"{_small(size)} soft middle"
        for j in range(len(columns)):
            parts.append(words(left + size * (j + 0.5), _TOP - 6, f"{j + 1}", class_))
    else:
        parts.append(words(left, _TOP - 6, cut(baseline, _LONGEST_LABEL), "small soft"))
        beside = right
        for i, row in enumerate(names):
            if row != baseline:
                told = _told(report, pairs[row, baseline])
                parts.append(words(beside, _middle(i, size), told, "small soft"))
                right = max(right, beside + 8 + pixels(told, 11))
    for i, row in enumerate(names):
        for j, column in enumerate(columns):
            shade, title = _judged(report, pairs, row, column)
            place = {"x": left + size * j, "y": _TOP + size * i, "width": size, "height": size}
            parts.append(titled("rect", title, **place, class_=f"cell {shade}".rstrip()))
    parts.append(_legend(report, first, bottom + 22))
    return Picture(
        name=name,
        title=f"{heading(report, first.metric, first.slice)}: "
        + visible(title_of(first, report.result.plan)),
        description=_description(report, pairs, names),
        width=max(_LEAST_WIDTH, right),
        height=bottom + 50,
        body="".join(parts),
    )


def _labels(names: list[str], left: float, size: float) -> str:
    """Return the names of the rows and their numbers, which stand for them above the columns."""
    parts = []
    for i, name in enumerate(names):
        y = _middle(i, size)
        parts.append(words(left - 28, y, cut(name, _LONGEST_LABEL), "end"))
        parts.append(words(left - 6, y, f"{i + 1}", f"{_small(size)} soft end"))
    return "".join(parts)


def _middle(row: int, size: float) -> float:
    """Return where the text of a row stands."""
    return _TOP + size * (row + 0.5) + 4


def _small(size: float) -> str:
    return "tiny" if size < 18 else "small"


def _judged(report: CompareReport, pairs: _Pairs, row: str, column: str) -> tuple[str, str]:
    """Return the class and the title of a cell."""
    if row == column:
        return "self", visible(row)
    one = _comparison(pairs, row, column)
    higher = report.higher(one.metric)
    if one.alternative == "two-sided":
        ahead = one.a if (one.difference > 0) == higher else one.b
    else:
        ahead = one.a if one.alternative == "better" else one.b
    shade = next((shade for level, shade in LEVELS if one.p_adjusted <= level), "")
    if ahead != row:
        shade = "bad" if shade and report.result.plan.baseline is not None else ""
    return shade, _title(report, one)


def _comparison(pairs: _Pairs, row: str, column: str) -> Comparison:
    """Return the comparison that can find the row better; if there is none, the pair's only one."""
    for a, b in ((row, column), (column, row)):
        one = pairs.get((a, b))
        wanted = "better" if a == row else "worse"
        if one is not None and one.alternative in ("two-sided", wanted):
            return one
    return pairs[row, column]


def _title(report: CompareReport, one: Comparison) -> str:
    a, b = visible(one.a), visible(one.b)
    found = winner(one, report.higher(one.metric))
    if found is not None:
        said = f"{visible(found[0])} better than {visible(found[1])}"
    elif one.alternative == "two-sided":
        said = f"{NO_EVIDENCE} between {a} and {b}"
    else:
        said = f"no evidence that {a} is {one.alternative} than {b}"
    # A winner's difference is told from its side, others as they are in the list.
    turned = found is not None and found[0] == one.b
    difference = -one.difference if turned else one.difference
    shown = fixed(difference, report.decimals(one.metric), sign=True)
    return f"{said}: difference {shown} {heading(report, one.metric)}, {_p_values(one)}"


def _told(report: CompareReport, one: Comparison) -> str:
    """Return the numbers of a comparison with the baseline, which has room for them."""
    return f"{fixed(one.difference, report.decimals(one.metric), sign=True)}, {_p_values(one)}"


def _p_values(one: Comparison) -> str:
    text = probability(one.p_value)
    said = f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"
    if _is_adjusted(one):
        said += f", adjusted {probability(one.p_adjusted)}"
    return said


def _is_adjusted(one: Comparison) -> bool:
    return one.family_size > 1 and one.adjust != "none"


def _legend(report: CompareReport, one: Comparison, y: float) -> str:
    baseline = report.result.plan.baseline
    adjusted = "adjusted p" if _is_adjusted(one) else "p"
    other = "column" if baseline is None else "baseline"
    parts = [words(8, y, f"Row better than {other}, {adjusted} at most", "small soft")]
    x = 8.0
    items = [(shade, share(level)) for level, shade in reversed(LEVELS)]
    if baseline is not None:
        items.append(("bad", f"baseline better, {share(LEVELS[-1][0])}"))
    for shade, text in items:
        parts.append(element("rect", x=x, y=y + 8, width=12, height=12, class_=f"swatch {shade}"))
        parts.append(words(x + 17, y + 18, text, "small soft"))
        x += 58
    return "".join(parts)


def _description(report: CompareReport, pairs: _Pairs, names: list[str]) -> str:
    plan = report.result.plan
    shown = [one for one in pairs.values() if one.a in names and one.b in names]
    tested = plural(len(shown), "comparison")
    counts = [
        f"{sum(one.p_adjusted <= level for one in shown):,} at {share(level)}"
        for level, _ in reversed(LEVELS)
    ]
    said = f"Of {tested} between {plural(len(names), 'system')}, ordered by score, "
    said += f"so many are significant by the adjusted p-value: {', '.join(counts)}."
    if plan.alpha != LEVELS[-1][0]:
        said += f" Conclusions are drawn at {share(plan.alpha)}."
    return said

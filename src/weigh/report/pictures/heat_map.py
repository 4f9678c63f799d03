"""Heat maps of p-values, who is significantly better than whom, and of win rates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.comparing.methods import title_of, trials_wanted
from weigh.report.grid import visible
from weigh.report.pairs import winner
from weigh.report.phrases import NO_EVIDENCE
from weigh.report.pictures.picture import Mark, Picture, legend, name_of
from weigh.report.svg import cut, pixels, titled, told_apart, words
from weigh.types import grouped
from weigh.wording import fixed, plural, probability, share

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Comparison
    from weigh.comparing.plan import Plan
    from weigh.human.arena import Duel
    from weigh.human.conclusions import Conclusion
    from weigh.human.rank_result import HumanRanking, RankResult
    from weigh.report.compared import CompareReport

# The levels of Graham et al. (2014), figures 7 and 8, with the number of the shade.
LEVELS = ((0.001, "3"), (0.01, "2"), (0.05, "1"))
# Fewer systems are not worth a map: a sentence says it all.
_FEWEST_SYSTEMS = 3
_LONGEST_LABEL = 24
_TOP = 20.0
_LEAST_WIDTH = 380.0
_LINE = 18.0  # of the legend
_BESIDE_LEGEND = 228.0


@dataclass(frozen=True, slots=True)
class Contrast:
    """What a test says of systems a and b.

    `ahead` is the one that a small p-value speaks for, None where nothing may be concluded from
    it; `beats` are winner and loser if the test finds them. `difference` is that of the scores,
    a's less b's, in `unit`s with so many `decimals`. `is_adjusted` says whether the adjusted
    p-value is worth telling.
    """

    a: str
    b: str
    alternative: str
    ahead: str | None
    beats: tuple[str, str] | None
    difference: float
    unit: str
    decimals: int
    p_value: float | None
    p_adjusted: float | None
    is_adjusted: bool

    def reaches(self, level: float) -> bool:
        """Return whether the adjusted p-value is so small; one that does not exist is not."""
        return self.p_adjusted is not None and self.p_adjusted <= level

    def shown(self, *, turned: bool = False) -> str:
        """Return the difference, from b's side if it is turned."""
        return fixed(-self.difference if turned else self.difference, self.decimals, sign=True)

    def p_values(self) -> str:
        """Return the p-value, and what is left of it for the number of comparisons."""
        if self.p_value is None:
            return "no p-value"
        text = probability(self.p_value)
        said = f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"
        return f"{said}, adjusted {probability(self.p_adjusted)}" if self.is_adjusted else said


_Contrasts = Mapping[tuple[str, str], Contrast]


def heat_maps(report: CompareReport, *, sliced: bool | None = None) -> list[Picture]:
    """Return a map for every test and metric, of the whole, of slices if `sliced`, or of both.

    A cell is filled where the row's system is better or worse than the column's by the adjusted
    p-value, each in a colour of its own. With a baseline it is the only column. Two systems have no
    map.
    """
    tested = [pair for pairs in report.tests.values() for pair in pairs]
    groups = grouped(tested, lambda pair: (pair.test, pair.metric, pair.slice))
    pictures: list[Picture] = []
    plan = report.result.plan
    for number, ((test, metric, label), pairs) in enumerate(groups.items(), 1):
        names = [entry.system for entry in report.ordered(metric, label)]
        if len(names) >= _FEWEST_SYSTEMS and sliced in (None, label is not None):
            title = visible(title_of(pairs[0], plan))
            pictures.append(
                heat_map(
                    names,
                    [_contrast(report, pair) for pair in pairs],
                    name=name_of("heat", number, metric, test, label),
                    title=f"{report.heading(metric, label)}: {title}",
                    alpha=plan.alpha,
                    baseline=plan.baseline,
                    out_of_reach=_out_of_reach(pairs[0], plan),
                )
            )
    return pictures


def _out_of_reach(pair: Comparison, plan: Plan) -> dict[float, str]:
    """Return the levels that no adjusted p-value can reach, and what would reach them."""
    needed = {level: trials_wanted(pair, plan, level) for level, _ in LEVELS}
    return {
        level: "more units" if pair.exact else f"{trials:,} trials"
        for level, trials in needed.items()
        if trials is not None
    }


def _contrast(report: CompareReport, pair: Comparison) -> Contrast:
    higher = report.higher(pair.metric)
    if pair.alternative == "two-sided":
        is_a = (pair.difference > 0) == higher
    else:
        is_a = pair.alternative == "better"
    return Contrast(
        pair.a,
        pair.b,
        pair.alternative,
        ahead=None if pair.contradicts else pair.a if is_a else pair.b,
        beats=winner(pair, higher),
        difference=pair.difference,
        unit=report.heading(pair.metric),
        decimals=report.decimals(pair.metric),
        p_value=pair.p_value,
        p_adjusted=pair.p_adjusted,
        is_adjusted=pair.family_size > 1 and pair.adjust != "none",
    )


_UNITS = {
    "z": "z",
    "raw": "points",
    "expected wins": "expected wins",
    "bradley-terry": "of log strength",
}
_TESTS = {
    "rank-sum": "Rank-sum test",
    "signed-rank": "Signed-rank test",
    "randomization": "Randomization test",
    "sign": "Sign test",
    "bradley-terry": "Bradley–Terry test",
}


def ranking_maps(result: RankResult) -> list[Picture]:
    """Return a map for every ranking that has pairs (Graham et al. 2014, figure 7).

    A cell is filled where the row's system is better or worse than the column's by the adjusted
    p-value.
    """
    pictures: list[Picture] = []
    for ranking in result.rankings:
        if ranking.comparisons and len(ranking.scores) >= _FEWEST_SYSTEMS:
            first = ranking.comparisons[0]
            side = "two-sided" if first.alternative == "two-sided" else "one-sided"
            pictures.append(
                heat_map(
                    [row.system for row in ranking.scores],
                    [_ranking_contrast(ranking, row) for row in ranking.comparisons],
                    name=name_of("heat", len(pictures) + 1, ranking.pair, ranking.scale),
                    title=f"{visible(ranking.about)}: {_tests(ranking.comparisons)}, {side}",
                    alpha=result.plan.alpha,
                )
            )
    return pictures


def _tests(conclusions: Iterable[Conclusion]) -> str:
    from weigh.report.human_pairs import tests_of

    first, *others = (_TESTS[test] for test in tests_of(conclusions))
    return " or ".join([first, *(f"{each[0].lower()}{each[1:]}" for each in others)])


def _ranking_contrast(ranking: HumanRanking, pair: Conclusion) -> Contrast:
    unit = _UNITS[ranking.by]
    return Contrast(
        pair.a,
        pair.b,
        pair.alternative,
        ahead=None if pair.ahead * pair.difference <= 0 else pair.a if pair.ahead > 0 else pair.b,
        beats=pair.beats,
        difference=pair.difference,
        unit=f"{unit} of {pair.decided_by}" if ranking.combined else unit,
        decimals=ranking.decimals,
        p_value=pair.p_value,
        p_adjusted=pair.p_adjusted,
        is_adjusted=pair.family_size > 1 and pair.adjust != "none",
    )


def heat_map(
    names: Sequence[str],
    contrasts: Iterable[Contrast],
    *,
    name: str,
    title: str,
    alpha: float,
    baseline: str | None = None,
    out_of_reach: Mapping[float, str] | None = None,
) -> Picture:
    """Draw systems against each other, or against a baseline; names stand best first.

    Levels that are `out_of_reach` are not in the legend, which says what they need.
    """
    pairs = {(contrast.a, contrast.b): contrast for contrast in contrasts}
    columns = names if baseline is None else [baseline]
    size = 24.0 if len(names) <= 16 else 18.0 if len(names) <= 32 else 13.0
    left = 36 + max(pixels(each, 12) for each in _shortened(names))
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
                # There is room for the numbers.
                contrast = pairs[row, baseline]
                told = f"{contrast.shown()}, {contrast.p_values()}"
                parts.append(words(beside, _middle(i, size), told, "small soft"))
                right = max(right, beside + 8 + pixels(told, 11))
    for i, row in enumerate(names):
        for j, column in enumerate(columns):
            shade, told = _judged(pairs, row, column)
            place = {"x": left + size * j, "y": _TOP + size * i, "width": size, "height": size}
            parts.append(titled("rect", told, **place, class_=f"cell {shade}".rstrip()))
    other = "column" if baseline is None else "baseline"
    p = "adjusted p" if next(iter(pairs.values())).is_adjusted else "p"
    out_of_reach = out_of_reach or {}
    reached = [(level, shade) for level, shade in LEVELS[::-1] if level not in out_of_reach]
    y = bottom + 22
    for colour, which in (("good", "better"), ("bad", "worse")) if reached else ():
        parts.append(words(8, y, f"Row {which} than {other}, {p} ≤", "small soft"))
        entries = [
            (Mark("box", f"swatch {colour}{shade}"), share(level)) for level, shade in reached
        ]
        parts.append(legend(entries, _BESIDE_LEGEND, y, math.inf)[0])
        y += _LINE
    for said in [f"Blank: {NO_EVIDENCE}", *_needs(out_of_reach)]:
        parts.append(words(8, y, said, "small soft"))
        y += _LINE
    return Picture(
        name=name,
        title=title,
        description=_description(pairs, names, alpha),
        width=max(_LEAST_WIDTH, right),
        height=y - 4,
        body="".join(parts),
    )


def _needs(out_of_reach: Mapping[float, str]) -> list[str]:
    """Return what levels need that are out of reach, the largest first."""
    return [
        f"Out of reach here: {share(level)}, which needs {needed}"
        for level, needed in sorted(out_of_reach.items(), reverse=True)
    ]


def _shortened(names: Sequence[str]) -> list[str]:
    return [cut(name, _LONGEST_LABEL) for name in told_apart(names, _LONGEST_LABEL)]


def _labels(names: Sequence[str], left: float, size: float) -> str:
    """Return the names of the rows and their numbers, which stand for them above the columns."""
    parts = []
    for i, name in enumerate(_shortened(names)):
        y = _middle(i, size)
        parts.append(words(left - 28, y, name, "end"))
        parts.append(words(left - 6, y, f"{i + 1}", f"{_small(size)} soft end"))
    return "".join(parts)


def _middle(row: int, size: float) -> float:
    """Return where the text of a row stands."""
    return _TOP + size * (row + 0.5) + 4


def _small(size: float) -> str:
    return "tiny" if size < 18 else "small"


def _judged(pairs: _Contrasts, row: str, column: str) -> tuple[str, str]:
    """Return the class and the title of a cell.

    One-sided tests of both directions are two contrasts: that of the row, unless the other found
    something.
    """
    if row == column:
        return "self", visible(row)
    both = [_contrast_for(pairs, row, column), _contrast_for(pairs, column, row)]
    known = [contrast for contrast in both if contrast is not None]
    for contrast in known:
        shade = next((shade for level, shade in LEVELS if contrast.reaches(level)), "")
        if shade and contrast.ahead is not None:
            return f"{'good' if contrast.ahead == row else 'bad'}{shade}", _title(contrast)
    return "", _title(known[0])


def _contrast_for(pairs: _Contrasts, row: str, column: str) -> Contrast | None:
    """Return what can find the row better, if there is such a test."""
    for a, b in ((row, column), (column, row)):
        contrast = pairs.get((a, b))
        wanted = "better" if a == row else "worse"
        if contrast is not None and contrast.alternative in ("two-sided", wanted):
            return contrast
    return None


def _title(contrast: Contrast) -> str:
    a, b = visible(contrast.a), visible(contrast.b)
    if contrast.beats is not None:
        said = f"{visible(contrast.beats[0])} better than {visible(contrast.beats[1])}"
    elif contrast.ahead is None and contrast.reaches(LEVELS[-1][0]):
        said = f"no conclusion on {a} and {b}, for the test and the scores contradict each other"
    elif contrast.alternative == "two-sided":
        said = f"{NO_EVIDENCE} between {a} and {b}"
    else:
        said = f"no evidence that {a} is {contrast.alternative} than {b}"
    # A winner's difference is told from its side, others as they are in the list.
    turned = contrast.beats is not None and contrast.beats[0] == contrast.b
    return (
        f"{said}: difference {contrast.shown(turned=turned)} {contrast.unit}, {contrast.p_values()}"
    )


def _description(pairs: _Contrasts, names: Sequence[str], alpha: float) -> str:
    shown = [contrast for contrast in pairs.values() if contrast.a in names and contrast.b in names]
    telling = [contrast for contrast in shown if contrast.ahead is not None]
    tested = plural(len(shown), "comparison")
    counts = [
        f"{sum(contrast.reaches(level) for contrast in telling):,} at {share(level)}"
        for level, _ in reversed(LEVELS)
    ]
    said = f"Of {tested} between {plural(len(names), 'system')}, ordered by score, "
    said += f"so many are significant by the adjusted p-value: {', '.join(counts)}."
    if alpha != LEVELS[-1][0]:
        said += f" Conclusions are drawn at {share(alpha)}."
    return said


# Win rates: how often the row's system was preferred to the column's, a tie as half.

_SHARES = ((0.75, "3"), (0.65, "2"), (0.55, "1"))
_NUMBERED = 30.0  # wide enough for a number


def win_rate_maps(result: RankResult) -> list[Picture]:
    """Return a map for every ranking by strength: who was preferred to whom, and how often."""
    pictures: list[Picture] = []
    for ranking in result.rankings:
        if ranking.arena is not None and len(ranking.scores) >= _FEWEST_SYSTEMS:
            name = name_of("wins", len(pictures) + 1, ranking.pair, ranking.scale)
            names = [row.system for row in ranking.scores]
            title = f"{visible(ranking.about)}: win rates"
            pictures.append(_win_rate_map(names, ranking.arena.duels, name, title))
    return pictures


def _win_rate_map(names: Sequence[str], duels: Sequence[Duel], name: str, title: str) -> Picture:
    known = {(duel.a, duel.b): duel for duel in duels}
    size = _NUMBERED if len(names) <= 16 else 18.0 if len(names) <= 32 else 13.0
    left = 36 + max(pixels(each, 12) for each in _shortened(names))
    parts = [_labels(names, left, size)]
    for j in range(len(names)):
        class_ = f"{_small(size)} soft middle"
        parts.append(words(left + size * (j + 0.5), _TOP - 6, f"{j + 1}", class_))
    for i, row in enumerate(names):
        for j, column in enumerate(names):
            place = {"x": left + size * j, "y": _TOP + size * i, "width": size, "height": size}
            rate, told = _won(known, row, column)
            shade = "self" if row == column else _shade(rate)
            parts.append(titled("rect", told, **place, class_=f"cell {shade}".rstrip()))
            if size == _NUMBERED and not math.isnan(rate):
                class_ = "small middle" + (" on" if shade[-1:] in ("2", "3") else "")
                x = left + size * (j + 0.5)
                parts.append(words(x, _middle(i, size), f"{100 * rate:.0f}", class_))
    y = _TOP + size * len(names) + 22
    for colour, which in (("good", "≥"), ("bad", "≤")):
        entries = [
            (
                Mark("box", f"swatch {colour}{shade}"),
                f"{which} {100 * (limit if colour == 'good' else 1 - limit):.0f}%",
            )
            for limit, shade in reversed(_SHARES)
        ]
        parts.append(words(8, y, "Row preferred to column in", "small soft"))
        parts.append(legend(entries, _BESIDE_LEGEND, y, math.inf)[0])
        y += _LINE
    blank = "Blank: 45 to 55%, or not compared; a tie is half"
    if size == _NUMBERED:
        blank = "Percent of answers, a tie as half; without a number: not compared"
    parts.append(words(8, y, blank, "small soft"))
    compared = [duel for duel in duels if not math.isnan(duel.win_rate)]
    answers = sum(duel.wins_a + duel.wins_b + duel.ties for duel in duels)
    most = max(compared, key=lambda duel: abs(duel.win_rate - 0.5))
    return Picture(
        name=name,
        title=title,
        description=(
            f"{answers:,} answers on {plural(len(compared), 'pair')} of {len(duels):,}, systems "
            f"ordered by strength; the furthest apart: {_won(known, most.a, most.b)[1]}."
        ),
        width=max(_LEAST_WIDTH + 60, left + size * len(names) + 8),
        height=y + _LINE - 4,
        body="".join(parts),
    )


def _shade(rate: float) -> str:
    for limit, shade in _SHARES:
        if rate >= limit:
            return f"good{shade}"
        if rate <= 1 - limit:
            return f"bad{shade}"
    return ""


def _won(known: Mapping[tuple[str, str], Duel], row: str, column: str) -> tuple[float, str]:
    """Return how often the row's system was preferred, and the same in words."""
    if row == column:
        return math.nan, visible(row)
    turned = (row, column) not in known
    duel = known[(column, row) if turned else (row, column)]
    won, lost = (duel.wins_b, duel.wins_a) if turned else (duel.wins_a, duel.wins_b)
    rate = 1 - duel.win_rate if turned else duel.win_rate
    pair = f"{visible(row)} against {visible(column)}"
    if math.isnan(rate):
        return rate, f"{pair}: not compared"
    return rate, (
        f"{pair}: preferred in {100 * rate:.1f}% of answers (won {won:,}, "
        f"lost {lost:,}, tied {duel.ties:,})"
    )

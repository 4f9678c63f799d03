"""Pictures of rankings by people, and of agreement between metrics and people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

from weigh.human.conclusions import ExpectedWins, count_tests
from weigh.report.contrasts import FEWEST_SYSTEMS, Contrast, contrast_map
from weigh.report.grid import rank_text, visible
from weigh.report.pictures.axes import Axis, Scale
from weigh.report.pictures.curve import Curve, CurvePoint, curve_plot
from weigh.report.pictures.forest import Row, forest_plot
from weigh.report.pictures.heat_map import HeatCell, LegendLine, heat_map
from weigh.report.pictures.picture import Caption, Picture, name_of
from weigh.report.pictures.scatter import LabelledPoint, scatter_plot
from weigh.report.svg import is_drawable
from weigh.wording import fixed, percentage, plural

if TYPE_CHECKING:
    from weigh.human.arena import Duel
    from weigh.human.conclusions import Conclusion
    from weigh.human.deltas import DeltaCurve
    from weigh.human.metrics import ScaleMetrics
    from weigh.human.rank_result import HumanRanking, RankResult

_AXES = {
    "z": "z, standardised for each judge",
    "raw": "score",
    "expected wins": "expected wins",
    "bradley-terry": "log strength",
}
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
# Win rates with the numbers of their shades.
_WIN_RATES = ((0.75, "3"), (0.65, "2"), (0.55, "1"))
_POINTS_OF_CURVE = 24


def ranking_plots(result: RankResult) -> Iterator[Picture]:
    """Draw scores of every ranking, best first, with lines between clusters."""
    for number, ranking in enumerate(result.rankings, 1):
        if rows := _ranking_rows(ranking, result.plan.level):
            unranked = [
                Row(row.system, row.score, row.interval, result.plan.level, kind="open", rank="–")
                for row in ranking.unranked
                if is_drawable(row.score)
            ]
            caption = Caption(
                name_of("forest", number, ranking.pair, ranking.scale),
                f"Scores: {visible(ranking.about)}",
            )
            scale = "adequacy: " if ranking.combined else ""
            axis = Axis(f"{scale}{_AXES[ranking.by]} (higher is better)")
            yield forest_plot([*rows, *unranked], caption, axis, ranking.decimals)


def _ranking_rows(ranking: HumanRanking, level: float) -> list[Row]:
    return [
        Row(
            score.system,
            score.score,
            None if isinstance(score, ExpectedWins) else score.interval,
            level,
            score.cluster - 1 if ranking.comparisons else None,
            rank=rank_text(score.rank) if ranking.comparisons else "",
        )
        for score in ranking.scores
        if is_drawable(score.score)
    ]


def ranking_maps(result: RankResult) -> Iterator[Picture]:
    """Draw pairs of every ranking (Graham et al. 2014, figure 7)."""
    for number, ranking in enumerate(result.rankings, 1):
        if ranking.comparisons and len(ranking.scores) >= FEWEST_SYSTEMS:
            first = ranking.comparisons[0]
            side = "two-sided" if first.alternative == "two-sided" else "one-sided"
            caption = Caption(
                name_of("heat", number, ranking.pair, ranking.scale),
                f"{visible(ranking.about)}: {_name_tests(ranking.comparisons)}, {side}",
            )
            contrasts = [_contrast(ranking, row) for row in ranking.comparisons]
            yield contrast_map([row.system for row in ranking.scores], contrasts, caption)


def _name_tests(conclusions: Iterable[Conclusion]) -> str:
    first, *others = (_TESTS[test] for test in count_tests(conclusions))
    return " or ".join([first, *(f"{name[0].lower()}{name[1:]}" for name in others)])


def _contrast(ranking: HumanRanking, pair: Conclusion) -> Contrast:
    unit = _UNITS[ranking.by]
    return Contrast(
        pair,
        ahead=pair.leader,
        beats=pair.beats,
        difference=pair.difference,
        unit=f"{unit} of {pair.decided_by}" if ranking.combined else unit,
        decimals=ranking.decimals,
    )


def win_rate_maps(result: RankResult) -> Iterator[Picture]:
    """Draw how often each system was preferred to each other system, for rankings by strength."""
    for number, ranking in enumerate(result.rankings, 1):
        if ranking.arena is not None and len(ranking.scores) >= FEWEST_SYSTEMS:
            names = [row.system for row in ranking.scores]
            duels = ranking.arena.both_ways()
            caption = Caption(
                name_of("wins", number, ranking.pair, ranking.scale),
                f"{visible(ranking.about)}: win rates",
            )
            cells = [[_win_rate(duels, row, column) for column in names] for row in names]
            yield heat_map(names, cells, caption, _WIN_RATE_LEGEND)


_WIN_RATE_LEGEND = [
    *(
        LegendLine(
            "Row preferred to column in",
            [
                (f"{colour}{shade}", f"{sign} {100 * (rate if sign == '≥' else 1 - rate):.0f}%")
                for rate, shade in reversed(_WIN_RATES)
            ],
        )
        for colour, sign in (("good", "≥"), ("bad", "≤"))
    ),
    LegendLine("Blank: 45 to 55%, or not compared; a tie is half"),
]


def _win_rate(duels: Mapping[tuple[str, str], Duel], row: str, column: str) -> HeatCell:
    if row == column:
        return HeatCell("self", visible(row))
    duel, pair = duels[row, column], f"{visible(row)} against {visible(column)}"
    if math.isnan(duel.win_rate):
        return HeatCell("", f"{pair}: not compared")
    title = (
        f"{pair}: preferred in {percentage(duel.win_rate)} of answers (won {duel.wins_a:,}, "
        f"lost {duel.wins_b:,}, tied {duel.ties:,})"
    )
    return HeatCell(_shade(duel.win_rate), title, f"{100 * duel.win_rate:.0f}")


def _shade(rate: float) -> str:
    for limit, shade in _WIN_RATES:
        if rate >= limit:
            return f"good{shade}"
        if rate <= 1 - limit:
            return f"bad{shade}"
    return ""


def metric_plot(scale: ScaleMetrics, number: int) -> Iterator[Picture]:
    """Draw metrics by pairwise accuracy and correlation with people's scores."""
    names = scale.names
    points = [
        LabelledPoint(
            names[row.metric],
            row.accuracy,
            row.pearson,
            f"{visible(names[row.metric])}: pairwise accuracy {fixed(row.accuracy, 3)}, "
            f"Pearson's r {fixed(row.pearson, 3)}",
        )
        for row in scale.metrics
        if is_drawable(row.accuracy, row.pearson)
    ]
    if points:
        name = name_of("metrics", number, scale.scale)
        yield scatter_plot(
            points,
            Caption(name, f"Metrics and people: {visible(scale.scale)}"),
            Axis("Pairs of systems ordered as by people (right: better)"),
            Axis("Pearson's r with people's scores (up: better)"),
        )


def delta_plots(curves: Sequence[DeltaCurve], first: int = 1) -> Iterator[Picture]:
    """Draw how often people agree with a difference of a metric, by its size.

    The names of the pictures are numbered from `first`.
    """
    return map(_delta_plot, curves, count(first))


def _delta_plot(curve: DeltaCurve, number: int) -> Picture:
    sizes = [curve.largest * at / _POINTS_OF_CURVE for at in range(_POINTS_OF_CURVE + 1)]
    fitted = [
        CurvePoint(size, 100 * curve.share(size), f"Δ = {size:.3g}: {curve.share(size):.0%}")
        for size in sizes
    ]
    counted = [
        CurvePoint(
            group.middle,
            100 * group.share,
            f"Δ from {group.low:.3g} to {group.high:.3g}: {group.agreed:,} of "
            f"{plural(group.pairs, 'pair')}",
        )
        for group in curve.bins
    ]
    return curve_plot(
        [Curve("pairs of systems", counted, "hollow", joined=False), Curve("curve", fitted)],
        Caption(
            name_of("differences", number, curve.metric),
            f"{curve.name}: differences and people",
        ),
        Axis(f"difference in {curve.name}", ticks=Scale(0.0, curve.largest, 0.0, 1.0).ticks(6)),
        Axis(
            "share of pairs in which people agree with the metric (%)",
            marked=[(50.0, "dashed")],
            limits=(0.0, 100.0),
        ),
    )

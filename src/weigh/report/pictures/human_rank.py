"""Pictures of rankings by people: scores with intervals, and who is better than whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.human.scores import HumanScore
from weigh.report.grid import visible
from weigh.report.human_rank import decimals_of
from weigh.report.phrases import rank_text
from weigh.report.pictures.forest import Row, forest_plot
from weigh.report.pictures.heat_map import Contrast, heat_map
from weigh.report.pictures.picture import Picture, name_of
from weigh.report.svg import drawable

if TYPE_CHECKING:
    from weigh.human.conclusions import Conclusion
    from weigh.human.rank import HumanRanking, RankResult

_AXES = {"z": "z, standardised for each judge", "raw": "score", "expected wins": "expected wins"}
_UNITS = {"z": "z", "raw": "points", "expected wins": "expected wins"}
_TESTS = {"rank-sum": "Rank-sum test", "sign": "Sign test"}


def forest_plots(result: RankResult) -> list[Picture]:
    """Return a plot for every ranking: systems best first, clusters set apart."""
    pictures: list[Picture] = []
    for ranking in result.rankings:
        if rows := _rows(ranking, result.plan.level):
            pictures.append(
                forest_plot(
                    rows,
                    name=name_of("forest", len(pictures) + 1, ranking.pair, ranking.scale),
                    title=f"Scores: {visible(ranking.about)}",
                    axis=f"{'adequacy: ' * ranking.combined}{_AXES[ranking.by]} (higher is better)",
                    decimals=decimals_of(ranking),
                )
            )
    return pictures


def _rows(ranking: HumanRanking, level: float) -> list[Row]:
    return [
        Row(
            score.system,
            score.score,
            score.interval if isinstance(score, HumanScore) else None,
            level,
            score.cluster - 1 if ranking.comparisons else None,
            rank=rank_text(score.rank) if ranking.comparisons else "",
        )
        for score in ranking.scores
        if drawable(score.score)
    ]


def heat_maps(result: RankResult) -> list[Picture]:
    """Return a map for every ranking that has pairs (Graham et al. 2014, figure 7).

    A cell is filled where the row's system is better than the column's by the adjusted p-value.
    """
    pictures: list[Picture] = []
    for ranking in result.rankings:
        if ranking.comparisons:
            first = ranking.comparisons[0]
            side = "two-sided" if first.alternative == "two-sided" else "one-sided"
            pictures.append(
                heat_map(
                    [row.system for row in ranking.scores],
                    [_contrast(ranking, row) for row in ranking.comparisons],
                    name=name_of("heat", len(pictures) + 1, ranking.pair, ranking.scale),
                    title=f"{visible(ranking.about)}: {_TESTS[first.test]}, {side}",
                    alpha=result.plan.alpha,
                )
            )
    return pictures


def _contrast(ranking: HumanRanking, pair: Conclusion) -> Contrast:
    unit = _UNITS[ranking.by]
    return Contrast(
        pair.a,
        pair.b,
        pair.alternative,
        ahead=None if pair.ahead * pair.difference <= 0 else pair.a if pair.ahead > 0 else pair.b,
        beats=pair.beats,
        difference=pair.difference,
        unit=f"{unit} of {pair.decided_by}" if ranking.combined else unit,
        decimals=decimals_of(ranking),
        p_value=pair.p_value,
        p_adjusted=pair.p_adjusted,
        is_adjusted=pair.family_size > 1 and pair.adjust != "none",
    )

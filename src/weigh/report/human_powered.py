"""What is shown of scores that a metric has helped to estimate: parts of `weigh human rank`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weigh.human.judgments import about
from weigh.human.powered import PoweredScore
from weigh.human.rank_result import HumanRanking, RankResult
from weigh.report.grid import Column, Grid, number_columns
from weigh.report.parts import Part
from weigh.report.phrases import interval_column
from weigh.report.view import signature
from weigh.wording import NO_NUMBER, fixed, intervals, percent, plural

# More pairs than this are shown on pages only.
_LONGEST_LIST = 10


def powered_parts(ranking: HumanRanking, result: RankResult) -> Iterator[Part]:
    """Yield the systems of a ranking, then their differences, with a metric's help and without."""
    about = (ranking.pair, ranking.scale)
    rows = [row for row in result.powered if (row.pair, row.scale) == about]
    systems = [row for row in rows if row.against is None]
    pairs = [row for row in rows if row.against is not None]
    if systems:
        metric = systems[0].metric
        yield _grid(systems, ranking, result).titled(
            f"{ranking.about}: with the help of {metric}",
            [
                f"Score: what people would give on average, estimated from their judgments and "
                f"{metric}'s scores of all segments; people alone: from the judgments alone. "
                "Saved: the share of judgments that the metric stands for. It holds only if the "
                "judged segments were drawn at random."
            ],
            paper=True,
        )
    if pairs:
        yield _grid(pairs, ranking, result).titled(
            f"{ranking.about}: differences with the help of {pairs[0].metric}",
            [
                "Of segments that were judged for both systems; the intervals are not corrected "
                "for the number of pairs."
            ],
            limit=_LONGEST_LIST,
        )


def _grid(rows: Sequence[PoweredScore], ranking: HumanRanking, result: RankResult) -> Grid:
    of_pairs = rows[0].against is not None
    decimals, sign = ranking.decimals, of_pairs or ranking.by == "z"
    interval_of = interval_column(result.plan.level)
    columns = [
        *map(Column, ("A", "B") if of_pairs else ("System",)),
        Column("Difference", kind="number")
        if of_pairs
        else Column("Score", kind="number", better="higher"),
        interval_of,
        *number_columns("People alone"),
        interval_of,
        *number_columns("Judged", "Not judged", "Saved"),
    ]
    ends = intervals([row.interval for row in rows], decimals, sign=sign)
    alone = intervals([row.classical_interval for row in rows], decimals, sign=sign)
    texts = [
        [
            row.system,
            *([row.against or NO_NUMBER] if of_pairs else []),
            fixed(row.score, decimals, sign=of_pairs),
            interval,
            fixed(row.classical, decimals, sign=of_pairs),
            classical,
            f"{row.labelled:,}",
            f"{row.unlabelled:,}",
            f"{100 * row.saved:.0f}%",
        ]
        for row, interval, classical in zip(rows, ends, alone, strict=True)
    ]
    return Grid(columns, [texts])


def powered_findings(result: RankResult) -> list[str]:
    """Return what the metric saves, in a sentence for every ranking that it helps."""
    said = []
    for ranking in result.rankings:
        about = (ranking.pair, ranking.scale)
        rows = [
            row for row in result.powered if (row.pair, row.scale) == about and row.against is None
        ]
        if rows:
            saved = sorted(row.saved for row in rows)
            usual = (saved[(len(saved) - 1) // 2] + saved[len(saved) // 2]) / 2
            worth = (
                f"stands for {percent(round(usual, 2))} of the judgments"
                if usual > 0
                else "saves no judgments"
            )
            said.append(
                f"{ranking.about}: in estimates of scores, {rows[0].metric} {worth}, in the median "
                f"of {plural(len(rows), 'system')}."
            )
    return said


def powered_signatures(result: RankResult) -> list[tuple[str, str]]:
    """Return how the estimates of every ranking were made."""
    said = {}
    for row in result.powered:
        parts = {"with": row.metric, "weight": "slope*N/(n+N)", "residuals": "hc3", "df": "n-2"}
        if any(
            each.by_document and each.about == about(row.pair, row.scale)
            for each in result.rankings
        ):
            parts = {"with": row.metric, "weight": "cov/(v_f+v_u)", "unit": "document", "df": "k-2"}
        said[f"{about(row.pair, row.scale)} with {row.metric}"] = signature(parts)
    return [*said.items()]


def powered_method(result: RankResult) -> list[str]:
    """Return a sentence for a paper."""
    if not result.powered:
        return []
    how = "with HC3 residuals and Student's t on n − 2 degrees of freedom"
    if any(ranking.by_document for ranking in result.rankings):
        how = "over documents, with Student's t on K − 2 degrees of freedom for K documents"
    return [
        f"Scores were also estimated with the help of {result.powered[0].metric} by "
        f"prediction-powered inference (Angelopoulos et al. 2023), {how}"
    ]

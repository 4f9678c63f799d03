"""Scores estimated with the help of a metric: parts of the view of `weigh human rank`."""

from __future__ import annotations

from collections.abc import Iterator

from weigh.human.powered import PoweredScore
from weigh.human.rank_result import HumanRanking, RankResult
from weigh.report.grid import Column, table
from weigh.report.parts import Part
from weigh.report.phrases import interval_column
from weigh.report.view import signature
from weigh.wording import percent, plural

# More pairs than this are shown on pages only.
_LONGEST_LIST = 10
_QUESTIONS = {
    "test-set": "the mean score if people had judged all {0:,} segments",
    "like-these": "the mean score on other {1} like these",
}


def powered_parts(ranking: HumanRanking, result: RankResult) -> Iterator[Part]:
    """Yield the systems of a ranking and their differences, with and without help of a metric."""
    systems, pairs = ranking.powered_systems, ranking.powered_differences
    if systems:
        metric = systems[0].metric
        score = Column("Score", "score", "score", better="higher", decimals=ranking.decimals)
        yield table(
            systems,
            [Column("System", "system"), *_columns(score, ranking, result)],
            title=f"{ranking.about}: with the help of {metric}",
            notes=[
                f"Score: {_question(systems[0], ranking)}, estimated from the judgments and "
                f"{metric}'s scores. People alone: the same from the judgments only. Saved: the "
                "share of judgments that the metric replaces. The intervals hold for these "
                f"judges, and only if the judged {_units(ranking)} were drawn at random."
            ],
            paper=True,
        )
    if pairs:
        difference = Column("Difference", "score", "difference", decimals=ranking.decimals)
        keys = [Column("A", "system"), Column("B", "against")]
        yield table(
            pairs,
            [*keys, *_columns(difference, ranking, result)],
            title=f"{ranking.about}: differences with the help of {pairs[0].metric}",
            notes=[
                "Over segments that were judged for both systems. The intervals are not adjusted "
                "for the number of pairs."
            ],
            limit=_LONGEST_LIST,
        )


def _question(row: PoweredScore, ranking: HumanRanking) -> str:
    return _QUESTIONS[row.population].format(row.labelled + row.unlabelled, _units(ranking))


def _units(ranking: HumanRanking) -> str:
    return "documents" if ranking.by_document else "segments"


def _columns(estimate: Column, ranking: HumanRanking, result: RankResult) -> list[Column]:
    level, decimals = result.plan.level, ranking.decimals
    return [
        estimate,
        interval_column(level, "interval", decimals),
        Column("People alone", "classical", estimate.kind, decimals=decimals),
        interval_column(level, "classical_interval", decimals),
        Column("Judged", "labelled", "count"),
        Column("Not judged", "unlabelled", "count"),
        Column("Saved", "saved", "percent", decimals=0),
    ]


def powered_findings(result: RankResult) -> list[str]:
    """A sentence on the judgments saved by the metric, for every ranking that used it."""
    findings = []
    for ranking in result.rankings:
        if systems := ranking.powered_systems:
            saved = "saves no judgments"
            if ranking.median_saved > 0:
                saved = f"replaces {percent(round(ranking.median_saved, 2))} of the judgments"
            findings.append(
                f"{ranking.about}: {systems[0].metric} {saved} "
                f"(median of {plural(len(systems), 'system')})."
            )
    return findings


def powered_signatures(result: RankResult) -> list[tuple[str, str]]:
    """The signatures of the estimates of every ranking."""
    signatures = []
    for ranking in result.rankings:
        if ranking.powered:
            row = ranking.powered[0]
            how = {"weight": "slope*N/(n+N)", "residuals": "hc3", "df": "n-2"}
            if ranking.by_document:
                weight = "cov/v_f" if row.population == "test-set" else "cov/(v_f+v_u)"
                how = {"weight": weight, "unit": "document", "df": "k-2"}
            parts = {"with": row.metric} | how | {"population": row.population}
            signatures.append((f"{ranking.about} with {row.metric}", signature(parts)))
    return signatures


def powered_method(result: RankResult) -> list[str]:
    """A sentence for a paper."""
    if not result.powered:
        return []
    how = "with HC3 residuals and Student's t on n − 2 degrees of freedom"
    if any(ranking.by_document for ranking in result.rankings):
        how = "over documents, with Student's t on K − 2 degrees of freedom for K documents"
    row = result.powered[0]
    units = "segments like these"
    if row.population == "test-set":
        units = "all segments of the test set (finite-population factor)"
    return [
        f"Mean scores of {units} were also estimated with the help of {row.metric} by "
        f"prediction-powered inference (Angelopoulos et al. 2023), {how}"
    ]

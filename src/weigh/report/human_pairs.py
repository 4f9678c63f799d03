"""Pairs of systems that people have judged: which test, what it says, and about whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weigh.comparing.methods import ADJUSTMENTS
from weigh.human.conclusions import Conclusion
from weigh.human.plan import LEAST_SHARED, PAIRED, PREFERENCE, TRIALS
from weigh.human.rank_result import HumanRanking, RankResult
from weigh.report.grid import Cell, Column, Grid, Interval
from weigh.stats.crossed import LEAST_DOCUMENTS, LEAST_JUDGES
from weigh.types import grouped
from weigh.wording import percent, plural, share

# Text formats show so many pairs of a ranking.
_LIMIT = 20
UNITS = {"segment": "segments' means", "judgment": "single judgments"}
_TESTS = {
    "rank-sum": "Rank-sum test of {0}",
    "signed-rank": "Signed-rank test of segments' mean differences",
    "randomization": "Randomization test of segments' means, {1:,} trials",
    "sign": "Sign test of the preferences that are not ties",
    "bradley-terry": "Student's t test of differences of Bradley–Terry strengths",
}
_SEGMENTS = (
    "Segments are assumed to be independent. If they come from documents, use --documents FILE."
)
_FLUENCY_DECIDES = "Where adequacy shows no difference, fluency decides, with its p-value."


def tests_of(conclusions: Iterable[Conclusion]) -> list[str]:
    """The tests that pairs were tested by, paired ones first."""
    return sorted({row.test for row in conclusions}, key=lambda test: (test not in PAIRED, test))


def once(conclusions: Iterable[Conclusion]) -> list[Conclusion]:
    """Every pair once; where both directions were tested, from the better system's side."""
    pairs: dict[frozenset[str], Conclusion] = {}
    for row in conclusions:
        pairs.setdefault(frozenset((row.a, row.b)), row)
    return [*pairs.values()]


def pairs_grid(rankings: Sequence[HumanRanking], result: RankResult) -> Grid:
    """One row per pair, in a block for every ranking."""
    rows = [(ranking, pair) for ranking in rankings for pair in ranking.comparisons]
    pairs = [pair for _, pair in rows]
    ends = {
        id(ranking): ranking.arena.intervals() for ranking in rankings if ranking.arena is not None
    }

    def interval(row: tuple[HumanRanking, Conclusion]) -> Cell:
        ranking, pair = row
        ends_of_pair = pair.for_others.interval if pair.for_others else None
        if id(ranking) in ends:
            ends_of_pair = ends[id(ranking)].get((pair.a, pair.b))
        return Cell(ends_of_pair and Interval(*ends_of_pair), decimals=ranking.decimals)

    columns = [Column("A", lambda row: row[1].a), Column("B", lambda row: row[1].b)]
    if len(rankings) > 1:
        columns.insert(0, Column("Judged", lambda row: row[0].about))
    if any(pair.decided_by != pair.scale for pair in pairs):
        columns.append(Column("By", lambda row: row[1].decided_by))
    if len({pair.test for pair in pairs}) > 1:
        columns.append(Column("Test", lambda row: row[1].test))
    columns.append(
        Column(
            "Difference",
            lambda row: Cell(row[1].difference, decimals=row[0].decimals),
            "difference",
        )
    )
    columns += [
        Column("p adjusted", lambda row: row[1].p_adjusted, "p"),
        Column(
            "Conclusion", lambda row: _conclusion(row[1], result.plan.alpha), "text", optional=1
        ),
    ]
    others = any(pair.for_others is not None for pair in pairs)
    if others or ends:
        title = f"{percent(result.plan.level)} {'new data' if others else 'interval'}"
        columns.append(Column(title, interval, "interval", optional=2))
    columns.append(Column("p", lambda row: row[1].p_value, "p", optional=3))
    by_document = any(ranking.by_document for ranking in rankings)
    if any(pair.test in PAIRED for pair in pairs) and not by_document:
        columns += [
            Column("Segments", lambda row: row[1].shared, "count", optional=4),
            Column("Left out", lambda row: row[1].left_out, "count", optional=4),
        ]
    return Grid(
        columns,
        [*grouped(rows, lambda row: id(row[0])).values()],
        "Pairs",
        _notes(rankings, result),
        limit=_LIMIT,
        section="Pairs",
        significant=[pair.significant for pair in pairs],
        choices={"Judged": [ranking.about for ranking, _ in rows]},
    )


def _conclusion(pair: Conclusion, alpha: float) -> Cell:
    if pair.winner is not None:
        only = " (these judges only)" if pair.these_judges_only else ""
        return Cell(f"{'A' if pair.winner == pair.a else 'B'} is better{only}", tone="good")
    if pair.p_adjusted is None:
        return Cell("no test: too few documents")
    if pair.p_adjusted <= alpha:
        return Cell("none: test and scores disagree")
    if pair.alternative == "two-sided":
        return Cell("no evidence", tone="open")
    return Cell("no evidence that A is better", tone="open")


def _notes(rankings: Sequence[HumanRanking], result: RankResult) -> list[str]:
    """What holds for all rankings once, and the rest with the name of its ranking."""
    notes = {ranking.about: _how_tested(ranking, result) for ranking in rankings}
    first, *others = notes.values()
    shared = [text for text in first if all(text in texts for texts in others)]
    if any(_FLUENCY_DECIDES in texts for texts in others):
        shared.append(_FLUENCY_DECIDES)
    single = [
        f"{about}: {text}" for about, texts in notes.items() for text in texts if text not in shared
    ]
    return [*shared, *single]


def _how_tested(ranking: HumanRanking, result: RankResult) -> list[str]:
    """How the pairs of a ranking were tested, and whom the results are about."""
    plan, pairs = result.plan, ranking.comparisons
    first = pairs[0]
    side = "two-sided" if plan.alternative == "two-sided" else "one-sided in both directions"
    corrected = "not adjusted"
    if first.adjust != "none":
        tests = plural(first.family_size, "test")
        corrected = f"adjusted by {ADJUSTMENTS[first.adjust]} for {tests}"
    notes = [
        f"{_name_tests(ranking, result)}, {side}; p-values are {corrected}; "
        f"α = {share(plan.alpha)}."
    ]
    if any(pair.decided_by != pair.scale for pair in pairs):
        notes.append(_FLUENCY_DECIDES)
    chosen_for_data = plan.preset == "weigh" and plan.test is None and plan.unit == "segment"
    if chosen_for_data and first.scale != PREFERENCE and not ranking.by_document:
        notes.append(_SEGMENTS)
    rows = once(pairs)
    return [*notes, *_for_these_judges(ranking, rows), *_for_others(ranking, rows, result)]


def _name_tests(ranking: HumanRanking, result: RankResult) -> str:
    """The tests, and why they were chosen where the data decided that."""
    pairs = ranking.comparisons
    if ranking.by_document:
        trials = max(pair.trials or 0 for pair in pairs)
        how = f"up to {trials:,} trials" if trials else "exact"
        most = max(pair.documents or 0 for pair in pairs)
        return f"Randomization test that swaps whole documents (at most {most:,} per pair; {how})"
    tests = tests_of(pairs)
    trials = result.plan.trials or TRIALS
    names = [_TESTS[test].format(UNITS[result.plan.unit], trials) for test in tests]
    many = f"at least {percent(LEAST_SHARED)} of their segments"
    if len(tests) > 1:
        counts = [sum(pair.test == test for pair in pairs) for test in tests]
        return (
            f"{names[0]} for pairs that share {many} ({counts[0]:,}), "
            f"{names[1][0].lower()}{names[1][1:]} for the others ({counts[1]:,})"
        )
    if tests == ["signed-rank"] and result.plan.test is None:
        who = "the systems" if len(pairs) == 1 else "all pairs"
        return f"{names[0]}, because {who} share {many}"
    return names[0]


def _for_these_judges(ranking: HumanRanking, rows: Sequence[Conclusion]) -> list[str]:
    """The p-values are about these judges."""
    if ranking.by_document:
        return ["The p-values hold for these judges, on other documents like these."]
    paired = [row for row in rows if row.test in PAIRED]
    if not paired:
        return []
    text = "The p-values hold for these judges, on other segments like these"
    if most := max(row.left_out or 0 for row in paired):
        text += (
            f"; segments of only one system are left out (at most {most:,} per pair, which shares "
            f"at least {min(row.shared or 0 for row in paired):,})"
        )
    return [f"{text}."]


def _for_others(ranking: HumanRanking, rows: Sequence[Conclusion], result: RankResult) -> list[str]:
    """What the intervals say about other judges, or why they say nothing."""
    intervals = [row.for_others for row in rows if row.for_others is not None]
    notes = []
    if intervals:
        others = "documents" if ranking.by_document else "segments"
        whom = f"judges and {others}" if any(interval.judges for interval in intervals) else others
        source = ""
        if not ranking.by_document:
            fewest = min(interval.judges for interval in intervals)
            source = f", from judges who scored both systems on a segment (at least {fewest:,})"
        outside = sum(not interval.contains_zero for interval in intervals)
        notes.append(
            f"New data: {percent(result.plan.level)} intervals of the difference for other "
            f"{whom} like these{source}, not adjusted for the number of pairs; {outside:,} of "
            f"{len(intervals):,} {'excludes' if outside == 1 else 'exclude'} 0."
        )
        if marked := sum(row.these_judges_only for row in rows):
            notes.append(
                f"{plural(marked, 'significant difference')} may not hold for other judges "
                '("these judges only").'
            )
        if whom == "documents":
            too_few = any((interval.documents or 0) < LEAST_DOCUMENTS for interval in intervals)
            why = "there are too few documents" if too_few else "at most one judge is named"
            notes.append(f"The intervals do not cover other judges, because {why}.")
    missing = sum(row.for_others is None and row.scale != PREFERENCE for row in rows)
    if missing and not ranking.by_document:
        pairs = f" for {plural(missing, 'pair')}" if intervals else ""
        why = f"fewer than {LEAST_JUDGES} judges scored both systems on the same segments"
        if not any(step.judges for step in result.steps):
            why = "the scores are means that do not name judges"
        notes.append(f"No interval for new judges{pairs}: {why}.")
    return notes

"""Pairs of systems judged by people: the tests, their conclusions and their scope."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from weigh.human.conclusions import Conclusion, count_tests
from weigh.human.plan import LEAST_SHARED, PAIRED, PREFERENCE, TRIALS
from weigh.human.rank_result import LEAST_JUDGES, HumanRanking, RankResult
from weigh.report.grid import Cell, Column, Grid, Interval
from weigh.report.phrases import adjusted_by
from weigh.types import grouped
from weigh.wording import percent, plural, share

# Text formats show at most this many pairs of a ranking.
_LIMIT = 20
UNITS = {"segment": "segments' means", "judgment": "single judgments"}
_TESTS = {
    "rank-sum": "Rank-sum test of {0}",
    "signed-rank": "Signed-rank test of segments' mean differences",
    "randomization": "Randomization test of segments' means, {1}",
    "sign": "Sign test of the preferences that are not ties",
    "bradley-terry": "Student's t test of differences of Bradley–Terry strengths",
}
_SEGMENTS = (
    "Segments are assumed to be independent. If they come from documents, use --documents FILE."
)
_THESE_JUDGES = {
    "few documents": "there are too few documents",
    "one judge": "at most one judge is named",
}
_FLUENCY_DECIDES = "Where adequacy shows no difference, fluency decides, with its p-value."


class RankedPair(NamedTuple):
    """A pair of systems and its ranking."""

    ranking: HumanRanking
    pair: Conclusion


def pairs_grid(rankings: Sequence[HumanRanking], result: RankResult) -> Grid:
    """A table of pairs, with a block for every ranking."""
    rows = [RankedPair(ranking, pair) for ranking in rankings for pair in ranking.comparisons]
    pairs = [row.pair for row in rows]
    intervals = {id(ranking): ranking.intervals() for ranking in rankings}

    def difference(row: RankedPair) -> Cell:
        return Cell(row.pair.difference, decimals=row.ranking.decimals)

    def interval(row: RankedPair) -> Cell:
        ends = intervals[id(row.ranking)].get((row.pair.a, row.pair.b))
        return Cell(ends and Interval(*ends), decimals=row.ranking.decimals)

    columns = [Column("A", "pair.a"), Column("B", "pair.b")]
    if len(rankings) > 1:
        columns.insert(0, Column("Judged", "ranking.about"))
    if any(pair.decided_by != pair.scale for pair in pairs):
        columns.append(Column("By", "pair.decided_by"))
    if len({pair.test for pair in pairs}) > 1:
        columns.append(Column("Test", "pair.test"))
    columns += [
        Column("Difference", difference, "difference"),
        Column("p adjusted", "pair.p_adjusted", "p"),
        Column(
            "Conclusion", lambda row: _conclusion(row.pair, result.plan.alpha), "text", optional=1
        ),
    ]
    others = any(pair.for_others is not None for pair in pairs)
    if others or any(ranking.arena is not None for ranking in rankings):
        title = f"{percent(result.plan.level)} {'new data' if others else 'interval'}"
        columns.append(Column(title, interval, "interval", optional=2))
    columns.append(Column("p", "pair.p_value", "p", optional=3))
    by_document = any(ranking.by_document for ranking in rankings)
    if any(pair.test in PAIRED for pair in pairs) and not by_document:
        columns += [
            Column("Segments", "pair.shared", "count", optional=4),
            Column("Left out", "pair.left_out", "count", optional=4),
        ]
    return Grid(
        columns,
        [*grouped(rows, lambda row: id(row.ranking)).values()],
        "Pairs",
        _notes(rankings, result),
        limit=_LIMIT,
        section="Pairs",
        significant=[pair.significant for pair in pairs],
        choices={"Judged": [row.ranking.about for row in rows]},
    )


_VERDICTS = {
    "untested": "no test: too few documents",
    "contradictory": "none: test and scores disagree",
    "undecided": "no evidence",
}


def _conclusion(pair: Conclusion, alpha: float) -> Cell:
    verdict = pair.verdict(alpha)
    if pair.winner is not None:
        only = " (these judges only)" if pair.these_judges_only else ""
        return Cell(f"{'A' if verdict == 'better' else 'B'} is better{only}", tone="good")
    if verdict != "undecided":
        return Cell(_VERDICTS[verdict])
    one_sided = "" if pair.alternative == "two-sided" else " that A is better"
    return Cell(f"{_VERDICTS[verdict]}{one_sided}", tone="open")


def _notes(rankings: Sequence[HumanRanking], result: RankResult) -> list[str]:
    """Notes that apply to all rankings, then the others with the name of their ranking."""
    notes = {ranking.about: _test_notes(ranking, result) for ranking in rankings}
    first, *others = notes.values()
    shared = [text for text in first if all(text in texts for texts in others)]
    if any(_FLUENCY_DECIDES in texts for texts in others):
        shared.append(_FLUENCY_DECIDES)
    single = [
        f"{about}: {text}" for about, texts in notes.items() for text in texts if text not in shared
    ]
    return [*shared, *single]


def _test_notes(ranking: HumanRanking, result: RankResult) -> list[str]:
    """Notes on how the pairs of a ranking were tested, and to whom the results generalise."""
    plan, pairs = result.plan, ranking.comparisons
    first = pairs[0]
    side = "two-sided" if plan.alternative == "two-sided" else "one-sided in both directions"
    corrected = f"p-values are {adjusted_by(first.adjust)}"
    if first.family_size == 1:
        corrected = "one test needs no adjustment"
    elif first.adjust != "none":
        corrected += f" for {plural(first.family_size, 'test')}"
    notes = [f"{_name_tests(ranking, result)}; {side}; {corrected}; α = {share(plan.alpha)}."]
    if any(pair.decided_by != pair.scale for pair in pairs):
        notes.append(_FLUENCY_DECIDES)
    chosen_for_data = plan.preset == "weigh" and plan.test is None and plan.unit == "segment"
    if chosen_for_data and first.scale != PREFERENCE and not ranking.by_document:
        notes.append(_SEGMENTS)
    return [*notes, *_for_these_judges(ranking), *_for_others(ranking, result)]


def _name_tests(ranking: HumanRanking, result: RankResult) -> str:
    """The tests, and the reason for them if they were chosen by the data."""
    pairs = ranking.comparisons
    if ranking.by_document:
        most = ranking.most_trials
        how = f"up to {plural(most, 'trial')}" if most else "exact"
        return (
            "Randomization test that swaps whole documents (at most "
            f"{ranking.most_documents:,} per pair; {how})"
        )
    tests = count_tests(pairs)
    trials = plural(result.plan.trials or TRIALS, "trial")
    names = [_TESTS[test].format(UNITS[result.plan.unit], trials) for test in tests]
    many = f"at least {percent(LEAST_SHARED)} of their segments"
    if len(tests) > 1:
        first, second = tests.values()
        return (
            f"{names[0]} for pairs that share {many} ({first:,}), "
            f"{names[1][0].lower()}{names[1][1:]} for the others ({second:,})"
        )
    if "signed-rank" in tests and result.plan.test is None:
        who = "the systems" if len(pairs) == 1 else "all pairs"
        return f"{names[0]}, because {who} share {many}"
    return names[0]


def _for_these_judges(ranking: HumanRanking) -> list[str]:
    """A note that the p-values apply to these judges."""
    if ranking.by_document:
        return ["The p-values apply to these judges, and to other documents like these."]
    if not any(pair.test in PAIRED for pair in ranking.comparisons):
        return []
    text = "The p-values apply to these judges, and to other segments like these"
    if ranking.most_left_out:
        text += (
            f"; segments of only one system are left out (at most {ranking.most_left_out:,} per "
            f"pair, which shares at least {ranking.fewest_shared:,})"
        )
    return [f"{text}."]


def _for_others(ranking: HumanRanking, result: RankResult) -> list[str]:
    """Notes on the intervals for other judges, or on why there are none."""
    others = ranking.new_data
    notes = []
    if others.intervals:
        units = "documents" if ranking.by_document else "segments"
        whom = units if others.why_these_judges else f"judges and {units}"
        source = ""
        if not ranking.by_document:
            source = (
                ", computed from judges who scored both systems on a segment (at least "
                f"{others.fewest_judges:,} per pair)"
            )
        excludes = "excludes" if others.excluding_zero == 1 else "exclude"
        notes.append(
            f"New data: {percent(result.plan.level)} intervals of the difference for other "
            f"{whom} like these{source}. They are not adjusted for the number of pairs; "
            f"{others.excluding_zero:,} of {others.intervals:,} {excludes} 0."
        )
        if others.these_judges_only:
            notes.append(
                f"{plural(others.these_judges_only, 'significant difference')} may not hold for "
                'other judges ("these judges only").'
            )
        if others.why_these_judges:
            why = _THESE_JUDGES[others.why_these_judges]
            notes.append(f"The intervals do not cover other judges, because {why}.")
    if others.missing and not ranking.by_document:
        pairs = f" for {plural(others.missing, 'pair')}" if others.intervals else ""
        why = f"fewer than {LEAST_JUDGES} judges scored both systems on the same segments"
        if not any(step.judges for step in result.steps):
            why = "the scores are means that do not name judges"
        notes.append(f"No interval for new judges{pairs}: {why}.")
    return notes

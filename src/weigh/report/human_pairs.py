"""What is shown of pairs that people have judged: which test, what it says, and of whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weigh.comparing.methods import ADJUSTMENTS
from weigh.human.conclusions import Conclusion
from weigh.human.plan import LEAST_SHARED, PAIRED, PREFERENCE, TRIALS
from weigh.human.rank_result import HumanRanking, RankResult
from weigh.report.grid import Cell, Column, Grid
from weigh.report.phrases import NO_EVIDENCE
from weigh.stats.crossed import LEAST_DOCUMENTS, LEAST_JUDGES
from weigh.types import grouped
from weigh.wording import intervals, percent, plural, share

UNITS = {"segment": "segments' means", "judgment": "single judgments"}
_TESTS = {
    "rank-sum": "Rank-sum test of {0}",
    "signed-rank": "Signed-rank test of segments' mean differences",
    "randomization": "Randomization test of segments' means, one coin for each segment, {1:,} "
    "trials",
    "documents": "Randomization test that swaps whole documents",
    "sign": "Sign test of the preferences that are not ties",
    "bradley-terry": "Bradley–Terry differences of strength, by t",
}


SEGMENTS = "Segments are taken as independent; name their documents, if any, with --documents."
FLUENCY_DECIDES = "Where adequacy shows no difference, fluency decides, with its p-value."


def tests_of(conclusions: Iterable[Conclusion]) -> list[str]:
    """Return the tests that pairs were tested by, paired ones first."""
    return sorted({row.test for row in conclusions}, key=lambda test: (test not in PAIRED, test))


def once(conclusions: Iterable[Conclusion]) -> list[Conclusion]:
    """Return every pair once, where both directions were tested from the better one's side."""
    pairs: dict[frozenset[str], Conclusion] = {}
    for row in conclusions:
        pairs.setdefault(frozenset((row.a, row.b)), row)
    return [*pairs.values()]


def _tests_in_words(ranking: HumanRanking, result: RankResult) -> str:
    """Return which tests there are, and why where they were chosen for the data."""
    tests = tests_of(ranking.comparisons)
    if ranking.by_document:
        return _documents_in_words(ranking)
    trials = result.plan.trials or TRIALS
    words = [_TESTS[test].format(UNITS[result.plan.unit], trials) for test in tests]
    many = f"{percent(LEAST_SHARED)} of their segments or more"
    if len(tests) > 1:
        counts = [sum(row.test == test for row in ranking.comparisons) for test in tests]
        return (
            f"{words[0]} for pairs that share {many} ({counts[0]:,}), "
            f"{words[1][0].lower()}{words[1][1:]} for the others ({counts[1]:,})"
        )
    if tests == ["signed-rank"] and result.plan.test is None:
        shared = f"all pairs share {many}"
        if len(ranking.comparisons) == 1:
            shared = f"the systems share {many}"
        return f"{words[0]}, since {shared}"
    return words[0]


def _documents_in_words(ranking: HumanRanking) -> str:
    counts = [row.documents or 0 for row in ranking.comparisons]
    trials = max(row.trials or 0 for row in ranking.comparisons)
    how = f"up to {trials:,} trials" if trials else "exact"
    return f"{_TESTS['documents']} ({max(counts):,} of a pair at most; {how})"


def _questions_by_document(ranking: HumanRanking, result: RankResult) -> list[str]:
    """Return that p-values are about these judges, and what intervals say of others."""
    rows = once(ranking.comparisons)
    sentences = ["The p-values hold for these judges, on other documents like these."]
    known = [row.for_others for row in rows if row.for_others is not None]
    if not known:
        return sentences
    whom = "judges and documents" if any(each.judges for each in known) else "documents"
    marked = sum(row.these_judges_only for row in rows)
    said = (
        f"For others: {percent(result.plan.level)} intervals of the difference for other {whom}"
        ", for each pair by itself; "
        f"{sum(not each.contains_zero for each in known):,} of {len(known):,} exclude 0"
    )
    if marked:
        said += (
            f". {plural(marked, 'significant difference')} may not hold for other judges "
            '("these judges only")'
        )
    if whom == "documents":
        said += "; other judges are not allowed for, since one judge or none is named"
        if any((each.documents or 0) < LEAST_DOCUMENTS for each in known):
            said = said.replace("since one judge or none is named", "with so few documents")
    return [*sentences, f"{said}."]


def _questions(ranking: HumanRanking, result: RankResult) -> list[str]:
    """Return of whom p-values and intervals speak: of these judges, or of others too."""
    rows = once(ranking.comparisons)
    sentences = []
    paired = [row for row in rows if row.test in PAIRED]
    if paired:
        most = max(row.left_out or 0 for row in paired)
        said = "The p-values hold for these judges, on other segments like these"
        if most:
            said += (
                f"; segments of one system alone are left out ({most:,} at most of a pair, which "
                f"shares {min(row.shared or 0 for row in paired):,} or more)"
            )
        sentences.append(f"{said}.")
    known = [row.for_others for row in rows if row.for_others is not None]
    level = percent(result.plan.level)
    if known:
        outside = sum(each.interval[0] > 0 or each.interval[1] < 0 for each in known)
        fewest = min(each.judges for each in known)
        found = f"{outside:,} of {len(known):,} {'exclude' if outside != 1 else 'excludes'} 0"
        if len(known) == 1:
            found = "it excludes 0" if outside else "it does not exclude 0"
        sentences.append(
            f"For others: {level} intervals of the difference for other judges and segments "
            f"too, from judges who scored both systems on a segment ({fewest:,} at least), "
            f"for each pair by itself; {found}."
        )
    missing = sum(row.for_others is None and row.scale != PREFERENCE for row in rows)
    if missing:
        nothing = f"Of {plural(missing, 'pair')} nothing" if known else "Nothing"
        why = f"fewer than {LEAST_JUDGES} have scored both systems on the same segments"
        if not any(step.judges for step in result.steps):
            why = "the scores are means, and do not say who gave what"
        sentences.append(f"{nothing} can be said for other judges: {why}.")
    return sentences


def how_tested(ranking: HumanRanking, result: RankResult) -> list[str]:
    """Sentences on how the pairs of a ranking were tested."""
    plan = result.plan
    first = ranking.comparisons[0]
    test = _tests_in_words(ranking, result)
    side = "two-sided" if plan.alternative == "two-sided" else "one-sided, both directions tried"
    corrected = "not corrected for the number of pairs"
    if first.adjust != "none":
        corrected = (
            f"adjusted by {ADJUSTMENTS[first.adjust]} for {plural(first.family_size, 'test')}"
        )
    sentences = [f"{test}, {side}; p-values are {corrected}; α = {share(plan.alpha)}."]
    if any(pair.decided_by != pair.scale for pair in ranking.comparisons):
        sentences.append(FLUENCY_DECIDES)
    if ranking.by_document:
        return [*sentences, *_questions_by_document(ranking, result)]
    chosen_for_data = plan.preset == "weigh" and plan.test is None and plan.unit == "segment"
    if chosen_for_data and first.scale != PREFERENCE:
        sentences.append(SEGMENTS)
    return [*sentences, *_questions(ranking, result)]


def list_grid(rankings: Sequence[HumanRanking], result: RankResult) -> Grid:
    """One row per pair, in a block for every ranking."""
    pairs = [(ranking, pair) for ranking in rankings for pair in ranking.comparisons]
    by_document = any(ranking.by_document for ranking in rankings)
    others = any(pair.for_others is not None for _, pair in pairs)
    strengths = any(ranking.arena is not None for ranking in rankings)
    ends = {id(pair): text for (_, pair), text in zip(pairs, _ends(pairs), strict=True)}
    columns = [Column("A", lambda row: row[1].a), Column("B", lambda row: row[1].b)]
    if len(rankings) > 1:
        columns.insert(0, Column("Judged", lambda row: row[0].about))
    if any(pair.decided_by != pair.scale for _, pair in pairs):
        columns.append(Column("By", lambda row: row[1].decided_by))
    if len({pair.test for _, pair in pairs}) > 1:
        columns.append(Column("Test", lambda row: row[1].test))
    columns.append(
        Column(
            "Difference",
            lambda row: Cell(row[1].difference, decimals=row[0].decimals),
            kind="difference",
        )
    )
    if others or strengths:
        title = f"{percent(result.plan.level)} {'for others' if others else 'interval'}"
        columns.append(Column(title, lambda row: ends[id(row[1])], kind="number", attached=True))
    columns += [
        Column("p", lambda row: row[1].p_value, kind="p"),
        Column("Adjusted", lambda row: row[1].p_adjusted, kind="p"),
        Column("Conclusion", lambda row: _conclusion(row[1], result.plan.alpha), kind="text"),
    ]
    if any(pair.test in PAIRED for _, pair in pairs) and not by_document:
        columns += [
            Column("Segments", lambda row: row[1].shared, kind="count", optional=1),
            Column("Left out", lambda row: row[1].left_out, kind="count", optional=1),
        ]
    return Grid(columns, [*grouped(pairs, lambda row: id(row[0])).values()])


def _ends(pairs: Sequence[tuple[HumanRanking, Conclusion]]) -> list[str]:
    """Return the intervals of differences as texts, those of a ranking under each other."""
    texts: list[str] = []
    for ranking in dict.fromkeys(id(ranking) for ranking, _ in pairs):
        rows = [(each, pair) for each, pair in pairs if id(each) == ranking]
        ends = [pair.for_others.interval if pair.for_others else None for _, pair in rows]
        arena = rows[0][0].arena
        if arena is not None:
            known = arena.intervals()
            ends = [known.get((pair.a, pair.b)) for _, pair in rows]
        texts += intervals(ends, rows[0][0].decimals, sign=True)
    return texts


def _conclusion(pair: Conclusion, alpha: float) -> Cell:
    if pair.winner is not None:
        only = " (these judges only)" if pair.these_judges_only else ""
        return Cell(f"{pair.winner} is better{only}", tone="good")
    if pair.p_adjusted is None:
        return Cell("no test: too few documents")
    if pair.p_adjusted <= alpha:
        return Cell("none: test and scores disagree")
    if pair.alternative == "two-sided":
        return Cell(NO_EVIDENCE, tone="open")
    return Cell(f"no evidence that {pair.a} is better", tone="open")

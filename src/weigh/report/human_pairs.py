"""What is shown of pairs that people have judged: which test, what it says, and of whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weigh.comparing.methods import ADJUSTMENTS
from weigh.human.conclusions import Conclusion
from weigh.human.plan import LEAST_SHARED, PAIRED, PREFERENCE, TRIALS
from weigh.human.rank_result import HumanRanking, RankResult
from weigh.report.grid import Column, Grid, cells, in_clusters, number_columns
from weigh.report.human import NARROW
from weigh.report.phrases import NO_EVIDENCE, interval_column
from weigh.report.view import Part
from weigh.stats.crossed import LEAST_DOCUMENTS, LEAST_JUDGES
from weigh.wording import NO_NUMBER, fixed, intervals, percent, plural, probability, share

# More pairs than this are a matrix, fewer a list.
_LONGEST_LIST = 10
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


def _questions_by_document(ranking: HumanRanking, result: RankResult, elsewhere: bool) -> list[str]:
    """Return that p-values are about these judges, and what intervals say of others."""
    rows = once(ranking.comparisons)
    sentences = ["The p-values hold for these judges, on other documents like these."]
    known = [row.for_others for row in rows if row.for_others is not None]
    if not known:
        return sentences
    shown = " (on the page and in JSON)" if elsewhere else ""
    whom = "judges and documents" if any(each.judges for each in known) else "documents"
    marked = sum(row.these_judges_only for row in rows)
    said = (
        f"For others: {percent(result.plan.level)} intervals of the difference for other {whom}"
        f"{shown}, for each pair by itself; "
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


def _questions(ranking: HumanRanking, result: RankResult, elsewhere: bool) -> list[str]:
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
        shown = " (on the page and in JSON)" if elsewhere else ""
        found = f"{outside:,} of {len(known):,} {'exclude' if outside != 1 else 'excludes'} 0"
        if len(known) == 1:
            found = "it excludes 0" if outside else "it does not exclude 0"
        sentences.append(
            f"For others: {level} intervals of the difference for other judges and segments "
            f"too{shown}, from judges who scored both systems on a segment ({fewest:,} at least), "
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


def how_tested(ranking: HumanRanking, result: RankResult, *, page: bool = False) -> list[str]:
    """Return how the pairs of a ranking were tested; a `page` has the intervals of all of them."""
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
    elsewhere = not page and len(ranking.comparisons) > _LONGEST_LIST
    if ranking.by_document:
        return [*sentences, *_questions_by_document(ranking, result, elsewhere)]
    chosen_for_data = plan.preset == "weigh" and plan.test is None and plan.unit == "segment"
    if chosen_for_data and first.scale != PREFERENCE:
        sentences.append(SEGMENTS)
    return [*sentences, *_questions(ranking, result, elsewhere)]


def pairs_part(ranking: HumanRanking, result: RankResult) -> Part:
    sentences = how_tested(ranking, result)
    if len(ranking.comparisons) <= _LONGEST_LIST:
        return Part("", list_grid([ranking], result), sentences, forms=NARROW)
    adjusted = "" if ranking.comparisons[0].adjust == "none" else "adjusted "
    key = (
        f"> the row's system is better than the column's; a number is the {adjusted}p of a pair "
        "without evidence of a difference."
    )
    if any(row.these_judges_only for row in ranking.comparisons):
        key += " (>) may not hold for other judges."
    return Part("", _matrix_grid(ranking), [key, *sentences], forms=NARROW)


def list_grid(rankings: Sequence[HumanRanking], result: RankResult, *, page: bool = False) -> Grid:
    """Return one row per pair, with what it is a pair of where there are several rankings.

    A page has room for the test, the segments that were compared and the mean for others.
    """
    several = len(rankings) > 1
    pairs = [(ranking, pair) for ranking in rankings for pair in ranking.comparisons]
    scales = any(pair.decided_by != pair.scale for _, pair in pairs)
    mixed = len({pair.test for _, pair in pairs}) > 1
    shared = page and any(pair.test in PAIRED for _, pair in pairs)
    by_document = any(ranking.by_document for ranking in rankings)
    others = any(pair.for_others is not None for _, pair in pairs)
    strengths = any(ranking.arena is not None for ranking in rankings)
    columns = [*[Column("Judged")] * several, Column("A"), Column("B"), *[Column("By")] * scales]
    columns += [Column("Test")] * mixed
    columns += number_columns("Segments", "Left out") if shared and not by_document else []
    columns += number_columns("Difference")
    if others and page and not by_document:
        columns += number_columns("For others")
    if others and not page:
        title = f"{percent(result.plan.level)} for others"
        columns.append(Column(title, kind="number", attached=True))
    elif others or strengths:
        columns.append(interval_column(result.plan.level))
    columns += [*number_columns("p", "Adjusted"), Column("Conclusion", kind="remark")]
    ends = _ends(pairs)
    rows = []
    for (ranking, pair), interval in zip(pairs, ends, strict=True):
        texts = [*[ranking.about] * several, pair.a, pair.b, *[pair.decided_by] * scales]
        texts += [pair.test] * mixed
        if shared and not by_document:
            texts += [NO_NUMBER if n is None else f"{n:,}" for n in (pair.shared, pair.left_out)]
        texts.append(fixed(pair.difference, ranking.decimals, sign=True))
        if others:
            mean = None if pair.for_others is None else pair.for_others.difference
            if page and not by_document:
                texts.append(fixed(mean, ranking.decimals, sign=True))
            texts.append(interval)
        elif strengths:
            texts.append(interval)
        texts += [probability(pair.p_value), probability(pair.p_adjusted)]
        texts.append(_said(pair, result.plan.alpha))
        rows.append(cells(texts))
    return Grid(columns, [rows])


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


def _said(pair: Conclusion, alpha: float) -> str:
    if pair.winner is not None:
        only = " (these judges only)" if pair.these_judges_only else ""
        return f"{pair.winner} is better{only}"
    if pair.p_adjusted is None:
        return "no test: too few documents"
    if pair.p_adjusted <= alpha:
        return "none: test and scores disagree"
    if pair.alternative == "two-sided":
        return NO_EVIDENCE
    return f"no evidence that {pair.a} is better"


def _matrix_grid(ranking: HumanRanking) -> Grid:
    """Return ranked systems against each other: the heat map of Graham et al. (2014) in signs."""
    names = [score.system for score in ranking.scores]
    pairs = {(pair.a, pair.b): pair for pair in ranking.comparisons}
    one_sided = ranking.comparisons[0].alternative != "two-sided"
    columns = range(0 if one_sided else 1, len(names))
    marks = [
        [
            "" if i == j or (j < i and not one_sided) else _mark(pairs[row, names[j]])
            for j in columns
        ]
        for i, row in enumerate(names)
    ]
    # As wide as any, so that the columns of a triangle stand at equal distances.
    wide = max(len(mark) for row in marks for mark in row)
    titles = [Column("#"), Column("System")]
    titles += number_columns(*(f"{j + 1:>{wide}}" for j in columns))
    last = len(str(len(names)))
    rows = [cells([f"{i + 1:>{last}}", row, *marks[i]]) for i, row in enumerate(names)]
    return Grid(titles, in_clusters(rows, ranking.clusters), lined=True)


def _mark(pair: Conclusion) -> str:
    if pair.winner is None:
        return probability(pair.p_adjusted, 3)
    mark = ">" if pair.winner == pair.a else "<"
    return f"({mark})" if pair.these_judges_only else mark

"""The view of `weigh human rank`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from weigh.human.arena import BY as STRENGTH
from weigh.human.arena import Arena, PositionBias, Strength
from weigh.human.conclusions import count_tests
from weigh.human.plan import CONTROLS, LEAST_SHARED, TRIALS
from weigh.human.rank_result import HumanRanking, RankResult, ranking_basis
from weigh.human.scores import UnrankedScore
from weigh.report.grid import Column, Grid, Value, in_clusters
from weigh.report.human import (
    ADVICE,
    count_kept,
    quality_works,
    rule,
    scale_works,
    split_judges,
    steps_part,
    verdicts_grid,
)
from weigh.report.human_errors import error_parts
from weigh.report.human_pairs import UNITS, pairs_grid
from weigh.report.human_powered import (
    powered_findings,
    powered_method,
    powered_parts,
    powered_signatures,
)
from weigh.report.parts import Note, Part, Pictures, draw_later, summary
from weigh.report.phrases import (
    BY,
    RANGE,
    adjusted_by,
    conclude,
    confidence,
    count_pairs,
    interval_column,
    join_texts,
    rank_title,
    why_uncorrected,
)
from weigh.report.view import Used, View, view_of
from weigh.result import encode
from weigh.wording import fixed, listed, p_value, percent, percentage, plural, share

_TITLES = {
    "z": "z",
    "raw": "Score",
    "expected wins": "Expected wins",
    "bradley-terry": "Strength",
}
_BOUNDARIES = {
    "all": "Lines separate clusters: every system above a line beats every system below it.",
    "last": "A line below a system means that it beats every system below the line (preset wmt21).",
}
_UNRANKED = "–: not ranked (--unranked) and not part of any test or cluster."
_ORDER = (
    "Adequacy and fluency together: systems are ordered by wins minus losses, then by the score of "
    "adequacy."
)
_WORKS = {
    "rank-sum": "rank-sum test",
    "signed-rank": "signed-rank test",
    "randomization": "randomization of segments",
}
_METHODS = {
    "rank-sum": "the Wilcoxon rank-sum test of {0}",
    "signed-rank": "the Wilcoxon signed-rank test of segments' mean differences",
    "randomization": "approximate randomization of segments ({1})",
    "documents": "randomization of whole documents",
    "sign": "the sign test of preferences",
    "bradley-terry": "the difference of their strengths",
}
_SCORES = {
    "z": "the mean over segments of the mean of its judgments, standardised for each judge "
    "(Graham et al. 2014)",
    "raw": "the mean over segments of the mean of its judgments",
    "expected wins": "its expected wins (Koehn 2012)",
    "bradley-terry": "its strength",
}
_OTHERS = {
    "judges and segments": "other judges and other segments",
    "segments": "other segments, but not to other judges",
    "answers": "other answers like these",
}
_UNBOUNDED = {"above": "unbounded ↑", "below": "unbounded ↓", "both": "unbounded"}


@view_of(RankResult)
def rank(result: RankResult) -> View:
    """Show the rankings, the tests of all pairs, the steps of filtering, and the judges."""
    rankings = result.rankings
    systems = {(row.pair, row.system) for row in (*result.scores, *result.unranked)}
    return View(
        title=f"{plural(len(systems), 'system')} judged by people",
        subtitle=join_texts([ranking.about for ranking in rankings]),
        parts=[
            *summary(
                [
                    *map(_finding, rankings),
                    *powered_findings(result),
                    *_counts(result),
                ],
                result.remarks,
                level="brief",
            ),
            *_ranking_parts(result),
            *_pair_parts(result),
            *error_parts(result.errors, result.texts),
            _steps(result),
            *_judges(result),
        ],
        methods=_methods(result),
        signatures=[
            *((ranking.about, ranking.signature) for ranking in rankings),
            *powered_signatures(result),
        ],
        records=encode((*result.scores, *result.unranked)),
        used=Used(
            adjustments=list(
                dict.fromkeys(row.adjust for row in result.comparisons if row.family_size > 1)
            ),
            intervals=["t"],
            works=_works(result),
        ),
    )


def _works(result: RankResult) -> list[str]:
    works = quality_works(result.quality)
    if result.powered:
        works.append("prediction-powered")
    if any(ranking.by == STRENGTH for ranking in result.rankings):
        return [*works, "Bradley–Terry strengths", "intervals for other judges"]
    if any(ranking.by == "expected wins" for ranking in result.rankings):
        return [*works, "expected wins"]
    works += [_WORKS[test] for test in count_tests(result.comparisons)]
    if any(row.for_others is not None for row in result.comparisons):
        works.append("intervals for other judges")
    return [*works, *scale_works(row.scale for row in result.rankings)]


def _finding(ranking: HumanRanking) -> str:
    """A sentence on who is best and how many pairs differ."""
    names = [row.system for row in ranking.scores]
    if not ranking.comparisons:
        score = fixed(ranking.scores[0].score, ranking.decimals)
        return f"{ranking.about}: {names[0]} has {score}."
    if all(row.p_value is None for row in ranking.comparisons):
        return f"{ranking.about}: {names[0]} scores best, but no pair could be tested."
    text = f"{ranking.about}: {conclude(names, ranking.beaten)}."
    pairs = len(ranking.pairs)
    return f"{text} {count_pairs(pairs, ranking.undecided)}" if pairs > 1 else text


def _counts(result: RankResult) -> list[str]:
    """A sentence on the judges and judgments behind the ranking."""
    if not result.steps:
        return []
    first, last = result.steps[0], result.steps[-1]
    counts = f"{last.judgments:,} of {plural(first.judgments, 'judgment')} used"
    return [f"{ranking_basis(result)}. {counts}."]


# Scores and ranks.


def _ranking_parts(result: RankResult) -> Iterator[Part]:
    """Yield the scores of every ranking, overall, by slice, and as estimated with a metric."""
    notes = [_notes(ranking, result) for ranking in result.rankings]
    are_alike = all(texts == notes[0] for texts in notes)
    for ranking, texts in zip(result.rankings, notes, strict=True):
        title = f"{ranking.about}: {plural(len(ranking.scores), 'system')}"
        if ranking.unranked:
            title += f" and {len(ranking.unranked):,} unranked"
        blocks = in_clusters(ranking.scores, ranking.clusters)
        yield Grid(
            _score_columns(ranking, result.plan.level),
            [*blocks, [*ranking.unranked]] if ranking.unranked else blocks,
            title,
            texts if not are_alike or ranking is result.rankings[-1] else [],
            level="brief",
            section="Scores",
            clustered=True,
            paper=True,
        )
        yield from _slices(ranking)
    for ranking in result.rankings:
        yield from powered_parts(ranking, result)
    yield Pictures(draw_later("human_pictures.ranking_plots", result))


def _score_columns(ranking: HumanRanking, level: float) -> list[Column]:
    columns = [
        Column(rank_title(ranking.uncorrected), lambda row: getattr(row, "rank", "–"), "range"),
        Column("System", "system"),
    ]
    title = _TITLES[ranking.by]
    if ranking.combined:
        title = "Adequacy z" if ranking.by == "z" else "Adequacy"
        columns += [
            Column("Beats", lambda row: ranking.wins(row.system), "count"),
            Column("Beaten by", lambda row: ranking.losses(row.system), "count"),
        ]
    columns.append(Column(title, "score", "score", better="higher", decimals=ranking.decimals))
    counts = [Column(name.capitalize(), name, "count") for name in ("wins", "losses", "ties")]
    if ranking.by == "expected wins":
        return [*columns, *counts]
    if ranking.by == STRENGTH:
        return [
            *columns,
            interval_column(level, _strength_interval, ranking.decimals),
            Column("Elo", "elo", "score", decimals=0),
            Column("Win rate", "win_rate", "percent", decimals=1),
            *counts,
        ]
    columns.append(interval_column(level, "interval", ranking.decimals))
    if ranking.by == "z":
        columns.append(Column("Raw", "raw", "score", decimals=1))
    return [*columns, *(Column(name.capitalize(), name, "count") for name in _SAMPLES)]


_SAMPLES = ("judgments", "segments")


def _strength_interval(score: Strength) -> object:
    return _UNBOUNDED.get(score.unbounded, score.interval)


def _notes(ranking: HumanRanking, result: RankResult) -> list[str]:
    """How to read the order, the lines and the ranks of a table."""
    notes = []
    if ranking.comparisons:
        if ranking.combined:
            notes.append(_ORDER)
        if len(ranking.clusters) > 1:
            notes.append(_BOUNDARIES[result.plan.boundary])
        notes.append(_about_ranks(ranking, result))
        notes += _about_strengths(ranking, result.plan.level)
    if ranking.unranked:
        notes.append(_UNRANKED)
    return notes


def _about_ranks(ranking: HumanRanking, result: RankResult) -> str:
    plan = result.plan
    why_not = {
        "": "",
        "combined": f"adequacy and fluency are tested at α = {share(plan.alpha)} each",
        "one-sided": "the tests are one-sided",
        "adjustment": why_uncorrected(plan.adjust),
    }
    return f"Rank: {RANGE}. {confidence(plan.alpha, why_not[ranking.why_uncorrected])}"


def _about_strengths(ranking: HumanRanking, level: float) -> list[str]:
    """How to read strengths, ties, positions and intervals of an arena."""
    arena = ranking.arena
    if arena is None:
        return []
    notes = [
        "Strengths are log odds with a mean of 0: a system that leads another by 1 is preferred e "
        "times as often, not counting ties. Elo is the same on a scale with a mean of 1000, where "
        "400 points are odds of ten to one. In the win rate, a tie counts as half a win."
    ]
    if 0 < arena.tied < 1:
        notes.append(f"Two systems of equal strength tie in {percentage(arena.tied)} of answers.")
    if arena.position is not None:
        notes.append(_about_position(arena.position, level))
    if arena.holds_for != "nothing":
        judges = f"{plural(arena.judges, 'judge')}, " if arena.judges else ""
        unit = "segment" if arena.holds_for != "answers" else "answer"
        notes.append(
            f"Intervals and tests generalise to {_OTHERS[arena.holds_for]} "
            f"({judges}{plural(arena.segments, unit)})."
        )
    if any(isinstance(score, Strength) and score.unbounded for score in ranking.scores):
        notes.append(
            "Unbounded: the answers do not limit this strength. For the number shown, half a win "
            "and half a loss against a fictitious system were added."
        )
    return notes


def _about_position(bias: PositionBias, level: float) -> str:
    interval = ""
    if bias.first_wins_interval is not None:
        low, high = map(percentage, bias.first_wins_interval)
        interval = f" ({percent(level)} interval {low} to {high}, {p_value(bias.p_value)})"
    return (
        f"Position bias: of two equal systems, the first shown is preferred in "
        f"{percentage(bias.first_wins)} of answers without a tie{interval}. The strengths are "
        "adjusted for it."
    )


def _slices(ranking: HumanRanking) -> Iterator[Part]:
    """Yield the scores by slice, and their means over segments and over slices."""
    if not ranking.slices:
        return
    scores = {(row.system, row.slice): row.score for row in ranking.slices}

    def score(label: str, row: UnrankedScore) -> float | None:
        return scores.get((row.system, label))

    values: dict[str, Value] = {label: partial(score, label) for label in ranking.slice_sizes}
    values |= {"Micro": "score", "Macro": "macro"}
    columns = [
        Column("System", "system"),
        *(
            Column(title, value, "score", better="higher", decimals=ranking.decimals)
            for title, value in values.items()
        ),
    ]
    sizes = [f"{label} {size:,}" for label, size in ranking.slice_sizes.items()]
    notes = [
        "Micro is the mean over segments, which ranks the systems; macro is the mean over slices. "
        f"Segments: {', '.join(sizes)}."
    ]
    if ranking.macro_winner is not None:
        first = ranking.scores[0].system
        notes.append(f"By the macro mean, {ranking.macro_winner} is first instead of {first}.")
    blocks = [block for block in (ranking.scores, ranking.unranked) if block]
    yield Grid(columns, blocks, f"{ranking.about}: by slice", notes)


# Pairs, steps and judges.


def _pair_parts(result: RankResult) -> Iterator[Part]:
    """Yield the tested pairs of all rankings."""
    tested = [ranking for ranking in result.rankings if ranking.comparisons]
    if not tested:
        yield Note(["There are no pairs: one system was judged."], section="Pairs", level="page")
        return
    yield pairs_grid(tested, result)
    yield Pictures(draw_later("human_pictures.ranking_maps", result))
    if any(ranking.arena is not None for ranking in result.rankings):
        yield Pictures(draw_later("human_pictures.win_rate_maps", result))


def _steps(result: RankResult) -> Part:
    control = "No quality control: every judge's answers count."
    if result.quality != "none":
        control = f"Quality control {result.quality}: {rule(CONTROLS[result.quality])}"
    return steps_part(result.steps, result.omissions, [control] if result.judges else [])


def _judges(result: RankResult) -> Iterator[Part]:
    """Yield a table of judges, kept and dropped, with reasons; preferences have none."""
    judges = result.judges
    if not judges:
        return
    kept, dropped = split_judges(judges)
    flagged = sum(bool(judge.flags) for judge in judges)
    control = "Judges were not tested, so none was dropped for failing."
    if result.quality != "none":
        control = f"{count_kept(judges)}."
    notes = [control, f"Brackets: advice on {plural(flagged, 'judge')}. {ADVICE}"]
    grid = verdicts_grid([[*dropped, *kept]])  # one block, so that readers can sort it
    yield grid.with_title("Judges", notes, section="Judges", level="page")


# Methods.


def _methods(result: RankResult) -> str:
    """Sentences for a paper."""
    sentences = [_score_method(result)]
    if result.quality != "none":
        sentences.insert(
            0,
            "Judges who did not distinguish damaged from genuine texts were dropped "
            f"(quality control {result.quality})",
        )
    if result.comparisons:
        sentences += _test_methods(result)
    return f"{'. '.join([*sentences, *powered_method(result)])} {BY}"


def _score_method(result: RankResult) -> str:
    level, rankings = result.plan.level, result.rankings
    scales: dict[str, list[str]] = {}
    for ranking in rankings:
        scales.setdefault(ranking.by, []).append(ranking.scale)
    arena = next((ranking.arena for ranking in rankings if ranking.arena is not None), None)
    text = f"A system's score is {_SCORES['z' if 'z' in scales else rankings[0].by]}"
    if arena is not None:
        text = f"A system's score is {_arena_method(arena, level)}"
    if len(scales) > 1:
        text += f" ({listed(sorted({*scales['raw']}))}: not standardised)"
    if not scales.keys() & {"expected wins", STRENGTH}:
        by_document = any(ranking.by_document for ranking in rankings)
        over = "for other documents and judges" if by_document else "over segments"
        text += f", with {percent(level)} Student's t intervals {over}"
    return text


def _arena_method(arena: Arena, level: float) -> str:
    text = (
        "its log strength in the model of Bradley and Terry (1952) with ties (Davidson 1970) and, "
        "where known, the order of presentation"
    )
    if arena.holds_for == "nothing":
        return text
    of = "judges and segments together" if arena.holds_for.startswith("judges") else arena.holds_for
    return f"{text}, with {percent(level)} t intervals from the variance of {of}"


def _test_methods(result: RankResult) -> Iterator[str]:
    plan, pairs = result.plan, result.comparisons
    by_document = any(ranking.by_document for ranking in result.rankings)
    tests = count_tests(pairs)
    names = ["documents"] if by_document else tests
    trials = plural(plan.trials or TRIALS, "trial")
    test = listed([_METHODS[name].format(UNITS[plan.unit], trials) for name in names])
    if len(tests) > 1:
        test += f" (signed-rank where a pair shares {percent(LEAST_SHARED)} of its segments)"
    side = "two-sided" if plan.alternative == "two-sided" else "one-sided in both directions"
    yield (
        f"All pairs were tested by {test}, {side}, at α = {share(plan.alpha)}; p-values were "
        f"{adjusted_by(plan.adjust)}"
    )
    if any(pair.for_others is not None for pair in pairs):
        others, what = "segments", "within-judge differences"
        if by_document:
            others, what = "documents", "the difference of scores"
        yield (
            f"{percent(plan.level)} intervals for other judges and {others} are Student's t "
            f"intervals of {what}, with the variance of judges and {others} together "
            "(Cameron et al. 2011)"
        )
    if any(pair.decided_by != pair.scale for pair in pairs):
        yield (
            "Where adequacy shows no difference, fluency decides (Graham et al. 2014); systems "
            "are ordered by wins minus losses"
        )

"""What is shown of rankings by people: `weigh human rank`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from types import ModuleType

from weigh.comparing.methods import ADJUSTMENTS
from weigh.human.arena import BY as STRENGTH
from weigh.human.arena import Strength
from weigh.human.conclusions import ExpectedWins
from weigh.human.plan import CONTROLS, LEAST_SHARED, PAIRED, TRIALS
from weigh.human.rank_result import HumanRanking, RankResult, ranking_basis
from weigh.human.scores import HumanScore, UnrankedScore
from weigh.report import strengths
from weigh.report.grid import Column, Grid, in_clusters, number_columns
from weigh.report.human import (
    ADVICE,
    quality_works,
    rule,
    scale_works,
    steps_part,
    verdicts_grid,
)
from weigh.report.human_errors import error_parts
from weigh.report.human_pairs import (
    FLUENCY_DECIDES,
    UNITS,
    how_tested,
    list_grid,
    tests_of,
)
from weigh.report.human_powered import (
    powered_findings,
    powered_method,
    powered_parts,
    powered_signatures,
)
from weigh.report.parts import Note, Part, Pictures, summary
from weigh.report.phrases import (
    BY,
    RANGE,
    conclusion,
    confidence,
    interval_column,
    names_of,
    rank_text,
    rank_title,
    why_uncorrected,
)
from weigh.report.view import Used, View, view_of
from weigh.result import encode
from weigh.stats.multiplicity import FAMILYWISE
from weigh.wording import fixed, intervals, listed, percent, plural, share

_MOST_NAMED = 6
# Text formats show so many pairs of a ranking.
_MOST_PAIRS = 20
_RANKED = (HumanScore, ExpectedWins, Strength)
_TITLES = {
    "z": "z",
    "raw": "Score",
    "expected wins": "Expected wins",
    "bradley-terry": "Strength",
}
_MEASURES = {
    "z": "z",
    "raw": "score",
    "expected wins": "expected wins",
    "bradley-terry": "log strength",
}
_BOUNDARIES = {
    "all": "A line separates clusters: every system above it beats every one below.",
    "last": "A line stands below a system that beats every one below it; those above are not "
    "asked (preset wmt21).",
}
_UNRANKED = (
    "– marks systems that are shown only (--unranked): they have no part in tests, ranks and "
    "clusters."
)
_WORKS = {
    "rank-sum": "rank-sum test",
    "signed-rank": "signed-rank test",
    "randomization": "randomization of segments",
}
_ORDER = (
    "Adequacy and fluency together: first stand the systems that beat most others, less those that "
    "beat them; between ties the score of adequacy decides."
)
_METHODS = {
    "rank-sum": "the Wilcoxon rank-sum test of {0}",
    "signed-rank": "the Wilcoxon signed-rank test of segments' mean differences",
    "randomization": "approximate randomization of segments ({1:,} trials)",
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


@view_of(RankResult)
def rank(result: RankResult) -> View:
    """Show rankings, the tests of all pairs, what is left at each step, and the judges."""
    rankings = result.rankings
    systems = {(row.pair, row.system) for row in (*result.scores, *result.unranked)}
    named = [ranking.about for ranking in rankings]
    if len(named) > _MOST_NAMED:
        named = [*named[: _MOST_NAMED - 1], f"{len(named) - _MOST_NAMED + 1:,} more rankings"]
    return View(
        title=f"{plural(len(systems), 'system')} judged by people",
        subtitle="; ".join([*named, *_used(result)]),
        parts=[
            *summary(
                [
                    *(_finding(ranking, result) for ranking in rankings),
                    *powered_findings(result),
                    *_counted(result),
                ],
                result.remarks,
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
    works = [*quality_works(result.quality), *["prediction-powered"] * bool(result.powered)]
    if any(ranking.by == STRENGTH for ranking in result.rankings):
        return [*works, "Bradley–Terry strengths", "intervals for other judges"]
    if any(ranking.by == "expected wins" for ranking in result.rankings):
        return [*works, "expected wins"]
    works += [_WORKS[test] for test in tests_of(result.comparisons)]
    if any(row.for_others is not None for row in result.comparisons):
        works.append("intervals for other judges")
    return [*works, *scale_works(row.scale for row in result.rankings)]


def _used(result: RankResult) -> list[str]:
    """Return how many judgments the scores are made of, if that is known."""
    if not result.steps:
        return []
    last = result.steps[-1]
    judges = f" of {plural(last.judges, 'judge')}" if last.judges else ""
    return [f"{plural(last.judgments, 'judgment')}{judges}"]


def _ranking_parts(result: RankResult) -> Iterator[Part]:
    """Yield the scores of every ranking, by slice and with a metric's help where there is one."""
    notes = [_notes(ranking, result) for ranking in result.rankings]
    alike = all(each == notes[0] for each in notes)
    for ranking, notes_under in zip(result.rankings, notes, strict=True):
        title = f"{ranking.about}: {plural(len(ranking.scores), 'system')}"
        if ranking.unranked:
            title += f" and {len(ranking.unranked):,} unranked"
        yield _scores_grid(ranking, result).titled(
            title,
            notes_under if not alike or ranking is result.rankings[-1] else [],
            level="brief",
            section="Scores",
            paper=True,
        )
        yield from _slices(ranking)
    for ranking in result.rankings:
        yield from powered_parts(ranking, result)
    yield Pictures(lambda: _pictures().ranking_plots(result))


def _pair_parts(result: RankResult) -> Iterator[Part]:
    """Yield who is better than whom: the pairs of all rankings."""
    tested = [ranking for ranking in result.rankings if ranking.comparisons]
    if not tested:
        yield Note(["There are no pairs: one system was judged."], section="Pairs", level="page")
        return
    yield list_grid(tested, result).titled(
        "Pairs",
        _how_all_were_tested(tested, result),
        limit=_MOST_PAIRS,
        section="Pairs",
        significant=[pair.significant for ranking in tested for pair in ranking.comparisons],
        choices={"Judged": [ranking.about for ranking in tested for _ in ranking.comparisons]},
    )
    yield Pictures(lambda: _pictures().ranking_maps(result))
    if any(ranking.arena is not None for ranking in result.rankings):
        yield Pictures(lambda: _pictures().win_rate_maps(result))
    yield Pictures(lambda: _pictures().difference_plots(result))


def _steps(result: RankResult) -> Part:
    control = "No quality control: every judge's answers count."
    if result.quality != "none":
        control = f"Quality control {result.quality}: {rule(CONTROLS[result.quality])}"
    return steps_part(result.steps, result.omissions, [control] if result.judges else [])


def _notes(ranking: HumanRanking, result: RankResult) -> list[str]:
    """Return how the order, the lines and the ranks of a table are to be read."""
    shown = [_UNRANKED] * bool(ranking.unranked)
    if not ranking.comparisons:
        return shown
    lines = [_BOUNDARIES[result.plan.boundary]] * (len(ranking.clusters) > 1)
    said = [*[_ORDER] * ranking.combined, *lines, _about_ranks(ranking, result)]
    return [*said, *strengths.arena_notes(ranking, result), *shown]


def _about_ranks(ranking: HumanRanking, result: RankResult) -> str:
    """Return how ranks are to be read, and how sure they are."""
    plan, why_not = result.plan, ""
    if ranking.combined:
        why_not = f"adequacy and fluency are tested at α = {share(plan.alpha)} each"
    elif ranking.uncorrected:
        why_not = why_uncorrected(plan.adjust)
        if plan.adjust in FAMILYWISE:
            why_not = "the tests are one-sided"
    return f"Rank: {RANGE}. {confidence(plan.alpha, why_not)}"


def _wins(ranking: HumanRanking) -> dict[str, tuple[int, int]]:
    """Return for every system how many others it beats, and how many beat it."""
    count = len(ranking.scores)
    return {score.system: (count - score.rank[1], score.rank[0] - 1) for score in ranking.scores}


def _scores_grid(ranking: HumanRanking, result: RankResult) -> Grid:
    """Return the systems in a block for every cluster."""
    decimals, standard = ranking.decimals, ranking.by == "z"
    every = (*ranking.scores, *ranking.unranked)
    ends = intervals(
        [None if isinstance(score, ExpectedWins) else score.interval for score in every],
        decimals,
        sign=standard or ranking.by == STRENGTH,
    )
    won = _wins(ranking)
    rows = []
    for score, interval in zip(every, ends, strict=True):
        place = rank_text(score.rank) if isinstance(score, _RANKED) else "–"
        texts = [place, score.system]
        texts += map(str, won.get(score.system, "––") if ranking.combined else ())
        texts.append(fixed(score.score, decimals))
        if isinstance(score, ExpectedWins):
            texts += [f"{count:,}" for count in (score.wins, score.losses, score.ties)]
        elif isinstance(score, Strength):
            texts += strengths.strength_texts(score, interval)
        else:
            texts += [interval] + [fixed(score.raw, 1)] * standard
            texts += [f"{count:,}" for count in (score.judgments, score.segments)]
        rows.append(texts)
    columns = [Column(rank_title(ranking.uncorrected)), Column("System")]
    if ranking.combined:
        columns += number_columns("Beats", "Beaten by")
    adequacy = "Adequacy z" if standard else "Adequacy"
    columns.append(
        Column(
            adequacy if ranking.combined else _TITLES[ranking.by], kind="number", better="higher"
        )
    )
    if ranking.by == STRENGTH:
        columns += strengths.strength_columns(result.plan.level)
    elif ranking.by == "expected wins":
        columns += number_columns("Wins", "Losses", "Ties")
    else:
        columns.append(interval_column(result.plan.level))
        columns += number_columns(*["Raw"] * standard, "Judgments", "Segments")
    blocks = in_clusters(rows, ranking.clusters)
    shown = rows[len(ranking.scores) :]
    return Grid(columns, [*blocks, shown] if shown else blocks, lined=True)


def _slices(ranking: HumanRanking) -> Iterator[Part]:
    """Yield the scores by slice, with the means over segments and over slices."""
    if not ranking.slices:
        return
    labels = list(dict.fromkeys(row.slice for row in ranking.slices))
    scores = {(row.system, row.slice): row.score for row in ranking.slices}
    every = [row for row in (*ranking.scores, *ranking.unranked) if isinstance(row, UnrankedScore)]
    means = [Column(title, kind="number", better="higher") for title in ("Micro", "Macro")]
    columns = [
        Column("System"),
        *(Column(label, kind="number", better="higher") for label in labels),
        *means,
    ]
    rows = []
    for row in every:
        values = [*(scores.get((row.system, label)) for label in labels), row.score, row.macro]
        rows.append([row.system, *(fixed(value, ranking.decimals) for value in values)])
    blocks = [rows[: len(ranking.scores)], rows[len(ranking.scores) :]]
    sizes = [
        f"{label} {max(row.segments for row in ranking.slices if row.slice == label):,}"
        for label in labels
    ]
    said = [
        "Micro is the mean over segments, by which systems are ranked; macro the mean over slices, "
        f"each of which counts the same. Segments: {', '.join(sizes)}."
    ]
    macro = {row.system: row.macro for row in every[: len(ranking.scores)] if row.macro is not None}
    best, first = max(macro, key=lambda name: macro[name], default=""), every[0].system
    if first in macro and macro[best] > macro[first]:
        said.append(f"By the macro mean {best} stands first, and not {first}.")
    grid = Grid(columns, [block for block in blocks if block])
    yield grid.titled(f"{ranking.about}: by slice", said)


def _how_all_were_tested(rankings: Sequence[HumanRanking], result: RankResult) -> list[str]:
    """Return what holds for all rankings once, and the rest with the name of its ranking."""
    said = {ranking.about: how_tested(ranking, result) for ranking in rankings}
    first, *others = said.values()
    once = [text for text in first if all(text in each for each in others)]
    once += [FLUENCY_DECIDES] * any(FLUENCY_DECIDES in each for each in others)
    named = [f"{about}: {text}" for about in said for text in said[about] if text not in once]
    return [*once, *named]


def _pictures() -> ModuleType:
    from weigh.report import human_pictures

    return human_pictures


def _judges(result: RankResult) -> Iterator[Part]:
    """Yield who was kept and who was not, with reasons; preferences have no such judges."""
    judges = result.judges
    if not judges:
        return
    dropped = [judge for judge in judges if not judge.kept]
    kept = [judge for judge in judges if judge.kept]
    flagged = sum(bool(judge.flags) for judge in judges)
    said = [
        "Nobody was tested, so nobody was dropped for failing."
        if result.quality == "none"
        else f"{len(kept):,} of {plural(len(judges), 'judge')} are kept and {len(dropped):,} "
        "dropped.",
        f"{plural(flagged, 'judge')} {'has' if flagged == 1 else 'have'} advice in brackets"
        f"{ADVICE}",
    ]
    grid = verdicts_grid([[*dropped, *kept]])  # in one block, to be sorted
    yield grid.titled("Judges", said, section="Judges", level="page")


# Conclusions and methods in words.


def _finding(ranking: HumanRanking, result: RankResult) -> str:
    """Return who is best, and what the tests say."""
    said = f"{ranking.about}{_first(ranking) if ranking.combined else _best(ranking)}"
    if not ranking.comparisons:
        return said
    first = ranking.comparisons[0]
    adjusted = first.family_size > 1 and first.adjust != "none"
    names = [row.system for row in ranking.scores]
    concluded = conclusion(
        names,
        list(combinations(names, 2)),
        [row.beats for row in ranking.comparisons if row.beats is not None],
    )
    level = f"p ≤ {share(result.plan.alpha)}{', adjusted' * adjusted}"
    tests = tests_of(ranking.comparisons)
    by = f"{listed(tests)} test{'s' * (len(tests) > 1)}"
    if ranking.by_document:
        by += " of documents"
    these = "; for these judges" * any(test in PAIRED for test in tests)
    clusters = f"The systems make {plural(len(ranking.clusters), 'cluster')}."
    by = by.replace(STRENGTH, strengths.TEST)
    return f"{said} By the {by} ({level}{these}), {concluded}. {clusters}"


def _best(ranking: HumanRanking) -> str:
    decimals = ranking.decimals
    scores = {score.system: fixed(score.score, decimals) for score in ranking.scores}
    top = next(iter(scores.values()))
    best = [name for name, score in scores.items() if score == top]
    remark = f" ({_MEASURES[ranking.by]}, higher is better): "
    if len(scores) == 1:
        return f"{remark}{best[0]} has {top}."
    return f"{remark}{names_of(best)} {'scores' if len(best) == 1 else 'score'} best, {top}."


def _first(ranking: HumanRanking) -> str:
    """Return who stands first where adequacy and fluency decide together, and why."""
    won = _wins(ranking)
    net = {name: beats - beaten for name, (beats, beaten) in won.items()}
    most = max(net.values())
    first = [name for name in net if net[name] == most]
    beats, beaten = won[first[0]]
    said = f"stands first: it beats {beats:,} of {plural(len(won) - 1, 'other')}"
    said += f" and is beaten by {beaten:,}" if beaten else ""
    if len(first) > 1:
        said = f"stand first: the systems that they beat, less those that beat them, are {most:+,}"
    return f": {names_of(first)} {said}."


def _counted(result: RankResult) -> list[str]:
    """Return how many judges and judgments the ranking is made of."""
    if not result.steps:
        return []
    first, last = result.steps[0], result.steps[-1]
    said = f"{last.judgments:,} of {plural(first.judgments, 'judgment')} count"
    if last.judgments < first.judgments:
        said += "; the steps below show why the others do not"
    return [f"{ranking_basis(result)}. {said}."]


def _methods(result: RankResult) -> str:
    """Return some sentences for a paper."""
    plan, rankings = result.plan, result.rankings
    scales: dict[str, list[str]] = {}
    for ranking in rankings:
        scales.setdefault(ranking.by, []).append(ranking.scale)
    said = f"A system's score is {_SCORES[max(scales)]}"
    arena = next((ranking.arena for ranking in rankings if ranking.arena is not None), None)
    if arena is not None:
        said = f"A system's score is {strengths.arena_methods(arena, plan.level)}"
    if len(scales) > 1:
        said += f" ({listed(sorted({*scales['raw']}))}: not standardised)"
    by_document = any(ranking.by_document for ranking in rankings)
    if not scales.keys() & {"expected wins", STRENGTH}:
        over = "for other documents and judges" if by_document else "over segments"
        said += f", with {percent(plan.level)} Student's t intervals {over}"
    sentences = [said]
    if result.quality != "none":
        sentences.insert(
            0,
            "Judges who did not tell damaged texts from genuine ones were dropped "
            f"(quality control {result.quality})",
        )
    if result.comparisons:
        tests = tests_of(result.comparisons)
        names = ["documents"] if by_document else tests
        trials = plan.trials or TRIALS
        test = listed([_METHODS[name].format(UNITS[plan.unit], trials) for name in names])
        if len(tests) > 1:
            test += f" (signed-rank where a pair shares {percent(LEAST_SHARED)} of its segments)"
        side = "two-sided" if plan.alternative == "two-sided" else "one-sided in both directions"
        corrected = (
            f"p-values were adjusted by {ADJUSTMENTS[plan.adjust]}"
            if plan.adjust in ADJUSTMENTS
            else "p-values were not corrected for the number of pairs"
        )
        sentences.append(
            f"All pairs were tested by {test}, {side}, at α = {share(plan.alpha)}; {corrected}"
        )
        if any(pair.for_others is not None for pair in result.comparisons):
            others, what = "segments", "within-judge differences"
            if by_document:
                others, what = "documents", "the difference of scores"
            sentences.append(
                f"{percent(plan.level)} intervals for other judges and {others} are Student's t "
                f"intervals of {what}, with the variance of judges and {others} together "
                "(Cameron et al. 2011)"
            )
        if any(pair.decided_by != pair.scale for pair in result.comparisons):
            sentences.append(
                "Where adequacy shows no difference, fluency decides (Graham et al. 2014); systems "
                "are ordered by those that they beat less those that beat them"
            )
    sentences += powered_method(result)
    return f"{'. '.join(sentences)} {BY}"

"""What is shown of tests held against people: `weigh validate accuracy` and `preference`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Literal

from weigh.comparing.methods import ADJUSTMENTS
from weigh.metrics.registry import metric_names
from weigh.report.grid import Cell, Column, Grid, number_columns, table
from weigh.report.human import left_out, steps_part
from weigh.report.parts import Note, Part, Pictures, summary
from weigh.report.phrases import BY, EXACT, interval_column, metric_name, named
from weigh.report.view import Used, View, remarked, signature, view_of
from weigh.result import encode
from weigh.stats.multiplicity import adjust
from weigh.types import grouped
from weigh.validate.accuracy import AccuracyResult, Agreement, Difference
from weigh.validate.blinding import PairsResult
from weigh.validate.preference import PreferenceResult, Votes
from weigh.wording import (
    NO_NUMBER,
    fixed,
    intervals,
    listed,
    p_value,
    percent,
    plural,
    probability,
    share,
)

# Up to this p-value, corrected, a difference between methods is told.
_NOTABLE = 0.05


@view_of(AccuracyResult)
def accuracy(result: AccuracyResult) -> View:
    """Show how often each test concludes what people conclude."""
    plan = result.plan
    metrics = [metric_name(metric, result.signatures.items()) for metric in result.signatures]
    pairs = f"{plural(len(result.pairs), 'pair')} of {plural(len(result.systems), 'system')}"
    parts = {
        "test": "+".join(plan.tests),
        "alt": "one-sided" if plan.alternative == "better" else plan.alternative,
        "trials": plan.trials,
        "adjust": plan.adjust,
        "seed": plan.seed,
    }
    side = "two-sided" if plan.alternative == "two-sided" else "one-sided, both directions tried"
    corrected = (
        "not corrected" if plan.adjust == "none" else f"adjusted by {ADJUSTMENTS[plan.adjust]}"
    )
    levels: dict[str, Sequence[Agreement]] = {"same": result.same_level}
    if result.fixed_level:
        levels["fixed"] = result.fixed_level
    about = [
        f"{pairs}. Agree: the test and people conclude the same of three things (A is better, B is "
        f"better, no evidence of a difference), {side}, {corrected}. "
        "Found: pairs with a significant difference. Opposite: each finds the other system better. "
        "Tests by one metric that conclude the same of every pair share a row.",
        *_cautions(result),
        *remarked(result.remarks),
    ]
    return View(
        title=f"{listed(metrics)} held against people",
        subtitle=pairs,
        parts=[
            *summary([_found_at(alpha, result) for alpha in plan.alphas], _cautions(result)),
            *_accuracy_parts("same", "Accuracy, tests and people at the same level", about, result),
            *_accuracy_parts(
                "fixed", f"Accuracy, people always at {share(plan.human_alpha)}", [], result
            ),
            *_answer_parts(result),
        ],
        methods=f"All pairs of {plural(len(result.systems), 'system')} were tested "
        f"{side.replace(', both directions tried', ' in both directions')} by {listed(plan.tests)} "
        f"with {plan.trials:,} trials, {corrected}, and "
        "the conclusions held against those of people at the same level and at "
        f"{share(plan.human_alpha)} (Graham et al. 2014). Intervals of accuracy are exact "
        f"(Clopper & Pearson 1934) {BY}",
        signatures=[*named([*result.signatures.items()]), ("tests", signature(parts))],
        records=[
            {"human": level} | encode(row)
            for level, agreements in levels.items()
            for row in agreements
        ],
        used=Used(
            list(result.signatures),
            plan.tests,
            [] if plan.adjust == "none" else [plan.adjust],
            works=["accuracy of tests", EXACT, "Cochran's Q and McNemar's test"],
        ),
    )


def _accuracy_parts(
    level: Literal["same", "fixed"], heading: str, about: Sequence[str], result: AccuracyResult
) -> Iterator[Part]:
    """Return one of the tables, and whether methods differ in it."""
    from weigh.report.validate_pictures import accuracy_plots

    agreements: Sequence[Agreement] = getattr(result, f"{level}_level")
    differences: Sequence[Difference] = getattr(result, f"{level}_level_differences")
    if agreements:
        grid = _accuracy_grid(agreements, result)
        yield grid.titled(heading, about, section=heading, paper=True)
        yield Pictures(lambda: accuracy_plots(level, agreements, result))
    if differences:
        yield _differences_grid(differences, result).titled(
            "", _notable(differences, result), paper=True
        )


def _answer_parts(result: AccuracyResult) -> Iterator[Part]:
    """Return who was left out, and what became of people's answers."""
    yield Note(
        [f"Systems: {', '.join(result.systems)}."],
        section="Systems and people's answers",
        level="page",
    )
    if result.not_judged:
        yield Note([f"Not judged by people, left out: {', '.join(result.not_judged)}."])
    if result.not_given:
        yield Note([f"Judged by people but not given, left out: {', '.join(result.not_given)}."])
    yield steps_part(result.steps, result.omissions)


def _accuracy_grid(agreements: Sequence[Agreement], result: AccuracyResult) -> Grid:
    """Return a block for every level: Graham et al. (2014), tables 1 and 2."""
    plan = result.plan
    columns = [
        *map(Column, ("α", "Metric", "Test")),
        *number_columns("Agree"),
        Column("Accuracy", kind="number", better="higher"),
        interval_column(plan.level),
        *number_columns("Found", "By people", "Opposite"),
    ]
    blocks = []
    for alpha in plan.alphas:
        groups = alike([row for row in agreements if row.alpha == alpha])
        ends = intervals([percentages(group[0]) for group in groups], 1)
        best = max(group[0].agree for group in groups)
        rows = []
        for group, interval in zip(groups, ends, strict=True):
            row = group[0]
            metric = metric_name(row.metric, result.signatures.items())
            tests = together([each.test for each in group], plan.tests)
            counts = (row.significant, row.human_significant, row.wrong_direction)
            rows.append(
                [
                    share(alpha),
                    metric,
                    tests,
                    f"{row.agree}/{row.pairs}",
                    Cell(fixed(100 * row.accuracy, 1), best=row.agree == best),
                    interval,
                    *map(str, counts),
                ]
            )
        blocks.append(rows)
    return Grid(columns, blocks)


def alike(agreements: Sequence[Agreement]) -> list[list[Agreement]]:
    """Return agreements in groups: tests by one metric that conclude the same of every pair."""
    return [*grouped(agreements, lambda row: (row.metric, row.automatic)).values()]


def together(names: Sequence[str], all_names: Sequence[str]) -> str:
    """Return names as one: all of them, if there are several, are called so."""
    return "all" if len(names) == len(all_names) > 1 else ", ".join(names)


def percentages(row: Agreement) -> tuple[float, float]:
    """Return the exact interval of an accuracy in per cent."""
    low, high = row.interval
    return 100 * low, 100 * high


def _cautions(result: AccuracyResult) -> list[str]:
    """Return what the accuracies do not say."""
    plan = result.plan
    said = [
        f"Intervals are exact (Clopper & Pearson), {percent(plan.level)}, pairs treated as "
        "independent, which pairs of the same systems are not. With three possible conclusions "
        "50% is not chance."
    ]
    first = [row for row in result.same_level if row.alpha == plan.alphas[0]]
    p_values = adjust([row.mcnemar for row in first], "holm")
    stronger = [
        (p, row)
        for p, row in zip(p_values.tolist(), first, strict=True)
        if row.significant > row.human_significant and p <= _NOTABLE
    ]
    if stronger:
        p, row = min(stronger, key=lambda entry: entry[0])
        said.append(
            f"At {share(row.alpha)} people find {row.human_significant} of {row.pairs} differences "
            f"and {row.test} by {metric_name(row.metric, result.signatures.items())} "
            f"{row.significant}: {row.found_alone} that people do not find against "
            f"{row.found_by_people_alone} that they alone find (McNemar's exact test, "
            f"{p_value(p)}, adjusted by Holm's method for {plural(len(first), 'test')}). With so "
            "many answers people's tests are the weaker ones, and part of the disagreement is "
            "theirs."
        )
    return said


def _differences_grid(differences: Sequence[Difference], result: AccuracyResult) -> Grid:
    """Return the tests between methods that do not conclude the same of every pair."""
    by = grouped(differences, lambda row: row.between)

    def methods(group: Sequence[Difference]) -> str:
        others = {each.by for each in by[group[0].between]}
        return together(_methods(group, result), list(others))

    return table(
        _same_contrasts(differences),
        [
            Column("Between", lambda group: group[0].between),
            Column("By", methods),
            Column("α", lambda group: share(group[0].alpha)),
            Column("χ²", lambda group: group[0].chi_square.statistic, kind="score", decimals=2),
            Column("df", lambda group: str(group[0].chi_square.df), kind="number"),
            Column("p of χ²", lambda group: group[0].chi_square.p_value, kind="p"),
            Column("Q", lambda group: group[0].cochran.statistic, kind="score", decimals=2),
            Column(
                "p of Cochran's Q",
                lambda group: group[0].cochran.p_value,
                kind="p",
            ),
        ],
    )


def _methods(group: Sequence[Difference], result: AccuracyResult) -> list[str]:
    """Return the metrics or tests by which methods differ alike; a test is called as it is."""
    return [metric_name(row.by, result.signatures.items()) for row in group]


def _same_contrasts(differences: Sequence[Difference]) -> list[list[Difference]]:
    key = attrgetter("between", "alpha", "chi_square", "cochran", "pairs")
    return [*grouped(differences, key).values()]


def _notable(differences: Sequence[Difference], result: AccuracyResult) -> list[str]:
    """Return a sentence on methods that differ, the same cases considered."""
    pairs = [(group, pair) for group in _same_contrasts(differences) for pair in group[0].pairs]
    notable = []
    adjusted = adjust([pair.mcnemar_p for _, pair in pairs], "holm").tolist()
    for (group, pair), p in zip(pairs, adjusted, strict=True):
        if p <= _NOTABLE:
            a, b = (metric_name(name, result.signatures.items()) for name in (pair.a, pair.b))
            notable.append(
                f"{a} {pair.only_a}:{pair.only_b} {b} (by {', '.join(_methods(group, result))}, "
                f"α {share(group[0].alpha)}, p {probability(p)})"
            )
    corrected = f"adjusted by Holm's method for {plural(len(pairs), 'comparison')}"
    said = [
        "χ² takes the accuracies for independent ones, as Graham et al. (2014) do; Cochran's Q "
        "knows that the same pairs are judged."
    ]
    if notable:
        said.append(
            "McNemar's exact test, pairs of which only one is right, p at most "
            f"{share(_NOTABLE)}, {corrected}: {'; '.join(notable)}."
        )
    else:
        said.append(f"McNemar's exact test, {corrected}, is above {share(_NOTABLE)} for every two.")
    return said


def _found_at(alpha: float, result: AccuracyResult) -> str:
    """Return who agrees most often with people at a level, and who least."""
    groups = alike([row for row in result.same_level if row.alpha == alpha])
    counts = [group[0].agree for group in groups]
    said = f"most often as {_agreeing(groups, max(counts), result)}"
    if min(counts) < max(counts):
        said += f", least often as {_agreeing(groups, min(counts), result)}"
    opposite = max(row.wrong_direction for group in groups for row in group)
    most = f"At most {opposite}" if opposite else "None"
    return (
        f"At α = {share(alpha)} people find {groups[0][0].human_significant} differences. They "
        f"conclude {said}. {most} of a test's conclusions {'is' if opposite < 2 else 'are'} the "
        "opposite of theirs."
    )


def _agreeing(groups: Sequence[Sequence[Agreement]], count: int, result: AccuracyResult) -> str:
    """Return the tests that agree with people on so many pairs, and what share that is."""
    plan = result.plan
    agreeing = [group for group in groups if group[0].agree == count]
    methods = []
    for group in agreeing:
        tests = together([row.test for row in group], plan.tests)
        metric = metric_name(group[0].metric, result.signatures.items())
        methods.append(metric + f" by {tests}" * (tests != "all"))
    first = agreeing[0][0]
    low, high = (fixed(end, 1) for end in percentages(first))
    return (
        f"{listed(methods)}: {count} of {plural(first.pairs, 'pair')} "
        f"({fixed(100 * first.accuracy, 1)}%, {percent(plan.level)} interval {low} to {high})"
    )


# Columns of TSV; documents hold more.
_PAIRS = ("a", "b", "segments", "unscored", "same", "pairs", "judges", "reference_shown", "seed")
_NOT_IN_RECORDS = ("judges_per_pair", "seed", "signatures", "margins")


@view_of(PairsResult)
def pairs(result: PairsResult) -> View:
    """Show how many pairs there are to judge."""
    rows = [
        ("Segments with candidates", result.segments),
        ("Not scored by both metrics", result.unscored),
        ("Both metrics choose the same text", result.same),
        ("Pairs to judge", result.pairs),
        ("Judgments", result.pairs * result.judges),
        *((f"Ties for the best by {name}", count) for name, count in result.ties.items()),
    ]
    grid = table(
        rows,
        [
            Column(f"{result.a} against {result.b}", lambda row: row[0]),
            Column("Number", lambda row: row[1], kind="count"),
        ],
    )
    shown = "is shown" if result.reference_shown else "is not shown"
    ties = "the higher model score, then to the first candidate"
    if not result.ties_by_model:
        ties = "the first candidate of the list"
    document = encode(result)
    return View(
        title=f"Pairs of what {result.a} and {result.b} choose",
        subtitle=f"{plural(result.pairs, 'pair')} for {plural(result.judges, 'judge')} each",
        parts=[
            *summary(
                [
                    f"{result.a} and {result.b} choose different texts for {result.pairs:,} of "
                    f"{plural(result.segments, 'segment')}."
                ]
            ),
            grid.titled(
                "Pairs",
                [
                    f"Each pair is for {plural(result.judges, 'judge')}; the reference {shown}. "
                    f"Ties go to {ties}.",
                    *remarked(result.remarks),
                ],
                paper=True,
            ),
        ],
        methods=f"Of the candidates of each segment, the one that {result.a} scores best was "
        f"paired with the one that {result.b} scores best, in a random order "
        f"(Zaidan & Callison-Burch 2009) {BY}",
        signatures=[*result.signatures.items(), ("pairs", signature({"seed": result.seed}))],
        records=[{name: document[name] for name in _PAIRS}],
        used=_used(result.signatures),
    )


@view_of(PreferenceResult)
def preference(result: PreferenceResult) -> View:
    """Show whose choices people prefer, judgment by judgment and sentence by sentence."""
    parts = [part for votes in result.preferences for part in _votes_parts(votes)]
    if result.omissions:
        parts.append(Note(left_out(result.omissions), "Left out"))
    seeds = dict.fromkeys(signature({"seed": votes.seed}) for votes in result.preferences)
    against = dict.fromkeys(f"{votes.a} or {votes.b}" for votes in result.preferences)
    return View(
        title=f"Whose choices people prefer: {listed(list(against))}",
        subtitle=f"{plural(result.test_set.segments, 'segment')} judged",
        parts=[*summary([_preferred(votes) for votes in result.preferences]), *parts],
        methods="People chose, blindly, between the candidates that two metrics score best "
        "(Zaidan & Callison-Burch 2009); the sign test is exact, two-sided and of sentences "
        f"{BY}",
        signatures=[*result.signatures.items(), *(("pairs", seed) for seed in seeds)],
        records=[
            {name: value for name, value in encode(votes).items() if name not in _NOT_IN_RECORDS}
            for votes in result.preferences
        ],
        used=_used(result.signatures),
    )


def _preferred(votes: Votes) -> str:
    """Return whose choice more sentences are for, and whether that may be chance."""
    counts = f"{votes.sentences_a:,} : {votes.sentences_b:,} sentences"
    tested = f"(sign test, {p_value(votes.p_value)})"
    shown = "" if votes.reference_shown else " without a reference"
    if votes.sentences_a == votes.sentences_b:
        return f"{votes.a} against {votes.b}{shown}: {counts} {tested}."
    better = votes.a if votes.sentences_a > votes.sentences_b else votes.b
    return (
        f"{votes.a} against {votes.b}{shown}: {counts}, more for the choices of {better} {tested}."
    )


def _votes_parts(votes: Votes) -> Iterator[Part]:
    shown = "reference shown" if votes.reference_shown else "reference not shown"
    preferred = [
        (f"{votes.a}'s choice", votes.judgments_a),
        (f"{votes.b}'s choice", votes.judgments_b),
        ("neither", votes.judgments_neither),
    ]
    yield _counts_grid("Preferred", "Judgments", preferred).titled(
        f"Judgments, {shown}",
        [
            f"{plural(votes.judges, 'judge')}; Krippendorff's alpha {fixed(votes.alpha, 3)}. Of "
            f"{plural(votes.judgments_a + votes.judgments_b, 'preference')}, {votes.left:,} are "
            "for what stood on the left.",
            *_gaps(votes),
        ],
        paper=True,
    )
    yield _counts_grid(
        "Aggregate",
        "Sentences",
        [(_margin(margin, votes), count) for margin, count in votes.margins],
    ).titled(
        f"Sentences, {shown}",
        [
            f"{votes.a} +1: one more judgment for its choice than for {votes.b}'s. Sign test of "
            f"sentences, {votes.sentences_a:,} : {votes.sentences_b:,}, exact and two-sided: "
            f"{p_value(votes.p_value)}. Judgments of one sentence are not independent and "
            "so are not tested themselves."
        ],
        paper=True,
    )


def _counts_grid(kind: str, unit: str, counts: Sequence[tuple[str, int]]) -> Grid:
    """Return counts with their shares, and all of them together."""
    total = sum(count for _, count in counts)
    return Grid(
        [
            Column(kind, lambda row: row[0]),
            Column(unit, lambda row: row[1], kind="count"),
            Column(
                "%",
                lambda row: f"{100 * row[1] / total:.1f}" if total else NO_NUMBER,
                kind="number",
            ),
        ],
        [counts, [("total", total)]],
    )


def _gaps(votes: Votes) -> list[str]:
    said = []
    if votes.unanswered:
        said.append(f"{plural(votes.unanswered, 'pair')} without any answer.")
    if votes.incomplete:
        said.append(
            f"{plural(votes.incomplete, 'pair')} with fewer than "
            f"{plural(votes.judges_per_pair, 'answer')}."
        )
    return said


def _margin(margin: int, votes: Votes) -> str:
    return "±0" if not margin else f"{votes.a if margin > 0 else votes.b} +{abs(margin)}"


def _used(signatures: Mapping[str, str]) -> Used:
    return Used([_key(name) for name in signatures], works=["choices of two metrics"])


def _key(name: str) -> str:
    """Return the key of a metric by the name that it is printed with, such as chrF2."""
    return next((key for key in metric_names() if name.lower().startswith(key)), name)

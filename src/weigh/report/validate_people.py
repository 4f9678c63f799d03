"""The views of `weigh validate accuracy` and `preference`: tests and metrics against people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Literal

from weigh.comparing.methods import ADJUSTMENTS
from weigh.metrics.registry import metric_names
from weigh.report.grid import Cell, Column, Grid, table
from weigh.report.human import left_out, steps_part
from weigh.report.parts import Note, Part, Pictures, summary
from weigh.report.phrases import BY, EXACT, interval_column, metric_name, named
from weigh.report.view import Used, View, remark_sentences, signature, view_of
from weigh.result import encode
from weigh.stats.multiplicity import adjust
from weigh.types import grouped
from weigh.validate.accuracy import AccuracyResult, Agreement, Difference
from weigh.validate.blinding import PairsResult
from weigh.validate.preference import PreferenceResult, Votes
from weigh.wording import fixed, listed, p_value, percent, plural, probability, share

# Differences between methods are named up to this adjusted p-value.
_NOTABLE = 0.05


@view_of(AccuracyResult)
def accuracy(result: AccuracyResult) -> View:
    """Show how often each test concludes what people conclude."""
    plan = result.plan
    metrics = [metric_name(metric, result.signatures.items()) for metric in result.signatures]
    systems = plural(len(result.systems), "system")
    pairs = f"{plural(len(result.pairs), 'pair')} of {systems}"
    is_two_sided = plan.alternative == "two-sided"
    side = "two-sided" if is_two_sided else "one-sided in both directions"
    corrected = (
        "not adjusted" if plan.adjust == "none" else f"adjusted by {ADJUSTMENTS[plan.adjust]}"
    )
    parts = {
        "test": "+".join(plan.tests),
        "alt": "one-sided" if plan.alternative == "better" else plan.alternative,
        "trials": plan.trials,
        "adjust": plan.adjust,
        "seed": plan.seed,
    }
    cautions = _cautions(result)
    about = [
        f"{pairs}. Agree: test and people draw the same conclusion (A better, B better, no "
        f"evidence of a difference), {side}, {corrected}. Found: pairs that differ significantly. "
        "Opposite: test and people prefer different systems. Tests with the same conclusions by a "
        "metric share a row.",
        *cautions,
        *remark_sentences(result.remarks),
    ]
    return View(
        title=f"{listed(metrics)} compared with people",
        subtitle=pairs,
        parts=[
            *summary([_finding(alpha, result) for alpha in plan.alphas], cautions),
            *_accuracy_parts("same", "Accuracy, tests and people at the same level", about, result),
            *_accuracy_parts(
                "fixed", f"Accuracy, people always at {share(plan.human_alpha)}", [], result
            ),
            *_answer_parts(result),
        ],
        methods=f"All pairs of {systems} were tested {side} by {listed(plan.tests)} with "
        f"{plan.trials:,} trials, {corrected}, and the conclusions were compared with those of "
        f"people at the same level and at {share(plan.human_alpha)} (Graham et al. 2014). "
        f"Intervals of accuracy are exact (Clopper & Pearson 1934) {BY}",
        signatures=[*named([*result.signatures.items()]), ("tests", signature(parts))],
        records=[
            {"human": level} | encode(row)
            for level, rows in (("same", result.same_level), ("fixed", result.fixed_level))
            for row in rows
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
    """Yield the accuracies with people at one level, and whether methods differ."""
    from weigh.report.validate_pictures import accuracy_plots

    agreements: Sequence[Agreement] = getattr(result, f"{level}_level")
    differences: Sequence[Difference] = getattr(result, f"{level}_level_differences")
    if agreements:
        grid = _accuracy_grid(agreements, result)
        yield grid.titled(heading, about, section=heading, paper=True)
        yield Pictures(lambda: accuracy_plots(level, agreements, result))
    if differences:
        yield _differences_grid(differences, result)


def _answer_parts(result: AccuracyResult) -> Iterator[Part]:
    """Yield the systems, those left out, and what became of people's answers."""
    section = "Systems and people's answers"
    yield Note([f"Systems: {', '.join(result.systems)}."], section=section, level="page")
    left_out = {
        "Not judged by people": result.not_judged,
        "Judged by people, but without outputs": result.not_given,
    }
    if any(left_out.values()):
        yield Note(
            [f"{why}, left out: {', '.join(names)}." for why, names in left_out.items() if names]
        )
    yield steps_part(result.steps, result.omissions)


def _accuracy_grid(agreements: Sequence[Agreement], result: AccuracyResult) -> Grid:
    """A block for every level, a row for tests that agree (Graham et al. 2014, tables 1 and 2)."""
    plan, names = result.plan, result.signatures.items()

    def first(name: str) -> Callable[[Sequence[Agreement]], object]:
        return lambda rows: getattr(rows[0], name)

    return Grid(
        [
            Column("α", lambda rows: share(rows[0].alpha)),
            Column("Metric", lambda rows: metric_name(rows[0].metric, names)),
            Column("Test", lambda rows: join_names([row.test for row in rows], plan.tests)),
            Column("Agree", lambda rows: f"{rows[0].agree}/{rows[0].pairs}", "number"),
            Column(
                "Accuracy",
                first("accuracy"),
                "percent",
                better="higher",
                decimals=1,
                marks_best=True,
            ),
            interval_column(plan.level, lambda rows: Cell(rows[0].interval, percent=True), 1),
            Column("Found", first("significant"), "count"),
            Column("By people", first("human_significant"), "count"),
            Column("Opposite", first("wrong_direction"), "count"),
        ],
        [group_alike([row for row in agreements if row.alpha == alpha]) for alpha in plan.alphas],
    )


def group_alike(agreements: Sequence[Agreement]) -> list[list[Agreement]]:
    """Agreements in groups: tests by one metric that conclude the same of every pair."""
    return [*grouped(agreements, lambda row: (row.metric, row.automatic)).values()]


def join_names(names: Sequence[str], all_names: Sequence[str]) -> str:
    """Names as one text; all of several are called so."""
    return "all" if len(names) == len(all_names) > 1 else ", ".join(names)


def percentages(row: Agreement) -> tuple[float, float]:
    """The exact interval of an accuracy in per cent."""
    low, high = row.interval
    return 100 * low, 100 * high


def _cautions(result: AccuracyResult) -> list[str]:
    """What the accuracies do not say."""
    plan = result.plan
    cautions = [
        f"The exact {percent(plan.level)} intervals (Clopper & Pearson) treat pairs as "
        "independent, but pairs that share a system are not. With three possible conclusions, "
        "chance is not 50%."
    ]
    first = [row for row in result.same_level if row.alpha == plan.alphas[0]]
    adjusted = adjust([row.mcnemar for row in first], "holm").tolist()
    stronger = [
        (p, row)
        for p, row in zip(adjusted, first, strict=True)
        if row.significant > row.human_significant and p <= _NOTABLE
    ]
    if stronger:
        p, row = min(stronger, key=lambda entry: entry[0])
        metric = metric_name(row.metric, result.signatures.items())
        cautions.append(
            f"At {share(row.alpha)}, {row.test} by {metric} finds {row.significant} of {row.pairs} "
            f"differences and people find {row.human_significant}: {row.found_alone} are found by "
            f"the test alone, {row.found_by_people_alone} by people alone (McNemar's exact test, "
            f"{p_value(p)}, adjusted by Holm's method for {plural(len(first), 'test')}). People's "
            "tests have less power here, which explains part of the disagreement."
        )
    return cautions


def _differences_grid(differences: Sequence[Difference], result: AccuracyResult) -> Grid:
    """Tests of whether methods are equally accurate; those with equal numbers share a row."""
    groups = _same_contrasts(differences)
    names = result.signatures.items()

    def methods(group: Sequence[Difference]) -> str:
        others = {row.by for row in differences if row.between == group[0].between}
        return join_names([metric_name(row.by, names) for row in group], list(others))

    return table(
        groups,
        [
            Column("Between", lambda group: group[0].between),
            Column("By", methods),
            Column("α", lambda group: share(group[0].alpha)),
            Column("χ²", lambda group: group[0].chi_square.statistic, "score"),
            Column("df", lambda group: group[0].chi_square.df, "count"),
            Column("p of χ²", lambda group: group[0].chi_square.p_value, "p"),
            Column("Q", lambda group: group[0].cochran.statistic, "score"),
            Column("p of Cochran's Q", lambda group: group[0].cochran.p_value, "p"),
        ],
        notes=[
            "χ² treats the accuracies as independent, as Graham et al. (2014) do; Cochran's Q "
            "accounts for all methods being tested on the same pairs.",
            _notable(groups, result),
        ],
        paper=True,
    )


def _same_contrasts(differences: Sequence[Difference]) -> list[list[Difference]]:
    key = attrgetter("between", "alpha", "chi_square", "cochran", "pairs")
    return [*grouped(differences, key).values()]


def _notable(groups: Sequence[Sequence[Difference]], result: AccuracyResult) -> str:
    """Which two methods differ on the same pairs."""
    names = result.signatures.items()
    pairs = [(group, pair) for group in groups for pair in group[0].pairs]
    adjusted = adjust([pair.mcnemar_p for _, pair in pairs], "holm").tolist()
    notable = []
    for (group, pair), p in zip(pairs, adjusted, strict=True):
        if p <= _NOTABLE:
            a, b = (metric_name(name, names) for name in (pair.a, pair.b))
            methods = ", ".join(metric_name(row.by, names) for row in group)
            notable.append(
                f"{a} {pair.only_a}:{pair.only_b} {b} (by {methods}, α {share(group[0].alpha)}, "
                f"p {probability(p)})"
            )
    corrected = f"adjusted by Holm's method for {plural(len(pairs), 'comparison')}"
    if not notable:
        return f"McNemar's exact test, {corrected}: no two methods differ at {share(_NOTABLE)}."
    return (
        f"McNemar's exact test on pairs that only one method gets right, p ≤ {share(_NOTABLE)}, "
        f"{corrected}: {'; '.join(notable)}."
    )


def _finding(alpha: float, result: AccuracyResult) -> str:
    """Which tests agree most and least often with people at a level."""
    groups = group_alike([row for row in result.same_level if row.alpha == alpha])
    counts = [group[0].agree for group in groups]
    text = f"Most agreement: {_agreeing(groups, max(counts), result)}"
    if min(counts) < max(counts):
        text += f". Least: {_agreeing(groups, min(counts), result)}"
    opposite = max(row.wrong_direction for group in groups for row in group)
    return (
        f"At α = {share(alpha)} people find {groups[0][0].human_significant} differences. {text}. "
        f"Opposite conclusions: at most {opposite} for any test."
    )


def _agreeing(groups: Sequence[Sequence[Agreement]], count: int, result: AccuracyResult) -> str:
    """The tests that agree with people on so many pairs, and what share that is."""
    plan = result.plan
    agreeing = [group for group in groups if group[0].agree == count]
    methods = []
    for group in agreeing:
        tests = join_names([row.test for row in group], plan.tests)
        metric = metric_name(group[0].metric, result.signatures.items())
        methods.append(metric if tests == "all" else f"{metric} by {tests}")
    first = agreeing[0][0]
    low, high = (fixed(end, 1) for end in percentages(first))
    return (
        f"{listed(methods)}, {count} of {plural(first.pairs, 'pair')} "
        f"({fixed(100 * first.accuracy, 1)}%, {percent(plan.level)} interval {low} to {high})"
    )


# Columns of TSV; documents hold more.
_PAIRS = ("a", "b", "segments", "unscored", "same", "pairs", "judges", "reference_shown", "seed")
_NOT_IN_RECORDS = ("judges_per_pair", "seed", "signatures", "margins")


@view_of(PairsResult)
def pairs(result: PairsResult) -> View:
    """Show how many pairs there are to judge."""
    a, b, segments = result.a, result.b, plural(result.segments, "segment")
    rows = [
        ("Segments with candidates", result.segments),
        ("Not scored by both metrics", result.unscored),
        ("Both metrics choose the same text", result.same),
        ("Pairs to judge", result.pairs),
        ("Judgments", result.pairs * result.judges),
        *((f"Ties for the best by {name}", count) for name, count in result.ties.items()),
    ]
    is_shown = "is shown" if result.reference_shown else "is not shown"
    ties = "the first candidate of the list"
    if result.ties_by_model:
        ties = "the higher model score, then to the first candidate"
    document = encode(result)
    return View(
        title=f"Pairs of what {a} and {b} choose",
        subtitle=f"{plural(result.pairs, 'pair')} for {plural(result.judges, 'judge')} each",
        parts=[
            *summary([f"{a} and {b} choose different texts for {result.pairs:,} of {segments}."]),
            table(
                rows,
                [Column(f"{a} against {b}"), Column("Number", kind="count")],
                title="Pairs",
                notes=[
                    f"Each pair is for {plural(result.judges, 'judge')}; the reference {is_shown}. "
                    f"Ties go to {ties}.",
                    *remark_sentences(result.remarks),
                ],
                paper=True,
            ),
        ],
        methods=f"Of the candidates of each segment, the one that {a} scores best was paired with "
        f"the one that {b} scores best, in a random order (Zaidan & Callison-Burch 2009) {BY}",
        signatures=[*result.signatures.items(), ("pairs", signature({"seed": result.seed}))],
        records=[{name: document[name] for name in _PAIRS}],
        used=_used(result.signatures),
    )


@view_of(PreferenceResult)
def preference(result: PreferenceResult) -> View:
    """Show whose choices people prefer, judgment by judgment and sentence by sentence."""
    preferences = result.preferences
    parts = [part for votes in preferences for part in _votes_parts(votes)]
    if result.omissions:
        parts.append(Note(left_out(result.omissions), "Left out"))
    seeds = dict.fromkeys(signature({"seed": votes.seed}) for votes in preferences)
    against = dict.fromkeys(f"{votes.a} or {votes.b}" for votes in preferences)
    return View(
        title=f"Whose choices people prefer: {listed(list(against))}",
        subtitle=f"{plural(result.test_set.segments, 'segment')} judged",
        parts=[*summary([_preferred(votes) for votes in preferences]), *parts],
        methods="People chose, blindly, between the candidates that two metrics score best "
        f"(Zaidan & Callison-Burch 2009); the sign test of sentences is exact and two-sided {BY}",
        signatures=[*result.signatures.items(), *(("pairs", seed) for seed in seeds)],
        records=[
            {name: value for name, value in encode(votes).items() if name not in _NOT_IN_RECORDS}
            for votes in preferences
        ],
        used=_used(result.signatures),
    )


def _preferred(votes: Votes) -> str:
    """Whose choice wins more sentences, and whether that may be chance."""
    counts = f"{votes.sentences_a:,} : {votes.sentences_b:,} sentences"
    condition = "" if votes.reference_shown else " without a reference"
    text = f"{votes.a} against {votes.b}{condition}: {counts}"
    if votes.sentences_a != votes.sentences_b:
        better = votes.a if votes.sentences_a > votes.sentences_b else votes.b
        text += f", more for the choices of {better}"
    return f"{text} (sign test, {p_value(votes.p_value)})."


def _votes_parts(votes: Votes) -> Iterator[Part]:
    """Yield the judgments, then their majorities by sentence."""
    condition = "reference shown" if votes.reference_shown else "reference not shown"
    choices = plural(votes.judgments_a + votes.judgments_b, "preference")
    notes = [
        f"{plural(votes.judges, 'judge')}; Krippendorff's α {fixed(votes.alpha, 3)}. "
        f"{votes.left:,} of {choices} are for the text on the left."
    ]
    if votes.unanswered:
        notes.append(f"{plural(votes.unanswered, 'pair')} without any answer.")
    if votes.incomplete:
        answers = plural(votes.judges_per_pair, "answer")
        notes.append(f"{plural(votes.incomplete, 'pair')} with fewer than {answers}.")
    preferred = [
        (f"{votes.a}'s choice", votes.judgments_a),
        (f"{votes.b}'s choice", votes.judgments_b),
        ("neither", votes.judgments_neither),
    ]
    judgments = _counts_grid("Preferred", "Judgments", preferred)
    yield judgments.titled(f"Judgments, {condition}", notes, paper=True)
    margins = [
        (f"{votes.a if margin > 0 else votes.b} +{abs(margin)}" if margin else "±0", count)
        for margin, count in votes.margins
    ]
    yield _counts_grid("Aggregate", "Sentences", margins).titled(
        f"Sentences, {condition}",
        [
            f"{votes.a} +1: one more judgment for its choice than for {votes.b}'s. Sign test of "
            f"sentences, {votes.sentences_a:,} : {votes.sentences_b:,}, exact and two-sided: "
            f"{p_value(votes.p_value)}. Judgments of one sentence are not independent, so they are "
            "not tested."
        ],
        paper=True,
    )


def _counts_grid(kind: str, unit: str, counts: Sequence[tuple[str, int]]) -> Grid:
    """Counts with their shares, and the total."""
    total = sum(count for _, count in counts)
    return Grid(
        [
            Column(kind),
            Column(unit, kind="count"),
            Column("%", lambda row: 100 * row[1] / total if total else None, "score", decimals=1),
        ],
        [counts, [("total", total)]],
    )


def _used(signatures: Mapping[str, str]) -> Used:
    return Used([_key(name) for name in signatures], works=["choices of two metrics"])


def _key(name: str) -> str:
    """The key of a metric by the name that it is printed with, such as chrF2."""
    return next((key for key in metric_names() if name.lower().startswith(key)), name)

"""The views of `weigh validate accuracy` and `preference`: do tests and metrics match people?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from weigh.metrics.registry import metric_names
from weigh.report.grid import Cell, Column, Grid, facts, table
from weigh.report.human import omission_sentences, steps_part
from weigh.report.parts import Note, Part, Pictures, draw_later, summary
from weigh.report.phrases import (
    BY,
    EXACT,
    adjusted_by,
    interval_column,
    metric_name,
    sentences,
    signatures_by_name,
)
from weigh.report.view import Used, View, signature, view_of
from weigh.result import encode
from weigh.types import grouped
from weigh.validate.accuracy import (
    NOTABLE,
    AccuracyResult,
    Agreement,
    AlikeTests,
    Contrast,
    Difference,
    contrasts_of,
    group_alike_tests,
    notable_pairs,
)
from weigh.validate.blinding import PairsResult
from weigh.validate.preference import PreferenceResult, VoteCounts, Votes
from weigh.wording import fixed, listed, p_value, percent, percentage, plural, probability, share


@view_of(AccuracyResult)
def accuracy(result: AccuracyResult) -> View:
    """Show how often each test draws the same conclusions as people."""
    plan = result.plan
    metrics = [metric_name(metric, result.signatures) for metric in result.signatures]
    systems = plural(len(result.systems), "system")
    pairs = f"{plural(len(result.pairs), 'pair')} of {systems}"
    side = "two-sided" if plan.alternative == "two-sided" else "one-sided in both directions"
    corrected = adjusted_by(plan.adjust)
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
        *sentences(result.remarks),
    ]
    human_alpha = share(plan.human_alpha)
    return View(
        title=f"{listed(metrics)} compared with people",
        subtitle=pairs,
        parts=[
            *summary([_finding(alpha, result) for alpha in plan.alphas], cautions),
            *_accuracy_parts(
                "Accuracy, tests and people at the same level",
                result.same_level,
                result.same_level_differences,
                result,
                about,
            ),
            *_accuracy_parts(
                f"Accuracy, people always at {human_alpha}",
                result.fixed_level,
                result.fixed_level_differences,
                result,
            ),
            *_answer_parts(result),
        ],
        methods=f"All pairs of {systems} were tested {side} by {listed(plan.tests)} with "
        f"{plural(plan.trials, 'trial')}, {corrected}, and the conclusions were compared with "
        f"those of people at the same level and at {human_alpha} (Graham et al. 2014). "
        f"Intervals of accuracy are exact (Clopper & Pearson 1934) {BY}",
        signatures=[*signatures_by_name(result.signatures), ("tests", signature(parts))],
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
    heading: str,
    agreements: Sequence[Agreement],
    differences: Sequence[Difference],
    result: AccuracyResult,
    about: Sequence[str] = (),
) -> Iterator[Part]:
    """Yield the accuracies against people at one level, and tests of their differences."""
    if agreements:
        yield _accuracy_grid(agreements, result).with_title(
            heading, about, section=heading, paper=True
        )
        yield Pictures(draw_later("validate_pictures.accuracy_plots", agreements, result))
    if differences:
        yield _differences_grid(differences, result)


def _answer_parts(result: AccuracyResult) -> Iterator[Part]:
    """Yield the systems, those left out, and the steps of filtering people's answers."""
    section = "Systems and people's answers"
    yield Note([f"Systems: {', '.join(result.systems)}."], section=section, level="page")
    missing = {
        "Not judged by people": result.not_judged,
        "Judged by people, but without outputs": result.not_given,
    }
    yield Note([f"{why}, left out: {', '.join(names)}." for why, names in missing.items() if names])
    yield steps_part(result.steps, result.omissions)


def _accuracy_grid(agreements: Sequence[Agreement], result: AccuracyResult) -> Grid:
    """A block for every level, a row for tests that agree (Graham et al. 2014, tables 1, 2)."""
    plan = result.plan

    def agree(row: AlikeTests) -> str:
        return f"{row.agreement.agree:,}/{row.agreement.pairs:,}"

    return Grid(
        [
            Column("α", lambda row: share(row.agreement.alpha)),
            Column(
                "Metric",
                lambda row: metric_name(row.agreement.metric, result.signatures),
            ),
            Column("Test", lambda row: _join_names(row.tests, plan.tests)),
            Column("Agree", agree, "number"),
            Column(
                "Accuracy",
                "agreement.accuracy",
                "percent",
                better="higher",
                decimals=1,
                marks_best=True,
            ),
            interval_column(plan.level, lambda row: Cell(row.agreement.interval, percent=True), 1),
            Column("Found", "agreement.significant", "count"),
            Column("By people", "agreement.human_significant", "count"),
            Column("Opposite", "agreement.wrong_direction", "count"),
        ],
        [group_alike_tests(agreements, alpha) for alpha in plan.alphas],
    )


def _join_names(names: Sequence[str], all_names: Sequence[str]) -> str:
    """Join names, or say `all` if these are all of several."""
    return "all" if len(names) == len(all_names) > 1 else ", ".join(names)


def name_method(group: AlikeTests, result: AccuracyResult) -> str:
    """A metric, with the tests of a group unless all tests agree."""
    tests = _join_names(group.tests, result.plan.tests)
    metric = metric_name(group.agreement.metric, result.signatures)
    return metric if tests == "all" else f"{metric} by {tests}"


def _cautions(result: AccuracyResult) -> list[str]:
    """Cautions on what the accuracies do not show."""
    cautions = [
        f"The exact {percent(result.plan.level)} intervals (Clopper & Pearson) treat pairs as "
        "independent, but pairs that share a system are not. With three possible conclusions, "
        "chance is not 50%."
    ]
    if stronger := result.stronger_test:
        row = stronger.agreement
        metric = metric_name(row.metric, result.signatures)
        cautions.append(
            f"At α = {share(row.alpha)}, {row.test} by {metric} finds "
            f"{plural(row.significant, 'difference')} between {plural(row.pairs, 'pair')} and "
            f"people find {row.human_significant:,}: {row.found_alone:,} by the test alone, "
            f"{row.found_by_people_alone:,} by people alone (McNemar's exact test, "
            f"{p_value(stronger.p_adjusted)}, adjusted by Holm's method for "
            f"{plural(stronger.family, 'test')}). People's tests have less power here, which "
            "explains part of the disagreement."
        )
    return cautions


def _differences_grid(differences: Sequence[Difference], result: AccuracyResult) -> Grid:
    """Tests of equal accuracy of methods; tests with equal numbers share a row."""
    contrasts = contrasts_of(differences)
    methods = grouped(differences, lambda row: row.between)
    names = result.signatures

    def by(contrast: Contrast) -> str:
        others = {row.by for row in methods[contrast.difference.between]}
        return _join_names([metric_name(name, names) for name in contrast.by], list(others))

    return table(
        contrasts,
        [
            Column("Between", "difference.between"),
            Column("By", by),
            Column("α", lambda contrast: share(contrast.difference.alpha)),
            Column("χ²", "difference.chi_square.statistic", "score"),
            Column("df", "difference.chi_square.df", "count"),
            Column("p of χ²", "difference.chi_square.p_value", "p"),
            Column("Q", "difference.cochran.statistic", "score"),
            Column("p of Cochran's Q", "difference.cochran.p_value", "p"),
        ],
        notes=[
            "χ² treats the accuracies as independent, as Graham et al. (2014) do; Cochran's Q "
            "accounts for all methods being tested on the same pairs.",
            _name_notable(contrasts, result),
        ],
        paper=True,
    )


def _name_notable(contrasts: Sequence[Contrast], result: AccuracyResult) -> str:
    """A note on the methods that differ significantly on the same pairs."""
    names = result.signatures
    notable = notable_pairs(contrasts)
    texts = []
    for contrast, pair, p in notable.pairs:
        a, b = (metric_name(name, names) for name in (pair.a, pair.b))
        methods = ", ".join(metric_name(name, names) for name in contrast.by)
        texts.append(
            f"{a} {pair.only_a:,}:{pair.only_b:,} {b} (by {methods}, "
            f"α = {share(contrast.difference.alpha)}, p {probability(p)})"
        )
    corrected = f"adjusted by Holm's method for {plural(notable.family, 'comparison')}"
    if not texts:
        return f"McNemar's exact test, {corrected}: no two methods differ at {share(NOTABLE)}."
    return (
        f"McNemar's exact test on pairs that only one method gets right, p ≤ {share(NOTABLE)}, "
        f"{corrected}: {'; '.join(texts)}."
    )


def _finding(alpha: float, result: AccuracyResult) -> str:
    """A sentence on the tests that agree most and least often with people at a level."""
    most, least, opposite = result.agreement_range(alpha)
    text = f"Most agreement: {_agreement_text(most, result)}"
    if least:
        text += f". Least: {_agreement_text(least, result)}"
    differences = plural(most[0].agreement.human_significant, "difference")
    return (
        f"At α = {share(alpha)} people find {differences}. {text}. "
        f"Opposite conclusions: at most {opposite:,} for any test."
    )


def _agreement_text(groups: Sequence[AlikeTests], result: AccuracyResult) -> str:
    """The tests that agree with people on the same number of pairs, with that number."""
    row = groups[0].agreement
    low, high = map(percentage, row.interval)
    return (
        f"{listed([name_method(group, result) for group in groups])}, {row.agree:,} of "
        f"{plural(row.pairs, 'pair')} ({percentage(row.accuracy)}, "
        f"{percent(result.plan.level)} interval {low} to {high})"
    )


# Columns of TSV; documents hold more.
_PAIRS = ("a", "b", "segments", "unscored", "same", "pairs", "judges", "reference_shown", "seed")
_NOT_IN_RECORDS = ("judges_per_pair", "seed", "signatures", "margins")


@view_of(PairsResult)
def pairs(result: PairsResult) -> View:
    """Show the number of pairs to judge."""
    a, b, segments = result.a, result.b, plural(result.segments, "segment")
    rows = [
        ("Segments with candidates", result.segments),
        ("Not scored by both metrics", result.unscored),
        ("Both metrics choose the same text", result.same),
        ("Pairs to judge", result.pairs),
        ("Judgments", result.judgments),
        *((f"Ties for the best by {name}", count) for name, count in result.ties.items()),
    ]
    ties = "the first candidate of the list"
    if result.ties_by_model:
        ties = "the higher model score, then to the first candidate"
    document = encode(result)
    return View(
        title=f"Pairs of the choices of {a} and {b}",
        subtitle=f"{plural(result.pairs, 'pair')} for {plural(result.judges, 'judge')} each",
        parts=[
            *summary([f"{a} and {b} choose different texts for {result.pairs:,} of {segments}."]),
            facts(
                f"{a} against {b}",
                rows,
                "Number",
                title="Pairs",
                notes=[
                    f"Each pair is for {plural(result.judges, 'judge')}; "
                    f"the reference is {'' if result.reference_shown else 'not '}shown. "
                    f"Ties go to {ties}.",
                    *sentences(result.remarks),
                ],
                paper=True,
            ),
        ],
        methods=f"Of the candidates of each segment, the one that {a} scores best was paired with "
        f"the one that {b} scores best, in a random order (Zaidan & Callison-Burch 2009) {BY}",
        signatures=[*result.signatures.items(), ("pairs", signature({"seed": result.seed}))],
        records=[{name: document[name] for name in _PAIRS}],
        used=_works_used(result.signatures),
    )


@view_of(PreferenceResult)
def preference(result: PreferenceResult) -> View:
    """Show which metric's choices people prefer, by judgment and by sentence."""
    preferences = result.preferences
    parts = [part for votes in preferences for part in _votes_parts(votes)]
    parts.append(Note(omission_sentences(result.omissions), "Left out"))
    seeds = dict.fromkeys(signature({"seed": votes.seed}) for votes in preferences)
    against = dict.fromkeys(f"{votes.a} or {votes.b}" for votes in preferences)
    return View(
        title=f"Whose choices people prefer: {listed(list(against))}",
        subtitle=f"{plural(result.test_set.segments, 'segment')} judged",
        parts=[*summary([_preference_sentence(votes) for votes in preferences]), *parts],
        methods="People chose, blindly, between the candidates that two metrics score best "
        f"(Zaidan & Callison-Burch 2009); the sign test of sentences is exact and two-sided {BY}",
        signatures=[*result.signatures.items(), *(("pairs", seed) for seed in seeds)],
        records=[
            {name: value for name, value in encode(votes).items() if name not in _NOT_IN_RECORDS}
            for votes in preferences
        ],
        used=_works_used(result.signatures),
    )


def _preference_sentence(votes: Votes) -> str:
    """A sentence on which metric's choices win more sentences, with the sign test."""
    condition = "" if votes.reference_shown else " without a reference"
    more = f", more for the choices of {votes.ahead}" if votes.ahead is not None else ""
    return (
        f"{votes.a} against {votes.b}{condition}: {votes.sentences_a:,} : {votes.sentences_b:,} "
        f"sentences{more} (sign test, {p_value(votes.p_value)})."
    )


def _votes_parts(votes: Votes) -> Iterator[Part]:
    """Yield the counts of judgments, then of their majorities by sentence."""
    condition = f"reference {'' if votes.reference_shown else 'not '}shown"
    notes = [
        f"{plural(votes.judges, 'judge')}; Krippendorff's α {fixed(votes.alpha, 3)}. "
        f"For the text on the left: {votes.left:,} of {plural(votes.preferences, 'preference')}."
    ]
    if votes.unanswered:
        notes.append(f"{plural(votes.unanswered, 'pair')} without any answer.")
    if votes.incomplete:
        answers = plural(votes.judges_per_pair, "answer")
        notes.append(f"{plural(votes.incomplete, 'pair')} with fewer than {answers}.")
    choices = (f"{votes.a}'s choice", f"{votes.b}'s choice", "neither")
    yield _counts_grid("Preferred", "Judgments", choices, votes.judgment_counts).with_title(
        f"Judgments, {condition}", notes, paper=True
    )
    margins = [
        f"{votes.a if margin > 0 else votes.b} +{abs(margin)}" if margin else "±0"
        for margin, _ in votes.margins
    ]
    yield _counts_grid("Aggregate", "Sentences", margins, votes.sentence_counts).with_title(
        f"Sentences, {condition}",
        [
            f"{votes.a} +1: one more judgment for its choice than for {votes.b}'s. Sign test of "
            f"sentences, {votes.sentences_a:,} : {votes.sentences_b:,}, exact and two-sided: "
            f"{p_value(votes.p_value)}. Judgments of one sentence are not independent, so they are "
            "not tested."
        ],
        paper=True,
    )


def _counts_grid(kind: str, unit: str, names: Iterable[str], votes: VoteCounts) -> Grid:
    """A table of counts with their shares and total."""
    return Grid(
        [Column(kind), Column(unit, kind="count"), Column("Share", kind="percent", decimals=1)],
        [[*zip(names, votes.counts, votes.shares, strict=True)], [("total", votes.total, "")]],
    )


def _works_used(signatures: Mapping[str, str]) -> Used:
    return Used([_key(name) for name in signatures], works=["choices of two metrics"])


def _key(name: str) -> str:
    """The key of a metric, from its printed name such as chrF2."""
    return next((key for key in metric_names() if name.lower().startswith(key)), name)

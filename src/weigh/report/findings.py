"""The verdict of a comparison in words: who is better, what is undecided, how it was tested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from weigh.comparing.methods import tested_units
from weigh.comparing.outcomes import leaders_by_slice
from weigh.report.grid import Sentence
from weigh.report.phrases import (
    MOST_PAIRS,
    NO_EVIDENCE,
    conclude,
    conclude_about,
    count_pairs,
    first_few,
    list_names,
    sentence,
)
from weigh.stats.procedures import PROCEDURES
from weigh.types import grouped
from weigh.wording import listed, plural, share

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Comparison, Gate
    from weigh.comparing.outcomes import TestOutcome
    from weigh.report.compared import CompareReport

Statement = TypeVar("Statement")
_MOST_OTHERS = 3
_MOST_RIVALS = 4
_MOST_REASONS = 10
_GATES = {
    "pass": "Gate: pass",
    "fail": "Gate: fail",
    "inconclusive": "Gate: inconclusive, the data cannot decide",
}
_ADJUSTED = {
    "holm": "Holm-adjusted",
    "bonferroni": "Bonferroni-adjusted",
    "sidak": "Šidák-adjusted",
    "bh": "Benjamini–Hochberg-adjusted",
    "closed": "adjusted by the closed e-test",
    "none": "not adjusted",
}


# Conclusions by margins: the text before and after the margins.
_MARGINS = {
    "equivalent": ("{names} {are} equivalent to {other} within ", ""),
    "not worse": ("{names} {are} not worse than {other} by more than ", ""),
    "worse": ("{names} {are} worse than {other} by more than ", ""),
    "undecided": ("whether {names} {are} worse than {other} by more than ", " is undecided"),
}


def gate_lines(gate: Gate | None) -> list[str]:
    """The verdict of a gate and its first reasons; none without a gate."""
    if gate is None:
        return []
    reasons = (f"  {reason}" for reason in gate_reasons(gate))
    return [Sentence((_GATES[gate.verdict], True)), *reasons]


def gate_reasons(gate: Gate) -> list[str]:
    """The first reasons for a verdict, and how many more there are."""
    return first_few(gate.decisive, _MOST_REASONS, "and ")


def conclusions(report: CompareReport) -> list[str]:
    """Sentences: who is best, how many pairs differ, equivalence by margins, and slices."""
    return [*_leaders(report), *_counts(report), *_margins(report), *_by_slice(report)]


def _merge(
    statements: Iterable[tuple[Statement, str, str]],
) -> list[tuple[Statement, list[str], list[str]]]:
    """Merge equal statements: each once, with all metrics and tests that support it.

    A statement comes with the title of its metric and its test.
    """
    metrics = grouped(statements, lambda entry: (entry[0], entry[2]))
    tests: dict[tuple[Statement, tuple[str, ...]], list[str]] = {}
    for (statement, test), entries in metrics.items():
        titles = tuple(title for _, title, _ in entries)
        tests.setdefault((statement, titles), []).append(test)
    return [(statement, list(titles), by) for (statement, titles), by in tests.items()]


def _methods(report: CompareReport, titles: Sequence[str], tests: Sequence[str]) -> str:
    """The metrics and tests behind a conclusion, to follow "by", where the report has several."""
    metrics = listed(titles) if len(report.titles) > 1 else ""
    if len(tests) == len(report.tests) > 1:
        by = "every test"
    elif len(report.tests) > 1 and any(tests):
        by = f"the {listed(tests)} test{'s' if len(tests) > 1 else ''}"
    else:
        return metrics
    return f"{metrics} and by {by}" if metrics else by


def _attribute(report: CompareReport, statements: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Yield each statement once, as a sentence that names its metrics and tests if needed."""
    for text, titles, tests in _merge(statements):
        methods = _methods(report, titles, tests)
        yield Sentence("By ", (methods, True), f", {text}.") if methods else sentence(text)


def _leaders(report: CompareReport) -> Iterator[str]:
    """Yield which systems lead, by every metric and test."""
    return _attribute(
        report,
        (
            (_conclusion(report, metric, outcome), title, "" if outcome is None else outcome.test)
            for metric, title in report.titles.items()
            for outcome in report.outcomes.get(metric, [None])
        ),
    )


def _conclusion(report: CompareReport, metric: str, outcome: TestOutcome | None) -> str:
    """The conclusion of one test by one metric, as a clause."""
    entries = report.drawable_scores(metric)
    if not entries:
        return "no system has a score"
    best = _best(report, metric)
    first = entries[0].system
    leads = f"{list_names(best)} score best" if len(best) > 1 else f"{first} scores best"
    if outcome is None:
        return leads
    if outcome.pairs == 1 and (content := _identical(report, metric)):
        return f"{list_names(outcome.systems)} have identical {content}"
    plan, count = report.result.plan, report.result.units
    if outcome.is_inconclusive:
        are = "is" if count == 1 else "are"
        units = plural(count, report.result.unit)
        return f"{leads}, but {units} {are} too few for a bootstrap test"
    if outcome.too_few is not None:
        return f"{leads}, but with so few {outcome.too_few} no difference can be significant"
    if plan.baseline is not None:
        text = _against(plan.baseline, outcome)
        # A gate without a margin tests one-sided, so it may find what this test does not.
        is_tested_by_gate = report.result.gate is not None and metric not in plan.margin
        has_other_test = is_tested_by_gate and outcome.alternative == "two-sided"
        return f"{text} by the two-sided test" if has_other_test and outcome.undecided else text
    if len(outcome.systems) == 2 and outcome.is_disputed:
        a, b = dict.fromkeys(entry.system for entry in report.scores)  # same order for all metrics
        return f"neither {a} nor {b} is called better"
    return conclude(outcome.systems, outcome.wins, best)


def _best(report: CompareReport, metric: str) -> list[str]:
    """The systems whose score, as printed, is the best."""
    entries = report.drawable_scores(metric)
    top = report.text(metric, entries[0].score) if entries else ""
    return [entry.system for entry in entries if report.text(metric, entry.score) == top]


def _identical(report: CompareReport, metric: str) -> str:
    """What two systems have in common on every item, if anything: outputs or scores."""
    pair = next(pair for pair in report.first_pairs if pair.metric == metric)
    return report.content(metric) if pair.identical == 1 else ""


def _against(baseline: str, outcome: TestOutcome) -> str:
    """The systems better and worse than a baseline; of many, only the better ones are named."""
    better, worse, undecided = outcome.rivals(baseline)
    if outcome.alternative != "two-sided":
        return _against_one_sided(baseline, outcome.alternative, better or worse, undecided)
    if outcome.pairs <= _MOST_RIVALS:
        return conclude_about(baseline, better, worse, undecided)
    if not better and not worse:
        return f"none of the {outcome.pairs:,} systems differs significantly from {baseline}"
    are = (
        f"{list_names(better)} {'is' if len(better) == 1 else 'are'}" if better else "no system is"
    )
    others = []
    if worse:
        others.append(f"{len(worse):,} {'is' if len(worse) == 1 else 'are'} significantly worse")
    if undecided:
        others.append(f"there is {NO_EVIDENCE} for {len(undecided):,}")
    rest = f"; of {outcome.pairs:,} systems, {' and '.join(others)}" if others else ""
    return f"{are} significantly better than {baseline}{rest}"


def _against_one_sided(
    baseline: str, alternative: str, significant: Sequence[str], undecided: Sequence[str]
) -> str:
    """The systems for which a one-sided test finds its alternative, and those for which not."""
    clauses = []
    if significant:
        are = "is" if len(significant) == 1 else "are"
        clauses.append(
            f"{list_names(significant)} {are} significantly {alternative} than {baseline}"
        )
    if undecided:
        are = "is" if len(undecided) == 1 else "are"
        names = list_names(undecided)
        if significant and len(undecided) > _MOST_RIVALS:
            names = f"the other {len(undecided):,} systems"
        clauses.append(f"there is no evidence that {names} {are} {alternative} than {baseline}")
    return "; ".join(clauses)


def _counts(report: CompareReport) -> Iterator[str]:
    """Yield how many pairs differ, by every metric and test, and name the others if few."""
    if report.result.plan.baseline is not None:
        return
    merged = _merge(
        ((outcome.pairs, outcome.undecided), report.titles[metric], outcome.test)
        for metric, outcomes in report.outcomes.items()
        for outcome in outcomes
        if outcome.pairs > 1 and outcome.too_few is None
    )
    if len(merged) > 1 and sum(len(undecided) for (_, undecided), *_ in merged) > MOST_PAIRS:
        texts = [
            f"{total - len(undecided):,} of {total:,} by {_methods(report, titles, tests)}"
            for (total, undecided), titles, tests in merged
        ]
        yield f"Pairs that differ significantly: {listed(texts)}."
        return
    for (total, undecided), titles, tests in merged:
        methods = _methods(report, titles, tests)
        yield count_pairs(total, undecided, f" by {methods}" if methods else "")


class _MarginClause(NamedTuple):
    """A conclusion by margins: the text around them, and the word that joins them."""

    before: str
    after: str
    word: str

    def with_sizes(self, sizes: Sequence[str]) -> str:
        return f"{self.before}{listed(sizes, self.word)}{self.after}"


def _margins(report: CompareReport) -> Iterator[str]:
    """Yield which systems are equivalent or not worse by the given margins.

    Margins that name their metric, such as `1 BLEU`, share a sentence.
    """
    statements: list[tuple[str, str, str]] = []
    sizes: dict[_MarginClause, list[str]] = {}
    for metric, margin in report.result.plan.margin.items():
        size = report.difference_text(metric, margin)
        pairs = [
            pair for pair in report.first_pairs if pair.metric == metric and pair.margin is not None
        ]
        if not pairs:
            continue
        against_one = report.result.plan.baseline is not None or len(pairs) == 1
        clauses = _against_one(report, pairs) if against_one else [_equivalent_pairs(pairs)]
        for clause in clauses:
            if size.endswith(f" {report.titles[metric]}"):
                sizes.setdefault(clause, []).append(size)
            else:
                statements.append((clause.with_sizes([size]), report.titles[metric], ""))
    yield from _attribute(report, statements)
    for clause, texts in sizes.items():
        yield sentence(clause.with_sizes(texts))


def _against_one(report: CompareReport, pairs: Sequence[Comparison]) -> Iterator[_MarginClause]:
    """Yield conclusions by a margin on systems that are all compared with the same system.

    A system that every test calls better is not also said to be not worse.
    """
    other = pairs[0].b
    outcomes = report.outcomes.get(pairs[0].metric, [])
    for conclusion, members in grouped(pairs, attrgetter("margin_conclusion")).items():
        names = [pair.a for pair in members]
        if conclusion == "not worse":
            names = [
                name
                for name in names
                if not outcomes or not all((name, other) in outcome.wins for outcome in outcomes)
            ]
        if not names:
            continue
        before, after = _MARGINS[conclusion]
        are = "is" if len(names) == 1 else "are"
        yield _MarginClause(
            before.format(names=list_names(names), are=are, other=other),
            after,
            "and" if conclusion in ("equivalent", "worse") else "or",
        )


def _equivalent_pairs(pairs: Sequence[Comparison]) -> _MarginClause:
    equivalent = [f"{pair.a} and {pair.b}" for pair in pairs if pair.equivalent]
    if not equivalent:
        before = f"none of the {len(pairs):,} pairs is shown to be equivalent within "
        return _MarginClause(before, "", "or")
    are = "is" if len(equivalent) == 1 else "are"
    named = f": {'; '.join(equivalent)}" if len(equivalent) <= MOST_PAIRS else ""
    before = f"{len(equivalent):,} of {len(pairs):,} pairs {are} equivalent within "
    return _MarginClause(before, named, "and")


def _by_slice(report: CompareReport) -> Iterator[str]:
    """Yield in which slices the best system overall also scores best, by every metric."""
    texts = {title: _best_in_slices(report, metric) for metric, title in report.titles.items()}
    return _attribute(report, ((text, title, "") for title, text in texts.items() if text))


def _best_in_slices(report: CompareReport, metric: str) -> str:
    leaders = leaders_by_slice(report.result, metric)
    first = leaders.pop(None, None)
    if not first or not leaders or len(_best(report, metric)) > 1:
        return ""
    others = grouped(leaders, lambda label: leaders[label])
    tied = others.pop("", [])
    led_by_first = others.pop(first, [])
    word, at = report.slice_word, "on" if report.result.sets else "in"
    if not others and not led_by_first:
        return ""
    if not others and not tied:
        return f"{first} scores best {at} every {word}"
    most_slices_first = sorted(others.items(), key=lambda entry: -len(entry[1]))
    where = "".join(
        f"; {name} {at} {list_names([str(label) for label in labels])}"
        for name, labels in most_slices_first[:_MOST_OTHERS]
    )
    if len(most_slices_first) > _MOST_OTHERS:
        where += f"; others {at} the rest"
    count = f"no {word}"
    if led_by_first and len(leaders) <= MOST_PAIRS:
        count = list_names([str(label) for label in led_by_first])
    elif led_by_first:
        count = f"{len(led_by_first):,} of {plural(len(leaders), word)}"
    return f"{first} scores best {at} {count}{where}"


def describe_test(report: CompareReport, *, is_short: bool = False) -> str:
    """The tests, their level and adjustment, in one sentence."""
    first_title, *others = (PROCEDURES[test].title for test in report.tests)
    titles = [first_title, *(f"{title[0].lower()}{title[1:]}" for title in others)]
    first = report.first_pairs[0]
    side = "" if first.alternative == "two-sided" else f", one-sided ({first.alternative})"
    parts = [
        f"{listed(titles)} over {tested_units(report.result)}{side}",
        f"α = {share(report.result.plan.alpha)}",
    ]
    if first.family_size > 1:
        adjusted = _ADJUSTED.get(first.adjust, "adjusted")
        count = "" if is_short else f" for {plural(first.family_size, 'comparison')}"
        parts.append(f"{adjusted}{count}")
    return f"{', '.join(parts)}."

"""What a comparison says in words: what was found, what is open, and how to read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from weigh.comparing.methods import is_powerless
from weigh.report.compared import CompareReport
from weigh.report.findings import NO_EVIDENCE, conclusion, names_of
from weigh.report.pairs import (
    detectable,
    further_grid,
    readings_grid,
    shows_detectable,
    winner,
)
from weigh.report.view import Part
from weigh.stats.procedures import FLAWED_TESTS
from weigh.wording import fixed, listed, percent, plural, share

if TYPE_CHECKING:
    from weigh.comparing.result import Comparison

# From so large a share of identical outputs on it is worth a word.
_NOTABLE = 0.2
# How the signature of scores begins that were given, and not computed from texts.
_GIVEN_SCORES = {"mean:segments", "ratio:sums"}
_MOST_NAMED = 6


def findings(report: CompareReport) -> list[str]:
    """Return a paragraph on every metric: who is best, and what the tests say."""
    return ["".join([_best(report, metric), *_tested(report, metric)]) for metric in report.titles]


def _best(report: CompareReport, metric: str) -> str:
    title = report.titles[metric]
    order = report.ordered(metric)
    if not order:
        return f"{title}: no system has a score."
    which = "higher is better" if report.higher(metric) else "lower is better"
    shown = {entry.system: report.scores.shown(entry, entry.score) for entry in order}
    return best(title, which, shown)


def best(title: str, remark: str, scores: Mapping[str, str]) -> str:
    """Return who scores best; systems stand best first, with their scores as they are shown."""
    top = next(iter(scores.values()))
    first = [name for name, score in scores.items() if score == top]
    verb = "scores" if len(first) == 1 else "score"
    return f"{title} ({remark}): {names_of(first)} {verb} best, {top}."


def _tested(report: CompareReport, metric: str) -> list[str]:
    """Return what the tests say of the whole test set; those that say the same say it together.

    Tests that are known to be wrong have no say.
    """
    if not report.ordered(metric):
        return []
    alpha = share(report.result.plan.alpha)
    conclusions: dict[tuple[str, str], list[str]] = {}
    for test, pairs in report.tests.items():
        group = [one for one in pairs if one.metric == metric and one.slice is None]
        if group and test not in FLAWED_TESTS:
            adjusted = group[0].family_size > 1 and group[0].adjust != "none"
            level = f"p ≤ {alpha}{', adjusted' * adjusted}"
            conclusions.setdefault((level, _conclusion(report, group)), []).append(test)
    return [
        f" By the {listed(tests)} test{'s' * (len(tests) > 1)} ({level}), {said}."
        for (level, said), tests in conclusions.items()
    ]


def _conclusion(report: CompareReport, group: Sequence[Comparison]) -> str:
    """Return what one test says of one metric."""
    metric = group[0].metric
    higher = report.higher(metric)
    if report.result.plan.baseline is not None:
        return _against(report.result.plan.baseline, group, higher)
    return conclusion(
        dict.fromkeys(entry.system for entry in report.ordered(metric)),
        [(one.a, one.b) for one in group],
        [found for found in (winner(one, higher) for one in group) if found is not None],
        is_powerless=is_powerless(group[0], report.result),
    )


def _against(baseline: str, group: Sequence[Comparison], higher: bool) -> str:
    """Return which systems are better and worse than the baseline."""
    found = [(one.a, winner(one, higher)) for one in group]
    parts = []
    for word, systems in (
        ("better", [a for a, beats in found if beats and beats[0] == a]),
        ("worse", [a for a, beats in found if beats and beats[0] != a]),
    ):
        if systems:
            verb = "is" if len(systems) == 1 else "are"
            parts.append(f"{names_of(systems)} {verb} significantly {word} than {baseline}")
    rest = [a for a, beats in found if beats is None]
    if rest:
        parts.append(f"there is {NO_EVIDENCE} between {baseline} and {names_of(rest)}")
    return "; ".join(parts)


DETECTABLE = (
    "No evidence of a difference is not evidence of none: a true difference of the size under "
    "Detectable would have been found 4 times in 5, tested two-sided and by itself."
)
READINGS = (
    "Readings score the same counts in several ways, which differ in what the unknown counts for. "
    "A difference has to show in each: p is the largest of theirs, and 1 where they disagree on "
    "which system is better. That they agree is no proof, since the unknown is no random choice."
)
_NOTHING_KNOWN = "nothing is known of that"
UNKNOWN = f"A dash says that {_NOTHING_KNOWN}."
POWERLESS = "So few units or trials can show no difference at all, however large it is."
KEY = (
    "> the row's system is better than the column's; a number is the adjusted p of a pair "
    "without evidence."
)


def by_reading(pairs: Sequence[Comparison], report: CompareReport) -> Iterator[Part]:
    """Yield what the readings of metrics say one by one, where metrics have several."""
    read = [one for one in pairs if one.readings]
    if read:
        yield Part("Readings", readings_grid(report, read), [READINGS])


def further(report: CompareReport) -> Iterator[Part]:
    """Yield the answers to --margin and --detect, which no test has a part in."""
    first = next(iter(report.tests.values()))
    plan = report.result.plan
    asked = [one for one in first if one.margin is not None or one.metric in plan.detect]
    if not asked:
        return
    sentences = []
    if any(one.margin is not None for one in asked):
        level, alpha = percent(1 - 2 * plan.alpha), share(plan.alpha)
        sentences.append(
            f"Better by: the difference, turned so that + is better for the first system. "
            f"Equivalent: its {level} interval lies inside the margin on both sides; not worse: "
            f"its lower end does. Either is a test at α = {alpha}."
            + " Where a metric has several readings, the interval spans those of all."
            * any(one.readings for one in asked)
        )
        sentences += margin_reasons(report, asked)
    sized = [one for one in asked if one.metric in plan.detect]
    if sized:
        sentences.append(
            f"{report.result.unit.capitalize()}s needed: as many would show a true difference of "
            "the size under To find 4 times in 5."
        )
    without = [one for one in sized if one.units_needed is None]
    whys = [_NOTHING_KNOWN] * any(one.detectable is None for one in without)
    whys += [_more_runs(report)] * any(one.detectable is not None for one in without)
    if whys:
        sentences.append(f"A dash says that {', or that '.join(whys)}.")
    yield Part("Margins and sizes", further_grid(report, asked), sentences)


def _more_runs(report: CompareReport) -> str:
    return f"no number of {report.result.unit}s is enough, for runs vary too much; use more runs"


def margin_reasons(report: CompareReport, pairs: Sequence[Comparison]) -> list[str]:
    """Return what margins rest upon where it is not the bootstrap, or why they are left open."""
    pairs_by_reason: dict[str, list[str]] = {}
    for one in pairs:
        if one.margin_reason is not None:
            where = f", {one.slice}" if one.slice is not None else ""
            name = f"{one.a} and {one.b} by {report.titles[one.metric]}{where}"
            pairs_by_reason.setdefault(one.margin_reason, []).append(name)
    count = sum(one.margin is not None for one in pairs)
    told = [
        f"{'Every pair' if len(names) == count > 1 else some(names)}: {reason}."
        for reason, names in pairs_by_reason.items()
    ]
    more = len(told) - _MOST_NAMED
    return [*told[:_MOST_NAMED], *([f"And {more:,} more like these."] if more > 0 else [])]


def said_of_power(report: CompareReport, pairs: Sequence[Comparison]) -> str:
    """Return what the pairs without evidence mean: what a list of them shows, or that it cannot."""
    if is_powerless(pairs[0], report.result):
        return POWERLESS
    if not shows_detectable(report, pairs):
        return ""
    unknown = any(detectable(report, one) is None for one in pairs if not one.significant)
    return f"{DETECTABLE} {UNKNOWN}" if unknown else DETECTABLE


def under_scores(report: CompareReport) -> list[str]:
    """Return how intervals and ranks are to be read."""
    sentences = [] if report.result.intervals is None else [f"{report.result.intervals}."]
    if report.ranks is not None:
        sentences.append(report.about_ranks(report.first_test))
    return sentences


def under_matrix(report: CompareReport, group: Sequence[Comparison]) -> list[str]:
    """Return what a triangle has no room for."""
    metric = group[0].metric
    decimals, title = report.decimals(metric), report.titles[metric]
    sentences = []
    if is_powerless(group[0], report.result):
        sentences.append(POWERLESS)
    elif shows_detectable(report, group):
        open_pairs = [
            one.detectable for one in group if not one.significant and one.detectable is not None
        ]
        low, high = (fixed(end(open_pairs), decimals) for end in (min, max))
        size = low if low == high else f"{low} to {high}"
        sentences.append(
            "No evidence of a difference is not evidence of none: in these pairs a true "
            f"difference of {size} {title} would have been found 4 times in 5, tested two-sided "
            "and by itself."
        )
    if group[0].margin is not None:
        close = [f"{one.a} and {one.b}" for one in group if one.equivalent]
        level = percent(1 - 2 * report.result.plan.alpha)
        sentences.append(
            f"Equivalent within {group[0].margin:g} {title} (the {level} interval of the "
            f"difference lies inside): {some(close) or 'no pair'}."
        )
        sentences += margin_reasons(report, group)
    needed = [one.units_needed for one in group if one.units_needed is not None]
    wanted = report.result.plan.detect.get(metric)
    never = [one for one in group if one.units_needed is None and one.detectable is not None]
    if never and wanted is not None:
        sentences.append(
            f"To find a true difference of {wanted:g} {title} between "
            f"{plural(len(never), 'pair')}, {_more_runs(report)}."
        )
    if needed and wanted is not None:
        sentences.append(
            f"To find a true difference of {wanted:g} {title} 4 times in 5, {min(needed):,} to "
            f"{max(needed):,} {report.result.unit}s are needed, depending on the pair."
        )
    return sentences


def some(texts: Sequence[str]) -> str:
    """Return the first few of a list, and how many more there are."""
    if len(texts) <= _MOST_NAMED:
        return "; ".join(texts)
    return f"{'; '.join(texts[:_MOST_NAMED])}; and {len(texts) - _MOST_NAMED:,} more"


def identical_outputs(report: CompareReport) -> list[str]:
    """Return which pairs are the same in many segments, or nothing where none is."""
    scored = {
        entry.metric
        for entry in report.result.scores
        if not _GIVEN_SCORES.isdisjoint(entry.signature.split("|"))
    }
    groups: dict[str, dict[frozenset[str], tuple[Comparison, float]]] = {}
    for one in report.result.comparisons:
        if one.identical is not None and one.identical >= _NOTABLE:
            several = f"{report.titles[one.metric]} " * (len(report.titles) > 1)
            what = f"{several}scores" if one.metric in scored else "outputs"
            shares = groups.setdefault(what, {})
            shares.setdefault(frozenset((one.a, one.b)), (one, one.identical))
    sentences = []
    for what, shares in groups.items():
        ordered = sorted(shares.values(), key=lambda pair: -pair[1])
        texts = [f"{one.a} and {one.b} {percent(round(part, 2))}" for one, part in ordered]
        sentences.append(f"Share of segments with identical {what}: {some(texts)}.")
    return sentences

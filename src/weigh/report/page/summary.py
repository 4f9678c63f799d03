"""What the comparison found, in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from weigh.report.comparisons import some
from weigh.report.methods import is_powerless
from weigh.report.number import listed, plural, share
from weigh.report.page.html import Markup, element, joined
from weigh.report.pairs import NO_EVIDENCE, winner
from weigh.report.pictures.systems import ordered
from weigh.stats.procedures import FLAWED_TESTS

if TYPE_CHECKING:
    from weigh.report.compared import CompareReport
    from weigh.types import Comparison

_MOST_NAMED = 6


def findings(report: CompareReport) -> list[Markup]:
    """Return a paragraph on every metric: who is best, and what the tests say."""
    return [joined(_best(report, metric), *_tested(report, metric)) for metric in report.titles]


def _best(report: CompareReport, metric: str) -> Markup:
    title = report.titles[metric]
    order = ordered(report, metric)
    if not order:
        return joined(element("strong", title), ": no system has a score.")
    which = "higher is better" if report.higher(metric) else "lower is better"
    shown = {entry.system: report.scores.shown(entry, entry.score) for entry in order}
    return best(title, which, shown)


def best(title: str, remark: str, scores: Mapping[str, str]) -> Markup:
    """Return who scores best; systems stand best first, with their scores as they are shown."""
    top = next(iter(scores.values()))
    first = [name for name, score in scores.items() if score == top]
    verb = "scores" if len(first) == 1 else "score"
    names = element("strong", names_of(first))
    return joined(element("strong", title), f" ({remark}): ", names, f" {verb} best, {top}.")


def names_of(systems: Sequence[str]) -> str:
    """Return names as a sentence lists them, not more than a reader wants to read."""
    if len(systems) <= _MOST_NAMED:
        return listed(systems)
    return listed([*systems[: _MOST_NAMED - 1], f"{len(systems) - _MOST_NAMED + 1:,} more"])


def _tested(report: CompareReport, metric: str) -> list[str]:
    """Return what the tests say of the whole test set; those that say the same say it together.

    Tests that are known to be wrong have no say.
    """
    if not ordered(report, metric):
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
        dict.fromkeys(entry.system for entry in ordered(report, metric)),
        [(one.a, one.b) for one in group],
        [found for found in (winner(one, higher) for one in group) if found is not None],
        is_powerless=is_powerless(group[0], report.result),
    )


def conclusion(
    order: Iterable[str],
    tested: Iterable[tuple[str, str]],
    beaten: Sequence[tuple[str, str]],
    *,
    is_powerless: bool = False,
) -> str:
    """Return what a test says of systems that stand best first: who beats whom, and what is open.

    `is_powerless` says that it could not have found anything.
    """
    pairs: dict[frozenset[str], str] = {}
    for a, b in tested:
        pairs[frozenset((a, b))] = f"{a} and {b}"
    told_apart = {frozenset(found) for found in beaten}
    open_pairs = [names for pair, names in pairs.items() if pair not in told_apart]
    if len(pairs) == 1:
        if beaten:
            return "{} is significantly better than {}".format(*beaten[0])
        return f"there is {NO_EVIDENCE} between {open_pairs[0]}"
    counted = f"{len(told_apart):,} of {plural(len(pairs), 'pair')} differ significantly"
    if not open_pairs:
        return f"{_lead(order, beaten)}. In all, {counted}"
    if is_powerless:
        return f"{counted}; so few units or trials can show no difference at all"
    return (
        f"{_lead(order, beaten)}. In all, {counted}; there is {NO_EVIDENCE} "
        f"between {some(open_pairs)}"
    )


def _lead(order: Iterable[str], beaten: Sequence[tuple[str, str]]) -> str:
    """Return what is known of the system that stands first."""
    first, *others = order
    better = [name for name in others if (name, first) in beaten]
    rest = [name for name in others if name not in better and (first, name) not in beaten]
    if not rest and not better:
        return f"{first} is significantly better than every other system"
    parts = []
    if better:
        verb = "is" if len(better) == 1 else "are"
        parts.append(f"{names_of(better)} {verb} significantly better than {first}")
    if rest:
        parts.append(f"there is {NO_EVIDENCE} between {first} and {names_of(rest)}")
    return "; ".join(parts)


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

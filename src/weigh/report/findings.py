"""The verdict of a comparison in words: who is better, what is open, how it was tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from weigh.comparing.dataset import MACRO
from weigh.comparing.methods import is_powerless
from weigh.report.grid import Sentence
from weigh.report.phrases import NO_EVIDENCE, lead, names_of, told_apart
from weigh.stats.procedures import PROCEDURES
from weigh.wording import listed, plural, share

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Comparison
    from weigh.report.compared import CompareReport

_MOST_SLICES = 6
_MOST_OTHERS = 3
_MOST_RIVALS = 4
_MOST_OPEN = 6
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


def verdict_lines(report: CompareReport) -> list[str]:
    """The gate with its reasons, then the conclusions."""
    gate = report.result.gate
    lines: list[str] = []
    if gate is not None:
        lines = [Sentence((_GATES[gate.verdict], True)), *(f"  {each}" for each in gate.reasons)]
    return [*lines, *conclusions(report)]


def conclusions(report: CompareReport) -> list[str]:
    """Who is better by which metrics, how many pairs differ, who cannot be told apart."""
    return [*_conclusions(report), *_decided(report), *_by_slice(report)]


def _pairs_of(report: CompareReport, metric: str) -> dict[str, list[Comparison]]:
    """The comparisons of the whole test set by a metric, by test."""
    groups = {
        test: [pair for pair in pairs if pair.metric == metric and pair.slice is None]
        for test, pairs in report.tests.items()
    }
    return {test: pairs for test, pairs in groups.items() if pairs}


def _conclusions(report: CompareReport) -> Iterator[Sentence]:
    """Yield a sentence for every conclusion: by which metrics, and by which of several tests."""
    found: dict[str, dict[str, list[str]]] = {}  # the conclusion, its tests, their metrics
    for metric, title in report.titles.items():
        for test, pairs in (_pairs_of(report, metric) or {"": []}).items():
            text = _conclusion(report, metric, pairs)
            found.setdefault(text, {}).setdefault(test, []).append(title)
    several = len({test for tests in found.values() for test in tests}) > 1
    for text, tests in found.items():
        by_metrics: dict[tuple[str, ...], list[str]] = {}
        for test, metrics in tests.items():
            by_metrics.setdefault(tuple(metrics), []).append(test)
        for titles, names in by_metrics.items():
            by_test = ""
            if several:
                by_test = f" and the {listed(names)} test{'s' if len(names) > 1 else ''}"
            yield Sentence("By ", (listed(titles), True), f"{by_test}, {text}.")


def _conclusion(report: CompareReport, metric: str, pairs: Sequence[Comparison]) -> str:
    """What one test says of one metric."""
    entries = report.ordered(metric)
    if not entries:
        return "no system has a score"
    order = list(dict.fromkeys(entry.system for entry in entries))
    top = report.scores.text(metric, entries[0].score)
    alike = [entry.system for entry in entries if report.scores.text(metric, entry.score) == top]
    best = f"{names_of(alike)} score best" if len(alike) > 1 else f"{order[0]} scores best"
    if not pairs:
        return best
    baseline = report.result.plan.baseline
    if baseline is not None:
        winners = [_winner(report, pair) for pair in pairs]
        judged = list(zip(pairs, winners, strict=True))
        return _against(
            baseline,
            [pair.a for pair, winner in judged if winner == pair.a],
            [pair.a for pair, winner in judged if winner == pair.b],
            [pair.a for pair, winner in judged if winner is None],
        )
    if is_powerless(pairs[0], report.result):
        return f"{best}, but so few units or trials cannot show any difference"
    if len(order) == 2:
        winner = next((each for each in map(report.winner, pairs) if each is not None), None)
        if any(map(report.is_disputed, pairs)):
            return f"neither {pairs[0].a} nor {pairs[0].b} is called better"
        if winner is None:
            return f"there is {NO_EVIDENCE} between {order[0]} and {order[1]}"
        return f"{winner} is significantly better than {next(n for n in order if n != winner)}"
    beaten = []
    for pair in pairs:
        if order[0] in (pair.a, pair.b) and (winner := _winner(report, pair)) is not None:
            beaten.append((winner, pair.b if winner == pair.a else pair.a))
    return _leader(order, alike, beaten)


def _winner(report: CompareReport, pair: Comparison) -> str | None:
    """Who has won; nobody where metrics of the same labels disagree."""
    return None if report.is_disputed(pair) else report.winner(pair)


def _against(
    baseline: str, better: Sequence[str], worse: Sequence[str], undecided: Sequence[str]
) -> str:
    """Which systems are better and worse than a baseline; of many, those that are better."""
    count = len(better) + len(worse) + len(undecided)
    if count <= _MOST_RIVALS:
        return told_apart(baseline, better, worse, undecided)
    are = f"{names_of(better)} {'is' if len(better) == 1 else 'are'}" if better else "no system is"
    return (
        f"{are} significantly better than {baseline}; of {count:,} systems, "
        f"{_number(len(worse), count)} are significantly worse, and there is {NO_EVIDENCE} for "
        f"{_number(len(undecided), count)}"
    )


def _leader(order: Sequence[str], alike: Sequence[str], beaten: Sequence[tuple[str, str]]) -> str:
    """What is known of the system that scores best, as those that are `alike` do."""
    first, *others = order
    better = [name for name in others if (name, first) in beaten]
    rest = [name for name in others if name not in better and (first, name) not in beaten]
    if better or not rest:
        return lead(order, beaten)
    if len(alike) > 1:
        return f"{names_of(alike)} score best; {lead(order, beaten)}"
    whom = names_of(rest) if len(rest) <= _MOST_RIVALS else f"{len(rest):,} others"
    whom = "any other system" if len(rest) == len(others) else whom
    return f"{first} scores best, with {NO_EVIDENCE} from {whom}"


def _decided(report: CompareReport) -> Iterator[str]:
    """Yield how many pairs differ by every metric, and which cannot be told apart if few."""
    if report.result.plan.baseline is not None:
        return
    for test in report.tests:
        counts: dict[tuple[int, int, str], list[str]] = {}  # numbers and names of pairs, metrics
        for metric, title in report.titles.items():
            pairs = _pairs_of(report, metric).get(test, [])
            open_pairs = _undecided(report, metric, pairs)
            total = len({frozenset((pair.a, pair.b)) for pair in pairs})
            named = ""
            if len(open_pairs) <= _MOST_OPEN:
                named = "; ".join(f"{a} and {b}" for a, b in open_pairs)
            counts.setdefault((total - len(open_pairs), total, named), []).append(title)
        by_test = f" and the {test} test" if len(report.tests) > 1 else ""
        for (found, total, named), titles in counts.items():
            if total < 2:
                continue
            by = f" by {listed(titles)}{by_test}" if len(report.titles) > 1 or by_test else ""
            text = f"{_number(found, total).capitalize()} of {plural(total, 'pair')}"
            if found == total:
                text = f"All {plural(total, 'pair')}"
            text += f" differ{'s' if found == 1 else ''} significantly{by}"
            yield f"{text}. No evidence of a difference between {named}." if named else f"{text}."


def _undecided(
    report: CompareReport, metric: str, pairs: Sequence[Comparison]
) -> list[tuple[str, str]]:
    """The pairs without evidence, those of the best systems first."""
    places = report.places[metric, None]
    last = len(places)
    decided = {frozenset((pair.a, pair.b)) for pair in pairs if _winner(report, pair) is not None}
    undecided = {frozenset((pair.a, pair.b)): (pair.a, pair.b) for pair in pairs}
    rest = []
    for key, (a, b) in undecided.items():
        if key not in decided:
            placed = sorted(((places.get(a, last), a), (places.get(b, last), b)))
            rest.append(placed)
    return [(a, b) for (_, a), (_, b) in sorted(rest)]


def _number(found: int, total: int) -> str:
    return "all" if found == total else f"{found:,}" if found else "none"


def _by_slice(report: CompareReport) -> Iterator[Sentence]:
    """Yield in which slices the best system of the whole is the best too, by which metrics."""
    metrics: dict[str, list[str]] = {}
    for metric, title in report.titles.items():
        if text := _best_in_slices(report, metric):
            metrics.setdefault(text, []).append(title)
    for text, titles in metrics.items():
        yield Sentence("By ", (listed(titles), True), f", {text}.")


def _best_in_slices(report: CompareReport, metric: str) -> str:
    ordered = {label: report.ordered(metric, label) for label in report.slices if label != MACRO}
    best = {label: scores[0].system for label, scores in ordered.items() if scores}
    first = best.pop(None, None)
    if first is None or not best:
        return ""
    for label in best:  # one that shares the first place has it too
        top = [entry for entry in ordered[label] if entry.score == ordered[label][0].score]
        best[label] = first if any(entry.system == first for entry in top) else best[label]
    others: dict[str, list[str]] = {}
    for label, name in best.items():
        if name != first:
            others.setdefault(name, []).append(str(label))
    if not others:
        every = "on every test set" if report.result.sets else "in every slice"
        return f"{first} scores best {every}"
    often = sorted(others.items(), key=lambda each: -len(each[1]))
    where = "".join(f"; {name} in {_slices(labels)}" for name, labels in often[:_MOST_OTHERS])
    if len(often) > _MOST_OTHERS:
        where += "; others in the rest"
    same = sum(name == first for name in best.values())
    count = f"{same:,} of {plural(len(best), 'slice')}" if same else "no slice"
    return f"{first} scores best in {count}{where}"


def _slices(labels: Sequence[str]) -> str:
    more = len(labels) - _MOST_SLICES
    return listed([*labels[:_MOST_SLICES], *([f"{more:,} more"] if more > 0 else [])])


def how(report: CompareReport) -> str:
    """How the comparison was tested, in one line."""
    tests = [PROCEDURES[test].title for test in report.tests]
    named = [tests[0], *(f"{title[0].lower()}{title[1:]}" for title in tests[1:])]
    first = report.first_pairs[0]
    parts = [
        f"{listed(named)} over {plural(report.result.units, report.unit)}",
        f"α = {share(report.result.plan.alpha)}",
    ]
    if first.family_size > 1:
        adjusted = _ADJUSTED.get(first.adjust, "adjusted")
        parts.append(f"{adjusted} for {plural(first.family_size, 'comparison')}")
    return f"{', '.join(parts)}."

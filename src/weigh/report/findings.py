"""What a comparison says in a few sentences: who is best, what is open, how that is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from weigh.comparing.dataset import MACRO
from weigh.comparing.methods import is_powerless
from weigh.report.compared import CompareReport
from weigh.report.grid import Cell, Sentence
from weigh.report.pairs import winner
from weigh.report.phrases import NO_EVIDENCE, lead, names_of, told_apart
from weigh.wording import listed, plural, share

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Comparison

_NO_SCORE = "no system has a score"
_MOST_SLICES = 6
_MOST_OTHERS = 3
_MOST_RIVALS = 4


def findings(report: CompareReport) -> list[Sentence]:
    """Return a sentence each: the conclusion, how many pairs differ, slices if any, and how."""
    return [*conclusions(report), Sentence(f"{how(report)}.")]


def conclusions(report: CompareReport) -> list[Sentence]:
    """Return what was found, without how."""
    groups = (_conclusions(report), _decided(report), _by_slice(report))
    return [_joined(list(group)) for group in map(list, groups) if group]


def _joined(sentences: Sequence[Sentence]) -> Sentence:
    """Return sentences that begin with By or Of as one."""
    cells = list(sentences[0].cells)
    for sentence in sentences[1:]:
        cells[-1] = replace(cells[-1], text=cells[-1].text.removesuffix("."))
        first, *rest = sentence.cells
        cells += [Cell(f"; {first.text[0].lower()}{first.text[1:]}", strong=first.strong), *rest]
    return Sentence(*cells)


def _groups(report: CompareReport, metric: str) -> dict[str, list[Comparison]]:
    """Return what the tests say of the whole test set."""
    groups = {
        test: [pair for pair in pairs if pair.metric == metric and pair.slice is None]
        for test, pairs in report.tests.items()
    }
    return {test: pairs for test, pairs in groups.items() if pairs}


def _conclusions(report: CompareReport) -> Iterator[Sentence]:
    """Yield a sentence for every conclusion: by which metrics, and by which of several tests."""
    said: dict[str, dict[str, list[str]]] = {}  # the conclusion, its tests, their metrics
    for metric, title in report.titles.items():
        for test, pairs in (_groups(report, metric) or {"": []}).items():
            text = _conclusion(report, metric, pairs)
            said.setdefault(text, {}).setdefault(test, []).append(title)
    several = len({test for tests in said.values() for test in tests}) > 1
    for text, tests in said.items():
        by_metrics: dict[tuple[str, ...], list[str]] = {}
        for test, titles in tests.items():
            by_metrics.setdefault(tuple(titles), []).append(test)
        for metrics, names in by_metrics.items():
            by_test = f" and the {listed(names)} test{'s' * (len(names) > 1)}" * several
            yield Sentence("By ", Cell(listed(metrics), strong=True), f"{by_test}, {text}.")


def _conclusion(report: CompareReport, metric: str, pairs: Sequence[Comparison]) -> str:
    """Return what one test says of one metric."""
    entries = report.ordered(metric)
    if not entries:
        return _NO_SCORE
    order = list(dict.fromkeys(entry.system for entry in entries))
    top = entries[0]
    alike = [
        entry.system
        for entry in entries
        if report.scores.shown(entry, entry.score) == report.scores.shown(top, top.score)
    ]
    best = f"{names_of(alike)} score best" if len(alike) > 1 else f"{order[0]} scores best"
    if not pairs:
        return best
    beats = [_winner(report, pair) for pair in pairs]
    baseline = report.result.plan.baseline
    if baseline is not None:
        judged = list(zip(pairs, beats, strict=True))
        return _against(
            baseline,
            [pair.a for pair, won in judged if won and won[0] == pair.a],
            [pair.a for pair, won in judged if won and won[0] != pair.a],
            [pair.a for pair, won in judged if won is None],
        )
    if is_powerless(pairs[0], report.result):
        return f"{best}, but so few units or trials can show no difference at all"
    if len(order) == 2:
        won = next((each for each in beats if each is not None), None)
        if any(map(report.is_disputed, pairs)):
            return f"neither {pairs[0].a} nor {pairs[0].b} is called better"
        if won is None:
            return f"there is {NO_EVIDENCE} between {order[0]} and {order[1]}"
        return f"{won[0]} is significantly better than {won[1]}"
    return _leader(order, alike, [each for each in beats if each is not None])


def _winner(report: CompareReport, pair: Comparison) -> tuple[str, str] | None:
    """Return who beats whom; nobody where metrics of the same labels disagree."""
    return None if report.is_disputed(pair) else winner(pair, report.higher(pair.metric))


def _against(
    baseline: str, better: Sequence[str], worse: Sequence[str], undecided: Sequence[str]
) -> str:
    """Return which systems are better and worse than a baseline; of many, those that are better."""
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
    """Return what is known of the system that scores best, as those that are `alike` do."""
    first, *others = order
    better = [name for name in others if (name, first) in beaten]
    rest = [name for name in others if name not in better and (first, name) not in beaten]
    if better or not rest:
        return lead(order, beaten)
    if len(alike) > 1:
        return f"{names_of(alike)} score best; {lead(order, beaten)}"
    known = f"{first} scores best, with {NO_EVIDENCE}"
    return f"{known} from {'any other system' if len(rest) == len(others) else names_of(rest)}"


def undecided(report: CompareReport, metric: str, pairs: Sequence[Comparison]) -> list[str]:
    """Return the pairs without evidence, those of the best systems first."""
    places = report.places(metric)

    def place(name: str) -> int:
        return places.get(name, len(places))

    decided = {frozenset((pair.a, pair.b)) for pair in pairs if _winner(report, pair)}
    names = {frozenset((pair.a, pair.b)): sorted((pair.a, pair.b), key=place) for pair in pairs}
    rest = [both for pair, both in names.items() if pair not in decided]
    rest.sort(key=lambda both: [place(name) for name in both])
    return [f"{a} and {b}" for a, b in rest]


def undecided_pairs(report: CompareReport) -> list[Sentence]:
    """Return all pairs without evidence of a difference, metric by metric and test by test."""
    sentences = []
    for metric, title in report.titles.items():
        groups = _groups(report, metric)
        for test, pairs in groups.items():
            by_test = f", {test}" * (len(groups) > 1)
            if names := undecided(report, metric, pairs):
                head = Cell(f"{title}{by_test}", strong=True)
                sentences.append(Sentence(head, f": {'; '.join(names)}."))
    return sentences


def _decided(report: CompareReport) -> Iterator[Sentence]:
    """Yield how many of the pairs differ by every metric, unless there is one."""
    counts: dict[str, dict[int, list[str]]] = {}  # tests, numbers of pairs, metrics
    total = 0
    for metric, title in report.titles.items():
        for test, pairs in _groups(report, metric).items():
            total = len({frozenset((pair.a, pair.b)) for pair in pairs})
            found = total - len(undecided(report, metric, pairs))
            counts.setdefault(test, {}).setdefault(found, []).append(title)
    if total < 2 or report.result.plan.baseline is not None:
        return
    for test, by_count in counts.items():
        by_test = f" and the {test} test" * (len(counts) > 1)
        told = [
            f"{_number(found, total)} by {_by_metrics(titles, len(by_count))}"
            for found, titles in by_count.items()
        ]
        told[0] = told[0].replace(" by ", " differ significantly by ", 1)
        yield Sentence(f"Of {plural(total, 'pair')}, {listed(told)}{by_test}.")


def _by_metrics(titles: Sequence[str], groups: int) -> str:
    return "each metric" if groups == 1 < len(titles) else listed(titles)


def _number(found: int, total: int) -> str:
    return "all" if found == total else f"{found:,}" if found else "none"


def _by_slice(report: CompareReport) -> Iterator[Sentence]:
    """Yield in which slices the best system of the whole is the best too, by which metrics."""
    metrics: dict[str, list[str]] = {}
    for metric, title in report.titles.items():
        if text := _best_in_slices(report, metric):
            metrics.setdefault(text, []).append(title)
    for text, titles in metrics.items():
        yield Sentence("By ", Cell(listed(titles), strong=True), f", {text}.")


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
    often = sorted(others.items(), key=lambda each: -len(each[1]))
    told = "".join(f"; {name} in {_some(labels)}" for name, labels in often[:_MOST_OTHERS])
    told += "; others in the rest" * (len(often) > _MOST_OTHERS)
    same = sum(name == first for name in best.values())
    count = f"{same:,} of {plural(len(best), 'slice')}" if same else "no slice"
    return f"{first} scores best in {count if others else 'every slice'}{told}"


def _some(labels: Sequence[str]) -> str:
    more = len(labels) - _MOST_SLICES
    return listed([*labels[:_MOST_SLICES], *[f"{more:,} more"] * (more > 0)])


def how(report: CompareReport) -> str:
    """Return in one line by which tests a comparison was made."""
    tests = list(report.tests)
    first = report.tests[tests[0]][0]
    level = f"p ≤ {share(report.result.plan.alpha)}"
    if first.family_size > 1:
        size = plural(first.family_size, "comparison")
        level += f"{', not' * (first.adjust == 'none')} adjusted for {size}"
    unit = plural(report.result.units, report.result.unit)
    return f"By the {listed(tests)} test{'s' * (len(tests) > 1)} over {unit}, {level}"


def about_lines(report: CompareReport) -> str:
    """Return what lines between systems mean, where there are some."""
    if len(report.lines(report.first_test)) < 2:
        return ""
    return f"; lines by {next(iter(report.titles.values()))}"

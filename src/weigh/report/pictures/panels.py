"""Samples one after another, held against the whole test set (Koehn 2004)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from weigh.report.grid import visible
from weigh.report.pictures.picture import (
    Box,
    Mark,
    Picture,
    Scale,
    bar,
    dot,
    left_axis,
    legend,
    name_of,
)
from weigh.report.pictures.validation import by_difference, by_level
from weigh.report.svg import cut, drawable, pixels, words
from weigh.types import grouped
from weigh.wording import fixed, percent, plural

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Sweep
    from weigh.report.compared import CompareReport
    from weigh.report.validate_samples import SamplesByMetric
    from weigh.validate.samples import ShownSample

# Samples that are drawn with replacement are too many for intervals to be told apart.
_MOST_INTERVALS = 40
_WIDTH = 480.0
_FRAME = Box(52, 38, _WIDTH - 8, 200)
_GAP = 12.0
_FIRST, _SECOND = Mark("circle", "point"), Mark("square", "point against")
_OPEN = Mark("circle", "point open")
_HIT, _MISSED = Mark("circle", "point"), Mark("circle", "point against")
_DESIGNS = {"block": "Consecutive blocks", "broad": "Broad samples", "drawn": "Samples drawn"}

Drawn = TypeVar("Drawn")


def score_plots(study: SamplesByMetric) -> list[Picture]:
    """Return blocks beside broad samples (figures 2, 3), differences (4) and intervals (6)."""
    pair = _Pair(study)
    if not pair.is_drawable:
        return []
    coverage = [pair.coverage(system) for system in (0, 1)]
    return [pair.scores("block"), pair.scores("broad"), pair.differences(), *coverage]


def pair_plots(study: SamplesByMetric) -> list[Picture]:
    """Return conclusions over samples (figures 7, 8), and tables 3 and 4 as curves."""
    pair = _Pair(study)
    if not pair.is_drawable:
        return []
    conclusions = [pair.conclusions("broad"), pair.conclusions("drawn")]
    return [*conclusions, *by_difference(study), *by_level(study)]


@dataclass(frozen=True)
class _Pair:
    """The two systems whose single samples are shown, by one metric."""

    study: SamplesByMetric

    @property
    def names(self) -> tuple[str, str]:
        """The two as they are shown."""
        a, b = map(visible, self.study.result.shown)
        return a, b

    @cached_property
    def whole(self) -> tuple[float, float]:
        """The scores of the whole test set."""
        first, second = (self.study.scores[name] for name in self.study.result.shown)
        return first, second

    @property
    def sign(self) -> int:
        return -1 if self.study.metric.lower_is_better else 1

    @property
    def advantage(self) -> float:
        """How much better the first is in truth."""
        return self.sign * (self.whole[0] - self.whole[1])

    @property
    def is_drawable(self) -> bool:
        values = [
            value
            for one in self.study.result.series
            if one.metric == self.study.metric.metric
            for value in (*one.scores, *one.intervals[0], *one.intervals[1])
        ]
        return bool(values) and drawable(*self.whole, *values)

    def of(self, design: str) -> dict[int, list[ShownSample]]:
        """The samples of a design by size."""
        return grouped(self.study.series(design), lambda sample: sample.size)

    @property
    def metric(self) -> str:
        return visible(self.study.name)

    def named(self, kind: str, *parts: str) -> str:
        return name_of(kind, self.study.number, self.study.metric.metric, *parts)

    def scores(self, design: str) -> Picture:
        """Scores of both systems, on the same scale for blocks and for broad samples."""
        found = self.of(design)
        direction = "lower" if self.study.metric.lower_is_better else "higher"
        both = [one for each in ("block", "broad") for own in self.of(each).values() for one in own]
        y = _FRAME.up([*self.whole, *(v for one in both for v in one.scores)])
        a, b = self.names

        def draw(one: ShownSample, x: float, y: Scale) -> str:
            told = [
                f"sample {one.sample}: {name} {self.study.fixed(score)}"
                for name, score in zip((a, b), one.scores, strict=True)
            ]
            return _FIRST.at(x, y(one.scores[0]), told[0]) + _SECOND.at(
                x, y(one.scores[1]), told[1], 3.0
            )

        said = "; ".join(
            f"{len(own)} of {size:,} {self.study.result.unit}s, from "
            f"{self.study.fixed(min(s for one in own for s in one.scores))} to "
            f"{self.study.fixed(max(s for one in own for s in one.scores))}"
            for size, own in found.items()
        )
        return _panel_plot(
            found,
            draw,
            y=y,
            unit=self.study.result.unit,
            lines=[(self.whole[0], "dashed first"), (self.whole[1], "dashed against")],
            above=f"{self.metric} ({direction} is better); dashed: the whole test set",
            entries=[(_FIRST, cut(self.names[0], 28)), (_SECOND, cut(self.names[1], 28))],
            name=self.named(f"{design}-scores"),
            title=f"{_DESIGNS[design]}: scores of {a} and {b} by {self.metric}",
            description=f"{_DESIGNS[design]}: {said}. The whole test set has "
            f"{self.study.fixed(self.whole[0])} and {self.study.fixed(self.whole[1])}.",
        )

    def differences(self) -> Picture:
        """How much better the first system is in each broad sample."""
        found = self.of("broad")
        a, b = self.names
        gains = {
            size: [self.sign * (one.scores[0] - one.scores[1]) for one in own]
            for size, own in found.items()
        }
        values = [value for own in gains.values() for value in own]
        y = _FRAME.up([0.0, self.advantage, *values])
        wrong = {size: sum(v * self.advantage < 0 for v in own) for size, own in gains.items()}

        def draw(value: float, x: float, y: Scale) -> str:
            mark = _HIT if value > 0 else _MISSED if value < 0 else _OPEN
            return mark.at(x, y(value), self.study.fixed(value, sign=True))

        gain = self.study.fixed(self.advantage, sign=True)
        counted = ", ".join(f"{wrong[size]} of {len(own)}" for size, own in gains.items())
        return _panel_plot(
            gains,
            draw,
            y=y,
            unit=self.study.result.unit,
            lines=[(0.0, "axis"), (self.advantage, "dashed")],
            above=f"Difference by {self.metric}, up: {cut(self.names[0], 24)} better; dashed: "
            f"all, {gain}",
            entries=[
                (_HIT, f"{cut(self.names[0], 20)} scores better"),
                (_MISSED, f"{cut(self.names[1], 20)} scores better"),
            ],
            name=self.named("differences"),
            title=f"Broad samples: difference of {a} and {b} by {self.metric}",
            description=f"On the whole test set {a} is better by {gain}. Samples that say the "
            f"reverse, by size: {counted}.",
        )

    def coverage(self, system: int) -> Picture:
        """Intervals of a system's score, and whether they hold the score of the whole."""
        whole, name = self.whole[system], self.names[system]
        level = percent(self.study.result.plan.level)
        drawn = self.of("drawn")
        held = {
            size: sum(low <= whole <= high for low, high in (one.intervals[system] for one in own))
            for size, own in drawn.items()
        }
        found = {size: own[:_MOST_INTERVALS] for size, own in drawn.items()}
        ends = [end for own in found.values() for one in own for end in one.intervals[system]]
        y = _FRAME.up([whole, *ends])

        def draw(one: ShownSample, x: float, y: Scale) -> str:
            low, high = one.intervals[system]
            kind = "" if low <= whole <= high else "against"
            score, start, stop = map(self.study.fixed, (one.scores[system], low, high))
            told = f"{score}, {start} to {stop}"
            return bar(x, y, (low, high), kind) + dot(x, y(one.scores[system]), told, kind, 2.0)

        shares = ", ".join(
            f"{percent(round(count / len(drawn[size]), 3))} of {size:,}"
            for size, count in held.items()
        )
        most = max(len(own) for own in drawn.values())
        first = f"the first {_MOST_INTERVALS} of {most:,} samples" if most > _MOST_INTERVALS else ""
        return _panel_plot(
            found,
            draw,
            y=y,
            unit=self.study.result.unit,
            lines=[(whole, "dashed")],
            above=f"{self.metric} of {cut(self.names[system], 24)} with {level} intervals; dashed: "
            f"all, {self.study.fixed(whole)}",
            entries=[(_HIT, "holds the score of the whole"), (_MISSED, "misses it")],
            name=self.named("coverage", str(system + 1)),
            title=f"Intervals of {name} by {self.metric}"
            + (f", {first} of each size" if first else ""),
            description=f"{level} bootstrap intervals in samples drawn with replacement: those "
            f"that hold the score of the whole, {self.study.fixed(whole)}, are {shares} "
            f"{self.study.result.unit}s.",
        )

    def conclusions(self, design: str) -> Picture:
        """How sure each sample is that the first system is better."""
        level = self.study.result.plan.level
        found = self.of(design)
        if design == "drawn":  # whose order means nothing
            found = {size: sorted(own, key=_sureness) for size, own in found.items()}
        a, b = self.names

        def draw(one: ShownSample, x: float, y: Scale) -> str:
            sure = _sureness(one)
            told = f"{a} better in {percent(round(sure, 4))} of trials"
            return _conclusion(one, level).at(x, y(100 * sure), told, 3.0)

        truly = a if self.advantage > 0 else b if self.advantage < 0 else None
        counts = {
            size: [sum(_conclusion(one, level) == mark for one in own) for mark in _CONCLUSIONS]
            for size, own in found.items()
        }
        told = "; ".join(
            f"of {plural(len(found[size]), 'sample')} of {size:,}, {first} say {a}, {second} say "
            f"{b}, {none} nothing"
            for size, (first, none, second) in counts.items()
        )
        order = ", in order" if design == "drawn" else ""
        return _panel_plot(
            found,
            draw,
            y=Scale(-4.0, 104.0, _FRAME.bottom, _FRAME.top),
            unit=self.study.result.unit,
            lines=[(100 * level, "dashed"), (100 * (1 - level), "dashed")],
            above=f"Trials in which {cut(self.names[0], 24)} is better, per cent; dashed: "
            f"{percent(level)} sure",
            entries=[
                (_FIRST, f"{cut(self.names[0], 17)} better"),
                (_OPEN, "no conclusion"),
                (_SECOND, f"{cut(self.names[1], 17)} better"),
            ],
            name=self.named(f"{design}-conclusions"),
            title=f"{_DESIGNS[design]}{order}: conclusions on {a} and {b} by {self.metric}",
            description=f"At {percent(level)}: {told}. On the whole test set "
            + ("both score the same." if truly is None else f"{truly} is better."),
        )


_CONCLUSIONS = (_FIRST, _OPEN, _SECOND)


def _sureness(one: ShownSample) -> float:
    """Return the share of trials in which the first is better, or one less that of the second.

    Whichever is larger is the level of the conclusion.
    """
    return one.better if one.better >= one.worse else 1 - one.worse


def _conclusion(one: ShownSample, level: float) -> Mark:
    if max(one.better, one.worse) < level or one.better == one.worse:
        return _OPEN
    return _FIRST if one.better > one.worse else _SECOND


def _panels(counts: Mapping[int, int], unit: str) -> tuple[dict[int, Scale], str]:
    """Return where the samples of every size stand, so many of each, and titles as drawn.

    A panel is as wide as it has samples, but wide enough for its title.
    """
    room = _FRAME.right - _FRAME.left - _GAP * (len(counts) - 1)
    titles = {size: f"{size:,} {unit}s" for size in counts}
    least = max(pixels(text, 11) for text in titles.values())
    if least * len(counts) > room:
        titles = {size: f"{size:,}" for size in counts}
        least = room / len(counts)
    spare = room - least * len(counts)
    total = sum(counts.values())
    panels, parts, start = {}, [], _FRAME.left
    for size, count in counts.items():
        stop = start + least + spare * count / total
        panels[size] = Scale(0.5, count + 0.5, start, stop)
        parts.append(words(start, _FRAME.top - 8, titles[size], "small soft"))
        start = stop + _GAP
    return panels, "".join(parts)


def _panel_plot(
    samples: Mapping[int, Sequence[Drawn]],
    draw: Callable[[Drawn, float, Scale], str],
    *,
    y: Scale,
    unit: str,
    lines: Iterable[tuple[float, str]],
    above: str,
    entries: Sequence[tuple[Mark, str]],
    name: str,
    title: str,
    description: str,
) -> Picture:
    """Draw samples of each size one after another, over a common axis.

    `draw` returns one of them at a place; `lines` are values with the class of a line across all
    panels, `above` says what the axis means and `entries` what the marks do.
    """
    panels, titles = _panels({size: len(found) for size, found in samples.items()}, unit)
    parts = [_FRAME.above(above), titles]
    for size, x in panels.items():
        panel = Box(x.start, _FRAME.top, x.stop, _FRAME.bottom)
        parts.append(left_axis(y, panel, named=x.start == _FRAME.left))
        parts += [draw(sample, x(number), y) for number, sample in enumerate(samples[size], 1)]
        parts += [panel.level(y(value), kind) for value, kind in lines]
    drawn, bottom = legend(entries, 8, _FRAME.bottom + 22, _FRAME.right)
    return Picture(name, title, description, _WIDTH, bottom + 9, "".join([*parts, drawn]))


# What a sample says, with the class that shows it.
_UNSURE, _A, _B = "open", "", "against"


def drawn_sweeps(report: CompareReport) -> list[Sweep]:
    """Return the samples of pairs that a reader asks about first, and that can be drawn."""
    details = report.result.details
    pairs: dict[tuple[str, frozenset[str]], Sweep] = {}
    for sweep in () if details is None else details.sweeps:
        can_be_drawn = any(drawable(difference) for difference in sweep.differences)
        if can_be_drawn and report.is_neighbour(sweep):
            # One-sided, a pair is tested in both directions; one picture shows both.
            pairs.setdefault((sweep.metric, frozenset((sweep.a, sweep.b))), sweep)
    return list(pairs.values())


def sweep_plots(report: CompareReport, chosen: Sequence[Sweep] | None = None) -> list[Picture]:
    """Return a plot for pairs on samples, all or those chosen (Koehn 2004, figures 4, 7, 8)."""
    sweeps = drawn_sweeps(report)
    numbers = {id(sweep): number for number, sweep in enumerate(sweeps, 1)}
    return [
        _sweep_plot(report, sweep, numbers[id(sweep)])
        for sweep in (sweeps if chosen is None else chosen)
    ]


def _said_by(interval: tuple[float, float]) -> str:
    """Return the class of a sample by what its interval says of zero."""
    if interval[0] > 0:
        return _A
    return _B if interval[1] < 0 else _UNSURE


def _sweep_plot(report: CompareReport, sweep: Sweep, number: int) -> Picture:
    result = report.result
    assert result.details is not None, "sweeps are details"
    size, decimals = result.details.sample_size, report.decimals(sweep.metric)
    whole = _whole_difference(report, sweep)
    samples = [
        (number, difference, interval, drawable(difference, *interval))
        for number, (difference, interval) in enumerate(
            zip(sweep.differences, sweep.intervals, strict=True), 1
        )
    ]
    seen = [interval for _, _, interval, is_drawn in samples if is_drawn]
    says = Counter(map(_said_by, seen))
    values = [value for _, value, ends, is_drawn in samples if is_drawn for value in (value, *ends)]

    def draw(sample: tuple[int, float, tuple[float, float], bool], x: float, y: Scale) -> str:
        number, difference, interval, is_drawn = sample
        if not is_drawn:
            return ""
        shown, low, high = (fixed(end, decimals, sign=True) for end in (difference, *interval))
        told, kind = f"sample {number}: {shown}, {low} to {high}", _said_by(interval)
        return bar(x, y, interval, kind) + dot(x, y(difference), told, kind)

    a, b, called = visible(sweep.a), visible(sweep.b), report.heading(sweep.metric)
    above = f"Difference by {called}, up: {cut(sweep.a, 24)} better"
    if whole is not None:
        above += f"; dashed: all, {fixed(whole, decimals, sign=True)}"
    return _panel_plot(
        {size: samples},
        draw,
        y=_FRAME.up([0.0, *values, *([] if whole is None else [whole])]),
        unit=result.unit,
        lines=[(0.0, "axis"), *([] if whole is None else [(whole, "dashed")])],
        above=above,
        entries=[
            (_HIT, f"{cut(sweep.a, 13)} better: {says[_A]}"),
            (_OPEN, f"no evidence: {says[_UNSURE]}"),
            (_MISSED, f"{cut(sweep.b, 13)} better: {says[_B]}"),
        ],
        name=name_of("sweep", number, sweep.metric, sweep.a, sweep.b),
        title=f"{a} and {b} by {called}, sample by sample",
        description=f"Of {plural(len(seen), 'sample')} of {plural(size, result.unit)} each, "
        f"{says[_A]} say that {a} is better and {says[_B]} that {b} is, by "
        f"{percent(result.plan.level)} intervals of the difference; {says[_UNSURE]} give no "
        "evidence of a difference.",
    )


def _whole_difference(report: CompareReport, sweep: Sweep) -> float | None:
    """Return the difference on the whole test set, positive where a is better."""
    scores = {
        entry.system: entry.score
        for entry in report.result.scores
        if (entry.metric, entry.slice) == (sweep.metric, None)
    }
    difference = scores[sweep.a] - scores[sweep.b]
    if not drawable(difference):
        return None
    return difference if report.higher(sweep.metric) else -difference

"""Differences over samples of the test set: how often a small test set would be right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.pictures.axis import Scale, left_axis
from weigh.report.pictures.picture import Picture, name_of
from weigh.report.pictures.systems import heading
from weigh.report.svg import cut, drawable, line, pixels, titled, words
from weigh.wording import fixed, percent, plural

if TYPE_CHECKING:
    from weigh.comparing.evidence import Sweep
    from weigh.report.scores import CompareReport

_WIDTH, _HEIGHT = 480.0, 235.0
_LEFT, _TOP, _RIGHT, _BOTTOM = 52.0, 22.0, _WIDTH - 10, 175.0

# What a sample says, with the class that shows it.
_OPEN, _A, _B = "open", "", "against"


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
    details = report.result.details
    if details is None:
        return []
    sweeps = drawn_sweeps(report)
    numbers = {id(sweep): number for number, sweep in enumerate(sweeps, 1)}
    return [
        _plot(
            report,
            sweep,
            details.sample_size,
            name_of("sweep", numbers[id(sweep)], sweep.metric, sweep.a, sweep.b),
        )
        for sweep in (sweeps if chosen is None else chosen)
    ]


def said_by(interval: tuple[float, float]) -> str:
    """Return the class of a sample by what its interval says of zero."""
    if interval[0] > 0:
        return _A
    return _B if interval[1] < 0 else _OPEN


def _plot(report: CompareReport, sweep: Sweep, size: int, name: str) -> Picture:
    decimals = report.decimals(sweep.metric)
    whole = _whole_difference(report, sweep)
    samples = [
        (number, difference, interval)
        for number, (difference, interval) in enumerate(
            zip(sweep.differences, sweep.intervals, strict=True), 1
        )
        if drawable(difference, *interval)
    ]
    count = len(sweep.differences)
    x = Scale(0.5, count + 0.5, _LEFT, _RIGHT)
    values = [value for _, difference, ends in samples for value in (difference, *ends)]
    y = Scale.over([0.0, *values, *([] if whole is None else [whole])], _BOTTOM, _TOP)
    parts = [
        words(_LEFT, 14, f"↑ {cut(sweep.a, 24)} better", "small soft"),
        left_axis(y, _LEFT, _RIGHT),
        line(_LEFT, y(0), _RIGHT, y(0), "axis"),
    ]
    if whole is not None:
        parts.append(line(_LEFT, y(whole), _RIGHT, y(whole), "dashed"))
    said = {_A: 0, _OPEN: 0, _B: 0}
    for number, difference, interval in samples:
        class_ = said_by(interval)
        said[class_] += 1
        at = x(number)
        parts.append(line(at, y(interval[0]), at, y(interval[1]), f"interval {class_}".rstrip()))
        low, high = (fixed(end, decimals, sign=True) for end in interval)
        title = f"sample {number}: {fixed(difference, decimals, sign=True)}, {low} to {high}"
        dot = {"cx": at, "cy": y(difference), "r": 3.5}
        parts.append(titled("circle", title, **dot, class_=f"point {class_}".rstrip()))
    for value, text in x.ticks(8):
        if value >= 1:
            parts.append(words(x(value), _BOTTOM + 14, text, "small soft middle"))
    under = f"Samples of {plural(size, report.result.unit)}"
    if whole is not None:
        under += f"; dashed: the whole test set, {fixed(whole, decimals, sign=True)}"
    parts.append(words(_LEFT, _BOTTOM + 32, under, "small soft"))
    parts.append(_legend(sweep, said))
    return Picture(
        name=name,
        title=f"{visible(sweep.a)} and {visible(sweep.b)} by {heading(report, sweep.metric)}, "
        "sample by sample",
        description=_description(report, sweep, size, said),
        width=_WIDTH,
        height=_HEIGHT,
        body="".join(parts),
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


def _legend(sweep: Sweep, said: dict[str, int]) -> str:
    parts = []
    x = 8.0
    for class_, text in (
        (_A, f"{cut(sweep.a, 13)} better: {said[_A]}"),
        (_OPEN, f"no evidence: {said[_OPEN]}"),
        (_B, f"{cut(sweep.b, 13)} better: {said[_B]}"),
    ):
        dot = {"cx": x + 5, "cy": _HEIGHT - 10, "r": 3.5}
        parts.append(titled("circle", text, **dot, class_=f"point {class_}".rstrip()))
        parts.append(words(x + 14, _HEIGHT - 6, text, "small"))
        x += 24 + pixels(text, 11)
    return "".join(parts)


def _description(report: CompareReport, sweep: Sweep, size: int, said: dict[str, int]) -> str:
    level = percent(report.result.plan.level)
    return (
        f"Of {plural(sum(said.values()), 'sample')} of {plural(size, report.result.unit)} each, "
        f"{said[_A]} say that {visible(sweep.a)} is better and {said[_B]} that {visible(sweep.b)} "
        f"is, by {level} intervals of the difference; {said[_OPEN]} give no evidence of a "
        "difference."
    )

"""All systems by all metrics at one look: score, interval, rank and the distance to the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.phrases import rank_text
from weigh.report.pictures.picture import Box, Picture, bottom_axis, dot
from weigh.report.svg import cut, drawable, line, pixels, told_apart, words
from weigh.wording import fixed, percent, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.comparing.score_result import SystemScore
    from weigh.report.compared import CompareReport

_LONGEST_LABEL = 28
_ROW = 22.0
_HEAD, _FOOT = 44.0, 30.0
# A page has about so much room, and a panel needs so much of it at least and uses so much at most.
_WIDTH, _NARROWEST, _WIDEST = 1060.0, 216.0, 280.0
_GAP = 22.0
# More panels than this go on underneath.
_MOST_BESIDE = 4


def ranked_plot(report: CompareReport) -> list[Picture]:
    """Return one picture of the whole test set: a row for each system, a panel for each metric.

    Rows are in the order of the tables, by the first metric. Systems that may be the best are
    filled, others hollow. Differences are to the best, or to the baseline.
    """
    names = list(dict.fromkeys(entry.system for entry in report.scores.scores))
    metrics = [metric for metric in report.titles if report.ordered(metric)]
    if not metrics:
        return []
    left = 14 + max(pixels(cut(name, _LONGEST_LABEL), 12) for name in _shortened(names))
    groups = [metrics[at : at + _MOST_BESIDE] for at in range(0, len(metrics), _MOST_BESIDE)]
    room = (_WIDTH - left) / len(groups[0])
    wide = max(_NARROWEST, min(_WIDEST, room))
    high = _HEAD + _ROW * len(names) + _FOOT
    parts = []
    for number, group in enumerate(groups):
        top = number * high + _HEAD
        parts.append(_labels(report, names, left, top, left + wide * len(group)))
        for at, metric in enumerate(group):
            frame = Box(
                left + at * wide + _GAP, top, left + (at + 1) * wide, top + _ROW * len(names)
            )
            parts.append(_Panel(report, metric, frame).drawn(names))
    bottom = len(groups) * high
    parts.append(words(6, bottom, _key(report), "small soft"))
    return [
        Picture(
            name="ranked",
            title=_title(report),
            description=" ".join(_described(report, metrics)),
            width=max(left + wide * len(groups[0]) + 6, 14 + pixels(_key(report), 11)),
            height=bottom + 12,
            body="".join(parts),
            keeps_size=True,
        )
    ]


def _title(report: CompareReport) -> str:
    level = percent(report.result.plan.level)
    baseline = report.result.plan.baseline
    ranks = "" if report.ranks is None else ", ranks"
    other = "the best" if baseline is None else visible(baseline)
    return f"Scores with {level} intervals{ranks} and differences to {other}"


def _shortened(names: Sequence[str]) -> list[str]:
    return told_apart(names, _LONGEST_LABEL)


def _labels(
    report: CompareReport, names: Sequence[str], left: float, top: float, right: float
) -> str:
    """Return the names of rows, and lines where clusters by the first metric end."""
    parts = [
        words(left - 4, top + _ROW * (at + 0.5) + 4, cut(name, _LONGEST_LABEL), "end")
        for at, name in enumerate(_shortened(names))
    ]
    end = 0
    for cluster in report.lines(report.first_test)[:-1]:
        end += len(cluster)
        parts.append(line(4, top + _ROW * end, right, top + _ROW * end, "rule"))
    return "".join(parts)


def _key(report: CompareReport) -> str:
    """Return what points and lines mean."""
    said = []
    if report.ranks is not None:
        said.append("Filled: may be the best, by its rank")
    if len(report.lines(report.first_test)) > 1:
        said.append(f"level lines part clusters by {next(iter(report.titles.values()))}")
    baseline = report.result.plan.baseline
    said.append(f"dashed: the {'best' if baseline is None else 'baseline'}")
    key = "; ".join(said)
    return key[0].upper() + key[1:]


def _described(report: CompareReport, metrics: Iterable[str]) -> Iterable[str]:
    for metric in metrics:
        best, *rest = report.ordered(metric)
        decimals = report.decimals(metric)
        told = f"{report.heading(metric)}: {plural(len(rest) + 1, 'system')}, "
        told += f"{visible(best.system)} scores best with {fixed(best.score, decimals)}"
        if rest:
            told += f", {visible(rest[-1].system)} is last with {fixed(rest[-1].score, decimals)}"
        yield f"{told}."


@dataclass(frozen=True, slots=True)
class _Panel:
    """One metric: ranks, points with intervals, scores and differences, in columns."""

    report: CompareReport
    metric: str
    frame: Box

    def drawn(self, names: Sequence[str]) -> str:
        entries = {entry.system: entry for entry in self.report.ordered(self.metric)}
        baseline = self.report.result.plan.baseline
        reference = entries.get(baseline or "") or next(iter(entries.values()))
        decimals = self.report.decimals(self.metric)
        scores = {name: fixed(entry.score, decimals) for name, entry in entries.items()}
        differences = {
            name: fixed(entry.score - reference.score, decimals, sign=True)
            for name, entry in entries.items()
            if name != reference.system
        }
        ranks = self._ranks()
        before = max(pixels(text, 11) for text in ("rank", *ranks.values())) + 8 if ranks else 0
        heads = ("score", "to best" if baseline is None else "to base")
        own = max(pixels(heads[0], 11), *(pixels(text, 12) for text in scores.values())) + 8
        beside = max(pixels(text, 11) for text in (heads[1], *differences.values())) + 8
        frame = Box(
            self.frame.left + before,
            self.frame.top,
            self.frame.right - beside - own,
            self.frame.bottom,
        )
        ends = [end for entry in entries.values() for end in _ends(entry)]
        scale = frame.across(ends)
        parts = [bottom_axis(scale, frame, 3), self._head(frame, own, heads, bool(ranks))]
        parts.append(frame.upright(scale(reference.score), "dashed"))
        for at, name in enumerate(names):
            y = frame.top + _ROW * (at + 0.5)
            if name in ranks:
                parts.append(words(self.frame.left, y + 4, ranks[name], "small soft"))
            if name not in entries:
                continue
            entry = entries[name]
            may_be_best = not ranks or ranks.get(name, "").split("–")[0] == "1"
            kind = "" if may_be_best else "hollow"
            low, high = map(scale, _ends(entry))
            if high != low:
                parts.append(line(low, y, high, y, "interval"))
            parts.append(dot(scale(entry.score), y, self._told(entry, ranks), kind, 3.0))
            parts.append(words(frame.right + own, y + 4, scores[name], "end"))
            if name in differences:
                class_ = "small soft end"
                parts.append(words(self.frame.right, y + 4, differences[name], class_))
        return "".join(parts)

    def _head(self, frame: Box, own: float, heads: tuple[str, str], has_ranks: bool) -> str:
        arrow = "↑" if self.report.higher(self.metric) else "↓"
        room = round((self.frame.right - self.frame.left) / 7)
        title = f"{cut(self.report.titles[self.metric], room - 2)} {arrow}"
        y = self.frame.top - 8
        parts = [words(self.frame.left, self.frame.top - 26, title)]
        if has_ranks:
            parts.append(words(self.frame.left, y, "rank", "small soft"))
        parts.append(words(frame.right + own, y, heads[0], "small soft end"))
        parts.append(words(self.frame.right, y, heads[1], "small soft end"))
        return "".join(parts)

    def _ranks(self) -> dict[str, str]:
        ranking = self.report.ranking(self.metric, self.report.first_test, None)
        if ranking is None:
            return {}
        return {name: rank_text(ends) for name, ends in ranking.ranks.items()}

    def _told(self, entry: SystemScore, ranks: dict[str, str]) -> str:
        decimals = self.report.decimals(self.metric)
        told = f"{visible(entry.system)}: {fixed(entry.score, decimals)}"
        if entry.system in ranks:
            told += f", rank {ranks[entry.system]}"
        low, high = _ends(entry)
        if entry.level is not None and low != high:
            ends = f"{fixed(low, decimals)} to {fixed(high, decimals)}"
            told += f", {percent(entry.level)} interval {ends}"
        return told


def _ends(entry: SystemScore) -> tuple[float, float]:
    """Return the interval, or the score twice where there is none that can be drawn."""
    if entry.interval is not None and drawable(*entry.interval):
        return entry.interval
    return entry.score, entry.score

"""Scores of systems from judgments: standard scores, and means over segments of their means."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import fsum
from typing import Literal, NamedTuple

import numpy as np

from weigh.errors import plural
from weigh.human.judgments import in_order, some_of
from weigh.result import sometimes
from weigh.stats.intervals import t_interval
from weigh.stats.ranking import with_ties
from weigh.types import Judgment, grouped

# Controls are there to test the judge; a repeat is an output like any other.
_SCORED = ("system", "repeat")
# More judges than this are told of together.
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Standardised:
    """Judgments with their standard scores, and why others have none."""

    judgments: tuple[Judgment, ...]
    z: tuple[float, ...]
    remarks: tuple[str, ...]


def standardise(judgments: Sequence[Judgment]) -> Standardised:
    """Return z = (score − mean) / sd for every judgment (Graham et al. 2014, §4.2).

    Mean and standard deviation (with n − 1) are the judge's over all items of the language pair
    and scale, controls included. A judge without a deviation there is left out with a remark.
    """
    groups = {
        group: [judgment.value for judgment in each]
        for group, each in grouped(judgments, _group).items()
    }
    moments = {group: _moments(values) for group, values in groups.items()}
    kept: list[Judgment] = []
    z: list[float] = []
    for judgment in judgments:
        known = moments[_group(judgment)]
        if known is not None:
            kept.append(judgment)
            z.append(_above_mean(judgment.value, known[0], known[1]) / known[2])
    flat = {group: values for group, values in groups.items() if moments[group] is None}
    return Standardised(tuple(kept), tuple(z), _remarks(flat))


def _group(judgment: Judgment) -> tuple[str, str, str]:
    return judgment.judge, judgment.pair, judgment.scale


def _moments(values: Sequence[float]) -> tuple[float, int, float] | None:
    """Return sum, number and standard deviation; exact sums make the order of rows irrelevant."""
    n = len(values)
    if len(set(values)) < 2:
        return None
    total = math.fsum(values)
    squares = math.fsum(_above_mean(value, total, n) ** 2 for value in values)
    return total, n, math.sqrt(squares / (n - 1))


def _above_mean(value: float, total: float, n: int) -> float:
    """Return value − mean; of whole numbers it is rounded once, where the mean would be before."""
    return (n * value - total) / n


def _remarks(flat: dict[tuple[str, str, str], list[float]]) -> tuple[str, ...]:
    if len({judge for judge, _, _ in flat}) > _MOST_NAMED:
        count = sum(map(len, flat.values()))
        return (
            f"{some_of(judge for judge, _, _ in flat)} gave one judgment, or all the same, so none "
            f"can be standardised; {plural(count, 'judgment')} left out",
        )
    remarks = []
    for group in sorted(flat, key=lambda group: (in_order(group[0]), group[1:])):
        (judge, pair, scale), values = group, flat[group]
        what = "one judgment" if len(values) == 1 else f"{len(values):,} judgments, all the same"
        about = ", ".join(filter(None, (pair, scale)))
        remarks.append(f"{judge}: {what} ({about}), so none can be standardised; left out")
    return tuple(remarks)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrankedScore:
    """A system's score; `raw` is the same mean of the scores as they were given.

    `interval` is Student's t over the segments' means, None for fewer than two segments. `macro`
    is the mean over slices, where there are some, each counting the same. What was judged, and
    `by` what scores, are known when there is a ranking.
    """

    pair: str = ""
    scale: str = ""
    system: str
    by: Literal["z", "raw"] = "z"
    score: float
    interval: tuple[float, float] | None
    raw: float
    judgments: int
    segments: int
    macro: float | None = sometimes()


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanScore(UnrankedScore):
    """A system's score, and its place in the ranking when there is one."""

    rank: tuple[int, int] = (1, 1)
    cluster: int = 1

    def unranked(self) -> UnrankedScore:
        """Return the score of a system that is shown, but has no place."""
        return UnrankedScore(
            **{each.name: getattr(self, each.name) for each in fields(UnrankedScore)}
        )


class SegmentMean(NamedTuple):
    """What was given to one output: in standard scores, as it was given, and how often."""

    score: float
    raw: float
    judgments: int


class SegmentPairs(NamedTuple):
    """Two systems' means of the segments that both were judged on, in one order of segments.

    `left_out` is how many segments only one of them was judged on.
    """

    first: tuple[float, ...]
    second: tuple[float, ...]
    left_out: int


class WithinJudge(NamedTuple):
    """What one judge gave to the first of two systems on a segment, less what to the second."""

    judge: str
    segment: str
    difference: float


class Sample:
    """The judgments of one language pair and scale, by system and segment.

    What is equal in exact arithmetic is equal here: the standard scores of 40 and 60 have the mean
    of those of 50 and 50, which a rank-sum test must see as a tie (`weigh.stats.ranking`).
    """

    def __init__(self, judged: Iterable[tuple[Judgment, float]]) -> None:
        scored = [(judgment, value) for judgment, value in judged if judgment.kind in _SCORED]
        self._scale = max((abs(value) for _, value in scored), default=0.0)
        self._values: dict[str, dict[str, list[float]]] = {}
        self._raw: dict[str, dict[str, list[float]]] = {}
        self._by_judge: dict[str, dict[tuple[str, str], list[float]]] = {}
        # Where judgments disagree, the first name counts.
        documents = sorted({(each.document, each.segment) for each, _ in scored if each.document})
        slices = sorted({(each.slice, each.segment) for each, _ in scored if each.slice})
        self.documents = {segment: name for name, segment in reversed(documents)}
        self.slices = {segment: name for name, segment in reversed(slices)}
        self.ambiguous = len(documents) + len(slices) > len(self.documents) + len(self.slices)
        values = with_ties([value for _, value in scored], self._scale).tolist()
        for (judgment, _), value in zip(scored, values, strict=True):
            self._values.setdefault(judgment.system, {}).setdefault(judgment.segment, []).append(
                value
            )
            self._raw.setdefault(judgment.system, {}).setdefault(judgment.segment, []).append(
                judgment.value
            )
            self._by_judge.setdefault(judgment.system, {}).setdefault(
                (judgment.judge, judgment.segment), []
            ).append(value)
        means = [_means(self._values[system]) for system in self.systems]
        even = iter(with_ties([mean for each in means for mean in each], self._scale).tolist())
        self._segment_means = {
            system: {segment: next(even) for segment in self._values[system]}
            for system in self.systems
        }

    @property
    def systems(self) -> list[str]:
        """The systems by name."""
        return sorted(self._values)

    def judgments(self, system: str) -> list[float]:
        """Return a system's single scores, in no order."""
        return [value for values in self._values[system].values() for value in values]

    def segment_means(self, system: str) -> list[float]:
        """Return a system's mean for every segment that was judged, in no order."""
        return [*self._segment_means[system].values()]

    def shared(self, a: str, b: str) -> SegmentPairs:
        """Return the means of segments that both systems were judged on."""
        first, second = self._segment_means[a], self._segment_means[b]
        both = sorted(first.keys() & second.keys())
        return SegmentPairs(
            tuple(first[segment] for segment in both),
            tuple(second[segment] for segment in both),
            len(first) + len(second) - 2 * len(both),
        )

    def differences(self, pairs: SegmentPairs) -> list[float]:
        """Return the differences of segments that both were judged on, equal sizes as ties."""
        given = np.subtract(pairs.first, pairs.second)
        sizes = with_ties(np.append(np.abs(given), 0.0), self._scale)[:-1]
        return list((np.sign(given) * sizes).tolist())

    def within_judges(self, a: str, b: str) -> list[WithinJudge]:
        """Return the differences of those who judged a segment for both systems."""
        first, second = self._by_judge[a], self._by_judge[b]
        return [
            WithinJudge(*key, _mean(first[key]) - _mean(second[key]))
            for key in sorted(first.keys() & second.keys())
        ]

    def segments(self, system: str) -> dict[str, SegmentMean]:
        """Return what a system was given for every segment."""
        raw, values = self._raw[system], self._values[system]
        return {
            segment: SegmentMean(score, _mean(raw[segment]), len(values[segment]))
            for segment, score in self._segment_means[system].items()
        }

    def least_judged(self, system: str) -> int:
        """Return the smallest number of judgments of one segment."""
        return min(map(len, self._values[system].values()))

    def scores(self, level: float) -> list[HumanScore]:
        """Return the systems' scores, best first; equal ones by name."""
        scores = [self._score(system, level) for system in self.systems]
        even = with_ties([score.score for score in scores], self._scale).tolist()
        return sorted(
            (replace(score, score=value) for score, value in zip(scores, even, strict=True)),
            key=lambda score: (-score.score, score.system),
        )

    def by_segment(self, system: str) -> dict[str, float]:
        """Return a system's mean for every segment that was judged, by the segment's name."""
        return self._segment_means[system]

    def _score(self, system: str, level: float) -> HumanScore:
        # In order of size, so that the interval too is the same for any order of rows.
        means = sorted(self.segment_means(system))
        raw = _means(self._raw[system])
        return HumanScore(
            system=system,
            score=fsum(means) / len(means),
            interval=t_interval(means, level) if len(means) > 1 else None,
            raw=fsum(raw) / len(raw),
            judgments=len(self.judgments(system)),
            segments=len(means),
        )


def _means(segments: Mapping[str, Sequence[float]]) -> list[float]:
    return [_mean(values) for values in segments.values()]


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)

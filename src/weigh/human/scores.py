"""Scores of systems from judgments: the mean over segments of the mean over judgments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from weigh.stats.intervals import t_interval
from weigh.stats.rounding import with_ties
from weigh.types import Judgment

# Controls are there to test the judge; a repeat is an output like any other.
_SCORED = ("system", "repeat")


@dataclass(frozen=True, slots=True)
class HumanScore:
    """A system's score; `raw` is the same mean of the scores as they were given.

    `interval` is Student's t over the segments' means, None for fewer than two segments.
    """

    system: str
    score: float
    interval: tuple[float, float] | None
    raw: float
    judgments: int
    segments: int


class Sample:
    """The judgments of one language pair and scale, by system and segment.

    What is equal in exact arithmetic is equal here: the standard scores of 40 and 60 have the mean
    of those of 50 and 50, which a rank-sum test must see as a tie (`weigh.stats.rounding`).
    """

    def __init__(self, judged: Iterable[tuple[Judgment, float]]) -> None:
        scored = [(one, value) for one, value in judged if one.kind in _SCORED]
        self._scale = max((abs(value) for _, value in scored), default=0.0)
        self._values: dict[str, dict[str, list[float]]] = {}
        self._raw: dict[str, dict[str, list[float]]] = {}
        values = with_ties([value for _, value in scored], self._scale).tolist()
        for (one, _), value in zip(scored, values, strict=True):
            self._values.setdefault(one.system, {}).setdefault(one.segment, []).append(value)
            self._raw.setdefault(one.system, {}).setdefault(one.segment, []).append(one.value)
        means = [_means(self._values[system]) for system in self.systems]
        even = iter(with_ties([mean for each in means for mean in each], self._scale).tolist())
        self._segment_means = {
            system: [next(even) for _ in each]
            for system, each in zip(self.systems, means, strict=True)
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
        return self._segment_means[system]

    def least_judged(self, system: str) -> int:
        """Return the smallest number of judgments of one segment."""
        return min(map(len, self._values[system].values()))

    def scores(self, level: float) -> list[HumanScore]:
        """Return the systems' scores, best first; equal ones by name."""
        scores = [self._score(system, level) for system in self.systems]
        even = with_ties([one.score for one in scores], self._scale).tolist()
        return sorted(
            (replace(one, score=score) for one, score in zip(scores, even, strict=True)),
            key=lambda one: (-one.score, one.system),
        )

    def _score(self, system: str, level: float) -> HumanScore:
        # In order of size, so that the interval too is the same for any order of rows.
        means = sorted(self.segment_means(system))
        raw = _means(self._raw[system])
        return HumanScore(
            system,
            score=fsum(means) / len(means),
            interval=t_interval(means, level) if len(means) > 1 else None,
            raw=fsum(raw) / len(raw),
            judgments=len(self.judgments(system)),
            segments=len(means),
        )


def _means(segments: Mapping[str, Sequence[float]]) -> list[float]:
    return [fsum(values) / len(values) for values in segments.values()]

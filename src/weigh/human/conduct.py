"""How judges went about their work: means by kind of item, time, constant answers, rejections.

These are advice to a person who looks at a judge, as in the published crowd pipeline (Graham et
al. 2017); no judge is dropped for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import fsum

from weigh.stats.rounding import settled
from weigh.types import Judgment, Kind

LEAST_SECONDS = 300.0
LONGEST_RUN = 8


@dataclass(frozen=True, slots=True)
class Conduct:
    """What is known of one judge's work.

    `means` are by kind of item. `least_seconds` is the shortest time of a hit, divided by how many
    of the judge's hits were open at once; `longest_run` the longest run of one score within a hit.
    Both are None where times, or the order of the items, are not told.
    """

    judgments: int
    hits: int
    means: dict[Kind, float]
    seconds_per_hit: float | None
    least_seconds: float | None
    longest_run: int | None
    rejected_hits: int

    @property
    def flags(self) -> tuple[str, ...]:
        """What a person should look at."""
        found = []
        bad, system, reference = (self.means.get(k) for k in ("bad", "system", "reference"))
        if bad is not None and system is not None and bad >= system:
            found.append("bad items ≥ outputs")
        if system is not None and reference is not None and system >= reference:
            found.append("outputs ≥ references")
        if self.least_seconds is not None and self.least_seconds < LEAST_SECONDS:
            found.append(f"hit below {LEAST_SECONDS:g} s")
        if self.longest_run is not None and self.longest_run > LONGEST_RUN:
            found.append(f"run of {self.longest_run}")
        if self.rejected_hits:
            found.append("rejected hits")
        return tuple(found)


def conduct_of(judgments: Sequence[Judgment]) -> Conduct:
    """Describe the work of one judge, whose judgments these are, in any order."""
    by_kind: dict[Kind, list[float]] = {}
    hits: dict[str, list[Judgment]] = {}
    for one in judgments:
        by_kind.setdefault(one.kind, []).append(one.value)
        hits.setdefault(one.hit, []).append(one)
    times = [_seconds(hit) for hit in hits.values()]
    known = [time for time in times if time is not None]
    spans = [_span(hit, time) for hit, time in zip(hits.values(), times, strict=True)]
    shared = [
        time if span is None else time / _open_at_once(span, spans)
        for time, span in zip(times, spans, strict=True)
        if time is not None
    ]
    runs = [run for hit in hits.values() if (run := _longest_run(hit)) is not None]
    return Conduct(
        judgments=len(judgments),
        hits=len(hits),
        means=_means(by_kind),
        seconds_per_hit=fsum(known) / len(known) if known else None,
        least_seconds=min(shared, default=None),
        longest_run=max(runs, default=None),
        rejected_hits=sum(any(one.rejected for one in hit) for hit in hits.values()),
    )


def _means(by_kind: Mapping[Kind, Sequence[float]]) -> dict[Kind, float]:
    """Return the mean of every kind of item, equal ones without the order of their rounding."""
    means = [fsum(values) / len(values) for values in by_kind.values()]
    scale = max(abs(value) for values in by_kind.values() for value in values)
    return dict(zip(by_kind, settled(means, scale).tolist(), strict=True))


def _seconds(hit: Iterable[Judgment]) -> float | None:
    """Return the time that a hit took, None where it is not told of every item."""
    seconds = [one.seconds for one in hit]
    known = [each for each in seconds if each is not None]
    return fsum(known) if len(known) == len(seconds) else None


def _span(hit: Iterable[Judgment], seconds: float | None) -> tuple[float, float] | None:
    """Return when a hit was begun and ended, in seconds of any common clock."""
    times = [datetime.fromisoformat(one.at) for one in hit if one.at is not None]
    if not times or seconds is None or len({time.tzinfo is None for time in times}) > 1:
        return None
    end = round(max(time.timestamp() for time in times), 3)
    # To the millisecond, so that shared seconds add up to a start that may be another hit's end.
    return round(end - seconds, 3), end


def _open_at_once(span: tuple[float, float], spans: Sequence[tuple[float, float] | None]) -> int:
    """Return the largest number of hits that were open at one moment of this one's span."""
    known = [each for each in spans if each is not None]
    # The number only rises where a hit begins.
    moments = [start for start, _ in known if span[0] <= start <= span[1]]
    return max(sum(start <= moment <= end for start, end in known) for moment in moments)


def _longest_run(hit: Sequence[Judgment]) -> int | None:
    """Return the longest run of one score, None where the order of the items is not known."""
    if all(one.item is not None and one.item.isdigit() for one in hit):
        places = [int(one.item or 0) for one in hit]
    elif all(one.at is not None for one in hit):
        places = [int(1e6 * datetime.fromisoformat(one.at or "").timestamp()) for one in hit]
    else:
        return None
    if len(set(places)) < len(places):
        return None
    longest = run = 0
    last: float | None = None
    for _, one in sorted(zip(places, hit, strict=True), key=lambda pair: pair[0]):
        run = run + 1 if one.value == last else 1
        last = one.value
        longest = max(longest, run)
    return longest

"""The result of a study of samples: their scores and conclusions beside those of the whole."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal, TypeVar, get_args

from weigh.result import Extent, Result, checked, checked_decimals, sometimes
from weigh.stats.intervals import Proportion
from weigh.validate.plan import SamplesPlan

Row = TypeVar("Row", bound="TruePair | TrueScore | Spread | PairAtSize | Bracket | ShownSample")
# Drawn with replacement; spread over the whole; one unit after another.
Design = Literal["drawn", "broad", "block"]
DESIGNS: tuple[Design, ...] = get_args(Design)
# A true difference of fewer standard errors may be one of this test set alone.
CLEAR = 2.0


@dataclass(frozen=True, slots=True)
class SampledMetric:
    """One of the metrics of a study, and with how many decimals its scores are shown."""

    metric: str
    decimals: int
    lower_is_better: bool

    def __post_init__(self) -> None:
        checked_decimals(self.decimals, self.metric)


@dataclass(frozen=True, slots=True)
class TrueScore:
    """A system's score on the whole test set."""

    metric: str
    system: str
    score: float


@dataclass(frozen=True, slots=True)
class TruePair:
    """By how much a is better than b on the whole test set; negative where b is better."""

    metric: str
    a: str
    b: str
    advantage: float
    standard_error: float

    @property
    def clear(self) -> bool:
        """Whether both differ by at least two standard errors."""
        return abs(self.advantage) >= CLEAR * self.standard_error

    @property
    def size(self) -> float:
        """By how much the better system is better."""
        return abs(self.advantage)

    @property
    def ordered(self) -> tuple[str, str]:
        """Both systems, the better one first."""
        return (self.a, self.b) if self.advantage >= 0 else (self.b, self.a)


@dataclass(frozen=True, slots=True)
class Spread:
    """The variation of scores of samples, and the coverage of their intervals.

    Standard deviations are over samples, means over systems and pairs. Of all `intervals`, those
    that hold the score of the whole are `covering`.
    """

    metric: str
    design: Design
    size: int
    samples: int
    sd_score: float
    sd_difference: float
    intervals: int
    covering: int

    def __post_init__(self) -> None:
        _check_part(self.covering, self.intervals, "intervals that hold the truth")

    @property
    def coverage(self) -> float:
        """The share of intervals that hold the truth."""
        return _share(self.covering, self.intervals)


@dataclass(frozen=True, slots=True)
class PairAtSize:
    """In how many samples of a size a conclusion on a pair is right, or wrong, at the level."""

    metric: str
    a: str
    b: str
    difference: float
    standard_error: float
    clear: bool
    size: int
    samples: int
    right: int
    wrong: int

    def __post_init__(self) -> None:
        _check_part(self.right + self.wrong, self.samples, "samples with a conclusion")


@dataclass(frozen=True, slots=True)
class Bracket:
    """Of conclusions with a level between two ends, those that are right; `clear` pairs alone."""

    metric: str
    size: int
    low: float
    high: float
    conclusions: int
    right: int
    clear_conclusions: int
    clear_right: int

    def __post_init__(self) -> None:
        _check_part(self.right, self.conclusions, "right conclusions")
        _check_part(self.clear_right, self.clear_conclusions, "right conclusions on clear pairs")

    @property
    def accuracy(self) -> float:
        """The share of conclusions that are right."""
        return _share(self.right, self.conclusions)

    @property
    def clear_accuracy(self) -> float:
        """The share of conclusions on clear pairs that are right."""
        return _share(self.clear_right, self.clear_conclusions)

    @property
    def interval(self) -> tuple[float, float]:
        """The exact 95% interval of the accuracy."""
        return Proportion(self.right, self.conclusions).interval()


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _check_part(part: int, whole: int, what: str) -> None:
    checked(0 <= part <= whole, f"{part:,} of {whole:,} {what}")


@dataclass(frozen=True, slots=True)
class ShownSample:
    """One sample's scores and conclusion on the pair that is shown (figures 2–4, 6–8).

    Samples of a design and size are numbered from 1.
    """

    metric: str
    design: Design
    size: int
    sample: int
    scores: tuple[float, float]
    intervals: tuple[tuple[float, float], tuple[float, float]]
    better: float
    worse: float


@dataclass(frozen=True, slots=True)
class PairsAtSizes:
    """Pairs with similar true differences, the smallest first.

    `right` and `wrong` are the shares of their samples with such a conclusion, by size.
    """

    pairs: tuple[TruePair, ...]
    right: Mapping[int, float]
    wrong: Mapping[int, float]

    @property
    def unclear(self) -> int:
        """How many of the pairs differ by less than two standard errors."""
        return sum(not pair.clear for pair in self.pairs)


@dataclass(frozen=True, slots=True)
class SamplesByMetric:
    """The part of a study that is about one metric, whose number counts from 1.

    `scores` are those of the whole test set by system.
    """

    number: int
    metric: SampledMetric
    scores: Mapping[str, float]
    pairs: tuple[TruePair, ...]
    spread: tuple[Spread, ...]
    conclusions: tuple[PairAtSize, ...]
    brackets: tuple[Bracket, ...]
    broad_conclusions: tuple[PairAtSize, ...]
    broad_brackets: tuple[Bracket, ...]
    series: tuple[ShownSample, ...]

    @property
    def unclear(self) -> int:
        """How many pairs differ by less than two standard errors."""
        return sum(not pair.clear for pair in self.pairs)

    @property
    def tied(self) -> int:
        """The number of pairs with equal scores, on which no conclusion is right."""
        return sum(pair.advantage == 0 for pair in self.pairs)

    def coverage(self, size: int) -> float:
        """The share of intervals of samples drawn with replacement that hold the truth."""
        [drawn] = [row for row in self.spread if (row.design, row.size) == ("drawn", size)]
        checked(drawn.intervals > 0, f"no intervals of samples of {size:,}")
        return drawn.coverage

    def advantage(self, scores: tuple[float, float]) -> float:
        """By how much the first of two scores is better."""
        first, second = scores
        return second - first if self.metric.lower_is_better else first - second

    def at_sizes(self, conclusions: Sequence[PairAtSize], groups: int) -> list[PairsAtSizes]:
        """Add up conclusions in groups of pairs with similar differences; none has 0 pairs."""
        counts: dict[tuple[str, str], list[PairAtSize]] = {}
        for row in conclusions:
            counts.setdefault((row.a, row.b), []).append(row)
        pairs = [pair for pair in self.pairs if (pair.a, pair.b) in counts]
        pairs.sort(key=lambda pair: pair.size)
        groups = min(groups, len(pairs))
        ends = [len(pairs) * n // groups for n in range(groups + 1)] if groups else []
        rows = []
        for start, stop in pairwise(ends):
            group = tuple(pairs[start:stop])
            totals: dict[int, Counter[str]] = {}
            for row in (row for pair in group for row in counts[pair.a, pair.b]):
                total = totals.setdefault(row.size, Counter())
                total.update(samples=row.samples, right=row.right, wrong=row.wrong)
            right, wrong = (
                {size: total[name] / total["samples"] for size, total in totals.items()}
                for name in ("right", "wrong")
            )
            rows.append(PairsAtSizes(group, right, wrong))
        return rows


@dataclass(frozen=True, slots=True)
class SamplesResult(Result):
    """Koehn's experiments; `shown` names the pair of systems whose single samples are kept.

    Conclusions and brackets (tables 3 and 4) are of samples drawn with replacement; those of the
    disjoint broad samples, which the paper has, stand beside.
    """

    command: ClassVar[str] = "validate samples"

    test_set: Extent
    systems: tuple[str, ...]
    unit: str
    units: int
    plan: SamplesPlan
    metrics: tuple[SampledMetric, ...]
    signatures: Mapping[str, str]
    scores: tuple[TrueScore, ...]
    pairs: tuple[TruePair, ...]
    spread: tuple[Spread, ...]
    conclusions: tuple[PairAtSize, ...]
    brackets: tuple[Bracket, ...]
    shown: tuple[str, str]
    series: tuple[ShownSample, ...]
    remarks: tuple[str, ...] = ()
    broad_conclusions: tuple[PairAtSize, ...] = sometimes(())
    broad_brackets: tuple[Bracket, ...] = sometimes(())

    def by_metric(self) -> list[SamplesByMetric]:
        """The results by metric."""

        def rows_of(rows: Iterable[Row], key: str) -> tuple[Row, ...]:
            return tuple(row for row in rows if row.metric == key)

        return [
            SamplesByMetric(
                number=number,
                metric=metric,
                scores={row.system: row.score for row in rows_of(self.scores, metric.metric)},
                pairs=rows_of(self.pairs, metric.metric),
                spread=rows_of(self.spread, metric.metric),
                conclusions=rows_of(self.conclusions, metric.metric),
                brackets=rows_of(self.brackets, metric.metric),
                broad_conclusions=rows_of(self.broad_conclusions, metric.metric),
                broad_brackets=rows_of(self.broad_brackets, metric.metric),
                series=rows_of(self.series, metric.metric),
            )
            for number, metric in enumerate(self.metrics, 1)
        ]

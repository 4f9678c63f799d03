"""Scores of systems from judgments: standard scores, and means over segments of their means."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import fsum
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from weigh.errors import plural
from weigh.human.judgments import MOST_NAMED, OUTPUTS, about, in_order, some_of
from weigh.result import sometimes
from weigh.stats.crossed import LEAST_DOCUMENTS, Spread, few_documents_spread, two_way_spread
from weigh.stats.intervals import t_interval
from weigh.stats.ranking import with_ties
from weigh.types import Judgment, grouped

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Contrasts and shifts below this are rounding.
_UNRELATED = 1e-9


@dataclass(frozen=True, slots=True)
class Standardised:
    """Judgments with their standard scores, and why others have none."""

    judgments: tuple[Judgment, ...]
    z: tuple[float, ...]
    remarks: tuple[str, ...]


def standardise(judgments: Sequence[Judgment], *, additive: bool = False) -> Standardised:
    """Return z = (score − mean) / sd for every judgment (Graham et al. 2014, §4.2).

    Mean and standard deviation (with n − 1) are the judge's over all items of the language pair
    and scale, controls included. A judge without a deviation there is left out with a remark.
    `additive` standard scores allow for the systems that a judge happened to see, as where
    documents are the unit: mean and deviation are those of outputs after the systems' effects are
    taken off, which are estimated together with the judges' own (`_system_effects`).
    """
    effects = _system_effects(judgments) if additive else {}
    groups: dict[tuple[str, str, str], list[float]] = {}
    for group, members in grouped(judgments, _group).items():
        scored = [judgment for judgment in members if not effects or judgment.kind in OUTPUTS]
        values = [judgment.value for judgment in scored]
        if len(set(values)) > 1:
            values = [_without_effect(judgment, effects) for judgment in scored]
        groups[group] = values
    moments = {group: _moments(values) for group, values in groups.items()}
    kept: list[Judgment] = []
    z: list[float] = []
    for judgment in judgments:
        group_moments = moments[_group(judgment)]
        if group_moments is not None:
            kept.append(judgment)
            z.append(
                _above_mean(judgment.value, group_moments[0], group_moments[1]) / group_moments[2]
            )
    flat = {group: values for group, values in groups.items() if moments[group] is None}
    return Standardised(tuple(kept), tuple(z), _remarks(flat))


def _without_effect(judgment: Judgment, effects: Mapping[tuple[str, str, str], float]) -> float:
    return judgment.value - effects.get((judgment.pair, judgment.scale, judgment.system), 0.0)


def _system_effects(judgments: Sequence[Judgment]) -> dict[tuple[str, str, str], float]:
    """Effect of each system: mean score above the average of its judges.

    Least squares of value = judge + system over outputs. The judges are eliminated: with N the
    numbers of judgments, judges × systems, (diag(n_s) − Nᵀ diag(1/n_j) N) β = Σ_j (values above
    their judge's mean); the effects weighted by n_s sum to 0.
    """
    effects: dict[tuple[str, str, str], float] = {}
    outputs = [judgment for judgment in judgments if judgment.kind in OUTPUTS]
    for (pair, scale), group in grouped(
        outputs, lambda judgment: (judgment.pair, judgment.scale)
    ).items():
        systems, system = _numbered([judgment.system for judgment in group])
        judges, judge = _numbered([judgment.judge for judgment in group])
        cells = np.zeros((len(judges), len(systems)))
        np.add.at(cells, (judge, system), 1.0)
        values = np.array([judgment.value for judgment in group])
        totals = np.zeros_like(cells)
        for at in np.lexsort((values, system, judge)).tolist():  # for any order of rows
            totals[judge[at], system[at]] += values[at]
        of_judge = cells.sum(axis=1)
        means = totals.sum(axis=1) / of_judge
        right = (totals - cells * means[:, None]).sum(axis=0)
        matrix = np.diag(cells.sum(axis=0)) - cells.T @ (cells / of_judge[:, None])
        beta = np.linalg.lstsq(matrix, right, rcond=1e-10)[0]
        beta = beta - float(cells.sum(axis=0) @ beta) / len(group)
        effects |= {(pair, scale, name): float(b) for name, b in zip(systems, beta, strict=True)}
    return effects


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
    """The value minus the mean; for integers it is rounded only once."""
    return (n * value - total) / n


def _remarks(flat: dict[tuple[str, str, str], list[float]]) -> tuple[str, ...]:
    if len({judge for judge, _, _ in flat}) > MOST_NAMED:
        count = sum(map(len, flat.values()))
        return (
            f"{some_of(judge for judge, _, _ in flat)} gave one judgment, or all the same, so none "
            f"can be standardised; {plural(count, 'judgment')} left out",
        )
    remarks = []
    for group in sorted(flat, key=lambda group: (in_order(group[0]), group[1:])):
        (judge, pair, scale), values = group, flat[group]
        what = "one judgment" if len(values) == 1 else f"{len(values):,} judgments, all the same"
        remarks.append(
            f"{judge}: {what} ({about(pair, scale)}), so none can be standardised; left out"
        )
    return tuple(remarks)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrankedScore:
    """A system's score; `raw` is the same mean of the scores as they were given.

    `interval` is Student's t over the segments' means, None for fewer than two segments; where
    documents are the unit, it is for other documents and judges (`Sample.document_spread`). `macro`
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
        """The score of a system that is shown but not ranked."""
        return UnrankedScore(
            **{field.name: getattr(self, field.name) for field in fields(UnrankedScore)}
        )


class SegmentMean(NamedTuple):
    """The mean score of one output, standardised and raw, and the number of judgments."""

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


class WithinJudges(NamedTuple):
    """Differences of judges' scores of two systems on a segment.

    Judges and segments are numbers in the order of their names.
    """

    judges: list[int]
    segments: list[int]
    differences: NDArray[np.float64]


class DocumentSpread(NamedTuple):
    """The variance of an estimate over other documents; `judges` is 0 if not included.

    One document alone says nothing: then there is no spread.
    """

    spread: Spread | None
    documents: int
    judges: int

    def interval(self, estimate: float, level: float) -> tuple[float, float] | None:
        """Return Student's interval around an estimate."""
        if self.spread is None:
            return None
        half = self.spread.half_width(level)
        return estimate - half, estimate + half


class _Levels:
    """The judges' levels that additive standard scores are measured from (`_system_effects`).

    They are estimated together with the systems' effects, so that they depend on which outputs are
    called those of a system. A test that exchanges these names needs levels that do not.
    """

    def __init__(
        self,
        z: NDArray[np.float64],
        raw: NDArray[np.float64],
        judges: NDArray[np.int64],
        systems: NDArray[np.int64],
    ) -> None:
        cells = np.zeros((int(judges.max()) + 1, int(systems.max()) + 1))
        np.add.at(cells, (judges, systems), 1.0)
        of_judge, of_system = cells.sum(axis=1), cells.sum(axis=0)

        def centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
            means = np.bincount(judges, values, of_judge.size) / of_judge
            apart: NDArray[np.float64] = values - means[judges]
            return apart

        # Scores and standard scores of a judge differ by a factor, the judge's deviation.
        squares = np.bincount(judges, centred(z) ** 2, of_judge.size)
        self._per_unit = np.zeros(of_judge.size)
        varies = squares > 0
        products = np.bincount(judges, centred(z) * centred(raw), of_judge.size)
        self._per_unit[varies] = squares[varies] / products[varies]
        self._matrix = np.diag(of_system) - cells.T @ (cells / of_judge[:, None])
        self._inverse = np.linalg.pinv(self._matrix, rcond=1e-10, hermitian=True)
        self._effects = self._inverse @ np.bincount(systems, centred(raw), of_system.size)
        self._weights = of_system / of_system.sum()
        self._shares = cells / of_judge[:, None]

    def shifts(self, a: int, b: int) -> NDArray[np.float64]:
        """By how much each judge's standard scores grow if two systems are taken for one.

        Least squares under β_a = β_b: with c = e_a − e_b and w = A⁺c, the effects change by
        −w (β_a − β_b)/(w_a − w_b). Where judges saw both systems alike, nothing changes.
        """
        w = self._inverse[a] - self._inverse[b]
        contrast = self._matrix @ w
        contrast[[a, b]] -= 1.0, -1.0
        if np.abs(contrast).max() > _UNRELATED:  # no judge relates the two
            return np.zeros_like(self._per_unit)
        change = -w * (self._effects[a] - self._effects[b]) / (w[a] - w[b])
        change -= self._weights @ change
        shifts: NDArray[np.float64] = self._per_unit * (self._shares @ change)
        return shifts


class _Judged(NamedTuple):
    """The scores of one system: single ones in order of segments, and their means.

    `numbers` are those of its segments, in order; `keys` tell judge and segment of every score,
    and `known` are all of these, in order.
    """

    values: NDArray[np.float64]
    keys: NDArray[np.int64]
    known: NDArray[np.int64]
    numbers: NDArray[np.int64]
    sizes: NDArray[np.int64]
    means: NDArray[np.float64]
    raw: NDArray[np.float64]


class Sample:
    """The judgments of one language pair and scale, by system and segment.

    The scores may be `additive` standard scores (`standardise`).

    What is equal in exact arithmetic is equal here: the standard scores of 40 and 60 have the mean
    of those of 50 and 50, which a rank-sum test must see as a tie (`weigh.stats.ranking`).
    """

    def __init__(self, judged: Iterable[tuple[Judgment, float]], *, additive: bool = False) -> None:
        scored = [(judgment, value) for judgment, value in judged if judgment.kind in OUTPUTS]
        # Where judgments disagree, the first name counts.
        documents = sorted(
            {(judgment.document, judgment.segment) for judgment, _ in scored if judgment.document}
        )
        slices = sorted(
            {(judgment.slice, judgment.segment) for judgment, _ in scored if judgment.slice}
        )
        self.documents = {segment: name for name, segment in reversed(documents)}
        self.slices = {segment: name for name, segment in reversed(slices)}
        self.ambiguous = len(documents) + len(slices) > len(self.documents) + len(self.slices)
        self.systems, system = _numbered([judgment.system for judgment, _ in scored])
        self._segments, segment = _numbered([judgment.segment for judgment, _ in scored])
        judges, judge = _numbered([judgment.judge for judgment, _ in scored])
        self._are_named = "" not in judges
        # A segment without a document is its own document.
        labels = [self.documents.get(name, (name,)) for name in self._segments]
        places = {label: at for at, label in enumerate(dict.fromkeys(labels))}
        self._document_of = np.array([places[label] for label in labels], dtype=np.int64)
        values = np.array([value for _, value in scored], dtype=np.float64)
        raw = np.array([judgment.value for judgment, _ in scored], dtype=np.float64)
        self._scale = float(np.abs(values).max(initial=0.0))
        values = with_ties(values, self._scale)
        keys = judge * len(self._segments) + segment
        # By all that a judgment says, so that sums are the same for any order of rows.
        order = np.lexsort((values, judge, segment, system))
        self._levels: _Levels | None = None
        if additive and scored:
            self._levels = _Levels(values[order], raw[order], judge[order], system[order])
        ends = np.cumsum(np.bincount(system, minlength=len(self.systems)))[:-1]
        by_system = [
            _group_scores(values[rows], keys[rows], segment[rows], raw[rows])
            for rows in np.split(order, ends)
        ]
        sizes = np.cumsum([scores.means.size for scores in by_system])[:-1]
        means = np.concatenate([np.zeros(0), *(scores.means for scores in by_system)])
        even = np.split(with_ties(means, self._scale), sizes)
        self._own = {
            name: scores._replace(means=mean)
            for name, scores, mean in zip(self.systems, by_system, even, strict=False)
        }

    def judgments(self, system: str) -> list[float]:
        """Return a system's single scores, in no order."""
        return list(self._own[system].values.tolist())

    def segment_means(self, system: str) -> list[float]:
        """Return a system's mean for every segment that was judged, in no order."""
        return list(self._own[system].means.tolist())

    def shared(self, a: str, b: str) -> SegmentPairs:
        """Return the means of segments that both systems were judged on."""
        first, second = self._own[a], self._own[b]
        both, at_first, at_second = np.intersect1d(
            first.numbers, second.numbers, assume_unique=True, return_indices=True
        )
        return SegmentPairs(
            tuple(first.means[at_first].tolist()),
            tuple(second.means[at_second].tolist()),
            first.numbers.size + second.numbers.size - 2 * both.size,
        )

    def differences(self, pairs: SegmentPairs) -> list[float]:
        """Return the differences of segments that both were judged on, equal sizes as ties."""
        gaps = np.subtract(pairs.first, pairs.second)
        sizes = with_ties(np.append(np.abs(gaps), 0.0), self._scale)[:-1]
        return list((np.sign(gaps) * sizes).tolist())

    def within_judges(self, a: str, b: str) -> WithinJudges:
        """Return the differences of those who judged a segment for both systems."""
        first, second = self._own[a], self._own[b]
        both = np.intersect1d(first.known, second.known, assume_unique=True)
        means = [_means_at(scores.keys, scores.values, both) for scores in (first, second)]
        judges, segments = np.divmod(both, max(len(self._segments), 1))
        return WithinJudges(judges.tolist(), segments.tolist(), means[0] - means[1])

    def by_document(self, names: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the sums and numbers of segments' means, systems × documents."""
        size = int(self._document_of.max(initial=-1)) + 1
        places = [self._document_of[self._own[name].numbers] for name in names]
        sums = [
            np.bincount(at, self._own[name].means, size)
            for at, name in zip(places, names, strict=True)
        ]
        return np.array(sums), np.array([np.bincount(at, minlength=size) for at in places])

    def exchangeable(self, a: str, b: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return `by_document` of two systems, to be tested by exchanging their documents.

        Additive standard scores are measured from the levels that judges would have if both
        systems were one, which is what the test supposes.
        """
        sums, counts = self.by_document([a, b])
        if self._levels is None:
            return sums, counts
        shifts = self._levels.shifts(self.systems.index(a), self.systems.index(b))
        if np.abs(shifts).max() <= _UNRELATED:
            return sums, counts
        for row, name in enumerate((a, b)):
            judged = self._own[name]
            judges, segments = np.divmod(judged.keys, len(self._segments))
            parts = shifts[judges] / np.repeat(judged.sizes, judged.sizes)
            sums[row] += np.bincount(self._document_of[segments], parts, sums.shape[1])
        return sums, counts

    def document_spread(self, plus: str, minus: str | None = None) -> DocumentSpread:
        """Spread of a system's score, or of its lead over another, over documents.

        A judgment y of a system with M segments, n of them judgments of this segment, has the
        influence (y − ȳ)/(n M), ȳ the system's score; that of the other system counts negative.
        From 6 documents on other judges are allowed for too, where there are several.
        """
        parts = [self._influences(plus, 1.0)]
        parts += [] if minus is None else [self._influences(minus, -1.0)]
        keys, influences = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        judges, segments = np.divmod(keys, len(self._segments))
        documents = self._document_of[segments]
        count = np.unique(documents).size
        named = np.unique(judges).size if self._are_named else 0
        if count < LEAST_DOCUMENTS:
            names = [plus] if minus is None else [plus, minus]
            sizes = self.by_document(names)[1].sum(axis=0)
            sums = np.bincount(documents, influences, sizes.size)[sizes > 0]
            return DocumentSpread(few_documents_spread(sums, sizes[sizes > 0]), count, 0)
        spread = two_way_spread(
            influences, documents.tolist(), judges.tolist() if named > 1 else None
        )
        return DocumentSpread(spread, count, named if named > 1 else 0)

    def _influences(
        self, system: str, sign: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Judge, segment and influence on the score of each judgment."""
        judged = self._own[system]
        mean = fsum(judged.means.tolist()) / judged.means.size
        sizes = np.repeat(judged.sizes, judged.sizes)
        return judged.keys, sign * (judged.values - mean) / (sizes * judged.means.size)

    def segments(self, system: str) -> dict[str, SegmentMean]:
        """A system's mean for every segment, standardised and raw, with counts."""
        judged = self._own[system]
        columns = (column.tolist() for column in (judged.means, judged.raw, judged.sizes))
        return dict(zip(self._names(judged), map(SegmentMean, *columns), strict=True))

    def _names(self, judged: _Judged) -> list[str]:
        return [self._segments[number] for number in judged.numbers.tolist()]

    def least_judged(self, system: str) -> int:
        """Return the smallest number of judgments of one segment."""
        return int(self._own[system].sizes.min())

    def scores(self, level: float, *, by_document: bool = False) -> list[HumanScore]:
        """Return the systems' scores, best first; equal ones by name.

        Intervals are over segments, or `by_document` for other documents and judges.
        """
        scores = [self._score(system, level) for system in self.systems]
        if by_document:
            scores = [
                replace(row, interval=self.document_spread(row.system).interval(row.score, level))
                for row in scores
            ]
        even = with_ties([score.score for score in scores], self._scale).tolist()
        return sorted(
            (replace(score, score=value) for score, value in zip(scores, even, strict=True)),
            key=lambda score: (-score.score, score.system),
        )

    def by_segment(self, system: str) -> dict[str, float]:
        """Return a system's mean for every segment that was judged, by the segment's name."""
        return dict(zip(self._names(self._own[system]), self.segment_means(system), strict=True))

    def _score(self, system: str, level: float) -> HumanScore:
        # In order of size, so that the interval too is the same for any order of rows.
        means = sorted(self.segment_means(system))
        raw = self._own[system].raw.tolist()
        return HumanScore(
            system=system,
            score=fsum(means) / len(means),
            interval=t_interval(means, level) if len(means) > 1 else None,
            raw=fsum(raw) / len(raw),
            judgments=self._own[system].values.size,
            segments=len(means),
        )


def _numbered(names: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """All names in order, and the place of each."""
    distinct = sorted({*names})
    place = {name: at for at, name in enumerate(distinct)}
    return distinct, np.fromiter(map(place.__getitem__, names), np.int64, len(names))


def _group_scores(
    values: NDArray[np.float64],
    keys: NDArray[np.int64],
    segments: NDArray[np.int64],
    raw: NDArray[np.float64],
) -> _Judged:
    numbers, sizes = np.unique(segments, return_counts=True)
    means = _means(values, sizes)
    return _Judged(values, keys, np.unique(keys), numbers, sizes, means, _means(raw, sizes))


def _means(values: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Means of consecutive groups, independent of the order within them."""
    numbers, ends = values.tolist(), np.cumsum(sizes).tolist()
    starts = [0, *ends[:-1]]
    means = [fsum(numbers[a:b]) / (b - a) for a, b in zip(starts, ends, strict=False)]
    return np.array(means, dtype=np.float64)


def _means_at(
    keys: NDArray[np.int64], values: NDArray[np.float64], wanted: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the means of the values of each key."""
    among = np.flatnonzero(np.isin(keys, wanted))
    order = among[np.argsort(keys[among], kind="stable")]
    return _means(values[order], np.unique(keys[order], return_counts=True)[1])

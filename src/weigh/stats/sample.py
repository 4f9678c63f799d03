"""Samples: one metric's rows for all systems, one row per unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.errors import InputError, UndefinedScoreError
from weigh.types import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Rows, Scores


@dataclass(frozen=True, slots=True)
class Means:
    """Unit scores for scores that are means, relative to those of one system.

    The score of system a is Σ weights · (values[a] + base) over the units. A value is the sum of a
    unit's scores over its segments and runs, minus the same sum of one system, the `base`. A common
    offset of all scores, however large, therefore costs differences no precision. `sizes` is each
    unit's number of segments times runs, and `noise` the possible rounding error of each system's
    values.
    """

    values: Scores
    base: Scores
    sizes: Scores
    weights: Scores
    noise: Scores


@dataclass(frozen=True, slots=True)
class Sample:
    """One metric's rows: one matrix (units × width) per system and run.

    Without `strata`, the statistic is the score of all units. With strata (arrays of unit numbers),
    it is the mean of their scores, and units are resampled within each. If units are documents,
    `segments` counts the segments of each. If segment scores are means of pass/fail runs,
    `run_shares` is the sum of 1/runs over the segments of each unit.
    """

    metric: Metric
    names: tuple[str, ...]
    rows: tuple[tuple[Rows, ...], ...]
    strata: tuple[NDArray[np.intp], ...] | None = None
    segments: NDArray[np.int64] | None = None
    run_shares: Scores | None = None

    @property
    def unit_sizes(self) -> NDArray[np.int64]:
        """The number of segments of each unit."""
        if self.segments is None:
            return np.ones(self.units, dtype=np.int64)
        return self.segments

    def means(self) -> Means | None:
        """Unit scores of every system; None unless the statistic is a mean of segment scores."""
        if not self.metric.mean_of_segments:
            return None
        runs = len(self.rows[0])
        sums = np.array([self._unit_sums(of_system) for of_system in self.rows])
        sizes = runs * self.unit_sizes.astype(np.float64)
        weights = np.empty(self.units)
        for part in self.parts:
            weights[part] = 1 / (len(self.parts) * sizes[part].sum())
        largest = np.abs(sums).max(axis=1, initial=0.0)
        # With the smallest scores as base, a system with huge scores leaves the others precise.
        base = sums[largest.argmin()]
        # Doubles beyond 2^53 are whole as well, but rounded.
        whole = largest.max() < 2.0**53 / self.units and bool((sums == np.rint(sums)).all())
        noise = np.zeros(len(sums)) if whole else np.finfo(np.float64).eps * largest
        return Means(sums - base, base, sizes, weights, noise)

    def _unit_sums(self, runs: Sequence[Rows]) -> Scores:
        """Sum the segment scores of each unit over its segments and over runs."""
        sizes = self.unit_sizes
        total = np.zeros(self.units)
        for rows in runs:
            if rows.shape[1] == 2 and (rows[:, 1] == sizes).all():  # as given: [score, 1]
                total += rows[:, 0]
            else:
                total += self.metric.segment_scores(rows) * sizes
        return total

    @property
    def units(self) -> int:
        """The number of units."""
        return len(self.rows[0][0])

    @property
    def fewest_units(self) -> int:
        """The number of units in the smallest stratum."""
        return min(self.sizes())

    @property
    def parts(self) -> tuple[Any, ...]:
        """The strata, or all units as the only one."""
        return (slice(None),) if self.strata is None else self.strata

    def of_units(self, chosen: Any) -> Sample:
        """The sample of these units only, without strata; `chosen` indexes arrays."""
        rows = tuple(tuple(run[chosen] for run in runs) for runs in self.rows)
        segments = None if self.segments is None else self.segments[chosen]
        run_shares = None if self.run_shares is None else self.run_shares[chosen]
        return replace(self, rows=rows, strata=None, segments=segments, run_shares=run_shares)

    def of_documents(self, documents: Sequence[str]) -> Sample:
        """The sample with documents as units; `documents` names the document of each segment."""
        rows = tuple(tuple(by_document(run, documents) for run in runs) for runs in self.rows)
        sizes = by_document(np.ones((len(documents), 1), dtype=np.int64), documents)[:, 0]
        shares = self.run_shares
        if shares is not None:
            shares = by_document(shares[:, None], documents)[:, 0]
        return replace(self, rows=rows, segments=sizes, run_shares=shares)

    def of_systems(self, chosen: Sequence[int]) -> Sample:
        """The sample of these systems only."""
        return replace(
            self,
            names=tuple(self.names[system] for system in chosen),
            rows=tuple(self.rows[system] for system in chosen),
        )

    def pool_runs(self) -> Sample:
        """Sum the runs where that does not change the statistic, so that resampling is faster.

        The mean over runs of mean segment scores equals the mean of all runs' segments.
        """
        if len(self.rows[0]) == 1 or not self.metric.mean_of_segments:
            return self
        rows = tuple((np.sum(runs, axis=0),) for runs in self.rows)
        return replace(self, rows=rows)

    def subtract_offset(self) -> tuple[Sample, float]:
        """Subtract the first score from all scores; return the new sample and that score.

        A large offset shared by all scores would cost their differences precision. Only means of
        given scores are shifted; other samples are returned as they are, with an offset of 0.
        """
        sizes, every_run = self.unit_sizes, [run for runs in self.rows for run in runs]
        is_given = self.metric.mean_of_segments and all(
            run.shape[1] == 2 and (run[:, 1] == sizes).all() for run in every_run
        )
        if not is_given:
            return self, 0.0
        offset = float(every_run[0][0, 0] / sizes[0])
        shift = np.column_stack([offset * sizes, np.zeros(len(sizes))])
        return replace(
            self, rows=tuple(tuple(run - shift for run in runs) for runs in self.rows)
        ), offset

    def scores(self) -> Scores:
        """The statistic of every system: the mean over strata and runs."""
        return np.array([self._mean_score(runs) for runs in self.rows])

    def _mean_score(self, runs: Sequence[Rows]) -> float:
        sums = [run[part].sum(axis=0) for part in self.parts for run in runs]
        return float(np.mean([self.score(total) for total in sums]))

    def score(self, sums: Rows) -> Scores:
        """Score sums of rows; raise UndefinedScoreError if a score is not a finite number."""
        with np.errstate(all="ignore"):
            scores = self.metric.score(sums)
        if not np.isfinite(scores).all():
            raise UndefinedScoreError(
                f"{self.metric.name}: the score of some resampled test sets is not a finite "
                "number; use a metric that is defined for all of them"
            )
        return scores

    def magnitudes(self, scores: Scores) -> Scores:
        """Size of each system's scores, for tolerances: large segment scores may cancel out."""
        scores = np.abs(scores)
        if self.metric.mean_of_segments:
            sizes = [self._mean_score([np.abs(run) for run in runs]) for runs in self.rows]
            scores = np.maximum(scores, np.abs(sizes))
        return scores

    def differing(self, a: int, b: int) -> list[int]:
        """Number of units of each stratum that differ between two systems, runs averaged."""
        first, second = (np.mean(self.rows[system], axis=0) for system in (a, b))
        differs = ~np.isclose(first, second, rtol=1e-12, atol=0).all(axis=1)
        return [int(np.count_nonzero(differs[part])) for part in self.parts]

    def sizes(self) -> list[int]:
        """Number of units of each stratum."""
        return [len(self.rows[0][0][part]) for part in self.parts]

    def run_scores(self) -> list[Scores] | None:
        """Unit scores of every system, runs × units, whose plain mean is the score of the run.

        None if scores are no plain means of units, for example with documents of unequal sizes.
        """
        if not self.metric.mean_of_segments:
            return None
        if any((run[:, 1:] != self.rows[0][0][:1, 1:]).any() for runs in self.rows for run in runs):
            return None
        return [np.array([self.score(run) for run in runs]) for runs in self.rows]

    def mean_variance(self, scores: Scores) -> Scores:
        """Bootstrap variance of the plain mean of units, computed instead of drawn.

        Units are on the last axis. For n independent draws the variance is Σ (x − x̄)²/n² in each
        stratum.
        """
        parts = [scores[..., part] for part in self.parts]
        return np.asarray(
            sum(np.var(part, axis=-1) / part.shape[-1] for part in parts) / len(parts) ** 2
        )

    def segment_means(self, *, all_defined: bool = True) -> Scores:
        """Scores of single units, units × systems, averaged over runs.

        Undefined scores raise UndefinedScoreError, or are NaN without `all_defined`.
        """
        means = np.column_stack(
            [
                np.mean([self.metric.segment_scores(run) for run in runs], axis=0)
                for runs in self.rows
            ]
        )
        if all_defined and not np.isfinite(means).all():
            raise UndefinedScoreError(
                f"{self.metric.name}: some single segments have no score; use a test and an "
                "interval that do not need one, such as randomization and percentile"
            )
        return means

    def oriented_segments(self) -> tuple[Scores, Scores] | None:
        """Oriented scores of single units and their sizes, each systems × units; None if undefined.

        Scores are oriented so that larger is better, and averaged over runs. The size is the
        largest absolute score of any run.
        """
        sign = 1 if self.metric.higher_is_better else -1
        scores = np.empty((len(self.names), self.units))
        sizes = np.empty_like(scores)
        try:
            for system, runs in enumerate(self.rows):
                with np.errstate(all="ignore"):
                    by_run = np.array([self.metric.segment_scores(run) for run in runs], np.float64)
                scores[system], sizes[system] = (
                    sign * by_run.mean(axis=0),
                    np.abs(by_run).max(axis=0),
                )
        except InputError:
            return None
        return (scores, sizes) if np.isfinite(scores).all() else None

    def jackknife(self) -> Scores:
        """Leave-one-out statistics of every system: systems × units."""
        return np.array([self.jackknife_of(system) for system in range(len(self.names))])

    def jackknife_of(self, system: int) -> Scores:
        """Leave-one-out statistics of one system, one per unit."""
        result, runs = np.empty(self.units), self.rows[system]
        whole = np.array(
            [[self.score(run[part].sum(axis=0)) for run in runs] for part in self.parts]
        ).mean(axis=1)
        for number, part in enumerate(self.parts):
            others = whole.sum() - whole[number]
            without_each = np.mean(
                [self.score(run[part].sum(axis=0) - run[part]) for run in runs], axis=0
            )
            result[part] = (others + without_each) / len(whole)
        return result


def by_document(rows: Rows, documents: Sequence[str]) -> Rows:
    """Sum the rows of each document, documents in order of appearance.

    >>> by_document(np.array([[1], [2], [4]]), ["x", "y", "x"]).tolist()
    [[5], [2]]
    """
    numbers: dict[str, int] = {}
    owners = np.array([numbers.setdefault(name, len(numbers)) for name in documents])
    sums = np.zeros((len(numbers), rows.shape[1]), dtype=rows.dtype)
    np.add.at(sums, owners, rows)
    return sums


def _count_from_one(place: int) -> int:
    return place + 1


def check_finite(rows: Rows, what: str, number_of: Callable[[int], int] = _count_from_one) -> None:
    """Raise InputError if a number is NaN, infinite or too large to sum.

    `number_of` maps the position of a row to the number of its segment.
    """
    if rows.dtype.kind == "f":
        for place in np.flatnonzero(~np.isfinite(rows).all(axis=1))[:1]:
            raise InputError(
                f"{what}: segment {number_of(place):,} has a number that is not finite; "
                "look at that segment"
            )
    largest = max(float(rows.max(initial=0)), -float(rows.min(initial=0)))
    # Integer sums must be exact as doubles (below 2^53); squares of float sums must be finite.
    limit = 2.0**53 / max(1, len(rows)) if rows.dtype.kind == "i" else 1e140
    if largest >= limit:
        raise InputError(
            f"{what}: a number is {limit:.3g} or larger; divide all numbers by a constant"
        )


def check_finite_scores(
    scores: Scores, what: str, number_of: Callable[[int], int] = _count_from_one
) -> None:
    """Raise InputError if a segment's score is infinite; NaN means that it has none."""
    for place in np.flatnonzero(np.isinf(scores))[:1]:
        raise InputError(
            f"{what}: the score of segment {number_of(place):,} is {scores[place]}, not a "
            "finite number; fix the metric, or leave it out"
        )

"""Scores of systems from few judgments and a metric's scores of many segments.

Judgments of some segments are joined, by system and segment, with a metric's scores of all of them,
and `weigh.stats.prediction_powered` estimates the mean score from both. The estimate answers one of
two questions:

- `test-set`: which mean would people have given, had they judged every segment that the metric
  scored? The more of them they judged, the less is unknown.
- `like-these`: which mean would people give on segments, or documents, like these?
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.errors import InputError, UsageError, plural
from weigh.human.judgments import about, judged_names
from weigh.human.plan import Population
from weigh.human.scores import Sample
from weigh.read.sampled import SampledLines, read_lines
from weigh.read.text import quoted, shown
from weigh.stats.prediction_powered import (
    LEAST_DOCUMENTS,
    LEAST_LABELLED,
    powered_mean,
    powered_mean_by_document,
)
from weigh.stats.ranking import rank_sum
from weigh.wording import first_names, p_value

if TYPE_CHECKING:
    from weigh.comparing.dataset import Dataset

# Segments that differ so much from the others were hardly drawn at random.
_NOT_BY_CHANCE = 0.001
# Probability below which a draw counts as not random.
_SELDOM = 10**6
# A sample is judged whole, or nearly: of a part of a test set, less may have been.
_DENSE = 0.8
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PoweredScore:
    """A system's score with a metric's help, or by how much it is above that of `against`.

    `labelled` segments were judged, `unlabelled` ones only scored by the metric, whose weight is λ.
    `classical` is of the judged segments alone. `saved` is the share of judgments that the metric
    stands for: 1 − its variance over the classical one, below 0 where it costs some. `population`
    is the question that all of them answer.
    """

    pair: str
    scale: str
    system: str
    against: str | None = None
    metric: str
    labelled: int
    unlabelled: int
    weight: float
    score: float
    interval: tuple[float, float]
    classical: float
    classical_interval: tuple[float, float]
    saved: float
    population: Population = "like-these"


@dataclass(frozen=True, slots=True)
class MetricScores:
    """A metric's scores of segments, by system and segment."""

    metric: str
    scores: Mapping[str, Mapping[str, float]]
    remarks: tuple[str, ...] = ()
    documents: Mapping[str, str] = field(default_factory=dict)
    """The document of every segment, where the scores name them."""


def metric_scores(source: Any) -> MetricScores:
    """Read a metric's scores of all segments from a table, data frame, arrays or `Dataset`."""
    from weigh.comparing.inputs import DataOptions, dataset_of

    dataset = dataset_of(source, DataOptions(allow_missing=True))
    if len(dataset.samples) > 1:
        names = ", ".join(shown(sample.metric.name) for sample in dataset.samples)
        raise UsageError(
            f"scores of several metrics ({names}), but only one can be used; name its column"
        )
    sample = dataset.samples[0]
    keys = _keys(dataset)
    scores: dict[str, dict[str, float]] = {}
    for name, runs in zip(sample.names, sample.rows, strict=True):
        if len(runs) > 1:
            raise InputError(
                f"{shown(name)}: scores of {len(runs)} runs, but only one was judged; give the "
                "scores of that run"
            )
        values = np.asarray(sample.metric.segment_scores(runs[0]), np.float64)
        if not np.isfinite(values).all():
            at = keys[int(np.isfinite(values).argmin())]
            raise InputError(
                f"{shown(name)}: {sample.metric.name} has no score of the segment {quoted(at)}"
            )
        scores[name] = dict(zip(keys, values.tolist(), strict=True))
    documents = {} if dataset.documents is None else dict(zip(keys, dataset.documents, strict=True))
    return MetricScores(sample.metric.name, scores, dataset.remarks, documents)


def _keys(dataset: Dataset) -> Sequence[str]:
    """Names of segments: their ids, or else their numbers."""
    keys = dataset.ids or tuple(
        str(dataset.number_of(at)) for at in range(dataset.samples[0].units)
    )
    if len(set(keys)) < len(keys):
        twice = next(key for at, key in enumerate(keys) if key in keys[:at])
        raise InputError(
            f"the segment {quoted(twice)} is in several documents or slices of the metric's "
            "scores; number segments consecutively, as in the judgments"
        )
    return keys


@dataclass(frozen=True, slots=True)
class Powered:
    """All estimates, and what is to be remarked."""

    scores: tuple[PoweredScore, ...]
    remarks: tuple[str, ...]


def powered_scores(
    samples: Mapping[tuple[str, str], Sample],
    source: Any,
    *,
    lines: SampledLines | str | None = None,
    level: float = 0.95,
    by_document: Collection[tuple[str, str]] = (),
    documents: Mapping[str, str] | None = None,
    population: Population = "test-set",
) -> Powered:
    """Estimate the score of every system, and every difference of two, with a metric's help.

    `samples` are judgments by language pair and scale, `given` a metric's scores of all segments
    and systems, as `metric_scores` takes them. `lines` tells which segments of these were judged,
    where what was judged is a sample. A difference is the mean of differences on segments that
    were judged for both. Of the samples `by_document`, documents are what was drawn; `documents`
    are those of segments that nobody judged, where the metric's scores do not name them.
    `population` is the question (see above).
    """
    if isinstance(lines, str):
        lines = read_lines(lines)
    metric = metric_scores(source)
    if not metric.documents and documents is not None:
        metric = replace(metric, documents=documents)
    scores: list[PoweredScore] = []
    remarks: list[str] = [*metric.remarks]
    for (pair, scale), sample in samples.items():
        join = _Join(
            pair,
            scale,
            sample,
            metric,
            lines,
            level,
            by_document=(pair, scale) in by_document,
            population=population,
        )
        scores += join.estimates()
        remarks += join.remarks
    return Powered(tuple(scores), tuple(dict.fromkeys(remarks)))


class _Join:
    """The judgments of one language pair and scale beside a metric's scores."""

    def __init__(
        self,
        pair: str,
        scale: str,
        sample: Sample,
        metric: MetricScores,
        lines: SampledLines | None,
        level: float,
        *,
        by_document: bool,
        population: Population,
    ) -> None:
        self.by_document, self.population = by_document, population
        self.pair, self.scale, self.metric, self.level = pair, scale, metric, level
        self.remarks: list[str] = []
        judged_of = judged_names(metric.scores, sample.systems)
        names = {judged: scored for scored, judged in judged_of.items()}
        if not names:
            raise InputError(
                f"{shown(metric.metric)}: scores of {_listed_names(metric.scores)}, none of which "
                f"was judged; use the names of the judged systems: {_listed_names(sample.systems)}"
            )
        others = [name for name in sample.systems if name not in names]
        if others:
            self._remark(
                f"not scored by {metric.metric}, so not estimated: {_listed_names(others)}"
            )
        order = [score.system for score in sample.scores(level) if score.system in names]
        self.scores = {name: metric.scores[names[name]] for name in order}
        self.judged = {
            name: {
                key if lines is None else lines.segment(key): mean
                for key, mean in sample.by_segment(name).items()
            }
            for name in order
        }
        self.documents = {**metric.documents} | {
            key if lines is None else lines.segment(key): name
            for key, name in sample.documents.items()
        }
        self._check_segments(lines)
        scored = {key for name in self.judged for key in self.scores[name]}
        if by_document and (unknown := len(scored - self.documents.keys())):
            self._remark(
                f"the documents of {unknown:,} of {len(scored):,} segments are not known, so "
                "they are treated as independent; name them in the metric's table"
            )
        self.partly_judged = 0  # documents, at most of one estimate

    def _enough(self, keys: Collection[str]) -> bool:
        """Whether there are enough segments, or documents, for an estimate."""
        if self.by_document:
            return len({self._document(key) for key in keys}) >= LEAST_DOCUMENTS
        return len(keys) >= LEAST_LABELLED

    def _document(self, key: str) -> str | tuple[str]:
        return self.documents.get(key, (key,))

    @property
    def _least(self) -> str:
        """The minimum sample for an estimate, in words."""
        if self.by_document:
            return f"{LEAST_DOCUMENTS} documents"
        return f"{LEAST_LABELLED} segments"

    def _remark(self, text: str) -> None:
        self.remarks.append(f"{about(self.pair, self.scale)}: {text}")

    def _check_segments(self, lines: SampledLines | None) -> None:
        """Refuse judged segments that the metric has no score of, and others that cannot be."""
        metric = shown(self.metric.metric)
        for name, judged in self.judged.items():
            missing = [key for key in judged if key not in self.scores[name]]
            if missing:
                raise InputError(
                    f"{metric}: no score of {len(missing):,} of the {len(judged):,} segments of "
                    f"{shown(name)} that were judged, such as {quoted(missing[0])}; give scores "
                    "of all segments, by the names that judgments have"
                )
        sizes = {name: len(judged) for name, judged in self.judged.items()}
        scarce = [name for name, judged in self.judged.items() if not self._enough(judged)]
        if len(scarce) == len(sizes):
            most = max(sizes, key=lambda name: sizes[name])
            raise InputError(
                f"{shown(most)}: {plural(sizes[most], 'segment')} judged, but an estimate with "
                f"a metric's help needs at least {self._least}; leave out --with"
            )
        if all(len(self.scores[name]) == size for name, size in sizes.items()):
            raise InputError(
                f"{metric}: only judged segments have scores, so the metric cannot help; give "
                "scores of all segments"
            )
        if scarce:
            self._remark(
                f"fewer than {self._least} judged, so not estimated: {_listed_names(scarce)}"
            )
        self.judged = {
            name: segments for name, segments in self.judged.items() if name not in scarce
        }
        if lines is None:
            self._check_place()

    def _check_place(self) -> None:
        """Refuse segments that fill the head of the metric's, as those of a sample do.

        Of T segments, n drawn at random are all among the first m with a chance of C(m, n)/C(T, n).
        """
        judged = {key for segments in self.judged.values() for key in segments}
        scored = {key for name in self.judged for key in self.scores[name]}
        if not all(key.isascii() and key.isdigit() for key in scored):
            return
        order = {key: at for at, key in enumerate(sorted(scored, key=int), 1)}
        total, first, count = len(scored), max(order[key] for key in judged), len(judged)
        if comb(first, count) * _SELDOM >= comb(total, count):
            return
        message = (
            f"the {count:,} judged segments are all among the first {first:,} of the metric's "
            f"{total:,}, which is unlikely for a random sample"
        )
        if count >= _DENSE * first:
            raise InputError(f"{message}; if they are a sample, name its lines.txt with --lines")
        self._remark(f"{message}; estimates hold only for segments like those that were judged")

    def estimates(self) -> Iterator[PoweredScore]:
        """Estimates of all systems, best first by people alone, then of all pairs."""
        strange: dict[str, float] = {}
        for name, judged in self.judged.items():
            scores = self.scores[name]
            rest = [score for key, score in scores.items() if key not in judged]
            if rest:
                strange[name] = rank_sum([scores[key] for key in judged], rest).p_value
            yield self._estimate(name, None, judged, scores)
        if strange:
            name = min(strange, key=lambda system: strange[system])
            if strange[name] * len(strange) <= _NOT_BY_CHANCE:
                self._remark(
                    f"{self.metric.metric} scores the judged segments of {name} differently from "
                    f"the others ({p_value(strange[name])}); estimates hold only if the judged "
                    "segments were drawn at random"
                )
        apart = 0
        for a, b in combinations(self.judged, 2):
            both = [key for key in self.judged[a] if key in self.judged[b]]
            if not self._enough(both):
                apart += 1
                continue
            judged = {key: self.judged[a][key] - self.judged[b][key] for key in both}
            others = self.scores[b]
            scores = {
                key: score - others[key] for key, score in self.scores[a].items() if key in others
            }
            yield self._estimate(a, b, judged, scores)
        if apart:
            self._remark(
                f"fewer than {self._least} were judged for both systems of "
                f"{plural(apart, 'pair')}, whose difference is not estimated"
            )
        if self.partly_judged and self.population == "test-set":
            self._remark(
                f"{plural(self.partly_judged, 'document')} judged only in part, so intervals "
                "ignore the share of documents that were judged and may be too wide"
            )

    def _estimate(
        self,
        system: str,
        against: str | None,
        judged: Mapping[str, float],
        scores: Mapping[str, float],
    ) -> PoweredScore:
        # By name, so that sums are the same for any order of rows.
        keys = sorted(judged)
        rest = [key for key in sorted(scores) if key not in judged]
        values = [judged[key] for key in keys], [scores[key] for key in keys]
        others = [scores[key] for key in rest]
        if self.by_document:
            mean = powered_mean_by_document(
                *values,
                [*map(self._document, keys)],
                others,
                [*map(self._document, rest)],
                finite=self.population == "test-set",
            )
        else:
            mean = powered_mean(*values, others, finite=self.population == "test-set")
        self.partly_judged = max(self.partly_judged, mean.partly_labelled)
        reach = mean.spread.half_width(self.level)
        classical = mean.classical_spread.half_width(self.level)
        return PoweredScore(
            pair=self.pair,
            scale=self.scale,
            system=system,
            against=against,
            metric=self.metric.metric,
            labelled=mean.labelled,
            unlabelled=mean.unlabelled,
            weight=mean.weight,
            score=mean.estimate,
            interval=(mean.estimate - reach, mean.estimate + reach),
            classical=mean.classical,
            classical_interval=(mean.classical - classical, mean.classical + classical),
            saved=mean.saved,
            population=self.population,
        )


def _listed_names(names: Collection[str]) -> str:
    """The first names of a list, for a message."""
    return first_names([*map(shown, names)], _MOST_NAMED)

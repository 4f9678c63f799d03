"""A combination of metrics: the weighted sum of their scores, as tuning toward several uses it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from weigh.errors import UsageError
from weigh.metrics.custom import as_metric
from weigh.metrics.registry import escaped, key_of, parse_metric, with_distinct_keys
from weigh.metrics.statistics import width_of
from weigh.metrics.words import signed
from weigh.options import convert
from weigh.types import Extractor, Metric, Outputs, TestSet
from weigh.wording import number_text

if TYPE_CHECKING:
    from weigh.tokenize.writing import Writing
    from weigh.types import Rows, Scores

_EXAMPLE = "combine:bleu=0.5:ter=-0.5"


@dataclass(frozen=True)
class Combine(Metric):
    """Weighted sum of other metrics' scores, such as combine:bleu=0.5:ter=-0.5.

    Large sums are good: an error rate takes a negative weight. The colons of a metric's own
    options are escaped, as in `combine:chrf\\:word_order=2=0.7:ter=-0.3`.

    >>> from weigh import Bleu, Ter
    >>> Combine((Bleu(), Ter()), (0.5, -0.5)).name
    '0.5*BLEU-0.5*TER'
    """

    higher_is_better: ClassVar[bool] = True

    metrics: Sequence[Metric] = ()
    weights: Sequence[float] = ()

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "metrics", tuple(with_distinct_keys([*map(as_metric, self.metrics)]))
        )
        object.__setattr__(self, "weights", tuple(map(float, self.weights)))
        if not self.metrics:
            raise UsageError(f"combine: no metrics; give each with its weight, as in {_EXAMPLE}")
        if len(self.metrics) != len(self.weights):
            raise UsageError(
                f"combine: {len(self.metrics)} metrics, but {len(self.weights)} weights; "
                "give one for each"
            )
        if not all(map(math.isfinite, self.weights)):
            raise UsageError("combine: a weight is not a finite number; give finite weights")
        keys = [key_of(metric) for metric in self.metrics]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise UsageError(f"combine: {twice} is given twice; give it once")

    @classmethod
    def of_options(cls, options: Sequence[str]) -> Combine:
        """The combination for the options of a specification: metric=weight each."""
        pairs = [option.rpartition("=") for option in options]
        for option, (spec, _, weight) in zip(options, pairs, strict=True):
            if not spec or not weight:
                raise UsageError(f"combine: {option!r} is not METRIC=WEIGHT, as in {_EXAMPLE}")
        return cls(
            [parse_metric(spec) for spec, _, _ in pairs],
            [convert(weight, "float", f"combine: {spec}") for spec, _, weight in pairs],
        )

    @property
    def name(self) -> str:
        """The formula, with the metrics' names."""
        return self._formula([metric.name for metric in self.metrics])

    @property
    def key(self) -> str:
        """The specification that names this combination."""
        parts = (
            f"{escaped(key_of(metric))}={number_text(weight)}"
            for metric, weight in zip(self.metrics, self.weights, strict=True)
        )
        return ":".join(["combine", *parts])

    @property
    def mean_of_segments(self) -> bool:
        """A sum of means is a mean."""
        return all(metric.mean_of_segments for metric in self.metrics)

    @property
    def perfect(self) -> float | None:
        """The sum of what is perfect, where all metrics know it."""
        return self._sum_of_known([metric.perfect for metric in self.metrics], self.weights)

    @property
    def scale(self) -> float | None:
        """The largest possible change of the sum, if known for all metrics."""
        sizes = [abs(weight) for weight in self.weights]
        return self._sum_of_known([metric.scale for metric in self.metrics], sizes) or None

    @property
    def needs_references(self) -> bool:
        """Whether one of the metrics does."""
        return any(metric.needs_references for metric in self.metrics)

    @property
    def needs_sources(self) -> bool:
        """Whether one of the metrics does."""
        return any(metric.needs_sources for metric in self.metrics)

    @property
    def reads_texts(self) -> bool:
        """Whether one of the metrics does."""
        return any(metric.reads_texts for metric in self.metrics)

    def signature(self, references: int) -> str:
        """Return the formula with every metric's own signature."""
        names = []
        for metric in self.metrics:
            parts = metric.signature(references).split("|")
            parts_of = [
                part for part in parts if part.partition(":")[0] not in ("nrefs", "version")
            ]
            names.append(f"{metric.name}({'|'.join(parts_of)})")
        return signed(references, sum=self._formula(names))

    def for_writing(self, writing: Writing) -> Combine:
        """Return the combination with tokenisers for references that are written so."""
        return replace(self, metrics=[metric.for_writing(writing) for metric in self.metrics])

    def prepare(self, test_set: TestSet) -> _Combined:
        """Prepare all metrics."""
        return _Combined([metric.prepare(test_set) for metric in self.metrics])

    def score(self, sums: Rows) -> Scores:
        """Return the weighted sum of the metrics' scores."""
        return self._total([m.score(part) for m, part in self._parts(sums)])

    def segment_scores(self, rows: Rows) -> Scores:
        """Return the weighted sum of the metrics' segment scores."""
        return self._total([m.segment_scores(part) for m, part in self._parts(rows)])

    def details(self, sums: Rows) -> Mapping[str, float]:
        """Return every metric's score."""
        return {key_of(m): float(m.score(part)) for m, part in self._parts(sums)}

    def remarks(self, name: str, rows: Rows, outputs: Outputs) -> list[str]:
        """Details of the combined metrics."""
        return [
            remark
            for metric, part in self._parts(rows)
            for remark in metric.remarks(name, part, outputs)
        ]

    def check_defined(self, what: str, sums: Rows) -> None:
        """Refuse sums for which one of the metrics has no score."""
        for metric, part in self._parts(sums):
            metric.check_defined(what, part)

    def check_comparable(self, names: Sequence[str], sums: Sequence[Rows]) -> None:
        """Refuse systems that one of the metrics cannot compare."""
        for at, metric in enumerate(self.metrics):
            metric.check_comparable(names, [self._parts(rows)[at][1] for rows in sums])

    @property
    def width(self) -> int:
        """The number of statistics of all metrics together."""
        return sum(self._widths)

    @cached_property
    def _widths(self) -> list[int]:
        return [width_of(metric) for metric in self.metrics]

    def _parts(self, sums: Rows) -> list[tuple[Metric, Rows]]:
        """Return each metric with its columns."""
        ends = np.cumsum(self._widths)[:-1]
        parts = [np.ascontiguousarray(part) for part in np.split(sums, ends, axis=-1)]
        return list(zip(self.metrics, parts, strict=True))

    def _total(self, scores: Sequence[Scores]) -> Scores:
        terms = [weight * score for weight, score in zip(self.weights, scores, strict=True)]
        return np.asarray(sum(terms))

    @staticmethod
    def _sum_of_known(values: Sequence[float | None], weights: Sequence[float]) -> float | None:
        total = 0.0
        for value, weight in zip(values, weights, strict=True):
            if value is None:
                return None
            total += weight * value
        return total

    def _formula(self, names: Sequence[str]) -> str:
        terms = [
            f"{'' if weight < 0 else '+'}{number_text(weight)}*{name}"
            for weight, name in zip(self.weights, names, strict=True)
        ]
        return "".join(terms).removeprefix("+")


class _Combined:
    """The metrics' rows side by side."""

    def __init__(self, extractors: Sequence[Extractor]) -> None:
        self._extractors = extractors

    def rows(self, outputs: Outputs) -> Rows:
        return np.concatenate(
            [np.asarray(extractor.rows(outputs)) for extractor in self._extractors], axis=1
        )

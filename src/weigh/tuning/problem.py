"""What is tuned: candidates, their statistics, and the metric that scores the chosen ones.

Statistics may have been counted by another program: Moses' FEATSTAT and SCORESTAT.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.errors import InputError, UsageError
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.registry import decimals_of, key_of, parse_metric
from weigh.metrics.words import resolve_tokenizer
from weigh.options import Chosen, options_of
from weigh.read.nbest import Candidate, read_moses_statistics
from weigh.read.text import shown
from weigh.result import Extent, checked_decimals
from weigh.tuning.gather import gather
from weigh.tuning.nbest import NBest, rows_of
from weigh.types import Metric, Outputs

if TYPE_CHECKING:
    from weigh.tuning.nbest import Integers, Reals
    from weigh.types import Rows, TestSet

# Options of scores, which counts do not depend on.
_OF_SCORES = ("smooth_method", "smooth_value", "effective_order")
# Scorers whose statistics are edits and reference words, as those of our metric are.
_MOST = 1e12  # of a statistic: sums over millions of segments stay exact
_RATES = {"TER": "ter", "WER": "wer", "CDER": "cder"}


@dataclass(frozen=True, slots=True)
class Goal:
    """The metric that candidates are chosen for, and with how many decimals it is shown."""

    metric: str
    signature: str
    lower_is_better: bool
    name: str
    decimals: int

    @classmethod
    def of(cls, metric: Metric, references: int) -> Goal:
        """Describe a metric computed with this number of references."""
        return cls(
            key_of(metric),
            metric.signature(references),
            not metric.higher_is_better,
            metric.name,
            decimals_of(metric),
        )

    def __post_init__(self) -> None:
        checked_decimals(self.decimals, self.metric)

    @property
    def sign(self) -> int:
        """1, or −1 where small scores are good."""
        return -1 if self.lower_is_better else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ListExtent(Extent):
    """How large an n-best list is; segments of the test set without candidates are `left_out`."""

    left_out: int
    candidates: int

    @classmethod
    def of(cls, nbest: NBest, test_set: TestSet | None) -> ListExtent:
        """Describe a list for a test set; statistics that others counted have one reference."""
        segments = len(nbest.ids)
        return cls(
            segments=segments,
            references=1 if test_set is None else len(test_set.references),
            left_out=0 if test_set is None else len(test_set) - segments,
            candidates=len(nbest),
        )


def resolve_metric(metric: Metric | Definition | str) -> Metric:
    """The metric for an object, a user's definition, or a name."""
    return parse_metric(metric) if isinstance(metric, str) else as_metric(metric)


@dataclass(frozen=True, slots=True)
class Problem:
    """Find weights whose best candidates score well.

    `rows` are the statistics of the distinct texts. Values are scores turned so that larger is
    better, whatever the metric.
    """

    nbest: NBest
    rows: Rows
    metric: Metric

    @classmethod
    def of(
        cls, nbest: NBest, test_set: TestSet, metric: Metric | Definition, *, threads: int = 0
    ) -> Problem:
        """Count the statistics of all texts."""
        metric = resolve_tokenizer(as_metric(metric), test_set)
        return cls(nbest, rows_of(nbest, test_set, metric, threads=threads), metric)

    def remarks(self) -> list[str]:
        """The metric's remarks on all candidates; most metrics have none."""
        outputs = Outputs(self.nbest.texts, self.nbest.text_segments, self.nbest.extra)
        return list(self.metric.remarks("all candidates", self.rows, outputs))

    @property
    def sign(self) -> float:
        """1, or −1 where small scores are good."""
        return 1.0 if self.metric.higher_is_better else -1.0

    def score_of(self, candidates: Integers) -> float:
        """Return the metric's score of one candidate per segment."""
        chosen = self.rows[self.nbest.hypotheses[candidates]]
        return float(self.metric.score(chosen.sum(axis=0)))

    def score(self, weights: Reals) -> float:
        """Return the metric's score of the candidates that these weights choose."""
        return self.score_of(self.nbest.best(weights))

    def scores_at(self, points: Reals) -> list[float]:
        """Return the same for the weights of each row, which differ in dense features alone."""
        return [self.score_of(candidates) for candidates in self.nbest.best_by(points)]


def read_problem(features: str, scores: str, metric: Metric) -> Problem:
    """Read candidates with their statistics; the metric must be the one that they are of.

    Moses' scorers count what stands between spaces, and options that count otherwise are refused.
    """
    for chosen in options_of(metric):
        value = getattr(metric, chosen.name)
        is_open = chosen.name == "tokenize" and (metric.has_open_tokenizer or value == "none")
        if value != chosen.default and not is_open and chosen.name not in _OF_SCORES:
            raise UsageError(
                f"{chosen.name}={value} says how to count, but {shown(scores)} already has "
                "counts; leave it out"
            )
    if metric.has_open_tokenizer and not metric.metrics:
        fields: Any = metric  # a dataclass
        metric = replace(fields, tokenize=Chosen("none"))
    scorers: set[str] = set()

    def candidates() -> Iterator[Candidate]:
        for scorer, candidate in read_moses_statistics(features, scores):
            scorers.add(scorer)
            yield candidate

    nbest = gather(candidates())
    rows = np.array(nbest.extra["statistics"])
    if len(scorers) > 1:
        raise InputError(f"{shown(scores)}: several scorers in one file; extract them one by one")
    return Problem(nbest, _rows(rows, scorers.pop(), metric, shown(scores)), metric)


def _rows(rows: Rows, scorer: str, metric: Metric, label: str) -> Rows:
    """Return Moses' statistics in the columns of our metric."""
    ours = key_of(metric).partition(":")[0]
    if not ((rows >= 0) & (rows <= _MOST)).all():
        raise InputError(f"{label}: a statistic below 0 or beyond {_MOST:.0e}; extract it again")
    whole = np.ascontiguousarray(rows, dtype=np.int64) if not (rows % 1).any() else rows
    if scorer == "BLEU" and ours == "bleu" and rows.shape[1] == 9:
        # Moses: matches and totals of each order in turn, then the reference's length.
        matches, totals = whole[:, 0:8:2], whole[:, 1:8:2]
        if (matches > totals).any():
            raise InputError(f"{label}: more n-grams match than there are; extract it again")
        return np.ascontiguousarray(np.hstack([totals[:, :1], whole[:, 8:], matches, totals]))
    if _RATES.get(scorer) == ours and rows.shape[1] == 2:
        return whole
    scorers = ", ".join(["BLEU", *_RATES])
    raise InputError(
        f"{label}: statistics of {scorer or 'an unnamed scorer'} in {rows.shape[1]} columns, which "
        f"-m {ours} cannot score; use one of {scorers} and the metric of that name"
    )

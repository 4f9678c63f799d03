"""The best, the average and the worst that a list's candidates allow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np

from weigh.engine.executors import accepts_executor
from weigh.metrics.custom import Definition
from weigh.metrics.words import resolve_tokenizers
from weigh.result import Extent, Result, checked, derived, warns
from weigh.tuning.gather import Lists, as_nbest, missing_remarks
from weigh.tuning.nbest import first_maxima, without_candidates
from weigh.tuning.problem import Goal, Problem, resolve_metric

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from weigh.tuning.nbest import Integers
    from weigh.types import Metric, Rows, TestSet

_MOST_PASSES = 50
# So much of a score's size may be rounding: a change below it is none.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Extremes:
    """Corpus scores of a list; `best` and `worst` are the candidates behind two of them."""

    oracle: float
    first: float
    average: float
    lowest: float
    best: Integers
    worst: Integers


@dataclass(frozen=True, slots=True)
class Limits(Goal):
    """Scores that the candidates of a list allow, by one metric."""

    oracle: float
    first: float
    average: float
    worst: float


@dataclass(frozen=True, slots=True)
class OracleResult(Result):
    """How good and how bad choices from a list can be."""

    command: ClassVar[str] = "rerank"

    test_set: Extent
    candidates: int
    scores: tuple[Limits, ...]
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked(self.test_set.segments > 0, "no sentences")

    @property
    @derived
    def sentences(self) -> int:
        """How many sentences have candidates."""
        return self.test_set.segments

    @property
    def per_sentence(self) -> float:
        """The mean number of candidates of a sentence."""
        return self.candidates / self.sentences

    @property
    @derived
    def references(self) -> int:
        """How many references there are."""
        return self.test_set.references


@warns
@accepts_executor
def oracle(
    lists: Lists,
    test_set: TestSet,
    metrics: Sequence[Metric | Definition | str] = ("bleu",),
    *,
    threads: int = 0,
    executor: Executor | None = None,  # noqa: ARG001, taken by @accepts_executor
) -> OracleResult:
    """Best, average and worst scores that the candidates of n-best lists allow.

    `lists` are files that make one list, or a list that was read.
    """
    settled = resolve_tokenizers([resolve_metric(metric) for metric in metrics], test_set)
    nbest = as_nbest(lists, test_set)
    remarks = [*missing_remarks(without_candidates(nbest.ids, test_set), len(test_set))]
    references = len(test_set.references)
    scores = []
    for metric in settled:
        problem = Problem.of(nbest, test_set, metric, threads=threads)
        remarks += problem.remarks()
        extreme = extremes(problem)
        scores.append(
            Limits(
                **asdict(Goal.of(metric, references)),
                oracle=extreme.oracle,
                first=extreme.first,
                average=extreme.average,
                worst=extreme.lowest,
            )
        )
    extent = Extent(len(nbest.ids), references)
    return OracleResult(extent, len(nbest), tuple(scores), tuple(remarks))


def extremes(problem: Problem) -> Extremes:
    """Return the scores of the best and the worst choices, of the first candidates and between.

    The average is the score of the statistics that a candidate drawn at random has in the mean.
    """
    nbest = problem.nbest
    best, worst = (_best_choice(problem, sign * problem.sign) for sign in (1, -1))
    sizes = np.diff(nbest.offsets)
    shares = np.repeat(1.0 / sizes, sizes)
    return Extremes(
        oracle=problem.score_of(best),
        first=problem.score_of(nbest.offsets[:-1]),
        average=float(problem.metric.score(shares @ problem.rows[nbest.hypotheses])),
        lowest=problem.score_of(worst),
        best=best,
        worst=worst,
    )


def _best_choice(problem: Problem, sign: float) -> Integers:
    """Choose candidates for the highest corpus score, or for the lowest if `sign` is −1."""
    nbest = problem.nbest
    part = Candidates(nbest.offsets, problem.rows[nbest.hypotheses])
    return nbest.offsets[:-1] + together_best([part], problem.metric, sign).places


@dataclass(frozen=True, slots=True)
class Candidates:
    """Consecutive sentences' candidates: their statistics, one row for each.

    Those of sentence s are from `starts[s]` up to `starts[s + 1]`, at least one.
    """

    starts: Integers
    rows: Rows

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return len(self.starts) - 1


# Of all sentences, in parts that can be gone through any number of times.
Parts = Iterable[Candidates]
Part = TypeVar("Part", bound=Candidates)


def placed(parts: Iterable[Part]) -> Iterator[tuple[Part, slice]]:
    """Yield every part with the places of its sentences among all."""
    start = 0
    for part in parts:
        yield part, slice(start, start + part.sentences)
        start += part.sentences


@dataclass(frozen=True, slots=True)
class Together:
    """Candidates that score best together: each sentence's place in its list, from 0.

    `total` is the sum of their statistics and `score` the metric's.
    """

    places: Integers
    total: Rows
    score: float

    def equals(self, part: Candidates, start: int, metric: Metric) -> NDArray[np.bool_]:
        """Candidates that could replace their sentence's choice at the same score.

        Their own scores must be the same too: where all of a small corpus has BLEU 0, candidates
        still differ. `start` is the number of the part's first sentence.
        """
        mask = np.zeros(len(part.rows), dtype=bool)
        alone = metric.segment_scores(part.rows)
        for at, (first, last) in enumerate(pairwise(part.starts.tolist())):
            candidate = first + int(self.places[start + at])
            scores = metric.score(self.total - part.rows[candidate] + part.rows[first:last])
            same = np.abs(scores - self.score) <= _ROUNDING * abs(self.score)
            mask[first:last] = same & (alone[first:last] == alone[candidate])
            mask[candidate] = True
        return mask


def together_best(parts: Parts, metric: Metric, sign: float) -> Together:
    """Choose a candidate of each sentence so that all together have the highest corpus score.

    The lowest, if `sign` is that of the worse. From the best candidate of each sentence by itself,
    and from the first ones, sentences change their choice one at a time for as long as that
    helps. For a mean of segment scores that is the best there is; for others the best may be a
    little better still. One part is in memory at a time, and a number for each sentence.
    """
    alone = [
        first_maxima(sign * metric.segment_scores(part.rows), part.starts) - part.starts[:-1]
        for part in parts
    ]
    starts = (np.concatenate(alone), np.zeros(sum(map(len, alone)), dtype=np.int64))
    ends = [_exchange_until_best(parts, metric, sign, start) for start in starts]
    return max(ends, key=lambda end: sign * end.score)


def _exchange_until_best(parts: Parts, metric: Metric, sign: float, start: Integers) -> Together:
    places = start.tolist()
    total = _total(parts, start)
    score = sign * float(metric.score(total))
    for _ in range(_MOST_PASSES):
        before, at = score, 0
        for part in parts:
            rows = part.rows
            for first, last in pairwise(part.starts.tolist()):
                others = total - rows[first + places[at]]
                scores = sign * metric.score(others + rows[first:last])
                place = int(np.argmax(scores))
                if scores[place] > score + _ROUNDING * abs(score):
                    places[at], score = place, float(scores[place])
                    total = others + rows[first + place]
                at += 1
        if score == before:
            break
    chosen = np.array(places, dtype=np.int64)
    total = _total(parts, chosen)  # afresh: sums of reals have gathered rounding
    return Together(chosen, total, float(metric.score(total)))


def _total(parts: Parts, places: Integers) -> Rows:
    chosen = (part.rows[part.starts[:-1] + places[span]] for part, span in placed(parts))
    total: Rows = np.sum([rows.sum(axis=0) for rows in chosen], axis=0)
    return total

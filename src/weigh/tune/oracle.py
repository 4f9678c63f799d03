"""The best, the average and the worst that a list's candidates allow."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from weigh.tune.nbest import first_maxima
from weigh.tune.problem import Problem

if TYPE_CHECKING:
    from weigh.tune.nbest import Integers

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


def extremes(problem: Problem) -> Extremes:
    """Return the scores of the best and the worst choices, of the first candidates and between.

    The average is the score of the statistics that a candidate drawn at random has in the mean.
    """
    nbest = problem.nbest
    best, worst = (_climb(problem, sign * problem.sign) for sign in (1, -1))
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


def _climb(problem: Problem, sign: float) -> Integers:
    """Choose candidates for the highest corpus score, or for the lowest if `sign` is −1.

    From the best candidate of each segment by itself, and from the first ones, segments change
    their choice one at a time for as long as that helps. For a mean of segment scores that is
    the best there is; for others the best may be a little better still.
    """
    nbest = problem.nbest
    alone = sign * problem.metric.segment_scores(problem.rows)[nbest.hypotheses]
    ends = [
        _ascended(problem, sign, start)
        for start in (first_maxima(alone, nbest.offsets), nbest.offsets[:-1])
    ]
    return max(ends, key=lambda chosen: sign * problem.score_of(chosen))


def _ascended(problem: Problem, sign: float, start: Integers) -> Integers:
    rows, texts, metric = problem.rows, problem.nbest.hypotheses, problem.metric
    chosen, parts = start.tolist(), list(pairwise(problem.nbest.offsets.tolist()))
    total = rows[texts[start]].sum(axis=0)
    score = sign * float(metric.score(total))
    for _ in range(_MOST_PASSES):
        before = score
        for at, (first, last) in enumerate(parts):
            others = total - rows[texts[chosen[at]]]
            scores = sign * metric.score(others + rows[texts[first:last]])
            place = int(np.argmax(scores))
            if scores[place] > score + _ROUNDING * abs(score):
                chosen[at], score = first + place, float(scores[place])
                total = others + rows[texts[first + place]]
        if score == before:
            break
    return np.array(chosen, dtype=np.int64)

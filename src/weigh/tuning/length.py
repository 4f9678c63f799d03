"""How long candidates are, and the weight of length that makes a model's choices right in length.

A conditional model fits the mean over its candidates: the length that it expects is that of the
gold candidates. What it finds most probable lies further from the average candidate than its mean
does, so its choices are too short where gold is shorter than the average, and the other way round.
An exact line search over the weight of length puts that right, by the corpus score of the choices
themselves (Och 2003, section 4, along one line only).
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from weigh.tuning.blocks import Blocks
from weigh.tuning.linesearch import Outlook
from weigh.tuning.nbest import first_maxima
from weigh.types import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.tuning.nbest import Reals
    from weigh.types import Rows, Scores

# Text without spaces has no words to count.
NAMES = ("length:words", "length:characters")

# Narrower intervals, relative to the breakpoint that lies furthest out, may be rounding alone.
_NARROW = 1e-12
_REACH = 1.0  # so far beyond the last breakpoint
_TRIES = 5  # places that are looked at, the most promising first


def lengths(text: str) -> tuple[int, int]:
    """Return the numbers of words and of characters that are no spaces, as NAMES has them.

    >>> lengths("two words")
    (2, 8)
    """
    words = text.split()
    return len(words), sum(map(len, words))


def best_shift(
    blocks: Blocks,
    weights: Scores,
    column: int,
    metric: Metric,
    kept: NDArray[np.bool_] | None = None,
) -> float:
    """Return the change of the weight of a length that raises the choices' corpus score most.

    0 where none does. In memory are the places where a choice changes, a few in each sentence.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    breakpoints, sums = _surface(blocks, weights, column, kept)
    values = sign * np.asarray(metric.score(sums), dtype=np.float64)
    outlook = Outlook(*_without_slivers(breakpoints, values), -np.inf, np.inf, _REACH)

    def worth(place: float) -> float:
        changed = shifted(weights, column, place)
        return sign * float(metric.score(chosen_total(blocks, changed, kept)))

    # What counts are the choices at the very place.
    now = worth(0.0)
    steps = islice(outlook.better(), _TRIES)
    return next((step.place for step in steps if worth(step.place) > now), 0.0)


def shifted(weights: Scores, column: int, by: float) -> Scores:
    """Return weights of which one is changed."""
    changed = weights.copy()
    changed[column] += by
    return changed


def _surface(
    blocks: Blocks, weights: Scores, column: int, kept: NDArray[np.bool_] | None
) -> tuple[Reals, Rows]:
    """Return where choices change along the weight of a column, and the sums of rows between."""
    places, changes, first, start = [], [], [], 0
    for block in blocks:
        stop = start + block.sentences
        scores = block.features @ weights
        slopes = block.features[:, [column]].toarray().ravel()
        starts, rows = block.starts, block.rows
        if kept is not None:
            sizes = np.diff(starts)
            chosen = np.repeat(kept[start:stop], sizes)
            scores, slopes, rows = scores[chosen], slopes[chosen], rows[chosen]
            starts = np.concatenate([[0], np.cumsum(sizes[kept[start:stop]])])
        start = stop
        if len(starts) > 1:
            breakpoints, sums = _envelope_sums(scores, slopes, starts, rows)
            places.append(breakpoints)
            changes.append(np.diff(sums, axis=0))
            first.append(sums[0])
    where = np.concatenate(places)
    order = np.argsort(where, kind="stable")
    steps = np.concatenate(changes)[order]
    total = np.sum(first, axis=0)
    return where[order], total + np.concatenate([0 * total[None], np.cumsum(steps, axis=0)])


def _envelope_sums(
    scores: Scores, slopes: Scores, starts: NDArray[np.int64], rows: Rows
) -> tuple[Reals, Rows]:
    from weigh._core import IntegerEnvelopes, RealEnvelopes

    numbers = np.arange(len(rows), dtype=np.int32)
    made = IntegerEnvelopes if rows.dtype == np.int64 else RealEnvelopes
    exact = np.zeros(len(starts) - 1)  # slivers go when all blocks are together
    lines = made(np.ascontiguousarray(rows), numbers, starts)
    return lines.envelope_sums(scores, slopes, exact, exact)


def _without_slivers(breakpoints: Reals, values: Reals) -> tuple[Reals, Reals]:
    if not len(breakpoints):
        return breakpoints, values
    least = _NARROW * float(np.abs(breakpoints).max())
    wide = np.concatenate([[True], np.diff(breakpoints) > least, [True]])
    return breakpoints[wide[1:]], values[wide]


def chosen_total(blocks: Blocks, weights: Scores, kept: NDArray[np.bool_] | None = None) -> Rows:
    """Return the sum of the rows of what these weights choose."""
    sums, start = [], 0
    for block in blocks:
        stop = start + block.sentences
        rows = block.rows[first_maxima(block.features @ weights, block.starts)]
        sums.append((rows if kept is None else rows[kept[start:stop]]).sum(axis=0))
        start = stop
    total: Rows = np.sum(sums, axis=0)
    return total

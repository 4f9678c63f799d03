"""Candidates ranked by a metric within their segments: what PRO and MIRA learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.errors import InputError
from weigh.read.stream import quoted
from weigh.tuning.nbest import NBest
from weigh.tuning.problem import Problem

if TYPE_CHECKING:
    from weigh.tuning.nbest import Reals


# Squares of larger numbers, and sums of them, may not be numbers any more.
_LARGEST = 1e100


def check_sizes(nbest: NBest) -> None:
    """Refuse features that are too large to compute with."""
    dense = np.abs(nbest.features).max(axis=0, initial=0.0)
    large = np.flatnonzero(dense > _LARGEST).tolist()
    rest = np.flatnonzero(np.abs(nbest.sparse.values) > _LARGEST)
    large += [len(nbest.names) + int(nbest.sparse.indices[at]) for at in rest[:1]]
    if large:
        raise InputError(
            f"the feature {quoted(nbest.feature_names[large[0]])} has values beyond "
            f"{_LARGEST:.0e}; divide it by a constant"
        )


@dataclass(frozen=True, slots=True)
class Ranking:
    """Features and qualities of all candidates, on scales that make steps comparable.

    `qualities` are the metric's scores of the segments, larger ones better, with a standard
    deviation of 1 within segments. `features` (candidates × features) is an array, or a
    `scipy.sparse.csr_array` if the list has sparse features: dense features are divided by
    `scales`, their standard deviation within segments; sparse ones, which are mostly counts,
    are left as they are. A feature that is constant within every segment is 0: it cannot change
    a choice.
    """

    features: Any
    scales: Reals
    qualities: Reals

    @staticmethod
    def of(problem: Problem) -> Ranking:
        """Scale the features of a list and what the metric says of its candidates."""
        nbest = problem.nbest
        check_sizes(nbest)
        scores = problem.sign * problem.metric.segment_scores(problem.rows)[nbest.hypotheses]
        [qualities], _ = _standardised(scores[:, None], nbest)
        dense, scales = _standardised(nbest.features, nbest)
        features: Any = np.ascontiguousarray(dense.T)
        sparse = nbest.sparse
        if sparse.names:
            from scipy.sparse import csr_array, hstack

            shape = (len(nbest), len(sparse.names))
            rest = csr_array((sparse.values, sparse.indices, sparse.indptr), shape=shape)
            features = hstack([csr_array(features), rest], format="csr")
            scales = np.concatenate([scales, np.ones(len(sparse.names))])
        return Ranking(features, scales, qualities)


def _standardised(columns: Reals, nbest: NBest) -> tuple[Reals, Reals]:
    """Return columns, as rows, less their means in each segment and divided by a scale."""
    means = np.add.reduceat(columns, nbest.offsets[:-1], axis=0) / np.diff(nbest.offsets)[:, None]
    centred = columns - means[nbest.segments()]
    deviations = np.sqrt(np.mean(centred**2, axis=0))
    # What remains of a constant is rounding.
    varies = deviations > 1e-9 * np.abs(columns).max(axis=0, initial=0.0)
    scales = np.where(varies, deviations, 1.0)
    return np.asarray((centred * (varies / scales)).T), scales

"""Samples of given unit scores, and what the tests of halvings and exact p-values share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weigh.metrics.segment import GivenMean
from weigh.stats.sample import Sample, by_document


def of_scores(
    *systems: object,
    higher_is_better: bool = True,
    documents: Sequence[str] | None = None,
    strata: tuple[np.ndarray, ...] | None = None,
) -> Sample:
    """Systems by segment scores: a list each, or one list per run; summed by document."""
    rows = [
        [GivenMean.rows_of(run) for run in np.atleast_2d(np.asarray(scores, np.float64))]
        for scores in systems
    ]
    segments = None
    if documents is not None:
        ones = np.ones((len(documents), 1), np.int64)
        segments = by_document(ones, documents)[:, 0]
        rows = [[by_document(run, documents) for run in runs] for runs in rows]
    return Sample(
        GivenMean("score", higher_is_better),
        tuple(f"system {i}" for i in range(len(rows))),
        tuple(tuple(runs) for runs in rows),
        strata=strata,
        segments=segments,
    )


def documents_of(sizes: Sequence[int]) -> list[str]:
    """Label the segments of documents of these sizes."""
    return [f"d{i}" for i, size in enumerate(sizes) for _ in range(size)]

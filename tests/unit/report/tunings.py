"""A small tuning and its report, for tests of pages and pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unit.tuning.lists import store
from weigh import TestSet, parse_metric
from weigh.report.tuning import HeldOut, TuneReport
from weigh.tuning.loop import Iteration
from weigh.tuning.problem import Problem
from weigh.tuning.tuning import Tuned
from weigh.tuning.views import Views

NAMES = ("lm_0", "tm_0")


def made_problem(names: Sequence[str] = NAMES, words: str = "word", metric: str = "ter") -> Problem:
    rng = np.random.default_rng(5)
    segments = [
        [(f"a b {words} {rng.integers(4)}", rng.normal(size=2).tolist()) for _ in range(9)]
        for _ in range(12)
    ]
    test_set = TestSet([[f"a b {words} {number % 4}" for number in range(12)]])
    return Problem.of(store(segments, tuple(names)), test_set, parse_metric(metric))


def made_report(
    names: Sequence[str] = NAMES, *, runs: int = 2, iterations: Sequence[float] = (40, 35.5, 36)
) -> TuneReport:
    """Return a report of TER, which is the better the lower."""
    found = [Tuned(7 + run, 40.0, 35.5 + run, np.array([0.5, 1.0])) for run in range(runs)]
    weights = dict(zip(names, (1.0, 1.0), strict=True))
    return TuneReport(
        metric="ter",
        name="TER",
        signature="nrefs:1",
        higher_is_better=False,
        segments=12,
        references=1,
        left_out=2,
        candidates=108,
        optimizer="mert",
        names=tuple(names),
        start=np.array([1.0, 1.0]),
        runs=found,
        best=0,
        weights=found[0].weights,
        score=found[0].score,
        average_score=36.0,
        held_out=HeldOut(12, 41.0, [39.0] * runs, 39.0, 0.04, "nrefs:1") if runs > 1 else None,
        iterations=[
            Iteration(at, weights, 50 * at, 50, score, None if at == 3 else 34.0, weights)
            for at, score in enumerate(iterations, 1)
        ],
    )


def made_views(names: Sequence[str] = NAMES, words: str = "word") -> Views:
    return Views.of(made_problem(names, words), np.array([0.5, 1.0]))

"""Reports to draw, from comparisons of scores that are made here."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from weigh import compare
from weigh.comparing.compare_result import CompareResult
from weigh.comparing.dataset import from_arrays
from weigh.metrics.segment import GivenMean
from weigh.report.compared import CompareReport

NAMES = ("north", "east", "south", "west", "middle")
TESTS = ("randomization", "bootstrap", "paired-bootstrap")


def made_scores(
    names: Sequence[str] = NAMES, metrics: Sequence[str] = ("bleu", "ter"), units: int = 60
) -> dict[str, dict[str, list[float]]]:
    """Return scores of systems that are the better the earlier they are named; ter counts errors.

    Neighbours are near enough to each other for p-values of all sizes.
    """
    source = random.Random(7)
    scores: dict[str, dict[str, list[float]]] = {metric: {} for metric in metrics}
    for metric in metrics:
        sign = -1 if metric == "ter" else 1
        hard = [source.gauss(50, 10) for _ in range(units)]
        for place, name in enumerate(names):
            scores[metric][name] = [x - sign * 1.1 * place + source.gauss(0, 3) for x in hard]
    return scores


def made_result(
    scores: Mapping[str, Mapping[str, list[float]]] | None = None,
    slices: Sequence[str] | None = None,
    **options: Any,
) -> CompareResult:
    """Compare made scores, with details, and lengths that were not measured."""
    scores = scores or made_scores()
    measured = from_arrays(scores, {"ter": GivenMean("ter", higher_is_better=False)}, slices=slices)
    result = compare(measured, details=True, **{"trials": 300, "seed": 5} | options)
    names = dict.fromkeys(entry.system for entry in result.scores)
    lengths = {name: 0.9 + 0.05 * place for place, name in enumerate(names)}
    assert result.details is not None
    return replace(
        result,
        metrics=tuple(replace(metric, decimals=2) for metric in result.metrics),
        details=replace(result.details, lengths=lengths),
    )


def made_report(*args: Any, **options: Any) -> CompareReport:
    return CompareReport(made_result(*args, **options))


def with_score(result: CompareResult, system: str, score: float) -> CompareResult:
    """Return a result in which one system's scores are others."""
    scores = [replace(e, score=score) if e.system == system else e for e in result.scores]
    comparisons = []
    for one in result.comparisons:
        values = {
            side: score if getattr(one, side) == system else getattr(one, f"score_{side}")
            for side in "ab"
        }
        difference = values["a"] - values["b"]
        comparisons.append(
            replace(one, score_a=values["a"], score_b=values["b"], difference=difference)
        )
    return replace(result, scores=tuple(scores), comparisons=tuple(comparisons))

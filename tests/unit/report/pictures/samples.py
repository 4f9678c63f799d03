"""Reports to draw, from comparisons of scores that are made here."""

from __future__ import annotations

import math
import random
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from weigh import compare
from weigh.comparing.compare_result import CompareResult
from weigh.comparing.measure import measure_scores
from weigh.report.compared import CompareReport
from weigh.report.pictures import (
    Picture,
    agreement_plots,
    forest_plots,
    heat_maps,
    histograms,
    length_plots,
    ranked_plot,
    sweep_plots,
)

SVG = "{http://www.w3.org/2000/svg}"
ALL = (
    *(ranked_plot, forest_plots, heat_maps, histograms),
    *(length_plots, agreement_plots, sweep_plots),
)
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
    measured = measure_scores(scores, lower=["ter"] if "ter" in scores else [], slices=slices)
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


def drawn(picture: Picture) -> ET.Element:
    """Return the picture as an XML parser sees its file; all places must be numbers."""
    root = ET.fromstring(picture.standalone())
    for element in root.iter():
        for name in ("x", "y", "cx", "cy", "d"):
            value = element.get(name, "")
            assert "nan" not in value
            assert "inf" not in value
    return root


def of_class(root: ET.Element, wanted: str) -> list[ET.Element]:
    return [each for each in root.iter() if wanted in each.get("class", "").split()]


def title(element: ET.Element) -> str:
    return element.findtext(f"{SVG}title") or ""


def texts(root: ET.Element) -> list[str]:
    return [each.text or "" for each in root.iter(f"{SVG}text")]


def is_straight(places: Sequence[tuple[float, float]], slack: float = 0.11) -> bool:
    """Return whether coordinates are a linear function of values, up to how they are rounded."""
    (low, first), (high, last) = min(places), max(places)
    if high == low:
        return all(math.isclose(first, at, abs_tol=slack) for _, at in places)
    slope = (last - first) / (high - low)
    return all(abs(first + slope * (value - low) - at) <= slack for value, at in places)

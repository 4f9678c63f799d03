"""Reports with given names, for the tests of formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weigh.comparing.plan import Plan
from weigh.comparing.result import Comparison, SystemScore
from weigh.report.compared import CompareReport
from weigh.report.scores import IntervalMethod, ScoreReport
from weigh.stats.procedures import FLAWED_TESTS

SLICE = "news & more"


def _scores(systems: Sequence[str], *, intervals: bool, sliced: bool) -> list[SystemScore]:
    return [
        SystemScore(
            metric,
            metric.upper(),
            f"sig:{metric}|x:1",
            metric != "ter",
            system,
            9.5 - place,
            slice=label,
            interval=(8.0 - place, 10.5 - place) if intervals else None,
            level=0.95 if intervals else None,
        )
        for metric in ("bleu", "ter")
        for label in (None, SLICE)[: 1 + sliced]
        for place, system in enumerate(systems)
    ]


def score_report(systems: Sequence[str], *, intervals: bool, sliced: bool) -> ScoreReport:
    """Return scores of systems by two metrics, falling from the first to the last."""
    method = IntervalMethod("bca", 0.95, 1000, 1, "segment", 40) if intervals else None
    entries = _scores(systems, intervals=intervals, sliced=sliced)
    return ScoreReport(entries, segments=40, references=1, intervals=method)


def compare_report(
    systems: Sequence[str],
    p_values: Mapping[tuple[int, int], float],
    *,
    baseline: bool = False,
    sliced: bool = False,
    tests: Sequence[str] = ("randomization",),
    **fields: Any,
) -> CompareReport:
    """Return a comparison by two metrics; the first system is the baseline, if there is one."""
    plan = Plan(
        tests=tuple(test for test in tests if test not in FLAWED_TESTS),
        compat=tuple(test for test in tests if test in FLAWED_TESTS),
        baseline=systems[0] if baseline else None,
    )
    pairs = [
        (systems[j], systems[i], i - j, p) if baseline else (systems[i], systems[j], j - i, p)
        for (i, j), p in p_values.items()
        if i == 0 or not baseline
    ]
    made = [
        Comparison(
            metric=metric,
            a=a,
            b=b,
            score_a=30.0 + difference,
            score_b=30.0,
            difference=difference,
            interval=(difference - 0.5, difference + 0.5),
            level=0.95,
            test=test,
            alternative="two-sided",
            trials=1000,
            count=1,
            p_value=p / len(pairs),
            p_stderr=0.001,
            p_adjusted=p,
            adjust="holm",
            family_size=len(pairs),
            significant=p <= 0.05,
            detectable=0.75,
            seed=12345,
            identical=0.25,
            slice=label,
        )
        for test in tests
        for metric in ("bleu", "ter")
        for label in (None, SLICE)[: 1 + sliced]
        for a, b, difference, p in pairs
    ]
    values: dict[str, Any] = {
        "rankings": (),
        "warnings": (),
        "segments": 40,
        "references": 1,
        "documents": None,
        "unit": "segment",
        "units": 40,
    }
    scores = tuple(_scores(systems, intervals=True, sliced=sliced))
    return CompareReport(
        Result(plan=plan, scores=scores, comparisons=tuple(made), **values | fields)
    )

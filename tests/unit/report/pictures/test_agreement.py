from __future__ import annotations

import math
import warnings
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from unit.report.pictures.samples import (
    NAMES,
    drawn,
    is_straight,
    made_report,
    made_result,
    made_scores,
    of_class,
    texts,
    title,
)
from weigh.report.pictures import agreement_plots
from weigh.report.pictures.agreement import conclusions, kendall_tau_b
from weigh.report.scores import CompareReport

few = st.integers(0, 4).map(float)  # so that there are ties


@settings(deadline=None)  # SciPy takes its time at first
@given(st.lists(st.tuples(few, few), min_size=2, max_size=12))
def test_tau_b_against_scipy(pairs: list[tuple[float, float]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = kendalltau([x for x, _ in pairs], [y for _, y in pairs]).statistic
    assert kendall_tau_b(pairs) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("alternative", ["two-sided", "better"])
def test_conclusions_are_counted(alternative: str) -> None:
    result = made_result(tests=("bootstrap", "randomization"), alternative=alternative)
    # Every combination of what two metrics may say: nothing, a is better, b is better.
    said: dict[tuple[str, str, str], int] = {}
    changed = []
    for number, one in enumerate(result.comparisons):
        per_metric = len(result.comparisons) // 4
        at = number % per_metric
        kind = at % 3 if one.metric == "bleu" else at // 3 % 3
        sign = -1 if one.metric == "ter" else 1
        difference = sign * (-1.0 if kind == 2 else 1.0)
        first = one.test == "bootstrap"
        changed.append(replace(one, significant=first and kind > 0, difference=difference))
        if first:
            said[one.metric, one.a, one.b] = kind if alternative == "two-sided" else min(kind, 1)
    report = CompareReport(replace(result, comparisons=tuple(changed)))
    expected = dict.fromkeys(("same", "none", "one", "opposite"), 0)
    for (metric, a, b), kind in said.items():
        if metric == "bleu":
            other = said["ter", a, b]
            if kind == other:
                expected["same" if kind else "none"] += 1
            else:
                expected["opposite" if kind and other else "one"] += 1
    assert dict(conclusions(report, "bleu", "ter")) == expected
    assert sum(expected.values()) == len(said) // 2
    if alternative == "two-sided":
        assert all(expected.values())


@pytest.mark.parametrize(("first", "second"), [("bleu", "ter"), ("ter", "bleu")])
def test_better_is_up_and_to_the_right(first: str, second: str) -> None:
    report = made_report(made_scores(metrics=[first, second]))
    [picture] = agreement_plots(report)
    scores = {(e.metric, e.system): e.score for e in report.result.scores}
    across, up = [], []
    for point in of_class(drawn(picture), "point"):
        name = title(point).partition(":")[0]
        across.append((scores[first, name], float(point.attrib["cx"])))
        up.append((scores[second, name], float(point.attrib["cy"])))
    assert len(across) == len(NAMES)
    assert is_straight(across)
    assert is_straight(up)
    best = {"bleu": max, "ter": min}
    assert best[first](across)[1] == max(x for _, x in across)
    assert best[second](up)[1] == min(y for _, y in up)
    expected = kendalltau([s for s, _ in across], [-s for s, _ in up]).statistic
    assert f"is {expected:.2f}." in picture.description
    assert any(text.startswith(f"Kendall's τ-b {expected:.2f}") for text in texts(drawn(picture)))


def test_ten_pairs_of_metrics_are_enough() -> None:
    names = ["a", "b"]
    for count, expected in ((1, 0), (2, 1), (5, 10), (6, 10)):
        metrics = [f"m{number}" for number in range(count)]
        assert len(agreement_plots(made_report(made_scores(names, metrics, 10)))) == expected


def test_systems_that_one_metric_cannot_score_are_left_out() -> None:
    result = made_result()
    scores = tuple(
        replace(e, score=math.nan) if (e.metric, e.system) == ("ter", "east") else e
        for e in result.scores
    )
    [picture] = agreement_plots(CompareReport(replace(result, scores=scores)))
    assert len(of_class(drawn(picture), "point")) == len(NAMES) - 1
    assert "over 4 systems" in picture.description

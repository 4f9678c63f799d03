"""Agreement against textbooks, statsmodels and the definitions written out."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from weigh.errors import InputError, UsageError
from weigh.stats.agreement import (
    Level,
    cohen_kappa,
    fleiss_kappa,
    kappas,
    krippendorff_alpha,
)

# Krippendorff 2011, example C: four observers, twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = [
    [value for value in column if value is not None] for column in zip(*OBSERVERS, strict=True)
]


@pytest.mark.parametrize(
    ("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_the_textbook(level: Level, expected: float) -> None:
    assert krippendorff_alpha(UNITS, level) == pytest.approx(expected, abs=0.0005)


def alpha_as_defined(units: list[list[int]], level: Level) -> float:
    """Coincidences and distances, category by category."""
    pairable = [unit for unit in units if len(unit) > 1]
    values = sorted({value for unit in pairable for value in unit})
    coincidences = dict.fromkeys(((c, k) for c in values for k in values), 0.0)
    for unit in pairable:
        for c, k in permutations(unit, 2):
            coincidences[c, k] += 1 / (len(unit) - 1)
    totals = {c: sum(coincidences[c, k] for k in values) for c in values}
    n = sum(totals.values())

    def distance(c: int, k: int) -> float:
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return float((c - k) ** 2)
        between = sum(totals[g] for g in values if min(c, k) <= g <= max(c, k))
        return (between - (totals[c] + totals[k]) / 2) ** 2

    observed = sum(coincidences[c, k] * distance(c, k) for c in values for k in values)
    expected = sum(totals[c] * totals[k] * distance(c, k) for c in values for k in values)
    return 1 - (n - 1) * observed / expected if expected else math.nan


units = st.lists(st.lists(st.integers(-5, 5), max_size=5), max_size=8)


@settings(deadline=None)
@given(units, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_against_its_definition(given_units: list[list[int]], level: Level) -> None:
    expected = alpha_as_defined(given_units, level)
    assert krippendorff_alpha(given_units, level) == pytest.approx(expected, nan_ok=True, abs=1e-9)


@settings(deadline=None)
@given(st.lists(st.lists(st.floats(-100, 100), min_size=2, max_size=4), min_size=2, max_size=6))
def test_interval_alpha_keeps_under_change_of_scale(given_units: list[list[float]]) -> None:
    alpha = krippendorff_alpha(given_units)
    assume(np.ptp(np.concatenate(given_units)) > 1e-3)
    changed = [[1e6 + 3 * value for value in unit] for unit in given_units]
    assert krippendorff_alpha(changed) == pytest.approx(alpha, abs=1e-6)


def test_alpha_without_variation_or_pairs() -> None:
    assert math.isnan(krippendorff_alpha([[3, 3], [3, 3]]))
    assert math.isnan(krippendorff_alpha([[3], [], [4]]))
    assert krippendorff_alpha([[1, 1], [2, 2]]) == 1
    with pytest.raises(InputError, match="not a finite number"):
        krippendorff_alpha([[1, math.nan]])
    with pytest.raises(UsageError, match="unknown level 'ratio'"):
        krippendorff_alpha([[1, 2]], "ratio")  # type: ignore[arg-type]


categories = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


@settings(deadline=None)
@given(categories, st.sampled_from(["none", "linear", "quadratic"]))
def test_cohen_against_statsmodels(both: list[tuple[int, int]], weights: str) -> None:
    a, b = zip(*both, strict=True)
    # Ranks of categories that occur: ours are told apart by the data, statsmodels' by the table.
    names = sorted({*a, *b})
    table = np.zeros((len(names), len(names)))
    for one, other in both:
        table[names.index(one), names.index(other)] += 1
    if len(names) == 1:
        assert math.isnan(cohen_kappa(a, b, weights))
        return
    kind = {"none": None, "linear": "linear", "quadratic": "fc"}[weights]
    size = len(names) - 1
    ranks = np.abs(np.subtract.outer(np.arange(size + 1), np.arange(size + 1))) / size
    if kind is None:
        expected = inter_rater.cohens_kappa(table, return_results=False)
    else:
        expected = inter_rater.cohens_kappa(
            table, weights=ranks if kind == "linear" else ranks**2, return_results=False
        )
    assert cohen_kappa(a, b, weights) == pytest.approx(float(expected), abs=1e-9)


def test_cohen_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: (0.7 − 0.5)/(1 − 0.5), a common textbook example.
    a = [1] * 25 + [0] * 25
    b = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohen_kappa(a, b) == pytest.approx(0.4)
    with pytest.raises(InputError, match="give one per unit"):
        cohen_kappa([1], [1, 2])
    with pytest.raises(UsageError, match="unknown weights 'cubic'"):
        cohen_kappa([1, 2], [1, 2], "cubic")


@settings(deadline=None)
@given(st.integers(2, 6), st.data())
def test_fleiss_against_statsmodels(size: int, data: st.DataObject) -> None:
    unit = st.lists(st.integers(0, 3), min_size=size, max_size=size)
    given_units = data.draw(st.lists(unit, min_size=1, max_size=15))
    table, _ = inter_rater.aggregate_raters(np.array(given_units))
    if table.shape[1] == 1:
        assert math.isnan(fleiss_kappa(given_units))
    else:
        assert fleiss_kappa(given_units) == pytest.approx(inter_rater.fleiss_kappa(table))


def test_fleiss_of_the_paper() -> None:
    # Fleiss 1971, table 1 as it is often reprinted: ten subjects, fourteen raters, κ = .210.
    counts = [
        (0, 0, 0, 0, 14),
        (0, 2, 6, 4, 2),
        (0, 0, 3, 5, 6),
        (0, 3, 9, 2, 0),
        (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0),
        (3, 2, 6, 3, 0),
        (2, 5, 3, 2, 2),
        (6, 5, 2, 1, 0),
        (0, 2, 2, 3, 7),
    ]
    given_units = [[c for c, n in enumerate(row) for _ in range(n)] for row in counts]
    assert fleiss_kappa(given_units) == pytest.approx(0.210, abs=0.0005)
    with pytest.raises(InputError, match="judged equally often"):
        fleiss_kappa([[1, 2], [1, 2, 3]])


def test_kappas_of_several_judges() -> None:
    given_units = [
        {"x": 1, "y": 1, "z": 2},
        {"x": 2, "y": 2},
        {"x": 1, "y": 2},
        {"x": 2, "y": 2},
        {"z": 3},
    ]
    found = kappas(given_units)
    # x and y share four units; z shares one with each, in which both used two categories: κ = 0.
    of_x_and_y = cohen_kappa([1, 2, 1, 2], [1, 2, 2, 2])
    assert found.mean == pytest.approx((4 * of_x_and_y + 0 + 0) / 6)
    assert (found.pairs, found.units, found.judges) == (3, 3, 2)
    assert found.fleiss == pytest.approx(fleiss_kappa([[2, 2], [1, 2], [2, 2]]))
    assert math.isnan(kappas([{"x": 1}]).mean)

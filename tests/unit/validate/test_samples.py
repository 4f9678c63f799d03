from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from weigh.comparing.compare import compare
from weigh.comparing.dataset import Dataset, from_arrays
from weigh.comparing.plan import Plan
from weigh.errors import InputError, UsageError
from weigh.human.draws import ArrayDraws
from weigh.metrics.segment import GivenMean
from weigh.validate.plan import SamplesPlan
from weigh.validate.samples import BRACKETS, Draw, samples
from weigh.validate.samples_result import DESIGNS, SamplesResult, ShownSample

PLAN = SamplesPlan(sizes=(20, 60), samples=40, trials=200, seed=3)
UNITS = 190


@cache
def scores() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    base = rng.normal(50, 8, UNITS)
    return {name: base + rng.normal(mean, 6, UNITS) for name, mean in (("A", 1), ("B", 0))}


@cache
def study() -> SamplesResult:
    return samples(measured(), PLAN, threads=1)


def draw_of(one: ShownSample) -> Draw:
    return Draw(one.design, one.size, one.sample - 1)


def measured() -> Dataset:
    return from_arrays({"mean": scores()})


@given(st.integers(2, 40), st.integers(40, 200))
def test_disjoint_samples(size: int, units: int) -> None:
    stream = ArrayDraws(1, 1)
    for design in ("broad", "block"):
        count = units // size
        drawn = [
            Draw(design, size, number).units(units, stream).tolist() for number in range(count)
        ]
        together = [unit for one in drawn for unit in one]
        assert len(set(together)) == len(together) == count * size
        assert set(together) <= set(range(units))
        steps = {b - a for one in drawn for a, b in pairwise(one)}
        assert steps == {1 if design == "block" else count}


def test_every_sample_against_compare() -> None:
    """What compare says of the same units, with the same seed."""
    found = study()
    draws = [
        Draw(design, size, number)
        for design in DESIGNS
        for size in PLAN.sizes
        for number in range(PLAN.samples if design == "drawn" else UNITS // size)
    ]
    assert [draw_of(one) for one in found.series] == draws
    for piece, one in enumerate(found.series):
        if one.sample > 3:
            continue
        stream = ArrayDraws(PLAN.seed, piece)
        chosen = draw_of(one).units(UNITS, stream)
        seed = stream.seed()
        for side, share in (("better", one.worse), ("worse", one.better)):
            result = compare(
                {name: values[chosen] for name, values in scores().items()},
                plan=Plan(
                    tests=("paired-bootstrap",),
                    alternative=side,
                    trials=PLAN.trials,
                    interval="percentile",
                    seed=seed,
                ),
            )
            assert result.comparisons[0].count == round(share * PLAN.trials)
        assert tuple(each.score for each in result.scores) == pytest.approx(one.scores)
        assert [each.interval for each in result.scores] == [
            pytest.approx(interval) for interval in one.intervals
        ]


@pytest.mark.parametrize("design", ["drawn", "broad"])
def test_tables_counted_one_by_one(design: str) -> None:
    found = study()
    conclusions = found.conclusions if design == "drawn" else found.broad_conclusions
    brackets = found.brackets if design == "drawn" else found.broad_brackets
    truth = [one.score for one in found.scores]
    assert truth == pytest.approx([one.mean() for one in scores().values()])
    [pair] = found.pairs
    sign = np.sign(pair.advantage)
    for size in PLAN.sizes:
        drawn = [one for one in found.series if (one.design, one.size) == (design, size)]
        right = wrong = 0
        counts = {low: [0, 0] for low in BRACKETS}
        for one in drawn:
            level = max(one.better, one.worse)
            is_right = (one.better > one.worse) == (sign > 0)
            if level >= PLAN.level:
                right, wrong = right + is_right, wrong + (not is_right)
            low = next((low for low in BRACKETS if level >= low), None)
            if low is not None and one.better != one.worse:
                counts[low][0] += is_right
                counts[low][1] += 1
        [at_size] = [one for one in conclusions if one.size == size]
        assert (at_size.right, at_size.wrong, at_size.samples) == (right, wrong, len(drawn))
        for bracket in (one for one in brackets if one.size == size):
            assert [bracket.right, bracket.conclusions] == counts[bracket.low]
            clear = counts[bracket.low] if pair.clear else [0, 0]
            assert [bracket.clear_right, bracket.clear_conclusions] == clear
    for spread in found.spread:
        own = [
            one for one in found.series if (one.design, one.size) == (spread.design, spread.size)
        ]
        inside = [
            low <= true <= high
            for one in own
            for true, (low, high) in zip(truth, one.intervals, strict=True)
        ]
        assert (spread.covering, spread.intervals) == (sum(inside), len(inside))
        deviations = np.array([one.scores for one in own]).std(axis=0, ddof=1)
        assert spread.sd_score == pytest.approx(deviations.mean())


def test_theory_of_drawn_samples() -> None:
    """Means of n units scatter by σ/√n around the truth, and 95% intervals hold it."""
    plan = SamplesPlan(sizes=(100,), samples=600, trials=300)
    found = samples(measured(), plan)
    drawn = found.spread[0]
    expected = np.mean([one.std() for one in scores().values()]) / 10
    assert drawn.sd_score == pytest.approx(expected, rel=0.1)
    assert drawn.covering / drawn.intervals == pytest.approx(0.945, abs=0.025)
    # At 95% the bootstrap is sure of means that lie 1.645 standard errors from 0.
    differences = scores()["A"] - scores()["B"]
    distance = abs(differences.mean()) / (differences.std() / 10)
    [pair] = found.conclusions
    assert pair.right / 600 == pytest.approx(norm.cdf(distance - 1.645), abs=0.07)
    assert pair.wrong / 600 == pytest.approx(norm.cdf(-distance - 1.645), abs=0.03)


def test_which_pair_is_shown_and_from_which_side() -> None:
    turned = samples(measured(), PLAN, shown=["B", "A"], threads=2)
    assert turned.shown == ("B", "A")
    for one, other in zip(turned.series, study().series, strict=True):
        assert (one.better, one.worse) == (other.worse, other.better)
        assert one.scores == other.scores[::-1]
    assert turned.conclusions == study().conclusions


def test_an_error_metric_is_turned_round() -> None:
    lower = samples(
        from_arrays({"mean": scores()}, {"mean": GivenMean("mean", higher_is_better=False)}), PLAN
    )
    for one, other in zip(lower.series, study().series, strict=True):
        assert (one.better, one.worse) == (other.worse, other.better)
    assert [(one.right, one.wrong) for one in lower.conclusions] == [
        (one.right, one.wrong) for one in study().conclusions
    ]


def test_equal_systems_have_no_right_conclusion() -> None:
    values = scores()["A"]
    found = samples(from_arrays({"mean": {"A": values, "B": values}}), PLAN)
    assert found.conclusions == ()
    assert all(one.conclusions == 0 for one in found.brackets)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"sizes": ()}, "sizes: no value"),
        ({"sizes": (1,)}, "sizes 1: give a number of at least 2"),
        ({"sizes": (50, 50)}, "sizes 50 is given twice"),
        ({"samples": 0}, "samples 0: give a number of at least 1"),
        ({"level": 1.0}, "level 1: give a number between 0 and 1"),
    ],
)
def test_bad_choices(choice: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        SamplesPlan(**choice)


def test_bad_data() -> None:
    with pytest.raises(UsageError, match="samples of 600, but there are only 190 units"):
        samples(measured())
    with pytest.raises(UsageError, match="'a' is not one of the systems; did you mean 'A'"):
        samples(measured(), PLAN, shown=["a", "B"])
    with pytest.raises(UsageError, match="1 systems to be shown; name two different ones"):
        samples(measured(), PLAN, shown=["A", "A"])
    with pytest.raises(InputError, match="only one system, A"):
        samples(from_arrays({"mean": {"A": scores()["A"]}}), PLAN)


def five_systems() -> SamplesResult:
    rng = np.random.default_rng(2)
    base = rng.normal(50, 8, UNITS)
    systems = {f"s{n}": base + rng.normal(n, 6, UNITS) for n in range(5)}
    return samples(from_arrays({"mean": systems}), PLAN, threads=1)


def test_conclusions_are_added_up_in_groups_of_similar_pairs() -> None:
    result = five_systems()
    [by_metric] = result.by_metric()
    rows = by_metric.at_sizes(by_metric.conclusions, 3)
    pairs = [pair for row in rows for pair in row.pairs]
    assert [len(row.pairs) for row in rows] == [3, 3, 4]
    assert pairs == sorted(result.pairs, key=lambda pair: abs(pair.advantage))
    [whole] = by_metric.at_sizes(by_metric.conclusions, 1)
    for size in PLAN.sizes:
        counted = [row for row in result.conclusions if row.size == size]
        right = sum(row.right for row in counted) / sum(row.samples for row in counted)
        assert whole.right[size] == pytest.approx(right)
    assert whole.unclear == by_metric.unclear == sum(not pair.clear for pair in result.pairs)
    single = by_metric.at_sizes(by_metric.conclusions, 20)
    assert all(len(row.pairs) == 1 for row in single)
    for row in single:
        better, worse = row.pairs[0].ordered
        assert by_metric.scores[better] >= by_metric.scores[worse]
        assert by_metric.advantage((by_metric.scores[better], by_metric.scores[worse])) >= 0

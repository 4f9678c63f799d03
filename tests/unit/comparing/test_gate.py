"""The release gate and equivalence."""

from __future__ import annotations

import numpy as np
import pytest

from unit.comparing.systems import TESTS, corpus, scores
from weigh import Bleu, Ter, compare


def shifted(*shifts: float, noise: float = 0.2, segments: int = 200) -> dict[str, np.ndarray]:
    """A baseline and systems that differ from it by so much, and a little noise of mean 0."""
    rng = np.random.default_rng(3)
    base = rng.normal(0, 1, segments)
    given = {"base": base}
    for number, shift in enumerate(shifts):
        errors = rng.normal(0, noise, segments)
        given[f"s{number}"] = base + shift + errors - errors.mean()
    return given


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(("shift", "verdict"), [(-1.0, "fail"), (0.0, "pass"), (1.0, "pass")])
def test_gate_without_margin(test, lower, shift, verdict):
    given = shifted(-shift if lower else shift)
    result = compare(
        given, baseline="base", gate=True, lower_is_better=lower, tests=(test,), trials=999
    )
    assert result.gate.verdict == verdict


def test_gate_is_not_adjusted():
    """One of twenty systems is a little worse: p about .01 unadjusted fails the gate."""
    given = shifted(*[0.5] * 19, -0.03)
    result = compare(given, baseline="base", gate=True, trials=2000, alternative="worse")
    [pair] = [c for c in result.comparisons if c.a == "s19"]
    assert pair.p_value <= 0.05 < pair.p_adjusted
    assert result.gate.verdict == "fail"
    assert compare(
        given, baseline="base", gate=True, trials=2000, alpha=pair.p_value / 2
    ).gate.verdict == ("pass")


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(
    ("shift", "margin", "verdict"),
    [
        (0.0, 0.5, "pass"),
        (1.0, 0.5, "pass"),  # better by more than the margin is fine
        (-0.2, 0.5, "pass"),  # significantly worse, but by less than matters
        (-0.5, 0.5, "inconclusive"),
        (-1.0, 0.5, "fail"),
        (0.0, 0.001, "inconclusive"),
    ],
)
def test_gate_with_margin(shift, margin, verdict, lower):
    given = shifted(-shift if lower else shift)
    result = compare(
        given,
        baseline="base",
        gate=True,
        margin={"score": margin},
        lower_is_better=lower,
        trials=999,
    )
    assert result.gate.verdict == verdict
    [pair] = result.comparisons
    low, high = pair.margin_interval
    assert low <= (shift) <= high
    assert pair.non_inferior == (verdict == "pass")
    assert pair.equivalent == (verdict == "pass" and shift < 0.5)


def test_the_worst_verdict_counts():
    options = {"baseline": "base", "gate": True, "margin": {"score": 0.5}, "trials": 999}
    assert compare(shifted(0.0, -0.5, -1.0), **options).gate.verdict == "fail"
    assert compare(shifted(0.0, -0.5, 1.0), **options).gate.verdict == "inconclusive"
    assert len(compare(shifted(0.0, -0.5, 1.0), **options).gate.reasons) == 3


def test_gate_on_texts_looks_at_every_metric():
    systems, test_set = corpus()
    up = compare([systems[0], systems[3]], test_set, [Bleu(), Ter()], baseline="D", gate=True)
    down = compare([systems[0], systems[3]], test_set, [Bleu(), Ter()], baseline="A", gate=True)
    assert (up.gate.verdict, down.gate.verdict) == ("pass", "fail")
    assert len(down.gate.reasons) == 2
    # Worse in every one of 9,999 trials: p = 1/10,000. Metrics and p are named as in the tables.
    assert down.gate.reasons == (
        "D, BLEU: fail (one-sided p = .0001 for worse than A)",
        "D, TER: fail (one-sided p = .0001 for worse than A)",
    )
    twice = compare(
        [systems[0], systems[3]],
        test_set,
        [Bleu(), Bleu(lowercase=True)],
        baseline="A",
        gate=True,
        p_value="plain",
        trials=99_999,
    )
    assert twice.gate.reasons == (
        "D, bleu: fail (one-sided p < .0001 for worse than A)",
        "D, bleu:lowercase: fail (one-sided p < .0001 for worse than A)",
    )
    mixed = compare(
        [systems[0], systems[3]],
        test_set,
        [Bleu(), Ter()],
        baseline="A",
        gate=True,
        margin={"bleu": 99.0},
    )
    assert mixed.gate.verdict == "fail"  # by TER, which has no margin


def test_margin_interval_is_of_level_1_minus_2_alpha():
    given = shifted(0.1, noise=1.0)
    [pair] = compare(given, margin={"score": 0.5}, alpha=0.05, level=0.9, trials=999).comparisons
    # Pairs stand as given: base is a, so the interval is that of base − s0.
    assert pair.margin_interval == pair.interval
    [other] = compare(given, margin={"score": 0.5}, alpha=0.01, level=0.98, trials=999).comparisons
    assert other.margin_interval == other.interval


def test_no_gate_unless_asked():
    assert compare(scores(A=0.0, B=1.0), baseline="A", trials=99).gate is None


def test_gate_takes_the_first_test_that_has_sides():
    options = {"baseline": "base", "gate": True, "trials": 999}
    assert compare(shifted(-1.0), tests=("tukey", "bootstrap"), **options).gate.verdict == "fail"
    assert compare(shifted(1.0), tests=("tukey", "bootstrap"), **options).gate.verdict == "pass"

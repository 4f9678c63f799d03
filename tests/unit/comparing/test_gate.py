"""The release gate and equivalence."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
import scipy.stats
from scipy.stats import multinomial

from unit.comparing.systems import TESTS, copies, corpus, scores
from weigh import Bleu, Ter, compare
from weigh.comparing.dataset import from_arrays
from weigh.comparing.scopes import MACRO


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


@pytest.mark.parametrize(
    ("items", "lost", "won", "said"),
    [(12, 3, 0, "too few items differ"), (400, 30, 30, "losses below"), (40, 0, 0, "")],
)
def test_a_gate_without_margin_says_what_it_may_let_through(items, lost, won, said):
    [reason] = compare(passes(items, lost, won), **BASE).gate.reasons
    assert said in reason
    assert ("noticed" in reason) == bool(said)


def test_the_loss_that_a_gate_would_detect_is_that_of_its_own_test():
    """One-sided at α over the number of metrics, whatever else is compared, and how."""
    data = passes(400, 30, 30)
    said = set()
    for options in ({}, {"alternative": "worse"}, {"adjust": "none"}):
        for more in ({}, {"other": data["new"][::-1]}):
            reasons = compare({**data, **more}, **BASE, **options).gate.reasons
            said |= {
                reason.replace(", not adjusted for 2 systems", "")
                for reason in reasons
                if reason.startswith("new")
            }
    assert len(said) == 1
    by_two = compare({"x": data, "y": data}, **BASE).gate.reasons[0]
    sizes = [
        float(re.search(r"losses below ([\d.]+) points", reason)[1]) for reason in (*said, by_two)
    ]
    assert sizes[0] < sizes[1]
    error = np.std(data["new"] - data["base"], ddof=1) / np.sqrt(400)
    expected = [100 * error * (scipy.stats.norm.isf(0.05 / k) + 0.8416) for k in (1, 2)]
    assert sizes == pytest.approx(expected, rel=0.02)


def test_gate_is_not_adjusted_for_systems():
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
    fail = "fail (one-sided p = .0001 for a loss against A, .0002 adjusted for 2 metrics)"
    assert down.gate.reasons == (f"D by BLEU: {fail}", f"D by TER: {fail}")
    twice = compare(
        [systems[0], systems[3]],
        test_set,
        [Bleu(), Bleu(lowercase=True)],
        baseline="A",
        gate=True,
        trials=99_999,
    )
    fail = "fail (one-sided p < .0001 for a loss against A, <.0001 adjusted for 2 metrics)"
    assert twice.gate.reasons == (f"D by bleu: {fail}", f"D by bleu:lowercase: {fail}")
    mixed = compare(
        [systems[0], systems[3]],
        test_set,
        [Bleu(), Ter()],
        baseline="A",
        gate=True,
        margin={"bleu": 99.0},
    )
    assert mixed.gate.verdict == "fail"  # by TER, which has no margin


def failed_once_more(d: np.ndarray, worst: float, alpha: float) -> float:
    """The one-sided t bound of differences with one more, the worst there can be, by SciPy."""
    more = np.append(d, -worst)
    return float(scipy.stats.ttest_1samp(more, 0).confidence_interval(1 - 2 * alpha).low)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_a_margin_must_survive_one_more_total_failure(alpha, lower):
    given = shifted(-0.1 if not lower else 0.1, noise=1.0, segments=30)
    d = (given["s0"] - given["base"]) * (-1 if lower else 1)
    options = {"baseline": "base", "alpha": alpha, "metric": "score:-6..6"}
    bound = failed_once_more(d, 12.0, alpha)
    for margin, passes_it in ((-bound * 1.001, True), (-bound * 0.999, False)):
        [pair] = compare(
            given, margin={"score": margin}, lower_is_better=lower, **options
        ).comparisons
        assert pair.margin_interval[0] == pytest.approx(bound)
        assert pair.margin_interval[1] == pytest.approx(-failed_once_more(-d, 12.0, alpha))
        assert pair.non_inferior == passes_it


def test_no_gate_unless_asked():
    assert compare(scores(A=0.0, B=1.0), baseline="A", trials=99).gate is None


def test_gate_takes_and_names_the_first_test_that_has_sides():
    options = {"baseline": "base", "gate": True, "trials": 999}
    worse = compare(shifted(-1.0), tests=("tukey", "bootstrap"), **options)
    assert worse.gate.verdict == "fail"
    assert "by the bootstrap test" in worse.gate.reasons[0]
    assert "test" not in compare(shifted(-1.0), **options).gate.reasons[0]
    assert compare(shifted(1.0), tests=("tukey", "bootstrap"), **options).gate.verdict == "pass"


BASE = {"baseline": "base", "gate": True, "trials": 999}


@pytest.mark.parametrize("margin", [{}, {"score": 0.1}])
@pytest.mark.parametrize("shift", [-9.0, 9.0])
@pytest.mark.parametrize("units", [1, 2, 9])
def test_too_few_units_leave_the_gate_open(units, shift, margin):
    """One segment had the interval [+9.73, +9.73], and passed."""
    result = compare(shifted(shift, segments=units), margin=margin, **BASE)
    assert result.gate.verdict == "inconclusive"
    [reason] = result.gate.reasons
    assert f"only {units} item" in reason
    [pair] = result.comparisons
    assert not pair.equivalent
    if margin and units == 1:
        assert (pair.margin_interval, pair.non_inferior) == (None, False)


def margin_error(units: int, margin: float, *, loss: float, gain: float) -> float:
    """The chance that "not worse" is said of pass/fail differences, by all counts of them."""
    error = 0.0
    for lost, won in itertools.product(range(units + 1), repeat=2):
        same = units - lost - won
        if same < 0:
            continue
        chance = multinomial.pmf([lost, won, same], units, [loss, gain, 1 - loss - gain])
        base = np.repeat([1, 0, 1], [lost, won, same])
        new = np.repeat([0, 1, 1], [lost, won, same])
        made = {"new": new, "base": base}
        [pair] = compare(from_arrays({"score": made}), margin={"score": margin}).comparisons
        error += chance * pair.non_inferior
    return error


@pytest.mark.parametrize(
    ("units", "margin", "gain"), [(5, 0.6, 0.0), (8, 0.32, 0.0), (9, 0.3, 0.1)]
)
def test_not_worse_is_said_of_few_units_by_the_same_rule(units, margin, gain):
    """A loss exactly at the margin seldom passes, and large margins can be met without a gate."""
    assert 0 < margin_error(units, margin, loss=margin + gain, gain=gain) < 0.05


@pytest.mark.parametrize(("shift", "verdict"), [(-9.0, "fail"), (9.0, "pass")])
@pytest.mark.parametrize("margin", [{}, {"score": 0.1}])
def test_ten_units_are_enough(margin, shift, verdict):
    ten = shifted(shift, segments=10)
    assert compare(ten, margin=margin, **BASE).gate.verdict == verdict


def test_trials_that_cannot_reach_alpha_leave_the_gate_open():
    """1/(18 + 1) > .05: then neither a pass nor a fail means anything."""
    few = compare(shifted(9.0), **BASE | {"trials": 18})
    assert few.gate.verdict == "inconclusive"
    assert "use at least 19 trials" in few.gate.reasons[0]
    assert compare(shifted(9.0), **BASE | {"trials": 19}).gate.verdict == "pass"


def by_metrics(shifts: dict[str, float], segments: int = 200, **options):
    """Compare two systems by several metrics that are independent of each other."""
    rng = np.random.default_rng(5)
    given = {}
    for name, shift in shifts.items():
        errors = rng.normal(0, 1, segments)
        new = (errors - errors.mean()) / errors.std() + shift
        given[name] = {"base": np.zeros(segments), "new": new}
    return compare(from_arrays(given), **{**BASE, **options})


def test_p_values_are_adjusted_for_metrics_by_holm_against_its_definition():
    shifts = {"x": -0.18, "y": -0.12, "z": 0.0}
    result = by_metrics(shifts, alternative="worse", trials=9999)
    p = [one.p_value for one in result.comparisons]
    first, second, third = sorted(p)
    adjusted = {
        first: 3 * first,
        second: max(3 * first, 2 * second),
        third: max(3 * first, 2 * second, third),
    }
    for reason, value in zip(result.gate.reasons, p, strict=True):
        wanted = min(1.0, adjusted[value])
        assert float(reason.split(" adjusted")[0].split()[-1]) == pytest.approx(wanted, abs=6e-5)
        assert ("fail" in reason) == (wanted <= 0.05)
    alone = by_metrics({"x": -0.18}, alternative="worse", trials=9999)
    assert "adjusted" not in alone.gate.reasons[0]


def test_with_margins_several_metrics_fail_at_alpha_over_their_number():
    """At α the upper end of one lies below the margin, but not at α/3."""
    rng = np.random.default_rng(1)
    errors = rng.normal(0, 1, 400)
    loss = (errors - errors.mean()) / errors.std() - 1.0  # mean −1, standard error .05
    given = {"base": np.zeros(400), "new": loss}
    none = {"base": np.zeros(400), "new": errors * 0.01}
    options = {"margin": {"x": 0.9, "y": 0.5, "z": 0.5}, "trials": 9999} | BASE
    # z of .05 and .05/3 are 1.645 and 2.128: ends at −.918 and −.894.
    alone = compare(from_arrays({"x": given}), **options | {"margin": {"x": 0.9}})
    assert alone.gate.verdict == "fail"
    three = compare(from_arrays({"x": given, "y": none, "z": none}), **options)
    assert three.gate.verdict == "inconclusive"
    assert "α/3" in three.gate.reasons[0]
    # Passing is no matter of how many: all must.
    assert [reason.split(" ")[3] for reason in three.gate.reasons[1:]] == ["pass", "pass"]


def test_metrics_with_and_without_a_margin_share_one_error():
    """The p-value of the only metric without a margin is adjusted for the two others too."""
    options = {"margin": {"y": 5.0, "z": 5.0}, "alternative": "worse", "trials": 9999}
    result = by_metrics({"x": -0.13, "y": 0.0, "z": 0.0}, **options)
    p = result.comparisons[0].p_value
    assert p < 0.05 < 3 * p
    assert [reason.split(" ")[3] for reason in result.gate.reasons] == ["pass"] * 3


def passes(segments: int, lost: int, won: int = 0) -> dict[str, np.ndarray]:
    """A baseline that passes half of all items, and a system that loses and wins some."""
    base = (np.arange(segments) % 2 == 0).astype(float)
    new = base.copy()
    new[np.flatnonzero(base)[:lost]] = 0
    new[np.flatnonzero(base == 0)[:won]] = 1
    return {"base": base, "new": new}


@pytest.mark.parametrize(
    ("segments", "lost", "won", "delta", "verdict"),
    [
        # One more failure of n + 1: −1/(n + 1) − t(.95, n)/(n + 1), also where all scores agree: a
        # system that fails 5% of items more would often agree on 20.
        (20, 0, 0, 0.12, "inconclusive"),
        (20, 0, 0, 0.14, "pass"),
        (100, 1, 1, 0.06, "pass"),
        (100, 1, 1, 0.03, "inconclusive"),
        (100, 3, 0, 0.08, "pass"),
        (100, 3, 0, 0.05, "inconclusive"),
        (100, 0, 3, 0.03, "pass"),
        (100, 30, 0, 0.1, "fail"),
    ],
)
def test_pass_fail_margins(segments, lost, won, delta, verdict):
    given = passes(segments, lost, won)
    result = compare(given, margin={"score": delta}, **BASE)
    assert result.gate.verdict == verdict
    [pair] = result.comparisons
    bound = failed_once_more(given["new"] - given["base"], 1.0, 0.05)
    assert pair.margin_interval[0] == pytest.approx(bound)
    assert (bound > -delta) == (verdict == "pass")


def test_an_end_at_the_margin_but_for_rounding_is_not_inside():
    """1 − .9 is less than .1 by 3e-17: a loss of exactly the margin would be called less."""
    base = np.ones(200)
    new = np.repeat([0.9], 200)
    assert (new - base).mean() > -0.1
    [pair] = compare({"new": new, "base": base}, margin={"score": 0.1}, trials=999).comparisons
    assert not pair.non_inferior
    assert pair.margin_verdict == "inconclusive"


def test_scores_without_known_bounds_are_judged_by_halving():
    """What nobody has said to be bounded may be lost without bound, which is said."""
    given = {name: scores / 2 + 0.1 for name, scores in passes(1000, 40).items()}
    options = {"margin": {"score": 0.05}, **BASE}
    unknown = compare(given, **options)
    assert unknown.gate.verdict == "pass"
    assert "score=score:LOW..HIGH" in unknown.gate.reasons[0]
    assert "bounds from random halvings" in unknown.methods
    assert "worst possible score" not in unknown.methods
    stated = compare(given, metric="score:0.1..0.6", **options)
    assert stated.gate.verdict == "pass"
    assert "LOW..HIGH" not in stated.gate.reasons[0]


def test_an_open_verdict_names_the_items_that_an_equal_system_needs():
    result = compare(passes(100, 1, 1), margin={"score": 0.03}, **BASE)
    [needed] = re.findall(r"with ([\d,]+) items", result.gate.reasons[0])
    size = int(needed.replace(",", ""))
    for segments, verdict in ((size, "pass"), (size // 2, "inconclusive")):
        equal = passes(segments - segments % 2, segments // 100, segments // 100)
        assert compare(equal, margin={"score": 0.03}, **BASE).gate.verdict == verdict


def test_texts_with_one_more_nonsense_output():
    """Copies pass; a system that differs a little has to survive a segment of nonsense."""
    systems, test_set = copies("AB")
    options = {"baseline": "B", "gate": True}
    same = compare(systems, test_set, [Bleu(), Ter()], margin={"bleu": 0.1, "ter": 0.1}, **options)
    assert same.gate.verdict == "pass"
    systems, test_set = corpus()
    pair = [systems[0], systems[1]]
    for metric in (Bleu(), Ter()):
        key = metric.name.lower()
        [found] = compare(pair, test_set, [metric], margin={key: 1.0}, baseline="B").comparisons
        sign = 1 if metric.higher_is_better else -1
        low, high = found.margin_interval
        plain = compare(pair, test_set, [metric], level=0.9, baseline="B").comparisons[0].interval
        inner = sorted(sign * end for end in plain)
        assert low < inner[0]
        assert high > inner[1]


def test_false_passes_of_pass_fail_scores_at_the_margin():
    """Exact: a system that only ever loses, δ of all items, passes if it loses so few here."""
    for n, delta in ((20, 0.14), (50, 0.06), (100, 0.03), (100, 0.05)):
        wrong = sum(
            math.comb(n, lost) * delta**lost * (1 - delta) ** (n - lost)
            for lost in range(n // 2)
            if compare(passes(n, lost), margin={"score": delta}, **BASE).gate.verdict == "pass"
        )
        assert wrong <= 0.071


def test_runs_that_lose_and_win_the_same_item_are_identical():
    scores = np.linspace(0.1, 0.9, 40)
    swapped = scores.copy()
    swapped[:2] += 0.05
    runs = {"base": np.array([scores, swapped]), "new": np.array([swapped, scores])}
    [pair] = compare(runs, margin={"score": 0.001}).comparisons
    assert pair.margin_verdict == "pass"


def test_strict_bounds_are_wider():
    given = passes(400, 6, 6)
    options = {"margin": {"score": 0.05}, **BASE}
    [usual] = compare(given, **options).comparisons
    [strict] = compare(given, strict=True, **options).comparisons
    assert strict.margin_interval[0] < usual.margin_interval[0]
    assert compare(passes(4000, 60, 60), strict=True, **options).gate.verdict == "pass"


def test_a_macro_mean_is_judged_by_halving():
    large, small = passes(200, 20), passes(40, 2)
    given = {name: np.concatenate([large[name], small[name]]) for name in ("new", "base")}
    labels = ["large"] * 200 + ["small"] * 40
    for margin, verdict in ((0.2, "pass"), (0.03, "fail"), (0.08, "inconclusive")):
        result = compare(given, slices=labels, margin={"score": margin})
        found = {one.slice: one for one in result.comparisons}
        assert found[MACRO].margin_verdict == verdict

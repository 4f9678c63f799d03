"""Conclusions at the edges: few items, pass/fail, many systems, any seed, any day."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, t
from statsmodels.stats.proportion import proportion_confint

import weigh
from weigh.comparing.scopes import MACRO
from weigh.errors import InputError, UsageError
from weigh.stats.betting import Bets, adjust_e_values, confidence_sequence
from weigh.stats.power import NOT_AT_ANY_TIME, NOTHING_VARIES, TOO_FEW_DIFFER


def pass_fail(won: int, lost: int, items: int, both: int = 0) -> dict[str, np.ndarray]:
    """A passes `won` items that B fails, B passes `lost` that A fails, and both pass some."""
    a, b = np.zeros(items), np.zeros(items)
    a[:won] = b[won : won + lost] = 1
    a[items - both :] = b[items - both :] = 1
    return {"A": a, "B": b}


def two(systems: dict[str, object], **options: object) -> weigh.Comparison:
    return weigh.compare(systems, threads=1, **options)["A", "B"]


# 1. Many systems.


def test_many_systems_of_pass_and_fail_are_told_apart():
    """134 systems × 500 items: 8,911 pairs, the best against the worst about 400 to 1."""
    rng = np.random.default_rng(1)
    chances = np.linspace(0.1, 0.9, 134)[:, None]
    results = rng.random((134, 500)) < chances
    systems = {f"s{i}": result.astype(float) for i, result in enumerate(results)}
    compared = weigh.compare(systems, threads=1)
    assert len(compared.comparisons) == 8_911
    assert all(pair.exact and pair.trials == 0 for pair in compared.comparisons)
    assert np.mean([pair.significant for pair in compared.comparisons]) > 0.6
    [ranking] = compared.rankings
    assert ranking.ranks["s133"][1] < 40
    assert ranking.ranks["s0"][0] > 95


def test_many_systems_with_real_scores_are_told_apart():
    """40 systems, 780 pairs: 10,000 trials could reject nothing, so trials go on."""
    rng = np.random.default_rng(2)
    systems = {f"s{i}": rng.normal(i / 10, 1, 60) for i in range(40)}
    compared = weigh.compare(systems, threads=1)
    best = compared["s0", "s39"]
    assert best.trials > 780 / 0.05 - 1
    assert best.significant


# 2. Seeds.


@pytest.mark.parametrize("seed", [0, 1, 7, 12345, 2**64 - 1])
def test_no_seed_decides(seed):
    pair = two(pass_fail(13, 4, 100, both=40), seed=seed)
    assert pair.p_value == pytest.approx(binomtest(13, 17).pvalue)
    assert (round(pair.p_value, 4), pair.significant) == (0.0490, True)
    assert (pair.exact, pair.trials, pair.p_stderr) == (True, 0, 0.0)


def test_no_seed_decides_where_trials_are_drawn():
    """Exact p is .00267, so .040 adjusted for 15 pairs: 9,999 trials decide by their seed."""
    rng = np.random.default_rng(83)
    scores = rng.normal([[1.1], [0], [0.5], [0.5], [0.5], [0.5]], 1, (6, 18))
    d = scores[0] - scores[1]
    signs = 1 - 2 * (np.arange(2**18)[:, None] >> np.arange(18) & 1).astype(np.int8)
    exact = float(np.mean(np.abs(signs @ d) >= abs(d.sum()) - 1e-12))
    assert 15 * exact == pytest.approx(0.040, abs=1e-4)
    systems = dict(zip("ABCDEF", scores, strict=True))
    options = {"adjust": "bonferroni"}
    fixed = [two(systems, seed=seed, trials=9_999, **options).significant for seed in range(10)]
    assert set(fixed) == {True, False}
    for seed in range(10):
        pair = two(systems, seed=seed, **options)
        assert pair.significant
        assert not pair.within_error
        assert pair.trials > 9_999
        assert pair.p_adjusted == pytest.approx(0.040, abs=15 * 3 * pair.p_stderr)


@pytest.mark.parametrize("order", ["ABC", "CAB", "ACB"])
def test_a_third_system_does_not_change_the_p_value_of_two(order):
    systems = pass_fail(13, 4, 100, both=40) | {"C": np.random.default_rng(3).random(100)}
    pair = two({name: systems[name] for name in order})
    assert pair.p_value == pytest.approx(binomtest(13, 17).pvalue)
    assert (pair.exact, pair.trials) == (True, 0)


@pytest.mark.parametrize("order", ["ABC", "CAB"])
@pytest.mark.parametrize("size", [1e9, 1e12, 1e15])
@pytest.mark.parametrize("kind", ["all items", "one item"])
def test_a_system_with_huge_scores_does_not_change_the_comparison_of_two(kind, size, order):
    rng = np.random.default_rng(4)
    systems = {"A": rng.normal(size=14), "B": rng.normal(0.5, 1, 14), "C": rng.random(14)}
    alone = two({name: systems[name] for name in "AB"}, adjust="none")
    systems["C"] = size * systems["C"] if kind == "all items" else np.append(np.zeros(13), size)
    pair = two({name: systems[name] for name in order}, adjust="none")
    assert (pair.exact, alone.exact) == (True, True)
    assert pair.p_value == pytest.approx(alone.p_value, rel=1e-9)
    assert pair.interval == pytest.approx(alone.interval, rel=1e-9)
    assert pair.detectable == pytest.approx(alone.detectable, rel=1e-9)


def test_five_differing_items_can_never_reach_five_percent():
    compared = weigh.compare(pass_fail(5, 0, 1000))
    assert compared["A", "B"].p_value == 0.0625
    assert any("p cannot reach .05" in remark for remark in compared.warnings)
    again = weigh.compare(pass_fail(6, 0, 1000))
    assert again["A", "B"].significant
    assert not any("p cannot reach .05" in remark for remark in again.warnings)


@pytest.mark.parametrize(
    ("options", "reached"),
    [({}, ".05"), ({"alpha": 0.01}, ".01"), ({"alternative": "better", "alpha": 0.1}, ".1")],
)
def test_too_few_differing_documents_are_named(options, reached):
    """Three of 20 documents differ, by five items each: two-sided p is at least 1/4."""
    documents = [str(item // 5) for item in range(100)]
    compared = weigh.compare(pass_fail(15, 0, 100), documents=documents, **options)
    assert min(pair.p_value for pair in compared.comparisons) >= 0.125
    assert any(f"p cannot reach {reached}" in remark for remark in compared.warnings)


# 3. Pass/fail intervals.


@pytest.mark.parametrize("passed", [20, 19, 10, 0])
def test_pass_fail_scores_have_wilsons_interval(passed):
    systems = {"A": (np.arange(20) < passed).astype(float)}
    [score] = weigh.score(systems)
    theirs = proportion_confint(passed, 20, method="wilson")
    assert score.interval == pytest.approx(theirs, abs=1e-9)
    beside = weigh.compare(systems | {"B": np.ones(20)}).scores
    assert beside[0].interval == pytest.approx(theirs, abs=1e-9)


def test_twenty_of_twenty():
    [score] = weigh.score({"A": np.ones(20)})
    assert (round(score.interval[0], 3), score.interval[1]) == (0.839, 1.0)


@pytest.mark.parametrize(("items", "half"), [(10, 0.271), (20, 0.137), (50, 0.055), (200, 0.014)])
def test_no_difference_seen_is_not_no_difference(items, half):
    pair = two(pass_fail(0, 0, items, both=items // 2))
    assert (pair.p_value, pair.significant) == (1.0, False)
    assert pair.interval == pytest.approx((-half, half), abs=6e-4)


# 4. p and interval.


def test_the_interval_of_a_score_contains_the_score():
    """Half a test set with hardly any match has a higher BLEU than the whole, by smoothing."""
    rng = np.random.default_rng(5)
    words = [f"w{at}" for at in range(300)]
    texts = {
        name: [" ".join(rng.choice(words, 12)) for _ in range(60)] for name in ("A", "B", "ref")
    }
    reference = texts.pop("ref")
    result = weigh.score(texts, references=reference, metrics="bleu", interval="halving")
    for score in result.scores:
        low, high = score.interval
        assert low <= score.score <= high


def test_five_to_none_of_twenty():
    pair = two(pass_fail(5, 0, 20, both=5))
    assert (pair.p_value, pair.significant) == (0.0625, False)
    assert pair.interval[0] <= 0 < 0.25 < pair.interval[1]


@pytest.mark.parametrize("units", [1, 2, 3, 5, 6, 10, 30])
@pytest.mark.parametrize("kind", ["normal", "pass/fail"])
@pytest.mark.parametrize("lower", [False, True])
def test_p_and_interval_agree(units, kind, lower):
    for seed in range(8):
        rng = np.random.default_rng([seed, units])
        a, b = rng.normal(0.5, 0.5, units), np.zeros(units)
        if kind == "pass/fail":
            a, b = (rng.random((2, units)) < [[0.9], [0.4]]).astype(float)
        pair = two({"A": a, "B": b}, lower_is_better=lower, seed=seed)
        if pair.interval is None:
            assert units < 6
            continue
        low, high = pair.interval
        assert low <= pair.difference <= high
        assert pair.significant == (pair.p_value <= 0.05)
        assert (low >= 0 or high <= 0) if pair.significant else low <= 0 <= high
        assert not pair.interval_contradicts


@pytest.mark.parametrize(("level", "fewest"), [(0.95, 6), (0.99, 8)])
def test_fewest_units_that_have_an_interval(level, fewest):
    rng = np.random.default_rng(3)
    for units in range(1, 12):
        systems = dict(zip("AB", rng.normal(size=(2, units)), strict=True))
        assert (two(systems, level=level).interval is None) == (units < fewest)
        remarks = weigh.compare(systems, level=level).warnings
        is_stated = any(f"intervals need at least {fewest}" in remark for remark in remarks)
        assert is_stated == (1 < units < fewest)
        scores = weigh.score(systems, level=level, interval="halving")
        is_stated = any(f"intervals need at least {fewest}" in remark for remark in scores.warnings)
        assert is_stated == (units < fewest)


@pytest.mark.parametrize("alternative", ["better", "worse"])
@pytest.mark.parametrize("lower", [False, True])
def test_a_one_sided_test_has_its_one_sided_bound(alternative, lower):
    rng = np.random.default_rng(4)
    sign = (1 if alternative == "better" else -1) * (-1 if lower else 1)
    systems = {"A": rng.normal(0.6 * sign, 1, 40), "B": np.zeros(40)}
    pair = two(systems, alternative=alternative, lower_is_better=lower)
    low, high = pair.interval
    assert pair.significant
    if sign > 0:
        assert 0 <= low < pair.difference < high == np.inf
    else:
        assert -np.inf == low < pair.difference < high <= 0


@pytest.mark.parametrize("runs_as_sample", [False, True])
def test_the_methods_say_that_bounds_are_one_sided(runs_as_sample):
    rng = np.random.default_rng(6)
    systems = dict(zip("AB", rng.normal(size=(2, 3, 20)), strict=True))
    options = {"runs_as_sample": runs_as_sample, "threads": 1}
    said = "those of differences are one-sided bounds"
    assert said in weigh.compare(systems, alternative="better", **options).methods
    assert said not in weigh.compare(systems, **options).methods


@pytest.mark.parametrize("test", ["tukey", "scheffe"])
def test_block_tests_of_a_single_item_are_refused(test):
    with pytest.raises(UsageError, match=f"{test} needs at least two items of a single test set"):
        weigh.compare({"A": [0.5], "B": [0.4]}, tests=(test,), threads=1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tests": ("tukey",)}, "tukey needs at least two items of a single test set"),
        ({"anytime": True}, "--anytime needs a single test set"),
        ({"strict": True, "margin": {"score": 0.2}}, "--strict needs a single test set"),
    ],
)
def test_what_a_mean_of_test_sets_does_not_have_is_refused(options, said):
    """Scores are pass/fail, so the reason is not that their bounds are unknown."""
    rows = [
        {"system": system, "item": item, "score": float(item % 3 < place), "set": f"t{item % 2}"}
        for place, system in enumerate("AB", 1)
        for item in range(24)
    ]
    columns = {"system": "system", "item": "item", "score": "score"}
    with pytest.raises(UsageError, match=said):
        weigh.compare(pd.DataFrame(rows), **columns, set="set", **options)
    result = weigh.compare(pd.DataFrame(rows), **columns, slice="set", **options)
    mean = [pair for pair in result.comparisons if pair.slice == MACRO]
    for pair in mean:
        assert pair.margin_reason == "--strict has no bounds for a mean of slices"
    assert str(result)


@pytest.mark.parametrize("offset", [1e6, 1e9])
@pytest.mark.parametrize("interval", ["bca", "percentile"])
def test_a_common_offset_does_not_change_bootstrap_intervals(offset, interval):
    """With a large offset, bootstrap scores that tie with the difference would no longer tie."""
    rng = np.random.default_rng(5)
    scores = {name: rng.integers(0, 9, 25).astype(float) for name in "AB"}
    options = {"documents": [f"d{i // 2}" for i in range(25)], "interval": interval}
    options["tests"] = ("bootstrap", "paired-bootstrap")
    plain = weigh.compare(scores, threads=1, **options)
    moved = weigh.compare(
        {name: column + offset for name, column in scores.items()}, threads=1, **options
    )
    for pair, same in zip(plain.comparisons, moved.comparisons, strict=True):
        assert same.interval == pytest.approx(pair.interval, abs=1e-8)
        assert (same.count, same.p_value) == (pair.count, pair.p_value)
    for score, same in zip(plain.scores, moved.scores, strict=True):
        ends = [end - offset for end in same.interval]
        assert ends == pytest.approx(score.interval, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-100, 1e-140, 1e120])
def test_runs_as_a_sample_do_not_depend_on_the_scale(scale):
    """The degrees of freedom have squares of variances, which are 0 or infinite here."""
    rng = np.random.default_rng(6)
    runs = {name: rng.normal(size=(3, 20)) for name in "AB"}
    plain = two(runs, runs_as_sample=True)
    scaled = two({name: scale * scores for name, scores in runs.items()}, runs_as_sample=True)
    assert scaled.p_value == pytest.approx(plain.p_value)
    assert [end / scale for end in scaled.interval] == pytest.approx(plain.interval)
    assert scaled.detectable / scale == pytest.approx(plain.detectable)


@pytest.mark.parametrize("offset", [1e9, 1e12])
@pytest.mark.parametrize("kind", ["halves", "real"])
def test_a_common_offset_changes_nothing(offset, kind):
    rng = np.random.default_rng(5)
    a, b = rng.normal([[0.3], [0.0]], 1, (2, 80))
    if kind == "halves":
        a, b = np.round(2 * a) / 2, np.round(2 * b) / 2
    plain = two({"A": a, "B": b}, detect={"score": 0.1})
    moved = two({"A": a + offset, "B": b + offset}, detect={"score": 0.1})
    slack = 1e-9 if kind == "halves" else 1e-3 if offset == 1e12 else 1e-5
    assert moved.p_value == pytest.approx(plain.p_value, abs=10 * slack)
    assert moved.interval == pytest.approx(plain.interval, abs=slack)
    assert moved.detectable == pytest.approx(plain.detectable, abs=slack)
    assert moved.units_needed == pytest.approx(plain.units_needed, abs=1)
    assert moved.exact == plain.exact


def test_swapping_the_systems_mirrors_everything():
    rng = np.random.default_rng(6)
    a, b = rng.normal(0.2, 1, (2, 50))
    one, other = two({"A": a, "B": b}), two({"A": b, "B": a})
    assert other.p_value == one.p_value
    assert other.interval == pytest.approx((-one.interval[1], -one.interval[0]))
    assert other.detectable == pytest.approx(one.detectable)


# 5. Power.


def test_one_differing_item_of_a_thousand_tells_nothing_of_power():
    pair = two(pass_fail(1, 0, 1000, both=500), detect={"score": 0.1})
    assert (pair.detectable, pair.detectable_reason) == (None, TOO_FEW_DIFFER)
    assert pair.units_needed == 6000  # fewer would have less than the six that a test needs


def test_power_is_that_of_the_adjusted_test():
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(12, 100))
    few = two({"A": scores[0], "B": scores[1]}).detectable
    systems = dict(zip("ABCDEFGHIJKL", scores, strict=True))
    many = weigh.compare(systems)["A", "B"].detectable
    unadjusted = weigh.compare(systems, adjust="none")["A", "B"].detectable
    assert many > 1.4 * few
    assert unadjusted == pytest.approx(few)


@pytest.mark.parametrize("units", [5, 6, 7])
def test_too_few_units_tell_nothing_of_power(units):
    rng = np.random.default_rng(8)
    pair = two({"A": rng.normal(size=units), "B": np.zeros(units)})
    assert (pair.detectable, pair.detectable_reason) == (None, TOO_FEW_DIFFER)


# 6. Gates.


def gated(items: int, lost: int, margin: float = 0.05, **options: object) -> weigh.CompareResult:
    systems = {"base": np.ones(items), "new": (np.arange(items) >= lost).astype(float)}
    return weigh.compare(systems, baseline="base", gate=True, margin={"score": margin}, **options)


@pytest.mark.parametrize(
    ("items", "lost", "verdict"),
    [(9, 1, "inconclusive"), (20, 1, "inconclusive"), (400, 2, "pass"), (100, 30, "fail")],
)
def test_a_gate_survives_one_more_total_failure(items, lost, verdict):
    result = gated(items, lost)
    assert result.gate.verdict == verdict
    if items >= 10:
        d = np.array([-1.0] * lost + [0.0] * (items - lost) + [-1.0])
        bound = d.mean() - t.ppf(0.95, items) * d.std(ddof=1) / (items + 1) ** 0.5
        assert (bound > -0.05) == (verdict == "pass")
        assert result.comparisons[0].margin_interval[0] == pytest.approx(bound)


def test_an_open_gate_names_the_items_that_settle_it():
    [pair] = gated(40, 1).comparisons
    assert "an equal system would pass about 80% of the time" in pair.margin_reason


def test_identical_outputs_pass():
    texts = [f"item {n}" for n in range(20)]
    result = weigh.compare(
        {"old": texts, "new": texts},
        references=[f"an {text}" for text in texts],
        metrics=["bleu"],
        margin={"bleu": 0.01},
        baseline="old",
        gate=True,
    )
    assert result.gate.verdict == "pass"


def test_equal_pass_fail_scores_are_no_identical_outputs():
    assert gated(20, 0).gate.verdict == "inconclusive"


@pytest.mark.parametrize("highest", [1, 10])
def test_equal_scores_at_stated_bounds_are_no_identical_outputs(highest):
    """Stating the bounds of pass/fail scores does not turn an open verdict into a pass."""
    scores = float(highest) * (np.arange(20) < 15)
    systems = {"old": scores, "new": scores.copy()}
    options = {"metric": f"score:0..{highest}", "baseline": "old", "gate": True, "threads": 1}
    result = weigh.compare(systems, margin={"score": highest / 10}, **options)
    assert result.gate.verdict == "inconclusive"
    assert result.comparisons[0].margin_interval[0] == pytest.approx(-0.1297 * highest, rel=1e-3)
    scores[0] = highest / 2  # with graded scores, equal ones show more
    graded = weigh.compare({"old": scores, "new": scores}, margin={"score": 0.01}, **options)
    assert graded.gate.verdict == "pass"


def test_a_strict_gate_uses_the_guaranteed_bound():
    plain, strict = gated(300, 3), gated(300, 3, strict=True)
    assert (plain.gate.verdict, strict.gate.verdict) == ("pass", "pass")
    d = np.array([[-1.0] * 3 + [0.0] * 297])
    low, _ = confidence_sequence(d, 0.95, tails=1)
    assert strict.comparisons[0].margin_interval[0] == pytest.approx(low[0])
    assert low[0] < plain.comparisons[0].margin_interval[0]
    assert gated(120, 1, strict=True).gate.verdict == "inconclusive"


def test_strict_is_about_margins():
    with pytest.raises(UsageError, match="margin"):
        weigh.compare(pass_fail(5, 0, 50), strict=True)


# 7. Bootstraps.


@pytest.mark.parametrize("test", ["bootstrap", "paired-bootstrap"])
@pytest.mark.parametrize(("units", "concludes"), [(5, False), (19, False), (20, True)])
def test_bootstraps_conclude_nothing_below_twenty_units(test, units, concludes):
    rng = np.random.default_rng(9)
    systems = {"A": rng.normal(5, 1, units), "B": np.zeros(units)}
    compared = weigh.compare(systems, tests=(test,))
    pair = compared["A", "B"]
    assert pair.p_value < 0.01
    assert pair.significant == concludes
    assert (pair.inconclusive is None) == concludes
    assert any("no system is called better" in remark for remark in compared.warnings) != concludes


# 8. Documents, runs and slices.


def test_documents_of_pass_and_fail():
    rng = np.random.default_rng(10)
    sizes = rng.integers(1, 9, 30)
    documents = [f"d{i}" for i, size in enumerate(sizes) for _ in range(size)]
    easy = np.repeat(rng.random(30), sizes)
    a, b = (rng.random((2, len(easy))) < np.array([easy + 0.2, easy])).astype(float)
    compared = weigh.compare({"A": a, "B": b}, documents=documents)
    pair = compared["A", "B"]
    assert pair.exact
    ends = np.cumsum([0, *sizes])
    d = [(a - b)[i:j].sum() for i, j in pairwise(ends)]
    signs = np.random.default_rng(0).choice([-1, 1], (200_000, 30))
    drawn = np.mean(np.abs(signs @ d) >= abs(sum(d)))
    assert pair.p_value == pytest.approx(drawn, abs=0.005)
    low, high = compared.scores[0].interval
    plain = proportion_confint(a.sum(), len(a), method="wilson")
    assert low < plain[0] < a.mean() < plain[1] < high


def test_runs_of_pass_and_fail():
    """Five runs that always agree are no more than one."""
    a = (np.arange(40) < 33).astype(float)
    b = (np.arange(40) < 20).astype(float)
    one, five = two({"A": a, "B": b}), two({"A": [a] * 5, "B": [b] * 5})
    assert five.p_value == pytest.approx(one.p_value)
    assert five.interval == pytest.approx(one.interval)
    assert five.identical == one.identical == 27 / 40


def test_share_of_identical_items_counts_items_and_not_runs():
    """Half of the items have other scores in one of two runs: half of the items are identical."""
    base = np.zeros((2, 40))
    other = base.copy()
    other[0, :20] = 1
    assert two({"A": base, "B": other}).identical == 0.5


def test_slices_are_not_corrected_for_their_number():
    rng = np.random.default_rng(11)
    slices = [f"slice {i % 4}" for i in range(80)]
    compared = weigh.compare({"A": rng.normal(size=80), "B": rng.normal(size=80)}, slices=slices)
    assert any("for the number of slices" in remark for remark in compared.warnings)
    plain = weigh.compare({"A": rng.normal(size=80), "B": rng.normal(size=80)})
    assert not any("for the number of slices" in remark for remark in plain.warnings)


def test_macro_means_leave_out_small_slices():
    rng = np.random.default_rng(12)
    slices = ["x"] * 30 + ["y"] * 30 + ["tiny"] * 5
    a, b = rng.normal(size=(2, 65))
    compared = weigh.compare({"A": a, "B": b}, slices=slices)
    macro = next(score for score in compared.scores if "macro" in (score.slice or ""))
    assert macro.score == pytest.approx((a[:30].mean() + a[30:60].mean()) / 2)


# 9. At any time.


def test_anytime_is_the_closed_test_of_stakes():
    rng = np.random.default_rng(13)
    results = (rng.random((4, 300)) < [[0.9], [0.5], [0.5], [0.5]]).astype(float)
    compared = weigh.compare(dict(zip("ABCD", results, strict=True)), anytime=True)
    pairs = [(pair.a, pair.b) for pair in compared.comparisons]
    d = np.array([results["ABCD".index(a)] - results["ABCD".index(b)] for a, b in pairs])
    e = Bets.none(len(d)).after(d).e_values
    adjusted = adjust_e_values(e)
    low, high = confidence_sequence(d)
    for i, pair in enumerate(compared.comparisons):
        assert pair.test == "anytime"
        assert pair.p_value == pytest.approx(min(1.0, 1 / e[i]))
        assert pair.p_adjusted == pytest.approx(min(1.0, 1 / adjusted[i]))
        assert pair.significant == (adjusted[i] >= 20)
        assert pair.interval == pytest.approx((low[i], high[i]), abs=1e-6)
    assert sum(pair.significant for pair in compared.comparisons) == 3


def test_anytime_counts_small_stakes_of_others_as_they_are():
    """A stake below 1 lowers the mean of the closed test: it must not count as 1."""
    rng = np.random.default_rng(14)
    # Both directions lose money on noise, so that the stake of the second pair falls.
    a = (np.arange(24) % 24 < 17).astype(float)
    noise = np.tile([1.0, 0.0], 12)
    results = {"A": a, "B": 1 - a, "C": rng.permutation(noise)}
    compared = weigh.compare(results, anytime=True)
    pairs = [(pair.a, pair.b) for pair in compared.comparisons]
    e = Bets.none(3).after([results[x] - results[y] for x, y in pairs]).e_values
    assert e.min() < 1 < e.max()
    adjusted = adjust_e_values(e)
    for pair, expected in zip(compared.comparisons, adjusted, strict=True):
        assert pair.p_adjusted == pytest.approx(min(1.0, 1 / expected))


def test_anytime_of_documents_bets_on_whole_documents():
    sizes = [1, 3, 2, 4] * 20
    documents = [f"d{i}" for i, size in enumerate(sizes) for _ in range(size)]
    rng = np.random.default_rng(15)
    a, b = (rng.random((2, len(documents))) < [[0.8], [0.5]]).astype(float)
    pair = two({"A": a, "B": b}, documents=documents, anytime=True)
    ends = np.cumsum([0, *sizes])
    d = [[(a - b)[i:j].sum() / 4 for i, j in pairwise(ends)]]
    assert pair.p_value == pytest.approx(1 / Bets.none(1).after(d).e_values[0])
    assert pair.interval is None


def test_anytime_holds_margins_against_bounds_that_hold_at_any_time():
    systems = pass_fail(10, 12, 400, both=300)
    pair = two(systems, anytime=True, margin={"score": 0.2})
    d = (systems["A"] - systems["B"])[None]
    low, high = confidence_sequence(d, 0.95, tails=1)
    assert pair.margin_interval == pytest.approx((low[0], high[0]))
    assert (pair.non_inferior, pair.equivalent) == (True, True)
    assert pair.margin_interval == two(systems, strict=True, margin={"score": 0.2}).margin_interval


def test_anytime_needs_known_bounds():
    scores = {"A": np.arange(30) * 1.7, "B": np.zeros(30)}
    with pytest.raises(UsageError, match=r"LOW\.\.HIGH"):
        weigh.compare(scores, anytime=True)
    assert weigh.compare(scores, anytime=True, metric="score:0..60")["A", "B"].p_value < 1


# Bounds, sizes and names.


def test_pass_at_k_of_items_that_all_pass_has_an_interval() -> None:
    """The hull with one more item at each bound: as of exact matches that are all right."""
    passed, failed = np.ones((3, 20)), np.tile(np.arange(20) % 4 > 0, (3, 1)).astype(float)
    result = weigh.compare({"A": passed, "B": failed}, pass_at=2)
    low, high = next(score for score in result.scores if score.system == "A").interval
    values = np.concatenate([np.ones(20), [0.0, 1.0]])
    half = t.ppf(0.975, 21) * values.std(ddof=1) / math.sqrt(22)
    assert low == pytest.approx(values.mean() - half)
    assert high == 1.0


@pytest.mark.parametrize("options", [{"margin": {"score": 1.5}}, {"detect": {"score": 2}}])
def test_margins_beyond_the_range_of_scores_are_refused(options: dict[str, Any]) -> None:
    scores = {"A": np.arange(30) % 2, "B": np.arange(30) % 3 == 0}
    with pytest.raises(UsageError, match="scores can differ by at most 1"):
        weigh.compare(scores, **options)


@pytest.mark.parametrize("options", [{"margin": 0.1}, {"detect": "score=1"}, {"alpha": ".05"}])
def test_options_of_the_wrong_type_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="give"):
        weigh.compare({"A": [1, 2, 3], "B": [2, 3, 5]}, **options)


def test_tests_at_any_time_state_no_power() -> None:
    scores = {"A": np.arange(60) % 2, "B": np.arange(60) % 3 == 0}
    [pair] = weigh.compare(scores, anytime=True).comparisons
    assert (pair.detectable, pair.detectable_reason) == (None, NOT_AT_ANY_TIME)
    for options in ({"adjust": "bh"}, {"detect": {"score": 0.1}}):
        with pytest.raises(UsageError, match="--anytime"):
            weigh.compare(scores, anytime=True, **options)


@pytest.mark.parametrize(
    "systems",
    [{1: [1, 2], 2: [2, 3]}, {"": [1, 2], "B": [2, 3]}, {"A": [1j, 2], "B": [2, 3]}],
)
def test_systems_without_names_or_numbers_are_refused(systems: dict[Any, Any]) -> None:
    with pytest.raises(InputError):
        weigh.compare(systems)


def pass_fail_pair(wins: int, losses: int, items: int) -> dict[str, list[int]]:
    """Return scores of two systems that differ in so many items."""
    equal = [at % 2 for at in range(items - wins - losses)]
    return {"A": [1] * wins + [0] * losses + equal, "B": [0] * wins + [1] * losses + equal}


def test_an_interval_that_ends_at_0_contradicts_a_test_that_rejects():
    """The interval is closed: beside another test than its own, 0 is part of it."""
    for wins in range(6, 14):
        for losses in range(6):
            result = weigh.compare(pass_fail_pair(wins, losses, 30), tests=("bootstrap",), seed=3)
            [pair] = result.comparisons
            low, high = pair.interval
            excludes = low > 0 or high < 0
            assert pair.interval_contradicts == (excludes != (pair.p_value <= 0.05))


@pytest.mark.parametrize("interval", ["t", "percentile"])
@pytest.mark.parametrize("alternative", ["better", "worse"])
def test_a_requested_interval_is_marked_where_a_one_sided_test_does_not_reject(
    interval, alternative
):
    scores = pass_fail_pair(4, 0, 8) if alternative == "better" else pass_fail_pair(0, 4, 8)
    result = weigh.compare(scores, alternative=alternative, interval=interval, baseline="B")
    [pair] = result.comparisons
    assert pair.p_value == pytest.approx(1 / 16)
    assert min(map(abs, pair.interval)) > 0
    assert pair.interval_contradicts


def test_a_difference_without_noise_has_a_reason_of_its_own():
    result = weigh.compare({"A": [1] * 40, "B": [0] * 40})
    assert result.comparisons[0].detectable is None
    assert result.comparisons[0].detectable_reason == NOTHING_VARIES

"""The release gate and equivalence."""

from __future__ import annotations

import numpy as np
import pytest

from unit.comparing.systems import TESTS, copies, corpus, scores
from weigh import Bleu, Nist, Ter, compare
from weigh.comparing import margins
from weigh.comparing.measure import MACRO, measure_scores


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
    assert down.gate.reasons == (
        "D, BLEU: fail (one-sided p = .0001 for worse than A, .0002 adjusted for 2 metrics)",
        "D, TER: fail (one-sided p = .0001 for worse than A, .0002 adjusted for 2 metrics)",
    )
    twice = compare(
        [systems[0], systems[3]],
        test_set,
        [Bleu(), Bleu(lowercase=True)],
        baseline="A",
        gate=True,
        trials=99_999,
    )
    assert twice.gate.reasons == (
        "D, bleu: fail (one-sided p < .0001 for worse than A, <.0001 adjusted for 2 metrics)",
        "D, bleu:lowercase: fail (one-sided p < .0001 for worse than A, <.0001 adjusted for 2 "
        "metrics)",
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


def test_margin_interval_is_expanded_and_of_level_1_minus_2_alpha():
    given = shifted(0.1, noise=1.0, segments=12)
    options = {"margin": {"score": 0.5}, "interval": "expanded", "trials": 999}
    [pair] = compare(given, alpha=0.05, level=0.9, **options).comparisons
    # Pairs stand as given: base is a, so the interval is that of base − s0.
    assert pair.margin_interval == pair.interval
    [other] = compare(given, alpha=0.01, level=0.98, **options).comparisons
    assert other.margin_interval == other.interval
    [plain] = compare(given, level=0.9, **options | {"interval": "percentile"}).comparisons
    assert plain.margin_interval == pair.interval
    assert plain.interval[0] > pair.interval[0]
    assert plain.interval[1] < pair.interval[1]


def test_no_gate_unless_asked():
    assert compare(scores(A=0.0, B=1.0), baseline="A", trials=99).gate is None


def test_gate_takes_the_first_test_that_has_sides():
    options = {"baseline": "base", "gate": True, "trials": 999}
    assert compare(shifted(-1.0), tests=("tukey", "bootstrap"), **options).gate.verdict == "fail"
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
    assert f"only {units} segment" in reason
    [pair] = result.comparisons
    assert not pair.equivalent
    assert not pair.non_inferior
    if margin and units == 1:
        assert pair.margin_interval is None


@pytest.mark.parametrize(("shift", "verdict"), [(-9.0, "fail"), (9.0, "pass")])
@pytest.mark.parametrize("margin", [{}, {"score": 0.1}])
def test_ten_units_are_enough(margin, shift, verdict):
    ten = shifted(shift, segments=10)
    assert compare(ten, margin=margin, **BASE).gate.verdict == verdict
    ten["s0"][0] = ten["base"][0]  # then fewer than ten differ, and not because there are no more
    [pair] = compare(ten, margin={"score": 0.1}, trials=999).comparisons
    assert "--scale score=D" in pair.margin_reason


@pytest.mark.parametrize("margin", [{}, {"score": 0.1}])
def test_a_p_value_that_no_difference_can_reach_leaves_the_gate_open(monkeypatch, margin):
    """2^-4 > .05, and 1/(18 + 1) > .05: then neither a pass nor a fail means anything."""
    with monkeypatch.context() as patched:
        patched.setattr(margins, "LEAST_UNITS", 2)
        four = compare(shifted(9.0, segments=4), margin=margin, **BASE)
    assert four.gate.verdict == "inconclusive"
    assert "no p-value can be below .0625" in four.gate.reasons[0]
    options = BASE | {"margin": margin}
    few = compare(shifted(9.0), **options | {"trials": 18})
    assert few.gate.verdict == "inconclusive"
    assert "use at least 19 trials" in few.gate.reasons[0]
    assert compare(shifted(9.0), **options | {"trials": 19}).gate.verdict == "pass"


def by_metrics(shifts: dict[str, float], segments: int = 200, **options):
    """Compare two systems by several metrics that are independent of each other."""
    rng = np.random.default_rng(5)
    given = {}
    for name, shift in shifts.items():
        errors = rng.normal(0, 1, segments)
        new = (errors - errors.mean()) / errors.std() + shift
        given[name] = {"base": np.zeros(segments), "new": new}
    return compare(measure_scores(given), **{**BASE, **options})


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
    alone = compare(measure_scores({"x": given}), **options | {"margin": {"x": 0.9}})
    assert alone.gate.verdict == "fail"
    three = compare(measure_scores({"x": given, "y": none, "z": none}), **options)
    assert three.gate.verdict == "inconclusive"
    assert "α/3" in three.gate.reasons[0]
    # Passing is no matter of how many: all must.
    assert [reason.split(" ")[2] for reason in three.gate.reasons[1:]] == ["pass", "pass"]


def test_metrics_with_and_without_a_margin_share_one_error():
    """The p-value of the only metric without a margin is adjusted for the two others too."""
    options = {"margin": {"y": 5.0, "z": 5.0}, "alternative": "worse", "trials": 9999}
    result = by_metrics({"x": -0.13, "y": 0.0, "z": 0.0}, **options)
    p = result.comparisons[0].p_value
    assert p < 0.05 < 3 * p
    assert [reason.split(" ")[2] for reason in result.gate.reasons] == ["pass"] * 3


def passes(segments: int, lost: int, won: int = 0) -> dict[str, np.ndarray]:
    """A baseline that passes half of all items, and a system that loses and wins some."""
    base = (np.arange(segments) % 2 == 0).astype(float)
    new = base.copy()
    new[np.flatnonzero(base)[:lost]] = 0
    new[np.flatnonzero(base == 0)[:won]] = 1
    return {"base": base, "new": new}


@pytest.mark.parametrize(
    ("segments", "lost", "won", "delta", "equivalent", "verdict"),
    [
        # 1 − .05^(1/n) for none that differ: .1391 of 20, .0295 of 100
        (20, 0, 0, 0.14, True, "pass"),
        (20, 0, 0, 0.13, False, "inconclusive"),
        (100, 0, 0, 0.03, True, "pass"),
        (100, 0, 0, 0.029, False, "inconclusive"),
        # scipy.stats.beta.ppf(.95, k + 1, n − k): .0757 for 3 of 100, .1513 for 9 of 100
        (100, 3, 0, 0.076, True, "pass"),
        (100, 3, 0, 0.075, False, "inconclusive"),
        (100, 0, 3, 0.075, False, "inconclusive"),  # better, but by how much is not known
        (100, 9, 0, 0.152, True, "pass"),
        (100, 9, 0, 0.01, False, "inconclusive"),  # never fails by so few
        (100, 30, 0, 0.1, False, "fail"),
    ],
)
def test_where_few_units_differ_the_bound_of_their_share_decides(
    segments, lost, won, delta, equivalent, verdict
):
    given = passes(segments, lost, won)
    result = compare(given, margin={"score": delta}, **BASE)
    assert result.gate.verdict == verdict
    [pair] = result.comparisons
    assert (pair.equivalent, pair.non_inferior) == (equivalent, verdict == "pass")
    swapped = {"base": given["new"], "new": given["base"]}
    [pair] = compare(swapped, margin={"score": delta}, **BASE | {"baseline": "new"}).comparisons
    assert pair.equivalent == equivalent


def test_an_end_at_the_margin_but_for_rounding_is_not_inside():
    """1 − .9 is less than .1 by 3e-17: a loss of exactly the margin would be called less."""
    base = np.ones(200)
    new = np.repeat([0.9], 200)
    assert (new - base).mean() > -0.1
    [pair] = compare({"new": new, "base": base}, margin={"score": 0.1}, trials=999).comparisons
    assert not pair.non_inferior
    assert pair.margin_verdict == "inconclusive"


def test_sparse_differences_need_a_scale():
    """What nobody has said to be bounded may be lost without bound."""
    given = passes(1000, 2)
    halves = {name: scores / 2 + 0.1 for name, scores in given.items()}
    options = {"margin": {"score": 0.01}, **BASE}
    assert compare(given, **options).gate.verdict == "pass"
    unknown = compare(halves, **options)
    assert unknown.gate.verdict == "inconclusive"
    assert unknown.comparisons[0].margin_interval is None
    assert "--scale score=D" in unknown.gate.reasons[0]
    # .0063 of items may differ.
    assert compare(halves, scale={"score": 1.5}, **options).gate.verdict == "pass"
    assert compare(halves, scale={"score": 1.6}, **options).gate.verdict == "inconclusive"


def test_the_scale_of_metrics_of_texts():
    """Copies of 60 segments: 1 − .05^(1/60) = .0487 of a scale of 100 may differ."""
    systems, test_set = copies("AB")
    options = {"baseline": "B", "gate": True, "trials": 999}
    for metric in (Bleu(), Ter()):
        key = metric.name.lower()
        wide = compare(systems, test_set, [metric], margin={key: 4.9}, **options)
        assert wide.gate.verdict == "pass"
        narrow = compare(systems, test_set, [metric], margin={key: 4.8}, **options)
        assert narrow.gate.verdict == "inconclusive"
        # log .05 / log(1 − .048) = 60.9
        assert "even if none differed, 61 segments would be needed" in narrow.gate.reasons[0]
    [pair] = compare(systems, test_set, [Nist()], margin={"nist": 1.0}, trials=999).comparisons
    assert "--scale nist=D" in pair.margin_reason


def test_documents_and_runs_are_counted_as_units():
    """Two runs that lose and win the same item are no difference of it."""
    given = passes(40, 0)
    swapped = given["base"].copy()
    swapped[:2] = 1 - swapped[:2]
    runs = {"base": np.array([given["base"], swapped]), "new": np.array([swapped, given["base"]])}
    [pair] = compare(runs, margin={"score": 0.1}, trials=999).comparisons
    assert pair.margin_reason.startswith("0 of 40 segments differ")
    documents = [f"d{i // 2}" for i in range(40)]
    [pair] = compare(
        passes(40, 6), documents=documents, margin={"score": 0.1}, trials=999
    ).comparisons
    assert pair.margin_reason.startswith("6 of 20 documents differ")


def test_a_macro_mean_is_as_sure_as_its_smallest_slice():
    """10 units of one slice that do not differ may lose 31% of them, and so half of that."""
    large, small = passes(200, 40), passes(10, 0)
    given = {name: np.concatenate([large[name], small[name]]) for name in large}
    labels = ["large"] * 200 + ["small"] * 10
    options = {"slices": labels, "margin": {"score": 0.25}, "trials": 999}
    result = compare(given, **options)
    found = {one.slice: one for one in result.comparisons}
    assert found[None].non_inferior
    assert found["large"].non_inferior
    assert not found["small"].non_inferior
    assert not found[MACRO].non_inferior
    assert "in some slice" in found[MACRO].margin_reason
    # Clopper–Pearson at .05/2: beta.ppf(.975, 41, 160) = .2622 and 1 − .025^(1/10) = .3085
    low, high = found[MACRO].margin_interval
    assert (low, high) == pytest.approx((-0.28535, 0.28535), abs=1e-4)


def test_expanded_interval_of_a_macro_mean_takes_the_smallest_slice():
    """The tail is that of 12 units and not of 200: wider than either percentile interval."""
    rng = np.random.default_rng(0)
    given = {"a": rng.normal(0, 1, 212), "b": np.zeros(212)}
    labels = ["x"] * 200 + ["y"] * 12
    options = {"slices": labels, "trials": 9999}
    found = {
        kind: next(
            one.interval
            for one in compare(given, interval=kind, **options).comparisons
            if one.slice == MACRO
        )
        for kind in ("percentile", "expanded")
    }
    width = {kind: high - low for kind, (low, high) in found.items()}
    # √(12/11) t_{.975, 11} / z_{.975}
    wanted = np.sqrt(12 / 11) * 2.200985 / 1.959964
    assert width["expanded"] / width["percentile"] == pytest.approx(wanted, rel=0.05)

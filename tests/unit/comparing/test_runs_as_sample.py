"""Comparisons of systems whose runs are a sample of all that there might be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from unit.comparing.systems import METRICS, by_pair, corpus
from weigh import Bleu, InputError, System, compare, score
from weigh.comparing.compare_result import CompareResult
from weigh.comparing.dataset import from_arrays
from weigh.comparing.scopes import MACRO
from weigh.report.view import parse_result
from weigh.stats.power import TOO_FEW_DIFFER

UNITS = 60
FORMS = ("table", "markdown", "latex", "tsv", "json")


def scores(spread: float = 0.5, seed: int = 0, units: int = UNITS, **counts: int) -> dict:
    """Runs of systems, runs × items; later systems are a little better."""
    rng = np.random.default_rng(seed)
    items = rng.normal(0, 1, units)
    return {
        name: 0.2 * place + items + rng.normal(0, spread, (k, 1)) + rng.normal(0, 0.4, (k, units))
        for place, (name, k) in enumerate(counts.items())
    }


def by_hand(a: np.ndarray, b: np.ndarray) -> tuple[float, float, float]:
    """D, V and freedom of means, with the bootstrap's variances as they are without chance."""
    u = a.shape[1]
    v_u = np.var(a.mean(axis=0) - b.mean(axis=0), ddof=1) / u
    variance, squares = v_u, v_u**2 / (u - 1)
    for runs in (a, b):
        k = len(runs)
        v = np.var(runs.mean(axis=1), ddof=1) / k
        w = np.var(runs - runs.mean(axis=0), axis=1, ddof=1).sum() / u / (k * (k - 1))
        variance += max(v - w, 0)
        squares += v**2 / (k - 1)
    return float(a.mean() - b.mean()), float(variance), max(1.0, float(variance**2 / squares))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "better", "worse"])
def test_every_number_of_a_comparison(alternative, lower):
    given = scores(A=3, B=5)
    d, variance, freedom = by_hand(given["A"], given["B"])
    result = compare(
        given,
        runs_as_sample=True,
        alternative=alternative,
        lower_is_better=lower,
        baseline="B",
        margin={"score": 0.5},
        trials=40_000,
    )
    [one] = result.comparisons
    assert (one.test, one.trials, one.count, one.p_stderr, one.exact) == ("runs-t", 0, 0, 0, False)
    assert one.difference == pytest.approx(d)
    theirs = scipy_stats.t(freedom)
    t = (-d if lower else d) / math.sqrt(variance)
    p = {"two-sided": 2 * theirs.sf(abs(t)), "better": theirs.sf(t), "worse": theirs.cdf(t)}
    assert one.p_value == pytest.approx(p[alternative], rel=0.03)
    # A one-sided test has a one-sided bound, on the side of its alternative.
    tail = 0.025 if alternative == "two-sided" else 0.05
    half = theirs.isf(tail) * math.sqrt(variance)
    from_below, from_above = (d - half, math.inf), (-math.inf, d + half)
    expected = {
        "two-sided": (d - half, d + half),
        "better": from_above if lower else from_below,
        "worse": from_below if lower else from_above,
    }
    assert one.interval == pytest.approx(expected[alternative], rel=0.02)
    half = theirs.ppf(0.95) * math.sqrt(variance)
    ends = (-d - half, -d + half) if lower else (d - half, d + half)
    assert one.margin_interval == pytest.approx(ends, rel=0.02)
    assert one.non_inferior == (ends[0] > -0.5)
    critical = theirs.ppf(0.975 if alternative == "two-sided" else 0.95)
    power = scipy_stats.nct.sf(critical, freedom, one.detectable / math.sqrt(variance))
    assert power == pytest.approx(0.8, abs=0.01)
    assert result.runs == {"A": 3, "B": 5}


@pytest.mark.parametrize("alternative", ["two-sided", "better", "worse"])
@pytest.mark.parametrize("lower", [False, True])
def test_p_and_interval_agree(alternative, lower):
    options = {"runs_as_sample": True, "alternative": alternative, "lower_is_better": lower}
    significant = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        systems = {"A": rng.normal(0.35, 1, (3, 40)), "B": rng.normal(size=(3, 40))}
        [one] = compare(systems, baseline="B", **options).comparisons
        low, high = one.interval
        assert one.significant == (low > 0 or high < 0)
        assert not one.interval_contradicts
        significant += one.significant
    if alternative == "two-sided" or (alternative == "better") != lower:
        assert 2 < significant < 28


@pytest.mark.parametrize(("units", "differing"), [(7, 7), (200, 9)])
def test_few_differing_units_tell_nothing_of_power(units, differing):
    runs = np.random.default_rng(4).normal(size=(4, units))
    runs[:, differing:] = 0.5
    [pair] = compare(
        {"A": runs[:2], "B": runs[2:]}, runs_as_sample=True, detect={"score": 0.1}
    ).comparisons
    assert (pair.detectable, pair.units_needed) == (None, None)
    assert pair.detectable_reason == TOO_FEW_DIFFER


def test_the_interval_of_a_score_holds_the_spread_of_its_runs():
    """Of runs alone, it is Student's interval of their scores."""
    values = [0.3, 0.5, 0.4, 0.9]
    given = {"A": np.repeat(values, 20).reshape(4, 20), "B": np.zeros((2, 20))}
    a, b = compare(given, runs_as_sample=True, trials=100).scores
    expected = scipy_stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert a.interval == pytest.approx(tuple(expected))
    assert b.interval is None  # nothing is known of what varies


def test_holm_over_pairs_and_rankings():
    given = scores(spread=0.02, A=4, B=4, C=4)
    result = compare(given, runs_as_sample=True, trials=500)
    p = sorted(one.p_value for one in result.comparisons)
    adjusted = sorted(one.p_adjusted for one in result.comparisons)
    assert adjusted[0] == pytest.approx(min(1, 3 * p[0]))
    assert {one.family_size for one in result.comparisons} == {3}
    assert result.rankings[0].clusters == (("C",), ("B",), ("A",))


def test_slices_and_their_mean():
    given = scores(A=3, B=2)
    labels = ["x"] * 20 + ["y"] * 40
    result = compare(given, slices=labels, runs_as_sample=True, trials=20_000)
    for label, part in ((None, slice(None)), ("x", slice(20)), ("y", slice(20, None))):
        d, variance, freedom = by_hand(given["A"][:, part], given["B"][:, part])
        [one] = by_pair(result, slice=label).values()
        p = 2 * scipy_stats.t(freedom).sf(abs(d) / math.sqrt(variance))
        assert one.p_value == pytest.approx(p, rel=0.04)
    [macro] = by_pair(result, slice=MACRO).values()
    assert 0 < macro.p_value < 1


def test_documents_are_units():
    """As many segments of each, so that documents' means are scores of their own."""
    given = scores(A=3, B=4)
    documents = [str(i // 3) for i in range(UNITS)]
    means = {name: runs.reshape(len(runs), 20, 3).mean(axis=2) for name, runs in given.items()}
    options = {"runs_as_sample": True, "trials": 300}
    [one] = compare(given, documents=documents, **options).comparisons
    [same] = compare(means, **options).comparisons
    assert one.p_value == pytest.approx(same.p_value, rel=1e-9)


def noisy_runs() -> tuple[list[System], object]:
    """The four systems of the corpus as runs of two: A has three, B one twice."""
    (a, b, c, d), test_set = corpus()
    made = [
        System(name, outputs.outputs, run)
        for name, run, outputs in (
            ("A", "1", a), ("A", "2", b), ("A", "3", c), ("B", "1", c), ("B", "2", d),
        )
    ]  # fmt: skip
    return made, test_set


def test_texts_with_unequal_numbers_of_runs():
    systems, test_set = noisy_runs()
    with pytest.raises(InputError, match="B has 2 runs, but A has 3"):
        compare(systems, test_set, METRICS)
    result = compare(systems, test_set, METRICS, runs_as_sample=True, trials=200)
    assert {one.test for one in result.comparisons} == {"runs-t"}
    [whole] = [one.score for one in result.scores if (one.system, one.metric) == ("B", "bleu")]
    runs = [one.score for one in score(systems, test_set, [Bleu()]) if one.system == "B"]
    assert whole == pytest.approx(sum(runs) / 2)
    assert any("only two runs of B" in line for line in result.warnings)
    assert not any("two runs of A" in line for line in result.warnings)


def test_a_run_that_is_given_twice_is_told():
    given = scores(A=3, B=3)
    given["B"][2] = given["B"][0]
    found = compare(given, runs_as_sample=True, trials=200).warnings
    assert [line for line in found if "runs of B have identical scores" in line]
    assert not [line for line in found if "runs of A" in line]


def constant(a: float, b: float, units: int = 12) -> dict:
    return {"A": np.full((3, units), a), "B": np.full((2, units), b)}


def test_without_variance_there_is_no_p_value_and_no_verdict():
    result = compare(
        {**constant(0.3, 0.1), "C": np.full((3, 12), 0.3)}, runs_as_sample=True, trials=100
    )
    found = {(one.a, one.b): one for one in result.comparisons}
    for pair in (("A", "B"), ("B", "C")):
        one = found[pair]
        assert (one.p_value, one.p_adjusted, one.interval, one.detectable) == (None,) * 4
        assert not one.significant
    assert found["A", "C"].p_value == found["A", "C"].p_adjusted == 1
    [warning] = [line for line in result.warnings if "no p-value" in line]
    assert "A and B" in warning
    assert "B and C" in warning
    assert "A and C" not in warning
    assert "–" in str(result)
    assert "cannot be tested" in str(result)
    assert '"p_value": null' in result.to_json()


def test_one_segment_is_said_to_be_too_few():
    result = compare({"A": [[1.0], [2.0]], "B": [[3.0], [5.0]]}, runs_as_sample=True, trials=100)
    assert result.comparisons[0].p_value is None
    assert any("a single item" in line for line in result.warnings)


def test_bounds_for_a_margin_say_whether_they_include_one_more_failure():
    """One more failure needs the range of a score; without it the bounds are those of runs-t."""
    given = scores(A=3, B=3)
    d, variance, freedom = by_hand(given["A"], given["B"])
    reach = float(scipy_stats.t.ppf(0.95, freedom)) * variance**0.5
    unbounded = compare(given, runs_as_sample=True, margin={"score": 0.5})
    pair = unbounded["A", "B"]
    assert pair.margin_interval == pytest.approx((d - reach, d + reach))
    assert pair.margin_reason is not None
    assert "range of one item's score is unknown" in pair.margin_reason
    assert "worst possible score" not in " ".join(str(unbounded).split())
    passed = {name: (runs > 0.5).astype(float) for name, runs in given.items()}
    bounded = compare(passed, runs_as_sample=True, margin={"score": 0.5})
    assert bounded["A", "B"].margin_reason is None
    assert "with one added item at the worst possible score" in bounded.methods


def test_the_methods_do_not_claim_bootstrap_samples_for_means():
    """Variances of means are computed: the number of trials changes nothing."""
    few, many = (compare(scores(A=2, B=3), runs_as_sample=True, trials=n) for n in (2, 500))
    assert few["A", "B"].p_value == many["A", "B"].p_value
    assert "or by formula for plain means" in few.methods


@pytest.mark.parametrize("margin", [{}, {"score": 0.5}])
def test_a_gate_without_variance_is_inconclusive(margin):
    options = {"baseline": "B", "gate": True, "margin": margin, "trials": 100}
    gate = compare(constant(0.3, 0.1), runs_as_sample=True, **options).gate
    assert gate is not None
    assert gate.verdict == "inconclusive"


def test_gates_take_the_variance_of_runs():
    """By these runs A is worse; other runs might not be."""
    given = scores(spread=1.0, A=3, B=3)
    options = {"baseline": "B", "gate": True, "trials": 999}
    these = compare(given, **options)
    assert these.comparisons[0].difference < 0
    assert these.gate.verdict == "fail"
    assert compare(given, runs_as_sample=True, **options).gate.verdict == "pass"
    options["margin"] = {"score": 0.5}
    result = compare(given, runs_as_sample=True, **options)
    assert result.gate.verdict == "inconclusive"


@pytest.mark.parametrize(
    "given",
    [scores(A=3, B=2, C=4), constant(0.3, 0.1), scores(units=3, A=2, B=2)],
    ids=["runs", "constant", "three units"],
)
def test_every_format_reads_back_as_it_was(given):
    slices = ["x"] + ["y"] * (given["A"].shape[1] - 1)
    result = compare(
        given,
        slices=slices,
        runs_as_sample=True,
        trials=200,
        details=True,
        margin={"score": 0.4},
        detect={"score": 0.3},
    )
    again = parse_result(result.to_json(), "result.json")
    assert isinstance(again, CompareResult)
    assert again.plan == result.plan
    assert again.runs == result.runs
    for form in FORMS:
        assert again.to_text(form) == result.to_text(form), form
    assert again.to_html() == result.to_html()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"runs": {"A": 3, "B": 2}', '"runs": {"A": 3, "X": 2}'),
        ('"runs": {"A": 3, "B": 2}', '"runs": {"A": 3, "B": 0}'),
        ('"p_adjusted": ', '"p_adjusted": null, "was": '),
    ],
)
def test_documents_that_do_not_fit_are_refused(old, new):
    text = compare(scores(A=3, B=2), runs_as_sample=True, trials=200).to_json()
    assert old in text
    with pytest.raises(InputError):
        parse_result(text.replace(old, new), "result.json")


def test_names_from_outside_are_harmless_in_every_format():
    given = dict(zip(("\x1b[31m<b>", "\u202e$|@x"), scores(A=3, B=2).values(), strict=True))
    result = compare(given, runs_as_sample=True, trials=200)
    for form in FORMS:
        assert "\x1b" not in result.to_text(form), form
    assert "<b>" not in result.to_html()
    assert "\u202e" not in str(result)


def test_metrics_need_the_same_runs():
    with pytest.raises(InputError, match="2 runs of A, but the first metric has 3"):
        from_arrays({"x": scores(A=3, B=3), "y": scores(A=2, B=3)})


def test_the_same_for_any_threads_and_another_order_of_items():
    given = scores(A=3, B=2)
    [one] = compare(given, runs_as_sample=True, trials=300, threads=1).comparisons
    [two] = compare(given, runs_as_sample=True, trials=300, threads=2).comparisons
    assert one == two
    turned = {name: runs[:, ::-1] for name, runs in given.items()}
    [other] = compare(turned, runs_as_sample=True, trials=20_000).comparisons
    assert other.p_value == pytest.approx(one.p_value, rel=0.2)


def test_runs_that_vary_are_no_evidence_of_equivalence():
    """The means of runs are equal on every unit, but another run may be anywhere."""
    base = np.linspace(0, 1, 100)
    spread = np.array([-0.3, 0.0, 0.3])[:, None]
    scores = {"A": base + spread, "B": base + spread[::-1]}
    options = {"margin": {"score": 0.1}, "metric": "score:-0.5..1.5", "trials": 200}
    [these] = compare(scores, **options).comparisons
    [again] = compare(scores, runs_as_sample=True, **options).comparisons
    assert these.equivalent
    assert not again.equivalent
    assert not again.non_inferior
    assert again.margin_verdict == "inconclusive"
    assert again.margin_interval[0] < -0.3

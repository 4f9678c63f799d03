"""What must hold of every comparison: ties, adjustment, orientation, order, and the same bits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import weigh.stats.resample as resample
from unit.comparing.systems import (
    ALTERNATIVES,
    METRICS,
    TESTS,
    by_pair,
    copies,
    corpus,
    scores,
)
from weigh import Bleu, Outputs, Plan, System, Ter, TestSet, compare
from weigh.comparing.dataset import from_arrays
from weigh.metrics.registry import key_of
from weigh.metrics.segment import Segment, SegmentRatio
from weigh.stats.procedures import ADJUSTMENTS


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("adjust", ADJUSTMENTS)
def test_identical_systems_have_p_1(alternative, adjust):
    systems, test_set = copies()
    result = compare(
        systems,
        test_set,
        METRICS,
        tests=TESTS,
        alternative=alternative,
        adjust=adjust,
        trials=50,
    )
    pairs = 3 if alternative == "two-sided" else 6
    assert len(result.comparisons) == len(TESTS) * len(METRICS) * pairs
    for pair in result.comparisons:
        assert (pair.p_value, pair.p_adjusted, pair.significant) == (1, 1, False)
        assert (pair.difference, pair.identical) == (0, 1)
        low, high = pair.interval
        assert low <= 0 <= high
        assert pair.detectable is None  # nothing is known of how they would differ elsewhere


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("units", [4, 50])
def test_identical_scores_have_p_1(units, lower):
    same = np.random.default_rng(0).normal(size=units)
    result = compare(
        {"A": same, "B": same.copy()},
        tests=(*TESTS, "tukey", "scheffe"),
        lower_is_better=lower,
        trials=99,
    )
    assert [pair.p_value for pair in result.comparisons] == [1] * 5


def test_p_is_never_0():
    systems, test_set = corpus()
    for alternative in ALTERNATIVES:
        result = compare(
            systems, test_set, METRICS, tests=TESTS, alternative=alternative, trials=99
        )
        assert min(pair.p_value for pair in result.comparisons) >= 0.01
    assert max(pair.p_value for pair in result.comparisons) > 0.1


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("adjust", ADJUSTMENTS)
def test_adjusted_p_values(adjust, alternative):
    """Never smaller than p, and in the same order within the pairs by one metric."""
    systems, test_set = corpus()
    result = compare(
        systems,
        test_set,
        [Bleu(), Ter()],
        tests=TESTS,
        adjust=adjust,
        alternative=alternative,
        trials=199,
    )
    pairs = 6 if alternative == "two-sided" else 12
    for test in TESTS:
        for metric in ("bleu", "ter"):
            members = [c for c in result.comparisons if (c.test, c.metric) == (test, metric)]
            assert {c.family_size for c in members} == {pairs} == {len(members)}
            assert {c.adjust for c in members} == {adjust}
            for one in members:
                assert one.p_adjusted >= one.p_value
                assert one.significant == (one.p_adjusted <= 0.05)
            ordered = [c.p_adjusted for c in sorted(members, key=lambda c: c.p_value)]
            assert ordered == sorted(ordered)
            if adjust == "bonferroni":
                for one in members:
                    assert one.p_adjusted == pytest.approx(min(1, one.p_value * len(members)))
            if adjust == "none":
                assert all(one.p_adjusted == one.p_value for one in members)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("block", [1, 64, 512, 10_000])
def test_the_same_bits_for_any_threads_and_blocks(monkeypatch, threads, block):
    systems, test_set = corpus()
    options = {"tests": TESTS, "trials": 150, "seed": 3}
    expected = compare(systems, test_set, METRICS, threads=1, **options)
    monkeypatch.setattr(resample, "BLOCK", block)
    found = compare(systems, test_set, METRICS, threads=threads, **options)
    assert found.comparisons == expected.comparisons
    assert found.scores == expected.scores


def test_a_seed_repeats_and_other_seeds_differ():
    systems, test_set = corpus()
    seen = []
    for seed in (0, 1, 2, 2**64 - 1):
        first, second = (
            compare(systems, test_set, METRICS, tests=TESTS, trials=200, seed=seed)
            for _ in range(2)
        )
        assert first.comparisons == second.comparisons
        assert {pair.seed for pair in first.comparisons} == {seed}
        for other in seen:
            for test in TESTS:
                mine = [c.count for c in first.comparisons if c.test == test]
                theirs = [c.count for c in other.comparisons if c.test == test]
                assert mine != theirs
        seen.append(first)


def test_order_of_systems_changes_signs_only():
    systems, test_set = corpus()
    options = {"tests": TESTS, "trials": 300, "seed": 4}
    forward = by_pair(compare(systems, test_set, METRICS, **options))
    backward = by_pair(compare(systems[::-1], test_set, METRICS, **options))
    for (metric, test, a, b), pair in forward.items():
        mirror = backward[metric, test, b, a]
        assert mirror.difference == -pair.difference
        assert mirror.interval == pytest.approx((-pair.interval[1], -pair.interval[0]))
        assert (mirror.score_a, mirror.score_b) == (pair.score_b, pair.score_a)
        assert (mirror.p_value, mirror.p_adjusted) == (pair.p_value, pair.p_adjusted)
        assert mirror.count == pair.count


def test_rankings_do_not_depend_on_the_order_of_systems():
    systems, test_set = corpus()
    forward = compare(systems, test_set, METRICS, trials=999)
    backward = compare(systems[::-1], test_set, METRICS, trials=999)
    for one, other in zip(forward.rankings, backward.rankings, strict=True):
        assert [set(group) for group in one.clusters] == [set(group) for group in other.clusters]
        assert [set(group) for group in one.clusters] == [{"A"}, {"B", "C"}, {"D"}]


@pytest.mark.parametrize("test", TESTS)
def test_better_and_worse_follow_the_metric(test):
    """A is better than D: by BLEU higher, by TER lower."""
    systems, test_set = corpus()
    options = {"tests": (test,), "trials": 199, "baseline": "D", "adjust": "none"}
    better = by_pair(compare(systems, test_set, [Bleu(), Ter()], alternative="better", **options))
    worse = by_pair(compare(systems, test_set, [Bleu(), Ter()], alternative="worse", **options))
    for metric, sign in (("bleu", 1), ("ter", -1)):
        one = better[metric, test, "A", "D"]
        assert sign * one.difference > 0
        assert one.p_value == 1 / 200
        assert worse[metric, test, "A", "D"].p_value == 1


def test_lower_is_better_mirrors_the_alternatives():
    given = scores(A=0.2, B=0.0)
    up = {
        alternative: compare(given, alternative=alternative, tests=TESTS, trials=199)
        for alternative in ALTERNATIVES
    }
    down = {
        alternative: compare(
            given, alternative=alternative, tests=TESTS, trials=199, lower_is_better=True
        )
        for alternative in ALTERNATIVES
    }
    mirrored = {"better": "worse", "worse": "better", "two-sided": "two-sided"}
    for alternative, other in mirrored.items():
        for mine, theirs in zip(up[alternative].comparisons, down[other].comparisons, strict=True):
            assert mine.p_value == theirs.p_value
            assert mine.difference == theirs.difference
            assert mine.interval == theirs.interval


@pytest.mark.parametrize("alternative", ["better", "worse"])
def test_one_sided_all_pairs_test_both_directions(alternative):
    result = compare(scores(A=2.0, B=0.0, C=-2.0), alternative=alternative, trials=199, tests=TESTS)
    for test in TESTS:
        pairs = {(c.a, c.b): c for c in result.comparisons if c.test == test}
        assert set(pairs) == {(a, b) for a in "ABC" for b in "ABC" if a != b}
        for (a, b), pair in pairs.items():
            favoured = a < b if alternative == "better" else b < a
            assert pair.significant == favoured
            assert pair.family_size == 6
            assert pair.alternative == alternative
    assert result.rankings == ()


def test_baseline_is_b():
    result = compare(scores(A=2.0, B=0.0, C=-2.0), baseline="B", trials=199)
    assert [(c.a, c.b, c.family_size) for c in result.comparisons] == [
        ("A", "B", 2),
        ("C", "B", 2),
    ]
    assert result.comparisons[0].difference > 0 > result.comparisons[1].difference
    assert result.rankings == ()


@pytest.mark.parametrize("lower", [False, True])
def test_clusters_best_first(lower):
    given = scores(200, A=0.0, B=5.0, C=5.01, D=9.0)
    result = compare(given, trials=999, lower_is_better=lower)
    [ranking] = result.rankings
    groups = [set(group) for group in ranking.clusters]
    expected = [{"D"}, {"B", "C"}, {"A"}]
    assert groups == (expected[::-1] if lower else expected)


@pytest.mark.parametrize("lower", [False, True])
def test_ranks_are_of_wins_and_losses_and_not_of_clusters(lower):
    """A chain: neighbours are not told apart, so all are one cluster, yet A beats three others."""
    steps = {"A": 0.0, "B": 0.11, "C": 0.22, "D": 0.33, "E": 0.44}
    wave = np.random.default_rng(1).normal(size=(5, 400))
    wave -= wave.mean(axis=1, keepdims=True)
    sign = 1 if lower else -1
    given = {name: sign * step + wave[i] for i, (name, step) in enumerate(steps.items())}
    result = compare(given, trials=999, lower_is_better=lower, adjust="holm")
    [ranking] = result.rankings
    assert len(ranking.clusters) == 1
    pairs = {frozenset((one.a, one.b)): one.significant for one in result.comparisons}
    assert sum(pairs[frozenset(("A", other))] for other in "BCDE") == 3
    for name in steps:
        better = sum(pairs[frozenset((name, other))] for other in steps if other < name)
        worse = sum(pairs[frozenset((name, other))] for other in steps if other > name)
        assert ranking.ranks[name] == (better + 1, 5 - worse)
    assert ranking.ranks["A"] == (1, 2)
    assert not ranking.uncorrected


@pytest.mark.parametrize("adjust", ADJUSTMENTS)
def test_ranks_say_whether_they_are_corrected(adjust):
    three = compare(scores(A=2.0, B=0.0, C=-2.0), adjust=adjust, trials=99)
    assert [one.uncorrected for one in three.rankings] == [adjust in ("bh", "none")]
    # One pair needs no correction.
    two = compare(scores(A=2.0, B=0.0), adjust=adjust, trials=99)
    assert [one.uncorrected for one in two.rankings] == [False]


class Square:
    """The squared mean of numbers: on a sample it is larger than on the whole, by its variance."""

    name = "square"
    higher_is_better = True
    mean_of_segments = False
    perfect = None

    def signature(self, _references):
        return "square"

    def prepare(self, _test_set):
        return self

    def rows(self, outputs):
        return np.array([[float(text), 1.0] for text in outputs.texts])

    def score(self, sums):
        return (sums[..., 0] / sums[..., 1]) ** 2

    def segment_scores(self, rows):
        return self.score(rows)


def test_nobody_wins_where_test_and_scores_disagree():
    """B's mean is nearer to zero than A's, but nearly every sample of B lies far from it."""
    units = 40
    far = 10_000 * np.random.default_rng(0).normal(size=units)
    texts = {"A": ["1"] * units, "B": [f"{value}" for value in far - far.mean() + 0.5]}
    systems = [System(name, Outputs(lines)) for name, lines in texts.items()]
    options = {"tests": ("paired-bootstrap", "randomization"), "trials": 999}
    test_set = TestSet([["x"] * units])
    result = compare(systems, test_set, [Square()], **options)
    bootstrap, randomization = result.comparisons
    assert bootstrap.difference == pytest.approx(0.75)
    assert bootstrap.significant
    assert (bootstrap.contradicts, bootstrap.decided) == (True, False)
    assert not randomization.significant
    for ranking in result.rankings:
        assert ranking.clusters == (("A", "B"),)
        assert ranking.ranks == {"A": (1, 2), "B": (1, 2)}
    text = str(result)
    assert "none: test and scores disagree" in text
    assert "is better" not in text
    one_sided = compare(
        systems, test_set, [Square()], alternative="better", baseline="A", **options
    )
    assert one_sided.comparisons[0].significant
    assert not one_sided.comparisons[0].decided


def test_a_difference_is_reported_as_it_is():
    systems, test_set = corpus()
    result = compare(systems, test_set, METRICS, trials=99, level=0.9)
    printed = {(s.metric, s.system): s for s in result.scores}
    for pair in result.comparisons:
        a, b = printed[pair.metric, pair.a], printed[pair.metric, pair.b]
        assert (pair.score_a, pair.score_b) == (a.score, b.score)
        assert pair.difference == a.score - b.score
        assert pair.interval[0] <= pair.difference <= pair.interval[1]
        assert a.interval[0] <= a.score <= a.interval[1]
        assert pair.level == a.level == 0.9
    assert {key_of(metric) for metric in METRICS} == {pair.metric for pair in result.comparisons}


def test_share_of_identical_outputs():
    texts = ["a b c d e", "f g h i j", "k l m n o", "p q r s t"]
    _, test_set = corpus()
    systems = [System("A", Outputs(texts)), System("B", Outputs([*texts[:3], "x"]))]
    [pair] = compare(
        systems, replace(test_set, references=[texts]), [Bleu()], trials=99
    ).comparisons
    assert pair.identical == 0.75


def test_identical_is_asked_of_what_was_compared():
    """Given scores, each metric by itself, and not the texts beside them or another metric."""
    given = {
        "x": {"A": [1.0, 2.0, 3.0, 4.0], "B": [1.0, 2.0, 3.0, 5.0]},
        "y": {"A": [1.0, 2.0, 3.0, 4.0], "B": [2.0, 3.0, 4.0, 4.0]},
    }
    result = compare(from_arrays(given), plan=Plan(trials=99))
    assert [one.identical for one in result.comparisons] == [0.75, 0.25]
    texts = ["a b c d e", "f g h i j", "k l m n o", "p q r s t"]
    metric = Segment(file="scores", name="x")
    systems = [
        System(name, Outputs(texts, extra={metric.column: given["x"][name]})) for name in "AB"
    ]
    result = compare(systems, TestSet([texts]), [Bleu(), metric], trials=99)
    assert [one.identical for one in result.comparisons] == [1.0, 0.75]
    ratios = from_arrays(
        {"r": {"A": [(1, 2), (0, 3)], "B": [(1, 2), (0, 4)]}}, {"r": SegmentRatio("r")}
    )
    [ratio] = compare(ratios, trials=99).comparisons
    assert ratio.identical == 0.5


@pytest.mark.parametrize("shift", [0.0, 1 / 3])
def test_nothing_is_detectable_without_noise(shift):
    """Systems that are alike, or apart by the same everywhere, say nothing of other segments."""
    base = np.random.default_rng(0).normal(0, 1, 50)
    options = {"detect": {"score": 0.1}, "trials": 500}
    [pair] = compare({"A": base + shift, "B": base}, **options).comparisons
    assert (pair.detectable, pair.units_needed) == (None, None)


def test_detectable_difference_needs_no_effect():
    """About (z.975 + z.8) standard errors of the mean difference, whatever the difference."""
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 1, 400)
    base = rng.normal(0, 1, 400)
    for shift in (0.0, 3.0):
        [pair] = compare({"A": base + noise + shift, "B": base}, trials=5000).comparisons
        assert pair.detectable == pytest.approx(2.8016 * noise.std() / 20, rel=0.05)
    options = {"detect": {"score": 0.1}, "trials": 5000}
    [pair] = compare({"A": base + noise, "B": base}, **options).comparisons
    assert pair.units_needed == pytest.approx(400 * (2.8016 * noise.std() / 20 / 0.1) ** 2, rel=0.1)


def test_plan_and_options_are_the_same():
    from weigh import Plan

    given = scores(A=0.0, B=0.3)
    plan = Plan(tests=TESTS, trials=77, seed=9, adjust="sidak")
    same = compare(given, tests=TESTS, trials=77, seed=9, adjust="sidak")
    assert compare(given, plan=plan).comparisons == same.comparisons


def test_texts_and_their_segment_scores_agree():
    """A mean of segment scores given as arrays is tested as the metric itself would be."""
    from weigh import Wer

    systems, test_set = corpus()
    equal = replace(test_set, references=[["a b c d"] * 60])
    counts = np.random.default_rng(1).integers(0, 5, (2, 60))
    words = ["a", "b", "c", "d"]
    outputs = [
        System(name, Outputs([" ".join(words[:k] + ["x"] * (4 - k)) for k in row]))
        for name, row in zip("AB", counts, strict=True)
    ]
    del systems
    by_text = compare(outputs, equal, [Wer()], tests=TESTS, trials=500)
    rates = {name: 25.0 * (4 - row) for name, row in zip("AB", counts, strict=True)}
    by_score = compare(rates, tests=TESTS, trials=500, lower_is_better=True)
    for mine, theirs in zip(by_text.comparisons, by_score.comparisons, strict=True):
        assert mine.difference == pytest.approx(theirs.difference)
        if mine.test == "randomization":  # exact for scores, drawn for texts
            assert mine.p_value == pytest.approx(theirs.p_value, abs=5 * mine.p_stderr)
        else:
            assert (mine.count, mine.p_value) == (theirs.count, theirs.p_value)


def test_wins_count_segments_where_a_is_better_and_runs_are_averaged_first() -> None:
    scores = {"A": [[1, 0, 3], [3, 0, 1]], "B": [[1, 0, 3], [1, 0, 0]]}
    pair = compare(scores, trials=10)["A", "B"]
    assert (pair.wins, pair.ties, pair.losses) == (2, 1, 0)
    small = compare(scores, lower_is_better=True, trials=10)["A", "B"]
    assert (small.wins, small.ties, small.losses) == (0, 1, 2)


def test_wins_count_segments_in_documents_and_slices_and_no_macro_mean() -> None:
    scores = {"A": [1, 0, 1, 1] * 5, "B": [0, 1, 0, 1] * 5}
    documents = [f"{name}{i}" for i in range(5) for name in "ddef"]
    result = compare(scores, documents=documents, slices=["x", "x", "y", "y"] * 5, trials=10)
    found = {each.slice: (each.wins, each.ties, each.losses) for each in result.comparisons}
    assert found[None] == (10, 5, 5)
    assert found["x"] == (5, 0, 5)
    assert found["y"] == (5, 5, 0)
    assert found["(macro mean)"] == (None, None, None)
    assert '"wins": 10, "ties": 5, "losses": 5' in result.to_json()


def test_a_result_is_indexed_by_pairs() -> None:
    result = compare({"large": [1, 0, 1, 1], "base": [0, 0, 1, 0]})
    assert result["base", "large"] is result["large", "base"]
    for key in ("large", ("large",), 0):
        with pytest.raises(KeyError, match=r"write \['large', 'base'\]"):
            result[key]

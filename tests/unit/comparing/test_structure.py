"""Documents, slices and runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unit.comparing.systems import METRICS, TESTS, by_pair, corpus, scores
from weigh import Bleu, Outputs, System, TestSet, compare
from weigh.comparing.scopes import MACRO
from weigh.metrics.statistics import statistics
from weigh.result import Extent
from weigh.stats.randomization import randomization
from weigh.stats.sample import Sample

DOCUMENTS = [f"d{i * 8 % 35}" for i in range(60)]
SLICES = ["news"] * 10 + ["talk"] * 35 + ["law"] * 15


def numbers(pair):
    return (pair.count, pair.p_value, pair.p_adjusted, pair.trials, pair.interval)


def test_documents_are_as_summed_rows():
    """The same counts as a sample whose rows are already sums of documents."""
    systems, test_set = corpus()
    result = compare(systems, replace(test_set, documents=DOCUMENTS), METRICS, trials=300, seed=2)
    assert (result.unit, result.units) == ("document", 35)
    assert result.test_set == Extent(segments=60, references=1, documents=35)
    names = list(dict.fromkeys(DOCUMENTS))
    for metric, key in zip(METRICS, ("bleu", "chrf", "ter", "nist"), strict=True):
        summed = []
        for rows in statistics(systems, test_set, metric):
            sums = [rows[[d == name for d in DOCUMENTS]].sum(axis=0) for name in names]
            summed.append((np.array(sums),))
        sample = Sample(metric, tuple("ABCD"), tuple(summed))
        [expected] = randomization([sample], [(0, 1), (1, 2)], 2, trials=300).tests
        found = by_pair(result)
        for i, (a, b) in enumerate(("AB", "BC")):
            pair = found[key, "randomization", a, b]
            assert pair.count == expected.counts["two-sided"][i]


def test_documents_of_scores_keep_the_mean_over_segments():
    given = scores(60, A=0.3, B=0.0)
    with_documents = compare(given, documents=DOCUMENTS, trials=200)
    without = compare(given, trials=200)
    assert with_documents.scores[0].score == pytest.approx(without.scores[0].score)
    assert with_documents.comparisons[0].p_value != without.comparisons[0].p_value


def test_one_document_per_segment_changes_nothing():
    systems, test_set = corpus()
    apart = replace(test_set, documents=[str(i) for i in range(60)])
    mine = compare(systems, apart, METRICS, tests=TESTS, trials=100)
    theirs = compare(systems, test_set, METRICS, tests=TESTS, trials=100)
    assert mine.comparisons == theirs.comparisons


def test_dependent_segments_need_documents():
    """Scores that are the same throughout a document: segments would be ten times too sure."""
    rng = np.random.default_rng(1)
    effect = np.repeat(rng.normal(0, 1, 40), 10)
    documents = [str(i // 10) for i in range(400)]
    given = {"A": effect, "B": np.zeros(400)}
    right, wrong = (
        compare(given, documents=labels, trials=999).scores[0].interval
        for labels in (documents, None)
    )
    assert right[1] - right[0] > 2.5 * (wrong[1] - wrong[0])


def test_slices_are_as_test_sets_of_their_own():
    systems, test_set = corpus()
    options = {"tests": TESTS, "trials": 200, "interval": "bca"}
    result = compare(systems, replace(test_set, slices=SLICES), METRICS, **options)
    assert [s.slice for s in result.scores if s.system == "A" and s.metric == "bleu"] == [
        None,
        "news",
        "talk",
        "law",
        MACRO,
    ]
    assert by_pair(result) == by_pair(compare(systems, test_set, METRICS, **options))
    members = [i for i, label in enumerate(SLICES) if label == "talk"]
    alone = compare(
        [System(s.name, Outputs([s.outputs.texts[i] for i in members]), s.run) for s in systems],
        TestSet([[test_set.references[0][i] for i in members]]),
        [METRICS[0], METRICS[2]],  # NIST's weights come from all references
        **options,
    )
    in_slice = by_pair(result, slice="talk")
    for key, pair in by_pair(alone).items():
        assert numbers(in_slice[key]) == numbers(pair)
        assert in_slice[key].difference == pair.difference


def test_macro_mean_against_direct_computation():
    systems, test_set = corpus()
    result = compare(systems, replace(test_set, slices=SLICES), METRICS, tests=TESTS, trials=200)
    for system in "ABCD":
        for metric in ("bleu", "chrf", "ter", "nist"):
            by_slice = {
                s.slice: s.score for s in result.scores if s.system == system and s.metric == metric
            }
            mean = sum(by_slice[label] for label in ("news", "talk", "law")) / 3
            assert by_slice[MACRO] == pytest.approx(mean, rel=1e-12)
            assert by_slice[MACRO] != pytest.approx(by_slice[None], rel=1e-6)
    for pair in by_pair(result, slice=MACRO).values():
        assert pair.difference == pytest.approx(pair.score_a - pair.score_b)
        assert pair.interval[0] <= pair.difference <= pair.interval[1]


def test_one_slice_has_no_macro_mean():
    result = compare(scores(A=0.0, B=0.0), slices=["x"] * 50, trials=9)
    assert {c.slice for c in result.comparisons} == {None, "x"}


@pytest.mark.parametrize("interval", ["percentile", "bca", "t"])
def test_a_macro_mean_lies_in_its_interval(interval):
    """Slices of 10 and 40 segments at 0 and 10: the mean of slices is 5, that of segments 8."""
    rng = np.random.default_rng(0)
    levels = np.repeat([0.0, 10.0], [10, 40])
    given = {name: levels + rng.normal(0, 0.1, 50) for name in "AB"}
    result = compare(given, slices=["x"] * 10 + ["y"] * 40, interval=interval, trials=200)
    [macro] = [s for s in result.scores if s.slice == MACRO and s.system == "A"]
    assert macro.score == pytest.approx(5, abs=0.1)
    if interval == "t":  # which knows no strata
        assert macro.interval is None
    else:
        assert macro.interval[0] <= macro.score <= macro.interval[1] < macro.score + 0.2


def test_tests_that_know_no_strata_are_left_out_of_the_macro_mean():
    given = scores(A=0.0, B=5.0)
    result = compare(
        given,
        slices=["x"] * 20 + ["y"] * 30,
        tests=("randomization", "tukey"),
        trials=99,
    )
    for label, expected in (
        (None, {"randomization", "tukey"}),
        ("x", {"randomization", "tukey"}),
        (MACRO, {"randomization"}),
    ):
        assert {c.test for c in result.comparisons if c.slice == label} == expected
    assert {r.test for r in result.rankings if r.slice == MACRO} == {"randomization"}


def runs_of(system: str, rates: list[float], seed: int) -> list[System]:
    from calibration.nulls import noisy

    rng = np.random.default_rng(seed)
    _, test_set = corpus()
    return [
        System(
            system,
            Outputs([noisy(rng, text.split(), rate) for text in test_set.references[0]]),
            str(i),
        )
        for i, rate in enumerate(rates)
    ]


def test_runs_are_averaged():
    _, test_set = corpus()
    systems = [*runs_of("A", [0.1, 0.3], 1), *runs_of("B", [0.2, 0.2], 2)]
    result = compare(systems, test_set, METRICS, tests=TESTS, trials=200)
    single = compare(
        [replace(one, name=f"{one.name}{one.run}", run=None) for one in systems],
        test_set,
        METRICS,
        trials=9,
    )
    by_run = {(s.metric, s.system): s.score for s in single.scores}
    for score in result.scores:
        both = [by_run[score.metric, f"{score.system}{run}"] for run in (0, 1)]
        assert score.score == pytest.approx(sum(both) / 2)
    assert {(c.a, c.b) for c in result.comparisons} == {("A", "B")}


def test_copied_runs_change_nothing():
    """Three identical runs are no more evidence than one."""
    _, test_set = corpus()
    [a] = runs_of("A", [0.2], 1)
    [b] = runs_of("B", [0.2], 3)
    options = {"tests": TESTS, "trials": 500}
    one = by_pair(compare([a, b], test_set, METRICS, **options))
    thrice = [replace(s, run=str(i)) for s in (a, b) for i in range(3)]
    three = by_pair(compare(thrice, test_set, METRICS, **options))
    for key, pair in one.items():
        assert three[key].p_value == pytest.approx(pair.p_value, abs=1e-12)


def test_identical_systems_with_runs_have_p_1():
    _, test_set = corpus()
    runs = runs_of("A", [0.1, 0.2, 0.3], 1)
    systems = [*runs, *(replace(one, name="B") for one in runs)]
    result = compare(systems, test_set, METRICS, tests=TESTS, trials=100)
    assert {pair.p_value for pair in result.comparisons} == {1}


def test_few_units_are_warned_of():
    few = compare(scores(29, A=0.0, B=0.0), trials=99)
    assert any("29 items: with fewer than 30" in line for line in few.warnings)
    none = compare(scores(5, A=0.0, B=5.0))
    assert none.comparisons[0].interval is None
    assert any("5 items: intervals need at least 6" in line for line in none.warnings)
    assert compare(scores(30, A=0.0, B=0.0)).warnings == ()
    documents = [str(i // 2) for i in range(50)]
    one = compare(scores(A=0.0, B=0.0), documents=documents, trials=99)
    assert any("25 documents" in line for line in one.warnings)
    slices = ["x"] * 20 + ["y"] * 30
    one = compare(scores(A=0.0, B=0.0), slices=slices, trials=99)
    assert any("20 items in x" in line for line in one.warnings)
    assert not any("in y" in line for line in one.warnings)


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        ({"trials": 58}, True),  # 3 pairs: 3/59 > .05
        ({"trials": 59}, False),
        ({"trials": 118, "tests": ("paired-bootstrap",)}, True),
        ({"trials": 119, "tests": ("paired-bootstrap",)}, False),
        ({"trials": 18, "adjust": "none"}, True),  # 1/19 > .05 for a single pair
        ({"trials": 19, "adjust": "none"}, False),
        ({"trials": 59, "alpha": 0.01}, True),
        ({"trials": 118, "alternative": "better"}, True),
        ({"trials": 119, "alternative": "better"}, False),
    ],
)
def test_too_few_trials_are_warned_of(options, warned):
    result = compare(scores(A=0.0, B=5.0, C=10.0), **options)
    assert any("can be significant" in line for line in result.warnings) == warned
    if warned:
        assert not any(pair.significant for pair in result.comparisons)
    else:
        assert any(pair.significant for pair in result.comparisons)


def test_no_warning_where_all_is_significant():
    """By Benjamini and Hochberg's procedure few trials may do."""
    given = scores(**{f"s{i}": 10.0 * i for i in range(8)})
    result = compare(given, adjust="bh")
    assert all(pair.significant for pair in result.comparisons)
    assert result.warnings == ()


@pytest.mark.parametrize("trials", [None, 5000])
def test_ten_units_cannot_decide_36_pairs(trials):
    """Ten units, 1,024 ways to swap: 36 · 2/1024 > .05, whatever the trials."""
    result = compare(scores(10, **{f"s{i}": 10.0 * i for i in range(9)}), trials=trials)
    assert {pair.p_value for pair in result.comparisons} == {2 / 1024}
    assert not any(pair.significant for pair in result.comparisons)


def test_bleu_of_one_segment():
    """The smallest test set there is."""
    systems = [System("A", Outputs(["a b c d e"])), System("B", Outputs(["a b c d f"]))]
    result = compare(systems, TestSet([["a b c d e"]]), [Bleu()], tests=TESTS)
    found = {pair.test: pair for pair in result.comparisons}
    assert (found["randomization"].p_value, found["randomization"].exact) == (1, True)
    assert found["bootstrap"].p_value == pytest.approx(1 / 10_001)
    assert not found["bootstrap"].significant  # bootstraps conclude nothing from so little

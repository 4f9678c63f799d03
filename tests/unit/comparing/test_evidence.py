"""The evidence of a comparison against its definition."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from calibration import nulls
from weigh import Bleu, Outputs, System, Ter, TestSet, compare, score

TESTS = ("randomization", "bootstrap", "paired-bootstrap")


def texts(units: int, systems: int = 3) -> tuple[list[System], TestSet]:
    """Return systems that replace more and more words of the reference."""
    rng = np.random.default_rng(1)
    words = nulls.texts(rng, units)
    return [
        System(f"S{i}", Outputs([nulls.noisy(rng, one, 0.1 + 0.05 * i) for one in words]))
        for i in range(systems)
    ], TestSet([[" ".join(one) for one in words]])


def test_histograms_count_the_trials():
    systems, test_set = texts(120)
    result = compare(
        systems, test_set, [Bleu(), Ter()], tests=TESTS, trials=3000, details=True, threads=2
    )
    pairs = {(one.metric, one.test, one.a, one.b): one for one in result.comparisons}
    assert len(result.details.histograms) == len(pairs)
    for histogram in result.details.histograms:
        one = pairs[histogram.metric, histogram.test, histogram.a, histogram.b]
        assert sum(histogram.counts) == one.trials == 3000
        assert sum(histogram.counts[1:-1]) >= 0.95 * one.trials
        if one.test == "paired-bootstrap":
            continue
        # Trials in bins wholly beyond the difference are extreme; those on its edge may be.
        better = one.difference if one.metric == "bleu" else -one.difference
        starts = histogram.start + histogram.width * np.arange(len(histogram.counts))
        counts = np.array(histogram.counts)
        size = abs(better)
        surely = counts[(starts >= size) | (starts + histogram.width <= -size)].sum()
        maybe = counts[(starts + histogram.width >= size) | (starts <= -size)].sum()
        assert surely <= one.count <= maybe


def test_paired_bootstrap_is_shown_around_the_difference():
    systems, test_set = texts(150, 2)
    result = compare(systems, test_set, [Ter()], tests=("paired-bootstrap",), details=True)
    [histogram], [one] = result.details.histograms, result.comparisons
    centre = histogram.start + histogram.width * len(histogram.counts) / 2
    assert centre == pytest.approx(-one.difference, abs=one.detectable / 2)  # + is better


def test_systems_that_never_differ_have_a_histogram():
    [system, *_], test_set = texts(40)
    twin = System("twin", system.outputs)
    result = compare([system, twin], test_set, [Bleu()], tests=TESTS, trials=50, details=True)
    for histogram in result.details.histograms:
        assert sorted(histogram.counts)[-2:] == [0, 50]


@pytest.mark.parametrize("metric", [Bleu(), Ter()])
def test_sweeps_are_comparisons_of_samples(metric):
    systems, test_set = texts(610)
    evidence = compare(systems, test_set, [metric], trials=50, details=True).details
    assert evidence.sample_size == 101  # six samples
    sign = 1 if metric.higher_is_better else -1
    for sweep in evidence.sweeps:
        assert len(sweep.differences) == 6
        for first in range(6):
            chosen = range(first, 606, 6)
            part = TestSet([[test_set.references[0][i] for i in chosen]])
            two = [
                System(s.name, Outputs([s.outputs.texts[i] for i in chosen]))
                for s in systems
                if s.name in (sweep.a, sweep.b)
            ]
            a, b = (entry.score for entry in score(two, part, [metric]))
            assert sweep.differences[first] == pytest.approx(sign * (a - b), abs=1e-9)
            low, high = sweep.intervals[first]
            assert low < sweep.differences[first] < high


def test_sweeps_are_of_neighbours_or_of_the_baseline():
    systems, test_set = texts(500, 5)
    result = compare(systems, test_set, [Bleu()], trials=50, details=True)
    order = [one.system for one in sorted(result.scores, key=lambda one: -one.score)]
    shown = {frozenset((one.a, one.b)) for one in result.details.sweeps}
    assert shown == {frozenset(two) for two in pairwise(order)}
    result = compare(systems, test_set, [Bleu()], trials=50, baseline="S1", details=True)
    assert {one.b for one in result.details.sweeps} == {"S1"}
    assert len(result.details.sweeps) == 4


def test_a_small_test_set_has_no_sweep():
    systems, test_set = texts(400)
    evidence = compare(systems, test_set, [Bleu()], trials=50, details=True).details
    assert (evidence.sweeps, evidence.sample_size) == ((), 0)


def test_lengths_are_words_per_word_of_the_references():
    reference = ["one two three four", "five six"]
    systems = [
        System("long", Outputs(["one two three four five", "five six seven eight"])),
        System("short", Outputs(["one two", "x"])),
    ]
    evidence = compare(systems, TestSet([reference]), [Bleu()], details=True).details
    assert (evidence.lengths, evidence.length_unit) == ({"long": 1.5, "short": 0.5}, "word")


def test_lengths_are_characters_where_words_are_not_spaced():
    reference = ["今天天气很好我们一起去公园散步吧", "他昨天买了一本新书"]
    systems = [System("A", Outputs(reference)), System("B", Outputs([t[:-5] for t in reference]))]
    evidence = compare(systems, TestSet([reference]), [Bleu()], details=True).details
    assert evidence.length_unit == "character"
    assert evidence.lengths == {"A": 1.0, "B": 15 / 25}


def test_segments_hold_texts_and_scores():
    systems, test_set = texts(30)
    metrics = [Bleu(), Ter()]
    segments = compare(systems, test_set, metrics, details=True).details.segments
    assert list(segments.numbers) == list(range(1, 31))
    assert segments.references == (tuple(test_set.references[0]),)
    for entry in score(systems, test_set, metrics, segments=True):
        assert segments.scores[entry.metric][entry.system] == pytest.approx(list(entry.segments))
    for system in systems:
        assert list(segments.outputs[system.name]) == list(system.outputs.texts)


@pytest.mark.parametrize(("limit", "value"), [("_MOST_OUTPUTS", 15), ("_MOST_CHARACTERS", 1200)])
def test_too_many_segments_leave_those_that_differ_most(monkeypatch, limit, value):
    systems, test_set = texts(30)
    whole = compare(systems, test_set, [Ter()], details=True).details.segments
    monkeypatch.setattr(f"weigh.comparing.evidence.{limit}", value)
    part = compare(systems, test_set, [Ter()], details=True).details.segments
    scores = np.array(list(whole.scores["ter"].values()))
    spread = np.ptp(scores, axis=0)
    kept = np.array(part.numbers) - 1
    assert 0 < len(kept) < 30
    assert list(kept) == sorted(kept)
    assert spread[kept].min() >= np.delete(spread, kept).max()
    for name, outputs in part.outputs.items():
        assert list(outputs) == [whole.outputs[name][i] for i in kept]
        assert part.scores["ter"][name] == [whole.scores["ter"][name][i] for i in kept]


def test_scores_alone_have_segments_without_texts():
    rng = np.random.default_rng(0)
    scores = {"A": rng.normal(size=40), "B": rng.normal(size=40)}
    evidence = compare(scores, details=True, trials=100).details
    assert evidence.segments.scores == {"score": {n: list(v) for n, v in scores.items()}}
    assert (evidence.segments.outputs, evidence.lengths) == ({}, {})


def test_no_evidence_unless_asked_for():
    systems, test_set = texts(30)
    assert compare(systems, test_set, [Bleu()], trials=50).details is None


def test_evidence_changes_no_number():
    systems, test_set = texts(60)
    plain = compare(systems, test_set, [Bleu()], tests=TESTS, trials=500)
    watched = compare(systems, test_set, [Bleu()], tests=TESTS, trials=500, details=True)
    assert plain.comparisons == watched.comparisons
    assert plain.scores == watched.scores

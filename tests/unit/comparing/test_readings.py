"""RYPT's differences count where `strict` and `labelled` both show them."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from weigh import InputError, compare
from weigh.comparing.measure import Measured
from weigh.metrics.combine import Combine
from weigh.report.view import restored
from weigh.rypt.metric import Rypt
from weigh.stats.multiplicity import adjust
from weigh.stats.sample import Sample
from weigh.stats.significance import SamplesByReading
from weigh.tuning.model import _p_value
from weigh.validate.battery import Battery

WAYS = ("strict", "half", "labelled")
FORMS = ("table", "markdown", "github", "latex", "tsv", "json")


def compared(rows, metric=None, **options):
    """Compare systems that are given as rows: YES, NO, NOT SURE, unlabelled; all `runs` alike."""
    metric = metric or Rypt(unequal=True)
    slices, runs = options.pop("slices", None), options.pop("runs", 1)
    counts = tuple((np.array(own, dtype=np.int64),) * runs for own in rows.values())
    options.setdefault("trials", 999)
    sample = Sample(metric, tuple(rows), counts)
    contents = [[[f"{name} {at}" for at in range(sample.units)]] * runs for name in rows]
    return compare(Measured.of([sample], contents=contents, slices=slices), **options)


def generated(seed, size, *shares):
    """Return rows of systems by their shares of YES and NO; nodes are the same for all."""
    rng = np.random.default_rng(seed)
    nodes = rng.integers(5, 20, size)
    made = []
    for yes, no in shares:
        own = rng.multinomial(nodes, (yes, no, 0.0, 1 - yes - no))
        made.append(own)
    return dict(zip("ABCDEF", made, strict=False))


def by_hand(way: str, sums) -> Fraction:
    yes, no, *rest = map(int, sums)
    open_nodes = sum(rest)
    if way == "labelled":
        return Fraction(100 * yes, yes + no) if yes + no else Fraction(0)
    good = yes + (Fraction(open_nodes, 2) if way == "half" else 0)
    return 100 * Fraction(good) / (yes + no + open_nodes)


def exact(way: str, a, b) -> tuple[Fraction, Fraction]:
    """Return the difference and its two-sided p-value over all exchanges, in rational numbers."""

    def difference(x, y):
        return by_hand(way, np.sum(x, axis=0)) - by_hand(way, np.sum(y, axis=0))

    actual, extreme = difference(a, b), 0
    for coins in product((0, 1), repeat=len(a)):
        swapped = [(y, x) if coin else (x, y) for x, y, coin in zip(a, b, coins, strict=True)]
        extreme += abs(difference(*zip(*swapped, strict=True))) >= abs(actual)
    return actual, Fraction(extreme, 2 ** len(a))


@pytest.mark.parametrize("asked", WAYS)
@pytest.mark.parametrize("seed", range(4))
def test_p_is_the_largest_over_all_exchanges(asked, seed) -> None:
    rows = generated(seed, 6, (0.55, 0.25), (0.35, 0.45 - 0.1 * seed))
    [pair] = compared(rows, Rypt(unlabelled=asked, unequal=True)).comparisons
    ways = list(dict.fromkeys((asked, "strict", "labelled")))
    expected = {way: exact(way, rows["A"], rows["B"]) for way in ways}
    assert [one.reading for one in pair.readings] == ways
    for one in pair.readings:
        actual, p = expected[one.reading]
        assert one.difference == pytest.approx(float(actual), abs=1e-9)
        assert one.p_value == float(p)
    agree = len({d > 0 for d, _ in expected.values()}) == 1
    assert pair.readings_agree == agree
    assert pair.p_value == (float(max(p for _, p in expected.values())) if agree else 1.0)
    assert pair.difference == pytest.approx(float(expected[asked][0]))


# 50 segments of A: 5 YES, 2 NO, 3 open; of B: 4 YES, 1 NO, 5 open. So A is ahead by strict, .5 to
# .4, and behind by labelled, 5/7 to 4/5.
SPLIT = {"A": [[5, 2, 0, 3]] * 50, "B": [[4, 1, 0, 5]] * 50}


@pytest.mark.parametrize("test", ["randomization", "bootstrap", "paired-bootstrap"])
@pytest.mark.parametrize("alternative", ["two-sided", "better", "worse"])
def test_no_conclusion_where_readings_disagree(test, alternative) -> None:
    result = compared(SPLIT, tests=(test,), alternative=alternative)
    for pair in result.comparisons:
        differences = [sign * (pair.a == "A") or -sign for sign in (1, -1)]
        assert np.sign([one.difference for one in pair.readings]).tolist() == differences
        assert not pair.readings_agree
        assert (pair.p_value, pair.p_adjusted, pair.significant) == (1, 1, False)
        assert pair.count == pair.trials  # so that p is what the count says
    [said] = [one for one in result.warnings if "disagree" in one]
    assert said.endswith("; labels, not translations, may decide")


def test_a_tie_of_one_reading_is_no_agreement() -> None:
    # Equal by labelled, 2 of 3 YES; more is labelled of A.
    [pair] = compared({"A": [[4, 2, 0, 4]] * 40, "B": [[2, 1, 0, 7]] * 40}).comparisons
    assert (pair.difference, pair.readings[1].difference) == (20, 0)
    assert not pair.readings_agree
    [same] = compared({"A": [[4, 2, 0, 4]] * 40, "B": [[4, 2, 0, 4]] * 40}).comparisons
    assert (same.p_value, same.readings_agree) == (1, True)


def test_half_may_disagree_with_both_others() -> None:
    # B: .5 labelled, of that 20% YES; A: .9 and 21%: A leads by strict and labelled, not by half.
    rows = {"A": [[189, 711, 0, 100]] * 20, "B": [[100, 400, 0, 500]] * 20}
    [strict] = compared(rows).comparisons
    assert strict.readings_agree
    assert strict.significant
    [half] = compared(rows, Rypt(unlabelled="half", unequal=True)).comparisons
    assert half.difference < 0 < half.readings[1].difference
    assert (half.readings_agree, half.p_value) == (False, 1)


def test_the_reading_that_is_asked_for_does_not_change_p() -> None:
    rows = generated(1, 80, (0.5, 0.3), (0.42, 0.33), (0.4, 0.4))
    strict = compared(rows).comparisons
    labelled = compared(rows, Rypt(unlabelled="labelled", unequal=True)).comparisons
    assert [one.p_value for one in strict] == [one.p_value for one in labelled]
    assert [one.difference for one in labelled] == [one.readings[1].difference for one in strict]


def test_more_labels_alone_are_no_gain() -> None:
    """The finding: strict rises with coverage, at p < .05, while labelled stays where it was."""
    rows = generated(3, 200, (0.42, 0.28), (0.378, 0.252))  # of labelled nodes 60% are YES in both
    [pair] = compared(rows, Rypt()).comparisons
    strict, labelled = pair.readings
    assert strict.p_value < 0.05 < labelled.p_value
    assert not pair.significant
    assert any(
        one.startswith("RYPT: a difference has to show by strict and by labelled")
        and one.endswith("so that agreement is no proof")
        for one in compared(rows, Rypt()).warnings
    )


def test_holm_is_over_pairs() -> None:
    result = compared(generated(5, 60, (0.55, 0.2), (0.48, 0.25), (0.4, 0.3), (0.4, 0.3)))
    largest = [
        max(one.p_value for one in pair.readings) if pair.readings_agree else 1.0
        for pair in result.comparisons
    ]
    assert [pair.p_value for pair in result.comparisons] == largest
    assert {pair.family_size for pair in result.comparisons} == {6}
    expected = adjust(np.array(largest), "holm")
    assert [pair.p_adjusted for pair in result.comparisons] == pytest.approx(list(expected))


def _alone(way: str) -> Rypt:
    class Alone(Rypt):
        key = "alone"

        def readings(self) -> None:
            return None

    return Alone(unlabelled=way, unequal=True)


def test_a_combination_is_read_as_its_parts_are() -> None:
    rows = generated(2, 50, (0.5, 0.3), (0.4, 0.3))
    metric = Combine([Rypt(unequal=True)], [0.5])
    [pair], [alone] = compared(rows, metric).comparisons, compared(rows).comparisons
    assert [one.p_value for one in pair.readings] == [one.p_value for one in alone.readings]
    assert [2 * one.difference for one in pair.readings] == pytest.approx(
        [one.difference for one in alone.readings]
    )
    # Both at once: what was asked for is none of the readings, which all parts share.
    mixed = Combine([Rypt(unequal=True), Rypt(unequal=True, unlabelled="labelled")], [1, 1])
    doubled = {name: np.hstack([own, own]) for name, own in rows.items()}
    [pair] = compared(doubled, mixed).comparisons
    own, strict, labelled = (one.difference for one in pair.readings)
    assert own == pytest.approx((strict + labelled) / 2)
    assert [one.reading for one in pair.readings] == ["own", "strict", "labelled"]


def test_the_gate_waits_where_one_reading_is_worse() -> None:
    def gate(rows, **options):
        return compared(rows, baseline="B", gate=True, **options).gate.verdict

    # A is worse by labelled alone, by both, and by none.
    assert gate(SPLIT) == "inconclusive"
    assert gate({"A": [[4, 4, 0, 2]] * 50, "B": [[6, 2, 0, 2]] * 50}) == "fail"
    assert gate({"A": SPLIT["B"], "B": SPLIT["B"]}) == "pass"
    # strict +10, labelled −8.6: not worse by 9 by both, by 5 only by strict.
    assert gate(SPLIT, margin={"rypt:unequal": 9}) == "pass"
    assert gate(SPLIT, margin={"rypt:unequal": 5}) == "inconclusive"
    [pair] = compared(SPLIT, margin={"rypt:unequal": 9}).comparisons
    assert pair.margin_interval == pytest.approx((100 * (5 / 7 - 4 / 5), 10))
    assert (pair.non_inferior, pair.equivalent) == (True, False)


def test_a_slice_without_labels_is_refused() -> None:
    rows = {"A": [[5, 2, 0, 3], [0, 0, 0, 9]], "B": [[5, 2, 0, 3], [3, 1, 0, 5]]}
    with pytest.raises(InputError, match=r"no node of A, slice y, is labelled YES or NO"):
        compared(rows, slices=["x", "y"])


def test_other_metrics_have_no_readings() -> None:
    [pair] = compare({"A": [1, 2, 3], "B": [2, 2, 2]}).comparisons
    assert (pair.readings, pair.readings_agree) == ((), None)
    sample = Sample(Rypt(), ("A",), ((np.zeros((3, 4), np.int64),),))
    assert SamplesByReading.of([sample]).places == ((0, 1),)


@pytest.mark.parametrize("seed", range(3))
def test_a_trained_reranker_is_tested_likewise(seed) -> None:
    rows = generated(seed, 6, (0.55, 0.25), (0.35, 0.45 - 0.1 * seed))
    [pair] = compared(rows).comparisons
    assert _p_value(Rypt(), rows["A"], rows["B"], seed, 1) == pair.p_value


def test_many_pairs_are_explained_too() -> None:
    shares = [(0.3 + 0.04 * i, 0.3) for i in range(6)]
    result = compared(generated(4, 40, *shares), trials=99)
    assert "That they agree is no proof" in " ".join(str(result).split())


def test_every_format_says_both() -> None:
    result = compared(SPLIT, Rypt(unequal=True))
    shown = {name: result.to_text(name) for name in FORMS}
    for name in ("table", "markdown", "github"):
        assert "readings disagree" in shown[name]
        assert "-8.57" in shown[name].replace("−", "-")  # 5/7 − 4/5
        assert "no proof" in shown[name]
    document = json.loads(shown["json"])
    [pair] = document["comparisons"]
    assert [one["reading"] for one in pair["readings"]] == ["strict", "labelled"]
    assert pair["readings_agree"] is False
    assert "readings:largest-p" in document["tests"][0]["signature"]
    header, row = shown["tsv"].strip().split("\n")
    cells = dict(zip(header.split("\t"), row.split("\t"), strict=True))
    assert (cells["difference_strict"], cells["readings_agree"]) == ("10.0", "false")
    assert float(cells["p_value_labelled"]) == pair["readings"][1]["p_value"]
    again = restored(shown["json"], "x")
    assert {name: again.to_text(name) for name in FORMS} == shown
    document["comparisons"][0]["readings"][0]["p_value"] = 2
    with pytest.raises(InputError, match="p_value by 'strict' 2"):
        restored(json.dumps(document), "x")


def test_readings_of_which_none_has_a_p_value_read_back() -> None:
    """Without noise there is no p-value by either, and still they disagree."""
    rows = {"A": [[3, 1, 0, 2]] * 12, "B": [[4, 2, 0, 0]] * 12}
    result = compared(rows, runs=2, runs_as_sample=True, margin={"rypt": 5.0})
    [pair] = result.comparisons
    assert (pair.p_value, pair.readings_agree) == (1.0, False)
    assert [one.p_value for one in pair.readings] == [None, None]
    assert str(restored(result.to_json(), "x")) == str(result)
    assert "the interval spans those of all" in " ".join(str(result).split())


def test_coverage_alone_is_hardly_ever_called_a_difference() -> None:
    """Nulls: 60% of labelled nodes are YES in both, but 7 points more of A's are labelled."""
    nulls, rejected = 150, np.zeros(2)
    for seed in range(nulls):
        rows = generated(seed, 200, (0.42, 0.28), (0.378, 0.252))
        sample = Sample(Rypt(), ("A", "B"), tuple((own,) for own in rows.values()))
        alone = Sample(_alone("strict"), sample.names, sample.rows)
        battery = Battery([sample, alone], [(0, 1)], 199, seed)
        tests = battery.run(("randomization",), threads=1)["randomization"]
        rejected += [one.p_values["two-sided"][0] <= 0.05 for one in tests]
    together, strict = rejected / nulls
    assert together <= 0.05 + 3 * (0.05 * 0.95 / nulls) ** 0.5
    assert strict > 0.5  # which is what was wrong

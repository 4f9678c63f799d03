"""RYPT's `strict` and `labelled` are two metrics of one run; where they disagree, that is said."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from weigh import UsageError, compare
from weigh.comparing.compare_result import label_disagreements
from weigh.comparing.dataset import Dataset
from weigh.metrics.registry import expand_metrics, key_of, parse_metrics
from weigh.report.view import parse_result
from weigh.rypt.metric import Rypt
from weigh.stats.sample import Sample

STRICT, LABELLED = "rypt:unequal", "rypt:unlabelled=labelled:unequal"
MAY_DECIDE = (
    "RYPT strict and RYPT labelled disagree on A and B: "
    "the labels, not the translations, may explain it"
)


def compared(rows, ways=("strict", "labelled"), **options):
    """Compare systems that are given as rows: YES, NO, NOT SURE, unlabelled."""
    counts = tuple((np.array(own, dtype=np.int64),) for own in rows.values())
    options.setdefault("trials", 999)
    samples = [Sample(Rypt(unlabelled=way, unequal=True), tuple(rows), counts) for way in ways]
    contents = [[[f"{name} {at}" for at in range(samples[0].units)]] for name in rows]
    return compare(Dataset.of_samples(samples, outputs=contents), **options)


def generated(seed, size, *shares):
    """Return rows of systems by their shares of YES and NO; nodes are the same for all."""
    rng = np.random.default_rng(seed)
    nodes = rng.integers(5, 20, size)
    made = [rng.multinomial(nodes, (yes, no, 0.0, 1 - yes - no)) for yes, no in shares]
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


@pytest.mark.parametrize("seed", range(4))
def test_each_way_is_tested_by_itself_over_all_exchanges(seed) -> None:
    rows = generated(seed, 6, (0.55, 0.25), (0.35, 0.45 - 0.1 * seed))
    ways = ("strict", "half", "labelled")
    for way, pair in zip(ways, compared(rows, ways).comparisons, strict=True):
        actual, p = exact(way, rows["A"], rows["B"])
        assert pair.difference == pytest.approx(float(actual), abs=1e-9)
        assert pair.p_value == float(p)


def test_rypt_expands_into_two_metrics_to_compare_by() -> None:
    spec = r"rypt:labels=a\,b:parses=p"
    strict, labelled = expand_metrics([spec])
    assert (strict.name, labelled.name) == ("RYPT strict", "RYPT labelled")
    assert [strict] == parse_metrics([spec])  # which is tuned toward
    assert key_of(labelled) == r"rypt:labels=a\,b:parses=p:unlabelled=labelled"
    for way in ("strict", "half", "labelled"):
        [alone] = expand_metrics([f"{spec}:unlabelled={way}"])
        assert alone.unlabelled == way
    assert [metric.name for metric in expand_metrics(["bleu,chrf"])] == ["BLEU", "chrF2"]
    with pytest.raises(UsageError, match="unlabelled=labelled' is given twice"):
        expand_metrics(["rypt,rypt:unlabelled=labelled"])


# 50 segments of A: 5 YES, 2 NO, 3 open; of B: 4 YES, 1 NO, 5 open. So A is ahead by strict, .5 to
# .4, and behind by labelled, 5/7 to 4/5.
SPLIT = {
    "A": [[4, 2, 0, 4], [6, 2, 0, 2]] * 25,
    "B": [[4, 1, 0, 5]] * 50,
}


def test_where_they_disagree_labels_may_decide_and_no_system_is_called_better() -> None:
    result = compared(SPLIT)
    strict, labelled = result.comparisons
    assert (strict.metric, labelled.metric) == (STRICT, LABELLED)
    assert strict.difference > 0 > labelled.difference
    assert strict.significant
    assert labelled.significant
    assert label_disagreements(result.comparisons) == [[strict, labelled]]
    assert MAY_DECIDE in result.warnings
    shown = " ".join(str(result).split())
    assert "By RYPT strict and RYPT labelled, neither A nor B is called better." in shown
    assert "significantly better" not in shown
    for form in ("table", "markdown", "latex"):
        assert f"{MAY_DECIDE}." in " ".join(result.to_text(form).split())
    document = json.loads(result.to_json())
    assert [pair["metric"] for pair in document["comparisons"]] == [STRICT, LABELLED]
    assert str(parse_result(result.to_json(), "x")) == str(result)


def test_where_only_one_is_significant_they_disagree() -> None:
    """More labels alone raise strict, while labelled stays where it was."""
    result = compared(generated(3, 200, (0.42, 0.28), (0.378, 0.252)))
    strict, labelled = result.comparisons
    assert strict.p_value < 0.05 < labelled.p_value
    assert MAY_DECIDE in result.warnings


@pytest.mark.parametrize("shares", [((0.6, 0.2), (0.4, 0.4)), ((0.5, 0.3), (0.5, 0.3))])
def test_where_they_agree_nothing_is_said(shares) -> None:
    result = compared(generated(1, 100, *shares))
    assert not any("may decide" in warning for warning in result.warnings)
    assert "is called better" not in str(result)


def test_one_way_alone_or_other_metrics_cannot_disagree() -> None:
    assert not label_disagreements(compared(SPLIT, ["strict"]).comparisons)
    assert not label_disagreements(compare({"A": [1, 2, 3], "B": [2, 2, 2]}).comparisons)


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ("rypt", {STRICT, LABELLED}),
        (STRICT, {STRICT, LABELLED}),
        (LABELLED, {LABELLED}),
        ("RYPT strict", {STRICT}),
    ],
)
def test_a_margin_for_rypt_is_one_for_both(named, meant) -> None:
    assert set(compared(SPLIT, margin={named: 5.0}).plan.margin) == meant

"""What differences of metrics mean: the fit, its intervals, and what weigh knows of the WMT."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from shared_data import SHARED
from unit.human.judgments import one
from weigh.errors import InputError
from weigh.human import deltas
from weigh.human.deltas import SHARES, Scored, delta_curve, known_deltas
from weigh.human.metrics import human_metrics

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "make_deltas.py"


def planted(rng: np.random.Generator, systems: int, slope: float) -> Scored:
    """Draw systems whose pairs people order as the metric with probability 1/(1 + exp(−slope Δ)).

    The difference of two Gumbel variates is logistic.
    """
    metric = rng.normal(size=systems)
    return Scored(slope * metric + rng.gumbel(size=systems), metric)


def test_the_slope_is_that_of_greatest_likelihood() -> None:
    scored = planted(np.random.default_rng(1), 14, 1.0)
    curve = delta_curve([scored], "m", differences=[0.5])
    first, second = np.triu_indices(14, 1)
    differences = scored.metric[first] - scored.metric[second]
    agree = np.sign(differences) == np.sign(scored.people[first] - scored.people[second])
    sizes = np.abs(differences)
    # One half of a phantom pair at the median agrees, the other does not.
    sizes = np.append(sizes, [np.median(sizes)] * 2)
    signs = np.append(np.where(agree, 1.0, -1.0), [1.0, -1.0])
    weights = np.append(np.ones(len(agree)), [0.5, 0.5])

    def unlikely(slope: float) -> float:
        return float((weights * np.logaddexp(0, -signs * slope * sizes)).sum())

    assert curve.slope == pytest.approx(minimize_scalar(unlikely, (0, 1)).x, rel=1e-6)
    assert curve.agreed == agree.sum()
    assert curve.asked[0].share == pytest.approx(1 / (1 + math.exp(-curve.slope / 2)))
    near = (np.abs(differences) >= 0.5 / 1.5) & (np.abs(differences) <= 0.75)
    assert (curve.asked[0].pairs, curve.asked[0].agreed) == (near.sum(), agree[near].sum())
    for each in curve.needed:
        assert each.delta is not None
        assert curve.share(each.delta) == pytest.approx(each.share)
    assert [each.share for each in curve.needed] == [*SHARES]
    assert sum(each.pairs for each in curve.bins) == curve.pairs == 91


def test_intervals_hold_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    # With 400 draws and 400 repetitions .95 to 1 for slopes of 0 to 4 and 8 to 20 systems, but for
    # .90 with 8 systems and a slope of 4, where the interval lies too low.
    monkeypatch.setattr(deltas, "DRAWS", 100)
    rng = np.random.default_rng(2)
    for systems, slope in ((8, 0.5), (12, 0.5), (12, 1.5)):
        true = 1 / (1 + math.exp(-slope))
        held = []
        for _ in range(120):
            [found] = delta_curve([planted(rng, systems, slope)], "m", differences=[1.0]).asked
            held.append(found.interval[0] <= true <= found.interval[1])
        assert np.mean(held) >= 0.92


def test_several_groups_are_one_curve_and_pairs_stay_within_them() -> None:
    rng = np.random.default_rng(3)
    one_, other = planted(rng, 6, 1.0), planted(rng, 7, 1.0)
    curve = delta_curve([one_, other], "m")
    assert (curve.systems, curve.pairs, curve.freedom) == (13, 15 + 21, 11)
    shifted = Scored(other.people + 1000, other.metric - 1000)
    assert delta_curve([one_, shifted], "m").slope == pytest.approx(curve.slope)


def test_edges() -> None:
    rng = np.random.default_rng(4)
    order = np.arange(10.0)
    all_agree = delta_curve([Scored(order, order)], "m", differences=[1.0])
    assert all_agree.agreed == all_agree.pairs == 45
    assert 0.5 < all_agree.asked[0].share < 1
    turned = delta_curve([Scored(-order, order)], "m", differences=[1.0])
    assert turned.slope == pytest.approx(-all_agree.slope)
    assert {each.delta for each in turned.needed} == {None}
    open_ = delta_curve([Scored(rng.permutation(order), order)], "m")
    assert any(each.interval is None or each.interval[1] is None for each in open_.needed)
    level = delta_curve([Scored(np.zeros(10), order)], "m")  # people see no difference at all
    assert level.agreed == 0
    some_equal = delta_curve([Scored(order, np.minimum(order, 8))], "m")
    assert some_equal.pairs == 44  # the metric has no say in the pair that it finds equal
    with pytest.raises(InputError, match="7 systems, but at least 8 are needed"):
        delta_curve([Scored(order[:7], order[:7])], "m")
    with pytest.raises(InputError, match="BLEU gives all systems the same score"):
        delta_curve([Scored(order, np.ones(10))], "bleu", name="BLEU")


def test_a_seed_makes_the_same_intervals() -> None:
    scored = planted(np.random.default_rng(5), 9, 1.0)
    assert delta_curve([scored], "m", seed=3) == delta_curve([scored], "m", seed=3)
    assert delta_curve([scored], "m", seed=4).error != delta_curve([scored], "m", seed=3).error


class TestKnown:
    def test_what_is_known(self) -> None:
        result = known_deltas(["chrf"], {"bleu": 2.0})
        assert [(each.metric, each.name) for each in result.deltas] == [
            ("chrf", "chrF2"),
            ("bleu", "BLEU"),
        ]
        assert sum(each.systems for each in result.data) == 93
        assert sum(each.pairs for each in result.data) == result.deltas[1].pairs == 556
        assert [len(each.asked) for each in result.deltas] == [0, 1]
        agreed = [sum(each.agreed[name] for each in result.data) for name in ("chrf", "bleu")]
        assert agreed == [each.agreed for each in result.deltas]

    def test_errors_count_the_other_way(self) -> None:
        [curve] = known_deltas(["ter"]).deltas
        assert curve.agreed > 0.6 * curve.pairs
        assert curve.slope > 0

    @pytest.mark.skipif(
        not (SHARED / "data").is_dir(), reason="../shared, with data of the WMT, is not here"
    )
    def test_the_script_makes_the_table(self, monkeypatch: pytest.MonkeyPatch) -> None:
        spec = importlib.util.spec_from_file_location("make_deltas", SCRIPT)
        assert spec is not None
        assert spec.loader is not None
        script = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "make_deltas", script)
        spec.loader.exec_module(script)
        [smallest] = [each for each in script.SOURCES if each.folder.startswith("wmt22")]
        lines = script.TABLE.read_text(encoding="utf-8").split("\n")
        expected = [line.split("\t") for line in lines if line.startswith("wmt22")]
        assert script.rows(SHARED / "data", smallest) == expected


class TestOwnJudgments:
    def people(self, systems: str) -> list:
        return [
            one(name, n, 90 - 5 * at + (7 * n + 3 * at) % 13)
            for at, name in enumerate(systems)
            for n in range(1, 21)
        ]

    def scores(self, systems: str) -> dict:
        rng = np.random.default_rng(6)
        return {name: rng.normal(-0.3 * at, 0.5, 20) for at, name in enumerate(systems)}

    def test_asked(self) -> None:
        names = "ABCDEFGHI"
        errors = {name: -values for name, values in self.scores(names).items()}
        given = {"m": self.scores(names), "err": errors}
        result = human_metrics(self.people(names), given, lower=["err"], trials=9, delta={"m": 0.2})
        good, turned = result.deltas
        assert [each.delta for each in good.asked] == [0.2]
        assert turned.asked == ()
        assert turned.slope == pytest.approx(good.slope)
        assert good.scale == "de-en, adequacy"
        assert human_metrics(self.people(names), given, lower=["err"], trials=9).deltas == ()

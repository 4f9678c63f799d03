from __future__ import annotations

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest

from weigh.human.rank import rank
from weigh.read.preferences import Choice
from weigh.stats.intervals import Proportion
from weigh.stats.power import decisions_needed
from weigh.stats.ranking import rank_sum, sign_test, signed_rank
from weigh.types import Judgment
from weigh.validate.blinding import Key, Pair
from weigh.validate.forecast import (
    choice_forecasts,
    in_words,
    judgment_forecasts,
    level_left,
    nearest,
    pairs_needed,
    sum_interval,
    superiority_interval,
    values_needed,
)
from weigh.validate.judgment_power import Pilot
from weigh.validate.preference import preference

_CAMPAIGNS = 1500


def _shifted(shift: float, step: float = 0.0) -> Pilot:
    """Return values of two systems: quantiles of normal ones, in steps of a scale if that is."""
    from scipy.special import ndtri

    normal = ndtri((np.arange(400) + 0.5) / 400)
    first, second = normal + shift, normal
    if step:
        first, second = np.round(first / step) * step, np.round(second / step) * step
    return Pilot(("a", "b"), "z", first, second)


def _found(pilot: Pilot, size: int, alpha: float) -> float:
    """Return how often our own test decides, in campaigns drawn from two systems."""
    draws = np.random.default_rng(size)
    count = 0
    for _ in range(_CAMPAIGNS):
        first = draws.choice(pilot.first, size)
        second = draws.choice(pilot.second, size)
        count += rank_sum(first.tolist(), second.tolist()).p_value <= alpha
    return count / _CAMPAIGNS


def _is_as_forecast(share: float, size: int) -> bool:
    """Whether four of five campaigns decide; of up to 100 values more may do so."""
    return 0.76 <= share <= (0.84 if size > 100 else 0.98)


@pytest.mark.parametrize(
    ("shift", "step", "alpha"),
    [(2.0, 0.0, 0.05), (1.2, 0.0, 0.005), (0.6, 0.0, 0.05), (0.6, 2.0, 0.005), (0.3, 2.0, 0.05)],
)
def test_with_as_many_values_as_forecast_the_test_decides_in_four_of_five_campaigns_or_more(
    shift: float, step: float, alpha: float
) -> None:
    pilot = _shifted(shift, step)
    size = values_needed(pilot, pilot.superiority, alpha)
    assert isinstance(size, int)
    assert _is_as_forecast(_found(pilot, size, alpha), size)


@pytest.mark.parametrize(
    ("shift", "step", "alpha"),
    [(1.2, 0.0, 0.005), (0.6, 0.0, 0.05), (0.25, 0.0, 0.05), (0.6, 2.0, 0.005)],
)
def test_with_as_many_pairs_as_forecast_the_test_decides_in_four_of_five_campaigns_or_more(
    shift: float, step: float, alpha: float
) -> None:
    differences = _shifted(shift, step).first
    size = pairs_needed(differences, _chance(differences), alpha)
    assert isinstance(size, int)
    draws = np.random.default_rng(size)
    found = np.mean(
        [signed_rank(draws.choice(differences, size)).p_value <= alpha for _ in range(_CAMPAIGNS)]
    )
    assert _is_as_forecast(found, size)


def _chance(differences: np.ndarray) -> float:
    """Return the share of pairs of differences that add up to more than zero, zeros left out."""
    some = differences[differences != 0]
    return float(1 + np.sign(np.add.outer(some, some)).mean()) / 2


def test_systems_that_are_alike_are_never_decided() -> None:
    values = np.array([1.0, 2.0, 3.0])
    pilot = Pilot(("a", "b"), "z", values, values)
    assert values_needed(pilot, 0.5) == pairs_needed(values, 0.5) == math.inf
    zeros = np.zeros(20)
    assert sum_interval(zeros) == (0, 1)
    assert pairs_needed(zeros, 1.0) == math.inf
    flat = Pilot(("a", "b"), "z", zeros, zeros)
    low, high = superiority_interval(flat)
    assert low < 0.5 < high
    assert values_needed(flat, high) == math.inf


@pytest.mark.parametrize(
    ("shift", "size", "steps"),
    [(0.0, 15, 0), (0.0, 60, 1), (0.3, 15, 1), (1.0, 60, 0), (1.5, 15, 0), (1.5, 15, 1)],
)
def test_intervals_cover_the_true_chances_in_nineteen_of_twenty_campaigns(
    shift: float, size: int, steps: int
) -> None:
    draws = np.random.default_rng(11)
    campaigns = 800  # .92 is 3.9 standard errors from .95
    population = _shifted(shift, steps)
    if shift == 0.0:
        assert population.superiority == 0.5
    chance = _chance(population.first)
    covered = np.zeros(2)
    for _ in range(campaigns):
        first, second = (draws.choice(each, size) for each in (population.first, population.second))
        intervals = (
            (superiority_interval(Pilot(("a", "b"), "z", first, second)), population.superiority),
            (sum_interval(first), chance),
        )
        covered += [low <= true <= high for (low, high), true in intervals]
    assert np.all(covered / campaigns > 0.92)


def _campaign(draws: np.random.Generator, shift: float, size: int, test: str) -> list[Judgment]:
    """Return judgments of two systems; the segments of a paired test differ much."""
    judgments = []
    for segment in range(size):
        easy = draws.normal(0, 20) if test == "signed-rank" else 0.0
        judgments += [
            Judgment("j", "j", "", "system", system, str(segment), easy + draws.normal(mean, 10))
            for system, mean in (("A", 10 * shift), ("B", 0.0))
        ]
    return judgments


@pytest.mark.parametrize("test", ["rank-sum", "signed-rank"])
def test_of_equal_systems_no_number_is_promised(test: str) -> None:
    """Their observed difference is never zero, and a forecast from it would promise a decision."""
    draws = np.random.default_rng(12)
    bounded = 0
    for _ in range(100):
        result = rank(judgments := _campaign(draws, 0.0, 40, test), test=test, by="raw", alpha=1e-9)
        [forecast] = judgment_forecasts(judgments, result)
        assert not forecast.too_early
        bounded += forecast.most is not None
    assert bounded <= 12  # 5 are expected, as many as the interval misses zero


@pytest.mark.parametrize("test", ["rank-sum", "signed-rank"])
def test_the_range_contains_the_number_that_is_needed(test: str) -> None:
    draws = np.random.default_rng(13)
    alpha, size = 0.001, 60
    normal = _shifted(0.5)
    if test == "rank-sum":
        needed = values_needed(normal, normal.superiority, alpha) - size
    else:
        differences = _shifted(0.5 / math.sqrt(2)).first  # of two normal values
        needed = pairs_needed(differences, _chance(differences), alpha) - size
    forecasts = []
    for _ in range(100):
        judgments = _campaign(draws, 0.5, size, test)
        result = rank(judgments, test=test, by="raw", alpha=alpha)
        forecasts += judgment_forecasts(judgments, result)
    # Pairs that are decided already have none; those that look too different are among them.
    assert len(forecasts) > 50
    inside = [(each.least or math.inf) <= needed <= (each.most or math.inf) for each in forecasts]
    assert np.mean(inside) > 0.9
    assert any(each.most is not None for each in forecasts)


@pytest.mark.parametrize("shift", [0.0, 10.0])
def test_where_documents_are_the_unit_so_they_are_of_the_forecast(shift: float) -> None:
    """Systems differ by document, so that more segments of a document tell little more."""
    draws = np.random.default_rng(14)
    documents, segments, alpha = 20, 5, 0.0005
    # The variance of a document's mean difference: its own effect, and the noise of 5 segments.
    variance = 2 * (10.0**2 + 10.0**2 / segments)
    distance = NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(0.8)
    needed = math.inf
    if shift:
        needed = (distance**2 * variance / shift**2 - documents) * segments
    forecasts = []
    for _ in range(60):
        judgments = []
        for document in range(documents):
            for system, mean in (("A", shift), ("B", 0.0)):
                own = mean + draws.normal(0, 10)
                judgments += [
                    Judgment(
                        *("j", "j", "", "system", system, f"{document}-{segment}"),
                        float(own + draws.normal(0, 10)),
                        document=f"d{document}",
                    )
                    for segment in range(segments)
                ]
        result = rank(judgments, by="raw", alpha=alpha)
        assert result.comparisons[0].documents == documents
        forecasts += judgment_forecasts(judgments, result)
    assert len(forecasts) > 30
    inside = [(each.least or math.inf) <= needed <= (each.most or math.inf) for each in forecasts]
    assert np.mean(inside) > 0.88


@pytest.mark.parametrize("share", [0.55, 0.6, 0.75, 0.9, 1.0])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_with_as_many_decisions_as_forecast_the_sign_test_decides_in_four_of_five(
    share: float, alpha: float
) -> None:
    size = decisions_needed(share, alpha)
    wins = np.random.default_rng(7).binomial(int(size), share, 4000).tolist()
    p_values = {won: sign_test(won, int(size) - won) for won in set(wins)}
    found = sum(p_values[won] <= alpha for won in wins) / len(wins)
    assert found >= 0.78
    if share < 1:  # decisions are whole: one fewer would be too few, and one more jumps
        assert found <= 0.9
    fewer = int(size) - 1
    if size <= 300:
        wins = np.random.default_rng(8).binomial(fewer, share, 4000).tolist()
        assert np.mean([sign_test(won, fewer - won) <= alpha for won in wins]) < 0.82


def test_decisions_by_the_normal_approximation_go_on_where_exact_ones_end() -> None:
    sizes = [decisions_needed(0.5 + step / 1000) for step in range(120, 40, -1)]
    assert max(sizes) > 1000 > 300 > min(sizes)
    assert all(0.99 < after / before < 1.12 for before, after in itertools.pairwise(sizes))
    assert decisions_needed(0.5) == math.inf


def _judgments(gap: float, segments: int = 60, judges: int = 2) -> list[Judgment]:
    draws = np.random.default_rng(5)
    quality = {"ash": 60 + gap, "birch": 60.0, "cedar": 20.0}
    return [
        Judgment(
            f"judge {judge}",
            f"hit {judge}",
            "de-en",
            "system",
            system,
            str(segment),
            float(np.clip(mean + draws.normal(0, 15), 0, 100)),
        )
        for judge in range(judges)
        for system, mean in quality.items()
        for segment in range(segments)
    ]


def test_pairs_that_are_not_decided_have_a_forecast_at_the_level_that_holm_leaves() -> None:
    judgments = _judgments(2.0)
    result = rank(judgments)
    [ranking] = result.rankings
    undecided = [{row.a, row.b} for row in ranking.comparisons if not row.significant]
    assert undecided == [{"ash", "birch"}]
    assert level_left(ranking, result.plan) == 0.05
    [forecast] = judgment_forecasts(judgments, result)
    assert {forecast.a, forecast.b} == {"ash", "birch"}
    assert forecast.alpha == 0.05
    # Judgments of each, of which there are 120; the interval contains zero.
    assert forecast.least is not None
    assert forecast.most is None


def _key(pairs: int) -> Key:
    return Key(
        "first",
        "second",
        {},
        pairs,
        0,
        0,
        {},
        1,
        False,
        1,
        tuple(Pair(f"p{number}", str(number), "a") for number in range(pairs)),
    )


def test_blind_pairs_have_a_forecast_of_sentences_ties_among_them() -> None:
    answers = ["left"] * 15 + ["right"] * 5 + ["neither"] * 20
    choices = [Choice(f"p{number}", "j", answer) for number, answer in enumerate(answers)]
    result = preference([_key(60)], choices)
    assert choice_forecasts(result) == ()  # 15 to 5 is p = .041
    result = preference([_key(60)], choices[1:])
    [forecast] = choice_forecasts(result)
    # 14 of 19: from 48.8% to 90.9% by Clopper and Pearson.
    assert Proportion(14, 19).interval() == pytest.approx((0.488, 0.909), abs=5e-4)
    needed = decisions_needed(Proportion(14, 19).upper(0.025))
    assert needed < 19
    assert (forecast.least, forecast.most) == (1, None)


def test_without_a_choice_there_is_no_forecast_and_no_promise() -> None:
    [forecast] = choice_forecasts(preference([_key(3)], []))
    assert (forecast.least, forecast.most, forecast.too_early) == (None, None, True)
    assert in_words(forecast) == "too early to tell"
    assert nearest([forecast]) is None


def test_choices_that_are_even_have_no_upper_limit() -> None:
    choices = [Choice(f"p{at}", "j", "left" if at % 2 else "right") for at in range(20)]
    [forecast] = choice_forecasts(preference([_key(20)], choices))
    needed = decisions_needed(Proportion(10, 20).upper(0.025))
    assert (forecast.least, forecast.most, forecast.too_early) == (needed - 20, None, False)


def test_of_a_handful_of_segments_nothing_is_forecast() -> None:
    judgments = _judgments(2.0, segments=9)
    forecasts = judgment_forecasts(judgments, rank(judgments))
    assert forecasts
    assert all(each.too_early and each.least is each.most is None for each in forecasts)

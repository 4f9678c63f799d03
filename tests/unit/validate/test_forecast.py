from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from weigh.human.rank import rank
from weigh.read.preferences import Choice
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


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 10])
@pytest.mark.parametrize(
    ("shift", "step"), [(2.0, 0.0), (1.2, 0.0), (0.6, 0.0), (0.3, 0.0), (0.6, 2.0), (0.3, 2.0)]
)
def test_with_as_many_values_as_forecast_the_test_decides_in_four_of_five_campaigns_or_more(
    shift: float, step: float, alpha: float
) -> None:
    pilot = _shifted(shift, step)
    size = values_needed(pilot, alpha)
    assert isinstance(size, int)
    assert _is_as_forecast(_found(pilot, size, alpha), size)


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 10])
@pytest.mark.parametrize(("shift", "step"), [(1.2, 0.0), (0.6, 0.0), (0.25, 0.0), (0.6, 2.0)])
def test_with_as_many_pairs_as_forecast_the_test_decides_in_four_of_five_campaigns_or_more(
    shift: float, step: float, alpha: float
) -> None:
    differences = _shifted(shift, step).first
    size = pairs_needed(differences.tolist(), alpha)
    assert isinstance(size, int)
    draws = np.random.default_rng(size)
    found = np.mean(
        [signed_rank(draws.choice(differences, size)).p_value <= alpha for _ in range(_CAMPAIGNS)]
    )
    assert _is_as_forecast(found, size)


def test_pairs_that_look_alike_are_never_decided() -> None:
    assert pairs_needed([0.0, 0.0]) == pairs_needed([1.0, -1.0, 2.0, -2.0]) == math.inf


def test_systems_that_look_alike_are_never_decided() -> None:
    values = np.array([1.0, 2.0, 3.0])
    assert values_needed(Pilot(("a", "b"), "z", values, values)) == math.inf


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
    assert forecast.more is not None
    assert forecast.more > 60  # judgments of each, of which there are 120: half are not enough


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
    needed = decisions_needed(14 / 19)
    assert forecast.more == math.ceil((needed - 19) * 39 / 19)
    assert in_words(forecast) == f"about {forecast.more} more sentences"


def test_without_a_choice_there_is_no_forecast_and_no_promise() -> None:
    [forecast] = choice_forecasts(preference([_key(3)], []))
    assert (forecast.more, forecast.too_early) == (None, True)
    assert in_words(forecast) == "too early to tell"
    assert nearest([forecast]) is None


def test_choices_that_are_even_are_more_than_a_campaign_can_decide() -> None:
    choices = [Choice(f"p{at}", "j", "left" if at % 2 else "right") for at in range(20)]
    [forecast] = choice_forecasts(preference([_key(20)], choices))
    assert (forecast.more, forecast.too_early) == (None, False)
    assert in_words(forecast) == "more than a campaign can collect"


def test_of_a_handful_of_segments_nothing_is_forecast() -> None:
    judgments = _judgments(2.0, segments=9)
    forecasts = judgment_forecasts(judgments, rank(judgments))
    assert forecasts
    assert all(each.too_early and each.more is None for each in forecasts)

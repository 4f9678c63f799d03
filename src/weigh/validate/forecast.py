"""How many more answers of people would decide between two systems: a forecast, no promise.

It takes the difference that was observed for the true one. That difference is uncertain itself,
and of a campaign that is looked at again and again the forecast moves with it. The number is that
with which a campaign of its own would find the difference; the answers that there are count too,
and show it already, so with them the chance is rather higher.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from weigh.human.judgments import Answers, with_scores
from weigh.human.plan import PAIRED, RankPlan
from weigh.human.rank import sample_of
from weigh.human.rank_result import HumanRanking, RankResult
from weigh.human.scores import HumanScore
from weigh.stats.power import decisions_needed
from weigh.stats.ranking import ranked
from weigh.validate.judgment_power import Pilot, noether
from weigh.validate.preference import PreferenceResult

MOST = 100_000
"""More answers than a campaign can collect."""
POWER = 0.8
_ALPHA = 0.05  # of the sign test of blind pairs
# Of fewer values, or sentences, the difference tells nothing.
_LEAST = 10


@dataclass(frozen=True, slots=True)
class Forecast:
    """How many more answers would decide between a and b.

    `more` are judgments of each system, or sentences with a choice between both: None where they
    look alike, where test and scores disagree, or where `MOST` would not be enough. With so many,
    a test at `alpha` decides with the chance `power`, if the difference stays as it is. Where it is
    `too_early`, there are too few answers to tell anything.
    """

    about: str
    a: str
    b: str
    unit: Literal["judgment", "sentence"]
    alpha: float
    power: float
    more: int | None
    too_early: bool = False


def judgment_forecasts(answers: Answers, result: RankResult) -> tuple[Forecast, ...]:
    """Return a forecast for every pair of a ranking that is not decided, by the test that it has.

    `answers` are those that the ranking was made of, after quality control. Further judgments
    are taken to be of further segments, as many of each as before; more of the same tell less.
    """
    judgments = with_scores(answers).judgments
    forecasts: list[Forecast] = []
    for ranking in result.rankings:
        open_pairs = [row for row in ranking.comparisons if not row.significant]
        if ranking.combined or not open_pairs:
            continue
        alpha = level_left(ranking, result.plan)
        sample = sample_of(judgments, ranking.pair, ranking.scale, result.plan)
        by_segment = result.plan.unit == "segment"
        values = {
            name: np.sort(sample.segment_means(name) if by_segment else sample.judgments(name))
            for name in sample.systems
        }
        each = _judgments_per_value(ranking) if by_segment else dict.fromkeys(values, 1.0)
        for row in open_pairs:
            more = math.inf
            paired = row.test in PAIRED
            counted = [row.shared or 0] if paired else [len(values[row.a]), len(values[row.b])]
            too_early = min(counted) < _LEAST
            if not row.contradicts and not too_early and paired:
                differences = sample.differences(sample.shared(row.a, row.b))
                more = max(1.0, pairs_needed(differences, alpha) - len(differences))
            elif not row.contradicts and not too_early:
                pilot = Pilot((row.a, row.b), ranking.scale, values[row.a], values[row.b])
                size = values_needed(pilot, alpha)
                more = _further(size, len(pilot.first), len(pilot.second))
            count = _counted(more * (each[row.a] + each[row.b]) / 2)
            forecasts.append(
                Forecast(ranking.about, row.a, row.b, "judgment", alpha, POWER, count, too_early)
            )
    return tuple(forecasts)


def level_left(ranking: HumanRanking, plan: RankPlan) -> float:
    """Return the level at which the next pair of a ranking is tested.

    Holm's correction leaves α divided by the number of pairs that are not decided yet; of others,
    α divided by the number of all is taken, and of none α itself.
    """
    rows = ranking.comparisons
    if plan.adjust == "none":
        return plan.alpha
    if plan.adjust == "holm":
        return plan.alpha / max(1, sum(not row.significant for row in rows))
    return plan.alpha / max(1, len(rows))


def _judgments_per_value(ranking: HumanRanking) -> Mapping[str, float]:
    return {
        row.system: row.judgments / row.segments
        for row in ranking.scores
        if isinstance(row, HumanScore)
    }


def values_needed(pilot: Pilot, alpha: float = 0.05, power: float = POWER) -> float:
    """Return how many values of each system a two-sided rank-sum test needs, ∞ if they look alike.

    n = (z_{1−α/2} + z_power)² / (6 (P − ½)²) (Noether 1987), less what ties take off the variance
    of the ranks. Where that is 20 or less, it is a few more than are needed.
    """
    if pilot.superiority == 0.5:
        return math.inf
    _, ties = ranked(np.concatenate([pilot.first, pilot.second]))
    total = ties.sum()
    varied = 1 - float((ties**3 - ties).sum() / (total**3 - total))
    return max(2, math.ceil(noether(pilot.superiority, alpha, power) * varied))


def pairs_needed(differences: Sequence[float], alpha: float = 0.05, power: float = POWER) -> float:
    """Return how many shared segments a two-sided signed-rank test needs, ∞ if systems look alike.

    n = (z_{1−α/2} + z_power)² / (3 (P − ½)²) (Noether 1987), P the chance that two differences
    add up to more than zero, of as many as there are that are not zero. Where that is 100 or less,
    it is more than are needed, up to half as many again. The randomization test of segments needs
    about as many.
    """
    given = np.asarray(differences, np.float64)
    some = given[given != 0]
    sums = np.add.outer(some, some)
    above = float(np.mean(np.sign(sums))) / 2 if some.size else 0.0
    if above == 0:
        return math.inf
    normal = NormalDist()
    distance = normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
    wanted: float = distance**2 / (3 * above**2) * given.size / some.size
    return max(2, math.ceil(wanted))


def _further(size: float, first: int, second: int) -> float:
    """Return how many more values of each make two samples worth as much as two of one size.

    Samples of n and m are worth as much as two of their harmonic mean, 2 n m/(n + m).
    """
    if not math.isfinite(size):
        return size
    total, product = first + second, first * second
    rest = size - total
    root = math.sqrt(rest**2 - 4 * (product - size * total / 2))
    return max(1.0, (rest + root) / 2)


def _counted(count: float) -> int | None:
    return math.ceil(count * (1 - 1e-12)) if count <= MOST else None


def choice_forecasts(result: PreferenceResult) -> tuple[Forecast, ...]:
    """Return a forecast for all blind pairs whose sign test decides nothing at .05.

    The share of sentences for which neither was better is taken to stay as it is, too.
    """
    forecasts = []
    for votes in result.preferences:
        decisions = votes.sentences_a + votes.sentences_b
        if votes.p_value <= _ALPHA:
            continue
        more = math.inf
        too_early = decisions < _LEAST
        if not too_early:
            needed = decisions_needed(votes.sentences_a / decisions, _ALPHA, POWER)
            share = decisions / (decisions + votes.sentences_even)
            more = max(1.0, (needed - decisions) / share)
        forecasts.append(
            Forecast(
                *("blind pairs", votes.a, votes.b, "sentence", _ALPHA, POWER),
                _counted(more),
                too_early,
            )
        )
    return tuple(forecasts)


def nearest(forecasts: Sequence[Forecast]) -> Forecast | None:
    """Return the pair that would be decided first, if any would."""
    known = [each for each in forecasts if each.more is not None]
    return min(known, key=lambda each: each.more or 0, default=None)


def in_words(forecast: Forecast) -> str:
    """Return how many more that are, as roughly as they are known.

    >>> in_words(Forecast("adequacy", "a", "b", "judgment", 0.05, 0.8, 243))
    'about 240 more of each'
    """
    if forecast.too_early:
        return "too early to tell"
    if forecast.more is None:
        return "more than a campaign can collect"
    digits = len(str(forecast.more))
    rough = round(forecast.more, 2 - digits) if digits > 2 else forecast.more
    what = "more of each" if forecast.unit == "judgment" else "more sentences"
    return f"about {rough:,} {what}"

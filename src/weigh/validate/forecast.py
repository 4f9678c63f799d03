"""The number of further judgments that may decide between two systems.

The true difference is not known, so a forecast is a range. It has the numbers for the two ends of
the confidence interval of the difference that is observed. Where that interval contains zero, the
range has no upper end: the systems may be equal, and then no number of answers decides between
them. Forecasts of a campaign that is looked at again and again move with its answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np

from weigh.human.conclusions import ForOthers
from weigh.human.judgments import Answers, with_scores
from weigh.human.plan import PAIRED, RankPlan
from weigh.human.rank import sample_of
from weigh.human.rank_result import HumanRanking, RankResult
from weigh.human.scores import HumanScore
from weigh.stats.intervals import Proportion
from weigh.stats.power import decisions_needed
from weigh.stats.ranking import ranked
from weigh.validate.judgment_power import Pilot, noether
from weigh.validate.preference import PreferenceResult

if TYPE_CHECKING:
    from weigh.types import Scores

MOST = 100_000
"""More answers than a campaign can collect."""
POWER = 0.8
LEVEL = 0.95
_ALPHA = 0.05  # of the sign test of blind pairs
# Of fewer values, or sentences, the difference tells nothing.
_LEAST = 10


@dataclass(frozen=True, slots=True)
class Forecast:
    """A range of how many more answers may decide between a and b.

    The answers are judgments of each system, or sentences with a choice between both. If the true
    difference is at the larger end of its confidence interval, a test at `alpha` decides with the
    chance `power` after `least` more; if it is at the smaller end, after `most` more. Either is
    None where `MOST` are not enough. Where it is `too_early`, there are too few answers to tell
    anything.
    """

    about: str
    a: str
    b: str
    unit: Literal["judgment", "sentence"]
    alpha: float
    power: float
    least: int | None = None
    most: int | None = None
    too_early: bool = False


def judgment_forecasts(answers: Answers, result: RankResult) -> tuple[Forecast, ...]:
    """A forecast for every undecided pair of a ranking, by the pair's test.

    `answers` are those that the ranking was made of, after quality control. Further judgments
    are taken to be of further segments, as many of each as before, or of further documents where
    documents are the unit; more of the same tell less.
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
        per_value = _judgments_per_value(ranking) if by_segment else dict.fromkeys(values, 1.0)
        for row in open_pairs:
            paired = row.test in PAIRED
            counted = [row.shared or 0] if paired else [len(values[row.a]), len(values[row.b])]
            if row.documents is not None:
                counted = [row.documents if row.for_others else 0]
            forecast = Forecast(ranking.about, row.a, row.b, "judgment", alpha, POWER)
            if min(counted) < _LEAST:
                forecasts.append(replace(forecast, too_early=True))
                continue
            judgments_each = (per_value[row.a] + per_value[row.b]) / 2
            if row.documents is not None and row.for_others is not None:
                needed = _documents_needed(row.for_others, row.documents, alpha, result.plan.level)
                more = [max(1.0, size - row.documents) for size in needed]
                judgments_each *= (len(values[row.a]) + len(values[row.b])) / 2 / row.documents
            elif paired:
                differences = np.array(sample.differences(sample.shared(row.a, row.b)))
                larger, smaller = _ends(*sum_interval(differences, result.plan.level))
                needed = [pairs_needed(differences, end, alpha) for end in (larger, smaller)]
                more = [max(1.0, size - differences.size) for size in needed]
            else:
                pilot = Pilot((row.a, row.b), ranking.scale, values[row.a], values[row.b])
                larger, smaller = _ends(*superiority_interval(pilot, result.plan.level))
                needed = [values_needed(pilot, end, alpha) for end in (larger, smaller)]
                more = [_further(size, len(pilot.first), len(pilot.second)) for size in needed]
            least, most = (_counted(count * judgments_each) for count in more)
            forecasts.append(replace(forecast, least=least, most=most))
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


def superiority_interval(pilot: Pilot, level: float = LEVEL) -> tuple[float, float]:
    """An interval of the probability that a value of the first system is higher.

    Its variance is that of the placements of each sample in the other one (DeLong et al. 1988).
    """
    above = _placements(pilot.first, pilot.second)
    below = _placements(pilot.second, pilot.first)
    n, m = above.size, below.size
    variance = float(above.var(ddof=1) / n + below.var(ddof=1) / m)
    return _around(pilot.superiority, variance, (n + m + 1) / (12 * n * m), min(n, m), level)


def _placements(values: Scores, others: Scores) -> Scores:
    """Return the share of the other values below each value, ties half."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, values, side="left")
    at_most = np.searchsorted(ordered, values, side="right")
    placements: Scores = (below + at_most) / (2 * others.size)
    return placements


def sum_interval(differences: Scores, level: float = LEVEL) -> tuple[float, float]:
    """An interval of the probability that two differences sum to more than zero.

    Differences that are zero are left out, as the signed-rank test leaves them out. The variance is
    that of Hoeffding's projection.
    """
    nonzero = differences[differences != 0]
    if nonzero.size < 2:
        return 0.0, 1.0  # nothing is known
    shares = (1 + np.sign(np.add.outer(nonzero, nonzero)).mean(axis=1)) / 2
    variance = 4 * float(shares.var(ddof=1)) / nonzero.size
    return _around(float(shares.mean()), variance, 1 / (3 * nonzero.size), nonzero.size, level)


def _around(
    chance: float, variance: float, variance_if_alike: float, size: int, level: float
) -> tuple[float, float]:
    """A t interval on the log-odds scale, which also holds for probabilities near 0 and 1.

    There the estimated variance is too small or zero. So half an observation of either kind is
    added, and the variance is at least three quarters of that of systems that are alike, in
    proportion to P (1 − P).
    """
    from scipy.special import expit, logit, stdtrit

    near = (size * chance + 0.5) / (size + 1)
    spread = near * (1 - near)
    error = math.sqrt(max(variance, 3 * spread * variance_if_alike)) / spread
    half = float(stdtrit(size - 1, (1 + level) / 2)) * error
    return float(expit(logit(near) - half)), float(expit(logit(near) + half))


def _ends(low: float, high: float) -> tuple[float, float]:
    """The probabilities of an interval that are farthest from ½ and nearest to it.

    >>> _ends(0.45, 0.6), _ends(0.55, 0.75), _ends(0.2, 0.4)
    ((0.6, 0.5), (0.75, 0.55), (0.2, 0.4))
    """
    farthest = max(low, high, key=lambda end: abs(end - 0.5))
    return farthest, min(max(low, 0.5), high)


def values_needed(
    pilot: Pilot, superiority: float, alpha: float = 0.05, power: float = POWER
) -> float:
    """Number of values per system for a two-sided rank-sum test, ∞ for equal systems.

    n = (z_{1−α/2} + z_power)² / (6 (P − ½)²) (Noether 1987) for a chance of P, less what ties take
    off the variance of the ranks. In simulations this is 0 to 5 more than are needed, which is up
    to a sixth from 20 values on and up to half as many again below.
    """
    _, ties = ranked(np.concatenate([pilot.first, pilot.second]))
    total = ties.sum()
    varied = 1 - float((ties**3 - ties).sum() / (total**3 - total))
    if superiority == 0.5 or not varied:
        return math.inf
    return max(2, math.ceil(noether(superiority, alpha, power) * varied))


def pairs_needed(
    differences: Scores, chance: float, alpha: float = 0.05, power: float = POWER
) -> float:
    """Number of shared segments for a two-sided signed-rank test, ∞ for equal systems.

    n = (z_{1−α/2} + z_power)² / (3 (P − ½)²) (Noether 1987), P the chance that two differences
    add up to more than zero; the share of differences that are zero is taken to stay. In
    simulations this is up to a fifth more than are needed from 25 segments on, up to half as many
    again where many differences are equal, and up to twice as many below 25. The randomization
    test of segments needs about as many.
    """
    nonzero = np.count_nonzero(differences)
    if chance == 0.5 or not nonzero:
        return math.inf
    normal = NormalDist()
    distance = normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
    wanted: float = distance**2 / (3 * (chance - 0.5) ** 2) * differences.size / nonzero
    return max(2, math.ceil(wanted))


def _documents_needed(others: ForOthers, documents: int, alpha: float, level: float) -> list[float]:
    """Number of documents needed if the difference is at either end of its interval.

    n = documents ((z_{1−α/2} + z_power) s/d)² for a difference of d, s the standard error that the
    interval is made with. It allows for other judges too where the interval does, and is then more
    than these judges alone need.
    """
    from scipy.special import stdtrit

    low, high = others.interval
    error = (high - low) / 2 / float(stdtrit(others.freedom, (1 + level) / 2))
    normal = NormalDist()
    reach = (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(POWER)) * error
    larger, smaller = max(-low, high), max(low, -high, 0.0)
    return [documents * (reach / end) ** 2 if end else math.inf for end in (larger, smaller)]


def _further(size: float, first: int, second: int) -> float:
    """Number of further values that make two samples worth two of one size.

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
    """A forecast for all blind pairs whose sign test is not significant at .05.

    The share of sentences for which neither was better is taken to stay as it is, too.
    """
    forecasts = []
    for votes in result.preferences:
        decisions = votes.sentences_a + votes.sentences_b
        if votes.p_value <= _ALPHA:
            continue
        forecast = Forecast("blind pairs", votes.a, votes.b, "sentence", _ALPHA, POWER)
        if decisions < _LEAST:
            forecasts.append(replace(forecast, too_early=True))
            continue
        share = decisions / (decisions + votes.sentences_even)
        least, most = (
            _counted(max(1.0, (decisions_needed(end, _ALPHA, POWER) - decisions) / share))
            for end in _ends(*Proportion(votes.sentences_a, decisions).interval(LEVEL))
        )
        forecasts.append(replace(forecast, least=least, most=most))
    return tuple(forecasts)


def nearest(forecasts: Sequence[Forecast]) -> Forecast | None:
    """The pair that may be decided with the fewest answers, if any."""
    bounded = [forecast for forecast in forecasts if forecast.least is not None]
    return min(bounded, key=lambda forecast: forecast.least or 0, default=None)


def in_words(forecast: Forecast) -> str:
    """The range in words, rounded.

    >>> in_words(Forecast("adequacy", "a", "b", "judgment", 0.05, 0.8, 243, 1262))
    'about 240 to 1,300 more of each'
    >>> in_words(Forecast("adequacy", "a", "b", "judgment", 0.05, 0.8, 243))
    'at least about 240 more of each, with no upper limit'
    """
    if forecast.too_early:
        return "too early to tell"
    if forecast.least is None:
        return "more than a campaign can collect"
    what = "more of each" if forecast.unit == "judgment" else "more sentences"
    if forecast.most is None:
        return f"at least about {_rough(forecast.least)} {what}, with no upper limit"
    ends = dict.fromkeys((_rough(forecast.least), _rough(forecast.most)))
    return f"about {' to '.join(ends)} {what}"


def _rough(count: int) -> str:
    digits = len(str(count))
    return f"{round(count, 2 - digits) if digits > 2 else count:,}"
